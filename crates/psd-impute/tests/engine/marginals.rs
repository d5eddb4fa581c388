//! Marginals: they integrate to one, agree with each other, and with the definition.

use crate::common::*;
use faer::Mat;
use proptest::prelude::*;
use psd_impute::density::{Density, PsdDensity, Stack, Uniform};
use psd_impute::internals::kernel::Features;
use psd_impute::internals::linalg::trace_product;
use psd_impute::table::Pattern;

/// `∫ exp(log_marginal)` over the columns of `over`, the other cells as in `row`; discrete columns have the features' base weights.
fn integral(density: &dyn Density, features: &Features, row: &[f64], over: &[usize], shape: Shape) -> f64 {
    let Some((&j, rest)) = over.split_first() else { return density.log_marginal(row).unwrap().exp() };
    let nodes = match features.discrete().iter().find(|c| c.column() == j) {
        None => interval(shape),
        Some(column) => column.atoms().iter().zip(column.log_rho()).map(|(&v, r)| (v, r.exp())).collect(),
    };
    nodes
        .into_iter()
        .map(|(x, weight)| {
            let mut row = row.to_vec();
            row[j] = x;
            weight * integral(density, features, &row, rest, shape)
        })
        .sum()
}

#[test]
fn one_and_two_columns_integrate_to_one() {
    for shape in SHAPES {
        for d in [1, 2] {
            let (_, features) = continuous(d as u64, 6, d, 4, 0.3, shape);
            let density = density(&features, 7);
            close(trace_product(density.q(), features.h().unwrap().as_ref()), 1.0, 1e-14);
            for j in 0..d {
                close(integral(&density, &features, &vec![NA; d], &[j], shape), 1.0, 1e-12);
            }
            let all: Vec<usize> = (0..d).collect();
            close(integral(&density, &features, &vec![NA; d], &all, shape), 1.0, 1e-12);
        }
    }
}

#[test]
fn three_columns_integrate_to_one_on_the_box() {
    let (_, features) = continuous(5, 6, 3, 3, 0.3, Shape::Boxed);
    close(integral(&density(&features, 3), &features, &[NA; 3], &[0, 1, 2], Shape::Boxed), 1.0, 1e-12);
}

#[test]
fn three_columns_integrate_to_one_on_the_whole_space() {
    let (table, features) = continuous(5, 6, 3, 3, 0.0, Shape::Full);
    let psd = density(&features, 3);
    let given = psd.given(&Pattern::of(table.row(0))).unwrap();
    // The trapezoidal rule converges faster than any power for densities that vanish at both ends.
    let (points, step) = (81, 0.2);
    let at = |k: usize| step * (k as f64 - 40.0);
    let mut sum = 0.0;
    for i in 0..points {
        for j in 0..points {
            for k in 0..points {
                sum += given.log_marginal(&[at(i), at(j), at(k)]).exp();
            }
        }
    }
    close(sum * step * step * step, 1.0, 1e-9);
}

#[test]
fn mixed_columns_integrate_to_one_with_every_reference() {
    for shape in [Shape::Full, Shape::Boxed] {
        let (table, features) = mixed(11, 40, 1, 4, 0.2, shape);
        let psd = density(&features, 2);
        let uniform = Uniform::on_box(&features, &[(-SIDE, SIDE)]).unwrap();
        let one = Mat::from_fn(1, 1, |_, _| 0.8);
        let normal = PsdDensity::normal(&table, &[0.3], one.as_ref()).unwrap();
        close(integral(&psd, &features, &[NA; 3], &[0, 1, 2], shape), 1.0, 1e-12);
        if shape == Shape::Boxed {
            // Cut to the box, as the density is.
            let cut =
                PsdDensity::new(features.normal_like(&[0.3], one.as_ref()).unwrap(), Mat::identity(1, 1))
                    .unwrap();
            close(integral(&cut, &features, &[NA; 3], &[0, 1, 2], shape), 1.0, 1e-12);
            let stack = Stack::new(vec![(0.7, Box::new(psd)), (0.3, Box::new(uniform))]).unwrap();
            close(integral(&stack, &features, &[NA; 3], &[0, 1, 2], shape), 1.0, 1e-12);
        } else {
            let stack = Stack::new(vec![(0.7, Box::new(psd)), (0.3, Box::new(normal))]).unwrap();
            close(integral(&stack, &features, &[NA; 3], &[0, 1, 2], shape), 1.0, 1e-12);
        }
    }
}

/// `Σ_ab Q_ab φ_a(x) φ_b(x)` straight from the definition, for a complete row of a whole-space density.
fn by_definition(density: &PsdDensity, x: &[f64]) -> f64 {
    let features = density.features();
    let (g, l) = (x.len(), features.len());
    let sigma = features.sigma().to_owned();
    let det = sigma.determinant();
    let solved = |v: Mat<f64>| {
        use faer::linalg::solvers::Solve;
        sigma.partial_piv_lu().solve(v)
    };
    let phi: Vec<f64> = (0..l)
        .map(|a| {
            let r = Mat::from_fn(g, 1, |j, _| x[j] - features.anchors()[(j, a)]);
            let square = (r.transpose() * solved(r.clone()))[(0, 0)];
            let norm = (std::f64::consts::TAU.powi(g as i32) * det).sqrt();
            (-0.25 * square).exp() / norm.sqrt()
        })
        .collect();
    let mut sum = 0.0;
    for a in 0..l {
        for b in 0..l {
            sum += density.q()[(a, b)] * phi[a] * phi[b];
        }
    }
    sum
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn complete_rows_agree_with_the_definition(seed: u64, d in 1usize..5, l in 1usize..6, shape in 0usize..3) {
        let (table, features) = continuous(seed, 3, d, l, 0.0, SHAPES[shape]);
        let density = density(&features, seed);
        for row in table.rows() {
            close(density.log_marginal(row).unwrap(), by_definition(&density, row).ln(), 1e-10);
        }
    }

    #[test]
    fn a_marginal_of_a_marginal_is_a_marginal(seed: u64, shape in 0usize..4, j in 0usize..5) {
        let (table, features) = mixed(seed, 12, 3, 4, 0.5, SHAPES[shape]);
        let density = density(&features, seed);
        for row in table.rows().take(3) {
            let mut without = row.to_vec();
            without[j] = NA;
            let direct = density.log_marginal(&without).unwrap();
            let integrated = integral(&density, &features, &without, &[j], SHAPES[shape]).ln();
            close(direct, integrated, 1e-11);
        }
    }

    #[test]
    fn pattern_matrices_reproduce_the_marginal(seed: u64, shape in 0usize..4) {
        let (table, features) = mixed(seed, 6, 2, 5, 0.5, SHAPES[shape]);
        let density = density(&features, seed);
        for row in table.rows() {
            let pattern = features.pattern(&Pattern::of(row)).unwrap();
            let mut f = vec![0.0; 5];
            let scale = pattern.scaled_features(row, &mut f);
            let a = psd_impute::internals::kernel::PatternFeatures::matrix(&f, pattern.e().as_ref());
            let value = trace_product(density.q(), a.as_ref()).ln() + 2.0 * scale;
            close(value, density.log_marginal(row).unwrap(), 1e-11);
        }
    }
}

#[test]
fn a_diagonal_metric_is_a_full_one_without_correlation() {
    let (table, features) = continuous(3, 20, 3, 5, 0.4, Shape::Diagonal);
    let full = psd_impute::internals::kernel::Metric::full(features.sigma()).unwrap();
    let same = features.moved(features.anchors().to_owned(), full).unwrap();
    let (a, b) = (density(&features, 1), density(&same, 1));
    for (x, y) in a.log_marginals(&table).unwrap().iter().zip(b.log_marginals(&table).unwrap()) {
        close(*x, y, 1e-13);
    }
}

#[test]
fn a_wide_box_is_the_whole_space() {
    let (table, features) = continuous(3, 20, 2, 5, 0.4, Shape::Diagonal);
    let anchors = psd_impute::internals::kernel::Anchors::new(features.anchors().to_owned()).unwrap();
    let measure = psd_impute::internals::kernel::BaseMeasure::Box(vec![(-1e3, 1e3); 2]);
    let metric = features.metric().clone();
    let boxed =
        psd_impute::internals::kernel::Features::new(&table, None, &anchors, metric, measure, 1.0).unwrap();
    let (a, b) = (density(&features, 1), density(&boxed, 1));
    for (x, y) in a.log_marginals(&table).unwrap().iter().zip(b.log_marginals(&table).unwrap()) {
        close(*x, y, 1e-13);
    }
}

/// The paper's features are `exp(-(x-w)'P(x-w))`: `H_paper = h H e^(n_a + n_b)` with `h = exp(log_scale)` and `n = log_norm`, and
/// `Q_paper = D⁻¹QD⁻¹` with `D_a = √h e^(n_a)` gives the same density.
#[test]
fn normalised_features_are_the_papers_in_other_units() {
    for shape in SHAPES {
        let (table, features) = continuous(13, 10, 2, 4, 0.0, shape);
        let psd = density(&features, 1);
        let kernel = |x: &[f64], a: usize| {
            let sigma = features.sigma();
            let det = sigma[(0, 0)] * sigma[(1, 1)] - sigma[(0, 1)].powi(2);
            let r = [x[0] - features.anchors()[(0, a)], x[1] - features.anchors()[(1, a)]];
            let square =
                sigma[(1, 1)] * r[0] * r[0] - 2.0 * sigma[(0, 1)] * r[0] * r[1] + sigma[(0, 0)] * r[1] * r[1];
            (-0.25 * square / det).exp()
        };
        let (h, norm) = (features.log_scale().unwrap(), features.log_norm());
        for row in table.rows() {
            let mut paper = 0.0;
            for a in 0..4 {
                for b in 0..4 {
                    let q = psd.q()[(a, b)] * (-h - norm[a] - norm[b]).exp();
                    paper += q * kernel(row, a) * kernel(row, b);
                }
            }
            close(psd.log_marginal(row).unwrap(), paper.ln(), 1e-12);
        }
        let matrix = features.h().unwrap();
        let nodes = interval(shape);
        let mut integral = 0.0;
        for (x, wx) in &nodes {
            for (y, wy) in &nodes {
                integral += wx * wy * kernel(&[*x, *y], 0) * kernel(&[*x, *y], 1);
            }
        }
        close(integral, matrix[(0, 1)] * (h + norm[0] + norm[1]).exp(), 1e-12);
        let k = features.k().unwrap();
        let point: Vec<f64> = (0..2).map(|j| features.anchors()[(j, 1)]).collect();
        close(kernel(&point, 0), k[(0, 1)] * (norm[0] + norm[1]).exp(), 1e-12);
    }
}
