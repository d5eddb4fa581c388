//! Densities in other coordinates.

use crate::common::*;
use faer::Mat;
use psd_impute::density::{Density, PsdDensity};
use psd_impute::internals::{Warp, Warped, Warps};
use psd_impute::stack::{Space, StackFit};
use psd_impute::table::{Resolution, Table};
use std::sync::Arc;

fn table() -> Table {
    Table::continuous(&["a", "b", "c"], &[[0.1, -0.3, 1.2]]).unwrap()
}

fn normal() -> PsdDensity {
    let covariance = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 0.5 });
    PsdDensity::normal(&table(), &[0.1, 0.0, -0.2], covariance.as_ref()).unwrap()
}

fn warps() -> Arc<Warps> {
    let bent = Warp::new(vec![(-1.0, -1.5), (0.0, -0.2), (0.4, 0.5), (3.0, 2.0)]).unwrap();
    let steep = Warp::new(vec![(0.0, -1.0), (0.5, 1.0), (4.0, 2.0)]).unwrap();
    Arc::new(Warps::new(&table(), vec![Some(bent), None, Some(steep)]).unwrap())
}

fn warped() -> Warped<PsdDensity> {
    Warped::new(normal(), warps(), Arc::default()).unwrap()
}

/// Trapezoids from knot to knot, so that none straddles a jump of the density; the ends belong to the piece.
fn integrate(knots: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let piece = |ends: &[f64]| {
        let (n, width) = (2000, ends[1] - ends[0]);
        let at = |k: usize| f(ends[0] + width * (k as f64 + 0.5) / n as f64);
        (0..n).map(at).sum::<f64>() * width / n as f64
    };
    knots.windows(2).map(piece).sum()
}

#[test]
fn joint_is_marginal_times_conditional_and_moments_are_integrals() {
    let (density, knots) = (warped(), [-9.0, -1.0, 0.0, 0.4, 3.0, 16.0]);
    let row = [NA, -0.3, 1.2];
    let conditional = density.conditional(&row).unwrap();
    let at = |x: f64| conditional.density(0, x).unwrap();
    let joint = density.log_marginal(&[0.2, -0.3, 1.2]).unwrap();
    close(joint, density.log_marginal(&row).unwrap() + at(0.2).ln(), 1e-12);
    let mean = conditional.mean()[0];
    close(integrate(&knots, at), 1.0, 1e-6);
    close(integrate(&knots, |x| x * at(x)), mean, 1e-6);
    close(integrate(&knots, |x| (x - mean).powi(2) * at(x)), conditional.variance(0).unwrap(), 1e-6);
    close(integrate(&[-9.0, -1.0, 0.0, 0.3], at), conditional.cdf(0, 0.3).unwrap(), 1e-6);
    let piece = conditional.within(0, (-0.5, 0.3)).unwrap();
    close(integrate(&[-0.5, 0.0, 0.3], at), piece.mass, 1e-6);
    close(integrate(&[-0.5, 0.0, 0.3], |x| x * at(x)) / piece.mass, piece.mean, 1e-6);
}

#[test]
fn quantiles_invert_the_distribution_function() {
    let density = warped();
    let conditional = density.conditional(&[NA, 0.4, NA]).unwrap();
    for (column, p) in [(0, 0.03), (0, 0.6), (2, 0.2), (2, 0.99)] {
        close(conditional.cdf(column, conditional.quantile(column, p).unwrap()).unwrap(), p, 1e-10);
        let x = conditional.quantile_within(column, p, (-0.2, 0.9)).unwrap();
        let mass = |lo, hi| conditional.within(column, (lo, hi)).unwrap().mass;
        close(mass(-0.2, x) / mass(-0.2, 0.9), p, 1e-10);
    }
}

#[test]
fn covariances_are_those_of_draws() {
    let density = warped();
    let conditional = density.conditional(&[NA, 0.4, NA]).unwrap();
    let (mean, covariance) = (conditional.mean(), conditional.covariance());
    let n = 200_000;
    let rng = &mut rng(3);
    let draws: Vec<Vec<f64>> = (0..n).map(|_| conditional.draw(rng)).collect();
    for a in 0..2 {
        close(draws.iter().map(|x| x[a]).sum::<f64>() / n as f64, mean[a], 0.01);
        for b in 0..2 {
            let product = |x: &Vec<f64>| (x[a] - mean[a]) * (x[b] - mean[b]);
            close(draws.iter().map(product).sum::<f64>() / n as f64, covariance[(a, b)], 0.015);
        }
    }
}

/// A map changes the density of a value, but not the probability of a cell.
#[test]
fn a_cell_has_the_same_probability_in_all_coordinates() {
    let rows: Vec<[f64; 3]> = (0..30).map(|i| [f64::from(i % 3), 0.1 * f64::from(i), 0.0]).collect();
    let table = Table::continuous(&["a", "b", "c"], &rows).unwrap();
    let resolution = Arc::new(Resolution::of(&table));
    let inside = Arc::new(warps().apply_resolution(&resolution));
    let density = Warped::new(normal().with_resolution(inside), warps(), resolution).unwrap();
    let alone = |x: f64| density.log_marginal(&[x, NA, NA]).unwrap().exp();
    close(alone(0.0) + alone(1.0) + alone(2.0), 1.0, 1e-12);
    let cell = warped().conditional(&[NA; 3]).unwrap().within(0, (0.5, 1.5)).unwrap().mass;
    close(alone(1.0), cell, 1e-12);
}

#[test]
fn skewed_columns_are_fitted_among_their_scores() {
    let wave = |i: usize, j: usize| ((i * (3 * j + 7)) as f64 * 0.618).fract();
    let rows: Vec<[f64; 2]> = (0..300)
        .map(|i| {
            let (u, v) = (-wave(i, 0).max(1e-9).ln(), -wave(i, 1).max(1e-9).ln());
            [u * u, if i % 4 == 0 { NA } else { (0.7 * u + 0.3 * v).powi(2) }]
        })
        .collect();
    let (table, _) = Table::continuous(&["a", "b"], &rows).unwrap().standardise();
    let fitted = StackFit::for_table(&table, 0).run(&table, &mut ()).unwrap();
    let scores = fitted.members.iter().filter(|tried| tried.space == Space::Scores);
    assert!(scores.map(|tried| tried.weight).sum::<f64>() > 0.5, "{:?}", fitted.members);
}
