//! The current point.

use super::basis::Basis;
use super::step::NewtonStep;
use crate::Result;
use crate::linalg::{Cholesky, congruence, gram, is_finite, times, trace, trace_product};
use crate::objective::Objective;
use faer::{Mat, MatRef, Scale};

/// `Q = C C'` with `C = V R`, and the quantities evaluated there.
pub(super) struct Iterate {
    v: Mat<f64>,
    /// Lower triangular, `r × r`.
    r: Mat<f64>,
    /// `l × r`.
    c: Mat<f64>,
    q: Mat<f64>,
    /// `tr(Q A_i)`.
    t: Vec<f64>,
    /// `C'HC`, trace 1.
    hs: Mat<f64>,
    /// `C'∇F C`.
    gs: Mat<f64>,
    omega: f64,
}

impl Iterate {
    /// The cold start `I / tr(H)`, on the range of `H`.
    pub(super) fn cold(objective: &Objective, basis: &Basis) -> Result<Self> {
        Self::at(objective, basis.v(), Mat::identity(basis.rank(), basis.rank()))
    }

    /// A warm start from a given `Q`, moved into the cone by mixing in one hundredth (arbitrary) of the cold start.
    pub(super) fn warm(objective: &Objective, basis: &Basis, q: MatRef<'_, f64>) -> Result<Self> {
        if (q.nrows(), q.ncols()) != (objective.order(), objective.order()) {
            let (found, expected) = (q.nrows(), objective.order());
            return Err(crate::Error::Shape { what: "order of the starting Q", found, expected });
        }
        let mass = trace_product(q, objective.h());
        let mut inside = congruence(basis.v(), q) * Scale(0.99 / mass);
        let room = 0.01 / trace(congruence(basis.v(), objective.h()).as_ref());
        for k in 0..basis.rank() {
            inside[(k, k)] += room;
        }
        let r = Cholesky::new(inside, "starting Q")?.factor().to_owned();
        Self::at(objective, basis.v(), r)
    }

    fn at(objective: &Objective, v: MatRef<'_, f64>, r: Mat<f64>) -> Result<Self> {
        let (l, rank) = (v.nrows(), v.ncols());
        let mut iterate = Self {
            v: v.to_owned(),
            r,
            c: Mat::zeros(l, rank),
            q: Mat::zeros(l, l),
            t: Vec::new(),
            hs: Mat::zeros(rank, rank),
            gs: Mat::zeros(rank, rank),
            omega: 0.0,
        };
        iterate.place(objective);
        Ok(iterate)
    }

    /// Renormalises to `tr(QH) = 1` and computes `C`, `Q` and the values.
    fn place(&mut self, objective: &Objective) {
        self.c = times(self.v.as_ref(), self.r.as_ref());
        let mass = trace(congruence(self.c.as_ref(), objective.h()).as_ref());
        let shrink = Scale(1.0 / mass.sqrt());
        self.r *= shrink;
        self.c *= shrink;
        self.q = gram(self.c.as_ref());
        self.hs = congruence(self.c.as_ref(), objective.h());
        self.t = objective.values(self.q.as_ref());
    }

    /// Gradient and dual at the current point: `C'∇F C = C'(Σ slope_i A_i + λA_0)C - μI`, `ω = -tr(C'∇F C)`.
    pub(super) fn evaluate(&mut self, objective: &Objective, mu: f64) -> Result<()> {
        let mut gradient = objective.data_gradient(&self.t);
        if objective.lambda() > 0.0 {
            gradient += objective.a0() * Scale(objective.lambda());
        }
        if !is_finite(gradient.as_ref()) {
            return Err(crate::Error::NotFinite { what: "the gradient" });
        }
        self.gs = congruence(self.c.as_ref(), gradient.as_ref());
        for k in 0..self.gs.nrows() {
            self.gs[(k, k)] -= mu;
        }
        self.omega = -trace(self.gs.as_ref()) / trace(self.hs.as_ref());
        Ok(())
    }

    /// Moves by `length · C X C'`: as `Q + Δ = C (I + length X) C'`, `C` is multiplied by a Cholesky factor.
    pub(super) fn accept(&mut self, objective: &Objective, step: &NewtonStep, length: f64) -> Result<()> {
        let mut moved = &step.x * Scale(length);
        for k in 0..moved.nrows() {
            moved[(k, k)] += 1.0;
        }
        let factor = Cholesky::new(moved, "Q after the step")?;
        self.r = times(self.r.as_ref(), factor.factor());
        self.place(objective);
        Ok(())
    }

    /// `r = -(∇F + ωH)` in scaled coordinates.
    pub(super) fn residual(&self) -> Mat<f64> {
        -(&self.gs + &self.hs * Scale(self.omega))
    }

    pub(super) fn kkt_residual(&self) -> f64 {
        self.residual().norm_l2()
    }

    /// `F`, with `log det` on the range of `H`.
    pub(super) fn value(&self, objective: &Objective, mu: f64) -> f64 {
        let log_det = 2.0 * (0..self.r.nrows()).map(|k| self.r[(k, k)].ln()).sum::<f64>();
        objective.data_value(&self.t) + self.penalty(objective) - mu * log_det
    }

    /// `λ tr(Q A_0)`.
    pub(super) fn penalty(&self, objective: &Objective) -> f64 {
        objective.lambda() * trace_product(self.q.as_ref(), objective.a0())
    }

    pub(super) fn omega(&self) -> f64 {
        self.omega
    }

    pub(super) fn q(&self) -> Mat<f64> {
        self.q.clone()
    }

    pub(super) fn c(&self) -> MatRef<'_, f64> {
        self.c.as_ref()
    }

    pub(super) fn hs(&self) -> MatRef<'_, f64> {
        self.hs.as_ref()
    }

    pub(super) fn t(&self) -> &[f64] {
        &self.t
    }
}
