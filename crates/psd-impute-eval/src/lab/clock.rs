//! Time taken by a method.

use super::Method;
use std::time::{Duration, Instant};

/// A clock of this thread's CPU time, which does not depend on other work of the machine. Other programs run outside the thread and are
/// timed by the wall clock, as everything is on systems without thread clocks.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    wall: Instant,
    work: Option<Duration>,
    /// The time used before the start.
    before: Duration,
}

impl Clock {
    /// Starts a clock for a method.
    pub(super) fn start(method: Method) -> Self {
        let work = if method.external().is_some() { None } else { work() };
        Self { wall: Instant::now(), work, before: Duration::ZERO }
    }

    /// Starts a clock as if it had already run for some time.
    pub(super) fn start_with(method: Method, before: Duration) -> Self {
        Self { before, ..Self::start(method) }
    }

    pub(super) fn elapsed(&self) -> Duration {
        let worked = self.work.and_then(|start| Some(work()?.saturating_sub(start)));
        self.before + worked.unwrap_or_else(|| self.wall.elapsed())
    }
}

/// The CPU time of this thread.
#[cfg(unix)]
fn work() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
fn work() -> Option<Duration> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn sleeping_is_no_work() {
        let (ours, theirs) = (Clock::start(Method::Mean), Clock::start(Method::RMicePmm));
        std::thread::sleep(Duration::from_millis(50));
        assert!(ours.elapsed() < Duration::from_millis(40));
        assert!(theirs.elapsed() >= Duration::from_millis(50));
        let late = Clock::start_with(Method::Mean, Duration::from_secs(7));
        assert!(late.elapsed() >= Duration::from_secs(7));
    }
}
