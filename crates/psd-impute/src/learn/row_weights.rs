//! Row weights for one of several completed tables: a Bayesian bootstrap that makes up for the parameters.
//!
//! The Bayesian bootstrap weights rows by independent exponential variables, that is Gamma(1). What a fit under such weights scatters
//! by is the sandwich of the residuals it is fitted to, which are too small by what the fit itself takes up. Of the regression of a
//! column on the `d - 1` others, fitted to `n` rows, the squared residual of a row with leverage `h` is `σ²(1 - h)`, and the sandwich
//! has it times the square of a regressor `x`. For normal columns `h` is `1/n`, `x²/n` and one more `1/n` on average for each other
//! regressor; weighed by `x²` (`E x⁴ = 3`) this is `(1 + 3 + d - 2)/n`: the variance of a slope comes out too small by the share
//! `(d + 2)/n`.
//!
//! Weights of Gamma(a), divided by `a`, have the mean 1 and the variance `1/a`, and what is fitted scatters by `1/a` as much. So
//! `a = 1 - (d + 2)/n` gives back what is lost, `n` being the rows that have a column, on average. Many columns of few rows are held by
//! priors rather than by regressions, so `a` is never below a half.
//!
//! The variance of the residuals themselves is lost in the same measure. With a flat prior its posterior mean is their sum of squares over
//! `n - d - 2`, where a fit has it over `n`: the covariance of a refit is to be taken `1/a` times.

use crate::Result;
use crate::error::bad;
use crate::table::{RowKeys, Table};
use rand_distr::{Distribution, Gamma};

/// The least shape of the weights.
const LEAST: f64 = 0.5;

/// A weight for each row, of which each stands for `copies`; the sum of as many weights then.
pub(super) fn row_weights(
    table: &Table,
    copies: &[f64],
    shape: f64,
    seed: u64,
    imputation: u64,
) -> Result<Vec<f64>> {
    let keys = RowKeys::of(table);
    let weight = |(i, copies): (usize, f64)| {
        let gamma = Gamma::new(shape * copies, shape.recip());
        let gamma = gamma.map_err(|_| bad("row weights", copies.to_string(), "above zero"))?;
        Ok(gamma.sample(&mut keys.generator(i, seed, imputation)))
    };
    copies.iter().copied().enumerate().map(weight).collect()
}

/// The shape `a` of one row's weight.
pub(super) fn shape(table: &Table, copies: &[f64]) -> f64 {
    let d = table.columns().len() as f64;
    let observed = |(row, copies): (&[f64], &f64)| copies * row.iter().filter(|x| !x.is_nan()).count() as f64;
    let rows = table.rows().zip(copies).map(observed).sum::<f64>() / d;
    (1.0 - (d + 2.0) / rows).max(LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean and the variance of weights that are drawn often.
    fn moments(copies: f64, rows: u32) -> (f64, f64) {
        let cells: Vec<[f64; 2]> = (0..rows).map(|i| [f64::from(i), f64::from(i % 3)]).collect();
        let table = Table::continuous(&["a", "b"], &cells).unwrap();
        let copies = vec![copies; rows as usize];
        let drawn = |k| row_weights(&table, &copies, shape(&table, &copies), 1, k).unwrap();
        let all: Vec<f64> = (0..60_000 / u64::from(rows)).flat_map(drawn).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (mean, all.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / all.len() as f64)
    }

    #[test]
    fn weights_vary_as_parameters_take_up_rows() {
        // Two columns: four in so many rows are taken up.
        for (rows, copies, shape) in [(40, 1.0, 0.9), (6, 1.0, 0.5), (20, 2.0, 0.9)] {
            let (mean, variance) = moments(copies, rows);
            assert!((mean - copies).abs() < 0.02, "{rows}: {mean}");
            assert!((variance * shape / copies - 1.0).abs() < 0.04, "{rows}: {variance}");
        }
    }
}
