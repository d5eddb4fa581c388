//! Mixtures by EM, and the normal model.

use crate::common::*;
use faer::Mat;
use proptest::prelude::*;
use psd_impute::density::Density;
use psd_impute::learn::mixture::{EmParams, Mixture, MixturePrior, choose_ridge, fit_normal};
use psd_impute::table::Table;

fn prior(g: usize, strength: f64) -> MixturePrior {
    MixturePrior { scale: Mat::identity(g, g), strength }
}

/// Cells with zero (or the first value) where they are missing, and clusters by row number.
fn start(table: &Table, clusters: usize) -> (Mat<f64>, Vec<usize>) {
    let mut copy = table.cells().to_owned();
    for (j, column) in table.columns().iter().enumerate() {
        let fill = column.kind().atoms().first().copied().unwrap_or(0.0);
        copy.row_mut(j).iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = fill);
    }
    (copy, (0..table.len()).map(|i| i % clusters).collect())
}

fn fit(
    table: &Table,
    weights: Option<&[f64]>,
    clusters: usize,
    params: EmParams,
) -> (Mixture, psd_impute::learn::mixture::EmReport) {
    let (copy, labels) = start(table, clusters);
    let g = table.columns().iter().filter(|c| c.kind().atoms().is_empty()).count();
    Mixture::fit(table, weights, copy.as_ref(), &labels, &prior(g, 2.0), params).unwrap()
}

proptest! {
    #![proptest_config(cases(15))]

    #[test]
    fn every_iteration_goes_up(seed: u64, clusters in 1usize..5) {
        let (table, _) = mixed(seed, 60, 2, 1, 0.3, Shape::Full);
        let mut last = f64::NEG_INFINITY;
        for max_iterations in 1..12 {
            let (_, report) = fit(&table, None, clusters, EmParams { tolerance: 0.0, max_iterations });
            prop_assert!(report.objective >= last - 1e-12, "{} after {last}", report.objective);
            last = report.objective;
        }
    }

    #[test]
    fn weights_are_repetitions(seed: u64) {
        let (table, _) = mixed(seed, 20, 2, 1, 0.3, Shape::Full);
        let rows: Vec<usize> = (0..20).flat_map(|i| std::iter::repeat_n(i, 1 + i % 3)).collect();
        let counts: Vec<f64> = (0..20).map(|i| (1 + i % 3) as f64).collect();
        let repeated = table.select(&rows).unwrap();
        // The prior is in units of rows: make the weighted table count as many.
        let params = EmParams { tolerance: 1e-12, max_iterations: 2000 };
        let one = fit(&repeated, None, 1, params).0.density(&repeated, None, &std::sync::Arc::default()).unwrap();
        let (copy, labels) = start(&table, 1);
        let share = 20.0 / rows.len() as f64;
        let lighter = prior(2, 2.0 * share);
        let other = Mixture::fit(&table, Some(&counts), copy.as_ref(), &labels, &lighter, params).unwrap().0;
        let other = other.density(&repeated, None, &std::sync::Arc::default()).unwrap();
        // The pull of one row on the mean and the smoothing of tables weigh differently, hence the tolerance.
        let average = |d: &dyn Density| d.log_marginals(&repeated).unwrap().iter().sum::<f64>() / rows.len() as f64;
        close(average(&one), average(&other), 0.02);
    }
}

#[test]
fn finds_separate_clusters_and_their_labels() {
    let rng = &mut rng(3);
    let labels = ["a", "b"].map(String::from).to_vec();
    let columns = vec![
        psd_impute::table::Column::continuous("x"),
        psd_impute::table::Column::continuous("y"),
        psd_impute::table::Column::category("c", labels).unwrap(),
    ];
    let mut cells = Mat::zeros(3, 200);
    for i in 0..200 {
        let side = (i % 2) as f64;
        cells[(0, i)] = 8.0 * side + normal(rng);
        cells[(1, i)] = 8.0 * side - cells[(0, i)] + 0.1 * normal(rng);
        cells[(2, i)] = side;
        if i % 3 == 0 {
            cells[(i % 9 / 3, i)] = NA;
        }
    }
    let table = Table::new(columns, cells).unwrap();
    let (mixture, report) = fit(&table, None, 2, EmParams::default());
    assert!(report.converged && report.iterations < 200);
    let density = mixture.density(&table, None, &std::sync::Arc::default()).unwrap();
    for side in [0.0, 1.0] {
        let conditional = density.conditional(&[8.0 * side, NA, NA]).unwrap();
        assert_eq!(conditional.mean()[1], side);
        assert!(conditional.mean()[0].abs() < 0.5);
        let back = density.conditional(&[NA, 0.5, side]).unwrap().mean()[0];
        assert!((back - (8.0 * side - 0.5)).abs() < 0.5, "{back}");
    }
}

#[test]
fn says_when_it_did_not_converge() {
    let (table, _) = continuous(3, 60, 2, 1, 0.3, Shape::Full);
    let (_, report) = fit(&table, None, 4, EmParams { tolerance: 1e-12, max_iterations: 2 });
    assert!(!report.converged && report.iterations == 2);
}

#[test]
fn the_normal_model_recovers_a_correlation_from_gaps() {
    let rng = &mut rng(11);
    let rows: Vec<[f64; 2]> = (0..2000)
        .map(|_| {
            let x = normal(rng);
            let mut row = [x, 0.8 * x + 0.6 * normal(rng)];
            if normal(rng) > 0.5 {
                row[usize::from(normal(rng) > 0.0)] = NA;
            }
            row
        })
        .collect();
    let table = Table::continuous(&["x", "y"], &rows).unwrap();
    let ridge = choose_ridge(&table).unwrap();
    assert!(ridge <= 0.01, "{ridge}");
    let normal = fit_normal(&table, None, ridge, EmParams::default()).unwrap().0;
    assert!((normal.covariance()[(0, 1)] - 0.8).abs() < 0.06);
    // Many columns and few rows want a heavier ridge.
    let (wide, _) = continuous(5, 30, 25, 1, 0.3, Shape::Full);
    assert!(choose_ridge(&wide).unwrap() >= 0.1);
}
