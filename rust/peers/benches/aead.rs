//! Sealing in place beside other crates: `cargo bench`. `RIJN_BACKEND` chooses Rijn's backend.

use aead::{AeadInOut, KeyInit, Nonce};
use aegis::compat::rustcrypto_traits_06 as their_aegis;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const SIZES: [usize; 4] = [16, 256, 1350, 16_384];

type Seal = Box<dyn FnMut(&mut [u8])>;

/// Seals with a crate that has RustCrypto's traits.
fn rustcrypto<A: AeadInOut + KeyInit + 'static>() -> Seal {
    let cipher = A::new_from_slice(&vec![1; A::key_size()]).expect("a key of this size");
    let nonce = Nonce::<A>::default();
    Box::new(move |data| {
        let tag = cipher.encrypt_inout_detached(black_box(&nonce), b"", data.into());
        black_box(tag.expect("a message of this size"));
    })
}

fn aws_lc(algorithm: &'static aws_lc_rs::aead::Algorithm) -> Seal {
    use aws_lc_rs::aead::{Aad, LessSafeKey, Nonce, UnboundKey};
    let key = UnboundKey::new(algorithm, &vec![1; algorithm.key_len()]).expect("a key");
    let key = LessSafeKey::new(key);
    Box::new(move |data| {
        let nonce = Nonce::assume_unique_for_key(black_box([0; 12]));
        let tag = key.seal_in_place_separate_tag(nonce, Aad::empty(), data);
        black_box(tag.expect("a message of this size"));
    })
}

fn ring(algorithm: &'static ring::aead::Algorithm) -> Seal {
    use ring::aead::{Aad, LessSafeKey, Nonce, UnboundKey};
    let key = UnboundKey::new(algorithm, &vec![1; algorithm.key_len()]).expect("a key");
    let key = LessSafeKey::new(key);
    Box::new(move |data| {
        let nonce = Nonce::assume_unique_for_key(black_box([0; 12]));
        let tag = key.seal_in_place_separate_tag(nonce, Aad::empty(), data);
        black_box(tag.expect("a message of this size"));
    })
}

fn group(criterion: &mut Criterion, name: &str, contenders: Vec<(&str, Seal)>) {
    let mut group = criterion.benchmark_group(name);
    let mut contenders = contenders;
    for size in SIZES {
        group.throughput(Throughput::Bytes(size as u64));
        for (name, seal) in &mut contenders {
            let mut data = vec![0; size];
            group.bench_function(BenchmarkId::new(*name, size), |bencher| {
                bencher.iter(|| seal(black_box(&mut data)));
            });
        }
    }
    group.finish();
}

fn all(criterion: &mut Criterion) {
    group(
        criterion,
        "AES-128-GCM",
        vec![
            ("rijn", rustcrypto::<rijn::Aes128Gcm>()),
            ("aes-gcm", rustcrypto::<aes_gcm::Aes128Gcm>()),
            ("aws-lc-rs", aws_lc(&aws_lc_rs::aead::AES_128_GCM)),
            ("ring", ring(&ring::aead::AES_128_GCM)),
        ],
    );
    group(
        criterion,
        "AES-256-GCM",
        vec![
            ("rijn", rustcrypto::<rijn::Aes256Gcm>()),
            ("aes-gcm", rustcrypto::<aes_gcm::Aes256Gcm>()),
            ("aws-lc-rs", aws_lc(&aws_lc_rs::aead::AES_256_GCM)),
            ("ring", ring(&ring::aead::AES_256_GCM)),
        ],
    );
    group(
        criterion,
        "AES-256-GCM-SIV",
        vec![
            ("rijn", rustcrypto::<rijn::Aes256GcmSiv>()),
            ("aes-gcm-siv", rustcrypto::<aes_gcm_siv::Aes256GcmSiv>()),
            ("aws-lc-rs", aws_lc(&aws_lc_rs::aead::AES_256_GCM_SIV)),
        ],
    );
    group(
        criterion,
        "AEGIS-128L",
        vec![
            ("rijn", rustcrypto::<rijn::Aegis128L>()),
            ("aegis", rustcrypto::<their_aegis::Aegis128L<16>>()),
        ],
    );
    group(
        criterion,
        "AEGIS-256",
        vec![
            ("rijn", rustcrypto::<rijn::Aegis256>()),
            ("aegis", rustcrypto::<their_aegis::Aegis256<16>>()),
        ],
    );
}

criterion_group!(benches, all);
criterion_main!(benches);
