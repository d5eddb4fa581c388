//! The time and the machine of a study's run.

use psd_impute_eval::lab::Setting;
use std::thread::available_parallelism;

pub(super) fn setting() -> Setting {
    let cores = available_parallelism().map_or(1, usize::from);
    Setting {
        date: chrono::Utc::now().format("%Y-%m-%d").to_string(),
        machine: format!("{}, {cores} cores", processor()),
        version: env!("CARGO_PKG_VERSION").to_string(),
    }
}

/// The processor's name on Linux; elsewhere its architecture.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or(std::env::consts::ARCH.to_string(), |(_, name)| name.trim().to_string())
}
