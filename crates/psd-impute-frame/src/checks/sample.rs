//! A random sample of a stream of rows.

use psd_impute::table::RowSample;

/// A row before and after completion.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Its index in the table, from zero.
    pub(super) number: u64,
    /// Its cells as they were, NaN where one is missing.
    pub(super) before: Box<[f64]>,
    /// Its cells as they were written.
    pub(super) after: Box<[f64]>,
}

/// A random sample of rows.
pub(super) struct Sample(RowSample<Row>);

impl Sample {
    pub(super) fn new(most: usize) -> Self {
        Self(RowSample::new(most))
    }

    pub(super) fn offer(&mut self, number: u64, before: &[f64], after: &[f64]) {
        self.0.offer(number, before, || Row { number, before: before.into(), after: after.into() });
    }

    /// Whether every row offered is kept.
    pub(super) fn is_whole(&self) -> bool {
        self.0.is_whole()
    }

    /// The rows in random order, so that the first of them come from the whole table.
    pub(super) fn into_rows(self) -> Vec<Row> {
        self.0.into_shuffled().into_iter().map(|(_, row)| row).collect()
    }
}
