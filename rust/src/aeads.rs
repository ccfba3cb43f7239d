//! The AEADs behind RustCrypto's traits.

use crate::{
    AegisVariant, Aes128, Aes192, Aes256, AesCipher, Error, Mode, SivKey, backends::make, ffi,
};
use aead::array::{ArraySize, typenum::Unsigned};
use aead::consts::{U12, U13, U16, U24, U32};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Key, KeyInit, KeySizeUser, Nonce, Tag, TagPosition};
use core::{fmt, marker::PhantomData};

/// Modes as types, for [`AesAead`] and [`Aegis`], and the sizes of each.
pub mod modes {
    use super::*;
    use aead::array::typenum::NonZero;
    use aead::consts::{U1, U2, U3, U4, U5, U6, U7, U8, U9, U10, U11, U14, U15};

    /// A mode of AES.
    pub trait AesMode: sealed::Mode + 'static {
        #[doc(hidden)]
        const MODE: Mode;
        #[doc(hidden)]
        const NAME: &'static str;
    }

    /// A variant of AEGIS.
    pub trait AegisMode: sealed::Mode + 'static {
        /// Bytes of a key and of a nonce.
        type Size: ArraySize;
        #[doc(hidden)]
        const VARIANT: AegisVariant;
    }

    /// A cipher that the mode `M` has keys for.
    #[diagnostic::on_unimplemented(message = "the mode `{M}` has no keys of `{Self}`")]
    pub trait CipherOf<M>: AesCipher + sealed::CipherOf<M> {}

    /// A size of nonces that the mode `M` has.
    #[diagnostic::on_unimplemented(message = "the mode `{M}` has no nonces of `{Self}` bytes")]
    pub trait NonceOf<M>: ArraySize + sealed::NonceOf<M> {}

    /// A size of tags that the mode `M` has.
    #[diagnostic::on_unimplemented(message = "the mode `{M}` has no tags of `{Self}` bytes")]
    pub trait TagOf<M>: ArraySize + sealed::TagOf<M> {}

    mod sealed {
        pub trait Mode {}
        pub trait CipherOf<M> {}
        pub trait NonceOf<M> {}
        pub trait TagOf<M> {}
    }

    macro_rules! nonces {
        ($mode:ident: 0..) => {
            impl<N: ArraySize> sealed::NonceOf<$mode> for N {}
            impl<N: ArraySize> NonceOf<$mode> for N {}
        };
        ($mode:ident: 1..) => {
            impl<N: ArraySize + NonZero> sealed::NonceOf<$mode> for N {}
            impl<N: ArraySize + NonZero> NonceOf<$mode> for N {}
        };
        ($mode:ident: $($size:ident)*) => {$(
            impl sealed::NonceOf<$mode> for $size {}
            impl NonceOf<$mode> for $size {}
        )*};
    }

    macro_rules! aes_modes {
        ($($(#[$doc:meta])* $name:ident {
            keys: $($cipher:ident)*; nonces: { $($nonces:tt)* } tags: $($tag:ident)*;
        })*) => {
            $(
                $(#[$doc])*
                #[derive(Clone, Copy, Debug)]
                pub enum $name {}
                impl sealed::Mode for $name {}
                impl AesMode for $name {
                    const MODE: Mode = Mode::$name;
                    const NAME: &'static str = stringify!($name);
                }
                $(
                    impl sealed::CipherOf<$name> for $cipher {}
                    impl CipherOf<$name> for $cipher {}
                )*
                nonces!($name: $($nonces)*);
                $(
                    impl sealed::TagOf<$name> for $tag {}
                    impl TagOf<$name> for $tag {}
                )*
            )*
        };
    }

    aes_modes! {
        /// GCM, SP 800-38D.
        Gcm {
            keys: Aes128 Aes192 Aes256;
            nonces: { 1.. }
            tags: U12 U13 U14 U15 U16;
        }
        /// GCM-SIV, RFC 8452.
        GcmSiv {
            keys: Aes128 Aes256;
            nonces: { U12 }
            tags: U16;
        }
        /// XAES-256-GCM, c2sp.org.
        Xaes {
            keys: Aes256;
            nonces: { U24 }
            tags: U16;
        }
        /// CCM, SP 800-38C.
        Ccm {
            keys: Aes128 Aes192 Aes256;
            nonces: { U7 U8 U9 U10 U11 U12 U13 }
            tags: U8 U10 U12 U14 U16;
        }
        /// OCB3, RFC 7253.
        Ocb3 {
            keys: Aes128 Aes192 Aes256;
            nonces: { U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U11 U12 U13 U14 U15 }
            tags: U8 U9 U10 U11 U12 U13 U14 U15 U16;
        }
        /// EAX.
        Eax {
            keys: Aes128 Aes192 Aes256;
            nonces: { 0.. }
            tags: U8 U9 U10 U11 U12 U13 U14 U15 U16;
        }
    }

    macro_rules! aegis_modes {
        ($($name:ident: $size:ty;)*) => {$(
            #[doc = concat!(stringify!($name), ", RFC 10032.")]
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}
            impl sealed::Mode for $name {}
            impl AegisMode for $name {
                type Size = $size;
                const VARIANT: AegisVariant = AegisVariant::$name;
            }
            impl sealed::TagOf<$name> for U16 {}
            impl TagOf<$name> for U16 {}
            impl sealed::TagOf<$name> for U32 {}
            impl TagOf<$name> for U32 {}
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
use modes::{AegisMode, AesMode, CipherOf, NonceOf, TagOf};

/// An AEAD of AES: a mode with the sizes of key, nonce and tag. Use its aliases, such as
/// [`Aes256Gcm`]. Sizes that the mode does not have do not compile.
///
/// The key is erased when it is dropped. A move copies its bytes, and Rust does not erase the place
/// that a value has left. The constructors erase the copies that they made, if the crate is compiled
/// with optimization, but not one that the caller makes: a new value moves into its box.
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
/// use rijn::{Aes192, AesGcmSiv, aead::KeyInit};
/// let cipher = AesGcmSiv::<Aes192>::new(&[7; 24].into());
/// ```
pub struct AesAead<M, A, N, T> {
    key: ffi::Key,
    sizes: Sizes<M, A, N, T>,
}

type Sizes<M, A, N, T> = PhantomData<fn() -> (M, A, N, T)>;

/// AES-GCM.
pub type AesGcm<A, N = U12, T = U16> = AesAead<modes::Gcm, A, N, T>;
/// AES-GCM-SIV (RFC 8452).
pub type AesGcmSiv<A> = AesAead<modes::GcmSiv, A, U12, U16>;
/// AES-CCM.
pub type AesCcm<A, N = U13, T = U16> = AesAead<modes::Ccm, A, N, T>;
/// AES-OCB3 (RFC 7253).
pub type AesOcb3<A, N = U12, T = U16> = AesAead<modes::Ocb3, A, N, T>;
/// AES-EAX.
pub type AesEax<A, N = U16, T = U16> = AesAead<modes::Eax, A, N, T>;

macro_rules! aliases {
    ($($name:ident = $generic:ident<$size:ty>, $text:literal;)*) => {
        $(#[doc = $text] pub type $name = $generic<$size>;)*
    };
}

aliases! {
    Aes128Gcm = AesGcm<Aes128>, "AES-128-GCM (SP 800-38D), nonces of 12 bytes.";
    Aes192Gcm = AesGcm<Aes192>, "AES-192-GCM (SP 800-38D), nonces of 12 bytes.";
    Aes256Gcm = AesGcm<Aes256>, "AES-256-GCM (SP 800-38D), nonces of 12 bytes.";
    Aes128GcmSiv = AesGcmSiv<Aes128>, "AES-128-GCM-SIV (RFC 8452).";
    Aes256GcmSiv = AesGcmSiv<Aes256>, "AES-256-GCM-SIV (RFC 8452).";
    Aes128Ccm = AesCcm<Aes128>, "AES-128-CCM (SP 800-38C), nonces of 13 bytes.";
    Aes192Ccm = AesCcm<Aes192>, "AES-192-CCM (SP 800-38C), nonces of 13 bytes.";
    Aes256Ccm = AesCcm<Aes256>, "AES-256-CCM (SP 800-38C), nonces of 13 bytes.";
    Aes128Ocb3 = AesOcb3<Aes128>, "AES-128-OCB3 (RFC 7253), nonces of 12 bytes.";
    Aes192Ocb3 = AesOcb3<Aes192>, "AES-192-OCB3 (RFC 7253), nonces of 12 bytes.";
    Aes256Ocb3 = AesOcb3<Aes256>, "AES-256-OCB3 (RFC 7253), nonces of 12 bytes.";
    Aes128Eax = AesEax<Aes128>, "AES-128-EAX, nonces of 16 bytes.";
    Aes192Eax = AesEax<Aes192>, "AES-192-EAX, nonces of 16 bytes.";
    Aes256Eax = AesEax<Aes256>, "AES-256-EAX, nonces of 16 bytes.";
    Aes128Siv = AesSiv<Aes128>, "AES-SIV (RFC 5297) with two keys of AES-128, together 32 bytes.";
    Aes192Siv = AesSiv<Aes192>, "AES-SIV (RFC 5297) with two keys of AES-192, together 48 bytes.";
    Aes256Siv = AesSiv<Aes256>, "AES-SIV (RFC 5297) with two keys of AES-256, together 64 bytes.";
}

/// XAES-256-GCM (c2sp.org/XAES-256-GCM): nonces of 24 bytes, which may be random for 2^80 messages.
pub type Xaes256Gcm = AesAead<modes::Xaes, Aes256, U24, U16>;

impl<M: AesMode, A: CipherOf<M>, N: NonceOf<M>, T: TagOf<M>> AesAead<M, A, N, T> {
    fn from_key(key: ffi::Key) -> Self {
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

impl<M, A, N, T> Clone for AesAead<M, A, N, T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), sizes: PhantomData }
    }
}

impl<M: AesMode, A: AesCipher, N, T> fmt::Debug for AesAead<M, A, N, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Aes{}{} {{ backend: {:?}, .. }}",
            <A::KeySize as Unsigned>::USIZE * 8,
            M::NAME,
            self.key.backend()
        )
    }
}

impl<M, A: AesCipher, N, T> KeySizeUser for AesAead<M, A, N, T> {
    type KeySize = A::KeySize;
}

impl<M: AesMode, A: CipherOf<M>, N: NonceOf<M>, T: TagOf<M>> KeyInit for AesAead<M, A, N, T> {
    /// Expands a key for the default backend. If the environment variable `RIJN_BACKEND` names
    /// none that can be used, this takes the fastest constant-time one;
    /// [`default_backend`](crate::default_backend) returns the error.
    fn new(key: &Key<Self>) -> Self {
        ffi::make_clean(|| Self::from_key(make(|name| ffi::Key::new(key, name))))
    }
}

impl<M, A, N: ArraySize, T: ArraySize> AeadCore for AesAead<M, A, N, T> {
    type NonceSize = N;
    type TagSize = T;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<M: AesMode, A, N: ArraySize, T: ArraySize> AeadInOut for AesAead<M, A, N, T> {
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

/// AES-SIV (RFC 5297) with two keys of `A`, and nonces of `N` bytes.
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
pub struct AesSiv<A, N = U16> {
    key: SivKey,
    sizes: PhantomData<fn() -> (A, N)>,
}

impl<A: AesCipher, N: ArraySize> AesSiv<A, N> {
    fn from_key(key: ffi::SivKey) -> Self {
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

impl<A, N> Clone for AesSiv<A, N> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), sizes: PhantomData }
    }
}

impl<A: AesCipher, N> fmt::Debug for AesSiv<A, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Aes{}Siv {{ backend: {:?}, .. }}",
            <A::KeySize as Unsigned>::USIZE * 8,
            self.key.backend()
        )
    }
}

impl<A: AesCipher, N> KeySizeUser for AesSiv<A, N> {
    type KeySize = A::SivKeySize;
}

impl<A: AesCipher, N: ArraySize> KeyInit for AesSiv<A, N> {
    /// Expands a key for the default backend, as [`AesAead`] does.
    fn new(key: &Key<Self>) -> Self {
        ffi::make_clean(|| Self::from_key(make(|name| ffi::SivKey::new(key, name))))
    }
}

impl<A, N: ArraySize> AeadCore for AesSiv<A, N> {
    type NonceSize = N;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Prefix;
}

impl<A, N: ArraySize> AeadInOut for AesSiv<A, N> {
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

impl<V: AegisMode, T: TagOf<V>> Aegis<V, T> {
    fn from_key(key: ffi::AegisKey) -> Self {
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

impl<V: AegisMode, T: TagOf<V>> KeyInit for Aegis<V, T> {
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

    impl<M, A, N, T> ZeroizeOnDrop for AesAead<M, A, N, T> {}
    impl<A, N> ZeroizeOnDrop for AesSiv<A, N> {}
    impl<V, T> ZeroizeOnDrop for Aegis<V, T> {}
}
