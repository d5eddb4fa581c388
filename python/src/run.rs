//! Long work off the interpreter's thread, so that other threads run and Ctrl-C is handled at once.

use crate::errors::Failure;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Maximum delay before Ctrl-C is handled.
const PATIENCE: Duration = Duration::from_millis(50);

/// Number of queued events at which the worker waits.
const WAITING: usize = 4;

/// A message of the worker.
enum Said<E, T> {
    Event(E),
    Done(Result<T, Failure>),
}

/// The worker's side: it sends events, and learns whether the caller still waits.
pub(crate) struct Teller<E, T> {
    sender: SyncSender<Said<E, T>>,
    given_up: Arc<AtomicBool>,
}

impl<E, T> Teller<E, T> {
    pub(crate) fn tell(&self, event: E) {
        let _ = self.sender.send(Said::Event(event));
    }

    /// Whether the caller has gone.
    pub(crate) fn is_alone(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }
}

/// Runs `work` on a thread of its own with a pool of `threads` (all cores if none are given), with the interpreter
/// released. Events are handled on the calling thread. When Ctrl-C or `hear` raises, this returns, and the work ends
/// when it finds that it is alone.
///
/// Every call has a pool of its own, because a lasting one would not survive a fork.
pub(crate) fn run<E: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Teller<E, T>) -> Result<T, Failure> + Send + 'static,
    mut hear: impl FnMut(E) -> PyResult<()>,
) -> PyResult<T> {
    let threads = psd_impute_frame::affordable_threads(threads).map_err(Failure::from)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    let pool =
        pool.map_err(|error| PyValueError::new_err(format!("threads could not be started: {error}")))?;
    let (sender, receiver) = sync_channel(WAITING);
    let given_up = Arc::new(AtomicBool::new(false));
    let teller = Teller { sender: sender.clone(), given_up: given_up.clone() };
    std::thread::spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&teller))));
        let _ =
            sender.send(Said::Done(outcome.unwrap_or_else(|panic| Err(Failure::Panic(message(&*panic))))));
    });
    let outcome = wait(py, receiver, &mut hear);
    given_up.store(outcome.is_err(), Ordering::Relaxed);
    Ok(outcome??)
}

/// Runs work that sends no events.
pub(crate) fn quietly<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&Teller<(), T>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    run(py, threads, work, |()| Ok(()))
}

fn wait<E: Send, T: Send>(
    py: Python<'_>,
    receiver: Receiver<Said<E, T>>,
    hear: &mut impl FnMut(E) -> PyResult<()>,
) -> PyResult<Result<T, Failure>> {
    let mut receiver = receiver;
    loop {
        let said;
        (said, receiver) = py.detach(move || (receiver.recv_timeout(PATIENCE), receiver));
        match said {
            Ok(Said::Event(event)) => hear(event)?,
            Ok(Said::Done(outcome)) => return Ok(outcome),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err(Failure::Panic("a worker ended without a word".to_string())));
            }
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_string()
}
