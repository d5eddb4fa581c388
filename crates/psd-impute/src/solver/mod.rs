//! The interior-point Newton method for the convex problem in `Q`: the paper's Algorithm 1.
//!
//! **The solver rests on one change of variables.** The iterate is held as `Q = C C'`, and a step as `Δ = C X C'`. In `X` the
//! Hessian is `μI + B'B`, where row `i` of `B` is `√κ_i C'A_iC` (`κ_i` is the curvature of row `i`'s logarithm): this is the paper's
//! preconditioning with `Q ⊗ Q`, its condition number is at most `1 + 1/μ`, and all three Newton systems solve in it.
//!
//! **The Newton step.** Write `r = -(∇F + ωH)` with `ω = -⟨∇F, Q⟩ = b + μ·rank - λ tr(QA_0)`, the dual's closed form
//! (the rank is the order of `X`: the number of anchors, unless some are nearly equal). The paper's step
//! `Δ = Q + G⁻¹(B) - ν G⁻¹(H)` is, because `G(Q) = -∇F - B`,
//!
//! ```text
//! Δ = G⁻¹ r - (⟨H, G⁻¹r⟩ / ⟨H, G⁻¹H⟩) G⁻¹H          tr(HΔ) = 0          decrement² = ⟨-∇F, Δ⟩ = ⟨r, Δ⟩
//! ```
//!
//! which is the same step without its cancellation: `r` vanishes at the optimum, while `Q` and `ν G⁻¹(H)` only become equal.
//!
//! **Nearly equal anchors** make `H` singular, and then `log det Q` can grow without bound in directions that do not change the density.
//! `Q` is therefore restricted to the range of `H`: see [`Solution::rank`].

mod basis;
mod iterate;
mod line_search;
mod report;
pub(crate) mod step;
mod systems;

pub use report::{Iteration, Observer, Seconds, Solution, Status, Trace};
pub use systems::SystemKind;

use crate::Result;
use crate::error::{bad, positive};
use crate::objective::Objective;
use basis::Basis;
use faer::MatRef;
use iterate::Iterate;
use std::ops::ControlFlow;
use step::NewtonStep;

/// Settings of the solver. Defaults are arbitrary unless a field says otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverOptions {
    /// The first barrier weight.
    pub mu_start: f64,
    /// The last barrier weight. It is a statistical choice too: it acts as a Wishart prior on `Q`.
    pub mu_final: f64,
    /// The factor between consecutive barrier weights.
    pub mu_factor: f64,
    /// Stop when half the squared Newton decrement falls to this value at the last barrier weight.
    pub tolerance: f64,
    /// Stop after this many Newton steps in total.
    pub max_iterations: usize,
    /// The method for Newton systems.
    pub system: SystemKind,
    /// Directions in which `H` is below this fraction of its largest eigenvalue are excluded from `Q`.
    pub rank_tolerance: f64,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self {
            mu_start: 1.0,
            mu_final: 1e-3,
            mu_factor: 0.1,
            tolerance: 1e-8,
            max_iterations: 200,
            system: SystemKind::Auto,
            rank_tolerance: 1e-10,
        }
    }
}

impl SolverOptions {
    fn check(&self) -> Result<()> {
        positive("mu_start", self.mu_start)?;
        positive("mu_final", self.mu_final)?;
        positive("tolerance", self.tolerance)?;
        if !(self.mu_factor > 0.0 && self.mu_factor <= 0.9) {
            return Err(bad("mu_factor", self.mu_factor, "above 0 and at most 0.9"));
        }
        if !(self.rank_tolerance > 0.0 && self.rank_tolerance < 1.0) {
            return Err(bad("rank_tolerance", self.rank_tolerance, "above 0 and below 1"));
        }
        Ok(())
    }
}

/// Minimises the objective over `Q ⪰ 0`, `tr(QH) = 1`. A warm start near the optimum begins near the last barrier weight.
///
/// # Errors
///
/// [`Error::BadParameter`](crate::Error::BadParameter) for options out of range or a direct system without row matrices,
/// [`Error::Shape`](crate::Error::Shape) for a warm start of another order, [`Error::TooLarge`](crate::Error::TooLarge) above the memory
/// limit, [`Error::NotFinite`](crate::Error::NotFinite) for a gradient or step, and
/// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) for a matrix that cannot be factored.
pub fn solve(
    objective: &Objective,
    options: &SolverOptions,
    warm_start: Option<MatRef<'_, f64>>,
    observer: &mut dyn Observer,
) -> Result<Solution> {
    options.check()?;
    let basis = Basis::of(objective.h(), options.rank_tolerance)?;
    let mut path = Path::start(objective, options, &basis, warm_start)?;
    let (status, decrement) = loop {
        let mut seconds = Seconds::default();
        path.evaluate(&mut seconds)?;
        let step = path.direction(&mut seconds)?;
        if let Some(status) = path.check_stop(&step) {
            break (status, step.decrement);
        }
        let Some(length) = path.choose_step(&step, &mut seconds) else {
            if path.is_centred(&step) {
                // Rounding leaves nothing to gain at this weight; continue with the next.
                path.lower_barrier();
                continue;
            }
            break (Status::Stalled, step.decrement);
        };
        let report = path.accept(&step, length, seconds)?;
        if path.is_centred(&step) {
            path.lower_barrier();
        }
        if observer.iteration(&report) == ControlFlow::Break(()) {
            path.evaluate(&mut Seconds::default())?;
            break (Status::Stopped, step.decrement);
        }
    };
    let Path { iterate, mu, iterations, .. } = path;
    Ok(Solution {
        q: iterate.q(),
        omega: iterate.omega(),
        objective: iterate.value(objective, mu),
        kkt_residual: iterate.kkt_residual(),
        status,
        decrement,
        mu,
        iterations,
        rank: basis.rank(),
    })
}

/// A point on the central path, followed to the last barrier weight.
struct Path<'a> {
    objective: &'a Objective,
    options: &'a SolverOptions,
    iterate: Iterate,
    mu: f64,
    /// Steps taken.
    iterations: usize,
}

impl<'a> Path<'a> {
    fn start(
        objective: &'a Objective,
        options: &'a SolverOptions,
        basis: &Basis,
        warm_start: Option<MatRef<'_, f64>>,
    ) -> Result<Self> {
        let (iterate, mu) = match warm_start {
            Some(q) => {
                // At the optimum start with the last weight; farther away, start on the path where the residual is small.
                let mut iterate = Iterate::warm(objective, basis, q)?;
                iterate.evaluate(objective, options.mu_final)?;
                let mu = options.mu_final.max(iterate.kkt_residual());
                (iterate, mu)
            }
            None => {
                // The data's part of the scaled gradient is at most 1; a larger penalty needs a larger barrier at the start.
                let iterate = Iterate::cold(objective, basis)?;
                let mu = options.mu_start.max(options.mu_final).max(iterate.penalty(objective));
                (iterate, mu)
            }
        };
        Ok(Self { objective, options, iterate, mu, iterations: 0 })
    }

    fn evaluate(&mut self, seconds: &mut Seconds) -> Result<()> {
        seconds.time(|s| &mut s.evaluate, || self.iterate.evaluate(self.objective, self.mu))
    }

    /// Forms the Newton system and solves it.
    fn direction(&self, seconds: &mut Seconds) -> Result<NewtonStep> {
        let Self { objective, options, iterate, mu, .. } = self;
        let system = step::update_system(objective, iterate, *mu, options.system, seconds)?;
        step::solve_direction(&system, iterate, None, seconds)
    }

    /// Whether the point is near enough to the path: at the last weight to end, at others for the next weight.
    fn is_centred(&self, step: &NewtonStep) -> bool {
        let tolerance = if self.is_last() { self.options.tolerance } else { loose(self.options, self.mu) };
        step.half_squared_decrement() <= tolerance
    }

    fn is_last(&self) -> bool {
        self.mu <= self.options.mu_final
    }

    /// The status to end with, if any.
    fn check_stop(&self, step: &NewtonStep) -> Option<Status> {
        if self.is_last() && self.is_centred(step) {
            return Some(Status::Converged);
        }
        (self.iterations == self.options.max_iterations).then_some(Status::IterationLimit)
    }

    /// The length of the step; `None` if no length lowers the objective.
    fn choose_step(&self, step: &NewtonStep, seconds: &mut Seconds) -> Option<f64> {
        let search = || line_search::armijo(self.objective, &self.iterate, step, self.mu);
        seconds.time(|s| &mut s.line_search, search)
    }

    /// Moves along the step, and reports it with the value before.
    fn accept(&mut self, step: &NewtonStep, length: f64, mut seconds: Seconds) -> Result<Iteration> {
        self.iterations += 1;
        let objective = self.iterate.value(self.objective, self.mu);
        seconds.time(|s| &mut s.evaluate, || self.iterate.accept(self.objective, step, length))?;
        Ok(Iteration {
            number: self.iterations,
            objective,
            decrement: step.decrement,
            step: length,
            mu: self.mu,
            system: step.system,
            inner_iterations: step.inner_iterations,
            seconds,
        })
    }

    fn lower_barrier(&mut self) {
        self.mu = (self.mu * self.options.mu_factor).max(self.options.mu_final);
    }
}

/// Tolerance at barrier weights before the last, which need not be solved exactly: a point this close to the path is a good start for the
/// next weight. The factor 0.5 is arbitrary.
fn loose(options: &SolverOptions, mu: f64) -> f64 {
    options.tolerance.max(0.5 * mu)
}
