//! Dropped keys and states leave no key in memory.

#![allow(unsafe_code)] // it reads the place of a dropped value

use cipher::{KeyIvInit, StreamCipher, consts::U32};
use digest::{KeyInit, Mac};
use rijn::{AegisKey, AegisVariant, Aes256, Aes256Gcm, Aes256Siv, AesKey, SivKey};
use std::{mem::MaybeUninit, ptr};

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
    assert!(nonzero(&before) > 40, "{name}");
    assert!(nonzero(&after) <= rest, "{name}: {}", nonzero(&after));
}

#[test]
fn of_each_type() {
    let key = [0xa7; 32];
    check(AesKey::new(&key).unwrap(), 0);
    check(SivKey::new(&key).unwrap(), 0);
    check(AegisKey::new(AegisVariant::Aegis256, &key).unwrap(), 0);
    check(Aes256Gcm::new(&key.into()), 0);
    check(Aes256Siv::new(&[0xa7; 64].into()), 0);
    check(rijn::Aegis256::<aead::consts::U16>::new(&key.into()), 0);
    check(Aes256::new(&key.into()), 0);
    check(rijn::CbcEncryptor::<U32>::new(&key.into(), &[5; 16].into()), 0);
    check(rijn::CbcDecryptor::<U32>::new(&key.into(), &[5; 16].into()), 0);
    check(rijn::Cmac::<U32>::new(&key.into()).chain_update(b"text"), 0);
    let mut ctr = rijn::Ctr128BE::<U32>::new(&key.into(), &[5; 16].into());
    ctr.apply_keystream(&mut [0; 3]);
    check(ctr, 16 + 1 + 8); // IV, position, and bytes between fields
}
