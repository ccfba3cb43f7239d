//! Keys with sizes that are known at run time only, and with a chosen backend.

use crate::{Column, Error, Many, ManyMode, Nonces, ffi};
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

    /// Wraps `key` with KW (SP 800-38F section 6.2, RFC 3394). Its size is a multiple of 8, at least
    /// 16 bytes. `out` has 8 bytes more.
    ///
    /// # Errors
    /// [`Error::Size`] for other sizes.
    pub fn kw_wrap(&self, key: &[u8], out: &mut [u8]) -> Result<(), Error> {
        self.0.kw_wrap(out, key)
    }

    /// Unwraps a key with KW. `out` has 8 bytes less than `wrapped`.
    ///
    /// # Errors
    /// [`Error::Tag`] if the wrapped key is not authentic: then `out` is zeros. [`Error::Size`].
    pub fn kw_unwrap(&self, wrapped: &[u8], out: &mut [u8]) -> Result<(), Error> {
        self.0.kw_unwrap(out, wrapped)
    }

    /// Wraps `key` with KWP (SP 800-38F section 6.3, RFC 5649), which pads it: it has 1 byte at least.
    /// `out` has its size, rounded up to a multiple of 8, and 8 bytes more.
    ///
    /// # Errors
    /// [`Error::Size`] for other sizes.
    pub fn kwp_wrap(&self, key: &[u8], out: &mut [u8]) -> Result<(), Error> {
        self.0.kwp_wrap(out, key)
    }

    /// Unwraps a key with KWP, and returns its size: `out` has the key, then zeros, together 8 bytes
    /// less than `wrapped`. The padding is examined in constant time.
    ///
    /// # Errors
    /// As [`AesKey::kw_unwrap`].
    pub fn kwp_unwrap(&self, wrapped: &[u8], out: &mut [u8]) -> Result<usize, Error> {
        self.0.kwp_unwrap(out, wrapped)
    }

    /// Computes the CMAC tags of many messages with one call. They follow one another in `tags`, each
    /// of `tag_size` bytes: 8 to 16, or fewer after [`AesKey::allow_short_tags`].
    ///
    /// # Errors
    /// [`Error::Size`] if `tags` has another size; [`Error::TagSize`]; [`Error::Argument`] for invalid
    /// offsets, or for [`Column::shared`].
    pub fn cmac_many(
        &self,
        messages: &Column<'_>,
        tag_size: usize,
        tags: &mut [u8],
    ) -> Result<(), Error> {
        self.cmac_call(messages, tag_size)?.tags(tags)
    }

    /// Compares the CMAC tags of many messages, in constant time, with those in `tags`. `failed` has a
    /// bit for each message: if tag `i` differs, bit `i % 8` of byte `i / 8` is set.
    ///
    /// # Errors
    /// [`Error::Tag`] if a tag differs: `failed` is complete then. [`Error::Argument`], also if the
    /// numbers of messages, tags and bits differ; [`Error::TagSize`].
    pub fn cmac_verify_many(
        &self,
        messages: &Column<'_>,
        tag_size: usize,
        tags: &Column<'_>,
        failed: &mut [u8],
    ) -> Result<(), Error> {
        self.cmac_call(messages, tag_size)?.verify_tags(tags, failed)
    }

    fn cmac_call<'a>(
        &'a self,
        messages: &Column<'a>,
        tag_size: usize,
    ) -> Result<ffi::Call<'a>, Error> {
        if tag_size == 0 {
            return Err(Error::TagSize); // librijn's default
        }
        Ok(ffi::Call {
            key: ffi::ManyKey::Cmac(&self.0),
            tag_size,
            ad: *messages,
            nonces: Nonces::Attached { size: 0 },
            prepend_nonce: false,
        })
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

/// A key of XTS (IEEE 1619, SP 800-38E) for the sectors of a disk: 32 bytes for AES-128, 64 for AES-256.
/// It is erased when it is dropped. XTS does not authenticate.
///
/// ```
/// use rijn::XtsKey;
///
/// let key = XtsKey::new(&core::array::from_fn::<u8, 64, _>(|i| i as u8))?; // take a random key
/// let mut sector = [0; 512];
/// let number = 5_u128.to_le_bytes();
/// key.encrypt(&number, &mut sector[..])?;
/// key.decrypt(&number, &mut sector[..])?;
/// # Ok::<(), rijn::Error>(())
/// ```
#[derive(Clone)]
pub struct XtsKey(ffi::XtsKey);

impl fmt::Debug for XtsKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XtsKey").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl XtsKey {
    /// Expands a key for the default backend: first the half for the data, then the half for the tweak.
    ///
    /// # Errors
    /// As [`AesKey::new`], and [`Error::EqualHalves`].
    pub fn new(key: &[u8]) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self(ffi::XtsKey::new(key, None)?)))
    }

    /// Expands a key for a backend of [`backends`](crate::backends).
    ///
    /// # Errors
    /// As [`AesKey::with_backend`], and [`Error::EqualHalves`].
    pub fn with_backend(key: &[u8], backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self(ffi::XtsKey::new(key, Some(backend))?)))
    }

    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.0.backend()
    }

    /// Encrypts a data unit (sector) of 16 to 2^24 bytes, in place or apart. The tweak usually is the
    /// number of the unit, little-endian.
    ///
    /// # Errors
    /// [`Error::Size`] for other sizes.
    pub fn encrypt<'inp, 'out>(
        &self,
        tweak: &[u8; 16],
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
    ) -> Result<(), Error> {
        self.0.encrypt(tweak, 0, data.into())
    }

    /// Decrypts a data unit.
    ///
    /// # Errors
    /// As [`XtsKey::encrypt`].
    pub fn decrypt<'inp, 'out>(
        &self,
        tweak: &[u8; 16],
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
    ) -> Result<(), Error> {
        self.0.decrypt(tweak, 0, data.into())
    }

    /// Encrypts the part of a data unit that begins at byte `offset`, a multiple of 16, so that
    /// several threads can process one unit. Only its last part may have another size than a multiple
    /// of 16.
    ///
    /// # Errors
    /// [`Error::Size`] for another offset, less than 16 bytes, or an end after 2^24 bytes.
    pub fn encrypt_part<'inp, 'out>(
        &self,
        tweak: &[u8; 16],
        offset: usize,
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
    ) -> Result<(), Error> {
        self.0.encrypt(tweak, offset, data.into())
    }

    /// Decrypts a part of a data unit.
    ///
    /// # Errors
    /// As [`XtsKey::encrypt_part`].
    pub fn decrypt_part<'inp, 'out>(
        &self,
        tweak: &[u8; 16],
        offset: usize,
        data: impl Into<InOutBuf<'inp, 'out, u8>>,
    ) -> Result<(), Error> {
        self.0.decrypt(tweak, offset, data.into())
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
