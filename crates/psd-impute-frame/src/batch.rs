//! Batches of rows, and their cells in any storage.

use crate::class::{holds, is_json};
use crate::csv::Chunk;
use crate::error::{Error, Result};
use crate::json::Lines;
use crate::missing::{Missing, Tokens};
use crate::place::{At, Origin, Place};
use crate::text::{DateOrder, TimeUnit};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// Consecutive rows of a table.
#[derive(Debug, Clone)]
pub struct Batch {
    origin: Origin,
    first_row: u64,
    rows: Rows,
    hints: Hints,
}

/// Declared formats of numbers and dates in text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    /// The decimal sign.
    pub(crate) decimal: Option<char>,
    /// The order of day and month.
    pub(crate) dates: Option<DateOrder>,
}

/// The storage of the rows.
#[derive(Debug, Clone)]
pub(crate) enum Rows {
    Records(Records),
    Text(Chunk),
}

/// Rows of typed columns.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    pub(crate) records: RecordBatch,
    pub(crate) missing: Arc<Missing>,
    pub(crate) rows: RowPlaces,
}

/// The positions of rows in their file.
#[derive(Debug, Clone)]
pub(crate) enum RowPlaces {
    /// After this many others.
    After(u64),
    Lines(Lines),
    /// Rows of a sheet, and whether a row above names the columns.
    Sheet(Arc<[u32]>, bool),
}

impl RowPlaces {
    fn place(&self, origin: &Origin, i: usize, column: usize) -> Place {
        let at = match self {
            Self::Lines(lines) => return lines.place(origin, i, column),
            Self::Sheet(rows, _) => u64::from(rows[i]),
            Self::After(before) => before + i as u64 + 1,
        };
        Place { origin: origin.clone(), at: At::Row(at), excerpt: None }
    }
}

impl From<RecordBatch> for Batch {
    fn from(records: RecordBatch) -> Self {
        let records = Records { records, missing: Arc::default(), rows: RowPlaces::After(0) };
        Self::records(Origin::default(), 0, records)
    }
}

impl Batch {
    pub(crate) fn records(origin: Origin, first_row: u64, records: Records) -> Self {
        Self { origin, first_row, rows: Rows::Records(records), hints: Hints::default() }
    }

    pub(crate) fn text(origin: Origin, first_row: u64, chunk: Chunk) -> Self {
        Self { origin, first_row, rows: Rows::Text(chunk), hints: Hints::default() }
    }

    /// Sets the declared formats of its text.
    pub(crate) fn with_hints(self, hints: Hints) -> Self {
        Self { hints, ..self }
    }

    pub(crate) fn hints(&self) -> Hints {
        self.hints
    }

    /// The delimiter, if it is text.
    pub(crate) fn delimiter(&self) -> Option<u8> {
        match &self.rows {
            Rows::Text(chunk) => Some(chunk.delimiter()),
            Rows::Records(_) => None,
        }
    }

    /// Whether a line of text or a row of a sheet names the columns.
    pub(crate) fn has_header(&self) -> bool {
        match &self.rows {
            Rows::Text(chunk) => chunk.has_header(),
            Rows::Records(records) => matches!(records.rows, RowPlaces::Sheet(_, true)),
        }
    }

    /// Whether its columns have names of their own.
    pub(crate) fn has_names(&self) -> bool {
        match &self.rows {
            Rows::Text(chunk) => chunk.has_header(),
            Rows::Records(records) => !matches!(records.rows, RowPlaces::Sheet(_, false)),
        }
    }

    /// Whether it was read from a workbook.
    pub(crate) fn is_sheet(&self) -> bool {
        matches!(&self.rows, Rows::Records(Records { rows: RowPlaces::Sheet(..), .. }))
    }

    /// The JSON lines that it was read from, if it was.
    pub(crate) fn lines(&self) -> Option<&Lines> {
        match &self.rows {
            Rows::Records(Records { rows: RowPlaces::Lines(lines), .. }) => Some(lines),
            _ => None,
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Records(records) => records.records.num_rows(),
            Rows::Text(chunk) => chunk.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of the table's rows before this batch.
    pub fn first_row(&self) -> u64 {
        self.first_row
    }

    /// The table.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The names of the columns, in order.
    pub fn names(&self) -> Vec<&str> {
        match &self.rows {
            Rows::Records(records) => {
                records.records.schema_ref().fields().iter().map(|field| field.name().as_str()).collect()
            }
            Rows::Text(chunk) => chunk.names().iter().map(String::as_str).collect(),
        }
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The place of the cell in row `i` of the batch and the `column`-th column.
    pub fn place(&self, i: usize, column: usize) -> Place {
        match &self.rows {
            Rows::Text(chunk) => chunk.place(&self.origin, i, column),
            Rows::Records(records) => records.rows.place(&self.origin, i, column),
        }
    }

    /// Refuses two columns with the same name.
    pub(crate) fn check_names(&self) -> Result<()> {
        let mut seen = HashSet::new();
        match self.names().into_iter().find(|name| !seen.insert(*name)) {
            None => Ok(()),
            Some(column) => {
                Err(Error::DuplicateColumn { origin: self.origin.clone(), column: column.to_string() })
            }
        }
    }

    /// The cells of a column.
    pub(crate) fn cells(&self, column: usize) -> Result<Cells<'_>> {
        match &self.rows {
            Rows::Text(chunk) => Ok(Cells::Raw(chunk, column)),
            Rows::Records(Records { records, missing, .. }) => {
                let field = records.schema_ref().field(column);
                if is_json(field) {
                    return Ok(Cells::Unsupported);
                }
                Cells::of(records.column(column), missing.of(field.name())).map_err(|error| {
                    Error::Unreadable {
                        origin: self.origin.clone(),
                        format: "Arrow data",
                        problem: error.to_string(),
                    }
                })
            }
        }
    }

    /// Whether each cell of a column is missing.
    pub(crate) fn missing(&self, column: usize) -> Result<Vec<bool>> {
        let cells = self.cells(column)?;
        let unsupported = match (&self.rows, &cells) {
            (Rows::Records(records), Cells::Unsupported) => records.records.column(column).logical_nulls(),
            (_, Cells::Unsupported) => None,
            _ => return Ok((0..self.len()).map(|i| cells.get(i) == Cell::Missing).collect()),
        };
        Ok((0..self.len()).map(|i| unsupported.as_ref().is_some_and(|nulls| nulls.is_null(i))).collect())
    }

    /// The type of a column's storage, for messages.
    pub(crate) fn type_name(&self, column: usize) -> String {
        match &self.rows {
            Rows::Text(_) => "text".to_string(),
            Rows::Records(Records { records, .. }) => match holds(records.schema_ref().field(column)) {
                Some(holds) => holds.to_string(),
                None => records.column(column).data_type().to_string(),
            },
        }
    }
}

/// The cells of a column, in one of a few forms.
pub(crate) enum Cells<'a> {
    /// Text whose kind is not yet known.
    Raw(&'a Chunk, usize),
    /// Numbers; whether they have single precision; which of them are missing.
    Numbers(Float64Array, bool, Arc<Tokens>),
    /// Text; which of it is missing.
    Labels(LargeStringArray, Arc<Tokens>),
    Booleans(BooleanArray),
    /// Counts of the unit.
    Times(Int64Array, TimeUnit, Since, Arc<Tokens>),
    /// Only missing cells.
    Nothing,
    /// A type that is passed through.
    Unsupported,
}

/// The origin from which times are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// The first of January 1970.
    Epoch,
    Midnight,
    /// None: they are durations.
    Nothing,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell<'a> {
    Missing,
    Raw(Cow<'a, str>),
    Number(f64),
    Label(&'a str),
    Boolean(bool),
    /// Nanoseconds since 1970.
    Time(i128),
    /// Nanoseconds since midnight.
    Clock(i128),
    /// Nanoseconds.
    Duration(i128),
}

impl Cells<'_> {
    /// The cells of an array, in which tokens mark missing ones.
    pub(crate) fn of(
        array: &ArrayRef,
        tokens: Arc<Tokens>,
    ) -> std::result::Result<Self, arrow_schema::ArrowError> {
        let numbers = |single| {
            let numbers = cast(array, &DataType::Float64)?.as_primitive::<Float64Type>().clone();
            Ok(Cells::Numbers(numbers, single, tokens.clone()))
        };
        let times = |through: Option<DataType>, unit, since| {
            // Types of 32 bits become integers of 32 bits first.
            let array = through.map_or_else(|| Ok(array.clone()), |narrow| cast(array, &narrow))?;
            let counts = cast(&array, &DataType::Int64)?.as_primitive::<Int64Type>().clone();
            Ok(Cells::Times(counts, unit, since, tokens.clone()))
        };
        match array.data_type() {
            DataType::Dictionary(_, values) if **values == DataType::Null => Ok(Cells::Nothing),
            DataType::Dictionary(_, values) => Self::of(&cast(array, values)?, tokens),
            DataType::Float16 | DataType::Float32 => numbers(true),
            data_type if data_type.is_numeric() => numbers(false),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Ok(Cells::Labels(cast(array, &DataType::LargeUtf8)?.as_string::<i64>().clone(), tokens))
            }
            DataType::Boolean => Ok(Cells::Booleans(array.as_boolean().clone())),
            DataType::Date32 => times(Some(DataType::Int32), TimeUnit::Day, Since::Epoch),
            DataType::Date64 => times(None, TimeUnit::Millisecond, Since::Epoch),
            DataType::Timestamp(unit, _) => times(None, TimeUnit::from(*unit), Since::Epoch),
            DataType::Time32(unit) => times(Some(DataType::Int32), TimeUnit::from(*unit), Since::Midnight),
            DataType::Time64(unit) => times(None, TimeUnit::from(*unit), Since::Midnight),
            DataType::Duration(unit) => times(None, TimeUnit::from(*unit), Since::Nothing),
            DataType::Null => Ok(Cells::Nothing),
            _ => Ok(Cells::Unsupported),
        }
    }

    /// Cell `i`. A NaN is also missing.
    pub(crate) fn get(&self, i: usize) -> Cell<'_> {
        let cell = self.stored(i);
        let missing = match (self, &cell) {
            (Cells::Raw(chunk, column), Cell::Raw(text)) => chunk.is_missing(*column, text),
            (Cells::Numbers(_, _, tokens), Cell::Number(x)) => tokens.has_number(*x),
            (Cells::Labels(_, tokens), Cell::Label(text)) => tokens.has_text(text.trim()),
            (Cells::Times(.., tokens), Cell::Time(time)) => tokens.has_time(*time),
            _ => false,
        };
        if missing { Cell::Missing } else { cell }
    }

    /// The text of a missing cell `i` that is not empty.
    pub(crate) fn token(&self, i: usize) -> Option<Cow<'_, str>> {
        match self.stored(i) {
            Cell::Raw(text) => Some(text).filter(|text| !text.is_empty()),
            Cell::Label(text) => Some(text.trim().into()),
            Cell::Number(x) => Some(x.to_string().into()),
            _ => None,
        }
    }

    /// Whether the text of cell `i` has space around it.
    pub(crate) fn is_padded(&self, i: usize) -> bool {
        matches!(self, Cells::Raw(chunk, column) if chunk.is_padded(i, *column))
    }

    /// Cell `i`, token or not.
    fn stored(&self, i: usize) -> Cell<'_> {
        match self {
            Cells::Raw(chunk, column) => Cell::Raw(chunk.cell(i, *column)),
            Cells::Numbers(array, ..) if array.is_valid(i) && !array.value(i).is_nan() => {
                Cell::Number(array.value(i))
            }
            Cells::Labels(array, _) if array.is_valid(i) => Cell::Label(array.value(i)),
            Cells::Booleans(array) if array.is_valid(i) => Cell::Boolean(array.value(i)),
            Cells::Times(array, unit, since, _) if array.is_valid(i) => {
                let time = i128::from(array.value(i)) * unit.nanoseconds();
                match since {
                    Since::Epoch => Cell::Time(time),
                    Since::Midnight => Cell::Clock(time),
                    Since::Nothing => Cell::Duration(time),
                }
            }
            _ => Cell::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int8Type;
    use arrow_array::{
        Date32Array, Decimal128Array, DictionaryArray, DurationMicrosecondArray, Float32Array,
        Time32SecondArray, TimestampMillisecondArray,
    };

    fn cells(array: impl Array + 'static) -> Vec<String> {
        let array: ArrayRef = Arc::new(array);
        let cells = Cells::of(&array, Arc::default()).unwrap();
        (0..array.len()).map(|i| format!("{:?}", cells.get(i))).collect()
    }

    #[test]
    fn every_type_gives_its_cells() {
        let decimal = Decimal128Array::from(vec![Some(150), None]).with_precision_and_scale(5, 2).unwrap();
        assert_eq!(cells(decimal), ["Number(1.5)", "Missing"]);
        assert_eq!(cells(Float32Array::from(vec![0.5, f32::NAN])), ["Number(0.5)", "Missing"]);
        assert_eq!(cells(Date32Array::from(vec![-1])), ["Time(-86400000000000)"]);
        let zoned = TimestampMillisecondArray::from(vec![1]).with_timezone("Europe/Berlin");
        assert_eq!(cells(zoned), ["Time(1000000)"]);
        assert_eq!(cells(Time32SecondArray::from(vec![Some(60), None])), ["Clock(60000000000)", "Missing"]);
        assert_eq!(cells(DurationMicrosecondArray::from(vec![-5])), ["Duration(-5000)"]);
        let dictionary: DictionaryArray<Int8Type> = vec![Some("a"), None].into_iter().collect();
        assert_eq!(cells(dictionary), ["Label(\"a\")", "Missing"]);
    }
}
