//! Writes Arrow's values as JSON.

use crate::class::is_json;
use crate::write::in_utc;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, Field};

/// The values of a column.
pub(crate) struct Values {
    name: String,
    array: ArrayRef,
    /// Whether texts are JSON.
    json: bool,
    within: Vec<Values>,
}

type Written<T> = Result<T, String>;

/// Records as objects, one per line, with nulls.
pub(crate) fn lines_of(records: &RecordBatch) -> Written<String> {
    let values = Values::all(records)?;
    let names: Vec<String> =
        records.schema_ref().fields().iter().map(|field| text_of(field.name())).collect();
    let mut out = String::new();
    for i in 0..records.num_rows() {
        for (j, (name, values)) in names.iter().zip(&values).enumerate() {
            out.push_str(if j == 0 { "{" } else { "," });
            out.push_str(name);
            out.push(':');
            values.write(i, &mut out)?;
        }
        out.push_str("}\n");
    }
    Ok(out)
}

/// A text with its quotes.
pub(crate) fn text_of(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl Values {
    /// The values of all columns.
    pub(crate) fn all(records: &RecordBatch) -> Written<Vec<Self>> {
        let fields = records.schema_ref().fields();
        fields.iter().zip(records.columns()).map(|(field, array)| Self::of(field, array)).collect()
    }

    fn of(field: &Field, array: &ArrayRef) -> Written<Self> {
        let name = field.name().clone();
        let array = match array.data_type() {
            DataType::Dictionary(_, values) => cast(array, values),
            DataType::LargeList(of) | DataType::FixedSizeList(of, _) => {
                cast(array, &DataType::List(of.clone()))
            }
            DataType::Timestamp(..) => in_utc(array),
            DataType::Utf8View => cast(array, &DataType::LargeUtf8),
            _ => Ok(array.clone()),
        }
        .map_err(|error| error.to_string())?;
        let within = match array.data_type() {
            DataType::List(of) => vec![Self::of(of, array.as_list::<i32>().values())?],
            DataType::Struct(fields) => {
                let columns = fields.iter().zip(array.as_struct().columns());
                columns.map(|(field, array)| Self::of(field, array)).collect::<Written<_>>()?
            }
            _ => Vec::new(),
        };
        Ok(Self { name, array, json: is_json(field), within })
    }

    /// Whether the value of a row is null.
    pub(crate) fn is_null(&self, i: usize) -> bool {
        self.array.is_null(i) || *self.array.data_type() == DataType::Null
    }

    /// Writes the value of a row.
    pub(crate) fn write(&self, i: usize, out: &mut String) -> Written<()> {
        if self.is_null(i) {
            out.push_str("null");
            return Ok(());
        }
        match self.array.data_type() {
            DataType::Float16 => {
                self.write_number(self.array.as_primitive::<Float16Type>().value(i).to_f32(), out)?
            }
            DataType::Float32 => self.write_number(self.array.as_primitive::<Float32Type>().value(i), out)?,
            DataType::Float64 => self.write_number(self.array.as_primitive::<Float64Type>().value(i), out)?,
            DataType::Utf8 if self.json => out.push_str(self.array.as_string::<i32>().value(i)),
            DataType::LargeUtf8 if self.json => out.push_str(self.array.as_string::<i64>().value(i)),
            DataType::Utf8 => out.push_str(&text_of(self.array.as_string::<i32>().value(i))),
            DataType::LargeUtf8 => out.push_str(&text_of(self.array.as_string::<i64>().value(i))),
            DataType::List(_) => self.write_list(i, out)?,
            DataType::Struct(_) => self.write_object(i, out)?,
            other => {
                let text = array_value_to_string(&self.array, i).map_err(|error| error.to_string())?;
                let plain = other.is_integer() || other.is_numeric() || *other == DataType::Boolean;
                out.push_str(&if plain { text } else { text_of(&text) });
            }
        }
        Ok(())
    }

    /// The shortest text that reads back as the number. JSON has no infinity, and NaN is missing.
    fn write_number(&self, number: impl Into<f64> + std::fmt::Debug + Copy, out: &mut String) -> Written<()> {
        let value: f64 = number.into();
        if value.is_infinite() {
            return Err(format!("column `{}` has an infinite number, and JSON has none", self.name));
        }
        out.push_str(&if value.is_nan() { "null".to_string() } else { format!("{number:?}") });
        Ok(())
    }

    fn write_list(&self, i: usize, out: &mut String) -> Written<()> {
        let ends = self.array.as_list::<i32>().value_offsets();
        let (start, end) = (ends[i] as usize, ends[i + 1] as usize);
        out.push('[');
        for k in start..end {
            if k > start {
                out.push(',');
            }
            self.within[0].write(k, out)?;
        }
        out.push(']');
        Ok(())
    }

    fn write_object(&self, i: usize, out: &mut String) -> Written<()> {
        out.push('{');
        for (k, member) in self.within.iter().enumerate() {
            if k > 0 {
                out.push(',');
            }
            out.push_str(&text_of(&member.name));
            out.push(':');
            member.write(i, out)?;
        }
        out.push('}');
        Ok(())
    }
}
