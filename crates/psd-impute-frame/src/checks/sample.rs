//! A random sample of rows that come one after another.

use std::collections::BinaryHeap;

/// A row before and after it was completed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Its number in the table, from zero.
    pub(super) number: u64,
    /// Its cells as they were, NaN where one is missing.
    pub(super) before: Box<[f64]>,
    /// Its cells as they were written.
    pub(super) after: Box<[f64]>,
}

/// The rows whose numbers have the smallest hashes: a random sample that does not depend on the batches, and that no order of rows is
/// in step with.
pub(super) struct Sample {
    most: usize,
    offered: u64,
    kept: BinaryHeap<Keyed>,
}

struct Keyed(u64, Row);

impl PartialEq for Keyed {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Keyed {}

impl PartialOrd for Keyed {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Keyed {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl Sample {
    pub(super) fn new(most: usize) -> Self {
        Self { most, offered: 0, kept: BinaryHeap::new() }
    }

    pub(super) fn offer(&mut self, number: u64, before: &[f64], after: &[f64]) {
        self.offered += 1;
        let key = mix(number);
        if self.kept.len() == self.most {
            match self.kept.peek() {
                Some(last) if key < last.0 => self.kept.pop(),
                _ => return,
            };
        }
        self.kept.push(Keyed(key, Row { number, before: before.into(), after: after.into() }));
    }

    /// Whether every row offered is kept.
    pub(super) fn is_whole(&self) -> bool {
        self.offered as usize == self.kept.len()
    }

    /// The rows in the table's order.
    pub(super) fn into_rows(self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.kept.into_iter().map(|keyed| keyed.1).collect();
        rows.sort_by_key(|row| row.number);
        rows
    }
}

/// SplitMix64.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_table_has_its_share() {
        let mut sample = Sample::new(1_000);
        (0..40_000).for_each(|i| sample.offer(i, &[i as f64], &[0.0]));
        assert!(!sample.is_whole());
        let rows = sample.into_rows();
        assert_eq!(rows.len(), 1_000);
        let even = rows.iter().filter(|row| row.number % 2 == 0).count();
        let first = rows.iter().filter(|row| row.number < 10_000).count();
        assert!((440..560).contains(&even) && (200..300).contains(&first), "{even} {first}");
        assert!(rows.iter().all(|row| row.before[0] == row.number as f64));
    }

    #[test]
    fn few_rows_are_all_kept() {
        let mut sample = Sample::new(10);
        (0..7).for_each(|i| sample.offer(i, &[], &[]));
        assert!(sample.is_whole());
        assert_eq!(
            sample.into_rows().iter().map(|row| row.number).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6]
        );
    }
}
