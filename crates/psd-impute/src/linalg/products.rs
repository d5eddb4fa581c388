//! Products of matrices.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::traits::pulp::{Arch, Simd, WithSimd};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Largest number of columns in one piece of a large product. Arbitrary.
const STRIP: usize = 128;

/// `tr(AB)` of two symmetric matrices.
pub fn trace_product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    (0..a.ncols()).map(|j| (0..a.nrows()).map(|i| a[(i, j)] * b[(i, j)]).sum::<f64>()).sum()
}

/// `tr(A)`.
pub fn trace(a: MatRef<'_, f64>) -> f64 {
    (0..a.nrows()).map(|i| a[(i, i)]).sum()
}

/// A matrix of zeros whose padding below each column is zero too. faer multiplies the padding of a left operand and drops the result;
/// leftover memory read as subnormal numbers makes a product thirty times slower.
pub(crate) fn zeros(rows: usize, columns: usize) -> Mat<f64> {
    let mut out = Mat::zeros(rows.next_multiple_of(8), columns);
    out.truncate(rows, columns);
    out
}

/// `A B`, on one thread.
pub fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = zeros(a.nrows(), b.ncols());
    product(out.as_mut(), a, b);
    out
}

/// Writes `A B`, on one thread.
pub(crate) fn product(out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    matmul(out, Accum::Replace, a, b, 1.0, Par::Seq);
    leave_vector_code();
}

/// Clears the upper halves of the vector registers; must be called after each of faer's products. Its kernels leave them in use without
/// the required `vzeroupper`, and until one is executed, code compiled for plain SSE (ours and the library's `exp`) runs several times
/// slower. A function compiled for wide registers that touches one ends with that instruction.
pub(crate) fn leave_vector_code() {
    struct Touch;
    impl WithSimd for Touch {
        type Output = ();
        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            std::hint::black_box(simd.splat_f64s(0.0));
        }
    }
    Arch::new().dispatch(Touch);
}

/// `C' A C` for a symmetric `A`, symmetric to the last bit.
pub fn congruence(c: MatRef<'_, f64>, a: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = zeros(c.ncols(), c.ncols());
    lower_product(out.as_mut(), Accum::Replace, c.transpose(), times(a, c).as_ref());
    mirror(out.as_mut());
    out
}

/// `A A'`, symmetric to the last bit.
pub fn gram(a: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = zeros(a.nrows(), a.nrows());
    lower_product(out.as_mut(), Accum::Replace, a, a.transpose());
    mirror(out.as_mut());
    out
}

/// Lower triangle of a product that is known to be symmetric, on one thread; half the work of the full product.
pub(crate) fn lower_product(out: MatMut<'_, f64>, how: Accum, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    use BlockStructure::{Rectangular, TriangularLower};
    triangular::matmul(out, TriangularLower, how, a, Rectangular, b, Rectangular, 1.0, Par::Seq);
    leave_vector_code();
}

/// `out + sign · A B` where the result is symmetric, for large matrices, on all threads: strips of columns from the diagonal down.
/// Entries above the diagonal are meaningless afterwards.
pub(crate) fn parallel_lower_product(
    out: MatMut<'_, f64>,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    sign: f64,
) {
    let strip = out.ncols().div_ceil(8).next_multiple_of(8).clamp(32, STRIP);
    out.par_col_chunks_mut(strip).enumerate().for_each(|(k, columns)| {
        let (top, width) = (k * strip, columns.ncols());
        let below = a.nrows() - top;
        let (a, b) = (a.subrows(top, below), b.subcols(top, width));
        matmul(columns.subrows_mut(top, below), Accum::Add, a, b, sign, Par::Seq);
        leave_vector_code();
    });
}

/// Copies the lower triangle onto the upper one.
pub(crate) fn mirror(mut a: MatMut<'_, f64>) {
    for j in 0..a.ncols() {
        for i in j + 1..a.nrows() {
            a[(j, i)] = a[(i, j)];
        }
    }
}
