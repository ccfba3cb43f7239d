//! The same bytes as the crate `aegis`, which contains libaegis.

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/same.rs"]
mod same;

use aegis::compat::rustcrypto_traits_06 as their_aegis;
use rijn::aead::consts::U32;
use same::same;

#[test]
fn aegis_128l() {
    same::<rijn::Aegis128L, their_aegis::Aegis128L<16>>();
    same::<rijn::Aegis128L<U32>, their_aegis::Aegis128L<32>>();
}

#[test]
fn aegis_128x() {
    same::<rijn::Aegis128X2, their_aegis::Aegis128X2<16>>();
    same::<rijn::Aegis128X4<U32>, their_aegis::Aegis128X4<32>>();
}

#[test]
fn aegis_256() {
    same::<rijn::Aegis256, their_aegis::Aegis256<16>>();
    same::<rijn::Aegis256<U32>, their_aegis::Aegis256<32>>();
}

#[test]
fn aegis_256x() {
    same::<rijn::Aegis256X2, their_aegis::Aegis256X2<16>>();
    same::<rijn::Aegis256X4<U32>, their_aegis::Aegis256X4<32>>();
}
