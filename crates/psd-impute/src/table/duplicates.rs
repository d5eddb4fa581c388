//! Merging rows that are equal bit by bit.

use super::Table;
use std::collections::HashMap;

/// Positions of the first copies, and the sum of the weights of each.
pub(super) fn merge(table: &Table, weights: &[f64]) -> (Vec<usize>, Vec<f64>) {
    let (mut kept, mut sums) = (Vec::new(), Vec::new());
    let mut place: HashMap<Vec<u64>, usize> = HashMap::new();
    for (i, row) in table.rows().enumerate() {
        let key = row.iter().map(|&x| canonical(x)).collect();
        let at = *place.entry(key).or_insert_with(|| {
            kept.push(i);
            sums.push(0.0);
            kept.len() - 1
        });
        sums[at] += weights[i];
    }
    (kept, sums)
}

/// Bits of a cell, equal for all missing cells, whatever the bits of their NaN, and for the two zeros.
pub(crate) fn canonical(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { (x + 0.0).to_bits() }
}
