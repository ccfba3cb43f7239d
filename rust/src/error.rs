use core::fmt;

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident = $status:literal,)*) => {
        /// What librijn refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u32)]
        pub enum Error {
            $($(#[$doc])* $name = $status,)*
        }

        impl Error {
            /// `None`: no error. A status that this crate's types make impossible, such as that of
            /// overlapping buffers, is an invalid argument.
            pub(crate) fn from_status(status: core::ffi::c_uint) -> Option<Self> {
                match status {
                    0 => None,
                    $($status => Some(Self::$name),)*
                    _ => Some(Self::Argument),
                }
            }

            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

errors! {
    /// An argument does not fit the others, or offsets are invalid.
    Argument = 1,
    /// Not a key size of AES, or not of this mode.
    KeySize = 2,
    /// The nonce is too short or too long for the mode.
    NonceSize = 3,
    /// Not a tag size of the mode, or a short tag without permission.
    TagSize = 4,
    /// The data exceed the limits of the mode, or an output is too small.
    Size = 5,
    /// The PKCS #7 padding is malformed.
    Padding = 7,
    /// The message is not authentic: it was altered, or key, nonce or associated data are others.
    Tag = 8,
    /// No backend has this name.
    Backend = 9,
    /// The backend cannot run on this machine.
    Unavailable = 10,
    /// The two halves of an XTS key are equal.
    EqualHalves = 12,
    /// The environment variable `RIJN_BACKEND` names a backend that is not constant-time.
    Environment = 13,
    /// No random bytes from the operating system, or none exists.
    Random = 14,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::ffi::status_text(*self as core::ffi::c_uint))
    }
}

impl core::error::Error for Error {}

impl From<Error> for aead::Error {
    fn from(_: Error) -> Self {
        Self
    }
}
