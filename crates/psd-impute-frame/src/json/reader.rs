//! Reads objects a batch at a time.

use super::keys::{Keys, Value, value_of};
use super::line::{Input, offset};
use super::lines::{Lines, Row};
use crate::class::Class;
use crate::csv::Span;
use crate::error::{Error, Result};
use crate::open::BATCH;
use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, NullArray, RecordBatch};
use std::sync::Arc;

/// The bytes of a batch, unless one line is longer.
const CHUNK: usize = 1 << 20;
/// The cells of a batch, unless one row has more.
const CELLS: usize = 1 << 20;

/// Reads a file of objects with known keys.
pub(crate) struct LineReader {
    input: Input,
    keys: Arc<Keys>,
}

impl LineReader {
    pub(crate) fn new(input: Input, keys: Arc<Keys>) -> Self {
        Self { input, keys }
    }

    /// The next rows: their cells, and the lines they are on.
    pub(crate) fn next(&mut self) -> Result<Option<(RecordBatch, Lines)>> {
        let first_line = self.input.line;
        let columns = self.keys.classes.len();
        let most = (CELLS / columns.max(1)).clamp(1, BATCH);
        let mut builders: Vec<Cells> = self.keys.classes.iter().map(|class| Cells::of(*class)).collect();
        let (mut text, mut rows, mut spans) = (String::new(), Vec::new(), Vec::new());
        while rows.len() < most && text.len() < CHUNK {
            let Some(line) = self.input.next()? else { break };
            if let Some(row) = self.read_row(&line, text.len(), &mut spans, &mut builders)? {
                rows.push(row);
            }
            text += &line;
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let arrays = builders.iter_mut().map(|cells| cells.finish(rows.len())).collect();
        let records = RecordBatch::try_new(self.keys.schema.clone(), arrays)
            .map_err(|error| self.changed(error.to_string()))?;
        Ok(Some((records, Lines::new(text.into(), rows.into(), spans.into(), columns, first_line))))
    }

    /// Adds the object on a line, if there is one; its text will start at `start`.
    fn read_row(
        &self,
        line: &str,
        start: usize,
        spans: &mut Vec<Span>,
        builders: &mut [Cells],
    ) -> Result<Option<Row>> {
        let Some(members) = self.input.members(line)? else { return Ok(None) };
        let first = spans.len();
        spans.resize(first + builders.len(), Span { start: 0, end: 0 });
        let mut values: Vec<Option<Value<'_>>> = (0..builders.len()).map(|_| None).collect();
        for &(key, value) in &members {
            let j = self.keys.place(key).ok_or_else(|| self.changed("it has a new key".to_string()))?;
            let at = start + offset(line, value.get());
            spans[first + j] = Span { start: at as u32, end: (at + value.get().len()) as u32 };
            values[j] = Some(value_of(value).map_err(|problem| self.input.bad(line, value.get(), problem))?);
        }
        for ((cells, value), span) in builders.iter_mut().zip(values).zip(&spans[first..]) {
            let raw =
                &line[(span.start as usize).saturating_sub(start)..(span.end as usize).saturating_sub(start)];
            cells.push(value, raw);
        }
        let end = line.rfind('}').unwrap_or_default();
        Ok(Some(Row { end: (start + end) as u32, empty: members.is_empty() }))
    }

    fn changed(&self, problem: String) -> Error {
        let problem = format!("{problem}: the file has changed since it was first read");
        Error::Unreadable { origin: self.input.origin().clone(), format: "JSON lines", problem }
    }
}

/// A column's cells in progress.
enum Cells {
    Nothing,
    Whole(Int64Builder),
    Numbers(Float64Builder),
    Booleans(BooleanBuilder),
    Texts(StringBuilder),
    /// Values in their original JSON.
    Json(StringBuilder),
}

impl Cells {
    fn of(class: Option<Class>) -> Self {
        match class {
            None => Self::Nothing,
            Some(Class::Whole | Class::Long) => Self::Whole(Int64Builder::new()),
            Some(Class::Number) => Self::Numbers(Float64Builder::new()),
            Some(Class::Boolean) => Self::Booleans(BooleanBuilder::new()),
            Some(Class::Text) => Self::Texts(StringBuilder::new()),
            Some(_) => Self::Json(StringBuilder::new()),
        }
    }

    /// Adds a cell. A value of another type is a token of a missing cell.
    fn push(&mut self, value: Option<Value<'_>>, raw: &str) {
        match (self, value) {
            (Self::Whole(cells), Some(Value::Whole(n))) => cells.append_value(n),
            (Self::Numbers(cells), Some(Value::Number(x))) => cells.append_value(x),
            (Self::Numbers(cells), Some(Value::Whole(n))) => cells.append_value(n as f64),
            (Self::Booleans(cells), Some(Value::Boolean(b))) => cells.append_value(b),
            (Self::Texts(cells), Some(Value::Text(text))) => cells.append_value(text),
            (Self::Json(cells), Some(value)) if !matches!(value, Value::Null) => cells.append_value(raw),
            (Self::Whole(cells), _) => cells.append_null(),
            (Self::Numbers(cells), _) => cells.append_null(),
            (Self::Booleans(cells), _) => cells.append_null(),
            (Self::Texts(cells) | Self::Json(cells), _) => cells.append_null(),
            (Self::Nothing, _) => {}
        }
    }

    fn finish(&mut self, rows: usize) -> ArrayRef {
        match self {
            Self::Nothing => Arc::new(NullArray::new(rows)),
            Self::Whole(cells) => Arc::new(cells.finish()),
            Self::Numbers(cells) => Arc::new(cells.finish()),
            Self::Booleans(cells) => Arc::new(cells.finish()),
            Self::Texts(cells) | Self::Json(cells) => Arc::new(cells.finish()),
        }
    }
}
