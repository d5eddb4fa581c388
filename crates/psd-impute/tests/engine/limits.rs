//! Bounds: summaries of truncated cells against quadrature, draws against truncated distributions, and invalid bounds.

use crate::common::*;
use psd_impute::Error;
use psd_impute::density::Density;
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::table::{Column, Scaler, Table};

const FREE: (Option<f64>, Option<f64>) = (None, None);

fn bounded<'a>(density: &'a dyn Density, scaler: &'a Scaler, z: [(f64, f64); 3]) -> Imputer<'a> {
    let columns = ["a", "b", "c"].map(Column::continuous);
    let bound = |j: usize, z: f64| z.is_finite().then(|| scaler.undo(j, z));
    let bounds: Vec<_> = (0..3).map(|j| (bound(j, z[j].0), bound(j, z[j].1))).collect();
    Imputer::new(density, scaler, &Ties::none(3), Limits::new(&columns, &bounds).unwrap()).unwrap()
}

const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

#[test]
fn summaries_are_those_of_the_truncated_cell_and_everything_stays_within() {
    let (density, scaler) = (truth(), units());
    let limits = [(-0.3, 0.9), ANY, (0.5, f64::INFINITY)];
    let imputer = bounded(&density, &scaler, limits);
    let table = Table::continuous(&["a", "b", "c"], &[[NA, scaler.undo(1, 0.2), NA]; 300]).unwrap();
    let conditional = density.conditional(&[NA, 0.2, NA]).unwrap();
    let holds = |j: usize, x: f64| {
        let tiny = 1e-12 * scaler.scale(j);
        x >= scaler.undo(j, limits[j].0) - tiny && x <= scaler.undo(j, limits[j].1) + tiny
    };
    for cell in imputer.summaries(&table.select(&[0]).unwrap(), &[0.01, 0.99]).unwrap() {
        let (j, numbers) = (cell.column, cell.numbers.unwrap());
        let nodes = gauss(limits[j].0, limits[j].1.min(20.0), 60);
        let at = |x: f64| conditional.density(j, x).unwrap();
        let mass: f64 = nodes.iter().map(|&(x, w)| w * at(x)).sum();
        let mean = nodes.iter().map(|&(x, w)| w * x * at(x)).sum::<f64>() / mass;
        close(scaler.apply(j, numbers.mean), mean, 1e-10);
        let below = conditional.within(j, (limits[j].0, scaler.apply(j, numbers.median))).unwrap().mass;
        close(below / mass, 0.5, 1e-9);
        assert!(numbers.quantiles.iter().all(|&q| holds(j, q)));
    }
    for done in [
        imputer.independent_draws(&table, 1, 1).unwrap(),
        imputer.mean(&table).unwrap(),
        imputer.median(&table).unwrap(),
        imputer.new_rows(table.columns(), 300, 1).unwrap(),
    ] {
        assert!(done.rows().all(|row| holds(0, row[0]) && holds(2, row[2])));
    }
}

/// One bounded cell: exact both where draws are repeated and where the bounds are too far out for that.
#[test]
fn draws_of_one_bounded_cell_follow_the_truncated_distribution() {
    let (density, scaler) = (truth(), units());
    let conditional = density.conditional(&[NA, 0.2, NA]).unwrap();
    let n = 1500;
    let table = Table::continuous(&["a", "b", "c"], &vec![[NA, scaler.undo(1, 0.2), NA]; n]).unwrap();
    for limits in [(-0.3, 0.9), (5.5, f64::INFINITY)] {
        let mass = conditional.within(0, limits).unwrap().mass;
        let done = bounded(&density, &scaler, [limits, ANY, ANY]).independent_draws(&table, 2, 1).unwrap();
        let first: Vec<f64> = done.rows().map(|row| scaler.apply(0, row[0])).collect();
        let transforms =
            first.iter().map(|&x| conditional.within(0, (limits.0, x)).unwrap().mass / mass).collect();
        assert!(kolmogorov(transforms) < 1.95, "{limits:?} of mass {mass}");
        // The other cell follows its conditional given the one drawn.
        let second = done.rows().zip(&first).map(|(row, &x)| {
            density.conditional(&[x, 0.2, NA]).unwrap().cdf(2, scaler.apply(2, row[2])).unwrap()
        });
        assert!(kolmogorov(second.collect()) < 1.95, "{limits:?} of mass {mass}");
    }
}

/// Two bounded cells: the whole row's distribution, cut to both.
#[test]
fn draws_of_two_bounded_cells_follow_the_truncated_joint() {
    let (density, scaler) = (truth(), units());
    let (first, second) = ((-0.3, 0.9), (0.2, 1.5));
    let n = 2500;
    let table = Table::continuous(&["a", "b", "c"], &vec![[NA, scaler.undo(1, 0.2), NA]; n]).unwrap();
    let done = bounded(&density, &scaler, [first, ANY, second]).independent_draws(&table, 2, 1).unwrap();
    let given = density.given(&psd_impute::table::Pattern::of(&[0.0; 3])).unwrap();
    let (mut mass, mut sums) = (0.0, [0.0; 5]);
    for (x, wx) in gauss(first.0, first.1, 2) {
        for (y, wy) in gauss(second.0, second.1, 2) {
            let p = wx * wy * given.log_marginal(&[x, 0.2, y]).exp();
            mass += p;
            sums.iter_mut().zip([x, y, x * y, x * x, y * y]).for_each(|(sum, f)| *sum += p * f);
        }
    }
    for (k, sum) in sums.iter().enumerate() {
        let values = done.rows().map(|row| {
            let (x, y) = (scaler.apply(0, row[0]), scaler.apply(2, row[2]));
            [x, y, x * y, x * x, y * y][k]
        });
        let values: Vec<f64> = values.collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        assert!((mean - sum / mass).abs() < 4.0 * spread / (n as f64).sqrt(), "moment {k}");
    }
}

#[test]
fn a_draw_within_the_bounds_is_the_draw_without_them() {
    let (density, scaler) = (truth(), units());
    let (table, _) = truth_tables(200, 0.4, 8);
    let free = bounded(&density, &scaler, [ANY; 3]).independent_draws(&table, 1, 1).unwrap();
    let wide = bounded(&density, &scaler, [(-50.0, 50.0); 3]).independent_draws(&table, 1, 1).unwrap();
    assert!(free.cells() == wide.cells());
}

#[test]
fn bounds_without_mass_give_the_nearest_point() {
    let (density, scaler) = (truth(), units());
    let imputer = bounded(&density, &scaler, [(200.0, 300.0), (-1.0, -1.0), (f64::NEG_INFINITY, -400.0)]);
    let table = Table::continuous(&["a", "b", "c"], &[[NA; 3]]).unwrap();
    let nearest = [200.0, -1.0, -400.0];
    for done in [
        imputer.independent_draws(&table, 1, 1).unwrap(),
        imputer.mean(&table).unwrap(),
        imputer.median(&table).unwrap(),
    ] {
        (0..3).for_each(|j| close(scaler.apply(j, done.row(0)[j]), nearest[j], 1e-12));
    }
}

#[test]
fn discrete_numbers_keep_to_their_bounds() {
    let (table, features) = mixed(4, 80, 1, 3, 0.0, Shape::Full);
    let density = density(&features, 4);
    let scaler = Scaler::of(&table.select(&[0]).unwrap());
    let limits = Limits::new(table.columns(), &[(Some(1.5), None), FREE, FREE]).unwrap();
    let imputer = Imputer::new(&density, &scaler, &Ties::none(3), limits).unwrap();
    let gaps = faer::Mat::from_fn(3, 80, |j, i| if j == 0 { NA } else { table.row(i)[j] });
    let gaps = table.with_cells(gaps).unwrap();
    for done in [
        imputer.independent_draws(&gaps, 1, 1).unwrap(),
        imputer.mean(&gaps).unwrap(),
        imputer.median(&gaps).unwrap(),
    ] {
        assert!(done.rows().all(|row| [2.0, 5.0].contains(&row[0])));
    }
    for cell in imputer.summaries(&gaps, &[0.1]).unwrap() {
        let values = cell.values.unwrap().probabilities;
        assert_eq!(values.iter().map(|v| v.0).collect::<Vec<_>>(), [2.0, 5.0]);
        close(values.iter().map(|v| v.1).sum(), 1.0, 1e-12);
        close(cell.numbers.unwrap().mean, values.iter().map(|(v, p)| v * p).sum(), 1e-12);
    }
}

#[test]
fn bad_bounds_name_their_column() {
    let (table, _) = mixed(4, 8, 1, 3, 0.0, Shape::Full);
    let refuse = |bounds| Limits::new(table.columns(), bounds).unwrap_err().to_string();
    assert_eq!(
        refuse(&[FREE, FREE, (Some(2.0), Some(1.0))]),
        "column `x0`: the bounds [2, 1] are the wrong way round"
    );
    assert!(refuse(&[FREE, FREE, (Some(NA), None)]).starts_with("column `x0`"));
    assert!(refuse(&[FREE, (Some(0.0), None), FREE]).contains("`colour`"));
    assert!(refuse(&[(Some(6.0), None), FREE, FREE]).contains("`grade`"));
    assert_eq!(refuse(&[FREE]), "bounds: found 1, expected 3");

    let (density, scaler) = (truth(), units());
    let imputer = bounded(&density, &scaler, [(-0.3, 0.9), ANY, ANY]);
    let rows = [[scaler.undo(0, 0.0), 0.0, 0.0], [scaler.undo(0, 1.0), NA, 0.0]];
    let table = Table::continuous(&["a", "b", "c"], &rows).unwrap();
    let problem = "is outside the column's bounds";
    let expected = Error::BadCell { row: 1, column: "a".to_string(), value: rows[1][0], problem };
    assert_eq!(imputer.independent_draws(&table, 0, 0).unwrap_err(), expected);
    let drawn = imputer.new_rows(table.columns(), 5, 0).unwrap();
    assert_eq!(imputer.outlier_scores(&table, &drawn).unwrap_err(), expected);
    assert!(imputer.summaries(&table.select(&[0]).unwrap(), &[]).unwrap().is_empty());
    let gap = Table::continuous(&["a", "b", "c"], &[[NA; 3]]).unwrap();
    assert!(imputer.summaries(&gap, &[1.0]).is_err());
    assert!(Imputer::new(&density, &scaler, &Ties::none(3), Limits::none(2)).is_err());
}
