//! The survey of one column.

use super::digits::DigitSurvey;
use super::distinct::Distinct;
use super::forms::Forms;
use super::months::MonthSurvey;
use super::texts::{Sort, Texts};
use super::times::TimeSurvey;
use crate::batch::{Batch, Cell, Cells, Rows};
use crate::error::Result;
use crate::place::Place;
use crate::plan::kind::boolean;
use crate::text::{Clock, ClockText, DateText, DurationText, NumberCell, Parsed, TimeText, Zone};
use arrow_schema::DataType;
use std::collections::BTreeMap;

/// The most different tokens of missing cells that are counted.
const MOST_TOKENS: usize = 100;

/// Summary of a column's cells.
#[derive(Debug)]
pub(in crate::plan) struct ColumnSurvey {
    name: String,
    /// The type, if it is not supported.
    pub(in crate::plan) unsupported: Option<String>,
    pub(in crate::plan) storage: Storage,
    /// The type of its storage, if it has one.
    pub(in crate::plan) data_type: Option<DataType>,
    pub(in crate::plan) observed: u64,
    /// Whether a cell is missing.
    pub(in crate::plan) gaps: bool,
    /// The tokens of missing cells, with their counts.
    pub(in crate::plan) tokens: BTreeMap<String, u64>,
    pub(in crate::plan) texts: Texts,
    /// The first text of each sort, and its row.
    firsts: [Option<(u64, Place, String)>; 6],
    pub(in crate::plan) bits: Distinct<u64>,
    pub(in crate::plan) forms: Forms,
    /// Dates and times, read day-first and month-first.
    pub(in crate::plan) dates: [TimeSurvey<TimeText>; 2],
    /// The first date that is a different one month-first.
    pub(in crate::plan) doubtful_date: Option<(Place, String)>,
    /// Dates of eight digits.
    compact: TimeSurvey<TimeText>,
    /// Years and months of six digits.
    months: MonthSurvey,
    /// The number of both with `.0` behind them.
    pointed: u64,
    /// Numbers that may be dates or times in other forms of digits alone.
    pub(in crate::plan) digits: DigitSurvey,
    pub(in crate::plan) clocks: TimeSurvey<ClockText>,
    pub(in crate::plan) durations: TimeSurvey<DurationText>,
    pub(in crate::plan) booleans: u64,
    /// Cells with a space within.
    pub(in crate::plan) spaced: u64,
    /// Cells of a file with space around them that are not numbers or times.
    pub(in crate::plan) padded: u64,
}

/// The storage of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::plan) enum Storage {
    /// In a text file: text whose kind is not yet known.
    #[default]
    File,
    /// As text in a typed table.
    Text,
    /// As a dictionary, which declares it a category.
    Dictionary,
    /// As integers.
    Integers,
    /// As anything else.
    Typed,
}

impl ColumnSurvey {
    /// Makes a survey that tells apart at most `different` different cells.
    pub(super) fn new(name: &str, different: usize) -> Self {
        Self {
            name: name.to_string(),
            unsupported: None,
            storage: Storage::default(),
            data_type: None,
            observed: 0,
            gaps: false,
            tokens: BTreeMap::new(),
            texts: Texts::new(different),
            firsts: Default::default(),
            bits: Distinct::new(different),
            forms: Forms::default(),
            dates: Default::default(),
            doubtful_date: None,
            compact: TimeSurvey::default(),
            months: MonthSurvey::default(),
            pointed: 0,
            digits: DigitSurvey::default(),
            clocks: TimeSurvey::default(),
            durations: TimeSurvey::default(),
            booleans: 0,
            spaced: 0,
            padded: 0,
        }
    }

    pub(in crate::plan) fn name(&self) -> &str {
        &self.name
    }

    /// Surveys the cells of a batch that follows `rows` rows.
    pub(super) fn add(&mut self, batch: &Batch, column: usize, rows: u64) -> Result<()> {
        let looks = self.look_at_type(batch, column);
        let cells = batch.cells(column)?;
        if let Cells::Unsupported = cells {
            self.unsupported = Some(batch.type_name(column));
            self.observed += batch.missing(column)?.into_iter().filter(|missing| !missing).count() as u64;
            self.gaps |= batch.missing(column)?.contains(&true);
            return Ok(());
        }
        let single = matches!(cells, Cells::Numbers(_, true, _));
        for i in 0..batch.len() {
            let row = rows + i as u64;
            let place = || batch.place(i, column);
            let cell = cells.get(i);
            self.observed += u64::from(cell != Cell::Missing);
            match cell {
                Cell::Missing => {
                    self.gaps = true;
                    self.add_token(cells.token(i).as_deref());
                }
                Cell::Raw(text) => {
                    let sort = self.add_text(row, &text, place);
                    self.padded += u64::from(sort == Sort::Other && cells.is_padded(i));
                }
                Cell::Number(x) => {
                    self.bits.add(&(x + 0.0).to_bits());
                    // Beyond this, integers are rounded before they get here.
                    let code = self.storage == Storage::Integers && x.abs() >= 2f64.powi(53);
                    let number = Parsed { code, ..Parsed::plain(x) };
                    self.forms.add_plain(row, number, single, || (place(), x.to_string()));
                    self.add_digits(row, |looks| looks.of_number(x));
                    self.digits.add_number(x);
                }
                Cell::Label(text) if self.storage == Storage::Text => drop(self.add_text(row, text, place)),
                Cell::Label(text) => self.texts.add(Sort::Other, text, row),
                Cell::Boolean(value) => {
                    self.booleans += 1;
                    self.texts.add(Sort::Other, if value { "true" } else { "false" }, row);
                }
                Cell::Time(time) => self.dates[0].add(row, time, looks),
                Cell::Clock(time) => self.clocks.add(row, time, ClockText::FULL),
                Cell::Duration(time) => self.durations.add(row, time, DurationText::Iso),
            }
        }
        Ok(())
    }

    /// Records the type of the storage; returns how its times are written as text.
    fn look_at_type(&mut self, batch: &Batch, column: usize) -> TimeText {
        let records = match batch.rows() {
            Rows::Records(records) => &records.records,
            Rows::Text(_) => return TimeText::DATE,
        };
        let data_type = records.column(column).data_type();
        self.data_type.get_or_insert_with(|| data_type.clone());
        self.storage = match data_type {
            DataType::Dictionary(..) => Storage::Dictionary,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Storage::Text,
            integer if integer.is_integer() => Storage::Integers,
            _ => Storage::Typed,
        };
        match data_type {
            DataType::Timestamp(_, zone) => {
                let zone = if zone.is_some() { Zone::Utc } else { Zone::None };
                TimeText { clock: Clock::T, zone, ..TimeText::DATE }
            }
            DataType::Date64 => TimeText { clock: Clock::T, ..TimeText::DATE },
            _ => TimeText::DATE,
        }
    }

    fn add_token(&mut self, token: Option<&str>) {
        let Some(token) = token else { return };
        if let Some(cells) = self.tokens.get_mut(token) {
            *cells += 1;
        } else if self.tokens.len() < MOST_TOKENS {
            self.tokens.insert(token.to_string(), 1);
        }
    }

    /// Adds a text whose kind is not yet known. Returns how it can be read.
    fn add_text(&mut self, row: u64, whole: &str, place: impl Fn() -> Place) -> Sort {
        let text = whole.trim();
        let found = || (place(), text.to_string());
        let sort = match NumberCell::parse(text) {
            Some(cell) => {
                let is_date = self.add_digits(row, |looks| looks.read(text));
                self.pointed += u64::from(is_date && text.ends_with(".0"));
                self.digits.add_text(text);
                self.forms.add(row, &cell, text, found)
            }
            None if self.add_time(row, text, found) => Sort::Time,
            None => {
                self.booleans += u64::from(boolean(text).is_some());
                Sort::Other
            }
        };
        self.spaced += u64::from(text.contains(char::is_whitespace));
        self.firsts[sort as usize].get_or_insert_with(|| (row, place(), text.to_string()));
        self.texts.add(sort, whole, row);
        sort
    }

    /// Adds a number if its digits are a date, or a year and a month. Returns whether they are.
    fn add_digits(&mut self, row: u64, read: impl Fn(TimeText) -> Option<i128>) -> bool {
        if let Some(time) = read(TimeText::COMPACT) {
            self.compact.add(row, time, TimeText::COMPACT);
        } else if let Some(time) = read(TimeText::MONTH) {
            self.months.add(row, time);
        } else {
            return false;
        }
        true
    }

    /// The dates that its numbers may be: of eight digits, or of six if that is likely.
    pub(in crate::plan) fn in_digits(&self) -> impl Iterator<Item = (TimeText, &TimeSurvey<TimeText>)> {
        let months = Some((TimeText::MONTH, &self.months.times)).filter(|_| self.months.are_likely());
        [(TimeText::COMPACT, &self.compact)].into_iter().chain(months).map(|(text, dates)| {
            let pointed = self.pointed > 0 && self.pointed == dates.count;
            (TimeText { date: DateText { pointed, ..text.date }, ..text }, dates)
        })
    }

    /// Adds a text if it is a date, a time of day or a duration.
    fn add_time(&mut self, row: u64, text: &str, found: impl Fn() -> (Place, String)) -> bool {
        if let Some(cell) = TimeText::parse_both(text) {
            for (survey, read) in self.dates.iter_mut().zip(cell) {
                if let Some((time, looks)) = read {
                    survey.add(row, time, looks);
                }
            }
            if matches!(cell, [Some(a), Some(b)] if a.0 != b.0) {
                self.doubtful_date.get_or_insert_with(found);
            }
            return true;
        }
        // Clocks have colons, and other durations begin with a P or contain days.
        if !text.contains([':', 'P', 'd']) {
            return false;
        }
        let (clock, duration) = (ClockText::parse(text), DurationText::parse(text));
        if let Some((time, looks)) = clock {
            self.clocks.add(row, time, looks);
        }
        if let Some((time, looks)) = duration {
            self.durations.add(row, time, looks);
        }
        clock.is_some() || duration.is_some()
    }

    /// The first text that does not fit.
    pub(in crate::plan) fn first_odd(&self, fits: impl Fn(&str) -> bool) -> Option<(Place, String)> {
        let odd = self.firsts.iter().flatten().filter(|(_, _, text)| !fits(text));
        odd.min_by_key(|(row, ..)| *row).map(|(_, place, text)| (place.clone(), text.clone()))
    }
}
