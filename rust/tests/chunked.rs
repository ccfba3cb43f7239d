//! C2SP chunked encryption.
#![cfg(all(feature = "chunked", feature = "getrandom", feature = "std"))]

mod common;
#[path = "common/files.rs"]
mod files;

use base64ct::{Base64, Encoding};
use common::{Random, backends};
use files::unhex;
use rijn::{Error, chunked::*};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;

/// A reader that returns few bytes at a time, and an error that means "again" now and then.
struct Trickle<'a>(&'a [u8], Random);

impl Read for Trickle<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.1.below(4) == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let most = 1 + self.1.below(40_000);
        let count = out.len().min(most);
        self.0.read(&mut out[..count])
    }
}

/// Writes all plaintext in pieces of any size.
fn write(sealer: Sealer, plain: &[u8], random: &mut Random) -> Vec<u8> {
    let mut writer = sealer.writer(Vec::new()).unwrap();
    let mut rest = plain;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.len().min(1 + random.below(50_000)));
        writer.write_all(piece).unwrap();
        writer.flush().unwrap();
        rest = after;
    }
    writer.finish().unwrap()
}

fn read(key: &ChunkedKey, message: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut plain = Vec::new();
    let mut found = key.reader(Trickle(message, Random::new(message.len() as u64)));
    let result = match &mut found {
        Ok(reader) => reader.read_to_end(&mut plain).map(|_| ()),
        Err(_) => found.map(|_| ()),
    };
    result.map(|()| plain).map_err(|error| {
        let inner = error.get_ref().expect("a refusal");
        *inner.downcast_ref().expect("a refusal")
    })
}

fn pattern(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at % 251) as u8).collect()
}

fn kind(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::WrongKey | Refusal::Other(Error::KeySize) => "wrong-key",
        Refusal::Damaged(_) => "damaged",
        Refusal::Truncated(_) => "truncated",
        other => panic!("{other:?}"),
    }
}

#[test]
fn messages_are_those_of_the_format() {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/format.json"));
    let text = std::fs::read_to_string(&path).unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let mut random = Random::new(5);
    let mut files: HashMap<&str, Vec<u8>> = HashMap::new();
    let (mut written, mut opened, mut refused) = (0, 0, 0);
    for vector in vectors["vectors"].as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        let mut file = vector.get("file").map(|pieces| {
            let mut file = Vec::new();
            for piece in pieces.as_array().unwrap() {
                match piece {
                    Value::String(text) => file.extend(Base64::decode_vec(text).unwrap()),
                    part => {
                        let [from, to] = [1, 2].map(|at| part[at].as_u64().unwrap() as usize);
                        file.extend(&files[part[0].as_str().unwrap()][from..to]);
                    }
                }
            }
            file
        });
        // Key files and passphrases are not a part of the message.
        let Some(key) = vector["key"].as_str().map(unhex) else {
            files.insert(name, file.unwrap_or_default());
            continue;
        };
        let header = match (vector["header"].as_str(), &file) {
            (Some(header), _) => header.as_bytes().to_vec(),
            (None, Some(file)) if vector.get("bare").is_none() => {
                let end = file.windows(5).position(|window| window == b"\n---\n");
                end.map_or(Vec::new(), |end| file[..end + 5].to_vec())
            }
            _ => Vec::new(),
        };
        let aead = vector["bare"].as_str().map(str::to_owned).or_else(|| {
            let text = String::from_utf8_lossy(&header).into_owned();
            text.lines().find_map(|line| line.strip_prefix("aead ").map(str::to_owned))
        });
        let aead = Aead::ALL.iter().find(|it| aead.as_deref() == Some(it.name()));
        let expected = vector["refused"].as_str();
        if expected.is_some_and(|it| !["wrong-key", "damaged", "truncated"].contains(&it)) {
            continue; // the header is wrong
        }
        let (Some(&aead), true) = (aead, vector.get("bare").is_some() || !header.is_empty()) else {
            assert_eq!(expected, Some("truncated"), "{name}"); // in the header
            continue;
        };
        let key = ChunkedKey::new(aead, &key).context(&header);
        if let Some(salt) = vector["salt"].as_str() {
            let salt = unhex(salt).try_into().unwrap();
            let plain = pattern(vector["size"].as_u64().unwrap() as usize);
            for backend in backends() {
                let sealer = key.backend(backend).sealer_with_salt(&salt).unwrap();
                let message = write(sealer, &plain, &mut random);
                let result = [&header[..], &message].concat();
                if let Some(hash) = vector["sha256"].as_str() {
                    assert_eq!(Sha256::digest(&result)[..], unhex(hash), "{name}");
                }
                assert_eq!(*file.get_or_insert(result.clone()), result, "{name}, {backend}");
            }
            written += 1;
        }
        let file = file.unwrap();
        let message = &file[header.len()..];
        let (all, stream) = (key.decrypt(message), read(&key, message));
        match expected {
            None => {
                let plain = pattern(vector["size"].as_u64().unwrap() as usize);
                assert_eq!(all.as_ref(), Ok(&plain), "{name}");
                assert_eq!(plain_size(message.len() as u64), Some(plain.len() as u64));
                assert_eq!(sealed_size(plain.len() as u64), Some(message.len() as u64));
                opened += 1;
            }
            Some(reason) => {
                assert_eq!(kind(all.clone().unwrap_err()), reason, "{name}");
                refused += 1;
            }
        }
        assert_eq!(all, stream, "{name}");
        files.insert(name, file);
    }
    assert!(written >= 49 && opened >= 49 && refused >= 40, "{written} {opened} {refused}");
}

#[test]
fn sizes_around_chunks_and_runs_come_back() {
    let mut random = Random::new(6);
    let key = random.bytes(32);
    let key = ChunkedKey::new(Aead::Aes256Gcm, &key);
    for chunks in [0, 1, 3, 4, 5, 8] {
        for more in [-1, 0, 1] {
            let Ok(size) = usize::try_from(chunks * CHUNK as i64 + more) else { continue };
            let plain = random.bytes(size);
            let message = key.encrypt(&plain).unwrap();
            assert_eq!(read(&key, &message).as_ref(), Ok(&plain), "{size}");
            let again = write(key.sealer().unwrap(), &plain, &mut random);
            assert_ne!(again[..SALT], message[..SALT]);
            assert_eq!(key.decrypt(&again).as_ref(), Ok(&plain), "{size}");
            for cut in [1, 15, 16, 17, SEALED_CHUNK] {
                let Some(left) = message.len().checked_sub(cut) else { continue };
                let (all, stream) = (key.decrypt(&message[..left]), read(&key, &message[..left]));
                assert!(all.is_err() && stream.is_err(), "{size} - {cut}");
            }
        }
    }
}

#[test]
fn a_failed_write_is_final_and_a_reader_repeats_its_refusal() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            if data.len() == PREFIX { Ok(PREFIX) } else { Err(ErrorKind::StorageFull.into()) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let key = ChunkedKey::new(Aead::Aegis128L, &[7; 16]);
    let mut writer = key.writer(Full).unwrap();
    assert_eq!(writer.write_all(&[0; 100_000]).unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(writer.write(b"more").unwrap_err().kind(), ErrorKind::Other);
    assert!(writer.flush().is_err());
    assert!(writer.finish().is_err());

    let mut message = key.encrypt(&[1; 100_000]).unwrap();
    message[PREFIX + 4 * SEALED_CHUNK] ^= 1;
    let mut reader = key.reader(&message[..]).unwrap();
    let mut plain = Vec::new();
    assert!(reader.read_to_end(&mut plain).is_err());
    assert_eq!(plain, [1; 4 * CHUNK]);
    assert!(reader.read_to_end(&mut plain).is_err());
    assert_eq!(plain.len(), 4 * CHUNK);
}

#[test]
fn chunks_open_in_any_order() {
    let plain = pattern(3 * CHUNK + 5);
    let key = ChunkedKey::new(Aead::Aegis256, &[7; 32]).context(b"a context");
    let message = key.encrypt(&plain).unwrap();
    let (prefix, chunks) = message.split_first_chunk().unwrap();
    let opener = key.opener(prefix).unwrap();
    let mut out = vec![0; CHUNK];
    for number in [3, 1, 0, 2] {
        let begin = number * SEALED_CHUNK;
        let sealed = &chunks[begin..chunks.len().min(begin + SEALED_CHUNK)];
        let out = &mut out[..sealed.len() - 16];
        opener.open(number as u64, sealed, out, number == 3).unwrap();
        assert_eq!(out, &plain[number * CHUNK..][..out.len()]);
        let wrong = opener.open(number as u64 + 1, sealed, out, number == 3);
        assert!(matches!(wrong, Err(Refusal::Damaged(_) | Refusal::Truncated(_))), "{wrong:?}");
        assert!(out.iter().all(|&byte| byte == 0));
    }
    let size = Err(Refusal::Other(Error::Size));
    assert_eq!(opener.open(0, &chunks[..SEALED_CHUNK], &mut out[1..], false), size);
    assert_eq!(opener.open(0, &chunks[1..SEALED_CHUNK], &mut out, false), size);
    assert_eq!(opener.open(1 << 38, &chunks[..SEALED_CHUNK], &mut out, false), size);
    assert_eq!(opener.open(u64::MAX, &chunks[..SEALED_CHUNK], &mut out, true), size);

    let mut sealer = key.sealer().unwrap();
    let mut sealed = vec![0; SEALED_CHUNK];
    assert_eq!(sealer.seal(&plain[..CHUNK - 1], &mut sealed[1..]), Err(Error::Size));
    sealer.seal(&plain[..CHUNK], &mut sealed).unwrap();
    assert!(sealer.writer(Vec::new()).is_err());
}

#[test]
fn other_keys_contexts_aeads_and_sizes_are_refused() {
    let key = ChunkedKey::new(Aead::Aegis128L, &[7; 16]).context(b"a");
    let message = key.encrypt(b"Attack at dawn").unwrap();
    for (aead, bytes, context) in [
        (Aead::Aegis128L, [7; 16], &b"b"[..]),
        (Aead::Aegis128L, [8; 16], b"a"),
        (Aead::Aegis128X2, [7; 16], b"a"),
        (Aead::Aes128Gcm, [7; 16], b"a"),
    ] {
        let other = ChunkedKey::new(aead, &bytes).context(context);
        assert_eq!(other.decrypt(&message), Err(Refusal::WrongKey));
        assert_eq!(read(&other, &message), Err(Refusal::WrongKey));
    }
    let short = ChunkedKey::new(Aead::Aes256Gcm, &[7; 31]);
    assert_eq!(short.encrypt(b"").unwrap_err(), Error::KeySize);
    assert_eq!(key.backend("none").encrypt(b"").unwrap_err(), Error::Backend);
    assert_eq!(sealed_size(1 << 52), None);
    assert_eq!(plain_size(sealed_size((1 << 52) - 1).unwrap()), Some((1 << 52) - 1));
    assert_eq!(plain_size(sealed_size((1 << 52) - 1).unwrap() + 16), None);
    assert_eq!(format!("{key:?}"), "ChunkedKey { aead: Aegis128L, .. }");
}

/// The Python package `cryptography` made these.
#[test]
fn cobblestone_messages_open() {
    let key: Vec<u8> = (64..96).collect();
    for (aead, message) in [
        (
            Aead::Aes128Gcm,
            "42adaf13edcb91fc3d15154cf85e60c80e459ce704da919a59f234018aa710d20ee4485ba8f6eafa6fe4380909f8\
             8ad95b5e5af44a83c5a1bc458748159f2911fca82988992d1e99a03ef9785210948befb7c9f70ef2",
        ),
        (
            Aead::Aes256Gcm,
            "71101b59ad593265426c06dbf12bfc687818f4d95698cbb5a795598c5176b912238014d75915cc9fbd9c14f55fb7\
             61039fbdce8834024a7d2597e64d05c04f5e61af9192afe0e236c7b8ab66d86104614982aa6897c2",
        ),
    ] {
        let message = unhex(message);
        let key = ChunkedKey::new(aead, &key[..aead.key_size()]).context(b"a context");
        assert_eq!(key.decrypt(&message).unwrap(), b"Attack at dawn");
        let sealer = key.sealer_with_salt(message.first_chunk().unwrap()).unwrap();
        assert_eq!(write(sealer, b"Attack at dawn", &mut Random::new(7)), message);
    }
}
