//! Uses the parts of the crate that ask the system for something: the choice of a backend, and random
//! nonces.

#![cfg_attr(target_os = "none", no_std, no_main)]

use rijn::{AegisKey, AegisVariant, AesKey, Column, Error, ManyMode, SivKey};

fn work(key: &[u8; 32], out: &mut [u8; 200], offsets: &mut [i64; 3]) -> Result<(), Error> {
    let backend = rijn::default_backend()?;
    let aes = AesKey::with_backend(key, backend)?;
    let aegis = AegisKey::with_backend(AegisVariant::Aegis256, key, backend)?;
    let siv = SivKey::new(key)?;
    for call in [aes.many(ManyMode::Gcm), aegis.many(), siv.many()] {
        call.seal_into(&Column::with_offsets64(b"onetwo", &[0, 3, 6])?, out, offsets)?;
        let (opened, begins) = (&mut [0; 6], &mut [0; 3]);
        call.open_into(&Column::with_offsets64(out, offsets)?, opened, begins, &mut [0])?;
        if opened != b"onetwo" {
            return Err(Error::Argument);
        }
    }
    Ok(())
}

#[cfg(not(target_os = "none"))]
fn main() -> Result<(), Error> {
    work(&[7; 32], &mut [0; 200], &mut [0; 3])
}

#[cfg(target_os = "none")]
mod bare {
    use super::work;
    use core::{hint::black_box, panic::PanicInfo};

    #[unsafe(no_mangle)]
    extern "C" fn _start() -> ! {
        let done = work(black_box(&[7; 32]), &mut [0; 200], &mut [0; 3]);
        black_box(done.is_ok());
        loop {}
    }

    #[panic_handler]
    fn panic(_: &PanicInfo<'_>) -> ! {
        loop {}
    }
}
