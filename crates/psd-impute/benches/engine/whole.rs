//! A whole solve: time, phases, memory. It runs in a separate process, so that the peak memory is its own.

use crate::data::Case;
use psd_impute::internals::objective::Storage;
use psd_impute::solver::{Iteration, Seconds, SolverOptions, Trace, solve};
use psd_impute::{Error, Result};
use std::process::Command;
use std::time::Instant;

/// The argument by which the benchmark calls itself; a number of columns follows.
pub(crate) const CHILD: &str = "whole-child";

/// Prints the section.
pub(crate) fn run() {
    println!(
        "\nwhole: N = 1600, l = 65, mu from 1 to 1e-3, a decrement of 1e-8; aims: below 5 s and 500 MiB"
    );
    for columns in ["10", "20"] {
        let child = std::env::current_exe().and_then(|me| Command::new(me).args([CHILD, columns]).status());
        if !child.is_ok_and(|status| status.success()) {
            println!("d = {columns}: the child process failed");
        }
    }
}

/// The solve itself.
pub(crate) fn child(columns: &str) -> Result<()> {
    let bad = |_| Error::BadParameter { name: "columns", value: columns.into(), expected: "a whole number" };
    let columns = columns.parse().map_err(bad)?;
    let case = Case { rows: 1_600, columns, anchors: 65, patterns: None, storage: Storage::Auto };
    let patterns = case.table()?.groups().len();
    let start = Instant::now();
    let objective = case.objective()?;
    let setup = start.elapsed().as_secs_f64();

    let mut trace = Trace::default();
    let start = Instant::now();
    // Half the squared decrement: a decrement of 1e-8.
    let options = SolverOptions { tolerance: 5e-17, ..SolverOptions::default() };
    let solution = solve(&objective, &options, None, &mut trace)?;
    let seconds = start.elapsed().as_secs_f64();

    let phase = |of: fn(&Seconds) -> f64| trace.0.iter().map(|i| of(&i.seconds)).sum::<f64>();
    let phases = [phase(|s| s.evaluate), phase(|s| s.factor), phase(|s| s.solve), phase(|s| s.line_search)];
    let [evaluate, factor, solving, line_search] = phases;
    let other = seconds - phases.iter().sum::<f64>();
    println!(
        "d = {columns}, {patterns} patterns: {seconds:.2} s, {} Newton steps ({}), {:?}, KKT residual {:.1e}, peak {} MiB",
        solution.iterations,
        systems(&trace.0),
        solution.status,
        solution.kkt_residual,
        peak_memory().map_or("unknown".to_string(), |kib| (kib >> 10).to_string())
    );
    println!(
        "    evaluate {evaluate:.2}, factor {factor:.2}, solve {solving:.2}, line search {line_search:.2}, other {other:.2} s; \
         set-up (anchors, features, term) {setup:.2} s"
    );
    Ok(())
}

/// The number of steps of each system, in order of appearance.
fn systems(steps: &[Iteration]) -> String {
    let runs = steps.chunk_by(|a, b| a.system == b.system);
    runs.map(|run| format!("{} {:?}", run.len(), run[0].system).to_lowercase()).collect::<Vec<_>>().join(", ")
}

/// The peak memory of the process, in KiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}
