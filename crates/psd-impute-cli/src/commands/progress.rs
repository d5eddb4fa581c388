//! A line that tells how far a command is, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use psd_impute::stack::{FitObserver, Member, Stop};
use std::ops::ControlFlow;

/// The line, or nothing on a pipe or when the command is to be quiet.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{msg:12} {bar:30} {percent:>3} %  {eta} left") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// A new phase of so many steps.
    pub(crate) fn begin(&self, phase: &'static str, steps: u64) {
        self.bar.reset();
        self.bar.set_length(steps.max(1));
        self.bar.set_message(phase);
        self.bar.tick();
    }

    pub(crate) fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }

    /// Takes the line away.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Shows the members that are tried.
pub(crate) struct Watch<'a> {
    progress: &'a Progress,
    /// The member after which the time budget ended, if it did.
    pub(crate) stopped_after: Option<Member>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(progress: &'a Progress) -> Self {
        progress.begin("fitting", 1);
        Self { progress, stopped_after: None }
    }
}

impl FitObserver for Watch<'_> {
    fn tried(&mut self, _: Member, done: usize, of: usize, _: Option<f64>) -> ControlFlow<Stop> {
        // What comes after the last member takes about as long as one.
        self.progress.bar.set_length(of as u64 + 1);
        self.progress.bar.set_position(done as u64);
        ControlFlow::Continue(())
    }

    fn out_of_time(&mut self, member: Member) {
        self.stopped_after = Some(member);
    }
}
