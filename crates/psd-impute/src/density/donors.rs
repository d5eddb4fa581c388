//! One anchor for each row of a table: a kernel density with a product kernel.
//!
//! Donor `i` holds, for each column, a value `v` and a variance `s²`: an observed cell has `s = 0`, a missing one is what another model
//! expects there, and how surely. In units of a column's marginal density `m` (a kernel density of its observed cells) the
//! column's kernel is
//!
//! ```text
//! k(x)/m(x) = c_0 + [c_1 N(x; v, h_1² + s²) + c_2 N(x; v, h_2² + s²)] / m(x)
//! ```
//!
//! narrow, broad and background. The density is `Σ_i w_i Π_j k_ij(x_j)`: a diagonal `Q` with an anchor for each row. Given the donor the
//! columns are independent, so marginals leave columns out and a draw picks a donor, then each cell.

use super::donor_cells::{DonorCells, DonorKernel};
use super::marginal::{Marginal, normal};
use super::{Conditional, Density, Given, Piece};
use crate::error::bad;
use crate::kernel::truncated::{cdf, pdf};
use crate::table::Pattern;
use crate::{Error, Result};
use faer::Mat;
use rand::{Rng, RngExt};

/// The density of a table's rows as donors. Continuous columns only.
#[derive(Debug, Clone)]
pub struct Donors {
    cells: DonorCells,
    marginals: Vec<Marginal>,
    kernels: Vec<DonorKernel>,
    /// Adding up to one.
    weights: Vec<f64>,
}

impl Donors {
    /// From the donors' cells, the columns' marginals and kernels, and the donors' weights.
    pub fn new(
        cells: DonorCells,
        marginals: Vec<Marginal>,
        kernels: Vec<DonorKernel>,
        weights: &[f64],
    ) -> Result<Self> {
        let d = cells.columns();
        for (what, found, expected) in [("marginals", marginals.len(), d), ("kernels", kernels.len(), d)] {
            if found != expected {
                return Err(Error::Shape { what, found, expected });
            }
        }
        Self { cells, marginals, kernels, weights: Vec::new() }.reweighted(weights)
    }

    /// The same donors with other weights.
    pub fn reweighted(&self, weights: &[f64]) -> Result<Self> {
        let (found, expected) = (weights.len(), self.cells.len());
        if found != expected {
            return Err(Error::Shape { what: "donor weights", found, expected });
        }
        let total: f64 = weights.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return Err(bad("sum of the donor weights", total, "above zero"));
        }
        Ok(Self { weights: weights.iter().map(|w| w / total).collect(), ..self.clone() })
    }

    /// The logarithm of the marginals' product and of factors taken out, and the donors' relative kernels `w_i Π_j k_ij(x_j)/m_j(x_j)` over
    /// the observed columns. No row is its own donor; this leaves the density as it is but for the donors' own points.
    fn relative(&self, row: &[f64], observed: &[usize], out: Option<Fold>) -> (f64, Vec<f64>) {
        let mut log = 0.0;
        let mut products = self.weights.clone();
        let own: Vec<usize> = match out {
            Some(fold) => (fold.part..products.len()).step_by(fold.folds).collect(),
            None => (0..products.len()).filter(|&i| self.cells.is_donor(i, row)).collect(),
        };
        own.iter().for_each(|&i| products[i] = 0.0);
        for &j in observed {
            let query = self.cells.query(j, row[j]);
            let m = self.marginals[j].at(query, !own.is_empty());
            log += m.ln() + self.cells.multiply(j, query, &self.kernels[j], m, &mut products);
        }
        (log, products)
    }
}

impl Density for Donors {
    fn columns(&self) -> usize {
        self.cells.columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.check_columns(pattern.columns())?;
        Ok(Box::new(DonorsGiven { donors: self, pattern: pattern.clone(), out: None }))
    }
}

/// Every `folds`-th donor from `part` on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    pub(crate) part: usize,
    pub(crate) folds: usize,
}

/// The density without a fold of the donors, for rows made of those donors' cells.
pub(crate) struct LeftOut<'a> {
    pub(crate) donors: &'a Donors,
    pub(crate) fold: Fold,
}

impl Density for LeftOut<'_> {
    fn columns(&self) -> usize {
        self.donors.columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.check_columns(pattern.columns())?;
        Ok(Box::new(DonorsGiven { donors: self.donors, pattern: pattern.clone(), out: Some(self.fold) }))
    }
}

struct DonorsGiven<'a> {
    donors: &'a Donors,
    pattern: Pattern,
    /// Donors that are not to count.
    out: Option<Fold>,
}

impl<'a> Given<'a> for DonorsGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        let (log, products) = self.donors.relative(row, self.pattern.observed(), self.out);
        let sum: f64 = products.iter().sum();
        if sum > 0.0 { log + sum.ln() } else { f64::NEG_INFINITY }
    }

    fn conditional(&self, row: &[f64]) -> Result<Box<dyn Conditional + 'a>> {
        let (_, mut weights) = self.donors.relative(row, self.pattern.observed(), self.out);
        let total: f64 = weights.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return Err(Error::ZeroDensity);
        }
        weights.iter_mut().for_each(|w| *w /= total);
        let missing = self.pattern.missing().to_vec();
        Ok(Box::new(DonorsConditional { donors: self.donors, missing, weights }))
    }
}

struct DonorsConditional<'a> {
    donors: &'a Donors,
    missing: Vec<usize>,
    weights: Vec<f64>,
}

impl DonorsConditional<'_> {
    fn cells(&self, j: usize) -> impl Iterator<Item = (f64, f64, f64)> {
        let donors = &self.donors.cells;
        let cell = move |i: usize| (self.weights[i], donors.values(i)[j], donors.variances(i)[j]);
        (0..self.weights.len()).map(cell).filter(|cell| cell.0 > 1e-12)
    }

    /// `Σ_i w_i Σ_a c_a term(v, √(h_a² + s²))`.
    fn sum(&self, j: usize, term: impl Fn(f64, f64) -> f64) -> f64 {
        let kernel = &self.donors.kernels[j];
        self.cells(j)
            .map(|(weight, v, variance)| {
                let part =
                    |a: usize| kernel.shares[a + 1] * term(v, (kernel.widths[a].powi(2) + variance).sqrt());
                weight * (part(0) + part(1))
            })
            .sum()
    }

    fn column_mean(&self, j: usize) -> f64 {
        self.sum(j, |v, _| v) + self.donors.kernels[j].shares[0] * self.donors.marginals[j].mean()
    }
}

impl Conditional for DonorsConditional<'_> {
    fn missing(&self) -> &[usize] {
        &self.missing
    }

    fn has_labels(&self, _: usize) -> bool {
        false
    }

    fn mean(&self) -> Vec<f64> {
        self.missing.iter().map(|&j| self.column_mean(j)).collect()
    }

    fn covariance(&self) -> Mat<f64> {
        let mean = self.mean();
        // Given the donor, the mean of cell j mixes its value and the background's.
        let centre = |j: usize, v: f64| {
            let c0 = self.donors.kernels[j].shares[0];
            (1.0 - c0) * v + c0 * self.donors.marginals[j].mean()
        };
        Mat::from_fn(mean.len(), mean.len(), |a, b| {
            let (i, j) = (self.missing[a], self.missing[b]);
            if a == b {
                let marginal = &self.donors.marginals[i];
                let off = marginal.variance() + (marginal.mean() - mean[a]).powi(2);
                return self.sum(i, |v, s| s * s + (v - mean[a]).powi(2))
                    + self.donors.kernels[i].shares[0] * off;
            }
            (0..self.weights.len())
                .map(|k| {
                    let values = self.donors.cells.values(k);
                    self.weights[k] * (centre(i, values[i]) - mean[a]) * (centre(j, values[j]) - mean[b])
                })
                .sum()
        })
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        self.place(column)?;
        let background = self.donors.kernels[column].shares[0] * self.donors.marginals[column].cdf(x);
        Ok((self.sum(column, |v, s| cdf((x - v) / s)) + background).clamp(0.0, 1.0))
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        self.place(column)?;
        let background = self.donors.kernels[column].shares[0] * self.donors.marginals[column].density(x);
        Ok(self.sum(column, |v, s| pdf((x - v) / s) / s) + background)
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        self.place(column).map(|_| None)
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        self.place(column)?;
        let widest = self.donors.kernels[column].widths[1].max(self.donors.marginals[column].widest());
        let cells = &self.donors.cells;
        let ends = (0..cells.len())
            .map(|i| (cells.values(i)[column], 39.0 * (widest * widest + cells.variances(i)[column]).sqrt()));
        Ok(ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (v, r)| (lo.min(v - r), hi.max(v + r))))
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        self.place(column)?;
        let kernel = &self.donors.kernels[column];
        let uncut = (f64::NEG_INFINITY, f64::INFINITY);
        let near = self.cells(column).flat_map(|(weight, v, variance)| {
            [0, 1].map(|a| {
                let deviation = (kernel.widths[a].powi(2) + variance).sqrt();
                (weight * kernel.shares[a + 1], Piece::of_normal((v, deviation), uncut, limits))
            })
        });
        let background = (kernel.shares[0], self.donors.marginals[column].within(limits));
        Ok(Piece::sum(near.chain([background])))
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let mut u: f64 = rng.random();
        let picked = self.weights.iter().position(|w| {
            u -= w;
            u < 0.0
        });
        let donor = picked.unwrap_or(self.weights.len() - 1);
        let (values, variances) = (self.donors.cells.values(donor), self.donors.cells.variances(donor));
        self.missing
            .iter()
            .map(|&j| {
                let kernel = &self.donors.kernels[j];
                let u: f64 = rng.random();
                if u < kernel.shares[0] {
                    return self.donors.marginals[j].draw(rng);
                }
                let width =
                    if u < kernel.shares[0] + kernel.shares[1] { kernel.widths[0] } else { kernel.widths[1] };
                values[j] + (width * width + variances[j]).sqrt() * normal(rng)
            })
            .collect()
    }
}
