//! The conditional of a PSD density: a signed mixture over pairs of anchors.
//!
//! Given the observed cells, pair `(a, b)` has weight `ω_ab ∝ Q_ab A[a,b]` (some are negative, yet the sum is a density). Given the pair
//! everything is independent: the coordinates `y` of the continuous block are unit normals around `(v_a + v_b)/2`, truncated to the
//! box if there is one, with `x = M z + L y`; a discrete cell takes atom `k` with probability proportional to `ρ_k θ_a(v_k) θ_b(v_k)`.
//!
//! This gives exact draws, without rejection or Markov chain: invert the mixture's distribution function in `y_1`, multiply every
//! weight by its pair's density there, continue with `y_2`, and so on; then the discrete cells in the same way.

use super::piece::UNCUT;
use super::quantile::{among, invert_from, most_probable, normal_quantile};
use super::{Conditional, Piece};
use crate::Result;
use crate::kernel::truncated::{cut_cdf, cut_moments, cut_pdf};
use crate::kernel::{Bounds, DiscreteColumn, PatternFeatures};
use crate::linalg::log_sum_exp;
use crate::table::Line;
use faer::Mat;
use rand::{Rng, RngExt};
use std::sync::Arc;

/// Standard deviations from every pair's mean beyond which there is no mass: `exp(-39²/2)` underflows.
const REACH: f64 = 39.0;

/// A pair of anchors `a ≥ b`, with the total weight of `(a, b)` and `(b, a)`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) weight: f64,
}

/// Location of a missing column.
enum Place<'a> {
    /// Position within the continuous block's missing columns.
    Continuous(usize),
    Discrete(&'a DiscreteColumn),
}

pub(super) struct PairConditional<'a> {
    features: Arc<PatternFeatures<'a>>,
    missing: Vec<usize>,
    /// `M z`.
    origin: Vec<f64>,
    pairs: Vec<Pair>,
    /// Pairs with weights below this are dropped: all together they are below the last bit.
    least: f64,
}

impl<'a> PairConditional<'a> {
    /// A conditional from pairs whose weights sum to `total`.
    pub(super) fn new(
        features: Arc<PatternFeatures<'a>>,
        z: &[f64],
        mut pairs: Vec<Pair>,
        total: f64,
    ) -> Self {
        pairs.iter_mut().for_each(|pair| pair.weight /= total);
        let least = 0.1 * f64::EPSILON / features.len().pow(2) as f64;
        pairs.retain(|pair| pair.weight.abs() > least);
        let mut missing: Vec<usize> = features.continuous().missing().to_vec();
        missing.extend(features.unseen().iter().map(|c| c.column()));
        missing.sort_unstable();
        Self { origin: features.continuous().origin(z), features, missing, pairs, least }
    }

    fn find(&self, column: usize) -> Result<Place<'a>> {
        self.place(column)?;
        if let Ok(k) = self.features.continuous().missing().binary_search(&column) {
            return Ok(Place::Continuous(k));
        }
        let found = self.features.unseen().iter().find(|c| c.column() == column);
        found
            .map(|c| Place::Discrete(c))
            .ok_or_else(|| crate::error::bad("column", column, "a missing column"))
    }

    /// Mean and standard deviation of a continuous cell given the pair, before truncation.
    fn cell(&self, k: usize, pair: &Pair) -> (f64, f64) {
        let (l, v) = (self.features.continuous().l(), self.features.continuous().v());
        let mut mean = self.origin[k];
        let mut variance = 0.0;
        for i in 0..=k {
            mean += l[(k, i)] * 0.5 * (v[(i, pair.a)] + v[(i, pair.b)]);
            variance += l[(k, i)] * l[(k, i)];
        }
        (mean, variance.sqrt())
    }

    /// Sums `weight · term` over the pairs for a continuous cell; `term` gets the interval and `x` in units of the pair's normal.
    fn sum_cell(&self, k: usize, x: f64, term: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let block = self.features.continuous();
        self.pairs
            .iter()
            .map(|pair| {
                let (mean, deviation) = self.cell(k, pair);
                let (lo, hi) = block.seen_from(k, pair.a, pair.b);
                pair.weight * term(lo, hi, (x - mean) / deviation)
            })
            .sum()
    }

    fn atoms(&self, column: &DiscreteColumn, weights: &[f64]) -> Vec<(f64, f64)> {
        let mut sums = vec![0.0; column.atoms().len()];
        for (pair, weight) in self.pairs.iter().zip(weights) {
            for (sum, p) in sums.iter_mut().zip(shares(column, pair)) {
                *sum += weight * p;
            }
        }
        let total: f64 = sums.iter().map(|p| p.max(0.0)).sum();
        column.atoms().iter().zip(sums).map(|(&v, p)| (v, p.max(0.0) / total)).collect()
    }

    fn weights(&self) -> Vec<f64> {
        self.pairs.iter().map(|pair| pair.weight).collect()
    }

    /// Multiplies the weights by each pair's likelihood of the value drawn. If the sum is lost to rounding, only the pairs of an
    /// anchor with itself, which are never negative, are kept.
    fn reweigh(&self, weights: &mut [f64], likelihood: impl Fn(&Pair) -> f64) {
        let before = weights.to_vec();
        for (weight, pair) in weights.iter_mut().zip(&self.pairs) {
            *weight *= likelihood(pair);
        }
        let size: f64 = weights.iter().map(|w| w.abs()).sum();
        if weights.iter().sum::<f64>() <= f64::EPSILON * size {
            for (weight, pair) in weights.iter_mut().zip(&self.pairs) {
                if pair.a != pair.b {
                    *weight = 0.0;
                }
            }
        }
        let total: f64 = weights.iter().sum();
        if total > 0.0 {
            weights.iter_mut().for_each(|w| *w /= total);
        } else {
            weights.copy_from_slice(&before);
        }
    }

    /// The quantile of `u` of coordinate `y_k` under the mixture with these weights.
    fn draw_coordinate(&self, k: usize, weights: &[f64], u: f64) -> f64 {
        let block = self.features.continuous();
        let v = block.v();
        let parts: Vec<(f64, f64, Bounds)> = (self.pairs.iter().zip(weights))
            .filter(|(_, weight)| weight.abs() > self.least)
            .map(|(pair, &weight)| {
                let middle = 0.5 * (v[(k, pair.a)] + v[(k, pair.b)]);
                (weight, middle, block.seen_from(k, pair.a, pair.b))
            })
            .collect();
        if let [(_, middle, UNCUT)] = parts[..] {
            return middle + normal_quantile(u).max(-REACH);
        }
        let both = |y: f64| {
            let (mut cdf, mut density) = (0.0, 0.0);
            for &(weight, middle, (lo, hi)) in &parts {
                cdf += weight * cut_cdf(lo, hi, y - middle);
                density += weight * cut_pdf(lo, hi, y - middle);
            }
            Ok((cdf, density))
        };
        let least = parts.iter().map(|part| part.1).fold(f64::INFINITY, f64::min) - REACH;
        let most = parts.iter().map(|part| part.1).fold(f64::NEG_INFINITY, f64::max) + REACH;
        let bracket = clip((least, most), block.bounds()[k], REACH);
        // Start from the quantile of the untruncated normal with the same moments.
        let mean: f64 = parts.iter().map(|(weight, middle, _)| weight * middle).sum();
        let spread: f64 = parts.iter().map(|(weight, middle, _)| weight * (middle - mean).powi(2)).sum();
        let guess = |score: f64| mean + (1.0 + spread).max(0.1).sqrt() * score;
        invert_from(guess, u, bracket, both).unwrap_or(0.5 * (bracket.0 + bracket.1))
    }

    /// Builds the missing cells, in column order, from the coordinates `y` and the discrete cells' values.
    fn assemble(&self, y: &[f64], discrete: &[f64]) -> Vec<f64> {
        let block = self.features.continuous();
        let mut out = vec![0.0; self.missing.len()];
        for (k, &column) in block.missing().iter().enumerate() {
            let x = self.origin[k] + (0..=k).map(|i| block.l()[(k, i)] * y[i]).sum::<f64>();
            out[self.slot(column)] = x;
        }
        for (column, value) in self.features.unseen().iter().zip(discrete) {
            out[self.slot(column.column())] = *value;
        }
        out
    }

    fn slot(&self, column: usize) -> usize {
        self.missing.partition_point(|&j| j < column)
    }

    /// Given the pair: the mean of every missing cell, the variances of the coordinates `y`, and the variances of the discrete cells.
    fn pair_moments(&self, pair: &Pair) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let block = self.features.continuous();
        let v = block.v();
        let (y, spread): (Vec<f64>, Vec<f64>) = (0..v.nrows())
            .map(|k| {
                let (lo, hi) = block.seen_from(k, pair.a, pair.b);
                let (mean, variance) =
                    if lo.is_infinite() && hi.is_infinite() { (0.0, 1.0) } else { cut_moments(lo, hi) };
                (0.5 * (v[(k, pair.a)] + v[(k, pair.b)]) + mean, variance)
            })
            .unzip();
        let (discrete, variances): (Vec<f64>, Vec<f64>) = self
            .features
            .unseen()
            .iter()
            .map(|column| {
                let p = shares(column, pair);
                let mean: f64 = p.iter().zip(column.atoms()).map(|(p, v)| p * v).sum();
                (mean, p.iter().zip(column.atoms()).map(|(p, v)| p * (v - mean).powi(2)).sum::<f64>())
            })
            .unzip();
        (self.assemble(&y, &discrete), spread, variances)
    }
}

impl Conditional for PairConditional<'_> {
    fn missing(&self) -> &[usize] {
        &self.missing
    }

    fn has_labels(&self, column: usize) -> bool {
        self.features.unseen().iter().any(|c| c.column() == column && c.has_labels())
    }

    fn mean(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.missing.len()];
        for pair in &self.pairs {
            let (mean, _, _) = self.pair_moments(pair);
            out.iter_mut().zip(mean).for_each(|(sum, m)| *sum += pair.weight * m);
        }
        for column in self.features.unseen().iter().filter(|c| c.has_labels()) {
            out[self.slot(column.column())] = most_probable(&self.atoms(column, &self.weights()));
        }
        out
    }

    /// `Σ ω [cov given the pair + (m - m̄)(m - m̄)']`.
    fn covariance(&self) -> Mat<f64> {
        let block = self.features.continuous();
        let n = self.missing.len();
        let parts: Vec<_> = self.pairs.iter().map(|pair| (pair.weight, self.pair_moments(pair))).collect();
        let mean: Vec<f64> = (0..n).map(|i| parts.iter().map(|(w, (m, _, _))| w * m[i]).sum()).collect();
        let mut out = Mat::from_fn(n, n, |i, j| {
            parts.iter().map(|(w, (m, _, _))| w * (m[i] - mean[i]) * (m[j] - mean[j])).sum::<f64>()
        });
        let y: Vec<f64> =
            (0..block.missing().len()).map(|k| parts.iter().map(|(w, (_, s, _))| w * s[k]).sum()).collect();
        for (k, &p) in block.missing().iter().enumerate() {
            for (i, &q) in block.missing().iter().enumerate() {
                let within: f64 = (0..=k.min(i)).map(|c| block.l()[(k, c)] * block.l()[(i, c)] * y[c]).sum();
                out[(self.slot(p), self.slot(q))] += within;
            }
        }
        for (c, column) in self.features.unseen().iter().enumerate() {
            let slot = self.slot(column.column());
            out[(slot, slot)] += parts.iter().map(|(w, (_, _, v))| w * v[c]).sum::<f64>();
            if column.has_labels() {
                out.row_mut(slot).iter_mut().for_each(|x| *x = f64::NAN);
                out.col_mut(slot).iter_mut().for_each(|x| *x = f64::NAN);
            }
        }
        out
    }

    fn cdf(&self, column: usize, x: f64) -> Result<f64> {
        let value = match self.find(column)? {
            Place::Continuous(k) => self.sum_cell(k, x, cut_cdf),
            Place::Discrete(c) => {
                self.atoms(c, &self.weights()).iter().filter(|atom| atom.0 <= x).map(|a| a.1).sum()
            }
        };
        Ok(value.clamp(0.0, 1.0))
    }

    fn density(&self, column: usize, x: f64) -> Result<f64> {
        let value = match self.find(column)? {
            Place::Continuous(k) => {
                // All pairs have the same deviation: it depends only on the pattern.
                let deviation = self.pairs.first().map_or(1.0, |pair| self.cell(k, pair).1);
                self.sum_cell(k, x, cut_pdf) / deviation
            }
            Place::Discrete(c) => {
                self.atoms(c, &self.weights()).iter().filter(|atom| atom.0 == x).map(|a| a.1).sum()
            }
        };
        Ok(value.max(0.0))
    }

    fn probabilities(&self, column: usize) -> Result<Option<Vec<(f64, f64)>>> {
        Ok(match self.find(column)? {
            Place::Continuous(_) => None,
            Place::Discrete(c) => Some(self.atoms(c, &self.weights())),
        })
    }

    fn support(&self, column: usize) -> Result<(f64, f64)> {
        match self.find(column)? {
            Place::Continuous(k) => {
                let ends = self.pairs.iter().map(|pair| self.cell(k, pair)).fold(
                    (f64::INFINITY, f64::NEG_INFINITY),
                    |(lo, hi), (mean, deviation)| {
                        (lo.min(mean - REACH * deviation), hi.max(mean + REACH * deviation))
                    },
                );
                let scale = self.features.continuous().l()[(k, k)];
                let (lo, hi) = self.features.continuous().bounds()[k];
                Ok(clip(ends, (lo * scale, hi * scale), REACH * scale))
            }
            Place::Discrete(c) => {
                let atoms = c.atoms();
                Ok((atoms[0], atoms[atoms.len() - 1]))
            }
        }
    }

    fn within(&self, column: usize, limits: (f64, f64)) -> Result<Piece> {
        Ok(match self.find(column)? {
            Place::Continuous(k) => {
                let block = self.features.continuous();
                Piece::sum(self.pairs.iter().map(|pair| {
                    let cut = block.seen_from(k, pair.a, pair.b);
                    (pair.weight, Piece::of_normal(self.cell(k, pair), cut, limits))
                }))
            }
            Place::Discrete(c) => Piece::of_atoms(&self.atoms(c, &self.weights()), c.has_labels(), limits),
        })
    }

    fn mapped(&self, column: usize, lines: &[Line]) -> Result<Piece> {
        Ok(match self.find(column)? {
            Place::Continuous(k) => {
                let block = self.features.continuous();
                Piece::sum(self.pairs.iter().map(|pair| {
                    let cut = block.seen_from(k, pair.a, pair.b);
                    (pair.weight, Piece::of_normal_mapped(self.cell(k, pair), cut, lines))
                }))
            }
            Place::Discrete(c) => {
                let atoms = self.atoms(c, &self.weights());
                Piece::on_lines(lines, |limits| Piece::of_atoms(&atoms, c.has_labels(), limits))
            }
        })
    }

    fn draw(&self, rng: &mut dyn Rng) -> Vec<f64> {
        let block = self.features.continuous();
        let mut weights = self.weights();
        let mut y = Vec::with_capacity(block.missing().len());
        for k in 0..block.missing().len() {
            let value = self.draw_coordinate(k, &weights, rng.random());
            self.reweigh(&mut weights, |pair| {
                let (lo, hi) = block.seen_from(k, pair.a, pair.b);
                let middle = 0.5 * (block.v()[(k, pair.a)] + block.v()[(k, pair.b)]);
                cut_pdf(lo, hi, value - middle)
            });
            y.push(value);
        }
        let mut discrete = Vec::with_capacity(self.features.unseen().len());
        for column in self.features.unseen() {
            let value = among(&self.atoms(column, &weights), rng.random());
            if let Some(k) = column.position(value) {
                self.reweigh(&mut weights, |pair| shares(column, pair)[k]);
            }
            discrete.push(value);
        }
        self.assemble(&y, &discrete)
    }
}

/// Probabilities of a discrete cell's atoms given the pair.
fn shares(column: &DiscreteColumn, pair: &Pair) -> Vec<f64> {
    let logs = column.log_masses(pair.a, pair.b);
    let total = log_sum_exp(&logs);
    logs.iter().map(|log| (log - total).exp()).collect()
}

/// Intersects an interval with limits. If all pairs lie beyond a limit, their mass is within `reach` of it.
fn clip((mut lo, mut hi): (f64, f64), (least, most): (f64, f64), reach: f64) -> (f64, f64) {
    if least.is_finite() {
        hi = hi.max(least + reach);
    }
    if most.is_finite() {
        lo = lo.min(most - reach);
    }
    (lo.max(least), hi.min(most))
}
