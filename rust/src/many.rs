//! Many messages, one call.

use crate::{Column, Error, ffi};
use core::fmt;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// A mode of AES for [`AesKey::many`](crate::AesKey::many).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ManyMode {
    /// GCM, SP 800-38D.
    Gcm = 0,
    /// GCM-SIV, RFC 8452.
    GcmSiv = 1,
    /// XAES-256-GCM, c2sp.org.
    Xaes = 2,
    /// CCM, SP 800-38C.
    Ccm = 3,
    /// OCB3, RFC 7253.
    Ocb3 = 4,
    /// EAX.
    Eax = 5,
    /// CBC with PKCS #7 padding. It does not authenticate: authenticate before you open, because
    /// each answer about a padding helps an attacker.
    Cbc = 9,
    /// CBC of whole blocks. It does not authenticate.
    CbcBlocks = 10,
    /// CTR. The nonce, filled with zeros, is the first counter block. It does not authenticate.
    Ctr = 11,
}

/// The source of the nonces of [`Many`].
#[derive(Clone, Copy, Debug)]
pub enum Nonces<'a> {
    /// Sealing draws random nonces of `size` bytes, and writes each one before its message.
    /// Opening reads them there. 0 is the default size: none for SIV, 12 for GCM.
    Attached {
        /// Bytes of each nonce.
        size: usize,
    },
    /// Message `i` has the `size` bytes at `bytes[i * size]`.
    Given {
        /// Bytes of each nonce, at least 1.
        size: usize,
        /// The nonces, one after the other.
        bytes: &'a [u8],
    },
    /// Message `i` has `base + i`, where the sum is in the last 8 bytes, big-endian.
    Counted {
        /// The nonce of message 0.
        base: &'a [u8],
    },
}

/// A call that seals or opens many messages under one key.
///
/// One call saves the cost of many calls, and several short messages share wide vectors. Each
/// result is the same as from a call for one message: `[nonce ||] ciphertext || tag`, and for SIV
/// `[nonce ||] tag || ciphertext`. The methods return the changed call.
///
/// ```
/// # #[cfg(feature = "alloc")] {
/// use rijn::{AesKey, ManyMode};
///
/// let key = AesKey::new(&[7; 32])?;
/// let sealed = key.many(ManyMode::Gcm).seal(&["one", "two", "three"])?;
/// let opened = key.many(ManyMode::Gcm).open(&sealed)?;
/// assert_eq!(opened.get(2), Some(Ok(&b"three"[..])));
/// # }
/// # Ok::<(), rijn::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Many<'a>(ffi::Call<'a>);

impl fmt::Debug for Many<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Many").finish_non_exhaustive()
    }
}

impl<'a> Many<'a> {
    pub(crate) fn new(key: ffi::ManyKey<'a>) -> Self {
        Self(ffi::Call {
            key,
            tag_size: 0,
            ad: Column::NONE,
            nonces: Nonces::Attached { size: 0 },
            prepend_nonce: false,
        })
    }

    /// Sets the bytes of a tag. Otherwise it has 16.
    pub fn tag_size(mut self, size: usize) -> Self {
        self.0.tag_size = size;
        self
    }

    /// Sets the nonces. Otherwise they are random and stand before the messages.
    pub fn nonces(mut self, nonces: Nonces<'a>) -> Self {
        self.0.nonces = nonces;
        self
    }

    /// Writes given and counted nonces before the messages, too.
    pub fn prepend_nonces(mut self) -> Self {
        self.0.prepend_nonce = true;
        self
    }

    /// Sets the associated data: a string for each message, or [`Column::shared`].
    pub fn associated_data(mut self, strings: Column<'a>) -> Self {
        self.0.ad = strings;
        self
    }

    /// Computes the size of all results together.
    ///
    /// # Errors
    /// As [`Many::seal_into`].
    pub fn sealed_size(&self, texts: &Column<'_>) -> Result<usize, Error> {
        self.0.sealed_size(texts)
    }

    /// Computes the size of all results together; for CBC the largest possible size.
    ///
    /// # Errors
    /// As [`Many::open_into`].
    pub fn opened_size(&self, sealed: &Column<'_>) -> Result<usize, Error> {
        self.0.opened_size(sealed)
    }

    /// Seals messages. Result `i` is `out[offsets[i]..offsets[i + 1]]`.
    ///
    /// `out` has at least [`Many::sealed_size`] bytes, and `offsets` one entry more than there are
    /// messages.
    ///
    /// # Errors
    /// [`Error::Argument`] for invalid offsets, or if the numbers of strings differ;
    /// [`Error::Size`] if `out` is too small, or a message is beyond the limits of its mode;
    /// [`Error::NonceSize`] if the given nonces have another size; [`Error::Random`];
    /// [`Error::KeySize`], [`Error::TagSize`].
    pub fn seal_into(
        &self,
        texts: &Column<'_>,
        out: &mut [u8],
        offsets: &mut [i64],
    ) -> Result<(), Error> {
        self.0.seal(texts, out, offsets)
    }

    /// Opens messages.
    ///
    /// `out` has at least [`Many::opened_size`] bytes, `offsets` one entry more than there are
    /// messages, and `failed` a bit for each message: if message `i` is refused, bit `i % 8` of
    /// byte `i / 8` is set, and the result is zeros, or empty.
    ///
    /// # Errors
    /// [`Error::Tag`], with CBC [`Error::Padding`], if a message is refused. The others are opened all
    /// the same, and `offsets` and `failed` are complete. The other errors are those of
    /// [`Many::seal_into`].
    pub fn open_into(
        &self,
        sealed: &Column<'_>,
        out: &mut [u8],
        offsets: &mut [i64],
        failed: &mut [u8],
    ) -> Result<(), Error> {
        match self.0.open(sealed, out, offsets, failed)? {
            0 => Ok(()),
            _ => Err(self.refusal()),
        }
    }

    /// The error of a refused message.
    fn refusal(&self) -> Error {
        match self.0.key {
            ffi::ManyKey::Aes(ManyMode::Cbc, _) => Error::Padding,
            _ => Error::Tag,
        }
    }

    /// Seals messages into new memory.
    ///
    /// # Errors
    /// As [`Many::seal_into`], and [`Error::Size`] if there is not so much memory.
    #[cfg(feature = "alloc")]
    pub fn seal<T: AsRef<[u8]>>(&self, texts: &[T]) -> Result<Sealed, Error> {
        let slices = ffi::Slices::new(texts)?;
        let column = Column::of_slices(&slices);
        let mut data = zeros(self.sealed_size(&column)?)?;
        let mut offsets = zeros(texts.len() + 1)?;
        self.seal_into(&column, &mut data, &mut offsets)?;
        Ok(Sealed { data, offsets })
    }

    /// Opens messages into new memory. A refused message is an error in [`Opened`].
    ///
    /// # Errors
    /// As [`Many::seal_into`].
    #[cfg(feature = "alloc")]
    pub fn open(&self, sealed: &Sealed) -> Result<Opened, Error> {
        let column = Column::with_offsets64(&sealed.data, &sealed.offsets)?;
        self.open_column(&column, sealed.len())
    }

    /// The same for messages that are each in a slice.
    ///
    /// # Errors
    /// As [`Many::seal_into`].
    #[cfg(feature = "alloc")]
    pub fn open_slices<T: AsRef<[u8]>>(&self, sealed: &[T]) -> Result<Opened, Error> {
        let slices = ffi::Slices::new(sealed)?;
        self.open_column(&Column::of_slices(&slices), sealed.len())
    }

    #[cfg(feature = "alloc")]
    fn open_column(&self, column: &Column<'_>, count: usize) -> Result<Opened, Error> {
        let mut data = zeros(self.opened_size(column)?)?;
        let mut offsets = zeros(count + 1)?;
        let mut failed = zeros(count.div_ceil(8))?;
        let failures = self.0.open(column, &mut data, &mut offsets, &mut failed)?;
        Ok(Opened { data, offsets, failed, failures, refusal: self.refusal() })
    }
}

#[cfg(feature = "alloc")]
fn part<'a>(data: &'a [u8], offsets: &[i64], index: usize) -> Option<&'a [u8]> {
    let begin = usize::try_from(*offsets.get(index)?).ok()?;
    let end = usize::try_from(*offsets.get(index.checked_add(1)?)?).ok()?;
    data.get(begin..end)
}

/// New memory, or an error where `vec!` would end the program.
#[cfg(feature = "alloc")]
pub(crate) fn zeros<T: Clone + Default>(count: usize) -> Result<Vec<T>, Error> {
    let mut memory = Vec::new();
    memory.try_reserve_exact(count).map_err(|_| Error::Size)?;
    memory.resize(count, T::default());
    Ok(memory)
}

/// Sealed messages in one buffer, from [`Many::seal`].
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    data: Vec<u8>,
    offsets: Vec<i64>,
}

#[cfg(feature = "alloc")]
impl Sealed {
    /// Takes a buffer and its offsets, such as those of [`Sealed::into_parts`] from storage.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no offset, or if one is negative, smaller than the one before,
    /// or beyond the buffer.
    pub fn from_parts(data: Vec<u8>, offsets: Vec<i64>) -> Result<Self, Error> {
        let end = usize::try_from(*offsets.last().ok_or(Error::Argument)?);
        if offsets[0] >= 0 && offsets.is_sorted() && end.is_ok_and(|end| end <= data.len()) {
            return Ok(Self { data, offsets });
        }
        Err(Error::Argument)
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns message `index`, or `None` if there are fewer.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        part(&self.data, &self.offsets, index)
    }

    /// Returns the messages in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Returns the buffer and the offsets. Message `i` is `data[offsets[i]..offsets[i + 1]]`.
    pub fn into_parts(self) -> (Vec<u8>, Vec<i64>) {
        (self.data, self.offsets)
    }
}

/// Opened messages in one buffer, from [`Many::open`].
#[cfg(feature = "alloc")]
#[derive(Clone, PartialEq, Eq)]
pub struct Opened {
    data: Vec<u8>,
    offsets: Vec<i64>,
    failed: Vec<u8>,
    failures: usize,
    refusal: Error,
}

#[cfg(feature = "alloc")]
impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened")
            .field("len", &self.len())
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "alloc")]
impl Opened {
    /// Returns the number of messages, with the refused ones.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of refused messages.
    pub fn failures(&self) -> usize {
        self.failures
    }

    /// Returns text `index`, or `None` if there are fewer. If the message was refused, it is
    /// [`Error::Tag`], with CBC [`Error::Padding`].
    pub fn get(&self, index: usize) -> Option<Result<&[u8], Error>> {
        let text = part(&self.data, &self.offsets, index)?;
        let refused = self.failed.get(index / 8)? >> (index % 8) & 1 != 0;
        Some(if refused { Err(self.refusal) } else { Ok(text) })
    }

    /// Returns the texts in their order.
    pub fn iter(&self) -> impl Iterator<Item = Result<&[u8], Error>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}
