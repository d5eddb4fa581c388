//! Row weights for one of several completed tables: a Bayesian bootstrap that makes up for the parameters.
//!
//! The Bayesian bootstrap weights rows by independent exponential variables, that is Gamma(1). The variance of a fit under such weights is the
//! sandwich estimator with its in-sample residuals, which are too small by the degrees of freedom of the fit. In the regression of a
//! column on the `d - 1` others, fitted to `n` rows, the squared residual of a row with leverage `h` is `σ²(1 - h)`; the sandwich
//! weights it by the square of a regressor `x`. For normal columns `h` is `1/n`, `x²/n` and one more `1/n` on average for each other
//! regressor; weighed by `x²` (`E x⁴ = 3`) this is `(1 + 3 + d - 2)/n`: the variance of a slope comes out too small by the share
//! `(d + 2)/n`.
//!
//! Weights of Gamma(a), divided by `a`, have mean 1 and variance `1/a`, and the variance of the fit grows by `1/a`. So
//! `a = 1 - (d + 2)/n` restores the loss, where `n` is the number of rows that have both a column and its predictor, on average over the
//! missing cells and those observed beside them.
//!
//! The variance of the residuals themselves is too small by the same factor. With a flat prior its posterior mean is their sum of squares over
//! `n - d - 2`, where a fit divides by `n`: the covariance of a refit is multiplied by `1/a`.
//!
//! A ridge leaves a regression fewer degrees of freedom than it has columns. With the weight of `ρ n` rows, it leaves `λ/(λ + ρ)` of
//! the direction of an eigenvalue `λ` of the covariance. The normal model's own covariance has `μ = (λ + ρ)/(1 + ρ)` there, so that the degrees of freedom
//! are
//!
//! ```text
//! d = Σ_k 1 - ρ / ((1 + ρ) μ_k)
//! ```
//!
//! **Tables in balance.** If `m` tables have independent weights, the variance of their average is an `m`-th of that of one table, and Rubin's
//! rules add as much to the total variance. That is avoidable noise. Here each row divides its weight of `m` among the tables by
//! a Dirichlet variable with the same parameter `α` for each, so that the deviations of the tables cancel in the average. A weight then has the mean 1 and the variance `v = (m - 1)/(m α + 1)`, and two tables have the correlation `-1/(m - 1)`. The
//! variance between tables, as Rubin's rules estimate it, is `v m/(m - 1)` times that of the fit; they multiply it by `1 + 1/m`,
//! and the product has to be `1/a`:
//!
//! ```text
//! (m + 1)/(m α + 1) = 1/a,        α = (a (m + 1) - 1)/m
//! ```
//!
//! With the plain bootstrap's `a = 1` this is `α = 1`, and for many tables nothing changes: the shares become Gamma(a)
//! variables. With few tables each stays nearer to the fit, `v = (m - 1)/(a (m + 1))`, and pooled intervals keep their width.

use super::members::FittedMixture;
use crate::Result;
use crate::error::bad;
use crate::linalg::{eigenvalues, product, zeros};
use crate::table::{Kind, RowKeys, Table};
use faer::Mat;
use rand_distr::{Distribution, Gamma};
use rayon::prelude::*;

/// The index of one of several completed tables that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImputationIndex {
    /// The index, from one.
    pub number: u64,
    /// The number of tables.
    pub of: u64,
}

impl ImputationIndex {
    /// Refuses an index outside `1..=of`.
    pub(crate) fn check(self) -> Result<Self> {
        let Self { number, of } = self;
        if (1..=of).contains(&number) {
            return Ok(self);
        }
        Err(bad("number of the completed table", number, "from one to the number of tables"))
    }
}

/// Stands for the index of an imputation in the keys of random numbers; no imputation has it.
const WEIGHTS: u64 = u64::MAX;
/// The least shape of the weights. Arbitrary: with so many columns that it would be less, priors hold the fit.
pub(crate) const LEAST_SHAPE: f64 = 0.5;

/// Random weights of the rows; a row that occurs `copies` times has the sum of as many weights. The weights of a row over all tables sum to
/// the number of tables times its copies.
pub(super) fn row_weights(
    table: &Table,
    copies: &[f64],
    shape: f64,
    seed: u64,
    one: ImputationIndex,
) -> Result<Vec<f64>> {
    let ImputationIndex { number, of } = one.check()?;
    let (keys, m) = (RowKeys::of(table), of as f64);
    let weight = |(i, &copies): (usize, &f64)| {
        // The sum of `copies` weights has a Gamma distribution whose shape is `copies` times as large.
        let gamma = Gamma::new((copies * shape * (m + 1.0) - 1.0) / m, 1.0);
        let gamma = gamma.map_err(|_| bad("row weights", copies.to_string(), "one at least"))?;
        let rng = &mut keys.generator(i, seed, WEIGHTS);
        let shares: Vec<f64> = (0..of).map(|_| gamma.sample(rng)).collect();
        Ok(m * copies * shares[number as usize - 1] / shares.iter().sum::<f64>())
    };
    copies.par_iter().enumerate().map(weight).collect()
}

/// The shape `a` of one row's weight, from the normal model of the table.
pub(super) fn shape(table: &Table, copies: &[f64], normal: &FittedMixture) -> Result<f64> {
    Ok((1.0 - (freedom(table, normal)? + 2.0) / rows_behind(table, copies)).max(LEAST_SHAPE))
}

/// The number of rows that have both the column of a missing cell and that of an observed cell beside it, on average over all such
/// pairs of cells. Without such pairs, the average number of rows that have a column.
///
/// With `n_jk` the rows that have both columns, and so `n_jj - n_jk` the rows that have the first one only, it is
/// `Σ_jk (n_jj - n_jk) n_jk / Σ_jk (n_jj - n_jk)`.
fn rows_behind(table: &Table, copies: &[f64]) -> f64 {
    let d = table.columns().len();
    let seen = Mat::from_fn(d, table.len(), |j, i| f64::from(!table.row(i)[j].is_nan()));
    let counted = Mat::from_fn(table.len(), d, |i, j| copies[i] * seen[(j, i)]);
    let mut both = zeros(d, d);
    product(both.as_mut(), seen.as_ref(), counted.as_ref());
    let (mut pairs, mut rows) = (0.0, 0.0);
    for (j, k) in (0..d).flat_map(|j| (0..d).map(move |k| (j, k))) {
        let beside = both[(j, j)] - both[(j, k)];
        pairs += beside;
        rows += beside * both[(j, k)];
    }
    let alone = (0..d).map(|j| both[(j, j)]).sum::<f64>() / d as f64;
    if pairs > 0.0 { rows / pairs } else { alone }
}

/// The degrees of freedom of a regression on a table's columns, of which discrete ones have one each.
fn freedom(table: &Table, normal: &FittedMixture) -> Result<f64> {
    let ridge = normal.prior.strength / table.len() as f64;
    let values = eigenvalues(normal.mixture.covariance(), "covariance of the normal model")?;
    let left = |value: &f64| (1.0 - ridge / ((1.0 + ridge) * value)).clamp(0.0, 1.0);
    let discrete = table.columns().iter().filter(|column| *column.kind() != Kind::Continuous).count();
    Ok(discrete as f64 + values.iter().map(left).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::mixture::{EmParams, MixturePrior, fit_normal};

    /// The mean and the variance of weights that are drawn often.
    fn moments(copies: f64, shape: f64, of: u64) -> (f64, f64) {
        let cells: Vec<[f64; 2]> = (0..40).map(|i| [f64::from(i), f64::from(i % 3)]).collect();
        let table = Table::continuous(&["a", "b"], &cells).unwrap();
        let drawn = |seed| {
            row_weights(&table, &[copies; 40], shape, seed, ImputationIndex { number: 2, of }).unwrap()
        };
        let all: Vec<f64> = (0..1500).flat_map(drawn).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (mean, all.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / all.len() as f64)
    }

    #[test]
    fn weights_have_the_moments_of_their_shape() {
        for (copies, shape, of) in [(1.0, 0.9, 3), (1.0, 0.5, 20), (2.0, 0.9, 5), (1.0, 1.0, 2)] {
            let (mean, variance) = moments(copies, shape, of);
            assert!((mean - copies).abs() < 0.02, "{copies} {shape} {of}: {mean}");
            let m = of as f64;
            let expected = copies / shape * (m - 1.0) / (m + 1.0);
            assert!((variance / expected - 1.0).abs() < 0.04, "{copies} {shape} {of}: {variance} {expected}");
        }
    }

    #[test]
    fn weights_are_in_balance_over_the_tables() {
        let (table, copies) = (table(30), [2.0, 1.0].repeat(15));
        let one = |number, of| row_weights(&table, &copies, 0.9, 4, ImputationIndex { number, of });
        let all: Vec<Vec<f64>> = (1..=7).map(|number| one(number, 7).unwrap()).collect();
        for (i, copies) in copies.iter().enumerate() {
            let total: f64 = all.iter().map(|weights| weights[i]).sum();
            assert!((total - 7.0 * copies).abs() < 1e-12, "{i}: {total}");
        }
        // One table is the fit itself.
        assert_eq!(one(1, 1).unwrap(), copies);
        assert!(one(3, 2).is_err() && one(0, 2).is_err());
    }

    /// Three columns, one of which is the sum of the others but for a little.
    fn table(rows: u32) -> Table {
        let row = |i: u32| {
            let (a, b) = ((f64::from(i) * 1.7).sin() * 1.4, (f64::from(i) * 2.9).cos() * 1.4);
            [a, b, (a + b) / 2f64.sqrt() + 1e-3 * f64::from(i % 2)]
        };
        Table::continuous(&["a", "b", "c"], &(0..rows).map(row).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_rows_behind_a_gap_have_both_columns() {
        let gap = f64::NAN;
        let cells = [[1.0, 2.0, gap], [3.0, gap, 4.0], [5.0, 6.0, 7.0], [8.0, 9.0, gap]];
        let table = Table::continuous(&["a", "b", "c"], &cells).unwrap();
        // Beside the gap in b are a (four rows have both) and c (one row); beside those in c, of three rows, a and b.
        let expected = (4.0 + 1.0 + 3.0 * (2.0 + 1.0)) / 8.0;
        assert!((rows_behind(&table, &[1.0, 1.0, 1.0, 2.0]) - expected).abs() < 1e-12);
        let whole = table.select(&[2]).unwrap();
        assert_eq!(rows_behind(&whole, &[3.0]), 3.0);
        let alone = Table::continuous(&["a"], &[[1.0], [gap], [2.0]]).unwrap();
        assert_eq!(rows_behind(&alone, &[1.0; 3]), 2.0);
    }

    #[test]
    fn a_ridge_leaves_fewer_degrees_of_freedom() {
        let (table, em) = (table(400), EmParams { tolerance: 1e-12, max_iterations: 1000 });
        let found = |ridge: f64| {
            let prior = MixturePrior { scale: faer::Mat::identity(3, 3), strength: ridge * 400.0 };
            let mixture = fit_normal(&table, None, ridge, em).unwrap().0;
            freedom(&table, &FittedMixture { mixture, prior }).unwrap()
        };
        assert!((found(1e-12) - 3.0).abs() < 1e-3, "{}", found(1e-12));
        // Of the direction without variance next to nothing is left; the others have the variances 2 and 1.
        let expected = 2.0 / 2.1 + 1.0 / 1.1;
        assert!((found(0.1) - expected).abs() < 0.02, "{} {expected}", found(0.1));
    }
}
