//! One column of the donors, continuous or discrete.

use super::super::Piece;
use super::discrete::DiscreteColumn;
use super::smooth::SmoothColumn;
use crate::table::Line;
use rand::Rng;
use std::ops::Deref;

/// A column of the donors: their cells, the column's marginal and the kernel.
#[derive(Debug, Clone)]
pub(crate) enum DonorColumn {
    /// A continuous column.
    Smooth(SmoothColumn),
    /// An ordered or a category column.
    Discrete(DiscreteColumn),
}

/// Both kinds are used through [`KernelColumn`].
impl Deref for DonorColumn {
    type Target = dyn KernelColumn;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Smooth(column) => column,
            Self::Discrete(column) => column,
        }
    }
}

/// A column of the donors, in units of its marginal `m`. `weights` are the donors' weights given a row's observed cells.
pub(crate) trait KernelColumn: Send + Sync {
    /// The number of donors.
    fn donors(&self) -> usize;

    /// Whether a row's cell, NaN if missing, equals the donor's.
    fn holds(&self, donor: usize, x: f64) -> bool;

    /// `m(x)`, never zero; without one observation of the value itself if `left_out`.
    fn height(&self, x: f64, left_out: bool) -> f64;

    /// Logarithm of `m` as a density with respect to the base measure.
    fn log_height(&self, m: f64) -> f64;

    /// Multiplies the product of every donor by its `k(x)/m`.
    fn multiply_each(&self, x: f64, m: f64, products: &mut [f64]);

    /// Whether the values are labels.
    fn has_labels(&self) -> bool;

    /// Mean of the cell; for labels the most probable one.
    fn mean(&self, weights: &[f64]) -> f64;

    /// Mean of the cell given the donor; NaN for labels.
    fn mean_given(&self, donor: usize) -> f64;

    /// Variance of the cell about its mean; NaN for labels.
    fn variance(&self, weights: &[f64], mean: f64) -> f64;

    fn cdf(&self, weights: &[f64], x: f64) -> f64;

    fn density(&self, weights: &[f64], x: f64) -> f64;

    /// Values of a discrete cell with their probabilities; `None` for a continuous one.
    fn probabilities(&self, weights: &[f64]) -> Option<Vec<(f64, f64)>>;

    fn support(&self) -> (f64, f64);

    fn within(&self, weights: &[f64], limits: (f64, f64)) -> Piece;

    fn mapped(&self, weights: &[f64], lines: &[Line]) -> Piece;

    /// Draws the cell given the donor.
    fn draw(&self, donor: usize, rng: &mut dyn Rng) -> f64;

    /// Multiplies the product of every donor by its `k(x)/m`. If the products leave `[1e-100, 1e100]` (arbitrary), they are rescaled and the
    /// logarithm of the common factor is returned; minus infinity if all are zero.
    fn multiply(&self, x: f64, m: f64, products: &mut [f64]) -> f64 {
        self.multiply_each(x, m, products);
        let top = largest(products);
        if top == 0.0 {
            return f64::NEG_INFINITY;
        }
        if (1e-100..=1e100).contains(&top) {
            return 0.0;
        }
        products.iter_mut().for_each(|p| *p /= top);
        top.ln()
    }
}

/// The largest of some non-negative numbers, in eight strands so that the compiler can use vector registers.
fn largest(values: &[f64]) -> f64 {
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let mut strands = [0.0; 8];
    let eights = values.chunks_exact(8);
    let tail = eights.remainder().iter().copied().fold(0.0, larger);
    for eight in eights {
        (0..8).for_each(|k| strands[k] = larger(strands[k], eight[k]));
    }
    strands.into_iter().fold(tail, larger)
}
