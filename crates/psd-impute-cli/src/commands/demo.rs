//! `psd-impute demo`: two moons with gaps, fitted and completed.

use super::Failure;
use crate::toys::{self, Gaps, Numbers};
use clap::Args;
use psd_impute::density::{Density, PsdDensity};
use psd_impute::impute::{Imputer, Limits, Ties};
use psd_impute::kernel::Metric;
use psd_impute::learn::{AnchorChoice, Fitted, PsdFit};
use psd_impute::solver::Status;
use psd_impute::table::Table;
use psd_impute_eval::toys::Shape;
use psd_impute_frame::write_file;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const ROWS: usize = 400;
const ANCHORS: usize = 40;
const BANDWIDTH: f64 = 4.0;
const MISSING: f64 = 0.3;
/// Of a PNG, for each of the figure's.
const PIXELS: f64 = 2.0;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Demo {
    /// The seed of the table, its gaps and the anchors.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Learn the paper's toys instead (two moons, rings, a cylinder) and draw them into this directory, as SVG and PNG.
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
}

impl Demo {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        if let Some(directory) = &self.plots {
            return self.draw(directory, out);
        }
        let rng = &mut ChaCha8Rng::seed_from_u64(self.seed);
        let truth = Shape::TwoMoons.rows(ROWS, rng)?;
        let table = Gaps::One(2.0 * MISSING).cut(&truth, rng)?;
        let (standardised, scaler) = table.standardise();
        let anchors = AnchorChoice::KMeans { count: ANCHORS, steps: 50 }.pick(&standardised, rng)?;
        let setup = PsdFit { metric: Metric::isotropic(BANDWIDTH)?, ..Default::default() };
        let fitted = setup.run(&standardised, &anchors, &mut ())?;
        let imputer = Imputer::new(fitted.density.as_ref(), &scaler, &Ties::none(2), Limits::none(2))?;
        let completed = imputer.complete_with_means(&table)?;

        let missing = table.cells().col_iter().flat_map(|row| row.iter()).filter(|x| x.is_nan()).count();
        writeln!(out, "Two moons: {ROWS} rows, 2 columns, {missing} of {} cells missing.\n", 2 * ROWS)?;
        show_rows(out, &table, &completed, &truth)?;
        show_fit(out, &fitted, &standardised)?;
        let (ours, plain) =
            (error(&table, &completed, &truth), error(&table, &column_means(&table)?, &truth));
        writeln!(
            out,
            "  root mean square error of the completed cells: {ours:.3} (column means: {plain:.3})"
        )?;
        Ok(if fitted.solution.status == Status::Converged { ExitCode::SUCCESS } else { ExitCode::from(3) })
    }

    /// Learns the toys and writes their figures; prints how well each was learned.
    fn draw(&self, directory: &Path, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        std::fs::create_dir_all(directory).map_err(Failure::of_file(directory))?;
        writeln!(out, "Log-likelihood of {} fresh complete rows, nats a row:\n", toys::ROWS)?;
        writeln!(out, "              learned from the table   learned from the    true")?;
        writeln!(out, "                           with gaps    complete table   density")?;
        for toy in &toys::TOYS {
            let (Numbers { with_gaps, complete, truth }, scene) = toy.run(self.seed)?;
            writeln!(out, "  {:10} {with_gaps:23.3} {complete:17.3} {truth:9.3}", toy.name)?;
            out.flush()?;
            write_file(&directory.join(format!("{}.svg", toy.name)), scene.svg().as_bytes())?;
            write_file(&directory.join(format!("{}.png", toy.name)), &scene.png(PIXELS)?)?;
        }
        let names: Vec<&str> = toys::TOYS.iter().map(|toy| toy.name).collect();
        writeln!(out, "\n  figures: {}/{{{}}}.{{svg,png}}", directory.display(), names.join(","))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn show_rows(out: &mut dyn Write, table: &Table, completed: &Table, truth: &Table) -> Result<(), Failure> {
    let show = |x: f64| if x.is_nan() { "     ?".to_string() } else { format!("{x:6.2}") };
    writeln!(out, "  row   observed          completed         truth")?;
    for i in (0..table.len()).filter(|&i| table.row(i).iter().any(|x| x.is_nan())).take(6) {
        let cells = |t: &Table| t.row(i).iter().map(|&x| show(x)).collect::<Vec<_>>().join(" ");
        writeln!(out, "  {i:3}   {}     {}     {}", cells(table), cells(completed), cells(truth))?;
    }
    Ok(())
}

fn show_fit(out: &mut dyn Write, fitted: &Fitted, table: &Table) -> Result<(), Failure> {
    let solution = &fitted.solution;
    let status = match solution.status {
        Status::Converged => "converged",
        Status::IterationLimit => "stopped at the iteration limit",
        Status::Stalled => "stopped at the limit of rounding",
        Status::Stopped => "was stopped",
    };
    let average = |density: &dyn Density| -> Result<f64, Failure> {
        Ok(density.log_marginals(table)?.iter().sum::<f64>() / table.len() as f64)
    };
    let moments = fitted.psd.moments()?;
    let normal = PsdDensity::normal(table, &moments.0, moments.1.as_ref())?;
    writeln!(out, "\n  {ANCHORS} anchors; the solver {status} after {} Newton steps", solution.iterations)?;
    writeln!(
        out,
        "  log-likelihood of the observed cells: {:.3} a row (normal density of the same moments: {:.3})",
        average(fitted.density.as_ref())?,
        average(&normal)?
    )?;
    Ok(())
}

fn column_means(table: &Table) -> Result<Table, Failure> {
    let mean = |j: usize| table.observed(j).sum::<f64>() / table.observed(j).count() as f64;
    let mut cells = table.cells().to_owned();
    for j in 0..cells.nrows() {
        cells.row_mut(j).iter_mut().filter(|x| x.is_nan()).for_each(|x| *x = mean(j));
    }
    Ok(table.with_cells(cells)?)
}

fn error(table: &Table, completed: &Table, truth: &Table) -> f64 {
    let squares: Vec<f64> = (0..table.len())
        .flat_map(|i| (0..2).map(move |j| (j, i)))
        .filter(|&(j, i)| table.cells()[(j, i)].is_nan())
        .map(|at| (completed.cells()[at] - truth.cells()[at]).powi(2))
        .collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}
