//! CMAC behind RustCrypto's traits.

use crate::{AesCipher, Error, backends::make, ffi};
use core::{fmt, marker::PhantomData};
use digest::{
    FixedOutput, FixedOutputReset, MacMarker, Output, OutputSizeUser, Reset, Update,
    common::{Key, KeyInit, KeySizeUser},
    consts::U16,
};

/// CMAC with AES (SP 800-38B, RFC 4493). Key and state are erased when they
/// are dropped.
///
/// ```
/// use rijn::{Aes128, Cmac, digest::{KeyInit, Mac}};
///
/// let mut mac = Cmac::<Aes128>::new(&[7; 16].into());
/// mac.update(b"Attack ");
/// mac.update(b"at dawn");
/// let tag = mac.finalize().into_bytes();
/// Cmac::<Aes128>::new(&[7; 16].into()).chain_update(b"Attack at dawn").verify(&tag)?;
/// # Ok::<(), rijn::digest::MacError>(())
/// ```
#[derive(Clone)]
pub struct Cmac<A> {
    state: ffi::Cmac,
    size: PhantomData<fn() -> A>,
}

impl<A: AesCipher> Cmac<A> {
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

impl<A> Cmac<A> {
    /// Returns the name of the key's backend.
    pub fn backend(&self) -> &'static str {
        self.state.key().backend()
    }
}

impl<A: AesCipher> fmt::Debug for Cmac<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cmac<Aes{}> {{ .. }}", size_of::<Key<Self>>() * 8)
    }
}

impl<A: AesCipher> KeySizeUser for Cmac<A> {
    type KeySize = A::KeySize;
}

impl<A: AesCipher> KeyInit for Cmac<A> {
    /// Expands a key for the default backend, as [`AesAead`](crate::AesAead) does.
    fn new(key: &Key<Self>) -> Self {
        ffi::make_clean(|| {
            let state = ffi::Cmac::new(make(|name| ffi::Key::new(key, name)));
            Self { state, size: PhantomData }
        })
    }
}

impl<A> OutputSizeUser for Cmac<A> {
    type OutputSize = U16;
}

impl<A> MacMarker for Cmac<A> {}

impl<A> Update for Cmac<A> {
    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.state.update(data);
    }
}

impl<A> FixedOutput for Cmac<A> {
    fn finalize_into(mut self, out: &mut Output<Self>) {
        self.state.finish(&mut out.0);
    }
}

impl<A> Reset for Cmac<A> {
    fn reset(&mut self) {
        self.state.restart();
    }
}

impl<A> FixedOutputReset for Cmac<A> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        self.state.finish(&mut out.0);
        self.state.restart();
    }
}

#[cfg(feature = "zeroize")]
impl<A> zeroize::ZeroizeOnDrop for Cmac<A> {}
