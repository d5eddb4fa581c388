//! Bounds of columns, as given in Python.

use psd_impute_frame::{Bounds, BoundsOptions, End, Kind, Plan, Role};
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

/// The given bounds, of those columns of a plan that they are meant for.
pub(crate) fn options(plan: &Plan, (ends, auto): Asked) -> BoundsOptions {
    let is_number = |name: &str| {
        let column = plan.column(name).filter(|column| *column.role() == Role::Modelled);
        column.is_some_and(|column| matches!(column.kind(), Kind::Number { .. } | Kind::Levels { .. }))
    };
    let meant = ends.into_iter().filter(|(name, _, _, numbers_only)| !numbers_only || is_number(name));
    let asked = meant
        .map(|(column, low, high, _)| Bounds { column, ends: [low.map(End::from), high.map(End::from)] });
    BoundsOptions { asked: asked.collect(), auto }
}

impl From<EndGiven> for End {
    fn from(given: EndGiven) -> Self {
        match given {
            EndGiven::Number(x) => Self::Number(x),
            EndGiven::Text(text) => Self::Text(text),
        }
    }
}
