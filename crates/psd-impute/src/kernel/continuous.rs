//! The continuous columns as one block: a Gaussian kernel, on the whole space or on a box.
//!
//! With `Σ = (4P)⁻¹` and `m_ab = (w_a + w_b)/2`, normalised features satisfy
//!
//! ```text
//! φ_a(x) φ_b(x) = exp(-⅛ |w_a - w_b|²_Σ) N(x; m_ab, Σ)             |δ|²_Σ = δ' Σ⁻¹ δ
//! ```
//!
//! Order the columns with the observed `S` first and factor `Σ = [C 0; M L] [C 0; M L]'`. In the coordinates
//! `(z, y)` defined by `x_S = C z`, `x_N = M z + L y` the density on the right is a standard normal around the midpoint of
//! `(u_a, v_a)` and `(u_b, v_b)`, the anchors' coordinates. Completing the square in `z` and integrating over `y`,
//!
//! ```text
//! A[a,b] = f_a f_b E_ab      f_a  = exp(-¼ |z - u_a|²) / √(|C| (2π)^{|S|/2})
//!                            E_ab = exp(-⅛ |v_a - v_b|²) · Π_k [Φ(β_k) - Φ(α_k)]
//! ```
//!
//! The last product appears on a box only (then `Σ` is diagonal, `M = 0`, and the interval of `y_k`, relative to the
//! midpoint, is `[α_k, β_k]`). `E` is a Gaussian Gram matrix, at most 1: it cannot overflow. Given the observed cells,
//! the missing ones are, for each pair, independent unit normals in the coordinates `y`.

use super::metric::Metric;
use super::truncated::{LOG_SQRT_2PI, log_mass};
use crate::error::bad;
use crate::linalg::{Cholesky, column};
use crate::{Error, Result};
use faer::{Mat, MatRef};

/// A closed interval; infinite ends are allowed.
pub type Bounds = (f64, f64);

/// The anchors' continuous coordinates, the metric and the base measure.
#[derive(Debug, Clone)]
pub(super) struct ContinuousBlock {
    /// The block's columns in the table.
    pub(super) columns: Vec<usize>,
    /// `g × l`, one anchor per column.
    pub(super) anchors: Mat<f64>,
    pub(super) metric: Metric,
    /// `Σ`, `g × g`.
    pub(super) sigma: Mat<f64>,
    /// One interval per column if the base measure is a box.
    pub(super) bounds: Option<Vec<Bounds>>,
}

impl ContinuousBlock {
    pub(super) fn new(
        columns: Vec<usize>,
        anchors: Mat<f64>,
        metric: Metric,
        bounds: Option<Vec<Bounds>>,
    ) -> Result<Self> {
        let sigma = metric.covariance(columns.len())?;
        if let Some(bounds) = &bounds {
            if !metric.is_diagonal() {
                return Err(bad("base measure", "a box", "the whole space when the metric is full"));
            }
            if bounds.len() != columns.len() {
                let (found, expected) = (bounds.len(), columns.len());
                return Err(Error::Shape { what: "intervals of the box", found, expected });
            }
            if let Some((lo, hi)) =
                bounds.iter().find(|(lo, hi)| lo.partial_cmp(hi) != Some(std::cmp::Ordering::Less))
            {
                return Err(bad("interval of the box", format!("[{lo}, {hi}]"), "of positive length"));
            }
        }
        Ok(Self { columns, anchors, metric, sigma, bounds })
    }

    /// Factors `Σ` for the given positions within the block (not the table); cost `g³/3 + g² l`.
    pub(super) fn pattern(&self, observed: &[usize], missing: &[usize]) -> Result<ContinuousPattern> {
        let order: Vec<usize> = observed.iter().chain(missing).copied().collect();
        let (g, s, l) = (order.len(), observed.len(), self.anchors.ncols());
        let sigma = Mat::from_fn(g, g, |i, j| self.sigma[(order[i], order[j])]);
        let factor = Cholesky::new(sigma, "metric")?;
        let mut coordinates = Mat::from_fn(g, l, |i, a| self.anchors[(order[i], a)]);
        factor.whiten(coordinates.as_mut());
        let log_scales = (0..s).map(|i| factor.factor()[(i, i)].ln() + LOG_SQRT_2PI).collect();
        let table_columns = |positions: &[usize]| positions.iter().map(|&k| self.columns[k]).collect();
        let interval = |k: usize| self.bounds.as_ref().map_or((f64::NEG_INFINITY, f64::INFINITY), |b| b[k]);
        Ok(ContinuousPattern {
            observed: table_columns(observed),
            missing: table_columns(missing),
            limits: observed.iter().map(|&k| interval(k)).collect(),
            // On a box L is diagonal, so intervals of x are intervals of y.
            bounds: missing
                .iter()
                .zip(s..)
                .map(|(&k, i)| {
                    let scale = factor.factor()[(i, i)];
                    (interval(k).0 / scale, interval(k).1 / scale)
                })
                .collect(),
            boxed: self.bounds.is_some(),
            log_scales,
            coordinates,
            factor: factor.into_factor(),
        })
    }
}

/// The continuous block for one pattern: the factor of `Σ` and the anchors in its coordinates.
#[derive(Debug, Clone)]
pub struct ContinuousPattern {
    observed: Vec<usize>,
    missing: Vec<usize>,
    /// `[C 0; M L]`.
    factor: Mat<f64>,
    /// `log √2π C_kk`.
    log_scales: Vec<f64>,
    /// `u` above `v`.
    coordinates: Mat<f64>,
    /// Intervals of the observed cells, in `x`.
    limits: Vec<Bounds>,
    /// Intervals of the missing cells, in `y`.
    bounds: Vec<Bounds>,
    boxed: bool,
}

impl ContinuousPattern {
    /// The observed columns of the block, in the table's numbering.
    pub fn observed(&self) -> &[usize] {
        &self.observed
    }

    /// The missing columns of the block, in the table's numbering.
    pub fn missing(&self) -> &[usize] {
        &self.missing
    }

    /// `v`, the anchors in the coordinates `y`: `|N| × l`.
    pub fn v(&self) -> MatRef<'_, f64> {
        self.coordinates.as_ref().get(self.observed.len().., ..)
    }

    /// `u`, the anchors in the coordinates `z`: `|S| × l`.
    pub(super) fn u(&self) -> MatRef<'_, f64> {
        self.coordinates.as_ref().get(..self.observed.len(), ..)
    }

    /// `C`.
    pub(super) fn c(&self) -> MatRef<'_, f64> {
        let s = self.observed.len();
        self.factor.as_ref().submatrix(0, 0, s, s)
    }

    /// `L`: `x_N = M z + L y`.
    pub fn l(&self) -> MatRef<'_, f64> {
        let (s, n) = (self.observed.len(), self.missing.len());
        self.factor.as_ref().submatrix(s, s, n, n)
    }

    /// The interval of each `y`; infinite unless the base measure is a box.
    pub fn bounds(&self) -> &[Bounds] {
        &self.bounds
    }

    pub(super) fn boxed(&self) -> bool {
        self.boxed
    }

    /// Writes `z = C⁻¹ x_S` by forward substitution; returns false if a cell lies outside the box.
    pub fn whiten(&self, row: &[f64], z: &mut [f64]) -> bool {
        z.iter_mut().zip(&self.observed).for_each(|(z, &j)| *z = row[j]);
        for k in 0..z.len() {
            let column = &column(self.factor.as_ref(), k)[k..z.len()];
            let (head, tail) = z[k..].split_at_mut(1);
            head[0] /= column[0];
            tail.iter_mut().zip(&column[1..]).for_each(|(z, c)| *z -= c * head[0]);
        }
        self.observed.iter().zip(&self.limits).all(|(&j, (lo, hi))| (*lo..=*hi).contains(&row[j]))
    }

    /// `M z`: the missing cells at `y = 0`.
    pub fn origin(&self, z: &[f64]) -> Vec<f64> {
        let s = self.observed.len();
        (0..self.missing.len()).map(|i| (0..s).map(|k| self.factor[(s + i, k)] * z[k]).sum()).collect()
    }

    /// Adds `log f_a` to `out`.
    pub(super) fn add_log_features(&self, z: &[f64], out: &mut [f64]) {
        let constant = 0.5 * self.log_scales.iter().sum::<f64>();
        for (a, out) in out.iter_mut().enumerate() {
            let square: f64 = z.iter().zip(column(self.u(), a)).map(|(z, u)| (z - u).powi(2)).sum();
            *out -= 0.25 * square + constant;
        }
    }

    /// For each of the given pairs, the change of its log-density when repeated values count by the probability of their bin (`cell`)
    /// rather than by their density. Works column by column: given the columns before it and the pair, a coordinate is a unit normal
    /// around the pair's midpoint.
    pub(crate) fn log_cells(
        &self,
        row: &[f64],
        z: &[f64],
        cell: impl Fn(usize, f64) -> Option<Bounds>,
        pairs: impl Iterator<Item = (usize, usize)>,
    ) -> Vec<f64> {
        let seen = |(k, &j): (usize, &usize)| {
            let ((lo, hi), c) = (cell(j, row[j])?, self.factor[(k, k)]);
            Some((k, (lo - row[j]) / c, (hi - row[j]) / c))
        };
        let cells: Vec<(usize, f64, f64)> = self.observed.iter().enumerate().filter_map(seen).collect();
        let gain = |(a, b): (usize, usize)| {
            let (u_a, u_b) = (column(self.u(), a), column(self.u(), b));
            let one = |&(k, below, above): &(usize, f64, f64)| {
                let t = z[k] - 0.5 * (u_a[k] + u_b[k]);
                log_mass(t + below, t + above) + 0.5 * t * t + self.log_scales[k]
            };
            cells.iter().map(one).sum()
        };
        pairs.map(gain).collect()
    }

    /// `log E_ab`.
    pub(super) fn log_pair(&self, a: usize, b: usize) -> f64 {
        let v = self.v();
        let square: f64 = (0..v.nrows()).map(|k| (v[(k, a)] - v[(k, b)]).powi(2)).sum();
        let masses: f64 = if self.boxed {
            (0..v.nrows()).map(|k| self.seen_from(k, a, b)).map(|(lo, hi)| log_mass(lo, hi)).sum()
        } else {
            0.0
        };
        masses - 0.125 * square
    }

    /// The interval of `y_k` relative to the midpoint of a pair.
    pub fn seen_from(&self, k: usize, a: usize, b: usize) -> Bounds {
        let middle = 0.5 * (self.v()[(k, a)] + self.v()[(k, b)]);
        (self.bounds[k].0 - middle, self.bounds[k].1 - middle)
    }
}
