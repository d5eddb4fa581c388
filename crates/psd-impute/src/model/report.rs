//! How a fit went.

use super::{Fitted, Model};
use crate::learn::{Member, TheorySchedule, Tried};

/// How a fit went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How many rows the table had.
    pub rows: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether the fit converged.
    pub converged: bool,
    /// What was fitted, and what was found on the way.
    pub how: How,
}

/// What was fitted.
#[derive(Debug, Clone, PartialEq)]
pub enum How {
    /// A stack of members.
    Stack(StackReport),
    /// One kernel density as in the paper's experiments.
    Paper {
        /// The chosen `μ`.
        mu: f64,
        /// The chosen `η`.
        eta: f64,
        /// The rounds of the alternating learning.
        rounds: usize,
        /// The round that was kept, from zero.
        kept: usize,
    },
    /// One kernel density with the sizes of the paper's theorem.
    Theory(TheorySchedule),
}

/// How a stack did. Likelihoods are held-out log-likelihoods in nats a row.
#[derive(Debug, Clone, PartialEq)]
pub struct StackReport {
    /// Each member tried.
    pub members: Vec<Tried>,
    /// The stack's likelihood.
    pub held_out: f64,
    /// The normal model's, if it was tried.
    pub normal: Option<f64>,
    /// The ridge of the normal model.
    pub ridge: f64,
    /// How many distinct rows the members were fitted to.
    pub rows: usize,
}

impl Model {
    /// How the fit went.
    pub fn report(&self) -> Report {
        let (converged, how) = match &self.fitted {
            Fitted::Stack(stack) => {
                let normal = stack.members.iter().find(|tried| tried.member == Member::Normal);
                let report = StackReport {
                    members: stack.members.clone(),
                    held_out: stack.held_out,
                    normal: normal.map(|tried| tried.held_out),
                    ridge: stack.ridge,
                    rows: stack.rows(),
                };
                (stack.converged, How::Stack(report))
            }
            &Fitted::Paper { mu, eta, rounds, kept, converged, .. } => {
                (converged, How::Paper { mu, eta, rounds, kept })
            }
            &Fitted::Theory { schedule, converged, .. } => (converged, How::Theory(schedule)),
        };
        Report { rows: self.rows, seed: self.seed, converged, how }
    }
}
