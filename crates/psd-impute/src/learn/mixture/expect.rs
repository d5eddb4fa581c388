//! The E-step.
//!
//! The covariance `Σ` of a component is inverted once, `P = Σ⁻¹`. Let `y` be a row minus the component's mean, with zeros at its `m`
//! missing cells `N`, and `t = P y`. With the factor `P_NN = L L'` and `z = L⁻¹ t_N`,
//!
//! ```text
//! log p(x_S) = -½ (y't - |z|²) - ½ log|Σ| - log|L| - |S|/2 log 2π
//! E[y_N | x_S] = -L⁻ᵀ z        Cov[y_N | x_S] = (L L')⁻¹
//! ```
//!
//! so a row costs `d²`, and a pattern `m³`, not `d³`. If most cells are missing, or a covariance is so ill-conditioned that
//! `y't - |z|²` would cancel, the observed block is factored instead, `Σ_SS = L L'`: with `z = L⁻¹ y_S`,
//!
//! ```text
//! log p(x_S) = -½ |z|² - log|L| - |S|/2 log 2π
//! E[y_N | x_S] = Σ_NS L⁻ᵀ z    Cov[y_N | x_S] = Σ_NN - W'W,  W = L⁻¹ Σ_SN
//! ```
//!
//! Either way components are processed in strips of `W`, entry by entry side by side, so that vector registers are full however small the
//! matrices are. A row adds only to the sums of the components in which it has a share.
//!
//! The log-densities of labels are known before, and their expected counts computed after the rows, for each distinct combination of labels
//! ([`labels`](super::labels)).

use super::data::{Batch, Em};
use super::gather::Gather;
use super::maximise::Sums;
use super::{Component, Mixture};
use crate::linalg::{
    Cholesky, add_square_lanes, column, column_mut, factor_lanes, half_log_det_lanes, inverse_lanes,
    packed_row, product, squares_lanes, trace, whiten_lanes, whiten_rows_lanes, whiten_transposed_lanes,
    zeros,
};
use crate::{Error, Result};
use faer::Mat;
use rayon::prelude::*;

const LOG_2PI: f64 = 1.837_877_066_409_345_5;
/// Smaller shares of a row in a component are set to zero. Arbitrary.
pub(super) const LEAST_SHARE: f64 = 1e-6;
/// `exp(-40) ≈ 4e-18` does not change the last bit of one.
const NOTHING: f64 = -40.0;
/// Up to this value of `tr Σ tr P`, an upper bound of the condition number, precisions are accurate enough. Arbitrary.
const WORST_CONDITION: f64 = 1e10;
const WHAT: &str = "covariance of a component";

/// A mixture prepared for the E-step.
pub(super) struct Ready<'a> {
    pub(super) mixture: &'a Mixture,
    pub(super) parts: Vec<Part>,
    /// Whether the precisions are accurate enough to be used.
    pub(super) well_conditioned: bool,
}

/// Quantities derived from one component.
pub(super) struct Part {
    pub(super) precision: Mat<f64>,
    pub(super) log_det: f64,
    log_weight: f64,
}

impl<'a> Ready<'a> {
    pub(super) fn new(mixture: &'a Mixture) -> Result<Self> {
        let parts = mixture.components.iter().map(Part::new).collect::<Result<Vec<_>>>()?;
        let condition =
            |(c, p): (&Component, &Part)| trace(c.covariance.as_ref()) * trace(p.precision.as_ref());
        let well_conditioned =
            mixture.components.iter().zip(&parts).map(condition).all(|x| x < WORST_CONDITION);
        Ok(Self { mixture, parts, well_conditioned })
    }
}

impl Part {
    fn new(component: &Component) -> Result<Self> {
        let factor = Cholesky::new(component.covariance.clone(), WHAT)?;
        let g = component.mean.len();
        let mut root = zeros(g, g);
        root.diagonal_mut().fill(1.0);
        factor.whiten(root.as_mut());
        let mut precision = zeros(g, g);
        product(precision.as_mut(), root.transpose(), root.as_ref());
        Ok(Self { precision, log_det: factor.log_det(), log_weight: component.weight.ln() })
    }
}

impl Em<'_> {
    /// The sums of every component, and the log-likelihood in nats per row.
    pub(super) fn expect(&self, ready: &Ready<'_>) -> Result<(Vec<Sums>, f64)> {
        match ready.parts.len() {
            1 => self.expect_lanes::<1>(ready),
            2 => self.expect_lanes::<2>(ready),
            3 | 4 => self.expect_lanes::<4>(ready),
            _ => self.expect_lanes::<8>(ready),
        }
    }

    fn expect_lanes<const W: usize>(&self, ready: &Ready<'_>) -> Result<(Vec<Sums>, f64)> {
        let step = Step::<W>::new(self, ready);
        let parts = self
            .pieces
            .par_iter()
            .map(|piece| {
                let mut desk = Desk::new(&step);
                pulp::Arch::new().dispatch(Work { step: &step, piece, desk: &mut desk })?;
                Ok(desk)
            })
            .collect::<Result<Vec<_>>>()?;
        let mut sums = vec![Sums::none(self); ready.parts.len()];
        let mut shares = vec![vec![0.0; self.labels.combinations.len()]; ready.parts.len()];
        let mut total = 0.0;
        for desk in parts {
            total += desk.log_likelihood;
            sums.iter_mut().zip(desk.sums).for_each(|(sum, part)| sum.add(&part.sums));
            desk.label_shares.iter().for_each(|&(at, k, share)| shares[k][at] += share);
        }
        let tables = self.labels.counts(&ready.mixture.components, &shares);
        sums.iter_mut().zip(tables).for_each(|(sum, tables)| sum.tables = tables);
        Ok((sums, total / self.rows))
    }
}

/// One E-step, with components in strips of `W`; unused lanes hold identities. Within a strip's matrices, entry `(a, b)` is at `a g + b`.
struct Step<'a, const W: usize> {
    em: &'a Em<'a>,
    ready: &'a Ready<'a>,
    /// Number of strips.
    strips: usize,
    means: Vec<[f64; W]>,
    /// `P`, strip by strip.
    precisions: Vec<[f64; W]>,
    /// `Σ`, strip by strip.
    covariances: Vec<[f64; W]>,
    /// For each component, the log-density of each combination of labels.
    labels: Vec<Vec<f64>>,
}

/// Working memory for one piece.
struct Desk<const W: usize> {
    sums: Vec<Gather>,
    log_likelihood: f64,
    /// Combinations of labels, components, and the shares of rows in them.
    label_shares: Vec<(usize, usize, f64)>,
    /// Packed factors for the batch, strip by strip.
    factors: Vec<[f64; W]>,
    /// The part of a row's log-density under each component that is the same for the whole batch.
    constants: Vec<f64>,
    /// `y` of one row, strip by strip; later its missing cells are filled in.
    y: Vec<[f64; W]>,
    /// `z` of the row, strip by strip.
    z: Vec<[f64; W]>,
    /// Shares of the row in the components, and their sums over the batch.
    shares: Vec<f64>,
    totals: Vec<f64>,
    /// Scratch space for one strip.
    solved: Vec<[f64; W]>,
    packed: Vec<[f64; W]>,
}

impl<const W: usize> Desk<W> {
    fn new(step: &Step<'_, W>) -> Self {
        let (g, count) = (step.em.continuous.len(), step.ready.parts.len());
        Self {
            sums: (0..count).map(|_| Gather::new(step.em)).collect(),
            log_likelihood: 0.0,
            label_shares: Vec::new(),
            factors: Vec::new(),
            constants: vec![0.0; count],
            y: vec![[0.0; W]; step.strips * g],
            z: Vec::new(),
            shares: vec![0.0; count],
            totals: Vec::new(),
            solved: Vec::new(),
            packed: Vec::new(),
        }
    }
}

/// The work on one piece. Whatever is inlined into it is compiled for the widest registers of the machine.
struct Work<'a, const W: usize> {
    step: &'a Step<'a, W>,
    piece: &'a [Batch],
    desk: &'a mut Desk<W>,
}

impl<const W: usize> pulp::WithSimd for Work<'_, W> {
    type Output = Result<()>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Result<()> {
        for batch in self.piece {
            self.step.batch(batch, self.desk)?;
        }
        // Not a closure: that would be compiled for the smallest registers.
        for gather in &mut self.desk.sums {
            gather.flush();
        }
        Ok(())
    }
}

/// The block of a batch's matrices that is factored.
#[derive(Clone, Copy, PartialEq)]
enum Route {
    /// The missing block of the precision.
    Missing,
    /// The observed block of the covariance.
    Observed,
}

impl Route {
    /// The columns of the block.
    fn places(self, batch: &Batch) -> &[usize] {
        if self == Self::Missing { &batch.missing } else { &batch.observed }
    }
}

impl<'a, const W: usize> Step<'a, W> {
    fn new(em: &'a Em<'a>, ready: &'a Ready<'a>) -> Self {
        let components = &ready.mixture.components;
        let (g, count) = (em.continuous.len(), components.len());
        let strips = count.div_ceil(W);
        // Interleaves `of(k, e)`, entry `e` of component `k`; each component has `size` entries.
        let lanes = |size: usize, of: &dyn Fn(usize, usize) -> f64| {
            let entry = |at: usize| {
                let (c, e) = (at / size, at % size);
                std::array::from_fn(|w| of(c * W + w, e))
            };
            (0..strips * size).map(entry).collect::<Vec<_>>()
        };
        let matrices = |of: &dyn Fn(usize) -> &'a Mat<f64>| {
            lanes(g * g, &|k, e| {
                let (a, b) = (e / g, e % g);
                if k < count { of(k)[(a, b)] } else { f64::from(a == b) }
            })
        };
        let few = ready.well_conditioned;
        let many = !few || em.pieces.iter().flatten().any(|b| !b.few_gaps());
        Self {
            em,
            ready,
            strips,
            means: lanes(g, &|k, e| if k < count { components[k].mean[e] } else { 0.0 }),
            precisions: if few { matrices(&|k| &ready.parts[k].precision) } else { Vec::new() },
            covariances: if many { matrices(&|k| &components[k].covariance) } else { Vec::new() },
            labels: if em.labels.any() { em.labels.logs(components) } else { Vec::new() },
        }
    }

    fn route(&self, batch: &Batch) -> Route {
        if self.ready.well_conditioned && batch.few_gaps() { Route::Missing } else { Route::Observed }
    }

    /// A strip of the matrices to be factored.
    fn strip(&self, route: Route, c: usize) -> &[[f64; W]] {
        let (matrices, g) =
            (if route == Route::Missing { &self.precisions } else { &self.covariances }, self.g());
        &matrices[c * g * g..][..g * g]
    }

    fn g(&self) -> usize {
        self.em.continuous.len()
    }

    /// The components of a strip.
    fn components(&self, c: usize) -> std::ops::Range<usize> {
        c * W..self.ready.parts.len().min(c * W + W)
    }

    /// Processes the rows of one batch.
    #[inline(always)]
    fn batch(&self, batch: &Batch, desk: &mut Desk<W>) -> Result<()> {
        let route = self.route(batch);
        self.factor(route, batch, desk)?;
        desk.totals.clear();
        desk.totals.resize(self.ready.parts.len(), 0.0);
        for &row in &batch.rows {
            let weight = self.em.weights[row];
            for c in 0..self.strips {
                self.weigh(route, batch, c, row, desk);
            }
            desk.log_likelihood += weight * to_shares(&mut desk.shares);
            for c in 0..self.strips {
                if self.components(c).any(|k| desk.shares[k] > 0.0) {
                    self.fill(route, batch, c, desk);
                    for k in self.components(c) {
                        self.add(k, row, weight * desk.shares[k], desk);
                    }
                }
            }
        }
        for c in 0..self.strips {
            if self.components(c).any(|k| desk.totals[k] > 0.0) && !batch.missing.is_empty() {
                self.spread(route, batch, c, desk);
            }
        }
        Ok(())
    }

    /// Computes the factors for a pattern, and the constants derived from them.
    #[inline(always)]
    fn factor(&self, route: Route, batch: &Batch, desk: &mut Desk<W>) -> Result<()> {
        let (g, places) = (self.g(), route.places(batch));
        desk.factors.clear();
        for c in 0..self.strips {
            let (matrices, start) = (self.strip(route, c), desk.factors.len());
            for (i, &p) in places.iter().enumerate() {
                let row = &matrices[p * g..][..g];
                desk.factors.extend(places[..=i].iter().map(|&q| row[q]));
            }
            let (factor, n) = (&mut desk.factors[start..], places.len());
            factor_lanes(factor, n).map_err(|pivot| Error::NotPositiveDefinite { what: WHAT, pivot })?;
            let log_det = half_log_det_lanes(factor, n);
            for k in self.components(c) {
                let part = &self.ready.parts[k];
                let whole = if route == Route::Missing { 0.5 * part.log_det } else { 0.0 };
                desk.constants[k] = part.log_weight
                    - whole
                    - log_det[k - c * W]
                    - 0.5 * LOG_2PI * batch.observed.len() as f64;
            }
        }
        Ok(())
    }

    /// Computes `y`, `z` and the log-densities of a row under the components of a strip.
    #[inline(always)]
    fn weigh(&self, route: Route, batch: &Batch, c: usize, row: usize, desk: &mut Desk<W>) {
        let (g, n) = (self.g(), route.places(batch).len());
        let (cells, means) = (column(self.em.cells.as_ref(), row), &self.means[c * g..][..g]);
        let y = &mut desk.y[c * g..][..g];
        for &p in &batch.observed {
            for w in 0..W {
                y[p][w] = cells[p] - means[p][w];
            }
        }
        desk.z.resize(self.strips * n, [0.0; W]);
        let z = &mut desk.z[c * n..][..n];
        let mut squares = [0.0; W];
        match route {
            Route::Missing => {
                let precision = self.strip(route, c);
                squares = quadratic(precision, &batch.observed, y);
                for (z, &p) in z.iter_mut().zip(&batch.missing) {
                    *z = sum_of(&precision[p * g..][..g], &batch.observed, y);
                }
            }
            Route::Observed => z.iter_mut().zip(&batch.observed).for_each(|(z, &p)| *z = y[p]),
        }
        whiten_lanes(&desk.factors[c * packed_row(n)..], z);
        let whitened = squares_lanes(z);
        for k in self.components(c) {
            let (square, z) = (squares[k - c * W], whitened[k - c * W]);
            let distance = if route == Route::Missing { square - z } else { z };
            desk.shares[k] = desk.constants[k] - 0.5 * distance + self.discrete_log(k, row);
        }
    }

    /// Fills the missing cells of a row with their conditional means under the components of a strip.
    #[inline(always)]
    fn fill(&self, route: Route, batch: &Batch, c: usize, desk: &mut Desk<W>) {
        let (g, n) = (self.g(), route.places(batch).len());
        let (y, z) = (&mut desk.y[c * g..][..g], &mut desk.z[c * n..][..n]);
        whiten_transposed_lanes(&desk.factors[c * packed_row(n)..], z);
        match route {
            Route::Missing => {
                for (z, &p) in z.iter().zip(&batch.missing) {
                    for w in 0..W {
                        y[p][w] = -z[w];
                    }
                }
            }
            Route::Observed => {
                let covariance = self.strip(route, c);
                for &p in &batch.missing {
                    let (row, mut sum) = (&covariance[p * g..][..g], [0.0; W]);
                    for (z, &q) in z.iter().zip(&batch.observed) {
                        for w in 0..W {
                            sum[w] += row[q][w] * z[w];
                        }
                    }
                    y[p] = sum;
                }
            }
        }
    }

    /// Adds a filled row to the sums of a component.
    #[inline(always)]
    fn add(&self, k: usize, row: usize, share: f64, desk: &mut Desk<W>) {
        if share <= 0.0 {
            return;
        }
        let (g, gather) = (self.g(), &mut desk.sums[k]);
        desk.totals[k] += share;
        gather.add(share, desk.y[k / W * g..][..g].iter().map(|y| y[k % W]));
        if !self.labels.is_empty() {
            desk.label_shares.push((self.em.labels.of_row[row], k, share));
        }
    }

    /// Adds the conditional covariances of the missing cells, times the batch's total share in each component of a strip.
    #[inline(always)]
    fn spread(&self, route: Route, batch: &Batch, c: usize, desk: &mut Desk<W>) {
        let (g, missing, n) = (self.g(), &batch.missing, route.places(batch).len());
        let Desk { solved, packed, .. } = desk;
        let factor = &desk.factors[c * packed_row(n)..][..packed_row(n)];
        let sign = match route {
            Route::Missing => {
                inverse_lanes(factor, n, solved, packed);
                1.0
            }
            Route::Observed => {
                let row = |p: usize| &self.strip(route, c)[p * g..][..g];
                solved.clear();
                batch.observed.iter().for_each(|&p| solved.extend(missing.iter().map(|&q| row(p)[q])));
                whiten_rows_lanes(factor, n, solved, missing.len());
                packed.clear();
                for (a, &p) in missing.iter().enumerate() {
                    packed.extend(missing[..=a].iter().map(|&q| row(p)[q].map(|x| -x)));
                }
                solved.chunks_exact(missing.len()).for_each(|row| add_square_lanes(packed, row));
                -1.0
            }
        };
        for k in self.components(c) {
            let times = sign * desk.totals[k];
            if times == 0.0 {
                continue;
            }
            for (b, &q) in missing.iter().enumerate() {
                let to = column_mut(desk.sums[k].sums.second.as_mut(), q);
                for (a, &p) in missing.iter().enumerate().skip(b) {
                    to[p] += times * packed[packed_row(a) + b][k % W];
                }
            }
        }
    }

    /// The log-density of a row's observed discrete cells with respect to `ρ`.
    fn discrete_log(&self, k: usize, row: usize) -> f64 {
        self.labels.get(k).map_or(0.0, |logs| logs[self.em.labels.of_row[row]])
    }
}

/// `Σ_q row_q y_q` over the given positions.
#[inline(always)]
fn sum_of<const W: usize>(row: &[[f64; W]], places: &[usize], y: &[[f64; W]]) -> [f64; W] {
    let mut sum = [0.0; W];
    for &q in places {
        for w in 0..W {
            sum[w] += row[q][w] * y[q][w];
        }
    }
    sum
}

/// `y'My` over the given positions, for `W` symmetric matrices.
#[inline(always)]
fn quadratic<const W: usize>(matrices: &[[f64; W]], places: &[usize], y: &[[f64; W]]) -> [f64; W] {
    let mut sum = [0.0; W];
    for (i, &p) in places.iter().enumerate() {
        let row = &matrices[p * y.len()..][..y.len()];
        let below = sum_of(row, &places[..i], y);
        for w in 0..W {
            sum[w] += y[p][w] * (2.0 * below[w] + row[p][w] * y[p][w]);
        }
    }
    sum
}

/// Turns log-densities into shares that sum to one, with negligible ones set to zero. Returns the logarithm of the sum of the densities.
fn to_shares(logs: &mut [f64]) -> f64 {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for log in logs.iter_mut() {
        // An exponential that underflows takes ten times as long, and most rows are far from most components.
        *log = if *log - top < NOTHING { 0.0 } else { (*log - top).exp() };
        sum += *log;
    }
    let mut kept = 0.0;
    for share in logs.iter_mut() {
        *share = if *share < LEAST_SHARE * sum { 0.0 } else { *share };
        kept += *share;
    }
    logs.iter_mut().for_each(|share| *share /= kept);
    top + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_to_one_without_those_too_small_to_count() {
        let mut shares = [-3.0, -1.0, -25.0, f64::NEG_INFINITY, -1.5];
        let expected = shares.iter().map(|log| log.exp()).sum::<f64>().ln();
        assert!((to_shares(&mut shares) - expected).abs() < 1e-15);
        assert_eq!(shares[2..4], [0.0; 2]);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((shares[0] / shares[1] - (-2.0f64).exp()).abs() < 1e-15);
    }
}
