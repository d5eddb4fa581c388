//! A random generator per row that depends only on the row, the seed and the imputation.

use super::{Table, canonical};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// One key per row: a hash of its content and of the number of equal rows before it.
#[derive(Debug, Clone)]
pub struct RowKeys {
    keys: Vec<u64>,
}

/// Counts equal rows over the batches of a table, so that each row gets the key it has in the whole table.
#[derive(Debug, Clone, Default)]
pub struct RowCounter {
    seen: HashMap<u64, u32>,
}

impl RowCounter {
    /// The keys of the next batch.
    pub fn keys(&mut self, batch: &Table) -> RowKeys {
        let key = |row: &[f64]| {
            let content = row.iter().fold(0, |hash, &x| mix(hash ^ canonical(x)));
            let before = self.seen.entry(content).or_default();
            *before = before.wrapping_add(1);
            mix(content ^ u64::from(*before))
        };
        RowKeys { keys: batch.rows().map(key).collect() }
    }
}

impl RowKeys {
    /// The keys of a table's rows.
    pub fn of(table: &Table) -> Self {
        RowCounter::default().keys(table)
    }

    /// Keys of the given rows.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        Self { keys: rows.iter().map(|&i| self.keys[i]).collect() }
    }

    /// The key of row `i`.
    pub(crate) fn key(&self, i: usize) -> u64 {
        self.keys[i]
    }

    /// The generator of row `i` for one imputation.
    pub fn generator(&self, i: usize, seed: u64, imputation: u64) -> ChaCha8Rng {
        self.stream(i, seed, imputation, 0)
    }

    /// One of many independent generators of row `i`; [`generator`](Self::generator) is stream 0.
    pub(crate) fn stream(&self, i: usize, seed: u64, imputation: u64, stream: u64) -> ChaCha8Rng {
        let mut state = self.keys[i] ^ mix(mix(seed) ^ imputation);
        let mut bytes = [0; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            state = mix(state);
            chunk.copy_from_slice(&state.to_le_bytes());
        }
        let mut rng = ChaCha8Rng::from_seed(bytes);
        rng.set_stream(stream);
        rng
    }
}

/// SplitMix64: one step of a counter and its finaliser.
pub(super) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
