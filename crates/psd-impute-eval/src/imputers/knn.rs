//! The mean of the nearest rows in which the cell is observed: scikit-learn's `KNNImputer` with its defaults.
//!
//! The distance of two rows is over the columns observed in both, in the columns' own units, and scaled up for the others:
//!
//! ```text
//! d(x, y)² = (columns / shared) · Σ_{shared} (x_j - y_j)²
//! ```
//!
//! A missing cell gets the mean of its column among the [`NEIGHBOURS`] nearest fitted rows in which it is observed, or all of them if there
//! are fewer, and the column's mean if no row with the cell shares a column with this one.
//!
//! Equally near rows are chosen at random. In tables that are sorted or come from designed experiments, many rows are equally near, and
//! consecutive rows are alike: the first of them would represent only a corner of the group. Fitted rows are therefore shuffled by the
//! seed, and each row takes the first of equally near ones from a start of its own.

use super::cells::{column_means, fill, only_numbers};
use super::{Fitted, Imputer};
use crate::Result;
use faer::traits::pulp::{Arch, Simd, WithSimd};
use psd_impute::table::{RowKeys, Table};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Number of rows in a mean.
const NEIGHBOURS: usize = 5;

/// The mean of the five nearest rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Knn;

/// The fitted rows, in random order.
struct FittedKnn {
    columns: Vec<Donors>,
    /// The mean of each column.
    means: Vec<f64>,
}

/// The cells of a column, row by row.
struct Donors {
    /// Zero if the cell is missing.
    values: Vec<f64>,
    /// One if the cell is observed, zero if it is missing.
    seen: Vec<f64>,
}

impl Imputer for Knn {
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>> {
        only_numbers(table)?;
        let mut order: Vec<usize> = (0..table.len()).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let column = |j: usize| {
            let cells = || order.iter().map(|&i| table.row(i)[j]);
            Donors {
                values: cells().map(|x| if x.is_nan() { 0.0 } else { x }).collect(),
                seen: cells().map(|x| if x.is_nan() { 0.0 } else { 1.0 }).collect(),
            }
        };
        let columns = (0..table.columns().len()).map(column).collect();
        Ok(Box::new(FittedKnn { columns, means: column_means(table) }))
    }
}

impl Fitted for FittedKnn {
    fn complete(&self, table: &Table, seed: u64) -> Result<Table> {
        let keys = RowKeys::of(table);
        let place = |i: usize| keys.generator(i, seed, 0).random_range(0..self.len());
        let row = |i: usize| self.row(table.row(i), place(i));
        let rows: Vec<Vec<f64>> = (0..table.len()).into_par_iter().map(row).collect();
        fill(table, |j, i| rows[i][j])
    }
}

impl FittedKnn {
    /// The number of fitted rows.
    fn len(&self) -> usize {
        self.columns[0].values.len()
    }

    /// The completed row, with equally near rows taken from `place` on.
    fn row(&self, row: &[f64], place: usize) -> Vec<f64> {
        let mut completed = row.to_vec();
        let missing: Vec<usize> = (0..row.len()).filter(|&j| row[j].is_nan()).collect();
        if !missing.is_empty() {
            let nearest = self.nearest(&missing, &self.distances(row), place);
            for (&j, near) in missing.iter().zip(nearest) {
                let sum: f64 = near.rows.iter().map(|&(_, i)| self.columns[j].values[i]).sum();
                let count = near.rows.len();
                completed[j] = if count == 0 { self.means[j] } else { sum / count as f64 };
            }
        }
        completed
    }

    /// The mean square difference to each fitted row over the shared columns, which orders rows as the distance does; NaN if they share
    /// none.
    fn distances(&self, row: &[f64]) -> Vec<f64> {
        let observed = row.iter().zip(&self.columns).filter(|(x, _)| !x.is_nan());
        Arch::new().dispatch(Distances { observed, rows: self.len() })
    }

    /// For each missing column, the nearest rows in which it is observed, visited from `place` on.
    fn nearest(&self, missing: &[usize], distances: &[f64], place: usize) -> Vec<Nearest> {
        let mut nearest: Vec<Nearest> = missing.iter().map(|_| Nearest::default()).collect();
        let mut farthest = f64::INFINITY;
        for i in (place..distances.len()).chain(0..place) {
            let distance = distances[i];
            // Most rows are too far away for all columns, and NaN compares as not nearer.
            if distance < farthest {
                for (&j, near) in missing.iter().zip(&mut nearest) {
                    if self.columns[j].seen[i] > 0.0 {
                        near.meet(distance, i);
                    }
                }
                farthest = nearest.iter().map(Nearest::farthest).fold(0.0, f64::max);
            }
        }
        nearest
    }
}

/// The nearest rows visited so far, by distance and then by order of visit.
#[derive(Default)]
struct Nearest {
    rows: Vec<(f64, usize)>,
}

impl Nearest {
    /// The distance below which a row is nearer than those kept.
    fn farthest(&self) -> f64 {
        if self.rows.len() < NEIGHBOURS { f64::INFINITY } else { self.rows[NEIGHBOURS - 1].0 }
    }

    fn meet(&mut self, distance: f64, row: usize) {
        if distance < self.farthest() {
            let place = self.rows.partition_point(|near| near.0 <= distance);
            self.rows.insert(place, (distance, row));
            self.rows.truncate(NEIGHBOURS);
        }
    }
}

/// Distances from a row, given by its observed cells and their columns, compiled for the widest available registers.
struct Distances<I> {
    observed: I,
    rows: usize,
}

impl<'a, I: Iterator<Item = (&'a f64, &'a Donors)>> WithSimd for Distances<I> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f64> {
        let (mut sums, mut shared) = (vec![0.0; self.rows], vec![0.0; self.rows]);
        for (&x, Donors { values, seen }) in self.observed {
            let sums = sums.iter_mut().zip(&mut shared);
            for ((sum, shared), (&y, &seen)) in sums.zip(values.iter().zip(seen)) {
                *sum += seen * ((x - y) * (x - y));
                *shared += seen;
            }
        }
        sums.iter_mut().zip(&shared).for_each(|(sum, shared)| *sum /= shared);
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, cell by cell.
    fn plainly(fitted: &Table, row: &[f64], j: usize) -> f64 {
        let mut near: Vec<(f64, f64)> = Vec::new();
        for donor in fitted.rows().filter(|donor| !donor[j].is_nan()) {
            let both: Vec<f64> =
                row.iter().zip(donor).map(|(x, y)| (x - y).powi(2)).filter(|x| !x.is_nan()).collect();
            if !both.is_empty() {
                near.push((both.iter().sum::<f64>() / both.len() as f64, donor[j]));
            }
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.truncate(5);
        near.iter().map(|near| near.1).sum::<f64>() / near.len() as f64
    }

    #[test]
    fn gaps_get_the_mean_of_the_nearest_rows() {
        // All distances differ.
        let number = |i: usize, j: usize| ((i * 37 + j * 101 + i * i * j) as f64).sin();
        let cell =
            |i: usize, j: usize| if (i * 7 + j * 3).is_multiple_of(5) { f64::NAN } else { number(i, j) };
        let rows: Vec<[f64; 4]> = (0..40).map(|i| [0, 1, 2, 3].map(|j| cell(i, j))).collect();
        let table = Table::continuous(&["a", "b", "c", "d"], &rows).unwrap();
        let completed = Knn.fit(&table, 0).unwrap().complete(&table, 1).unwrap();
        for (row, completed) in table.rows().zip(completed.rows()) {
            for j in (0..4).filter(|&j| row[j].is_nan()) {
                assert!((completed[j] - plainly(&table, row, j)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn equally_near_rows_are_taken_by_chance_and_not_as_they_come() {
        let mut rows: Vec<[f64; 2]> = (0..60).map(|i| [1.0, f64::from(i)]).collect();
        rows.push([1.0, f64::NAN]);
        let table = Table::continuous(&["a", "b"], &rows).unwrap();
        let filled = |seed| Knn.fit(&table, seed).unwrap().complete(&table, 1).unwrap().row(60)[1];
        // The mean of five of sixty numbers has standard deviation 7.5; the mean of two hundred such means, 0.5.
        let mean = (0..200).map(filled).sum::<f64>() / 200.0;
        assert!((mean - 29.5).abs() < 2.0, "{mean}");
    }

    #[test]
    fn without_a_donor_it_is_the_mean() {
        let nan = f64::NAN;
        let table = Table::continuous(&["a", "b"], &[[1.0, nan], [4.0, nan], [nan, 7.0]]).unwrap();
        let completed = Knn.fit(&table, 0).unwrap().complete(&table, 1).unwrap();
        assert_eq!(completed.rows().collect::<Vec<_>>(), [[1.0, 7.0], [4.0, 7.0], [2.5, 7.0]]);
    }
}
