//! The rows of `B`: `√κ_i C'A_iC`, packed.

use crate::linalg::{column, pack, packed_len, product};
use crate::objective::RowMatrices;
use faer::{Mat, MatRef};
use rayon::prelude::*;
use std::ops::Range;

/// Rows transformed in one product.
const BATCH: usize = 16;

/// How many rows to form at once: about 64 MiB of them.
pub(super) fn block(rank: usize, rows: usize) -> usize {
    ((8 << 20) / packed_len(rank)).clamp(BATCH, rows.max(BATCH))
}

/// `p × rows`. `C'A_1 … C'A_k` is one product with the matrices side by side; transposed block by block, a second one gives
/// `C'A_iC`. Cost `4 l³` multiplications and additions a row.
pub(super) fn scaled_rows(
    term: &dyn RowMatrices,
    c: MatRef<'_, f64>,
    curvatures: &[f64],
    rows: Range<usize>,
) -> Mat<f64> {
    let (l, r) = (c.nrows(), c.ncols());
    let mut out = Mat::zeros(packed_len(r), rows.len());
    out.par_col_chunks_mut(BATCH).enumerate().for_each(|(k, mut out)| {
        let (start, n) = (rows.start + k * BATCH, out.ncols());
        let mut a = Mat::zeros(l, n * l);
        term.matrices(start..start + n, a.as_mut());
        let mut left = Mat::zeros(r, n * l);
        product(left.as_mut(), c.transpose(), a.as_ref());
        let mut turned = Mat::zeros(l, n * r);
        for i in 0..n {
            turned.as_mut().subcols_mut(i * r, r).copy_from(left.as_ref().subcols(i * l, l).transpose());
        }
        let mut both = Mat::zeros(r, n * r);
        product(both.as_mut(), c.transpose(), turned.as_ref());
        for i in 0..n {
            let weight = curvatures[start + i].sqrt();
            let mut packed = out.as_mut().col_mut(i);
            let Some(packed) = packed.as_mut().try_as_col_major_mut() else { continue };
            let packed = packed.as_slice_mut();
            pack(both.as_ref().subcols(i * r, r), packed);
            packed.iter_mut().for_each(|x| *x *= weight);
        }
    });
    out
}

/// `B v` for the columns of `b`: `n` inner products.
pub(super) fn products(b: MatRef<'_, f64>, v: &[f64]) -> Vec<f64> {
    (0..b.ncols()).into_par_iter().with_min_len(16).map(|i| crate::linalg::dot(column(b, i), v)).collect()
}

/// `B' y`: a combination of the columns of `b`.
pub(super) fn combination(b: MatRef<'_, f64>, y: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; b.nrows()];
    out.par_chunks_mut(512).enumerate().for_each(|(k, out)| {
        for (i, y) in y.iter().enumerate() {
            out.iter_mut().zip(&column(b, i)[512 * k..]).for_each(|(out, x)| *out += y * x);
        }
    });
    out
}
