//! Reports of the solver: its result, its steps, and observers.

use super::SystemKind;
use faer::Mat;
use std::ops::ControlFlow;
use std::time::Instant;

/// Outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The Newton decrement met its tolerance.
    Converged,
    /// The iteration limit was reached.
    IterationLimit,
    /// No step lowers the objective any more, because of rounding.
    Stalled,
    /// The observer stopped the solve.
    Stopped,
}

/// The result of a solve, whatever its status.
#[derive(Debug, Clone)]
pub struct Solution {
    /// `Q`, positive semi-definite, `tr(QH) = 1`.
    pub q: Mat<f64>,
    /// The dual of `tr(QH) = 1`.
    pub omega: f64,
    /// The objective at the last barrier weight; `log det` on the range of `H`.
    pub objective: f64,
    /// `|C'(∇F + ωH)C|`, zero at the optimum.
    pub kkt_residual: f64,
    /// Outcome of the solve.
    pub status: Status,
    /// The last Newton decrement.
    pub decrement: f64,
    /// The last barrier weight.
    pub mu: f64,
    /// Newton steps taken.
    pub iterations: usize,
    /// The dimension of the range of `H`, to which `Q` is restricted: below the number of anchors if some of them are (nearly) equal.
    pub rank: usize,
}

/// Report of one Newton step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// Number of the step, counted from one.
    pub number: usize,
    /// The objective before the step.
    pub objective: f64,
    /// The Newton decrement before the step.
    pub decrement: f64,
    /// The step's length, at most 1.
    pub step: f64,
    /// The barrier weight.
    pub mu: f64,
    /// Method used for the Newton system.
    pub system: SystemKind,
    /// Conjugate-gradient iterations; zero for direct systems.
    pub inner_iterations: usize,
    /// Seconds by phase.
    pub seconds: Seconds,
}

/// Seconds of one Newton step by phase.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Seconds {
    /// Computing values, gradient and dual.
    pub evaluate: f64,
    /// Forming and factoring the Newton system.
    pub factor: f64,
    /// Solving the Newton system.
    pub solve: f64,
    /// Choosing the step length.
    pub line_search: f64,
}

impl Seconds {
    pub(super) fn time<R>(&mut self, phase: impl Fn(&mut Self) -> &mut f64, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let out = work();
        *phase(self) += start.elapsed().as_secs_f64();
        out
    }
}

/// Receives a report of every Newton step and may stop the solve.
pub trait Observer {
    /// Called after every step.
    fn iteration(&mut self, iteration: &Iteration) -> ControlFlow<()>;
}

/// Ignores all reports.
impl Observer for () {
    fn iteration(&mut self, _: &Iteration) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Records every step.
#[derive(Debug, Clone, Default)]
pub struct Trace(
    /// The steps in order.
    pub Vec<Iteration>,
);

impl Observer for Trace {
    fn iteration(&mut self, iteration: &Iteration) -> ControlFlow<()> {
        self.0.push(*iteration);
        ControlFlow::Continue(())
    }
}
