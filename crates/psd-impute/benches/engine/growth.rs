//! Time of a solve by conjugate gradients against the number of rows.

use crate::data::Case;
use psd_impute::Result;
use psd_impute::internals::objective::Storage;
use psd_impute::solver::{SolverOptions, SystemKind, Trace, solve};
use std::time::Instant;

/// The best of this many solves counts.
const RUNS: usize = 3;

/// Prints the section.
pub(crate) fn run() -> Result<()> {
    println!("\ngrowth: conjugate gradients at l = 30, d = 5, 20 patterns; aim: exponents at most 1.05");
    println!(
        "{:>6} | {:>8} {:>6} {:>7} | {:>12} {:>14}",
        "rows", "total s", "steps", "passes", "µs a pass", "ns a pass, row"
    );
    let (mut totals, mut passes) = (Vec::new(), Vec::new());
    for rows in [1_000, 2_000, 4_000, 8_000, 16_000, 32_000] {
        let run = fastest(rows)?;
        let pass = run.solving / run.inner as f64;
        println!(
            "{rows:>6} | {:>8.3} {:>6} {:>7} | {:>12.1} {:>14.2}",
            run.total,
            run.steps,
            run.inner,
            1e6 * pass,
            1e9 * pass / rows as f64
        );
        totals.push((rows as f64, run.total));
        passes.push((rows as f64, pass));
    }
    println!("exponents: total {:.3}, a pass {:.3}", exponent(&totals), exponent(&passes));
    Ok(())
}

/// One solve.
struct Run {
    /// Total seconds.
    total: f64,
    /// Seconds in Newton systems.
    solving: f64,
    /// Newton steps.
    steps: usize,
    /// Conjugate-gradient iterations: each is a pass of `values` and one of `adjoint`.
    inner: usize,
}

fn fastest(rows: usize) -> Result<Run> {
    let case = Case { rows, columns: 5, anchors: 30, patterns: Some(20), storage: Storage::Grouped };
    let objective = case.objective()?;
    let options = SolverOptions { system: SystemKind::Pcg, ..SolverOptions::default() };
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let mut trace = Trace::default();
        let start = Instant::now();
        let solution = solve(&objective, &options, None, &mut trace)?;
        let total = start.elapsed().as_secs_f64();
        let solving = trace.0.iter().map(|i| i.seconds.solve).sum();
        let inner = trace.0.iter().map(|i| i.inner_iterations).sum();
        runs.push(Run { total, solving, steps: solution.iterations, inner });
    }
    runs.sort_by(|a, b| a.total.total_cmp(&b.total));
    Ok(runs.swap_remove(0))
}

/// The slope of `log y` in `log x` by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let (mx, my) = (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    covariance / logs.iter().map(|(x, _)| (x - mx).powi(2)).sum::<f64>()
}
