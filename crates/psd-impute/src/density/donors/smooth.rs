//! A continuous column of the donors.
//!
//! Donor `i` holds a value `v` and a variance `s²`: `s = 0` for an observed cell; for a missing one, mean and variance of another model's
//! predictive distribution. With the column's marginal density `m`
//!
//! ```text
//! k(x)/m(x) = c_0 + [c_1 N(x; v, h_1² + s²) + c_2 N(x; v, h_2² + s²)] / m(x)
//! ```
//!
//! with the shares of background, narrow and broad kernel.

use super::super::piece::Piece;
use super::column::KernelColumn;
use super::marginal::{Marginal, normal, step};
use super::pieces::{KeptPieces, Pieces};
use crate::error::{bad, non_negative, positive};
use crate::kernel::truncated::{LOG_SQRT_2PI, cdf, pdf};
use crate::linalg::{add_equal_normals, add_normals, normal_slopes};
use crate::table::{Line, Resolution};
use crate::{Error, Result};
use rand::{Rng, RngExt};
use std::ops::Range;
use std::sync::Arc;

/// The kernel of a continuous column: background, narrow and broad part.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SmoothKernel {
    /// `h_1 ≤ h_2`.
    pub(crate) widths: [f64; 2],
    /// `c_0, c_1, c_2`: background, narrow, broad; they sum to one.
    pub(crate) shares: [f64; 3],
}

/// A continuous column of the donors. Copies share the cells.
#[derive(Debug, Clone)]
pub(crate) struct SmoothColumn {
    pub(crate) kernel: SmoothKernel,
    cells: Arc<Cells>,
    /// `1/√(h² + s²)` for the missing cells, for both widths.
    scales: [Vec<f64>; 2],
    pieces: Arc<KeptPieces>,
}

/// The numbers that make up a continuous column, as written to a model file.
pub(crate) struct SmoothParts {
    pub(crate) values: Vec<f64>,
    /// Zero where the cell was observed.
    pub(crate) variances: Vec<f64>,
    /// Lower limit of the widths of kernels.
    pub(crate) floor: f64,
    pub(crate) kernel: SmoothKernel,
}

#[derive(Debug)]
struct Cells {
    /// The distinct cells, so that a kernel is evaluated once for each: the observed values, increasing, then every missing cell.
    values: Vec<f64>,
    /// Zero where the cell was observed.
    variances: Vec<f64>,
    /// Number of distinct observed values.
    observed: usize,
    /// For each donor, the position of its cell among the distinct ones.
    held: Vec<u32>,
    marginal: Marginal,
    /// Lower limit of the widths of kernels.
    floor: f64,
    /// The column's position in the table, and the bins of its repeated values.
    column: usize,
    resolution: Arc<Resolution>,
}

impl Cells {
    fn value(&self, donor: usize) -> f64 {
        self.values[self.held[donor] as usize]
    }

    fn variance(&self, donor: usize) -> f64 {
        self.variances[self.held[donor] as usize]
    }
}

/// A value and, if it stands for one, its bin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Query {
    pub(super) x: f64,
    pub(super) cell: Option<(f64, f64)>,
}

impl Query {
    /// The factor that turns the density at the query into the probability of its bin: the bin's length, or one without a bin. `None` if the
    /// bin is wider than 0.7 deviations (arbitrary), where this is not accurate.
    fn length(&self, deviation: f64) -> Option<f64> {
        let length = self.cell.map_or(1.0, |(lo, hi)| hi - lo);
        (self.cell.is_none() || length <= 0.7 * deviation).then_some(length)
    }

    /// The density at the query, or probability of its bin, under a normal around `v`, and its derivative with respect to the deviation.
    fn normal(&self, v: f64, deviation: f64) -> (f64, f64) {
        let Some(length) = self.length(deviation) else {
            let (lo, hi) = self.cell.unwrap_or((self.x, self.x));
            let (a, b) = ((lo - v) / deviation, (hi - v) / deviation);
            // Use the left tail, where `Φ` is accurate.
            let mass = if a > 0.0 { cdf(-a) - cdf(-b) } else { cdf(b) - cdf(a) };
            let slope = |t: f64| if t.is_infinite() { 0.0 } else { t * pdf(t) };
            return (mass.max(0.0), (slope(a) - slope(b)) / deviation);
        };
        let t = (self.x - v) / deviation;
        if t * t > 200.0 {
            return (0.0, 0.0);
        }
        let value = length * (-0.5 * t * t - LOG_SQRT_2PI).exp() / deviation;
        (value, value * (t * t - 1.0) / deviation)
    }

    /// Range of the increasing values at which `times` normal densities of this deviation still matter beside one. The density is at most
    /// `peak exp(-½ t²)`, where `t` is the distance from the query in deviations, and `ε/4` does not change the last bit of one.
    fn near(&self, values: &[f64], deviation: f64, times: f64) -> Range<usize> {
        let (peak, (lo, hi)) = match self.length(deviation) {
            Some(length) => (length / deviation * (-LOG_SQRT_2PI).exp(), (self.x, self.x)),
            None => (1.0, self.cell.unwrap_or((self.x, self.x))),
        };
        let reach = deviation * (2.0 * (4.0 * times * peak / f64::EPSILON).ln()).max(0.0).sqrt();
        let start = values.partition_point(|&v| v < lo - reach);
        start..start + values[start..].partition_point(|&v| v <= hi + reach)
    }

    /// `∫ N(v, h² + s²)` over the query and its derivative with respect to `h`, in units of `m`, for cells with values and variances.
    fn peaks(&self, values: &[f64], variances: &[f64], h: f64, m: f64) -> Vec<(f64, f64)> {
        if let Some(length) = self.length(h) {
            return normal_slopes(self.x, values, variances, (h, length / m * (-LOG_SQRT_2PI).exp()));
        }
        let peak = |(&v, s): (&f64, &f64)| {
            let deviation = (h * h + s).sqrt();
            let (value, slope) = self.normal(v, deviation);
            (value / m, slope / m * h / deviation)
        };
        values.iter().zip(variances).map(peak).collect()
    }
}

impl SmoothColumn {
    /// A column from parts as returned by [`parts`](Self::parts), which are checked.
    pub(crate) fn from_parts(
        column: usize,
        parts: SmoothParts,
        resolution: &Arc<Resolution>,
    ) -> Result<Self> {
        let SmoothParts { values, variances, floor, kernel } = parts;
        if values.len() != variances.len() {
            let (found, expected) = (variances.len(), values.len());
            return Err(Error::Shape { what: "variances of the donors", found, expected });
        }
        if values.iter().any(|x| !x.is_finite()) {
            return Err(Error::NotFinite { what: "a donor's cell" });
        }
        for &variance in &variances {
            non_negative("variance of a donor's cell", variance)?;
        }
        let [narrow, broad] = kernel.widths;
        positive("least width of a kernel", floor)?;
        positive("width of a kernel", narrow)?;
        non_negative("difference of a kernel's widths", broad - narrow)?;
        for share in kernel.shares {
            non_negative("share of a kernel", share)?;
        }
        if (kernel.shares.iter().sum::<f64>() - 1.0).abs() > 1e-9 {
            return Err(bad("shares of a kernel", format!("{:?}", kernel.shares), "adding up to one"));
        }
        Ok(Self::new(column, values, variances, resolution, floor).with_kernel(kernel))
    }

    /// The numbers that make up the column.
    pub(crate) fn parts(&self) -> SmoothParts {
        let donors = 0..self.donors();
        SmoothParts {
            values: donors.clone().map(|i| self.cells.value(i)).collect(),
            variances: donors.map(|i| self.cells.variance(i)).collect(),
            floor: self.cells.floor,
            kernel: self.kernel.clone(),
        }
    }

    /// Column `column` of a table; the kernel is all background. Each donor has a value and a variance, zero if the cell was observed; no kernel
    /// of the marginal is narrower than `floor`.
    pub(crate) fn new(
        column: usize,
        values: Vec<f64>,
        variances: Vec<f64>,
        resolution: &Arc<Resolution>,
        floor: f64,
    ) -> Self {
        let (seen, gaps): (Vec<usize>, Vec<usize>) = (0..values.len()).partition(|&i| variances[i] == 0.0);
        let mut distinct: Vec<f64> = seen.iter().map(|&i| values[i]).collect();
        let marginal = Marginal::new(distinct.clone(), floor, |x| resolution.cell(column, x));
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let observed = distinct.len();
        let mut held: Vec<u32> =
            values.iter().map(|&x| distinct.partition_point(|&v| v < x) as u32).collect();
        gaps.iter().zip(observed as u32..).for_each(|(&i, place)| held[i] = place);
        distinct.extend(gaps.iter().map(|&i| values[i]));
        let mut spread = vec![0.0; observed];
        spread.extend(gaps.iter().map(|&i| variances[i]));
        let (values, variances, resolution) = (distinct, spread, resolution.clone());
        let cells = Cells { values, variances, observed, held, marginal, floor, column, resolution };
        Self::of(Arc::new(cells), SmoothKernel { widths: [1.0; 2], shares: [1.0, 0.0, 0.0] })
    }

    fn of(cells: Arc<Cells>, kernel: SmoothKernel) -> Self {
        let gaps = &cells.variances[cells.observed..];
        let scales = kernel.widths.map(|h| gaps.iter().map(|s| 1.0 / (h * h + s).sqrt()).collect());
        Self { kernel, cells, scales, pieces: Arc::default() }
    }

    /// Lower limit of the widths of kernels.
    pub(crate) fn floor(&self) -> f64 {
        self.cells.floor
    }

    /// The same cells with another kernel.
    pub(crate) fn with_kernel(&self, kernel: SmoothKernel) -> Self {
        Self::of(self.cells.clone(), kernel)
    }

    fn query(&self, x: f64) -> Query {
        Query { x, cell: self.cells.resolution.cell(self.cells.column, x) }
    }

    /// The distinct cells of the given donors, each with the sum of its donors' shares.
    fn distinct(&self, shares: impl Iterator<Item = (usize, f64)>) -> Vec<(usize, f64)> {
        let mut sums = vec![0.0; self.cells.values.len()];
        let mut held = Vec::new();
        for (donor, share) in shares {
            let cell = self.cells.held[donor] as usize;
            if sums[cell] == 0.0 {
                held.push((cell, 0.0));
            }
            sums[cell] += share;
        }
        held.iter_mut().for_each(|(cell, sum)| *sum = sums[*cell]);
        held
    }

    /// For each distinct cell of the given donors: the sum of its donors' shares, and the values at `x` of its narrow and its broad part in
    /// units of `m`, with the derivatives with respect to `h_1` and `h_2`.
    pub(crate) fn peaks(
        &self,
        x: f64,
        m: f64,
        shares: &[(usize, f64)],
    ) -> impl Iterator<Item = (f64, [(f64, f64); 2])> {
        let (query, held) = (self.query(x), self.distinct(shares.iter().copied()));
        let of = |cells: &[f64]| held.iter().map(|&(cell, _)| cells[cell]).collect::<Vec<f64>>();
        let (values, variances) = (of(&self.cells.values), of(&self.cells.variances));
        let [narrow, broad] = self.kernel.widths.map(|h| query.peaks(&values, &variances, h, m));
        held.into_iter().zip(narrow).zip(broad).map(|(((_, share), narrow), broad)| (share, [narrow, broad]))
    }

    /// `k/m`: the kernels of all distinct cells at a query, in units of the marginal.
    fn kernels(&self, query: Query, m: f64) -> Vec<f64> {
        let SmoothKernel { widths, shares: [c0, shares @ ..] } = &self.kernel;
        let Cells { values, variances, observed, .. } = self.cells.as_ref();
        let mut out = vec![*c0; values.len()];
        for ((&h, share), scales) in widths.iter().zip(shares).zip(&self.scales) {
            let near = query.near(&values[..*observed], h, share / m / c0);
            let gaps = *observed..values.len();
            if let Some(length) = query.length(h) {
                let share = share * length / m * (-LOG_SQRT_2PI).exp();
                add_equal_normals(query.x, &values[near.clone()], (h, share), &mut out[near]);
                add_normals(query.x, &values[gaps.clone()], scales, share, &mut out[gaps]);
            } else {
                let each = near.chain(gaps);
                each.for_each(|k| {
                    out[k] += share / m * query.normal(values[k], (h * h + variances[k]).sqrt()).0
                });
            }
        }
        out
    }

    /// `Σ_i w_i Σ_a c_a term(v, √(h_a² + s²))`.
    fn sum(&self, weights: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
        let kernel = &self.kernel;
        let some = weights.iter().copied().enumerate().filter(|(_, weight)| *weight > 1e-12);
        self.distinct(some)
            .into_iter()
            .map(|(cell, weight)| {
                let (v, variance) = (self.cells.values[cell], self.cells.variances[cell]);
                let part =
                    |a: usize| kernel.shares[a + 1] * term(v, (kernel.widths[a].powi(2) + variance).sqrt());
                weight * (part(0) + part(1))
            })
            .sum()
    }

    fn pieces(&self, lines: &[Line]) -> Pieces {
        let deviations = |variance: f64| self.kernel.widths.map(|h| (h * h + variance).sqrt());
        let near = |i: usize| (self.cells.value(i), deviations(self.cells.variance(i)));
        Pieces::new(lines, (0..self.donors()).map(near), |piece| self.cells.marginal.pieces(piece))
    }
}

impl KernelColumn for SmoothColumn {
    fn donors(&self) -> usize {
        self.cells.held.len()
    }

    fn holds(&self, donor: usize, x: f64) -> bool {
        let observed = self.cells.variance(donor) == 0.0;
        if x.is_nan() { !observed } else { observed && x == self.cells.value(donor) }
    }

    fn height(&self, x: f64, left_out: bool) -> f64 {
        self.cells.marginal.at(self.query(x), left_out)
    }

    fn log_height(&self, m: f64) -> f64 {
        m.ln()
    }

    fn multiply_each(&self, x: f64, m: f64, products: &mut [f64]) {
        let kernels = self.kernels(self.query(x), m);
        for (product, &cell) in products.iter_mut().zip(&self.cells.held) {
            *product *= kernels[cell as usize];
        }
    }

    fn has_labels(&self) -> bool {
        false
    }

    fn mean(&self, weights: &[f64]) -> f64 {
        self.sum(weights, |v, _| v) + self.kernel.shares[0] * self.cells.marginal.mean()
    }

    fn mean_given(&self, donor: usize) -> f64 {
        let c0 = self.kernel.shares[0];
        (1.0 - c0) * self.cells.value(donor) + c0 * self.cells.marginal.mean()
    }

    fn variance(&self, weights: &[f64], mean: f64) -> f64 {
        let marginal = &self.cells.marginal;
        let off = marginal.variance() + (marginal.mean() - mean).powi(2);
        self.sum(weights, |v, s| s * s + (v - mean).powi(2)) + self.kernel.shares[0] * off
    }

    fn cdf(&self, weights: &[f64], x: f64) -> f64 {
        let background = self.kernel.shares[0] * self.cells.marginal.cdf(x);
        self.sum(weights, |v, s| step((x - v) / s)) + background
    }

    fn density(&self, weights: &[f64], x: f64) -> f64 {
        let background = self.kernel.shares[0] * self.cells.marginal.density(x);
        self.sum(weights, |v, s| pdf((x - v) / s) / s) + background
    }

    fn probabilities(&self, _: &[f64]) -> Option<Vec<(f64, f64)>> {
        None
    }

    fn support(&self) -> (f64, f64) {
        let widest = self.kernel.widths[1].max(self.cells.marginal.widest());
        let cells = self.cells.values.iter().zip(&self.cells.variances);
        let ends = cells.map(|(v, variance)| (v, 39.0 * (widest * widest + variance).sqrt()));
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (v, r)| (lo.min(v - r), hi.max(v + r)))
    }

    fn within(&self, weights: &[f64], limits: (f64, f64)) -> Piece {
        self.mapped(weights, &[Line { from: limits.0, to: limits.1, shift: 0.0, slope: 1.0 }])
    }

    fn mapped(&self, weights: &[f64], lines: &[Line]) -> Piece {
        self.pieces.on(lines, |lines| self.pieces(lines), |pieces| pieces.sum(weights, self.kernel.shares))
    }

    fn draw(&self, donor: usize, rng: &mut dyn Rng) -> f64 {
        let SmoothKernel { widths, shares } = &self.kernel;
        let u: f64 = rng.random();
        if u < shares[0] {
            return self.cells.marginal.draw(rng);
        }
        let width = if u < shares[0] + shares[1] { widths[0] } else { widths[1] };
        self.cells.value(donor) + (width * width + self.cells.variance(donor)).sqrt() * normal(rng)
    }
}
