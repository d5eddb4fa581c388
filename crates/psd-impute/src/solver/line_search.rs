//! Step length: Armijo's rule by backtracking, inside the cone.

use super::iterate::Iterate;
use super::step::NewtonStep;
use crate::linalg::{eigenvalues, trace_product};
use crate::objective::Objective;

/// Fraction of the predicted decrease that a step must achieve. Arbitrary.
const ARMIJO: f64 = 0.1;
/// Factor applied to a length that fails. Arbitrary.
const BACKTRACK: f64 = 0.5;
/// Fraction of the distance to the cone's boundary that a step may go. Arbitrary.
const INSIDE: f64 = 0.95;
/// The shortest length tried. Arbitrary.
const SHORTEST: f64 = 1e-10;

/// The first length, from 1 downwards, that keeps `Q` positive definite and lowers the objective enough; `None` if there is none.
///
/// Values are linear in `Q`, and `log det(Q + αΔ) = log det Q + Σ log(1 + α e_k)` with the eigenvalues `e` of `X`, so a trial costs
/// `n + l` logarithms. The *change* of the objective is computed directly, not as a difference of two values: it stays accurate to the
/// end.
pub(super) fn armijo(objective: &Objective, iterate: &Iterate, step: &NewtonStep, mu: f64) -> Option<f64> {
    let eigenvalues = eigenvalues(step.x.as_ref(), "the Newton step").ok()?;
    let least = eigenvalues.iter().copied().fold(0.0, f64::min);
    let moves = objective.values(step.delta.as_ref());
    let penalty = objective.lambda() * trace_product(step.delta.as_ref(), objective.a0());
    let change = |length: f64| {
        let barrier: f64 = eigenvalues.iter().map(|e| (length * e).ln_1p()).sum();
        objective.data_change(iterate.t(), &moves, length) + length * penalty - mu * barrier
    };
    let mut length = if least < 0.0 { (INSIDE / -least).min(1.0) } else { 1.0 };
    while length > SHORTEST {
        if change(length) <= -ARMIJO * length * step.decrement * step.decrement {
            return Some(length);
        }
        length *= BACKTRACK;
    }
    None
}
