//! Conditionals: joint = marginal × conditional, moments, quantiles, draws.

use crate::common::*;
use faer::Mat;
use proptest::prelude::*;
use psd_impute::density::{Conditional, Density, PsdDensity, Stack, Uniform};
use rand::Rng;

proptest! {
    #![proptest_config(cases(30))]

    #[test]
    fn joint_is_marginal_times_conditional(seed: u64, shape in 0usize..4, j in 2usize..5) {
        let (table, features) = mixed(seed, 8, 3, 4, 0.0, SHAPES[shape]);
        let density = density(&features, seed);
        for row in table.rows().take(3) {
            let mut gap = row.to_vec();
            gap[j] = NA;
            let conditional = density.conditional(&gap).unwrap().density(j, row[j]).unwrap();
            let joint = density.log_marginal(row).unwrap();
            close(joint, density.log_marginal(&gap).unwrap() + conditional.ln(), 1e-10);
        }
    }

    #[test]
    fn discrete_conditionals_are_ratios_of_joints(seed: u64, j in 0usize..2) {
        let (table, features) = mixed(seed, 40, 2, 4, 0.2, Shape::Full);
        let density = density(&features, seed);
        let rho = features.discrete()[j].log_rho().to_vec();
        for row in table.rows().take(3) {
            let mut row = row.to_vec();
            row[j] = NA;
            let atoms = density.conditional(&row).unwrap().probabilities(j).unwrap().unwrap();
            let marginal = density.log_marginal(&row).unwrap();
            for (k, (value, probability)) in atoms.into_iter().enumerate() {
                row[j] = value;
                let joint = density.log_marginal(&row).unwrap() + rho[k];
                close(probability, (joint - marginal).exp(), 1e-11);
                row[j] = NA;
            }
        }
    }

    #[test]
    fn moments_are_integrals_of_the_density(seed: u64, shape in 0usize..4) {
        let (table, features) = continuous(seed, 3, 3, 4, 0.0, SHAPES[shape]);
        let density = density(&features, seed);
        let row = [table.row(0)[0], NA, NA];
        let conditional = density.conditional(&row).unwrap();
        let (mean, covariance) = (conditional.mean(), conditional.covariance());
        for (i, j) in [(0, 1), (1, 2)] {
            let (mut first, mut second, mut mass) = (0.0, 0.0, 0.0);
            for (x, weight) in interval(SHAPES[shape]) {
                let p = weight * conditional.density(j, x).unwrap();
                mass += p;
                first += p * x;
                second += p * (x - mean[i]).powi(2);
            }
            close(mass, 1.0, 1e-11);
            close(first, mean[i], 1e-11);
            close(second, covariance[(i, i)], 1e-10);
        }
        // The covariance of two cells, from the joint density of both.
        let (mut cross, nodes) = (0.0, interval(SHAPES[shape]));
        let marginal = density.log_marginal(&row).unwrap();
        let given = density.given(&psd_impute::table::Pattern::of(table.row(0))).unwrap();
        for (x, wx) in &nodes {
            for (y, wy) in &nodes {
                let joint = (given.log_marginal(&[row[0], *x, *y]) - marginal).exp();
                cross += wx * wy * joint * (x - mean[0]) * (y - mean[1]);
            }
        }
        close(cross, covariance[(0, 1)], 1e-9);
    }

    #[test]
    fn quantiles_invert_the_distribution_function(seed: u64, shape in 0usize..4, p in 0.001f64..0.999) {
        let (table, features) = continuous(seed, 3, 3, 4, 0.0, SHAPES[shape]);
        let density = density(&features, seed);
        let conditional = density.conditional(&[NA, table.row(0)[1], NA]).unwrap();
        for j in [0, 2] {
            let x = conditional.quantile(j, p).unwrap();
            close(conditional.cdf(j, x).unwrap(), p, 1e-12);
            let slope = derivative(|h| conditional.cdf(j, x + h).unwrap(), 1e-3);
            close(slope, conditional.density(j, x).unwrap(), 1e-8);
        }
    }
}

#[test]
fn category_means_are_modes_and_have_no_covariance() {
    let (_, features) = mixed(4, 40, 1, 4, 0.2, Shape::Full);
    let density = density(&features, 4);
    let conditional = density.conditional(&[NA, NA, 0.3]).unwrap();
    let atoms = conditional.probabilities(1).unwrap().unwrap();
    let best = atoms.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert_eq!(conditional.mean()[1], best.0);
    let covariance = conditional.covariance();
    assert!(covariance[(1, 1)].is_nan() && covariance[(0, 1)].is_nan() && covariance[(0, 0)] > 0.0);
    let grades = conditional.probabilities(0).unwrap().unwrap();
    close(conditional.mean()[0], grades.iter().map(|(v, p)| v * p).sum(), 1e-12);
    assert!(conditional.quantile(0, 0.999_999).unwrap() == 5.0);
    assert!(conditional.cdf(2, 0.0).is_err(), "column 2 is observed");
}

/// Draws must have the conditional's distribution: their probability-integral transforms are uniform (Kolmogorov-Smirnov at about
/// one in a thousand) and their covariance is the closed form's.
pub(crate) fn check_draws(conditional: &dyn Conditional, rng: &mut dyn Rng) {
    let n = 4000;
    let draws: Vec<Vec<f64>> = (0..n).map(|_| conditional.draw(rng)).collect();
    let (mean, covariance) = (conditional.mean(), conditional.covariance());
    for (i, &column) in conditional.missing().iter().enumerate() {
        if let Some(atoms) = conditional.probabilities(column).unwrap() {
            for (value, p) in atoms {
                let share = draws.iter().filter(|draw| draw[i] == value).count() as f64 / n as f64;
                assert!((share - p).abs() < 4.0 * (p * (1.0 - p) / n as f64).sqrt() + 1e-9, "{share} of {p}");
            }
            continue;
        }
        let mut u: Vec<f64> = draws.iter().map(|draw| conditional.cdf(column, draw[i]).unwrap()).collect();
        u.sort_by(f64::total_cmp);
        let distance =
            u.iter().enumerate().map(|(k, u)| (u - (k as f64 + 0.5) / n as f64).abs()).fold(0.0, f64::max);
        assert!(distance < 1.95 / (n as f64).sqrt(), "column {column} is off by {distance}");
        for j in 0..mean.len() {
            let products: Vec<f64> = draws.iter().map(|d| (d[i] - mean[i]) * (d[j] - mean[j])).collect();
            let average = products.iter().sum::<f64>() / n as f64;
            let spread = (products.iter().map(|p| (p - average).powi(2)).sum::<f64>() / n as f64).sqrt();
            let label = covariance[(i, j)].is_nan();
            assert!(label || (average - covariance[(i, j)]).abs() < 4.5 * spread / (n as f64).sqrt());
        }
    }
}

#[test]
fn draws_follow_the_closed_form() {
    for (k, shape) in SHAPES.into_iter().enumerate() {
        let (table, features) = mixed(20 + k as u64, 30, 3, 4, 0.0, shape);
        let density = density(&features, 9);
        let rng = &mut rng(k as u64);
        check_draws(density.conditional(&[NA; 5]).unwrap().as_ref(), rng);
        let seen = table.row(0);
        check_draws(density.conditional(&[seen[0], NA, NA, seen[3], NA]).unwrap().as_ref(), rng);
    }
}

#[test]
fn draws_of_a_stack_follow_the_closed_form() {
    let (table, features) = continuous(8, 30, 2, 4, 0.0, Shape::Full);
    let normal = PsdDensity::normal(&table, &[1.0, -1.0], Mat::<f64>::identity(2, 2).as_ref()).unwrap();
    let uniform = Uniform::on_box(&features, &[(-4.0, 4.0); 2]).unwrap();
    let members: Vec<(f64, Box<dyn Density>)> =
        vec![(0.5, Box::new(density(&features, 5))), (0.3, Box::new(normal)), (0.2, Box::new(uniform))];
    let stack = Stack::new(members).unwrap();
    check_draws(stack.conditional(&[NA, NA]).unwrap().as_ref(), &mut rng(1));
    let conditional = stack.conditional(&[0.4, NA]).unwrap();
    check_draws(conditional.as_ref(), &mut rng(2));
    let x = conditional.quantile(1, 0.3).unwrap();
    close(conditional.cdf(1, x).unwrap(), 0.3, 1e-12);
}

#[test]
fn sampled_rows_have_the_moments() {
    let (_, features) = continuous(31, 30, 3, 5, 0.0, Shape::Full);
    let density = density(&features, 6);
    let (mean, covariance) = density.moments().unwrap();
    let rng = &mut rng(5);
    let n = 3000;
    let rows: Vec<Vec<f64>> = (0..n).map(|_| density.sample(rng).unwrap()).collect();
    for j in 0..3 {
        let average = rows.iter().map(|row| row[j]).sum::<f64>() / n as f64;
        assert!((average - mean[j]).abs() < 4.0 * (covariance[(j, j)] / n as f64).sqrt());
    }
}

#[test]
fn the_same_generator_gives_the_same_draw() {
    let (_, features) = mixed(2, 20, 2, 4, 0.2, Shape::Full);
    let density = density(&features, 6);
    let once = density.sample(&mut rng(3)).unwrap();
    assert_eq!(once, density.sample(&mut rng(3)).unwrap());
    assert_ne!(once, density.sample(&mut rng(4)).unwrap());
}
