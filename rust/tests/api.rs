//! This crate's own interface: sizes, errors, backends, threads.

mod common;

use aead::{Aead, AeadInOut, KeyInit, consts::U16};
use cipher::{InOutBuf, KeyIvInit, StreamCipher, StreamCipherSeek};
use common::{Random, backends};
use digest::Mac;
use rijn::{
    AegisKey, AegisVariant, Aes128, Aes128Gcm, Aes128Siv, Aes256Gcm, AesKey, CbcDecryptor,
    CbcEncryptor, Cmac, Ctr32BE, Ctr64BE, Ctr128BE, Error, Mode, SivKey, XtsKey,
};
use std::{env, process::Command, sync::Arc, thread};

const MODES: [Mode; 6] = [Mode::Gcm, Mode::GcmSiv, Mode::Xaes, Mode::Ccm, Mode::Ocb3, Mode::Eax];

#[test]
fn no_size_of_an_argument_panics() {
    let mut random = Random::new(1);
    let mut sealed = 0;
    for _ in 0..20_000 {
        let size = random.below(70);
        let bytes = random.bytes(size);
        let nonce_size = random.below(40);
        let nonce = random.bytes(nonce_size);
        let (data_size, tag_size) = (random.below(100), random.below(40));
        let (mut data, mut tag) = (random.bytes(data_size), vec![0; tag_size]);
        let text = data.clone();
        let mode = MODES[random.below(6)];
        if let Ok(mut key) = AesKey::new(&bytes) {
            assert!([16, 24, 32].contains(&size));
            if random.below(2) == 0 {
                key.allow_short_tags();
            }
            match key.seal(mode, &nonce, &[], &mut data[..], &mut tag) {
                Ok(()) => {
                    key.open(mode, &nonce, &[], &mut data[..], &tag).unwrap();
                    sealed += 1;
                }
                Err(_) => assert!(key.open(mode, &nonce, &[], &mut data[..], &tag).is_err()),
            }
            assert_eq!(data, text, "a refused call leaves the data");
        } else {
            assert_eq!(AesKey::new(&bytes).err(), Some(Error::KeySize));
        }
        assert_eq!(SivKey::new(&bytes).is_ok(), [32, 48, 64].contains(&size));
        let variant = [AegisVariant::Aegis128X2, AegisVariant::Aegis256][random.below(2)];
        if let Ok(key) = AegisKey::new(variant, &bytes) {
            let result = key.seal(&nonce, &[], &mut data[..], &mut tag);
            assert_eq!(result.is_ok(), nonce_size == size && [16, 32].contains(&tag_size));
        }
    }
    assert!(sealed > 50, "{sealed}");
}

#[test]
fn siv_takes_126_strings() {
    let key = SivKey::new(&[1; 48]).unwrap();
    for count in [0, 1, 2, 126] {
        let strings = vec![&b"string"[..]; count];
        let mut data = *b"text";
        let tag = key.seal(&strings, &mut data[..]).unwrap();
        key.open(&strings, &mut data[..], &tag).unwrap();
        assert_eq!(&data, b"text");
        let more = [&strings[..], &[b"more"]].concat();
        let result = if more.len() > 126 { Error::Size } else { Error::Tag };
        assert_eq!(key.open(&more, &mut data[..], &tag), Err(result));
    }
    for count in [127, 1000] {
        assert_eq!(key.seal(&vec![&b""[..]; count], &mut [0; 4][..]), Err(Error::Size));
        let result = key.open(&vec![&b""[..]; count], &mut [0; 4][..], &[0; 16]);
        assert_eq!(result, Err(Error::Size));
    }
}

#[test]
fn a_backend_is_chosen_by_name() {
    for name in backends() {
        assert_eq!(AesKey::with_backend(&[0; 16], name).unwrap().backend(), name);
        assert_eq!(Aes256Gcm::with_backend(&[0; 32].into(), name).unwrap().backend(), name);
        assert_eq!(Aes128Siv::with_backend(&[0; 32].into(), name).unwrap().backend(), name);
        assert_eq!(Aes128::with_backend(&[0; 16].into(), name).unwrap().backend(), name);
        let aegis = AegisKey::with_backend(AegisVariant::Aegis128L, &[0; 16], name).unwrap();
        assert_eq!(aegis.backend(), name);
        assert!(!aegis.kernel().is_empty());
    }
    for backend in rijn::backends() {
        assert_eq!(backend.reason.is_empty(), backend.available, "{backend:?}");
        let result = AesKey::with_backend(&[0; 16], backend.name).map(|key| key.backend());
        let expected = if backend.available { Ok(backend.name) } else { Err(Error::Unavailable) };
        assert_eq!(result, expected);
    }
    for name in ["", "no", "aesni\0", "\0", "é", &"x".repeat(63), &"x".repeat(64), &"x".repeat(999)]
    {
        assert_eq!(AesKey::with_backend(&[0; 16], name).err(), Some(Error::Backend), "{name:?}");
        assert_eq!(rijn::use_backend(Some(name)), Err(Error::Backend), "{name:?}");
    }
    assert!(!Error::Backend.to_string().is_empty());
}

/// Cargo unites the features of all users of a crate, so a feature may only add backends.
#[test]
fn native_adds_backends() {
    let portable = |name: &str| name.starts_with("fixslice");
    assert_eq!(rijn::backends().filter(|it| portable(it.name)).count(), 2);
    assert_eq!(rijn::backends().any(|it| !portable(it.name)), cfg!(feature = "native"));
}

/// The program of this test file again, with the environment of `name_in_the_environment`.
#[test]
fn child() {
    let Ok(expected) = env::var("RIJN_CHILD") else { return };
    let fastest = rijn::backends().find(|it| it.automatic && it.available).unwrap().name;
    let (default, error) = match &expected[..] {
        "error" => (fastest, true),
        name => (name, false),
    };
    assert_eq!(rijn::default_backend().is_err(), error);
    assert_eq!(AesKey::new(&[0; 16]).is_err(), error);
    // Constructors that cannot fail ignore a wrong name.
    assert_eq!(Aes128::new(&[0; 16].into()).backend(), default);
    assert_eq!(Aes128Gcm::new(&[0; 16].into()).backend(), default);
    assert_eq!(Aes128Siv::new(&[0; 32].into()).backend(), default);
    assert_eq!(rijn::Aegis256X2::<U16>::new(&[0; 32].into()).backend(), default);
    assert_eq!(Cmac::<Aes128>::new(&[0; 16].into()).backend(), default);
    assert_eq!(Ctr128BE::<Aes128>::new(&[0; 16].into(), &[0; 16].into()).backend(), default);
    // A choice in a call takes precedence.
    rijn::use_backend(Some("fixslice64")).unwrap();
    assert_eq!(rijn::default_backend(), Ok("fixslice64"));
    assert_eq!(Aes128Gcm::new(&[0; 16].into()).backend(), "fixslice64");
    rijn::use_backend(None).unwrap();
    assert_eq!(rijn::default_backend().is_err(), error);
    println!("the child ran");
}

#[test]
fn name_in_the_environment() {
    for (variable, expected) in [
        ("fixslice32", "fixslice32"),
        ("fixslice64", "fixslice64"),
        ("nothing", "error"),
        ("table", "error"),
    ] {
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", "child", "--nocapture"])
            .env("RIJN_BACKEND", variable)
            .env("RIJN_CHILD", expected)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("the child ran"), "{variable}: {told}");
    }
}

#[test]
fn threads_share_a_key() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<AesKey>();
    shared::<SivKey>();
    shared::<AegisKey>();
    shared::<Aes256Gcm>();
    shared::<Aes128Siv>();
    shared::<rijn::Aegis128L>();
    shared::<Aes128>();
    shared::<Ctr128BE<Aes128>>();
    shared::<CbcEncryptor<Aes128>>();
    shared::<CbcDecryptor<Aes128>>();
    shared::<Cmac<Aes128>>();
    #[cfg(feature = "alloc")]
    shared::<rijn::Sealed>();

    let cipher = Arc::new(Aes256Gcm::new(&[1; 32].into()));
    let workers: Vec<_> = (0..4)
        .map(|number| {
            let cipher = Arc::clone(&cipher);
            thread::spawn(move || {
                let nonce = [number; 12].into();
                for size in 0..500 {
                    let sealed = cipher.encrypt(&nonce, &vec![number; size][..]).unwrap();
                    assert_eq!(cipher.decrypt(&nonce, &sealed[..]).unwrap(), vec![number; size]);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
#[allow(clippy::replace_box)] // new places are the point
fn states_move_between_calls() {
    let mut random = Random::new(3);
    let text = random.bytes(500);
    let mut whole = text.clone();
    Ctr128BE::<Aes128>::new(&[1; 16].into(), &[2; 16].into()).apply_keystream(&mut whole);
    let mut pieces = text.clone();
    let mut ctr = Box::new(Ctr128BE::<Aes128>::new(&[1; 16].into(), &[2; 16].into()));
    let mut mac = Box::new(Cmac::<Aes128>::new(&[1; 16].into()));
    for piece in pieces.chunks_mut(7) {
        mac.update(piece);
        ctr.apply_keystream(piece);
        // The old places are freed. A copy goes on without the original.
        ctr = Box::new(ctr.as_ref().clone());
        mac = Box::new(mac.as_ref().clone());
        ctr = Box::new(*ctr);
        mac = Box::new(*mac);
    }
    assert_eq!(pieces, whole);
    let expected = Cmac::<Aes128>::new(&[1; 16].into()).chain_update(&text).finalize();
    assert_eq!(mac.finalize(), expected);
}

#[test]
fn the_keystream_of_a_counter_of_32_bits_ends() {
    const END: u64 = 16 << 32;
    let mut ctr = Ctr32BE::<Aes128>::new(&[1; 16].into(), &[0xff; 16].into());
    ctr.try_seek(END - 8).unwrap();
    assert_eq!(ctr.try_current_pos::<u64>().unwrap(), END - 8);
    let mut data = [0; 9];
    assert!(ctr.try_apply_keystream(&mut data).is_err());
    assert_eq!(data, [0; 9], "an error changes nothing");
    ctr.try_apply_keystream(&mut data[..8]).unwrap();
    let mut start = [0; 16];
    // The counter wraps: the last block has the counter before the first one.
    Ctr128BE::<Aes128>::new(
        &[1; 16].into(),
        &[[0xff; 12].as_slice(), &[0xff, 0xff, 0xff, 0xfe]].concat()[..].try_into().unwrap(),
    )
    .apply_keystream(&mut start);
    assert_eq!(data[..8], start[8..]);
    assert!(ctr.try_apply_keystream(&mut data[..1]).is_err());
    ctr.try_apply_keystream(&mut []).unwrap();
    assert!(ctr.try_seek(END + 1).is_err());
    ctr.try_seek(END).unwrap();
    assert!(ctr.try_apply_keystream(&mut [0]).is_err());
    // The unchecked call gives zeros, and not the text.
    ctr.unchecked_apply_keystream(&mut data);
    assert_eq!(data, [0; 9]);
    ctr.seek(0u32);
    ctr.apply_keystream(&mut data);

    let mut ctr = Ctr64BE::<Aes128>::new(&[1; 16].into(), &[0; 16].into());
    ctr.try_seek(16u128 << 64).unwrap();
    assert!(ctr.try_apply_keystream(&mut [0]).is_err());
    assert!(ctr.try_seek((16u128 << 64) + 1).is_err());
    let mut ctr = Ctr128BE::<Aes128>::new(&[1; 16].into(), &[0; 16].into());
    ctr.try_seek(u128::MAX).unwrap();
    assert!(ctr.try_apply_keystream(&mut [0]).is_err());
}

#[test]
fn data_goes_from_one_buffer_to_another() {
    let key = AesKey::new(&[1; 16]).unwrap();
    let (text, mut out, mut tag) = ([5; 100], [0; 100], [0; 12]);
    key.seal(Mode::Gcm, &[1; 12], b"", InOutBuf::new(&text, &mut out).unwrap(), &mut tag).unwrap();
    let mut back = [0; 100];
    key.open(Mode::Gcm, &[1; 12], b"", InOutBuf::new(&out, &mut back).unwrap(), &tag).unwrap();
    assert_eq!(back, text);
    tag[11] ^= 1;
    let result = key.open(Mode::Gcm, &[1; 12], b"", InOutBuf::new(&out, &mut back).unwrap(), &tag);
    assert_eq!((result, back), (Err(Error::Tag), [0; 100]));
}

/// The first example of `aes-gcm` 0.11, where only the name of the crate is another.
#[cfg(feature = "getrandom")]
#[test]
fn the_example_of_aes_gcm() {
    use rijn::{
        Aes256Gcm, Nonce,
        aead::{Aead, Generate, Key, KeyInit},
    };
    let key = Key::<Aes256Gcm>::generate();
    let cipher = Aes256Gcm::new(&key);
    let nonce = Nonce::generate();
    let ciphertext = cipher.encrypt(&nonce, b"plaintext message".as_ref()).unwrap();
    let plaintext = cipher.decrypt(&nonce, ciphertext.as_ref()).unwrap();
    assert_eq!(&plaintext, b"plaintext message");
}

#[test]
fn nothing_shows_a_key() {
    let key = [0xabu8; 32];
    let texts = [
        format!("{:?}", AesKey::new(&key).unwrap()),
        format!("{:?}", SivKey::new(&key).unwrap()),
        format!("{:?}", AegisKey::new(AegisVariant::Aegis256, &key).unwrap()),
        format!("{:?}", Aes256Gcm::new(&key.into())),
        format!("{:?}", Aes128Siv::new(&key.into())),
        format!("{:?}", rijn::Aegis256::<U16>::new(&key.into())),
        format!("{:?}", rijn::Aes256::new(&key.into())),
        format!("{:?}", CbcEncryptor::<rijn::Aes256>::new(&key.into(), &[0xab; 16].into())),
        format!("{:?}", Ctr128BE::<rijn::Aes256>::new(&key.into(), &[0xab; 16].into())),
        format!("{:?}", Cmac::<rijn::Aes256>::new(&key.into())),
    ];
    for text in texts {
        assert!(!text.contains("171") && !text.to_lowercase().contains("abab"), "{text}");
        assert!(!text.is_empty());
    }
}

#[test]
fn messages_beyond_the_limit_are_refused() {
    // CCM with nonces of 13 bytes has messages of at most 65,535 bytes.
    let cipher = rijn::Aes128Ccm::new(&[1; 16].into());
    let mut data = vec![7; 65_536];
    let result = cipher.encrypt_inout_detached(&[1; 13].into(), b"", (&mut data[..]).into());
    assert_eq!(result, Err(aead::Error));
    assert!(data.iter().all(|&byte| byte == 7));
    let result = cipher.encrypt_inout_detached(&[1; 13].into(), b"", (&mut data[1..]).into());
    assert!(result.is_ok());
}

#[test]
fn xts_takes_parts_and_refuses_equal_halves() {
    let bytes: [u8; 64] = core::array::from_fn(|i| i as u8);
    let tweak = [9; 16];
    for backend in backends() {
        let key = XtsKey::with_backend(&bytes, backend).unwrap();
        let mut whole: Vec<u8> = (0..530).map(|i| i as u8).collect();
        let mut parts = whole.clone();
        key.encrypt(&tweak, &mut whole[..]).unwrap();
        let (first, second) = parts.split_at_mut(256);
        key.encrypt_part(&tweak, 256, &mut *second).unwrap();
        key.encrypt_part(&tweak, 0, &mut *first).unwrap();
        assert_eq!(parts, whole, "{backend}");
        key.decrypt_part(&tweak, 256, &mut parts[256..]).unwrap();
        key.decrypt_part(&tweak, 0, &mut parts[..256]).unwrap();
        key.decrypt(&tweak, &mut whole[..]).unwrap();
        assert_eq!(parts, whole, "{backend}");
        assert!(parts.iter().enumerate().all(|(i, &byte)| byte == i as u8));
        assert_eq!(key.encrypt(&tweak, &mut [0; 15][..]), Err(Error::Size));
        assert_eq!(key.decrypt_part(&tweak, 8, &mut [0; 32][..]), Err(Error::Size));
    }
    assert_eq!(XtsKey::new(&[7; 32]).unwrap_err(), Error::EqualHalves);
    assert_eq!(XtsKey::new(&bytes[..48]).unwrap_err(), Error::KeySize);
}

#[test]
fn key_wrap_refuses_other_sizes() {
    let key = AesKey::new(&[7; 16]).unwrap();
    for size in 0..40 {
        let bytes = vec![1; size];
        for room in 0..60 {
            let (mut wrapped, mut plain) = (vec![0; room], vec![2; room.saturating_sub(8)]);
            let result = key.kw_wrap(&bytes, &mut wrapped);
            assert_eq!(result.is_ok(), size >= 16 && size % 8 == 0 && room == size + 8);
            if result.is_ok() {
                key.kw_unwrap(&wrapped, &mut plain).unwrap();
                assert_eq!(plain, bytes);
                assert_eq!(key.kw_unwrap(&wrapped, &mut plain[1..]), Err(Error::Size));
                wrapped[3] ^= 1;
                assert_eq!(key.kw_unwrap(&wrapped, &mut plain), Err(Error::Tag));
                assert!(plain.iter().all(|&byte| byte == 0));
            }
            let result = key.kwp_wrap(&bytes, &mut wrapped);
            assert_eq!(result.is_ok(), size >= 1 && room == size.next_multiple_of(8) + 8);
            if result.is_ok() {
                assert_eq!(key.kwp_unwrap(&wrapped, &mut plain), Ok(size));
                assert_eq!(plain[..size], bytes);
                assert_eq!(key.kwp_unwrap(&wrapped, &mut plain[1..]), Err(Error::Size));
                wrapped[3] ^= 1;
                assert_eq!(key.kwp_unwrap(&wrapped, &mut plain), Err(Error::Tag));
                assert!(plain.iter().all(|&byte| byte == 0));
            }
        }
    }
}
