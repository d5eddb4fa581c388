//! Repeated values and their bins.

use crate::common::*;
use faer::Mat;
use psd_impute::density::{Density, PsdDensity};
use psd_impute::learn::donors::fit_donors;
use psd_impute::learn::mixture::{EmParams, fit_normal};
use psd_impute::table::{Resolution, Table};
use std::sync::Arc;

/// `a` is on a coarse grid, `b` is zero every third time.
fn table() -> Table {
    let rng = &mut rng(4);
    let rows: Vec<[f64; 2]> = (0..90)
        .map(|i| {
            let a = (2.0 * normal(rng)).round() / 2.0;
            [a, if i % 3 == 0 { 0.0 } else { 0.5 * a + normal(rng) }]
        })
        .collect();
    Table::continuous(&["a", "b"], &rows).unwrap()
}

#[test]
fn cells_reach_half_way_to_the_neighbours() {
    let rows: Vec<[f64; 1]> = [0.0, 0.0, 1.0, 1.0, 4.0, 4.0].map(|x| [x]).to_vec();
    let grid = Resolution::of(&Table::continuous(&["x"], &rows).unwrap());
    assert_eq!(grid.cell(0, 1.0), Some((0.5, 2.5)));
    assert_eq!(grid.cell(0, 0.0), Some((f64::NEG_INFINITY, 0.5)));
    // A number that was not recorded is in the bin of the nearest one.
    assert_eq!(grid.cell(0, 3.0), Some((2.5, f64::INFINITY)));
    let table = table();
    let atoms = Resolution::of(&table);
    let (lo, hi) = atoms.cell(1, 0.0).unwrap();
    assert!(lo < 0.0 && hi > 0.0 && hi.is_finite());
    assert_eq!(atoms.cell(1, table.row(1)[1]), None);
    assert_eq!(Resolution::default().cell(0, 1.0), None);
}

#[test]
fn a_value_counts_by_the_probability_of_its_cell() {
    let table = table();
    let resolution = Arc::new(Resolution::of(&table));
    let (_, features) = continuous(5, 20, 2, 4, 0.0, Shape::Full);
    let covariance = Mat::from_fn(2, 2, |i, j| if i == j { 1.3 } else { 0.6 });
    let normal = PsdDensity::normal(&table, &[0.2, -0.1], covariance.as_ref()).unwrap();
    for plain in [normal, density(&features, 3)] {
        let cells = plain.clone().with_resolution(resolution.clone());
        let (lo, hi) = resolution.cell(0, 0.5).unwrap();
        let marginal = |x: f64| plain.log_marginal(&[x, NA]).unwrap().exp();
        let mass: f64 = gauss(lo, hi, 40).iter().map(|(x, w)| w * marginal(*x)).sum();
        close(cells.log_marginal(&[0.5, NA]).unwrap(), mass.ln(), 1e-10);
        // A value that is its own bin, and a missing cell, change nothing.
        let own = [NA, table.row(1)[1]];
        close(cells.log_marginal(&own).unwrap(), plain.log_marginal(&own).unwrap(), 1e-12);
    }
}

/// Column after column: the probability of `a`'s cell, then that of `b`'s given the value of `a`.
#[test]
fn two_cells_are_counted_one_after_the_other() {
    let table = table();
    let resolution = Arc::new(Resolution::of(&table));
    let covariance = Mat::from_fn(2, 2, |i, j| if i == j { 1.3 } else { 0.6 });
    let plain = PsdDensity::normal(&table, &[0.2, -0.1], covariance.as_ref()).unwrap();
    let cells = plain.clone().with_resolution(resolution.clone());
    let between = |column: usize, row: [f64; 2], (lo, hi): (f64, f64)| {
        let conditional = plain.conditional(&row).unwrap();
        conditional.cdf(column, hi).unwrap() - conditional.cdf(column, lo).unwrap()
    };
    let first = between(0, [NA, NA], resolution.cell(0, 0.5).unwrap());
    let second = between(1, [0.5, NA], resolution.cell(1, 0.0).unwrap());
    close(cells.log_marginal(&[0.5, 0.0]).unwrap(), (first * second).ln(), 1e-10);
}

#[test]
fn the_cells_of_a_full_grid_add_up_to_one() {
    let table = table();
    let resolution = Arc::new(Resolution::of(&table));
    let normal = fit_normal(&table, None, 0.01, EmParams::default()).unwrap().0;
    let normal = normal.density(&table, None, &resolution).unwrap();
    let (donors, _) = fit_donors(&table, None, &every(&table), &normal, &resolution).unwrap();
    let mut values: Vec<f64> = table.observed(0).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    for density in [&normal as &dyn Density, &donors] {
        let sum: f64 = values.iter().map(|&x| density.log_marginal(&[x, NA]).unwrap().exp()).sum();
        close(sum, 1.0, 1e-3);
    }
}
