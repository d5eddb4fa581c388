//! Pieces of a cell's distribution against quadrature of its density.

use crate::common::*;
use psd_impute::density::{Conditional, Density, PsdDensity, Stack, Uniform};
use psd_impute::learn::donors::fit_donors;
use psd_impute::learn::mixture::{EmParams, fit_normal};
use psd_impute::table::Table;

/// The piece of one cell in `[lo, hi]` by quadrature of its density.
fn check_piece(conditional: &dyn Conditional, j: usize, (lo, hi): (f64, f64)) {
    let (least, most) = conditional.support(j).unwrap();
    let nodes = gauss(least.max(lo), most.min(hi), 400);
    let at: Vec<(f64, f64)> =
        nodes.iter().map(|&(x, w)| (x, w * conditional.density(j, x).unwrap())).collect();
    let mass: f64 = at.iter().map(|(_, p)| p).sum();
    let mean = at.iter().map(|(x, p)| x * p).sum::<f64>() / mass;
    let variance = at.iter().map(|(x, p)| p * (x - mean).powi(2)).sum::<f64>() / mass;
    let piece = conditional.within(j, (lo, hi)).unwrap();
    assert!((piece.mass / mass - 1.0).abs() < 1e-8, "mass {} {mass}", piece.mass);
    close(piece.mean, mean, 1e-9);
    close(piece.variance, variance, 1e-7);
    for p in [0.01, 0.5, 0.99] {
        let x = conditional.quantile_within(j, p, (lo, hi)).unwrap();
        assert!((lo..=hi).contains(&x));
        close(conditional.within(j, (lo, x)).unwrap().mass / piece.mass, p, 1e-9);
    }
}

const INTERVALS: [(f64, f64); 5] = [
    (f64::NEG_INFINITY, f64::INFINITY),
    (-0.5, 0.8),
    (f64::NEG_INFINITY, 0.1),
    (1.0, f64::INFINITY),
    (0.3, 0.31),
];

#[test]
fn pieces_are_integrals_of_the_density() {
    for shape in SHAPES {
        let (table, features) = continuous(3, 30, 3, 4, 0.0, shape);
        let density = density(&features, 5);
        let conditional = density.conditional(&[table.row(0)[0], NA, NA]).unwrap();
        for limits in INTERVALS {
            check_piece(conditional.as_ref(), 1, limits);
            check_piece(conditional.as_ref(), 2, limits);
        }
    }
}

#[test]
fn pieces_of_donors_and_stacks_are_integrals_of_the_density() {
    let (table, features) = continuous(3, 40, 2, 3, 0.2, Shape::Full);
    let normal = fit_normal(&table, None, 0.01, EmParams::default())
        .unwrap()
        .0
        .density(&table, None, &std::sync::Arc::default())
        .unwrap();
    let (donors, _) = fit_donors(&table, None, &every(&table), &normal, &std::sync::Arc::default()).unwrap();
    let uniform = Uniform::on_box(&features, &[(-4.0, 4.0); 2]).unwrap();
    for limits in INTERVALS {
        check_piece(donors.conditional(&[0.2, NA]).unwrap().as_ref(), 1, limits);
        check_piece(uniform.conditional(&[0.2, NA]).unwrap().as_ref(), 1, limits);
    }
    let members: Vec<(f64, Box<dyn Density>)> = vec![(0.4, Box::new(normal)), (0.6, Box::new(donors))];
    let stack = Stack::new(members).unwrap();
    for limits in INTERVALS {
        check_piece(stack.conditional(&[0.2, NA]).unwrap().as_ref(), 1, limits);
    }
}

#[test]
fn pieces_hold_far_out_in_either_tail() {
    let filler = Table::continuous(&["a"], &[[0.0]]).unwrap();
    let normal = |mean: f64| -> Box<dyn Density> {
        let one = faer::Mat::<f64>::identity(1, 1);
        Box::new(PsdDensity::normal(&filler, &[mean], one.as_ref()).unwrap())
    };
    let stack = Stack::new(vec![(0.3, normal(1.0)), (0.7, normal(-1.0))]).unwrap();
    let conditional = stack.conditional(&[NA]).unwrap();
    for limits in [(12.0, f64::INFINITY), (f64::NEG_INFINITY, -12.0), (12.0, 12.5), (-13.0, -12.9)] {
        let piece = conditional.within(0, limits).unwrap();
        assert!(piece.mass > 0.0 && piece.mass < 1e-10, "{}", piece.mass);
        assert!((piece.mean.abs() - 12.4).abs() < 0.6 && piece.variance > 0.0 && piece.variance < 0.1);
        let median = conditional.quantile_within(0, 0.5, limits).unwrap();
        close(conditional.within(0, (limits.0, median)).unwrap().mass / piece.mass, 0.5, 1e-9);
    }
}
