//! Helpers of several tests, also in `peers`.

#![allow(dead_code)] // each test uses a part

/// Reproducible bytes: xorshift64*.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.number() >> 33) as usize % limit
    }

    pub fn bytes(&mut self, size: usize) -> Vec<u8> {
        (0..size).map(|_| (self.number() >> 56) as u8).collect()
    }
}

/// Message sizes around the batches of the backends, which have up to 64 blocks.
pub fn sizes(random: &mut Random) -> Vec<usize> {
    let mut sizes: Vec<usize> = (0..=66).collect();
    sizes.extend((1..=9).flat_map(|n| [128 * n - 1, 128 * n, 128 * n + 1]));
    sizes.extend([2047, 2048, 2049, 4096, 16384, 16385, 100_000]);
    sizes.extend((0..20).map(|_| random.below(3000)));
    sizes
}

/// The names of the backends that run here.
pub fn backends() -> Vec<&'static str> {
    let found: Vec<_> = rijn::backends().filter(|it| it.available).map(|it| it.name).collect();
    assert!(found.len() >= 2, "{found:?}");
    found
}
