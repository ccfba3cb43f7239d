//! RustCrypto's tests of its traits, with the vectors in the sources of its crates.

#[path = "common/files.rs"]
mod files;

use aead::{AeadInOut, KeyInit, dev::TestVector};
use cipher::{
    BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, StreamCipher,
    consts::{U7, U8, U9, U10, U11, U12, U13, U14, U16},
};
use digest::dev::{MacTestVector, MacTruncSide, mac_test, reset_mac_test};
use files::blobs;
use rijn::{
    Aes128, Aes128Eax, Aes128Gcm, Aes128GcmSiv, Aes128Ocb3, Aes192, Aes256, Aes256Gcm,
    Aes256GcmSiv, AesCcm, AesKey, CbcDecryptor, CbcEncryptor, Cmac, Ctr32BE, Ctr32LE, Ctr64BE,
    Ctr64LE, Ctr128BE, Error, Mode, SivKey,
};

/// The vectors of an AEAD: `NAME_pass.blb` and `NAME_fail.blb`.
fn aead<C: AeadInOut + KeyInit>(package: &str, name: &str) {
    for (end, test) in [
        ("pass", aead::dev::pass_test::<C> as fn(&TestVector) -> _),
        ("fail", aead::dev::fail_test::<C>),
    ] {
        let file = format!("data/{name}_{end}.blb");
        for (number, vector) in blobs(package, &file, 5).iter().enumerate() {
            let [key, nonce, aad, plaintext, ciphertext] = vector[..] else { unreachable!() };
            test(&TestVector { key, nonce, aad, plaintext, ciphertext })
                .unwrap_or_else(|reason| panic!("{file} {number}: {reason}"));
        }
    }
}

#[test]
fn gcm() {
    aead::<Aes128Gcm>("aes-gcm", "wycheproof-128");
    aead::<Aes256Gcm>("aes-gcm", "wycheproof-256");
}

#[test]
fn gcm_siv() {
    aead::<Aes128GcmSiv>("aes-gcm-siv", "wycheproof-128");
    aead::<Aes256GcmSiv>("aes-gcm-siv", "wycheproof-256");
}

/// The vectors of SIV have one associated string and no nonce.
#[test]
fn siv() {
    for size in [256, 512] {
        for vector in blobs("aes-siv", &format!("data/wycheproof-{size}_pass.blb"), 5) {
            let [key, _, ad, plaintext, sealed] = vector[..] else { unreachable!() };
            let key = SivKey::new(key).unwrap();
            let mut data = plaintext.to_vec();
            let tag = key.seal(&[ad], &mut data[..]).unwrap();
            assert_eq!([&tag[..], &data[..]].concat(), sealed);
            key.open(&[ad], &mut data[..], &tag).unwrap();
            assert_eq!(data, plaintext);
        }
        let forgeries = blobs("aes-siv", &format!("data/wycheproof-{size}_fail.blb"), 5);
        assert!(!forgeries.is_empty());
        for vector in forgeries {
            let [key, _, ad, _, sealed] = vector[..] else { unreachable!() };
            let (tag, ciphertext) = sealed.split_at(16);
            let mut data = ciphertext.to_vec();
            let result =
                SivKey::new(key).unwrap().open(&[ad], &mut data[..], &tag.try_into().unwrap());
            assert_eq!(result, Err(Error::Tag));
            assert!(data.iter().all(|&byte| byte == 0));
        }
    }
}

#[test]
fn eax() {
    aead::<Aes128Eax>("eax", "aes128eax");
}

#[test]
fn ocb3() {
    aead::<Aes128Ocb3>("ocb3", "rfc7253_ocb_aes");
}

#[test]
fn ccm() {
    macro_rules! each {
        ($($bits:literal $key:ty),*; $($tag:literal $t:ty, $nonce:literal $n:ty;)*) => {
            each!(@ [$($bits $key),*] [$($tag $t, $nonce $n;)*]);
        };
        (@ [$($bits:literal $key:ty),*] $sizes:tt) => { $(each!(@@ $bits $key, $sizes);)* };
        (@@ $bits:literal $key:ty, [$($tag:literal $t:ty, $nonce:literal $n:ty;)*]) => {$(
            aead::<AesCcm<$key, $n, $t>>(
                "ccm", concat!("cavp_ccm_aes", $bits, "_", $tag, "_", $nonce)
            );
        )*};
    }
    each! {
        128 Aes128, 192 Aes192, 256 Aes256;
        8 U8, 13 U13; 10 U10, 13 U13; 12 U12, 13 U13; 14 U14, 13 U13; 16 U16, 7 U7; 16 U16, 8 U8;
        16 U16, 9 U9; 16 U16, 10 U10; 16 U16, 11 U11; 16 U16, 12 U12; 16 U16, 13 U13;
    }
    aead::<AesCcm<Aes128, U13, U8>>("ccm", "rfc3610_ccm_aes128_8_13");
    aead::<AesCcm<Aes128, U13, U10>>("ccm", "rfc3610_ccm_aes128_10_13");
}

/// Tags of 4 and 6 bytes: only AesKey takes them, with permission.
#[test]
fn ccm_with_short_tags() {
    for bits in [128, 192, 256] {
        for (tag_size, nonce_size) in [(4, 7), (4, 13), (6, 13)] {
            for end in ["pass", "fail"] {
                let file = format!("data/cavp_ccm_aes{bits}_{tag_size}_{nonce_size}_{end}.blb");
                for vector in blobs("ccm", &file, 5) {
                    let [key, nonce, ad, plaintext, sealed] = vector[..] else { unreachable!() };
                    let mut key = AesKey::new(key).unwrap();
                    let (ciphertext, tag) = sealed.split_at(sealed.len() - tag_size);
                    let mut data = ciphertext.to_vec();
                    let refused = key.open(Mode::Ccm, nonce, ad, &mut data[..], tag);
                    assert_eq!(refused, Err(Error::TagSize));
                    key.allow_short_tags();
                    let result = key.open(Mode::Ccm, nonce, ad, &mut data[..], tag);
                    if end == "pass" {
                        assert_eq!((result, &data[..]), (Ok(()), plaintext));
                    } else {
                        assert_eq!(result, Err(Error::Tag));
                        assert!(data.iter().all(|&byte| byte == 0));
                    }
                }
            }
        }
    }
}

#[test]
fn block_cipher() {
    use cipher::dev::block_cipher::{TestVector, encrypt_decrypt_test};

    for (file, test) in [
        ("data/aes128.blb", encrypt_decrypt_test::<Aes128> as fn(&TestVector) -> _),
        ("data/aes192.blb", encrypt_decrypt_test::<Aes192>),
        ("data/aes256.blb", encrypt_decrypt_test::<Aes256>),
    ] {
        for vector in blobs("aes", file, 3) {
            let [key, plaintext, ciphertext] = vector[..] else { unreachable!() };
            test(&TestVector { key, plaintext, ciphertext }).expect(file);
        }
    }
}

#[test]
fn cbc() {
    use cipher::dev::block_mode::{TestVector, decrypt, encrypt};

    fn both<E, D>(file: &str)
    where
        E: BlockModeEncrypt + KeyIvInit,
        D: BlockModeDecrypt + KeyIvInit,
    {
        for vector in blobs("cbc", file, 4) {
            let [key, iv, plaintext, ciphertext] = vector[..] else { unreachable!() };
            let vector = TestVector { key, iv, plaintext, ciphertext };
            encrypt::<E>(&vector).expect(file);
            decrypt::<D>(&vector).expect(file);
        }
    }
    both::<CbcEncryptor<Aes128>, CbcDecryptor<Aes128>>("data/aes128.blb");
    both::<CbcEncryptor<Aes192>, CbcDecryptor<Aes192>>("data/aes192.blb");
    both::<CbcEncryptor<Aes256>, CbcDecryptor<Aes256>>("data/aes256.blb");
    // RustCrypto's modes over this crate's AES hand over their blocks in a closure.
    both::<cbc::Encryptor<Aes128>, cbc::Decryptor<Aes128>>("data/aes128.blb");
    both::<cbc::Encryptor<Aes256>, cbc::Decryptor<Aes256>>("data/aes256.blb");
}

cipher::iv_state_test!(cbc_iv_of_an_encryptor, CbcEncryptor<Aes128>, encrypt);
cipher::iv_state_test!(cbc_iv_of_a_decryptor, CbcDecryptor<Aes256>, decrypt);

#[test]
fn ctr() {
    use cipher::dev::stream::{TestVector, stream_cipher_test};

    fn all<C: KeyIvInit + StreamCipher>(file: &str) {
        for vector in blobs("ctr", file, 4) {
            let [key, iv, plaintext, ciphertext] = vector[..] else { unreachable!() };
            stream_cipher_test::<C>(&TestVector { key, iv, plaintext, ciphertext }).expect(file);
        }
    }
    all::<Ctr128BE<Aes128>>("ctr128/data/aes128-ctr.blb");
    all::<Ctr128BE<Aes256>>("ctr128/data/aes256-ctr.blb");
    all::<ctr::Ctr128BE<Aes256>>("ctr128/data/aes256-ctr.blb");
}

cipher::stream_cipher_seek_test!(seek_in_ctr128be, Ctr128BE<Aes128>);
cipher::stream_cipher_seek_test!(seek_in_ctr64be, Ctr64BE<Aes192>);
cipher::stream_cipher_seek_test!(seek_in_ctr32be, Ctr32BE<Aes256>);
cipher::stream_cipher_seek_test!(seek_in_ctr64le, Ctr64LE<Aes128>);
cipher::stream_cipher_seek_test!(seek_in_ctr32le, Ctr32LE<Aes128>);

#[test]
fn cmac() {
    for (file, side) in [
        ("cavp", MacTruncSide::Left),
        ("cavp_large", MacTruncSide::Left),
        ("nist", MacTruncSide::None),
        ("wycheproof", MacTruncSide::None),
    ] {
        for (bits, plain, reset) in [
            (
                128,
                mac_test::<Cmac<Aes128>> as fn(&_, _) -> _,
                reset_mac_test::<Cmac<Aes128>> as fn(&_, _) -> _,
            ),
            (192, mac_test::<Cmac<Aes192>>, reset_mac_test::<Cmac<Aes192>>),
            (256, mac_test::<Cmac<Aes256>>, reset_mac_test::<Cmac<Aes256>>),
        ] {
            if file == "cavp_large" && bits != 128 {
                continue; // there is none
            }
            for vector in blobs("cmac", &format!("data/cmac_aes{bits}_{file}.blb"), 3) {
                let [key, input, tag] = vector[..] else { unreachable!() };
                let vector = MacTestVector { key, input, tag };
                let result: Result<(), &str> = plain(&vector, side);
                result.unwrap_or_else(|reason| panic!("{file} {bits}: {reason}"));
                let result: Result<(), &str> = reset(&vector, side);
                result.unwrap_or_else(|reason| panic!("{file} {bits}: {reason}"));
            }
        }
    }
}
