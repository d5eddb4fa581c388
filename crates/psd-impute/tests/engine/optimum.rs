//! The optimum: KKT conditions, uniqueness, weights, the normal model.

use crate::common::*;
use faer::{Mat, Scale};
use proptest::prelude::*;
use psd_impute::density::{Density, PsdDensity};
use psd_impute::internals::kernel::{Anchors, BaseMeasure, Features, Metric};
use psd_impute::internals::linalg::{Cholesky, trace_product};
use psd_impute::internals::objective::{Objective, Problem, ProblemOptions, Regularizer};
use psd_impute::solver::{Iteration, Observer, SolverOptions, Status, SystemKind, Trace, solve};
use psd_impute::table::Table;
use std::ops::ControlFlow;

fn objective(table: &Table, features: &Features, lambda: f64, weights: Option<&[f64]>) -> Objective {
    let options = ProblemOptions { lambda, regularizer: Regularizer::Kernel, ..Default::default() };
    Problem::new(features, table, weights, None, options).unwrap().objective().unwrap()
}

fn tight() -> SolverOptions {
    SolverOptions { tolerance: 1e-14, mu_final: 0.01, ..Default::default() }
}

proptest! {
    #![proptest_config(cases(25))]

    #[test]
    fn satisfies_the_kkt_conditions(seed: u64, shape in 0usize..4, lambda in 0.0f64..1.0, system in 0usize..4) {
        let systems = [SystemKind::Auto, SystemKind::Woodbury, SystemKind::Hessian, SystemKind::Pcg];
        let (table, features) = anything(seed, SHAPES[shape]);
        let l = features.len();
        let objective = objective(&table, &features, lambda, None);
        let options = SolverOptions { system: systems[system], ..tight() };
        let solution = solve(&objective, &options, None, &mut ()).unwrap();
        prop_assert_eq!(solution.status, Status::Converged);
        prop_assert_eq!(solution.rank, l);
        let (q, h) = (solution.q.as_ref(), objective.h());
        close(trace_product(q, h), 1.0, 1e-13);
        // ω = b + μl - λ tr(QA_0), with b = 1 when ν = 0.
        close(solution.omega, 1.0 + l as f64 * 0.01 - lambda * trace_product(q, objective.a0()), 1e-12);
        let residual = objective.gradient(q, 0.01).unwrap() + h * Scale(solution.omega);
        let c = Cholesky::new(q.to_owned(), "Q").unwrap();
        let scaled = c.factor().transpose() * residual * c.factor();
        prop_assert!(scaled.norm_l2() < 1e-7, "{}", scaled.norm_l2());
        close(solution.kkt_residual, 0.0, 1e-7);
        close(solution.objective, objective.value(q, 0.01).unwrap(), 1e-12);
    }

    /// With a reference, `ω = b + μl - λ tr(QA_0)` where `b = Σ w_i (1-ν) t_i / ((1-ν) t_i + ν u_i)`, which is
    /// `-Σ slope_i t_i`.
    #[test]
    fn the_dual_has_its_closed_form_with_a_reference(seed: u64, lambda in 0.0f64..1.0, nu in 0.01f64..0.9) {
        let (table, features) = mixed(seed, 25, 2, 5, 0.4, Shape::Full);
        let u = PsdDensity::normal(&table, &[0.0, 0.0], definite(2, &mut rng(seed)).as_ref()).unwrap();
        let options = ProblemOptions { lambda, nu, ..Default::default() };
        let objective = Problem::new(&features, &table, None, Some(&u), options).unwrap().objective().unwrap();
        let solution = solve(&objective, &tight(), None, &mut ()).unwrap();
        let q = solution.q.as_ref();
        let t = objective.values(q);
        let b = -objective.slopes(&t).iter().zip(&t).map(|(s, t)| s * t).sum::<f64>();
        prop_assert!(b > 0.0 && b < 1.0);
        close(solution.omega, b + 5.0 * 0.01 - lambda * trace_product(q, objective.a0()), 1e-11);
        let residual = objective.gradient(q, 0.01).unwrap() + objective.h() * Scale(solution.omega);
        let c = Cholesky::new(q.to_owned(), "Q").unwrap();
        prop_assert!((c.factor().transpose() * residual * c.factor()).norm_l2() < 1e-7);
    }

    /// At the optimum the gradient with the dual held fixed is that of the optimal value: the paper's heuristic for moving anchors
    /// and metric is exact there.
    #[test]
    fn the_fixed_dual_gradient_is_that_of_the_optimal_value(seed: u64, shape in 0usize..4, lambda in 0.0f64..0.5) {
        let (table, features) = continuous(seed, 20, 2, 3, 0.3, SHAPES[shape]);
        let options = ProblemOptions { lambda, regularizer: Regularizer::Kernel, ..Default::default() };
        let optimum = |features: &Features| {
            let objective = Problem::new(features, &table, None, None, options).unwrap().objective().unwrap();
            solve(&objective, &SolverOptions { tolerance: 1e-20, ..tight() }, None, &mut ()).unwrap()
        };
        let solution = optimum(&features);
        let problem = Problem::new(&features, &table, None, None, options).unwrap();
        let gradient = problem.parameter_gradient(solution.q.as_ref(), solution.omega).unwrap().features;
        let direction = matrix(2, 3, &mut rng(seed));
        let slope = derivative(|h| {
            let anchors = features.anchors() + &direction * Scale(h);
            optimum(&features.moved(anchors, features.metric().clone()).unwrap()).objective
        }, 2e-5);
        let along: f64 = (0..3).map(|a| (0..2).map(|j| direction[(j, a)] * gradient.anchors[(j, a)]).sum::<f64>()).sum();
        close(along, slope, 1e-7);
        let parameters = features.metric().parameters();
        let slope = derivative(|h| {
            let moved: Vec<f64> = parameters.iter().map(|p| p + h).collect();
            let metric = features.metric().with_parameters(&moved).unwrap();
            optimum(&features.moved(features.anchors().to_owned(), metric).unwrap()).objective
        }, 2e-5);
        close(gradient.metric(features.metric()).iter().sum(), slope, 1e-7);
    }

    #[test]
    fn is_the_same_from_any_start(seed: u64, shape in 0usize..4) {
        let (table, features) = anything(seed, SHAPES[shape]);
        let objective = objective(&table, &features, 0.1, None);
        let cold = solve(&objective, &tight(), None, &mut ()).unwrap();
        for start in 0..3 {
            let q = feasible(&features, start);
            let warm = solve(&objective, &tight(), Some(q.as_ref()), &mut ()).unwrap();
            close(warm.objective, cold.objective, 1e-12);
            close_matrices(warm.q.as_ref(), cold.q.as_ref(), 1e-5);
        }
    }

    /// With one anchor and the full metric, the likelihood is the normal model's, and EM's estimate is its stationary point.
    #[test]
    fn one_anchor_is_the_normal_model(seed: u64, d in 1usize..4) {
        let (table, _) = continuous(seed, 60, d, 1, 0.3, Shape::Full);
        let (mean, covariance) = normal_by_em(&table);
        let normal = PsdDensity::normal(&table, &mean, covariance.as_ref()).unwrap();
        let expected: f64 = table.rows().map(|row| normal_log_density(row, &mean, &covariance)).sum();
        let actual: f64 = normal.log_marginals(&table).unwrap().iter().sum();
        close(actual, expected, 1e-11);

        let anchors = Anchors::new(Mat::from_fn(d, 1, |j, _| mean[j])).unwrap();
        let metric = Metric::full(covariance.as_ref()).unwrap();
        let features = Features::new(&table, None, &anchors, metric, BaseMeasure::WholeSpace, 1.0).unwrap();
        let objective = objective(&table, &features, 0.0, None);
        let solution = solve(&objective, &tight(), None, &mut ()).unwrap();
        close(solution.objective, -expected / 60.0, 1e-11);
        let problem = Problem::new(&features, &table, None, None, ProblemOptions::default()).unwrap();
        let gradient = problem.parameter_gradient(solution.q.as_ref(), solution.omega).unwrap();
        prop_assert!(gradient.features.anchors.norm_max() < 1e-7);
        prop_assert!(gradient.features.metric(features.metric()).iter().all(|g| g.abs() < 1e-7));
    }
}

/// EM for the mean and covariance of an incomplete normal sample, as in the textbooks.
pub(crate) fn normal_by_em(table: &Table) -> (Vec<f64>, Mat<f64>) {
    let (n, d) = (table.len(), table.columns().len());
    let (mut mean, mut covariance) = (vec![0.0; d], Mat::<f64>::identity(d, d));
    for _ in 0..3000 {
        let (mut first, mut second) = (vec![0.0; d], Mat::<f64>::zeros(d, d));
        for row in table.rows() {
            let (x, extra) = regress(row, &mean, &covariance);
            for i in 0..d {
                first[i] += x[i] / n as f64;
                for j in 0..d {
                    second[(i, j)] += (x[i] * x[j] + extra[(i, j)]) / n as f64;
                }
            }
        }
        covariance = Mat::from_fn(d, d, |i, j| second[(i, j)] - first[i] * first[j]);
        mean = first;
    }
    (mean, covariance)
}

/// The row with its missing cells at their conditional means, and their conditional covariance.
fn regress(row: &[f64], mean: &[f64], covariance: &Mat<f64>) -> (Vec<f64>, Mat<f64>) {
    let d = row.len();
    let (missing, seen): (Vec<usize>, Vec<usize>) = (0..d).partition(|&j| row[j].is_nan());
    let sub = |a: &[usize], b: &[usize]| Mat::from_fn(a.len(), b.len(), |i, j| covariance[(a[i], b[j])]);
    let factor = Cholesky::new(sub(&seen, &seen), "S").unwrap();
    let mut weights = sub(&seen, &missing);
    factor.solve(weights.as_mut());
    let rest = sub(&missing, &missing) - sub(&missing, &seen) * &weights;
    let mut x = row.to_vec();
    let mut extra = Mat::zeros(d, d);
    for (i, &m) in missing.iter().enumerate() {
        x[m] = mean[m]
            + seen.iter().enumerate().map(|(k, &s)| weights[(k, i)] * (row[s] - mean[s])).sum::<f64>();
        for (j, &k) in missing.iter().enumerate() {
            extra[(m, k)] = rest[(i, j)];
        }
    }
    (x, extra)
}

fn normal_log_density(row: &[f64], mean: &[f64], covariance: &Mat<f64>) -> f64 {
    let seen: Vec<usize> = (0..row.len()).filter(|&j| !row[j].is_nan()).collect();
    let sub = Mat::from_fn(seen.len(), seen.len(), |i, j| covariance[(seen[i], seen[j])]);
    let factor = Cholesky::new(sub, "S").unwrap();
    let mut r: Vec<f64> = seen.iter().map(|&j| row[j] - mean[j]).collect();
    let kept = r.clone();
    factor.solve_vector(&mut r);
    let square: f64 = r.iter().zip(kept).map(|(a, b)| a * b).sum();
    -0.5 * (square + factor.log_det() + seen.len() as f64 * std::f64::consts::TAU.ln())
}

#[test]
fn weights_are_repetitions() {
    let (table, _) = mixed(9, 10, 2, 4, 0.4, Shape::Full);
    let counts: Vec<f64> = (0..10).map(|i| (i % 3) as f64).collect();
    let points = psd_impute::learn::psd::AnchorChoice::Rows { count: 4 }.pick(&table, &mut rng(3)).unwrap();
    let fit = |table: &Table, weights: Option<Vec<f64>>| {
        let setup = psd_impute::learn::psd::PsdFit { solver: tight(), weights, ..Default::default() };
        setup.run(table, &points, &mut ()).unwrap().solution
    };
    let rows: Vec<usize> = (0..10).flat_map(|i| std::iter::repeat_n(i, i % 3)).collect();
    let cells = Mat::from_fn(4, rows.len(), |j, i| table.cells()[(j, rows[i])]);
    let repeated = Table::new(table.columns().to_vec(), cells).unwrap();
    let (merged, weights) = repeated.merge_duplicates(&vec![1.0; repeated.len()]).unwrap();
    let (a, b, c) = (fit(&table, Some(counts)), fit(&repeated, None), fit(&merged, Some(weights)));
    close(a.objective, b.objective, 1e-9); // base weights of values never seen differ in the ninth digit
    close(a.objective, c.objective, 1e-12);
    close_matrices(b.q.as_ref(), c.q.as_ref(), 1e-6);
    assert_eq!(merged.len(), 6);
}

#[test]
fn every_lambda_mu_and_nu_is_solved() {
    let (table, features) = mixed(14, 30, 2, 5, 0.4, Shape::Full);
    let u = PsdDensity::normal(&table, &[0.0, 0.0], Mat::<f64>::identity(2, 2).as_ref()).unwrap();
    for lambda in [0.0, 1e-6, 1.0, 1e6] {
        for nu in [0.0, 1e-9, 0.5, 0.999_999] {
            for mu_final in [10.0, 1e-2, 1e-8] {
                let options =
                    ProblemOptions { lambda, nu, regularizer: Regularizer::Kernel, ..Default::default() };
                let problem = Problem::new(&features, &table, None, Some(&u), options).unwrap();
                let options = SolverOptions { mu_final, ..Default::default() };
                let solution = solve(&problem.objective().unwrap(), &options, None, &mut ()).unwrap();
                assert_eq!(solution.status, Status::Converged, "lambda {lambda}, nu {nu}, mu {mu_final}");
                let scale = 1.0 + lambda * trace_product(solution.q.as_ref(), features.k().unwrap().as_ref());
                assert!(
                    solution.kkt_residual < 1e-3 * scale,
                    "{} at {lambda}, {nu}, {mu_final}",
                    solution.kkt_residual
                );
            }
        }
    }
}

#[test]
fn a_warm_start_saves_steps_and_the_trace_tells() {
    let (table, features) = mixed(14, 60, 2, 6, 0.4, Shape::Full);
    let objective = objective(&table, &features, 0.1, None);
    let (mut cold, mut warm) = (Trace::default(), Trace::default());
    let solution = solve(&objective, &tight(), None, &mut cold).unwrap();
    let again = solve(&objective, &tight(), Some(solution.q.as_ref()), &mut warm).unwrap();
    assert!(warm.0.len() < cold.0.len(), "{} and {}", warm.0.len(), cold.0.len());
    assert_eq!(cold.0.len(), solution.iterations);
    close(again.objective, solution.objective, 1e-13);
    let same_mu = cold.0.windows(2).filter(|pair| pair[0].mu == pair[1].mu);
    assert!(same_mu.clone().count() > 0);
    same_mu.for_each(|pair| assert!(pair[1].objective <= pair[0].objective));
    assert!(cold.0.iter().all(|step| step.step > 0.0 && step.step <= 1.0 && step.seconds.evaluate > 0.0));
}

#[test]
fn an_observer_can_stop_it_and_limits_are_reported() {
    struct Impatient(usize);
    impl Observer for Impatient {
        fn iteration(&mut self, iteration: &Iteration) -> ControlFlow<()> {
            if iteration.number == self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    let (table, features) = mixed(14, 30, 2, 5, 0.4, Shape::Full);
    let objective = objective(&table, &features, 0.1, None);
    let stopped = solve(&objective, &tight(), None, &mut Impatient(3)).unwrap();
    assert_eq!((stopped.status, stopped.iterations), (Status::Stopped, 3));
    let options = SolverOptions { max_iterations: 2, ..tight() };
    let limited = solve(&objective, &options, None, &mut ()).unwrap();
    assert_eq!((limited.status, limited.iterations), (Status::IterationLimit, 2));
    close(trace_product(limited.q.as_ref(), objective.h()), 1.0, 1e-13);
}
