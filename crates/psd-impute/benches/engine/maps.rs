//! The two linear maps of the data term.
//!
//! Operations are counted as the best known way needs them. Grouped: `2 N l²` for the values (a product of `l × l` by `l × N`)
//! and `N l²` for the adjoint (half of a product of `l × N` by `N × l`). Stored: `2 N p` for each, `p = l(l+1)/2`, which
//! read `8 N p` bytes and are bound by that: reads are compared with sums over a large array and over one as large as the term.

use crate::clock::best;
use crate::data::Case;
use crate::kernels::{Machine, read_rate};
use faer::Mat;
use psd_impute::Result;
use psd_impute::internals::linalg::packed_len;
use psd_impute::internals::objective::{DataTerm, Storage};

const COLUMNS: usize = 20;
const ANCHORS: [usize; 3] = [16, 65, 130];

/// Prints the section.
pub(crate) fn run(machine: &Machine) -> Result<()> {
    println!("\nmaps: rates as fractions of the matrix product's; aim 0.40 where a pattern has many rows");
    println!(
        "{:<8} {:>6} {:>8} {:>4} | {:>10} {:>8} {:>8} | {:>10} {:>8} {:>8}",
        "term",
        "rows",
        "patterns",
        "l",
        "values ms",
        "GFlop/s",
        "of gemm",
        "adjoint ms",
        "GFlop/s",
        "of gemm"
    );
    for (rows, patterns, storage) in
        [(10_000, 1, Storage::Grouped), (10_000, 20, Storage::Grouped), (1_600, 1_600, Storage::Stored)]
    {
        for anchors in ANCHORS {
            let case = Case { rows, columns: COLUMNS, anchors, patterns: Some(patterns), storage };
            row(machine, &case, patterns)?;
        }
    }
    Ok(())
}

fn row(machine: &Machine, case: &Case, patterns: usize) -> Result<()> {
    let objective = case.objective()?;
    let (values, adjoint) = (values_seconds(objective.term()), adjoint_seconds(objective.term()));
    let (n, l, p) = (case.rows as f64, case.anchors as f64, packed_len(case.anchors) as f64);
    let (name, values_flops, adjoint_flops) = match case.storage {
        Storage::Stored => ("stored", 2.0 * n * p, 2.0 * n * p),
        _ => ("grouped", 2.0 * n * l * l, n * l * l),
    };
    print!("{name:<8} {:>6} {patterns:>8} {:>4}", case.rows, case.anchors);
    for (seconds, flops) in [(values, values_flops), (adjoint, adjoint_flops)] {
        let rate = flops / seconds;
        print!(" | {:>10.3} {:>8.1} {:>8.2}", 1e3 * seconds, rate / 1e9, rate / machine.flops);
    }
    println!();
    if case.storage == Storage::Stored {
        let (bytes, near) = (8.0 * n * p, read_rate(case.rows * packed_len(case.anchors)));
        let of = |rate: f64| [values, adjoint].map(|seconds| bytes / seconds / rate);
        let ([v, a], [v_near, a_near]) = (of(machine.bytes), of(near));
        println!(
            "{:<29} | values {v:.2} and adjoint {a:.2} of memory reads; {v_near:.2} and {a_near:.2} of reads of an array of its \
             {:.0} MB ({:.1} GB/s)",
            "",
            bytes / 1e6,
            near / 1e9
        );
    }
    Ok(())
}

/// Seconds of one call of `values`.
pub(crate) fn values_seconds(term: &dyn DataTerm) -> f64 {
    let l = term.order();
    let q = Mat::from_fn(l, l, |i, j| if i == j { 1.0 } else { 0.1 });
    let mut out = vec![0.0; term.rows()];
    best(|| term.values(q.as_ref(), &mut out))
}

/// Seconds of one call of `adjoint`.
pub(crate) fn adjoint_seconds(term: &dyn DataTerm) -> f64 {
    let c: Vec<f64> = (0..term.rows()).map(|i| 1.0 + (i % 7) as f64).collect();
    let mut out = Mat::zeros(term.order(), term.order());
    best(|| term.adjoint(&c, out.as_mut()))
}
