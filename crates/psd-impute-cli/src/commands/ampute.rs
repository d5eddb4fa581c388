//! `psd-impute ampute`: remove cells from a table.

use super::Failure;
use super::table_args::{TableArgs, is_standard, writer};
use crate::diagnostic::printable;
use crate::io::{Holds, check_output};
use clap::{Args, ValueEnum};
use psd_impute::table::Table;
use psd_impute_eval::ampute::Mechanism;
use psd_impute_frame::Plan;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Ampute {
    /// The table to take cells from, of one file or several with the same columns, as for `impute`; `-` reads standard input.
    #[arg(required = true)]
    input: Vec<PathBuf>,
    /// The file to write, in the format that its name's ending says; `-` writes standard output. Cells that stay come out byte for byte, those
    /// taken away are empty. Identifiers and free text stay.
    #[arg(short, long)]
    output: PathBuf,
    /// The mechanism: how the chance that a cell goes missing depends on the table.
    #[arg(long, value_enum, default_value_t = Kind::Mcar)]
    mechanism: Kind,
    /// With `--mechanism mnar`: how cells go missing [default: logistic].
    #[arg(long, value_enum)]
    mnar: Option<NotAtRandom>,
    /// The share of cells to take away, in the columns that lose any.
    #[arg(long, value_name = "P", value_parser = share)]
    rate: f64,
    /// The random seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    table: TableArgs,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Kind {
    /// Completely at random.
    Mcar,
    /// At random: on three columns in ten, which stay complete.
    Mar,
    /// Not at random: on cells that are missing too.
    Mnar,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum NotAtRandom {
    /// Three columns in ten determine where the others lose cells, and lose theirs completely at random.
    Logistic,
    /// A cell goes missing by its own value.
    #[value(name = "self")]
    Itself,
    /// The lower and the upper quarter of seven columns in ten lose cells.
    Quantile,
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("expected a number above zero and below one".to_string()),
    }
}

impl Ampute {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let mechanism = self.mechanism()?;
        if !is_standard(&self.output) {
            let read: Vec<&Path> = self.input.iter().map(PathBuf::as_path).collect();
            check_output(&self.output, Holds::Table, &read)?;
        }
        let source = self.table.open_all(&self.input)?;
        let plan = Plan::infer(source.batches()?, &self.table.overrides()?)?;
        let table = plan.whole_table(&source)?;
        let masked = mechanism
            .ampute(&table, self.rate, self.seed)
            .map_err(|error| Failure::Evaluation { path: self.input[0].clone(), error })?;
        let mut writer = writer(&self.output, source.format())?;
        let mut first = 0;
        for batch in source.batches()? {
            let batch = batch?;
            let rows: Vec<usize> = (first..first + batch.len()).collect();
            let part = masked.select(&rows)?;
            writer.write(&plan.erase(&batch, &part)?)?;
            first += batch.len();
        }
        writer.finish()?;
        source.notes().iter().for_each(|note| eprintln!("note: {}", printable(note)));
        describe(&table, &masked);
        Ok(ExitCode::SUCCESS)
    }

    fn mechanism(&self) -> Result<Mechanism, Failure> {
        Ok(match (self.mechanism, self.mnar) {
            (Kind::Mcar | Kind::Mar, Some(_)) => return Err(Failure::MnarAlone),
            (Kind::Mcar, None) => Mechanism::Mcar,
            (Kind::Mar, None) => Mechanism::MAR,
            (Kind::Mnar, None | Some(NotAtRandom::Logistic)) => Mechanism::MNAR_LOGISTIC,
            (Kind::Mnar, Some(NotAtRandom::Itself)) => Mechanism::MnarSelf,
            (Kind::Mnar, Some(NotAtRandom::Quantile)) => Mechanism::MNAR_QUANTILE,
        })
    }
}

/// Reports the removed cells on the terminal.
fn describe(before: &Table, after: &Table) {
    let counts: Vec<(usize, usize)> = (0..before.columns().len())
        .map(|j| (before.observed(j).count(), after.observed(j).count()))
        .collect();
    let had: usize = counts.iter().map(|(had, _)| had).sum();
    let taken: usize = counts.iter().map(|(had, has)| had - has).sum();
    let losing = counts.iter().filter(|(had, has)| has < had).count();
    eprintln!("{taken} of {had} cells taken away, from {losing} of {} columns", counts.len());
}
