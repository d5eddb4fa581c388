//! Products and factors of small matrices, on one thread.

use crate::Result;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::traits::pulp::{Arch, Simd, WithSimd};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use psd_impute::Error;

/// Inner product of two slices, summed in eight strands so that the compiler can use vector registers.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
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

/// `tr(A)`.
pub(crate) fn trace(a: MatRef<'_, f64>) -> f64 {
    (0..a.nrows()).map(|i| a[(i, i)]).sum()
}

/// `A B`.
pub(crate) fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    leave_vector_code();
    out
}

/// `A A'`, symmetric to the last bit.
pub(crate) fn gram(a: MatRef<'_, f64>) -> Mat<f64> {
    use BlockStructure::{Rectangular, TriangularLower};
    let mut out = zeros(a.nrows(), a.nrows());
    let lower = out.as_mut();
    triangular::matmul(
        lower,
        TriangularLower,
        Accum::Replace,
        a,
        Rectangular,
        a.transpose(),
        Rectangular,
        1.0,
        Par::Seq,
    );
    leave_vector_code();
    for j in 0..out.ncols() {
        for i in j + 1..out.nrows() {
            out[(j, i)] = out[(i, j)];
        }
    }
    out
}

/// Eigenvalues of a symmetric matrix in increasing order. `what` names the matrix in the error.
pub(crate) fn eigenvalues(a: MatRef<'_, f64>, what: &'static str) -> Result<Vec<f64>> {
    Ok(decompose(a, what, ComputeEigenvectors::No)?.0)
}

/// Eigenvalues in increasing order, and the eigenvectors as columns.
pub(crate) fn eigenvectors(a: MatRef<'_, f64>, what: &'static str) -> Result<(Vec<f64>, Mat<f64>)> {
    decompose(a, what, ComputeEigenvectors::Yes)
}

fn decompose(
    a: MatRef<'_, f64>,
    what: &'static str,
    vectors: ComputeEigenvectors,
) -> Result<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    let (mut values, mut u) = (Diag::zeros(n), Mat::zeros(n, n));
    let scratch = self_adjoint_evd_scratch::<f64>(n, vectors, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let wanted = matches!(vectors, ComputeEigenvectors::Yes).then(|| u.as_mut());
    self_adjoint_evd(a, values.as_mut(), wanted, Par::Seq, stack, Default::default())
        .map_err(|_| Error::NotFinite { what })?;
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    if values.iter().all(|x| x.is_finite()) { Ok((values, u)) } else { Err(Error::NotFinite { what })? }
}

/// The lower Cholesky factor `L` of a positive definite matrix `A = L L'`.
#[derive(Debug)]
pub(crate) struct Cholesky {
    factor: Mat<f64>,
}

impl Cholesky {
    /// Factors `a`, of which only the lower triangle is read. `what` names the matrix in the error.
    pub(crate) fn new(a: Mat<f64>, what: &'static str) -> Result<Self> {
        let mut factor = a;
        let scratch = cholesky_in_place_scratch::<f64>(factor.nrows(), Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        let outcome =
            cholesky_in_place(factor.as_mut(), Default::default(), Par::Seq, stack, Default::default());
        leave_vector_code();
        if let Err(LltError::NonPositivePivot { index: pivot }) = outcome {
            Err(Error::NotPositiveDefinite { what, pivot })?;
        }
        // A NaN passes the pivot test.
        match (0..factor.nrows()).find(|&i| !factor[(i, i)].is_finite()) {
            Some(pivot) => Err(Error::NotPositiveDefinite { what, pivot })?,
            None => Ok(Self { factor }),
        }
    }

    /// An element of the diagonal of `L`.
    pub(crate) fn pivot(&self, k: usize) -> f64 {
        self.factor[(k, k)]
    }

    /// `L⁻ᵀ B` in place.
    pub(crate) fn whiten_transposed(&self, b: MatMut<'_, f64>) {
        solve_upper_triangular_in_place(self.factor.transpose(), b, Par::Seq);
        leave_vector_code();
    }

    /// `A⁻¹ b` in place.
    pub(crate) fn solve_vector(&self, b: &mut [f64]) {
        let n = b.len();
        let mut b = MatMut::from_column_major_slice_mut(b, n, 1);
        solve_lower_triangular_in_place(self.factor.as_ref(), b.as_mut(), Par::Seq);
        self.whiten_transposed(b);
    }
}

/// A matrix of zeros whose padding below each column is zero too: faer multiplies the padding of a left operand and drops the result, and
/// leftover memory read as subnormal numbers makes a product thirty times slower.
fn zeros(rows: usize, columns: usize) -> Mat<f64> {
    let mut out = Mat::zeros(rows.next_multiple_of(8), columns);
    out.truncate(rows, columns);
    out
}

/// Clears the upper halves of the vector registers. faer's kernels leave them in use, and until they are cleared, code compiled for plain
/// SSE runs several times slower. A function compiled for wide registers that touches one ends by clearing them.
fn leave_vector_code() {
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
