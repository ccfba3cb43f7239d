//! The same bytes as other crates, on every backend that runs here, for sizes around the batches.

mod common;
#[path = "common/same.rs"]
mod same;

use aead::{
    KeyInit,
    consts::{U7, U8, U12, U13, U15, U16},
};
use cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, StreamCipher};
use common::{Random, backends, sizes};
use digest::Mac;
use rijn::{AesCcm, AesEax, AesGcm, AesOcb3, Error};
use same::same;

#[test]
fn gcm() {
    same::<AesGcm<rijn::Aes128>, aes_gcm::Aes128Gcm>();
    same::<AesGcm<rijn::Aes192>, aes_gcm::AesGcm<aes::Aes192, U12>>();
    same::<AesGcm<rijn::Aes256>, aes_gcm::Aes256Gcm>();
    same::<AesGcm<rijn::Aes256, U16, U13>, aes_gcm::AesGcm<aes::Aes256, U16, U13>>();
    same::<AesGcm<rijn::Aes128, U7>, aes_gcm::AesGcm<aes::Aes128, U7>>();
}

#[test]
fn gcm_siv() {
    same::<rijn::Aes128GcmSiv, aes_gcm_siv::Aes128GcmSiv>();
    same::<rijn::Aes256GcmSiv, aes_gcm_siv::Aes256GcmSiv>();
}

#[test]
fn siv() {
    same::<rijn::Aes128Siv, aes_siv::Aes128SivAead>();
    same::<rijn::Aes256Siv, aes_siv::Aes256SivAead>();
}

#[test]
fn ccm() {
    same::<AesCcm<rijn::Aes128, U12>, ccm::Ccm<aes::Aes128, U16, U12>>();
    same::<AesCcm<rijn::Aes192, U7, U8>, ccm::Ccm<aes::Aes192, U8, U7>>();
    same::<AesCcm<rijn::Aes256, U12, U12>, ccm::Ccm<aes::Aes256, U12, U12>>();
}

#[test]
fn ocb3() {
    same::<AesOcb3<rijn::Aes128>, ocb3::Ocb3<aes::Aes128, U12>>();
    same::<AesOcb3<rijn::Aes192, U15, U8>, ocb3::Ocb3<aes::Aes192, U15, U8>>();
    same::<AesOcb3<rijn::Aes256, U8, U12>, ocb3::Ocb3<aes::Aes256, U8, U12>>();
}

#[test]
fn eax() {
    same::<AesEax<rijn::Aes128>, eax::Eax<aes::Aes128>>();
    same::<AesEax<rijn::Aes192, U16, U13>, eax::Eax<aes::Aes192, U13>>();
    same::<AesEax<rijn::Aes256, U16, U8>, eax::Eax<aes::Aes256, U8>>();
}

/// CTR in random pieces and from random positions, with a counter that wraps.
fn same_ctr<A, B>(on: impl Fn(&cipher::Key<A>, &cipher::Iv<A>, &str) -> Result<A, Error>)
where
    A: StreamCipher + cipher::StreamCipherSeek + KeyIvInit<IvSize = U16> + Clone,
    B: StreamCipher + cipher::StreamCipherSeek + KeyIvInit<KeySize = A::KeySize, IvSize = U16>,
{
    let mut random = Random::new(2);
    for backend in backends() {
        for round in 0..40 {
            let key = random.bytes(A::key_size());
            let key: &cipher::Key<A> = key[..].try_into().unwrap();
            let mut iv = random.bytes(16);
            if round % 2 == 1 {
                iv[[0..16, 8..16, 0..8][round / 2 % 3].clone()].fill(0xff);
            }
            let iv: &cipher::Iv<A> = iv[..].try_into().unwrap();
            let (mut ours, mut theirs) = (on(key, iv, backend).unwrap(), B::new(key, iv));
            for step in 0..30 {
                let size = random.below(if step % 3 == 0 { 3000 } else { 40 });
                if step % 7 == 6 {
                    let position = random.below(5000);
                    ours.seek(position);
                    theirs.seek(position);
                }
                assert_eq!(ours.current_pos::<u64>(), theirs.current_pos::<u64>());
                let text = random.bytes(size);
                let (mut one, mut other) = (vec![0xa5; size], text.clone());
                if step % 5 == 0 {
                    ours = ours.clone(); // states move
                }
                ours.apply_keystream_b2b(&text, &mut one);
                theirs.apply_keystream(&mut other);
                assert_eq!(one, other, "{backend}, {size} bytes");
            }
        }
    }
}

#[test]
fn ctr_of_each_width() {
    same_ctr::<rijn::Ctr128BE<rijn::Aes128>, ctr::Ctr128BE<aes::Aes128>>(rijn::Ctr::with_backend);
    same_ctr::<rijn::Ctr64BE<rijn::Aes192>, ctr::Ctr64BE<aes::Aes192>>(rijn::Ctr::with_backend);
    same_ctr::<rijn::Ctr32BE<rijn::Aes256>, ctr::Ctr32BE<aes::Aes256>>(rijn::Ctr::with_backend);
    same_ctr::<rijn::Ctr32LE<rijn::Aes256>, ctr::Ctr32LE<aes::Aes256>>(rijn::Ctr::with_backend);
    same_ctr::<rijn::Ctr64LE<rijn::Aes128>, ctr::Ctr64LE<aes::Aes128>>(rijn::Ctr::with_backend);
}

#[test]
fn cbc_in_pieces() {
    let mut random = Random::new(3);
    for backend in backends() {
        for _ in 0..20 {
            let (key, iv) = (random.bytes(32), random.bytes(16));
            let key = key[..].try_into().unwrap();
            let iv = iv[..].try_into().unwrap();
            let mut ours =
                rijn::CbcEncryptor::<rijn::Aes256>::with_backend(key, iv, backend).unwrap();
            let mut theirs = cbc::Encryptor::<aes::Aes256>::new(key, iv);
            let mut back =
                rijn::CbcDecryptor::<rijn::Aes256>::with_backend(key, iv, backend).unwrap();
            for _ in 0..10 {
                let text: Vec<cipher::Array<u8, U16>> = (0..random.below(150))
                    .map(|_| random.bytes(16)[..].try_into().unwrap())
                    .collect();
                let (mut one, mut other) = (text.clone(), text.clone());
                ours.encrypt_blocks(&mut one);
                theirs.encrypt_blocks(&mut other);
                assert_eq!(one, other, "{backend}");
                let mut opened = text.clone();
                back.decrypt_blocks_b2b(&one, &mut opened).unwrap();
                assert_eq!(opened, text, "{backend}");
            }
        }
    }
}

#[test]
fn cmac_in_pieces() {
    let mut random = Random::new(4);
    for backend in backends() {
        for size in sizes(&mut random) {
            let key = random.bytes(24);
            let text = random.bytes(size);
            let mut ours =
                rijn::Cmac::<rijn::Aes192>::with_backend(key[..].try_into().unwrap(), backend)
                    .unwrap();
            let mut theirs = <cmac::Cmac<aes::Aes192> as KeyInit>::new_from_slice(&key).unwrap();
            theirs.update(&text);
            let mut rest = &text[..];
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(rest.len().min(1 + random.below(70)));
                ours.update(piece);
                ours = ours.clone(); // states move
                rest = after;
            }
            assert_eq!(ours.finalize().into_bytes(), theirs.finalize().into_bytes(), "{backend}");
        }
    }
}
