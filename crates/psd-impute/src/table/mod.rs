//! Tables with missing cells.

mod atoms;
mod column;
mod duplicates;
mod fence;
mod pattern;
mod pool;
mod resolution;
mod row_key;
mod row_sample;
mod scaler;
mod unit;
pub(crate) mod warps;

pub use atoms::Atoms;
pub(crate) use column::position;
pub use column::{Column, Kind};
pub(crate) use duplicates::canonical;
pub(crate) use fence::Fence;
pub use pattern::{Group, Pattern};
pub use pool::TOLD_APART;
pub use resolution::Resolution;
pub use row_key::{RowCounter, RowKeys};
pub use row_sample::RowSample;
pub use scaler::Scaler;
pub(crate) use scaler::mean_and_deviation;
pub(crate) use unit::Unit;
pub use warps::Line;
pub(crate) use warps::{Warp, Warps};

use crate::linalg::column;
use crate::{Error, Result};
use faer::{Mat, MatRef};

/// A table: named columns of given kinds, and rows of cells, any of which may be missing.
///
/// A cell is an `f64`; a missing one is NaN. A cell of a category column holds the position of its label, a cell of an
/// ordered column the value itself.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
    /// `d × n`: each row of the table is one column of the matrix, so that it is contiguous.
    cells: Mat<f64>,
}

impl Table {
    /// A table from its columns and its cells, one row of the table per *column* of `cells`.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyTable`] without columns or rows, [`Error::Shape`] if the cells do not match the columns, [`Error::BadCell`] for an
    /// infinite cell or one that is not among a discrete column's values.
    pub fn new(columns: Vec<Column>, cells: Mat<f64>) -> Result<Self> {
        if columns.is_empty() {
            return Err(Error::EmptyTable("columns"));
        }
        if cells.nrows() != columns.len() {
            return Err(Error::Shape {
                what: "cells in a row",
                found: cells.nrows(),
                expected: columns.len(),
            });
        }
        if cells.ncols() == 0 {
            return Err(Error::EmptyTable("rows"));
        }
        let table = Self { columns, cells };
        for (row, cells) in table.rows().enumerate() {
            for (column, &value) in table.columns.iter().zip(cells) {
                if let Some(problem) = column.problem_with(value) {
                    return Err(Error::BadCell { row, column: column.name().to_string(), value, problem });
                }
            }
        }
        Ok(table)
    }

    /// A table of continuous columns from rows of numbers, NaN where a cell is missing.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn continuous<R: AsRef<[f64]>>(names: &[&str], rows: &[R]) -> Result<Self> {
        if let Some(row) = rows.iter().map(AsRef::as_ref).find(|row| row.len() != names.len()) {
            return Err(Error::Shape { what: "cells in a row", found: row.len(), expected: names.len() });
        }
        let cells = Mat::from_fn(names.len(), rows.len(), |j, i| rows[i].as_ref()[j]);
        Self::new(names.iter().map(|name| Column::continuous(*name)).collect(), cells)
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.cells.ncols()
    }

    /// Never true: a table has rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// One row.
    pub fn row(&self, i: usize) -> &[f64] {
        column(self.cells.as_ref(), i)
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.len()).map(|i| self.row(i))
    }

    /// All cells, one row of the table per column of the matrix.
    pub fn cells(&self) -> MatRef<'_, f64> {
        self.cells.as_ref()
    }

    /// The observed values of a column, in row order.
    pub fn observed(&self, j: usize) -> impl Iterator<Item = f64> {
        self.rows().map(move |row| row[j]).filter(|x| !x.is_nan())
    }

    /// Relative frequency of each value of a discrete column, by row weight if there are weights. A value never seen gets a tiny share
    /// (1e-9 before normalising, arbitrary) rather than zero, so that a row that has it is improbable, not impossible.
    pub(crate) fn shares(&self, j: usize, weights: Option<&[f64]>) -> Vec<f64> {
        let atoms = self.columns[j].kind().atoms();
        let mut shares = vec![1e-9; atoms.len()];
        for (i, row) in self.rows().enumerate() {
            if let Some(k) = position(&atoms, row[j]) {
                shares[k] += weights.map_or(1.0, |w| w[i]);
            }
        }
        let total: f64 = shares.iter().sum();
        shares.iter().map(|s| s / total).collect()
    }

    /// Groups the rows by their observed columns, in the order of the patterns, so that the result depends only on the set of rows
    /// and their order within a group.
    pub fn groups(&self) -> Vec<Group> {
        pattern::group(self)
    }

    /// Returns the table with its columns standardised, and the [`Scaler`] that undoes it.
    pub fn standardise(&self) -> (Self, Scaler) {
        let scaler = Scaler::of(self);
        (scaler.standardise(self), scaler)
    }

    /// Positions of a random sample of at most `count` rows, increasing; see [`RowSample`].
    pub fn sample(&self, count: usize) -> Vec<usize> {
        let mut rows = self.shuffled(count);
        rows.sort_unstable();
        rows
    }

    /// The same in random order, so that every `k`-th of them is a random sample, whatever the order of the table.
    pub fn shuffled(&self, count: usize) -> Vec<usize> {
        let mut sample = RowSample::new(count);
        self.rows().enumerate().for_each(|(i, row)| sample.offer(i as u64, row, || ()));
        sample.into_shuffled().into_iter().map(|(i, ())| i as usize).collect()
    }

    /// Selects rows, in the order given.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for a row beyond the table, [`Error::EmptyTable`] if `rows` is empty.
    pub fn select(&self, rows: &[usize]) -> Result<Self> {
        if let Some(row) = rows.iter().find(|&&i| i >= self.len()) {
            return Err(crate::error::bad("row", row, "one of the table's"));
        }
        self.with_cells(Mat::from_fn(self.columns.len(), rows.len(), |j, i| self.cells[(j, rows[i])]))
    }

    /// A table with the same columns and other cells, checked as by [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_cells(&self, cells: Mat<f64>) -> Result<Self> {
        Self::new(self.columns.clone(), cells)
    }

    /// Returns the distinct rows in order of first appearance, and the sum of the weights of each. Fitting them with these weights is
    /// fitting the table with `weights`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] unless there is one weight per row.
    pub fn merge_duplicates(&self, weights: &[f64]) -> Result<(Self, Vec<f64>)> {
        if weights.len() != self.len() {
            return Err(Error::Shape { what: "row weights", found: weights.len(), expected: self.len() });
        }
        let (kept, weights) = duplicates::merge(self, weights);
        let cells = Mat::from_fn(self.columns.len(), kept.len(), |j, i| self.cells[(j, kept[i])]);
        Ok((Self { columns: self.columns.clone(), cells }, weights))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const NA: f64 = f64::NAN;

    #[test]
    fn refuses_what_it_cannot_hold() {
        let none: [[f64; 1]; 0] = [];
        assert_eq!(Table::continuous(&["a"], &none).unwrap_err(), Error::EmptyTable("rows"));
        assert_eq!(Table::continuous(&[], &[[0.0; 0]]).unwrap_err(), Error::EmptyTable("columns"));
        let short = Table::continuous(&["a", "b"], &[vec![1.0, 2.0], vec![1.0]]).unwrap_err();
        assert_eq!(short, Error::Shape { what: "cells in a row", found: 1, expected: 2 });
        let infinite = Table::continuous(&["a", "b"], &[[1.0, 2.0], [1.0, f64::INFINITY]]).unwrap_err();
        assert_eq!(infinite.to_string(), "row 1, column `b`: inf is infinite");
        let column = Column::ordered("k", vec![1.0, 2.0]).unwrap();
        let stranger = Table::new(vec![column], Mat::from_fn(1, 1, |_, _| 1.5)).unwrap_err();
        assert_eq!(stranger.to_string(), "row 0, column `k`: 1.5 is not one of the column's values");
    }

    #[test]
    fn values_are_found_among_atoms() {
        let atoms = [-2.0, 0.0, 0.5, 7.0];
        for value in [-2.0, -0.0, 0.0, 0.5, 7.0, -3.0, 0.1, 8.0, NA] {
            assert_eq!(position(&atoms, value), atoms.iter().position(|&atom| atom == value), "{value}");
        }
    }

    #[test]
    fn merges_duplicates_with_their_weights() {
        let table = Table::continuous(&["a", "b"], &[[1.0, NA], [2.0, 0.0], [1.0, NA], [1.0, 0.0]]).unwrap();
        let (merged, weights) = table.merge_duplicates(&[1.0, 2.0, 3.0, 4.0]).unwrap();
        assert_eq!(weights, [4.0, 2.0, 4.0]);
        assert_eq!(merged.row(2), [1.0, 0.0]);
        assert!(merged.row(0)[1].is_nan());
    }
}
