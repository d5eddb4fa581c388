//! Predictive mean matching by chained equations, as R's `mice` does by default.
//!
//! Missing cells start at values drawn from their column. Five rounds go through the columns in their order, and for each
//!
//! 1. fit `y = x'b + noise` by least squares to the rows in which it is observed: `b̂ = V X'y`, `V = (X'X)⁻¹`;
//! 2. draw `σ² = |y - X b̂|² / χ²_{n-p}` and `b* ~ N(b̂, σ² V)`;
//! 3. give each missing cell the value of one of the five rows, chosen at random, whose `x'b̂` is nearest to its `x'b*` (matching of type 1).
//!
//! If columns are linearly dependent, a ridge of `1e-5` of its diagonal is added to `X'X`; `mice` leaves such columns out.
//!
//! Rows of another table go through the chain of the fitted one as rows that `mice` calls *ignored*: they are filled by its regressions and
//! from its rows, and nothing is learned from them.

use super::cells::{only_numbers, same_cells};
use super::chain::{Chain, generator, place};
use super::{Fitted, Imputer};
use crate::Result;
use crate::linalg::{Cholesky, dot};
use faer::Mat;
use psd_impute::table::{RowKeys, Table};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_distr::{ChiSquared, Distribution, StandardNormal};

const ROUNDS: usize = 5;
const DONORS: usize = 5;
const RIDGE: f64 = 1e-5;
/// A pivot below this share of its diagonal element is rounding.
const NOTHING: f64 = 1e-12;

/// Each missing cell gets an observed value. Each imputation is a separate chain, determined by the seed and its number.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pmm;

struct FittedPmm {
    table: Table,
    seed: u64,
}

impl Imputer for Pmm {
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>> {
        only_numbers(table)?;
        Ok(Box::new(FittedPmm { table: table.clone(), seed }))
    }
}

impl Fitted for FittedPmm {
    fn complete(&self, table: &Table, imputation: u64) -> Result<Table> {
        let rng = &mut generator(self.seed, imputation);
        let mut chain = Chain::new(&self.table);
        let columns: Vec<Vec<f64>> = (0..chain.columns()).map(|j| observed(&chain, j)).collect();
        for (j, column) in columns.iter().enumerate() {
            let draws: Vec<f64> = chain.missing(j).iter().map(|_| any(column, rng)).collect();
            chain.set(j, &draws);
        }
        let mut steps = Vec::new();
        for _ in 0..ROUNDS {
            chain.refresh();
            for j in 0..columns.len() {
                let step = Matching::draw(&chain, j, rng)?;
                let values: Vec<f64> =
                    chain.missing(j).iter().map(|&i| step.value(chain.row(i), rng)).collect();
                chain.set(j, &values);
                steps.push(step);
            }
        }
        if same_cells(table, &self.table) {
            return chain.completed(table);
        }
        let keys = RowKeys::of(table);
        chain.shifts.complete(table, |i, cells, row| {
            let rng = &mut keys.generator(i, self.seed, imputation);
            for j in (0..columns.len()).filter(|&j| cells[j].is_nan()) {
                row[place(j)] = any(&columns[j], rng);
            }
            for step in steps.iter().filter(|step| cells[step.target].is_nan()) {
                row[place(step.target)] = step.value(row, rng);
            }
        })
    }
}

/// The observed values of a column.
fn observed(chain: &Chain, j: usize) -> Vec<f64> {
    chain.observed(j).iter().map(|&i| chain.row(i)[place(j)]).collect()
}

/// One of the values; the column's mean if there are none.
fn any(values: &[f64], rng: &mut impl Rng) -> f64 {
    if values.is_empty() { 0.0 } else { values[rng.random_range(0..values.len())] }
}

/// The regression and donors that fill the missing cells of a column in one round.
struct Matching {
    /// The column.
    target: usize,
    /// `b*`, with zero for the column itself.
    drawn: Vec<f64>,
    /// `x'b̂` and the value of each row in which the column is observed, increasing.
    donors: Vec<(f64, f64)>,
}

impl Matching {
    fn draw(chain: &Chain, target: usize, rng: &mut impl Rng) -> Result<Self> {
        let moments = chain.moments(target);
        let y = place(target);
        let others: Vec<usize> = (0..moments.nrows()).filter(|&k| k != y).collect();
        let p = others.len();
        let whole = |coefficients: &[f64]| {
            let mut weights = vec![0.0; moments.nrows()];
            others.iter().zip(coefficients).for_each(|(&k, b)| weights[k] = *b);
            weights
        };
        let factor = factor(Mat::from_fn(p, p, |a, b| moments[(others[a], others[b])]))?;
        let mut fitted: Vec<f64> = others.iter().map(|&k| moments[(k, y)]).collect();
        factor.solve_vector(&mut fitted);
        let mut order = chain.observed(target).to_vec();
        let freedom = order.len().saturating_sub(p).max(1) as f64;
        let chi = ChiSquared::new(freedom).map_or(freedom, |law| law.sample(rng));
        let best = whole(&fitted);
        let sigma = (chain.residual(target, &best) / chi).sqrt();
        // `L⁻ᵀ ε` has the covariance `V = (L L')⁻¹`.
        let mut noise = Mat::from_fn(p, 1, |_, _| sigma * rng.sample::<f64, _>(StandardNormal));
        factor.whiten_transposed(noise.as_mut());
        let drawn: Vec<f64> = fitted.iter().zip(noise.col(0).iter()).map(|(b, e)| b + e).collect();
        // Rows with equal predictions come in random order.
        order.shuffle(rng);
        let mut donors: Vec<(f64, f64)> =
            order.iter().map(|&i| (dot(&best, chain.row(i)), chain.row(i)[y])).collect();
        donors.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Self { target, drawn: whole(&drawn), donors })
    }

    /// A value for the column in a row.
    fn value(&self, row: &[f64], rng: &mut impl Rng) -> f64 {
        let mean = dot(&self.drawn, row);
        let (mut from, mut to) = {
            let at = self.donors.partition_point(|donor| donor.0 < mean);
            (at, at)
        };
        while to - from < DONORS.min(self.donors.len()) {
            let below = from.checked_sub(1).map_or(f64::INFINITY, |k| mean - self.donors[k].0);
            let above = self.donors.get(to).map_or(f64::INFINITY, |donor| donor.0 - mean);
            // A NaN mean has no distance to any donor; there is always a donor left on either side.
            if from > 0 && (below < above || to == self.donors.len()) { from -= 1 } else { to += 1 }
        }
        if from == to { 0.0 } else { self.donors[rng.random_range(from..to)].1 }
    }
}

/// The factor of `X'X`, with a ridge if a column is determined by those before it.
fn factor(squares: Mat<f64>) -> Result<Cholesky> {
    let diagonal: Vec<f64> = (0..squares.nrows()).map(|k| squares[(k, k)]).collect();
    if let Ok(factor) = Cholesky::new(squares.clone(), "products of the columns") {
        let sound = |(k, square): (usize, &f64)| factor.pivot(k).powi(2) > NOTHING * square;
        if diagonal.iter().enumerate().all(sound) {
            return Ok(factor);
        }
    }
    let mut ridged = squares;
    for (k, square) in diagonal.iter().enumerate() {
        // A column of zeros has no coefficient.
        ridged[(k, k)] += if *square > 0.0 { RIDGE * square } else { 1.0 };
    }
    Cholesky::new(ridged, "products of the columns")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows whose second column is twice the first plus noise, with 30 % missing.
    fn table(rows: usize) -> Table {
        let rng = &mut generator(5, 5);
        let mut row = || {
            let a: f64 = rng.sample(StandardNormal);
            let b = 2.0 * a + rng.sample::<f64, _>(StandardNormal);
            [a, if rng.random::<f64>() < 0.3 { f64::NAN } else { b }]
        };
        let rows: Vec<[f64; 2]> = (0..rows).map(|_| row()).collect();
        Table::continuous(&["a", "b"], &rows).unwrap()
    }

    #[test]
    fn gaps_get_observed_values_that_go_with_their_rows() {
        let table = table(2000);
        let fitted = Pmm.fit(&table, 1).unwrap();
        let seen: Vec<f64> = table.observed(1).collect();
        for rows in [&table, &table.select(&(0..1500).collect::<Vec<_>>()).unwrap()] {
            let completed = fitted.complete(rows, 1).unwrap();
            let gaps: Vec<usize> = (0..rows.len()).filter(|&i| rows.row(i)[1].is_nan()).collect();
            let close = |b: f64| seen.iter().any(|x| (x - b).abs() < 1e-12);
            assert!(gaps.iter().all(|&i| close(completed.row(i)[1])));
            let left = |&i: &usize| completed.row(i)[1] - 2.0 * completed.row(i)[0];
            let n = gaps.len() as f64;
            let mean = gaps.iter().map(left).sum::<f64>() / n;
            let square = gaps.iter().map(|i| left(i).powi(2)).sum::<f64>() / n;
            assert!(
                mean.abs() < 4.0 / n.sqrt() && (square - 1.0).abs() < 4.0 * (2.0 / n).sqrt(),
                "{mean} {square}"
            );
        }
    }

    #[test]
    fn coefficients_have_the_spread_of_least_squares() {
        let table = table(400);
        let chain = Chain::new(&table);
        let rng = &mut generator(1, 1);
        let slopes: Vec<f64> = (0..4000).map(|_| Matching::draw(&chain, 1, rng).unwrap().drawn[1]).collect();
        let rows: Vec<[f64; 2]> =
            chain.observed(1).iter().map(|&i| [chain.row(i)[1], chain.row(i)[2]]).collect();
        let n = rows.len() as f64;
        let (ma, mb) =
            (rows.iter().map(|r| r[0]).sum::<f64>() / n, rows.iter().map(|r| r[1]).sum::<f64>() / n);
        let saa = rows.iter().map(|r| (r[0] - ma).powi(2)).sum::<f64>();
        let slope = rows.iter().map(|r| (r[0] - ma) * (r[1] - mb)).sum::<f64>() / saa;
        let sse = rows.iter().map(|r| (r[1] - mb - slope * (r[0] - ma)).powi(2)).sum::<f64>();
        // A t distribution with n - 2 degrees of freedom.
        let variance = sse / (n - 2.0) / saa * (n - 2.0) / (n - 4.0);
        let mean = slopes.iter().sum::<f64>() / 4000.0;
        let found = slopes.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / 4000.0;
        assert!((mean - slope).abs() < 4.0 * (variance / 4000.0).sqrt());
        assert!((found / variance - 1.0).abs() < 4.0 * (2.0f64 / 4000.0).sqrt(), "{found} {variance}");
    }
}
