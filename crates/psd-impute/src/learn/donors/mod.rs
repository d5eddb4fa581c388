//! Donors: the kernels of their columns, learned by leave-one-out likelihood.

mod expected;
mod free;
mod settings;

use crate::Result;
use crate::density::{Density, Donors};
use crate::linalg::{LbfgsParams, column, lbfgs};
use crate::table::{Resolution, Table};
use expected::donor_columns;
use faer::Mat;
use free::Free;
use rayon::prelude::*;
use settings::SETTINGS;
use std::sync::Arc;

/// Fits donors, made of the given rows of a standardised table; also returns the log-likelihood of each of these rows with itself left
/// out. Missing cells of donors get the predictive distribution of `smooth`: mean and variance of numbers, probabilities of values. Row
/// weights are relative; with all rows' weights, the frequencies of discrete columns, which are the base measure, are counted.
///
/// # Errors
///
/// [`Error::BadParameter`](crate::Error::BadParameter) for a row beyond the table or weights without a positive sum,
/// [`Error::EmptyTable`](crate::Error::EmptyTable) for no rows, and errors of the density at its rows.
pub fn fit_donors(
    table: &Table,
    weights: Option<&[f64]>,
    rows: &[usize],
    smooth: &dyn Density,
    resolution: &Arc<Resolution>,
) -> Result<(Donors, Vec<f64>)> {
    let donors = table.select(rows)?;
    let free = Free::each(donor_columns(table, weights, &donors, smooth, resolution)?);
    let likelihood = LeaveOneOut::new(&donors, free);
    let stride = donors.len().div_ceil(SETTINGS.queries);
    let queries: Vec<usize> = (0..donors.len()).filter(|i| i % stride == 0).collect();
    let objective = |t: &[f64]| -> Result<(f64, Vec<f64>)> { Ok(likelihood.objective(t, &queries)) };
    let params = LbfgsParams { max_iterations: 40, tolerance: 1e-4, memory: 10 };
    let (t, _) = lbfgs(objective, likelihood.start(), params)?;
    let free = likelihood.moved(&t);
    let logs = (0..donors.len()).into_par_iter().map(|i| likelihood.log(i, &free)).collect();
    let columns = free.into_iter().map(|free| free.column).collect();
    let weights: Vec<f64> = rows.iter().map(|&i| weights.map_or(1.0, |w| w[i])).collect();
    Ok((Donors::new(columns, &weights)?, logs))
}

struct LeaveOneOut<'a> {
    donors: &'a Table,
    free: Vec<Free>,
    /// `d × n`: the marginal at every observed cell, with the cell itself left out.
    heights: Mat<f64>,
}

impl<'a> LeaveOneOut<'a> {
    fn new(donors: &'a Table, free: Vec<Free>) -> Self {
        let height = |(free, &x): (&Free, &f64)| if x.is_nan() { 1.0 } else { free.column.height(x, true) };
        let heights: Vec<Vec<f64>> = (0..donors.len())
            .into_par_iter()
            .map(|i| free.iter().zip(donors.row(i)).map(height).collect())
            .collect();
        let heights = Mat::from_fn(free.len(), donors.len(), |j, i| heights[i][j]);
        Self { donors, free, heights }
    }

    fn start(&self) -> Vec<f64> {
        self.free.iter().flat_map(Free::start).copied().collect()
    }

    fn moved(&self, t: &[f64]) -> Vec<Free> {
        self.free.iter().map(|free| free.moved(t)).collect()
    }

    /// The observed cells of a row: column, value, and the marginal there.
    fn cells(&self, i: usize) -> impl Iterator<Item = (usize, f64, f64)> {
        let (row, m) = (self.donors.row(i), column(self.heights.as_ref(), i));
        (0..row.len()).filter(|&j| !row[j].is_nan()).map(|j| (j, row[j], m[j]))
    }

    /// For each donor the product of its relative kernels over the cells of row `i`, zero for the row itself; and the logarithm of the factor
    /// taken out to keep the products in range.
    fn products(&self, i: usize, free: &[Free]) -> (Vec<f64>, f64) {
        let mut products = vec![1.0; self.donors.len()];
        let mut log = 0.0;
        products[i] = 0.0;
        for (j, x, m) in self.cells(i) {
            log += free[j].column.multiply(x, m, &mut products).max(-1e4);
        }
        (products, log)
    }

    fn log(&self, i: usize, free: &[Free]) -> f64 {
        let (products, scale) = self.products(i, free);
        let total: f64 = products.iter().sum();
        let marginals: f64 = self.cells(i).map(|(j, _, m)| free[j].column.log_height(m)).sum();
        marginals + scale + (total / (self.donors.len() - 1).max(1) as f64).max(f64::MIN_POSITIVE).ln()
    }

    /// Minus the average log-likelihood of the given rows, without the marginals, plus the penalty; and its gradient.
    fn objective(&self, t: &[f64], queries: &[usize]) -> (f64, Vec<f64>) {
        let free = self.moved(t);
        let parts: Vec<(f64, Vec<f64>)> = queries
            .par_chunks(8)
            .map(|rows| {
                let mut gradient = vec![0.0; t.len()];
                let value = rows.iter().map(|&i| self.add_row(i, t, &free, &mut gradient)).sum();
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
        for ((t, start), slope) in t.iter().zip(self.start()).zip(&mut gradient) {
            let off = t - start;
            value += SETTINGS.pull * off * off;
            *slope += 2.0 * SETTINGS.pull * off;
        }
        (value, gradient)
    }

    /// Adds the gradient of `log Σ_k Π_j r_kj` for one row and returns that logarithm.
    fn add_row(&self, i: usize, t: &[f64], free: &[Free], gradient: &mut [f64]) -> f64 {
        let (products, scale) = self.products(i, free);
        let total: f64 = products.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return f64::MIN_POSITIVE.ln();
        }
        let heavy = products.iter().enumerate().filter(|(_, p)| **p > SETTINGS.lightest * total);
        let shares: Vec<(usize, f64)> = heavy.map(|(k, p)| (k, p / total)).collect();
        for (j, x, m) in self.cells(i) {
            free[j].add_slopes(t, (x, m), &shares, gradient);
        }
        scale + total.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::PsdDensity;
    use crate::learn::mixture::{EmParams, fit_normal};
    use crate::table::Column;

    const NA: f64 = f64::NAN;

    fn wave(i: usize, j: usize) -> f64 {
        ((i * (j + 2)) as f64 * 0.7).sin() + (i as f64 * 0.13).cos() * j as f64
    }

    /// Compares the gradient with central differences.
    fn check(table: &Table, t: &[f64]) {
        let normal = PsdDensity::normal(table, &[0.0, 0.3], Mat::<f64>::identity(2, 2).as_ref()).unwrap();
        let every: Vec<usize> = (0..table.len()).collect();
        let resolution = Arc::new(Resolution::of(table));
        let columns = donor_columns(table, None, table, &normal, &resolution).unwrap();
        let likelihood = LeaveOneOut::new(table, Free::each(columns));
        assert_eq!(likelihood.start().len(), t.len());
        let (_, gradient) = likelihood.objective(t, &every);
        for k in 0..t.len() {
            let at = |h: f64| {
                let mut t = t.to_vec();
                t[k] += h;
                likelihood.objective(&t, &every).0
            };
            let slope = (8.0 * (at(1e-4) - at(-1e-4)) - (at(2e-4) - at(-2e-4))) / 12e-4;
            assert!((slope - gradient[k]).abs() < 2e-6, "{k}: {slope} {}", gradient[k]);
        }
    }

    #[test]
    fn the_leave_one_out_gradient_is_right() {
        let rows: Vec<[f64; 2]> =
            (0..30).map(|i| [wave(i, 0), if i % 4 == 0 { NA } else { wave(i, 1) }]).collect();
        let table = Table::continuous(&["a", "b"], &rows).unwrap();
        check(&table, &[-1.0, 0.5, 1.0, 0.3, -0.5, 1.5, 0.7, -0.2]);
    }

    #[test]
    fn so_it_is_with_discrete_columns() {
        let columns = vec![
            Column::continuous("a"),
            Column::category("c", ["x", "y", "z"].map(String::from).to_vec()).unwrap(),
            Column::continuous("b"),
            Column::ordered("k", vec![1.0, 2.0, 5.0]).unwrap(),
        ];
        let cell = |j: usize, i: usize| match j {
            _ if (i + j).is_multiple_of(5) => NA,
            1 => (i * i % 3) as f64,
            3 => [1.0, 1.0, 2.0, 5.0][i % 4],
            j => wave(i, j / 2),
        };
        let table = Table::new(columns, Mat::from_fn(4, 30, cell)).unwrap();
        check(&table, &[-1.0, 0.5, 1.0, 0.3, 0.8, -0.5, 1.5, 0.7, -0.2, -0.3]);
    }

    /// With all background the columns are independent: for discrete cells this is the same as a mixture of one component, with respect to
    /// the same base measure.
    #[test]
    fn background_is_the_product_of_the_marginals_in_the_mixtures_units() {
        let columns = vec![
            Column::category("c", ["x", "y", "z"].map(String::from).to_vec()).unwrap(),
            Column::ordered("k", vec![1.0, 2.0, 5.0]).unwrap(),
            // Observed in every donor but left out of the queries below, so that no query is itself a donor.
            Column::continuous("x"),
        ];
        let cell = |j: usize, i: usize| match j {
            2 => wave(i, 0),
            _ if (i + j).is_multiple_of(5) => NA,
            0 => [0.0, 0.0, 1.0, 2.0][i % 4],
            _ => [1.0, 1.0, 2.0, 5.0, 5.0, 5.0][i % 6],
        };
        let table = Table::new(columns, Mat::from_fn(3, 60, cell)).unwrap();
        let weights: Vec<f64> = (0..60).map(|i| (1 + i % 3) as f64).collect();
        let params = EmParams { tolerance: 1e-12, max_iterations: 1000 };
        let one = fit_normal(&table, Some(&weights), 0.1, params).unwrap().0;
        let one = one.density(&table, Some(&weights), &Arc::default()).unwrap();
        // Only some rows are donors: the base measure is that of all rows.
        let some = table.select(&[1, 2, 3, 4, 7, 9, 11, 20]).unwrap();
        let columns = donor_columns(&table, Some(&weights), &some, &one, &Arc::default()).unwrap();
        let donors = Donors::new(columns, &[1.0; 8]).unwrap();
        for c in [0.0, 1.0, 2.0, NA] {
            for k in [1.0, 2.0, 5.0, NA] {
                let [a, b] = [&donors as &dyn Density, &one].map(|d| d.log_marginal(&[c, k, NA]).unwrap());
                assert!((a - b).abs() < 1e-6, "{c} {k}: {a} {b}");
            }
        }
        let [a, b] = [&donors as &dyn Density, &one]
            .map(|d| d.conditional(&[NA, 2.0, NA]).unwrap().probabilities(0).unwrap().unwrap());
        assert!(a.iter().zip(&b).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6), "{a:?} {b:?}");
    }
}
