//! Summaries of cells, medians, ties, the closest draw, and their invariances.

use crate::common::*;
use crate::threads::on_threads;
use psd_impute::density::Density;
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::table::{Scaler, Table};

fn bits(table: &Table) -> Vec<u64> {
    table.rows().flatten().map(|x| x.to_bits()).collect()
}

#[test]
fn discrete_cells_have_probabilities_and_modes() {
    let (table, features) = mixed(4, 60, 2, 4, 0.3, Shape::Full);
    let density = density(&features, 4);
    let scaler = Scaler::of(&table.select(&[0]).unwrap());
    let imputer = Imputer::new(&density, &scaler, &Ties::none(4), Limits::none(4)).unwrap();
    let standardised = scaler.standardise(&table);
    let medians = imputer.median(&table).unwrap();
    for cell in imputer.summaries(&table, &[0.9]).unwrap() {
        let conditional = density.conditional(standardised.row(cell.row)).unwrap();
        let atoms = conditional.probabilities(cell.column).unwrap();
        let median = medians.row(cell.row)[cell.column];
        assert_eq!(cell.values.is_some(), cell.column < 2);
        assert_eq!(cell.numbers.is_none(), cell.column == 1);
        if let (Some(values), Some(atoms)) = (&cell.values, &atoms) {
            for (&(value, p), &(same, q)) in values.probabilities.iter().zip(atoms) {
                assert_eq!(value, same);
                close(p, q, 1e-14);
            }
            assert!(
                atoms.iter().all(|atom| atom.1 <= conditional.density(cell.column, values.mode).unwrap())
            );
        }
        match (&cell.numbers, &cell.values) {
            (Some(numbers), _) => assert_eq!(median, numbers.median),
            (None, values) => assert_eq!(median, values.as_ref().unwrap().mode),
        }
        if cell.column == 0 {
            let (numbers, atoms) = (cell.numbers.unwrap(), atoms.unwrap());
            let mean: f64 = atoms.iter().map(|(v, p)| v * p).sum();
            close(numbers.mean, mean, 1e-12);
            close(
                numbers.deviation,
                atoms.iter().map(|(v, p)| p * (v - mean).powi(2)).sum::<f64>().sqrt(),
                1e-12,
            );
            assert!([1.0, 2.0, 5.0].contains(&numbers.quantiles[0]));
        }
    }
}

#[test]
fn medians_quantiles_and_draws_snap_to_ties_and_means_do_not() {
    let (mut table, _) = truth_tables(300, 0.3, 3);
    let mut cells = table.cells().to_owned();
    cells.row_mut(0).iter_mut().for_each(|x| *x = x.round());
    table = table.with_cells(cells).unwrap();
    let (density, scaler, ties) = (truth(), units(), Ties::of(&table));
    let imputer = Imputer::new(&density, &scaler, &ties, Limits::none(3)).unwrap();
    let seen: Vec<f64> = table.observed(0).collect();
    let mut off = 0;
    for cell in imputer.summaries(&table, &[0.05, 0.95]).unwrap() {
        let numbers = cell.numbers.unwrap();
        let all = [numbers.median, numbers.quantiles[0], numbers.quantiles[1]];
        if cell.column == 0 {
            assert!(all.iter().all(|x| seen.contains(x)));
            off += usize::from(numbers.mean.fract() != 0.0);
        }
    }
    assert!(off > 0);
    for done in [imputer.independent_draws(&table, 0, 1), imputer.median(&table)] {
        let done = done.unwrap();
        assert!(done.rows().all(|row| seen.contains(&row[0])));
        assert!(done.rows().any(|row| row[1].fract() != 0.0));
    }
    let rows = imputer.new_rows(table.columns(), 100, 1).unwrap();
    assert!(rows.rows().all(|row| seen.contains(&row[0])));
}

#[test]
fn results_depend_on_the_row_alone() {
    let (table, _) = truth_tables(120, 0.4, 5);
    let (density, scaler) = (truth(), units());
    let limits =
        Limits::new(table.columns(), &[(None, None), (Some(-10.0), Some(10.0)), (Some(-50.0), None)]);
    let imputer = Imputer::new(&density, &scaler, &Ties::none(3), limits.unwrap()).unwrap();
    let run = |table: &Table| {
        let done = imputer.independent_draws(table, 1, 2).unwrap();
        let medians = imputer.median(table).unwrap();
        (
            done,
            medians,
            imputer.outlier_scores(table, &imputer.new_rows(table.columns(), 200, 3).unwrap()).unwrap(),
        )
    };
    let (done, medians, scores) = on_threads(1, || run(&table));
    let (again, same, equal) = on_threads(3, || run(&table));
    assert!(bits(&done) == bits(&again) && bits(&medians) == bits(&same) && scores == equal);
    let cells = |threads| on_threads(threads, || imputer.summaries(&table, &[0.1]).unwrap());
    assert_eq!(cells(1), cells(3));
    let order: Vec<usize> = (0..120).rev().filter(|i| i % 3 != 0).collect();
    let (part, some, few) = run(&table.select(&order).unwrap());
    for (k, &i) in order.iter().enumerate() {
        assert_eq!((part.row(k), some.row(k), few[k]), (done.row(i), medians.row(i), scores[i]));
    }
    let rows = imputer.new_rows(table.columns(), 50, 7).unwrap();
    let more = on_threads(1, || imputer.new_rows(table.columns(), 60, 7)).unwrap();
    assert!((0..50).all(|i| rows.row(i) == more.row(i)) && rows.row(0) != rows.row(1));
    assert!(imputer.new_rows(table.columns(), 50, 8).unwrap().row(0) != rows.row(0));
}
