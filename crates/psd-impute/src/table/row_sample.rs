//! A random sample of rows that arrive one after another.
//!
//! Every row has a key, a hash of its position and its content, and the rows with the smallest keys are kept. So the sample does not
//! depend on how the rows are batched, needs no second pass, and cannot be in step with a periodic order: if two groups alternate,
//! taking every second row would always take the same group.

use super::canonical;
use super::row_key::mix;
use std::collections::BinaryHeap;

/// A sample of at most `most` of the offered rows, with a value kept for each.
#[derive(Debug, Clone)]
pub struct RowSample<T> {
    most: usize,
    offered: u64,
    kept: BinaryHeap<Keyed<T>>,
}

impl<T> RowSample<T> {
    /// A sample of at most `most` rows.
    pub fn new(most: usize) -> Self {
        Self { most, offered: 0, kept: BinaryHeap::new() }
    }

    /// Offers the row at a position; if it is taken, the value of `keep()` is stored with it.
    pub fn offer(&mut self, position: u64, row: &[f64], keep: impl FnOnce() -> T) {
        self.offered += 1;
        let key = row.iter().fold(mix(position), |hash, &x| mix(hash ^ canonical(x)));
        if self.kept.len() == self.most {
            match self.kept.peek() {
                Some(last) if (key, position) < (last.key, last.position) => self.kept.pop(),
                _ => return,
            };
        }
        self.kept.push(Keyed { key, position, kept: keep() });
    }

    /// Whether every offered row was kept.
    pub fn is_whole(&self) -> bool {
        self.offered == self.kept.len() as u64
    }

    /// Positions of the kept rows, increasing, and the value stored with each.
    pub fn into_rows(self) -> Vec<(u64, T)> {
        let mut rows = self.into_shuffled();
        rows.sort_by_key(|row| row.0);
        rows
    }

    /// The same in random order, that of their keys: every `k`-th of these is a random sample too.
    pub fn into_shuffled(self) -> Vec<(u64, T)> {
        self.kept.into_sorted_vec().into_iter().map(|row| (row.position, row.kept)).collect()
    }
}

#[derive(Debug, Clone)]
struct Keyed<T> {
    key: u64,
    position: u64,
    kept: T,
}

impl<T> PartialEq for Keyed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Keyed<T> {}

impl<T> PartialOrd for Keyed<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Keyed<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.key, self.position).cmp(&(other.key, other.position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(rows: u64, most: usize) -> Vec<u64> {
        let mut sample = RowSample::new(most);
        (0..rows).for_each(|i| sample.offer(i, &[(i % 2) as f64], || ()));
        assert_eq!(sample.is_whole(), rows <= most as u64);
        sample.into_rows().into_iter().map(|row| row.0).collect()
    }

    #[test]
    fn every_part_of_a_table_has_its_share() {
        let kept = positions(40_000, 1_000);
        assert_eq!(kept.len(), 1_000);
        // Binomial: standard deviations 15.8, 9.5 and 13.7.
        for period in [2, 7, 4] {
            let share = kept.iter().filter(|&&i| i % period == 0).count() as f64;
            let (mean, p) = (1_000.0 / period as f64, 1.0 / period as f64);
            assert!((share - mean).abs() < 4.0 * (mean * (1.0 - p)).sqrt(), "{share} of {mean}");
        }
        let first = kept.iter().filter(|&&i| i < 10_000).count();
        assert!((195..305).contains(&first), "{first}");
        assert!(kept.is_sorted());
    }

    #[test]
    fn few_rows_are_all_kept() {
        assert_eq!(positions(7, 10), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(positions(3, 0), [] as [u64; 0]);
    }
}
