//! Patterns: which columns are observed in a row.

use super::Table;
use std::collections::BTreeMap;

/// The observed and the missing columns of a row, each in increasing order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    observed: Vec<usize>,
    missing: Vec<usize>,
}

impl Pattern {
    /// The pattern of a row: a column is missing where the cell is NaN.
    pub fn of(row: &[f64]) -> Self {
        let (missing, observed) = (0..row.len()).partition(|&j| row[j].is_nan());
        Self { observed, missing }
    }

    /// The pattern of a row without any observed cell, for `d` columns.
    pub fn empty(d: usize) -> Self {
        Self { observed: Vec::new(), missing: (0..d).collect() }
    }

    /// The observed columns, the paper's `S`.
    pub fn observed(&self) -> &[usize] {
        &self.observed
    }

    /// The missing columns, the paper's `NS`.
    pub fn missing(&self) -> &[usize] {
        &self.missing
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.observed.len() + self.missing.len()
    }
}

/// The rows that share a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The shared pattern.
    pub pattern: Pattern,
    /// Positions of the rows in the table, increasing.
    pub rows: Vec<usize>,
}

pub(super) fn group(table: &Table) -> Vec<Group> {
    let mut groups: BTreeMap<Vec<bool>, Vec<usize>> = BTreeMap::new();
    for (i, row) in table.rows().enumerate() {
        groups.entry(row.iter().map(|x| x.is_nan()).collect()).or_default().push(i);
    }
    groups.into_values().map(|rows| Group { pattern: Pattern::of(table.row(rows[0])), rows }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    const NA: f64 = f64::NAN;

    #[test]
    fn rows_with_the_same_columns_meet() {
        let table = Table::continuous(&["a", "b"], &[[1.0, NA], [1.0, 2.0], [3.0, NA], [NA, NA]]).unwrap();
        let groups = table.groups();
        let rows: Vec<_> = groups.iter().map(|g| g.rows.clone()).collect();
        assert_eq!(rows, [vec![1], vec![0, 2], vec![3]]);
        assert_eq!(groups[1].pattern.missing(), [1]);
        assert_eq!(groups[2].pattern, Pattern::empty(2));
    }
}
