//! Joint learning: structures of `Q`, the reference's weight, early stopping, the convex finish.

use crate::common::*;
use crate::learn::{bent, parts};
use faer::{Mat, Scale};
use psd_impute::density::{Density, PsdDensity};
use psd_impute::internals::kernel::{BaseMeasure, Features, Metric};
use psd_impute::internals::linalg::{LbfgsParams, eigenvalues, trace_product};
use psd_impute::internals::objective::ProblemOptions;
use psd_impute::learn::psd::{
    AnchorChoice, HeldOut, JointFit, JointFitted, JointOptions, MetricPrior, Structure,
};
use psd_impute::solver::{SolverOptions, Status};
use psd_impute::table::Table;
use std::sync::Arc;

/// Joint learning with twelve anchors on the training part of a bent table.
fn learn(train: &Table, nu: f64, steps: usize, options: &JointOptions<'_>) -> JointFitted {
    let anchors = AnchorChoice::KMeans { count: 12, steps: 20 }.pick(train, &mut rng(3)).unwrap();
    let metric = Metric::full((Mat::<f64>::identity(2, 2) * Scale(0.1)).as_ref()).unwrap();
    let features = Features::new(train, None, &anchors, metric, BaseMeasure::WholeSpace, 1.0).unwrap();
    let prior = MetricPrior { strength: 0.02, scale: Mat::<f64>::identity(2, 2) * Scale(0.03) };
    let params = LbfgsParams { max_iterations: steps, tolerance: 1e-6, memory: 12 };
    let problem = ProblemOptions { nu, ..Default::default() };
    let fit = JointFit { problem, prior: &prior, weights: None, params };
    fit.learn(train, &features, Mat::<f64>::identity(12, 12).as_ref(), options).unwrap()
}

fn score(density: &dyn Density, table: &Table) -> f64 {
    density.log_marginals(table).unwrap().iter().sum::<f64>() / table.len() as f64
}

#[test]
fn every_structure_learns_and_keeps_its_shape() {
    let (train, test) = parts(&bent(400, &mut rng(5)));
    for structure in [Structure::Full, Structure::LowRank(3), Structure::Diagonal] {
        let fitted = learn(&train, 0.0, 60, &JointOptions { structure, ..Default::default() });
        assert!(score(fitted.density.as_ref(), &test) > -1.7, "{structure:?}"); // the normal model reaches about -2.3
        let q = fitted.psd.q();
        close(trace_product(q, fitted.psd.features().h().unwrap().as_ref()), 1.0, 1e-12);
        let rank = eigenvalues(q, "Q").unwrap().iter().filter(|&&v| v > 1e-10 * q.norm_max()).count();
        match structure {
            Structure::LowRank(r) => assert_eq!(rank, r),
            Structure::Diagonal => assert!((0..12).all(|a| (0..a).all(|b| q[(a, b)] == 0.0))),
            Structure::Full => {}
        }
    }
}

#[test]
fn the_weight_of_the_reference_is_learned() {
    // A fifth of the rows come from a broad normal density that the anchors cannot follow.
    let broad = Mat::<f64>::identity(2, 2) * Scale(16.0);
    let rng = &mut rng(9);
    let mut rows: Vec<[f64; 2]> = bent(800, rng).rows().map(|row| [row[0], row[1]]).collect();
    rows.extend((0..200).map(|_| [4.0 * normal(rng), 4.0 * normal(rng)]));
    let table = Table::continuous(&["x", "y"], &rows).unwrap();
    let reference: Arc<dyn Density> =
        Arc::new(PsdDensity::normal(&table, &[0.0; 2], broad.as_ref()).unwrap());
    let options = JointOptions { reference: Some(reference), ..Default::default() };
    for start in [0.02, 0.6] {
        let fitted = learn(&table, start, 80, &options);
        assert!((fitted.nu - 0.2).abs() < 0.05, "{}", fitted.nu);
        let total: f64 = gauss(-30.0, 30.0, 40)
            .iter()
            .map(|(x, w)| w * fitted.density.log_marginal(&[*x, NA]).unwrap().exp())
            .sum();
        close(total, 1.0, 1e-6);
    }
}

#[test]
fn held_out_rows_stop_it_at_the_best_step() {
    let (train, test) = parts(&bent(60, &mut rng(2)));
    let held_out = Some(HeldOut { table: &test, every: 2, patience: 2 });
    let stopped = learn(&train, 0.0, 200, &JointOptions { held_out, ..Default::default() });
    let on = learn(&train, 0.0, 200, &JointOptions::default());
    assert!(stopped.info.iterations < on.info.iterations, "{:?} {:?}", stopped.info, on.info);
    assert!(stopped.step < stopped.info.iterations);
    let held_out = stopped.held_out.unwrap();
    close(held_out, score(stopped.density.as_ref(), &test), 1e-12);
    assert!(held_out > score(on.density.as_ref(), &test));
}

#[test]
fn a_convex_solve_finishes_a_full_q_only() {
    let (train, _) = parts(&bent(200, &mut rng(5)));
    let solver = SolverOptions { mu_final: 1e-4, ..Default::default() };
    let options = JointOptions { finish: Some(solver), ..Default::default() };
    let (plain, finished) =
        (learn(&train, 0.0, 20, &JointOptions::default()), learn(&train, 0.0, 20, &options));
    assert_eq!(plain.psd.features().anchors(), finished.psd.features().anchors());
    assert_eq!(finished.solution.unwrap().status, Status::Converged);
    assert!(score(&finished.psd, &train) > score(&plain.psd, &train));
    let diagonal = JointOptions { structure: Structure::Diagonal, ..options };
    let prior = MetricPrior { strength: 0.0, scale: Mat::identity(2, 2) };
    let params = LbfgsParams { max_iterations: 1, tolerance: 1e-6, memory: 1 };
    let fit = JointFit { problem: ProblemOptions::default(), prior: &prior, weights: None, params };
    assert!(fit.learn(&train, plain.psd.features(), plain.psd.q(), &diagonal).is_err());
}
