//! `psd-impute demo`: two moons with gaps, completed in several ways.

use super::Failure;
use crate::plot::scatter;
use crate::toys::{self, Gaps, Numbers};
use clap::Args;
use psd_impute::table::Table;
use psd_impute::{FitOptions, Model};
use psd_impute_eval::imputers::{Ice, Imputer as OtherImputer, Mean};
use psd_impute_eval::metrics::Evaluation;
use psd_impute_eval::toys::Shape;
use psd_impute_frame::write_file;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const DEMO_ROWS: usize = 400;
const MISSING: f64 = 0.3;
/// The width and height of a picture in characters, and the part of the moons that it shows.
const PICTURE: (usize, usize) = (24, 9);
const FRAME: [(f64, f64); 2] = [(-1.5, 2.5), (-1.0, 1.5)];
/// Pixels of a PNG per pixel of the figure.
const PIXELS: f64 = 2.0;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Demo {
    /// The seed of the table, its gaps and the draws.
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
        let truth = Shape::TwoMoons.rows(DEMO_ROWS, rng)?;
        let table = Gaps::One(2.0 * MISSING).cut(&truth, rng)?;
        let missing = table.cells().col_iter().flat_map(|row| row.iter()).filter(|x| x.is_nan()).count();
        writeln!(
            out,
            "Two moons: {DEMO_ROWS} rows, 2 columns, {missing} of {} cells missing.\n",
            2 * DEMO_ROWS
        )?;
        let completed = self.complete(&table)?;
        let [_, regression, _, draws] = &completed;
        show_points(out, [("the truth", &truth), (regression.0, &regression.1), (draws.0, &draws.1)])?;
        show_scores(out, &truth, &table, &completed)?;
        show_rows(out, &truth, &table, &draws.1)?;
        writeln!(out, "\nYour own table: psd-impute impute your.csv -o done.csv")?;
        Ok(ExitCode::SUCCESS)
    }

    /// The table completed in several ways, ours last.
    fn complete(&self, table: &Table) -> Result<[(&'static str, Table); 4], Failure> {
        let by = |other: &dyn OtherImputer| -> Result<Table, Failure> {
            other.fit(table, self.seed).and_then(|fitted| fitted.complete(table, self.seed)).map_err(of_moons)
        };
        let model = Model::fit(table, &FitOptions { seed: self.seed, ..FitOptions::default() })?;
        Ok([
            ("column means", by(&Mean)?),
            ("iterated regressions", by(&Ice)?),
            ("psd-impute, means", model.mean(table)?),
            ("psd-impute, draws", model.draw(table, self.seed)?),
        ])
    }

    /// Learns the toys and writes their figures; prints how well each was learned.
    fn draw(&self, directory: &Path, out: &mut dyn Write) -> Result<ExitCode, Failure> {
        std::fs::create_dir_all(directory).map_err(Failure::of_file(directory))?;
        writeln!(out, "Log-likelihood of {} fresh complete rows, nats per row:\n", toys::ROWS)?;
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

/// Pictures of the rows of some tables, side by side.
fn show_points(out: &mut dyn Write, tables: [(&str, &Table); 3]) -> Result<(), Failure> {
    let pictures = tables.map(|(_, table)| scatter(table.rows().map(|row| (row[0], row[1])), FRAME, PICTURE));
    let names = tables.map(|(name, _)| format!("{name:^width$}", width = PICTURE.0));
    writeln!(out, "  {}", names.join("  ").trim_end())?;
    for k in 0..PICTURE.1 {
        writeln!(out, "  {}", pictures.each_ref().map(|picture| picture[k].as_str()).join("  "))?;
    }
    Ok(())
}

fn show_scores(
    out: &mut dyn Write,
    truth: &Table,
    table: &Table,
    completed: &[(&str, Table)],
) -> Result<(), Failure> {
    let evaluation = Evaluation::new(truth, table).map_err(of_moons)?;
    writeln!(
        out,
        "\n  {:22} {:>15} {:>23}",
        "gaps filled with", "energy distance", "root mean square error"
    )?;
    for (name, table) in completed {
        let scores = evaluation.score(0, table).map_err(of_moons)?;
        let rmse = scores.rmse.map_or(String::new(), |rmse| format!("{rmse:.3}"));
        writeln!(out, "  {name:22} {:15.4} {rmse:>23}", scores.ed)?;
    }
    writeln!(out, "  Means are nearest cell by cell; draws together have the distribution of the truth.")?;
    Ok(())
}

fn show_rows(out: &mut dyn Write, truth: &Table, table: &Table, completed: &Table) -> Result<(), Failure> {
    let show = |x: f64| if x.is_nan() { "     ?".to_string() } else { format!("{x:6.2}") };
    writeln!(out, "\n  row   observed          a draw            truth")?;
    for i in (0..table.len()).filter(|&i| table.row(i).iter().any(|x| x.is_nan())).take(6) {
        let cells = |t: &Table| t.row(i).iter().map(|&x| show(x)).collect::<Vec<_>>().join(" ");
        writeln!(out, "  {i:3}   {}     {}     {}", cells(table), cells(completed), cells(truth))?;
    }
    Ok(())
}

fn of_moons(error: psd_impute_eval::Error) -> Failure {
    Failure::Evaluation { path: PathBuf::from("two moons"), error }
}
