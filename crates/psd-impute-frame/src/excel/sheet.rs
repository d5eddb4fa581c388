//! Sheets with a type for each column.

use super::book::{SheetCells, SheetColumn};
use super::cell::{Value, epoch_days, epoch_milliseconds, milliseconds};
use crate::class::{Class, ColumnClass};
use crate::error::{Error, Result};
use crate::missing::{Missing, Tokens};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DurationMillisecondArray, Float64Array, NullArray, RecordBatch,
    StringArray, Time32MillisecondArray, TimestampMillisecondArray,
};
use arrow_schema::{Field, Schema};
use std::collections::HashMap;
use std::sync::Arc;

/// A sheet as records.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    pub(crate) records: RecordBatch,
    /// The rows of the sheet that the records are on, from one.
    pub(crate) rows: Arc<[u32]>,
    pub(crate) named: bool,
    pub(crate) notes: Vec<String>,
}

/// Sheets with the same types in all of them. Columns of the same name are the same.
pub(crate) fn sheets(books: Vec<SheetCells>, missing: &Missing) -> Result<Vec<Sheet>> {
    let mut types: HashMap<String, ColumnClass> = HashMap::new();
    for column in books.iter().flat_map(|book| &book.columns) {
        let tokens = missing.of(&column.name);
        let seen = types.entry(column.name.clone()).or_default();
        for (_, value) in &column.cells {
            if let Some(class) = value.class().filter(|_| !is_token(value, &tokens)) {
                seen.add(class, || value.show());
            }
        }
    }
    books.into_iter().map(|book| book.typed(&types)).collect()
}

/// Whether a value stands for a missing cell, and so has no part in the type of its column.
fn is_token(value: &Value, tokens: &Tokens) -> bool {
    matches!(value, Value::Text(text) if tokens.has_text(text.trim()))
}

impl SheetCells {
    fn typed(self, types: &HashMap<String, ColumnClass>) -> Result<Sheet> {
        let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
        for SheetColumn { name, cells: found } in &self.columns {
            let class = types.get(name).cloned().unwrap_or_default();
            let mut cells: Vec<Option<&Value>> = vec![None; self.rows.len()];
            found.iter().for_each(|(i, value)| cells[*i as usize] = Some(value));
            fields.push(class.field(name));
            arrays.push(array(class.class(), &cells));
        }
        let records = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(|error| {
            Error::Unreadable {
                origin: self.origin.clone(),
                format: "an Excel workbook",
                problem: error.to_string(),
            }
        })?;
        Ok(Sheet { records, rows: self.rows.into(), named: self.named, notes: self.notes })
    }
}

/// Cells of a class; those of another stand for missing ones.
fn array(class: Option<Class>, cells: &[Option<&Value>]) -> ArrayRef {
    fn each<'a, T>(
        cells: &'a [Option<&'a Value>],
        read: impl Fn(&'a Value) -> Option<T> + 'a,
    ) -> impl Iterator<Item = Option<T>> + 'a {
        cells.iter().map(move |cell| cell.and_then(&read))
    }
    let days = |value: &Value| match value {
        Value::Time(days) | Value::Duration(days) => Some(*days),
        _ => None,
    };
    match class {
        None => Arc::new(NullArray::new(cells.len())),
        Some(Class::Whole | Class::Long | Class::Number) => {
            let number = |value: &Value| if let Value::Number(x) = value { Some(*x) } else { None };
            Arc::new(each(cells, number).collect::<Float64Array>())
        }
        Some(Class::Boolean) => {
            let boolean = |value: &Value| if let Value::Boolean(b) = value { Some(*b) } else { None };
            Arc::new(each(cells, boolean).collect::<BooleanArray>())
        }
        Some(Class::Text) => {
            let text =
                |value: &Value| if let Value::Text(text) = value { Some(text.to_string()) } else { None };
            Arc::new(each(cells, text).collect::<StringArray>())
        }
        Some(Class::Other) => Arc::new(each(cells, Value::json).collect::<StringArray>()),
        Some(Class::Date) => {
            Arc::new(each(cells, |v| days(v).map(|days| epoch_days(days) as i32)).collect::<Date32Array>())
        }
        Some(Class::Time) => {
            Arc::new(each(cells, |v| days(v).map(epoch_milliseconds)).collect::<TimestampMillisecondArray>())
        }
        Some(Class::Clock) => {
            // The last half of a millisecond is not the next day.
            let clock = |v| days(v).map(|days| milliseconds(days).min(86_399_999) as i32);
            Arc::new(each(cells, clock).collect::<Time32MillisecondArray>())
        }
        Some(Class::Duration) => {
            Arc::new(each(cells, |v| days(v).map(milliseconds)).collect::<DurationMillisecondArray>())
        }
    }
}
