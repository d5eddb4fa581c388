//! The Sherman-Morrison-Woodbury formula: `μ (μI + B'B)⁻¹ = I - B'(μI + BB')⁻¹B`, at the cost of factoring an `n × n` matrix.

use super::scaled_rows::{combinations, products, scaled_rows};
use super::{NewtonSystem, side_by_side, tangent};
use crate::Result;
use crate::linalg::{Cholesky, Packed, parallel_lower_product};
use crate::objective::RowMatrices;
use faer::{Mat, MatRef, Scale};

pub(super) struct Woodbury {
    /// `B'`, `p × n`.
    b: Mat<f64>,
    factor: Cholesky,
    mu: f64,
}

impl Woodbury {
    pub(super) fn new(
        term: &dyn RowMatrices,
        c: MatRef<'_, f64>,
        curvatures: &[f64],
        mu: f64,
    ) -> Result<Self> {
        let n = curvatures.len();
        let b = scaled_rows(term, c, curvatures, 0..n);
        let mut inner = Mat::zeros(n, n);
        parallel_lower_product(inner.as_mut(), b.transpose(), b.as_ref(), 1.0);
        for i in 0..n {
            inner[(i, i)] += mu;
        }
        let factor = Cholesky::new(inner, "the Woodbury matrix")?;
        Ok(Self { b, factor, mu })
    }

    fn apply_inverse(&self, rhs: MatRef<'_, f64>) -> Mat<f64> {
        let mut y = products(self.b.as_ref(), rhs);
        self.factor.solve(y.as_mut());
        (rhs - combinations(self.b.as_ref(), y.as_ref())) * Scale(1.0 / self.mu)
    }
}

impl NewtonSystem for Woodbury {
    /// The formula subtracts two numbers whose difference is smaller by the factor `μ`; one step of refinement restores the digits.
    fn solve(&self, residual: &[f64], h: &[f64], _: f64) -> (Packed, usize) {
        let rhs = side_by_side(residual, h);
        let mut x = self.apply_inverse(rhs.as_ref());
        let image = combinations(self.b.as_ref(), products(self.b.as_ref(), x.as_ref()).as_ref());
        x += self.apply_inverse((rhs - &x * Scale(self.mu) - image).as_ref());
        (tangent(x.as_ref(), h), 0)
    }
}
