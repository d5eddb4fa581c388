//! SoftImpute (Mazumder, Hastie and Tibshirani, *Spectral regularization algorithms for learning large incomplete matrices*, 2010): the
//! table nearest to what is observed with a penalty `λ` on its singular values.
//!
//! From zeros in the gaps of the standardised table, each iteration fills them from `U max(D - λ, 0) V'`, where `U D V'` is what the table
//! is now. With `A` the table, its *shorter* side first, that product is `S A` for the symmetric
//!
//! ```text
//! S = U max(1 - λ / D, 0) U',     A A' = U D² U'
//! ```
//!
//! so that an iteration takes the eigenvectors of a small matrix, and products for the missing cells only. Singular values below `λ`
//! vanish, and those above, a thousandth of the largest or more, lose nothing that matters by being squared.
//!
//! As in the public code of Muzellec et al. (2020), `λ` is one of fifteen between a thousandth of the largest singular value and all of it,
//! that which best fills a tenth of the observed cells, held out. Where we differ: every `λ` is tried on the same cells, so that chance
//! does not choose between them; and iterations stop when cells no longer move, not only at a thousand.

use super::cells::{fill, only_numbers};
use super::in_sample::InSample;
use super::{Fitted, Imputer};
use crate::Result;
use crate::scale::scaler;
use faer::{Mat, MatRef};
use psd_impute::linalg::{dot, eigenvalues, eigenvectors, gram, times};
use psd_impute::table::Table;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const ITERATIONS: usize = 1000;
/// Cells no longer move when they change by less than this share of the whole table.
const STILL: f64 = 1e-10;
/// The penalties that are tried, and the least of them as a share of the largest.
const PENALTIES: usize = 15;
const LEAST: f64 = 1e-3;
/// The share of observed cells on which they are tried.
const HELD_OUT: f64 = 0.1;

/// Soft-thresholded singular values, for numbers only. Columns are standardised, and all rows are completed together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SoftImpute {
    /// The penalty on singular values of the standardised table; cross-validated if there is none.
    pub penalty: Option<f64>,
}

impl Imputer for SoftImpute {
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>> {
        only_numbers(table)?;
        let settings = *self;
        let complete = move |table: &Table| settings.complete(table, seed);
        Ok(Box::new(InSample { table: table.clone(), complete }))
    }
}

impl SoftImpute {
    fn complete(&self, table: &Table, seed: u64) -> Result<Table> {
        let scaler = scaler(table)?;
        let cells = table.cells();
        let standard = Mat::from_fn(cells.nrows(), cells.ncols(), |j, i| scaler.apply(j, cells[(j, i)]));
        let penalty = match self.penalty {
            Some(penalty) => penalty,
            None => cross_validated(standard.as_ref(), &mut ChaCha8Rng::seed_from_u64(seed))?,
        };
        let completed = completed(standard.as_ref(), penalty)?;
        fill(table, |j, i| scaler.undo(j, completed[(j, i)]))
    }
}

/// The penalty that fills held-out cells best.
fn cross_validated(cells: MatRef<'_, f64>, rng: &mut impl Rng) -> Result<f64> {
    let largest = Filling::new(cells).largest()?;
    let gone = held_out(cells, rng);
    let mut masked = cells.to_owned();
    gone.iter().for_each(|&(j, i)| masked[(j, i)] = f64::NAN);
    let penalty = |k: usize| largest * LEAST.powf(1.0 - k as f64 / (PENALTIES - 1) as f64);
    let error = |k: usize| {
        let completed = completed(masked.as_ref(), penalty(k))?;
        Ok(gone.iter().map(|&(j, i)| (completed[(j, i)] - cells[(j, i)]).powi(2)).sum())
    };
    let errors = (0..PENALTIES).into_par_iter().map(error).collect::<Result<Vec<f64>>>()?;
    let best = (0..PENALTIES).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
    Ok(penalty(best))
}

/// A random share of the observed cells, as column and row, but for one of each row.
fn held_out(cells: MatRef<'_, f64>, rng: &mut impl Rng) -> Vec<(usize, usize)> {
    let mut gone = Vec::new();
    for i in 0..cells.ncols() {
        let observed: Vec<usize> = (0..cells.nrows()).filter(|&j| !cells[(j, i)].is_nan()).collect();
        if observed.is_empty() {
            continue;
        }
        let kept = observed[rng.random_range(0..observed.len())];
        gone.extend(observed.iter().filter(|&&j| j != kept && rng.random_bool(HELD_OUT)).map(|&j| (j, i)));
    }
    gone
}

/// The cells with their gaps filled.
fn completed(cells: MatRef<'_, f64>, penalty: f64) -> Result<Mat<f64>> {
    let wide = cells.nrows() > cells.ncols();
    let mut filling = Filling::new(if wide { cells.transpose() } else { cells });
    for _ in 0..ITERATIONS {
        if filling.step(penalty)? <= STILL {
            break;
        }
    }
    Ok(if wide { filling.cells.transpose().to_owned() } else { filling.cells })
}

/// A matrix whose gaps are being filled.
struct Filling {
    cells: Mat<f64>,
    /// The columns that have gaps, and where.
    gaps: Vec<(usize, Vec<usize>)>,
}

impl Filling {
    /// With zeros in the gaps.
    fn new(cells: MatRef<'_, f64>) -> Self {
        let missing = |i: usize| (0..cells.nrows()).filter(|&j| cells[(j, i)].is_nan()).collect();
        let gaps =
            (0..cells.ncols()).map(|i| (i, missing(i))).filter(|(_, rows): &(_, Vec<_>)| !rows.is_empty());
        let gaps = gaps.collect();
        let zero = |j, i| if cells[(j, i)].is_nan() { 0.0 } else { cells[(j, i)] };
        Self { cells: Mat::from_fn(cells.nrows(), cells.ncols(), zero), gaps }
    }

    /// `A A'`
    fn squares(&self) -> Mat<f64> {
        gram(self.cells.as_ref())
    }

    /// The largest singular value.
    fn largest(&self) -> Result<f64> {
        let values = eigenvalues(self.squares().as_ref(), "singular values of the table")?;
        Ok(values.last().map_or(0.0, |value| value.max(0.0).sqrt()))
    }

    /// Fills the gaps anew; by how much they changed, as a share of the norm of the matrix.
    fn step(&mut self, penalty: f64) -> Result<f64> {
        let squares = self.squares();
        let total: f64 = (0..squares.nrows()).map(|j| squares[(j, j)]).sum();
        let shrunk = shrink(squares.as_ref(), penalty)?;
        let mut change = 0.0;
        let mut filled = Vec::new();
        for (i, rows) in &self.gaps {
            let column = self.cells.col_as_slice_mut(*i);
            filled.clear();
            filled.extend(rows.iter().map(|&j| dot(shrunk.col_as_slice(j), column)));
            for (&j, &x) in rows.iter().zip(&filled) {
                change += (x - column[j]).powi(2);
                column[j] = x;
            }
        }
        Ok(if change == 0.0 { 0.0 } else { (change / total).sqrt() })
    }
}

/// `U max(1 - λ / D, 0) U'` for `U D² U'`.
fn shrink(squares: MatRef<'_, f64>, penalty: f64) -> Result<Mat<f64>> {
    let (values, u) = eigenvectors(squares, "singular vectors of the table")?;
    let factor = |value: f64| if value > penalty * penalty { 1.0 - penalty / value.sqrt() } else { 0.0 };
    let scaled = Mat::from_fn(u.nrows(), u.ncols(), |i, k| u[(i, k)] * factor(values[k]));
    Ok(times(scaled.as_ref(), u.transpose()))
}
