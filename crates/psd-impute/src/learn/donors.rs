//! Donors: the kernels of their columns, learned by leave-one-out likelihood.

use crate::Result;
use crate::density::{Conditional, Density, DonorCells, DonorKernel, Donors, Marginal, Query, map_gaps};
use crate::error::bad;
use crate::linalg::{LbfgsParams, column, lbfgs, sigmoid};
use crate::table::{Kind, Resolution, Table};
use faer::Mat;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows whose likelihood the kernels are learned from.
const QUERIES: usize = 250;
/// Pulls the logarithms of the parameters to their start, in nats a row.
const PULL: f64 = 1e-3;
/// Donors lighter than this do not enter the gradient.
const LIGHTEST: f64 = 1e-4;
/// Parameters of a column: the logits of `h_1 - floor` and `h_2 - h_1`, of `c_1` and `c_2` against `c_0`. A kernel broader than the column
/// is the background's business, so that both steps stay below a standard deviation.
const PER_COLUMN: usize = 4;
const START: [f64; PER_COLUMN] = [-2.0, -1.0, 2.0, 1.0];

/// Donors from the rows of a standardised table, and the log-likelihood of each row with itself left out. Missing cells get the
/// conditional means and variances that `smooth` gives them.
pub fn fit_donors(
    table: &Table,
    weights: Option<&[f64]>,
    smooth: &dyn Density,
    resolution: &Arc<Resolution>,
) -> Result<(Donors, Vec<f64>)> {
    let d = table.columns().len();
    if let Some(column) = table.columns().iter().find(|c| *c.kind() != Kind::Continuous) {
        return Err(bad("donors' column", column.name(), "continuous"));
    }
    let (values, variances) = expected_cells(table, smooth)?;
    let likelihood = LeaveOneOut::new(table, DonorCells::new(values, variances, resolution.clone()));
    let stride = table.len().div_ceil(QUERIES);
    let queries: Vec<usize> = (0..table.len()).filter(|i| i % stride == 0).collect();
    let start: Vec<f64> = START.iter().copied().cycle().take(PER_COLUMN * d).collect();
    let objective = |t: &[f64]| -> Result<(f64, Vec<f64>)> { Ok(likelihood.objective(t, &queries)) };
    let params = LbfgsParams { max_iterations: 40, tolerance: 1e-4, memory: 10 };
    let (t, _) = lbfgs(objective, start, params)?;
    let kernels = likelihood.kernels(&t);
    let logs = (0..table.len()).into_par_iter().map(|i| likelihood.log(i, &kernels)).collect();
    let equal = vec![1.0; table.len()];
    let LeaveOneOut { cells, marginals, .. } = likelihood;
    Ok((Donors::new(cells, marginals, kernels, weights.unwrap_or(&equal))?, logs))
}

/// Each cell's value, or its conditional mean, and its conditional variance.
fn expected_cells(table: &Table, smooth: &dyn Density) -> Result<(Mat<f64>, Mat<f64>)> {
    let mut values = table.cells().to_owned();
    let mut variances = Mat::zeros(values.nrows(), values.ncols());
    let moments = |_: usize, c: &dyn Conditional| {
        let variances = c.missing().iter().map(|&j| c.variance(j)).collect::<Result<Vec<_>>>();
        (c.missing().to_vec(), c.mean(), variances)
    };
    for (i, (missing, mean, spread)) in map_gaps(smooth, table, moments)? {
        let spread = spread?;
        for (k, &j) in missing.iter().enumerate() {
            values[(j, i)] = mean[k];
            variances[(j, i)] = spread[k];
        }
    }
    Ok((values, variances))
}

/// Half the gap between neighbouring values of a column, at the tenth percentile: kernels below it would only tell ties.
fn resolution(table: &Table, j: usize) -> f64 {
    let mut seen: Vec<f64> = table.observed(j).collect();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    let mut gaps: Vec<f64> = seen.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 10).map_or(0.05, |gap| (0.5 * gap).max(2e-3))
}

struct LeaveOneOut<'a> {
    table: &'a Table,
    cells: DonorCells,
    marginals: Vec<Marginal>,
    /// `d × n`: what the marginals give to every observed cell, itself left out.
    heights: Mat<f64>,
    /// What no kernel is narrower than.
    floors: Vec<f64>,
}

impl<'a> LeaveOneOut<'a> {
    fn new(table: &'a Table, cells: DonorCells) -> Self {
        let floors: Vec<f64> = (0..table.columns().len()).map(|j| resolution(table, j)).collect();
        let marginals: Vec<Marginal> = floors
            .iter()
            .enumerate()
            .map(|(j, &floor)| Marginal::new(table.observed(j).collect(), floor, |x| cells.query(j, x).cell))
            .collect();
        let height =
            |(j, &x): (usize, &f64)| if x.is_nan() { 1.0 } else { marginals[j].at(cells.query(j, x), true) };
        let columns: Vec<Vec<f64>> = (0..table.len())
            .into_par_iter()
            .map(|i| table.row(i).iter().enumerate().map(height).collect())
            .collect();
        let heights = Mat::from_fn(floors.len(), table.len(), |j, i| columns[i][j]);
        Self { table, cells, marginals, heights, floors }
    }

    fn kernels(&self, t: &[f64]) -> Vec<DonorKernel> {
        t.chunks_exact(PER_COLUMN)
            .zip(&self.floors)
            .map(|(t, floor)| {
                let narrow = floor + sigmoid(t[0]);
                let (a, b) = (t[2].exp(), t[3].exp());
                let total = 1.0 + a + b;
                DonorKernel {
                    widths: [narrow, narrow + sigmoid(t[1])],
                    shares: [1.0 / total, a / total, b / total],
                }
            })
            .collect()
    }

    /// Every donor's product of relative kernels for the cells of row `i`, zero for the row itself, and the logarithm of the factor
    /// taken out to keep them in range.
    fn products(&self, i: usize, kernels: &[DonorKernel]) -> (Vec<f64>, f64) {
        let (row, m) = (self.table.row(i), column(self.heights.as_ref(), i));
        let mut products = vec![1.0; self.table.len()];
        let mut log = 0.0;
        products[i] = 0.0;
        for j in (0..row.len()).filter(|&j| !row[j].is_nan()) {
            let query = self.cells.query(j, row[j]);
            log += self.cells.multiply(j, query, &kernels[j], m[j], &mut products).max(-1e4);
        }
        (products, log)
    }

    fn log(&self, i: usize, kernels: &[DonorKernel]) -> f64 {
        let (products, scale) = self.products(i, kernels);
        let total: f64 = products.iter().sum();
        let (row, m) = (self.table.row(i), column(self.heights.as_ref(), i));
        let marginals: f64 = row.iter().zip(m).filter(|(x, _)| !x.is_nan()).map(|(_, m)| m.ln()).sum();
        marginals + scale + (total / (self.table.len() - 1).max(1) as f64).max(f64::MIN_POSITIVE).ln()
    }

    /// Minus the average log-likelihood of some rows, less what their marginals say, and the pull; with its gradient.
    fn objective(&self, t: &[f64], queries: &[usize]) -> (f64, Vec<f64>) {
        let kernels = self.kernels(t);
        let parts: Vec<(f64, Vec<f64>)> = queries
            .par_chunks(8)
            .map(|rows| {
                let mut gradient = vec![0.0; t.len()];
                let value = rows.iter().map(|&i| self.add_row(i, t, &kernels, &mut gradient)).sum();
                (value, gradient)
            })
            .collect();
        let n = queries.len() as f64;
        let mut value = 0.0;
        let mut gradient = vec![0.0; t.len()];
        for (part, slopes) in parts {
            value -= part / n;
            gradient.iter_mut().zip(slopes).for_each(|(g, s)| *g -= s / n);
        }
        for (k, t) in t.iter().enumerate() {
            let off = t - START[k % PER_COLUMN];
            value += PULL * off * off;
            gradient[k] += 2.0 * PULL * off;
        }
        (value, gradient)
    }

    /// Adds the gradient of `log Σ_k Π_j r_kj` for one row and returns the logarithm.
    fn add_row(&self, i: usize, t: &[f64], kernels: &[DonorKernel], gradient: &mut [f64]) -> f64 {
        let (products, scale) = self.products(i, kernels);
        let total: f64 = products.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return f64::MIN_POSITIVE.ln();
        }
        let (row, m) = (self.table.row(i), column(self.heights.as_ref(), i));
        let queries: Vec<Query> = row.iter().enumerate().map(|(j, &x)| self.cells.query(j, x)).collect();
        for (k, product) in products.iter().enumerate().filter(|(_, p)| **p > LIGHTEST * total) {
            let share = product / total;
            let (v, s) = (self.cells.values(k), self.cells.variances(k));
            for j in (0..row.len()).filter(|&j| !row[j].is_nan()) {
                let (t, out) = (&t[PER_COLUMN * j..], &mut gradient[PER_COLUMN * j..]);
                add_cell(&kernels[j], t, queries[j], v[j], s[j], m[j], share, out);
            }
        }
        scale + total.ln()
    }
}

/// Adds `share` times the derivative of `log r`, `r = c_0 + Σ_a c_a N_a / m`, where `N` has the deviation `√(h² + s²)`.
#[allow(clippy::too_many_arguments)]
fn add_cell(
    kernel: &DonorKernel,
    t: &[f64],
    query: Query,
    v: f64,
    variance: f64,
    m: f64,
    share: f64,
    out: &mut [f64],
) {
    let [c0, c1, c2] = kernel.shares;
    let part = |h: f64| {
        let deviation = (h * h + variance).sqrt();
        let (n, slope) = query.normal(v, deviation);
        (n / m, slope / m * h / deviation)
    };
    let ((n1, d1), (n2, d2)) = (part(kernel.widths[0]), part(kernel.widths[1]));
    let r = c0 + c1 * n1 + c2 * n2;
    let slope = |t: f64| sigmoid(t) * (1.0 - sigmoid(t));
    out[0] += share * (c1 * d1 + c2 * d2) * slope(t[0]) / r;
    out[1] += share * c2 * d2 * slope(t[1]) / r;
    out[2] += share * (c1 * n1 / r - c1);
    out[3] += share * (c2 * n2 / r - c2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::PsdDensity;

    #[test]
    fn the_leave_one_out_gradient_is_right() {
        let wave =
            |i: usize, j: usize| ((i * (j + 2)) as f64 * 0.7).sin() + (i as f64 * 0.13).cos() * j as f64;
        let rows: Vec<[f64; 2]> =
            (0..30).map(|i| [wave(i, 0), if i % 4 == 0 { f64::NAN } else { wave(i, 1) }]).collect();
        let table = Table::continuous(&["a", "b"], &rows).unwrap();
        let normal = PsdDensity::normal(&table, &[0.0, 0.3], Mat::<f64>::identity(2, 2).as_ref()).unwrap();
        let (values, variances) = expected_cells(&table, &normal).unwrap();
        let every: Vec<usize> = (0..30).collect();
        let cells = DonorCells::new(values, variances, Arc::new(Resolution::of(&table)));
        let likelihood = LeaveOneOut::new(&table, cells);
        let t = [-1.0, 0.5, 1.0, 0.3, -0.5, 1.5, 0.7, -0.2];
        let (_, gradient) = likelihood.objective(&t, &every);
        for k in 0..t.len() {
            let at = |h: f64| {
                let mut t = t;
                t[k] += h;
                likelihood.objective(&t, &every).0
            };
            let slope = (8.0 * (at(1e-4) - at(-1e-4)) - (at(2e-4) - at(-2e-4))) / 12e-4;
            assert!((slope - gradient[k]).abs() < 2e-6, "{k}: {slope} {}", gradient[k]);
        }
    }
}
