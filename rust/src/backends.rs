//! The implementations in this build.

use crate::{Error, ffi};

/// One implementation of all algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backend {
    /// The name for `with_backend`.
    pub name: &'static str,
    /// One line of description.
    pub summary: &'static str,
    /// Why it cannot run here; empty if it can.
    pub reason: &'static str,
    /// This CPU and operating system can run it.
    pub available: bool,
    /// No branch and no address depends on key or data.
    pub constant_time: bool,
    /// A key without a backend's name may get it, if it is available.
    pub automatic: bool,
    /// It processes so many AES blocks at once at full speed.
    pub blocks: usize,
}

/// Lists the backends of this build, the most preferred one first.
///
/// ```
/// for backend in rijn::backends().filter(|backend| backend.available) {
///     println!("{}: {}", backend.name, backend.summary);
/// }
/// ```
pub fn backends() -> impl Iterator<Item = Backend> {
    (0..ffi::backend_count()).filter_map(ffi::backend_at)
}

/// Sets the backend of later keys that name none, in this process. `None` undoes this.
///
/// It takes precedence over the environment variable `RIJN_BACKEND`.
///
/// # Errors
/// [`Error::Backend`] if no backend has this name, [`Error::Unavailable`] if it cannot run here.
pub fn use_backend(name: Option<&str>) -> Result<(), Error> {
    ffi::use_backend(name)
}

/// Returns the backend of keys that name none.
///
/// # Errors
/// Those of a wrong environment variable `RIJN_BACKEND`: [`Error::Backend`],
/// [`Error::Unavailable`], [`Error::Environment`].
pub fn default_backend() -> Result<&'static str, Error> {
    Ok(ffi::Key::new(&[0; 16], None)?.backend())
}

/// Returns the version of librijn, `major.minor.patch`.
pub fn version() -> &'static str {
    ffi::version()
}

/// Makes a key for a constructor that cannot fail. `init` fails only for `RIJN_BACKEND`, so this
/// ignores the variable then, and takes the most preferred automatic backend.
pub(crate) fn make<K>(init: impl Fn(Option<&str>) -> Result<K, Error>) -> K {
    #[cold]
    fn otherwise<K>(init: impl Fn(Option<&str>) -> Result<K, Error>) -> K {
        backends()
            .filter(|backend| backend.automatic)
            .find_map(|backend| init(Some(backend.name)).ok())
            .expect("every build has a portable, automatic backend")
    }
    match init(None) {
        Ok(key) => key,
        Err(_) => otherwise(init),
    }
}
