//! Results of methods in trials.

use super::{Method, Study, Trial};
use crate::metrics::Scores;
use serde::{Deserialize, Serialize};

/// The result of a method in a trial, or the reason why it failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The trial.
    #[serde(flatten)]
    pub trial: Trial,
    /// The method.
    pub method: Method,
    /// Number of draws, one if it does not draw.
    pub imputations: u64,
    /// The date, machine and program.
    #[serde(flatten)]
    pub setting: Setting,
    /// The outcome.
    #[serde(flatten)]
    pub done: Done,
}

/// The date, machine and program of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The day, as in 2026-11-16.
    pub date: String,
    /// The processor and its number of cores.
    pub machine: String,
    /// The version of the program.
    pub version: String,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Done {
    /// All tables were completed.
    Scored {
        /// Seconds from the masked table to the last completed one: CPU time of one core, or wall-clock time for other programs.
        seconds: f64,
        /// The average over the completed tables.
        #[serde(flatten)]
        scores: Scores,
        /// Minus the log-likelihood of the truth's complete rows, in nats per row of standardised columns, if the method is a density.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nll: Option<f64>,
        /// The energy-I-Score, which needs no truth, if the study asks for it and the method is no oracle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        i_score: Option<f64>,
        /// A note about how the tables were completed, if not with the defaults.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The method left cells empty, so there is nothing to score.
    LeftEmpty {
        /// As for a completed trial.
        seconds: f64,
        /// Cells left empty, summed over the completed tables.
        left_empty: usize,
        /// Missing cells, summed likewise.
        missing: usize,
        /// As for a completed trial.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The method failed.
    Failed {
        /// The error message.
        error: String,
    },
}

impl Record {
    /// The key of the record: name and size of the table, the trial, the method and its number of draws.
    pub fn key(&self) -> String {
        key(&self.trial, self.method, self.imputations)
    }

    /// Whether it has all that a study asks for. A failure has not, so it is tried again; a method that left cells empty would do so again.
    pub fn is_whole(&self, study: &Study) -> bool {
        match &self.done {
            Done::Scored { i_score, .. } => !study.i_score || i_score.is_some() || self.method.is_oracle(),
            Done::LeftEmpty { .. } => true,
            Done::Failed { .. } => false,
        }
    }

    /// The scores, if there are any.
    pub fn scores(&self) -> Option<&Scores> {
        match &self.done {
            Done::Scored { scores, .. } => Some(scores),
            Done::LeftEmpty { .. } | Done::Failed { .. } => None,
        }
    }
}

/// The key of a record not yet made.
pub(super) fn key(trial: &Trial, method: Method, imputations: u64) -> String {
    let Trial { dataset, rows, columns, protocol, mechanism, rate, seed } = trial;
    format!("{dataset}/{rows}/{columns}/{protocol:?}/{mechanism:?}/{rate}/{seed}/{method:?}/{imputations}")
}
