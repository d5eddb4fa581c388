//! Converts text to arrays of the types of its kinds.

use crate::batch::{Batch, Cell, Cells};
use crate::csv::Chunk;
use crate::encode::expected;
use crate::error::{Error, Result};
use crate::fill::{cells, unwritable};
use crate::plan::{ColumnPlan, Kind, boolean};
use crate::text::{Clock, NumberText, TimeUnit, Zone};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, StringArray};
use arrow_schema::DataType;
use arrow_select::zip::zip;
use std::sync::Arc;

/// A column of text as an array, with `gaps` filled in where cells are missing.
pub(crate) fn array(
    batch: &Batch,
    chunk: &Chunk,
    j: usize,
    column: Option<&ColumnPlan>,
    gaps: &[Option<f64>],
) -> Result<ArrayRef> {
    let kind = column.map_or(&Kind::Text, ColumnPlan::kind);
    let raw = Cells::Raw(chunk, j);
    let bad = |i: usize, text: &str| Error::BadCell {
        place: batch.place(i, j),
        column: batch.names()[j].to_string(),
        text: text.to_string(),
        expected: expected(kind),
        others: 0,
    };
    let observed: ArrayRef = match kind {
        // A cell that is not a number fits only among texts.
        _ if column.is_some_and(|column| !column.odd().is_empty()) => {
            let text = |cell: &str| Some(cell.to_string());
            Arc::new(read(&raw, gaps.len(), text, bad)?.into_iter().collect::<StringArray>())
        }
        Kind::Number { text, .. } | Kind::Codes { text, .. } | Kind::Levels { text, .. }
            if kind.is_whole() =>
        {
            Arc::new(
                read(&raw, gaps.len(), |cell| whole(text, cell), bad)?.into_iter().collect::<Int64Array>(),
            )
        }
        Kind::Number { text, .. } | Kind::Codes { text, .. } | Kind::Levels { text, .. } => {
            let number = |cell: &str| text.parse(cell).map(|parsed| parsed.value);
            Arc::new(read(&raw, gaps.len(), number, bad)?.into_iter().collect::<Float64Array>())
        }
        Kind::Boolean { .. } => {
            Arc::new(read(&raw, gaps.len(), boolean, bad)?.into_iter().collect::<BooleanArray>())
        }
        Kind::Time { .. } | Kind::Clock { .. } | Kind::Duration { .. } => {
            let count = |cell: &str| kind.read(cell);
            cells(kind, &natural_type(kind), &read(&raw, gaps.len(), count, bad)?).map_err(unwritable)?
        }
        Kind::Labels { .. } => {
            let label = |cell: &str| Some(cell.to_string());
            Arc::new(read(&raw, gaps.len(), label, bad)?.into_iter().collect::<StringArray>())
        }
        Kind::Text => {
            let content = |i| (raw.get(i) != Cell::Missing).then(|| chunk.content(i, j));
            Arc::new((0..gaps.len()).map(content).collect::<StringArray>())
        }
    };
    let mask: BooleanArray = gaps.iter().map(|gap| Some(gap.is_some())).collect();
    let filled = cells(kind, observed.data_type(), gaps).and_then(|cells| zip(&mask, &cells, &observed));
    filled.map_err(unwritable)
}

/// The type of a kind, where nothing else determines it.
pub(crate) fn natural_type(kind: &Kind) -> DataType {
    match kind {
        Kind::Number { .. } | Kind::Codes { .. } | Kind::Levels { .. } if kind.is_whole() => DataType::Int64,
        Kind::Number { .. } | Kind::Codes { .. } | Kind::Levels { .. } => DataType::Float64,
        Kind::Boolean { .. } => DataType::Boolean,
        // A month has no type of its own.
        Kind::Time { text, .. } if text.date.dayless => DataType::Int64,
        Kind::Time { text, .. } if text.clock == Clock::None => DataType::Date32,
        Kind::Time { unit, text } => {
            DataType::Timestamp(arrow_unit(*unit), (text.zone != Zone::None).then(|| "UTC".into()))
        }
        Kind::Clock { unit: TimeUnit::Nanosecond, .. } => {
            DataType::Time64(arrow_schema::TimeUnit::Nanosecond)
        }
        Kind::Clock { .. } => DataType::Time64(arrow_schema::TimeUnit::Microsecond),
        Kind::Duration { unit, .. } => DataType::Duration(arrow_unit(*unit)),
        Kind::Labels { .. } | Kind::Text => DataType::Utf8,
    }
}

/// Reads all observed cells.
fn read<T>(
    raw: &Cells<'_>,
    rows: usize,
    parse: impl Fn(&str) -> Option<T>,
    bad: impl Fn(usize, &str) -> Error,
) -> Result<Vec<Option<T>>> {
    let cell = |i| match raw.get(i) {
        Cell::Raw(text) => parse(&text).ok_or_else(|| bad(i, &text)).map(Some),
        _ => Ok(None),
    };
    (0..rows).map(cell).collect()
}

/// An integer, exactly.
fn whole(looks: &NumberText, cell: &str) -> Option<i64> {
    let number = looks.parse(cell)?.value;
    let whole = number.fract() == 0.0 && number.abs() < 2f64.powi(63);
    cell.parse().ok().or(whole.then_some(number as i64))
}

fn arrow_unit(unit: TimeUnit) -> arrow_schema::TimeUnit {
    match unit {
        TimeUnit::Nanosecond => arrow_schema::TimeUnit::Nanosecond,
        TimeUnit::Microsecond => arrow_schema::TimeUnit::Microsecond,
        _ => arrow_schema::TimeUnit::Millisecond,
    }
}
