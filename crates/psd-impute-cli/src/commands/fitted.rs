//! A model with the plan of its columns: fitted, loaded or saved.

use super::Failure;
use super::fit_args::FitArgs;
use super::progress::{Progress, Watch};
use super::table_args::{TableArgs, table_of, target};
use psd_impute::model::Model;
use psd_impute::table::Table;
use psd_impute_frame::{Plan, Role, Source, Survey, Wish};
use std::io::Write;
use std::path::Path;

/// Rows of a table that are kept for learning.
const ROWS: u64 = 100_000;

/// A model and what its columns are in files.
pub(crate) struct Fitted {
    pub(crate) model: Model,
    pub(crate) plan: Plan,
}

/// What is known of a table before it is fitted.
pub(crate) struct Surveyed {
    survey: Survey,
    pub(crate) plan: Plan,
}

impl Surveyed {
    /// Looks at a table's cells and says what its columns are. What there is to say goes into `notes`.
    pub(crate) fn new(
        source: &Source,
        args: &TableArgs,
        progress: &Progress,
        notes: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        progress.begin("reading", 1);
        let mut survey = Survey::default();
        for batch in source.batches()? {
            survey.add(&batch?)?;
        }
        let mut wishes = args.wishes()?;
        let mut plan = survey.plan(&wishes)?;
        if plan.modelled().next().is_none() {
            // A table of constants only is completed too.
            for column in plan.columns().iter().filter(|column| matches!(column.role(), Role::Constant(_))) {
                wishes.entry(column.name().to_string()).or_insert(Wish::Continuous);
            }
            plan = survey.plan(&wishes).unwrap_or(plan);
        }
        notes.extend(plan.columns().iter().filter_map(|column| column.note()));
        Ok(Self { survey, plan })
    }

    /// Whether no cell is missing that could be completed.
    pub(crate) fn is_complete(&self) -> bool {
        let columns = self.survey.missing().zip(self.plan.columns());
        columns
            .filter(|(_, column)| !matches!(column.role(), Role::Left(_)))
            .all(|((_, missing), _)| missing == Some(0))
    }
}

impl Fitted {
    /// Fits a table. What there is to say goes into `notes`.
    pub(crate) fn fit(
        source: &Source,
        Surveyed { survey, plan }: Surveyed,
        args: &FitArgs,
        seed: u64,
        progress: &Progress,
        notes: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        if args.contradicts_recipe() {
            return Err(Failure::RecipeHasItsOwn);
        }
        let table = learned_rows(source, &plan, survey.rows())?;
        if (table.len() as u64) < survey.rows() {
            notes.push(format!("learned from {} of {} rows, evenly spread", table.len(), survey.rows()));
        }
        let mut watch = Watch::new(progress, args.budget());
        let model = Model::fit(&table, &args.options(&table, seed), &mut watch)?;
        if let Some(member) = watch.stopped_after {
            notes.push(format!("the time budget ended after the {member}; --time-budget allows more"));
        }
        Ok(Self { model, plan })
    }

    /// Reads a model file.
    pub(crate) fn load(path: &Path) -> Result<Self, Failure> {
        let bytes = std::fs::read(path).map_err(Failure::of_file(path))?;
        let (model, notes) =
            Model::read(&bytes).map_err(|error| Failure::Model { path: path.to_owned(), error })?;
        let other = |problem: String| Failure::ModelPlan { path: path.to_owned(), problem };
        let plan: Plan = serde_json::from_str(&notes).map_err(|error| other(error.to_string()))?;
        let columns = plan.engine_columns()?;
        if columns != model.columns() {
            return Err(other("its columns are not those of the model".to_string()));
        }
        Ok(Self { model, plan })
    }

    pub(crate) fn save(&self, path: &Path) -> Result<(), Failure> {
        let notes = serde_json::to_string(&self.plan).map_err(std::io::Error::from)?;
        let mut bytes = Vec::new();
        self.model.write(&notes, &mut bytes)?;
        let mut target = target(path)?;
        target.write_all(&bytes).map_err(Failure::of_file(path))?;
        Ok(target.finish()?)
    }
}

/// The rows to learn from: all of them, or so many evenly spread ones.
fn learned_rows(source: &Source, plan: &Plan, rows: u64) -> Result<Table, Failure> {
    let kept = rows.min(ROWS);
    // Row k·rows/kept of the table, for k = 0, 1, ...
    let mut next = 0;
    let mut cells: Vec<f64> = Vec::new();
    let mut first = 0;
    for batch in source.batches()? {
        let (table, _) = plan.encode(&batch?)?;
        let end = first + table.len() as u64;
        while next < kept && next * rows / kept < end {
            cells.extend(table.row((next * rows / kept - first) as usize));
            next += 1;
        }
        first = end;
    }
    table_of(plan, &cells)
}
