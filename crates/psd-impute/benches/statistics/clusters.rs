//! Variance of imputations of clustered data, compared with that required by Rubin's rules.
//!
//! For an estimate `q` from each of `m` completed tables, with `q*` that from the complete table, the rules hold if
//!
//! ```text
//! E (avg q - q*)² = (1 + 1/m) E B        B the variance of q between the tables
//! ```
//!
//! whatever the estimate's own standard error; a bias of the imputations counts on the left. Regressions of one normal table say little
//! about mixtures; these rows come from three normals.

use crate::data::normal;
use psd_impute::Result;
use psd_impute::model::{FitOptions, Model};
use psd_impute::table::{RowCounter, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Rows and columns of a table, and completed tables.
const ROWS: usize = 150;
const COLUMNS: usize = 4;
const COMPLETED: u64 = 3;

/// The estimands.
const ESTIMANDS: [&str; 5] = ["mean", "variance", "slope", "upper tail", "in the gap"];

/// The methods of completing tables.
const WAYS: [&str; 2] = ["refits", "one fit"];

/// Prints the section: all numbers times one thousand, but for the last.
pub(crate) fn run(count: u64) -> Result<()> {
    println!(
        "\nclusters: {count} tables of {ROWS} rows from three normals, {COMPLETED} completed tables; aim: refits have what the rules need"
    );
    println!("  missing  {:<12} {:<8} | {:>8} {:>8} {:>8} | rules/actual", "", "", "bias", "actual", "rules");
    for missing in [0.2, 0.4] {
        let all = (0..count).into_par_iter().map(|seed| one(seed, missing)).collect::<Result<Vec<_>>>()?;
        for (e, estimand) in ESTIMANDS.into_iter().enumerate() {
            for (w, way) in WAYS.into_iter().enumerate() {
                let mean = |f: &dyn Fn(Found) -> f64| {
                    1e3 * all.iter().map(|found| f(found[w][e])).sum::<f64>() / count as f64
                };
                let (bias, actual, rules) = (mean(&|f| f.off), mean(&|f| f.off.powi(2)), mean(&|f| f.rules));
                println!(
                    "  {missing:<8} {estimand:<12} {way:<8} | {bias:>8.2} {actual:>8.3} {rules:>8.3} | {:.2}",
                    rules / actual
                );
            }
        }
    }
    Ok(())
}

/// The results of completed tables for an estimate.
#[derive(Clone, Copy)]
struct Found {
    /// `avg q - q*`.
    off: f64,
    /// `(1 + 1/m) B`.
    rules: f64,
}

/// For each of the methods, each of the estimands.
fn one(seed: u64, missing: f64) -> Result<[[Found; 5]; 2]> {
    let [whole, table] = tables(seed, missing)?;
    let truth = estimates(&whole);
    let model = Model::fit(&table, &FitOptions { seed, ..Default::default() })?;
    let way = |one_fit: bool| -> Result<[Found; 5]> {
        let draws = model.imputations(COMPLETED, seed)?.one_fit(one_fit);
        let complete = |k| Ok(estimates(&draws.nth(k)?.complete(&table, &mut RowCounter::default())?));
        let found = (1..=COMPLETED).map(complete).collect::<Result<Vec<_>>>()?;
        let m = COMPLETED as f64;
        Ok(std::array::from_fn(|e| {
            let mean = found.iter().map(|q| q[e]).sum::<f64>() / m;
            let between = found.iter().map(|q| (q[e] - mean).powi(2)).sum::<f64>() / (m - 1.0);
            Found { off: mean - truth[e], rules: (1.0 + 1.0 / m) * between }
        }))
    };
    Ok([way(false)?, way(true)?])
}

/// The centre of a cluster, the loading of its second column on the common factor, and the deviation of the rest.
const CLUSTERS: [([f64; COLUMNS], f64, f64); 3] = [
    ([-2.0, -1.0, 0.0, -2.0], 0.3, 0.3),
    ([0.5, 1.5, -1.0, 0.5], 0.9, 0.6),
    ([2.0, 0.0, 1.5, 2.0], -0.5, 0.5),
];

/// Three clusters of different shapes, complete and with missing cells.
fn tables(seed: u64, missing: f64) -> Result<[Table; 2]> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::with_capacity(ROWS);
    let mut gaps = Vec::with_capacity(ROWS);
    for i in 0..ROWS {
        let (centre, slope, noise) = CLUSTERS[i % 3];
        let common = normal(rng);
        let row: [f64; COLUMNS] = std::array::from_fn(|j| {
            centre[j] + if j == 1 { slope } else { 0.6 } * common + noise * normal(rng)
        });
        let mut gap = row.map(|x| if rng.random::<f64>() < missing { f64::NAN } else { x });
        if gap.iter().all(|x| x.is_nan()) {
            gap[i % COLUMNS] = row[i % COLUMNS];
        }
        rows.push(row);
        gaps.push(gap);
    }
    let names = ["a", "b", "c", "d"];
    Ok([Table::continuous(&names, &rows)?, Table::continuous(&names, &gaps)?])
}

/// Of the last column: mean, variance, slope on the second, share above 2, share between -1 and 0.
fn estimates(table: &Table) -> [f64; 5] {
    let n = table.len() as f64;
    let average = |f: &dyn Fn(&[f64]) -> f64| table.rows().map(f).sum::<f64>() / n;
    let (x, y) = (average(&|row| row[1]), average(&|row| row[3]));
    let product = average(&|row| (row[1] - x) * (row[3] - y));
    [
        y,
        average(&|row| (row[3] - y).powi(2)),
        product / average(&|row| (row[1] - x).powi(2)),
        average(&|row| f64::from(u8::from(row[3] > 2.0))),
        average(&|row| f64::from(u8::from((-1.0..0.0).contains(&row[3])))),
    ]
}
