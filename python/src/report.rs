//! The report of a fit, and the columns.

use crate::cells::labels;
use psd_impute::model::{DensityReport, KernelReport, Model};
use psd_impute::stack::Tried;
use psd_impute_frame::{ColumnPlan, Drift, Reason, Role};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The report of a fit. Likelihoods are held-out log-likelihoods in nats per row.
pub(crate) fn of<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let report = model.report();
    let (out, settings) = (PyDict::new(py), PyDict::new(py));
    out.set_item("rows", report.rows.table)?;
    out.set_item("rows_fitted", report.rows.fitted)?;
    out.set_item("rows_compared", report.rows.compared)?;
    out.set_item("rows_note", report.rows.note())?;
    out.set_item("seed", report.seed)?;
    out.set_item("converged", report.converged)?;
    out.set_item("preset", report.density.recipe())?;
    match report.density {
        DensityReport::Stack(stack) => {
            settings.set_item("ridge", stack.ridge)?;
            out.set_item("held_out", stack.held_out)?;
            out.set_item("normal_held_out", stack.normal)?;
            out.set_item("members", stack.members.iter().map(member).collect::<Vec<_>>())?;
        }
        DensityReport::Kernel(KernelReport::Paper { mu, eta, rounds, kept }) => {
            settings.set_item("barrier", mu)?;
            settings.set_item("eta", eta)?;
            settings.set_item("rounds", rounds)?;
            settings.set_item("kept_round", kept + 1)?;
        }
        DensityReport::Kernel(KernelReport::Theory(sizes)) => {
            settings.set_item("anchors", sizes.anchors)?;
            settings.set_item("nu", sizes.nu)?;
            settings.set_item("regularization", sizes.lambda)?;
            settings.set_item("eta", sizes.eta)?;
        }
    }
    out.set_item("settings", settings)?;
    Ok(out)
}

fn member(tried: &Tried) -> (String, String, f64, f64) {
    (tried.member.to_string(), tried.space.to_string(), tried.weight, tried.held_out)
}

/// The drift of a column from the fitted table.
pub(crate) fn drift<'py>(py: Python<'py>, drift: &Drift) -> PyResult<Bound<'py, PyDict>> {
    let Drift { column, cells, outside, shift, unseen, relabelled, note } = drift;
    let out = PyDict::new(py);
    out.set_item("column", column)?;
    out.set_item("cells", cells)?;
    out.set_item("outside", outside)?;
    out.set_item("shift", shift)?;
    out.set_item("unseen", unseen)?;
    out.set_item("relabelled", relabelled)?;
    out.set_item("note", note)?;
    Ok(out)
}

/// A column's name, kind and role.
pub(crate) fn column<'py>(py: Python<'py>, column: &ColumnPlan) -> PyResult<Bound<'py, PyDict>> {
    let role = match column.role() {
        Role::Modelled => "modelled",
        Role::Constant(_) => "constant",
        Role::Left(_) => "left",
    };
    let out = PyDict::new(py);
    out.set_item("name", column.name())?;
    out.set_item("kind", column.kind().name())?;
    out.set_item("role", role)?;
    if let Role::Left(reason) = column.role() {
        out.set_item("reason", reason.to_string())?;
    }
    out.set_item("labels", labels(py, column.kind())?)?;
    out.set_item("ends", column.ends())?;
    out.set_item("gaps", column.has_gaps())?;
    out.set_item("empty", *column.role() == Role::Left(Reason::NeverObserved))?;
    Ok(out)
}
