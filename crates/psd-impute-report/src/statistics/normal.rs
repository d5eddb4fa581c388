//! The maximum likelihood normal distribution of an incomplete table, by expectation maximisation (EM).
//!
//! With `S` the observed and `M` the missing columns of a row, a step replaces the missing cells by their regression on the observed ones,
//!
//! ```text
//! x̂_M = μ_M + B (x_S - μ_S),    B = Σ_MS Σ_SS⁻¹,    C = Σ_MM - B Σ_SM
//! ```
//!
//! and takes mean and covariance of the completed rows, to which each row adds its `C`. The engine's normal model has priors, which a
//! likelihood test must not have.

use faer::linalg::solvers::{Solve, SolveLstsq};
use faer::{Mat, MatRef, Side};
use psd_impute::table::{Group, Table};
use std::cmp::Ordering;

/// Maximum number of steps.
const STEPS: usize = 2_000;
/// Number of past steps that the next one is combined from.
const MEMORY: usize = 5;
/// Tolerated decrease of the likelihood by rounding.
const ROUNDING: f64 = 1e-9;
/// The iteration stops when no coordinate changes by more.
const SETTLED: f64 = 1e-9;
/// The share of a column's variance left by the columns before it, at or below which the covariance counts as singular. EM approaches a
/// singular covariance in ever smaller steps.
const SINGULAR: f64 = 1e-6;

/// A normal distribution.
pub(crate) struct Normal {
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Mat<f64>,
}

/// The reason why there is no maximum likelihood estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unlikely {
    /// Columns are linearly dependent, so that the likelihood has no maximum.
    Singular,
    /// No convergence in [`STEPS`] steps.
    Unsettled,
}

/// The maximum likelihood normal distribution of standardised columns.
///
/// EM reduces the distance to its limit by a factor per step, which is close to one if nearly all information is in rows with missing cells.
/// So steps are combined (Anderson 1965): with `r(θ)` the step of EM from `θ`, and `Δθ`, `Δr` the last differences of points and steps, the
/// next point is where the step would be shortest if it were linear,
///
/// ```text
/// θ + r - (Δθ + Δr) γ,    γ = argmin |r - Δr γ|
/// ```
///
/// or the plain step if that point is less likely.
pub(crate) fn most_likely(table: &Table) -> Result<Normal, Unlikely> {
    let groups: Vec<Group> = table.groups();
    let coordinates = Coordinates::of(table);
    let d = table.columns().len();
    let (mut at, mut plain) = (vec![0.0; d + d * (d + 1) / 2], Vec::new());
    let mut likelihood = f64::NEG_INFINITY;
    let mut past: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for _ in 0..STEPS {
        let least = likelihood - ROUNDING * likelihood.abs();
        let tried = step(table, &groups, &coordinates.normal(&at));
        let found = match tried.filter(|step| step.log_likelihood >= least) {
            Some(found) => found,
            None if past.is_empty() => return Err(Unlikely::Singular),
            None => {
                past.clear();
                at = plain;
                step(table, &groups, &coordinates.normal(&at)).ok_or(Unlikely::Singular)?
            }
        };
        if !is_regular(&found.next.covariance) {
            return Err(Unlikely::Singular);
        }
        likelihood = found.log_likelihood;
        plain = coordinates.point(&found.next).ok_or(Unlikely::Singular)?;
        past.push((at.clone(), plain.iter().zip(&at).map(|(a, b)| a - b).collect()));
        past.drain(..past.len().saturating_sub(MEMORY + 1));
        let next = put_together(&past);
        // Neither the plain nor the combined step moves.
        let settled = |to: &[f64]| to.iter().zip(&at).all(|(a, b)| (a - b).abs() < SETTLED);
        if settled(&plain) && settled(&next) {
            return Ok(found.next);
        }
        at = next;
    }
    Err(Unlikely::Unsettled)
}

/// The next point from the last ones and their steps.
fn put_together(past: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let Some((at, step)) = past.last() else { return Vec::new() };
    let (size, differences) = (at.len(), past.len() - 1);
    let next = Mat::from_fn(size, 1, |i, _| at[i] + step[i]);
    if differences == 0 {
        return next.col(0).iter().copied().collect();
    }
    let points = Mat::from_fn(size, differences, |i, k| past[k + 1].0[i] - past[k].0[i]);
    let steps = Mat::from_fn(size, differences, |i, k| past[k + 1].1[i] - past[k].1[i]);
    let gamma = steps.col_piv_qr().solve_lstsq(&Mat::from_fn(size, 1, |i, _| step[i]));
    let next = next - (points + steps) * gamma;
    next.col(0).iter().copied().collect()
}

/// Free coordinates of a normal distribution: the mean, and with `Σ = L D L'` the part of `L` below its diagonal, and `log D`. The columns with
/// the fewest missing cells are first, so that `L` holds the regressions, in which EM is nearly linear.
struct Coordinates {
    order: Vec<usize>,
}

impl Coordinates {
    fn of(table: &Table) -> Self {
        let mut order: Vec<usize> = (0..table.columns().len()).collect();
        order.sort_by_key(|&j| table.len() - table.observed(j).count());
        Self { order }
    }

    fn point(&self, normal: &Normal) -> Option<Vec<f64>> {
        let factor = part(normal.covariance.as_ref(), &self.order, &self.order).llt(Side::Lower).ok()?;
        let root = factor.L();
        let mut out = normal.mean.clone();
        for i in 0..self.order.len() {
            out.extend((0..i).map(|j| root[(i, j)] / root[(j, j)]));
            out.push(2.0 * root[(i, i)].ln());
        }
        Some(out)
    }

    fn normal(&self, point: &[f64]) -> Normal {
        let d = self.order.len();
        let (mean, rest) = point.split_at(d);
        // Row `i` of the triangle begins after those of `1 + ... + i` numbers.
        let entry = |i: usize, j: usize| rest[i * (i + 1) / 2 + j];
        let root = Mat::from_fn(d, d, |i, j| match i.cmp(&j) {
            Ordering::Less => 0.0,
            Ordering::Equal => (entry(i, i) / 2.0).exp(),
            Ordering::Greater => entry(i, j) * (entry(j, j) / 2.0).exp(),
        });
        let product = &root * root.transpose();
        let mut covariance = Mat::zeros(d, d);
        for (a, &i) in self.order.iter().enumerate() {
            self.order.iter().enumerate().for_each(|(b, &j)| covariance[(i, j)] = product[(a, b)]);
        }
        Normal { mean: mean.to_vec(), covariance }
    }
}

/// Part of a matrix.
pub(crate) fn part(matrix: MatRef<'_, f64>, rows: &[usize], columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| matrix[(rows[i], columns[j])])
}

/// A step of EM.
struct Step {
    /// The log-likelihood of the starting point, up to a constant.
    log_likelihood: f64,
    next: Normal,
}

/// A step of EM; None if the covariance is not positive definite.
fn step(table: &Table, groups: &[Group], normal: &Normal) -> Option<Step> {
    let (d, n) = (table.columns().len(), table.len() as f64);
    let (mut sum, mut squares) = (vec![0.0; d], Mat::<f64>::zeros(d, d));
    let mut log_likelihood = 0.0;
    for Group { pattern, rows } in groups {
        let (seen, gone) = (pattern.observed(), pattern.missing());
        let sigma = normal.covariance.as_ref();
        let across = part(sigma, seen, gone);
        let factor = part(sigma, seen, seen).llt(Side::Lower).ok()?;
        // B', one column for each missing column.
        let regression = factor.solve(&across);
        let rest = part(sigma, gone, gone) - across.transpose() * &regression;
        let off =
            Mat::from_fn(seen.len(), rows.len(), |s, i| table.row(rows[i])[seen[s]] - normal.mean[seen[s]]);
        let whitened = factor.solve(&off);
        let quadratic: f64 = (0..rows.len()).map(|i| off.col(i).transpose() * whitened.col(i)).sum();
        let log_root: f64 = (0..seen.len()).map(|s| factor.L()[(s, s)].ln()).sum();
        log_likelihood -= rows.len() as f64 * log_root + quadratic / 2.0;
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
    log_likelihood.is_finite().then_some(Step { log_likelihood, next: Normal { mean, covariance } })
}

/// Whether no column is almost determined by those before it.
fn is_regular(covariance: &Mat<f64>) -> bool {
    let Ok(factor) = covariance.llt(Side::Lower) else { return false };
    let factor = factor.L();
    (0..covariance.nrows()).all(|j| factor[(j, j)].powi(2) > SINGULAR * covariance[(j, j)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &[[f64; 2]]) -> Normal {
        let table = Table::continuous(&["x", "y"], rows).unwrap();
        most_likely(&table).unwrap_or_else(|why| panic!("{why:?}"))
    }

    /// Anderson's closed form for a monotone pattern: `x` is complete and `y` observed in some rows, so that the likelihood factors
    /// into that of `x` and that of the regression of `y` on `x`.
    fn check_against_anderson(rows: &[[f64; 2]]) {
        let found = found(rows);
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let x: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        let seen = rows.iter().filter(|row| !row[1].is_nan());
        let (sx, sy): (Vec<f64>, Vec<f64>) = seen.map(|row| (row[0], row[1])).unzip();
        let (mx, my) = (mean(&sx), mean(&sy));
        let dot = |a: &[f64], ma: f64, b: &[f64], mb: f64| {
            mean(&a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).collect::<Vec<_>>())
        };
        let slope = dot(&sx, mx, &sy, my) / dot(&sx, mx, &sx, mx);
        let rest = dot(&sy, my, &sy, my) - slope * dot(&sx, mx, &sy, my);
        let all = mean(&x);
        let spread = dot(&x, all, &x, all);
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-7 * expected.abs().max(1.0), "{found} {expected}");
        };
        near(found.mean[0], all);
        near(found.mean[1], my + slope * (all - mx));
        near(found.covariance[(0, 0)], spread);
        near(found.covariance[(1, 0)], slope * spread);
        near(found.covariance[(1, 1)], rest + slope * slope * spread);
    }

    #[test]
    fn a_monotone_pattern_has_a_closed_form() {
        let row = |i: u32| {
            let x = (f64::from(i) * 0.37).sin() + 0.01 * f64::from(i);
            let y = 0.8 * x + (1.7 * f64::from(i)).cos() * 0.4;
            [x, if x > 0.5 { f64::NAN } else { y }]
        };
        check_against_anderson(&(0..40).map(row).collect::<Vec<_>>());
    }

    /// Rows with missing cells hold all but a few hundred-thousandths of the variance of `x`, which limits a step of EM to that share.
    #[test]
    fn it_is_reached_where_hardly_anything_is_known() {
        let row = |i: u32| {
            let wave = (f64::from(i) * 0.73).sin();
            let x = if i.is_multiple_of(3) { 2.0 * wave.signum() + 0.3 * wave } else { 0.01 * wave };
            let y = 20.0 * x + (1.7 * f64::from(i)).cos();
            [x, if i.is_multiple_of(3) { f64::NAN } else { y }]
        };
        let rows: Vec<[f64; 2]> = (0..90).map(row).collect();
        check_against_anderson(&rows);
        let turned: Vec<[f64; 2]> = rows.iter().map(|&[x, y]| [y, x]).collect();
        let (one, other) = (found(&rows), found(&turned));
        assert!((one.covariance[(1, 0)] / other.covariance[(1, 0)] - 1.0).abs() < 1e-9);
        assert!((one.mean[1] / other.mean[0] - 1.0).abs() < 1e-9);
    }

    /// Among multiples of the covariance the likelihood is greatest at the covariance itself, where the squared distances of the rows add up to
    /// the number of observed cells.
    #[test]
    fn squared_distances_add_up_to_the_cells() {
        let row = |i: u32| {
            let wave = |j: u32| (f64::from(i * (2 * j + 3)) * 0.61 + f64::from(j)).sin();
            let cell =
                |j: u32| if wave(j + 7) > 0.4 + 0.2 * wave(0) { f64::NAN } else { wave(j + 1) + wave(0) };
            [cell(0), cell(1), cell(2), wave(0)]
        };
        let rows: Vec<[f64; 4]> = (0..150).map(row).collect();
        let table = Table::continuous(&["a", "b", "c", "d"], &rows).unwrap();
        let found = most_likely(&table).unwrap_or_else(|why| panic!("{why:?}"));
        let mut sum = 0.0;
        for Group { pattern, rows } in table.groups() {
            let seen = pattern.observed();
            let factor = part(found.covariance.as_ref(), seen, seen).llt(Side::Lower).unwrap();
            let off =
                |i: usize| Mat::from_fn(seen.len(), 1, |s, _| table.row(i)[seen[s]] - found.mean[seen[s]]);
            sum += rows.iter().map(|&i| (off(i).transpose() * factor.solve(&off(i)))[(0, 0)]).sum::<f64>();
        }
        let cells = rows.iter().flatten().filter(|x| !x.is_nan()).count();
        assert!(cells < 500 && (sum - cells as f64).abs() < 1e-5, "{sum} {cells}");
    }

    #[test]
    fn columns_on_a_line_have_none() {
        let rows: Vec<[f64; 2]> =
            (0..9).map(|i| [f64::from(i), if i % 2 == 0 { 2.0 * f64::from(i) } else { f64::NAN }]).collect();
        let found = most_likely(&Table::continuous(&["x", "y"], &rows).unwrap().standardise().0);
        assert_eq!(found.err(), Some(Unlikely::Singular));
    }
}
