//! Many messages in one call: the same results as from one call each.

#![cfg(feature = "alloc")]

mod common;

use common::{Random, backends, sizes};
use digest::KeyInit;
use rijn::{
    AegisKey, AegisVariant, AesKey, Column, Error, Many, ManyMode, Mode, Nonces, Sealed, SivKey,
};

const AEADS: [(ManyMode, Mode, usize); 6] = [
    (ManyMode::Gcm, Mode::Gcm, 12),
    (ManyMode::GcmSiv, Mode::GcmSiv, 12),
    (ManyMode::Xaes, Mode::Xaes, 24),
    (ManyMode::Ccm, Mode::Ccm, 12),
    (ManyMode::Ocb3, Mode::Ocb3, 12),
    (ManyMode::Eax, Mode::Eax, 16),
];

fn texts(random: &mut Random, count: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|_| {
            let size = random.below(300);
            random.bytes(size)
        })
        .collect()
}

#[test]
fn each_result_is_that_of_a_single_call() {
    let mut random = Random::new(1);
    for backend in backends() {
        for (mode, single, nonce_size) in AEADS {
            for count in [0, 1, 7, 8, 9, 100] {
                let key = AesKey::with_backend(&random.bytes(32), backend).unwrap();
                let texts = texts(&mut random, count);
                let ads: Vec<_> = (0..count).map(|i| random.bytes(i % 40)).collect();
                let offsets: Vec<i32> = std::iter::once(0)
                    .chain(ads.iter().scan(0, |end, ad| {
                        *end += ad.len() as i32;
                        Some(*end)
                    }))
                    .collect();
                let ad = ads.concat();
                let nonces = random.bytes(nonce_size * count);
                let given = Nonces::Given { size: nonce_size, bytes: &nonces };
                let call = key
                    .many(mode)
                    .nonces(given)
                    .associated_data(Column::with_offsets32(&ad, &offsets).unwrap());
                let sealed = call.seal(&texts).unwrap();
                assert_eq!(sealed.len(), count);
                for (i, result) in sealed.iter().enumerate() {
                    let mut data = texts[i].clone();
                    let mut tag = [0; 16];
                    let nonce = &nonces[i * nonce_size..][..nonce_size];
                    key.seal(single, nonce, &ads[i], &mut data[..], &mut tag).unwrap();
                    assert_eq!(result, [&data[..], &tag].concat(), "{backend} {mode:?} {i}");
                }
                let opened = call.open(&sealed).unwrap();
                assert_eq!(opened.failures(), 0);
                for (text, result) in texts.iter().zip(opened.iter()) {
                    assert_eq!(result, Ok(&text[..]), "{backend} {mode:?}");
                }
            }
        }
    }
}

#[test]
fn random_nonces_stand_before_the_messages() {
    let key = AesKey::new(&[1; 32]).unwrap();
    for (mode, _, nonce_size) in AEADS {
        let sealed = key.many(mode).seal(&["one", "two"]).unwrap();
        let sizes: Vec<_> = sealed.iter().map(<[u8]>::len).collect();
        assert_eq!(sizes, [nonce_size + 3 + 16; 2]);
        assert_ne!(sealed.get(0).unwrap()[..nonce_size], sealed.get(1).unwrap()[..nonce_size]);
        let again = key.many(mode).seal(&["one", "two"]).unwrap();
        assert_ne!(sealed, again);
        assert_eq!(key.many(mode).open(&sealed).unwrap().get(1), Some(Ok(&b"two"[..])));
    }
}

#[test]
fn a_refused_message_does_not_affect_the_others() {
    let key = AesKey::new(&[1; 16]).unwrap();
    let texts: Vec<_> = (0..30).map(|i| vec![i as u8; i]).collect();
    let sealed = key.many(ManyMode::Gcm).seal(&texts).unwrap();
    let mut slices: Vec<Vec<u8>> = sealed.iter().map(<[u8]>::to_vec).collect();
    for bad in [3, 8, 29] {
        *slices[bad].last_mut().unwrap() ^= 1;
    }
    slices[10].truncate(20); // too short for nonce and tag
    let opened = key.many(ManyMode::Gcm).open_slices(&slices).unwrap();
    assert_eq!((opened.len(), opened.failures()), (30, 4));
    for (i, text) in texts.iter().enumerate() {
        let expected = if [3, 8, 10, 29].contains(&i) { Err(Error::Tag) } else { Ok(&text[..]) };
        assert_eq!(opened.get(i), Some(expected), "{i}");
    }
    assert_eq!(opened.get(30), None);
    assert_eq!(opened.get(usize::MAX), None);
}

#[test]
fn a_forgery_is_an_error_of_the_whole_call() {
    let key = AesKey::new(&[1; 16]).unwrap();
    for (mode, refusal) in [(ManyMode::Gcm, Error::Tag), (ManyMode::Cbc, Error::Padding)] {
        let call = key.many(mode);
        let mut sealed: Vec<_> =
            call.seal(&["one", "two"]).unwrap().iter().map(<[u8]>::to_vec).collect();
        sealed[0].pop();
        let offsets = [0, sealed[0].len() as i64, (sealed[0].len() + sealed[1].len()) as i64];
        let data = sealed.concat();
        let column = Column::with_offsets64(&data, &offsets).unwrap();
        let (mut out, mut ends, mut failed) = ([7; 64], [7; 3], [0; 1]);
        assert_eq!(call.open_into(&column, &mut out, &mut ends, &mut failed), Err(refusal));
        assert_eq!(failed, [1]);
        assert_eq!(&out[ends[1] as usize..ends[2] as usize], b"two");
        let rest = Column::with_offsets64(&data, &offsets[1..]).unwrap();
        assert_eq!(call.open_into(&rest, &mut out, &mut ends[..2], &mut failed), Ok(()));
        assert_eq!(failed, [0]);
    }
}

#[test]
fn results_beyond_the_memory_are_an_error() {
    // Zeros of calloc, which nothing reads.
    let (size, count) =
        if cfg!(target_pointer_width = "64") { (1 << 30, 1 << 18) } else { (1 << 20, 3000) };
    let text = vec![0u8; size];
    let key = AesKey::new(&[1; 16]).unwrap();
    let call = key.many(ManyMode::Gcm);
    assert_eq!(call.seal(&vec![&text[..]; count]), Err(Error::Size));
    assert_eq!(call.open_slices(&vec![&text[..]; count]).err(), Some(Error::Size));
    assert_eq!(call.seal(&[[0u8; 0]; usize::MAX]).err(), Some(Error::Size));
}

#[test]
fn stored_results_are_opened() {
    let key = AesKey::new(&[1; 16]).unwrap();
    let sealed = key.many(ManyMode::Gcm).seal(&["one", "two"]).unwrap();
    let (data, offsets) = sealed.clone().into_parts();
    let read = Sealed::from_parts(data.clone(), offsets.clone()).unwrap();
    assert_eq!(read, sealed);
    assert_eq!(key.many(ManyMode::Gcm).open(&read).unwrap().get(1), Some(Ok(&b"two"[..])));
    let middle = Sealed::from_parts(data.clone(), offsets[1..].to_vec()).unwrap();
    assert_eq!(key.many(ManyMode::Gcm).open(&middle).unwrap().get(0), Some(Ok(&b"two"[..])));
    assert!(Sealed::from_parts(vec![], vec![0]).unwrap().is_empty());
    for wrong in [&[][..], &[-1, 3], &[0, 5, 4], &[0, 63], &[63], &[i64::MIN], &[0, i64::MAX]] {
        assert_eq!(
            Sealed::from_parts(data.clone(), wrong.to_vec()),
            Err(Error::Argument),
            "{wrong:?}"
        );
    }
}

#[test]
fn siv_aegis_cbc_and_ctr() {
    let mut random = Random::new(2);
    let texts = texts(&mut random, 50);
    let siv = SivKey::new(&random.bytes(64)).unwrap();
    let sealed = siv.many().associated_data(Column::shared(b"all")).seal(&texts).unwrap();
    for (text, result) in texts.iter().zip(sealed.iter()) {
        let mut data = text.clone();
        let tag = siv.seal(&[b"all"], &mut data[..]).unwrap();
        assert_eq!(result, [&tag[..], &data].concat());
    }
    let sealed = siv.many().seal(&texts).unwrap();
    let mut data = texts[7].clone();
    let tag = siv.seal(&[], &mut data[..]).unwrap();
    assert_eq!(sealed.get(7).unwrap(), [&tag[..], &data].concat(), "no string");
    for variant in [AegisVariant::Aegis128L, AegisVariant::Aegis256X4] {
        let size = if variant == AegisVariant::Aegis128L { 16 } else { 32 };
        let aegis = AegisKey::new(variant, &random.bytes(size)).unwrap();
        let base = random.bytes(size);
        let call = aegis.many().tag_size(32).nonces(Nonces::Counted { base: &base });
        let sealed = call.seal(&texts).unwrap();
        let mut data = texts[0].clone();
        let mut tag = [0; 32];
        aegis.seal(&base, b"", &mut data[..], &mut tag).unwrap();
        assert_eq!(sealed.get(0).unwrap(), [&data[..], &tag].concat());
        assert_eq!(call.open(&sealed).unwrap().get(49), Some(Ok(&texts[49][..])));
    }
    let key = AesKey::new(&random.bytes(16)).unwrap();
    for mode in [ManyMode::Cbc, ManyMode::Ctr] {
        let sealed = key.many(mode).seal(&texts).unwrap();
        let opened = key.many(mode).open(&sealed).unwrap();
        assert!(texts.iter().zip(opened.iter()).all(|(text, result)| result == Ok(&text[..])));
    }
    assert_eq!(key.many(ManyMode::CbcBlocks).seal(&[[0; 17]]), Err(Error::Size));
    let opened = key.many(ManyMode::Cbc).open_slices(&[[0; 17]]).unwrap();
    assert_eq!(opened.get(0), Some(Err(Error::Padding)));
}

#[test]
fn wrong_arguments_are_errors() {
    let key = AesKey::new(&[1; 32]).unwrap();
    let call = key.many(ManyMode::Gcm);
    let text = Column::with_offsets64(b"onetwo", &[0, 3, 6]).unwrap();
    let seal = |call: &Many<'_>, text: &Column<'_>, out: usize, offsets: usize| {
        call.seal_into(text, &mut vec![0; out], &mut vec![0; offsets])
    };
    let size = call.sealed_size(&text).unwrap();
    assert_eq!(size, 2 * (12 + 3 + 16));
    assert_eq!(seal(&call, &text, size, 3), Ok(()));
    assert_eq!(seal(&call, &text, size - 1, 3), Err(Error::Size));
    assert_eq!(seal(&call, &text, size, 2), Err(Error::Argument));
    assert_eq!(seal(&call, &text, size, 4), Err(Error::Argument));
    assert_eq!(seal(&call, &text, size, 0), Err(Error::Argument));
    assert_eq!(seal(&call, &Column::shared(b"one"), size, 2), Err(Error::Argument));
    assert_eq!(seal(&call.tag_size(3), &text, size, 3), Err(Error::TagSize));
    for offsets in [[0, 3, 7], [0, 4, 3], [-1, 3, 6], [0, 3, i64::MAX], [i64::MIN, 0, 0]] {
        let wrong = Column::with_offsets64(b"onetwo", &offsets).unwrap();
        assert_eq!(seal(&call, &wrong, 200, 3), Err(Error::Argument), "{offsets:?}");
        assert_eq!(call.opened_size(&wrong), Err(Error::Argument), "{offsets:?}");
    }
    assert_eq!(Column::with_offsets64(b"", &[]).err(), Some(Error::Argument));
    assert_eq!(Column::with_offsets32(b"", &[]).err(), Some(Error::Argument));
    for (size, bytes) in [(12, 23), (12, 25), (0, 0), (0, 24), (usize::MAX, 24), (40, 80)] {
        let bytes = vec![0; bytes];
        let call = call.nonces(Nonces::Given { size, bytes: &bytes });
        assert_eq!(seal(&call, &text, 200, 3), Err(Error::NonceSize), "{size} {}", bytes.len());
    }
    let empty = call.nonces(Nonces::Counted { base: b"" });
    assert_eq!(seal(&empty, &text, 200, 3), Err(Error::NonceSize));
    let last = call.nonces(Nonces::Counted { base: &[0xff; 12] });
    assert_eq!(seal(&last, &text, 200, 3), Err(Error::Size));
    let one = Column::with_offsets64(b"", &[0, 0]).unwrap();
    assert_eq!(seal(&call.associated_data(one), &text, 200, 3), Err(Error::Argument));
    let mut failed = [0; 2];
    let result = call.open_into(&text, &mut [0; 6], &mut [0; 3], &mut failed);
    assert_eq!(result, Err(Error::Argument));
    let short = AesKey::new(&[1; 16]).unwrap();
    assert_eq!(short.many(ManyMode::Xaes).seal(&["one"]), Err(Error::KeySize));
}

#[test]
fn cmac_tags_are_those_of_single_messages() {
    let mut random = Random::new(9);
    let mut offsets = vec![3_i32];
    for size in sizes(&mut random).into_iter().filter(|&size| size < 5000) {
        offsets.push(offsets[offsets.len() - 1] + size as i32);
    }
    let data = random.bytes(offsets[offsets.len() - 1] as usize);
    let count = offsets.len() - 1;
    let messages = Column::with_offsets32(&data, &offsets).unwrap();
    for backend in backends() {
        let mut key = AesKey::with_backend(&[7; 32], backend).unwrap();
        let mut short = vec![0; 4 * count];
        assert_eq!(key.cmac_many(&messages, 4, &mut short), Err(Error::TagSize));
        key.allow_short_tags();
        for tag_size in [4, 12, 16] {
            let mut tags = vec![0; tag_size * count];
            key.cmac_many(&messages, tag_size, &mut tags).unwrap();
            for (pair, tag) in offsets.windows(2).zip(tags.chunks(tag_size)) {
                let mut mac = <rijn::Cmac<rijn::Aes256> as KeyInit>::new(&[7; 32].into());
                digest::Mac::update(&mut mac, &data[pair[0] as usize..pair[1] as usize]);
                let expected = digest::Mac::finalize(mac).into_bytes();
                assert_eq!(expected[..tag_size], *tag, "{backend}");
            }
            let mut failed = vec![0xff; count.div_ceil(8)];
            let places: Vec<i64> = (0..=count).map(|i| (i * tag_size) as i64).collect();
            let column = Column::with_offsets64(&tags, &places).unwrap();
            key.cmac_verify_many(&messages, tag_size, &column, &mut failed).unwrap();
            assert!(failed.iter().all(|&byte| byte == 0));
            let short = &mut failed[1..];
            let result = key.cmac_verify_many(&messages, tag_size, &column, short);
            assert_eq!(result, Err(Error::Argument));
            tags[tag_size * 10] ^= 1;
            let column = Column::with_offsets64(&tags, &places).unwrap();
            let result = key.cmac_verify_many(&messages, tag_size, &column, &mut failed);
            assert_eq!(result, Err(Error::Tag), "{backend}");
            assert_eq!(failed[1], 1 << 2);
            assert_eq!(failed.iter().map(|byte| byte.count_ones()).sum::<u32>(), 1);
            let column = Column::with_offsets64(&tags, &places[1..]).unwrap();
            let result = key.cmac_verify_many(&messages, tag_size, &column, &mut failed);
            assert_eq!(result, Err(Error::Argument));
        }
        let tags = &mut vec![0; 16 * count];
        assert_eq!(key.cmac_many(&messages, 16, &mut tags[1..]), Err(Error::Size));
        assert_eq!(key.cmac_many(&messages, 0, &mut []), Err(Error::TagSize));
        assert_eq!(key.cmac_many(&Column::shared(b""), 16, tags), Err(Error::Argument));
    }
}
