//! Writes a workbook of one sheet, with the fewest parts that spreadsheets require.

use super::cell::{Value, days_of, excel_days};
use super::{MOST_CHARACTERS, MOST_COLUMNS, MOST_ROWS, cell_name};
use crate::class::is_json;
use crate::error::{Error, Result};
use crate::write::{Target, in_utc};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{ArrowError, DataType, Field, TimeUnit as ArrowUnit};
use std::io::Write;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
/// Every part but the sheet.
const PARTS: [(&str, &str); 5] = [
    (
        "[Content_Types].xml",
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>\
         <Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>\
         <Override PartName=\"/xl/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\"/>\
         <Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>\
         </Types>",
    ),
    (
        "_rels/.rels",
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
         <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/>\
         </Relationships>",
    ),
    (
        "xl/workbook.xml",
        "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" \
         xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
         <sheets><sheet name=\"Sheet1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
    ),
    (
        "xl/_rels/workbook.xml.rels",
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
         <Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/>\
         <Relationship Id=\"rId2\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" Target=\"styles.xml\"/>\
         </Relationships>",
    ),
    (
        "xl/styles.xml",
        "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">\
         <numFmts count=\"4\"><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/>\
         <numFmt numFmtId=\"165\" formatCode=\"yyyy\\-mm\\-dd\\ hh:mm:ss\"/>\
         <numFmt numFmtId=\"166\" formatCode=\"hh:mm:ss\"/><numFmt numFmtId=\"167\" formatCode=\"[h]:mm:ss\"/></numFmts>\
         <fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>\
         <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>\
         <borders count=\"1\"><border/></borders><cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
         <cellXfs count=\"5\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/><xf numFmtId=\"164\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/><xf numFmtId=\"165\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>\
         <xf numFmtId=\"166\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/><xf numFmtId=\"167\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/></cellXfs>\
         <cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>",
    ),
];
const SHEET: &str =
    "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>";
const SHEET_END: &str = "</sheetData></worksheet>";
/// A larger file would need an archive format that some spreadsheets do not open.
const MOST_BYTES: u64 = u32::MAX as u64 - 4096;
/// Integers up to this are exact as Excel's numbers.
const EXACT: u64 = 1 << 53;

/// The display of a number: its index among the cell formats.
#[derive(Clone, Copy)]
enum Style {
    Date = 1,
    Time = 2,
    Clock = 3,
    Duration = 4,
}

/// A workbook in progress.
pub(crate) struct SheetFile {
    failure: Box<dyn Fn(std::io::Error) -> Error + Send>,
    state: State,
    /// Rows written so far, and bytes of the sheet.
    rows: u32,
    bytes: u64,
}

enum State {
    Waiting(Target),
    Writing(Box<ZipWriter<StreamWriter<Target>>>),
    Failed,
}

impl SheetFile {
    pub(crate) fn new(target: Target) -> Self {
        Self { failure: Box::new(target.failure()), state: State::Waiting(target), rows: 0, bytes: 0 }
    }

    /// Writes rows, preceded by the column names if `named`.
    pub(crate) fn write(&mut self, records: &RecordBatch, named: bool) -> Result<()> {
        let header = named && self.rows == 0;
        let before = self.rows + u32::from(header);
        check_size(u64::from(before) + records.num_rows() as u64, records.num_columns())?;
        let mut text = String::new();
        let fields = records.schema_ref().fields();
        if header {
            let names =
                fields.iter().map(|field| Column { name: field.name(), cells: Cells::Same(field.name()) });
            write_row(0, 0, &names.collect::<Vec<_>>(), &mut text)?;
        }
        let columns = fields.iter().zip(records.columns()).map(|(field, array)| Column::of(field, array));
        let columns = columns
            .collect::<std::result::Result<Vec<_>, _>>()
            .map_err(|error| unwritable(error.to_string()))?;
        for i in 0..records.num_rows() {
            write_row(before + i as u32, i, &columns, &mut text)?;
        }
        self.rows = before + records.num_rows() as u32;
        self.bytes += text.len() as u64;
        if self.bytes > MOST_BYTES {
            return Err(unwritable("the sheet has more than 4 GB".to_string()));
        }
        let written = self.open().and_then(|file| Ok(file.write_all(text.as_bytes())?));
        written.map_err(|error| self.failed(error))
    }

    pub(crate) fn finish(mut self) -> Result<Target> {
        let ended = self.open().and_then(|file| Ok(file.write_all(SHEET_END.as_bytes())?));
        ended.map_err(|error| self.failed(error))?;
        match std::mem::replace(&mut self.state, State::Failed) {
            State::Writing(file) => {
                file.finish().map(StreamWriter::into_inner).map_err(|error| self.failed(error))
            }
            State::Waiting(_) | State::Failed => {
                Err(unwritable("an earlier batch could not be written".to_string()))
            }
        }
    }

    /// Opens the archive, in which the sheet is the last part.
    fn open(&mut self) -> std::result::Result<&mut ZipWriter<StreamWriter<Target>>, ZipError> {
        let state = std::mem::replace(&mut self.state, State::Failed);
        self.state = match state {
            State::Waiting(target) => State::Writing(begun(target)?.into()),
            other => other,
        };
        match &mut self.state {
            State::Writing(file) => Ok(file),
            State::Waiting(_) | State::Failed => Err(ZipError::Io(std::io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// Attributes errors of the system to the output.
    fn failed(&self, error: ZipError) -> Error {
        match error {
            ZipError::Io(error) => (self.failure)(error),
            other => unwritable(other.to_string()),
        }
    }
}

/// An archive with all other parts and the beginning of the sheet.
fn begun(target: Target) -> std::result::Result<ZipWriter<StreamWriter<Target>>, ZipError> {
    let mut file = ZipWriter::new_stream(target);
    for (name, text) in PARTS {
        file.start_file(name, options())?;
        file.write_all(HEAD.as_bytes())?;
        file.write_all(text.as_bytes())?;
    }
    file.start_file("xl/worksheets/sheet1.xml", options())?;
    file.write_all(HEAD.as_bytes())?;
    file.write_all(SHEET.as_bytes())?;
    Ok(file)
}

fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)
}

fn unwritable(problem: String) -> Error {
    Error::Unwritable { format: "an Excel workbook", problem }
}

/// Refuses more rows (including the header) or columns than a sheet can have.
pub(crate) fn check_size(rows: u64, columns: usize) -> Result<()> {
    if rows > u64::from(MOST_ROWS) {
        return Err(unwritable(format!(
            "a sheet has at most {MOST_ROWS} rows with that of the names, and the table has more"
        )));
    }
    if columns > MOST_COLUMNS as usize {
        return Err(unwritable(format!(
            "a sheet has at most {MOST_COLUMNS} columns, and the table has {columns}"
        )));
    }
    Ok(())
}

/// The cells of a column.
struct Column<'a> {
    name: &'a str,
    cells: Cells<'a>,
}

enum Cells<'a> {
    /// The same text in all rows.
    Same(&'a str),
    Numbers(Float64Array),
    Integers(Int64Array),
    Booleans(BooleanArray),
    /// Milliseconds since 1970 or midnight, or of a duration.
    Times(Int64Array, Style, ArrayRef),
    Json(LargeStringArray),
    /// Written as text.
    Shown(ArrayRef),
}

impl<'a> Column<'a> {
    fn of(field: &'a Field, array: &ArrayRef) -> std::result::Result<Self, ArrowError> {
        if let DataType::Dictionary(_, values) = array.data_type() {
            return Self::of(field, &cast(array, values)?);
        }
        let integers = |array: &ArrayRef| {
            Ok::<_, ArrowError>(cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
        };
        let times = |to: DataType, style| {
            Ok::<_, ArrowError>(Cells::Times(integers(&cast(array, &to)?)?, style, array.clone()))
        };
        let milliseconds = ArrowUnit::Millisecond;
        let cells = match array.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 if is_json(field) => {
                Cells::Json(cast(array, &DataType::LargeUtf8)?.as_string().clone())
            }
            DataType::Boolean => Cells::Booleans(array.as_boolean().clone()),
            DataType::UInt64 | DataType::Null => Cells::Shown(array.clone()),
            integer if integer.is_integer() => Cells::Integers(integers(array)?),
            number if number.is_numeric() => {
                Cells::Numbers(cast(array, &DataType::Float64)?.as_primitive::<Float64Type>().clone())
            }
            DataType::Date32 | DataType::Date64 => times(DataType::Date64, Style::Date)?,
            DataType::Timestamp(_, None) => times(DataType::Timestamp(milliseconds, None), Style::Time)?,
            // Excel has no time zones.
            DataType::Timestamp(_, Some(_)) => Cells::Shown(in_utc(array)?),
            DataType::Time32(_) | DataType::Time64(_) => {
                let counts = integers(&cast(array, &DataType::Time64(ArrowUnit::Microsecond))?)?;
                Cells::Times(counts.unary(|count| count / 1000), Style::Clock, array.clone())
            }
            DataType::Duration(_) => times(DataType::Duration(milliseconds), Style::Duration)?,
            _ => Cells::Shown(array.clone()),
        };
        Ok(Self { name: field.name(), cells })
    }

    /// Writes the cell of a row; writes nothing if it is missing.
    fn write(&self, i: usize, place: &str, out: &mut String) -> Result<()> {
        match &self.cells {
            Cells::Same(text) => self.write_text(text, place, out)?,
            Cells::Numbers(cells) if cells.is_valid(i) => self.write_number(cells.value(i), place, out)?,
            // Excel would round others; as text they are exact.
            Cells::Integers(cells) if cells.is_valid(i) => match cells.value(i) {
                n if n.unsigned_abs() <= EXACT => write_value(&n.to_string(), place, "", out),
                n => self.write_text(&n.to_string(), place, out)?,
            },
            Cells::Booleans(cells) if cells.is_valid(i) => {
                write_value(if cells.value(i) { "1" } else { "0" }, place, " t=\"b\"", out);
            }
            Cells::Times(cells, style, shown) if cells.is_valid(i) => match style.days(cells.value(i)) {
                Some(days) => write_days(days, *style, place, out),
                None => self.write_text(&show(shown, i)?, place, out)?,
            },
            Cells::Json(cells) if cells.is_valid(i) => self.write_json(cells.value(i), place, out)?,
            Cells::Shown(array) if array.is_valid(i) && *array.data_type() != DataType::Null => {
                self.write_text(&show(array, i)?, place, out)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn write_number(&self, number: f64, place: &str, out: &mut String) -> Result<()> {
        if number.is_infinite() {
            return Err(unwritable(format!(
                "column `{}` has an infinite number, and Excel has none",
                self.name
            )));
        }
        if !number.is_nan() {
            let text = format!("{number:?}");
            write_value(text.strip_suffix(".0").unwrap_or(&text), place, "", out);
        }
        Ok(())
    }

    /// Writes a cell of a column of several types with its original type.
    fn write_json(&self, json: &str, place: &str, out: &mut String) -> Result<()> {
        match Value::of_json(json) {
            Value::Number(x) => self.write_number(x, place, out)?,
            Value::Boolean(value) => write_value(if value { "1" } else { "0" }, place, " t=\"b\"", out),
            Value::Text(text) => self.write_text(&text, place, out)?,
            Value::Time(days) if days < 1.0 => write_days(days, Style::Clock, place, out),
            Value::Time(days) if days.fract() == 0.0 => write_days(days, Style::Date, place, out),
            Value::Time(days) => write_days(days, Style::Time, place, out),
            Value::Duration(days) => write_days(days, Style::Duration, place, out),
            Value::Error => {}
        }
        Ok(())
    }

    fn write_text(&self, text: &str, place: &str, out: &mut String) -> Result<()> {
        let characters = text.encode_utf16().count();
        if characters > MOST_CHARACTERS {
            return Err(unwritable(format!(
                "column `{}` has a cell of {characters} characters ({place}), and a cell has at most {MOST_CHARACTERS}",
                self.name
            )));
        }
        out.push_str(&format!("<c r=\"{place}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">"));
        escape(text, out);
        out.push_str("</t></is></c>");
        Ok(())
    }
}

impl Style {
    /// Excel's number for a time in milliseconds, if it has one.
    fn days(self, milliseconds: i64) -> Option<f64> {
        match self {
            Self::Date | Self::Time => excel_days(milliseconds as f64),
            Self::Clock | Self::Duration => Some(days_of(milliseconds as f64)),
        }
    }
}

fn show(array: &ArrayRef, i: usize) -> Result<String> {
    array_value_to_string(array, i).map_err(|error| unwritable(error.to_string()))
}

fn write_row(row: u32, i: usize, columns: &[Column<'_>], out: &mut String) -> Result<()> {
    out.push_str(&format!("<row r=\"{}\">", row + 1));
    for (j, column) in columns.iter().enumerate() {
        column.write(i, &cell_name(row, j as u32), out)?;
    }
    out.push_str("</row>");
    Ok(())
}

fn write_value(value: &str, place: &str, how: &str, out: &mut String) {
    out.push_str(&format!("<c r=\"{place}\"{how}><v>{value}</v></c>"));
}

fn write_days(days: f64, style: Style, place: &str, out: &mut String) {
    write_value(&days.to_string(), place, &format!(" s=\"{}\"", style as u8), out);
}

/// Escapes a text for XML. Characters that XML lacks are written as Excel does, and so is text that resembles such an escape.
fn escape(text: &str, out: &mut String) {
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '_' if is_escape(&text.as_bytes()[at..]) => out.push_str("_x005F_"),
            '\t' | '\n' => out.push(c),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push_str(&format!("_x{:04X}_", u32::from(c))),
            _ => out.push(c),
        }
    }
}

/// Whether a text begins like `_x000D_`.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'_', b'x', digits @ ..] if digits.len() > 4 && digits[4] == b'_' && digits[..4].iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_xml() {
        let escaped = |text: &str| {
            let mut out = String::new();
            escape(text, &mut out);
            out
        };
        assert_eq!(escaped("=1+1 <a> & \"b\" é\n"), "=1+1 &lt;a&gt; &amp; \"b\" é\n");
        assert_eq!(escaped("\r\u{1}_x000D_ _x00_"), "_x000D__x0001__x005F_x000D_ _x00_");
    }

    #[test]
    fn a_sheet_has_an_end() {
        assert!(check_size(1 << 20, 1 << 14).is_ok());
        assert!(check_size((1 << 20) + 1, 1).is_err() && check_size(1, (1 << 14) + 1).is_err());
    }
}
