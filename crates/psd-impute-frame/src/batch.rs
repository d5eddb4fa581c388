//! Batches of rows, and their cells whatever they are stored as.

use crate::csv::Chunk;
use crate::error::{Error, Result};
use crate::place::{At, Origin, Place};
use crate::text::TimeUnit;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use std::collections::HashSet;

/// Some rows of a table that follow each other.
#[derive(Debug, Clone)]
pub struct Batch {
    origin: Origin,
    first_row: u64,
    rows: Rows,
}

/// What the rows are stored as.
#[derive(Debug, Clone)]
pub(crate) enum Rows {
    Records(RecordBatch),
    Text(Chunk),
}

impl From<RecordBatch> for Batch {
    fn from(records: RecordBatch) -> Self {
        Self::records(Origin::default(), 0, records)
    }
}

impl Batch {
    pub(crate) fn records(origin: Origin, first_row: u64, records: RecordBatch) -> Self {
        Self { origin, first_row, rows: Rows::Records(records) }
    }

    pub(crate) fn text(origin: Origin, first_row: u64, chunk: Chunk) -> Self {
        Self { origin, first_row, rows: Rows::Text(chunk) }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Records(records) => records.num_rows(),
            Rows::Text(chunk) => chunk.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The table's rows before this batch.
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
                records.schema_ref().fields().iter().map(|field| field.name().as_str()).collect()
            }
            Rows::Text(chunk) => chunk.names().iter().map(String::as_str).collect(),
        }
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Where the cell of row `i` of the batch in its `column`-th column is.
    pub fn place(&self, i: usize, column: usize) -> Place {
        match &self.rows {
            Rows::Text(chunk) => chunk.place(&self.origin, i, column),
            Rows::Records(_) => {
                let at = At::Row(self.first_row + i as u64 + 1);
                Place { origin: self.origin.clone(), at, excerpt: None }
            }
        }
    }

    /// Refuses two columns of the same name.
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
            Rows::Records(records) => Cells::of(records.column(column)).map_err(|error| Error::Unreadable {
                origin: self.origin.clone(),
                format: "Arrow data",
                problem: error.to_string(),
            }),
        }
    }

    /// Which cells of a column are missing.
    pub(crate) fn missing(&self, column: usize) -> Result<Vec<bool>> {
        let cells = self.cells(column)?;
        let unsupported = match (&self.rows, &cells) {
            (Rows::Records(records), Cells::Unsupported) => records.column(column).logical_nulls(),
            (_, Cells::Unsupported) => None,
            _ => return Ok((0..self.len()).map(|i| cells.get(i) == Cell::Missing).collect()),
        };
        Ok((0..self.len()).map(|i| unsupported.as_ref().is_some_and(|nulls| nulls.is_null(i))).collect())
    }

    /// The type of a column's storage, for people.
    pub(crate) fn type_name(&self, column: usize) -> String {
        match &self.rows {
            Rows::Text(_) => "text".to_string(),
            Rows::Records(records) => records.column(column).data_type().to_string(),
        }
    }
}

/// The cells of a column, in the few forms that matter.
pub(crate) enum Cells<'a> {
    /// Text of which nobody has said what it is.
    Raw(&'a Chunk, usize),
    /// Numbers; whether they are of single precision.
    Numbers(Float64Array, bool),
    Labels(LargeStringArray),
    Booleans(BooleanArray),
    /// Counts of the unit since 1970.
    Times(Int64Array, TimeUnit),
    /// Nothing but missing cells.
    Nothing,
    /// A type that is passed through.
    Unsupported,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell<'a> {
    Missing,
    Raw(std::borrow::Cow<'a, str>),
    Number(f64),
    Label(&'a str),
    Boolean(bool),
    /// Nanoseconds since 1970.
    Time(i128),
}

impl Cells<'_> {
    pub(crate) fn of(array: &ArrayRef) -> std::result::Result<Self, arrow_schema::ArrowError> {
        let numbers = |single| {
            Ok(Cells::Numbers(cast(array, &DataType::Float64)?.as_primitive::<Float64Type>().clone(), single))
        };
        let times =
            |unit| Ok(Cells::Times(cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone(), unit));
        match array.data_type() {
            DataType::Dictionary(_, values) => Self::of(&cast(array, values)?),
            DataType::Float16 | DataType::Float32 => numbers(true),
            data_type if data_type.is_numeric() => numbers(false),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                Ok(Cells::Labels(cast(array, &DataType::LargeUtf8)?.as_string::<i64>().clone()))
            }
            DataType::Boolean => Ok(Cells::Booleans(array.as_boolean().clone())),
            DataType::Date32 => {
                let days = cast(&cast(array, &DataType::Int32)?, &DataType::Int64)?;
                Ok(Cells::Times(days.as_primitive::<Int64Type>().clone(), TimeUnit::Day))
            }
            DataType::Date64 => times(TimeUnit::Millisecond),
            DataType::Timestamp(unit, _) => times(TimeUnit::from(*unit)),
            DataType::Null => Ok(Cells::Nothing),
            _ => Ok(Cells::Unsupported),
        }
    }

    /// Cell `i`. A NaN is missing, too.
    pub(crate) fn get(&self, i: usize) -> Cell<'_> {
        match self {
            Cells::Raw(chunk, column) => {
                let text = chunk.cell(i, *column);
                if chunk.is_missing(&text) { Cell::Missing } else { Cell::Raw(text) }
            }
            Cells::Numbers(array, _) if array.is_valid(i) && !array.value(i).is_nan() => {
                Cell::Number(array.value(i))
            }
            Cells::Labels(array) if array.is_valid(i) => Cell::Label(array.value(i)),
            Cells::Booleans(array) if array.is_valid(i) => Cell::Boolean(array.value(i)),
            Cells::Times(array, unit) if array.is_valid(i) => {
                Cell::Time(i128::from(array.value(i)) * unit.nanoseconds())
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
        Date32Array, Decimal128Array, DictionaryArray, Float32Array, TimestampMillisecondArray,
    };
    use std::sync::Arc;

    fn cells(array: impl Array + 'static) -> Vec<String> {
        let array: ArrayRef = Arc::new(array);
        let cells = Cells::of(&array).unwrap();
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
        let dictionary: DictionaryArray<Int8Type> = vec![Some("a"), None].into_iter().collect();
        assert_eq!(cells(dictionary), ["Label(\"a\")", "Missing"]);
    }
}
