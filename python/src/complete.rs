//! Completion of a table, once or several times, batch by batch.

use crate::bounds::{self, Asked};
use crate::errors::{Failure, SettingError};
use crate::run::{Teller, run};
use arrow_array::RecordBatch;
use psd_impute_frame::{Checks, CompletionOptions, Drift, Method, Report, Source, TableModel, Warning};
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

impl Wanted {
    fn method(&self) -> PyResult<Method> {
        Method::named(&self.method).ok_or_else(|| {
            SettingError::new_err(format!(
                "method is {:?}, but must be 'draw', 'mean' or 'median'",
                self.method
            ))
        })
    }
}

/// A finding of the checks: its kind, the columns, its numbers, a sentence and its severity.
type Finding = (&'static str, Vec<String>, BTreeMap<&'static str, f64>, String, f64);

/// Notes about a table, notes about its drift from the fitted one, findings of the checks of the first completed table, and a note if
/// the draws are not in balance.
pub(crate) type Notes = (Vec<String>, Vec<String>, Vec<Finding>, Option<String>);

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
        let limits = fitted.plan.limits_of(&source, &bounds::options(&fitted.plan, bounds))?;
        let options = CompletionOptions { method, tables: imputations, seed, one_fit, limits };
        let completion = fitted.completion(options)?;
        let mut report = Report::default();
        let mut checks = Checks::new(&fitted.plan, method.filled_with());
        for number in 1..=imputations {
            let first = (number == 1).then_some(&mut checks);
            completion.table(number, &source, first, |completed, counts| {
                if number == 1 {
                    report.add(counts);
                }
                teller.tell(Event::Batch(completed.records()?));
                check(teller)
            })?;
            teller.tell(Event::Tables(number));
        }
        let notes = report.notes().into_iter().chain(report.odd_notes()).collect();
        let findings = checks.finish(Some(&fitted.model)).into_iter().map(finding).collect();
        Ok((notes, Drift::notes(&report.drift(&fitted.plan)), findings, completion.note()))
    };
    run(py, threads, work, hear)
}

/// Drops the option, which is one of the command.
fn finding(Warning { kind, columns, numbers, text, severity, .. }: Warning) -> Finding {
    (kind.name(), columns, numbers, text, severity)
}

/// Ends work whose caller has gone.
pub(crate) fn check<E, T>(teller: &Teller<E, T>) -> Result<(), Failure> {
    if teller.is_alone() { Err(psd_impute::Error::Abandoned.into()) } else { Ok(()) }
}
