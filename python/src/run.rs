//! Long work, off the interpreter's thread: others may run meanwhile, and Ctrl-C is heard at once.

use crate::errors::Failure;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// How long Ctrl-C may go unheard.
const PATIENCE: Duration = Duration::from_millis(50);

/// Events that may wait to be heard before the worker does.
const WAITING: usize = 4;

/// What a worker says.
enum Said<E, T> {
    Event(E),
    Done(Result<T, Failure>),
}

/// The worker's side: it tells of events, and hears whether anyone still waits.
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

/// Runs `work` on a thread of its own with a pool of `threads` (all cores if none are given), while the interpreter is free. Events
/// are heard on the calling thread. When Ctrl-C or `hear` raises, the work is left to find that it is alone.
///
/// Every call has a pool of its own: one that is kept would not survive a fork.
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

/// Runs work that has nothing to tell.
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
