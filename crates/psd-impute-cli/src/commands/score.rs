//! `psd-impute score`: score how well each row of a table fits a model.

use super::Failure;
use super::fitted;
use super::progress::Progress;
use super::table_args::{ReadArgs, is_standard, target};
use crate::diagnostic::printable;
use crate::io::{Holds, check_output};
use clap::Args;
use psd_impute::impute::RowScore;
use psd_impute_frame::Drift;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Score {
    /// The table to score, of one file or several with the same columns, as for `impute`; `-` reads standard input.
    #[arg(required = true)]
    input: Vec<PathBuf>,
    /// The model file.
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The CSV file to write, a line for each row: its number, the log-density of its observed cells, the share of the model's own rows
    /// that are no more probable in the same cells (small for an outlier), and its rank, 1 for the most unusual; `-` writes standard
    /// output.
    #[arg(short, long)]
    output: PathBuf,
    /// The seed of the model's rows.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    read: ReadArgs,
    /// No progress and no notes.
    #[arg(long)]
    quiet: bool,
}

impl Score {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        if !is_standard(&self.output) {
            let read: Vec<&Path> = self.input.iter().chain([&self.model]).map(PathBuf::as_path).collect();
            check_output(&self.output, Holds::Csv, &read)?;
        }
        let source = self.read.open_all(&self.input)?;
        let fitted = fitted::load(&self.model)?;
        let progress = Progress::new(self.quiet);
        progress.begin("scoring", 1);
        let (scores, report) = fitted.outlier_scores(&source, self.seed)?;
        progress.end();
        let mut out = target(&self.output)?;
        write(&scores, &mut out).map_err(Failure::of_file(&self.output))?;
        out.finish()?;
        if !self.quiet {
            let drift = Drift::notes(&report.drift(&fitted.plan));
            source
                .notes()
                .iter()
                .chain(&report.notes())
                .chain(&drift)
                .for_each(|note| eprintln!("note: {}", printable(note)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn write(scores: &[RowScore], out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "row,log_density,share,rank")?;
    for (i, (score, rank)) in scores.iter().zip(ranks(scores)).enumerate() {
        writeln!(out, "{},{},{},{rank}", i + 1, score.log_density, score.share)?;
    }
    Ok(())
}

/// The rank of each row, the most unusual first.
fn ranks(scores: &[RowScore]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&scores[a], &scores[b]);
        a.share.total_cmp(&b.share).then(a.log_density.total_cmp(&b.log_density))
    });
    let mut ranks = vec![0; scores.len()];
    order.iter().enumerate().for_each(|(place, &i)| ranks[i] = place + 1);
    ranks
}
