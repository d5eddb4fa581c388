//! How long a method takes.

use super::Method;
use std::time::{Duration, Instant};

/// A clock that runs while this thread works, so that what else the machine does makes no difference. Other programs work elsewhere:
/// they are timed by the clock on the wall, as everything is where threads have no clock.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    wall: Instant,
    work: Option<Duration>,
    /// What was used up before it was started.
    before: Duration,
}

impl Clock {
    /// Starts one for a method.
    pub(super) fn start(method: Method) -> Self {
        let work = if method.external().is_some() { None } else { work() };
        Self { wall: Instant::now(), work, before: Duration::ZERO }
    }

    /// Starts one as if it had already run for some time.
    pub(super) fn start_with(method: Method, before: Duration) -> Self {
        Self { before, ..Self::start(method) }
    }

    pub(super) fn elapsed(&self) -> Duration {
        let worked = self.work.and_then(|start| Some(work()?.saturating_sub(start)));
        self.before + worked.unwrap_or_else(|| self.wall.elapsed())
    }
}

/// How long this thread has worked.
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
