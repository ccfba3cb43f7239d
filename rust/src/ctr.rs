//! CTR behind RustCrypto's traits.

use crate::{AesCipher, Error, backends::make, ffi};
use cipher::{
    InOutBuf, Iv, IvSizeUser, Key, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher,
    StreamCipherError, StreamCipherSeek, consts::U16,
};
use core::{fmt, marker::PhantomData};

/// The ways to count, as types.
pub mod counters {
    /// A part of the counter block that counts.
    pub trait Counter: sealed::Sealed + 'static {
        /// Bits.
        #[doc(hidden)]
        const WIDTH: u32;
        /// The first bytes count, little-endian; else the last, big-endian.
        #[doc(hidden)]
        const LITTLE: bool;
    }

    mod sealed {
        pub trait Sealed {}
    }

    macro_rules! counters {
        ($($name:ident, $width:literal, $little:literal, $text:literal;)*) => {$(
            #[doc = $text]
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}
            impl sealed::Sealed for $name {}
            impl Counter for $name {
                const WIDTH: u32 = $width;
                const LITTLE: bool = $little;
            }
        )*};
    }

    counters! {
        Big128, 128, false, "The whole block counts, big-endian.";
        Big64, 64, false, "The last 8 bytes count, big-endian.";
        Big32, 32, false, "The last 4 bytes count, big-endian.";
        Little64, 64, true, "The first 8 bytes count, little-endian.";
        Little32, 32, true, "The first 4 bytes count, little-endian.";
    }
}
use counters::Counter;

/// CTR with AES (SP 800-38A section 6.5), whose IV is the first counter block.
///
/// The counter wraps to zero. A message has at most 2^width blocks; the calls `try_…` return an
/// error after them. CTR does not authenticate. Key and keystream are erased when they are dropped.
///
/// ```
/// use rijn::{Aes256, Ctr128BE, cipher::{KeyIvInit, StreamCipher}};
///
/// let mut data = *b"Attack at dawn";
/// let mut ctr = Ctr128BE::<Aes256>::new(&[7; 32].into(), &[1; 16].into());
/// ctr.apply_keystream(&mut data);
/// ```
pub struct Ctr<A, C> {
    state: ffi::Ctr,
    iv: [u8; 16],
    /// Bytes of keystream that are used.
    position: u128,
    sizes: PhantomData<fn() -> (A, C)>,
}

/// CTR with a big-endian counter of 128 bits.
pub type Ctr128BE<A> = Ctr<A, counters::Big128>;
/// CTR with a big-endian counter of 64 bits.
pub type Ctr64BE<A> = Ctr<A, counters::Big64>;
/// CTR with a big-endian counter of 32 bits.
pub type Ctr32BE<A> = Ctr<A, counters::Big32>;
/// CTR with a little-endian counter of 64 bits.
pub type Ctr64LE<A> = Ctr<A, counters::Little64>;
/// CTR with a little-endian counter of 32 bits.
pub type Ctr32LE<A> = Ctr<A, counters::Little32>;

/// Bytes of keystream. A counter of 128 bits has 16 times as many as it counts, so the limit
/// there is the largest position that a u128 holds.
const fn limit(width: u32) -> u128 {
    if width == 128 { u128::MAX } else { 16 << width }
}

impl<A: AesCipher, C: Counter> Ctr<A, C> {
    fn start(key: ffi::Key, iv: &[u8; 16]) -> Self {
        Self {
            state: ffi::Ctr::new(key, C::WIDTH, C::LITTLE, iv),
            iv: *iv,
            position: 0,
            sizes: PhantomData,
        }
    }

    /// Starts with a key for a backend of [`backends`](crate::backends).
    ///
    /// # Errors
    /// [`Error::Backend`] if no backend has this name, [`Error::Unavailable`] if it cannot run
    /// here.
    pub fn with_backend(key: &Key<Self>, iv: &Iv<Self>, backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self::start(ffi::Key::new(key, Some(backend))?, &iv.0)))
    }

    /// Goes to a position that is not beyond the limit.
    fn go_to(&mut self, position: u128) -> Result<(), Error> {
        let block = position / 16;
        if C::WIDTH == 128 {
            let counter = u128::from_be_bytes(self.iv).wrapping_add(block);
            self.state.restart(128, false, &counter.to_be_bytes());
        } else {
            self.state.restart(C::WIDTH, C::LITTLE, &self.iv);
            // The one position whose block is 2^64 is the end, where no keystream follows.
            let blocks = u64::try_from(block).unwrap_or(u64::MAX);
            self.state.skip(blocks)?;
        }
        // librijn then keeps the keystream after these bytes.
        let mut rest = [0; 16];
        let rest = &mut rest[..(position % 16) as usize];
        let result = self.state.update((&mut *rest).into());
        ffi::wipe(rest);
        self.position = position;
        result
    }
}

impl<A, C> Ctr<A, C> {
    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.state.key().backend()
    }
}

impl<A, C> Clone for Ctr<A, C> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), iv: self.iv, position: self.position, sizes: PhantomData }
    }
}

impl<A: AesCipher, C: Counter> fmt::Debug for Ctr<A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = if C::LITTLE { "LE" } else { "BE" };
        write!(f, "Ctr{}{end}<Aes{}> {{ .. }}", C::WIDTH, size_of::<Key<Self>>() * 8)
    }
}

impl<A: AesCipher, C> KeySizeUser for Ctr<A, C> {
    type KeySize = A::KeySize;
}

impl<A, C> IvSizeUser for Ctr<A, C> {
    type IvSize = U16;
}

impl<A: AesCipher, C: Counter> KeyIvInit for Ctr<A, C> {
    /// Expands a key for the default backend, as [`AesAead`](crate::AesAead) does.
    fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
        ffi::make_clean(|| Self::start(make(|name| ffi::Key::new(key, name)), &iv.0))
    }
}

impl<A, C: Counter> StreamCipher for Ctr<A, C> {
    fn check_remaining(&self, data_len: usize) -> Result<(), StreamCipherError> {
        match self.position.checked_add(data_len as u128) {
            Some(end) if end <= limit(C::WIDTH) => Ok(()),
            _ => Err(StreamCipherError),
        }
    }

    /// Encrypts or decrypts. Beyond the end of the keystream the output is zeros.
    fn unchecked_apply_keystream_inout(&mut self, mut buf: InOutBuf<'_, '_, u8>) {
        let size = buf.len();
        let done = self.check_remaining(size).is_ok() && self.state.update(buf.reborrow()).is_ok();
        if done {
            self.position += size as u128;
        } else {
            buf.get_out().fill(0);
        }
    }

    fn unchecked_write_keystream(&mut self, buf: &mut [u8]) {
        buf.fill(0);
        self.unchecked_apply_keystream_inout(buf.into());
    }
}

impl<A: AesCipher, C: Counter> StreamCipherSeek for Ctr<A, C> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // The trait takes the blocks that are begun, and the used bytes of the last one.
        match (self.position % 16) as u8 {
            0 => T::from_block_byte(self.position / 16, 16, 16),
            used => T::from_block_byte(self.position / 16 + 1, used, 16),
        }
    }

    fn try_seek<T: SeekNum>(&mut self, pos: T) -> Result<(), StreamCipherError> {
        let (block, byte) = pos.into_block_byte::<u128>(16).map_err(|_| StreamCipherError)?;
        let position = block
            .checked_mul(16)
            .and_then(|begin| begin.checked_add(byte.into()))
            .filter(|&position| position <= limit(C::WIDTH))
            .ok_or(StreamCipherError)?;
        self.go_to(position).map_err(|_| StreamCipherError)
    }
}

#[cfg(feature = "zeroize")]
impl<A, C> zeroize::ZeroizeOnDrop for Ctr<A, C> {}
