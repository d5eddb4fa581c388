//! Numeric CSV files. Observed cells come out byte for byte.

use crate::commands::Failure;
use psd_impute::table::Table;
use std::path::{Path, PathBuf};

/// What stands for a missing cell.
const MISSING: [&str; 7] = ["", "NA", "NaN", "nan", "?", "null", "."];

/// A CSV file: its text and its numbers.
pub(crate) struct CsvTable {
    header: csv::StringRecord,
    records: Vec<csv::StringRecord>,
    table: Table,
}

impl CsvTable {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |error: csv::Error| Failure::Csv { path: path.to_owned(), error };
        let text =
            std::fs::read_to_string(path).map_err(|error| Failure::File { path: path.to_owned(), error })?;
        let text = keep_blank_cells(text);
        let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
        let header = reader.headers().map_err(wrong)?.clone();
        let records = reader.records().collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let rows =
            records.iter().map(|record| numbers(path, &header, record)).collect::<Result<Vec<_>, _>>()?;
        let names: Vec<&str> = header.iter().collect();
        let table = Table::continuous(&names, &rows)?;
        Ok(Self { header, records, table })
    }

    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Writes the file with its missing cells taken from `completed`: to a temporary file in the same folder, then renamed.
    pub(crate) fn write(&self, completed: &Table, path: &Path) -> Result<(), Failure> {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let at = |error: std::io::Error| Failure::File { path: path.to_owned(), error };
        let mut file = temporary().tempfile_in(folder).map_err(at)?;
        let mut writer = csv::Writer::from_writer(&mut file);
        let wrong = |error: csv::Error| Failure::Csv { path: path.to_owned(), error };
        writer.write_record(&self.header).map_err(wrong)?;
        for (i, record) in self.records.iter().enumerate() {
            let cells = record.iter().enumerate().map(|(j, text)| {
                if self.table.row(i)[j].is_nan() { show(completed.row(i)[j]) } else { text.to_string() }
            });
            writer.write_record(cells).map_err(wrong)?;
        }
        writer.flush().map_err(at)?;
        drop(writer);
        file.as_file().sync_all().map_err(at)?;
        file.persist(path).map_err(|error| at(error.error))?;
        Ok(())
    }
}

/// A temporary file that others may read, as any file a program writes.
pub(super) fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}

/// In a file of one column a blank line is a missing cell, which a CSV reader would pass over.
fn keep_blank_cells(text: String) -> String {
    let one_column = text.lines().next().is_some_and(|header| !header.is_empty() && !header.contains(','));
    if !one_column {
        return text;
    }
    text.lines()
        .map(|line| if line.trim().is_empty() { "\"\"\n".to_string() } else { format!("{line}\n") })
        .collect()
}

/// The shortest text that reads back as the same number.
fn show(x: f64) -> String {
    if x != 0.0 && !(1e-5..1e16).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}

/// `out.csv` for the third of several tables is `out.3.csv`.
pub(crate) fn numbered(path: &Path, k: usize) -> PathBuf {
    let extension = path.extension().map(|e| e.to_string_lossy().into_owned());
    match extension {
        Some(extension) => path.with_extension(format!("{k}.{extension}")),
        None => path.with_extension(k.to_string()),
    }
}

fn is_missing(text: &str) -> bool {
    MISSING.contains(&text.trim())
}

fn numbers(path: &Path, header: &csv::StringRecord, record: &csv::StringRecord) -> Result<Vec<f64>, Failure> {
    record
        .iter()
        .zip(header)
        .map(|(text, column)| match text.trim().parse() {
            _ if is_missing(text) => Ok(f64::NAN),
            Ok(number) => Ok(number),
            Err(_) => Err(Failure::NotANumber {
                path: path.to_owned(),
                line: record.position().map_or(0, |p| p.line()),
                column: column.to_string(),
                text: text.to_string(),
            }),
        })
        .collect()
}
