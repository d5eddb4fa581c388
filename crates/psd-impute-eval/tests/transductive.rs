//! The imputers that complete all rows at once: SoftImpute and Sinkhorn.

#![allow(clippy::unwrap_used)]

use faer::Mat;
use psd_impute::table::Table;
use psd_impute_eval::imputers::{Imputer, Mean, Sinkhorn, SoftImpute};
use psd_impute_eval::metrics::Evaluation;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A truth whose columns are multiples of one another plus noise, and the same with missing cells.
fn tables(rows: usize, columns: usize, noise: f64, seed: u64) -> [Table; 2] {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let names: Vec<String> = (0..columns).map(|j| format!("x{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut row = || {
        // Two groups.
        let factor = f64::from(rng.random_range(0..2)) * 2.0 - 1.0 + 0.2 * rng.random::<f64>();
        (0..columns).map(|j| (j as f64 + 1.0) * (factor + noise * (rng.random::<f64>() - 0.5))).collect()
    };
    let rows: Vec<Vec<f64>> = (0..rows).map(|_| row()).collect();
    let truth = Table::continuous(&names, &rows).unwrap();
    let mut gap = |x: f64| if rng.random::<f64>() < 0.25 { f64::NAN } else { x };
    let masked = Mat::from_fn(columns, truth.len(), |j, i| gap(truth.row(i)[j]));
    [truth.clone(), truth.with_cells(masked).unwrap()]
}

fn completed(imputer: &dyn Imputer, table: &Table) -> Table {
    imputer.fit(table, 4).unwrap().complete(table, 1).unwrap()
}

/// Standardised by the mean and the deviation of the observed cells of `table`; one column per row of the table.
fn standardised(cells: &Table, table: &Table) -> Mat<f64> {
    let unit = |j: usize, x: f64| {
        let values: Vec<f64> = table.observed(j).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        (x - mean) / variance.sqrt()
    };
    Mat::from_fn(cells.columns().len(), cells.len(), |j, i| unit(j, cells.row(i)[j]))
}

#[test]
fn soft_impute_is_left_as_it_is_by_thresholding_its_singular_values() {
    for (rows, columns) in [(60, 4), (9, 14)] {
        let [_, masked] = tables(rows, columns, 0.8, 1);
        let penalty = 3.0;
        let filled = completed(&SoftImpute { penalty: Some(penalty) }, &masked);
        let cells = standardised(&filled, &masked);
        let svd = cells.thin_svd().unwrap();
        let values: Vec<f64> = svd.S().column_vector().iter().map(|s| (s - penalty).max(0.0)).collect();
        for i in 0..rows {
            for j in (0..columns).filter(|&j| masked.row(i)[j].is_nan()) {
                let again: f64 =
                    (0..values.len()).map(|k| svd.U()[(j, k)] * values[k] * svd.V()[(i, k)]).sum();
                assert!((cells[(j, i)] - again).abs() < 1e-7, "{} {again}", cells[(j, i)]);
            }
        }
    }
}

#[test]
fn a_penalty_beyond_all_singular_values_leaves_the_means() {
    let [_, masked] = tables(40, 3, 0.5, 2);
    let [soft, mean] = [completed(&SoftImpute { penalty: Some(1e6) }, &masked), completed(&Mean, &masked)];
    assert!(soft.rows().flatten().zip(mean.rows().flatten()).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn penalties_below_all_singular_values_have_one_minimum() {
    // It is that of the sum of singular values, to which steps from zeros are as short as the penalty is small.
    let [_, masked] = tables(60, 4, 0.8, 1);
    let [small, smaller] = [0.02, 0.01].map(|penalty| {
        let filled = completed(&SoftImpute { penalty: Some(penalty) }, &masked);
        let cells = standardised(&filled, &masked);
        assert!(cells.singular_values().unwrap().iter().all(|&s| s > 0.02));
        cells
    });
    assert!((&small - &smaller).norm_max() < 1e-6, "{}", (&small - &smaller).norm_max());
}

#[test]
fn the_penalty_that_is_chosen_is_nearly_the_best() {
    let [truth, masked] = tables(200, 6, 0.8, 3);
    let evaluation = Evaluation::new(&truth, &masked).unwrap();
    let rmse = |penalty: Option<f64>| {
        evaluation.score(0, &completed(&SoftImpute { penalty }, &masked)).unwrap().rmse.unwrap()
    };
    let each: Vec<f64> = (0..11).map(|k| rmse(Some(0.05 * 2f64.powi(k)))).collect();
    let (best, worst) = each.iter().fold((f64::INFINITY, 0f64), |(a, b), &x| (a.min(x), b.max(x)));
    let found = rmse(None);
    assert!(found < 1.02 * best && worst > 2.0 * best, "{found} {each:?}");
}

#[test]
fn transport_is_much_nearer_to_the_distribution_than_means() {
    let [truth, masked] = tables(200, 3, 0.3, 4);
    let evaluation = Evaluation::new(&truth, &masked).unwrap();
    let ed = |imputer: &dyn Imputer| evaluation.score(0, &completed(imputer, &masked)).unwrap().ed;
    let (transport, mean) = (ed(&Sinkhorn { iterations: 400, ..Sinkhorn::default() }), ed(&Mean));
    assert!(transport < 0.5 * mean, "{transport} {mean}");
}

#[test]
fn other_rows_are_completed_together_with_those_of_the_table() {
    let [_, all] = tables(50, 3, 0.5, 5);
    let [first, then] = [0..40, 40..50].map(|rows| all.select(&rows.collect::<Vec<_>>()).unwrap());
    let transport = Sinkhorn { iterations: 30, ..Sinkhorn::default() };
    for imputer in [&SoftImpute::default() as &dyn Imputer, &transport] {
        let found = imputer.fit(&first, 4).unwrap().complete(&then, 1).unwrap();
        let expected = completed(imputer, &all);
        assert!(found.rows().flatten().eq(expected.rows().skip(40).flatten()));
    }
}
