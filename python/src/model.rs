//! A fitted model: fit, completion and other uses.

use crate::bounds::{self, Asked};
use crate::cells::column_cells;
use crate::complete::{self, Notes, Wanted, check, complete};
use crate::errors::{Failure, SettingError};
use crate::hints::sentinel_text;
use crate::matrix::{Rows, Target};
use crate::run::{Teller, quietly, run};
use crate::table::Table;
use crate::watch::{Event, Watch};
use crate::{names, report};
use numpy::PyArray1;
use psd_impute::impute::CellSummary;
use psd_impute_frame::{ColumnOverrides, Format, LeftColumn, Surveyed, TableModel, write_file};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::Arc;

/// A fitted model with the plan of its columns.
#[pyclass(frozen, module = "psd_impute._engine")]
pub(crate) struct Model {
    fitted: Arc<TableModel>,
}

#[pymethods]
impl Model {
    /// Fits a table. Returns the model, the notes, and those notes that are doubts about the table, the worst first.
    /// Missing cells that would stay empty in the columns of `strict`, if given, are an error.
    /// `hear(member, done, of, held_out)` is called for each member tried.
    #[staticmethod]
    #[pyo3(signature = (table, *, overrides, bounds, preset, anchors, metric, normal, seed, seconds, strict, threads, hear))]
    #[allow(clippy::too_many_arguments)]
    fn fit(
        py: Python<'_>,
        table: &Table,
        overrides: Vec<(String, String, Option<Vec<String>>)>,
        bounds: Asked,
        preset: &str,
        anchors: Option<usize>,
        metric: Option<&str>,
        normal: Option<bool>,
        seed: u64,
        seconds: Option<f64>,
        strict: Option<Vec<String>>,
        threads: Option<usize>,
        hear: Bound<'_, PyAny>,
    ) -> PyResult<(Self, Vec<String>, Vec<String>)> {
        let options = names::options(preset, anchors, metric, normal, seed, seconds)?;
        let overrides: ColumnOverrides = overrides
            .into_iter()
            .map(|(name, wanted, levels)| Ok((name, names::column_override(&wanted, levels)?)))
            .collect::<PyResult<_>>()?;
        let source = table.source();
        let work = move |teller: &Teller<Event, (TableModel, Vec<String>, Vec<String>)>| {
            let surveyed = Surveyed::new(&source, overrides)?;
            if let Some(names) = strict {
                LeftColumn::refuse_empty(&among(surveyed.left(), &names))?;
            }
            if !bounds.0.is_empty() {
                surveyed.plan().check(&source, &bounds::options(surveyed.plan(), bounds), |_| ())?;
            }
            let (remarks, sentinels) = (surveyed.remarks(), surveyed.sentinels());
            let mut notes = surveyed.notes();
            notes.extend(sentinels.iter().map(|sentinel| sentinel.remark().text));
            let doubts = sentinels.iter().map(sentinel_text).chain(remarks.into_iter().map(|r| r.text));
            let doubts = doubts.collect();
            let (fitted, remark) = surveyed.fit(&source, &options, &mut Watch { teller })?;
            notes.extend(remark.map(|remark| format!("{}; time_budget allows more", remark.text)));
            Ok((fitted, notes, doubts))
        };
        let (fitted, notes, doubts) = run(py, threads, work, |Event { member, done, of, held_out }| {
            hear.call1((member, done, of, held_out)).map(drop)
        })?;
        Ok((Self { fitted: Arc::new(fitted) }, notes, doubts))
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

    /// Writes a model file; a failed write leaves no partial file. `settings` is JSON to store in it.
    fn save(&self, path: PathBuf, settings: Option<&str>) -> PyResult<()> {
        let settings = settings.map(serde_json::from_str).transpose();
        let settings = settings.map_err(|error| SettingError::new_err(error.to_string()))?;
        let bytes = self.fitted.to_bytes_with_settings(settings).map_err(Failure::from)?;
        Ok(write_file(&path, &bytes).map_err(Failure::from)?)
    }

    /// The settings stored in the model file, as JSON that is not validated.
    fn settings(&self) -> Option<String> {
        self.fitted.plan.settings().map(ToString::to_string)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// Completes a table `wanted.imputations` times. Returns the completed tables and notes. `hear(number)` is called after
    /// each table.
    fn complete(
        &self,
        py: Python<'_>,
        table: &Table,
        wanted: Wanted,
        hear: Bound<'_, PyAny>,
    ) -> PyResult<(Vec<Table>, Notes)> {
        let (mut batches, mut tables) = (Vec::new(), Vec::new());
        let take = |event| match event {
            complete::Event::Batch(batch) => {
                batches.push(batch);
                Ok(())
            }
            complete::Event::Tables(number) => {
                tables.push(Table::of(std::mem::take(&mut batches)));
                hear.call1((number,)).map(drop)
            }
        };
        let notes = complete(py, self.fitted.clone(), table.source(), wanted, take)?;
        Ok((tables, notes))
    }

    /// Completes a table of numbers into matrices of its shape, one for each completed table. Returns notes.
    fn complete_into(
        &self,
        py: Python<'_>,
        table: &Table,
        wanted: Wanted,
        matrices: Vec<Target<'_>>,
        hear: Bound<'_, PyAny>,
    ) -> PyResult<Notes> {
        let mut matrices = matrices.into_iter().map(|matrix| Rows::new(table.column_names(), matrix));
        let mut current = matrices.next();
        let take = |event| match event {
            complete::Event::Batch(batch) => current.as_mut().map_or(Ok(()), |rows| rows.write(&batch)),
            complete::Event::Tables(number) => {
                current = matrices.next();
                hear.call1((number,)).map(drop)
            }
        };
        complete(py, self.fitted.clone(), table.source(), wanted, take)
    }

    /// Notes about the missing cells that stay empty in the columns of these names; an error if strict.
    fn left_empty(&self, table: &Table, names: Vec<String>, strict: bool) -> PyResult<Vec<String>> {
        let left = among(self.fitted.plan.left_in(&table.source()).map_err(Failure::from)?, &names);
        if strict {
            LeftColumn::refuse_empty(&left).map_err(Failure::from)?;
        }
        Ok(left.iter().filter_map(LeftColumn::note).collect())
    }

    /// Differences between a table and the fitted one: a dictionary for each column that differs, the worst first.
    fn drift<'py>(&self, py: Python<'py>, table: &Table) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let (fitted, source) = (self.fitted.clone(), table.source());
        let drift = quietly(py, None, move |_| Ok(fitted.plan.count(&source)?.drift(&fitted.plan)))?;
        drift.iter().map(|drift| report::drift(py, drift)).collect()
    }

    /// Distributions of the missing cells: a dictionary of arrays for each column that has some.
    fn cells<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        quantiles: Vec<f64>,
        bounds: Asked,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (fitted, source, probabilities) = (self.fitted.clone(), table.source(), quantiles.clone());
        let cells = quietly(py, threads, move |teller| {
            let limits = fitted.plan.limits_of(&source, &bounds::options(&fitted.plan, bounds))?;
            let mut out = Vec::new();
            fitted.summaries(&source, &limits, &probabilities, |cells, _| {
                out.extend(cells);
                check(teller)
            })?;
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
            let mut out = Vec::new();
            fitted.log_densities(&source, |logs| {
                out.extend(logs);
                check(teller)
            })?;
            Ok(out)
        })?;
        Ok(PyArray1::from_vec(py, logs))
    }

    /// Draws new rows.
    fn sample(
        &self,
        py: Python<'_>,
        n: u64,
        seed: u64,
        bounds: Asked,
        threads: Option<usize>,
    ) -> PyResult<Table> {
        let fitted = self.fitted.clone();
        quietly(py, threads, move |teller| {
            let limits = fitted.plan.limits(&bounds::options(&fitted.plan, bounds), None)?;
            let mut out = Vec::new();
            fitted.sample(n, seed, limits, Format::ArrowStream, |batch| {
                out.push(batch.records()?);
                check(teller)
            })?;
            Ok(Table::of(out))
        })
    }

    /// The report of the fit.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        report::of(py, &self.fitted.model)
    }

    /// Each column: its `name`, `kind`, `role` (`modelled`, `constant` or `left`, with its `reason`), and `labels` if it is a category.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let all = self.fitted.plan.columns().iter();
        all.map(|column| report::column(py, column)).collect()
    }
}

/// The columns with one of these names.
fn among(columns: Vec<LeftColumn>, names: &[String]) -> Vec<LeftColumn> {
    columns.into_iter().filter(|column| names.contains(&column.name)).collect()
}
