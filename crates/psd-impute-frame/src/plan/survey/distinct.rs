//! Counts different values.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;

/// The different values among the first cells, up to a limit.
#[derive(Debug)]
pub(in crate::plan) struct Distinct<T> {
    values: HashSet<T>,
    cells: u64,
    most: usize,
}

impl<T: Eq + Hash> Distinct<T> {
    /// Makes a counter that tells apart at most `most` different values.
    pub(super) fn new(most: usize) -> Self {
        Self { values: HashSet::new(), cells: 0, most }
    }

    /// Adds a cell, unless there are many values already.
    pub(super) fn add<Q: Hash + Eq + ToOwned<Owned = T> + ?Sized>(&mut self, value: &Q)
    where
        T: Borrow<Q>,
    {
        if self.values.len() >= self.most {
            return;
        }
        self.cells += 1;
        if !self.values.contains(value) {
            self.values.insert(value.to_owned());
        }
    }

    /// The values.
    pub(in crate::plan) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.iter()
    }

    /// The number of values.
    pub(in crate::plan) fn len(&self) -> u64 {
        self.values.len() as u64
    }

    /// The cells among which they were found.
    pub(in crate::plan) fn cells(&self) -> u64 {
        self.cells
    }
}
