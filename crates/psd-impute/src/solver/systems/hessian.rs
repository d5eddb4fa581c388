//! The explicit Hessian `μI + B'B`, in packed symmetric coordinates.

use super::NewtonSystem;
use super::scaled_rows::{block, scaled_rows};
use crate::Result;
use crate::linalg::{Cholesky, pack, packed_len, parallel_lower_product, unpack};
use crate::objective::RowMatrices;
use faer::{Mat, MatRef};

pub(super) struct Hessian {
    factor: Cholesky,
    rank: usize,
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
        Ok(Self { factor: Cholesky::new(hessian, "the Hessian")?, rank })
    }
}

impl NewtonSystem for Hessian {
    fn solve(&self, rhs: MatRef<'_, f64>, _: f64) -> (Mat<f64>, usize) {
        let mut x = vec![0.0; packed_len(self.rank)];
        pack(rhs, &mut x);
        self.factor.solve_vector(&mut x);
        (unpack(&x, self.rank), 0)
    }
}
