//! Transfers data over loopback with TLS 1.3, with Rijn and with two other providers in turn:
//!
//!     cargo run --release --example loopback -- 1024 3    # MiB, rounds
//!
//! Prints the medians in MiB/s. Server and client have one provider.

use rijn_peers::loopback::{Identity, only, transfer};
use rustls::{CipherSuite, crypto};
use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse::<u64>());
    let mebibytes = arguments.next().unwrap_or(Ok(1024))?;
    let rounds = arguments.next().unwrap_or(Ok(3))? as usize;
    let generated = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let identity = Identity {
        certificate: generated.cert.der().clone(),
        key: generated.signing_key.serialize_der().try_into()?,
    };
    println!("{}, {mebibytes} MiB, {rounds} rounds", rijn::default_backend()?);
    for suite in [CipherSuite::TLS13_AES_128_GCM_SHA256, CipherSuite::TLS13_AES_256_GCM_SHA384] {
        let mut times: [(&str, fn() -> crypto::CryptoProvider, Vec<f64>); 3] = [
            ("rijn", rijn_peers::provider, Vec::new()),
            ("aws-lc-rs", crypto::aws_lc_rs::default_provider, Vec::new()),
            ("ring", crypto::ring::default_provider, Vec::new()),
        ];
        for _ in 0..rounds {
            for (_, provider, times) in &mut times {
                let (server, client) = (only(provider(), suite), only(provider(), suite));
                let time = transfer(server, client, &identity, mebibytes << 20)?;
                times.push(time.as_secs_f64());
            }
        }
        for (name, _, times) in &mut times {
            times.sort_by(f64::total_cmp);
            let median = times[times.len() / 2];
            println!("{suite:?} {name}: {:.0} MiB/s", mebibytes as f64 / median);
        }
    }
    Ok(())
}
