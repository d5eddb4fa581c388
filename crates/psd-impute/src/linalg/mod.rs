//! The few pieces of linear algebra that faer does not have in our shape.
//!
//! Everything here gives the same bits for any number of threads: work is cut into pieces whose bounds do not
//! depend on the pool, and pieces are summed in order.

mod cg;
mod cholesky;
mod symmetric;

pub use cg::{CgInfo, CgParams, conjugate_gradient};
pub use cholesky::Cholesky;
pub use symmetric::{Packed, pack, packed_len, unpack};

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// The inner product of two slices, in four strands so that the compiler can use vector registers.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut strands = [0.0; 8];
    let (a8, b8) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a8.zip(b8) {
        for k in 0..8 {
            strands[k] += x[k] * y[k];
        }
    }
    strands.iter().sum::<f64>() + tail
}

/// `log Σ exp(x)`, safe for any range; minus infinity for nothing.
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let top = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + x.iter().map(|v| (v - top).exp()).sum::<f64>().ln()
}

/// `tr(AB)` of two symmetric matrices.
pub fn trace_product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)] * b[(i, j)]).sum::<f64>()).sum()
}

/// `tr(A)`.
pub fn trace(a: MatRef<'_, f64>) -> f64 {
    (0..a.nrows()).map(|i| a[(i, i)]).sum()
}

/// `C' A C` for a symmetric `A`, symmetric to the last bit.
pub fn congruence(c: MatRef<'_, f64>, a: MatRef<'_, f64>) -> Mat<f64> {
    let ac = a * c;
    let mut out = Mat::zeros(c.ncols(), c.ncols());
    lower_product(out.as_mut(), Accum::Replace, c.transpose(), ac.as_ref(), Par::rayon(0));
    mirror(out.as_mut());
    out
}

/// `A A'`, symmetric to the last bit.
pub fn gram(a: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), a.nrows());
    lower_product(out.as_mut(), Accum::Replace, a, a.transpose(), Par::rayon(0));
    mirror(out.as_mut());
    out
}

/// The lower triangle of a product that is known to be symmetric; half the work of the whole.
pub(crate) fn lower_product(
    out: MatMut<'_, f64>,
    how: Accum,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    par: Par,
) {
    use BlockStructure::{Rectangular, TriangularLower};
    triangular::matmul(out, TriangularLower, how, a, Rectangular, b, Rectangular, 1.0, par);
}

/// A plain product.
pub(crate) fn product(out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>, par: Par) {
    matmul(out, Accum::Replace, a, b, 1.0, par);
}

/// Copies the lower triangle onto the upper one.
pub(crate) fn mirror(mut a: MatMut<'_, f64>) {
    for j in 0..a.ncols() {
        for i in j + 1..a.nrows() {
            a[(j, i)] = a[(i, j)];
        }
    }
}

/// A column of a column-major matrix as a slice.
pub(crate) fn column(a: MatRef<'_, f64>, j: usize) -> &[f64] {
    a.col(j).try_as_col_major().map(|c| c.as_slice()).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_agrees_with_the_plain_sum() {
        for n in [0, 1, 7, 8, 9, 40] {
            let a: Vec<f64> = (0..n).map(|i| i as f64).collect();
            assert_eq!(dot(&a, &a), a.iter().map(|x| x * x).sum::<f64>());
        }
    }

    #[test]
    fn log_sum_exp_survives_any_scale() {
        assert!((log_sum_exp(&[-1e4, -1e4]) - (-1e4 + 2f64.ln())).abs() < 1e-12);
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 3]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    }
}
