//! Bad parameters give errors that name the parameter and the value.

use crate::common::*;
use faer::Mat;
use psd_impute::Error;
use psd_impute::density::{Density, PsdDensity, Stack, Uniform};
use psd_impute::internals::kernel::{Anchors, BaseMeasure, DiscreteColumn, Features, Metric};
use psd_impute::internals::objective::{Problem, ProblemOptions, Storage};
use psd_impute::learn::psd::{AnchorChoice, PsdFit};
use psd_impute::solver::{SolverOptions, SystemKind, solve};
use psd_impute::table::{Column, Kind, Table};

#[track_caller]
fn says<T>(result: psd_impute::Result<T>, words: &[&str]) {
    let text = result.err().expect("an error").to_string();
    for word in words {
        assert!(text.contains(word), "`{text}` does not say `{word}`");
    }
}

fn setup() -> (Table, Features) {
    continuous(1, 6, 2, 3, 0.3, Shape::Isotropic)
}

#[test]
fn of_kernels() {
    says(Metric::isotropic(-1.0), &["bandwidth", "-1"]);
    says(Metric::isotropic(f64::INFINITY), &["bandwidth", "inf"]);
    says(Anchors::new(Mat::zeros(2, 0)), &["number of anchors", "0"]);
    says(
        Anchors::new(Mat::from_fn(2, 2, |i, j| if i + j == 2 { NA } else { 0.0 })),
        &["NaN (anchor 1, column 1)"],
    );
    let (table, features) = setup();
    let points = Anchors::new(features.anchors().to_owned()).unwrap();
    let full = Metric::full(Mat::<f64>::identity(2, 2).as_ref()).unwrap();
    let boxed = BaseMeasure::Box(vec![(-5.0, 5.0); 2]);
    says(Features::new(&table, None, &points, full, boxed.clone(), 1.0), &["box", "metric is full"]);
    let metric = || Metric::isotropic(1.0).unwrap();
    let empty = BaseMeasure::Box(vec![(-5.0, 5.0), (1.0, 1.0)]);
    says(Features::new(&table, None, &points, metric(), empty, 1.0), &["[1, 1]", "positive length"]);
    says(
        Features::new(&table, None, &points, metric(), BaseMeasure::Box(vec![]), 1.0),
        &["intervals", "found 0", "expected 2"],
    );
    let other = Anchors::new(Mat::zeros(3, 1)).unwrap();
    says(Features::new(&table, None, &other, metric(), boxed, 1.0), &["coordinates of an anchor", "found 3"]);
    let tight = BaseMeasure::Box(vec![(-1e-9, 1e-9); 2]);
    let features = Features::new(&table, None, &points, metric(), tight, 1.0).unwrap();
    says(
        Problem::new(&features, &table, None, None, Default::default()),
        &["row", "column `x", "outside the box"],
    );
}

#[test]
fn of_discrete_columns() {
    says(Column::ordered("k", vec![]), &["no values"]);
    says(Column::ordered("k", vec![1.0, NA]), &["NaN", "finite"]);
    says(Column::category("k", vec![]), &["no labels"]);
    let kind = Kind::Ordered(vec![1.0, 2.0]);
    says(DiscreteColumn::kernel(0, &kind, &[1.0, 1.0], &[1.5], 1.0), &["1.5", "one of the column's values"]);
    says(DiscreteColumn::kernel(0, &kind, &[1.0, 1.0], &[1.0], 0.0), &["discrete bandwidth", "0"]);
    says(DiscreteColumn::kernel(0, &kind, &[0.0, 0.0], &[1.0], 1.0), &["base weights", "[0.0, 0.0]"]);
    says(DiscreteColumn::new(0, kind.clone(), &[1.0, 1.0], Mat::zeros(3, 1)), &["found 3", "expected 2"]);
    says(DiscreteColumn::new(0, kind, &[1.0, 1.0], Mat::from_fn(2, 1, |_, _| NA)), &["finite"]);
}

#[test]
fn of_problems() {
    let (table, features) = setup();
    let new = |weights: Option<&[f64]>, options| Problem::new(&features, &table, weights, None, options);
    let default = ProblemOptions::default();
    says(new(None, ProblemOptions { lambda: -0.5, ..default }), &["lambda", "-0.5"]);
    says(new(None, ProblemOptions { nu: 1.0, ..default }), &["nu", "1", "below 1"]);
    says(new(None, ProblemOptions { nu: 0.2, ..default }), &["nu", "0.2", "no reference"]);
    says(new(Some(&[1.0; 3]), default), &["row weights", "found 3", "expected 6"]);
    says(new(Some(&[-1.0; 6]), default), &["row weight", "-1"]);
    says(new(Some(&[0.0; 6]), default), &["sum of the row weights", "0"]);
    for storage in [Storage::Auto, Storage::Stored, Storage::Grouped] {
        let result = new(None, ProblemOptions { memory: 64, storage, ..default }).unwrap().objective();
        assert!(matches!(result.err(), Some(Error::TooLarge { .. })));
    }
    let far = Table::continuous(&["a", "b"], &[[1e200, 0.0]]).unwrap();
    let problem = Problem::new(&features, &far, None, None, default).unwrap();
    says(problem.objective(), &["row 0", "too far from every anchor", "standardise"]);
}

#[test]
fn of_solvers() {
    let (table, features) = setup();
    let objective = |memory| {
        let options = ProblemOptions { memory, ..Default::default() };
        Problem::new(&features, &table, None, None, options).unwrap().objective().unwrap()
    };
    let run = |options: SolverOptions| solve(&objective(1 << 20), &options, None, &mut ());
    let default = SolverOptions::default();
    says(run(SolverOptions { mu_final: 0.0, ..default }), &["mu_final", "0"]);
    says(run(SolverOptions { mu_start: NA, ..default }), &["mu_start", "NaN"]);
    says(run(SolverOptions { mu_factor: 1.0, ..default }), &["mu_factor", "1"]);
    says(run(SolverOptions { tolerance: -1.0, ..default }), &["tolerance", "-1"]);
    says(run(SolverOptions { rank_tolerance: 2.0, ..default }), &["rank_tolerance", "2"]);
    let start = Mat::<f64>::identity(2, 2);
    says(
        solve(&objective(1 << 20), &default, Some(start.as_ref()), &mut ()),
        &["starting Q", "found 2", "expected 3"],
    );
    let hessian = SolverOptions { system: SystemKind::Hessian, ..default };
    let (table, features) = continuous(1, 6, 2, 12, 0.3, Shape::Isotropic);
    let options = ProblemOptions { memory: 30_000, ..Default::default() };
    let tight = Problem::new(&features, &table, None, None, options).unwrap().objective().unwrap();
    says(solve(&tight, &hessian, None, &mut ()), &["Newton system", "fewer anchors"]);
}

#[test]
fn of_densities() {
    let (_, features) = setup();
    says(PsdDensity::new(features.clone(), Mat::zeros(2, 2)), &["order of Q", "found 2"]);
    says(PsdDensity::new(features.clone(), Mat::zeros(3, 3)), &["tr(QH)"]);
    says(PsdDensity::new(features.clone(), Mat::from_fn(3, 3, |_, _| NA)), &["Q is not finite"]);
    let skew = Mat::from_fn(3, 3, |i, j| (i as f64 - j as f64) + 2.0);
    says(PsdDensity::new(features.clone(), skew), &["symmetric"]);
    let indefinite = Mat::from_fn(3, 3, |i, j| if i == j { [-1.0, 3.0, 3.0][i] } else { 0.0 });
    says(PsdDensity::new(features.clone(), indefinite), &["eigenvalue", "-1"]);
    says(Uniform::on_box(&features, &[(0.0, f64::INFINITY); 2]), &["[0, inf]", "finite"]);
    let (_, boxed) = continuous(1, 6, 2, 3, 0.3, Shape::Boxed);
    says(Uniform::on_box(&boxed, &[(-9.0, 9.0); 2]), &["[-9, 9]", "within the box"]);
    let correlated = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.5 });
    says(boxed.normal_like(&[0.0, 0.0], correlated.as_ref()), &["covariance", "diagonal on a box"]);
    let density = density(&features, 1);
    says(density.log_marginal(&[0.0]), &["columns", "found 1", "expected 2"]);
    says(density.log_marginal(&[0.0, f64::INFINITY]), &["inf", "missing"]);
    says(density.conditional(&[0.0, NA]).unwrap().quantile(1, 1.0), &["probability", "1"]);
    says(density.conditional(&[0.0, NA]).unwrap().quantile(0, 0.5), &["column", "0", "missing"]);
    let uniform = Uniform::on_box(&features, &[(0.0, 1.0); 2]).unwrap();
    assert_eq!(uniform.conditional(&[2.0, NA]).err(), Some(Error::ZeroDensity));
    says(Stack::new(vec![]), &["sum of the members' weights", "0"]);
    says(Stack::new(vec![(-1.0, Box::new(density))]), &["weight of a member", "-1"]);
}

#[test]
fn of_anchor_choices_and_fits() {
    let (table, _) = setup();
    for choice in [
        AnchorChoice::Grid { per_column: 0 },
        AnchorChoice::Uniform { count: 0 },
        AnchorChoice::KMeans { count: 0, steps: 3 },
        AnchorChoice::Rows { count: 0 },
    ] {
        says(choice.pick(&table, &mut rng(0)), &["0", "at least one"]);
    }
    let (wide, _) = continuous(1, 3, 60, 1, 0.0, Shape::Isotropic);
    says(
        AnchorChoice::Grid { per_column: 10 }.pick(&wide, &mut rng(0)),
        &["anchors", "MiB", "fewer anchors"],
    );
    says(AnchorChoice::Grid { per_column: usize::MAX }.pick(&table, &mut rng(0)), &["anchors", "MiB"]);
    says(table.select(&[99]), &["row", "99"]);
    says(table.merge_duplicates(&[1.0]), &["row weights", "found 1"]);
    says(AnchorChoice::Uniform { count: usize::MAX / 4 }.pick(&wide, &mut rng(0)), &["anchors", "MiB"]);
    let points = AnchorChoice::Rows { count: 3 }.pick(&table, &mut rng(0)).unwrap();
    let fit = PsdFit { problem: ProblemOptions { nu: 0.1, ..Default::default() }, ..Default::default() };
    says(fit.run(&table, &points, &mut ()), &["nu", "0.1", "reference"]);
}
