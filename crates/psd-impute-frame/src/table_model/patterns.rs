//! The patterns of missing cells in a table.

use psd_impute::table::Table;
use std::collections::HashMap;

/// The sets of missing columns of a table's rows, and how many rows have each.
#[derive(Debug, Clone, Default)]
pub struct Patterns {
    rows: HashMap<Vec<usize>, u64>,
}

impl Patterns {
    /// Adds the rows of a batch.
    pub fn add(&mut self, table: &Table) {
        for row in table.rows() {
            *self.rows.entry((0..row.len()).filter(|&j| row[j].is_nan()).collect()).or_default() += 1;
        }
    }

    /// The missing columns of each pattern and its number of rows, the most common first.
    pub fn commonest(self) -> Vec<(Vec<usize>, u64)> {
        let mut patterns: Vec<(Vec<usize>, u64)> = self.rows.into_iter().collect();
        patterns.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        patterns
    }
}
