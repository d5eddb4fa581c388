//! What there is to say of a table, one file a question.
//!
//! Each finding holds the numbers that the page draws, and `answer` puts them into a sentence.

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

/// All that a report says.
#[derive(Debug, Clone, Serialize)]
pub struct Findings {
    /// What to look at first.
    pub look: look::Look,
    /// The columns that are modelled.
    pub columns: Vec<ColumnInfo>,
    /// What is missing.
    pub missing: missing::Missing,
    /// In which patterns.
    pub patterns: patterns::Patterns,
    /// Whether missingness looks completely at random.
    pub little: little::Little,
    /// What missingness goes with.
    pub dependence: dependence::Dependence,
    /// Whether imputed values look like observed ones.
    pub belong: belong::Belong,
    /// Rows to draw pairs of columns from.
    pub pairs: pairs::Pairs,
    /// Rows that the model finds unusual.
    pub outliers: outliers::Outliers,
    /// How sure each missing cell is.
    pub cells: cells::Cells,
    /// How the fit went.
    pub fit: fit::Fit,
    /// Whether intervals hold what they should.
    pub calibration: calibration::Calibration,
    /// What is needed to make the report again.
    pub settings: settings::Settings,
}

impl Findings {
    /// Reads the table and asks the model.
    pub fn of(subject: &Subject<'_>) -> Result<Self> {
        let Subject { source, completed, model, bounds, .. } = subject;
        let plan = &model.plan;
        let plans: Vec<&ColumnPlan> = plan.modelled().collect();
        let limits = plan.limits(bounds, None)?;
        let rows = Rows::read(source, plan, &limits)?;
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
