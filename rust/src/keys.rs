//! Keys with sizes that are known at run time only, and with a chosen backend.

use crate::{Error, Many, ManyMode, ffi};
use cipher::InOutBuf;
use core::fmt;

/// A mode of AES that authenticates, for [`AesKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// GCM, SP 800-38D. Nonce: use 12 bytes. Tag: 12 to 16 bytes.
    Gcm,
    /// GCM-SIV, RFC 8452. Keys of 16 or 32 bytes. Nonce: 12 bytes. Tag: 16 bytes.
    GcmSiv,
    /// XAES-256-GCM, c2sp.org. Keys of 32 bytes. Nonce: 24 bytes. Tag: 16 bytes.
    Xaes,
    /// CCM, SP 800-38C. Nonce: 7 to 13 bytes. Tag: 8, 10, 12, 14 or 16 bytes.
    Ccm,
    /// OCB3, RFC 7253. Nonce: 1 to 15 bytes. Tag: 8 to 16 bytes.
    Ocb3,
    /// EAX. Nonce of any size. Tag: 8 to 16 bytes.
    Eax,
}

/// An AES key of 16, 24 or 32 bytes for any [`Mode`]. It is erased when it is dropped.
///
/// The types with one mode, such as [`Aes256Gcm`](crate::Aes256Gcm), check sizes when you
/// compile. This one checks them in each call.
///
/// ```
/// use rijn::{AesKey, Mode};
///
/// let key = AesKey::new(&[7; 32])?;
/// let mut data = *b"Attack at dawn";
/// let mut tag = [0; 16];
/// key.seal(Mode::Ccm, &[1; 13], b"to: Bob", &mut data[..], &mut tag)?;
/// key.open(Mode::Ccm, &[1; 13], b"to: Bob", &mut data[..], &tag)?;
/// assert_eq!(&data, b"Attack at dawn");
/// # Ok::<(), rijn::Error>(())
/// ```
#[derive(Clone)]
pub struct AesKey(pub(crate) ffi::Key);

impl fmt::Debug for AesKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesKey").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl AesKey {
    /// Expands a key for the default backend.
    ///
    /// # Errors
    /// [`Error::KeySize`], and the errors of [`default_backend`](crate::default_backend).
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self(ffi::Key::new(key, None)?)))
    }

    /// Expands a key for a backend of [`backends`](crate::backends).
    ///
    /// # Errors
    /// [`Error::KeySize`], [`Error::Backend`], [`Error::Unavailable`].
    pub fn with_backend(key: &[u8], backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self(ffi::Key::new(key, Some(backend))?)))
    }

    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.0.backend()
    }

    /// Allows tags of 4 or 8 bytes in GCM, of 4 or 6 bytes in CCM, and of 1 to 7 bytes in OCB3 and
    /// EAX. One of 2^(8 n) attempts forges a tag of n bytes, and a forgery in GCM reveals
    /// something about the hash key. First read appendix C of SP 800-38D.
    pub fn allow_short_tags(&mut self) {
        self.0.allow_short_tags();
    }

    /// Encrypts `data` in place, or from one buffer to another with [`InOutBuf::new`], and writes
    /// the tag. The size of `tag` is the size of the tag.
    ///
    /// # Errors
    /// [`Error::KeySize`], [`Error::NonceSize`], [`Error::TagSize`], [`Error::Size`]. Nothing is
    /// written then.
    pub fn seal<'inp, 'out>(
        &self,
        mode: Mode,
        nonce: &[u8],
        associated_data: &[u8],
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.0.seal(mode, nonce, associated_data, data.into(), tag)
    }

    /// Decrypts `data`, and compares the tag in constant time.
    ///
    /// # Errors
    /// [`Error::Tag`] if the message is not authentic. The output is zeros then, so in place the
    /// ciphertext is lost. Others: as [`AesKey::seal`].
    pub fn open<'inp, 'out>(
        &self,
        mode: Mode,
        nonce: &[u8],
        associated_data: &[u8],
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
        tag: &[u8],
    ) -> Result<(), Error> {
        self.0.open(mode, nonce, associated_data, data.into(), tag)
    }

    /// Starts a call for many messages.
    pub fn many(&self, mode: ManyMode) -> Many<'_> {
        Many::new(ffi::ManyKey::Aes(mode, &self.0))
    }
}

/// A key of SIV (RFC 5297), which has 32, 48 or 64 bytes. It is erased when it is dropped.
///
/// ```
/// use rijn::SivKey;
///
/// let key = SivKey::new(&[7; 32])?;
/// let mut data = *b"Attack at dawn";
/// let tag = key.seal(&[b"to: Bob", b"from: Alice"], &mut data[..])?;
/// key.open(&[b"to: Bob", b"from: Alice"], &mut data[..], &tag)?;
/// # Ok::<(), rijn::Error>(())
/// ```
#[derive(Clone)]
pub struct SivKey(pub(crate) ffi::SivKey);

impl fmt::Debug for SivKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SivKey").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl SivKey {
    /// Expands a key for the default backend.
    ///
    /// # Errors
    /// As [`AesKey::new`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self(ffi::SivKey::new(key, None)?)))
    }

    /// Expands a key for a backend of [`backends`](crate::backends).
    ///
    /// # Errors
    /// As [`AesKey::with_backend`].
    pub fn with_backend(key: &[u8], backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self(ffi::SivKey::new(key, Some(backend))?)))
    }

    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.0.backend()
    }

    /// Encrypts `data` and returns the tag, the synthetic IV. The RFC's ciphertext is the tag,
    /// then the encrypted data. A nonce, if you use one, is the last string.
    ///
    /// # Errors
    /// [`Error::Size`] if there are more than 126 strings.
    pub fn seal<'inp, 'out>(
        &self,
        strings: &[&[u8]],
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
    ) -> Result<[u8; 16], Error> {
        let mut tag = [0; 16];
        self.0.seal(strings, data.into(), &mut tag)?;
        Ok(tag)
    }

    /// Decrypts `data`, and compares the tag in constant time.
    ///
    /// # Errors
    /// As [`AesKey::open`], and [`Error::Size`] if there are more than 126 strings.
    pub fn open<'inp, 'out>(
        &self,
        strings: &[&[u8]],
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        self.0.open(strings, data.into(), tag)
    }

    /// Starts a call for many messages. They have no nonces unless you give some.
    pub fn many(&self) -> Many<'_> {
        Many::new(ffi::ManyKey::Siv(&self.0))
    }
}

/// A variant of AEGIS (RFC 10032).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AegisVariant {
    Aegis128L = 0,
    Aegis128X2 = 1,
    Aegis128X4 = 2,
    Aegis256 = 3,
    Aegis256X2 = 4,
    Aegis256X4 = 5,
}

/// An AEGIS key with its variant: 16 bytes, or 32 for the variants of AEGIS-256. It is erased
/// when it is dropped.
///
/// ```
/// use rijn::{AegisKey, AegisVariant};
///
/// let key = AegisKey::new(AegisVariant::Aegis128L, &[7; 16])?;
/// let mut data = *b"Attack at dawn";
/// let mut tag = [0; 32];
/// key.seal(&[1; 16], b"to: Bob", &mut data[..], &mut tag)?;
/// key.open(&[1; 16], b"to: Bob", &mut data[..], &tag)?;
/// # Ok::<(), rijn::Error>(())
/// ```
#[derive(Clone)]
pub struct AegisKey(pub(crate) ffi::AegisKey);

impl fmt::Debug for AegisKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AegisKey").field("kernel", &self.kernel()).finish_non_exhaustive()
    }
}

impl AegisKey {
    /// Makes a key for the default backend.
    ///
    /// # Errors
    /// As [`AesKey::new`].
    pub fn new(variant: AegisVariant, key: &[u8]) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self(ffi::AegisKey::new(variant, key, None)?)))
    }

    /// Makes a key for a backend of [`backends`](crate::backends), or for a kernel of one.
    ///
    /// # Errors
    /// As [`AesKey::with_backend`].
    pub fn with_backend(variant: AegisVariant, key: &[u8], backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self(ffi::AegisKey::new(variant, key, Some(backend))?)))
    }

    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.0.backend()
    }

    /// Returns the name of the key's kernel, such as `aesni-avx128`.
    pub fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    /// Encrypts `data`, and writes the tag of 16 or 32 bytes. The nonce is as long as the key.
    ///
    /// # Errors
    /// As [`AesKey::seal`].
    pub fn seal<'inp, 'out>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        self.0.seal(nonce, associated_data, data.into(), tag)
    }

    /// Decrypts `data`, and compares the tag in constant time.
    ///
    /// # Errors
    /// As [`AesKey::open`].
    pub fn open<'inp, 'out>(
        &self,
        nonce: &[u8],
        associated_data: &[u8],
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
        tag: &[u8],
    ) -> Result<(), Error> {
        self.0.open(nonce, associated_data, data.into(), tag)
    }

    /// Starts a call for many messages.
    pub fn many(&self) -> Many<'_> {
        Many::new(ffi::ManyKey::Aegis(&self.0))
    }
}
