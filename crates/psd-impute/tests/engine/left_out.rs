//! Stacks with some rows held out.

use crate::common::*;
use psd_impute::density::Density;
use psd_impute::learn::mixture::{EmParams, fit_normal};
use psd_impute::stack::{Member, StackFit};
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

/// Rows left out have no weight, and the others correspondingly more: a table with these twice in place of those is equivalent.
#[test]
fn the_normal_model_without_rows_is_that_of_the_others() {
    let table = table();
    let half = |k: usize| (0..30).map(|i| 2 * i + k).collect::<Vec<_>>();
    let fitted = StackFit { members: vec![Member::Normal], starts: 1, seed: 0 }.run(&table, &mut ()).unwrap();
    let left = fitted.without(&table.select(&half(1)).unwrap()).unwrap().moments().unwrap();
    let params = EmParams { tolerance: 1e-12, max_iterations: 1000 };
    let twice = table.select(&[half(0), half(0)].concat()).unwrap();
    let (normal, _) = fit_normal(&twice, None, fitted.ridge, params).unwrap();
    let alone = normal.density(&twice, None, &Arc::default()).unwrap().moments().unwrap();
    for j in 0..2 {
        assert!((left.0[j] - alone.0[j]).abs() < 1e-6, "{:?} {:?}", left.0, alone.0);
        for i in 0..2 {
            assert!((left.1[(i, j)] - alone.1[(i, j)]).abs() < 1e-6, "{:?} {:?}", left.1, alone.1);
        }
    }
    let all = fitted.density.moments().unwrap();
    assert!((all.0[0] - alone.0[0]).abs() > 1e-3, "the halves are to differ");
}

#[test]
fn a_row_left_out_is_not_its_own_donor() {
    // One row is off the curve that donors, but no normal model, can follow: only itself says where.
    let x = |i: usize| (i * 7 % 83) as f64 / 26.0 - 1.6;
    let row = |i: usize| [x(i), (3.0 * x(i)).sin() + if i == 50 { 1.5 } else { 0.0 }];
    let table = Table::continuous(&["x", "y"], &(0..83).map(row).collect::<Vec<_>>()).unwrap();
    let table = table.standardise().0;
    let fitted = StackFit { members: vec![Member::Normal, Member::Donors], starts: 1, seed: 0 };
    let fitted = fitted.run(&table, &mut ()).unwrap();
    assert!(fitted.members.iter().any(|tried| tried.member == Member::Donors && tried.weight > 0.2));
    let one = table.select(&[50]).unwrap();
    let masked = [one.row(0)[0], NA];
    let near = |density: &dyn Density| {
        let conditional = density.conditional(&masked).unwrap();
        let y = one.row(0)[1];
        conditional.cdf(1, y + 0.02).unwrap() - conditional.cdf(1, y - 0.02).unwrap()
    };
    let seen = near(&fitted.density);
    assert!(near(&fitted.without(&one).unwrap()) < 0.7 * seen);
    let strangers = Table::continuous(&["x", "y"], &[[9.0, 9.0]]).unwrap();
    assert!((near(&fitted.without(&strangers).unwrap()) / seen - 1.0).abs() < 1e-3);
}
