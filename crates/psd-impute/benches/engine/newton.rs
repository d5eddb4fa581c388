//! One Newton step of each system against the dense kernels that it requires, measured separately.

use crate::clock::least;
use crate::data::{Case, MEMORY};
use crate::kernels::{Machine, cholesky, forming, inner_gram, outer_gram, product};
use crate::maps::{adjoint_seconds, values_seconds};
use faer::Mat;
use psd_impute::internals::linalg::packed_len;
use psd_impute::internals::objective::{Objective, Storage};
use psd_impute::internals::{NewtonStep, newton_step_at};
use psd_impute::solver::{Seconds, SystemKind};
use psd_impute::{Error, Result};

const COLUMNS: usize = 20;
const MU: f64 = 0.01;
/// Seconds above which a step is skipped.
const LONGEST: f64 = 20.0;

/// Prints the section.
pub(crate) fn run(machine: &Machine) -> Result<()> {
    println!(
        "\nnewton: one step at mu = {MU}, all patterns different, against its dense kernels; aim at most 2.00"
    );
    println!(
        "{:>6} {:>4} {:<8} | {:>9} {:>9} {:>9} | {:>9}  {:>5}",
        "rows", "l", "system", "factor s", "solve s", "step s", "kernels s", "ratio"
    );
    for rows in [200, 1_600, 10_000] {
        for anchors in [16, 65, 130] {
            let patterns = Some(rows);
            let case = Case { rows, columns: COLUMNS, anchors, patterns, storage: Storage::Stored };
            let objective = case.objective()?;
            for kind in [SystemKind::Woodbury, SystemKind::Hessian, SystemKind::Pcg] {
                print!("{rows:>6} {anchors:>4} {:<8} | ", format!("{kind:?}").to_lowercase());
                match too_large(machine, &case, kind) {
                    Some(reason) => println!("skipped: {reason}"),
                    None => row(&objective, kind)?,
                }
            }
        }
    }
    Ok(())
}

/// The reason why a step is not measured.
fn too_large(machine: &Machine, case: &Case, kind: SystemKind) -> Option<String> {
    let (n, l, p) = (case.rows as f64, case.anchors as f64, packed_len(case.anchors) as f64);
    let (order, other) = match kind {
        SystemKind::Woodbury => (n, p),
        SystemKind::Hessian => (p, n),
        _ => return None,
    };
    // The data term, the rows of B or the kernel's operand, and the matrix to factor.
    let bytes = 8.0 * (n * p + n * p + order * order);
    if bytes > MEMORY as f64 {
        return Some(format!("{:.2} GiB", bytes / 2f64.powi(30)));
    }
    let seconds = (4.0 * n * l.powi(3) + order * order * other + order.powi(3) / 3.0) / machine.flops;
    (seconds > LONGEST).then(|| format!("{seconds:.0} s"))
}

fn row(objective: &Objective, kind: SystemKind) -> Result<()> {
    let start = Mat::identity(objective.order(), objective.order());
    let (_, step, mut fastest) = newton_step_at(objective, start.as_ref(), MU, kind, None)?;
    least(|| {
        let (_, _, seconds) = newton_step_at(objective, start.as_ref(), MU, kind, None)?;
        if total(&seconds) < total(&fastest) {
            fastest = seconds;
        }
        Ok::<_, Error>(total(&seconds))
    })?;
    let kernels = kernels(objective, &step);
    let unavoidable: f64 = kernels.iter().map(|(_, seconds)| seconds).sum();
    let parts: Vec<String> = kernels.iter().map(|(name, seconds)| format!("{name} {seconds:.4}")).collect();
    println!(
        "{:>9.4} {:>9.4} {:>9.4} | {unavoidable:>9.4}  {:>5.2}   {}",
        fastest.factor,
        fastest.solve,
        total(&fastest),
        total(&fastest) / unavoidable,
        parts.join(", ")
    );
    Ok(())
}

fn total(seconds: &Seconds) -> f64 {
    seconds.factor + seconds.solve
}

/// The kernels that the step requires, with their seconds.
fn kernels(objective: &Objective, step: &NewtonStep) -> Vec<(String, f64)> {
    let (l, n, rank) = (objective.order(), objective.rows(), step.x.ncols());
    let named = |name: &str, seconds| (name.to_string(), seconds);
    match step.system {
        SystemKind::Woodbury => vec![
            named("forming", forming(l, n)),
            named("gram", inner_gram(rank, n)),
            named("cholesky", cholesky(n)),
        ],
        SystemKind::Hessian => vec![
            named("forming", forming(l, n)),
            named("gram", outer_gram(rank, n)),
            named("cholesky", cholesky(packed_len(rank))),
        ],
        _ => {
            let passes = step.inner_iterations as f64;
            vec![
                (format!("{passes} values"), passes * values_seconds(objective.term())),
                named("adjoints", passes * adjoint_seconds(objective.term())),
                named("products", passes * 4.0 * product(l, l, l)),
            ]
        }
    }
}
