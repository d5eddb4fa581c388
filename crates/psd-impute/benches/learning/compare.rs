//! Alternating and joint learning from the same start.

use crate::data::Data;
use faer::Mat;
use psd_impute::Result;
use psd_impute::density::PsdDensity;
use psd_impute::internals::linalg::LbfgsParams;
use psd_impute::internals::objective::{Problem, ProblemOptions};
use psd_impute::learn::psd::{Alternating, HeldOut, JointFit};
use psd_impute::solver::{SolverOptions, solve};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::time::Instant;

const ROWS: usize = 600;
const ANCHORS: usize = 30;
const PATIENCE: usize = 3;
/// Tables drawn of each kind.
const DRAWS: u64 = 5;

/// Prints the section.
pub(crate) fn run() -> Result<()> {
    println!(
        "\nlearning: {ROWS} rows, a fifth of the cells missing, {ANCHORS} anchors; means over {DRAWS} tables of seconds and held-out \
         nats per row (more is better)"
    );
    for (name, draw) in
        [("two moons", Data::moons as fn(usize, u64) -> Result<Data>), ("correlated", Data::correlated)]
    {
        let tables = (0..DRAWS).map(|seed| draw(ROWS, seed)).collect::<Result<Vec<_>>>()?;
        for full in [false, true] {
            println!("{name}, {} metric", if full { "full" } else { "diagonal" });
            report(&tables, "Newton at the start's anchors, mu = 1e-3", |data| fixed(data, full))?;
            for (mu, steps) in [(1e-2, 60), (1e-3, 60), (1e-4, 60), (1e-2, 400), (1e-3, 400)] {
                let what = format!("alternating, mu = {mu:e}, {steps} Newton steps");
                report(&tables, &what, |data| alternating(data, full, mu, steps, None))?;
            }
            report(&tables, "the same, light anchors redrawn", |data| {
                alternating(data, full, 1e-3, 400, Some(0.1))
            })?;
            report(&tables, "joint", |data| joint(data, full, None))?;
            for mu in [1e-2, 1e-3, 1e-4] {
                let what = format!("joint, then convex, mu = {mu:e}");
                report(&tables, &what, |data| joint(data, full, Some(mu)))?;
            }
        }
    }
    Ok(())
}

/// Prints the means of a way over some tables; the way returns its score and the step or round that it kept.
fn report(tables: &[Data], what: &str, way: impl Fn(&Data) -> Result<(f64, usize)>) -> Result<()> {
    let start = Instant::now();
    let found = tables.iter().map(way).collect::<Result<Vec<_>>>()?;
    let count = tables.len() as f64;
    let seconds = start.elapsed().as_secs_f64() / count;
    let score = found.iter().map(|(score, _)| score).sum::<f64>() / count;
    let kept = found.iter().map(|(_, kept)| *kept as f64).sum::<f64>() / count;
    println!("  {what:<45} {seconds:>6.2} s  {score:>8.3}  kept at {kept:.1}");
    Ok(())
}

fn solver(mu: f64) -> SolverOptions {
    SolverOptions { mu_final: mu, tolerance: 1e-6, ..SolverOptions::default() }
}

fn fixed(data: &Data, full: bool) -> Result<(f64, usize)> {
    let features = data.start(ANCHORS, full)?;
    let objective =
        Problem::new(&features, &data.train, None, None, ProblemOptions::default())?.objective()?;
    let solution = solve(&objective, &solver(1e-3), None, &mut ())?;
    let psd = PsdDensity::new(features, solution.q)?;
    Ok((data.score(&psd)?, solution.iterations))
}

fn alternating(
    data: &Data,
    full: bool,
    mu: f64,
    newton_steps: usize,
    redraw: Option<f64>,
) -> Result<(f64, usize)> {
    let held_out = Some(HeldOut { table: &data.stop, every: 1, patience: PATIENCE });
    let setup = Alternating { solver: solver(mu), held_out, newton_steps, redraw, ..Alternating::default() };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let fitted = setup.run(&data.train, &data.start(ANCHORS, full)?, &mut rng, &mut ())?;
    Ok((data.score(fitted.density.as_ref())?, fitted.kept))
}

fn joint(data: &Data, full: bool, finish: Option<f64>) -> Result<(f64, usize)> {
    let params = LbfgsParams { max_iterations: 150, tolerance: 1e-5, memory: 12 };
    let prior = data.prior(0.05, 0.15);
    let fit = JointFit { problem: ProblemOptions::default(), prior: &prior, weights: None, params };
    let start = Mat::<f64>::identity(ANCHORS, ANCHORS);
    let (features, mut q, info) = fit.run(&data.train, &data.start(ANCHORS, full)?, start.as_ref())?;
    if let Some(mu) = finish {
        let objective =
            Problem::new(&features, &data.train, None, None, ProblemOptions::default())?.objective()?;
        q = solve(&objective, &solver(mu), Some(q.as_ref()), &mut ())?.q;
    }
    Ok((data.score(&PsdDensity::new(features, q)?)?, info.iterations))
}
