//! Simulated regressions with missing cells.

use psd_impute::Result;
use psd_impute::table::Table;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rows of a table.
pub(crate) const ROWS: usize = 100;

/// The mechanism of missingness.
#[derive(Clone, Copy)]
pub(crate) enum Mechanism {
    /// Three in ten, whatever the row.
    Mcar,
    /// Three in ten on average, more where `x1` is large.
    Mar,
}

/// The estimands, with their true values.
pub(crate) const ESTIMANDS: [(&str, f64); 3] =
    [("mean of y", 1.0), ("slope on x1", 1.0), ("slope on x2", -0.5)];

/// `y = 1 + x1 - x2/2 + e` with `x1` and `x2` of correlation one half: the complete table, and with missing cells in `y` and `x2`.
pub(crate) fn tables(seed: u64, mechanism: Mechanism) -> Result<[Table; 2]> {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut rows = Vec::with_capacity(ROWS);
    let mut gaps = Vec::with_capacity(ROWS);
    for _ in 0..ROWS {
        let x1 = normal(rng);
        let x2 = 0.5 * x1 + 0.75_f64.sqrt() * normal(rng);
        let row = [x1, x2, 1.0 + x1 - 0.5 * x2 + normal(rng)];
        let missing = match mechanism {
            Mechanism::Mcar => 0.3,
            Mechanism::Mar => 1.0 / (1.0 + (1.0 - x1).exp()),
        };
        let mut gap = |x: f64| if rng.random::<f64>() < missing { f64::NAN } else { x };
        gaps.push([x1, gap(row[1]), gap(row[2])]);
        rows.push(row);
    }
    let names = ["x1", "x2", "y"];
    Ok([Table::continuous(&names, &rows)?, Table::continuous(&names, &gaps)?])
}

/// Each of [`ESTIMANDS`] with its squared standard error, from a complete table.
pub(crate) fn estimates(table: &Table) -> [(f64, f64); 3] {
    let n = table.len() as f64;
    let mean = |j: usize| table.rows().map(|row| row[j]).sum::<f64>() / n;
    let means = [mean(0), mean(1), mean(2)];
    let product =
        |j: usize, k: usize| table.rows().map(|row| (row[j] - means[j]) * (row[k] - means[k])).sum::<f64>();
    let (a, b, c) = (product(0, 0), product(0, 1), product(1, 1));
    let (u, v, yy) = (product(0, 2), product(1, 2), product(2, 2));
    let determinant = a * c - b * b;
    let slopes = [(c * u - b * v) / determinant, (a * v - b * u) / determinant];
    let noise = (yy - slopes[0] * u - slopes[1] * v) / (n - 3.0);
    [
        (means[2], yy / (n - 1.0) / n),
        (slopes[0], noise * c / determinant),
        (slopes[1], noise * a / determinant),
    ]
}

/// The degrees of freedom of each standard error.
pub(crate) const DEGREES: [f64; 3] = [ROWS as f64 - 1.0, ROWS as f64 - 3.0, ROWS as f64 - 3.0];

/// A standard normal number by Box and Muller's formula.
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}
