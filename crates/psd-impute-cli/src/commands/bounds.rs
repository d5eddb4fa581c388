//! `--bounds COL=LO:HI`.

use super::Failure;
use psd_impute::impute::Limits;
use psd_impute::table::Table;
use psd_impute_frame::{Batch, Plan};
use std::fmt;
use std::str::FromStr;

/// What the cells of one column may be, as text: dates may have bounds too.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bounds {
    column: String,
    ends: [Option<String>; 2],
}

impl FromStr for Bounds {
    type Err = String;

    /// The last `=` ends the name, so that names may have one. Times have colons, so that ends with times are parted by `::`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected COL=LO:HI, where LO or HI may be left out".to_string();
        let (column, range) = text.rsplit_once('=').ok_or_else(wrong)?;
        let parted = range.split_once("::").or_else(|| range.split_once(':'));
        let (lo, hi) = parted.ok_or_else(wrong)?;
        let end = |text: &str| Some(text.trim().to_string()).filter(|text| !text.is_empty());
        match [end(lo), end(hi)] {
            [None, None] => Err(wrong()),
            ends => Ok(Self { column: column.to_string(), ends }),
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lo, hi] = self.ends.each_ref().map(|end| end.as_deref().unwrap_or_default());
        write!(f, "{}={lo}:{hi}", self.column)
    }
}

/// The bounds of a plan's modelled columns. Refuses a column that is not among them or is given twice, and ends that are none of its values.
pub(crate) fn limits(plan: &Plan, bounds: &[Bounds]) -> Result<Limits, Failure> {
    let columns = plan.engine_columns()?;
    let mut ends = vec![(None, None); columns.len()];
    for bound in bounds {
        let Some((j, column)) = plan.modelled().enumerate().find(|(_, c)| c.name() == bound.column) else {
            return Err(Failure::NoBounds {
                column: bound.column.clone(),
                columns: columns.iter().map(|column| column.name().to_string()).collect(),
            });
        };
        if ends[j] != (None, None) {
            return Err(Failure::BoundsTwice { column: bound.column.clone() });
        }
        let read = |text: &Option<String>| match text {
            None => Ok(None),
            Some(text) => column.kind().read(text).map(Some).ok_or_else(|| Failure::BadBound {
                column: bound.column.clone(),
                text: text.clone(),
                kind: column.kind().name(),
            }),
        };
        ends[j] = (read(&bound.ends[0])?, read(&bound.ends[1])?);
    }
    Limits::new(&columns, &ends).map_err(|error| match error {
        psd_impute::Error::BadBounds { column, problem, .. } => {
            let bounds = bounds.iter().find(|bound| bound.column == column);
            Failure::BadBounds { bounds: bounds.map(Bounds::to_string).unwrap_or(column), problem }
        }
        other => other.into(),
    })
}

/// Refuses an observed cell outside its bounds.
pub(crate) fn check(limits: &Limits, plan: &Plan, batch: &Batch, table: &Table) -> Result<(), Failure> {
    for (i, row) in table.rows().enumerate() {
        let outside = |&(j, _): &(usize, _)| !row[j].is_nan() && !limits.hold(j, row[j]);
        if let Some((j, column)) = plan.modelled().enumerate().find(outside) {
            let (lo, hi) = limits.of(j);
            let position = batch.names().iter().position(|name| *name == column.name()).unwrap_or(0);
            let show = |x: f64| if x.is_finite() { column.kind().show(x) } else { String::new() };
            return Err(Failure::OutOfBounds {
                place: batch.place(i, position),
                column: column.name().to_string(),
                text: column.kind().show(row[j]),
                bounds: format!("{}:{}", show(lo), show(hi)),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_end_may_be_left_out_and_names_may_hold_anything() {
        let of =
            |text: &str| text.parse::<Bounds>().map(|b| (b.column, b.ends.map(|e| e.unwrap_or_default())));
        let is =
            |column: &str, lo: &str, hi: &str| Ok((column.to_string(), [lo.to_string(), hi.to_string()]));
        assert_eq!(of("age=0:120"), is("age", "0", "120"));
        assert_eq!(of("age= 0 :"), is("age", "0", ""));
        assert_eq!(of("a=b:c=:-1e3"), is("a=b:c", "", "-1e3"));
        assert_eq!(of("at=2020-01-01T10:30:00::"), is("at", "2020-01-01T10:30:00", ""));
        for text in ["age", "age=3", "age=:", "0:3"] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
