//! Compiles librijn, which is one file of C. `make crate` of the repository writes it into `c/`.

use std::{env, path::Path, process};

/// Ends the build with a message for the user.
fn stop(message: &str) -> ! {
    println!("cargo::error={message}");
    process::exit(1);
}

fn main() {
    let source = if env::var_os("CARGO_FEATURE_NATIVE").is_some() {
        "c/rijn.c"
    } else {
        "c/rijn-portable.c"
    };
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation links nothing
    }
    // For the tests, which compile C, too.
    println!("cargo::rustc-env=RIJN_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rerun-if-changed=c/rijn.h");
    println!("cargo::rerun-if-changed={source}");
    // DEP_RIJN_INCLUDE, for crates with C code of their own.
    let root = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo::metadata=include={}", Path::new(&root).join("c").display());
    for file in [source, "c/rijn.h"] {
        if !Path::new(file).is_file() {
            stop(&format!("{file} is missing. In a checkout of Rijn, write it with: make crate"));
        }
    }
    if env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|name| name == "msvc") {
        stop("Rijn needs gcc or clang. On Windows build for x86_64-pc-windows-gnu");
    }
    let mut build = cc::Build::new();
    match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        // Cross compilers for bare metal say that they have a C library, and Rust has none there:
        // no environment, no random numbers.
        Ok("none" | "unknown") => {
            build.define("RIJN_HOSTED", "0");
        }
        // RtlGenRandom. Rust links this library only if std is in the program.
        Ok("windows") => println!("cargo::rustc-link-lib=advapi32"),
        _ => {}
    }
    build
        .file(source)
        // The file includes itself, and erases secrets only if the compiler optimizes: also in
        // debug builds.
        .opt_level(2)
        .debug(false)
        // librijn's own tests compile it with warnings as errors.
        .warnings(false)
        .extra_warnings(false)
        // rustc's struct for a call has enums of 32 bits.
        .flag_if_supported("-fno-short-enums")
        // A loader that resolves memcpy late may save secret registers on the stack.
        .flag_if_supported("-fno-plt")
        .compile("rijn");
}
