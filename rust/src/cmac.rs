//! CMAC behind RustCrypto's traits.

use crate::{Error, KeyBytes, backends::make, ffi};
use core::{fmt, marker::PhantomData};
use digest::{
    FixedOutput, FixedOutputReset, MacMarker, Output, OutputSizeUser, Reset, Update,
    common::{Key, KeyInit, KeySizeUser},
    consts::U16,
};

/// CMAC with AES and a key of `K` bytes (SP 800-38B, RFC 4493). Key and state are erased when they
/// are dropped.
///
/// ```
/// use rijn::{Cmac, digest::{KeyInit, Mac, consts::U16}};
///
/// let mut mac = Cmac::<U16>::new(&[7; 16].into());
/// mac.update(b"Attack ");
/// mac.update(b"at dawn");
/// let tag = mac.finalize().into_bytes();
/// Cmac::<U16>::new(&[7; 16].into()).chain_update(b"Attack at dawn").verify(&tag)?;
/// # Ok::<(), rijn::digest::MacError>(())
/// ```
#[derive(Clone)]
pub struct Cmac<K> {
    state: ffi::Cmac,
    size: PhantomData<fn() -> K>,
}

impl<K: KeyBytes> Cmac<K> {
    /// Starts with a key for a backend of [`backends`](crate::backends).
    ///
    /// # Errors
    /// [`Error::Backend`] if no backend has this name, [`Error::Unavailable`] if it cannot run
    /// here.
    pub fn with_backend(key: &Key<Self>, backend: &str) -> Result<Self, Error> {
        ffi::make_clean(|| {
            let state = ffi::Cmac::new(ffi::Key::new(key, Some(backend))?);
            Ok(Self { state, size: PhantomData })
        })
    }
}

impl<K> Cmac<K> {
    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.state.key().backend()
    }
}

impl<K: KeyBytes> fmt::Debug for Cmac<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cmac<Aes{}> {{ .. }}", K::USIZE * 8)
    }
}

impl<K: KeyBytes> KeySizeUser for Cmac<K> {
    type KeySize = K;
}

impl<K: KeyBytes> KeyInit for Cmac<K> {
    /// Expands a key for the default backend, as [`AesAead`](crate::AesAead) does.
    fn new(key: &Key<Self>) -> Self {
        ffi::make_clean(|| {
            let state = ffi::Cmac::new(make(|name| ffi::Key::new(key, name)));
            Self { state, size: PhantomData }
        })
    }
}

impl<K> OutputSizeUser for Cmac<K> {
    type OutputSize = U16;
}

impl<K> MacMarker for Cmac<K> {}

impl<K> Update for Cmac<K> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }
}

impl<K> FixedOutput for Cmac<K> {
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.state.finish(&mut out.0);
    }
}

impl<K> Reset for Cmac<K> {
    fn reset(&mut self) {
        self.state.restart();
    }
}

impl<K> FixedOutputReset for Cmac<K> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        self.state.finish(&mut out.0);
        self.state.restart();
    }
}

#[cfg(feature = "zeroize")]
impl<K> zeroize::ZeroizeOnDrop for Cmac<K> {}
