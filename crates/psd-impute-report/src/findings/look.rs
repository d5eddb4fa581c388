//! Findings to look at before the completed table is used.
//!
//! All findings of the checks that `impute` prints as warnings, and those of this report only: the calibration of intervals and
//! probabilities, and the convergence of the fit.

use super::calibration::Calibration;
use super::fit::Fit;
use crate::numbers::{count, counted};
use crate::rows::Rows;
use psd_impute::model::Model;
use psd_impute_frame::{Checks, Warning};
use serde::Serialize;

/// Findings to look at.
#[derive(Debug, Clone, Serialize)]
pub struct Look {
    /// The checks' findings, the worst first.
    pub warnings: Vec<Warning>,
    /// Other doubts, in sentences.
    pub doubts: Vec<String>,
    /// Numbers of completed rows checked, and of all rows.
    pub checked: [u64; 2],
}

impl Look {
    pub(crate) fn of(
        checks: Checks,
        rows: &Rows,
        model: &Model,
        fit: &Fit,
        calibration: &Calibration,
        names: &[&str],
    ) -> Self {
        let checked = [checks.rows(), rows.report.rows];
        let mut doubts = fit.doubts();
        doubts.extend(calibration.doubts(names));
        Self { warnings: checks.finish(Some(model)), doubts, checked }
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.warnings.len() + self.doubts.len()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One or two sentences.
    pub fn answer(&self) -> String {
        let [checked, all] = self.checked;
        let looked_at = match checked {
            0 => return "No cell was imputed, so that there is nothing to check.".to_string(),
            n if n < all => format!("{} of {} completed rows were checked", count(n), count(all)),
            n => format!("{} were checked", counted(n, "completed row")),
        };
        match self.len() {
            0 => format!(
                "{looked_at}, and nothing was found that concerns more than a few rows: no label, number or association that comparable observed rows do not have, and no column imputed where it was never observed. Checks see large differences only, and none that goes with a cell’s own missing value."
            ),
            n => format!(
                "{looked_at}; {} should be looked at before the table is used, the worst first.",
                counted(n as u64, "finding")
            ),
        }
    }
}
