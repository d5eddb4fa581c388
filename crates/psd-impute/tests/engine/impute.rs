//! Completing tables: keys, ties, observed cells.

use crate::common::*;
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::learn::mixture::{EmParams, fit_normal};
use psd_impute::learn::psd::{AnchorChoice, PsdFit};
use psd_impute::model::{FitOptions, Model};
use psd_impute::table::{Scaler, Table};
use rand::RngExt;

fn draw(table: &Table, scaler: &Scaler, ties: &Ties, seed: u64, imputation: u64) -> Table {
    let (all, _) = continuous(9, 60, 3, 1, 0.3, Shape::Full);
    let model = fit_normal(&all, None, 0.01, EmParams::default())
        .unwrap()
        .0
        .density(&all, None, &std::sync::Arc::default())
        .unwrap();
    let imputer = Imputer::new(&model, scaler, ties, Limits::none(3)).unwrap();
    imputer.independent_draws(table, seed, imputation).unwrap()
}

#[test]
fn the_same_row_gets_the_same_draw_in_any_order_and_batch() {
    let (table, _) = continuous(9, 60, 3, 1, 0.3, Shape::Full);
    let (scaler, ties) = (Scaler::of(&table), Ties::of(&table));
    let whole = draw(&table, &scaler, &ties, 1, 1);
    let backwards: Vec<usize> = (0..60).rev().collect();
    let turned = draw(&table.select(&backwards).unwrap(), &scaler, &ties, 1, 1);
    let part = draw(&table.select(&[7, 31]).unwrap(), &scaler, &ties, 1, 1);
    for i in 0..60 {
        assert_eq!(whole.row(i), turned.row(59 - i));
        for (drawn, seen) in whole.row(i).iter().zip(table.row(i)) {
            assert!(seen.is_nan() || drawn.to_bits() == seen.to_bits());
        }
    }
    assert_eq!(part.row(1), whole.row(31));
    assert!(draw(&table, &scaler, &ties, 2, 1).cells() != whole.cells());
    assert!(draw(&table, &scaler, &ties, 1, 2).cells() != whole.cells());
}

#[test]
fn equal_rows_get_draws_of_their_own() {
    let table = Table::continuous(&["a", "b", "c"], &[[0.5, NA, NA]; 3]).unwrap();
    let (all, _) = continuous(9, 60, 3, 1, 0.3, Shape::Full);
    let done = draw(&table, &Scaler::of(&all), &Ties::of(&all), 0, 0);
    assert!(done.row(0) != done.row(1) && done.row(1) != done.row(2));
}

#[test]
fn columns_with_ties_are_drawn_on_observed_values() {
    let (table, _) = continuous(9, 60, 3, 1, 0.3, Shape::Full);
    let mut cells = table.cells().to_owned();
    cells.row_mut(1).iter_mut().for_each(|x| *x = x.round());
    let table = table.with_cells(cells).unwrap();
    let ties = Ties::of(&table);
    let done = draw(&table, &Scaler::of(&table), &ties, 0, 0);
    assert!(done.rows().all(|row| row[1].fract() == 0.0));
    assert!(done.rows().any(|row| row[0].fract() != 0.0));
    assert_eq!(ties.recorded(1, 0.4), 0.0);
    assert_eq!(ties.recorded(0, 0.4), 0.4);
}

/// An amount: zero every third time, otherwise a nearly unique number.
#[test]
fn an_amount_is_drawn_as_nothing_as_often_as_it_was_observed() {
    let rng = &mut rng(3);
    let rows: Vec<[f64; 2]> = (0..300)
        .map(|_| {
            let x = normal(rng);
            let amount = if rng.random::<f64>() < 0.35 { 0.0 } else { (0.3 * x + 0.5 * normal(rng)).exp() };
            [x, if rng.random::<f64>() < 0.4 { NA } else { amount }]
        })
        .collect();
    let table = Table::continuous(&["x", "amount"], &rows).unwrap();
    let model = Model::fit(&table, &FitOptions::default()).unwrap();
    let done = model.imputer(Limits::none(2)).unwrap().independent_draws(&table, 1, 1).unwrap();
    let share = |amounts: &[f64]| amounts.iter().filter(|&&y| y == 0.0).count() as f64 / amounts.len() as f64;
    let observed: Vec<f64> = table.observed(1).collect();
    let gaps = (0..table.len()).filter(|&i| table.row(i)[1].is_nan());
    let drawn: Vec<f64> = gaps.map(|i| done.row(i)[1]).collect();
    assert!(drawn.iter().all(|y| observed.contains(y)));
    let deviation = (0.35 * 0.65 / drawn.len() as f64).sqrt();
    assert!((share(&drawn) - share(&observed)).abs() < 3.0 * deviation, "{}", share(&drawn));
}

/// Of very many values a sample is enough, but every repeated value must be included.
#[test]
fn of_many_values_those_that_come_back_are_kept() {
    let rows: Vec<[f64; 1]> = (0..5000).map(|i| [if i % 4 == 0 { 1000.5 } else { f64::from(i) }]).collect();
    let ties = Ties::of(&Table::continuous(&["x"], &rows).unwrap());
    assert_eq!(ties.recorded(0, 1000.6), 1000.5);
    let recorded: std::collections::BTreeSet<u64> =
        (0..5000).map(|i| ties.recorded(0, f64::from(i)).to_bits()).collect();
    assert!((900..=1002).contains(&recorded.len()), "{}", recorded.len());
    assert_eq!([ties.recorded(0, -7.0), ties.recorded(0, 1e9)], [1.0, 4999.0]);
}

#[test]
fn discrete_columns_are_completed_with_their_own_values() {
    let (table, _) = mixed(4, 80, 2, 1, 0.3, Shape::Full);
    let (standardised, scaler) = table.standardise();
    let anchors = AnchorChoice::Rows { count: 10 }.pick(&standardised, &mut rng(1)).unwrap();
    let fitted = PsdFit::default().run(&standardised, &anchors, &mut ()).unwrap();
    let limits = Limits::none(table.columns().len());
    let imputer = Imputer::new(fitted.density.as_ref(), &scaler, &Ties::of(&table), limits).unwrap();
    let means = imputer.mean(&table).unwrap();
    let draws = imputer.independent_draws(&table, 0, 0).unwrap();
    for done in [means, draws] {
        assert!(done.rows().all(|row| row.iter().all(|x| x.is_finite())));
        assert!(
            done.rows()
                .all(|row| [1.0, 2.0, 5.0].contains(&row[0]) && [0.0, 1.0, 2.0, 3.0].contains(&row[1]))
        );
    }
}

/// A column that is zero half the time and whole numbers otherwise, missing more often where the other column is large.
#[test]
fn calibrated_ties_give_each_value_as_often_as_it_was_observed() {
    let rng = &mut rng(8);
    let truth: Vec<[f64; 2]> = (0..1500)
        .map(|_| {
            let a = normal(rng);
            let b = a + normal(rng);
            [a, if b < 0.0 { 0.0 } else { (2.0 * b).ceil() }]
        })
        .collect();
    let gap = |row: &[f64; 2], u: f64| [row[0], if row[0] > 0.5 && u < 0.6 { NA } else { row[1] }];
    let rows: Vec<[f64; 2]> = truth.iter().map(|row| gap(row, rng.random())).collect();
    let table = Table::continuous(&["a", "b"], &rows).unwrap();
    let (standardised, scaler) = table.standardise();
    let normal_model = fit_normal(&standardised, None, 0.01, EmParams::default()).unwrap().0;
    let density = normal_model.density(&standardised, None, &std::sync::Arc::default()).unwrap();
    let zeros = |ties: &Ties| {
        let limits = Limits::none(2);
        let imputer = Imputer::new(&density, &scaler, ties, limits).unwrap();
        let new = imputer.new_rows(table.columns(), 4000, 1).unwrap();
        new.rows().filter(|row| row[1] == 0.0).count() as f64 / 4000.0
    };
    let wanted = truth.iter().filter(|row| row[1] == 0.0).count() as f64 / 1500.0;
    let ties = Ties::of(&table);
    let calibrated = ties.calibrated(&density, &table, &scaler).unwrap();
    let (plain, better) = (zeros(&ties), zeros(&calibrated));
    assert!((better - wanted).abs() < 0.04 && (plain - wanted).abs() > 0.08, "{plain} {better} {wanted}");
}

/// In large tables too, observed values are counted in all rows, not in a sample, which has more or fewer zeros by chance.
#[test]
fn zeros_are_as_common_in_large_tables() {
    let off = |seed: u64| {
        let rng = &mut rng(seed);
        let amount = |a: f64, rng: &mut dyn rand::Rng| {
            let b = a + 0.6 * normal(rng);
            if b < 0.3 { 0.0 } else { (3.0 + 0.8 * normal(rng) + b).exp() }
        };
        let (mut truth, mut rows) = (Vec::new(), Vec::new());
        for _ in 0..40_000 {
            let a = normal(rng);
            let b = amount(a, rng);
            truth.push(b);
            rows.push([a, if rng.random::<f64>() < 0.2 { NA } else { b }]);
        }
        let table = Table::continuous(&["a", "b"], &rows).unwrap();
        let (standardised, scaler) = table.standardise();
        let model = fit_normal(&standardised, None, 0.01, EmParams::default()).unwrap().0;
        let density = model.density(&standardised, None, &std::sync::Arc::default()).unwrap();
        let ties = Ties::of(&table).calibrated(&density, &table, &scaler).unwrap();
        let imputer = Imputer::new(&density, &scaler, &ties, Limits::none(2)).unwrap();
        let missing: Vec<usize> = (0..rows.len()).filter(|&i| rows[i][1].is_nan()).collect();
        let gaps = table.select(&missing).unwrap();
        let wanted = missing.iter().filter(|&&i| truth[i] == 0.0).count() as f64;
        let draws = (0..4).map(|k| imputer.independent_draws(&gaps, 1, k).unwrap());
        let zeros: usize = draws.map(|done| done.rows().filter(|row| row[1] == 0.0).count()).sum();
        (zeros as f64 / 4.0 - wanted) / missing.len() as f64
    };
    let off: Vec<f64> = (1..=6).map(off).collect();
    let square = off.iter().map(|x| x * x).sum::<f64>() / off.len() as f64;
    assert!(square.sqrt() < 0.009, "{off:?}");
}
