//! Findings about a table, one file per question.
//!
//! Each finding holds the numbers that the page draws, and `answer` states them in a sentence.

pub mod belong;
pub mod calibration;
pub mod cells;
pub mod dependence;
pub mod fit;
pub mod little;
pub mod look;
pub mod missing;
pub mod outliers;
pub mod pairs;
pub mod patterns;
pub mod settings;

pub use crate::columns::ColumnInfo;

use crate::completed::Imputed;
use crate::error::Result;
use crate::rows::Rows;
use crate::subject::Subject;
use psd_impute_frame::{Checks, ColumnPlan, FilledWith};
use serde::Serialize;

/// All findings of a report.
#[derive(Debug, Clone, Serialize)]
pub struct Findings {
    /// Findings to look at first.
    pub look: look::Look,
    /// The modelled columns.
    pub columns: Vec<ColumnInfo>,
    /// Missing cells by column.
    pub missing: missing::Missing,
    /// Patterns of missing cells.
    pub patterns: patterns::Patterns,
    /// Little's test of whether cells are missing completely at random.
    pub little: little::Little,
    /// Associations of missingness with other columns.
    pub dependence: dependence::Dependence,
    /// Comparison of imputed with observed values.
    pub belong: belong::Belong,
    /// Rows for the scatter plots of pairs of columns.
    pub pairs: pairs::Pairs,
    /// Rows that the model finds unusual.
    pub outliers: outliers::Outliers,
    /// Uncertainty of each missing cell.
    pub cells: cells::Cells,
    /// The report of the fit.
    pub fit: fit::Fit,
    /// Calibration of intervals and probabilities.
    pub calibration: calibration::Calibration,
    /// The settings that reproduce the report.
    pub settings: settings::Settings,
}

impl Findings {
    /// Reads the table and computes the findings from the model.
    ///
    /// # Errors
    ///
    /// If a table cannot be read or does not fit the model.
    pub fn of(subject: &Subject<'_>) -> Result<Self> {
        let Subject { source, completed, model, bounds, .. } = subject;
        let plan = &model.plan;
        let plans: Vec<&ColumnPlan> = plan.modelled().collect();
        let (rows, limits) = Rows::read(source, plan, bounds)?;
        let imputer = model.model.imputer(limits.clone())?;
        let mut checks = Checks::new(plan, FilledWith::Draws);
        let imputed = match &rows.gaps {
            None => None,
            Some(gaps) if completed.is_empty() => {
                Some(Imputed::drawn(&rows, gaps, source, model, &limits, &mut checks)?)
            }
            Some(gaps) => Some(Imputed::read(gaps, source, completed, plan, &mut checks)?),
        };
        let (sample, imputed) = (&rows.sample, imputed.as_ref());
        let names: Vec<&str> = plans.iter().map(|column| column.name()).collect();
        let fit = fit::Fit::of(&model.model);
        let calibration = calibration::Calibration::of(sample, &model.model, &limits)?;
        Ok(Self {
            look: look::Look::of(checks, &rows, &model.model, &fit, &calibration, &names),
            columns: plans.iter().map(|column| ColumnInfo::of(column)).collect(),
            missing: missing::Missing::of(&rows, &plans),
            patterns: patterns::Patterns::of(&rows),
            little: little::Little::of(&sample.table),
            dependence: dependence::Dependence::of(&sample.table),
            belong: belong::Belong::of(&rows, imputed, &plans),
            pairs: pairs::Pairs::of(sample, imputed)?,
            outliers: outliers::Outliers::of(sample, &imputer, &plans)?,
            cells: cells::Cells::of(&rows, &imputer, &plans)?,
            fit,
            calibration,
            settings: settings::Settings::of(subject, &rows),
        })
    }
}
