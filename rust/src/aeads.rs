//! The AEADs behind RustCrypto's traits.

use crate::{AegisVariant, Error, Mode, SivKey, backends::make, ffi};
use aead::array::ArraySize;
use aead::consts::{U12, U13, U16, U24, U32, U48, U64};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Key, KeyInit, KeySizeUser, Nonce, Tag, TagPosition};
use core::{fmt, marker::PhantomData};

/// Modes as types, for [`AesAead`] and [`Aegis`].
pub mod modes {
    use super::*;

    /// A mode and its sizes: bit `n / 8` of `KEYS` for keys of `n` bytes, the smallest and the
    /// largest nonce, and bit `n` of `TAGS` for tags of `n` bytes.
    pub trait AesMode: sealed::Sealed + 'static {
        #[doc(hidden)]
        const MODE: Mode;
        #[doc(hidden)]
        const NAME: &'static str;
        #[doc(hidden)]
        const KEYS: u32;
        #[doc(hidden)]
        const NONCES: (usize, usize);
        #[doc(hidden)]
        const TAGS: u32;
    }

    /// A variant of AEGIS.
    pub trait AegisMode: sealed::Sealed + 'static {
        /// Bytes of a key and of a nonce.
        type Size: ArraySize;
        #[doc(hidden)]
        const VARIANT: AegisVariant;
    }

    mod sealed {
        pub trait Sealed {}
    }

    const fn tags(least: u32, most: u32) -> u32 {
        (2 << most) - (1 << least)
    }

    const ALL_KEYS: u32 = 1 << 2 | 1 << 3 | 1 << 4;

    macro_rules! aes_modes {
        ($($(#[$doc:meta])* $name:ident, $keys:expr, $nonces:expr, $tags:expr;)*) => {
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub enum $name {}
                impl sealed::Sealed for $name {}
                impl AesMode for $name {
                    const MODE: Mode = Mode::$name;
                    const NAME: &'static str = stringify!($name);
                    const KEYS: u32 = $keys;
                    const NONCES: (usize, usize) = $nonces;
                    const TAGS: u32 = $tags;
                }
            )*
            #[cfg(test)]
            pub(crate) const AES_MODES: &[(Mode, u32, (usize, usize), u32)] =
                &[$((Mode::$name, $keys, $nonces, $tags)),*];
        };
    }

    aes_modes! {
        /// GCM, SP 800-38D.
        Gcm, ALL_KEYS, (1, usize::MAX), tags(12, 16);
        /// GCM-SIV, RFC 8452.
        GcmSiv, 1 << 2 | 1 << 4, (12, 12), 1 << 16;
        /// XAES-256-GCM, c2sp.org.
        Xaes, 1 << 4, (24, 24), 1 << 16;
        /// CCM, SP 800-38C.
        Ccm, ALL_KEYS, (7, 13), 1 << 8 | 1 << 10 | 1 << 12 | 1 << 14 | 1 << 16;
        /// OCB3, RFC 7253.
        Ocb3, ALL_KEYS, (1, 15), tags(8, 16);
        /// EAX.
        Eax, ALL_KEYS, (0, usize::MAX), tags(8, 16);
    }

    macro_rules! aegis_modes {
        ($($name:ident: $size:ty;)*) => {$(
            #[doc = concat!(stringify!($name), ", RFC 10032.")]
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}
            impl sealed::Sealed for $name {}
            impl AegisMode for $name {
                type Size = $size;
                const VARIANT: AegisVariant = AegisVariant::$name;
            }
        )*};
    }

    aegis_modes! {
        Aegis128L: U16;
        Aegis128X2: U16;
        Aegis128X4: U16;
        Aegis256: U32;
        Aegis256X2: U32;
        Aegis256X4: U32;
    }
}
use modes::{AegisMode, AesMode};

/// An AEAD of AES: a mode with the sizes of key, nonce and tag. Use its aliases, such as
/// [`Aes256Gcm`]. Sizes that the mode does not have do not compile.
///
/// The key is erased when it is dropped. A move copies its bytes, and Rust does not erase the place
/// that a value has left. The constructors erase the copies that they made, but not one that the
/// caller makes: a new value moves into its variable or its box.
///
/// If decryption fails, the output is zeros. In place, the ciphertext is lost too.
///
/// ```
/// use rijn::{Aes256Gcm, aead::{AeadInOut, KeyInit}};
///
/// let cipher = Aes256Gcm::new(&[7; 32].into());
/// let mut data = *b"Attack at dawn";
/// let nonce = [1; 12].into(); // a new one for each message
/// let tag = cipher.encrypt_inout_detached(&nonce, b"to: Bob", data[..].as_mut().into())?;
/// cipher.decrypt_inout_detached(&nonce, b"to: Bob", data[..].as_mut().into(), &tag)?;
/// assert_eq!(&data, b"Attack at dawn");
/// # Ok::<(), rijn::aead::Error>(())
/// ```
///
/// ```compile_fail
/// // GCM-SIV has no keys of 24 bytes.
/// use rijn::{AesGcmSiv, aead::{KeyInit, consts::U24}};
/// let cipher = AesGcmSiv::<U24>::new(&[7; 24].into());
/// ```
pub struct AesAead<M, K, N, T> {
    key: ffi::Key,
    sizes: Sizes<M, K, N, T>,
}

type Sizes<M, K, N, T> = PhantomData<fn() -> (M, K, N, T)>;

/// AES-GCM with a key of `K` bytes.
pub type AesGcm<K, N = U12, T = U16> = AesAead<modes::Gcm, K, N, T>;
/// AES-GCM-SIV (RFC 8452) with a key of `K` bytes.
pub type AesGcmSiv<K> = AesAead<modes::GcmSiv, K, U12, U16>;
/// AES-CCM with a key of `K` bytes.
pub type AesCcm<K, N = U13, T = U16> = AesAead<modes::Ccm, K, N, T>;
/// AES-OCB3 (RFC 7253) with a key of `K` bytes.
pub type AesOcb3<K, N = U12, T = U16> = AesAead<modes::Ocb3, K, N, T>;
/// AES-EAX with a key of `K` bytes.
pub type AesEax<K, N = U16, T = U16> = AesAead<modes::Eax, K, N, T>;

macro_rules! aliases {
    ($($name:ident = $generic:ident<$size:ty>, $text:literal;)*) => {
        $(#[doc = $text] pub type $name = $generic<$size>;)*
    };
}

aliases! {
    Aes128Gcm = AesGcm<U16>, "AES-128-GCM (SP 800-38D), nonces of 12 bytes.";
    Aes192Gcm = AesGcm<U24>, "AES-192-GCM (SP 800-38D), nonces of 12 bytes.";
    Aes256Gcm = AesGcm<U32>, "AES-256-GCM (SP 800-38D), nonces of 12 bytes.";
    Aes128GcmSiv = AesGcmSiv<U16>, "AES-128-GCM-SIV (RFC 8452).";
    Aes256GcmSiv = AesGcmSiv<U32>, "AES-256-GCM-SIV (RFC 8452).";
    Aes128Ccm = AesCcm<U16>, "AES-128-CCM (SP 800-38C), nonces of 13 bytes.";
    Aes192Ccm = AesCcm<U24>, "AES-192-CCM (SP 800-38C), nonces of 13 bytes.";
    Aes256Ccm = AesCcm<U32>, "AES-256-CCM (SP 800-38C), nonces of 13 bytes.";
    Aes128Ocb3 = AesOcb3<U16>, "AES-128-OCB3 (RFC 7253), nonces of 12 bytes.";
    Aes192Ocb3 = AesOcb3<U24>, "AES-192-OCB3 (RFC 7253), nonces of 12 bytes.";
    Aes256Ocb3 = AesOcb3<U32>, "AES-256-OCB3 (RFC 7253), nonces of 12 bytes.";
    Aes128Eax = AesEax<U16>, "AES-128-EAX, nonces of 16 bytes.";
    Aes192Eax = AesEax<U24>, "AES-192-EAX, nonces of 16 bytes.";
    Aes256Eax = AesEax<U32>, "AES-256-EAX, nonces of 16 bytes.";
    Aes128Siv = AesSiv<U32>, "AES-SIV (RFC 5297) with two keys of AES-128, together 32 bytes.";
    Aes192Siv = AesSiv<U48>, "AES-SIV (RFC 5297) with two keys of AES-192, together 48 bytes.";
    Aes256Siv = AesSiv<U64>, "AES-SIV (RFC 5297) with two keys of AES-256, together 64 bytes.";
}

/// XAES-256-GCM (c2sp.org/XAES-256-GCM): nonces of 24 bytes, which may be random for 2^80 messages.
pub type Xaes256Gcm = AesAead<modes::Xaes, U32, U24, U16>;

impl<M: AesMode, K: ArraySize, N: ArraySize, T: ArraySize> AesAead<M, K, N, T> {
    const SIZES: () = {
        assert!(
            K::USIZE == 16 || K::USIZE == 24 || K::USIZE == 32,
            "the mode has no keys of this size"
        );
        assert!(M::KEYS >> (K::USIZE / 8) & 1 == 1, "the mode has no keys of this size");
        assert!(
            N::USIZE >= M::NONCES.0 && N::USIZE <= M::NONCES.1,
            "the mode has no nonces of this size"
        );
        assert!(
            T::USIZE <= 16 && M::TAGS >> T::USIZE & 1 == 1,
            "the mode has no tags of this size"
        );
    };

    fn from_key(key: ffi::Key) -> Self {
        const { Self::SIZES };
        Self { key, sizes: PhantomData }
    }

    /// Expands a key for a backend of [`backends`](crate::backends).
    ///
    /// # Errors
    /// [`Error::Backend`] if no backend has this name, [`Error::Unavailable`] if it cannot run
    /// here.
    pub fn with_backend(key: &Key<Self>, backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self::from_key(ffi::Key::new(key, Some(backend))?)))
    }

    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.key.backend()
    }
}

impl<M, K, N, T> Clone for AesAead<M, K, N, T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), sizes: PhantomData }
    }
}

impl<M: AesMode, K: ArraySize, N, T> fmt::Debug for AesAead<M, K, N, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aes{}{} {{ backend: {:?}, .. }}", K::USIZE * 8, M::NAME, self.key.backend())
    }
}

impl<M, K: ArraySize, N, T> KeySizeUser for AesAead<M, K, N, T> {
    type KeySize = K;
}

impl<M: AesMode, K: ArraySize, N: ArraySize, T: ArraySize> KeyInit for AesAead<M, K, N, T> {
    /// Expands a key for the default backend. If the environment variable `RIJN_BACKEND` names
    /// none that can be used, this takes the fastest constant-time one;
    /// [`default_backend`](crate::default_backend) returns the error.
    fn new(key: &Key<Self>) -> Self {
        ffi::make_clean(|| Self::from_key(make(|name| ffi::Key::new(key, name))))
    }
}

impl<M, K, N: ArraySize, T: ArraySize> AeadCore for AesAead<M, K, N, T> {
    type NonceSize = N;
    type TagSize = T;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<M: AesMode, K, N: ArraySize, T: ArraySize> AeadInOut for AesAead<M, K, N, T> {
    #[inline]
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<Tag<Self>> {
        let mut tag = Tag::<Self>::default();
        self.key.seal(M::MODE, nonce, associated_data, buffer, &mut tag)?;
        Ok(tag)
    }

    #[inline]
    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        Ok(self.key.open(M::MODE, nonce, associated_data, buffer, tag)?)
    }
}

/// AES-SIV (RFC 5297) with a key of `K` bytes, which has two AES keys, and nonces of `N` bytes.
/// [`SivKey`] takes several associated strings, and needs no nonce.
///
/// The nonce is the last associated string, as section 3 of the RFC says. The tag stands before
/// the ciphertext.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use rijn::{Aes128Siv, aead::{Aead, KeyInit}};
///
/// let cipher = Aes128Siv::new(&[7; 32].into());
/// let sealed = cipher.encrypt(&[1; 16].into(), &b"Attack at dawn"[..])?;
/// assert_eq!(cipher.decrypt(&[1; 16].into(), &sealed[..])?, b"Attack at dawn");
/// # }
/// # Ok::<(), rijn::aead::Error>(())
/// ```
pub struct AesSiv<K, N = U16> {
    key: SivKey,
    sizes: PhantomData<fn() -> (K, N)>,
}

impl<K: ArraySize, N: ArraySize> AesSiv<K, N> {
    const SIZES: () =
        assert!(K::USIZE == 32 || K::USIZE == 48 || K::USIZE == 64, "SIV has no keys of this size");

    fn from_key(key: ffi::SivKey) -> Self {
        const { Self::SIZES };
        Self { key: SivKey(key), sizes: PhantomData }
    }

    /// Expands a key for a backend of [`backends`](crate::backends).
    ///
    /// # Errors
    /// As [`AesAead::with_backend`].
    pub fn with_backend(key: &Key<Self>, backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self::from_key(ffi::SivKey::new(key, Some(backend))?)))
    }

    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.key.backend()
    }
}

impl<K, N> Clone for AesSiv<K, N> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), sizes: PhantomData }
    }
}

impl<K: ArraySize, N> fmt::Debug for AesSiv<K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aes{}Siv {{ backend: {:?}, .. }}", K::USIZE * 4, self.key.backend())
    }
}

impl<K: ArraySize, N> KeySizeUser for AesSiv<K, N> {
    type KeySize = K;
}

impl<K: ArraySize, N: ArraySize> KeyInit for AesSiv<K, N> {
    /// Expands a key for the default backend, as [`AesAead`] does.
    fn new(key: &Key<Self>) -> Self {
        ffi::make_clean(|| Self::from_key(make(|name| ffi::SivKey::new(key, name))))
    }
}

impl<K, N: ArraySize> AeadCore for AesSiv<K, N> {
    type NonceSize = N;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Prefix;
}

impl<K, N: ArraySize> AeadInOut for AesSiv<K, N> {
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<Tag<Self>> {
        Ok(self.key.seal(&[associated_data, nonce], buffer)?.into())
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        Ok(self.key.open(&[associated_data, nonce], buffer, &tag.0)?)
    }
}

/// A variant of AEGIS with tags of 16 or 32 bytes. Use its aliases, such as [`Aegis128L`].
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use rijn::{Aegis128L, aead::{Aead, KeyInit, consts::U32}};
///
/// let cipher: Aegis128L<U32> = Aegis128L::new(&[7; 16].into()); // tags of 32 bytes
/// let sealed = cipher.encrypt(&[1; 16].into(), &b"Attack at dawn"[..])?;
/// assert_eq!(sealed.len(), 14 + 32);
/// # }
/// # Ok::<(), rijn::aead::Error>(())
/// ```
pub struct Aegis<V, T = U16> {
    key: ffi::AegisKey,
    sizes: PhantomData<fn() -> (V, T)>,
}

macro_rules! aegis_aliases {
    ($($name:ident, $text:literal;)*) => {
        $(#[doc = $text] pub type $name<T = U16> = Aegis<modes::$name, T>;)*
    };
}

aegis_aliases! {
    Aegis128L, "AEGIS-128L (RFC 10032): key and nonce of 16 bytes.";
    Aegis128X2, "AEGIS-128X2 (RFC 10032): key and nonce of 16 bytes.";
    Aegis128X4, "AEGIS-128X4 (RFC 10032): key and nonce of 16 bytes.";
    Aegis256, "AEGIS-256 (RFC 10032): key and nonce of 32 bytes.";
    Aegis256X2, "AEGIS-256X2 (RFC 10032): key and nonce of 32 bytes.";
    Aegis256X4, "AEGIS-256X4 (RFC 10032): key and nonce of 32 bytes.";
}

impl<V: AegisMode, T: ArraySize> Aegis<V, T> {
    const SIZES: () =
        assert!(T::USIZE == 16 || T::USIZE == 32, "AEGIS has tags of 16 and of 32 bytes");

    fn from_key(key: ffi::AegisKey) -> Self {
        const { Self::SIZES };
        Self { key, sizes: PhantomData }
    }

    /// Makes a key for a backend of [`backends`](crate::backends), or for a kernel of one.
    ///
    /// # Errors
    /// As [`AesAead::with_backend`].
    pub fn with_backend(key: &Key<Self>, backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self::from_key(ffi::AegisKey::new(V::VARIANT, key, Some(backend))?)))
    }

    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.key.backend()
    }
}

impl<V, T> Clone for Aegis<V, T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), sizes: PhantomData }
    }
}

impl<V: AegisMode, T> fmt::Debug for Aegis<V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {{ kernel: {:?}, .. }}", V::VARIANT, self.key.kernel())
    }
}

impl<V: AegisMode, T> KeySizeUser for Aegis<V, T> {
    type KeySize = V::Size;
}

impl<V: AegisMode, T: ArraySize> KeyInit for Aegis<V, T> {
    /// Makes a key for the default backend, as [`AesAead`] does.
    fn new(key: &Key<Self>) -> Self {
        ffi::make_clean(|| Self::from_key(make(|name| ffi::AegisKey::new(V::VARIANT, key, name))))
    }
}

impl<V: AegisMode, T: ArraySize> AeadCore for Aegis<V, T> {
    type NonceSize = V::Size;
    type TagSize = T;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<V: AegisMode, T: ArraySize> AeadInOut for Aegis<V, T> {
    #[inline]
    fn encrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> aead::Result<Tag<Self>> {
        let mut tag = Tag::<Self>::default();
        self.key.seal(nonce, associated_data, buffer, &mut tag)?;
        Ok(tag)
    }

    #[inline]
    fn decrypt_inout_detached(
        &self,
        nonce: &Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag<Self>,
    ) -> aead::Result<()> {
        Ok(self.key.open(nonce, associated_data, buffer, tag)?)
    }
}

#[cfg(feature = "zeroize")]
mod erased {
    use super::*;
    use zeroize::ZeroizeOnDrop;

    impl<M, K, N, T> ZeroizeOnDrop for AesAead<M, K, N, T> {}
    impl<K, N> ZeroizeOnDrop for AesSiv<K, N> {}
    impl<V, T> ZeroizeOnDrop for Aegis<V, T> {}
}
