//! A continuous column's marginal density, from its observed cells alone.

use super::super::Piece;
use super::super::quantile::normal_quantile;
use super::smooth::Query;
use crate::kernel::truncated::{cdf, pdf};
use crate::linalg::add_normals;
use rand::{Rng, RngExt};

/// Standard deviations beyond which `Φ` is 0 or 1 to the last bit of one: `Φ(-8.5) ≈ 1e-17`.
const REACH: f64 = 8.5;

/// `Φ(t)`, up to the last bit of one.
pub(super) fn step(t: f64) -> f64 {
    if t.abs() < REACH { cdf(t) } else { f64::from(u8::from(t > 0.0)) }
}

/// A kernel density of the observed cells; a repeated value counts by the relative frequency of its bin.
#[derive(Debug, Clone)]
pub(super) struct Marginal {
    /// Sorted.
    values: Vec<f64>,
    /// Width of each value's kernel, and its reciprocal.
    widths: Vec<f64>,
    scales: Vec<f64>,
}

impl Marginal {
    /// The marginal of a column's observed cells. Widths follow Silverman's rule with the factor 0.5 (arbitrary), but are at least `floor`; for
    /// a value that stands for a bin, at most a fifth of the distance to its ends, so that the kernel stays inside.
    pub(super) fn new(mut values: Vec<f64>, floor: f64, cell: impl Fn(f64) -> Option<(f64, f64)>) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        if values.is_empty() {
            values.push(0.0);
        }
        values.sort_by(f64::total_cmp);
        let silverman = (0.5 * deviation * n.powf(-0.2)).max(floor);
        let inside = |(lo, hi): (f64, f64), v: f64| 0.2 * (v - lo).min(hi - v);
        let width = |&v: &f64| cell(v).map_or(silverman, |cell| silverman.min(inside(cell, v)));
        let widths: Vec<f64> = values.iter().map(width).collect();
        Self { scales: widths.iter().map(|h| h.recip()).collect(), widths, values }
    }

    pub(super) fn widest(&self) -> f64 {
        self.widths.iter().copied().fold(0.0, f64::max)
    }

    fn kernels(&self) -> impl Iterator<Item = (f64, f64)> {
        self.values.iter().copied().zip(self.widths.iter().copied())
    }

    /// The density at a value, or the probability of its bin; never zero. `left_out` leaves out one observation of the value itself.
    pub(super) fn at(&self, query: Query, left_out: bool) -> f64 {
        let n = self.values.len() as f64;
        let out = f64::from(u8::from(left_out));
        match query.cell {
            Some((lo, hi)) => {
                let inside =
                    self.values.partition_point(|&v| v < hi) - self.values.partition_point(|&v| v < lo);
                (inside as f64 - out).max(0.5) / (n - out).max(1.0)
            }
            None => {
                let mut kernels = vec![0.0; self.values.len()];
                add_normals(query.x, &self.values, &self.scales, pdf(0.0), &mut kernels);
                let sum: f64 = kernels.iter().sum();
                let own = self.scales.get(self.values.partition_point(|&v| v < query.x));
                let own = own.map_or(0.0, |scale| pdf(0.0) * scale);
                ((sum - out * own) / (n - out).max(1.0)).max(1e-30)
            }
        }
    }

    pub(super) fn density(&self, x: f64) -> f64 {
        self.at(Query { x, cell: None }, false)
    }

    pub(super) fn cdf(&self, x: f64) -> f64 {
        let reach = REACH * self.widest();
        let below = self.values.partition_point(|&v| v < x - reach);
        let near = self.kernels().skip(below).take_while(|(v, _)| *v <= x + reach);
        (below as f64 + near.map(|(v, h)| step((x - v) / h)).sum::<f64>()) / self.values.len() as f64
    }

    pub(super) fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    pub(super) fn variance(&self) -> f64 {
        let mean = self.mean();
        self.kernels().map(|(v, h)| (v - mean).powi(2) + h * h).sum::<f64>() / self.values.len() as f64
    }

    /// Averages `piece` over the kernels; its argument is a kernel's mean and standard deviation.
    pub(super) fn pieces(&self, piece: &dyn Fn((f64, f64)) -> Piece) -> Piece {
        let weight = 1.0 / self.values.len() as f64;
        Piece::sum(self.kernels().map(|kernel| (weight, piece(kernel))))
    }

    pub(super) fn draw(&self, rng: &mut dyn Rng) -> f64 {
        let k = rng.random_range(0..self.values.len());
        self.values[k] + self.widths[k] * normal(rng)
    }
}

pub(super) fn normal(rng: &mut dyn Rng) -> f64 {
    normal_quantile(rng.random::<f64>().clamp(1e-300, 1.0 - f64::EPSILON))
}
