//! The Newton direction.

use super::basis::Basis;
use super::iterate::Iterate;
use super::report::Seconds;
use super::systems::{self, SystemKind};
use crate::linalg::{congruence, trace_product};
use crate::objective::Objective;
use crate::{Error, Result};
use faer::{Mat, MatRef, Scale};

/// A Newton direction `Δ = C X C'`.
#[derive(Debug, Clone)]
pub struct NewtonStep {
    /// `X`, in scaled coordinates.
    pub x: Mat<f64>,
    /// `Δ`.
    pub delta: Mat<f64>,
    /// `√⟨-∇F, Δ⟩`.
    pub decrement: f64,
    /// How the system was solved.
    pub system: SystemKind,
    /// Conjugate-gradient iterations.
    pub inner_iterations: usize,
}

impl NewtonStep {
    pub(super) fn half_squared_decrement(&self) -> f64 {
        0.5 * self.decrement * self.decrement
    }
}

/// See the derivation at the head of the [solver](super). The tolerance is that of conjugate gradients; none lets it follow the
/// residual.
pub(super) fn direction(
    objective: &Objective,
    iterate: &Iterate,
    mu: f64,
    kind: SystemKind,
    tolerance: Option<f64>,
    seconds: &mut Seconds,
) -> Result<NewtonStep> {
    let kind = systems::choose(objective, iterate.c().ncols(), mu, kind);
    let curvatures = objective.curvatures(iterate.t());
    let system =
        seconds.time(|s| &mut s.factor, || systems::factor(kind, objective, iterate.c(), curvatures, mu))?;
    let (residual, hs) = (iterate.residual(), iterate.hs());
    // The residual falls to zero and so does the tolerance: steps are inexact at first and quadratic at last.
    let mut tolerance = tolerance.unwrap_or_else(|| residual.norm_l2().sqrt().clamp(1e-6, 1e-2));
    seconds.time(
        |s| &mut s.solve,
        || {
            let mut inner_iterations = 0;
            loop {
                let (e, first) = system.solve(residual.as_ref(), tolerance);
                let (z, second) = system.solve(hs, tolerance);
                inner_iterations += first + second;
                let x = &e - &z * Scale(trace_product(hs, e.as_ref()) / trace_product(hs, z.as_ref()));
                let square = trace_product(residual.as_ref(), x.as_ref());
                if !square.is_finite() {
                    return Err(Error::NotFinite { what: "the Newton step" });
                }
                if square < 0.0 && kind == SystemKind::Pcg && tolerance > 1e-13 {
                    tolerance *= 1e-3;
                    continue;
                }
                let delta = congruence(iterate.c().transpose(), x.as_ref());
                // Below zero only by rounding; the line search tells whether it is more than that.
                let decrement = square.abs().sqrt();
                return Ok(NewtonStep { x, delta, decrement, system: kind, inner_iterations });
            }
        },
    )
}

/// The Newton step at any positive definite `Q` (moved slightly inside the cone, as a warm start is): for tests and benchmarks.
#[doc(hidden)]
pub fn newton_step_at(
    objective: &Objective,
    q: MatRef<'_, f64>,
    mu: f64,
    kind: SystemKind,
    tolerance: Option<f64>,
) -> Result<(Mat<f64>, NewtonStep, Seconds)> {
    let basis = Basis::of(objective.h(), 1e-10)?;
    let mut iterate = Iterate::warm(objective, &basis, q)?;
    iterate.evaluate(objective, mu)?;
    let mut seconds = Seconds::default();
    let step = direction(objective, &iterate, mu, kind, tolerance, &mut seconds)?;
    Ok((iterate.q(), step, seconds))
}
