//! The time budget of a fit.

use crate::plan::Remark;
use psd_impute::stack::{FitObserver, Member, Stop};
use std::ops::ControlFlow;

/// Passes on all progress, and keeps the member after which the time budget ended.
pub(super) struct Budget<'a> {
    observer: &'a mut dyn FitObserver,
    ended_after: Option<Member>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(observer: &'a mut dyn FitObserver) -> Self {
        Self { observer, ended_after: None }
    }

    /// The remark, if the budget ended.
    pub(super) fn remark(self) -> Option<Remark> {
        self.ended_after.map(|member| Remark {
            column: None,
            text: format!("the time budget ended after the {member}"),
            option: Some("--time-budget allows more".to_string()),
        })
    }
}

impl FitObserver for Budget<'_> {
    fn tried(&mut self, member: Member, done: usize, of: usize, held_out: Option<f64>) -> ControlFlow<Stop> {
        self.observer.tried(member, done, of, held_out)
    }

    fn out_of_time(&mut self, member: Member) {
        self.ended_after = Some(member);
        self.observer.out_of_time(member);
    }
}
