//! Completed tables make sense: pairs of labels stay pairs, labels come from the nearest rows, and one cell does not decide over all.

use crate::common::*;
use faer::Mat;
use psd_impute::table::{Column, Table};
use psd_impute::{FitOptions, Model};
use rand::RngExt;

fn labels(name: &str, count: usize) -> Column {
    Column::category(name, (0..count).map(|k| format!("{name}{k}")).collect()).unwrap()
}

/// The table of these rows, in which cells are missing where `gap` says so.
fn table(columns: Vec<Column>, rows: &[Vec<f64>], gap: impl Fn(usize, usize) -> bool) -> Table {
    let cell = |j: usize, i: usize| if gap(i, j) { NA } else { rows[i][j] };
    Table::new(columns, Mat::from_fn(rows[0].len(), rows.len(), cell)).unwrap()
}

/// Share of the completed cells of column `j` that are as in `rows`, among those missing in `table` that `counts` holds for.
fn right(table: &Table, done: &Table, rows: &[Vec<f64>], j: usize, counts: impl Fn(usize) -> bool) -> f64 {
    let missing: Vec<usize> = (0..rows.len()).filter(|&i| table.row(i)[j].is_nan() && counts(i)).collect();
    assert!(missing.len() >= 20, "{}", missing.len());
    missing.iter().filter(|&&i| done.row(i)[j] == rows[i][j]).count() as f64 / missing.len() as f64
}

/// Twelve labels, their copy under other names, their copy as a code, and two numbers.
#[test]
fn copies_of_labels_are_exact() {
    let rng = &mut rng(3);
    let codes: [usize; 12] = [5, 0, 7, 2, 11, 9, 1, 10, 3, 8, 4, 6];
    let rows: Vec<Vec<f64>> = (0..500)
        .map(|_| {
            let k = rng.random_range(0..12usize);
            vec![k as f64, codes[k] as f64, codes[k] as f64 + 1.0, normal(rng) + 0.3 * k as f64, normal(rng)]
        })
        .collect();
    let columns = vec![
        labels("a", 12),
        labels("b", 12),
        Column::continuous("code"),
        Column::continuous("x"),
        Column::continuous("y"),
    ];
    // At least one of the three copies is observed in each row.
    let table = table(columns, &rows, |i, j| match j {
        0..=2 => i % 3 != j && ((i + j) % 5 == 0 || i % 7 == 0),
        _ => (3 * i + j) % 11 == 0,
    });
    let model = Model::fit(&table, &FitOptions::default()).unwrap();
    let done = model.draw(&table, 1).unwrap();
    for j in 0..3 {
        let share = right(&table, &done, &rows, j, |_| true);
        assert!(share >= 0.99, "column {j}: {share}");
    }
}

/// Boys whose stage of puberty is known from the age of eight on.
#[test]
fn a_label_comes_from_the_nearest_rows_where_it_was_never_observed() {
    let rng = &mut rng(5);
    let rows: Vec<Vec<f64>> = (0..600)
        .map(|i| {
            let age = 21.0 * (i as f64 + 0.5) / 600.0;
            let stage = ((age - 10.5 + 1.2 * normal(rng)) / 1.4).clamp(0.0, 4.0).floor();
            let height = 52.0 + 130.0 * (1.0 - (-age / 8.5).exp()) + 4.0 * normal(rng);
            let weight = 3.5 + 0.0021 * height * height * (0.9 + 0.1 * normal(rng)).max(0.5);
            vec![age, height, weight, stage]
        })
        .collect();
    let columns = ["age", "height", "weight"].map(Column::continuous).into_iter().chain([labels("stage", 5)]);
    let table = table(columns.collect(), &rows, |i, j| match j {
        3 => rows[i][0] < 8.0 || i % 4 == 0,
        1 | 2 => (i + j) % 9 == 0,
        _ => false,
    });
    let model = Model::fit(&table, &FitOptions::default()).unwrap();
    let small = |i: usize| rows[i][0] < 5.0;
    let typical = right(&table, &model.mean(&table).unwrap(), &rows, 3, small);
    assert_eq!(typical, 1.0);
    let drawn = right(&table, &model.draw(&table, 1).unwrap(), &rows, 3, small);
    assert!(drawn > 0.9, "{drawn}");
}

#[test]
fn one_wild_cell_does_not_decide_over_all() {
    let rng = &mut rng(7);
    let rows: Vec<Vec<f64>> = (0..500)
        .map(|i| {
            let x = normal(rng);
            vec![if i == 7 { 1e6 } else { x }, x + 0.5 * normal(rng), normal(rng)]
        })
        .collect();
    let columns = ["a", "b", "c"].map(Column::continuous).to_vec();
    let table = table(columns, &rows, |i, j| i != 7 && (2 * i + 3 * j) % 7 == 0);
    let model = Model::fit(&table, &FitOptions::default()).unwrap();
    let mut file = Vec::new();
    model.write("", &mut file).unwrap();
    let read = Model::read(&file).unwrap().0;
    for done in [model.draw(&table, 1).unwrap(), read.draw(&table, 1).unwrap()] {
        assert_eq!(done.row(7)[0], 1e6);
        let imputed = table.rows().zip(done.rows()).flat_map(|(before, after)| {
            before.iter().zip(after).filter(|(x, _)| x.is_nan()).map(|(_, y)| y.abs()).collect::<Vec<_>>()
        });
        let most = imputed.fold(0.0, f64::max);
        assert!(most < 6.0, "{most}");
    }
}
