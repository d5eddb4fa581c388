//! SoftImpute (Mazumder, Hastie and Tibshirani, *Spectral regularization algorithms for learning large incomplete matrices*, 2010): the
//! table nearest to the observed cells with a penalty `λ` on its singular values.
//!
//! From zeros in the missing cells of the standardised table, each iteration fills them from `U max(D - λ, 0) V'`, where `U D V'` is the
//! current table. With `A` the table, its *shorter* side first, that product is `S A` for the symmetric
//!
//! ```text
//! S = U max(1 - λ / D, 0) U',     A A' = U D² U'
//! ```
//!
//! so that an iteration takes the eigenvectors of a small matrix, and products for the missing cells only. Singular values below `λ`
//! vanish, and those above, a thousandth of the largest or more, lose no relevant accuracy by being squared.
//!
//! An iteration is a step down the gradient of
//!
//! ```text
//! f(gaps) = Σ_k h(D_k),     h(D) = D² / 2 up to λ, λ D - λ² / 2 beyond,     f' = (A - S A) at the gaps
//! ```
//!
//! which is convex, and whose gradient has Lipschitz constant one, so that no step increases `f`. Nesterov's momentum reaches the same
//! minimum in far fewer steps: each starts a little beyond the last filling, in the direction of its last change, and momentum restarts
//! whenever it goes against the step (O'Donoghue and Candès, *Adaptive restart for accelerated gradient schemes*, 2015).
//!
//! As in the public code of Muzellec et al. (2020), `λ` is one of fifteen between a thousandth of the largest singular value and all of it:
//! the one that best fills a held-out tenth of the observed cells. Each starts from the solution of the next larger one: once all singular
//! values are above `λ`, `f` is their sum up to constants, the minimum no longer depends on `λ`, and from zeros a small `λ` would take
//! thousands of short steps to it. Differences: every `λ` is tried on the same cells, so that chance does not choose between them; and
//! iterations stop when cells no longer move, not only at a thousand.

use super::cells::{fill, only_numbers};
use super::in_sample::InSample;
use super::{Fitted, Imputer};
use crate::Result;
use crate::linalg::{dot, eigenvalues, eigenvectors, gram, times, trace};
use crate::scale::scaler;
use faer::{Mat, MatRef};
use psd_impute::table::Table;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ITERATIONS: usize = 1000;
/// Cells count as converged when they change by less than this share of the norm of the table.
const STILL: f64 = 1e-11;
/// The number of penalties tried, and the smallest as a share of the largest.
const PENALTIES: usize = 15;
const LEAST: f64 = 1e-3;
/// The held-out share of observed cells.
const HELD_OUT: f64 = 0.1;
/// A smaller penalty must be better by this share: those with the same minimum differ by rounding, and the largest converges first.
const BETTER: f64 = 1e-6;

/// Soft-thresholded singular values, for numbers only. Columns are standardised, and all rows are completed together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SoftImpute {
    /// The penalty on singular values of the standardised table; cross-validated if `None`.
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
        let mut filling = Filling::new(standard.as_ref());
        let penalty = match self.penalty {
            Some(penalty) => penalty,
            None => {
                let best = cross_validated(standard.as_ref(), &mut ChaCha8Rng::seed_from_u64(seed))?;
                filling.start_from(&best.filling);
                best.penalty
            }
        };
        filling.settle(penalty)?;
        fill(table, |j, i| scaler.undo(j, filling.cell(j, i)))
    }
}

/// A penalty and its error on held-out cells.
struct Trial {
    penalty: f64,
    error: f64,
    filling: Filling,
}

/// The penalty that fills held-out cells best.
fn cross_validated(cells: MatRef<'_, f64>, rng: &mut impl Rng) -> Result<Trial> {
    let largest = Filling::new(cells).largest()?;
    let gone = held_out(cells, rng);
    let mut masked = cells.to_owned();
    gone.iter().for_each(|&(j, i)| masked[(j, i)] = f64::NAN);
    let mut filling = Filling::new(masked.as_ref());
    let mut try_out = |penalty: f64| -> Result<Trial> {
        filling.settle(penalty)?;
        let error = gone.iter().map(|&(j, i)| (filling.cell(j, i) - cells[(j, i)]).powi(2)).sum();
        Ok(Trial { penalty, error, filling: filling.clone() })
    };
    let mut best = try_out(largest)?;
    for k in 1..PENALTIES {
        let trial = try_out(largest * LEAST.powf(k as f64 / (PENALTIES - 1) as f64))?;
        if trial.error < (1.0 - BETTER) * best.error {
            best = trial;
        }
    }
    Ok(best)
}

/// A random share of the observed cells, as column and row, except one of each row.
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

/// A matrix whose missing cells are being filled, with its shorter side first.
#[derive(Clone)]
struct Filling {
    cells: Mat<f64>,
    /// The missing cells, as row and column.
    gaps: Vec<(usize, usize)>,
    /// Whether it is the transpose of the input.
    transposed: bool,
}

impl Filling {
    /// Starts with zeros in the missing cells.
    fn new(cells: MatRef<'_, f64>) -> Self {
        let transposed = cells.nrows() > cells.ncols();
        let cells = if transposed { cells.transpose() } else { cells };
        let missing = |i: usize| (0..cells.nrows()).filter(move |&j| cells[(j, i)].is_nan());
        let gaps = (0..cells.ncols()).flat_map(|i| missing(i).map(move |j| (j, i))).collect();
        let zero = |j, i| if cells[(j, i)].is_nan() { 0.0 } else { cells[(j, i)] };
        Self { cells: Mat::from_fn(cells.nrows(), cells.ncols(), zero), gaps, transposed }
    }

    /// A cell, by row and column of the input.
    fn cell(&self, j: usize, i: usize) -> f64 {
        if self.transposed { self.cells[(i, j)] } else { self.cells[(j, i)] }
    }

    /// Copies the missing cells from another filling of the same matrix.
    fn start_from(&mut self, other: &Self) {
        self.gaps.iter().for_each(|&gap| self.cells[gap] = other.cells[gap]);
    }

    /// The largest singular value.
    fn largest(&self) -> Result<f64> {
        let values = eigenvalues(gram(self.cells.as_ref()).as_ref(), "singular values of the table")?;
        Ok(values.last().map_or(0.0, |value| value.max(0.0).sqrt()))
    }

    /// Iterates until the missing cells no longer move.
    fn settle(&mut self, penalty: f64) -> Result<()> {
        let mut last: Vec<f64> = self.gaps.iter().map(|&gap| self.cells[gap]).collect();
        let mut filled = last.clone();
        let mut momentum = 1.0_f64;
        for _ in 0..ITERATIONS {
            let squares = gram(self.cells.as_ref());
            let shrunk = shrink(squares.as_ref(), penalty)?;
            let (mut change, mut along) = (0.0, 0.0);
            for ((x, last), &(j, i)) in filled.iter_mut().zip(&last).zip(&self.gaps) {
                let column = self.cells.col_as_slice(i);
                *x = dot(shrunk.col_as_slice(j), column);
                let step = *x - column[j];
                change += step * step;
                along += step * (*x - last);
            }
            let still = change <= STILL * STILL * trace(squares.as_ref());
            let next = if along < 0.0 { 1.0 } else { (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0 };
            let beyond = if still || along < 0.0 { 0.0 } else { (momentum - 1.0) / next };
            for ((x, last), &gap) in filled.iter().zip(&last).zip(&self.gaps) {
                self.cells[gap] = x + beyond * (x - last);
            }
            if still {
                break;
            }
            std::mem::swap(&mut last, &mut filled);
            momentum = next;
        }
        Ok(())
    }
}

/// `U max(1 - λ / D, 0) U'` for `U D² U'`.
fn shrink(squares: MatRef<'_, f64>, penalty: f64) -> Result<Mat<f64>> {
    let (values, u) = eigenvectors(squares, "singular vectors of the table")?;
    let factor = |value: f64| if value > penalty * penalty { 1.0 - penalty / value.sqrt() } else { 0.0 };
    let scaled = Mat::from_fn(u.nrows(), u.ncols(), |i, k| u[(i, k)] * factor(values[k]));
    Ok(times(scaled.as_ref(), u.transpose()))
}
