//! From a batch of a table to the engine's numbers.

use crate::batch::{Batch, Cell, Cells};
use crate::error::{Error, Result};
use crate::plan::{ColumnPlan, Kind, Plan, Role};
use crate::text::TimeText;
use faer::Mat;
use psd_impute::table::Table;
use std::collections::HashMap;

/// What was found on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The rows.
    pub rows: u64,
    /// What was found in each column that is completed: the modelled ones in the order of the engine's table, then those of one value.
    pub columns: Vec<ColumnReport>,
    /// Columns that the plan does not know. They are passed through.
    pub extra: Vec<String>,
}

/// What was found in a column that is completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnReport {
    /// The column.
    pub name: String,
    /// Its missing cells.
    pub missing: u64,
    /// Its cells with a label that the plan does not know. They count as missing for the model, and stay as they are.
    pub unseen: u64,
}

impl Report {
    /// Adds what was found in a further batch of the same table.
    pub fn add(&mut self, other: &Report) {
        if self.columns.is_empty() {
            *self = other.clone();
            return;
        }
        self.rows += other.rows;
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            mine.missing += theirs.missing;
            mine.unseen += theirs.unseen;
        }
    }

    /// What there is to say.
    pub fn notes(&self) -> Vec<String> {
        let unseen = self.columns.iter().filter(|column| column.unseen > 0).map(|column| {
            let ColumnReport { name, unseen, .. } = column;
            let cells = if *unseen == 1 { "cell" } else { "cells" };
            format!("column `{name}`: labels unknown to the model in {unseen} {cells}; they count as missing and stay")
        });
        let extra = self
            .extra
            .iter()
            .map(|name| format!("column `{name}` is unknown to the model and passed through"));
        unseen.chain(extra).collect()
    }
}

impl Plan {
    /// The engine's table of a batch: the modelled columns in the plan's order, whatever order the batch has them in.
    pub fn encode(&self, batch: &Batch) -> Result<(Table, Report)> {
        let positions = self.positions(batch)?;
        let columns = self.engine_columns()?;
        if columns.is_empty() {
            return Err(Error::NothingToModel { origin: batch.origin().clone() });
        }
        if batch.is_empty() {
            return Err(Error::NoRows { origin: batch.origin().clone() });
        }
        let mut report = Report { rows: batch.len() as u64, ..Report::default() };
        report.extra =
            batch.names().into_iter().filter(|n| self.column(n).is_none()).map(String::from).collect();
        let mut cells = Mat::zeros(columns.len(), batch.len());
        for (row, column) in self.modelled().enumerate() {
            let encoded = encode_column(column, batch, positions[column.name()])?;
            for (i, x) in encoded.cells.into_iter().enumerate() {
                cells[(row, i)] = x;
            }
            report.columns.push(encoded.report);
        }
        let constants = self.columns().iter().filter(|column| matches!(column.role(), Role::Constant(_)));
        for name in constants.map(ColumnPlan::name) {
            // A table need not have them.
            let Some(&position) = positions.get(name) else { continue };
            let missing = batch.missing(position)?.into_iter().filter(|missing| *missing).count() as u64;
            report.columns.push(ColumnReport { name: name.to_string(), missing, unseen: 0 });
        }
        Ok((Table::new(columns, cells)?, report))
    }

    /// Where the batch has its columns, by name; all that the plan models must be there.
    pub(crate) fn positions<'a>(&self, batch: &'a Batch) -> Result<HashMap<&'a str, usize>> {
        batch.check_names()?;
        let positions: HashMap<&str, usize> =
            batch.names().into_iter().enumerate().map(|(j, name)| (name, j)).collect();
        match self.modelled().find(|column| !positions.contains_key(column.name())) {
            None => Ok(positions),
            Some(column) => Err(Error::MissingColumn {
                origin: batch.origin().clone(),
                column: column.name().to_string(),
            }),
        }
    }
}

struct Encoded {
    cells: Vec<f64>,
    report: ColumnReport,
}

fn encode_column(column: &ColumnPlan, batch: &Batch, position: usize) -> Result<Encoded> {
    let cells = batch.cells(position)?;
    check_type(column, batch, position, &cells)?;
    let encoder = Encoder::of(column.kind());
    let mut report = ColumnReport { name: column.name().to_string(), missing: 0, unseen: 0 };
    let mut encoded = Vec::with_capacity(batch.len());
    for i in 0..batch.len() {
        let cell = cells.get(i);
        let number = match encoder.encode(&cell) {
            Number::Is(x) if x.is_finite() => x,
            Number::Is(x) => {
                let (place, column) = (batch.place(i, position), column.name().to_string());
                return Err(Error::Infinite { place, column, text: text_of(&cell).unwrap_or(x.to_string()) });
            }
            Number::Missing => {
                report.missing += 1;
                f64::NAN
            }
            Number::Unseen => {
                report.unseen += 1;
                f64::NAN
            }
            Number::Bad => {
                return Err(Error::BadCell {
                    place: batch.place(i, position),
                    column: column.name().to_string(),
                    text: text_of(&cell).unwrap_or_default(),
                    expected: expected(column.kind()),
                    others: 0,
                });
            }
        };
        encoded.push(number);
    }
    Ok(Encoded { cells: encoded, report })
}

fn text_of(cell: &Cell<'_>) -> Option<String> {
    match cell {
        Cell::Raw(text) => Some(text.to_string()),
        _ => None,
    }
}

/// What a cell that could not be read should have been.
pub(crate) fn expected(kind: &Kind) -> &'static str {
    match kind {
        Kind::Time { .. } => "a date or time",
        _ => "a number",
    }
}

/// Refuses a column stored as something else than the plan's kind. Text of which nobody has said what it is may be anything, and so
/// may a column of missing cells only.
pub(crate) fn check_type(
    column: &ColumnPlan,
    batch: &Batch,
    position: usize,
    cells: &Cells<'_>,
) -> Result<()> {
    let fits = match (column.kind(), cells) {
        (_, Cells::Raw(..) | Cells::Nothing) => true,
        (Kind::Number { .. } | Kind::Codes { .. }, Cells::Numbers(..)) => true,
        (Kind::Labels { .. }, Cells::Labels(_)) => true,
        (Kind::Boolean { .. }, Cells::Booleans(_)) => true,
        (Kind::Time { .. }, Cells::Times(..)) => true,
        _ => matches!(column.role(), Role::Left(_)),
    };
    if fits {
        return Ok(());
    }
    Err(Error::WrongType {
        origin: batch.origin().clone(),
        column: column.name().to_string(),
        found: batch.type_name(position),
        expected: column.kind().holds(),
    })
}

/// What a cell is to the engine.
pub(crate) enum Number {
    Is(f64),
    Missing,
    /// A label that the plan does not know.
    Unseen,
    /// Text that the column cannot hold.
    Bad,
}

/// Encodes the cells of one column.
pub(crate) struct Encoder<'a> {
    kind: &'a Kind,
    places: HashMap<&'a str, f64>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn of(kind: &'a Kind) -> Self {
        let places = match kind {
            Kind::Labels { labels } => {
                labels.iter().enumerate().map(|(k, l)| (l.as_str(), k as f64)).collect()
            }
            _ => HashMap::new(),
        };
        Self { kind, places }
    }

    pub(crate) fn encode(&self, cell: &Cell<'_>) -> Number {
        let known = |place: Option<f64>| place.map_or(Number::Unseen, Number::Is);
        let read = |x: Option<f64>| x.map_or(Number::Bad, Number::Is);
        match (self.kind, cell) {
            (_, Cell::Missing) => Number::Missing,
            (Kind::Number { .. }, Cell::Number(x)) => Number::Is(*x),
            (Kind::Number { .. }, Cell::Raw(text)) => read(self.kind.read(text)),
            (Kind::Codes { values, .. }, Cell::Number(x)) => known(crate::plan::place(values, *x)),
            (Kind::Codes { .. } | Kind::Boolean { .. }, Cell::Raw(text)) => known(self.kind.read(text)),
            (Kind::Labels { .. }, Cell::Label(text)) => known(self.places.get(text).copied()),
            (Kind::Labels { .. }, Cell::Raw(text)) => known(self.places.get(text.as_ref()).copied()),
            (Kind::Boolean { .. }, Cell::Boolean(value)) => Number::Is(f64::from(*value)),
            (Kind::Time { unit, .. }, Cell::Time(time)) => Number::Is(unit.count(*time)),
            (Kind::Time { unit, .. }, Cell::Raw(text)) => {
                read(TimeText::parse(text).map(|(time, _)| unit.count(time)))
            }
            _ => Number::Bad,
        }
    }
}
