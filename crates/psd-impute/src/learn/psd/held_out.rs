//! Early stopping: keeps the point with the best likelihood of held-out rows.

use crate::table::Table;
use std::ops::ControlFlow;

/// Held-out rows, and how often to score them.
#[derive(Debug, Clone, Copy)]
pub struct HeldOut<'a> {
    /// The rows.
    pub table: &'a Table,
    /// Number of steps between two scores.
    pub every: usize,
    /// Number of consecutive scores without improvement after which the fit may not continue.
    pub patience: usize,
}

/// The best point so far.
pub(super) struct Best<T> {
    patience: usize,
    worse: usize,
    found: Option<(f64, usize, T)>,
}

impl<T> Best<T> {
    pub(super) fn new(patience: usize) -> Self {
        Self { patience, worse: 0, found: None }
    }

    /// Records a step's score; breaks once the score failed to improve more than `patience` times in a row.
    pub(super) fn offer(&mut self, step: usize, score: f64, point: impl FnOnce() -> T) -> ControlFlow<()> {
        if self.found.as_ref().is_none_or(|(best, ..)| score > *best) {
            self.found = Some((score, step, point()));
            self.worse = 0;
        } else {
            self.worse += 1;
        }
        if self.worse > self.patience { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The best score, its step and its point.
    pub(super) fn take(self) -> Option<(f64, usize, T)> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_best_and_loses_patience() {
        let mut best = Best::new(1);
        for (step, score, stop) in [(1, 0.1, false), (2, 0.5, false), (3, 0.4, false), (4, f64::NAN, true)] {
            assert_eq!(best.offer(step, score, || step).is_break(), stop);
        }
        assert_eq!(best.take(), Some((0.5, 2, 2)));
    }
}
