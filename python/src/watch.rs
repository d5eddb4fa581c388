//! Progress of a running fit.

use crate::run::Teller;
use psd_impute::stack::{FitObserver, Member, Stop};
use std::ops::ControlFlow;

/// A member that was tried.
pub(crate) struct Event {
    pub(crate) member: String,
    pub(crate) done: usize,
    pub(crate) of: usize,
    pub(crate) held_out: Option<f64>,
}

/// Reports members, and stops a fit whose caller has gone.
pub(crate) struct Watch<'a, T> {
    pub(crate) teller: &'a Teller<Event, T>,
}

impl<T> FitObserver for Watch<'_, T> {
    fn tried(&mut self, member: Member, done: usize, of: usize, held_out: Option<f64>) -> ControlFlow<Stop> {
        if self.teller.is_alone() {
            return ControlFlow::Break(Stop::Altogether);
        }
        self.teller.tell(Event { member: member.to_string(), done, of, held_out });
        ControlFlow::Continue(())
    }
}
