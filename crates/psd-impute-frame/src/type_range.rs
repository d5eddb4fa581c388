//! The range of a column's type as bounds of its cells: draws then stay within the type without piling up at its ends.

use crate::batch::{Batch, Records, Rows};
use crate::fill::{largest, signed_ends, unsigned_end};
use crate::plan::{ColumnPlan, Kind};
use crate::text::TimeUnit;
use arrow_schema::DataType;

/// An end this many times the observed range away is not reached, and not worth a bound.
const FAR: f64 = 100.0;

/// The least and the largest cell of a kind that a type can hold, as the engine sees it.
fn range(kind: &Kind, stored: &DataType) -> Option<(f64, f64)> {
    match (kind, stored) {
        (_, DataType::Dictionary(_, values)) => range(kind, values),
        (Kind::Number { .. }, stored) if stored.is_unsigned_integer() => {
            Some((0.0, unsigned_end(stored) as f64))
        }
        (Kind::Number { .. }, stored) if stored.is_signed_integer() => {
            let (low, high) = signed_ends(stored);
            Some((low as f64, high as f64))
        }
        (Kind::Number { .. }, stored) if stored.is_numeric() => Some((-largest(stored), largest(stored))),
        (Kind::Time { unit, .. }, DataType::Timestamp(stored, _)) => {
            let count = |end: i64| unit.count(i128::from(end) * TimeUnit::from(*stored).nanoseconds());
            Some((count(i64::MIN), count(i64::MAX)))
        }
        _ => None,
    }
}

/// The ends of a type that are near enough to the observed cells, from `low` to `high`, to matter.
pub(crate) fn near_ends(kind: &Kind, stored: &DataType, low: f64, high: f64) -> Option<[Option<f64>; 2]> {
    let (least, most) = range(kind, stored)?;
    let spread = FAR * if high > low { high - low } else { low.abs().max(1.0) };
    let ends = [Some(least).filter(|end| low - end <= spread), Some(most).filter(|end| end - high <= spread)];
    (ends != [None, None]).then_some(ends)
}

impl ColumnPlan {
    /// The ends of the column's type in a batch; without one, in the plan's table.
    pub(crate) fn type_ends_in(&self, batch: Option<&Batch>) -> [Option<f64>; 2] {
        let stored = batch.and_then(|batch| batch.stored_type(self.name()));
        let holds = stored.and_then(|stored| range(self.kind(), stored));
        // A type other than the plan's has other ends, and cells may have been observed beyond those of the plan's.
        let applies =
            |end: &f64| batch.is_none() || holds.is_some_and(|(least, most)| [least, most].contains(end));
        self.type_ends().map(|end| end.filter(applies))
    }
}

impl Batch {
    /// The type of a column that is stored as records.
    fn stored_type(&self, name: &str) -> Option<&DataType> {
        match self.rows() {
            Rows::Records(Records { records, .. }) => {
                records.schema_ref().field_with_name(name).ok().map(|field| field.data_type())
            }
            Rows::Text(_) => None,
        }
    }
}
