//! Intervals for missing numbers.

use super::{Evaluation, check};
use crate::{Error, Result};
use psd_impute::table::Table;
use serde::Serialize;

/// Coverage and width of intervals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Intervals {
    /// Number of missing numbers.
    pub cells: usize,
    /// The share of them that lie in their interval, ends included.
    pub coverage: f64,
    /// The mean width, in standard deviations of the truth.
    pub width: f64,
}

impl Evaluation {
    /// Scores intervals given by tables of their lower and upper ends, of which only the missing cells count; `None` if there are
    /// none.
    ///
    /// # Errors
    ///
    /// If the tables do not fit the truth, an end is missing, or a lower end is above the upper one.
    pub fn intervals(&self, lower: &Table, upper: &Table) -> Result<Option<Intervals>> {
        let ends = [check::aligned(&self.truth, lower)?, check::aligned(&self.truth, upper)?];
        let (mut cells, mut covered, mut width) = (0, 0, 0.0);
        for &row in &self.rows {
            for &j in self.space.numbers().iter().filter(|&&j| self.masked[(j, row)].is_nan()) {
                let [low, high] = [ends[0][(j, row)], ends[1][(j, row)]];
                let column = || self.truth.columns()[j].name().to_string();
                if low.is_nan() || high.is_nan() {
                    return Err(Error::NoInterval { row, column: column() });
                }
                if low > high {
                    return Err(Error::Crossed { row, column: column(), lower: low, upper: high });
                }
                cells += 1;
                covered += usize::from((low..=high).contains(&self.truth.row(row)[j]));
                width += self.space.unit(j, high) - self.space.unit(j, low);
            }
        }
        let count = cells as f64;
        Ok((cells > 0).then(|| Intervals { cells, coverage: covered as f64 / count, width: width / count }))
    }
}
