//! Conjugate gradients on `μI + B'B`, which is the Hessian preconditioned by `Q ⊗ Q`; only the two linear maps are needed.

use super::NewtonSystem;
use crate::linalg::{CgParams, congruence, conjugate_gradient, pack, packed_len, unpack};
use crate::objective::DataTerm;
use faer::{Mat, MatRef};

pub(super) struct Pcg<'a> {
    term: &'a dyn DataTerm,
    c: MatRef<'a, f64>,
    curvatures: Vec<f64>,
    mu: f64,
}

impl<'a> Pcg<'a> {
    pub(super) fn new(term: &'a dyn DataTerm, c: MatRef<'a, f64>, curvatures: Vec<f64>, mu: f64) -> Self {
        Self { term, c, curvatures, mu }
    }

    /// `μX + C' [Σ κ_i tr(A_i CXC') A_i] C`.
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        let direction = congruence(self.c.transpose(), unpack(x, self.c.ncols()).as_ref());
        let mut values = vec![0.0; self.term.rows()];
        self.term.values(direction.as_ref(), &mut values);
        values.iter_mut().zip(&self.curvatures).for_each(|(v, k)| *v *= k);
        let mut image = Mat::zeros(self.c.nrows(), self.c.nrows());
        self.term.adjoint(&values, image.as_mut());
        pack(congruence(self.c, image.as_ref()).as_ref(), out);
        out.iter_mut().zip(x).for_each(|(out, x)| *out += self.mu * x);
    }
}

impl NewtonSystem for Pcg<'_> {
    fn solve(&self, rhs: MatRef<'_, f64>, tolerance: f64) -> (Mat<f64>, usize) {
        let rank = self.c.ncols();
        let mut r = vec![0.0; packed_len(rank)];
        pack(rhs, &mut r);
        // The theory's bound with room to spare: √(1 + 1/μ) iterations for each factor of e.
        let bound = 20.0 + (1.0 + 1.0 / self.mu).sqrt() * (2.0 / tolerance).ln();
        let params = CgParams { tolerance, max_iterations: bound.min(1e4) as usize };
        let (x, info) = conjugate_gradient(|v, out| self.apply(v, out), &r, params);
        (unpack(&x, rank), info.iterations)
    }
}
