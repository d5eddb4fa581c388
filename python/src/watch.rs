//! What is heard of a fit while it runs.

use crate::run::Teller;
use psd_impute::learn::{Member, StackObserver, Stop};
use std::ops::ControlFlow;
use std::time::Instant;

/// A member that was tried.
pub(crate) struct Event {
    pub(crate) member: String,
    pub(crate) done: usize,
    pub(crate) of: usize,
    pub(crate) held_out: Option<f64>,
}

/// Tells of members, stops the search for finer ones when time is up, and all of it when nobody waits any more.
pub(crate) struct Watch<'a, T> {
    pub(crate) teller: &'a Teller<Event, T>,
    pub(crate) deadline: Instant,
    pub(crate) stopped_after: Option<Member>,
}

impl<T> StackObserver for Watch<'_, T> {
    fn tried(&mut self, member: Member, done: usize, of: usize, held_out: Option<f64>) -> ControlFlow<Stop> {
        if self.teller.is_alone() {
            return ControlFlow::Break(Stop::Altogether);
        }
        self.teller.tell(Event { member: member.to_string(), done, of, held_out });
        if done < of && Instant::now() >= self.deadline {
            self.stopped_after = Some(member);
            return ControlFlow::Break(Stop::Here);
        }
        ControlFlow::Continue(())
    }
}
