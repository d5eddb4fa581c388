//! Handles signals that end the command. Without a handler they would leave temporary files behind.

/// Deletes temporary files when a signal ends the command, which exits with 128 plus the signal's number, as in shells. A file that
/// outgrows the limit of the system is no end by signal, but an error in writing, as a full disk is.
#[cfg(unix)]
pub(crate) fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    let ignored = ignored();
    let heard = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU]
        .into_iter()
        .filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // A handler of any kind makes the write fail instead. Where there can be none, the signal ends the command as before.
    let _ = signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default());
    let Ok(mut signals) = signal_hook::iterator::Signals::new(heard) else { return };
    let wait = move || {
        if let Some(signal) = signals.forever().next() {
            psd_impute_frame::remove_unfinished();
            std::process::exit(128 + signal);
        }
    };
    // Without the thread, signals would be lost; without memory for a thread, little else works.
    if std::thread::Builder::new().name("signals".to_string()).spawn(wait).is_err() {
        std::process::exit(2);
    }
}

/// The ignored signals, the first in the lowest bit. Signals ignored by the parent process, such as hangups under `nohup`, stay ignored.
/// Where the system does not report them, hangups are taken to be ignored.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(1)
}

#[cfg(not(unix))]
pub(crate) fn listen() {
    let _ = ctrlc::set_handler(|| {
        psd_impute_frame::remove_unfinished();
        std::process::exit(130);
    });
}
