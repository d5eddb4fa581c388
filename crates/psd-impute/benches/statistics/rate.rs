//! The rate at which the masked divergence falls with the number of rows.
//!
//! The rows come from a mixture of three densities with closed marginals, normal or Student's; each cell is missing with probability 0.3,
//! whatever the row. The divergence `E[log p_S(x_S) - log p̂_S(x_S)]` is estimated on held-out rows. As `E[p̂_S/p_S]` is one,
//! `r - 1 - log r` with `r = p̂_S/p_S` has the same expectation, is never negative and varies much less.

use crate::data::normal;
use psd_impute::Result;
use psd_impute::density::Density;
use psd_impute::stack::StackFit;
use psd_impute::table::Table;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

/// Number of test rows.
const TEST: usize = 20_000;
/// Numbers of training rows, and of tables drawn with each.
const SIZES: [(usize, u64); 6] = [(100, 8), (300, 8), (1000, 4), (3000, 3), (10_000, 2), (30_000, 1)];
/// Share of the cells that is missing.
const MISSING: f64 = 0.3;
/// The exponent s/(6s + 2d) of the paper's bound for a density with all derivatives.
const BOUND: f64 = 1.0 / 6.0;

/// Weight, mean, deviations and correlation.
type Part = (f64, [f64; 2], [f64; 2], f64);

/// Three parts, each a normal density or, with degrees of freedom, Student's.
struct Truth {
    parts: [Part; 3],
    degrees: Option<u32>,
}

/// Prints the section.
pub(crate) fn run() -> Result<()> {
    println!(
        "\nrate: masked divergence in nats per row, two columns, 30 % of the cells missing, {TEST} test rows; of more than 20000 rows the \
         stack takes 20000"
    );
    let parts = [
        (0.4, [-2.0, 0.0], [0.8, 1.0], 0.6),
        (0.35, [1.5, 1.5], [1.0, 0.6], -0.5),
        (0.25, [1.0, -2.0], [0.6, 0.6], 0.3),
    ];
    for (name, degrees) in [("three normals", None), ("three Student's with 5 degrees of freedom", Some(5))] {
        let truth = Truth { parts, degrees };
        println!("{name}\n  {:>6} {:>7} | {:>10} {:>9} | {:>6}", "rows", "tables", "divergence", "+-", "s");
        let test = truth.rows(TEST, &mut ChaCha8Rng::seed_from_u64(1 << 32));
        let mut points = Vec::new();
        for (rows, tables) in SIZES {
            let start = Instant::now();
            let found =
                (0..tables).map(|seed| truth.divergence(rows, seed, &test)).collect::<Result<Vec<_>>>()?;
            let count = tables as f64;
            let divergence = found.iter().map(|f| f.0).sum::<f64>() / count;
            // Of the test rows; of the tables where there are several.
            let spread = found.iter().map(|f| (f.0 - divergence).powi(2)).sum::<f64>();
            let error = match tables {
                1 => found[0].1,
                _ => (spread / (count - 1.0) / count).sqrt(),
            };
            let seconds = start.elapsed().as_secs_f64() / count;
            println!("  {rows:>6} {tables:>7} | {divergence:>10.5} {error:>9.5} | {seconds:>6.1}");
            points.push(((rows.min(20_000) as f64).ln(), divergence.ln()));
        }
        let exponent = -slope(&points);
        println!(
            "  falls as N^-{exponent:.2}; the paper's bound as N^-{BOUND:.2}, its s/(6s + 2d) for smooth densities (s = 2: 0.12)"
        );
    }
    Ok(())
}

/// The slope of the least-squares line.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let along = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>();
    along / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

impl Truth {
    /// Rows with missing cells.
    fn rows(&self, count: usize, rng: &mut ChaCha8Rng) -> Vec<[f64; 2]> {
        let mut rows = Vec::with_capacity(count);
        for _ in 0..count {
            let mut u: f64 = rng.random();
            let drawn = self.parts.iter().find(|part| {
                u -= part.0;
                u < 0.0
            });
            let (_, mean, deviation, correlation) = *drawn.unwrap_or(&self.parts[2]);
            let (a, b) = (normal(rng), normal(rng));
            let stretch = self.degrees.map_or(1.0, |degrees| {
                let square: f64 = (0..degrees).map(|_| normal(rng).powi(2)).sum();
                (f64::from(degrees) / square).sqrt()
            });
            let b = correlation * a + (1.0 - correlation * correlation).sqrt() * b;
            let whole = [mean[0] + deviation[0] * stretch * a, mean[1] + deviation[1] * stretch * b];
            rows.push(whole.map(|x| if rng.random::<f64>() < MISSING { f64::NAN } else { x }));
        }
        rows
    }

    /// The log-density of a row's observed cells.
    fn log_marginal(&self, row: &[f64; 2]) -> f64 {
        let part = |(weight, mean, deviation, correlation): &Part| {
            let z = [0, 1].map(|j| (row[j] - mean[j]) / deviation[j]);
            let rest = 1.0 - correlation * correlation;
            let (dimension, square, volume) = match (row[0].is_nan(), row[1].is_nan()) {
                (true, true) => return *weight,
                (false, true) => (1.0, z[0] * z[0], deviation[0]),
                (true, false) => (1.0, z[1] * z[1], deviation[1]),
                (false, false) => {
                    let square = (z[0] * z[0] - 2.0 * correlation * z[0] * z[1] + z[1] * z[1]) / rest;
                    (2.0, square, deviation[0] * deviation[1] * rest.sqrt())
                }
            };
            let log = match self.degrees {
                None => -0.5 * (square + dimension * std::f64::consts::TAU.ln()),
                Some(degrees) => {
                    let v = f64::from(degrees);
                    libm::lgamma(0.5 * (v + dimension))
                        - libm::lgamma(0.5 * v)
                        - 0.5 * dimension * (v * std::f64::consts::PI).ln()
                        - 0.5 * (v + dimension) * (1.0 + square / v).ln()
                }
            };
            weight * log.exp() / volume
        };
        self.parts.iter().map(part).sum::<f64>().ln()
    }

    /// The divergence of a stack fitted to the given number of rows, and its standard error from the test rows.
    fn divergence(&self, count: usize, seed: u64, test: &[[f64; 2]]) -> Result<(f64, f64)> {
        let rows = self.rows(count, &mut ChaCha8Rng::seed_from_u64(seed));
        let (table, scaler) = Table::continuous(&["x", "y"], &rows)?.standardise();
        let fitted = StackFit::for_table(&table, seed).run(&table, &mut ())?;
        let judged = scaler.standardise(&Table::continuous(&["x", "y"], test)?);
        let logs = fitted.density.log_marginals(&judged)?;
        let terms = logs.iter().zip(test).map(|(log, row)| {
            let units = (0..2).filter(|&j| !row[j].is_nan()).map(|j| scaler.scale(j).ln()).sum::<f64>();
            let log_ratio = log - units - self.log_marginal(row);
            log_ratio.exp_m1() - log_ratio
        });
        let n = test.len() as f64;
        let (sum, squares) = terms.fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        let mean = sum / n;
        Ok((mean, ((squares / n - mean * mean) / n).sqrt()))
    }
}
