//! The cells of the donors, and their kernels at a query's cell.

use crate::kernel::truncated::{LOG_SQRT_2PI, cdf, pdf};
use crate::linalg::column;
use crate::table::Resolution;
use faer::Mat;
use std::sync::Arc;

/// A column's kernel: narrow, broad and background.
#[derive(Debug, Clone, PartialEq)]
pub struct DonorKernel {
    /// `h_1 ≤ h_2`.
    pub widths: [f64; 2],
    /// `c_0, c_1, c_2`: background, narrow, broad; they add up to one.
    pub shares: [f64; 3],
}

/// A value and, if it stands for one, its cell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query {
    pub(crate) x: f64,
    pub(crate) cell: Option<(f64, f64)>,
}

impl Query {
    /// What a normal density around `v` gives to the query, and its derivative by the standard deviation. Cells much narrower than the
    /// deviation count by density times length.
    pub(crate) fn normal(&self, v: f64, deviation: f64) -> (f64, f64) {
        let length = match self.cell {
            Some((lo, hi)) if hi - lo > 0.7 * deviation => {
                let (a, b) = ((lo - v) / deviation, (hi - v) / deviation);
                // The left tail is the accurate one.
                let mass = if a > 0.0 { cdf(-a) - cdf(-b) } else { cdf(b) - cdf(a) };
                let slope = |t: f64| if t.is_infinite() { 0.0 } else { t * pdf(t) };
                return (mass.max(0.0), (slope(a) - slope(b)) / deviation);
            }
            Some((lo, hi)) => hi - lo,
            None => 1.0,
        };
        let t = (self.x - v) / deviation;
        if t * t > 200.0 {
            return (0.0, 0.0);
        }
        let value = length * (-0.5 * t * t - LOG_SQRT_2PI).exp() / deviation;
        (value, value * (t * t - 1.0) / deviation)
    }

    /// `k/m`: the kernel of a donor with this value and variance, in units of the marginal.
    pub(crate) fn kernel(&self, kernel: &DonorKernel, v: f64, variance: f64, m: f64) -> f64 {
        let [c0, c1, c2] = kernel.shares;
        let part = |h: f64| self.normal(v, if variance == 0.0 { h } else { (h * h + variance).sqrt() }).0;
        c0 + (c1 * part(kernel.widths[0]) + c2 * part(kernel.widths[1])) / m
    }
}

/// Each donor's value in each column, and its variance: zero where the cell was observed, and what another model expects, and how
/// surely, where it was missing.
#[derive(Debug, Clone)]
pub struct DonorCells {
    /// `d × n`.
    values: Mat<f64>,
    /// `d × n`.
    variances: Mat<f64>,
    columns: Vec<Levels>,
    resolution: Arc<Resolution>,
}

/// The distinct observed values of a column, so that a kernel is evaluated once for each.
#[derive(Debug, Clone)]
struct Levels {
    values: Vec<f64>,
    /// The position of each donor's value; `MISSING` where the cell was missing.
    of_donor: Vec<u32>,
}

const MISSING: u32 = u32::MAX;

impl DonorCells {
    /// From values and variances of one shape.
    pub fn new(values: Mat<f64>, variances: Mat<f64>, resolution: Arc<Resolution>) -> Self {
        let levels = |j: usize| {
            let observed = |i: usize| variances[(j, i)] == 0.0;
            let mut distinct: Vec<f64> =
                (0..values.ncols()).filter(|&i| observed(i)).map(|i| values[(j, i)]).collect();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let place = |i: usize| distinct.partition_point(|&v| v < values[(j, i)]) as u32;
            let of_donor =
                (0..values.ncols()).map(|i| if observed(i) { place(i) } else { MISSING }).collect();
            Levels { values: distinct, of_donor }
        };
        let columns = (0..values.nrows()).map(levels).collect();
        Self { values, variances, columns, resolution }
    }

    /// The number of donors.
    pub fn len(&self) -> usize {
        self.values.ncols()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.values.nrows()
    }

    /// The values of a donor.
    pub(crate) fn values(&self, donor: usize) -> &[f64] {
        column(self.values.as_ref(), donor)
    }

    /// The variances of a donor's values.
    pub(crate) fn variances(&self, donor: usize) -> &[f64] {
        column(self.variances.as_ref(), donor)
    }

    pub(crate) fn query(&self, j: usize, x: f64) -> Query {
        Query { x, cell: self.resolution.cell(j, x) }
    }

    /// Multiplies every donor's product by its kernel in column `j`. Returns the logarithm of a factor taken out of all products when
    /// they leave their range; minus infinity when all are zero.
    pub(crate) fn multiply(
        &self,
        j: usize,
        query: Query,
        kernel: &DonorKernel,
        m: f64,
        products: &mut [f64],
    ) -> f64 {
        let levels = &self.columns[j];
        let at: Vec<f64> = levels.values.iter().map(|&v| query.kernel(kernel, v, 0.0, m)).collect();
        for (i, product) in products.iter_mut().enumerate() {
            *product *= match levels.of_donor[i] {
                MISSING => query.kernel(kernel, self.values[(j, i)], self.variances[(j, i)], m),
                level => at[level as usize],
            };
        }
        let top = products.iter().copied().fold(0.0, f64::max);
        if top == 0.0 {
            return f64::NEG_INFINITY;
        }
        if (1e-100..=1e100).contains(&top) {
            return 0.0;
        }
        products.iter_mut().for_each(|p| *p /= top);
        top.ln()
    }

    /// Whether a row is the donor itself: equal in every cell, missing ones included.
    pub(crate) fn is_donor(&self, i: usize, row: &[f64]) -> bool {
        let same = |j: usize| {
            let observed = self.variances[(j, i)] == 0.0;
            if row[j].is_nan() { !observed } else { observed && row[j] == self.values[(j, i)] }
        };
        (0..row.len()).all(same)
    }
}
