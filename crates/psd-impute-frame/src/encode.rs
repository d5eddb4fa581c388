//! Encodes a batch of a table as the engine's numbers.

use crate::batch::{Batch, Cell, Cells, Since};
use crate::drift::Tally;
use crate::error::{Error, Result};
use crate::plan::{ColumnPlan, Kind, Plan, Role, place};
use crate::report::{ColumnReport, Report};
use faer::Mat;
use psd_impute::table::Table;
use std::collections::HashMap;

impl Plan {
    /// The engine's table of a batch: the modelled columns in the plan's order, in whatever order the batch has them.
    ///
    /// # Errors
    ///
    /// If no modelled column is present, a column has another type, or a cell cannot be read.
    pub fn encode(&self, batch: &Batch) -> Result<(Table, Report)> {
        let positions = self.positions(batch)?;
        let columns = self.engine_columns()?;
        if columns.is_empty() {
            return Err(Error::NothingToModel { origin: batch.origin().clone() });
        }
        if batch.is_empty() {
            return Err(Error::NoRows { origin: batch.origin().clone() });
        }
        let extra = batch.names().into_iter().filter(|n| self.column(n).is_none()).map(String::from);
        let mut report = Report {
            rows: batch.len() as u64,
            left: self.left(batch)?,
            extra: extra.collect(),
            ..Report::default()
        };
        let mut cells = Mat::zeros(columns.len(), batch.len());
        for (row, column) in self.modelled().enumerate() {
            let encoded = match positions.get(column.name()) {
                Some(&position) => encode_column(column, batch, position)?,
                None => Encoded::absent(column, batch.len()),
            };
            for (i, x) in encoded.cells.into_iter().enumerate() {
                cells[(row, i)] = x;
            }
            report.columns.push(encoded.report);
        }
        let constants = self.columns().iter().filter(|column| matches!(column.role(), Role::Constant(_)));
        for name in constants.map(ColumnPlan::name) {
            // A table may lack them.
            let Some(&position) = positions.get(name) else { continue };
            let missing = batch.missing(position)?.into_iter().filter(|missing| *missing).count() as u64;
            report.columns.push(ColumnReport { missing, ..ColumnReport::new(name) });
        }
        Ok((Table::new(columns, cells)?, report))
    }

    /// The positions of the batch's columns, by name; at least one that the plan models must be present.
    pub(crate) fn positions<'a>(&self, batch: &'a Batch) -> Result<HashMap<&'a str, usize>> {
        batch.check_names()?;
        let positions: HashMap<&str, usize> =
            batch.names().into_iter().enumerate().map(|(j, name)| (name, j)).collect();
        let mut modelled = self.modelled().peekable();
        if modelled.peek().is_some() && modelled.all(|column| !positions.contains_key(column.name())) {
            let columns = self.modelled().map(|column| column.name().to_string()).collect();
            return Err(Error::NoSharedColumn { origin: batch.origin().clone(), columns });
        }
        Ok(positions)
    }
}

struct Encoded {
    cells: Vec<f64>,
    report: ColumnReport,
}

impl Encoded {
    /// The report of a column that the table lacks.
    fn absent(column: &ColumnPlan, rows: usize) -> Self {
        let report = ColumnReport { missing: rows as u64, absent: true, ..ColumnReport::new(column.name()) };
        Self { cells: vec![f64::NAN; rows], report }
    }
}

fn encode_column(column: &ColumnPlan, batch: &Batch, position: usize) -> Result<Encoded> {
    let cells = batch.cells(position)?;
    check_type(column, batch, position, &cells)?;
    let encoder = Encoder::of(column.kind());
    let mut report = ColumnReport::new(column.name());
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
            Number::Unseen | Number::Bad if text_of(&cell).is_some_and(|text| column.is_odd(&text)) => {
                report.odd += 1;
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
    report.tally = Tally::of(column.learned(), &encoded);
    Ok(Encoded { cells: encoded, report })
}

fn text_of(cell: &Cell<'_>) -> Option<String> {
    match cell {
        Cell::Raw(text) => Some(text.to_string()),
        Cell::Label(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The expected content of a cell that could not be read.
pub(crate) fn expected(kind: &Kind) -> &'static str {
    match kind {
        Kind::Time { .. } => "a date or time",
        Kind::Clock { .. } => "a time of day",
        Kind::Duration { .. } => "a duration",
        _ => "a number",
    }
}

/// Refuses a column whose storage does not fit the plan's kind. Text whose kind is not yet known may be anything, and so may a column of
/// missing cells only, whatever its type.
pub(crate) fn check_type(
    column: &ColumnPlan,
    batch: &Batch,
    position: usize,
    cells: &Cells<'_>,
) -> Result<()> {
    let left = matches!(column.role(), Role::Left(_));
    if left || holds(column.kind(), cells) || batch.missing(position)?.into_iter().all(|missing| missing) {
        return Ok(());
    }
    Err(Error::WrongType {
        origin: batch.origin().clone(),
        column: column.name().to_string(),
        found: batch.type_name(position),
        expected: column.kind().holds(),
    })
}

/// Whether a column of a kind can be stored like this.
pub(crate) fn holds(kind: &Kind, cells: &Cells<'_>) -> bool {
    match (kind, cells) {
        (_, Cells::Raw(..) | Cells::Nothing) | (Kind::Labels { .. }, Cells::Labels(..)) => true,
        // Numbers and times may be stored as text.
        (kind, Cells::Labels(..)) => !matches!(kind, Kind::Boolean { .. } | Kind::Text),
        (Kind::Number { .. } | Kind::Codes { .. } | Kind::Levels { .. }, Cells::Numbers(..)) => true,
        (Kind::Time { text, .. }, Cells::Numbers(..)) => text.is_digits(),
        (Kind::Boolean { .. }, Cells::Booleans(_)) => true,
        (Kind::Time { .. }, Cells::Times(_, _, Since::Epoch, _)) => true,
        (Kind::Clock { .. }, Cells::Times(_, _, Since::Midnight, _)) => true,
        (Kind::Duration { .. }, Cells::Times(_, _, Since::Nothing, _)) => true,
        _ => false,
    }
}

/// A cell as the engine sees it.
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
            Kind::Labels { labels, .. } => {
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
            (Kind::Codes { values, .. }, Cell::Number(x)) => known(place(values, *x)),
            (Kind::Levels { values, .. }, Cell::Number(x)) => known(level(values, *x)),
            (Kind::Levels { values, .. }, Cell::Raw(text)) => {
                known(self.kind.read(text).and_then(|x| level(values, x)))
            }
            (Kind::Codes { .. } | Kind::Boolean { .. }, Cell::Raw(text)) => known(self.kind.read(text)),
            (Kind::Codes { .. }, Cell::Label(text)) => known(self.kind.read(text)),
            (Kind::Levels { values, .. }, Cell::Label(text)) => {
                known(self.kind.read(text).and_then(|x| level(values, x)))
            }
            (Kind::Labels { .. }, Cell::Label(text)) => known(self.places.get(text).copied()),
            (Kind::Labels { .. }, Cell::Raw(text)) => known(self.places.get(text.as_ref()).copied()),
            (Kind::Boolean { .. }, Cell::Boolean(value)) => Number::Is(f64::from(*value)),
            (Kind::Time { unit, .. }, Cell::Time(time))
            | (Kind::Clock { unit, .. }, Cell::Clock(time))
            | (Kind::Duration { unit, .. }, Cell::Duration(time)) => Number::Is(unit.count(*time)),
            (Kind::Time { unit, text }, Cell::Number(x)) => {
                read(text.of_number(*x).map(|time| unit.count(time)))
            }
            (Kind::Boolean { .. }, Cell::Label(_)) => Number::Bad,
            (_, Cell::Raw(text)) => read(self.kind.read(text)),
            (_, Cell::Label(text)) => read(self.kind.read(text)),
            _ => Number::Bad,
        }
    }
}

/// A number, if it is one of the levels.
fn level(values: &[f64], x: f64) -> Option<f64> {
    place(values, x).map(|_| x)
}
