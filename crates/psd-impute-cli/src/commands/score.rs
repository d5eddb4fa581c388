//! `psd-impute score`: how well each row of a table fits a model.

use super::Failure;
use super::fitted::Fitted;
use super::progress::Progress;
use super::table_args::{ReadArgs, is_standard};
use crate::io::{check_output, write_file};
use clap::Args;
use psd_impute::impute::Limits;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// New rows of the model that a row is ranked among.
const DRAWS: usize = 1000;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Score {
    /// The table to score; `-` reads standard input.
    input: PathBuf,
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
            check_output(&self.output, &[Some(self.input.as_path()), Some(self.model.as_path())])?;
        }
        let source = self.read.open(&self.input)?;
        let fitted = Fitted::load(&self.model)?;
        let imputer = fitted.model.imputer(Limits::none(fitted.model.columns().len()))?;
        let progress = Progress::new(self.quiet);
        progress.begin("scoring", 1);
        let mut report = psd_impute_frame::Report::default();
        let mut scores = Vec::new();
        for batch in source.batches()? {
            let (table, found) = fitted.plan.encode(&batch?)?;
            report.add(&found);
            scores.extend(imputer.outlier_scores(&table, DRAWS, self.seed)?);
        }
        progress.end();
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| {
            let key = |i: usize| (scores[i].share, scores[i].log_density);
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let mut rank = vec![0; scores.len()];
        order.iter().enumerate().for_each(|(place, &i)| rank[i] = place + 1);
        let mut text = String::from("row,log_density,share,rank\n");
        for (i, score) in scores.iter().enumerate() {
            text += &format!("{},{},{},{}\n", i + 1, score.log_density, score.share, rank[i]);
        }
        if is_standard(&self.output) {
            std::io::stdout().lock().write_all(text.as_bytes())?;
        } else {
            write_file(&self.output, text.as_bytes())?;
        }
        if !self.quiet {
            report.notes().iter().for_each(|note| eprintln!("note: {note}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
