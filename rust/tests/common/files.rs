//! Vectors in files.

#![allow(dead_code)] // each test uses a part

use std::{env, fs, path::PathBuf, process::Command, sync::OnceLock};

pub fn unhex(text: &str) -> Vec<u8> {
    assert!(text.len() % 2 == 0, "{text}");
    let digit = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(digit).collect()
}

/// The folder with the source of a dependency, where its tests have their vectors.
pub fn source_of(package: &str) -> PathBuf {
    static METADATA: OnceLock<serde_json::Value> = OnceLock::new();
    let metadata = METADATA.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version=1", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    });
    let packages = metadata["packages"].as_array().expect("packages");
    let found = packages.iter().find(|it| it["name"] == package).expect("a dependency");
    let manifest = PathBuf::from(found["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a folder").to_owned()
}

/// The groups of a file of RustCrypto's vectors, `fields` blobs each.
pub fn blobs(package: &str, file: &str, fields: usize) -> Vec<Vec<&'static [u8]>> {
    let path = source_of(package).join("tests").join(file);
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let blobs = blobby::parse_into_vec(bytes.leak()).expect("a file of blobs");
    // RustCrypto has no forgeries of some modes: then the file is there, without blobs.
    assert!(blobs.len() % fields == 0, "{file}: {}", blobs.len());
    assert!(!blobs.is_empty() || file.contains("fail"), "{file}");
    blobs.chunks(fields).map(<[_]>::to_vec).collect()
}

/// One vector of a `.rsp` file: fields by their names, with the section before it.
pub type Record = std::collections::HashMap<String, String>;

/// Reads a file of `vectors`. A line `[NAME = VALUE]` or `[NAME]` holds until the next of its name.
pub fn records(file: &str) -> Vec<Record> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors")).join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut section = Record::new();
    let mut found = Vec::new();
    let mut record = Record::new();
    for line in text.lines().chain([""]).map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(inner) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            match inner.split_once('=') {
                Some((name, value)) => section.insert(name.trim().into(), value.trim().into()),
                None => section.insert("SECTION".into(), inner.into()),
            };
        } else if line.is_empty() {
            if !record.is_empty() {
                let mut whole = section.clone();
                whole.extend(std::mem::take(&mut record));
                found.push(whole);
            }
        } else {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            record.insert(name.trim().into(), value.trim().into());
        }
    }
    assert!(!found.is_empty(), "{file}");
    found
}
