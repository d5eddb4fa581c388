//! Options shared by commands that run for a while.

use clap::Args;

/// How a command that fits runs and what it says.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// Threads to work with; all cores unless given. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) threads: Option<u64>,
    /// No progress and no summary; only errors and warnings.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Print the summary as JSON on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}
