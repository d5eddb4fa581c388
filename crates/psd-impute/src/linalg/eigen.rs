//! Eigenvalues and eigenvectors of symmetric matrices, on one thread.

use crate::{Error, Result};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

/// Eigenvalues in increasing order. `what` names the matrix in the error.
///
/// # Errors
///
/// [`Error::NotFinite`] if the decomposition fails or an eigenvalue is not finite.
pub fn eigenvalues(a: MatRef<'_, f64>, what: &'static str) -> Result<Vec<f64>> {
    Ok(decompose(a, what, ComputeEigenvectors::No)?.0)
}

/// Eigenvalues in increasing order, and the eigenvectors as columns.
///
/// # Errors
///
/// As for [`eigenvalues`].
pub fn eigenvectors(a: MatRef<'_, f64>, what: &'static str) -> Result<(Vec<f64>, Mat<f64>)> {
    decompose(a, what, ComputeEigenvectors::Yes)
}

fn decompose(
    a: MatRef<'_, f64>,
    what: &'static str,
    vectors: ComputeEigenvectors,
) -> Result<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    let mut values = Diag::zeros(n);
    let mut u = Mat::zeros(n, n);
    let mut memory =
        MemBuffer::new(self_adjoint_evd_scratch::<f64>(n, vectors, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    let wanted = matches!(vectors, ComputeEigenvectors::Yes).then(|| u.as_mut());
    self_adjoint_evd(a, values.as_mut(), wanted, Par::Seq, stack, Default::default())
        .map_err(|_| Error::NotFinite { what })?;
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    if values.iter().all(|x| x.is_finite()) { Ok((values, u)) } else { Err(Error::NotFinite { what }) }
}
