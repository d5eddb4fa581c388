//! A fitted model: fitting, completing, and what else it says of tables.

use crate::cells::column_cells;
use crate::complete::{Ends, Wanted, check, complete, limits};
use crate::errors::{Failure, SettingError};
use crate::matrix::{Rows, Target};
use crate::run::{Teller, quietly, run};
use crate::table::Table;
use crate::watch::{Event, Watch};
use crate::{names, report};
use numpy::PyArray1;
use psd_impute::impute::CellSummary;
use psd_impute::model::Settings;
use psd_impute_frame::{Format, Surveyed, TableModel, Wishes, write_file};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A fitted model with what its columns are.
#[pyclass(frozen, module = "psd_impute._engine")]
pub(crate) struct Model {
    fitted: Arc<TableModel>,
}

#[pymethods]
impl Model {
    /// Fits a table. Returns the model and what there is to say. `hear(member, done, of, held_out)` is called for each member tried.
    #[staticmethod]
    #[pyo3(signature = (table, *, wishes, recipe, anchors, metric, normal, seed, seconds, threads, hear))]
    #[allow(clippy::too_many_arguments)]
    fn fit(
        py: Python<'_>,
        table: &Table,
        wishes: Vec<(String, String)>,
        recipe: &str,
        anchors: Option<usize>,
        metric: Option<&str>,
        normal: Option<bool>,
        seed: u64,
        seconds: Option<f64>,
        threads: Option<usize>,
        hear: Bound<'_, PyAny>,
    ) -> PyResult<(Self, Vec<String>)> {
        let budget = |seconds: f64| {
            Duration::try_from_secs_f64(seconds).map_err(|_| {
                SettingError::new_err(format!(
                    "time_budget is {seconds}, but must be a number of seconds above zero"
                ))
            })
        };
        let settings = Settings {
            recipe: names::recipe(recipe)?,
            anchors,
            metric: metric.map(names::metric).transpose()?,
            normal,
            time_budget: seconds.map(budget).transpose()?,
        };
        let wishes: Wishes = wishes
            .into_iter()
            .map(|(name, wish)| Ok((name, names::wish(&wish)?)))
            .collect::<PyResult<_>>()?;
        let source = table.source();
        let work = move |teller: &Teller<Event, (TableModel, Vec<String>)>| {
            let surveyed = Surveyed::new(&source, wishes)?;
            let mut notes = surveyed.notes();
            let mut watch =
                Watch { teller, deadline: Instant::now() + settings.budget(), stopped_after: None };
            let fitted = surveyed.fit(&source, &settings, seed, &mut watch)?;
            if let Some(member) = watch.stopped_after {
                notes.push(format!("the time budget ended after the {member}; time_budget allows more"));
            }
            Ok((fitted, notes))
        };
        let (fitted, notes) = run(py, threads, work, |Event { member, done, of, held_out }| {
            hear.call1((member, done, of, held_out)).map(drop)
        })?;
        Ok((Self { fitted: Arc::new(fitted) }, notes))
    }

    /// Reads the bytes of a model file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let fitted = TableModel::read(bytes).map_err(Failure::from)?;
        Ok(Self { fitted: Arc::new(fitted) })
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.fitted.to_bytes().map_err(Failure::from)?))
    }

    /// Writes a model file: all of it, or nothing.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let bytes = self.fitted.to_bytes().map_err(Failure::from)?;
        Ok(write_file(&path, &bytes).map_err(Failure::from)?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// Completes a table. Returns it and what there is to say.
    fn complete(&self, py: Python<'_>, table: &Table, wanted: Wanted) -> PyResult<(Table, Vec<String>)> {
        let mut out = Vec::new();
        let take = |batch| {
            out.push(batch);
            Ok(())
        };
        let notes = complete(py, self.fitted.clone(), table.source(), wanted, take)?;
        Ok((Table::of(out), notes))
    }

    /// Completes a table of numbers into a matrix of its shape. Returns what there is to say.
    fn complete_into(
        &self,
        py: Python<'_>,
        table: &Table,
        wanted: Wanted,
        matrix: Target<'_>,
    ) -> PyResult<Vec<String>> {
        let mut rows = Rows::new(table.column_names(), matrix);
        complete(py, self.fitted.clone(), table.source(), wanted, |batch| rows.write(&batch))
    }

    /// What is known of each missing cell: a dictionary of arrays for each column that has some.
    fn cells<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        quantiles: Vec<f64>,
        bounds: Vec<Ends>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (fitted, source, probabilities) = (self.fitted.clone(), table.source(), quantiles.clone());
        let cells = quietly(py, threads, move |teller| {
            let limits = limits(&fitted, bounds)?;
            let imputer = fitted.model.imputer(limits.clone())?;
            let mut out = Vec::new();
            for batch in source.batches()? {
                check(teller)?;
                let batch = batch?;
                let (table, _) = fitted.plan.encode(&batch)?;
                fitted.plan.check_limits(&limits, &batch, &table)?;
                let shifted =
                    |cell: CellSummary| CellSummary { row: cell.row + batch.first_row() as usize, ..cell };
                out.extend(imputer.summaries(&table, &probabilities)?.into_iter().map(shifted));
            }
            Ok(out)
        })?;
        let out = PyDict::new(py);
        for (j, column) in self.fitted.plan.modelled().enumerate() {
            let cells: Vec<&CellSummary> = cells.iter().filter(|cell| cell.column == j).collect();
            if !cells.is_empty() {
                out.set_item(column.name(), column_cells(py, column, &cells, quantiles.len())?)?;
            }
        }
        Ok(out)
    }

    /// The log-density of each row's observed cells, in the table's units.
    fn log_densities<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (fitted, source) = (self.fitted.clone(), table.source());
        let logs = quietly(py, threads, move |teller| {
            let imputer = fitted.model.imputer(limits(&fitted, Vec::new())?)?;
            let mut out = Vec::new();
            for batch in source.batches()? {
                check(teller)?;
                let (table, _) = fitted.plan.encode(&batch?)?;
                out.extend(imputer.log_densities(&table)?);
            }
            Ok(out)
        })?;
        Ok(PyArray1::from_vec(py, logs))
    }

    /// New rows.
    fn sample(
        &self,
        py: Python<'_>,
        n: u64,
        seed: u64,
        bounds: Vec<Ends>,
        threads: Option<usize>,
    ) -> PyResult<Table> {
        let fitted = self.fitted.clone();
        quietly(py, threads, move |teller| {
            let imputer = fitted.model.imputer(limits(&fitted, bounds)?)?;
            let rows = imputer.new_rows(fitted.model.columns(), n as usize, seed)?;
            let (mut first, mut out) = (0, Vec::new());
            for batch in fitted.plan.blank_batches(n, Format::ArrowStream)? {
                check(teller)?;
                let part = rows.select(&(first..first + batch.len()).collect::<Vec<_>>())?;
                out.push(fitted.plan.decode(&batch, &part)?.records()?);
                first += batch.len();
            }
            Ok(Table::of(out))
        })
    }

    /// How the fit went.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        report::of(py, &self.fitted.model)
    }

    /// Each column: its `name`, `kind`, `role` (`modelled`, `constant` or `left`), and `labels` if it is a category.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let all = self.fitted.plan.columns().iter();
        all.map(|column| report::column(py, column)).collect()
    }
}
