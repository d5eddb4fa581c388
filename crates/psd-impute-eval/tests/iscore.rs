//! The energy-I-Score against its definition.

#![allow(clippy::unwrap_used)]

use faer::Mat;
use psd_impute::table::{Column, Table};
use psd_impute_eval::imputers::{Fitted, Imputer, Mean};
use psd_impute_eval::metrics::energy_i_score;
use psd_impute_eval::{Error, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const NA: f64 = f64::NAN;

/// Fills every missing cell of the `k`th imputation with the mean of the observed cells of its column plus `step · k²`.
struct Ladder {
    step: f64,
}

struct FittedLadder {
    means: Vec<f64>,
    step: f64,
}

impl Imputer for Ladder {
    fn fit(&self, table: &Table, _: u64) -> Result<Box<dyn Fitted>> {
        let mean = |j| table.observed(j).sum::<f64>() / table.observed(j).count() as f64;
        let means = (0..table.columns().len()).map(mean).collect();
        Ok(Box::new(FittedLadder { means, step: self.step }))
    }
}

impl Fitted for FittedLadder {
    fn complete(&self, table: &Table, imputation: u64) -> Result<Table> {
        let added = self.step * (imputation * imputation) as f64;
        let cell = |j: usize, x: f64| if x.is_nan() { self.means[j] + added } else { x };
        let cells = Mat::from_fn(self.means.len(), table.len(), |j, i| cell(j, table.row(i)[j]));
        Ok(table.with_cells(cells)?)
    }
}

/// Three columns: `a` is complete, `b` and `c` have missing cells, `gaps` of them in `c`.
fn table(gaps: usize) -> Table {
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut row = |i: usize| {
        let x: [f64; 3] = [(); 3].map(|()| rng.random());
        [x[0], if i.is_multiple_of(3) { NA } else { 10.0 * x[1] }, if i < gaps { NA } else { x[2] - x[0] }]
    };
    let rows: Vec<[f64; 3]> = (0..60).map(&mut row).collect();
    Table::continuous(&["a", "b", "c"], &rows).unwrap()
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// The continuous ranked probability score of draws: the integral of the squared error of their distribution function.
fn crps(draws: &[f64], truth: f64) -> f64 {
    let mut places: Vec<f64> = draws.iter().copied().chain([truth]).collect();
    places.sort_unstable_by(f64::total_cmp);
    let error = |t: f64| {
        let below = draws.iter().filter(|&&x| x <= t).count() as f64 / draws.len() as f64;
        below - f64::from(truth <= t)
    };
    places.windows(2).map(|ends| (ends[1] - ends[0]) * error(ends[0]).powi(2)).sum()
}

#[test]
fn columns_are_scored_by_the_ranked_probability_score_of_their_draws() {
    let (table, step) = (table(15), 0.02);
    let found = energy_i_score(&Ladder { step }, &table, 5, 0).unwrap();
    let (mut total, mut weights) = (0.0, 0.0);
    for (column, missing) in [(1, 20.0), (2, 15.0)] {
        // It learns only from its first imputations, which are the same in all rows.
        let values: Vec<f64> = table.observed(column).collect();
        let imputed = values.iter().sum::<f64>() / values.len() as f64 + step;
        let draws: Vec<f64> = (1..=5).map(|k| imputed + step * f64::from(k * k)).collect();
        let each = values.iter().map(|&y| crps(&draws, y) / deviation(&values));
        let expected = each.sum::<f64>() / values.len() as f64;
        let weight = missing / 60.0 * (1.0 - missing / 60.0);
        let score = found.columns[column - 1];
        assert!((score.score.unwrap() - expected).abs() < 1e-12, "{score:?} {expected}");
        assert!((score.weight - weight).abs() < 1e-15 && score.others == 1 && score.column == column);
        (total, weights) = (total + weight * expected, weights + weight);
    }
    assert!((found.score.unwrap() - total / weights).abs() < 1e-12);
}

#[test]
fn a_column_with_few_gaps_is_not_scored() {
    let found = energy_i_score(&Mean, &table(9), 1, 0).unwrap();
    assert_eq!((found.columns.len(), found.columns[1].score), (2, None));
    assert_eq!(found.score, found.columns[0].score);
}

#[test]
fn rows_are_left_out_where_no_other_column_is_complete() {
    // `b` is observed in 2 of the first 22 rows, `c` in 20; all are observed or missing together elsewhere.
    let row = |i: usize| {
        let a = if i < 22 { i as f64 } else { NA };
        [
            a,
            if i < 2 { 1.0 } else { NA },
            if (2..22).contains(&i) || i > 30 { 5.0 + (i % 3) as f64 } else { NA },
        ]
    };
    let rows: Vec<[f64; 3]> = (0..40).map(row).collect();
    let table = Table::continuous(&["a", "b", "c"], &rows).unwrap();
    let found = energy_i_score(&Mean, &table, 1, 0).unwrap();
    let first = found.columns[0];
    // Rows 2 to 21 are predicted; the first two are learned from, with 18 imputed means.
    let learned = (0.0 + 1.0 + 18.0 * 10.5) / 20.0;
    let deviation = deviation(&(0..22).map(f64::from).collect::<Vec<_>>());
    let expected = (2..22).map(|i| (f64::from(i) - learned).abs() / deviation).sum::<f64>() / 20.0;
    assert!(first.others == 1 && (first.score.unwrap() - expected).abs() < 1e-12, "{first:?} {expected}");
}

#[test]
fn labels_are_at_distance_one() {
    let labels = ["u", "v"].map(String::from).to_vec();
    let columns = vec![Column::category("label", labels).unwrap(), Column::continuous("x")];
    // Of 30 rows 10 lack the label; 14 of the others are `v`, which is thus imputed.
    let cell = |j: usize, i: usize| match (j, i) {
        (1, _) => i as f64,
        (_, 0..10) => NA,
        _ => f64::from(i >= 16),
    };
    let table = Table::new(columns, Mat::from_fn(2, 30, cell)).unwrap();
    assert_eq!(energy_i_score(&Mean, &table, 3, 0).unwrap().score, Some(6.0 / 20.0));
}

#[test]
fn no_draws_are_refused_and_one_column_has_no_score() {
    let refused = Error::BadParameter { name: "draws", value: 0.0, expected: "at least one" };
    assert_eq!(energy_i_score(&Mean, &table(15), 0, 0), Err(refused));
    let rows: Vec<[f64; 1]> = (0..40).map(|i| [if i < 20 { NA } else { f64::from(i) }]).collect();
    let alone = Table::continuous(&["a"], &rows).unwrap();
    assert_eq!(energy_i_score(&Mean, &alone, 1, 0).unwrap().score, None);
}
