#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(feature = "alloc", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "alloc"),
    doc = "AES and AEGIS behind RustCrypto's traits. The examples need the feature `alloc`."
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod aeads;
mod backends;
mod block;
#[cfg(feature = "chunked")]
pub mod chunked;
mod cmac;
mod ctr;
mod error;
#[allow(unsafe_code)]
mod ffi;
#[cfg(test)]
mod header_test;
mod keys;
mod many;

pub use aead::{self, AeadCore, AeadInOut, Key, KeyInit, KeySizeUser};
pub use cipher;
pub use digest;

/// A nonce of `N` bytes, as in the crate `aes-gcm`.
pub type Nonce<N> = aead::array::Array<u8, N>;
/// A tag of `T` bytes.
pub type Tag<T = aead::consts::U16> = aead::array::Array<u8, T>;

pub use aeads::{
    Aegis, Aegis128L, Aegis128X2, Aegis128X4, Aegis256, Aegis256X2, Aegis256X4, Aes128Ccm,
    Aes128Eax, Aes128Gcm, Aes128GcmSiv, Aes128Ocb3, Aes128Siv, Aes192Ccm, Aes192Eax, Aes192Gcm,
    Aes192Ocb3, Aes192Siv, Aes256Ccm, Aes256Eax, Aes256Gcm, Aes256GcmSiv, Aes256Ocb3, Aes256Siv,
    AesAead, AesCcm, AesEax, AesGcm, AesGcmSiv, AesOcb3, AesSiv, Xaes256Gcm, modes,
};
pub use backends::{Backend, backends, default_backend, use_backend, version};
pub use block::{Aes, Aes128, Aes192, Aes256, AesCipher, CbcDecryptor, CbcEncryptor, KeyBytes};
pub use cmac::Cmac;
pub use ctr::{Ctr, Ctr32BE, Ctr32LE, Ctr64BE, Ctr64LE, Ctr128BE, counters};
pub use error::Error;
pub use ffi::Column;
pub use keys::{AegisKey, AegisVariant, AesKey, Mode, SivKey, XtsKey};
pub use many::{Many, ManyMode, Nonces};
#[cfg(feature = "alloc")]
pub use many::{Opened, Sealed};
