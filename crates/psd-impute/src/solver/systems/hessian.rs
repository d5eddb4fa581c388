//! The explicit Hessian `μI + B'B`, in packed symmetric coordinates.

use super::scaled_rows::{block, scaled_rows};
use super::{NewtonSystem, side_by_side, tangent};
use crate::Result;
use crate::linalg::{Cholesky, Packed, packed_len, parallel_lower_product};
use crate::objective::RowMatrices;
use faer::{Mat, MatRef};

pub(super) struct Hessian {
    factor: Cholesky,
}

impl Hessian {
    pub(super) fn new(
        term: &dyn RowMatrices,
        c: MatRef<'_, f64>,
        curvatures: &[f64],
        mu: f64,
    ) -> Result<Self> {
        let (rank, n) = (c.ncols(), curvatures.len());
        let p = packed_len(rank);
        let mut hessian = Mat::zeros(p, p);
        for k in 0..p {
            hessian[(k, k)] = mu;
        }
        let size = block(rank, n);
        for start in (0..n).step_by(size) {
            let b = scaled_rows(term, c, curvatures, start..(start + size).min(n));
            parallel_lower_product(hessian.as_mut(), b.as_ref(), b.transpose(), 1.0);
        }
        Ok(Self { factor: Cholesky::new(hessian, "the Hessian")? })
    }
}

impl NewtonSystem for Hessian {
    fn solve(&self, residual: &[f64], h: &[f64], _: f64) -> (Packed, usize) {
        let mut x = side_by_side(residual, h);
        self.factor.solve(x.as_mut());
        (tangent(x.as_ref(), h), 0)
    }
}
