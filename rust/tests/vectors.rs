//! The vectors of this repository, which its other languages read too.

mod common;
#[path = "common/files.rs"]
mod files;

use aead::{AeadInOut, KeyInit};
use cipher::{BlockCipherEncrypt, KeyIvInit, StreamCipher};
use common::backends;
use files::{records, unhex};
use rijn::{AegisKey, AegisVariant, AesKey, Ctr128BE, Error, Mode};

/// Seals and opens a message, whose result has the tag at its end.
fn check(mode: Mode, record: &files::Record, text: &str, ad: &str, sealed: &str) {
    let [key, nonce, ad, text, sealed] =
        ["KEY", "NONCE", ad, text, sealed].map(|name| unhex(&record[name]));
    let ad = ad.repeat(record.get("REPEAT").map_or(1, |times| times.parse().unwrap()));
    for backend in backends() {
        let mut key = AesKey::with_backend(&key, backend).unwrap();
        key.allow_short_tags();
        let mut data = text.clone();
        let mut tag = vec![0; sealed.len() - text.len()];
        key.seal(mode, &nonce, &ad, &mut data[..], &mut tag).unwrap();
        assert_eq!([&data[..], &tag].concat(), sealed, "{backend}");
        key.open(mode, &nonce, &ad, &mut data[..], &tag).unwrap();
        assert_eq!(data, text, "{backend}");
    }
}

#[test]
fn ccm() {
    for record in records("ccm-rfc3610.rsp").iter().chain(&records("ccm-sp800-38c.rsp")) {
        check(Mode::Ccm, record, "PAYLOAD", "ADATA", "CT");
    }
}

#[test]
fn xaes() {
    let records = records("xaes-256-gcm.rsp");
    let whole: Vec<_> = records.iter().filter(|record| record.contains_key("NONCE")).collect();
    assert!(whole.len() >= 2);
    for record in whole {
        check(Mode::Xaes, record, "PLAINTEXT", "AAD", "CIPHERTEXT");
    }
}

/// RFC 7253, appendix A: 384 messages sealed, and their results sealed as associated data.
#[test]
fn ocb3() {
    for record in records("ocb3-rfc7253.rsp") {
        let (key_size, tag_size) =
            ["KEYLEN", "TAGLEN"].map(|name| record[name].parse::<usize>().unwrap() / 8).into();
        let mut bytes = vec![0; key_size];
        bytes[key_size - 1] = (8 * tag_size) as u8;
        let nonce = |number: usize| [&[0; 8][..], &(number as u32).to_be_bytes()].concat();
        for backend in backends() {
            let key = AesKey::with_backend(&bytes, backend).unwrap();
            let seal = |number, ad: &[u8], text: &[u8]| {
                let (mut data, mut tag) = (text.to_vec(), vec![0; tag_size]);
                key.seal(Mode::Ocb3, &nonce(number), ad, &mut data[..], &mut tag).unwrap();
                [data, tag].concat()
            };
            let mut all = Vec::new();
            for size in 0..128 {
                let zeros = vec![0; size];
                all.extend(seal(3 * size + 1, &zeros, &zeros));
                all.extend(seal(3 * size + 2, &[], &zeros));
                all.extend(seal(3 * size + 3, &zeros, &[]));
            }
            assert_eq!(seal(385, &all, &[]), unhex(&record["OUTPUT"]), "{backend}");
        }
    }
}

#[test]
fn aegis() {
    let mut counts = (0, 0);
    for record in records("aegis.rsp").iter().filter(|it| it["SECTION"] == "AEAD") {
        let variant = match &record["ALGORITHM"][..] {
            "AEGIS128L" => AegisVariant::Aegis128L,
            "AEGIS128X2" => AegisVariant::Aegis128X2,
            "AEGIS128X4" => AegisVariant::Aegis128X4,
            "AEGIS256" => AegisVariant::Aegis256,
            "AEGIS256X2" => AegisVariant::Aegis256X2,
            "AEGIS256X4" => AegisVariant::Aegis256X4,
            other => panic!("{other}"),
        };
        let [key, nonce, ad, sealed] =
            ["KEY", "NONCE", "AD", "CIPHERTEXT"].map(|name| unhex(&record[name]));
        for backend in backends() {
            let key = AegisKey::with_backend(variant, &key, backend).unwrap();
            for name in ["TAG128", "TAG256"] {
                let tag = unhex(&record[name]);
                let mut data = sealed.clone();
                let result = key.open(&nonce, &ad, &mut data[..], &tag);
                if record.contains_key("FAIL") {
                    assert_eq!(result, Err(Error::Tag), "{backend}");
                    assert!(data.iter().all(|&byte| byte == 0), "{backend}");
                    counts.1 += 1;
                    continue;
                }
                assert_eq!((result, &data), (Ok(()), &unhex(&record["PLAINTEXT"])), "{backend}");
                let mut again = vec![0; tag.len()];
                key.seal(&nonce, &ad, &mut data[..], &mut again).unwrap();
                assert_eq!((&data, &again), (&sealed, &tag), "{backend}");
                counts.0 += 1;
            }
        }
    }
    assert!(counts.0 >= 60 && counts.1 >= 20, "{counts:?}");
}

#[test]
fn ctr() {
    let mut checked = 0;
    for record in records("ctr-sp800-38a.rsp").iter().filter(|it| it["KEY"].len() == 64) {
        let [key, iv, mut data, sealed] =
            ["KEY", "IV", "PLAINTEXT", "CIPHERTEXT"].map(|name| unhex(&record[name]));
        Ctr128BE::<rijn::Aes256>::new_from_slices(&key, &iv).unwrap().apply_keystream(&mut data);
        assert_eq!(data, sealed);
        checked += 1;
    }
    assert!(checked > 0);
}

/// FIPS 197, appendix C.3, and the sample of GCM with an empty message.
#[test]
fn the_standards_own_samples() {
    let key: Vec<u8> = (0..32).collect();
    let mut block = unhex("00112233445566778899aabbccddeeff")[..].try_into().unwrap();
    rijn::Aes256::new_from_slice(&key).unwrap().encrypt_block(&mut block);
    assert_eq!(block[..], unhex("8ea2b7ca516745bfeafc49904b496089"));
    let tag = rijn::Aes128Gcm::new(&[0; 16].into())
        .encrypt_inout_detached(&[0; 12].into(), b"", (&mut [][..]).into())
        .unwrap();
    assert_eq!(tag[..], unhex("58e2fccefa7e3061367f1d57a4e7455a"));
}
