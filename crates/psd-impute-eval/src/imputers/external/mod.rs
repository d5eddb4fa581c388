//! Other programs, run if they are installed.
//!
//! Each adapter is a short script that gets a table to learn from and one to complete, as CSV files of numbers, and writes the completed
//! one. R is called as `Rscript`, Python as `python3` or by the environment variable `PSD_IMPUTE_PYTHON`. Each imputation is a separate
//! run, seeded by the seed and its number.
//!
//! Cells that a program leaves empty stay empty: filling them here would give scores that are not the program's. A line of its output that
//! begins with `note: ` becomes the [`note`](Fitted::note).

mod files;

use super::cells::{fill_some, only_numbers, same_cells};
use super::{Fitted, Imputer};
use crate::{Error, Result};
use psd_impute::table::Table;
use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// A program that may be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum External {
    /// R's mice, predictive mean matching.
    MicePmm,
    /// R's mice, classification and regression trees.
    MiceCart,
    /// Python's miceforest.
    Miceforest,
    /// scikit-learn's IterativeImputer over random forests, which is missForest.
    Missforest,
    /// Python's hyperimpute.
    Hyperimpute,
}

impl External {
    /// Whether its program can be started and has the package.
    pub fn is_installed(self) -> bool {
        let mut command = self.command(self.probe());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// The command that installs it.
    pub fn how_to_install(self) -> &'static str {
        match self {
            Self::MicePmm | Self::MiceCart => "apt install r-cran-mice, or install.packages(\"mice\") in R",
            Self::Miceforest => "pip install miceforest",
            Self::Missforest => "pip install scikit-learn",
            Self::Hyperimpute => "pip install hyperimpute",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::MicePmm | Self::MiceCart => "R mice",
            Self::Miceforest => "miceforest",
            Self::Missforest => "scikit-learn",
            Self::Hyperimpute => "hyperimpute",
        }
    }

    fn script(self) -> &'static str {
        match self {
            Self::MicePmm | Self::MiceCart => include_str!("mice.R"),
            Self::Miceforest => include_str!("miceforest.py"),
            Self::Missforest => include_str!("missforest.py"),
            Self::Hyperimpute => include_str!("hyperimpute.py"),
        }
    }

    /// A script that fails if the package is not installed.
    fn probe(self) -> &'static str {
        match self {
            Self::MicePmm | Self::MiceCart => "library(mice)",
            Self::Miceforest => "import miceforest",
            Self::Missforest => "import sklearn",
            Self::Hyperimpute => "import hyperimpute",
        }
    }

    /// The settings passed to a script.
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::MicePmm => &["pmm"],
            Self::MiceCart => &["cart"],
            _ => &[],
        }
    }

    fn command(self, script: &str) -> Command {
        let mut command = match self {
            Self::MicePmm | Self::MiceCart => {
                let mut command = Command::new("Rscript");
                command.args(["--vanilla", "-e"]);
                command
            }
            _ => {
                let python = std::env::var_os("PSD_IMPUTE_PYTHON").unwrap_or_else(|| "python3".into());
                let mut command = Command::new(python);
                command.arg("-c");
                command
            }
        };
        // One core each, as for all methods.
        command.arg(script).env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
        command.stdin(Stdio::null());
        command
    }

    /// The files and the seed come first, then the settings.
    fn run(self, folder: &Path, seed: u64) -> io::Result<Output> {
        let mut command = self.command(self.script());
        command.args(["train.csv", "test.csv", "completed.csv"].map(|name| folder.join(name)));
        command.arg(seed.to_string()).args(self.settings()).output()
    }
}

impl Imputer for External {
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>> {
        only_numbers(table)?;
        Ok(Box::new(FittedExternal { program: *self, train: table.clone(), seed, note: Mutex::default() }))
    }
}

/// A program and the table to learn from when it is run.
struct FittedExternal {
    program: External,
    train: Table,
    seed: u64,
    /// The note of the last run.
    note: Mutex<Option<String>>,
}

impl Fitted for FittedExternal {
    fn complete(&self, table: &Table, imputation: u64) -> Result<Table> {
        let failed = |what: String| Error::External { program: self.program.name(), what };
        let io = |error: io::Error| failed(error.to_string());
        let folder = tempfile::tempdir().map_err(io)?;
        files::write(&folder.path().join("train.csv"), &self.train).map_err(io)?;
        // Without a second file, the table to complete is the one to learn from.
        if !same_cells(&self.train, table) {
            files::write(&folder.path().join("test.csv"), table).map_err(io)?;
        }
        let seed = (self.seed.wrapping_mul(1000) + imputation) % (1 << 31);
        let output = self.program.run(folder.path(), seed).map_err(io)?;
        if !output.status.success() {
            return Err(failed(last_line(&output.stderr)));
        }
        *self.note.lock().unwrap_or_else(PoisonError::into_inner) = note(&output.stdout);
        let cells = files::read(&folder.path().join("completed.csv"), table).map_err(io)?;
        fill_some(table, |j, i| cells[i * table.columns().len() + j])
    }

    fn note(&self) -> Option<String> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The last line marked as a note.
fn note(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    text.lines()
        .filter_map(|line| line.strip_prefix("note: "))
        .next_back()
        .map(|note| note.trim().to_string())
}

/// The last line that is not blank.
fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it failed without a word").to_string()
}
