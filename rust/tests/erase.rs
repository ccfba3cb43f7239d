//! Dropped keys and states are erased in their place, and the constructors' copies of them on the stack.

#![allow(unsafe_code)] // it reads the place of a dropped value

use cipher::{KeyIvInit, StreamCipher};
use digest::{KeyInit, Mac};
use rijn::{AegisKey, AegisVariant, Aes256, Aes256Gcm, Aes256Siv, AesKey, SivKey, XtsKey};
use std::{hint::black_box, mem::MaybeUninit, ptr};

/// The bytes of a value before and after it is dropped.
fn around_drop<T>(value: T) -> (Vec<u8>, Vec<u8>) {
    let mut place = Box::new(MaybeUninit::<T>::zeroed());
    let begin = place.as_mut_ptr();
    let bytes = || -> Vec<u8> {
        (0..size_of::<T>())
            // SAFETY: the box owns these bytes. Volatile, because a value was dropped there.
            .map(|i| unsafe { ptr::read_volatile(begin.cast::<u8>().add(i)) })
            .collect()
    };
    // SAFETY: the place has room for a T, and the box does not drop it.
    unsafe { begin.write(value) };
    let before = bytes();
    // SAFETY: the value was written above, and is not used again.
    unsafe { begin.drop_in_place() };
    (before, bytes())
}

fn nonzero(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte != 0).count()
}

/// At most `rest` bytes may stay: an IV, for example.
fn check<T>(value: T, rest: usize) {
    let (before, after) = around_drop(value);
    let name = std::any::type_name::<T>();
    assert!(nonzero(&before) >= 32, "{name}");
    assert!(nonzero(&after) <= rest, "{name}: {}", nonzero(&after));
}

#[test]
fn of_each_type() {
    let key = [0xa7; 32];
    check(AesKey::new(&key).unwrap(), 0);
    check(SivKey::new(&key).unwrap(), 0);
    check(XtsKey::new(&XTS_KEYS).unwrap(), 0);
    check(AegisKey::new(AegisVariant::Aegis256, &key).unwrap(), 0);
    check(Aes256Gcm::new(&key.into()), 0);
    check(Aes256Siv::new(&[0xa7; 64].into()), 0);
    check(rijn::Aegis256::<aead::consts::U16>::new(&key.into()), 0);
    check(Aes256::new(&key.into()), 0);
    check(rijn::CbcEncryptor::<Aes256>::new(&key.into(), &[5; 16].into()), 0);
    check(rijn::CbcDecryptor::<Aes256>::new(&key.into(), &[5; 16].into()), 0);
    check(rijn::Cmac::<Aes256>::new(&key.into()).chain_update(b"text"), 0);
    let mut ctr = rijn::Ctr128BE::<Aes256>::new(&key.into(), &[5; 16].into());
    ctr.apply_keystream(&mut [0; 3]);
    check(ctr, 16 + 1 + 8); // IV, position, and bytes between fields
}

/// How often the bytes are on the stack that earlier calls used.
#[inline(never)]
fn left_on_the_stack(bytes: &[u8]) -> usize {
    let place = MaybeUninit::<[u8; 60_000]>::uninit();
    let begin = black_box(place.as_ptr().cast::<u8>());
    // SAFETY: the place has these bytes. Volatile, because nothing wrote a value there.
    let at = |i: usize| unsafe { ptr::read_volatile(begin.add(i)) };
    (0..60_000 - bytes.len()).filter(|i| (0..bytes.len()).all(|j| at(i + j) == bytes[j])).count()
}

#[inline(never)]
fn clear_the_stack() {
    black_box(&mut [0u8; 100_000]);
}

/// Makes and drops a value in a frame of its own.
#[inline(never)]
fn drop_one<T>(make: impl FnOnce() -> T) {
    black_box(&make());
}

// Static, so that no test has a copy on its stack.
static KEY: [u8; 32] = *b"0123456789abcdefFEDCBA9876543210";
static XTS_KEYS: [u8; 64] = *b"0123456789abcdefFEDCBA9876543210another key for the tweak, 32 by";
static TWO_KEYS: [u8; 64] = *b"0123456789abcdefFEDCBA98765432100123456789abcdefFEDCBA9876543210";

/// `secret` are bytes of the value. `make` returns a Result as it is: `unwrap` moves the value, and so
/// leaves a copy.
fn check_stack<T>(secret: &[u8], make: impl Fn() -> T) {
    let name = std::any::type_name::<T>();
    let (bytes, _) = around_drop(make());
    assert!(bytes.windows(secret.len()).any(|part| part == secret), "{name} has other bytes");
    clear_the_stack();
    assert_eq!(left_on_the_stack(secret), 0, "{name}: before");
    // Does the search find what is there?
    drop_one(|| {
        let mut copy = [0; 2048];
        copy[1000..1032].copy_from_slice(secret);
        copy
    });
    assert!(left_on_the_stack(secret) > 0, "{name}: a copy that is there");
    clear_the_stack();
    drop_one(&make);
    assert_eq!(left_on_the_stack(secret), 0, "{name}");
}

/// Bytes of the expanded `KEY`, beyond the key itself. Some backends have other things before it, which
/// a key without GHASH lacks, and some do not store it as it is.
fn schedule(key: AesKey) -> Vec<u8> {
    let (bytes, _) = around_drop(key);
    let begin = bytes.windows(32).position(|part| part == KEY).map_or(64, |at| at + 32);
    bytes[begin..begin + 32].to_vec()
}

#[test]
fn constructors_leave_no_copy_on_the_stack() {
    let key = (&KEY).into();
    for name in rijn::backends().filter(|it| it.available).map(|it| it.name) {
        let secret = &schedule(AesKey::with_backend(&KEY, name).unwrap())[..];
        check_stack(secret, || AesKey::with_backend(&KEY, name));
        check_stack(secret, || Aes256Gcm::with_backend(key, name));
        check_stack(secret, || SivKey::with_backend(&TWO_KEYS, name));
        check_stack(secret, || XtsKey::with_backend(&XTS_KEYS, name));
        let iv = &[5; 16].into();
        check_stack(secret, || rijn::Ctr128BE::<Aes256>::with_backend(key, iv, name));
        check_stack(secret, || rijn::Cmac::<Aes256>::with_backend(key, name));
    }
    let secret = &schedule(AesKey::new(&KEY).unwrap())[..];
    let iv = &[5; 16].into();
    check_stack(secret, || Aes256Gcm::new(key));
    check_stack(secret, || Aes256Siv::new((&TWO_KEYS).into()));
    check_stack(secret, || Aes256::new(key));
    check_stack(secret, || rijn::Cmac::<Aes256>::new(key));
    check_stack(secret, || rijn::CbcEncryptor::<Aes256>::new(key, iv));
    check_stack(secret, || rijn::Ctr128BE::<Aes256>::new(key, iv));
    check_stack(&KEY, || AegisKey::new(AegisVariant::Aegis256, &KEY));
    check_stack(&KEY, || rijn::Aegis256::<aead::consts::U16>::new(key));
}
