//! Standardisation: continuous columns in units of their own, rare labels of large categories as one.

use super::fence::Fence;
use super::pool::Pool;
use super::{Column, Kind, Table};
use crate::error::{bad, positive};
use crate::{Error, Result};
use faer::Mat;
use rand::Rng;

/// A shift and a scale for each continuous column, and which labels of a category are told apart if it has more than
/// [`TOLD_APART`](super::TOLD_APART); other columns stay as they are.
///
/// A column that is constant up to rounding, or has no observed cell, keeps the scale 1. Completed tables take their
/// observed cells from the original, so standardising never changes an observed bit.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaler {
    shift: Vec<f64>,
    scale: Vec<f64>,
    /// None for a column whose labels, if it has some, are all told apart.
    pools: Vec<Option<Pool>>,
    /// None for a column without wild cells.
    fences: Vec<Option<Fence>>,
}

impl Scaler {
    /// Mean and standard deviation of every continuous column, in which wild cells (see `fence`) are moved nearer, and how often each label of a large category is observed.
    pub fn of(table: &Table) -> Self {
        let mut fences = vec![None; table.columns().len()];
        let (shift, scale) = (0..table.columns().len())
            .map(|j| match table.columns()[j].kind() {
                Kind::Continuous => {
                    let mut cells: Vec<f64> = table.observed(j).collect();
                    fences[j] = Fence::of(cells.clone());
                    if let Some(fence) = fences[j] {
                        cells.iter_mut().for_each(|x| *x = fence.apply(*x));
                    }
                    mean_and_deviation(&cells)
                }
                _ => (0.0, 1.0),
            })
            .unzip();
        let pool = |j: usize| match table.columns()[j].kind() {
            Kind::Category(labels) => Pool::of(counts(table, j, labels.len())),
            _ => None,
        };
        Self { shift, scale, pools: (0..table.columns().len()).map(pool).collect(), fences }
    }

    /// A scaler from a shift and a scale per column, from the number of observations of each label of a category with pooled
    /// labels, and from fences.
    pub(crate) fn from_parts(
        shift: Vec<f64>,
        scale: Vec<f64>,
        counts: Vec<Option<Vec<f64>>>,
        fences: Vec<Option<Fence>>,
    ) -> Result<Self> {
        let lengths = [("scales", scale.len()), ("counts of labels", counts.len()), ("fences", fences.len())];
        if let Some((what, found)) = lengths.into_iter().find(|&(_, found)| found != shift.len()) {
            return Err(Error::Shape { what, found, expected: shift.len() });
        }
        if let Some(shift) = shift.iter().find(|x| !x.is_finite()) {
            return Err(bad("shift of a column", shift, "finite"));
        }
        scale.iter().try_for_each(|&scale| positive("scale of a column", scale).map(|_| ()))?;
        let pool = |counts: Option<Vec<f64>>| counts.map_or(Ok(None), Pool::from_counts);
        let pools = counts.into_iter().map(pool).collect::<Result<_>>()?;
        Ok(Self { shift, scale, pools, fences })
    }

    /// Shifts and scales of all columns.
    pub(crate) fn parts(&self) -> (&[f64], &[f64]) {
        (&self.shift, &self.scale)
    }

    /// How often each label of column `j` was observed, if they are not all told apart.
    pub(crate) fn counts(&self, j: usize) -> Option<&[f64]> {
        self.pools[j].as_ref().map(Pool::counts)
    }

    /// The fence of column `j`, if it has wild cells.
    pub(crate) fn fence(&self, j: usize) -> Option<&Fence> {
        self.fences[j].as_ref()
    }

    /// The columns of standardised tables.
    pub(crate) fn standardised(&self, columns: &[Column]) -> Vec<Column> {
        let seen = |(column, pool): (&Column, &Option<Pool>)| match (column.kind(), pool) {
            (Kind::Category(labels), Some(pool)) => column.with_labels(pool.seen(labels)),
            _ => column.clone(),
        };
        columns.iter().zip(&self.pools).map(seen).collect()
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

    /// The table in standardised units, with wild cells moved nearer.
    pub fn standardise(&self, table: &Table) -> Table {
        let (d, n) = (table.columns.len(), table.len());
        let near = |j: usize, x: f64| self.fences[j].map_or(x, |fence| fence.apply(x));
        let cells = Mat::from_fn(d, n, |j, i| self.apply(j, near(j, table.cells[(j, i)])));
        Table { columns: self.standardised(&table.columns), cells }
    }

    /// The standardised value of a cell of column `j`.
    pub fn apply(&self, j: usize, x: f64) -> f64 {
        match &self.pools[j] {
            Some(pool) => pool.place(x),
            None => (x - self.shift[j]) / self.scale[j],
        }
    }

    /// Undoes [`apply`](Self::apply): the value of column `j` whose standardised value is `z`; the most frequent of pooled labels.
    pub fn undo(&self, j: usize, z: f64) -> f64 {
        match &self.pools[j] {
            Some(pool) => pool.label(z),
            None => self.shift[j] + self.scale[j] * z,
        }
    }

    /// The value of column `j` whose standardised value is `z`; one of pooled labels, drawn by their frequencies.
    pub(crate) fn undo_drawn(&self, j: usize, z: f64, rng: &mut dyn Rng) -> f64 {
        self.pools[j].as_ref().map_or_else(|| self.undo(j, z), |pool| pool.draw(z, rng))
    }

    /// The values of a discrete column with their probabilities, from those of the standardised column.
    pub(crate) fn undo_atoms(&self, j: usize, atoms: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        match &self.pools[j] {
            Some(pool) => pool.spread(&atoms),
            None => atoms,
        }
    }

    /// The scale of column `j`: changing back to the table's units lowers a log-density by the scale's logarithm per observed cell. Pooled
    /// labels change no log-density, which is with respect to their frequencies.
    pub fn scale(&self, j: usize) -> f64 {
        self.scale[j]
    }
}

/// The number of cells with each label.
fn counts(table: &Table, j: usize, labels: usize) -> Vec<f64> {
    let mut counts = vec![0.0; labels];
    table.observed(j).for_each(|x| counts[x as usize] += 1.0);
    counts
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
