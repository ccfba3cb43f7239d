//! The same bytes as aws-lc-rs, which is a port of AWS-LC, in C and assembly.

use aws_lc_rs::aead::{
    AES_128_GCM, AES_128_GCM_SIV, AES_192_GCM, AES_256_GCM, AES_256_GCM_SIV, Aad, Algorithm,
    LessSafeKey, Nonce, UnboundKey,
};
use rijn::{AesKey, Mode};

#[test]
fn gcm_and_gcm_siv() {
    let bytes = |seed: usize, size: usize| -> Vec<u8> {
        (0..size).map(|i| ((i + 7 * seed).wrapping_mul(0x9e37_79b1) >> 13) as u8).collect()
    };
    let algorithms: [(&'static Algorithm, Mode, usize); 5] = [
        (&AES_128_GCM, Mode::Gcm, 16),
        (&AES_192_GCM, Mode::Gcm, 24),
        (&AES_256_GCM, Mode::Gcm, 32),
        (&AES_128_GCM_SIV, Mode::GcmSiv, 16),
        (&AES_256_GCM_SIV, Mode::GcmSiv, 32),
    ];
    let sizes = (0..=300).chain([1023, 1024, 1025, 1350, 4096, 16_384, 16_385, 100_000]);
    for (algorithm, mode, key_size) in algorithms {
        for size in sizes.clone() {
            let (key, nonce, ad) =
                (bytes(size, key_size), bytes(size + 1, 12), bytes(3, size % 70));
            let text = bytes(size + 2, size);
            let theirs = LessSafeKey::new(UnboundKey::new(algorithm, &key).unwrap());
            let mut expected = text.clone();
            let tag = theirs
                .seal_in_place_separate_tag(
                    Nonce::try_assume_unique_for_key(&nonce).unwrap(),
                    Aad::from(&ad),
                    &mut expected,
                )
                .unwrap();
            for backend in rijn::backends().filter(|backend| backend.available) {
                let ours = AesKey::with_backend(&key, backend.name).unwrap();
                let (mut data, mut our_tag) = (text.clone(), [0; 16]);
                ours.seal(mode, &nonce, &ad, &mut data[..], &mut our_tag).unwrap();
                assert_eq!(data, expected, "{mode:?} on {}, {size} bytes", backend.name);
                assert_eq!(our_tag, tag.as_ref(), "{mode:?} on {}, {size} bytes", backend.name);
                ours.open(mode, &nonce, &ad, &mut data[..], &our_tag).unwrap();
                assert_eq!(data, text, "{mode:?} on {}, {size} bytes", backend.name);
            }
        }
    }
}
