//! Counting the different texts of a column.
//!
//! Texts are counted apart by how they can be read, so that the few odd ones of a numeric column are known, however many different numbers
//! it has.

use std::collections::HashMap;

/// How a text can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A number, with either decimal sign.
    Number,
    /// A number only with a decimal point.
    Point,
    /// A number only with a decimal comma.
    Comma,
    /// A number with a currency or a unit.
    Affixed,
    /// A date, a time of day or a duration.
    Time,
    Other,
}

/// The count of a text, and its first row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) struct Seen {
    pub(in crate::plan) cells: u64,
    /// The first row, counted from zero.
    pub(in crate::plan) row: u64,
}

/// The different texts among the cells, up to a limit for each sort.
#[derive(Debug)]
pub(in crate::plan) struct Texts {
    sorts: [Tally; 6],
    most: usize,
}

#[derive(Debug, Default)]
struct Tally {
    texts: HashMap<String, Seen>,
    cells: u64,
}

impl Texts {
    /// Makes a counter that tells apart at most `most` different texts of each sort.
    pub(super) fn new(most: usize) -> Self {
        Self { sorts: Default::default(), most }
    }

    /// Adds a cell, unless there are many texts of its sort already.
    pub(super) fn add(&mut self, sort: Sort, text: &str, row: u64) {
        let tally = &mut self.sorts[sort as usize];
        if tally.texts.len() >= self.most {
            return;
        }
        tally.cells += 1;
        match tally.texts.get_mut(text) {
            Some(seen) => seen.cells += 1,
            None => drop(tally.texts.insert(text.to_string(), Seen { cells: 1, row })),
        }
    }

    /// The texts, in no order.
    pub(in crate::plan) fn iter(&self) -> impl Iterator<Item = (&String, Seen)> {
        self.sorts.iter().flat_map(|tally| tally.texts.iter().map(|(text, seen)| (text, *seen)))
    }

    /// The number of different texts.
    pub(in crate::plan) fn len(&self) -> u64 {
        self.sorts.iter().map(|tally| tally.texts.len() as u64).sum()
    }

    /// The cells among which they were found.
    pub(in crate::plan) fn cells(&self) -> u64 {
        self.sorts.iter().map(|tally| tally.cells).sum()
    }
}
