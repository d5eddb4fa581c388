//! Imputations are calibrated if the density is the truth, and if it was fitted to enough rows.

use crate::common::*;
use psd_impute::density::Density;
use psd_impute::impute::{CellSummary, Imputer, Limits, Ties};
use psd_impute::model::{FitOptions, Model};
use psd_impute::table::Table;

/// The 50, 80 and 95 % intervals of a table's missing cells.
fn intervals(imputer: &Imputer<'_>, table: &Table) -> Vec<CellSummary> {
    imputer.summaries(table, &[0.25, 0.75, 0.1, 0.9, 0.025, 0.975]).unwrap()
}

/// Their coverage of the complete table's cells is nominal.
#[track_caller]
fn cover(cells: &[CellSummary], complete: &Table) {
    for (k, level) in [0.5, 0.8, 0.95].into_iter().enumerate() {
        let covers = cells.iter().filter(|cell| {
            let q = &cell.numbers.as_ref().unwrap().quantiles;
            (q[2 * k]..=q[2 * k + 1]).contains(&complete.row(cell.row)[cell.column])
        });
        let share = covers.count() as f64 / cells.len() as f64;
        assert!((share - level).abs() < 0.02, "{share} of the cells lie in the {level} interval");
    }
}

#[test]
fn intervals_of_a_fit_cover_as_often_as_they_say() {
    let model = Model::fit(&truth_tables(1500, 0.3, 5).0, &FitOptions::default()).unwrap();
    let imputer = model.imputer(Limits::none(3)).unwrap();
    let (table, complete) = truth_tables(4000, 0.3, 6);
    cover(&intervals(&imputer, &table), &complete);
}

#[test]
fn intervals_cover_as_often_as_they_say() {
    let (density, scaler) = (truth(), units());
    let (table, complete) = truth_tables(5000, 0.4, 1);
    let imputer = Imputer::new(&density, &scaler, &Ties::none(3), Limits::none(3)).unwrap();
    let cells = intervals(&imputer, &table);
    assert_eq!(cells.len(), table.cells().col_iter().flat_map(|c| c.iter()).filter(|x| x.is_nan()).count());
    cover(&cells, &complete);
    // Standardised errors of the means have variance one.
    let square = cells.iter().map(|cell| {
        let n = cell.numbers.as_ref().unwrap();
        ((complete.row(cell.row)[cell.column] - n.mean) / n.deviation).powi(2)
    });
    let average = square.sum::<f64>() / cells.len() as f64;
    assert!((average - 1.0).abs() < 0.06, "{average}");
}

#[test]
fn transforms_of_the_truth_are_uniform() {
    let (density, scaler) = (truth(), units());
    let (table, complete) = truth_tables(3000, 0.4, 2);
    let (standardised, complete) = (scaler.standardise(&table), scaler.standardise(&complete));
    for j in 0..3 {
        let gaps = (0..table.len()).filter(|&i| table.row(i)[j].is_nan());
        let transforms = gaps
            .map(|i| density.conditional(standardised.row(i)).unwrap().cdf(j, complete.row(i)[j]).unwrap());
        let distance = kolmogorov(transforms.collect());
        assert!(distance < 1.95, "column {j}: {distance}");
    }
}

#[test]
fn many_draws_of_a_row_have_its_mean_deviation_and_quantiles() {
    let (density, scaler) = (truth(), units());
    let row = [NA, scaler.undo(1, -0.4), NA];
    let n = 8000;
    let table = Table::continuous(&["a", "b", "c"], &vec![row; n]).unwrap();
    let imputer = Imputer::new(&density, &scaler, &Ties::none(3), Limits::none(3)).unwrap();
    let done = imputer.independent_draws(&table, 3, 1).unwrap();
    let cells = imputer.summaries(&table.select(&[0]).unwrap(), &[0.1, 0.9]).unwrap();
    for cell in &cells {
        let says = cell.numbers.as_ref().unwrap();
        let draws: Vec<f64> = done.rows().map(|row| row[cell.column]).collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        assert!((mean - says.mean).abs() < 4.0 * says.deviation / (n as f64).sqrt());
        let squares: Vec<f64> = draws.iter().map(|x| (x - says.mean).powi(2)).collect();
        let variance = squares.iter().sum::<f64>() / n as f64;
        let spread = (squares.iter().map(|s| (s - variance).powi(2)).sum::<f64>() / n as f64).sqrt();
        assert!((variance - says.deviation.powi(2)).abs() < 4.0 * spread / (n as f64).sqrt());
        for (p, q) in [(0.1, says.quantiles[0]), (0.5, says.median), (0.9, says.quantiles[1])] {
            let below = draws.iter().filter(|&&x| x <= q).count() as f64 / n as f64;
            assert!((below - p).abs() < 4.0 * (p * (1.0 - p) / n as f64).sqrt(), "{below} below {p}");
        }
    }
    // The closed forms of the summary are those of the conditional.
    let conditional = density.conditional(scaler.standardise(&table).row(0)).unwrap();
    for (i, cell) in cells.iter().enumerate() {
        let says = cell.numbers.as_ref().unwrap();
        close(says.mean, scaler.undo(cell.column, conditional.mean()[i]), 1e-12);
        let deviation = conditional.covariance()[(i, i)].sqrt() * scaler.scale(cell.column);
        close(says.deviation, deviation, 1e-12);
    }
}
