//! Eigenvalues of covariances whose columns are of any scale.
//!
//! Columns of a table may have very different scales, and the eigenvalues of their covariance differ as the squares of these; the usual
//! algorithm, through a tridiagonal matrix, has an error relative to the *largest*. Two steps find each with a small relative error of its
//! own, as far as the correlations allow (Veselić and Hari, 1989):
//!
//! 1. the Cholesky factor `A = L L'` with the largest remaining diagonal element as pivot;
//! 2. rotations of pairs of columns of `L` until all are orthogonal, `L V = U S` (one-sided Jacobi).
//!
//! Then `A = U S² U'`. Directions in which `A` is only rounding are left out.

use crate::linalg::dot;
use faer::MatRef;

/// The remaining share of a column's square below which it is explained by those before it up to rounding.
const NOTHING: f64 = 1e-13;
/// Columns with a smaller cosine count as orthogonal.
const ORTHOGONAL: f64 = 1e-15;
/// Maximum number of sweeps over all pairs; half a dozen are needed.
const SWEEPS: usize = 40;

/// The positive eigenvalues of a matrix and their eigenvectors.
pub(super) struct Eigen {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Vec<Vec<f64>>,
}

impl Eigen {
    /// The decomposition of a symmetric positive semi-definite matrix.
    pub(super) fn of(a: MatRef<'_, f64>) -> Self {
        let mut columns = cholesky(a);
        for _ in 0..SWEEPS {
            if !sweep(&mut columns) {
                break;
            }
        }
        let values: Vec<f64> = columns.iter().map(|column| dot(column, column)).collect();
        for (column, value) in columns.iter_mut().zip(&values) {
            column.iter_mut().for_each(|x| *x /= value.sqrt());
        }
        Self { values, vectors: columns }
    }
}

/// The columns of `L`, with rows in the order of `a`.
fn cholesky(a: MatRef<'_, f64>) -> Vec<Vec<f64>> {
    let p = a.nrows();
    let mut left: Vec<f64> = (0..p).map(|i| a[(i, i)]).collect();
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(p);
    loop {
        let open = (0..p).filter(|&i| left[i] > NOTHING * a[(i, i)]);
        let Some(pivot) = open.max_by(|&i, &k| left[i].total_cmp(&left[k])) else {
            return columns;
        };
        let mut column: Vec<f64> = a.col(pivot).iter().copied().collect();
        for before in &columns {
            let share = before[pivot];
            column.iter_mut().zip(before).for_each(|(x, l)| *x -= share * l);
        }
        let root = left[pivot].sqrt();
        for (x, left) in column.iter_mut().zip(&mut left) {
            // Only rounding is left of an explained column.
            *x = if *left > 0.0 { *x / root } else { 0.0 };
            *left -= *x * *x;
        }
        column[pivot] = root;
        left[pivot] = 0.0;
        columns.push(column);
    }
}

/// Makes each pair of columns orthogonal once, and returns whether any was not.
fn sweep(columns: &mut [Vec<f64>]) -> bool {
    let mut turned = false;
    for b in 1..columns.len() {
        let (before, rest) = columns.split_at_mut(b);
        let y = &mut rest[0];
        let mut yy = dot(y, y);
        for x in before {
            let (xx, xy) = (dot(x, x), dot(x, y));
            if xy.abs() > ORTHOGONAL * (xx * yy).sqrt() {
                turned = true;
                let ratio = (yy - xx) / (2.0 * xy);
                let tangent = 1f64.copysign(ratio) / (ratio.abs() + ratio.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = cosine * tangent;
                for (x, y) in x.iter_mut().zip(y.iter_mut()) {
                    (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
                }
                yy = dot(y, y);
            }
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    fn matrix(scales: &[f64], rows: usize) -> Mat<f64> {
        let d = scales.len();
        let x = Mat::from_fn(d, rows, |j, i| scales[j] * (((i * 7 + j * 13 + i * j * j) % 31) as f64 - 15.0));
        crate::linalg::gram(x.as_ref())
    }

    #[test]
    fn they_put_the_matrix_together() {
        for (scales, rows) in [(vec![1.0; 6], 40), (vec![1e-4, 1.0, 3.0, 1e5, 20.0], 40), (vec![1.0; 9], 5)] {
            let a = matrix(&scales, rows);
            let Eigen { values, vectors } = Eigen::of(a.as_ref());
            assert!(values.len() == scales.len().min(rows));
            for i in 0..scales.len() {
                for j in 0..scales.len() {
                    let sum: f64 = values.iter().zip(&vectors).map(|(e, u)| e * u[i] * u[j]).sum();
                    assert!((sum - a[(i, j)]).abs() < 1e-11 * (a[(i, i)] * a[(j, j)]).sqrt());
                }
            }
            for (i, j) in (0..values.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                assert!(dot(&vectors[i], &vectors[j]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn small_ones_have_all_their_digits() {
        // The determinant is the product of the eigenvalues, and scales by the squares of the scales.
        let product =
            |scales: &[f64]| -> f64 { Eigen::of(matrix(scales, 50).as_ref()).values.iter().product() };
        let ratio = product(&[1e-7, 1.0, 1e6]) / product(&[1.0; 3]);
        assert!((ratio / 1e-2 - 1.0).abs() < 1e-11, "{ratio}");
    }

    #[test]
    fn nothing_has_none() {
        assert!(Eigen::of(Mat::zeros(3, 3).as_ref()).values.is_empty());
    }
}
