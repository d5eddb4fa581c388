//! Numeric columns with ties: draws land on observed values.

use super::limits::Limits;
use crate::table::{Kind, Table};

/// The observed values of the continuous columns in which most cells share their value with another.
#[derive(Debug, Clone)]
pub struct Ties {
    /// Sorted; none for a column without ties.
    values: Vec<Vec<f64>>,
}

impl Ties {
    /// Finds the columns with ties.
    pub fn of(table: &Table) -> Self {
        let values = (0..table.columns().len())
            .map(|j| {
                let mut seen: Vec<f64> = table.observed(j).collect();
                let cells = seen.len();
                seen.sort_by(f64::total_cmp);
                seen.dedup();
                let tied = *table.columns()[j].kind() == Kind::Continuous && 2 * seen.len() <= cells;
                if tied { seen } else { Vec::new() }
            })
            .collect();
        Self { values }
    }

    /// No ties in any of so many columns.
    pub fn none(columns: usize) -> Self {
        Self { values: vec![Vec::new(); columns] }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.values.len()
    }

    /// Those within bounds. A column of which none is left has no ties.
    pub(super) fn between(&self, limits: &Limits) -> Self {
        let kept =
            |(j, values): (usize, &Vec<f64>)| values.iter().copied().filter(|&v| limits.hold(j, v)).collect();
        Self { values: self.values.iter().enumerate().map(kept).collect() }
    }

    /// The observed value nearest to `x`, the lower of two; `x` itself in a column without ties.
    pub fn nearest(&self, j: usize, x: f64) -> f64 {
        let values = &self.values[j];
        let at = values.partition_point(|&v| v < x);
        match (at.checked_sub(1).map(|k| values[k]), values.get(at)) {
            (Some(below), Some(&above)) => {
                if x - below <= above - x {
                    below
                } else {
                    above
                }
            }
            (Some(value), None) => value,
            (None, Some(&value)) => value,
            (None, None) => x,
        }
    }
}
