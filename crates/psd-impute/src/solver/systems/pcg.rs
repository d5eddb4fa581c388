//! Conjugate gradients on `μI + B'B`, which is the Hessian preconditioned by `Q ⊗ Q`; only the two linear maps are needed.

use super::NewtonSystem;
use crate::linalg::{CgParams, Packed, congruence, conjugate_gradient, dot, pack, unpack, zeros};
use crate::objective::DataTerm;
use faer::MatRef;

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
        let mut image = zeros(self.c.nrows(), self.c.nrows());
        self.term.adjoint(&values, image.as_mut());
        pack(congruence(self.c, image.as_ref()).as_ref(), out);
        out.iter_mut().zip(x).for_each(|(out, x)| *out += self.mu * x);
    }
}

impl NewtonSystem for Pcg<'_> {
    /// Works within the plane `⟨H, X⟩ = 0`, where the condition number is no worse: one solve instead of two.
    fn solve(&self, residual: &[f64], h: &[f64], tolerance: f64) -> (Packed, usize) {
        let mut r = residual.to_vec();
        project(&mut r, h);
        // The theoretical bound with some room: √(1 + 1/μ) iterations per factor of e.
        let bound = 20.0 + (1.0 + 1.0 / self.mu).sqrt() * (2.0 / tolerance).ln();
        let params = CgParams { tolerance, max_iterations: bound.min(1e4) as usize };
        let apply = |v: &[f64], out: &mut [f64]| {
            self.apply(v, out);
            project(out, h);
        };
        // Run inside the pool: from outside, each pass would put the calling thread to sleep and wake it up again.
        let (x, info) = rayon::scope(|_| conjugate_gradient(apply, &r, params));
        (x, info.iterations)
    }
}

/// Subtracts the component along `h` from `v`.
fn project(v: &mut [f64], h: &[f64]) {
    let along = dot(h, v) / dot(h, h);
    v.iter_mut().zip(h).for_each(|(v, h)| *v -= along * h);
}
