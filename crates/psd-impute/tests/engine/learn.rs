//! Anchors, imputed copies and whole fits.

use crate::common::*;
use psd_impute::internals::imputed_copy;
use psd_impute::internals::kernel::Metric;
use psd_impute::internals::linalg::LbfgsParams;
use psd_impute::internals::objective::ProblemOptions;
use psd_impute::learn::psd::{AnchorChoice, JointFit, MetricPrior, PsdFit, Reference};
use psd_impute::solver::Status;

#[test]
fn anchors_lie_among_the_data_and_are_seeded() {
    let (table, _) = mixed(3, 50, 2, 1, 0.3, Shape::Full);
    let choices = [
        (AnchorChoice::Grid { per_column: 3 }, 3 * 3 * 3 * 4),
        (AnchorChoice::Uniform { count: 20 }, 20),
        (AnchorChoice::KMeans { count: 7, steps: 10 }, 7),
        (AnchorChoice::KMeans { count: 7, steps: 0 }, 7),
        (AnchorChoice::Rows { count: 500 }, 50),
    ];
    for (choice, count) in choices {
        let anchors = choice.pick(&table, &mut rng(4)).unwrap();
        let again = choice.pick(&table, &mut rng(4)).unwrap();
        assert_eq!(anchors.points(), again.points());
        assert_eq!(anchors.len(), count, "{choice:?}");
        for a in 0..count {
            assert!([1.0, 2.0, 5.0].contains(&anchors.points()[(0, a)]));
            assert!([0.0, 1.0, 2.0, 3.0].contains(&anchors.points()[(1, a)]));
            for j in 2..4 {
                let (lo, hi) =
                    table.observed(j).fold((9.0f64, -9.0f64), |(lo, hi), x| (lo.min(x), hi.max(x)));
                assert!((lo..=hi).contains(&anchors.points()[(j, a)]));
            }
        }
    }
}

#[test]
fn kmeans_finds_separate_clusters() {
    let rng = &mut rng(8);
    let rows: Vec<[f64; 2]> = (0..90)
        .map(|i| {
            let centre = [[-8.0, 0.0], [8.0, 0.0], [0.0, 9.0]][i % 3];
            let mut row = [centre[0] + 0.3 * normal(rng), centre[1] + 0.3 * normal(rng)];
            if i % 5 == 0 {
                row[i % 2] = NA;
            }
            row
        })
        .collect();
    let table = psd_impute::table::Table::continuous(&["x", "y"], &rows).unwrap();
    let anchors = AnchorChoice::KMeans { count: 3, steps: 50 }.pick(&table, rng).unwrap();
    for centre in [[-8.0, 0.0], [8.0, 0.0], [0.0, 9.0]] {
        let near = (0..3).any(|a| {
            let point = anchors.points();
            (point[(0, a)] - centre[0]).hypot(point[(1, a)] - centre[1]) < 1.0
        });
        assert!(near, "no anchor near {centre:?}");
    }
}

#[test]
fn the_copy_keeps_observed_cells_and_fills_the_rest() {
    let rows = [[1.0, NA, NA], [1.1, 5.0, NA], [9.0, 7.0, NA], [NA, NA, NA]];
    let table = psd_impute::table::Table::continuous(&["a", "b", "never"], &rows).unwrap();
    let copy = imputed_copy(&table, &mut rng(0));
    assert_eq!(copy[(1, 0)], 5.0, "taken from the nearest row");
    for i in 0..4 {
        for j in 0..3 {
            assert!(copy[(j, i)].is_finite());
            assert!(rows[i][j].is_nan() || copy[(j, i)] == rows[i][j]);
        }
    }
}

/// Rows along an arch, a third of them with a missing cell.
pub(crate) fn bent(n: usize, rng: &mut dyn rand::Rng) -> psd_impute::table::Table {
    let row = |i: usize| {
        let t = std::f64::consts::PI * (i as f64 / n as f64);
        let mut row = [1.5 * t.cos() + 0.1 * normal(rng), 2.0 * t.sin() - 1.2 + 0.1 * normal(rng)];
        if i.is_multiple_of(3) {
            row[i % 2] = NA;
        }
        row
    };
    psd_impute::table::Table::continuous(&["x", "y"], &(0..n).map(row).collect::<Vec<_>>()).unwrap()
}

/// Three quarters of the rows, and the others.
pub(crate) fn parts(
    table: &psd_impute::table::Table,
) -> (psd_impute::table::Table, psd_impute::table::Table) {
    let (train, test): (Vec<usize>, Vec<usize>) = (0..table.len()).partition(|i| i % 4 != 1);
    (table.select(&train).unwrap(), table.select(&test).unwrap())
}

#[test]
fn a_fit_beats_the_normal_density_on_a_bent_table() {
    let rng = &mut rng(12);
    let table = bent(300, rng);
    let anchors = AnchorChoice::KMeans { count: 20, steps: 50 }.pick(&table, rng).unwrap();
    let average = |setup: &PsdFit| {
        let fitted = setup.run(&table, &anchors, &mut ()).unwrap();
        assert_eq!(fitted.solution.status, Status::Converged);
        fitted.density.log_marginals(&table).unwrap().iter().sum::<f64>() / 300.0
    };
    let setup = PsdFit { metric: Metric::isotropic(4.0).unwrap(), ..Default::default() };
    assert!(average(&setup) > -1.9, "{}", average(&setup)); // the normal model reaches about -2.3
    let covariance = faer::Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.0 });
    let problem = ProblemOptions { nu: 0.05, ..Default::default() };
    for reference in
        [Reference::Uniform(vec![(-3.0, 3.0); 2]), Reference::Gaussian { mean: vec![0.0; 2], covariance }]
    {
        let with = PsdFit { reference, problem, ..setup.clone() };
        assert!(average(&with) > -2.0, "{}", average(&with));
    }
}

/// With one anchor, a full metric and no prior, joint learning is maximum likelihood for the normal model.
#[test]
fn joint_learning_with_one_anchor_finds_the_normal_model() {
    let (table, features) = continuous(21, 80, 3, 1, 0.3, Shape::Full);
    let (mean, covariance) = crate::optimum::normal_by_em(&table);
    let prior = MetricPrior { strength: 0.0, scale: faer::Mat::identity(3, 3) };
    let params = LbfgsParams { max_iterations: 500, tolerance: 1e-15, memory: 12 };
    let joint = JointFit { problem: ProblemOptions::default(), prior: &prior, weights: None, params };
    let one = faer::Mat::<f64>::identity(1, 1);
    let (moved, _, _) = joint.run(&table, &features, one.as_ref()).unwrap();
    for (anchor, mean) in moved.anchors().col(0).iter().zip(&mean) {
        close(*anchor, *mean, 1e-5);
    }
    close_matrices(moved.sigma(), covariance.as_ref(), 1e-5);
}

#[test]
fn joint_learning_lowers_the_held_out_loss_of_a_bent_table() {
    let rng = &mut rng(5);
    let (train, test) = parts(&bent(400, rng));
    let anchors = AnchorChoice::KMeans { count: 8, steps: 20 }.pick(&train, rng).unwrap();
    let fixed = PsdFit { metric: Metric::isotropic(2.0).unwrap(), ..Default::default() };
    let fixed = fixed.run(&train, &anchors, &mut ()).unwrap();
    let full = Metric::full(fixed.psd.features().sigma()).unwrap();
    let start = fixed.psd.features().moved(fixed.psd.features().anchors().to_owned(), full).unwrap();
    let prior = MetricPrior { strength: 0.02, scale: faer::Mat::<f64>::identity(2, 2) * faer::Scale(0.03) };
    let params = LbfgsParams { max_iterations: 100, tolerance: 1e-6, memory: 12 };
    let joint = JointFit { problem: ProblemOptions::default(), prior: &prior, weights: None, params };
    let (moved, q, info) = joint.run(&train, &start, fixed.psd.q()).unwrap();
    assert!(info.iterations > 10);
    let learned = psd_impute::density::PsdDensity::new(moved, q).unwrap();
    let score =
        |d: &dyn psd_impute::density::Density| d.log_marginals(&test).unwrap().iter().sum::<f64>() / 100.0;
    assert!(score(&learned) > score(&fixed.psd) + 0.3, "{} against {}", score(&learned), score(&fixed.psd));
}
