//! A lower bound of the Wasserstein distance that needs little memory and time: distances along single directions.
//!
//! Along a direction, the optimal pairing of two sets of equal size is by their order. The optimal pairing in all coordinates is
//! also a pairing along each direction. Squared distances add up over the directions of an orthonormal basis, so the optima of
//! the directions sum to at most the Wasserstein distance. The mean over several random bases is also a lower bound.

use super::points::{Labels, Points};
use crate::Result;
use crate::ampute::normal;
use crate::linalg::eigenvectors;
use faer::Mat;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Minimum number of directions.
pub const DIRECTIONS: usize = 256;
/// The fixed seed of the directions.
const SEED: u64 = 0;

/// Half the squared distance along random directions, summed over a basis, between the given points of `x` and of `y`.
pub(super) fn half_squared(x: &Points, y: &Points, rows: &[usize]) -> Result<f64> {
    let labels = Labels::of(&[x, y]);
    let width = labels.width();
    let bases = sliced_bases(width)?;
    let count = bases.len();
    let along = |k: usize| {
        let direction = bases[k / width].col_as_slice(k % width);
        let sorted = |points: &Points| {
            let mut places: Vec<f64> = rows.iter().map(|&i| points.along(i, direction, &labels)).collect();
            places.sort_unstable_by(f64::total_cmp);
            places
        };
        sorted(x).iter().zip(&sorted(y)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
    };
    let sums: Vec<f64> = (0..count * width).into_par_iter().map(along).collect();
    Ok(sums.iter().sum::<f64>() / (2 * count * rows.len()) as f64)
}

/// Random bases of a space, with the directions as columns.
///
/// # Errors
///
/// Those of the decomposition of a matrix.
pub fn sliced_bases(width: usize) -> Result<Vec<Mat<f64>>> {
    let rng = &mut ChaCha8Rng::seed_from_u64(SEED);
    let count = if width == 1 { 1 } else { DIRECTIONS.div_ceil(width) };
    (0..count).map(|_| basis(width, rng)).collect()
}

/// An orthonormal basis, uniformly distributed: the eigenvectors of a symmetric matrix of independent normal numbers.
fn basis(width: usize, rng: &mut ChaCha8Rng) -> Result<Mat<f64>> {
    let a = Mat::from_fn(width, width, |_, _| normal(rng));
    let symmetric = Mat::from_fn(width, width, |i, j| a[(i, j)] + a[(j, i)]);
    Ok(eigenvectors(symmetric.as_ref(), "random directions")?.1)
}

#[cfg(test)]
mod tests {
    use super::super::points::Space;
    use super::super::wasserstein;
    use super::*;
    use psd_impute::table::{Column, Table};
    use rand::RngExt;

    #[test]
    fn never_above_the_wasserstein_distance_and_not_far_below() {
        let rng = &mut ChaCha8Rng::seed_from_u64(3);
        let labels = ["a", "b", "c"].map(String::from).to_vec();
        let columns = vec![
            Column::continuous("x"),
            Column::continuous("y"),
            Column::category("label", labels).unwrap(),
        ];
        for n in [1, 2, 30, 100] {
            let mut table = |shift: f64| {
                let cells = Mat::from_fn(3, n, |j, _| match j {
                    2 => f64::from(rng.random_range(0..3)),
                    _ => shift + normal(rng),
                });
                Table::new(columns.clone(), cells).unwrap()
            };
            let (truth, other) = (table(0.0), table(1.5));
            let rows: Vec<usize> = (0..n).collect();
            let space = Space::of(&table(0.0)).unwrap();
            let [x, y] = [&other, &truth].map(|table| space.points(table.cells(), &rows));
            let (bound, exact) =
                (half_squared(&x, &y, &rows).unwrap(), wasserstein::half_squared(&x, &y, &rows));
            assert!(bound <= exact * (1.0 + 1e-12) && bound > 0.5 * exact, "{n}: {bound} {exact}");
        }
    }

    #[test]
    fn bases_are_orthonormal() {
        let basis = basis(7, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
        let product = crate::linalg::gram(basis.as_ref());
        assert!((0..7).all(|i| (0..7).all(|j| (product[(i, j)] - f64::from(i == j)).abs() < 1e-13)));
    }
}
