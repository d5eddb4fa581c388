//! Gradients and Hessian products against finite differences, in everything the objective depends on.

use crate::common::*;
use faer::{Mat, Scale};
use proptest::prelude::*;
use psd_impute::density::{Density, PsdDensity, Uniform};
use psd_impute::internals::kernel::{DiscreteColumn, Features};
use psd_impute::internals::linalg::trace_product;
use psd_impute::internals::objective::{Problem, ProblemOptions, Regularizer, Storage};
use psd_impute::table::Table;

fn options(regularizer: Regularizer, nu: f64, storage: Storage) -> ProblemOptions {
    ProblemOptions { lambda: 0.3, regularizer, nu, storage, ..Default::default() }
}

fn reference(table: &Table, features: &Features, boxed: bool) -> Box<dyn Density> {
    let g = features.continuous_columns().len();
    if boxed {
        Box::new(Uniform::on_box(features, &vec![(-SIDE, SIDE); g]).unwrap())
    } else {
        Box::new(PsdDensity::normal(table, &vec![0.2; g], definite(g, &mut rng(1)).as_ref()).unwrap())
    }
}

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    fn in_q(seed: u64, shape in 0usize..4, kernel: bool, with_reference: bool, stored: bool) {
        let (table, features) = anything(seed, SHAPES[shape]);
        let (n, l) = (table.len(), features.len());
        let storage = if stored { Storage::Stored } else { Storage::Grouped };
        let regularizer = if kernel { Regularizer::Kernel } else { Regularizer::Identity };
        let nu = if with_reference { 0.2 } else { 0.0 };
        let u = reference(&table, &features, SHAPES[shape] == Shape::Boxed);
        let u = with_reference.then_some(u.as_ref());
        let weights: Vec<f64> = (0..n).map(|i| ((i + 1) % 4) as f64).collect();
        let problem = Problem::new(&features, &table, Some(&weights), u, options(regularizer, nu, storage)).unwrap();
        let objective = problem.objective().unwrap();
        let (q, mu) = (feasible(&features, seed), 0.05);
        let direction = symmetric(l, &mut rng(seed ^ 1)) * Scale(0.1);
        let at = |h: f64| &q + &direction * Scale(h);

        let slope = derivative(|h| objective.value(at(h).as_ref(), mu).unwrap(), 3e-4);
        let gradient = objective.gradient(q.as_ref(), mu).unwrap();
        close(trace_product(gradient.as_ref(), direction.as_ref()), slope, 1e-8);

        let other = symmetric(l, &mut rng(seed ^ 2));
        let bend = derivative(|h| {
            trace_product(objective.gradient(at(h).as_ref(), mu).unwrap().as_ref(), other.as_ref())
        }, 3e-4);
        let product = objective.hessian_product(q.as_ref(), mu, direction.as_ref()).unwrap();
        close(trace_product(product.as_ref(), other.as_ref()), bend, 1e-8);

        // The change along a direction is the difference of the values.
        let (t, moves) = (objective.values(q.as_ref()), objective.values(direction.as_ref()));
        let change = objective.data_change(&t, &moves, 0.5);
        close(change, objective.data_value(&objective.values(at(0.5).as_ref())) - objective.data_value(&t), 1e-12);
    }

    #[test]
    fn in_anchors_metric_and_nu(seed: u64, shape in 0usize..4, kernel: bool, with_reference: bool) {
        let (table, features) = anything(seed, SHAPES[shape]);
        let (g, l) = (features.anchors().nrows(), features.len());
        let weights: Vec<f64> = (0..table.len()).map(|i| ((i + 1) % 4) as f64).collect();
        let regularizer = if kernel { Regularizer::Kernel } else { Regularizer::Identity };
        let nu = if with_reference { 0.2 } else { 0.0 };
        let u = reference(&table, &features, SHAPES[shape] == Shape::Boxed);
        let u = with_reference.then_some(u.as_ref());
        let (q, omega) = (feasible(&features, seed), 0.7);
        let lagrangian = |features: &Features, nu: f64| {
            let options = options(regularizer, nu, Storage::Auto);
            let objective = Problem::new(features, &table, Some(&weights), u, options).unwrap().objective().unwrap();
            objective.value(q.as_ref(), 0.1).unwrap() + omega * trace_product(q.as_ref(), features.h().unwrap().as_ref())
        };
        let problem = Problem::new(&features, &table, Some(&weights), u, options(regularizer, nu, Storage::Auto)).unwrap();
        let gradient = problem.parameter_gradient(q.as_ref(), omega).unwrap();

        let rng = &mut rng(seed ^ 3);
        let direction = matrix(g, l, rng);
        let slope = derivative(|h| {
            let anchors = features.anchors() + &direction * Scale(h);
            lagrangian(&features.moved(anchors, features.metric().clone()).unwrap(), nu)
        }, 3e-4);
        let product: f64 = (0..l).map(|a| (0..g).map(|j| direction[(j, a)] * gradient.features.anchors[(j, a)]).sum::<f64>()).sum();
        close(product, slope, 1e-8);

        let parameters = features.metric().parameters();
        let along: Vec<f64> = parameters.iter().map(|_| normal(rng)).collect();
        let slope = derivative(|h| {
            let moved: Vec<f64> = parameters.iter().zip(&along).map(|(p, a)| p + h * a).collect();
            let metric = features.metric().with_parameters(&moved).unwrap();
            lagrangian(&features.moved(features.anchors().to_owned(), metric).unwrap(), nu)
        }, 3e-4);
        let product: f64 = gradient.features.metric(features.metric()).iter().zip(&along).map(|(g, a)| g * a).sum();
        close(product, slope, 1e-8);

        for (c, column) in features.discrete().iter().enumerate() {
            let along = matrix(column.atoms().len(), l, rng);
            let rho: Vec<f64> = column.log_rho().iter().map(|r| r.exp()).collect();
            let slope = derivative(|h| {
                let log_theta = column.log_theta() + &along * Scale(h);
                let kind = table.columns()[column.column()].kind().clone();
                let column = DiscreteColumn::new(column.column(), kind, &rho, log_theta).unwrap();
                lagrangian(&features.with_discrete(column).unwrap(), nu)
            }, 3e-4);
            let table_gradient = &gradient.features.log_theta[c];
            let product: f64 = (0..l).map(|a| (0..rho.len()).map(|k| along[(k, a)] * table_gradient[(k, a)]).sum::<f64>()).sum();
            close(product, slope, 1e-8);
        }
        if with_reference {
            close(gradient.nu, derivative(|h| lagrangian(&features, nu + h), 3e-4), 1e-8);
        }
    }

    #[test]
    fn the_two_terms_agree_and_are_adjoint(seed: u64, shape in 0usize..4) {
        let (table, features) = mixed(seed, 40, 1, 5, 0.4, SHAPES[shape]);
        let objective = |storage| {
            let problem = Problem::new(&features, &table, None, None, options(Regularizer::Identity, 0.0, storage));
            problem.unwrap().objective().unwrap()
        };
        let (stored, grouped) = (objective(Storage::Stored), objective(Storage::Grouped));
        let q = symmetric(5, &mut rng(seed));
        let c: Vec<f64> = (0..40).map(|i| (i as f64 * 0.7).sin()).collect();
        let (a, b) = (stored.values(q.as_ref()), grouped.values(q.as_ref()));
        a.iter().zip(&b).for_each(|(a, b)| close(*a, *b, 1e-13));
        let (mut x, mut y) = (Mat::zeros(5, 5), Mat::zeros(5, 5));
        stored.term().adjoint(&c, x.as_mut());
        grouped.term().adjoint(&c, y.as_mut());
        close_matrices(x.as_ref(), y.as_ref(), 1e-13);
        let sum: f64 = a.iter().zip(&c).map(|(a, c)| a * c).sum();
        close(trace_product(q.as_ref(), x.as_ref()), sum, 1e-12);
        let (mut m, mut n) = (Mat::zeros(5, 35), Mat::zeros(5, 35));
        stored.term().row_matrices().unwrap().matrices(3..10, m.as_mut());
        grouped.term().row_matrices().unwrap().matrices(3..10, n.as_mut());
        close_matrices(m.as_ref(), n.as_ref(), 1e-13);
    }
}
