//! Cholesky factors `A = L L'`.

use crate::linalg::{leave_vector_code, parallel_lower_product};
use crate::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// The lower Cholesky factor of a positive definite matrix.
#[derive(Debug, Clone)]
pub struct Cholesky {
    factor: Mat<f64>,
}

impl Cholesky {
    /// Factors `a`, of which only the lower triangle is read. `what` names the matrix in the error.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`] with the first pivot that is not positive and finite.
    pub fn new(a: Mat<f64>, what: &'static str) -> Result<Self> {
        let mut factor = a;
        factor_blocks(factor.as_mut()).map_err(|pivot| Error::NotPositiveDefinite { what, pivot })?;
        for j in 1..factor.ncols() {
            factor.col_mut(j).subrows_mut(0, j).fill(0.0);
        }
        // A NaN passes the pivot test.
        match (0..factor.nrows()).find(|&i| !factor[(i, i)].is_finite()) {
            Some(pivot) => Err(Error::NotPositiveDefinite { what, pivot }),
            None => Ok(Self { factor }),
        }
    }

    /// `L`, with zeros above the diagonal.
    pub fn factor(&self) -> MatRef<'_, f64> {
        self.factor.as_ref()
    }

    /// Returns `L` by value.
    pub(crate) fn into_factor(self) -> Mat<f64> {
        self.factor
    }

    /// `log det A`.
    pub fn log_det(&self) -> f64 {
        2.0 * (0..self.factor.nrows()).map(|i| self.factor[(i, i)].ln()).sum::<f64>()
    }

    /// `L⁻¹ B` in place.
    pub fn whiten(&self, b: MatMut<'_, f64>) {
        solve_lower_triangular_in_place(self.factor(), b, Par::Seq);
        leave_vector_code();
    }

    /// `L⁻ᵀ B` in place.
    pub fn whiten_transposed(&self, b: MatMut<'_, f64>) {
        solve_upper_triangular_in_place(self.factor().transpose(), b, Par::Seq);
        leave_vector_code();
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

/// Number of columns factored at once. Arbitrary.
const BLOCK: usize = 128;

/// Right-looking by blocks: factor the diagonal block, solve for the panel below it (in pieces of rows), and subtract the panel's
/// square from the remainder (in strips of columns). The error is the first bad pivot.
fn factor_blocks(mut a: MatMut<'_, f64>) -> std::result::Result<(), usize> {
    let mut start = 0;
    while start < a.nrows() {
        let rest = a.as_mut().get_mut(start.., start..);
        let width = BLOCK.min(rest.nrows());
        let (mut diagonal, _, mut panel, remainder) = rest.split_at_mut(width, width);
        factor_diagonal(diagonal.as_mut()).map_err(|pivot| start + pivot)?;
        let l = diagonal.as_ref();
        panel.as_mut().par_row_chunks_mut(BLOCK).for_each(|rows| {
            solve_lower_triangular_in_place(l, rows.transpose_mut(), Par::Seq);
            leave_vector_code();
        });
        let panel = panel.as_ref();
        parallel_lower_product(remainder, panel, panel.transpose(), -1.0);
        start += width;
    }
    Ok(())
}

fn factor_diagonal(a: MatMut<'_, f64>) -> std::result::Result<(), usize> {
    let mut memory =
        MemBuffer::new(cholesky_in_place_scratch::<f64>(a.nrows(), Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    let outcome = cholesky_in_place(a, Default::default(), Par::Seq, stack, Default::default());
    leave_vector_code();
    match outcome {
        Ok(_) => Ok(()),
        Err(LltError::NonPositivePivot { index }) => Err(index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_reproduce_the_matrix() {
        let root = Mat::from_fn(333, 400, |i, j| ((i * 7 + j * 13) % 31) as f64 / 31.0 + f64::from(i == j));
        let a = crate::linalg::gram(root.as_ref());
        let factor = Cholesky::new(a.clone(), "a").unwrap();
        let again = crate::linalg::gram(factor.factor());
        assert!((&again - &a).norm_max() < 1e-13 * a.norm_max());
    }

    #[test]
    fn solves_and_names_the_bad_pivot() {
        let a = Mat::from_fn(3, 3, |i, j| if i == j { 3.0 } else { 1.0 });
        let mut x = vec![1.0, 2.0, 3.0];
        let factor = Cholesky::new(a.clone(), "a").unwrap();
        factor.solve_vector(&mut x);
        let b: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[(i, j)] * x[j]).sum()).collect();
        assert!(b.iter().zip([1.0, 2.0, 3.0]).all(|(u, v)| (u - v).abs() < 1e-14));
        assert!((factor.log_det() - 20f64.ln()).abs() < 1e-14);

        let mut bad = Mat::<f64>::identity(3, 3);
        bad[(1, 1)] = -1.0;
        let error = Cholesky::new(bad, "metric").unwrap_err();
        assert_eq!(error, Error::NotPositiveDefinite { what: "metric", pivot: 1 });
        let mut large = Mat::<f64>::identity(300, 300);
        large[(290, 290)] = 0.0;
        assert_eq!(
            Cholesky::new(large, "a").unwrap_err(),
            Error::NotPositiveDefinite { what: "a", pivot: 290 }
        );
        let nan = Cholesky::new(Mat::from_fn(2, 2, |_, _| f64::NAN), "metric");
        assert!(nan.is_err());
    }
}
