//! The number of threads that fit into the memory that the system allows (`ulimit -v`).
//!
//! Each thread that multiplies matrices reserves twice the machine's third-level cache, little of which is ever used, and the allocator may
//! need as much again to align it. A reservation that the system refuses would end the program at once.

use crate::error::{Error, Result};
use std::fs::read_to_string;

/// Memory, in bytes, that a small table needs without threads, and that a thread needs besides its reservation.
const BASE: u64 = 320 << 20;
const THREAD: u64 = 16 << 20;
/// The size of the allocator's reservations, and the part of them that is wasted.
const ARENA: u64 = 1 << 30;
const WASTE: u64 = ARENA / 2;
/// The assumed cache of machines that do not report it.
const USUAL_CACHE: u64 = 32 << 20;

/// The number of threads to use: `wanted`, or as many as there are cores, but no more than fit into the memory that the system allows.
/// `None` if no number is wanted and memory is not limited.
///
/// # Errors
///
/// [`Error::LittleMemory`] if not even one thread fits.
pub fn affordable_threads(wanted: Option<usize>) -> Result<Option<usize>> {
    let Some(allowed) = limit(&read_to_string("/proc/self/limits").unwrap_or_default()) else {
        return Ok(wanted);
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match fitting(allowed, cache()) {
        0 => Err(Error::LittleMemory { allowed: allowed >> 20, needed: needed(1, cache()) >> 20 }),
        most => Ok(Some(wanted.unwrap_or(cores).min(most))),
    }
}

fn needed(threads: u64, cache: u64) -> u64 {
    BASE + threads * (THREAD + 4 * cache)
}

fn fitting(allowed: u64, cache: u64) -> usize {
    let waste = if allowed > ARENA + WASTE { WASTE } else { 0 };
    (allowed.saturating_sub(BASE + waste) / (THREAD + 4 * cache)) as usize
}

/// The process's limit on address space, if any.
fn limit(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The third-level cache of the whole machine, in bytes.
fn cache() -> u64 {
    let folder = "/sys/devices/system/cpu/cpu0/cache/index3";
    let read = |name: &str| read_to_string(format!("{folder}/{name}")).ok();
    let size = read("size").and_then(|text| text.trim().strip_suffix('K')?.parse::<u64>().ok());
    let shared = read("shared_cpu_list").map_or(1, |list| listed(&list));
    let all = read_to_string("/sys/devices/system/cpu/present").map_or(1, |list| listed(&list));
    size.map_or(USUAL_CACHE, |size| (size << 10) * all.div_ceil(shared))
}

/// The number of processors in a list such as `0-3,8`.
fn listed(list: &str) -> u64 {
    let count = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(last.parse::<u64>().ok()?.checked_sub(first.parse().ok()?)? + 1)
    };
    list.trim().split(',').filter_map(count).sum::<u64>().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_lists_are_read() {
        let of = |value: &str| {
            limit(&format!(
                "Limit  Soft Limit  Hard Limit  Units\nMax address space  {value}  unlimited  bytes\n"
            ))
        };
        assert_eq!((of("2048000000"), of("unlimited"), limit("")), (Some(2_048_000_000), None, None));
        assert_eq!([listed("0-1\n"), listed("0-3,8,10-11"), listed(""), listed("3")], [2, 7, 1, 1]);
    }

    #[test]
    fn fewer_threads_fit_into_less_memory() {
        let cache = 32 << 20;
        assert_eq!(fitting(100 << 20, cache), 0);
        assert_eq!([488, 976, 1953].map(|mb: u64| fitting(mb << 20, cache)), [1, 4, 7]);
        assert!(fitting(u64::MAX, cache) > 1_000_000);
        assert_eq!(fitting(needed(1, cache), cache), 1);
    }
}
