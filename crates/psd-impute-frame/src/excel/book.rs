//! Reads the cells of a sheet.

use super::archive;
use super::cell::{SINCE_1904, Value, is_date};
use super::{MOST_COLUMNS, MOST_ROWS, cell_name};
use crate::arrow_files::without_panic;
use crate::error::{Error, Result};
use crate::place::Origin;
use calamine::{DataRef, Dimensions, Reader, SheetType, SheetVisible, Xlsx, XlsxError};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The most cells held in memory.
const MOST_CELLS: usize = 30_000_000;
/// The most bytes of text held in memory.
const MOST_TEXT: usize = 1 << 30;

type Book = Xlsx<BufReader<File>>;
/// A non-empty cell: its row and column in the sheet, from zero.
type Placed = (u32, u32, Value);

/// The cells of a sheet, without the header.
#[derive(Debug)]
pub(crate) struct SheetCells {
    pub(super) origin: Origin,
    pub(super) columns: Vec<SheetColumn>,
    /// The rows of the sheet that have a cell, counted from one.
    pub(super) rows: Vec<u32>,
    pub(super) named: bool,
    /// Notes for the user.
    pub(super) notes: Vec<String>,
}

/// A column of a sheet.
#[derive(Debug)]
pub(super) struct SheetColumn {
    pub(super) name: String,
    /// The non-empty cells, each with the index of its row in `rows`.
    pub(super) cells: Vec<(u32, Value)>,
}

/// Reads the first visible sheet, or the named one; its first row names the columns unless `no_header`.
pub(crate) fn read_book(
    path: &Path,
    origin: &Origin,
    sheet: Option<&str>,
    no_header: bool,
) -> Result<SheetCells> {
    let io = |error| Error::Io { path: path.to_owned(), error };
    let mut file = File::open(path).map_err(io)?;
    // Some damaged files are detected only by a panic.
    without_panic(|| {
        archive::check(&mut file, origin)?;
        std::io::Seek::rewind(&mut file).map_err(io)?;
        let mut book: Book = Xlsx::new(BufReader::new(file)).map_err(|error| unreadable(origin, error))?;
        let (name, notes) = choose(&book, origin, sheet)?;
        let cells = cells(&mut book, &name, origin)?;
        let merged = book.merge_cells_by_sheet_name(&name).map_err(|error| unreadable(origin, error))?;
        table(origin, cells, &merged, no_header, notes)
    })
    .unwrap_or_else(|problem| Err(Error::Unreadable { origin: origin.clone(), format: FORMAT, problem }))
}

const FORMAT: &str = "an Excel workbook";

fn unreadable(origin: &Origin, error: XlsxError) -> Error {
    let problem = match error {
        // The archive has already been read, so this is not a refusal by the system.
        XlsxError::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    Error::Unreadable { origin: origin.clone(), format: FORMAT, problem }
}

/// The sheet to read, and notes on the others.
fn choose(book: &Book, origin: &Origin, wanted: Option<&str>) -> Result<(String, Vec<String>)> {
    let sheets = book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let names: Vec<String> = sheets.clone().map(|sheet| sheet.name.clone()).collect();
    let no_sheet =
        |name: &str| Error::NoSheet { origin: origin.clone(), name: name.to_string(), known: names.clone() };
    if let Some(wanted) = wanted {
        return match names.iter().find(|name| *name == wanted) {
            Some(name) => Ok((name.clone(), Vec::new())),
            None => Err(no_sheet(wanted)),
        };
    }
    let shown = sheets.clone().find(|sheet| sheet.visible == SheetVisible::Visible);
    let name = shown.or(sheets.clone().next()).ok_or_else(|| no_sheet("1"))?.name.clone();
    let others: Vec<String> =
        names.iter().filter(|other| **other != name).map(|name| format!("`{name}`")).collect();
    let note = (!others.is_empty()).then(|| {
        format!(
            "only the sheet `{name}` of {origin} is read, not {}; `--sheet NAME` reads another",
            few(&others)
        )
    });
    Ok((name, note.into_iter().collect()))
}

fn few(names: &[String]) -> String {
    const FEW: usize = 3;
    match names.len().saturating_sub(FEW) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..FEW].join(", ")),
    }
}

/// All non-empty cells. Formulas have the results stored in the workbook.
fn cells(book: &mut Book, sheet: &str, origin: &Origin) -> Result<Vec<Placed>> {
    let failed = |error| unreadable(origin, error);
    let since = if book.has_1904_epoch() { SINCE_1904 } else { 0.0 };
    let mut reader = book.worksheet_cells_reader(sheet).map_err(failed)?;
    let (mut cells, mut text): (Vec<Placed>, usize) = (Vec::new(), 0);
    while let Some(found) = reader.next_cell_with_formula_metadata().map_err(failed)? {
        let (row, column) = found.pos;
        let bad = |problem: &str| {
            let (origin, cell) = (origin.clone(), cell_name(row, column));
            Err(Error::BadSheet { origin, cell, problem: problem.to_string() })
        };
        if row >= MOST_ROWS || column >= MOST_COLUMNS {
            return Err(failed(XlsxError::Unexpected("a cell is outside of the sheet")));
        }
        let value = match found.value {
            DataRef::Empty if found.formula.is_some() => {
                return bad("the result of its formula is not in the file");
            }
            DataRef::Empty => continue,
            DataRef::Int(n) => Value::Number(n as f64),
            DataRef::Float(x) => Value::Number(x),
            DataRef::String(text) => Value::Text(text.into()),
            DataRef::SharedString(text) => Value::Text(text.into()),
            DataRef::Bool(value) => Value::Boolean(value),
            DataRef::Error(_) => Value::Error,
            DataRef::DateTime(time) if time.is_duration() => Value::Duration(time.as_f64()),
            DataRef::DateTime(time) if is_date(time.as_f64() + since) => {
                // A time of day has no day to count from.
                let days = time.as_f64();
                Value::Time(if days < 1.0 { days } else { days + since })
            }
            DataRef::DateTime(time) => {
                return bad(&format!("it is to be shown as a date, but {} is none", time.as_f64()));
            }
            DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Value::Text(text.into()),
        };
        if cells.last().is_some_and(|last| (last.0, last.1) >= (row, column)) {
            return Err(failed(XlsxError::Unexpected("its cells are not in order")));
        }
        match &value {
            Value::Text(cell) if cell.trim().is_empty() => continue,
            Value::Text(cell) => text += cell.len(),
            _ => {}
        }
        cells.push((row, column, value));
        if cells.len() > MOST_CELLS || text > MOST_TEXT {
            let what = format!(
                "a sheet may have {} million cells and {} MB of text",
                MOST_CELLS / 1_000_000,
                MOST_TEXT >> 20
            );
            return Err(Error::TooLarge { origin: origin.clone(), what });
        }
    }
    Ok(cells)
}

/// The table of a sheet: it begins with the first row that has a cell.
fn table(
    origin: &Origin,
    mut cells: Vec<Placed>,
    merged: &[Dimensions],
    no_header: bool,
    mut notes: Vec<String>,
) -> Result<SheetCells> {
    let Some(&(first, ..)) = cells.first() else { return Err(Error::EmptyFile { origin: origin.clone() }) };
    let body = cells.iter().position(|&(row, ..)| row > first).unwrap_or(cells.len());
    let header = if no_header { Vec::new() } else { cells.drain(..body).collect::<Vec<Placed>>() };
    let below = if no_header { first } else { first + 1 };
    if let Some(merge) = merged.iter().find(|merge| merge.end.0 >= below) {
        let (cell, problem) =
            (cell_name(merge.start.0, merge.start.1), "it is merged with others".to_string());
        return Err(Error::BadSheet { origin: origin.clone(), cell, problem });
    }
    let mut places: Vec<u32> = header.iter().chain(&cells).map(|&(_, column, _)| column).collect();
    places.sort_unstable();
    places.dedup();
    let named =
        |column: u32| header.iter().find(|(_, other, _)| *other == column).map(|(.., value)| value.show());
    let name = |(k, &column): (usize, &u32)| match no_header {
        true => format!("V{}", k + 1),
        false => named(column).unwrap_or_default().trim().to_string(),
    };
    let names = places.iter().enumerate().map(name);
    let mut columns: Vec<SheetColumn> = names.map(|name| SheetColumn { name, cells: Vec::new() }).collect();
    let mut nameless = places.iter().zip(&columns).filter(|(_, column)| column.name.is_empty());
    if let (Some((&one, _)), Some(_)) = (nameless.next(), nameless.next()) {
        let problem = "no name is there; the first row that has a cell is taken for the names".to_string();
        return Err(Error::BadSheet { origin: origin.clone(), cell: cell_name(first, one), problem });
    }
    let mut rows: Vec<u32> = Vec::new();
    for (row, column, value) in cells {
        if rows.last() != Some(&(row + 1)) {
            rows.push(row + 1);
        }
        if let Ok(k) = places.binary_search(&column) {
            columns[k].cells.push((rows.len() as u32 - 1, value));
        }
    }
    let (Some(&from), Some(&to)) = (rows.first(), rows.last()) else {
        return Err(Error::NoRows { origin: origin.clone() });
    };
    let blank = (to - from + 1) as usize - rows.len();
    if blank > 0 {
        let (rows, are) = if blank == 1 { ("row", "is") } else { ("rows", "are") };
        notes.push(format!("{blank} empty {rows} of {origin} {are} left out"));
    }
    Ok(SheetCells { origin: origin.clone(), columns, rows, named: !no_header, notes })
}
