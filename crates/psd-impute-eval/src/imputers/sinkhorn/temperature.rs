//! The blur of the points.

use rand::Rng;
use rand::seq::index::sample;
use rayon::prelude::*;

/// The share of the median.
const SHARE: f64 = 0.05;
/// Number of rows between which distances are measured.
const COMPARED_ROWS: usize = 2000;

/// A twentieth of the median of half the squared distances above zero between standardised rows with missing cells at the mean; `None`
/// if all rows are equal. The public code uses it as the *blur*, whose square is the temperature.
pub(super) fn typical(cells: &[f64], columns: usize, rng: &mut impl Rng) -> Option<f64> {
    let n = cells.len() / columns;
    let rows = sample(rng, n, n.min(COMPARED_ROWS)).into_vec();
    let filled = |x: &f64| if x.is_nan() { 0.0 } else { *x };
    let points: Vec<Vec<f64>> =
        rows.iter().map(|i| cells[i * columns..][..columns].iter().map(filled).collect()).collect();
    let half_square = |i: usize, j: usize| {
        points[i].iter().zip(&points[j]).map(|(x, y)| (x - y) * (x - y)).sum::<f64>() / 2.0
    };
    let to_earlier = |i: usize| (0..i).map(move |j| half_square(i, j)).filter(|&d| d > 0.0);
    let mut distances: Vec<f64> = (0..rows.len()).into_par_iter().flat_map_iter(to_earlier).collect();
    // The median over pairs in both orders.
    let middle = distances.len().div_ceil(2).checked_sub(1)?;
    let (_, median, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    Some(SHARE * *median)
}
