//! The Wasserstein distance between two sets of equal size with equal weights: the optimal coupling is then a one-to-one
//! assignment.

use super::assignment::cheapest;
use super::points::Points;
use rayon::prelude::*;

/// The minimum over all pairings of the mean of half the squared distances between the given points of `x` and of `y`.
pub(super) fn half_squared(x: &Points, y: &Points, rows: &[usize]) -> f64 {
    let n = rows.len();
    let cost: Vec<f64> = (0..n * n)
        .into_par_iter()
        .with_min_len(n)
        .map(|k| 0.5 * x.squared_distance(rows[k / n], y, rows[k % n]))
        .collect();
    let paired = cheapest(&cost, n);
    paired.iter().enumerate().map(|(i, j)| cost[i * n + j]).sum::<f64>() / n as f64
}
