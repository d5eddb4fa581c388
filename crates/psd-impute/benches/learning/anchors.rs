//! Time and held-out likelihood against the number of anchors.

use crate::data::Data;
use faer::Mat;
use psd_impute::Result;
use psd_impute::internals::linalg::LbfgsParams;
use psd_impute::internals::objective::ProblemOptions;
use psd_impute::learn::psd::{HeldOut, JointFit, JointFitted, JointOptions, Structure};
use std::time::Instant;

const ROWS: usize = 1500;
/// Maximum number of L-BFGS steps, the same for all.
const STEPS: usize = 40;
/// Maximum seconds of a run, as predicted from the one before it with fewer anchors.
const CEILING: f64 = 40.0;
/// Strengths and scales of the metric's prior; the rows for early stopping choose.
const PRIORS: [(f64, f64); 3] = [(0.2, 0.4), (0.05, 0.15), (0.02, 0.03)];

/// Prints the section.
pub(crate) fn run() -> Result<()> {
    println!(
        "\nanchors: correlated table of {ROWS} rows, full metric, the best of three priors, at most {STEPS} L-BFGS steps each; seconds of all three, \
         held-out nats a row"
    );
    let data = Data::correlated(ROWS, 0)?;
    for (name, structure) in
        [("full", Structure::Full), ("rank 10", Structure::LowRank(10)), ("diagonal", Structure::Diagonal)]
    {
        let mut foretold = 0.0;
        for anchors in [25, 50, 100, 200, 400] {
            if foretold > CEILING {
                println!("  {name:<9} l = {anchors:>3}: left out, it would take about {foretold:.0} s");
                foretold *= 4.0;
                continue;
            }
            let start = Instant::now();
            let (score, prior, step) = learn(&data, anchors, structure)?;
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "  {name:<9} l = {anchors:>3}: {seconds:>6.2} s  {score:>8.3}  prior {prior:?}, step {step}"
            );
            foretold = seconds * if structure == Structure::Diagonal { 2.0 } else { 4.0 };
        }
    }
    Ok(())
}

/// The held-out likelihood, the chosen prior and the step that was kept.
fn learn(data: &Data, anchors: usize, structure: Structure) -> Result<(f64, (f64, f64), usize)> {
    let params = LbfgsParams { max_iterations: STEPS, tolerance: 1e-5, memory: 12 };
    let held_out = Some(HeldOut { table: &data.stop, every: 5, patience: 2 });
    let options = JointOptions { structure, held_out, ..JointOptions::default() };
    let (start, q) = (data.start(anchors, true)?, Mat::<f64>::identity(anchors, anchors));
    let mut best: Option<((f64, f64), JointFitted)> = None;
    for (strength, scale) in PRIORS {
        let prior = data.prior(strength, scale);
        let fit = JointFit { problem: ProblemOptions::default(), prior: &prior, weights: None, params };
        let fitted = fit.learn(&data.train, &start, q.as_ref(), &options)?;
        if best.as_ref().is_none_or(|(_, best)| fitted.held_out > best.held_out) {
            best = Some(((strength, scale), fitted));
        }
    }
    let Some((prior, fitted)) = best else { unreachable!("there is a prior") };
    Ok((data.score(fitted.density.as_ref())?, prior, fitted.step))
}
