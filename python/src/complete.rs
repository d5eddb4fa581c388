//! Completion of a table, once or several times, batch by batch.

use crate::bounds::{Asked, limits};
use crate::errors::{Failure, SettingError};
use crate::run::{Teller, run};
use arrow_array::RecordBatch;
use psd_impute::impute::{Imputer, Limits};
use psd_impute::model::{Imputation, Imputations};
use psd_impute::table::{RowCounter, Table};
use psd_impute_frame::{Checks, Drift, FilledWith, Report, Source, TableModel, Warning};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Options of completing a table. A dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    method: String,
    seed: u64,
    /// Number of completed tables.
    imputations: u64,
    /// Whether all are drawn from one fit.
    one_fit: bool,
    bounds: Asked,
    threads: Option<usize>,
}

/// Progress of completing.
pub(crate) enum Event {
    /// A completed batch of the current table.
    Batch(RecordBatch),
    /// This many tables are complete.
    Tables(u64),
}

/// The value that a missing cell gets.
#[derive(Clone, Copy)]
enum Method {
    Draw,
    Mean,
    Median,
}

impl Method {
    fn filled_with(self) -> FilledWith {
        match self {
            Self::Draw => FilledWith::Draws,
            Self::Mean | Self::Median => FilledWith::Typical,
        }
    }
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

/// A finding of the checks: its kind, the columns, its numbers, a sentence and its severity.
type Finding = (&'static str, Vec<String>, BTreeMap<&'static str, f64>, String, f64);

/// Notes about a table, notes about its drift from the fitted one, and findings of the checks of the first completed table.
pub(crate) type Notes = (Vec<String>, Vec<String>, Vec<Finding>);

/// Completes a table and passes on each batch as it is done, so that they need not all be in memory.
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
        let draws = match method {
            Method::Draw => {
                Some(fitted.model.imputations(imputations, seed)?.one_fit(one_fit).within(limits.clone())?)
            }
            Method::Mean | Method::Median => None,
        };
        let mut report = Report::default();
        let mut checks = Checks::new(&fitted.plan, method.filled_with());
        for number in 1..=imputations {
            let filling = Filling::new(method, &imputer, draws.as_ref(), number)?;
            let first = (number == 1).then_some((&mut report, &mut checks));
            complete_one(&fitted, &source, &limits, &filling, first, teller)?;
            teller.tell(Event::Tables(number));
        }
        let notes = report.notes().into_iter().chain(report.odd_notes()).collect();
        let findings = checks.finish(Some(&fitted.model)).into_iter().map(finding).collect();
        Ok((notes, Drift::notes(&report.drift(&fitted.plan)), findings))
    };
    run(py, threads, work, hear)
}

/// Drops the option, which is one of the command.
fn finding(Warning { kind, columns, numbers, text, severity, .. }: Warning) -> Finding {
    (kind.name(), columns, numbers, text, severity)
}

/// Completes a table once. The first time, the notes and the findings of the checks are kept.
fn complete_one(
    TableModel { plan, .. }: &TableModel,
    source: &Source,
    limits: &Limits,
    filling: &Filling<'_>,
    mut first: Option<(&mut Report, &mut Checks)>,
    teller: &Teller<Event, Notes>,
) -> Result<(), Failure> {
    let mut counter = RowCounter::default();
    for batch in source.batches()? {
        check(teller)?;
        let batch = batch?;
        let (table, found) = plan.encode(&batch)?;
        plan.check_limits(limits, &batch, &table)?;
        let done = filling.complete(&table, &mut counter)?;
        if let Some((report, checks)) = &mut first {
            report.add(&found);
            checks.add(&table, &done);
        }
        teller.tell(Event::Batch(plan.decode(&batch, &done)?.records()?));
    }
    Ok(())
}

/// The source of imputed values.
enum Filling<'a> {
    Means(&'a Imputer<'a>),
    Medians(&'a Imputer<'a>),
    Draws(Imputation<'a>),
}

impl<'a> Filling<'a> {
    fn new(
        method: Method,
        imputer: &'a Imputer<'a>,
        draws: Option<&'a Imputations<'a>>,
        number: u64,
    ) -> Result<Self, Failure> {
        Ok(match (draws, method) {
            (Some(draws), _) => Self::Draws(draws.nth(number)?),
            (None, Method::Median) => Self::Medians(imputer),
            (None, _) => Self::Means(imputer),
        })
    }

    fn complete(&self, table: &Table, counter: &mut RowCounter) -> psd_impute::Result<Table> {
        match self {
            Self::Means(imputer) => imputer.mean(table),
            Self::Medians(imputer) => imputer.median(table),
            Self::Draws(draws) => draws.complete(table, counter),
        }
    }
}

/// Ends work whose caller has gone.
pub(crate) fn check<E, T>(teller: &Teller<E, T>) -> Result<(), Failure> {
    if teller.is_alone() { Err(psd_impute::Error::Abandoned.into()) } else { Ok(()) }
}
