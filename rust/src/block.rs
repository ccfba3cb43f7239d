//! AES and CBC behind RustCrypto's traits.

use crate::{Error, backends::make, ffi};
use cipher::{
    AlgorithmName, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt,
    BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockModeDecBackend,
    BlockModeDecClosure, BlockModeDecrypt, BlockModeEncBackend, BlockModeEncClosure,
    BlockModeEncrypt, BlockSizeUser, InOut, InOutBuf, Iv, IvSizeUser, IvState, Key, KeyInit,
    KeyIvInit, KeySizeUser, ParBlocks, ParBlocksSizeUser,
    array::ArraySize,
    consts::{U16, U24, U32, U48, U64},
};
use core::{fmt, marker::PhantomData};

/// AES with one size of keys: [`Aes128`], [`Aes192`] or [`Aes256`]. The modes have it as a parameter.
pub trait AesCipher: sealed::Sealed + 'static {
    /// Bytes of a key.
    type KeySize: KeyBytes;
    /// Bytes of the two keys of SIV together.
    type SivKeySize: ArraySize;
}

macro_rules! ciphers {
    ($($bytes:ty, $siv_bytes:ty;)*) => {$(
        impl sealed::Sealed for Aes<$bytes> {}
        impl sealed::Sealed for $bytes {}
        impl KeyBytes for $bytes {}
        impl AesCipher for Aes<$bytes> {
            type KeySize = $bytes;
            type SivKeySize = $siv_bytes;
        }
    )*};
}
ciphers! {
    U16, U32;
    U24, U48;
    U32, U64;
}

/// The sizes of AES keys: `U16`, `U24` and `U32`.
pub trait KeyBytes: ArraySize + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

/// AES with a key of `K` bytes (FIPS 197): a building block for modes. The key is erased when it is
/// dropped.
///
/// Encrypt many blocks with one call where you can: backends process up to 64 at once.
///
/// ```
/// use rijn::{Aes128, cipher::{BlockCipherEncrypt, KeyInit}};
///
/// let key = Aes128::new(&[7; 16].into());
/// let mut blocks = [[0; 16].into(), [1; 16].into()];
/// key.encrypt_blocks(&mut blocks);
/// ```
#[derive(Clone)]
pub struct Aes<K> {
    pub(crate) key: ffi::Key,
    size: PhantomData<fn() -> K>,
}

/// AES with a key of 16 bytes.
pub type Aes128 = Aes<U16>;
/// AES with a key of 24 bytes.
pub type Aes192 = Aes<U24>;
/// AES with a key of 32 bytes.
pub type Aes256 = Aes<U32>;

impl<K: KeyBytes> Aes<K> {
    /// Expands a key for a backend of [`backends`](crate::backends).
    ///
    /// # Errors
    /// [`Error::Backend`] if no backend has this name, [`Error::Unavailable`] if it cannot run
    /// here.
    pub fn with_backend(key: &Key<Self>, backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| Ok(Self { key: ffi::Key::new(key, Some(backend))?, size: PhantomData }))
    }
}

impl<K> Aes<K> {
    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.key.backend()
    }
}

impl<K: KeyBytes> fmt::Debug for Aes<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aes{} {{ backend: {:?}, .. }}", K::USIZE * 8, self.backend())
    }
}

impl<K: KeyBytes> AlgorithmName for Aes<K> {
    fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aes{}", K::USIZE * 8)
    }
}

impl<K: KeyBytes> KeySizeUser for Aes<K> {
    type KeySize = K;
}

impl<K: KeyBytes> KeyInit for Aes<K> {
    /// Expands a key for the default backend, as [`AesAead`](crate::AesAead) does.
    fn new(key: &Key<Self>) -> Self {
        ffi::make_clean(|| Self { key: make(|name| ffi::Key::new(key, name)), size: PhantomData })
    }
}

impl<K> BlockSizeUser for Aes<K> {
    type BlockSize = U16;
}

/// A mode of another crate hands over so many blocks at once.
type Together = U32;

// A closure of a mode in another crate calls one of these. The traits' own calls with many blocks
// go to librijn directly.
struct Blocks<'a>(&'a ffi::Key);

impl BlockSizeUser for Blocks<'_> {
    type BlockSize = U16;
}

impl ParBlocksSizeUser for Blocks<'_> {
    type ParBlocksSize = Together;
}

impl BlockCipherEncBackend for Blocks<'_> {
    fn encrypt_block(&self, block: InOut<'_, '_, ffi::Block>) {
        self.0.encrypt_blocks(block);
    }

    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.encrypt_blocks(blocks.into_buf());
    }

    fn encrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, ffi::Block>) {
        self.0.encrypt_blocks(blocks);
    }
}

impl BlockCipherDecBackend for Blocks<'_> {
    fn decrypt_block(&self, block: InOut<'_, '_, ffi::Block>) {
        self.0.decrypt_blocks(block);
    }

    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.0.decrypt_blocks(blocks.into_buf());
    }

    fn decrypt_tail_blocks(&self, blocks: InOutBuf<'_, '_, ffi::Block>) {
        self.0.decrypt_blocks(blocks);
    }
}

impl<K: KeyBytes> BlockCipherEncrypt for Aes<K> {
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
        f.call(&Blocks(&self.key));
    }

    fn encrypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.key.encrypt_blocks(blocks);
    }

    fn encrypt_blocks(&self, blocks: &mut [Block<Self>]) {
        self.key.encrypt_blocks(InOutBuf::from(blocks));
    }
}

impl<K: KeyBytes> BlockCipherDecrypt for Aes<K> {
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = U16>) {
        f.call(&Blocks(&self.key));
    }

    fn decrypt_blocks_inout(&self, blocks: InOutBuf<'_, '_, Block<Self>>) {
        self.key.decrypt_blocks(blocks);
    }

    fn decrypt_blocks(&self, blocks: &mut [Block<Self>]) {
        self.key.decrypt_blocks(InOutBuf::from(blocks));
    }
}

macro_rules! cbc {
    ($name:ident, $text:literal, $trait:ident, $closure:ident, $backend:ident,
     $with:ident, $block:ident, $par:ident, $tail:ident, $inout:ident, $many:ident, $call:ident) => {
        #[doc = $text]
        ///
        /// CBC does not authenticate. Key and IV are erased when they are dropped.
        #[derive(Clone)]
        pub struct $name<A> {
            key: ffi::Key,
            iv: ffi::Block,
            cipher: PhantomData<fn() -> A>,
        }

        impl<A: AesCipher> $name<A> {
            /// Starts with a key for a backend of [`backends`](crate::backends).
            ///
            /// # Errors
            /// As [`Aes::with_backend`].
            pub fn with_backend(
                key: &Key<Self>,
                iv: &Iv<Self>,
                backend: &str,
            ) -> Result<Self, Error> {
                ffi::make_clean(|| {
                    Ok(Self {
                        key: ffi::Key::new(key, Some(backend))?,
                        iv: *iv,
                        cipher: PhantomData,
                    })
                })
            }

            /// Returns the name of the key's backend.
            pub fn backend(&self) -> &'static str {
                self.key.backend()
            }
        }

        impl<A> Drop for $name<A> {
            fn drop(&mut self) {
                ffi::wipe(&mut self.iv);
            }
        }

        impl<A: AesCipher> fmt::Debug for $name<A> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}<Aes{}> {{ .. }}", stringify!($name), size_of::<Key<Self>>() * 8)
            }
        }

        impl<A: AesCipher> KeySizeUser for $name<A> {
            type KeySize = A::KeySize;
        }

        impl<A> IvSizeUser for $name<A> {
            type IvSize = U16;
        }

        impl<A> BlockSizeUser for $name<A> {
            type BlockSize = U16;
        }

        impl<A: AesCipher> KeyIvInit for $name<A> {
            fn new(key: &Key<Self>, iv: &Iv<Self>) -> Self {
                ffi::make_clean(|| Self {
                    key: make(|name| ffi::Key::new(key, name)),
                    iv: *iv,
                    cipher: PhantomData,
                })
            }
        }

        impl<A> IvState for $name<A> {
            fn iv_state(&self) -> Iv<Self> {
                self.iv
            }
        }

        impl<A> ParBlocksSizeUser for $name<A> {
            type ParBlocksSize = Together;
        }

        impl<A> $backend for $name<A> {
            fn $block(&mut self, block: InOut<'_, '_, Block<Self>>) {
                self.key.$call(&mut self.iv, block);
            }

            fn $par(&mut self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
                self.key.$call(&mut self.iv, blocks.into_buf());
            }

            fn $tail(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                self.key.$call(&mut self.iv, blocks);
            }
        }

        impl<A> $trait for $name<A> {
            fn $with(&mut self, f: impl $closure<BlockSize = U16>) {
                f.call(self);
            }

            fn $inout(&mut self, blocks: InOutBuf<'_, '_, Block<Self>>) {
                self.key.$call(&mut self.iv, blocks);
            }

            fn $many(&mut self, blocks: &mut [Block<Self>]) {
                self.key.$call(&mut self.iv, InOutBuf::from(blocks));
            }
        }
    };
}

cbc!(
    CbcEncryptor,
    "CBC encryption with AES (SP 800-38A section 6.2).",
    BlockModeEncrypt,
    BlockModeEncClosure,
    BlockModeEncBackend,
    encrypt_with_backend,
    encrypt_block,
    encrypt_par_blocks,
    encrypt_tail_blocks,
    encrypt_blocks_inout,
    encrypt_blocks,
    cbc_encrypt
);
cbc!(
    CbcDecryptor,
    "CBC decryption with AES (SP 800-38A section 6.2).",
    BlockModeDecrypt,
    BlockModeDecClosure,
    BlockModeDecBackend,
    decrypt_with_backend,
    decrypt_block,
    decrypt_par_blocks,
    decrypt_tail_blocks,
    decrypt_blocks_inout,
    decrypt_blocks,
    cbc_decrypt
);

#[cfg(feature = "zeroize")]
mod erased {
    use super::*;
    use zeroize::ZeroizeOnDrop;

    impl<K> ZeroizeOnDrop for Aes<K> {}
    impl<A> ZeroizeOnDrop for CbcEncryptor<A> {}
    impl<A> ZeroizeOnDrop for CbcDecryptor<A> {}
}
