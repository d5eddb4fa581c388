//! Donors as a density, and stacks of members.

use crate::common::*;
use crate::conditional::check_draws;
use faer::Mat;
use psd_impute::density::{Density, Donors};
use psd_impute::learn::donors::fit_donors;
use psd_impute::learn::mixture::{EmParams, fit_normal};
use psd_impute::stack::{Member, StackFit};
use psd_impute::table::{Column, Table};
use std::sync::Arc;

fn donors(seed: u64) -> (Table, Donors, Vec<f64>) {
    let (table, _) = continuous(seed, 40, 2, 1, 0.25, Shape::Full);
    let normal = fit_normal(&table, None, 0.01, EmParams::default())
        .unwrap()
        .0
        .density(&table, None, &Arc::default())
        .unwrap();
    let (donors, logs) = fit_donors(&table, None, &every(&table), &normal, &Arc::default()).unwrap();
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
    let (donors, _) = fit_donors(&table, None, &every(&table), &normal, &Arc::default()).unwrap();
    assert_eq!(donors.log_marginal(&[1.0, NA]).unwrap(), f64::NEG_INFINITY);
    assert!(donors.conditional(&[1.0, NA]).is_err());
    let members: Vec<(f64, Box<dyn Density>)> = vec![(0.5, Box::new(normal)), (0.5, Box::new(donors))];
    let stack = psd_impute::density::Stack::new(members).unwrap();
    assert!(stack.conditional(&[1.0, NA]).unwrap().mean()[0].is_finite());
}

/// Donors of a table with an ordered column, a category and two continuous ones, and the frequencies of the first two.
fn mixed_donors(seed: u64) -> (Table, Donors, Vec<f64>, [Vec<f64>; 2]) {
    let (table, features) = mixed(seed, 40, 2, 3, 0.25, Shape::Full);
    let rho = [0, 1].map(|c| features.discrete()[c].log_rho().iter().map(|r| r.exp()).collect());
    let smooth = density(&features, seed);
    let (donors, logs) = fit_donors(&table, None, &every(&table), &smooth, &Arc::default()).unwrap();
    (table, donors, logs, rho)
}

#[test]
fn discrete_cells_add_up_and_their_conditionals_are_ratios_of_joints() {
    let (table, donors, _, rho) = mixed_donors(5);
    for i in 0..6 {
        // No row of the table: none is its own donor.
        let mut row = table.row(i).to_vec();
        row[2] = 0.1 * i as f64;
        for j in 0..2 {
            row[j] = NA;
            let conditional = donors.conditional(&row).unwrap();
            let atoms = conditional.probabilities(j).unwrap().unwrap();
            let (rest, mut sum) = (donors.log_marginal(&row).unwrap().exp(), 0.0);
            for ((value, probability), rho) in atoms.into_iter().zip(&rho[j]) {
                row[j] = value;
                let joint = rho * donors.log_marginal(&row).unwrap().exp();
                close(probability, joint / rest, 1e-12);
                close(conditional.density(j, value).unwrap(), probability, 1e-12);
                sum += joint;
                close(conditional.cdf(j, value).unwrap(), sum / rest, 1e-12);
            }
            close(sum, rest, 1e-12);
            row[j] = table.row(i)[j];
        }
    }
    assert_eq!(donors.log_marginal(&[1.5, NA, 0.3, NA]).unwrap(), f64::NEG_INFINITY, "1.5 is no grade");
}

#[test]
fn discrete_cells_have_the_moments_and_draws_of_their_probabilities() {
    let (_, donors, ..) = mixed_donors(6);
    check_draws(donors.conditional(&[NA; 4]).unwrap().as_ref(), &mut rng(5));
    let conditional = donors.conditional(&[NA, NA, 0.4, NA]).unwrap();
    check_draws(conditional.as_ref(), &mut rng(6));
    assert!(conditional.has_labels(1) && !conditional.has_labels(0) && !conditional.has_labels(3));
    let grades = conditional.probabilities(0).unwrap().unwrap();
    let mean: f64 = grades.iter().map(|(v, p)| v * p).sum();
    let variance: f64 = grades.iter().map(|(v, p)| p * (v - mean).powi(2)).sum();
    close(conditional.mean()[0], mean, 1e-12);
    let covariance = conditional.covariance();
    close(covariance[(0, 0)], variance, 1e-12);
    assert!((0..3).all(|k| covariance[(1, k)].is_nan() && covariance[(k, 1)].is_nan()));
    let colours = conditional.probabilities(1).unwrap().unwrap();
    let best = colours.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert_eq!(conditional.mean()[1], best.0);
    assert_eq!(conditional.support(0).unwrap(), (1.0, 5.0));
    let piece = conditional.within(0, (1.5, 9.0)).unwrap();
    close(piece.mass, grades[1].1 + grades[2].1, 1e-12);
    close(piece.mean * piece.mass, 2.0 * grades[1].1 + 5.0 * grades[2].1, 1e-12);
    assert!(conditional.probabilities(3).unwrap().is_none());
}

#[test]
fn no_row_with_discrete_cells_is_its_own_donor() {
    let (table, donors, logs, _) = mixed_donors(7);
    for (row, left_out) in table.rows().zip(logs) {
        close(donors.log_marginal(row).unwrap() + (40f64 / 39.0).ln(), left_out, 1e-9);
    }
}

/// A category that changes with every tenth of `x`: too fine for a few smooth members, but it comes back in every row nearby.
fn stripes(n: usize) -> (Table, Vec<f64>) {
    let x = |i: usize| ((i * 7919) % 1999) as f64 / 580.0 - 1.7;
    let truth: Vec<f64> = (0..n).map(|i| ((x(i) + 10.0) / 0.17).floor() % 2.0).collect();
    let labels = ["even", "odd", "never seen"].map(String::from).to_vec();
    let columns = vec![Column::continuous("x"), Column::category("stripe", labels).unwrap()];
    let cell = |j: usize, i: usize| match j {
        0 => x(i),
        _ if i.is_multiple_of(4) => NA,
        _ => truth[i],
    };
    (Table::new(columns, Mat::from_fn(2, n, cell)).unwrap(), truth)
}

#[test]
fn donors_find_a_pattern_of_labels_that_smooth_members_cannot() {
    let (table, truth) = stripes(400);
    let wrong = |members: &[Member]| {
        let fitted = StackFit { members: members.to_vec(), starts: 1, seed: 1 }.run(&table, &mut ()).unwrap();
        let gaps = (0..table.len()).filter(|i| i % 4 == 0);
        let guess = |i: usize| fitted.density.conditional(table.row(i)).unwrap().mean()[0];
        (gaps.filter(|&i| guess(i) != truth[i]).count(), fitted.members.last().unwrap().weight)
    };
    let smooth = [Member::Normal, Member::Mixture { components: 3 }];
    let (without, _) = wrong(&smooth);
    let (with, weight) = wrong(&[smooth[0], smooth[1], Member::Donors]);
    assert!(weight > 0.5, "{weight}");
    assert!(without > 30, "{without} of 100");
    assert!(with < 15, "{with} of 100");
}
