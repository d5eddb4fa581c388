//! Completing a table, a batch after another.

use crate::errors::{Failure, SettingError};
use crate::run::{Teller, run};
use arrow_array::RecordBatch;
use psd_impute::impute::Limits;
use psd_impute::table::RowCounter;
use psd_impute_frame::{Bounds, Report, Source, TableModel};
use pyo3::prelude::*;
use std::sync::Arc;

/// A column's bounds, as text.
pub(crate) type Ends = (String, Option<String>, Option<String>);

/// How a table is to be completed. A dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    method: String,
    seed: u64,
    /// Which of several imputations a draw is for.
    imputation: u64,
    /// How many there are.
    imputations: u64,
    /// Whether all are drawn from the one fit.
    one_fit: bool,
    bounds: Vec<Ends>,
    threads: Option<usize>,
}

/// What to put into a missing cell.
#[derive(Clone, Copy)]
enum Method {
    Draw,
    Mean,
    Median,
}

impl Wanted {
    fn method(&self) -> PyResult<Method> {
        match self.method.as_str() {
            "draw" => Ok(Method::Draw),
            "mean" => Ok(Method::Mean),
            "median" => Ok(Method::Median),
            other => Err(SettingError::new_err(format!(
                "method is {other:?}, but must be 'draw', 'mean' or 'median'"
            ))),
        }
    }
}

/// Completes a table and hands its batches over as they are done, so that they need not all be in memory. Returns what there is to
/// say.
pub(crate) fn complete(
    py: Python<'_>,
    fitted: Arc<TableModel>,
    source: Source,
    wanted: Wanted,
    take: impl FnMut(RecordBatch) -> PyResult<()>,
) -> PyResult<Vec<String>> {
    let (method, Wanted { seed, imputation, imputations, one_fit, bounds, threads, .. }) =
        (wanted.method()?, wanted);
    let work = move |teller: &Teller<RecordBatch, Vec<String>>| {
        let limits = limits(&fitted, bounds)?;
        let imputer = fitted.model.imputer(limits.clone())?;
        let all = fitted.model.imputations(imputations, seed, one_fit, limits.clone())?;
        let draws = all.nth(imputation)?;
        let (mut counter, mut report) = (RowCounter::default(), Report::default());
        for batch in source.batches()? {
            check(teller)?;
            let batch = batch?;
            let (table, found) = fitted.plan.encode(&batch)?;
            fitted.plan.check_limits(&limits, &batch, &table)?;
            report.add(&found);
            let done = match method {
                Method::Mean => imputer.complete_with_means(&table)?,
                Method::Median => imputer.complete_with_medians(&table)?,
                Method::Draw => draws.complete(&table, &mut counter)?,
            };
            teller.tell(fitted.plan.decode(&batch, &done)?.records()?);
        }
        Ok(report.notes())
    };
    run(py, threads, work, take)
}

/// The bounds of a model's columns.
pub(crate) fn limits(fitted: &TableModel, bounds: Vec<Ends>) -> Result<Limits, Failure> {
    let bounds: Vec<Bounds> =
        bounds.into_iter().map(|(column, lo, hi)| Bounds { column, ends: [lo, hi] }).collect();
    Ok(fitted.plan.limits(&bounds)?)
}

/// Ends work that nobody waits for.
pub(crate) fn check<E, T>(teller: &Teller<E, T>) -> Result<(), Failure> {
    if teller.is_alone() { Err(psd_impute::Error::Abandoned.into()) } else { Ok(()) }
}
