//! TLS 1.3 between Rijn and two other providers, in both directions.

use rijn_peers::loopback::{Identity, only, transfer};
use rustls::{
    CipherSuite,
    crypto::{CryptoProvider, aws_lc_rs, ring},
};

const SUITES: [CipherSuite; 2] =
    [CipherSuite::TLS13_AES_128_GCM_SHA256, CipherSuite::TLS13_AES_256_GCM_SHA384];

fn identity() -> Identity {
    let generated = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    Identity {
        certificate: generated.cert.der().clone(),
        key: generated.signing_key.serialize_der().try_into().unwrap(),
    }
}

#[test]
fn it_has_every_suite_and_replaces_two() {
    let ours = rijn_peers::provider().cipher_suites;
    let theirs = aws_lc_rs::default_provider().cipher_suites;
    assert_eq!(ours.len(), theirs.len());
    for (our, their) in ours.iter().zip(&theirs) {
        assert_eq!(our.suite(), their.suite());
        let same = match (our.tls13(), their.tls13()) {
            (Some(our), Some(their)) => std::ptr::eq(our, their),
            _ => our == their,
        };
        assert_eq!(same, !SUITES.contains(&our.suite()), "{:?}", our.suite());
    }
    assert!(theirs.iter().any(|it| it.tls13().is_none()), "the rustls of this build has TLS 1.2");
}

#[test]
fn the_others_understand_it() {
    let identity = identity();
    let providers: [fn() -> CryptoProvider; 3] =
        [rijn_peers::provider, aws_lc_rs::default_provider, ring::default_provider];
    for suite in SUITES {
        for (server, client) in [(0, 0), (0, 1), (1, 0), (0, 2), (2, 0)] {
            // Records of all sizes near their limit of 16 KiB, and a short one.
            for size in [1, 16_383, 16_384, 16_385, 3 << 20] {
                let (server, client) = (providers[server](), providers[client]());
                transfer(only(server, suite), only(client, suite), &identity, size).unwrap();
            }
        }
    }
}
