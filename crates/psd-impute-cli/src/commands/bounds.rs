//! `--bounds COL=LO:HI`.

use super::Failure;
use crate::io::CsvTable;
use psd_impute::impute::Limits;
use std::str::FromStr;

/// What the cells of one column may be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bounds {
    column: String,
    ends: (Option<f64>, Option<f64>),
}

impl FromStr for Bounds {
    type Err = String;

    /// The last `=` ends the name, so that names may have one.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected COL=LO:HI, where LO or HI may be left out".to_string();
        let (column, range) = text.rsplit_once('=').ok_or_else(wrong)?;
        let (lo, hi) = range.split_once(':').ok_or_else(wrong)?;
        let end = |text: &str| match text.trim() {
            "" => Ok(None),
            number => number.parse::<f64>().map(Some).map_err(|_| format!("`{number}` is not a number")),
        };
        match (end(lo)?, end(hi)?) {
            (None, None) => Err(wrong()),
            ends => Ok(Self { column: column.to_string(), ends }),
        }
    }
}

/// The bounds of a file's columns. Refuses a column that is not there or is given twice, and an observed cell outside.
pub(crate) fn limits(file: &CsvTable, bounds: &[Bounds]) -> Result<Limits, Failure> {
    let columns = file.table().columns();
    let mut ends = vec![(None, None); columns.len()];
    for bound in bounds {
        let named: Vec<usize> = (0..columns.len()).filter(|&j| columns[j].name() == bound.column).collect();
        let [j] = named[..] else {
            return Err(Failure::NoSuchColumn {
                path: file.path().to_owned(),
                column: bound.column.clone(),
                found: named.len(),
                columns: columns.iter().map(|column| column.name().to_string()).collect(),
            });
        };
        if ends[j] != (None, None) {
            return Err(Failure::BoundsTwice { column: bound.column.clone() });
        }
        ends[j] = bound.ends;
    }
    let limits = Limits::new(columns, &ends)?;
    for (i, row) in file.table().rows().enumerate() {
        if let Some(j) = (0..row.len()).find(|&j| !row[j].is_nan() && !limits.hold(j, row[j])) {
            let (lo, hi) = limits.of(j);
            let problem = format!("is outside the bounds [{lo}, {hi}]");
            let hint = "widen the bounds, or empty the cell if it is wrong";
            return Err(file.bad_cell(i, j, problem, hint));
        }
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_end_may_be_left_out_and_names_may_hold_anything() {
        let of = |text: &str| text.parse::<Bounds>().map(|b| (b.column, b.ends.0, b.ends.1));
        assert_eq!(of("age=0:120"), Ok(("age".to_string(), Some(0.0), Some(120.0))));
        assert_eq!(of("age= 0 :"), Ok(("age".to_string(), Some(0.0), None)));
        assert_eq!(of("a=b:c=:-1e3"), Ok(("a=b:c".to_string(), None, Some(-1000.0))));
        for text in ["age", "age=3", "age=:", "age=x:3", "0:3"] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
