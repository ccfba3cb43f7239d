//! librijn behind safe types. All unsafe code of the crate is here.
//!
//! `rijn.h` declares the same structs and functions. Comments call its rules "the header".
//! The tests at the end compare them with the header through a C compiler. Symbols of functions
//! with structs that the caller owns end in the version of these structs, `_0_1`.

use crate::{AegisVariant, Error, ManyMode, Mode, Nonces};
use cipher::{InOut, InOutBuf, array::Array, consts::U16};
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::{fmt, marker::PhantomData, mem::MaybeUninit, ptr};

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

/// The structs and functions of `rijn.h`, under the header's names.
#[allow(non_camel_case_types, missing_docs)]
pub(crate) mod c {
    use super::{c_char, c_int, c_uint, c_void};

    pub type rijn_status = c_uint;
    pub type rijn_aegis_variant = c_uint;
    pub type rijn_many_mode = c_uint;

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_key {
        pub backend: *const c_void,
        pub size: u16,
        pub short_tags: u16,
        pub uses: u32,
        pub context: [u64; 160],
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_siv_key {
        pub mac: rijn_key,
        pub ctr: rijn_key,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_xts_key {
        pub data: rijn_key,
        pub tweak: rijn_key,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_aegis_key {
        pub kernel: *const c_void,
        pub code: *const c_void,
        pub bytes: [u8; 32],
    }

    #[repr(C)]
    pub struct rijn_backend_info {
        pub name: *const c_char,
        pub summary: *const c_char,
        pub reason: *const c_char,
        pub available: c_int,
        pub constant_time: c_int,
        pub automatic: c_int,
        pub blocks: c_uint,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_partial {
        pub block: [u8; 16],
        pub fill: usize,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_counter {
        pub block: [u8; 16],
        pub hidden: u8,
        pub width: u8,
        pub little: u8,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_keystream {
        pub next: rijn_counter,
        pub ready: u8,
        pub ahead: [u8; 128],
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_ctr {
        pub key: *const rijn_key,
        pub left: u64,
        pub stream: rijn_keystream,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_cmac_state {
        pub key: *const rijn_key,
        pub zero: [u8; 16],
        pub chain: [u8; 16],
        pub last: rijn_partial,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_string {
        pub bytes: *const u8,
        pub size: usize,
    }

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct rijn_column {
        pub data: *const u8,
        pub size: usize,
        pub offsets32: *const i32,
        pub offsets64: *const i64,
        pub buffers: *const *const u8,
        pub sizes: *const usize,
    }

    #[repr(C)]
    pub struct rijn_many {
        pub mode: rijn_many_mode,
        pub key: *const rijn_key,
        pub siv_key: *const rijn_siv_key,
        pub aegis_key: *const rijn_aegis_key,
        pub tag_size: usize,
        pub first: usize,
        pub count: usize,
        pub r#in: rijn_column,
        pub ad: rijn_column,
        pub nonces: *const u8,
        pub base: *const u8,
        pub nonce_size: usize,
        pub prepend_nonce: c_int,
        pub out: *mut u8,
        pub out_size: usize,
        pub out_start: usize,
        pub out_offsets32: *mut i32,
        pub out_offsets64: *mut i64,
        pub failed: *mut u8,
        pub room: *mut c_void,
        pub room_size: usize,
    }

    // Declares the functions. NAME => "symbol" where they differ. The list of declarations is
    // also a text, for the test that shows it to a C compiler.
    macro_rules! functions {
        ($($(#[link_name = $symbol:literal])? fn $name:ident($($arg:ident: $type:ty),* $(,)?)
           $(-> $result:ty)?;)*) => {
            #[cfg_attr(not(feature = "chunked"), allow(dead_code))]
            unsafe extern "C" {
                $($(#[link_name = $symbol])? pub fn $name($($arg: $type),*) $(-> $result)?;)*
            }
            /// Name, symbol if it differs, types of the arguments, type of the result.
            #[cfg(test)]
            pub const FUNCTIONS: &[(&str, &[&str], &[&str], &[&str])] = &[
                $((stringify!($name), &[$($symbol)?], &[$(stringify!($type)),*],
                   &[$(stringify!($result))?])),*
            ];
        };
    }

    functions! {
        fn rijn_status_text(status: rijn_status) -> *const c_char;
        fn rijn_version() -> *const c_char;
        fn rijn_backend_count() -> usize;
        #[link_name = "rijn_backend_at_0_1"]
        fn rijn_backend_at(index: usize, info: *mut rijn_backend_info) -> rijn_status;
        fn rijn_use_backend(name: *const c_char) -> rijn_status;
        #[link_name = "rijn_key_init_0_1"]
        fn rijn_key_init(key: *mut rijn_key, bytes: *const u8, size: usize,
            backend: *const c_char) -> rijn_status;
        fn rijn_key_backend(key: *const rijn_key) -> *const c_char;
        fn rijn_key_allow_short_tags(key: *mut rijn_key) -> rijn_status;
        fn rijn_key_wipe(key: *mut rijn_key);
        fn rijn_wipe(memory: *mut c_void, size: usize);
        fn rijn_ecb_encrypt(key: *const rijn_key, out: *mut u8, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_ecb_decrypt(key: *const rijn_key, out: *mut u8, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_cbc_encrypt(key: *const rijn_key, iv: *mut u8, out: *mut u8, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_cbc_decrypt(key: *const rijn_key, iv: *mut u8, out: *mut u8, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_ctr_start_width(ctr: *mut rijn_ctr, key: *const rijn_key, width: c_uint,
            little: c_int, counter: *const u8) -> rijn_status;
        fn rijn_ctr_update(ctr: *mut rijn_ctr, out: *mut u8, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_ctr_skip(ctr: *mut rijn_ctr, blocks: u64) -> rijn_status;
        fn rijn_ctr_wipe(ctr: *mut rijn_ctr);
        #[link_name = "rijn_xts_key_init_0_1"]
        fn rijn_xts_key_init(key: *mut rijn_xts_key, bytes: *const u8, size: usize,
            backend: *const c_char) -> rijn_status;
        fn rijn_xts_key_wipe(key: *mut rijn_xts_key);
        fn rijn_xts_encrypt_part(key: *const rijn_xts_key, tweak: *const u8, offset: usize,
            out: *mut u8, r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_xts_decrypt_part(key: *const rijn_xts_key, tweak: *const u8, offset: usize,
            out: *mut u8, r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_kw_wrap(key: *const rijn_key, out: *mut u8, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_kw_unwrap(key: *const rijn_key, out: *mut u8, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_kwp_wrap(key: *const rijn_key, out: *mut u8, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_kwp_unwrap(key: *const rijn_key, out: *mut u8, plain_size: *mut usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_cmac_start(cmac: *mut rijn_cmac_state, key: *const rijn_key) -> rijn_status;
        fn rijn_cmac_update(cmac: *mut rijn_cmac_state, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_cmac_finish(cmac: *mut rijn_cmac_state, tag: *mut u8,
            tag_size: usize) -> rijn_status;
        fn rijn_cmac_wipe(cmac: *mut rijn_cmac_state);
        fn rijn_gcm_seal(key: *const rijn_key, out: *mut u8, tag: *mut u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_gcm_open(key: *const rijn_key, out: *mut u8, tag: *const u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_gcm_siv_seal(key: *const rijn_key, out: *mut u8, tag: *mut u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_gcm_siv_open(key: *const rijn_key, out: *mut u8, tag: *const u8,
            tag_size: usize, nonce: *const u8, nonce_size: usize, ad: *const u8,
            ad_size: usize, r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_xaes_seal(key: *const rijn_key, out: *mut u8, tag: *mut u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_xaes_open(key: *const rijn_key, out: *mut u8, tag: *const u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_ccm_seal(key: *const rijn_key, out: *mut u8, tag: *mut u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_ccm_open(key: *const rijn_key, out: *mut u8, tag: *const u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_ocb_seal(key: *const rijn_key, out: *mut u8, tag: *mut u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_ocb_open(key: *const rijn_key, out: *mut u8, tag: *const u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_eax_seal(key: *const rijn_key, out: *mut u8, tag: *mut u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_eax_open(key: *const rijn_key, out: *mut u8, tag: *const u8, tag_size: usize,
            nonce: *const u8, nonce_size: usize, ad: *const u8, ad_size: usize,
            r#in: *const u8, size: usize) -> rijn_status;
        #[link_name = "rijn_siv_key_init_0_1"]
        fn rijn_siv_key_init(key: *mut rijn_siv_key, bytes: *const u8, size: usize,
            backend: *const c_char) -> rijn_status;
        fn rijn_siv_key_wipe(key: *mut rijn_siv_key);
        fn rijn_siv_seal(key: *const rijn_siv_key, out: *mut u8, tag: *mut u8,
            strings: *const rijn_string, count: usize, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_siv_open(key: *const rijn_siv_key, out: *mut u8, tag: *const u8,
            strings: *const rijn_string, count: usize, r#in: *const u8,
            size: usize) -> rijn_status;
        #[link_name = "rijn_aegis_key_init_0_1"]
        fn rijn_aegis_key_init(key: *mut rijn_aegis_key, variant: rijn_aegis_variant,
            bytes: *const u8, size: usize, backend: *const c_char) -> rijn_status;
        fn rijn_aegis_key_backend(key: *const rijn_aegis_key) -> *const c_char;
        fn rijn_aegis_key_kernel(key: *const rijn_aegis_key) -> *const c_char;
        fn rijn_aegis_key_wipe(key: *mut rijn_aegis_key);
        fn rijn_aegis_seal(key: *const rijn_aegis_key, out: *mut u8, tag: *mut u8,
            tag_size: usize, nonce: *const u8, nonce_size: usize, ad: *const u8,
            ad_size: usize, r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_aegis_open(key: *const rijn_aegis_key, out: *mut u8, tag: *const u8,
            tag_size: usize, nonce: *const u8, nonce_size: usize, ad: *const u8,
            ad_size: usize, r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_gcm_seal_chunks(key: *const rijn_key, out: *mut u8, nonce: *const u8, first: u64,
            chunk: usize, last: c_int, r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_gcm_open_chunks(key: *const rijn_key, out: *mut u8, bad: *mut u64,
            nonce: *const u8, first: u64, chunk: usize, last: c_int, r#in: *const u8,
            size: usize) -> rijn_status;
        fn rijn_aegis_seal_chunks(key: *const rijn_aegis_key, out: *mut u8, nonce: *const u8,
            first: u64, chunk: usize, last: c_int, r#in: *const u8, size: usize) -> rijn_status;
        fn rijn_aegis_open_chunks(key: *const rijn_aegis_key, out: *mut u8, bad: *mut u64,
            nonce: *const u8, first: u64, chunk: usize, last: c_int, r#in: *const u8,
            size: usize) -> rijn_status;
        #[link_name = "rijn_seal_many_size_0_1"]
        fn rijn_seal_many_size(many: *const rijn_many, size: *mut usize) -> rijn_status;
        #[link_name = "rijn_open_many_size_0_1"]
        fn rijn_open_many_size(many: *const rijn_many, size: *mut usize) -> rijn_status;
        #[link_name = "rijn_seal_many_0_1"]
        fn rijn_seal_many(many: *const rijn_many) -> rijn_status;
        #[link_name = "rijn_open_many_0_1"]
        fn rijn_open_many(many: *const rijn_many, failures: *mut usize) -> rijn_status;
    }
}

/// A block of AES, laid out as `[u8; 16]`.
pub(crate) type Block = Array<u8, U16>;

/// Whole blocks as input and output: `raw` returns pointers to them, and their bytes.
///
/// # Safety
/// The pointers are valid for these bytes, and are equal or share no byte.
pub(crate) unsafe trait Blocks {
    fn raw(self) -> (*const u8, *mut u8, usize);
}

// SAFETY: InOutBuf promises this for each of its blocks, which have 16 bytes.
unsafe impl Blocks for InOutBuf<'_, '_, Block> {
    fn raw(self) -> (*const u8, *mut u8, usize) {
        let size = self.len() * 16;
        let (input, out) = self.into_raw();
        (input.cast(), out.cast(), size)
    }
}

// SAFETY: InOut promises this for its block, which has 16 bytes.
unsafe impl Blocks for InOut<'_, '_, Block> {
    fn raw(self) -> (*const u8, *mut u8, usize) {
        let (input, out) = self.into_raw();
        (input.cast(), out.cast(), 16)
    }
}

fn check(status: c::rijn_status) -> Result<(), Error> {
    match Error::from_status(status) {
        None => Ok(()),
        Some(error) => Err(error),
    }
}

/// For calls whose arguments the types of this crate make valid. Stops the program if librijn
/// refuses them all the same, because the traits of ciphers cannot report it.
fn must(status: c::rijn_status) {
    #[cold]
    fn refused(error: Error) -> ! {
        panic!("librijn refused a valid call: {error}")
    }
    if let Err(error) = check(status) {
        refused(error)
    }
}

/// A text of librijn's that lives as long as the program.
///
/// # Safety
/// `text` points to a string with a NUL that nobody changes or frees.
unsafe fn text(text: *const c_char) -> &'static str {
    // SAFETY: as above.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().unwrap_or_default()
}

/// A name with a NUL at its end.
struct Name([u8; 64]);

impl Name {
    /// No backend has a name that does not fit, or one with a NUL.
    fn new(name: &str) -> Result<Self, Error> {
        let mut bytes = [0; 64];
        let Some(target) = bytes[..63].get_mut(..name.len()) else {
            return Err(Error::Backend);
        };
        if name.contains('\0') {
            return Err(Error::Backend);
        }
        target.copy_from_slice(name.as_bytes());
        Ok(Self(bytes))
    }

    fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }
}

/// Calls `init` with the C name of `backend`, or with NULL.
fn with_name(
    backend: Option<&str>,
    init: impl FnOnce(*const c_char) -> c::rijn_status,
) -> Result<(), Error> {
    match backend {
        None => check(init(ptr::null())),
        Some(name) => check(init(Name::new(name)?.as_ptr())),
    }
}

pub(crate) fn status_text(status: c_uint) -> &'static str {
    // SAFETY: the function takes any number, and returns a constant.
    unsafe { text(c::rijn_status_text(status)) }
}

pub(crate) fn version() -> &'static str {
    // SAFETY: the function returns a constant.
    unsafe { text(c::rijn_version()) }
}

pub(crate) fn backend_count() -> usize {
    // SAFETY: the function has no arguments.
    unsafe { c::rijn_backend_count() }
}

pub(crate) fn backend_at(index: usize) -> Option<crate::Backend> {
    let mut info = MaybeUninit::<c::rijn_backend_info>::uninit();
    // SAFETY: `info` is memory for a struct. The function checks the index.
    check(unsafe { c::rijn_backend_at(index, info.as_mut_ptr()) }).ok()?;
    // SAFETY: the call succeeded, so all fields are set, and the texts are constants.
    unsafe {
        let info = info.assume_init();
        Some(crate::Backend {
            name: text(info.name),
            summary: text(info.summary),
            reason: text(info.reason),
            available: info.available != 0,
            constant_time: info.constant_time != 0,
            automatic: info.automatic != 0,
            blocks: info.blocks as usize,
        })
    }
}

pub(crate) fn use_backend(name: Option<&str>) -> Result<(), Error> {
    // SAFETY: the name ends in a NUL, or is NULL. librijn stores the choice atomically.
    with_name(name, |name| unsafe { c::rijn_use_backend(name) })
}

/// Overwrites bytes with zeros. The compiler cannot remove these stores.
pub(crate) fn wipe(bytes: &mut [u8]) {
    // SAFETY: the slice is valid memory of this size.
    unsafe { c::rijn_wipe(bytes.as_mut_ptr().cast(), bytes.len()) }
}

/// Makes a value with a key. Functions that return a large value leave copies of it on the stack, so
/// this erases the stack that `make` used, and its own copy. Without optimization the compiler makes
/// more of them, which stay.
#[inline(never)]
pub(crate) fn make_clean<T>(make: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn apart<T>(make: impl FnOnce() -> T, place: &mut MaybeUninit<T>) {
        place.write(make());
    }

    /// Erases so many bytes of the stack, below the frame of the caller.
    #[inline(never)]
    fn erase_stack<const SIZE: usize>() {
        let mut bytes = MaybeUninit::<[u8; SIZE]>::uninit();
        // SAFETY: the bytes are memory of this size.
        unsafe { c::rijn_wipe(bytes.as_mut_ptr().cast(), SIZE) }
    }

    let mut place = MaybeUninit::uninit();
    apart(make, &mut place);
    // Room for several copies: calls within calls make them, and the compiler may leave them.
    match size_of::<T>() {
        0..256 => erase_stack::<2048>(),
        256..2048 => erase_stack::<8192>(),
        _ => erase_stack::<16384>(),
    }
    // SAFETY: `apart` wrote the value, and only this reads it: what stays are bytes without owner.
    let value = unsafe { place.assume_init_read() };
    // SAFETY: `place` is memory of this size.
    unsafe { c::rijn_wipe(place.as_mut_ptr().cast(), size_of::<T>()) };
    value
}

/// An initialized `rijn_key`, which is erased at the end.
#[derive(Clone)]
pub(crate) struct Key(c::rijn_key);

// SAFETY: any number of threads may use a key after its *_init (the header, "Threads"). The
// pointer in it is to a constant of librijn.
unsafe impl Send for Key {}
// SAFETY: as above. Calls with a shared reference only read the key.
unsafe impl Sync for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the struct is initialized.
        unsafe { c::rijn_key_wipe(&mut self.0) }
    }
}

impl Key {
    pub fn new(bytes: &[u8], backend: Option<&str>) -> Result<Self, Error> {
        // A key may leave the end of its context as it is, and Rust needs a value there.
        let mut key = MaybeUninit::<c::rijn_key>::zeroed();
        // SAFETY: `key` is memory for a struct, `bytes` has the size that is passed, and the name
        // ends in a NUL or is NULL.
        with_name(backend, |name| unsafe {
            c::rijn_key_init(key.as_mut_ptr(), bytes.as_ptr(), bytes.len(), name)
        })?;
        // SAFETY: all fields were zeros, which are valid, and the call succeeded.
        Ok(Self(unsafe { key.assume_init() }))
    }

    pub fn backend(&self) -> &'static str {
        // SAFETY: the struct is initialized, and the name is a constant.
        unsafe { text(c::rijn_key_backend(&self.0)) }
    }

    pub fn allow_short_tags(&mut self) {
        // SAFETY: the struct is initialized, and no other thread has it.
        must(unsafe { c::rijn_key_allow_short_tags(&mut self.0) })
    }

    #[inline]
    pub fn seal(
        &self,
        mode: Mode,
        nonce: &[u8],
        ad: &[u8],
        data: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let seal = match mode {
            Mode::Gcm => c::rijn_gcm_seal,
            Mode::GcmSiv => c::rijn_gcm_siv_seal,
            Mode::Xaes => c::rijn_xaes_seal,
            Mode::Ccm => c::rijn_ccm_seal,
            Mode::Ocb3 => c::rijn_ocb_seal,
            Mode::Eax => c::rijn_eax_seal,
        };
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: the key is initialized. The slices have the sizes that are passed. `out` and
        // `tag` are borrowed mutably, so they overlap nothing but, by the contract of InOutBuf,
        // `input` at the same address. Rust's empty slices are not NULL.
        check(unsafe {
            seal(
                &self.0,
                out,
                tag.as_mut_ptr(),
                tag.len(),
                nonce.as_ptr(),
                nonce.len(),
                ad.as_ptr(),
                ad.len(),
                input,
                size,
            )
        })
    }

    #[inline]
    pub fn open(
        &self,
        mode: Mode,
        nonce: &[u8],
        ad: &[u8],
        data: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let open = match mode {
            Mode::Gcm => c::rijn_gcm_open,
            Mode::GcmSiv => c::rijn_gcm_siv_open,
            Mode::Xaes => c::rijn_xaes_open,
            Mode::Ccm => c::rijn_ccm_open,
            Mode::Ocb3 => c::rijn_ocb_open,
            Mode::Eax => c::rijn_eax_open,
        };
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: as in `seal`, but the call reads the tag.
        check(unsafe {
            open(
                &self.0,
                out,
                tag.as_ptr(),
                tag.len(),
                nonce.as_ptr(),
                nonce.len(),
                ad.as_ptr(),
                ad.len(),
                input,
                size,
            )
        })
    }

    #[inline]
    pub fn encrypt_blocks(&self, blocks: impl Blocks) {
        let (input, out, size) = blocks.raw();
        // SAFETY: the key is initialized. `Blocks` promises valid pointers.
        must(unsafe { c::rijn_ecb_encrypt(&self.0, out, input, size) })
    }

    #[inline]
    pub fn decrypt_blocks(&self, blocks: impl Blocks) {
        let (input, out, size) = blocks.raw();
        // SAFETY: as in `encrypt_blocks`.
        must(unsafe { c::rijn_ecb_decrypt(&self.0, out, input, size) })
    }

    #[inline]
    pub fn cbc_encrypt(&self, iv: &mut Block, blocks: impl Blocks) {
        let (input, out, size) = blocks.raw();
        // SAFETY: as in `encrypt_blocks`. `iv` is borrowed mutably, so it overlaps nothing.
        must(unsafe { c::rijn_cbc_encrypt(&self.0, iv.as_mut_ptr(), out, input, size) })
    }

    #[inline]
    pub fn cbc_decrypt(&self, iv: &mut Block, blocks: impl Blocks) {
        let (input, out, size) = blocks.raw();
        // SAFETY: as in `cbc_encrypt`.
        must(unsafe { c::rijn_cbc_decrypt(&self.0, iv.as_mut_ptr(), out, input, size) })
    }
}

impl Key {
    /// Wraps a key with KW. `out` has 8 bytes more than the key.
    pub fn kw_wrap(&self, out: &mut [u8], bytes: &[u8]) -> Result<(), Error> {
        if bytes.len().checked_add(8) != Some(out.len()) {
            return Err(Error::Size);
        }
        // SAFETY: the key is initialized. `out` has the size that librijn writes, and is borrowed
        // mutably, so it overlaps nothing.
        check(unsafe { c::rijn_kw_wrap(&self.0, out.as_mut_ptr(), bytes.as_ptr(), bytes.len()) })
    }

    /// Unwraps a key with KW. `out` has 8 bytes less than the wrapped key.
    pub fn kw_unwrap(&self, out: &mut [u8], wrapped: &[u8]) -> Result<(), Error> {
        if out.len().checked_add(8) != Some(wrapped.len()) {
            return Err(Error::Size);
        }
        let (target, source) = (out.as_mut_ptr(), wrapped.as_ptr());
        // SAFETY: as in `kw_wrap`.
        check(unsafe { c::rijn_kw_unwrap(&self.0, target, source, wrapped.len()) })
    }

    /// Wraps a key with KWP. `out` has the key's size, rounded up to a multiple of 8, and 8 bytes.
    pub fn kwp_wrap(&self, out: &mut [u8], bytes: &[u8]) -> Result<(), Error> {
        let size = bytes.len().checked_next_multiple_of(8).and_then(|size| size.checked_add(8));
        if size != Some(out.len()) {
            return Err(Error::Size);
        }
        // SAFETY: as in `kw_wrap`.
        check(unsafe { c::rijn_kwp_wrap(&self.0, out.as_mut_ptr(), bytes.as_ptr(), bytes.len()) })
    }

    /// Unwraps a key with KWP, and returns its size. `out` has 8 bytes less than the wrapped key.
    pub fn kwp_unwrap(&self, out: &mut [u8], wrapped: &[u8]) -> Result<usize, Error> {
        if out.len().checked_add(8) != Some(wrapped.len()) {
            return Err(Error::Size);
        }
        let mut size = 0;
        let (target, source) = (out.as_mut_ptr(), wrapped.as_ptr());
        // SAFETY: as in `kw_wrap`.
        check(unsafe { c::rijn_kwp_unwrap(&self.0, target, &mut size, source, wrapped.len()) })?;
        Ok(size)
    }
}

/// An initialized `rijn_xts_key`, which is erased at the end.
#[derive(Clone)]
pub(crate) struct XtsKey(c::rijn_xts_key);

// SAFETY: as Key.
unsafe impl Send for XtsKey {}
// SAFETY: as Key.
unsafe impl Sync for XtsKey {}

impl Drop for XtsKey {
    fn drop(&mut self) {
        // SAFETY: the struct is initialized.
        unsafe { c::rijn_xts_key_wipe(&mut self.0) }
    }
}

impl XtsKey {
    pub fn new(bytes: &[u8], backend: Option<&str>) -> Result<Self, Error> {
        let mut key = MaybeUninit::<c::rijn_xts_key>::zeroed();
        // SAFETY: as in `Key::new`.
        with_name(backend, |name| unsafe {
            c::rijn_xts_key_init(key.as_mut_ptr(), bytes.as_ptr(), bytes.len(), name)
        })?;
        // SAFETY: as in `Key::new`.
        Ok(Self(unsafe { key.assume_init() }))
    }

    pub fn backend(&self) -> &'static str {
        // SAFETY: the struct is initialized, and the name is a constant.
        unsafe { text(c::rijn_key_backend(&self.0.data)) }
    }

    pub fn encrypt(
        &self,
        tweak: &[u8; 16],
        offset: usize,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: the key is initialized. InOutBuf has `size` bytes at both pointers, which are equal
        // or share no byte.
        check(unsafe {
            c::rijn_xts_encrypt_part(&self.0, tweak.as_ptr(), offset, out, input, size)
        })
    }

    pub fn decrypt(
        &self,
        tweak: &[u8; 16],
        offset: usize,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Error> {
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: as in `encrypt`.
        check(unsafe {
            c::rijn_xts_decrypt_part(&self.0, tweak.as_ptr(), offset, out, input, size)
        })
    }
}

/// A key and a keystream in progress, which are erased at the end.
///
/// A `rijn_ctr` points to its key, and Rust moves values. So each call sets this pointer first. Not
/// `rijn_ctr_copy`, which compares 1.3 KB of keys: it is for callers whose key may be another, and here
/// key and state are one value. After a move the old pointer may be to freed memory, which
/// `rijn_ctr_copy` would read.
#[derive(Clone)]
pub(crate) struct Ctr {
    key: Key,
    state: c::rijn_ctr,
}

// SAFETY: the pointer in `state` is used only during a call, which sets it. For the rest see Key.
unsafe impl Send for Ctr {}
// SAFETY: as above. No call has a shared reference only.
unsafe impl Sync for Ctr {}

impl Drop for Ctr {
    fn drop(&mut self) {
        // SAFETY: the struct is initialized. The call does not follow the pointer.
        unsafe { c::rijn_ctr_wipe(&mut self.state) }
    }
}

impl Ctr {
    /// `width` is 128, 64 or 32.
    pub fn new(key: Key, width: u32, little: bool, counter: &[u8; 16]) -> Self {
        let mut state = MaybeUninit::<c::rijn_ctr>::zeroed();
        // SAFETY: `state` is memory for a struct. The key is initialized.
        must(unsafe {
            c::rijn_ctr_start_width(
                state.as_mut_ptr(),
                &key.0,
                width,
                c_int::from(little),
                counter.as_ptr(),
            )
        });
        // SAFETY: all fields were zeros, which are valid, and the call succeeded.
        let state = unsafe { state.assume_init() };
        Self { key, state }
    }

    /// Starts again, with another counter.
    pub fn restart(&mut self, width: u32, little: bool, counter: &[u8; 16]) {
        // SAFETY: both structs are initialized. `width` is one that `new` accepted.
        must(unsafe {
            c::rijn_ctr_start_width(
                &mut self.state,
                &self.key.0,
                width,
                c_int::from(little),
                counter.as_ptr(),
            )
        })
    }

    #[inline]
    pub fn update(&mut self, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        self.state.key = &self.key.0;
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: the state is initialized and points to the key. InOutBuf has `size` bytes at
        // both pointers, which are equal or share no byte.
        check(unsafe { c::rijn_ctr_update(&mut self.state, out, input, size) })
    }

    pub fn skip(&mut self, blocks: u64) -> Result<(), Error> {
        self.state.key = &self.key.0;
        // SAFETY: the state is initialized and points to the key.
        check(unsafe { c::rijn_ctr_skip(&mut self.state, blocks) })
    }

    pub fn key(&self) -> &Key {
        &self.key
    }
}

/// A key and a CMAC in progress, which are erased at the end. The pointer: see Ctr.
#[derive(Clone)]
pub(crate) struct Cmac {
    key: Key,
    state: c::rijn_cmac_state,
}

// SAFETY: as Ctr.
unsafe impl Send for Cmac {}
// SAFETY: as Ctr.
unsafe impl Sync for Cmac {}

impl Drop for Cmac {
    fn drop(&mut self) {
        // SAFETY: the struct is initialized. The call does not follow the pointer.
        unsafe { c::rijn_cmac_wipe(&mut self.state) }
    }
}

impl Cmac {
    pub fn new(key: Key) -> Self {
        let mut state = MaybeUninit::<c::rijn_cmac_state>::zeroed();
        // SAFETY: `state` is memory for a struct. The key is initialized.
        must(unsafe { c::rijn_cmac_start(state.as_mut_ptr(), &key.0) });
        // SAFETY: all fields were zeros, which are valid, and the call succeeded.
        let state = unsafe { state.assume_init() };
        Self { key, state }
    }

    pub fn restart(&mut self) {
        // SAFETY: both structs are initialized.
        must(unsafe { c::rijn_cmac_start(&mut self.state, &self.key.0) })
    }

    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        self.state.key = &self.key.0;
        // SAFETY: the state is started and points to the key. `data` has the size that is passed.
        must(unsafe { c::rijn_cmac_update(&mut self.state, data.as_ptr(), data.len()) })
    }

    /// Writes the tag. `restart` must follow before another message.
    pub fn finish(&mut self, tag: &mut [u8; 16]) {
        self.state.key = &self.key.0;
        // SAFETY: as in `update`.
        must(unsafe { c::rijn_cmac_finish(&mut self.state, tag.as_mut_ptr(), tag.len()) })
    }

    pub fn key(&self) -> &Key {
        &self.key
    }
}

/// An initialized `rijn_siv_key`, which is erased at the end.
#[derive(Clone)]
pub(crate) struct SivKey(c::rijn_siv_key);

// SAFETY: as Key.
unsafe impl Send for SivKey {}
// SAFETY: as Key.
unsafe impl Sync for SivKey {}

impl Drop for SivKey {
    fn drop(&mut self) {
        // SAFETY: the struct is initialized.
        unsafe { c::rijn_siv_key_wipe(&mut self.0) }
    }
}

/// At most so many associated strings: RIJN_SIV_STRINGS_MAX.
pub(crate) const STRINGS: usize = 126;

impl SivKey {
    pub fn new(bytes: &[u8], backend: Option<&str>) -> Result<Self, Error> {
        let mut key = MaybeUninit::<c::rijn_siv_key>::zeroed();
        // SAFETY: as in `Key::new`.
        with_name(backend, |name| unsafe {
            c::rijn_siv_key_init(key.as_mut_ptr(), bytes.as_ptr(), bytes.len(), name)
        })?;
        // SAFETY: as in `Key::new`.
        Ok(Self(unsafe { key.assume_init() }))
    }

    pub fn backend(&self) -> &'static str {
        // SAFETY: the struct is initialized, and the name is a constant.
        unsafe { text(c::rijn_key_backend(&self.0.mac)) }
    }

    /// Calls `work` with the strings as C takes them.
    fn with_strings(
        strings: &[&[u8]],
        work: impl FnOnce(*const c::rijn_string, usize) -> c::rijn_status,
    ) -> Result<(), Error> {
        let empty = c::rijn_string { bytes: ptr::null(), size: 0 };
        let mut array = [empty; STRINGS];
        let Some(used) = array.get_mut(..strings.len()) else {
            return Err(Error::Size);
        };
        for (entry, string) in used.iter_mut().zip(strings) {
            *entry = c::rijn_string { bytes: string.as_ptr(), size: string.len() };
        }
        check(work(used.as_ptr(), used.len()))
    }

    pub fn seal(
        &self,
        strings: &[&[u8]],
        data: InOutBuf<'_, '_, u8>,
        tag: &mut [u8; 16],
    ) -> Result<(), Error> {
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: as in `Key::seal`. The entries of `array` are slices that live during the call.
        Self::with_strings(strings, |array, count| unsafe {
            c::rijn_siv_seal(&self.0, out, tag.as_mut_ptr(), array, count, input, size)
        })
    }

    pub fn open(
        &self,
        strings: &[&[u8]],
        data: InOutBuf<'_, '_, u8>,
        tag: &[u8; 16],
    ) -> Result<(), Error> {
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: as in `seal`.
        Self::with_strings(strings, |array, count| unsafe {
            c::rijn_siv_open(&self.0, out, tag.as_ptr(), array, count, input, size)
        })
    }
}

/// An initialized `rijn_aegis_key`, which is erased at the end.
#[derive(Clone)]
pub(crate) struct AegisKey(c::rijn_aegis_key);

// SAFETY: as Key.
unsafe impl Send for AegisKey {}
// SAFETY: as Key.
unsafe impl Sync for AegisKey {}

impl Drop for AegisKey {
    fn drop(&mut self) {
        // SAFETY: the struct is initialized.
        unsafe { c::rijn_aegis_key_wipe(&mut self.0) }
    }
}

impl AegisKey {
    pub fn new(variant: AegisVariant, bytes: &[u8], backend: Option<&str>) -> Result<Self, Error> {
        let mut key = MaybeUninit::<c::rijn_aegis_key>::zeroed();
        // SAFETY: as in `Key::new`.
        with_name(backend, |name| unsafe {
            c::rijn_aegis_key_init(
                key.as_mut_ptr(),
                variant as c_uint,
                bytes.as_ptr(),
                bytes.len(),
                name,
            )
        })?;
        // SAFETY: as in `Key::new`.
        Ok(Self(unsafe { key.assume_init() }))
    }

    pub fn backend(&self) -> &'static str {
        // SAFETY: the struct is initialized, and the name is a constant.
        unsafe { text(c::rijn_aegis_key_backend(&self.0)) }
    }

    pub fn kernel(&self) -> &'static str {
        // SAFETY: the struct is initialized, and the name is a constant.
        unsafe { text(c::rijn_aegis_key_kernel(&self.0)) }
    }

    #[inline]
    pub fn seal(
        &self,
        nonce: &[u8],
        ad: &[u8],
        data: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Error> {
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: as in `Key::seal`.
        check(unsafe {
            c::rijn_aegis_seal(
                &self.0,
                out,
                tag.as_mut_ptr(),
                tag.len(),
                nonce.as_ptr(),
                nonce.len(),
                ad.as_ptr(),
                ad.len(),
                input,
                size,
            )
        })
    }

    #[inline]
    pub fn open(
        &self,
        nonce: &[u8],
        ad: &[u8],
        data: InOutBuf<'_, '_, u8>,
        tag: &[u8],
    ) -> Result<(), Error> {
        let size = data.len();
        let (input, out) = data.into_raw();
        // SAFETY: as in `Key::open`.
        check(unsafe {
            c::rijn_aegis_open(
                &self.0,
                out,
                tag.as_ptr(),
                tag.len(),
                nonce.as_ptr(),
                nonce.len(),
                ad.as_ptr(),
                ad.len(),
                input,
                size,
            )
        })
    }
}

/// A key of chunked encryption.
#[cfg(feature = "chunked")]
#[allow(clippy::large_enum_variant)] // a box needs `alloc`, and would be the only one
pub(crate) enum ChunkKey {
    Gcm(Key),
    Aegis(AegisKey),
}

/// A run of chunks of 16 KiB.
#[cfg(feature = "chunked")]
#[derive(Clone, Copy)]
pub(crate) struct Run {
    /// The first bytes, as many as the mode uses. The run's chunks share them.
    pub nonce: [u8; 32],
    /// The number of the first chunk.
    pub first: u64,
    /// A shorter chunk, which ends the message, follows the whole ones.
    pub last: bool,
}

#[cfg(feature = "chunked")]
impl ChunkKey {
    pub fn backend(&self) -> &'static str {
        match self {
            Self::Gcm(key) => key.backend(),
            Self::Aegis(key) => key.backend(),
        }
    }

    /// Seals whole chunks of `size` bytes, and a shorter one if the run is the last. `out` has the
    /// exact size of the result.
    pub fn seal(&self, run: Run, size: usize, out: &mut [u8], input: &[u8]) -> Result<(), Error> {
        let chunks = input.len() / size + usize::from(run.last);
        if !run.last && input.len() % size != 0 || out.len() != input.len() + 16 * chunks {
            return Err(Error::Size);
        }
        let (nonce, last) = (run.nonce.as_ptr(), c_int::from(run.last));
        let (target, source) = (out.as_mut_ptr(), input.as_ptr());
        // SAFETY: the keys are initialized. The nonce has at least the bytes that the mode reads.
        // `out`, which is borrowed mutably, overlaps nothing, and has 16 bytes more for each chunk.
        check(unsafe {
            match self {
                Self::Gcm(key) => c::rijn_gcm_seal_chunks(
                    &key.0,
                    target,
                    nonce,
                    run.first,
                    size,
                    last,
                    source,
                    input.len(),
                ),
                Self::Aegis(key) => c::rijn_aegis_seal_chunks(
                    &key.0,
                    target,
                    nonce,
                    run.first,
                    size,
                    last,
                    source,
                    input.len(),
                ),
            }
        })
    }

    /// Opens sealed chunks. The result is the number of the first one that is not authentic: then
    /// `out` is zeros.
    pub fn open(
        &self,
        run: Run,
        size: usize,
        out: &mut [u8],
        input: &[u8],
    ) -> Result<Option<u64>, Error> {
        let (whole, rest) = (input.len() / (size + 16), input.len() % (size + 16));
        let chunks = whole + usize::from(run.last);
        let fits = if run.last { rest >= 16 } else { rest == 0 };
        if !fits || out.len() != input.len() - 16 * chunks {
            return Err(Error::Size);
        }
        let (nonce, last) = (run.nonce.as_ptr(), c_int::from(run.last));
        let (target, source) = (out.as_mut_ptr(), input.as_ptr());
        let mut bad = run.first;
        // SAFETY: as in `seal`, but `out` has 16 bytes less for each chunk.
        let result = check(unsafe {
            match self {
                Self::Gcm(key) => c::rijn_gcm_open_chunks(
                    &key.0,
                    target,
                    &mut bad,
                    nonce,
                    run.first,
                    size,
                    last,
                    source,
                    input.len(),
                ),
                Self::Aegis(key) => c::rijn_aegis_open_chunks(
                    &key.0,
                    target,
                    &mut bad,
                    nonce,
                    run.first,
                    size,
                    last,
                    source,
                    input.len(),
                ),
            }
        });
        match result {
            Ok(()) => Ok(None),
            Err(Error::Tag) => Ok(Some(bad)),
            Err(error) => Err(error),
        }
    }
}

/// Byte strings for [`Many`](crate::Many): texts, sealed messages or associated data.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    raw: c::rijn_column,
    /// `None`: one string, for all messages.
    count: Option<usize>,
    lifetime: PhantomData<&'a [u8]>,
}

impl fmt::Debug for Column<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Column").field("count", &self.count).finish_non_exhaustive()
    }
}

// SAFETY: the pointers are to slices that the lifetime borrows. Nothing writes through them.
unsafe impl Send for Column<'_> {}
// SAFETY: as above.
unsafe impl Sync for Column<'_> {}

const NO_STRINGS: c::rijn_column = c::rijn_column {
    data: ptr::null(),
    size: 0,
    offsets32: ptr::null(),
    offsets64: ptr::null(),
    buffers: ptr::null(),
    sizes: ptr::null(),
};

impl<'a> Column<'a> {
    /// Strings in one buffer. String `i` is `data[offsets[i]..offsets[i + 1]]`, as in Apache Arrow.
    ///
    /// # Errors
    /// [`Error::Argument`] without an offset. [`Many`](crate::Many) checks the offsets.
    pub fn with_offsets32(data: &'a [u8], offsets: &'a [i32]) -> Result<Self, Error> {
        let raw = c::rijn_column {
            data: data.as_ptr(),
            size: data.len(),
            offsets32: offsets.as_ptr(),
            ..NO_STRINGS
        };
        Self::counted(raw, offsets.len())
    }

    /// The same with offsets of 64 bits.
    ///
    /// # Errors
    /// As [`Column::with_offsets32`].
    pub fn with_offsets64(data: &'a [u8], offsets: &'a [i64]) -> Result<Self, Error> {
        let raw = c::rijn_column {
            data: data.as_ptr(),
            size: data.len(),
            offsets64: offsets.as_ptr(),
            ..NO_STRINGS
        };
        Self::counted(raw, offsets.len())
    }

    fn counted(raw: c::rijn_column, offsets: usize) -> Result<Self, Error> {
        let count = Some(offsets.checked_sub(1).ok_or(Error::Argument)?);
        Ok(Self { raw, count, lifetime: PhantomData })
    }

    /// No associated data. For SIV this is not the same as an empty string.
    pub(crate) const NONE: Self = Self { raw: NO_STRINGS, count: None, lifetime: PhantomData };

    /// One string, which is the associated data of every message.
    pub fn shared(bytes: &'a [u8]) -> Self {
        let raw = c::rijn_column { data: bytes.as_ptr(), size: bytes.len(), ..NO_STRINGS };
        Self { raw, count: None, lifetime: PhantomData }
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn of_slices(slices: &'a Slices<'_>) -> Self {
        let raw = c::rijn_column {
            buffers: slices.pointers.as_ptr(),
            sizes: slices.sizes.as_ptr(),
            ..NO_STRINGS
        };
        Self { raw, count: Some(slices.sizes.len()), lifetime: PhantomData }
    }
}

/// Slices as C takes them, for a [`Column`].
#[cfg(feature = "alloc")]
pub(crate) struct Slices<'a> {
    pointers: Vec<*const u8>,
    sizes: Vec<usize>,
    lifetime: PhantomData<&'a [u8]>,
}

#[cfg(feature = "alloc")]
impl<'a> Slices<'a> {
    pub fn new<T: AsRef<[u8]>>(slices: &'a [T]) -> Result<Self, Error> {
        let (mut pointers, mut sizes) = (Vec::new(), Vec::new());
        pointers.try_reserve_exact(slices.len()).map_err(|_| Error::Size)?;
        sizes.try_reserve_exact(slices.len()).map_err(|_| Error::Size)?;
        for slice in slices.iter().map(AsRef::as_ref) {
            pointers.push(slice.as_ptr());
            sizes.push(slice.len());
        }
        Ok(Self { pointers, sizes, lifetime: PhantomData })
    }
}

/// The key of a call for many messages.
#[derive(Clone, Copy)]
pub(crate) enum ManyKey<'a> {
    Aes(ManyMode, &'a Key),
    Cmac(&'a Key),
    Siv(&'a SivKey),
    Aegis(&'a AegisKey),
}

pub(crate) const RIJN_MANY_SIV: c_uint = 6;
pub(crate) const RIJN_MANY_AEGIS: c_uint = 7;
pub(crate) const RIJN_MANY_CMAC: c_uint = 8;

/// A call for many messages, without the messages.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub key: ManyKey<'a>,
    pub tag_size: usize,
    pub ad: Column<'a>,
    pub nonces: Nonces<'a>,
    pub prepend_nonce: bool,
}

impl Call<'_> {
    /// Returns the call for C with these messages, and their number. It has no output yet.
    fn with(&self, messages: &Column<'_>) -> Result<(c::rijn_many, usize), Error> {
        let count = messages.count.ok_or(Error::Argument)?;
        if self.ad.count.is_some_and(|ad| ad != count) {
            return Err(Error::Argument);
        }
        let mut many = c::rijn_many {
            mode: RIJN_MANY_SIV,
            key: ptr::null(),
            siv_key: ptr::null(),
            aegis_key: ptr::null(),
            tag_size: self.tag_size,
            first: 0,
            count,
            r#in: messages.raw,
            ad: self.ad.raw,
            nonces: ptr::null(),
            base: ptr::null(),
            nonce_size: 0,
            prepend_nonce: c_int::from(self.prepend_nonce),
            out: ptr::null_mut(),
            out_size: 0,
            out_start: 0,
            out_offsets32: ptr::null_mut(),
            out_offsets64: ptr::null_mut(),
            failed: ptr::null_mut(),
            room: ptr::null_mut(),
            room_size: 0,
        };
        match self.key {
            ManyKey::Aes(mode, key) => {
                many.mode = mode as c_uint;
                many.key = &key.0;
            }
            ManyKey::Cmac(key) => {
                many.mode = RIJN_MANY_CMAC;
                many.key = &key.0;
            }
            ManyKey::Siv(key) => many.siv_key = &key.0,
            ManyKey::Aegis(key) => {
                many.mode = RIJN_MANY_AEGIS;
                many.aegis_key = &key.0;
            }
        }
        match self.nonces {
            Nonces::Attached { size } => many.nonce_size = size,
            Nonces::Given { size, bytes } => {
                // To librijn 0 is the default size, so it would read other bytes.
                if size == 0 || size.checked_mul(count) != Some(bytes.len()) {
                    return Err(Error::NonceSize);
                }
                many.nonces = bytes.as_ptr();
                many.nonce_size = size;
            }
            Nonces::Counted { base } => {
                if base.is_empty() {
                    return Err(Error::NonceSize);
                }
                many.base = base.as_ptr();
                many.nonce_size = base.len();
            }
        }
        Ok((many, count))
    }

    pub fn sealed_size(&self, texts: &Column<'_>) -> Result<usize, Error> {
        let (many, _) = self.with(texts)?;
        let mut size = 0;
        // SAFETY: `with` describes slices that are borrowed during the call: columns with their
        // sizes and count + 1 offsets, nonces of the size that librijn will use, and an
        // initialized key for the mode. librijn checks the offsets.
        check(unsafe { c::rijn_seal_many_size(&many, &mut size) })?;
        Ok(size)
    }

    pub fn opened_size(&self, sealed: &Column<'_>) -> Result<usize, Error> {
        let (many, _) = self.with(sealed)?;
        let mut size = 0;
        // SAFETY: as in `sealed_size`.
        check(unsafe { c::rijn_open_many_size(&many, &mut size) })?;
        Ok(size)
    }

    pub fn seal(
        &self,
        texts: &Column<'_>,
        out: &mut [u8],
        offsets: &mut [i64],
    ) -> Result<(), Error> {
        let (mut many, count) = self.with(texts)?;
        if offsets.len().checked_sub(1) != Some(count) {
            return Err(Error::Argument);
        }
        many.out = out.as_mut_ptr();
        many.out_size = out.len();
        many.out_offsets64 = offsets.as_mut_ptr();
        // SAFETY: as in `sealed_size`. `out` and `offsets`, with count + 1 entries, are borrowed
        // mutably, so they overlap nothing.
        check(unsafe { c::rijn_seal_many(&many) })
    }

    /// Writes the tags of the messages, which are this call's associated data. For CMAC.
    pub fn tags(&self, tags: &mut [u8]) -> Result<(), Error> {
        let none = Column { raw: NO_STRINGS, ..self.ad };
        let (mut many, count) = self.with(&none)?;
        if count.checked_mul(self.tag_size) != Some(tags.len()) {
            return Err(Error::Size);
        }
        many.out = tags.as_mut_ptr();
        many.out_size = tags.len();
        // SAFETY: as in `sealed_size`. `tags` is borrowed mutably, so it overlaps nothing.
        check(unsafe { c::rijn_seal_many(&many) })
    }

    /// Compares tags with those of the messages, which are this call's associated data. For CMAC.
    pub fn verify_tags(&self, tags: &Column<'_>, failed: &mut [u8]) -> Result<(), Error> {
        let (mut many, count) = self.with(tags)?;
        if failed.len() != count.div_ceil(8) {
            return Err(Error::Argument);
        }
        many.failed = failed.as_mut_ptr();
        // SAFETY: as in `tags`. The results are empty, so nothing is written but `failed`, which has
        // a bit for each message.
        check(unsafe { c::rijn_open_many(&many, ptr::null_mut()) })
    }

    /// Returns the number of refused messages.
    pub fn open(
        &self,
        sealed: &Column<'_>,
        out: &mut [u8],
        offsets: &mut [i64],
        failed: &mut [u8],
    ) -> Result<usize, Error> {
        let (mut many, count) = self.with(sealed)?;
        if offsets.len().checked_sub(1) != Some(count) || failed.len() != count.div_ceil(8) {
            return Err(Error::Argument);
        }
        many.out = out.as_mut_ptr();
        many.out_size = out.len();
        many.out_offsets64 = offsets.as_mut_ptr();
        many.failed = failed.as_mut_ptr();
        let mut failures = 0;
        // SAFETY: as in `seal`. `failed` has a bit for each message.
        match check(unsafe { c::rijn_open_many(&many, &mut failures) }) {
            Ok(()) | Err(Error::Tag | Error::Padding) => Ok(failures),
            Err(error) => Err(error),
        }
    }
}
