//! Cholesky factors `A = L L'`.

use crate::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, MatRef, Par};

/// The lower Cholesky factor of a positive definite matrix.
#[derive(Debug, Clone)]
pub struct Cholesky {
    factor: Mat<f64>,
}

impl Cholesky {
    /// Factors `a`, of which only the lower triangle is read. `what` names the matrix in the error.
    pub fn new(a: Mat<f64>, what: &'static str, par: Par) -> Result<Self> {
        let mut factor = a;
        let n = factor.nrows();
        if n > 0 {
            let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, par, Default::default()));
            let stack = MemStack::new(&mut memory);
            cholesky_in_place(factor.as_mut(), Default::default(), par, stack, Default::default()).map_err(
                |faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index }| {
                    Error::NotPositiveDefinite { what, pivot: index }
                },
            )?;
        }
        for j in 1..n {
            for i in 0..j {
                factor[(i, j)] = 0.0;
            }
        }
        // A NaN passes the pivot test.
        match (0..n).find(|&i| !factor[(i, i)].is_finite()) {
            Some(pivot) => Err(Error::NotPositiveDefinite { what, pivot }),
            None => Ok(Self { factor }),
        }
    }

    /// `L`, with zeros above the diagonal.
    pub fn factor(&self) -> MatRef<'_, f64> {
        self.factor.as_ref()
    }

    /// `log det A`.
    pub fn log_det(&self) -> f64 {
        2.0 * (0..self.factor.nrows()).map(|i| self.factor[(i, i)].ln()).sum::<f64>()
    }

    /// `L⁻¹ B` in place.
    pub fn whiten(&self, b: MatMut<'_, f64>) {
        solve_lower_triangular_in_place(self.factor(), b, Par::Seq);
    }

    /// `L⁻ᵀ B` in place.
    pub fn whiten_transposed(&self, b: MatMut<'_, f64>) {
        solve_upper_triangular_in_place(self.factor().transpose(), b, Par::Seq);
    }

    /// `A⁻¹ B` in place.
    pub fn solve(&self, mut b: MatMut<'_, f64>) {
        self.whiten(b.as_mut());
        self.whiten_transposed(b);
    }

    /// `A⁻¹ b` for one vector.
    pub fn solve_vector(&self, b: &mut [f64]) {
        let n = b.len();
        self.solve(MatMut::from_column_major_slice_mut(b, n, 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_names_the_bad_pivot() {
        let a = Mat::from_fn(3, 3, |i, j| if i == j { 3.0 } else { 1.0 });
        let mut x = vec![1.0, 2.0, 3.0];
        let factor = Cholesky::new(a.clone(), "a", Par::Seq).unwrap();
        factor.solve_vector(&mut x);
        let b: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[(i, j)] * x[j]).sum()).collect();
        assert!(b.iter().zip([1.0, 2.0, 3.0]).all(|(u, v)| (u - v).abs() < 1e-14));
        assert!((factor.log_det() - 20f64.ln()).abs() < 1e-14);

        let mut bad = Mat::<f64>::identity(3, 3);
        bad[(1, 1)] = -1.0;
        let error = Cholesky::new(bad, "metric", Par::Seq).unwrap_err();
        assert_eq!(error, Error::NotPositiveDefinite { what: "metric", pivot: 1 });
        let nan = Cholesky::new(Mat::from_fn(2, 2, |_, _| f64::NAN), "metric", Par::Seq);
        assert!(nan.is_err());
    }
}
