//! Numbers and dates that look like codes for missing cells.

use super::Plan;
use super::column::{ColumnPlan, Role};
use super::kind::Kind;
use super::remarks::{Remark, cells};
use super::survey::{ColumnSurvey, Evidence, Spread, Survey, Suspect};
use crate::text::DAY;

/// A value that looks like a code for a missing cell: well known as such, repeated, and far from all others.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentinel {
    /// The column.
    pub column: String,
    /// The value, as it is written.
    pub value: String,
    /// The number of cells that have it.
    pub cells: u64,
    /// The lowest and the highest of the other values.
    pub others: [String; 2],
}

impl Sentinel {
    /// The codes of a column, found from the range of its cells.
    pub(crate) fn all(column: &ColumnPlan, spread: &Spread) -> Vec<Self> {
        let unit = unit_of_codes(column.kind()).unwrap_or(1.0);
        let show = |x: f64| column.kind().show(x * unit);
        let sentinel = |suspect: &Suspect| Self {
            column: column.name().to_string(),
            value: show(suspect.value),
            cells: suspect.cells,
            others: [show(suspect.others.0), show(suspect.others.1)],
        };
        spread.suspects().iter().map(sentinel).collect()
    }

    /// A remark about it.
    pub fn remark(&self) -> Remark {
        let Self { column, value, cells: count, others: [low, high] } = self;
        let text = format!(
            "{value} in {} is far from all others ({low} to {high}) and may stand for missing ones",
            cells(*count)
        );
        Remark::of(column, text, format!("`--missing {column}={value}` makes it missing"))
    }
}

impl Survey {
    /// The values that look like codes for missing cells.
    pub fn sentinels(&self, plan: &Plan) -> Vec<Sentinel> {
        let evidence = self.evidence();
        let modelled = self.columns().iter().zip(plan.columns()).filter(|(_, c)| *c.role() == Role::Modelled);
        let of = |(seen, column): (&ColumnSurvey, &ColumnPlan)| {
            spread_of(seen, column, &evidence).map_or_else(Vec::new, |spread| Sentinel::all(column, &spread))
        };
        modelled.flat_map(of).collect()
    }
}

/// The range of a column's cells.
fn spread_of(seen: &ColumnSurvey, column: &ColumnPlan, evidence: &Evidence) -> Option<Spread> {
    let reading = evidence.read(seen);
    match column.kind() {
        Kind::Number { .. } => Some(reading.numbers.survey.spread),
        Kind::Time { text, .. } => Some(reading.dates_like(seen, *text).spread.clone()),
        _ => None,
    }
}

/// The number of a column's units in the unit of its codes, which is a day for times. `None` if the column has no codes.
pub(crate) fn unit_of_codes(kind: &Kind) -> Option<f64> {
    match kind {
        Kind::Number { .. } => Some(1.0),
        Kind::Time { unit, .. } => Some(DAY as f64 / unit.nanoseconds() as f64),
        _ => None,
    }
}
