//! Bounds of columns, as given in Python.

use crate::errors::Failure;
use psd_impute::impute::Limits;
use psd_impute_frame::{Bounds, BoundsOptions, End, Kind, Plan, Role, Source};
use pyo3::prelude::*;

/// One end: a number, or a date or time as text.
#[derive(FromPyObject)]
pub(crate) enum EndGiven {
    Number(f64),
    Text(String),
}

/// A column's name, its lower and upper end, and whether they apply only if it is a modelled number.
pub(crate) type Ends = (String, Option<EndGiven>, Option<EndGiven>, bool);

/// The given bounds, and whether imputed cells respect the ends that all observed ones do.
pub(crate) type Asked = (Vec<Ends>, bool);

/// The bounds of a plan's columns, within the range of the types of a table; without a table, of the fitted one.
pub(crate) fn limits(plan: &Plan, (ends, auto): Asked, source: Option<&Source>) -> Result<Limits, Failure> {
    let is_number = |name: &str| {
        let column = plan.column(name).filter(|column| *column.role() == Role::Modelled);
        column.is_some_and(|column| matches!(column.kind(), Kind::Number { .. } | Kind::Levels { .. }))
    };
    let meant = ends.into_iter().filter(|(name, _, _, numbers_only)| !numbers_only || is_number(name));
    let asked: Vec<Bounds> = meant
        .map(|(column, low, high, _)| Bounds { column, ends: [low.map(End::from), high.map(End::from)] })
        .collect();
    let batch = source.map(|source| source.batches()).transpose()?.and_then(|mut batches| batches.next());
    Ok(plan.limits(&BoundsOptions { asked, auto }, batch.transpose()?.as_ref())?)
}

impl From<EndGiven> for End {
    fn from(given: EndGiven) -> Self {
        match given {
            EndGiven::Number(x) => Self::Number(x),
            EndGiven::Text(text) => Self::Text(text),
        }
    }
}
