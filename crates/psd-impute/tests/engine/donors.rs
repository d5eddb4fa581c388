//! Donors as a density, and stacks of members.

use crate::common::*;
use crate::conditional::check_draws;
use psd_impute::density::{Density, Donors};
use psd_impute::learn::{EmParams, Member, StackFit, fit_donors, fit_normal};
use psd_impute::table::Table;
use std::sync::Arc;

fn donors(seed: u64) -> (Table, Donors, Vec<f64>) {
    let (table, _) = continuous(seed, 40, 2, 1, 0.25, Shape::Full);
    let normal = fit_normal(&table, None, 0.01, EmParams::default())
        .unwrap()
        .0
        .density(&table, None, &Arc::default())
        .unwrap();
    let (donors, logs) = fit_donors(&table, None, &normal, &Arc::default()).unwrap();
    (table, donors, logs)
}

#[test]
fn integrate_to_one_and_agree_with_themselves() {
    let (_, donors, _) = donors(1);
    let nodes = gauss(-12.0, 12.0, 600);
    let mass: f64 = nodes.iter().map(|(x, w)| w * donors.log_marginal(&[*x, NA]).unwrap().exp()).sum();
    close(mass, 1.0, 1e-9);
    let direct = donors.log_marginal(&[0.37, NA]).unwrap().exp();
    let integrated: f64 =
        nodes.iter().map(|(y, w)| w * donors.log_marginal(&[0.37, *y]).unwrap().exp()).sum();
    close(integrated, direct, 1e-9);
    let conditional = donors.conditional(&[0.37, NA]).unwrap();
    let joint = donors.log_marginal(&[0.37, -0.2]).unwrap().exp();
    close(conditional.density(1, -0.2).unwrap() * direct, joint, 1e-10);
    let x = conditional.quantile(1, 0.2).unwrap();
    close(conditional.cdf(1, x).unwrap(), 0.2, 1e-10);
}

#[test]
fn draws_follow_the_closed_form() {
    let (_, donors, _) = donors(2);
    check_draws(donors.conditional(&[NA, NA]).unwrap().as_ref(), &mut rng(5));
    check_draws(donors.conditional(&[0.4, NA]).unwrap().as_ref(), &mut rng(6));
}

#[test]
fn no_row_is_its_own_donor() {
    let (table, donors, logs) = donors(3);
    for (row, left_out) in table.rows().zip(logs) {
        // Weights are not rescaled when the row itself is left out: one part in forty.
        close(donors.log_marginal(row).unwrap() + (40f64 / 39.0).ln(), left_out, 1e-9);
    }
}

#[test]
fn rows_that_are_all_the_same_leave_the_donors_without_a_say() {
    let table = Table::continuous(&["x", "y"], &[[1.0, NA]; 4]).unwrap();
    let normal = fit_normal(&table, None, 0.1, EmParams::default())
        .unwrap()
        .0
        .density(&table, None, &Arc::default())
        .unwrap();
    let (donors, _) = fit_donors(&table, None, &normal, &Arc::default()).unwrap();
    assert_eq!(donors.log_marginal(&[1.0, NA]).unwrap(), f64::NEG_INFINITY);
    assert!(donors.conditional(&[1.0, NA]).is_err());
    let members: Vec<(f64, Box<dyn Density>)> = vec![(0.5, Box::new(normal)), (0.5, Box::new(donors))];
    let stack = psd_impute::density::Stack::new(members).unwrap();
    assert!(stack.conditional(&[1.0, NA]).unwrap().mean()[0].is_finite());
}

#[test]
fn donors_want_continuous_columns() {
    let (table, features) = mixed(3, 20, 1, 2, 0.2, Shape::Full);
    let error = fit_donors(&table, None, &density(&features, 1), &Arc::default()).unwrap_err().to_string();
    assert!(error.contains("grade") && error.contains("continuous"), "{error}");
    // A stack leaves them out.
    let fit = StackFit { members: vec![Member::Normal, Member::Donors], seed: 0 };
    let fitted = fit.run(&table, &mut ()).unwrap();
    assert!(fitted.members.iter().all(|tried| tried.member == Member::Normal));
}
