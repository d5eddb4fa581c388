//! The Sherman-Morrison-Woodbury formula: `μ (μI + B'B)⁻¹ = I - B'(μI + BB')⁻¹B`, at the cost of an `n × n` factor.

use super::NewtonSystem;
use super::scaled_rows::{combination, products, scaled_rows};
use crate::Result;
use crate::linalg::{Cholesky, pack, packed_len, parallel_lower_product, unpack};
use crate::objective::RowMatrices;
use faer::{Mat, MatRef};

pub(super) struct Woodbury {
    /// `p × n`: a row of `B` a column.
    b: Mat<f64>,
    factor: Cholesky,
    mu: f64,
    rank: usize,
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
        Ok(Self { b, factor, mu, rank: c.ncols() })
    }

    fn apply_inverse(&self, rhs: &[f64]) -> Vec<f64> {
        let mut y = products(self.b.as_ref(), rhs);
        self.factor.solve_vector(&mut y);
        rhs.iter().zip(combination(self.b.as_ref(), &y)).map(|(r, c)| (r - c) / self.mu).collect()
    }
}

impl NewtonSystem for Woodbury {
    /// The formula subtracts two numbers whose difference is `μ` times smaller; one step of refinement restores the digits.
    fn solve(&self, rhs: MatRef<'_, f64>, _: f64) -> (Mat<f64>, usize) {
        let mut r = vec![0.0; packed_len(self.rank)];
        pack(rhs, &mut r);
        let mut x = self.apply_inverse(&r);
        let image = combination(self.b.as_ref(), &products(self.b.as_ref(), &x));
        let residual: Vec<f64> = r.iter().zip(&x).zip(image).map(|((r, x), i)| r - self.mu * x - i).collect();
        x.iter_mut().zip(self.apply_inverse(&residual)).for_each(|(x, dx)| *x += dx);
        (unpack(&x, self.rank), 0)
    }
}
