//! A progress line, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use psd_impute::stack::{FitObserver, Member, Stop};
use std::ops::ControlFlow;

/// The progress line; absent on a pipe or with `--quiet`.
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

    /// Begins a phase of `steps` steps.
    pub(crate) fn begin(&self, phase: &'static str, steps: u64) {
        self.bar.reset();
        self.bar.set_length(steps.max(1));
        self.bar.set_message(phase);
        self.bar.tick();
    }

    pub(crate) fn advance(&self, steps: u64) {
        self.bar.inc(steps);
    }

    /// Removes the line.
    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Shows the members as they are tried.
pub(crate) struct Watch<'a> {
    progress: &'a Progress,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(progress: &'a Progress) -> Self {
        progress.begin("fitting", 1);
        Self { progress }
    }
}

impl FitObserver for Watch<'_> {
    fn tried(&mut self, _: Member, done: usize, of: usize, _: Option<f64>) -> ControlFlow<Stop> {
        // The work after the last member takes about as long as one.
        self.progress.bar.set_length(of as u64 + 1);
        self.progress.bar.set_position(done as u64);
        ControlFlow::Continue(())
    }
}
