//! The paper's alternating minimisation.

use crate::common::*;
use crate::learn::{bent, parts};
use psd_impute::density::Density;
use psd_impute::internals::kernel::{BaseMeasure, Features, Metric};
use psd_impute::learn::psd::{Alternating, AlternatingFitted, AnchorChoice, HeldOut};
use psd_impute::solver::{SolverOptions, SystemKind};
use psd_impute::table::Table;

fn features(table: &Table, count: usize) -> Features {
    let anchors = AnchorChoice::KMeans { count, steps: 5 }.pick(table, &mut rng(3)).unwrap();
    let d = table.columns().len();
    let metric = Metric::diagonal(vec![2.0; d]).unwrap();
    Features::new(table, None, &anchors, metric, BaseMeasure::WholeSpace, 1.0).unwrap()
}

fn run(setup: &Alternating<'_>, table: &Table, count: usize) -> AlternatingFitted {
    setup.run(table, &features(table, count), &mut rng(1), &mut ()).unwrap()
}

#[test]
fn rounds_lower_the_objective_and_raise_the_held_out_likelihood() {
    let (train, test) = parts(&bent(400, &mut rng(5)));
    let fitted = run(&Alternating::default(), &train, 10);
    let (first, kept) = (fitted.rounds[0], fitted.rounds[fitted.kept]);
    assert!(fitted.rounds.len() > 3 && kept.objective < first.objective - 0.1, "{:?}", fitted.rounds);
    assert!(fitted.rounds.iter().map(|round| round.newton_steps).sum::<usize>() <= 60);
    let once = run(&Alternating { rounds: 1, ..Default::default() }, &train, 10);
    let score = |d: &dyn Density| d.log_marginals(&test).unwrap().iter().sum::<f64>() / test.len() as f64;
    assert!(score(&fitted.psd) > score(&once.psd) + 0.1, "{} {}", score(&fitted.psd), score(&once.psd));
}

#[test]
fn held_out_rows_choose_the_round() {
    let (train, test) = parts(&bent(60, &mut rng(5)));
    let held_out = Some(HeldOut { table: &test, every: 1, patience: 1 });
    let solver = SolverOptions { mu_final: 1e-5, ..Default::default() };
    let setup = Alternating { held_out, solver, newton_steps: 400, ..Default::default() };
    let fitted = run(&setup, &train, 20);
    let best = fitted.rounds.iter().map(|round| round.held_out.unwrap()).fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(fitted.rounds[fitted.kept].held_out.unwrap(), best);
    assert!(fitted.rounds.len() - fitted.kept <= 3);
}

#[test]
fn light_anchors_are_drawn_anew_among_complete_rows() {
    let (table, _) = mixed(4, 120, 2, 1, 0.2, Shape::Diagonal);
    // With no step between, the anchors that moved are those drawn anew.
    let mut setup = Alternating { redraw: Some(0.3), rounds: 2, ..Default::default() };
    setup.adam.steps = 0;
    setup.tolerance = 0.0;
    setup.solver.mu_final = 1e-5;
    let before = features_of_mixed(&table, 30);
    let fitted = setup.run(&table, &before, &mut rng(1), &mut ()).unwrap();
    assert!(fitted.rounds[0].redrawn > 0);
    assert_eq!(fitted.kept, 1, "the redrawn anchors fit better: {:?}", fitted.rounds);
    let (old, new) = (before.anchors(), fitted.psd.features().anchors());
    let moved: Vec<usize> = (0..30).filter(|&a| old.col(a) != new.col(a)).collect();
    assert_eq!(moved.len(), fitted.rounds[0].redrawn);
    let complete = |a: usize| {
        table
            .rows()
            .any(|row| row.iter().all(|x| !x.is_nan()) && row[2] == new[(0, a)] && row[3] == new[(1, a)])
    };
    assert!(moved.into_iter().all(complete));
}

fn features_of_mixed(table: &Table, count: usize) -> Features {
    let anchors = AnchorChoice::Uniform { count }.pick(table, &mut rng(3)).unwrap();
    let metric = Metric::diagonal(vec![2.0; 2]).unwrap();
    Features::new(table, None, &anchors, metric, BaseMeasure::WholeSpace, 1.0).unwrap()
}

#[test]
fn it_is_the_same_on_any_number_of_threads() {
    let (train, _) = parts(&bent(300, &mut rng(5)));
    let solver = SolverOptions { system: SystemKind::Hessian, ..Default::default() };
    let setup = Alternating { rounds: 3, redraw: Some(0.5), solver, ..Default::default() };
    let on = |threads| {
        crate::threads::on_threads(threads, || {
            let fitted = run(&setup, &train, 12);
            (fitted.psd.q().to_owned(), fitted.psd.features().anchors().to_owned())
        })
    };
    assert!(on(1) == on(3));
}
