//! Stacks: weights by held-out likelihood and energy score, and moves to other row weights.

use crate::common::*;
use psd_impute::Error;
use psd_impute::density::Density;
use psd_impute::internals::kernel::MetricKind;
use psd_impute::stack::{FitObserver, FittedStack, ImputationIndex, Member, StackFit, Stop};
use psd_impute::table::Table;
use std::ops::ControlFlow;

fn fit(table: &Table, members: &[Member]) -> FittedStack {
    StackFit { members: members.to_vec(), starts: 1, seed: 0 }.run(table, &mut ()).unwrap()
}

const THREE: Member = Member::Mixture { components: 3 };

/// Two columns of which the second is a function of the first, with repeated values.
fn wave() -> Vec<[f64; 2]> {
    let x = |i: usize| (i * 7 % 83) as f64 / 26.0 - 1.6;
    (0..200).map(|i| [x(i), if i % 5 == 0 { NA } else { (3.0 * x(i)).sin() }]).collect()
}

#[test]
fn a_stack_is_no_worse_than_its_members_and_chooses_by_the_data() {
    let (plain, _) = continuous(7, 150, 3, 1, 0.2, Shape::Full);
    let fitted = fit(&plain, &[Member::Normal, THREE]);
    close(fitted.members.iter().map(|m| m.weight).sum::<f64>(), 1.0, 1e-9);
    assert!(fitted.members.iter().all(|m| fitted.held_out >= m.held_out - 1e-9));
    let normal = fitted.members.iter().filter(|m| m.member == Member::Normal);
    assert!(
        normal.map(|m| m.weight).sum::<f64>() > 0.5,
        "normal data want the normal member: {:?}",
        fitted.members
    );

    let rows = wave();
    let table = Table::continuous(&["x", "y"], &rows).unwrap();
    let fitted = fit(&table, &[Member::Normal, Member::Donors]);
    let last = fitted.members[fitted.members.len() - 1];
    assert!(last.member == Member::Donors && last.weight > 0.2, "{:?}", fitted.members);
    let error = |fitted: &FittedStack| -> f64 {
        let off = |row: &[f64; 2]| {
            let mean = fitted.density.conditional(&[row[0], NA]).unwrap().mean()[0];
            (mean - (3.0 * row[0]).sin()).powi(2)
        };
        rows.iter().map(off).sum::<f64>()
    };
    let smooth = fit(&table, &[Member::Normal]);
    assert!(error(&fitted) < error(&smooth), "{} {}", error(&fitted), error(&smooth));
}

/// Ten distant groups whose rows alternate: a fold of every tenth row would be one whole group, which no fit to the others
/// predicts.
#[test]
fn folds_do_not_follow_the_order_of_the_rows() {
    let rng = &mut rng(11);
    let row = |g: usize, rng: &mut dyn rand::Rng| [1, 2].map(|k| 10.0 * wave_of(g, k) + 0.1 * normal(rng));
    let turns: Vec<[f64; 2]> = (0..240).map(|i| row(i % 10, rng)).collect();
    let sorted: Vec<[f64; 2]> = (0..10).flat_map(|g| turns.iter().copied().skip(g).step_by(10)).collect();
    let held_out = |rows: &[[f64; 2]]| {
        let table = Table::continuous(&["x", "y"], rows).unwrap();
        fit(&table.standardise().0, &[Member::Normal, Member::Mixture { components: 10 }]).held_out
    };
    let (turns, sorted) = (held_out(&turns), held_out(&sorted));
    assert!((turns - sorted).abs() < 0.3, "{turns} {sorted}");
}

/// Where a group is along one of two axes.
fn wave_of(g: usize, axis: usize) -> f64 {
    (g as f64 * [1.1, 2.3][axis - 1]).sin()
}

#[test]
fn a_small_table_has_mixtures_from_several_starts() {
    let starts = |rows: usize| {
        let cells: Vec<[f64; 2]> = (0..rows).map(|i| [(i as f64).sin(), (i as f64 * 1.7).cos()]).collect();
        StackFit::for_table(&Table::continuous(&["x", "y"], &cells).unwrap(), 0).starts
    };
    assert_eq!([starts(200), starts(4000)], [3, 1]);
    let table = Table::continuous(&["x", "y"], &wave()).unwrap();
    let from = |starts: u64, components: usize| {
        StackFit { members: vec![Member::Mixture { components }], starts, seed: 0 }
            .run(&table, &mut ())
            .unwrap()
    };
    let (one, three, again) = (from(1, 8), from(3, 8), from(3, 8));
    // They share the weight that cross-validation gave to their kind, and each is a fit of its own, always the same.
    assert_eq!((one.members.len(), &one.members), (2, &three.members));
    assert!((three.members.iter().map(|tried| tried.weight).sum::<f64>() - 1.0).abs() < 1e-12);
    let at = |fitted: &FittedStack| fitted.density.log_marginal(&[0.3, f64::NAN]).unwrap();
    assert_ne!(at(&one), at(&three));
    assert_eq!(at(&three), at(&again));
    // Two clusters are the same from any start.
    assert_eq!(at(&from(1, 2)), at(&from(3, 2)));
}

#[test]
fn donors_get_next_to_nothing_where_rows_are_independent_and_normal() {
    let weight = |seed: u64| -> f64 {
        let (plain, _) = continuous(seed, 200, 3, 1, 0.2, Shape::Full);
        let fitted = fit(&plain, &[Member::Normal, Member::Donors]);
        fitted.members.iter().filter(|m| m.member == Member::Donors).map(|m| m.weight).sum()
    };
    // In one table they may have more by chance.
    let weights: Vec<f64> = (0..12).map(weight).collect();
    assert!(weights.iter().sum::<f64>() / 12.0 < 0.3, "{weights:?}");
}

#[test]
fn a_refit_moves_the_density_a_little_and_always_to_the_same_place() {
    let table = Table::continuous(&["x", "y"], &wave()).unwrap();
    let fitted = fit(
        &table,
        &[
            Member::Normal,
            THREE,
            Member::Psd { metric: MetricKind::Diagonal, anchors: 4, strength: 0.2, scale: 0.4 },
            Member::Donors,
        ],
    );
    let row = [0.3, 0.5];
    let at = |seed, k| {
        fitted.refitted(seed, ImputationIndex { number: k, of: 20 }).unwrap().log_marginal(&row).unwrap()
    };
    assert_eq!(at(1, 1), at(1, 1));
    assert_ne!(at(1, 1), at(1, 2));
    assert_ne!(at(1, 1), at(2, 1));
    let here = fitted.density.log_marginal(&row).unwrap();
    let mean = (1..=20).map(|k| at(1, k)).sum::<f64>() / 20.0;
    assert!((mean - here).abs() < 0.5, "{mean} {here}");
}

#[test]
fn rows_that_come_back_count_as_often_as_they_do() {
    let once: Vec<[f64; 2]> = wave().into_iter().take(60).collect();
    let thrice: Vec<[f64; 2]> = once.iter().flat_map(|row| [*row; 3]).collect();
    let (one, three) = (
        fit(&Table::continuous(&["x", "y"], &once).unwrap(), &[Member::Normal]),
        fit(&Table::continuous(&["x", "y"], &thrice).unwrap(), &[Member::Normal]),
    );
    assert_eq!(three.rows(), one.rows());
    let row = [0.1, 0.2];
    close(three.density.log_marginal(&row).unwrap(), one.density.log_marginal(&row).unwrap(), 1e-12);
}

#[test]
fn an_observer_may_give_the_fit_up() {
    struct Never;
    impl FitObserver for Never {
        fn tried(&mut self, _: Member, _: usize, _: usize, _: Option<f64>) -> ControlFlow<Stop> {
            ControlFlow::Break(Stop::Altogether)
        }
    }
    let table = Table::continuous(&["x", "y"], &wave()).unwrap();
    let outcome = StackFit::for_table(&table, 0).run(&table, &mut Never);
    assert!(matches!(outcome, Err(Error::Abandoned)));
}

#[test]
fn an_observer_hears_of_every_member_and_may_stop_the_search() {
    struct After(usize, Vec<Member>);
    impl FitObserver for After {
        fn tried(&mut self, member: Member, done: usize, of: usize, _: Option<f64>) -> ControlFlow<Stop> {
            assert!(done <= of);
            self.1.push(member);
            if self.1.len() == self.0 { ControlFlow::Break(Stop::Here) } else { ControlFlow::Continue(()) }
        }
    }
    let table = Table::continuous(&["x", "y"], &wave()).unwrap();
    let members = vec![Member::Normal, THREE, Member::Donors];
    let fit = StackFit { members: members.clone(), starts: 1, seed: 0 };
    let mut all = After(9, Vec::new());
    fit.run(&table, &mut all).unwrap();
    assert_eq!(all.1, members);
    let mut first = After(1, Vec::new());
    let fitted = fit.run(&table, &mut first).unwrap();
    assert_eq!(first.1, [Member::Normal]);
    assert!(fitted.members.iter().all(|tried| tried.member == Member::Normal));
    assert!(StackFit { members: vec![Member::Donors], starts: 1, seed: 0 }.run(&table, &mut ()).is_err());
    assert!(StackFit { members: vec![Member::Normal], starts: 0, seed: 0 }.run(&table, &mut ()).is_err());
}

#[test]
fn the_same_fit_to_the_bit_on_one_and_two_threads_and_in_two_runs() {
    let table = Table::continuous(&["x", "y"], &wave()).unwrap();
    let logs = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let fitted = StackFit::for_table(&table, 3).run(&table, &mut ()).unwrap();
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
    let one = logs(1);
    assert_eq!(one, logs(2));
    assert_eq!(one, logs(2));
}
