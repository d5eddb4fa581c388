//! Mean distances between points, the terms of the energy distance `2 E|X - Y| - E|X - X'| - E|Y - Y'|`. The means are over all
//! pairs, including a point with itself (the V-statistic), so that the distance is never negative.

use super::points::Points;
use rayon::prelude::*;

/// The mean distance between two points, one of each set.
pub(super) fn between(x: &Points, y: &Points) -> f64 {
    let of = |i: usize| (0..y.len()).map(|j| x.squared_distance(i, y, j).sqrt()).sum();
    total(x.len(), of) / (x.len() * y.len()) as f64
}

/// The mean distance between two points of one set.
pub(super) fn spread(x: &Points) -> f64 {
    let of = |i: usize| (0..i).map(|j| x.squared_distance(i, x, j).sqrt()).sum();
    2.0 * total(x.len(), of) / (x.len() * x.len()) as f64
}

/// Rows in parallel, summed in order, so that the sum has the same bits on any number of threads.
fn total(rows: usize, of: impl Fn(usize) -> f64 + Send + Sync) -> f64 {
    let sums: Vec<f64> = (0..rows).into_par_iter().map(of).collect();
    sums.iter().sum()
}
