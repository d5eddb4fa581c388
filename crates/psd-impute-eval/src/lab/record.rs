//! How a method did in a trial.

use super::{Method, Study, Trial};
use crate::metrics::Scores;
use serde::{Deserialize, Serialize};

/// How a method did in a trial, or why it did not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The trial.
    #[serde(flatten)]
    pub trial: Trial,
    /// The method.
    pub method: Method,
    /// How many draws it made, one if it does not draw.
    pub imputations: u64,
    /// When and where.
    #[serde(flatten)]
    pub setting: Setting,
    /// How it did.
    #[serde(flatten)]
    pub done: Done,
}

/// When, where and by what a record was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The day, as in 2026-11-16.
    pub date: String,
    /// The processor and how many of its cores there are.
    pub machine: String,
    /// Of the program.
    pub version: String,
}

/// How it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Done {
    /// All tables were completed.
    Scored {
        /// From the masked table to the last completed one: seconds of one core's work, or of the wall clock for other programs.
        seconds: f64,
        /// The average over the completed tables.
        #[serde(flatten)]
        scores: Scores,
        /// Minus the log-likelihood of the truth's complete rows, nats a row of standardised columns, where the method is a density.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nll: Option<f64>,
        /// The energy-I-Score, which needs no truth, where the study asks for it and the method is no oracle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        i_score: Option<f64>,
        /// How the tables were completed, where that is not as usual.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The method left cells empty, so there is nothing to score.
    LeftEmpty {
        /// As above.
        seconds: f64,
        /// Cells left empty, summed over the completed tables.
        left_empty: usize,
        /// Cells that were missing, summed likewise.
        missing: usize,
        /// As above.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The method failed.
    Failed {
        /// What it said.
        error: String,
    },
}

impl Record {
    /// What tells it from other records: of the table its name and size, the trial, the method and how often it draws.
    pub fn key(&self) -> String {
        key(&self.trial, self.method, self.imputations)
    }

    /// Whether it has all that a study asks for. What failed has not, so it is tried again; what left cells empty would do so again.
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

/// The key of a record that is still to be made.
pub(super) fn key(trial: &Trial, method: Method, imputations: u64) -> String {
    let Trial { dataset, rows, columns, protocol, mechanism, rate, seed } = trial;
    format!("{dataset}/{rows}/{columns}/{protocol:?}/{mechanism:?}/{rate}/{seed}/{method:?}/{imputations}")
}
