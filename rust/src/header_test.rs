//! Shows the declarations of `ffi::c` to a C compiler, beside `rijn.h`.

extern crate std;

use crate::{AegisVariant, Aes128, Aes192, Aes256, Error, ManyMode, Mode, ffi, ffi::c, modes};
use aead::consts::*;
use core::mem::{align_of, offset_of, size_of};
use std::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use std::{fs, path::PathBuf, process::Command};

/// Runs the C compiler of the build with a source and these options, and returns its output.
fn compile(name: &str, source: &str, options: &[&str]) -> String {
    let folder = PathBuf::from(env!("OUT_DIR")).join("header_test");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    fs::write(&file, source).unwrap();
    let compiler = cc::Build::new()
        .target(env!("RIJN_TARGET"))
        .host(env!("RIJN_TARGET"))
        .opt_level(0)
        .cargo_metadata(false)
        .get_compiler();
    let mut command: Command = compiler.to_command();
    command.arg("-I").arg(concat!(env!("CARGO_MANIFEST_DIR"), "/c"));
    let output = command.args(options).args(["-o", "-"]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Checks C expressions at compile time.
fn assert_in_c(name: &str, claims: &[String]) {
    let mut source = String::from("#include \"rijn.h\"\n");
    for claim in claims {
        source += &format!("_Static_assert({claim}, \"\");\n");
    }
    compile(name, &source, &["-S"]);
}

macro_rules! layouts {
    ($($name:ident { $($(#[$raw:ident])? $field:ident as $c:literal),* $(,)? })*) => {
        vec![$(
            format!("sizeof({0}) == {1}", stringify!($name), size_of::<c::$name>()),
            format!("_Alignof({0}) == {1}", stringify!($name), align_of::<c::$name>()),
            $(format!(
                "offsetof({}, {}) == {}", stringify!($name), $c, offset_of!(c::$name, $field)
            ),)*
        )*]
    };
}

#[test]
fn structs_are_those_of_the_header() {
    assert_in_c(
        "structs.c",
        &layouts! {
            rijn_key { backend as "backend", size as "size", short_tags as "short_tags",
                uses as "uses", context as "context" }
            rijn_siv_key { mac as "mac", ctr as "ctr" }
            rijn_xts_key { data as "data", tweak as "tweak" }
            rijn_aegis_key { kernel as "kernel", code as "code", bytes as "bytes" }
            rijn_backend_info { name as "name", summary as "summary", reason as "reason",
                available as "available", constant_time as "constant_time",
                automatic as "automatic", blocks as "blocks" }
            rijn_partial { block as "block", fill as "fill" }
            rijn_counter { block as "block", hidden as "hidden", width as "width",
                little as "little" }
            rijn_keystream { next as "next", ready as "ready", ahead as "ahead" }
            rijn_ctr { key as "key", left as "left", stream as "stream" }
            rijn_cmac_state { key as "key", zero as "zero", chain as "chain", last as "last" }
            rijn_string { bytes as "bytes", size as "size" }
            rijn_column { data as "data", size as "size", offsets32 as "offsets32",
                offsets64 as "offsets64", buffers as "buffers", sizes as "sizes" }
            rijn_many { mode as "mode", key as "key", siv_key as "siv_key",
                aegis_key as "aegis_key", tag_size as "tag_size", first as "first",
                count as "count", r#in as "in", ad as "ad", nonces as "nonces", base as "base",
                nonce_size as "nonce_size", prepend_nonce as "prepend_nonce", out as "out",
                out_size as "out_size", out_start as "out_start",
                out_offsets32 as "out_offsets32", out_offsets64 as "out_offsets64",
                failed as "failed", room as "room", room_size as "room_size" }
        },
    );
}

/// The C type of a Rust type.
fn in_c(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(target) = rust.strip_prefix("*const ") {
        return format!("const {} *", in_c(target));
    }
    if let Some(target) = rust.strip_prefix("*mut ") {
        return format!("{} *", in_c(target));
    }
    let name = match rust {
        "u8" => "uint8_t",
        "u64" => "uint64_t",
        "usize" => "size_t",
        "c_int" => "int",
        "c_uint" => "unsigned",
        "c_char" => "char",
        "c_void" => "void",
        name if name.starts_with("rijn_") => name,
        other => panic!("{other}: say here which type of C this is"),
    };
    name.to_string()
}

#[test]
fn functions_are_those_of_the_header() {
    let claims: Vec<String> = c::FUNCTIONS
        .iter()
        .map(|(name, _, arguments, result)| {
            let arguments: Vec<String> = arguments.iter().map(|argument| in_c(argument)).collect();
            let arguments = if arguments.is_empty() { "void".into() } else { arguments.join(", ") };
            let result = result.first().map_or("void".into(), |result| in_c(result));
            format!("__builtin_types_compatible_p(__typeof__({name}), {result}({arguments}))")
        })
        .collect();
    assert_in_c("functions.c", &claims);
}

#[test]
fn symbols_are_those_of_the_header() {
    let mut source = String::from("#include \"rijn.h\"\n");
    for (name, ..) in c::FUNCTIONS {
        source += &format!("void *const use_{name} = (void *){name};\n");
    }
    let assembly = compile("symbols.c", &source, &["-S"]);
    let words: Vec<&str> =
        assembly.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    for (name, symbol, ..) in c::FUNCTIONS {
        let symbol = symbol.first().unwrap_or(name);
        // Mach-O puts an underscore before each symbol.
        let found = words.iter().any(|word| word.strip_prefix('_').unwrap_or(word) == *symbol);
        assert!(found, "{name}: rijn.h has another symbol than {symbol}");
    }
}

#[test]
fn numbers_are_those_of_the_header() {
    // "TagSize" is RIJN_ERR_TAG_SIZE.
    let constant = |name: String| {
        let mut text = String::new();
        for (i, letter) in name.char_indices() {
            if letter.is_ascii_uppercase() && i > 0 {
                text.push('_');
            }
            text.push(letter.to_ascii_uppercase());
        }
        text
    };
    let mut claims: Vec<String> = Error::ALL
        .iter()
        .map(|error| format!("RIJN_ERR_{} == {}", constant(format!("{error:?}")), *error as u32))
        .collect();
    for (name, mode) in [
        ("GCM", ManyMode::Gcm),
        ("GCM_SIV", ManyMode::GcmSiv),
        ("XAES", ManyMode::Xaes),
        ("CCM", ManyMode::Ccm),
        ("OCB", ManyMode::Ocb3),
        ("EAX", ManyMode::Eax),
        ("CBC", ManyMode::Cbc),
        ("CBC_BLOCKS", ManyMode::CbcBlocks),
        ("CTR", ManyMode::Ctr),
    ] {
        claims.push(format!("RIJN_MANY_{name} == {}", mode as u32));
    }
    claims.push(format!("RIJN_MANY_SIV == {}", ffi::RIJN_MANY_SIV));
    claims.push(format!("RIJN_MANY_AEGIS == {}", ffi::RIJN_MANY_AEGIS));
    claims.push(format!("RIJN_MANY_CMAC == {}", ffi::RIJN_MANY_CMAC));
    claims.push(format!("RIJN_SIV_STRINGS_MAX == {}", ffi::STRINGS));
    for (name, variant) in [
        ("128L", AegisVariant::Aegis128L),
        ("128X2", AegisVariant::Aegis128X2),
        ("128X4", AegisVariant::Aegis128X4),
        ("256", AegisVariant::Aegis256),
        ("256X2", AegisVariant::Aegis256X2),
        ("256X4", AegisVariant::Aegis256X4),
    ] {
        claims.push(format!("RIJN_AEGIS_{name} == {}", variant as u32));
    }
    assert_in_c("numbers.c", &claims);
    assert_eq!(crate::version(), env!("CARGO_PKG_VERSION"));
}

/// Whether each type implements a trait. The compiler takes the constant of the type itself if its
/// bound holds, else the trait's.
macro_rules! implement {
    ($trait:path: $($type:ty)*) => {
        [$({
            struct Probe<T>(core::marker::PhantomData<T>);
            #[allow(dead_code)]
            impl<T: $trait> Probe<T> {
                const FOUND: bool = true;
            }
            #[allow(dead_code)]
            trait Otherwise {
                const FOUND: bool = false;
            }
            impl<T> Otherwise for Probe<T> {}
            Probe::<$type>::FOUND
        }),*]
    };
}

/// The same for the types of 0 to 40 bytes.
macro_rules! sizes_implement {
    ($trait:path) => {
        implement!($trait: U0 U1 U2 U3 U4 U5 U6 U7 U8 U9 U10 U11 U12 U13 U14 U15 U16 U17 U18
            U19 U20 U21 U22 U23 U24 U25 U26 U27 U28 U29 U30 U31 U32 U33 U34 U35 U36 U37 U38 U39 U40)
    };
}

#[test]
fn sizes_of_the_types_are_those_that_librijn_accepts() {
    macro_rules! modes {
        ($($mode:ident)*) => {
            [$((
                Mode::$mode,
                implement!(modes::CipherOf<modes::$mode>: Aes128 Aes192 Aes256),
                sizes_implement!(modes::NonceOf<modes::$mode>),
                sizes_implement!(modes::TagOf<modes::$mode>),
            )),*]
        };
    }
    let modes = modes!(Gcm GcmSiv Xaes Ccm Ocb3 Eax);
    assert_eq!(modes.len(), Mode::Eax as usize + 1, "a mode is not in the list");
    for (mode, keys, nonces, tags) in modes {
        for (key_size, has_key) in [16, 24, 32].into_iter().zip(keys) {
            let key = ffi::Key::new(&[1; 32][..key_size], None).unwrap();
            for (nonce_size, has_nonce) in nonces.iter().enumerate() {
                for (tag_size, has_tag) in tags.iter().enumerate() {
                    let nonce = &[2; 40][..nonce_size];
                    let tag = &mut [0; 40][..tag_size];
                    let result = key.seal(mode, nonce, b"", [][..].as_mut().into(), tag);
                    assert_eq!(
                        result.is_ok(),
                        has_key && *has_nonce && *has_tag,
                        "{mode:?}: key {key_size}, nonce {nonce_size}, tag {tag_size}: {result:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn tags_of_the_aegis_types_are_those_that_librijn_accepts() {
    macro_rules! variants {
        ($($variant:ident)*) => {
            [$((AegisVariant::$variant, sizes_implement!(modes::TagOf<modes::$variant>))),*]
        };
    }
    let variants = variants!(Aegis128L Aegis128X2 Aegis128X4 Aegis256 Aegis256X2 Aegis256X4);
    assert_eq!(
        variants.len(),
        AegisVariant::Aegis256X4 as usize + 1,
        "a variant is not in the list"
    );
    for (variant, tags) in variants {
        let size = if (variant as usize) < 3 { 16 } else { 32 };
        let key = ffi::AegisKey::new(variant, &[1; 32][..size], None).unwrap();
        for (tag_size, has_tag) in tags.into_iter().enumerate() {
            let tag = &mut [0; 40][..tag_size];
            let result = key.seal(&[2; 32][..size], b"", [][..].as_mut().into(), tag);
            assert_eq!(result.is_ok(), has_tag, "{variant:?}: tag {tag_size}: {result:?}");
        }
    }
}

#[test]
fn every_status_has_a_text() {
    for error in Error::ALL {
        assert_eq!(Error::from_status(*error as u32), Some(*error));
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(Error::from_status(0), None);
}
