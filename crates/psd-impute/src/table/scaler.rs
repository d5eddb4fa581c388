//! Standardisation of continuous columns.

use super::{Kind, Table};
use crate::error::{bad, positive};
use crate::{Error, Result};
use faer::Mat;

/// A shift and a scale for each column; the identity for discrete columns.
///
/// A column that is constant up to rounding, or has no observed cell, keeps the scale 1. Completed tables take their
/// observed cells from the original, so standardising never changes an observed bit.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaler {
    shift: Vec<f64>,
    scale: Vec<f64>,
}

impl Scaler {
    /// Mean and standard deviation of every continuous column.
    pub fn of(table: &Table) -> Self {
        let (shift, scale) = (0..table.columns().len())
            .map(|j| match table.columns()[j].kind() {
                Kind::Continuous => mean_and_deviation(&table.observed(j).collect::<Vec<_>>()),
                _ => (0.0, 1.0),
            })
            .unzip();
        Self { shift, scale }
    }

    /// A scaler from a shift and a scale per column.
    pub(crate) fn from_parts(shift: Vec<f64>, scale: Vec<f64>) -> Result<Self> {
        if shift.len() != scale.len() {
            return Err(Error::Shape { what: "scales", found: scale.len(), expected: shift.len() });
        }
        if let Some(shift) = shift.iter().find(|x| !x.is_finite()) {
            return Err(bad("shift of a column", shift, "finite"));
        }
        scale.iter().try_for_each(|&scale| positive("scale of a column", scale).map(|_| ()))?;
        Ok(Self { shift, scale })
    }

    /// Shifts and scales of all columns.
    pub(crate) fn parts(&self) -> (&[f64], &[f64]) {
        (&self.shift, &self.scale)
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.shift.len()
    }

    /// Refuses a table with another number of columns.
    pub(crate) fn check(&self, table: &Table) -> Result<()> {
        let (found, expected) = (table.columns().len(), self.columns());
        if found == expected {
            Ok(())
        } else {
            Err(Error::Shape { what: "columns of the table", found, expected })
        }
    }

    /// The table in standardised units.
    pub fn standardise(&self, table: &Table) -> Table {
        let (d, n) = (table.columns.len(), table.len());
        let cells = Mat::from_fn(d, n, |j, i| self.apply(j, table.cells[(j, i)]));
        Table { columns: table.columns.clone(), cells }
    }

    /// The standardised value of a cell of column `j`.
    pub fn apply(&self, j: usize, x: f64) -> f64 {
        (x - self.shift[j]) / self.scale[j]
    }

    /// Undoes [`apply`](Self::apply): the value of column `j` whose standardised value is `z`.
    pub fn undo(&self, j: usize, z: f64) -> f64 {
        self.shift[j] + self.scale[j] * z
    }

    /// The scale of column `j`: changing back to the table's units lowers a log-density by the scale's logarithm per observed cell.
    pub fn scale(&self, j: usize) -> f64 {
        self.scale[j]
    }
}

/// Mean and standard deviation; (0, 1) for no values, deviation 1 for a constant. Deviations are divided by the largest one before they
/// are squared: squares of 1e300 or 1e-300 are out of range.
pub(crate) fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 1.0);
    }
    let n = values.len() as f64;
    let rough = values.iter().map(|x| x / n).sum::<f64>();
    let mean = rough + values.iter().map(|x| (x - rough) / n).sum::<f64>();
    let largest = values.iter().map(|x| (x - mean).abs()).fold(0.0, f64::max);
    if largest <= 4.0 * f64::EPSILON * mean.abs() {
        return (mean, 1.0);
    }
    let square = values.iter().map(|x| ((x - mean) / largest).powi(2)).sum::<f64>() / n;
    (mean, largest * square.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_and_empty_columns_are_guarded() {
        let rows = [[0.1, f64::NAN, 1e-300], [0.1, f64::NAN, 3e-300], [0.1, f64::NAN, 5e-300]];
        let table = Table::continuous(&["constant", "empty", "tiny"], &rows).unwrap();
        let (standardised, scaler) = table.standardise();
        assert_eq!(scaler.scale(0), 1.0);
        assert_eq!(scaler.scale(1), 1.0);
        assert!(standardised.row(0)[0].abs() < 1e-15);
        assert!((standardised.row(2)[2] - 1.5f64.sqrt()).abs() < 1e-12);
        assert!((scaler.undo(2, standardised.row(2)[2]) / 5e-300 - 1.0).abs() < 1e-14);
    }

    #[test]
    fn huge_values_do_not_overflow() {
        let table = Table::continuous(&["huge"], &[[1e300], [-1e300]]).unwrap();
        let (standardised, _) = table.standardise();
        assert!((standardised.row(0)[0] - 1.0).abs() < 1e-14);
    }
}
