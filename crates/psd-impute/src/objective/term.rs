//! The data term as two linear maps.

use faer::{MatMut, MatRef};
use std::ops::Range;

/// The matrices `A_i` of `n` rows, accessed only through linear maps. How they are held (stored, grouped by pattern; later streamed
/// from disk or spread over machines) is up to the implementation.
///
/// Implementations give the same bits for any number of threads.
pub trait DataTerm: Send + Sync {
    /// The number of rows `n`.
    fn rows(&self) -> usize;

    /// The number of anchors `l`.
    fn order(&self) -> usize;

    /// Writes `tr(Q A_i)` for every row.
    fn values(&self, q: MatRef<'_, f64>, out: &mut [f64]);

    /// Writes `Σ c_i A_i`, symmetric to the last bit.
    fn adjoint(&self, c: &[f64], out: MatMut<'_, f64>);

    /// Access to single matrices, for the direct Newton systems; `None` for a term that only streams its rows, which is then solved by
    /// conjugate gradients.
    fn row_matrices(&self) -> Option<&dyn RowMatrices> {
        None
    }

    /// Cost of one call of [`values`](Self::values), in multiplications at the rate of a matrix product.
    fn pass_cost(&self) -> f64;
}

/// Access to the matrices of single rows.
pub trait RowMatrices: Sync {
    /// Writes the matrices of the given rows side by side: `l × (rows · l)`.
    fn matrices(&self, rows: Range<usize>, out: MatMut<'_, f64>);
}

/// Cuts `0..n` into at most `pieces` ranges of nearly equal length. The cut depends only on `n` and `pieces`, so sums taken range by
/// range do not depend on the number of threads.
pub(crate) fn ranges(n: usize, pieces: usize) -> Vec<Range<usize>> {
    let pieces = pieces.min(n);
    (0..pieces).map(|k| k * n / pieces..(k + 1) * n / pieces).collect()
}
