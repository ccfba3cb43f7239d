//! Uses the parts of the crate that ask the system for something: the choice of a backend, and random
//! nonces.

#![cfg_attr(target_os = "none", no_std, no_main)]

use rijn::{AegisKey, AegisVariant, AesKey, Column, Error, ManyMode, SivKey};

fn work(key: &[u8; 32], out: &mut [u8; 100], offsets: &mut [i64; 3]) -> Result<(), Error> {
    let backend = rijn::default_backend()?;
    let texts = Column::with_offsets64(b"onetwo", &[0, 3, 6])?;
    AesKey::with_backend(key, backend)?.many(ManyMode::Gcm).seal_into(&texts, out, offsets)?;
    SivKey::new(key)?.many().seal_into(&texts, out, offsets)?;
    AegisKey::with_backend(AegisVariant::Aegis256, key, backend)?
        .many()
        .seal_into(&texts, out, offsets)
}

#[cfg(not(target_os = "none"))]
fn main() -> Result<(), Error> {
    work(&[7; 32], &mut [0; 100], &mut [0; 3])
}

#[cfg(target_os = "none")]
mod bare {
    use super::work;
    use core::{hint::black_box, panic::PanicInfo};

    #[unsafe(no_mangle)]
    extern "C" fn _start() -> ! {
        let done = work(black_box(&[7; 32]), &mut [0; 100], &mut [0; 3]);
        black_box(done.is_ok());
        loop {}
    }

    #[panic_handler]
    fn panic(_: &PanicInfo<'_>) -> ! {
        loop {}
    }
}
