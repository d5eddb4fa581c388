//! Stacks as if they had not seen some rows.

use crate::common::*;
use psd_impute::density::Density;
use psd_impute::learn::{EmParams, Member, StackFit, fit_normal};
use psd_impute::table::Table;
use std::sync::Arc;

/// Complete rows on a noisy line, every other of which is to be left out.
fn table() -> Table {
    let row = |i: usize| {
        let t = i as f64;
        [(0.7 * t).sin() + 0.02 * t, (0.7 * t).sin() + 0.5 * (1.3 * t).cos()]
    };
    Table::continuous(&["x", "y"], &(0..60).map(row).collect::<Vec<_>>()).unwrap().standardise().0
}

#[test]
fn the_normal_model_without_rows_is_that_of_the_others() {
    let table = table();
    let half = |k: usize| table.select(&(0..30).map(|i| 2 * i + k).collect::<Vec<_>>()).unwrap();
    let fitted = StackFit { members: vec![Member::Normal], seed: 0 }.run(&table, &mut ()).unwrap();
    let left = fitted.without(&half(1)).unwrap().moments().unwrap();
    let params = EmParams { tolerance: 1e-12, max_iterations: 1000 };
    let (normal, _) = fit_normal(&half(0), None, fitted.ridge, params).unwrap();
    let alone = normal.density(&half(0), None, &Arc::default()).unwrap().moments().unwrap();
    let all = fitted.density.moments().unwrap();
    for j in 0..2 {
        assert!((left.0[j] - alone.0[j]).abs() < 1e-6, "{:?} {:?}", left.0, alone.0);
        for i in 0..2 {
            assert!((left.1[(i, j)] - alone.1[(i, j)]).abs() < 1e-6, "{:?} {:?}", left.1, alone.1);
        }
    }
    assert!((all.0[0] - alone.0[0]).abs() > 1e-3, "the halves are to differ");
}

#[test]
fn a_row_left_out_is_not_its_own_donor() {
    // Pairs of labels and numbers that only one row has: a donor's own label gives its number away.
    let row = |i: usize| [i as f64, ((37 * i) % 101) as f64];
    let table = Table::continuous(&["x", "y"], &(0..101).map(row).collect::<Vec<_>>()).unwrap();
    let table = table.standardise().0;
    let fitted = StackFit { members: vec![Member::Normal, Member::Donors], seed: 0 };
    let fitted = fitted.run(&table, &mut ()).unwrap();
    let one = table.select(&[50]).unwrap();
    let masked = [one.row(0)[0], NA];
    let near = |density: &dyn Density| {
        let conditional = density.conditional(&masked).unwrap();
        let y = one.row(0)[1];
        conditional.cdf(1, y + 0.02).unwrap() - conditional.cdf(1, y - 0.02).unwrap()
    };
    assert!(near(&fitted.without(&one).unwrap()) <= near(&fitted.density));
    let strangers = Table::continuous(&["x", "y"], &[[9.0, 9.0]]).unwrap();
    let same = fitted.without(&strangers).unwrap();
    assert!((near(&same) - near(&fitted.density)).abs() < 1e-3);
}
