//! Proper multiple imputation: refits carry the model's own uncertainty into the pooled variance.

use crate::common::*;
use psd_impute::density::Density;
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::stack::{ImputationIndex, Member, StackFit};
use psd_impute::table::Table;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const TABLES: u64 = 300;
const COMPLETED: u64 = 10;
const ROWS: usize = 80;

/// A standard normal number by Box and Muller's formula.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// `y = x + e`; `y` is missing in half of the rows.
fn table(seed: u64) -> Table {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let row = |_| {
        let x = normal(rng);
        let y = x + normal(rng);
        [x, if rng.random::<bool>() { NA } else { y }]
    };
    Table::continuous(&["x", "y"], &(0..ROWS).map(row).collect::<Vec<_>>()).unwrap()
}

/// The mean and variance of some numbers.
fn moments(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (mean, x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// The mean of `y` over completed tables: its estimate, and Rubin's variances within and between them.
fn pooled(tables: &[Table]) -> [f64; 3] {
    let each: Vec<(f64, f64)> = tables.iter().map(|t| moments(&t.observed(1).collect::<Vec<_>>())).collect();
    let (estimate, between) = moments(&each.iter().map(|e| e.0).collect::<Vec<_>>());
    [estimate, each.iter().map(|e| e.1 / ROWS as f64).sum::<f64>() / each.len() as f64, between]
}

#[test]
fn refits_add_the_variance_that_one_fit_leaves_out() {
    let (mut refits, mut one_fit) = (Vec::new(), Vec::new());
    for seed in 0..TABLES {
        let table = table(seed);
        let (standardised, scaler) = table.standardise();
        let fitted =
            StackFit { members: vec![Member::Normal], starts: 1, seed }.run(&standardised, &mut ()).unwrap();
        let complete = |density: &dyn Density, k| {
            let imputer = Imputer::new(density, &scaler, &Ties::none(2), Limits::none(2)).unwrap();
            imputer.independent_draws(&table, seed, k).unwrap()
        };
        let all = 1..=COMPLETED;
        let moved = all.clone().map(|k| {
            complete(&fitted.refitted(seed, ImputationIndex { number: k, of: COMPLETED }).unwrap(), k)
        });
        refits.push(pooled(&moved.collect::<Vec<_>>()));
        let same = all.map(|k| complete(&fitted.density, k));
        one_fit.push(pooled(&same.collect::<Vec<_>>()));
    }
    let average = |all: &[[f64; 3]], k: usize| all.iter().map(|p| p[k]).sum::<f64>() / all.len() as f64;
    let between = average(&refits, 2);
    assert!(between > 1.4 * average(&one_fit, 2), "{between} {}", average(&one_fit, 2));
    let total = average(&refits, 1) + (1.0 + 1.0 / COMPLETED as f64) * between;
    let actual = moments(&refits.iter().map(|p| p[0]).collect::<Vec<_>>()).1;
    assert!((total / actual - 1.0).abs() < 0.25, "{total} {actual}");
}
