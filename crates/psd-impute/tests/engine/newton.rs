//! The Newton step: three systems, the paper's closed forms, the condition number.

use crate::common::*;
use faer::{Mat, Scale};
use proptest::prelude::*;
use psd_impute::density::{Density, PsdDensity};
use psd_impute::internals::kernel::{Features, PatternFeatures};
use psd_impute::internals::linalg::{
    Cholesky, congruence, eigenvalues, pack, packed_len, trace_product, unpack,
};
use psd_impute::internals::newton_step_at;
use psd_impute::internals::objective::{Objective, Problem, ProblemOptions, Regularizer, Storage};
use psd_impute::solver::SystemKind;
use psd_impute::table::{Pattern, Table};

fn objective(table: &Table, features: &Features, lambda: f64, nu: f64) -> Objective {
    let g = features.continuous_columns().len();
    let u = PsdDensity::normal(table, &vec![0.0; g], definite(g, &mut rng(0)).as_ref()).unwrap();
    let u: Option<&dyn Density> = if nu > 0.0 { Some(&u) } else { None };
    let options = ProblemOptions { lambda, nu, regularizer: Regularizer::Kernel, ..Default::default() };
    Problem::new(features, table, None, u, options).unwrap().objective().unwrap()
}

/// The Hessian in packed coordinates, column by column from its products.
fn dense_hessian(objective: &Objective, q: &Mat<f64>, mu: f64) -> Mat<f64> {
    let l = objective.order();
    let p = packed_len(l);
    let mut out = Mat::zeros(p, p);
    for k in 0..p {
        let unit: Vec<f64> = (0..p).map(|i| f64::from(i == k)).collect();
        let image = objective.hessian_product(q.as_ref(), mu, unpack(&unit, l).as_ref()).unwrap();
        let mut packed = vec![0.0; p];
        pack(image.as_ref(), &mut packed);
        out.col_mut(k).iter_mut().zip(packed).for_each(|(to, from)| *to = from);
    }
    out
}

fn solve(hessian: &Cholesky, rhs: &Mat<f64>) -> Mat<f64> {
    let mut x = vec![0.0; packed_len(rhs.nrows())];
    pack(rhs.as_ref(), &mut x);
    hessian.solve_vector(&mut x);
    unpack(&x, rhs.nrows())
}

proptest! {
    #![proptest_config(cases(30))]

    /// Theorem "Newton step and decrement" of the paper, computed as it stands there.
    #[test]
    fn the_papers_closed_forms(seed: u64, shape in 0usize..4, lambda in 0.0f64..1.0, with_reference: bool) {
        let (table, features) = anything(seed, SHAPES[shape]);
        let (nu, mu) = (if with_reference { 0.2 } else { 0.0 }, 0.03);
        let objective = objective(&table, &features, lambda, nu);
        let start = feasible(&features, seed);
        let (q, step, _) = newton_step_at(&objective, start.as_ref(), mu, SystemKind::Hessian, None).unwrap();

        let hessian = dense_hessian(&objective, &q, mu);
        let factor = Cholesky::new(hessian, "G").unwrap();
        let gradient = objective.gradient(q.as_ref(), mu).unwrap();
        let h = objective.h().to_owned();
        // G(Q) = -g - B defines the paper's B.
        let gq = objective.hessian_product(q.as_ref(), mu, q.as_ref()).unwrap();
        let b = -(&gq + &gradient);
        if !with_reference {
            let penalty = objective.a0() * Scale(-lambda);
            prop_assert!((&b - penalty).norm_max() < 1e-12 * (1.0 + gq.norm_max() + gradient.norm_max()));
        }
        let (gb, gh) = (solve(&factor, &b), solve(&factor, &h));
        let dual = (1.0 + trace_product(gh.as_ref(), b.as_ref())) / trace_product(gh.as_ref(), h.as_ref());
        let delta = &q + &gb - &gh * Scale(dual);
        let size = q.norm_max().max(delta.norm_max());
        prop_assert!((&step.delta - &delta).norm_max() < 1e-9 * size);
        prop_assert!(trace_product(h.as_ref(), step.delta.as_ref()).abs() < 1e-13 * size.max(1.0));

        // decrement² = c + lμ + tr(QB) - ν + tr(BΔ), with c + lμ = ⟨G(Q), Q⟩.
        let c = trace_product(gq.as_ref(), q.as_ref());
        let square = c + trace_product(q.as_ref(), b.as_ref()) - dual + trace_product(b.as_ref(), delta.as_ref());
        close(step.decrement * step.decrement, square, 1e-9);
        let data = c - features.len() as f64 * mu;
        prop_assert!(data > 0.0 && data <= 1.0 + 1e-12);
        close(step.decrement.powi(2), -trace_product(gradient.as_ref(), step.delta.as_ref()), 1e-9);
    }

    #[test]
    fn three_systems_agree(seed: u64, shape in 0usize..4, lambda in 0.0f64..1.0, mu in 0.001f64..1.0) {
        let (table, features) = anything(seed, SHAPES[shape]);
        let objective = objective(&table, &features, lambda, 0.1);
        let start = feasible(&features, seed);
        let step = |kind| newton_step_at(&objective, start.as_ref(), mu, kind, Some(1e-12)).unwrap().1;
        let direct = step(SystemKind::Hessian);
        let woodbury = step(SystemKind::Woodbury);
        let apart = |other: &Mat<f64>| (&direct.delta - other).norm_max() / start.norm_max().max(direct.delta.norm_max());
        prop_assert!(apart(&woodbury.delta) < 1e-10);
        let iterative = step(SystemKind::Pcg);
        prop_assert!(apart(&iterative.delta) < 1e-9);
        // The bound on the condition number is one on the iterations, of which there are two solves.
        prop_assert!(iterative.inner_iterations as f64 <= 2.0 * (1.0 + (1.0 + 1.0 / mu).sqrt() * 0.5 * (2e12 * (1.0 + 1.0 / mu).sqrt()).ln()));

        // An inexact direction is feasible and goes down all the same.
        let rough = newton_step_at(&objective, start.as_ref(), mu, SystemKind::Pcg, Some(0.1)).unwrap();
        let mass = trace_product(objective.h(), rough.1.delta.as_ref());
        prop_assert!(mass.abs() < 1e-13 * rough.1.delta.norm_max().max(1.0));
        let gradient = objective.gradient(rough.0.as_ref(), mu).unwrap();
        prop_assert!(trace_product(gradient.as_ref(), rough.1.delta.as_ref()) <= 1e-14);
    }

    /// The scaled Hessian `C'GC` has its eigenvalues between `μ` and `1 + μ`.
    #[test]
    fn the_condition_number_is_bounded(seed: u64, shape in 0usize..4, mu in 0.001f64..1.0, nu in 0.0f64..0.5) {
        let (table, features) = anything(seed, SHAPES[shape]);
        let objective = objective(&table, &features, 0.0, nu);
        let q = feasible(&features, seed);
        let c = Cholesky::new(q.clone(), "Q").unwrap().factor().to_owned();
        let l = features.len();
        let p = packed_len(l);
        let mut scaled = Mat::zeros(p, p);
        for k in 0..p {
            let unit: Vec<f64> = (0..p).map(|i| f64::from(i == k)).collect();
            let direction = &c * unpack(&unit, l) * c.transpose();
            let image = objective.hessian_product(q.as_ref(), mu, direction.as_ref()).unwrap();
            let mut packed = vec![0.0; p];
            pack(congruence(c.as_ref(), image.as_ref()).as_ref(), &mut packed);
            scaled.col_mut(k).iter_mut().zip(packed).for_each(|(to, from)| *to = from);
        }
        let values = eigenvalues(scaled.as_ref(), "G").unwrap();
        prop_assert!(values[0] >= mu * (1.0 - 1e-9), "{} below {mu}", values[0]);
        prop_assert!(values[p - 1] <= (1.0 + mu) * (1.0 + 1e-9));
    }

    /// `K^-1/2 A K^-1/2 ⪯ I` for a base probability measure, the paper's Lemma: `A ⪯ K` with the box's volume divided out.
    #[test]
    fn a_is_below_the_kernel(seed: u64) {
        let (table, features) = mixed(seed, 8, 3, 4, 0.5, Shape::Boxed);
        let (k, scale) = (features.k().unwrap(), features.log_scale().unwrap());
        for row in table.rows() {
            let pattern = features.pattern(&Pattern::of(row)).unwrap();
            let mut f = vec![0.0; 4];
            let size = pattern.scaled_features(row, &mut f);
            let volume = pattern.continuous().missing().len() as f64 * (2.0 * SIDE).ln();
            let a = PatternFeatures::matrix(&f, pattern.e().as_ref()) * Scale((2.0 * size + scale - volume).exp());
            let least = eigenvalues((&k - &a).as_ref(), "K - A").unwrap()[0];
            prop_assert!(least > -1e-12 * k.norm_max(), "{least}");
        }
    }

    #[test]
    fn the_objective_is_convex(seed: u64, shape in 0usize..4, along in 0.05f64..0.95) {
        let (table, features) = anything(seed, SHAPES[shape]);
        let objective = objective(&table, &features, 0.2, 0.1);
        let (a, b) = (feasible(&features, seed), feasible(&features, seed ^ 5));
        let between = &a * Scale(1.0 - along) + &b * Scale(along);
        let value = |q: &Mat<f64>| objective.value(q.as_ref(), 0.05).unwrap();
        prop_assert!(value(&between) <= (1.0 - along) * value(&a) + along * value(&b) + 1e-12);
    }
}

#[test]
fn auto_takes_the_cheapest_that_fits() {
    let kind = |n: usize, l: usize, memory: u64| {
        let (table, features) = continuous(1, n, 3, l, 0.3, Shape::Full);
        let options = ProblemOptions { storage: Storage::Grouped, memory, ..Default::default() };
        let objective = Problem::new(&features, &table, None, None, options).unwrap().objective().unwrap();
        let q = feasible(&features, 3);
        newton_step_at(&objective, q.as_ref(), 1e-6, SystemKind::Auto, None).unwrap().1.system
    };
    assert_eq!(kind(400, 4, 1 << 30), SystemKind::Hessian);
    assert_eq!(kind(8, 20, 1 << 30), SystemKind::Woodbury);
    assert_eq!(kind(400, 20, 200_000), SystemKind::Pcg);
}
