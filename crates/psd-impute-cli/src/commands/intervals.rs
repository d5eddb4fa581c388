//! `--intervals FILE`: summaries of the missing cells.

use super::Failure;
use super::table_args::{is_standard, target};
use psd_impute::impute::CellSummary;
use psd_impute::table::Table;
use psd_impute_eval::free_columns;
use psd_impute_frame::{ColumnPlan, Plan, Target};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The probabilities of the quantiles.
pub(crate) const ENDS: [f64; 2] = [0.025, 0.975];
const HEADER: [&str; 9] =
    ["row", "column", "mean", "sd", "median", "q2.5", "q97.5", "most_probable", "probability"];

/// The file in progress.
pub(crate) struct Intervals {
    path: PathBuf,
    writer: csv::Writer<Target>,
}

impl Intervals {
    pub(crate) fn new(path: &Path) -> Result<Self, Failure> {
        let mut out = Self { path: path.to_owned(), writer: csv::Writer::from_writer(target(path)?) };
        out.write(&HEADER)?;
        Ok(out)
    }

    /// Adds missing cells.
    pub(crate) fn add(&mut self, plan: &Plan, cells: &[CellSummary]) -> Result<(), Failure> {
        let columns: Vec<&ColumnPlan> = plan.modelled().collect();
        cells.iter().try_for_each(|cell| self.write(&line(cell, columns[cell.column])))
    }

    fn write(&mut self, record: &[impl AsRef<[u8]>]) -> Result<(), Failure> {
        self.writer.write_record(record).map_err(|error| match error.into_kind() {
            csv::ErrorKind::Io(error) => Failure::of_file(&self.path)(error),
            other => Failure::of_file(&self.path)(std::io::Error::other(format!("{other:?}"))),
        })
    }

    pub(crate) fn finish(self) -> Result<(), Failure> {
        let target = self.writer.into_inner();
        Ok(target.map_err(|error| Failure::of_file(&self.path)(error.into_error()))?.finish()?)
    }
}

/// The lower and the upper ends in such a file, as tables with the columns and rows of the table with the missing cells.
pub(crate) fn read(path: &Path, plan: &Plan, table: &Table) -> Result<[Table; 2], Failure> {
    let bad = |line: u64, what: String| Failure::Interval { path: path.to_owned(), line, what };
    let of_csv = |error: csv::Error| {
        let (line, text) = (error.position().map_or(1, csv::Position::line), error.to_string());
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Failure::of_file(path)(error),
            _ => bad(line, text),
        }
    };
    let input: Box<dyn Read> = if is_standard(path) {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(path).map_err(Failure::of_file(path))?)
    };
    let mut reader = csv::Reader::from_reader(input);
    if reader.headers().map_err(of_csv)? != HEADER.as_slice() {
        return Err(bad(1, format!("the header is not `{}`", HEADER.join(","))));
    }
    let columns: Vec<&ColumnPlan> = plan.modelled().collect();
    let mut ends = [table.cells().to_owned(), table.cells().to_owned()];
    for record in reader.records() {
        let record = record.map_err(of_csv)?;
        let line = record.position().map_or(0, csv::Position::line);
        // Categories have no ends.
        if record[5].is_empty() {
            continue;
        }
        let row = record[0].parse::<usize>().ok().filter(|row| (1..=table.len()).contains(row));
        let row = row.ok_or_else(|| bad(line, format!("there is no row `{}`", &record[0])))?;
        let column = columns.iter().position(|column| *column.name() == record[1]);
        let column = column.ok_or_else(|| bad(line, format!("there is no column `{}`", &record[1])))?;
        for (end, text) in ends.iter_mut().zip([&record[5], &record[6]]) {
            let kind = columns[column].kind();
            let number = text.parse().ok().filter(|_| kind.labels().is_empty());
            let value = number.or_else(|| kind.read(text));
            let value = value.filter(|value: &f64| value.is_finite());
            end[(column, row - 1)] = value.ok_or_else(|| bad(line, format!("`{text}` is no number")))?;
        }
    }
    let [lower, upper] = ends.map(|cells| Table::new(free_columns(table), cells));
    Ok([lower?, upper?])
}

/// Times are shown as such, except their standard deviation, which is in the column's unit.
fn line(cell: &CellSummary, column: &ColumnPlan) -> [String; 9] {
    let mut out = [const { String::new() }; 9];
    out[0] = (cell.row + 1).to_string();
    out[1] = column.name().to_string();
    let kind = column.kind();
    let labels = !kind.labels().is_empty();
    let number = |x: f64| match kind.name() {
        "date" | "time" => kind.show(x),
        _ if labels => kind.show(x),
        _ => show(x),
    };
    if let Some(numbers) = &cell.numbers {
        // Ordered labels have a median, but no mean.
        if !labels {
            out[2] = number(numbers.mean);
            out[3] = show(numbers.deviation);
        }
        out[4] = number(numbers.median);
        out[5] = number(numbers.quantiles[0]);
        out[6] = number(numbers.quantiles[1]);
    }
    if let Some(values) = &cell.values {
        out[7] = kind.show(values.mode);
        let most = values.probabilities.iter().find(|(value, _)| *value == values.mode);
        out[8] = most.map_or(String::new(), |(_, p)| show(*p));
    }
    out
}

/// The shortest text that reads back as the same number.
fn show(x: f64) -> String {
    if x != 0.0 && !(1e-5..1e16).contains(&x.abs()) { format!("{x:e}") } else { x.to_string() }
}
