//! The rows of `B`: `√κ_i C'A_iC`, packed.

use crate::linalg::{column_mut, lower_product, pack, packed_len, product, zeros};
use crate::objective::RowMatrices;
use faer::{Accum, Mat, MatRef};
use rayon::prelude::*;
use std::ops::Range;

/// Rows transformed in one product. Arbitrary.
const BATCH: usize = 16;

/// Number of rows to form at once, so that they take about 64 MiB (arbitrary).
pub(super) fn block(rank: usize, rows: usize) -> usize {
    ((8 << 20) / packed_len(rank)).clamp(BATCH, rows.max(BATCH))
}

/// `B'` for these rows, `p × rows`. `C'A_1 … C'A_k` is one product with the matrices side by side; of each `(C'A_i) C` only the lower
/// triangle is computed. Costs `3 l³` multiplications and additions per row.
pub(super) fn scaled_rows(
    term: &dyn RowMatrices,
    c: MatRef<'_, f64>,
    curvatures: &[f64],
    rows: Range<usize>,
) -> Mat<f64> {
    let (l, r) = (c.nrows(), c.ncols());
    let mut out = Mat::zeros(packed_len(r), rows.len());
    let buffers = || (zeros(l, BATCH * l), zeros(r, BATCH * l), zeros(r, r));
    out.par_col_chunks_mut(BATCH).enumerate().for_each_init(buffers, |(a, left, both), (k, mut out)| {
        let (start, n) = (rows.start + k * BATCH, out.ncols());
        let mut a = a.as_mut().subcols_mut(0, n * l);
        let mut left = left.as_mut().subcols_mut(0, n * l);
        term.matrices(start..start + n, a.as_mut());
        product(left.as_mut(), c.transpose(), a.as_ref());
        for i in 0..n {
            lower_product(both.as_mut(), Accum::Replace, left.as_ref().subcols(i * l, l), c);
            let weight = curvatures[start + i].sqrt();
            let packed = column_mut(out.as_mut(), i);
            pack(both.as_ref(), packed);
            packed.iter_mut().for_each(|x| *x *= weight);
        }
    });
    out
}

/// `B V` (`n × 2`): inner products with the columns of `b`.
pub(super) fn products(b: MatRef<'_, f64>, v: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(b.ncols(), v.ncols());
    out.par_row_chunks_mut(64).enumerate().for_each(|(k, out)| {
        let columns = b.subcols(64 * k, out.nrows());
        product(out, columns.transpose(), v);
    });
    out
}

/// `B' Y` (`p × 2`): combinations of the columns of `b`.
pub(super) fn combinations(b: MatRef<'_, f64>, y: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(b.nrows(), y.ncols());
    out.par_row_chunks_mut(512).enumerate().for_each(|(k, out)| {
        let rows = b.subrows(512 * k, out.nrows());
        product(out, rows, y);
    });
    out
}
