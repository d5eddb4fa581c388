//! A density in other coordinates.
//!
//! With an increasing map `z_j = T_j(x_j)` of each column and a density `q` of `z`,
//!
//! ```text
//! p(x) = q(T(x)) Π_j T_j'(x_j)
//! ```
//!
//! Marginals, conditionals and draws are those of `q`, mapped. The maps are piecewise linear, so the mean and variance of a cell are sums
//! of closed forms over the pieces. A repeated value counts by the probability of its bin, which no map changes.

use super::quantile::check;
use super::{Conditional, Density, Given, Piece, Weighed};
use crate::Result;
use crate::table::{Pattern, Resolution, Warps};
use faer::Mat;
use rand::Rng;
use std::sync::Arc;

/// Number of quantiles averaged in the one integral without a closed form, the covariance. Arbitrary.
const POINTS: usize = 64;

/// A density of the warped columns, seen as a density of the original ones.
#[derive(Debug, Clone)]
pub struct Warped<D> {
    inner: D,
    warps: Arc<Warps>,
    resolution: Arc<Resolution>,
}

impl<D: Density> Warped<D> {
    /// `inner` is the density of the warped columns; `resolution` says which values of the original columns stand for bins.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) unless both have the same number of columns.
    pub fn new(inner: D, warps: Arc<Warps>, resolution: Arc<Resolution>) -> Result<Self> {
        inner.check_columns(warps.columns())?;
        Ok(Self { inner, warps, resolution })
    }
}

impl<D: Density> Density for Warped<D> {
    fn columns(&self) -> usize {
        self.inner.columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        let inner = self.inner.given(pattern)?;
        Ok(Box::new(WarpedGiven { inner, observed: pattern.observed().to_vec(), warped: self }))
    }
}

/// `Σ log T_j'(x_j)` over the observed columns whose value does not stand for a bin.
pub(crate) fn log_slopes(warps: &Warps, resolution: &Resolution, row: &[f64], observed: &[usize]) -> f64 {
    let itself = observed.iter().filter(|&&j| resolution.cell(j, row[j]).is_none());
    itself.map(|&j| warps.slope(j, row[j]).ln()).sum()
}

struct WarpedGiven<'a, D> {
    inner: Box<dyn Given<'a> + 'a>,
    observed: Vec<usize>,
    warped: &'a Warped<D>,
}

impl<'a, D: Density> Given<'a> for WarpedGiven<'a, D> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        let Warped { warps, resolution, .. } = self.warped;
        self.inner.log_marginal(&warps.apply_row(row)) + log_slopes(warps, resolution, row, &self.observed)
    }

    fn weigh(&self, row: &[f64]) -> Weighed<'a> {
        let Warped { inner: density, warps, resolution } = self.warped;
        let slopes = log_slopes(warps, resolution, row, &self.observed);
        let row = warps.apply_row(row);
        let inner = self.inner.weigh(&row);
        let conditional = move || -> Result<Box<dyn Conditional + 'a>> {
            Ok(Box::new(WarpedConditional { inner: (inner.conditional)()?, row, density, warps }))
        };
        Weighed { log_marginal: inner.log_marginal + slopes, conditional: Box::new(conditional) }
    }
}

struct WarpedConditional<'a> {
    inner: Box<dyn Conditional + 'a>,
    /// The row that this is a conditional of, warped.
    row: Vec<f64>,
    density: &'a dyn Density,
    warps: &'a Warps,
}

impl WarpedConditional<'_> {
    fn undo(&self, cells: &[f64]) -> Vec<f64> {
        self.missing().iter().zip(cells).map(|(&j, &z)| self.warps.undo(j, z)).collect()
    }

    fn warp(&self, column: usize, limits: (f64, f64)) -> (f64, f64) {
        (self.warps.apply(column, limits.0), self.warps.apply(column, limits.1))
    }

    /// `E[(x_j - m_j) | x_column] (x_column - m_column)` for all missing `j`, averaged over quantiles of the column.
    fn products(&self, column: usize, mean: &[f64]) -> Result<Vec<f64>> {
        let place = self.place(column)?;
        let mut sums = vec![0.0; mean.len()];
        for k in 0..POINTS {
            let z = self.inner.quantile(column, (k as f64 + 0.5) / POINTS as f64)?;
            let mut row = self.row.clone();
            row[column] = z;
            let off = self.warps.undo(column, z) - mean[place];
            if Pattern::of(&row).missing().is_empty() {
                continue;
            }
            let inner = self.density.conditional(&row)?;
            let rest = WarpedConditional { inner, row, density: self.density, warps: self.warps };
            for (&j, m) in rest.missing().iter().zip(rest.mean()) {
                let at = self.place(j)?;
                sums[at] += off * (m - mean[at]) / POINTS as f64;
            }
        }
        Ok(sums)
    }
}

impl Conditional for WarpedConditional<'_> {
    fn missing(&self) -> &[usize] {
        self.inner.missing()
    }

    fn has_labels(&self, column: usize) -> bool {
        self.inner.has_labels(column)
    }

    fn mean(&self) -> Vec<f64> {
        let whole = (f64::NEG_INFINITY, f64::INFINITY);
        let inner = self.inner.mean();
        let mean = |(&j, &z): (&usize, &f64)| match self.within(j, whole) {
            Ok(piece) if !self.has_labels(j) => piece.mean,
            _ => z,
        };
        self.missing().iter().zip(&inner).map(mean).collect()
    }

    /// Variances are closed forms; off-diagonal entries are integrated over the quantiles of one of the two cells.
    fn covariance(&self) -> Mat<f64> {
        let (mean, missing) = (self.mean(), self.missing());
        let products: Vec<Vec<f64>> = missing
            .iter()
            .map(|&j| self.products(j, &mean).unwrap_or_else(|_| vec![f64::NAN; mean.len()]))
            .collect();
        Mat::from_fn(mean.len(), mean.len(), |a, b| {
            if self.has_labels(missing[a]) || self.has_labels(missing[b]) {
                f64::NAN
            } else if a == b {
                self.variance(missing[a]).unwrap_or(f64::NAN)
            } else {
                0.5 * (products[a][b] + products[b][a])
            }
        })
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        self.inner.cdf(column, self.warps.apply(column, x))
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        Ok(self.inner.density(column, self.warps.apply(column, x))? * self.warps.slope(column, x))
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        self.inner.probabilities(column)
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        let (lo, hi) = self.inner.support(column)?;
        Ok((self.warps.undo(column, lo), self.warps.undo(column, hi)))
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        self.inner.mapped(column, &self.warps.lines(column, self.warp(column, limits)))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        self.undo(&self.inner.draw(rng))
    }

    fn quantile(&self, column: usize, p: f64) -> Result<f64> {
        Ok(self.warps.undo(column, self.inner.quantile(column, p)?))
    }

    fn quantile_within(&self, column: usize, p: f64, limits: (f64, f64)) -> Result<f64> {
        check(p)?;
        let z = self.inner.quantile_within(column, p, self.warp(column, limits))?;
        Ok(self.warps.undo(column, z))
    }
}
