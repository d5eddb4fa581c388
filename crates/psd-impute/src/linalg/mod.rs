//! The few pieces of linear algebra that faer does not offer in the form needed here.
//!
//! Everything here gives the same bits for any number of threads: work is cut into pieces whose bounds do not depend on the
//! pool, each piece runs on one thread, and pieces are summed in order. (faer's own parallel kernels do not promise this, and
//! neither do its matrix operators, which use those kernels.)

mod cg;
mod cholesky;
mod eigen;
mod exponential;
mod lanes;
mod lbfgs;
mod products;
mod sines;
mod symmetric;

pub use cg::{CgInfo, CgParams, conjugate_gradient};
pub use cholesky::Cholesky;
pub use eigen::{eigenvalues, eigenvectors};
pub(crate) use exponential::{add_equal_normals, add_normals, normal_slopes};
pub(crate) use lanes::{
    add_square_lanes, factor_lanes, half_log_det_lanes, inverse_lanes, packed_row, squares_lanes,
    whiten_lanes, whiten_rows_lanes, whiten_transposed_lanes,
};
pub use lbfgs::{LbfgsInfo, LbfgsParams, lbfgs};
pub use products::{congruence, gram, times, trace, trace_product};
pub(crate) use products::{leave_vector_code, lower_product, mirror, parallel_lower_product, product, zeros};
pub(crate) use sines::sines_and_cosines;
pub(crate) use symmetric::unpack_into;
pub use symmetric::{Packed, pack, packed_len, unpack};

use faer::{MatMut, MatRef};

/// Inner product of two slices, summed in eight strands so that the compiler can use vector registers.
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

/// `log Σ exp(x)`, safe for any range; minus infinity for an empty slice. Terms too small to change the last bit are skipped: the
/// exponential of a number far below zero underflows, which takes ten times as long.
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let top = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    let term = |v: &f64| if *v - top < NOTHING { 0.0 } else { (v - top).exp() };
    top + x.iter().map(term).sum::<f64>().ln()
}

/// `1 / (1 + exp(-t))`, which is 0 and 1 at the infinities.
pub(crate) fn sigmoid(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

/// `exp(-60) ≈ 9e-27`: a million terms below it, added to one, still do not change the last bit.
const NOTHING: f64 = -60.0;

/// Whether every entry is finite; faer's norms ignore NaN.
pub(crate) fn is_finite(a: MatRef<'_, f64>) -> bool {
    a.col_iter().all(|column| column.iter().all(|x| x.is_finite()))
}

/// Returns a column of a column-major matrix as a slice. All matrices here are column-major; another layout is a bug of this crate.
pub(crate) fn column(a: MatRef<'_, f64>, j: usize) -> &[f64] {
    a.col(j).try_as_col_major().expect("a column-major matrix").as_slice()
}

/// Returns a column of a column-major matrix as a mutable slice.
pub(crate) fn column_mut(a: MatMut<'_, f64>, j: usize) -> &mut [f64] {
    a.col_mut(j).try_as_col_major_mut().expect("a column-major matrix").as_slice_mut()
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
        assert_eq!(log_sum_exp(&[3.0, -1e4]), 3.0);
        assert!(log_sum_exp(&[0.0, f64::NAN]).is_nan());
        assert_eq!(log_sum_exp(&[f64::NEG_INFINITY; 3]), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
    }
}
