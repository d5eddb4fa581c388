//! Symmetric matrices as vectors.
//!
//! A symmetric `l × l` matrix is packed column by column from its lower triangle, off-diagonal entries times √2, into a
//! vector of length `l(l+1)/2`. The inner product of two packed matrices is then `tr(AB)`.

use faer::{Mat, MatMut, MatRef};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// A packed symmetric matrix.
pub type Packed = Vec<f64>;

/// The length of a packed `l × l` matrix.
pub fn packed_len(l: usize) -> usize {
    l * (l + 1) / 2
}

/// Packs the lower triangle of `a` into `out`.
pub fn pack(a: MatRef<'_, f64>, out: &mut [f64]) {
    let mut rest = out;
    for j in 0..a.ncols() {
        let (head, tail) = rest.split_at_mut(a.nrows() - j);
        head[0] = a[(j, j)];
        for (k, x) in head.iter_mut().enumerate().skip(1) {
            *x = SQRT_2 * a[(j + k, j)];
        }
        rest = tail;
    }
}

/// Returns the symmetric matrix of order `l` that `packed` holds.
pub fn unpack(packed: &[f64], l: usize) -> Mat<f64> {
    let mut out = super::zeros(l, l);
    unpack_into(packed, out.as_mut());
    out
}

/// Writes the symmetric matrix that `packed` holds.
pub(crate) fn unpack_into(packed: &[f64], mut out: MatMut<'_, f64>) {
    let l = out.nrows();
    let mut rest = packed;
    for j in 0..l {
        let (head, tail) = rest.split_at(l - j);
        out[(j, j)] = head[0];
        for (k, x) in head.iter().enumerate().skip(1) {
            out[(j + k, j)] = FRAC_1_SQRT_2 * x;
            out[(j, j + k)] = FRAC_1_SQRT_2 * x;
        }
        rest = tail;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{dot, trace_product};

    #[test]
    fn packing_keeps_the_inner_product_and_unpacks() {
        let a = Mat::from_fn(4, 4, |i, j| ((i * j) as f64).cos() + (i + j) as f64);
        let b = Mat::from_fn(4, 4, |i, j| 1.0 / (1.0 + (i + j) as f64));
        let (mut pa, mut pb) = (vec![0.0; packed_len(4)], vec![0.0; packed_len(4)]);
        pack(a.as_ref(), &mut pa);
        pack(b.as_ref(), &mut pb);
        assert!((dot(&pa, &pb) - trace_product(a.as_ref(), b.as_ref())).abs() < 1e-13);
        assert!((unpack(&pa, 4) - &a).norm_max() < 1e-15);
    }
}
