//! Hard corners: the smallest, the most degenerate and the most extreme problems.

use crate::common::*;
use faer::Mat;
use psd_impute::density::{Density, PsdDensity};
use psd_impute::internals::kernel::{Anchors, BaseMeasure, Features, Metric};
use psd_impute::internals::linalg::log_sum_exp;
use psd_impute::internals::objective::{ProblemOptions, Regularizer};
use psd_impute::learn::psd::{Fitted, PsdFit};
use psd_impute::solver::{SolverOptions, Status, SystemKind};
use psd_impute::table::Table;

fn anchors(points: &[&[f64]]) -> Anchors {
    Anchors::new(Mat::from_fn(points[0].len(), points.len(), |j, a| points[a][j])).unwrap()
}

fn table(rows: &[&[f64]]) -> Table {
    let names: Vec<String> = (0..rows[0].len()).map(|j| format!("x{j}")).collect();
    Table::continuous(&names.iter().map(String::as_str).collect::<Vec<_>>(), rows).unwrap()
}

/// Fits with every system, checks that all agree, and returns one of them.
fn fit(table: &Table, anchors: &Anchors) -> Fitted {
    let run = |system| {
        let solver = SolverOptions { system, tolerance: 1e-12, ..Default::default() };
        let fitted = PsdFit { solver, ..Default::default() }.run(table, anchors, &mut ()).unwrap();
        assert_eq!(fitted.solution.status, Status::Converged);
        fitted
    };
    let fitted = run(SystemKind::Hessian);
    for other in [run(SystemKind::Woodbury), run(SystemKind::Pcg)] {
        close(other.solution.objective, fitted.solution.objective, 1e-9);
    }
    let logs = fitted.density.log_marginals(table).unwrap();
    assert!(logs.iter().all(|x| x.is_finite()));
    fitted
}

#[test]
fn one_anchor_one_row_one_column() {
    fit(&table(&[&[0.3]]), &anchors(&[&[0.0]]));
    fit(&table(&[&[0.3]]), &anchors(&[&[0.0], &[1.0]]));
    fit(&table(&[&[0.3, NA, 1.0]]), &anchors(&[&[0.0, 1.0, 2.0]]));
    fit(&table(&[&[0.1], &[0.2], &[-0.3]]), &anchors(&[&[0.0]]));
}

#[test]
fn all_rows_complete_or_one_cell_each() {
    let points = anchors(&[&[0.0, 0.0], &[1.0, -1.0], &[-1.0, 0.5]]);
    fit(&table(&[&[0.1, 0.2], &[1.0, -1.1], &[-0.7, 0.4], &[0.9, -0.8]]), &points);
    fit(&table(&[&[0.1, NA], &[NA, -1.1], &[-0.7, NA], &[NA, -0.8]]), &points);
}

#[test]
fn rows_with_nothing_observed_change_nothing_but_the_objective() {
    let points = anchors(&[&[0.0, 0.0], &[1.0, -1.0]]);
    let fitted = fit(&table(&[&[0.1, NA], &[NA, NA], &[NA, -0.8]]), &points);
    close(fitted.density.log_marginal(&[NA, NA]).unwrap(), 0.0, 1e-13);
}

#[test]
fn duplicated_rows_and_a_constant_column() {
    let points = anchors(&[&[0.0, 0.0], &[1.0, 0.0], &[-1.0, 0.0]]);
    let once = fit(&table(&[&[0.1, 0.0], &[0.9, NA], &[-0.8, 0.0]]), &points);
    let rows: Vec<&[f64]> =
        [[0.1, 0.0], [0.9, NA], [-0.8, 0.0]].iter().map(|r| &r[..]).cycle().take(300).collect::<Vec<_>>();
    let many = fit(&table(&rows), &points);
    close(once.solution.objective, many.solution.objective, 1e-10);
}

#[test]
fn equal_anchors_are_merged_and_reported() {
    let rows = table(&[&[0.1, NA], &[1.0, -1.1], &[NA, 0.4], &[0.9, -0.8]]);
    let distinct = fit(&rows, &anchors(&[&[0.0, 0.0], &[1.0, -1.0]]));
    let doubled = fit(&rows, &anchors(&[&[0.0, 0.0], &[1.0, -1.0], &[0.0, 0.0], &[1.0, -1.0], &[1.0, -1.0]]));
    assert_eq!((distinct.solution.rank, doubled.solution.rank), (2, 2));
    for row in rows.rows() {
        let (a, b) =
            (distinct.density.log_marginal(row).unwrap(), doubled.density.log_marginal(row).unwrap());
        close(a, b, 1e-6); // the log-determinants differ by a constant
    }
    let draw = doubled.density.conditional(&[0.1, NA]).unwrap().draw(&mut rng(1));
    assert!(draw[0].is_finite());
    let nearly = fit(&rows, &anchors(&[&[0.0, 0.0], &[1e-9, 0.0], &[1.0, -1.0], &[1.0, -1.0 + 1e-7]]));
    assert!(nearly.solution.rank < 4);
}

/// Pairs summed in log scale, for a `Q` without negative entries: independent of the engine's scaling.
fn reference(features: &Features, q: &Mat<f64>, row: &[f64]) -> f64 {
    let seen: Vec<usize> = (0..row.len()).filter(|&j| !row[j].is_nan()).collect();
    let (w, l) = (features.anchors(), features.len());
    let variance: Vec<f64> = (0..row.len()).map(|j| features.sigma()[(j, j)]).collect();
    let mut logs = Vec::new();
    for a in 0..l {
        for b in 0..l {
            let far: f64 = (0..row.len()).map(|j| (w[(j, a)] - w[(j, b)]).powi(2) / variance[j]).sum();
            let fit: f64 = seen
                .iter()
                .map(|&j| {
                    let r = row[j] - 0.5 * (w[(j, a)] + w[(j, b)]);
                    -0.5 * (r * r / variance[j] + (std::f64::consts::TAU * variance[j]).ln())
                })
                .sum();
            logs.push(q[(a, b)].ln() - 0.125 * far + fit);
        }
    }
    log_sum_exp(&logs)
}

#[test]
fn log_scale_holds_at_the_extremes() {
    // (columns, bandwidth, distance of the rows from the anchors in standard deviations, share missing)
    let cases = [
        (1, 1.0, 40.0, 0.0),
        (3, 1.0, 40.0, 0.4),
        (100, 1.0, 3.0, 0.3),
        (100, 1e6, 40.0, 0.3),
        (100, 1e-6, 40.0, 0.3),
        (100, 1.0, 2.0, 0.99),
        (2, 1e6, 1e4, 0.0),
    ];
    for (d, eta, distance, missing) in cases {
        let rng = &mut rng(d as u64);
        let unit = 0.5 / f64::sqrt(eta);
        let points = Anchors::new(matrix(d, 5, rng) * faer::Scale(unit)).unwrap();
        let (filler, _) = continuous(3, 4, d, 1, missing, Shape::Isotropic);
        let metric = Metric::isotropic(eta).unwrap();
        let features = Features::new(&filler, None, &points, metric, BaseMeasure::WholeSpace, 1.0).unwrap();
        let q = Mat::from_fn(5, 5, |a, b| if a == b { 1.0 } else { 0.1 });
        let density = PsdDensity::new(features.clone(), q).unwrap();
        for row in filler.rows() {
            let row: Vec<f64> = row.iter().map(|x| unit * (x + distance * x.signum())).collect();
            let actual = density.log_marginal(&row).unwrap();
            close(actual, reference(&features, &density.q().to_owned(), &row), 1e-11);
            let conditional = density.conditional(&row).unwrap();
            assert!(conditional.mean().iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn fits_run_at_the_extremes() {
    for eta in [1e-6, 1e6] {
        for d in [2, 100] {
            let (table, features) = continuous(4, 12, d, 4, 0.4, Shape::Isotropic);
            let points = Anchors::new(features.anchors().to_owned()).unwrap();
            let setup = PsdFit { metric: Metric::isotropic(eta).unwrap(), ..Default::default() };
            let fitted = setup.run(&table, &points, &mut ()).unwrap();
            assert_eq!(fitted.solution.status, Status::Converged, "eta {eta}, d {d}");
            assert!(fitted.density.log_marginals(&table).unwrap().iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn the_box_holds_for_anchors_far_outside() {
    let rows = table(&[&[0.1], &[0.9], &[0.5]]);
    let points = anchors(&[&[-25.0], &[0.4], &[30.0]]);
    let setup = PsdFit { measure: BaseMeasure::Box(vec![(0.0, 1.0)]), ..Default::default() };
    let fitted = setup.run(&rows, &points, &mut ()).unwrap();
    assert_eq!(fitted.solution.status, Status::Converged);
    let mass: f64 =
        gauss(0.0, 1.0, 8).iter().map(|(x, w)| w * fitted.density.log_marginal(&[*x]).unwrap().exp()).sum();
    close(mass, 1.0, 1e-10);
    let conditional = fitted.density.conditional(&[NA]).unwrap();
    for p in [0.01, 0.5, 0.99] {
        let x = conditional.quantile(0, p).unwrap();
        assert!((0.0..=1.0).contains(&x));
        close(conditional.cdf(0, x).unwrap(), p, 1e-9);
    }
    assert_eq!(fitted.density.log_marginal(&[1.5]).unwrap(), f64::NEG_INFINITY);

    // The kernel of such an anchor overflows: no matter without a penalty, an error with one.
    let problem = |lambda| ProblemOptions { lambda, regularizer: Regularizer::Kernel, ..Default::default() };
    let fitted = PsdFit { problem: problem(0.0), ..setup.clone() }.run(&rows, &points, &mut ()).unwrap();
    assert_eq!(fitted.solution.status, Status::Converged);
    let error = PsdFit { problem: problem(0.1), ..setup }.run(&rows, &points, &mut ()).err().unwrap();
    assert!(error.to_string().contains("too far outside the box"));
}

/// Anchors at (-1, -1) and (1, 1), and how strongly they cancel in between.
fn two_anchors(across: f64) -> PsdDensity {
    let filler = table(&[&[0.0, 0.0]]);
    let points = anchors(&[&[-1.0, -1.0], &[1.0, 1.0]]);
    let metric = Metric::isotropic(1.0).unwrap();
    let features = Features::new(&filler, None, &points, metric, BaseMeasure::WholeSpace, 1.0).unwrap();
    let q = Mat::from_fn(2, 2, |a, b| if a == b { 1.0 } else { across });
    PsdDensity::new(features, q).unwrap()
}

/// A row at which the density is zero: the pairs cancel to the last bit, and the result is still a valid distribution.
#[test]
fn a_zero_of_the_density_still_has_a_conditional() {
    let density = two_anchors(-1.0);
    for row in [[0.0, NA], [1e-9, NA]] {
        let conditional = density.conditional(&row).unwrap();
        close(conditional.cdf(1, 50.0).unwrap(), 1.0, 1e-6);
        let middle = conditional.quantile(1, 0.5).unwrap();
        assert!(middle.abs() < 2.0, "{middle}");
        assert!(conditional.covariance()[(0, 0)] > 0.0);
        assert!(conditional.draw(&mut rng(1))[0].abs() < 5.0);
    }
}

/// Signed weights at the extremes, against the closed form in one dimension.
#[test]
fn conditionals_hold_far_out() {
    let density = two_anchors(-0.9);
    // Far to the right only the right anchor's own pair counts: a normal around 1 with variance 1/4.
    let conditional = density.conditional(&[20.0, NA]).unwrap();
    close(conditional.mean()[0], 1.0, 1e-12);
    close(conditional.covariance()[(0, 0)], 0.25, 1e-12);
    close(conditional.quantile(1, 0.975).unwrap(), 1.0 + 0.5 * 1.959_963_984_540_054, 1e-9);
}
