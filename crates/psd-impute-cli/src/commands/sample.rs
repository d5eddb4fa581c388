//! `psd-impute sample`: new rows from a model.

use super::Failure;
use super::fitted;
use super::table_args::{is_standard, writer};
use crate::io::{Holds, check_output};
use clap::Args;
use psd_impute_frame::{BoundsOptions, Compression, Format};
use std::path::PathBuf;
use std::process::ExitCode;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Sample {
    /// The model file.
    model: PathBuf,
    /// How many rows.
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    n: u64,
    /// The file to write, in the format that its name's ending says; `-` writes CSV to standard output.
    #[arg(short, long)]
    output: PathBuf,
    /// The random seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Sample {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        if !is_standard(&self.output) {
            check_output(&self.output, Holds::Table, &[&self.model])?;
        }
        let fitted = fitted::load(&self.model)?;
        let mut writer = writer(&self.output, Format::Csv(Compression::None))?;
        let (limits, format) = (fitted.plan.limits(&BoundsOptions::default(), None)?, writer.format());
        fitted.sample(self.n, self.seed, limits, format, |batch| writer.write(&batch))?;
        writer.finish()?;
        Ok(ExitCode::SUCCESS)
    }
}
