//! Tables with very little data: a finite completion or a clear error.

use crate::common::*;
use psd_impute::Result;
use psd_impute::impute::Limits;
use psd_impute::model::{FitOptions, Model};
use psd_impute::table::{RowCounter, Table};
use rand::RngExt;

/// Fits the stack and completes with means, medians and draws: of the fit, and of a refit.
fn complete(rows: &[Vec<f64>]) -> Result<[Table; 4]> {
    let names: Vec<String> = (0..rows[0].len()).map(|j| format!("x{j}")).collect();
    let table = Table::continuous(&names.iter().map(String::as_str).collect::<Vec<_>>(), rows)?;
    let model = Model::fit(&table, &FitOptions::default())?;
    let limits = Limits::none(names.len());
    let imputer = model.imputer(limits.clone())?;
    let scores = imputer.outlier_scores(&table, &imputer.new_rows(table.columns(), 20, 1)?)?;
    assert!(scores.iter().all(|score| score.log_density.is_finite() && score.share > 0.0));
    Ok([
        imputer.mean(&table)?,
        imputer.median(&table)?,
        imputer.independent_draws(&table, 1, 1)?,
        model.imputations(3, 1)?.within(limits)?.nth(2)?.complete(&table, &mut RowCounter::default())?,
    ])
}

/// Completes; everything is finite, and observed cells stay.
#[track_caller]
fn completes(rows: &[Vec<f64>]) -> [Table; 4] {
    let done = complete(rows).unwrap();
    for table in &done {
        for (old, new) in rows.iter().zip(table.rows()) {
            for (a, b) in old.iter().zip(new) {
                assert!(b.is_finite() && (a.is_nan() || a.to_bits() == b.to_bits()), "{a} became {b}");
            }
        }
    }
    done
}

fn noise(n: usize, d: usize, missing: f64, seed: u64) -> Vec<Vec<f64>> {
    let rng = &mut rng(seed);
    let mut cell = || {
        let x = normal(rng);
        if rng.random::<f64>() < missing { NA } else { x }
    };
    (0..n).map(|_| (0..d).map(|_| cell()).collect()).collect()
}

#[test]
fn one_column() {
    completes(&noise(30, 1, 0.3, 1));
}

#[test]
fn one_and_two_rows() {
    completes(&[vec![1.0, NA]]);
    completes(&[vec![1.0, NA], vec![3.0, 4.0]]);
    completes(&[vec![1.0, NA], vec![NA, 4.0]]);
}

#[test]
fn a_row_without_cells() {
    let mut rows = noise(30, 2, 0.2, 2);
    rows[3] = vec![NA, NA];
    completes(&rows);
}

/// A column without information is completed as a standard normal one.
#[test]
fn a_column_never_observed() {
    let mut rows = noise(30, 3, 0.2, 2);
    rows.iter_mut().for_each(|row| row[1] = NA);
    let [means, medians, ..] = completes(&rows);
    assert!(means.rows().chain(medians.rows()).all(|row| row[1].abs() < 1e-12));
}

#[test]
fn nothing_observed() {
    completes(&vec![vec![NA, NA]; 6]);
}

#[test]
fn a_constant_column_is_completed_with_its_constant() {
    let mut rows = noise(40, 3, 0.2, 3);
    rows.iter_mut().filter(|row| !row[1].is_nan()).for_each(|row| row[1] = 7.5);
    for table in completes(&rows) {
        assert!(table.rows().all(|row| (row[1] - 7.5).abs() < 1e-9));
    }
}

#[test]
fn collinear_columns_predict_each_other() {
    let mut rows = noise(60, 3, 0.0, 4);
    for (i, row) in rows.iter_mut().enumerate() {
        row[1] = 3.0 - 2.0 * row[0];
        if i % 4 == 0 {
            row[1] = NA;
        }
    }
    for table in completes(&rows) {
        for row in table.rows() {
            assert!((row[1] - 3.0 + 2.0 * row[0]).abs() < 1.0, "{row:?}");
        }
    }
}

#[test]
fn a_column_observed_once() {
    let mut rows = noise(30, 3, 0.1, 5);
    rows.iter_mut().skip(1).for_each(|row| row[2] = NA);
    rows[0][2] = 40.0;
    completes(&rows);
}

#[test]
fn almost_everything_missing() {
    completes(&noise(150, 4, 0.95, 6));
}

#[test]
fn more_columns_than_rows() {
    completes(&noise(8, 20, 0.3, 7));
}

#[test]
fn tiny_and_huge_values() {
    for size in [1e-300, 1e300] {
        let mut rows = noise(40, 3, 0.2, 8);
        rows.iter_mut().for_each(|row| row[0] *= size);
        completes(&rows);
    }
    let mut rows = noise(40, 2, 0.2, 9);
    rows[5] = vec![1e300, 1e-300];
    completes(&rows);
}

#[test]
fn ten_thousand_copies_of_a_row() {
    let mut rows = vec![vec![1.0, 2.0]; 10_000];
    rows.extend([vec![1.0, NA], vec![NA, NA]]);
    completes(&rows);
}
