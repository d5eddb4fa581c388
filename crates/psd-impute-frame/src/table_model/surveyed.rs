//! A table before the fit: what its columns are, and the rows that are learned.

use super::TableModel;
use crate::batch::Batch;
use crate::error::Result;
use crate::open::Source;
use crate::plan::{ColumnOverride, ColumnOverrides, Plan, Remark, Role, Sentinel, Survey};
use crate::report::LeftColumn;
use psd_impute::model::{DensityReport, FitOptions, Model};
use psd_impute::stack::FitObserver;
use psd_impute::table::{RowSample, Table};

/// The most rows of a table used for fitting.
const LEARNED_ROWS: u64 = 100_000;

/// A table's survey before a fit.
pub struct Surveyed {
    survey: Survey,
    plan: Plan,
}

impl Surveyed {
    /// Reads all cells of a table and decides what its columns are.
    ///
    /// # Errors
    ///
    /// If the table cannot be read or an override does not fit its column.
    pub fn new(source: &Source, overrides: ColumnOverrides) -> Result<Self> {
        let survey = Survey::of(source.batches()?, &overrides)?;
        let mut plan = survey.plan(&overrides)?;
        if plan.modelled().next().is_none() {
            // A table of constants only is completed too.
            let mut overrides = overrides;
            for column in plan.columns().iter().filter(|column| matches!(column.role(), Role::Constant(_))) {
                let wanted = overrides.entry(column.name().to_string()).or_insert(ColumnOverride::Completed);
                if *wanted == ColumnOverride::Completed {
                    *wanted = ColumnOverride::Continuous;
                }
            }
            plan = survey.plan(&overrides).unwrap_or(plan);
        }
        Ok(Self { survey, plan })
    }

    /// The columns.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Remarks on assumptions about the cells, and on what may be wrong with them.
    pub fn remarks(&self) -> Vec<Remark> {
        self.survey.remarks(&self.plan)
    }

    /// Values that look like codes for missing cells. [`Checks`](crate::Checks) of a completed table find them, too.
    pub fn sentinels(&self) -> Vec<Sentinel> {
        self.survey.sentinels(&self.plan)
    }

    /// Whether every cell that could be completed is observed.
    pub fn is_complete(&self) -> bool {
        let columns = self.survey.missing().zip(self.plan.columns());
        columns
            .filter(|(_, column)| !matches!(column.role(), Role::Left(_)))
            .all(|((_, missing), _)| missing == 0)
    }

    /// The columns that are left unchanged.
    pub fn left(&self) -> Vec<LeftColumn> {
        let columns = self.survey.missing().zip(self.plan.columns());
        columns.filter_map(|((_, missing), column)| column.left(missing)).collect()
    }

    /// Notes on columns that are not modelled, on assumptions about cells, and on fitting to a sample of rows.
    pub fn notes(&self) -> Vec<String> {
        self.notes_by(|remark| remark.text.clone())
    }

    /// The same with the options of the command that change the assumptions.
    pub fn notes_with_options(&self) -> Vec<String> {
        self.notes_by(Remark::to_string)
    }

    fn notes_by(&self, say: impl Fn(&Remark) -> String) -> Vec<String> {
        let columns = self.survey.missing().zip(self.plan.columns());
        let mut notes: Vec<String> =
            columns.filter_map(|((_, missing), column)| column.note(missing)).collect();
        notes.extend(self.remarks().iter().map(say));
        let rows = self.survey.rows();
        if rows > LEARNED_ROWS {
            notes.push(format!("learned from {LEARNED_ROWS} of {rows} rows, chosen at random"));
        }
        notes
    }

    /// Fits the surveyed table. There is a remark if the time budget ended before all members were tried.
    ///
    /// # Errors
    ///
    /// If the table cannot be read or the engine refuses the fit.
    pub fn fit(
        self,
        source: &Source,
        options: &FitOptions,
        observer: &mut dyn FitObserver,
    ) -> Result<(TableModel, Option<Remark>)> {
        let plan = self.plan;
        let table = learned_rows(source, &plan)?;
        let model = Model::fit_observed(&table, options, observer)?;
        let ended_after = match model.report().density {
            DensityReport::Stack(stack) => stack.budget_ended_after,
            DensityReport::Kernel(_) => None,
        };
        let remark = ended_after.map(|member| Remark {
            column: None,
            text: format!("the time budget ended after the {member}"),
            option: Some("--time-budget allows more".to_string()),
        });
        Ok((TableModel { model, plan: plan.learned_from(&table) }, remark))
    }
}

impl Survey {
    /// Surveys all batches of a table.
    ///
    /// # Errors
    ///
    /// If a batch cannot be read, and as for [`add`](Self::add).
    pub fn of(batches: impl IntoIterator<Item = Result<Batch>>, overrides: &ColumnOverrides) -> Result<Self> {
        let mut survey = Self::new(overrides);
        for batch in batches {
            survey.add(&batch?)?;
        }
        Ok(survey)
    }
}

/// The rows to fit: all of them, or a random sample.
fn learned_rows(source: &Source, plan: &Plan) -> Result<Table> {
    let (mut sample, mut position) = (RowSample::new(LEARNED_ROWS as usize), 0);
    for encoded in plan.batches(source)? {
        for row in encoded?.table.rows() {
            sample.offer(position, row, || row.to_vec());
            position += 1;
        }
    }
    plan.table(&sample.into_rows().into_iter().flat_map(|(_, row)| row).collect::<Vec<_>>())
}
