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

use super::quantile::invert;
use super::{Conditional, Density, Given, Piece};
use crate::error::bad;
use crate::kernel::truncated::{LOG_SQRT_2PI, cdf, pdf};
use crate::linalg::column;
use crate::table::Pattern;
use crate::{Error, Result};
use faer::Mat;
use rand::{Rng, RngExt};

/// A column's kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct DonorKernel {
    /// `h_1 ≤ h_2`.
    pub widths: [f64; 2],
    /// `c_0, c_1, c_2`: background, narrow, broad; they add up to one.
    pub shares: [f64; 3],
}

/// A column's marginal: a kernel density of its observed cells.
#[derive(Debug, Clone)]
pub struct Marginal {
    values: Vec<f64>,
    width: f64,
}

impl Marginal {
    /// Of the observed cells of a column, by Silverman's rule, but not below `floor`.
    pub fn new(values: Vec<f64>, floor: f64) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        let values = if values.is_empty() { vec![0.0] } else { values };
        Self { values, width: (0.5 * deviation * n.powf(-0.2)).max(floor) }
    }

    /// The density at `x`; never zero.
    pub fn density(&self, x: f64) -> f64 {
        let sum: f64 = self.values.iter().map(|v| pdf((x - v) / self.width)).sum();
        (sum / (self.values.len() as f64 * self.width)).max(1e-30)
    }

    /// The density at an observed cell `x`, with the cell itself left out.
    pub fn left_out(&self, x: f64) -> f64 {
        let n = self.values.len() as f64;
        ((n * self.density(x) - pdf(0.0) / self.width) / (n - 1.0).max(1.0)).max(1e-30)
    }

    fn cdf(&self, x: f64) -> f64 {
        self.values.iter().map(|v| cdf((x - v) / self.width)).sum::<f64>() / self.values.len() as f64
    }

    fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    fn variance(&self) -> f64 {
        let mean = self.mean();
        self.values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / self.values.len() as f64
            + self.width.powi(2)
    }

    fn within(&self, limits: (f64, f64)) -> Piece {
        let weight = 1.0 / self.values.len() as f64;
        let uncut = (f64::NEG_INFINITY, f64::INFINITY);
        Piece::sum(self.values.iter().map(|&v| (weight, Piece::of_normal((v, self.width), uncut, limits))))
    }

    fn draw(&self, rng: &mut dyn Rng) -> f64 {
        self.values[rng.random_range(0..self.values.len())] + self.width * normal(rng)
    }
}

/// The density of a table's rows as donors. Continuous columns only.
#[derive(Debug, Clone)]
pub struct Donors {
    /// `d × n`.
    values: Mat<f64>,
    /// `d × n`: zero where a cell was observed.
    variances: Mat<f64>,
    marginals: Vec<Marginal>,
    kernels: Vec<DonorKernel>,
    /// Adding up to one.
    weights: Vec<f64>,
}

impl Donors {
    /// From completed cells with their variances, the columns' marginals and kernels, and the donors' weights.
    pub fn new(
        values: Mat<f64>,
        variances: Mat<f64>,
        marginals: Vec<Marginal>,
        kernels: Vec<DonorKernel>,
        weights: &[f64],
    ) -> Result<Self> {
        let (d, n) = (values.nrows(), values.ncols());
        for (what, found, expected) in [
            ("marginals", marginals.len(), d),
            ("kernels", kernels.len(), d),
            ("donor weights", weights.len(), n),
            ("rows of variances", variances.nrows(), d),
            ("columns of variances", variances.ncols(), n),
        ] {
            if found != expected {
                return Err(Error::Shape { what, found, expected });
            }
        }
        let total: f64 = weights.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return Err(bad("sum of the donor weights", total, "above zero"));
        }
        let weights = weights.iter().map(|w| w / total).collect();
        Ok(Self { values, variances, marginals, kernels, weights })
    }

    /// Whether a row is the donor itself: equal in every cell, missing ones included. No row is its own donor; this leaves the density
    /// as it is but for the donors' own points.
    fn is_donor(&self, i: usize, row: &[f64]) -> bool {
        let same = |j: usize| {
            let observed = self.variances[(j, i)] == 0.0;
            if row[j].is_nan() { !observed } else { observed && row[j] == self.values[(j, i)] }
        };
        (0..row.len()).all(same)
    }

    /// The log-density of every column's marginal, and the donors' relative kernels `Π_j k_ij(x_j)/m_j(x_j)` over the observed columns.
    fn relative(&self, row: &[f64], observed: &[usize]) -> (f64, Vec<f64>) {
        let mut log = 0.0;
        let mut products = self.weights.clone();
        let own: Vec<usize> = (0..products.len()).filter(|&i| self.is_donor(i, row)).collect();
        own.iter().for_each(|&i| products[i] = 0.0);
        for &j in observed {
            let marginal = &self.marginals[j];
            let m = if own.is_empty() { marginal.density(row[j]) } else { marginal.left_out(row[j]) };
            log += m.ln();
            for (i, product) in products.iter_mut().enumerate() {
                *product *=
                    relative_kernel(&self.kernels[j], row[j], self.values[(j, i)], self.variances[(j, i)], m);
            }
            // Keep the products in range when columns are many.
            let top = products.iter().copied().fold(0.0, f64::max);
            if top == 0.0 {
                return (f64::NEG_INFINITY, products);
            }
            if !(1e-100..=1e100).contains(&top) {
                products.iter_mut().for_each(|p| *p /= top);
                log += top.ln();
            }
        }
        (log, products)
    }
}

/// `k(x)/m(x)`.
pub(crate) fn relative_kernel(kernel: &DonorKernel, x: f64, v: f64, variance: f64, m: f64) -> f64 {
    let [c0, c1, c2] = kernel.shares;
    let part = |c: f64, h: f64| {
        let square = h * h + variance;
        c * (-0.5 * (x - v).powi(2) / square - LOG_SQRT_2PI).exp() / square.sqrt()
    };
    c0 + (part(c1, kernel.widths[0]) + part(c2, kernel.widths[1])) / m
}

impl Density for Donors {
    fn columns(&self) -> usize {
        self.values.nrows()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        self.check_columns(pattern.columns())?;
        Ok(Box::new(DonorsGiven { donors: self, pattern: pattern.clone() }))
    }
}

struct DonorsGiven<'a> {
    donors: &'a Donors,
    pattern: Pattern,
}

impl<'a> Given<'a> for DonorsGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        let (log, products) = self.donors.relative(row, self.pattern.observed());
        let sum: f64 = products.iter().sum();
        if sum > 0.0 { log + sum.ln() } else { f64::NEG_INFINITY }
    }

    fn conditional(&self, row: &[f64]) -> Result<Box<dyn Conditional + 'a>> {
        let (_, mut weights) = self.donors.relative(row, self.pattern.observed());
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
        let cell =
            move |i: usize| (self.weights[i], self.donors.values[(j, i)], self.donors.variances[(j, i)]);
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
            let values = self.donors.values.as_ref();
            (0..self.weights.len())
                .map(|k| {
                    self.weights[k]
                        * (centre(i, values[(i, k)]) - mean[a])
                        * (centre(j, values[(j, k)]) - mean[b])
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
        let widest = self.donors.kernels[column].widths[1].max(self.donors.marginals[column].width);
        let values = self.donors.values.row(column);
        let variances = self.donors.variances.row(column);
        let ends =
            values.iter().zip(variances.iter()).map(|(v, s)| (*v, 39.0 * (widest * widest + s).sqrt()));
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
        let (values, variances) =
            (column(self.donors.values.as_ref(), donor), column(self.donors.variances.as_ref(), donor));
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

fn normal(rng: &mut dyn Rng) -> f64 {
    let u: f64 = rng.random::<f64>().clamp(1e-300, 1.0 - f64::EPSILON);
    invert(u, (-39.0, 39.0), |x| Ok((cdf(x), pdf(x)))).unwrap_or(0.0)
}
