//! A table whose missing cells are filled column by column, each from all the others, in several rounds.
//!
//! Cells are stored less the mean of their column, and every row begins with a one, so that a regression with its intercept is an inner
//! product with a row, and least squares needs only the matrix of the rows' products
//!
//! ```text
//! M_j = Σ_{i: column j observed} x_i x_i'.
//! ```
//!
//! When a column is filled again, the sum over all rows changes in one row and column, so it is kept and the part of the rows that miss the
//! column is subtracted; if these are most of the rows, the others are summed instead.

use super::cells::{column_means, fill};
use crate::Result;
use crate::linalg::{dot, gram};
use faer::{Mat, MatRef};
use psd_impute::table::Table;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// The position of a column in a row that begins with a one.
pub(super) fn place(column: usize) -> usize {
    column + 1
}

/// The filled table.
pub(super) struct Chain {
    pub(super) shifts: Shifts,
    rows: Mat<f64>,
    /// For each column the rows that miss it, and those that have it.
    gaps: Vec<(Vec<usize>, Vec<usize>)>,
    /// The products of all rows.
    products: Mat<f64>,
}

impl Chain {
    /// Fills every missing cell with its column's mean.
    pub(super) fn new(table: &Table) -> Self {
        let shifts = Shifts(column_means(table));
        let mut rows = empty(table.columns().len() + 1, table.len());
        for (i, row) in table.rows().enumerate() {
            rows.col_mut(i).iter_mut().zip(shifts.apply(row)).for_each(|(cell, x)| *cell = x);
        }
        let gaps = |j: usize| (0..table.len()).partition(|&i| table.row(i)[j].is_nan());
        let gaps = (0..table.columns().len()).map(gaps).collect();
        let products = gram(rows.as_ref());
        Self { shifts, rows, gaps, products }
    }

    pub(super) fn columns(&self) -> usize {
        self.gaps.len()
    }

    /// A row as regressions use it.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        contiguous(self.rows.as_ref(), i)
    }

    /// The rows that miss a column.
    pub(super) fn missing(&self, j: usize) -> &[usize] {
        &self.gaps[j].0
    }

    /// The rows in which a column is observed.
    pub(super) fn observed(&self, j: usize) -> &[usize] {
        &self.gaps[j].1
    }

    /// All rows.
    pub(super) fn rows(&self) -> MatRef<'_, f64> {
        self.rows.as_ref()
    }

    /// Sums the products of all rows again, so that rounding errors do not accumulate.
    pub(super) fn refresh(&mut self) {
        self.products = gram(self.rows.as_ref());
    }

    /// `M_j`.
    pub(super) fn moments(&self, j: usize) -> Mat<f64> {
        let (missing, observed) = &self.gaps[j];
        if observed.len() < missing.len() {
            return self.products_of(observed);
        }
        let mut moments = self.products_of(missing);
        for (ours, all) in moments.col_iter_mut().zip(self.products.col_iter()) {
            ours.iter_mut().zip(all.iter()).for_each(|(ours, all)| *ours = all - *ours);
        }
        moments
    }

    fn products_of(&self, some: &[usize]) -> Mat<f64> {
        let mut rows = empty(self.rows.nrows(), some.len());
        for (column, &i) in rows.col_iter_mut().zip(some) {
            column.iter_mut().zip(self.row(i)).for_each(|(cell, x)| *cell = *x);
        }
        gram(rows.as_ref())
    }

    /// Fills the missing cells of a column, in the order of [`missing`](Self::missing).
    pub(super) fn set(&mut self, j: usize, values: &[f64]) {
        let at = place(j);
        let mut change = vec![0.0; self.rows.nrows()];
        for (&i, &value) in self.gaps[j].0.iter().zip(values) {
            let step = value - self.rows[(at, i)];
            let row = contiguous(self.rows.as_ref(), i);
            change.iter_mut().zip(row).for_each(|(change, x)| *change += step * x);
            // The square changes by more than the product with the old value.
            change[at] += step * value;
            self.rows[(at, i)] = value;
        }
        for (k, change) in change.iter().enumerate() {
            self.products[(k, at)] += change;
            self.products[(at, k)] = self.products[(k, at)];
        }
    }

    /// The squared residuals of a regression of a column, where it is observed.
    pub(super) fn residual(&self, j: usize, weights: &[f64]) -> f64 {
        let one = |&i: &usize| {
            let row = self.row(i);
            (row[place(j)] - dot(weights, row)).powi(2)
        };
        self.gaps[j].1.iter().map(one).sum()
    }

    /// The completed table.
    pub(super) fn completed(&self, table: &Table) -> Result<Table> {
        fill(table, |j, i| self.shifts.undo(j, self.row(i)[place(j)]))
    }
}

/// The mean of each column, which is subtracted from its cells.
#[derive(Clone)]
pub(super) struct Shifts(Vec<f64>);

impl Shifts {
    /// The row as regressions use it: a one, then the cells less their means; zero for a missing cell.
    pub(super) fn apply<'a>(&'a self, row: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let cell = |(x, shift): (&f64, &f64)| if x.is_nan() { 0.0 } else { x - shift };
        std::iter::once(1.0).chain(row.iter().zip(&self.0).map(cell))
    }

    pub(super) fn undo(&self, j: usize, x: f64) -> f64 {
        self.0[j] + x
    }

    /// Completes the rows of a table one by one, in parallel. `improve` gets a row's position, its cells as in the table, and as regressions
    /// use them.
    pub(super) fn complete(
        &self,
        table: &Table,
        improve: impl Fn(usize, &[f64], &mut [f64]) + Sync,
    ) -> Result<Table> {
        let one = |i: usize| {
            let mut row: Vec<f64> = self.apply(table.row(i)).collect();
            improve(i, table.row(i), &mut row);
            row
        };
        let rows: Vec<Vec<f64>> = (0..table.len()).into_par_iter().map(one).collect();
        fill(table, |j, i| self.undo(j, rows[i][place(j)]))
    }
}

/// The generator of a chain for one imputation.
pub(super) fn generator(seed: u64, imputation: u64) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&imputation.to_le_bytes());
    ChaCha8Rng::from_seed(bytes)
}

/// A matrix of zeros, including the padding below each column: faer multiplies the padding too, and uninitialised values there may be slow.
fn empty(rows: usize, columns: usize) -> Mat<f64> {
    let mut out = Mat::zeros(rows.next_multiple_of(8), columns);
    out.truncate(rows, columns);
    out
}

/// A column of one of our matrices, all of which are column-major.
fn contiguous(a: MatRef<'_, f64>, j: usize) -> &[f64] {
    a.col(j).try_as_col_major().map(|column| column.as_slice()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_sums_over_the_rows_that_have_the_column() {
        let number = |i: usize, j: usize| 100.0 + ((i * 37 + j * 101 + i * i * j) % 97) as f64;
        // Column 0 is mostly missing, column 1 mostly observed, column 2 always.
        let missing = |i: usize, j: usize| [!i.is_multiple_of(4), i.is_multiple_of(5), false][j];
        let cell = |i: usize, j: usize| if missing(i, j) { f64::NAN } else { number(i, j) };
        let rows: Vec<[f64; 3]> = (0..30).map(|i| [0, 1, 2].map(|j| cell(i, j))).collect();
        let table = Table::continuous(&["a", "b", "c"], &rows).unwrap();
        let mut chain = Chain::new(&table);
        for (round, j) in [0, 1, 0, 1, 2].into_iter().enumerate() {
            let values: Vec<f64> = chain.missing(j).iter().map(|&i| ((i + round) % 7) as f64).collect();
            chain.set(j, &values);
            for j in 0..3 {
                let moments = chain.moments(j);
                for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                    let product = |i: usize| chain.row(i)[a] * chain.row(i)[b];
                    let sum: f64 = (0..30).filter(|&i| !missing(i, j)).map(product).sum();
                    assert!((moments[(a, b)] - sum).abs() < 1e-9 * (1.0 + sum.abs()));
                }
            }
        }
        let completed = chain.completed(&table).unwrap();
        assert_eq!(completed.row(4)[0], rows[4][0]);
        assert!(completed.rows().flatten().all(|x| x.is_finite()));
    }
}
