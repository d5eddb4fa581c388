//! The E-step.
//!
//! A component's covariance `Σ` is inverted once, `P = Σ⁻¹`. Let `y` be a row less the component's mean, with zeros at its `m` missing
//! cells `N`, and `t = P y`. With the factor `P_NN = L L'` and `z = L⁻¹ t_N`,
//!
//! ```text
//! log p(x_S) = -½ (y't - |z|²) - ½ log|Σ| - log|L| - |S|/2 log 2π
//! E[y_N | x_S] = -L⁻ᵀ z        Cov[y_N | x_S] = (L L')⁻¹
//! ```
//!
//! so a row costs a share of the product `P Y` and `m³`, not `d³`. Where most cells are missing, or where a covariance is so ill-conditioned
//! that `y't - |z|²` would cancel, it is the observed block that is factored, `Σ_SS = L L'`: with `z = L⁻¹ y_S`,
//!
//! ```text
//! log p(x_S) = -½ |z|² - log|L| - |S|/2 log 2π
//! E[y_N | x_S] = Σ_NS L⁻ᵀ z    Cov[y_N | x_S] = Σ_NN - W'W,  W = L⁻¹ Σ_SN
//! ```
//!
//! Either way all components are factored side by side, in lanes. Sums of squares are products of matrices over a block of rows, and only
//! rows that have a share in the component take part.

use super::data::{BLOCK, Batch, Block, Em};
use super::maximise::Sums;
use super::{Component, Mixture};
use crate::linalg::{
    Cholesky, SmallFactor, add_square, column, column_mut, dot, factor_lanes, half_log_det_lanes,
    lower_product, packed_row, product, squares_lanes, trace, whiten_lanes, zeros,
};
use crate::{Error, Result};
use faer::{Accum, Mat};
use rayon::prelude::*;

const LOG_2PI: f64 = 1.837_877_066_409_345_5;
/// A row whose share in a component is smaller adds nothing to its sums.
const LEAST_SHARE: f64 = 1e-12;
/// The exponential of this does not change the last bit of one.
const NOTHING: f64 = -40.0;
/// Up to this `tr Σ tr P` (which is above the condition number) precisions are accurate enough.
const WORST_CONDITION: f64 = 1e10;
const WHAT: &str = "covariance of a component";

/// A mixture made ready for the E-step.
pub(super) struct Ready<'a> {
    pub(super) mixture: &'a Mixture,
    pub(super) parts: Vec<Part>,
    /// Whether precisions are accurate enough to work with.
    pub(super) well_conditioned: bool,
}

/// What one component needs.
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
    /// Every component's sums, and the log-likelihood in nats a row.
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
                for block in piece {
                    step.block(block, &mut desk)?;
                }
                Ok((desk.sums, desk.log_likelihood))
            })
            .collect::<Result<Vec<_>>>()?;
        let mut sums = vec![Sums::none(self); ready.parts.len()];
        let mut total = 0.0;
        for (part, log_likelihood) in parts {
            total += log_likelihood;
            sums.iter_mut().zip(part).for_each(|(sum, part)| sum.add(&part));
        }
        Ok((sums, total / self.rows))
    }
}

/// One E-step, with components in lanes of `W`; lanes left over hold identities.
struct Step<'a, const W: usize> {
    em: &'a Em<'a>,
    ready: &'a Ready<'a>,
    /// `P` by strips of `W` components: entry `(a, b)` of strip `c` is at `(c g + a) g + b`.
    precisions: Vec<[f64; W]>,
    /// `Σ`, the same way.
    covariances: Vec<[f64; W]>,
    /// For each component and discrete column, the log-density of each atom with respect to `ρ`.
    atoms: Vec<Vec<Vec<f64>>>,
}

/// What a piece is worked out on.
struct Desk<const W: usize> {
    sums: Vec<Sums>,
    log_likelihood: f64,
    /// `Y`, `g × BLOCK`.
    offsets: Mat<f64>,
    /// `P Y` of each component.
    pulled: Vec<Mat<f64>>,
    /// `y't` of each component and row.
    squares: Vec<Vec<f64>>,
    /// The rows that have a share in a component, filled and times the root of the share; how many there are.
    filled: Vec<(Mat<f64>, usize)>,
    /// Packed factors, a strip after the other.
    factors: Vec<[f64; W]>,
    /// `z`, a strip after the other.
    z: Vec<[f64; W]>,
    /// What a row's log-density under each component has of the batch.
    constants: Vec<f64>,
    /// A row's shares in the components.
    shares: Vec<f64>,
    /// The batch's.
    totals: Vec<f64>,
    /// For one component at a time.
    factor: SmallFactor,
    solved: Vec<f64>,
    covariance: Vec<f64>,
}

impl<const W: usize> Desk<W> {
    fn new(step: &Step<'_, W>) -> Self {
        let (g, count) = (step.em.continuous.len(), step.ready.parts.len());
        Self {
            sums: vec![Sums::none(step.em); count],
            log_likelihood: 0.0,
            offsets: zeros(g, BLOCK),
            pulled: vec![zeros(g, BLOCK); count],
            squares: vec![vec![0.0; BLOCK]; count],
            filled: vec![(zeros(g, BLOCK), 0); count],
            factors: Vec::new(),
            z: Vec::new(),
            constants: vec![0.0; count],
            shares: vec![0.0; count],
            totals: Vec::new(),
            factor: SmallFactor::default(),
            solved: Vec::new(),
            covariance: Vec::new(),
        }
    }
}

/// Which block of a batch's matrices is factored.
#[derive(Clone, Copy, PartialEq)]
enum Route {
    /// The missing one, of the precision.
    Missing,
    /// The observed one, of the covariance.
    Observed,
}

impl<'a, const W: usize> Step<'a, W> {
    fn new(em: &'a Em<'a>, ready: &'a Ready<'a>) -> Self {
        let components = &ready.mixture.components;
        let (g, count) = (em.continuous.len(), components.len());
        let lanes = |of: &dyn Fn(usize) -> &'a Mat<f64>| {
            let mut out = vec![[0.0; W]; count.div_ceil(W) * g * g];
            for k in 0..count.next_multiple_of(W) {
                let strip = &mut out[k / W * g * g..][..g * g];
                for (b, entries) in strip.chunks_exact_mut(g.max(1)).enumerate() {
                    for (a, entry) in entries.iter_mut().enumerate() {
                        entry[k % W] = if k < count { of(k)[(a, b)] } else { f64::from(a == b) };
                    }
                }
            }
            out
        };
        let atoms = |component: &Component| {
            let tables = component.tables.iter().zip(&em.discrete);
            tables
                .map(|(table, c)| table.iter().zip(&c.rho).map(|(p, rho)| (p / rho).ln()).collect())
                .collect()
        };
        let few = ready.well_conditioned;
        let many = !few || em.pieces.iter().flatten().flat_map(|b| &b.batches).any(|b| !b.few_gaps());
        Self {
            em,
            ready,
            precisions: if few { lanes(&|k| &ready.parts[k].precision) } else { Vec::new() },
            covariances: if many { lanes(&|k| &components[k].covariance) } else { Vec::new() },
            atoms: components.iter().map(atoms).collect(),
        }
    }

    fn route(&self, batch: &Batch) -> Route {
        if self.ready.well_conditioned && batch.few_gaps() { Route::Missing } else { Route::Observed }
    }

    fn block(&self, block: &Block, desk: &mut Desk<W>) -> Result<()> {
        if block.batches.iter().any(|batch| self.route(batch) == Route::Missing) {
            self.pull(block, desk);
        }
        let mut first = 0;
        for batch in &block.batches {
            self.batch(batch, first, desk)?;
            first += batch.rows.len();
        }
        for (sums, (filled, count)) in desk.sums.iter_mut().zip(&mut desk.filled) {
            let filled = filled.as_ref().subcols(0, *count);
            lower_product(sums.second.as_mut(), Accum::Add, filled, filled.transpose());
            *count = 0;
        }
        Ok(())
    }

    /// `P Y` and `y't` for all components.
    fn pull(&self, block: &Block, desk: &mut Desk<W>) {
        let n = block.rows().count();
        for (k, component) in self.ready.mixture.components.iter().enumerate() {
            for (i, row) in block.rows().enumerate() {
                let y = column_mut(desk.offsets.as_mut(), i);
                let cells = column(self.em.cells.as_ref(), row).iter().zip(&component.mean);
                y.iter_mut().zip(cells).for_each(|(y, (x, m))| *y = if x.is_nan() { 0.0 } else { x - m });
            }
            let y = desk.offsets.as_ref().subcols(0, n);
            product(desk.pulled[k].as_mut().subcols_mut(0, n), self.ready.parts[k].precision.as_ref(), y);
            for i in 0..n {
                desk.squares[k][i] = dot(column(y, i), column(desk.pulled[k].as_ref(), i));
            }
        }
    }

    /// The rows of one pattern; `first` is the place of the first of them in the block.
    fn batch(&self, batch: &Batch, first: usize, desk: &mut Desk<W>) -> Result<()> {
        let route = self.route(batch);
        let (matrices, places) = match route {
            Route::Missing => (&self.precisions, &batch.missing),
            Route::Observed => (&self.covariances, &batch.observed),
        };
        let (g, n, count) = (self.em.continuous.len(), places.len(), self.ready.parts.len());
        let (strips, size) = (count.div_ceil(W), packed_row(n));
        desk.factors.clear();
        for c in 0..strips {
            for (i, &p) in places.iter().enumerate() {
                let row = &matrices[(c * g + p) * g..][..g];
                desk.factors.extend(places[..=i].iter().map(|&q| row[q]));
            }
            let factor = &mut desk.factors[c * size..];
            factor_lanes(factor, n).map_err(|pivot| Error::NotPositiveDefinite { what: WHAT, pivot })?;
            let log_det = half_log_det_lanes(factor, n);
            for k in c * W..count.min(c * W + W) {
                let part = &self.ready.parts[k];
                let whole = if route == Route::Missing { 0.5 * part.log_det } else { 0.0 };
                desk.constants[k] = part.log_weight
                    - whole
                    - log_det[k - c * W]
                    - 0.5 * LOG_2PI * batch.observed.len() as f64;
            }
        }

        desk.totals.clear();
        desk.totals.resize(count, 0.0);
        for (i, &row) in (first..).zip(&batch.rows) {
            self.whiten(route, places, i, row, desk);
            for c in 0..strips {
                let squares = squares_lanes(&desk.z[c * n..][..n]);
                for k in c * W..count.min(c * W + W) {
                    let square = squares[k - c * W];
                    let distance = if route == Route::Missing { desk.squares[k][i] - square } else { square };
                    desk.shares[k] = desk.constants[k] - 0.5 * distance + self.discrete_log(k, row);
                }
            }
            desk.log_likelihood += self.em.weights[row] * to_shares(&mut desk.shares);
            for k in 0..count {
                if desk.shares[k] > 0.0 {
                    let share = self.em.weights[row] * desk.shares[k];
                    desk.totals[k] += share;
                    self.fill(route, batch, k, row, share, desk);
                }
            }
        }
        for k in 0..count {
            if desk.totals[k] > 0.0 && !batch.missing.is_empty() {
                self.spread(route, batch, k, desk);
            }
        }
        Ok(())
    }

    /// `z` of one row under all components.
    fn whiten(&self, route: Route, places: &[usize], i: usize, row: usize, desk: &mut Desk<W>) {
        let (n, count) = (places.len(), self.ready.parts.len());
        desk.z.clear();
        desk.z.resize(count.div_ceil(W) * n, [0.0; W]);
        let cells = column(self.em.cells.as_ref(), row);
        for k in 0..count {
            let z = desk.z[k / W * n..][..n].iter_mut().zip(places);
            match route {
                Route::Missing => {
                    let pulled = column(desk.pulled[k].as_ref(), i);
                    z.for_each(|(z, &p)| z[k % W] = pulled[p]);
                }
                Route::Observed => {
                    let mean = &self.ready.mixture.components[k].mean;
                    z.for_each(|(z, &p)| z[k % W] = cells[p] - mean[p]);
                }
            }
        }
        for c in 0..count.div_ceil(W) {
            whiten_lanes(&desk.factors[c * packed_row(n)..], &mut desk.z[c * n..][..n]);
        }
    }

    /// Adds a row, its missing cells at their conditional means, to what a component sums up.
    fn fill(&self, route: Route, batch: &Batch, k: usize, row: usize, share: f64, desk: &mut Desk<W>) {
        let component = &self.ready.mixture.components[k];
        let n = if route == Route::Missing { batch.missing.len() } else { batch.observed.len() };
        let Desk { factor, solved, .. } = desk;
        factor.take_lane(&desk.factors[k / W * packed_row(n)..], k % W, n);
        solved.clear();
        solved.extend(desk.z[k / W * n..][..n].iter().map(|z| z[k % W]));
        factor.whiten_transposed(solved);
        let (filled, used) = &mut desk.filled[k];
        let y = column_mut(filled.as_mut(), *used);
        *used += 1;
        let cells = column(self.em.cells.as_ref(), row);
        batch.observed.iter().for_each(|&p| y[p] = cells[p] - component.mean[p]);
        match route {
            Route::Missing => batch.missing.iter().zip(&*solved).for_each(|(&p, x)| y[p] = -x),
            Route::Observed => {
                for &p in &batch.missing {
                    let to = column(component.covariance.as_ref(), p);
                    y[p] = batch.observed.iter().zip(&*solved).map(|(&q, x)| to[q] * x).sum();
                }
            }
        }
        let (sums, root) = (&mut desk.sums[k], share.sqrt());
        sums.weight += share;
        for (sum, y) in sums.first.iter_mut().zip(y) {
            *sum += share * *y;
            *y *= root;
        }
        for ((counts, table), column) in sums.tables.iter_mut().zip(&component.tables).zip(&self.em.discrete)
        {
            match column.seen[row] {
                Some(atom) => counts[atom] += share,
                None => counts.iter_mut().zip(table).for_each(|(t, p)| *t += share * p),
            }
        }
    }

    /// Adds the conditional covariance of the missing cells, as often as the batch has a share in the component.
    fn spread(&self, route: Route, batch: &Batch, k: usize, desk: &mut Desk<W>) {
        let missing = &batch.missing;
        let n = if route == Route::Missing { missing.len() } else { batch.observed.len() };
        let Desk { factor, solved, covariance: packed, .. } = desk;
        factor.take_lane(&desk.factors[k / W * packed_row(n)..], k % W, n);
        let times = match route {
            Route::Missing => {
                factor.inverse(solved, packed);
                desk.totals[k]
            }
            Route::Observed => {
                let sigma = self.ready.mixture.components[k].covariance.as_ref();
                solved.clear();
                batch.observed.iter().for_each(|&p| solved.extend(missing.iter().map(|&q| sigma[(q, p)])));
                factor.whiten_rows(solved, missing.len());
                packed.clear();
                for (a, &p) in missing.iter().enumerate() {
                    packed.extend(missing[..=a].iter().map(|&q| -sigma[(q, p)]));
                }
                solved.chunks_exact(missing.len()).for_each(|row| add_square(packed, row));
                -desk.totals[k]
            }
        };
        for (b, &q) in missing.iter().enumerate() {
            let to = column_mut(desk.sums[k].second.as_mut(), q);
            for (a, &p) in missing.iter().enumerate().skip(b) {
                to[p] += times * packed[packed_row(a) + b];
            }
        }
    }

    /// The log-density of a row's observed discrete cells with respect to `ρ`.
    fn discrete_log(&self, k: usize, row: usize) -> f64 {
        let seen = self.em.discrete.iter().zip(&self.atoms[k]);
        seen.filter_map(|(column, logs)| column.seen[row].map(|atom| logs[atom])).sum()
    }
}

/// Makes shares of log-densities, zero where they are too small to count, and returns the logarithm of their sum.
fn to_shares(logs: &mut [f64]) -> f64 {
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for log in logs.iter_mut() {
        // An exponential that underflows takes ten times as long, and most rows are far from most components.
        *log = if *log - top < NOTHING { 0.0 } else { (*log - top).exp() };
        sum += *log;
    }
    for share in logs.iter_mut() {
        *share = if *share < LEAST_SHARE * sum { 0.0 } else { *share / sum };
    }
    top + sum.ln()
}
