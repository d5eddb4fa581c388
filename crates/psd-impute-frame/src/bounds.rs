//! Bounds on the cells of a column.
//!
//! Requested bounds hold for all cells, and an observed cell outside them is refused. The ends that the plan's table respects
//! ([`ColumnPlan::ends`]), and those of a column's type, hold for imputed cells only: another table may exceed them.

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::plan::{ColumnPlan, Kind, Plan, place};
use psd_impute::impute::Limits;
use psd_impute::table::Table;
use std::fmt;

/// Bounds on the cells of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundsOptions {
    /// The requested bounds.
    pub asked: Vec<Bounds>,
    /// Whether imputed cells also respect the ends that all observed cells respected, where no other bounds are requested.
    pub auto: bool,
}

impl Default for BoundsOptions {
    fn default() -> Self {
        Self { asked: Vec::new(), auto: true }
    }
}

/// Bounds on the cells of one column, both ends included.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// The column.
    pub column: String,
    /// The lower and the upper end; either may be left out.
    pub ends: [Option<End>; 2],
}

/// One end of a range.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// Text, read as the cells of the column are: dates also have bounds, and some numbers have decimal commas.
    Text(String),
    /// A number, regardless of the text format of the column's numbers.
    Number(f64),
}

impl End {
    /// The engine's cell.
    fn read(&self, kind: &Kind) -> Option<f64> {
        match (self, kind) {
            (End::Text(text), _) => kind.read(text),
            (End::Number(x), Kind::Number { .. } | Kind::Levels { .. }) => Some(*x),
            (End::Number(x), Kind::Codes { values, .. }) => place(values, *x),
            (End::Number(_), _) => None,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Text(text) => f.write_str(text),
            End::Number(x) => write!(f, "{x}"),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lo, hi] = self.ends.each_ref().map(|end| end.as_ref().map(End::to_string).unwrap_or_default());
        write!(f, "{lo}:{hi}")
    }
}

impl ColumnPlan {
    /// The ends that imputed cells respect because all observed ones did, written as the column's cells are.
    pub fn shown_ends(&self) -> [Option<String>; 2] {
        self.ends().map(|end| end.map(|x| self.kind().show(x)))
    }

    /// The same in words; `None` without ends.
    pub fn ends_in_words(&self) -> Option<String> {
        in_words(&self.shown_ends())
    }
}

impl Bounds {
    /// The ends as given.
    pub fn shown(&self) -> [Option<String>; 2] {
        self.ends.each_ref().map(|end| end.as_ref().map(End::to_string))
    }
}

/// Two ends in words. Returns `None` if there are none.
pub fn in_words(ends: &[Option<String>; 2]) -> Option<String> {
    match ends {
        [Some(low), Some(high)] => Some(format!("{low} to {high}")),
        [Some(low), None] => Some(format!("at least {low}")),
        [None, Some(high)] => Some(format!("at most {high}")),
        [None, None] => None,
    }
}

impl Plan {
    /// The bounds of the modelled columns, including those of the types of a batch; without one, as for new rows, those of the plan's
    /// table.
    ///
    /// # Errors
    ///
    /// [`Error::NoBounds`], [`Error::BoundsTwice`], [`Error::BadBound`] or [`Error::BadBounds`].
    pub fn limits(
        &self,
        BoundsOptions { asked, auto }: &BoundsOptions,
        batch: Option<&Batch>,
    ) -> Result<Limits> {
        let (columns, limits) = (self.engine_columns()?, self.asked_limits(asked)?);
        let imputed = self.modelled().enumerate().map(|(j, column)| {
            let (low, high) = limits.of(j);
            let open = [low, high].map(f64::is_infinite);
            let respected = auto.then(|| column.ends()).unwrap_or_default();
            let types = column.type_ends_in(batch);
            let ends = |k: usize| [respected[k].filter(|_| open[k]), types[k]].into_iter().flatten();
            // Requested bounds come first.
            let lower = ends(0).filter(|end| *end <= high).reduce(f64::max);
            (lower, ends(1).filter(|end| *end >= low).reduce(f64::min))
        });
        let imputed: Vec<_> = imputed.collect();
        Ok(limits.imputed_within(&columns, &imputed)?)
    }

    fn asked_limits(&self, bounds: &[Bounds]) -> Result<Limits> {
        let columns = self.engine_columns()?;
        let mut ends: Vec<_> = self.modelled().map(|column| column.kind().ends()).collect();
        let mut given = vec![false; columns.len()];
        for bound in bounds {
            let Some((j, column)) = self.modelled().enumerate().find(|(_, c)| c.name() == bound.column)
            else {
                return Err(Error::NoBounds {
                    column: bound.column.clone(),
                    columns: columns.iter().map(|column| column.name().to_string()).collect(),
                });
            };
            if std::mem::replace(&mut given[j], true) {
                return Err(Error::BoundsTwice { column: bound.column.clone() });
            }
            let read = |end: &Option<End>| match end {
                None => Ok(None),
                Some(end) => end.read(column.kind()).map(Some).ok_or_else(|| Error::BadBound {
                    column: bound.column.clone(),
                    text: end.to_string(),
                    kind: column.kind().name(),
                }),
            };
            let (lo, hi) = (read(&bound.ends[0])?, read(&bound.ends[1])?);
            ends[j] = (lo.or(ends[j].0), hi.or(ends[j].1));
        }
        Limits::new(&columns, &ends).map_err(|error| match error {
            psd_impute::Error::BadBounds { column, problem, .. } => {
                let bounds = bounds.iter().find(|bound| bound.column == column);
                Error::BadBounds {
                    bounds: bounds.map(Bounds::to_string).unwrap_or_default(),
                    column,
                    problem,
                }
            }
            other => other.into(),
        })
    }

    /// Checks a batch, with the engine's table of it, against the bounds.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] for an observed cell outside its bounds.
    pub fn check_limits(&self, limits: &Limits, batch: &Batch, table: &Table) -> Result<()> {
        for (i, row) in table.rows().enumerate() {
            let outside = |&(j, _): &(usize, _)| !row[j].is_nan() && !limits.allow(j, row[j]);
            if let Some((j, column)) = self.modelled().enumerate().find(outside) {
                let (lo, hi) = limits.of_observed(j);
                let position = batch.names().iter().position(|name| *name == column.name()).unwrap_or(0);
                let show = |x: f64| if x.is_finite() { column.kind().show(x) } else { String::new() };
                return Err(Error::OutOfBounds {
                    place: batch.place(i, position),
                    column: column.name().to_string(),
                    text: column.kind().show(row[j]),
                    bounds: format!("{}:{}", show(lo), show(hi)),
                });
            }
        }
        Ok(())
    }
}
