//! Progress of a fit, and its time budget.

use super::Member;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Receives the progress of a fit, and may stop it.
pub trait FitObserver {
    /// A member was tried: the `done`-th of `of`. Its held-out log-likelihood is in nats per row, and unknown for donors.
    fn tried(&mut self, member: Member, done: usize, of: usize, held_out: Option<f64>) -> ControlFlow<Stop>;
}

/// How a fit stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// No more members are tried; the stack is made of those that were.
    Here,
    /// The fit ends in [`Error::Abandoned`](crate::Error::Abandoned).
    Altogether,
}

/// Ignores progress and never stops a fit.
impl FitObserver for () {
    fn tried(&mut self, _: Member, _: usize, _: usize, _: Option<f64>) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Passes progress on to another observer, and stops the search for finer members when time is up.
pub(crate) struct Budget<'a> {
    /// None if there is no limit.
    deadline: Option<Instant>,
    observer: &'a mut dyn FitObserver,
    /// The member after which time was up.
    pub(crate) ended_after: Option<Member>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(time: Duration, observer: &'a mut dyn FitObserver) -> Self {
        Self { deadline: Instant::now().checked_add(time), observer, ended_after: None }
    }
}

impl FitObserver for Budget<'_> {
    fn tried(&mut self, member: Member, done: usize, of: usize, held_out: Option<f64>) -> ControlFlow<Stop> {
        self.observer.tried(member, done, of, held_out)?;
        if done < of && self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.ended_after = Some(member);
            return ControlFlow::Break(Stop::Here);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count(usize);

    impl FitObserver for Count {
        fn tried(&mut self, _: Member, _: usize, _: usize, _: Option<f64>) -> ControlFlow<Stop> {
            self.0 += 1;
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn a_budget_stops_before_the_last_member_and_says_so() {
        for (time, stops) in [(Duration::ZERO, true), (Duration::MAX, false)] {
            let mut heard = Count(0);
            let mut budget = Budget::new(time, &mut heard);
            assert_eq!(budget.tried(Member::Normal, 1, 3, None).is_break(), stops);
            assert_eq!(budget.ended_after, stops.then_some(Member::Normal));
            assert_eq!(heard.0, 1);
        }
        assert!(Budget::new(Duration::ZERO, &mut ()).tried(Member::Donors, 3, 3, None).is_continue());
    }
}
