//! Timing on a shared machine: the minimum of several runs.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

/// Runs of one measurement, unless they are very short or very long.
const RUNS: usize = 5;
/// Seconds that short runs are repeated for.
const SHORT: f64 = 0.3;
/// Seconds after which long runs are not repeated.
const LONG: f64 = 6.0;

/// Seconds of one run.
pub(crate) fn time<R>(work: impl FnOnce() -> R) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

/// The minimum seconds of several runs.
pub(crate) fn best<R>(mut work: impl FnMut() -> R) -> f64 {
    let Ok(seconds) = least(|| Ok::<_, Infallible>(time(&mut work)));
    seconds
}

/// The minimum of several measurements that time themselves.
pub(crate) fn least<E>(mut measure: impl FnMut() -> Result<f64, E>) -> Result<f64, E> {
    let (mut least, mut runs, start) = (f64::INFINITY, 0, Instant::now());
    let spent = || start.elapsed().as_secs_f64();
    while spent() < SHORT || (runs < RUNS && spent() < LONG) {
        least = least.min(measure()?);
        runs += 1;
    }
    Ok(least)
}
