//! Completing a table, once or several times, a batch after another.

use crate::bounds::{Ends, limits};
use crate::errors::{Failure, SettingError};
use crate::run::{Teller, run};
use arrow_array::RecordBatch;
use psd_impute::impute::{Imputer, Limits};
use psd_impute::model::{Imputation, Imputations};
use psd_impute::table::{RowCounter, Table};
use psd_impute_frame::{Drift, Report, Source, TableModel};
use pyo3::prelude::*;
use std::sync::Arc;

/// How a table is to be completed. A dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    method: String,
    seed: u64,
    /// How many completed tables.
    imputations: u64,
    /// Whether all are drawn from the one fit.
    one_fit: bool,
    bounds: Vec<Ends>,
    threads: Option<usize>,
}

/// Progress of completing.
pub(crate) enum Event {
    /// A completed batch of the current table.
    Batch(RecordBatch),
    /// All batches of so many tables are done.
    Tables(u64),
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

/// Notes about a table, and those about how it differs from the one that was fitted.
pub(crate) type Notes = (Vec<String>, Vec<String>);

/// Completes a table and hands its batches over as they are done, so that they need not all be in memory.
pub(crate) fn complete(
    py: Python<'_>,
    fitted: Arc<TableModel>,
    source: Source,
    wanted: Wanted,
    hear: impl FnMut(Event) -> PyResult<()>,
) -> PyResult<Notes> {
    let (method, Wanted { seed, imputations, one_fit, bounds, threads, .. }) = (wanted.method()?, wanted);
    let work = move |teller: &Teller<Event, Notes>| {
        let limits = limits(&fitted.plan, bounds, Some(&source))?;
        let imputer = fitted.model.imputer(limits.clone())?;
        let all = fitted.model.imputations(imputations, seed, one_fit, limits.clone())?;
        let mut report = Report::default();
        for number in 1..=imputations {
            let filling = Filling::new(method, &imputer, &all, number)?;
            let found = complete_one(&fitted, &source, &limits, &filling, teller)?;
            if number == 1 {
                report = found;
            }
            teller.tell(Event::Tables(number));
        }
        let notes = report.notes().into_iter().chain(report.odd_notes()).collect();
        Ok((notes, Drift::notes(&report.drift(&fitted.plan))))
    };
    run(py, threads, work, hear)
}

fn complete_one(
    TableModel { plan, .. }: &TableModel,
    source: &Source,
    limits: &Limits,
    filling: &Filling<'_>,
    teller: &Teller<Event, Notes>,
) -> Result<Report, Failure> {
    let (mut counter, mut report) = (RowCounter::default(), Report::default());
    for batch in source.batches()? {
        check(teller)?;
        let batch = batch?;
        let (table, found) = plan.encode(&batch)?;
        plan.check_limits(limits, &batch, &table)?;
        report.add(&found);
        let done = filling.complete(&table, &mut counter)?;
        teller.tell(Event::Batch(plan.decode(&batch, &done)?.records()?));
    }
    Ok(report)
}

/// What gaps are filled with.
enum Filling<'a> {
    Means(&'a Imputer<'a>),
    Medians(&'a Imputer<'a>),
    Draws(Imputation<'a>),
}

impl<'a> Filling<'a> {
    fn new(
        method: Method,
        imputer: &'a Imputer<'a>,
        all: &'a Imputations<'a>,
        number: u64,
    ) -> Result<Self, Failure> {
        Ok(match method {
            Method::Mean => Self::Means(imputer),
            Method::Median => Self::Medians(imputer),
            Method::Draw => Self::Draws(all.nth(number)?),
        })
    }

    fn complete(&self, table: &Table, counter: &mut RowCounter) -> psd_impute::Result<Table> {
        match self {
            Self::Means(imputer) => imputer.complete_with_means(table),
            Self::Medians(imputer) => imputer.complete_with_medians(table),
            Self::Draws(draws) => draws.complete(table, counter),
        }
    }
}

/// Ends work that nobody waits for.
pub(crate) fn check<E, T>(teller: &Teller<E, T>) -> Result<(), Failure> {
    if teller.is_alone() { Err(psd_impute::Error::Abandoned.into()) } else { Ok(()) }
}
