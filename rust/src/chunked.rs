//! C2SP chunked encryption: messages of any size, which need not fit into memory.
//!
//! The format is [version 1](https://c2sp.org/chunked-encryption) with HKDF-Expand-SHA-512. With AES-GCM
//! it is Cobblestone-128 and Cobblestone-256. A message is
//! `salt[24] || commitment[32] || chunk 0 || chunk 1 || … || last chunk`. Each chunk has 16 KiB of
//! plaintext and a tag of 16 bytes. The last chunk is always shorter, and may be empty.
//!
//! ```
//! # #[cfg(all(feature = "std", feature = "getrandom"))] {
//! use rijn::chunked::{Aead, ChunkedKey};
//! use std::io::{Read, Write};
//!
//! let key = ChunkedKey::new(Aead::Aes256Gcm, &[7; 32]).context(b"backup 1"); // take a random key
//! let mut writer = key.writer(Vec::new())?;
//! writer.write_all(b"Attack at dawn")?;
//! let message = writer.finish()?; // without this call the message is truncated
//!
//! let mut text = String::new();
//! key.reader(&message[..])?.read_to_string(&mut text)?;
//! assert_eq!(text, "Attack at dawn");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{AegisVariant, Error, ffi};
use core::fmt;
use ctutils::CtEq;
use digest::{KeyInit, Mac};

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// Bytes of plaintext in every chunk except the last one.
pub const CHUNK: usize = 16384;
/// Bytes of a sealed chunk, except the last one.
pub const SEALED_CHUNK: usize = CHUNK + TAG;
/// Bytes of the salt, the first part of a message.
pub const SALT: usize = 24;
/// Bytes before the first chunk: salt and commitment.
pub const PREFIX: usize = SALT + COMMITMENT;

const COMMITMENT: usize = 32;
const TAG: usize = 16;
const MOST_CHUNKS: u64 = 1 << 38;

macro_rules! aeads {
    ($($name:ident = $iana:literal, $key:literal, $nonce:literal, $variant:expr;)*) => {
        /// An AEAD of chunked encryption, with its name in IANA's registry.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Aead {
            $(#[doc = concat!("`", $iana, "`, keys of ", $key, " bytes.")] $name,)*
        }

        impl Aead {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the name in IANA's registry "AEAD Algorithms".
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $iana),* }
            }

            /// Returns the size of a key in bytes.
            pub const fn key_size(self) -> usize {
                match self { $(Self::$name => $key),* }
            }

            const fn nonce_size(self) -> usize {
                match self { $(Self::$name => $nonce),* }
            }

            const fn aegis(self) -> Option<AegisVariant> {
                match self { $(Self::$name => $variant),* }
            }
        }
    };
}

aeads! {
    Aes128Gcm = "AEAD_AES_128_GCM", 16, 12, None;
    Aes256Gcm = "AEAD_AES_256_GCM", 32, 12, None;
    Aegis128L = "AEAD_AEGIS128L", 16, 16, Some(AegisVariant::Aegis128L);
    Aegis128X2 = "AEAD_AEGIS128X2", 16, 16, Some(AegisVariant::Aegis128X2);
    Aegis128X4 = "AEAD_AEGIS128X4", 16, 16, Some(AegisVariant::Aegis128X4);
    Aegis256 = "AEAD_AEGIS256", 32, 32, Some(AegisVariant::Aegis256);
    Aegis256X2 = "AEAD_AEGIS256X2", 32, 32, Some(AegisVariant::Aegis256X2);
    Aegis256X4 = "AEAD_AEGIS256X4", 32, 32, Some(AegisVariant::Aegis256X4);
}

/// Why a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The commitment does not match: a wrong key, context or AEAD, or an altered prefix.
    WrongKey,
    /// The chunk with this number is not authentic.
    Damaged(u64),
    /// The message stops before its end: in the chunk with this number, or that short chunk, the
    /// last one, is damaged.
    Truncated(u64),
    /// Another error, such as [`Error::KeySize`].
    Other(Error),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKey => f.write_str("wrong key, context or AEAD: the commitment differs"),
            Self::Damaged(chunk) => write!(f, "chunk {chunk} is not authentic"),
            Self::Truncated(chunk) => {
                write!(f, "the message ends in chunk {chunk}, or that chunk is damaged")
            }
            Self::Other(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for Refusal {}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

#[cfg(feature = "std")]
impl From<Refusal> for std::io::Error {
    fn from(refusal: Refusal) -> Self {
        let kind = match refusal {
            Refusal::Other(_) => std::io::ErrorKind::InvalidInput,
            _ => std::io::ErrorKind::InvalidData,
        };
        Self::new(kind, refusal)
    }
}

/// Returns the size of the message for so many bytes of plaintext, or `None` if it is too long.
pub const fn sealed_size(plain: u64) -> Option<u64> {
    let chunks = plain / CHUNK as u64 + 1;
    if chunks > MOST_CHUNKS {
        return None;
    }
    Some(PREFIX as u64 + plain + chunks * TAG as u64)
}

/// Returns the size of the plaintext, or `None` if no message has this size.
///
/// The size is certain only after the last chunk was opened.
pub const fn plain_size(sealed: u64) -> Option<u64> {
    let Some(chunks) = sealed.checked_sub(PREFIX as u64) else {
        return None;
    };
    let (whole, rest) = (chunks / SEALED_CHUNK as u64, chunks % SEALED_CHUNK as u64);
    if rest < TAG as u64 || whole >= MOST_CHUNKS {
        return None;
    }
    Some(whole * CHUNK as u64 + rest - TAG as u64)
}

/// A key for messages, with their AEAD and their context: any bytes that both sides know.
#[derive(Clone, Copy)]
pub struct ChunkedKey<'a> {
    aead: Aead,
    key: &'a [u8],
    context: &'a [u8],
    backend: Option<&'a str>,
}

impl fmt::Debug for ChunkedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChunkedKey").field("aead", &self.aead).finish_non_exhaustive()
    }
}

impl<'a> ChunkedKey<'a> {
    /// Takes a uniformly random key of [`Aead::key_size`] bytes. The context is empty.
    pub fn new(aead: Aead, key: &'a [u8]) -> Self {
        Self { aead, key, context: b"", backend: None }
    }

    /// Sets the context.
    pub fn context(mut self, context: &'a [u8]) -> Self {
        self.context = context;
        self
    }

    /// Sets the backend, one of [`backends`](crate::backends).
    pub fn backend(mut self, name: &'a str) -> Self {
        self.backend = Some(name);
        self
    }

    /// Derives the keys of the message with this salt, and its prefix.
    fn derive(&self, salt: &[u8; SALT]) -> Result<(Chunks, [u8; PREFIX]), Error> {
        let (key_size, nonce_size) = (self.aead.key_size(), self.aead.nonce_size());
        if self.key.len() != key_size {
            return Err(Error::KeySize);
        }
        // HKDF-Expand, RFC 5869 section 2.3: two blocks suffice for 32 + 32 + 32 bytes.
        let mut derived = [0; 128];
        let mac = hmac::Hmac::<sha2::Sha512>::new_from_slice(self.key);
        let mac = mac.map_err(|_| Error::KeySize)?;
        for block in 0..2 {
            let mut mac = mac.clone();
            if block == 1 {
                mac.update(&derived[..64]);
            }
            mac.update(b"c2sp.org/chunked-encryption@v1+");
            mac.update(self.aead.name().as_bytes());
            mac.update(b"\0");
            mac.update(salt);
            mac.update(self.context);
            mac.update(&[block + 1]);
            let place = 64 * usize::from(block);
            let mut result = mac.finalize().into_bytes();
            derived[place..place + 64].copy_from_slice(&result);
            ffi::wipe(&mut result);
        }
        let (key, rest) = derived.split_at(key_size);
        let (nonce, rest) = rest.split_at(nonce_size);
        let mut prefix = [0; PREFIX];
        prefix[..SALT].copy_from_slice(salt);
        prefix[SALT..].copy_from_slice(&rest[..COMMITMENT]);
        let mut shared = [0; 32];
        shared[..nonce_size].copy_from_slice(nonce);
        let made = match self.aead.aegis() {
            None => ffi::Key::new(key, self.backend).map(ffi::ChunkKey::Gcm),
            Some(variant) => {
                ffi::AegisKey::new(variant, key, self.backend).map(ffi::ChunkKey::Aegis)
            }
        };
        ffi::wipe(&mut derived);
        Ok((Chunks { key: made?, nonce: shared }, prefix))
    }

    /// Starts a message with a random salt.
    ///
    /// # Errors
    /// [`Error::KeySize`]; [`Error::Random`] if the operating system gives no random bytes; the errors
    /// of [`AesKey::with_backend`](crate::AesKey::with_backend).
    #[cfg(feature = "getrandom")]
    pub fn sealer(&self) -> Result<Sealer, Error> {
        use aead::{Generate, array::Array, consts::U24};
        let salt = Array::<u8, U24>::try_generate().map_err(|_| Error::Random)?;
        self.sealer_with_salt(&salt.0)
    }

    /// Starts a message with a salt of the caller's. It must be random and new for each message: two
    /// messages with one salt reveal both.
    ///
    /// # Errors
    /// As [`ChunkedKey::sealer`].
    pub fn sealer_with_salt(&self, salt: &[u8; SALT]) -> Result<Sealer, Error> {
        ffi::make_clean(|| {
            let (chunks, prefix) = self.derive(salt)?;
            Ok(Sealer { chunks, prefix, next: 0 })
        })
    }

    /// Takes the prefix of a message to be opened.
    ///
    /// # Errors
    /// [`Refusal::WrongKey`] if the prefix belongs to another key, context or AEAD;
    /// [`Refusal::Other`] as [`ChunkedKey::sealer`].
    pub fn opener(&self, prefix: &[u8; PREFIX]) -> Result<Opener, Refusal> {
        ffi::make_clean(|| {
            let (salt, _) = prefix.split_first_chunk().ok_or(Error::Argument)?;
            let (chunks, expected) = self.derive(salt)?;
            if !expected[..].ct_eq(&prefix[..]).to_bool() {
                return Err(Refusal::WrongKey);
            }
            Ok(Opener { chunks })
        })
    }

    /// Encrypts a whole message in memory.
    ///
    /// # Errors
    /// As [`ChunkedKey::sealer`], and [`Error::Size`] if there is not so much memory.
    #[cfg(all(feature = "alloc", feature = "getrandom"))]
    pub fn encrypt(&self, plain: &[u8]) -> Result<Vec<u8>, Error> {
        self.sealer()?.message(plain)
    }

    /// Decrypts a whole message in memory.
    ///
    /// # Errors
    /// [`Refusal`].
    #[cfg(feature = "alloc")]
    pub fn decrypt(&self, message: &[u8]) -> Result<Vec<u8>, Refusal> {
        let (prefix, chunks) = message.split_first_chunk().ok_or(Refusal::Truncated(0))?;
        let opener = self.opener(prefix)?;
        let end = Refusal::Truncated((chunks.len() / SEALED_CHUNK) as u64);
        let size = plain_size(message.len() as u64).ok_or(end)?;
        let mut plain = crate::many::zeros(usize::try_from(size).map_err(|_| Error::Size)?)?;
        opener.open(0, chunks, &mut plain, true)?;
        Ok(plain)
    }

    /// Starts a message, and writes its prefix to `inner`.
    ///
    /// # Errors
    /// As [`ChunkedKey::sealer`], and the errors of `inner`.
    #[cfg(all(feature = "std", feature = "getrandom"))]
    pub fn writer<W: std::io::Write>(&self, inner: W) -> std::io::Result<Writer<W>> {
        self.sealer().map_err(Refusal::Other)?.writer(inner)
    }

    /// Reads the prefix of a message from `inner`.
    ///
    /// # Errors
    /// As [`ChunkedKey::opener`], and the errors of `inner`.
    #[cfg(feature = "std")]
    pub fn reader<R: std::io::Read>(&self, mut inner: R) -> std::io::Result<Reader<R>> {
        let mut prefix = [0; PREFIX];
        match inner.read_exact(&mut prefix) {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(Refusal::Truncated(0).into());
            }
            result => result?,
        }
        Ok(Reader::new(self.opener(&prefix)?, inner))
    }
}

/// The keys of a message, which are erased at the end.
struct Chunks {
    key: ffi::ChunkKey,
    nonce: [u8; 32],
}

impl Drop for Chunks {
    fn drop(&mut self) {
        ffi::wipe(&mut self.nonce);
    }
}

impl Chunks {
    /// The run from this chunk on, if the message may have so many.
    fn run(&self, first: u64, chunks: usize, last: bool) -> Result<ffi::Run, Error> {
        let end = first.checked_add(chunks as u64 + u64::from(last));
        end.filter(|&end| end <= MOST_CHUNKS).ok_or(Error::Size)?;
        Ok(ffi::Run { nonce: self.nonce, first, last })
    }
}

/// A message that is encrypted, chunk by chunk. It counts the chunks.
pub struct Sealer {
    chunks: Chunks,
    prefix: [u8; PREFIX],
    next: u64,
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl Sealer {
    /// Returns the name of the backend.
    pub fn backend(&self) -> &'static str {
        self.chunks.key.backend()
    }

    /// Returns the first bytes of the message, which stand before its chunks.
    pub fn prefix(&self) -> &[u8; PREFIX] {
        &self.prefix
    }

    /// Seals the next chunks. `plain` has whole chunks of [`CHUNK`] bytes, `out` as many of
    /// [`SEALED_CHUNK`] bytes.
    ///
    /// # Errors
    /// [`Error::Size`] for other sizes, or after 2^38 chunks. Nothing is sealed then.
    pub fn seal(&mut self, plain: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let count = plain.len() / CHUNK;
        let run = self.chunks.run(self.next, count, false)?;
        self.chunks.key.seal(run, CHUNK, out, plain)?;
        self.next += count as u64;
        Ok(())
    }

    /// Seals the end of the message: `plain` has any size, and `out` 16 bytes more for each whole
    /// chunk, and 16 more.
    ///
    /// # Errors
    /// [`Error::Size`], as [`Sealer::seal`].
    pub fn finish(self, plain: &[u8], out: &mut [u8]) -> Result<(), Error> {
        let run = self.chunks.run(self.next, plain.len() / CHUNK, true)?;
        self.chunks.key.seal(run, CHUNK, out, plain)
    }

    /// Seals the whole message.
    #[cfg(all(feature = "alloc", feature = "getrandom"))]
    fn message(self, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let size = sealed_size(plain.len() as u64).and_then(|size| usize::try_from(size).ok());
        let mut message: Vec<u8> = crate::many::zeros(size.ok_or(Error::Size)?)?;
        let (prefix, chunks) = message.split_at_mut(PREFIX);
        prefix.copy_from_slice(&self.prefix);
        self.finish(plain, chunks)?;
        Ok(message)
    }

    /// Writes the prefix to `inner`, and then the chunks of all data.
    ///
    /// # Errors
    /// Those of `inner`. [`Error::Argument`] if chunks are sealed already.
    #[cfg(feature = "std")]
    pub fn writer<W: std::io::Write>(self, inner: W) -> std::io::Result<Writer<W>> {
        if self.next != 0 {
            return Err(Refusal::Other(Error::Argument).into());
        }
        Writer::new(self, inner)
    }
}

/// A message that is decrypted, its chunks in any order. Threads may share it.
pub struct Opener {
    chunks: Chunks,
}

impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opener").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl Opener {
    /// Returns the name of the backend.
    pub fn backend(&self) -> &'static str {
        self.chunks.key.backend()
    }

    /// Opens the chunks with the numbers `first`, `first + 1` and so on. `last` says that the run ends
    /// the message: then the last chunk is shorter, and has 16 bytes at least. `out` has 16 bytes less
    /// for each chunk. Chunk `n` is at byte `PREFIX + n * SEALED_CHUNK` of the message.
    ///
    /// A message is complete only if a run with `last` was opened, and nothing follows it.
    ///
    /// # Errors
    /// [`Refusal::Damaged`], [`Refusal::Truncated`]: then `out` is zeros. [`Error::Size`] for other
    /// sizes.
    pub fn open(
        &self,
        first: u64,
        sealed: &[u8],
        out: &mut [u8],
        last: bool,
    ) -> Result<(), Refusal> {
        let whole = sealed.len() / SEALED_CHUNK;
        let run = self.chunks.run(first, whole, last)?;
        match self.chunks.key.open(run, CHUNK, out, sealed)? {
            None => Ok(()),
            // After sound chunks a cut is more likely than damage.
            Some(bad) if last && bad > 0 && bad == first + whole as u64 => {
                Err(Refusal::Truncated(bad))
            }
            Some(bad) => Err(Refusal::Damaged(bad)),
        }
    }
}

#[cfg(feature = "std")]
mod streams {
    use super::*;
    use std::io::{self, ErrorKind, Read, Write};

    /// Chunks that one call seals or opens.
    const RUN: usize = 4;

    /// Plaintext of a run, which is erased at the end.
    struct Plain(Vec<u8>);

    impl Plain {
        fn new() -> Self {
            Self(std::vec![0; RUN * CHUNK])
        }
    }

    impl Drop for Plain {
        fn drop(&mut self) {
            ffi::wipe(&mut self.0);
        }
    }

    /// Encrypts all data that are written to it, from [`ChunkedKey::writer`].
    ///
    /// It keeps up to 64 KiB of data until [`Writer::finish`]; `flush` does not write them. After an
    /// error of the inner writer, every call returns an error.
    pub struct Writer<W> {
        sealer: Sealer,
        inner: W,
        plain: Plain,
        /// Bytes in `plain`.
        held: usize,
        sealed: Vec<u8>,
        failed: bool,
    }

    impl<W> fmt::Debug for Writer<W> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Writer").field("sealer", &self.sealer).finish_non_exhaustive()
        }
    }

    fn too_long(error: Error) -> io::Error {
        Refusal::Other(error).into()
    }

    impl<W: Write> Writer<W> {
        pub(super) fn new(sealer: Sealer, mut inner: W) -> io::Result<Self> {
            inner.write_all(sealer.prefix())?;
            let sealed = std::vec![0; RUN * SEALED_CHUNK + TAG];
            Ok(Self { sealer, inner, plain: Plain::new(), held: 0, sealed, failed: false })
        }

        fn check(&self) -> io::Result<()> {
            if self.failed {
                return Err(io::Error::other("an earlier write of this message failed"));
            }
            Ok(())
        }

        /// Ends the message, and returns the inner writer. Without this call the message is truncated.
        ///
        /// # Errors
        /// Those of the inner writer, and an error after an earlier one.
        pub fn finish(mut self) -> io::Result<W> {
            self.check()?;
            let plain = &self.plain.0[..self.held];
            let sealed = &mut self.sealed[..plain.len() + TAG * (plain.len() / CHUNK + 1)];
            self.sealer.finish(plain, sealed).map_err(too_long)?;
            self.inner.write_all(sealed)?;
            self.inner.flush()?;
            Ok(self.inner)
        }
    }

    impl<W: Write> Write for Writer<W> {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            self.check()?;
            if self.held == self.plain.0.len() && !data.is_empty() {
                self.failed = true; // until the inner writer has all
                let sealed = &mut self.sealed[..RUN * SEALED_CHUNK];
                self.sealer.seal(&self.plain.0, sealed).map_err(too_long)?;
                self.inner.write_all(sealed)?;
                self.held = 0;
                self.failed = false;
            }
            let room = &mut self.plain.0[self.held..];
            let taken = data.len().min(room.len());
            room[..taken].copy_from_slice(&data[..taken]);
            self.held += taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.check()?;
            self.inner.flush()
        }
    }

    /// Decrypts a message, from [`ChunkedKey::reader`].
    ///
    /// All bytes that it returns are authentic and in their place. The end of the data is reached only
    /// if the message is complete: otherwise there is an error, of the kind `InvalidData`, with a
    /// [`Refusal`]. The message extends to the end of the inner reader.
    pub struct Reader<R> {
        opener: Opener,
        inner: R,
        sealed: Vec<u8>,
        /// Bytes of `sealed` that are read.
        filled: usize,
        plain: Plain,
        /// Bytes of `plain` that are authentic, and those that are returned.
        ready: usize,
        returned: usize,
        next: u64,
        /// The end, or the refusal that every later call returns.
        over: Option<Result<(), Refusal>>,
    }

    impl<R> fmt::Debug for Reader<R> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Reader").field("opener", &self.opener).finish_non_exhaustive()
        }
    }

    impl<R: Read> Reader<R> {
        pub(super) fn new(opener: Opener, inner: R) -> Self {
            Self {
                opener,
                inner,
                sealed: std::vec![0; RUN * SEALED_CHUNK],
                filled: 0,
                plain: Plain::new(),
                ready: 0,
                returned: 0,
                next: 0,
                over: None,
            }
        }

        /// Returns the inner reader. Before the end, it is somewhere after the data that were returned.
        pub fn into_inner(self) -> R {
            self.inner
        }

        /// Reads the next run of chunks and opens them.
        fn advance(&mut self) -> io::Result<()> {
            let mut last = false;
            while self.filled < self.sealed.len() {
                match self.inner.read(&mut self.sealed[self.filled..]) {
                    Ok(0) => {
                        last = true;
                        break;
                    }
                    Ok(count) => self.filled += count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            let (whole, rest) = (self.filled / SEALED_CHUNK, self.filled % SEALED_CHUNK);
            let result = if last && rest < TAG {
                Err(Refusal::Truncated(self.next + whole as u64))
            } else {
                let size = self.filled - TAG * (whole + usize::from(last));
                let sealed = &self.sealed[..self.filled];
                let opened = self.opener.open(self.next, sealed, &mut self.plain.0[..size], last);
                opened.map(|()| size)
            };
            self.ready = *result.as_ref().unwrap_or(&0);
            self.returned = 0;
            self.filled = 0;
            self.next += whole as u64;
            if last || result.is_err() {
                self.over = Some(result.map(|_| ()));
            }
            Ok(())
        }
    }

    impl<R: Read> Read for Reader<R> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if out.is_empty() {
                return Ok(0);
            }
            while self.returned == self.ready {
                match self.over {
                    Some(Ok(())) => return Ok(0),
                    Some(Err(refusal)) => return Err(refusal.into()),
                    None => self.advance()?,
                }
            }
            let ready = &self.plain.0[self.returned..self.ready];
            let count = ready.len().min(out.len());
            out[..count].copy_from_slice(&ready[..count]);
            self.returned += count;
            Ok(count)
        }
    }
}
#[cfg(feature = "std")]
pub use streams::{Reader, Writer};
