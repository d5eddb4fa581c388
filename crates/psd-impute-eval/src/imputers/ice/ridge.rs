//! Bayesian ridge regression: scikit-learn's `BayesianRidge` with its defaults, from 1.9 on, which centres the row of a predictive deviation.
//! With more columns than rows, the deviation here also includes the prior variance outside the rows' span.
//!
//! `y = x'w + noise` with noise of precision `α` and `w ~ N(0, I/λ)`. With the eigenvalues `e_k` and eigenvectors `u_k` of the centred `X'X`
//! and `ρ = λ/α`, and `z_k = u_k' X'y`, one step is
//!
//! ```text
//! w   = Σ u_k z_k / (e_k + ρ)
//! sse = |y - X w|² = r + Σ (ρ / (e_k + ρ))² z_k² / e_k
//! γ   = Σ e_k / (e_k + ρ)
//! λ   = (γ + 2ε) / (|w|² + 2ε),   α = (n - γ + 2ε) / (sse + 2ε),   ε = 1e-6
//! ```
//!
//! where `r = |y|² - Σ z_k² / e_k` is the residual sum of squares of least squares. If it is a small part of `|y|²`, the difference has lost
//! its digits, and `r` is computed from the rows. Steps end when `w` moves by less than a thousandth in total.

use super::super::chain::{Chain, place};
use super::eigen::Eigen;
use crate::linalg::dot;
use faer::Mat;

const STEPS: usize = 300;
const TOLERANCE: f64 = 1e-3;
const PRIOR: f64 = 1e-6;
/// The part of `|y|²` below which the difference is too inaccurate.
const SMALL: f64 = 1e-6;

/// The mean of a column given the others.
#[derive(Clone)]
pub(super) struct Line {
    /// The column.
    pub(super) target: usize,
    /// A coefficient for each number of a row of the chain; zero for the column itself.
    weights: Vec<f64>,
}

impl Line {
    pub(super) fn mean(&self, row: &[f64]) -> f64 {
        dot(&self.weights, row)
    }
}

/// A regression with the uncertainty of its coefficients.
pub(super) struct Ridge {
    pub(super) line: Line,
    /// The mean of a row.
    centre: Vec<f64>,
    eigen: Eigen,
    alpha: f64,
    lambda: f64,
}

impl Ridge {
    /// The regression of a column on all the others.
    pub(super) fn fit(chain: &Chain, target: usize) -> Self {
        let moments = chain.moments(target);
        let n = moments[(0, 0)].max(1.0);
        let centre: Vec<f64> = moments.col(0).iter().map(|sum| sum / n).collect();
        let centred = |a: usize, b: usize| moments[(a, b)] - n * centre[a] * centre[b];
        let y = place(target);
        let others: Vec<usize> = (1..moments.nrows()).filter(|&k| k != y).collect();
        let p = others.len();
        let eigen = Eigen::of(Mat::from_fn(p, p, |a, b| centred(others[a], others[b])).as_ref());
        let xy: Vec<f64> = others.iter().map(|&k| centred(k, y)).collect();
        let z: Vec<f64> = eigen.vectors.iter().map(|u| dot(u, &xy)).collect();
        let line = |coefficients: &[f64]| {
            let mut weights = vec![0.0; moments.nrows()];
            others.iter().zip(coefficients).for_each(|(&k, w)| weights[k] = *w);
            weights[0] = centre[y] - dot(&weights, &centre);
            Line { target, weights }
        };
        let yy = centred(y, y).max(0.0);
        let explained: f64 = z.iter().zip(&eigen.values).map(|(z, e)| z * z / e).sum();
        let left = if yy - explained > SMALL * yy {
            yy - explained
        } else {
            chain.residual(target, &line(&coefficients(&eigen, &z, 0.0, p)).weights)
        };
        let (w, alpha, lambda) = evidence(&eigen, &z, left, yy, n, p);
        Self { line: line(&w), centre, eigen, alpha, lambda }
    }

    /// The standard deviation of the column in a row, from the noise and the coefficients,
    ///
    /// ```text
    /// 1/α + Σ t_k² / (α e_k + λ) + |x - Σ u_k t_k|² / λ,   t_k = u_k' x
    /// ```
    ///
    /// with `x` the other columns less their means.
    pub(super) fn deviation(&self, row: &[f64]) -> f64 {
        let y = place(self.line.target);
        let mut rest: Vec<f64> =
            (1..row.len()).filter(|&k| k != y).map(|k| row[k] - self.centre[k]).collect();
        let mut variance = 1.0 / self.alpha;
        for (u, e) in self.eigen.vectors.iter().zip(&self.eigen.values) {
            let t = dot(u, &rest);
            rest.iter_mut().zip(u).for_each(|(x, u)| *x -= t * u);
            variance += t * t / (self.alpha * e + self.lambda);
        }
        // With as many directions as columns, all are subtracted.
        if self.eigen.values.len() < rest.len() {
            variance += dot(&rest, &rest) / self.lambda;
        }
        variance.sqrt()
    }
}

/// `w` for a given `ρ`.
fn coefficients(eigen: &Eigen, z: &[f64], rho: f64, p: usize) -> Vec<f64> {
    let mut w = vec![0.0; p];
    for ((u, e), z) in eigen.vectors.iter().zip(&eigen.values).zip(z) {
        let share = z / (e + rho);
        w.iter_mut().zip(u).for_each(|(w, u)| *w += share * u);
    }
    w
}

/// `w`, `α` and `λ` after all steps.
fn evidence(eigen: &Eigen, z: &[f64], left: f64, yy: f64, n: f64, p: usize) -> (Vec<f64>, f64, f64) {
    let (mut alpha, mut lambda) = (1.0 / (yy / n + f64::EPSILON), 1.0);
    let mut last: Option<Vec<f64>> = None;
    for _ in 0..STEPS {
        let rho = lambda / alpha;
        let w = coefficients(eigen, z, rho, p);
        let shrunk = |(e, z): (&f64, &f64)| (rho / (e + rho)).powi(2) * z * z / e;
        let sse = left + eigen.values.iter().zip(z).map(shrunk).sum::<f64>();
        let gamma: f64 = eigen.values.iter().map(|e| e / (e + rho)).sum();
        lambda = (gamma + 2.0 * PRIOR) / (dot(&w, &w) + 2.0 * PRIOR);
        alpha = (n - gamma + 2.0 * PRIOR) / (sse + 2.0 * PRIOR);
        let moved = |last: &Vec<f64>| last.iter().zip(&w).map(|(a, b)| (a - b).abs()).sum::<f64>();
        if last.as_ref().map(moved).is_some_and(|moved| moved < TOLERANCE) {
            break;
        }
        last = Some(w);
    }
    (coefficients(eigen, z, lambda / alpha, p), alpha, lambda)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Cholesky;
    use psd_impute::table::Table;

    /// Columns of different scales, with more rows than columns or fewer; the first column has missing cells.
    fn chain(rows: usize) -> Chain {
        let number = |i: usize, j: usize| ((i * 37 + j * 101 + i * i * j + i * j * j) % 97) as f64 / 97.0;
        let cell = |i: usize, j: usize| {
            let missing = j == 0 && i % 3 == 2;
            if missing { f64::NAN } else { [3.0, 50.0, 0.01, 1.0, 7.0][j] * (number(i, j) + number(i, 7)) }
        };
        let rows: Vec<[f64; 5]> = (0..rows).map(|i| [0, 1, 2, 3, 4].map(|j| cell(i, j))).collect();
        Chain::new(&Table::continuous(&["a", "b", "c", "d", "e"], &rows).unwrap())
    }

    #[test]
    fn line_and_deviation_solve_their_equations() {
        for rows in [60, 5] {
            let chain = chain(rows);
            let ridge = Ridge::fit(&chain, 0);
            let (alpha, lambda) = (ridge.alpha, ridge.lambda);
            let seen: Vec<Vec<f64>> = chain.observed(0).iter().map(|&i| chain.row(i)[1..].to_vec()).collect();
            let mean = |k: usize| seen.iter().map(|x| x[k]).sum::<f64>() / seen.len() as f64;
            let means: Vec<f64> = (0..5).map(mean).collect();
            let sum = |a: usize, b: usize| -> f64 {
                seen.iter().map(|x| (x[a] - means[a]) * (x[b] - means[b])).sum()
            };
            let precision =
                Mat::from_fn(4, 4, |a, b| alpha * sum(a + 1, b + 1) + if a == b { lambda } else { 0.0 });
            let precision = Cholesky::new(precision, "precision").unwrap();
            let mut w: Vec<f64> = (0..4).map(|a| alpha * sum(a + 1, 0)).collect();
            precision.solve_vector(&mut w);
            for i in 0..rows {
                let x: Vec<f64> = (1..5).map(|k| chain.row(i)[k + 1] - means[k]).collect();
                let expected = means[0] + dot(&w, &x);
                assert!((ridge.line.mean(chain.row(i)) - expected).abs() < 1e-9, "{rows} {i}");
                let mut solved = x.clone();
                precision.solve_vector(&mut solved);
                let expected = (1.0 / alpha + dot(&x, &solved)).sqrt();
                assert!((ridge.deviation(chain.row(i)) / expected - 1.0).abs() < 1e-8, "{rows} {i}");
            }
        }
    }

    #[test]
    fn evidence_comes_to_rest() {
        let chain = chain(60);
        let ridge = Ridge::fit(&chain, 0);
        let gamma: f64 = ridge.eigen.values.iter().map(|e| e / (e + ridge.lambda / ridge.alpha)).sum();
        let sse = chain.residual(0, &ridge.line.weights);
        assert!((ridge.alpha * sse / (chain.observed(0).len() as f64 - gamma) - 1.0).abs() < 1e-2);
        let squares = dot(&ridge.line.weights[1..], &ridge.line.weights[1..]);
        assert!((ridge.lambda * squares / gamma - 1.0).abs() < 1e-1);
    }
}
