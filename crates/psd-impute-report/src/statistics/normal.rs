//! The normal distribution of greatest likelihood of an incomplete table, by expectation maximisation.
//!
//! With `S` the observed and `M` the missing columns of a row, a step replaces the missing cells by their regression on the observed ones,
//!
//! ```text
//! x̂_M = μ_M + B (x_S - μ_S),    B = Σ_MS Σ_SS⁻¹,    C = Σ_MM - B Σ_SM
//! ```
//!
//! and takes mean and covariance of the completed rows, to which each row adds its `C`. The engine's normal model has priors, which a
//! test of what the likelihood says must not have.

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef, Side};
use psd_impute::table::{Group, Table};

/// Steps, at most.
const STEPS: usize = 2_000;
/// The largest change of a standardised moment at which there are no more.
const SETTLED: f64 = 1e-9;
/// The share of a column's variance that those before it may leave. EM goes to a singular covariance in ever smaller steps.
const SINGULAR: f64 = 1e-6;

/// A normal distribution.
pub(crate) struct Normal {
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Mat<f64>,
}

/// The distribution of greatest likelihood of standardised columns; nothing if there is none, because columns depend on each other
/// linearly, or if it is not reached.
pub(crate) fn most_likely(table: &Table) -> Option<Normal> {
    let groups: Vec<Group> = table.groups();
    let d = table.columns().len();
    let mut normal = Normal { mean: vec![0.0; d], covariance: Mat::identity(d, d) };
    for _ in 0..STEPS {
        let next = step(table, &groups, &normal)?;
        let moved = change(&normal, &next);
        normal = next;
        if moved < SETTLED {
            return is_regular(&normal.covariance).then_some(normal);
        }
    }
    None
}

/// Part of a matrix.
pub(crate) fn part(matrix: MatRef<'_, f64>, rows: &[usize], columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| matrix[(rows[i], columns[j])])
}

fn step(table: &Table, groups: &[Group], normal: &Normal) -> Option<Normal> {
    let (d, n) = (table.columns().len(), table.len() as f64);
    let (mut sum, mut squares) = (vec![0.0; d], Mat::<f64>::zeros(d, d));
    for Group { pattern, rows } in groups {
        let (seen, gone) = (pattern.observed(), pattern.missing());
        let sigma = normal.covariance.as_ref();
        let across = part(sigma, seen, gone);
        let factor = part(sigma, seen, seen).llt(Side::Lower).ok()?;
        // B', one column for each missing column.
        let regression = factor.solve(&across);
        let rest = part(sigma, gone, gone) - across.transpose() * &regression;
        for &i in rows {
            let row = table.row(i);
            let mut full = row.to_vec();
            for (k, &j) in gone.iter().enumerate() {
                let terms =
                    seen.iter().enumerate().map(|(s, &o)| regression[(s, k)] * (row[o] - normal.mean[o]));
                full[j] = normal.mean[j] + terms.sum::<f64>();
            }
            for a in 0..d {
                sum[a] += full[a];
                for b in 0..=a {
                    squares[(a, b)] += full[a] * full[b];
                }
            }
        }
        for (a, &j) in gone.iter().enumerate() {
            for (b, &k) in gone.iter().enumerate().take(a + 1) {
                squares[(j, k)] += rows.len() as f64 * rest[(a, b)];
            }
        }
    }
    let mean: Vec<f64> = sum.iter().map(|s| s / n).collect();
    let covariance = Mat::from_fn(d, d, |a, b| squares[(a.max(b), a.min(b))] / n - mean[a] * mean[b]);
    Some(Normal { mean, covariance })
}

/// Whether no column is all but given by those before it.
fn is_regular(covariance: &Mat<f64>) -> bool {
    let Ok(factor) = covariance.llt(Side::Lower) else { return false };
    let factor = factor.L();
    (0..covariance.nrows()).all(|j| factor[(j, j)].powi(2) > SINGULAR * covariance[(j, j)])
}

fn change(a: &Normal, b: &Normal) -> f64 {
    let d = a.mean.len();
    let means = (0..d).map(|j| (a.mean[j] - b.mean[j]).abs());
    let covariances = (0..d * d).map(|k| (a.covariance[(k / d, k % d)] - b.covariance[(k / d, k % d)]).abs());
    means.chain(covariances).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anderson's closed form for a monotone pattern: `x` is complete, `y` is seen in some rows, so that the likelihood falls apart
    /// into that of `x` and that of the regression of `y` on `x`.
    #[test]
    fn a_monotone_pattern_has_a_closed_form() {
        let x: Vec<f64> = (0..40).map(|i| (f64::from(i) * 0.37).sin() + 0.01 * f64::from(i)).collect();
        let rows: Vec<[f64; 2]> = x
            .iter()
            .enumerate()
            .map(|(i, &x)| {
                let y = 0.8 * x + (1.7 * i as f64).cos() * 0.4;
                [x, if x > 0.5 { f64::NAN } else { y }]
            })
            .collect();
        let table = Table::continuous(&["x", "y"], &rows).unwrap();
        let found = most_likely(&table).unwrap();
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let seen: Vec<[f64; 2]> = rows.iter().copied().filter(|row| !row[1].is_nan()).collect();
        let (sx, sy): (Vec<f64>, Vec<f64>) = seen.iter().map(|row| (row[0], row[1])).unzip();
        let (mx, my) = (mean(&sx), mean(&sy));
        let dot = |a: &[f64], ma: f64, b: &[f64], mb: f64| {
            mean(&a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).collect::<Vec<_>>())
        };
        let slope = dot(&sx, mx, &sy, my) / dot(&sx, mx, &sx, mx);
        let rest = dot(&sy, my, &sy, my) - slope * dot(&sx, mx, &sy, my);
        let all = mean(&x);
        let spread = dot(&x, all, &x, all);
        assert!((found.mean[0] - all).abs() < 1e-8);
        assert!((found.mean[1] - (my + slope * (all - mx))).abs() < 1e-7);
        assert!((found.covariance[(0, 0)] - spread).abs() < 1e-8);
        assert!((found.covariance[(1, 0)] - slope * spread).abs() < 1e-7);
        assert!((found.covariance[(1, 1)] - (rest + slope * slope * spread)).abs() < 1e-7);
    }

    #[test]
    fn columns_on_a_line_have_none() {
        let rows: Vec<[f64; 2]> =
            (0..9).map(|i| [f64::from(i), if i % 2 == 0 { 2.0 * f64::from(i) } else { f64::NAN }]).collect();
        assert!(most_likely(&Table::continuous(&["x", "y"], &rows).unwrap().standardise().0).is_none());
    }
}
