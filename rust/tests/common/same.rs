//! The comparison of an AEAD with another crate's.

use super::common::{Random, backends, sizes};
use aead::{AeadInOut, KeyInit, KeySizeUser, Nonce, Tag, array::ArraySize, inout::InOutBuf};
use rijn::{Aegis, AesAead, AesCipher, AesSiv, Error, modes};
use std::fmt::Debug;

/// An AEAD of this crate, for a backend.
pub trait Ours: AeadInOut + KeySizeUser + Sized + Debug {
    fn on(key: &aead::Key<Self>, backend: &str) -> Result<Self, Error>;
}

macro_rules! ours {
    ($([$($bounds:tt)*] $type:ty;)*) => {$(
        impl<$($bounds)*> Ours for $type
        where
            Self: AeadInOut + KeyInit,
        {
            fn on(key: &aead::Key<Self>, backend: &str) -> Result<Self, Error> {
                Self::with_backend(key, backend)
            }
        }
    )*};
}

ours! {
    [M: modes::AesMode, A: modes::CipherOf<M>, N: modes::NonceOf<M>, T: modes::TagOf<M>] AesAead<M, A, N, T>;
    [A: AesCipher, N: ArraySize] AesSiv<A, N>;
    [V: modes::AegisMode, T: modes::TagOf<V>] Aegis<V, T>;
}

/// Seals and opens messages of many sizes with both, and forgeries with ours.
pub fn same<A, B>()
where
    A: Ours,
    B: AeadInOut<NonceSize = A::NonceSize, TagSize = A::TagSize> + KeyInit<KeySize = A::KeySize>,
{
    let mut random = Random::new(1);
    for backend in backends() {
        for (round, size) in sizes(&mut random).into_iter().enumerate() {
            let key = random.bytes(A::key_size());
            let key: &aead::Key<A> = key[..].try_into().unwrap();
            let (ours, theirs) = (A::on(key, backend).unwrap(), B::new(key));
            let nonce = random.bytes(Nonce::<A>::default().len());
            let nonce: &Nonce<A> = nonce[..].try_into().unwrap();
            let ad = random.bytes([0, 1, 15, 16, 17, 100, 600][round % 7]);
            let text = random.bytes(size);
            let told = format!("{ours:?}, {size} bytes, {} associated", ad.len());

            let mut expected = text.clone();
            let tag = theirs.encrypt_inout_detached(nonce, &ad, (&mut expected[..]).into());
            let tag: Tag<A> = tag.expect(&told);

            let mut out = vec![0xa5; size];
            let apart = InOutBuf::new(&text, &mut out).unwrap();
            assert_eq!(ours.encrypt_inout_detached(nonce, &ad, apart), Ok(tag.clone()), "{told}");
            assert_eq!(out, expected, "{told}");
            let mut place = text.clone();
            let in_place = (&mut place[..]).into();
            assert_eq!(
                ours.encrypt_inout_detached(nonce, &ad, in_place),
                Ok(tag.clone()),
                "{told}"
            );
            assert_eq!(place, expected, "{told}");

            let mut out = vec![0xa5; size];
            let apart = InOutBuf::new(&expected, &mut out).unwrap();
            assert_eq!(ours.decrypt_inout_detached(nonce, &ad, apart, &tag), Ok(()), "{told}");
            assert_eq!(out, text, "{told}");
            let in_place = (&mut place[..]).into();
            assert_eq!(ours.decrypt_inout_detached(nonce, &ad, in_place, &tag), Ok(()), "{told}");
            assert_eq!(place, text, "{told}");

            // One bit of the tag, of the data, of the associated data.
            let bit = 1 << random.below(8);
            let mut forged = (tag.clone(), expected.clone(), ad.clone());
            match round % 3 {
                1 if size > 0 => forged.1[random.below(size)] ^= bit,
                2 if !ad.is_empty() => forged.2[random.below(ad.len())] ^= bit,
                _ => forged.0[random.below(tag.len())] ^= bit,
            }
            let mut out = vec![0xa5; size];
            let apart = InOutBuf::new(&forged.1, &mut out).unwrap();
            let result = ours.decrypt_inout_detached(nonce, &forged.2, apart, &forged.0);
            assert_eq!(result, Err(aead::Error), "{told}");
            assert!(out.iter().all(|&byte| byte == 0), "{told}");
        }
    }
}
