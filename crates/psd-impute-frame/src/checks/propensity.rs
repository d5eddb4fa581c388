//! The probability that a row misses a column: logistic regression with a ridge penalty.
//!
//! With features `x_i` and `y_i = 1` for rows that miss it, `η_i = b_0 + x_i'b` maximises
//!
//! ```text
//! Σ_i (y_i η_i - log(1 + exp η_i)) - λ |b|²/2
//! ```
//!
//! by Newton steps `(X'WX + λI) δ = X'(y - p) - λb` with `W = p (1 - p)`.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

/// `λ`, in rows, for features of about unit variance.
const RIDGE: f64 = 1.0;
const STEPS: usize = 10;
/// Coefficients that move less than this have converged.
const SETTLED: f64 = 1e-6;

/// `η` of each row. `None` if a step cannot be solved for.
pub(super) fn log_odds(features: &[Vec<f64>], missing: &[bool]) -> Option<Vec<f64>> {
    let p = features.first()?.len() + 1;
    let x = |i: usize, a: usize| if a == 0 { 1.0 } else { features[i][a - 1] };
    let mut b = vec![0.0; p];
    let eta = |b: &[f64], i: usize| (0..p).map(|a| b[a] * x(i, a)).sum::<f64>().clamp(-30.0, 30.0);
    for _ in 0..STEPS {
        let ridge = |a: usize| if a == 0 { 1e-6 } else { RIDGE };
        let mut hessian = Mat::from_fn(p, p, |a, c| if a == c { ridge(a) } else { 0.0 });
        let mut gradient = Mat::from_fn(p, 1, |a, _| -ridge(a) * b[a]);
        for (i, &missing) in missing.iter().enumerate() {
            let chance = 1.0 / (1.0 + (-eta(&b, i)).exp());
            let weight = chance * (1.0 - chance);
            for a in 0..p {
                gradient[(a, 0)] += (f64::from(missing) - chance) * x(i, a);
                for c in 0..=a {
                    hessian[(a, c)] += weight * x(i, a) * x(i, c);
                }
            }
        }
        let step = hessian.llt(Side::Lower).ok()?.solve(&gradient);
        (0..p).for_each(|a| b[a] += step[(a, 0)]);
        if (0..p).all(|a| step[(a, 0)].abs() < SETTLED) {
            break;
        }
    }
    b.iter().all(|b| b.is_finite()).then(|| (0..missing.len()).map(|i| eta(&b, i)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_those_of_the_rows() {
        // Of 300 rows with x = 1 a third are missing, of 300 with x = -1 two thirds: log odds of -ln 2 and ln 2, up to the ridge.
        let features: Vec<Vec<f64>> = (0..600).map(|i| vec![if i < 300 { 1.0 } else { -1.0 }]).collect();
        let missing: Vec<bool> = (0..600).map(|i| (i % 3 == 0) == (i < 300)).collect();
        let eta = log_odds(&features, &missing).unwrap();
        assert!(
            (eta[0] + 2f64.ln()).abs() < 0.01 && (eta[599] - 2f64.ln()).abs() < 0.01,
            "{} {}",
            eta[0],
            eta[599]
        );
    }

    #[test]
    fn rows_that_a_column_tells_apart_have_finite_odds() {
        let features: Vec<Vec<f64>> = (0..100).map(|i| vec![f64::from(i) / 30.0]).collect();
        let missing: Vec<bool> = (0..100).map(|i| i < 40).collect();
        let eta = log_odds(&features, &missing).unwrap();
        assert!(eta.iter().all(|x| x.is_finite()) && eta[0] > 1.0 && eta[99] < -1.0);
    }
}
