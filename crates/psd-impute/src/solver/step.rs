//! The Newton direction.

use super::basis::Basis;
use super::iterate::Iterate;
use super::report::Seconds;
use super::systems::{self, NewtonSystem, SystemKind};
use crate::linalg::{congruence, dot, pack, packed_len, unpack};
use crate::objective::Objective;
use crate::{Error, Result};
use faer::{Mat, MatRef};

/// A Newton direction `Δ = C X C'`.
#[derive(Debug, Clone)]
pub struct NewtonStep {
    /// `X`, in scaled coordinates.
    pub x: Mat<f64>,
    /// `Δ`.
    pub delta: Mat<f64>,
    /// `√⟨-∇F, Δ⟩`.
    pub decrement: f64,
    /// Method used for the system.
    pub system: SystemKind,
    /// Conjugate-gradient iterations.
    pub inner_iterations: usize,
}

impl NewtonStep {
    pub(super) fn half_squared_decrement(&self) -> f64 {
        0.5 * self.decrement * self.decrement
    }
}

/// A Newton system that has been formed, and its kind.
pub(super) struct System<'a> {
    kind: SystemKind,
    formed: Box<dyn NewtonSystem + 'a>,
}

/// Forms and factors the system at an iterate.
pub(super) fn update_system<'a>(
    objective: &'a Objective,
    iterate: &'a Iterate,
    mu: f64,
    kind: SystemKind,
    seconds: &mut Seconds,
) -> Result<System<'a>> {
    let kind = systems::choose(objective, iterate.c().ncols(), mu, kind);
    let curvatures = objective.curvatures(iterate.t());
    let factor = || systems::factor(kind, objective, iterate.c(), curvatures, mu);
    Ok(System { kind, formed: seconds.time(|s| &mut s.factor, factor)? })
}

/// Computes the direction as derived at the top of [`solver`](super). `tolerance` is that of conjugate gradients; `None` ties it to the
/// residual.
pub(super) fn solve_direction(
    system: &System<'_>,
    iterate: &Iterate,
    tolerance: Option<f64>,
    seconds: &mut Seconds,
) -> Result<NewtonStep> {
    let residual = iterate.residual();
    // The tolerance falls to zero with the residual: steps are inexact at first, and convergence is quadratic at the end.
    let tolerance = tolerance.unwrap_or_else(|| residual.norm_l2().sqrt().clamp(1e-6, 1e-2));
    seconds.time(
        |s| &mut s.solve,
        || {
            let (r, h) = (packed(residual.as_ref()), packed(iterate.hs()));
            let (x, inner_iterations) = system.formed.solve(&r, &h, tolerance);
            let square = dot(&r, &x);
            if !square.is_finite() {
                return Err(Error::NotFinite { what: "the Newton step" });
            }
            // The square is negative only by rounding; otherwise the line search will fail.
            let decrement = square.abs().sqrt();
            let x = unpack(&x, iterate.hs().nrows());
            let delta = congruence(iterate.c().transpose(), x.as_ref());
            Ok(NewtonStep { x, delta, decrement, system: system.kind, inner_iterations })
        },
    )
}

fn packed(a: MatRef<'_, f64>) -> Vec<f64> {
    let mut out = vec![0.0; packed_len(a.nrows())];
    pack(a, &mut out);
    out
}

/// The Newton step at any positive definite `Q` (moved slightly into the cone, as a warm start is): for tests and benchmarks.
///
/// # Errors
///
/// As for [`solve`](super::solve).
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
    let system = update_system(objective, &iterate, mu, kind, &mut seconds)?;
    let step = solve_direction(&system, &iterate, tolerance, &mut seconds)?;
    drop(system);
    Ok((iterate.q(), step, seconds))
}
