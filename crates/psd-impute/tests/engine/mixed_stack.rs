//! Stacks of all members on tables with every kind of column, from the fit to completed tables.

use crate::common::*;
use faer::Mat;
use psd_impute::density::Density;
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::stack::{FittedStack, ImputationIndex, Member, StackFit};
use psd_impute::table::{Column, Kind, Scaler, Table};
use rand::RngExt;

/// Two continuous columns, one of them recorded in steps, a category, an ordered column, and a category of which most labels occur once;
/// all depend on a hidden group. About a fifth of the cells is missing.
fn table(n: usize) -> Table {
    let rng = &mut rng(11);
    let columns = vec![
        Column::continuous("x"),
        Column::category("group", ["a", "b", "c"].map(String::from).to_vec()).unwrap(),
        Column::continuous("steps"),
        Column::ordered("grade", vec![-10.0, 0.0, 20.0, 1000.0]).unwrap(),
        Column::category("id", (0..20).map(|k| format!("id {k}")).collect()).unwrap(),
    ];
    let mut cells = Mat::zeros(5, n);
    for i in 0..n {
        let group = rng.random_range(0..3usize);
        let x = normal(rng) + 2.0 * group as f64;
        let grade = [-10.0, 0.0, 20.0][(group + usize::from(rng.random::<f64>() < 0.3)) % 3];
        let id = if i < 12 { i } else { 12 + group };
        let row = [x, group as f64, (2.0 * x + normal(rng)).round() / 2.0, grade, id as f64];
        for (j, value) in row.into_iter().enumerate() {
            cells[(j, i)] = if rng.random::<f64>() < 0.2 { NA } else { value };
        }
    }
    Table::new(columns, cells).unwrap()
}

fn fit(table: &Table) -> (Scaler, FittedStack) {
    let (standardised, scaler) = table.standardise();
    let fit = StackFit::for_table(&standardised, 5);
    assert!(
        fit.members.iter().any(|m| matches!(m, Member::Psd { .. })) && fit.members.contains(&Member::Donors)
    );
    (scaler, fit.run(&standardised, &mut ()).unwrap())
}

/// Observed cells are unchanged, missing ones get values that their column allows.
fn check_completed(table: &Table, done: &Table) {
    for (before, after) in table.rows().zip(done.rows()) {
        for (x, y) in before.iter().zip(after) {
            assert!(y.is_finite() && (x.is_nan() || x == y));
        }
    }
}

#[test]
fn all_members_take_every_kind_of_column() {
    let table = table(160);
    let (scaler, fitted) = fit(&table);
    assert!(fitted.members.iter().all(|m| m.held_out.is_finite()), "{:?}", fitted.members);
    close(fitted.members.iter().map(|m| m.weight).sum::<f64>(), 1.0, 1e-9);
    assert!(fitted.held_out.is_finite());
    let ties = Ties::of(&table).calibrated(&fitted.density, &table, &scaler).unwrap();
    let moved = fitted.refitted(3, ImputationIndex { number: 1, of: 3 }).unwrap();
    for density in [&fitted.density as &dyn Density, &moved] {
        let imputer = Imputer::new(density, &scaler, &ties, Limits::none(5)).unwrap();
        check_completed(&table, &imputer.independent_draws(&table, 1, 1).unwrap());
        check_completed(&table, &imputer.mean(&table).unwrap());
        check_completed(&table, &imputer.median(&table).unwrap());
        for cell in imputer.summaries(&table, &[0.1, 0.9]).unwrap() {
            let kind = table.columns()[cell.column].kind();
            assert_eq!(cell.numbers.is_none(), matches!(kind, Kind::Category(_)));
            assert_eq!(cell.values.is_none(), *kind == Kind::Continuous);
            let mass = cell.values.map_or(1.0, |v| v.probabilities.iter().map(|atom| atom.1).sum());
            close(mass, 1.0, 1e-9);
        }
        let scores =
            imputer.outlier_scores(&table, &imputer.new_rows(table.columns(), 50, 1).unwrap()).unwrap();
        assert!(scores.iter().all(|s| s.log_density.is_finite() && s.share > 0.0));
        imputer.new_rows(table.columns(), 20, 1).unwrap();
    }
}

/// All members have the same base measure, the observed frequencies, also under other row weights.
#[test]
fn discrete_cells_have_all_their_mass_before_and_after_a_refit() {
    let table = table(160);
    let (_, fitted) = fit(&table);
    let moved = fitted.refitted(3, ImputationIndex { number: 1, of: 3 }).unwrap();
    for j in [1, 3] {
        let seen: Vec<f64> = table.observed(j).collect();
        for density in [&fitted.density as &dyn Density, &moved] {
            // With an `x` that no row has: donors leave rows of the table out.
            let mut row = [0.123, NA, NA, NA, NA];
            let rest = density.log_marginal(&row).unwrap();
            let mut mass = 0.0;
            for value in table.columns()[j].kind().atoms() {
                row[j] = value;
                // A value that was never observed has a tiny share of the base measure, and of the mass.
                let count = seen.iter().filter(|x| **x == value).count() as f64;
                let share = (count + 1e-9) / seen.len() as f64;
                mass += share * (density.log_marginal(&row).unwrap() - rest).exp();
            }
            close(mass, 1.0, 1e-7);
        }
    }
}

#[test]
fn labels_are_told_from_what_goes_with_them() {
    let table = table(160);
    let (scaler, fitted) = fit(&table);
    let guess = |x: f64, grade: f64| {
        let row = [scaler.apply(0, x), NA, NA, grade, NA];
        fitted.density.conditional(&row).unwrap().probabilities(1).unwrap().unwrap()
    };
    assert!(guess(-1.5, -10.0)[0].1 > 0.7, "{:?}", guess(-1.5, -10.0));
    assert!(guess(5.5, 20.0)[2].1 > 0.7, "{:?}", guess(5.5, 20.0));
}

#[test]
fn tables_without_numbers_can_be_fitted() {
    let labels = |n: usize| (0..n).map(|k| format!("l{k}")).collect::<Vec<_>>();
    let columns = (0..3).map(|j| Column::category(format!("c{j}"), labels(4)).unwrap()).collect();
    let rng = &mut rng(3);
    let mut cells = Mat::zeros(3, 120);
    for i in 0..120 {
        let k = rng.random_range(0..4usize);
        for j in 0..3 {
            let value = if rng.random::<f64>() < 0.7 { k } else { rng.random_range(0..4) };
            cells[(j, i)] = if rng.random::<f64>() < 0.2 { NA } else { value as f64 };
        }
    }
    let table = Table::new(columns, cells).unwrap();
    let (scaler, fitted) = fit(&table);
    let imputer = Imputer::new(&fitted.density, &scaler, &Ties::of(&table), Limits::none(3)).unwrap();
    check_completed(&table, &imputer.independent_draws(&table, 1, 1).unwrap());
    let same = fitted.density.conditional(&[2.0, NA, 2.0]).unwrap().probabilities(1).unwrap().unwrap();
    assert!(same[2].1 > 0.5, "{same:?}");
}

#[test]
fn mixed_stacks_are_the_same_on_one_and_two_threads() {
    let table = table(60);
    let logs = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (_, fitted) = fit(&table);
            let mut logs = fitted.density.log_marginals(&table).unwrap();
            logs.extend(
                fitted
                    .refitted(3, ImputationIndex { number: 1, of: 3 })
                    .unwrap()
                    .log_marginals(&table)
                    .unwrap(),
            );
            logs
        })
    };
    assert_eq!(logs(1), logs(2));
}
