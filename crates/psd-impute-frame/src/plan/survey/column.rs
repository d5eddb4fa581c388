//! What was seen of one column.

use super::distinct::Distinct;
use super::numbers::NumberSurvey;
use super::times::TimeSurvey;
use crate::batch::{Batch, Cell, Cells, Rows};
use crate::error::Result;
use crate::place::Place;
use crate::plan::kind::boolean;
use crate::text::{Clock, NumberText, Parsed, TimeText, Zone};
use arrow_schema::DataType;

/// The ways in which text may be numbers. Where the second of two both fit is the one meant if cells are separated by semicolons.
const READINGS: [NumberText; 3] = [NumberText::PLAIN, NumberText::GROUPED, NumberText::COMMA];

/// What was seen of a column.
#[derive(Debug, Default)]
pub(in crate::plan) struct ColumnSurvey {
    name: String,
    /// The type, if it has no kind here.
    pub(in crate::plan) unsupported: Option<String>,
    /// Whether its type says that it is a category.
    pub(in crate::plan) dictionary: bool,
    /// Whether cells are separated by semicolons.
    semicolons: bool,
    pub(in crate::plan) observed: u64,
    pub(in crate::plan) texts: Distinct<String>,
    pub(in crate::plan) bits: Distinct<u64>,
    numbers: [NumberSurvey; 3],
    pub(in crate::plan) times: TimeSurvey,
    pub(in crate::plan) booleans: u64,
    /// Cells with a space within.
    pub(in crate::plan) spaced: u64,
}

impl ColumnSurvey {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_string(), ..Self::default() }
    }

    pub(in crate::plan) fn name(&self) -> &str {
        &self.name
    }

    /// Looks at the cells of a batch, before which there were so many rows.
    pub(super) fn add(&mut self, batch: &Batch, column: usize, rows: u64) -> Result<()> {
        let looks = self.look_at_type(batch, column);
        let cells = batch.cells(column)?;
        if let Cells::Unsupported = cells {
            self.unsupported = Some(batch.type_name(column));
            return Ok(());
        }
        let single = matches!(cells, Cells::Numbers(_, true));
        for i in 0..batch.len() {
            let row = rows + i as u64;
            let cell = cells.get(i);
            self.observed += u64::from(cell != Cell::Missing);
            match cell {
                Cell::Missing => {}
                Cell::Raw(text) => self.add_raw(row, &text, || batch.place(i, column)),
                Cell::Number(x) => {
                    self.bits.add(&(x + 0.0).to_bits());
                    self.numbers[0]
                        .add(row, Parsed::plain(x), single, || (batch.place(i, column), x.to_string()));
                }
                Cell::Label(text) => self.add_text(text),
                Cell::Boolean(value) => {
                    self.booleans += 1;
                    self.add_text(if value { "true" } else { "false" });
                }
                Cell::Time(time) => self.times.add(time, looks),
            }
        }
        Ok(())
    }

    /// Notes what the type of the storage says; returns how its times are written as text.
    fn look_at_type(&mut self, batch: &Batch, column: usize) -> TimeText {
        let records = match batch.rows() {
            Rows::Records(records) => records,
            Rows::Text(chunk) => {
                self.semicolons = chunk.delimiter() == b';';
                return TimeText::DATE;
            }
        };
        let data_type = records.column(column).data_type();
        self.dictionary = matches!(data_type, DataType::Dictionary(..));
        match data_type {
            DataType::Timestamp(_, zone) => {
                let zone = if zone.is_some() { Zone::Utc } else { Zone::None };
                TimeText { clock: Clock::T, zone }
            }
            DataType::Date64 => TimeText { clock: Clock::T, zone: Zone::None },
            _ => TimeText::DATE,
        }
    }

    fn add_text(&mut self, text: &str) {
        self.texts.add(text);
        self.spaced += u64::from(text.contains(char::is_whitespace));
    }

    fn add_raw(&mut self, row: u64, text: &str, place: impl Fn() -> Place) {
        self.add_text(text);
        let found = || (place(), text.to_string());
        for (reading, numbers) in READINGS.iter().zip(&mut self.numbers) {
            match reading.parse(text) {
                Some(parsed) => {
                    let group = if reading.comma { '.' } else { ',' };
                    numbers.grouped |= reading.grouped && text.contains(group);
                    numbers.add(row, parsed, false, found);
                }
                None => {
                    numbers.other.get_or_insert_with(found);
                }
            }
        }
        match TimeText::parse(text) {
            Some((time, looks)) => self.times.add(time, looks),
            None => {
                self.times.other.get_or_insert_with(found);
            }
        }
        self.booleans += u64::from(boolean(text).is_some());
    }

    /// The reading that makes numbers of the most cells, and what it made of them.
    pub(in crate::plan) fn numbers(&self) -> (NumberText, &NumberSurvey) {
        let order = if self.semicolons { [0, 2, 1] } else { [0, 1, 2] };
        let most = order.iter().map(|&k| self.numbers[k].count).max();
        let best = order.into_iter().find(|&k| Some(self.numbers[k].count) == most).unwrap_or(0);
        let numbers = &self.numbers[best];
        let padding = if numbers.decimals.is_some() { numbers.padding } else { 0 };
        let (comma, grouped) = (READINGS[best].comma, numbers.grouped);
        (NumberText { comma, grouped, padding }, numbers)
    }
}
