//! Decides what a column is from its survey.
//!
//! 1. The kind follows the type or, for text, is the one that all cells can be read as. If nine in ten cells are numbers (or times) and the
//!    others are not, the column is numeric (or of times) and the other cells are odd: they are left unchanged, and nothing is learned from
//!    them.
//! 2. A column is left unchanged if it is never observed, numbers the rows, has texts that hardly ever repeat, or has many labels. A column
//!    with a single value is a constant.
//! 3. The numbers zero and one are a category, so that they are completed with zeros and ones; other numbers are numbers, however few.
//! 4. Text is a category if it has at most a hundred labels and each occurs at least twice on average. Numbers stored as text in a typed table
//!    are a category if they are few, because somebody made them text.

use super::column::{ColumnPlan, Reason, Role};
use super::column_override::ColumnOverride;
use super::ends::Seen;
use super::kind::{Kind, boolean};
use super::survey::{ColumnSurvey, Evidence, NumberSurvey, Reading, Storage, TimeSurvey, nearly_all};
use super::{MOST_LABELS, MOST_LEVELS};
use crate::error::{Error, Result};
use crate::place::Place;
use crate::text::{Clock, NumberText, TimeText, TimeUnit};
use crate::type_range::near_ends;

/// The most labels of a category that nobody asked for.
const USUAL_LABELS: u64 = 100;
/// Numbers stored as text in a typed table are labels if there are at most this many.
const FEW_LABELS: u64 = 20;
/// The least average number of cells per label.
const CELLS_A_LABEL: u64 = 2;
/// Fewer cells than this identify nothing.
const FEWEST_IDENTIFIERS: u64 = 10;

/// A column and how the file is read.
struct Column<'a> {
    seen: &'a ColumnSurvey,
    reading: Reading<'a>,
}

/// Decides a column's kind and role.
pub(super) fn decide(
    seen: &ColumnSurvey,
    evidence: &Evidence,
    rows: u64,
    wanted: Option<&ColumnOverride>,
) -> Result<ColumnPlan> {
    let column = Column { seen, reading: evidence.read(seen) };
    let (kind, role) = match (&seen.unsupported, wanted) {
        (Some(found), None | Some(ColumnOverride::Ignore)) => {
            (Kind::Text, Role::Left(Reason::Unsupported { found: found.clone() }))
        }
        (Some(found), Some(wanted)) => {
            return Err(bad_override(seen, wanted, format!("its type is {found}")));
        }
        (None, _) if seen.observed == 0 => (Kind::Text, Role::Left(Reason::NeverObserved)),
        (None, Some(ColumnOverride::Ignore)) => {
            (column.kind().unwrap_or(Kind::Text), Role::Left(Reason::Ignored))
        }
        (None, Some(ColumnOverride::Category)) => column.as_category()?,
        (None, Some(ColumnOverride::Ordered(levels))) => column.as_ordered(levels.as_deref())?,
        (None, Some(ColumnOverride::Continuous)) => column.as_continuous()?,
        (None, None) => column.usual(rows, false)?,
        (None, Some(ColumnOverride::Completed)) => column.usual(rows, true)?,
    };
    let odd = column.odd_texts(&kind, &role)?;
    let (type_ends, ends) = (column.type_ends(&kind), column.ends(&kind, &role));
    let plan = ColumnPlan::new(seen.name(), kind, role);
    Ok(plan.with_odd(odd).with_type_ends(type_ends).with_ends(ends).with_gaps(seen.gaps))
}

impl Column<'_> {
    /// The ends of the column's type that matter.
    fn type_ends(&self, kind: &Kind) -> Option<[Option<f64>; 2]> {
        let (low, high) = match kind {
            Kind::Number { .. } => (self.numbers().low, self.numbers().high),
            Kind::Time { unit, .. } => {
                (unit.count(self.seen.dates[0].low), unit.count(self.seen.dates[0].high))
            }
            _ => return None,
        };
        near_ends(kind, self.seen.data_type.as_ref()?, low, high)
    }

    /// The ends that the column's cells respect.
    fn ends(&self, kind: &Kind, role: &Role) -> [Option<f64>; 2] {
        let durations = &self.seen.durations;
        match kind {
            _ if *role != Role::Modelled => [None, None],
            Kind::Number { decimals, text } => {
                let &NumberSurvey { count: cells, low, high, at_ends, .. } = self.numbers();
                let percent = text.style.suffix.trim() == "%";
                Seen { cells, low, high, at_ends, decimals: *decimals, percent }.ends()
            }
            // A length of time is not negative.
            Kind::Duration { .. } if durations.low >= 0 => [Some(0.0), None],
            _ => [None, None],
        }
    }

    fn numbers(&self) -> &NumberSurvey {
        &self.reading.numbers.survey
    }

    /// The kind and role that the rules give; if the column is to be completed, numbers are not identifiers.
    fn usual(&self, rows: u64, completed: bool) -> Result<(Kind, Role)> {
        let seen = self.seen;
        let few = seen.texts.len() <= FEW_LABELS || self.kind().is_none();
        if seen.storage == Storage::Text && self.comes_back() && few {
            return Ok(self.text());
        }
        if seen.storage == Storage::Integers && self.numbers().codes {
            return Ok((Kind::Text, Role::Left(Reason::LongIntegers)));
        }
        let some_dates = self.has_some_dates();
        let text = matches!(seen.storage, Storage::File | Storage::Text);
        if some_dates && !(text && seen.in_digits().any(|(_, dates)| nearly_all(seen, dates.count))) {
            return Ok((Kind::Text, Role::Left(Reason::SomeDates)));
        }
        let kind = match self.kind().filter(|_| !some_dates).or_else(|| self.nearly_kind()) {
            Some(kind) => kind,
            None => return Ok(self.text()),
        };
        if matches!(kind, Kind::Time { .. }) && self.reading.doubtful_dates {
            return Ok((Kind::Text, Role::Left(Reason::DoubtfulDates)));
        }
        if let Some(cell) = self.constant(&kind) {
            return Ok((kind, cell.map_or(Role::Left(Reason::Identifier), Role::Constant)));
        }
        match kind {
            Kind::Number { .. } if seen.storage == Storage::Dictionary && seen.bits.len() <= USUAL_LABELS => {
                self.as_category()
            }
            Kind::Number { decimals, text } => {
                self.check_finite()?;
                let role = if !completed && self.is_identifier(rows) {
                    Role::Left(Reason::Identifier)
                } else {
                    Role::Modelled
                };
                let kind = match self.numbers().binary {
                    true => Kind::Codes { values: vec![0.0, 1.0], text },
                    false => Kind::Number { decimals, text },
                };
                Ok((kind, role))
            }
            kind => Ok((kind, Role::Modelled)),
        }
    }

    /// Whether most but not all cells are dates written in digits alone, or all are in a form that is not completed. Completed as numbers
    /// they would yield invalid dates.
    fn has_some_dates(&self) -> bool {
        let seen = self.seen;
        let most = seen.in_digits().map(|(_, dates)| dates.count).max().unwrap_or(0);
        // Many a number of six digits is a date by chance.
        let short = !nearly_all(seen, most) && 100 * seen.digits.short_dates() >= 98 * seen.observed;
        seen.storage != Storage::Dictionary
            && most < seen.observed
            && (short || 2 * (most + seen.digits.long) > seen.observed)
    }

    /// The kind that all cells agree on, unless it is text.
    fn kind(&self) -> Option<Kind> {
        self.kind_if(|count| count == self.seen.observed)
    }

    /// The kind that nearly all cells agree on.
    fn nearly_kind(&self) -> Option<Kind> {
        self.kind_if(|count| nearly_all(self.seen, count))
    }

    fn kind_if(&self, enough: impl Fn(u64) -> bool) -> Option<Kind> {
        let (seen, Reading { numbers, dates, .. }) = (self.seen, &self.reading);
        if seen.storage != Storage::Dictionary
            && let Some((text, _)) = seen.in_digits().find(|(_, dates)| enough(dates.count))
        {
            return Some(Kind::Time { unit: TimeUnit::Day, text });
        }
        if enough(numbers.survey.count) && !numbers.survey.codes {
            return Some(Kind::Number { decimals: numbers.survey.decimals, text: numbers.text.clone() });
        }
        if let Some(text) = dates.text.filter(|_| enough(dates.count)) {
            return Some(Kind::Time { unit: dates.unit, text: looks_of_times(text, dates.unit) });
        }
        let (clocks, durations) = (&seen.clocks, &seen.durations);
        if let Some(text) = clocks.text.filter(|_| enough(clocks.count)) {
            // Midnight is a whole day, but no other time of day is.
            return Some(Kind::Clock { unit: clocks.unit.min(TimeUnit::Hour), text });
        }
        if let Some(text) = durations.text.filter(|_| enough(durations.count)) {
            return Some(Kind::Duration { unit: durations.unit, text });
        }
        (seen.booleans == seen.observed).then(|| self.booleans()).flatten()
    }

    /// False and true, if each is spelled in one way.
    fn booleans(&self) -> Option<Kind> {
        let texts = &self.seen.texts;
        let spelled = |value: bool| {
            texts.iter().map(|(text, _)| text).find(|text| boolean(text) == Some(value)).cloned()
        };
        let text = match (spelled(false), spelled(true), texts.len()) {
            (Some(no), Some(yes), 2) => [no, yes],
            (Some(one), None, 1) | (None, Some(one), 1) if one == one.to_lowercase() => {
                ["false", "true"].map(String::from)
            }
            _ => return None,
        };
        Some(Kind::Boolean { text })
    }

    /// The only value of a column, as the engine's cell; `Some(None)` if that would not be exact.
    fn constant(&self, kind: &Kind) -> Option<Option<f64>> {
        let seen = self.seen;
        match kind {
            Kind::Number { .. } => {
                let numbers = self.numbers();
                let exact = numbers.low.abs() < 2f64.powi(53);
                (numbers.low == numbers.high && numbers.infinite.is_none())
                    .then(|| exact.then_some(numbers.low))
            }
            Kind::Time { unit, text } => only_time(self.reading.dates_like(seen, *text), *unit),
            Kind::Clock { unit, .. } => only_time(&seen.clocks, *unit),
            Kind::Duration { unit, .. } => only_time(&seen.durations, *unit),
            Kind::Boolean { .. } => {
                let only = seen.texts.iter().next().filter(|_| seen.texts.len() == 1)?.0;
                boolean(only).map(|value| Some(f64::from(value)))
            }
            Kind::Codes { .. } | Kind::Levels { .. } | Kind::Labels { .. } | Kind::Text => None,
        }
    }

    /// Whether texts are few enough and repeat often enough to be labels.
    fn comes_back(&self) -> bool {
        let (labels, cells) = (self.seen.texts.len(), self.seen.texts.cells());
        let often = self.seen.storage == Storage::Dictionary || cells >= CELLS_A_LABEL * labels;
        labels == 1 || labels <= USUAL_LABELS && often
    }

    /// Decides text: a constant, a category, or left unchanged.
    fn text(&self) -> (Kind, Role) {
        let (labels, cells) = (self.seen.texts.len(), self.seen.texts.cells());
        if self.comes_back() {
            let role = if labels == 1 { Role::Constant(0.0) } else { Role::Modelled };
            return (Kind::Labels { labels: self.sorted_labels(), ordered: false }, role);
        }
        let reason = match 20 * labels >= 19 * cells {
            true if 2 * self.seen.spaced > self.seen.observed => Reason::FreeText,
            true => Reason::Identifier,
            false => Reason::ManyLabels { labels, cells },
        };
        (Kind::Text, Role::Left(reason))
    }

    fn sorted_labels(&self) -> Vec<String> {
        let mut labels: Vec<String> = self.seen.texts.iter().map(|(text, _)| text.clone()).collect();
        labels.sort_unstable();
        labels
    }

    /// Whether integers identify the rows: they number them, or are all different in a column whose name says so.
    fn is_identifier(&self, rows: u64) -> bool {
        let (seen, numbers) = (self.seen, self.numbers());
        if numbers.decimals != Some(0) {
            return false;
        }
        let different = seen.bits.len().max(seen.texts.len());
        let all_different =
            different >= FEWEST_IDENTIFIERS && different == seen.bits.cells().max(seen.texts.cells());
        numbers.sequence.numbers_rows(rows) || all_different && says_identifier(seen.name())
    }

    fn as_category(&self) -> Result<(Kind, Role)> {
        let seen = self.seen;
        let kind = match self.kind() {
            Some(Kind::Number { text, .. }) => {
                self.check_finite()?;
                Kind::Codes { values: self.sorted_values(&text), text }
            }
            Some(Kind::Time { .. }) if seen.bits.len() > 0 => {
                Kind::Codes { values: self.sorted_values(&NumberText::PLAIN), text: NumberText::PLAIN }
            }
            Some(kind @ Kind::Boolean { .. }) => kind,
            Some(kind) if kind.time_unit().is_some() && seen.texts.len() == 0 => {
                return Err(bad_override(seen, &ColumnOverride::Category, "it holds times".to_string()));
            }
            _ => Kind::Labels { labels: self.sorted_labels(), ordered: false },
        };
        let labels = kind.labels().len();
        if labels > MOST_LABELS {
            return Err(bad_override(
                seen,
                &ColumnOverride::Category,
                format!("it has more than {MOST_LABELS} labels"),
            ));
        }
        Ok((kind, if labels == 1 { Role::Constant(0.0) } else { Role::Modelled }))
    }

    /// Few numbers ordered by size, or labels in a given order; labels of no cell are left out.
    fn as_ordered(&self, levels: Option<&[String]>) -> Result<(Kind, Role)> {
        let bad = |problem: String| Err(bad_override(self.seen, &ColumnOverride::Ordered(None), problem));
        let (kind, only) = match (self.kind(), levels) {
            (Some(kind), _) if kind.time_unit().is_some() && self.seen.texts.len() == 0 => {
                return bad("it holds times, which have an order of their own".to_string());
            }
            (Some(Kind::Number { text, .. }), _) => {
                self.check_finite()?;
                let values = self.sorted_values(&text);
                if let Some(problem) = levels.and_then(|levels| problem_with_levels(levels, &values, &text)) {
                    return bad(problem);
                }
                let only = values[0];
                (Kind::Levels { values, text }, only)
            }
            (_, None) => return bad("its labels have no order of their own".to_string()),
            (_, Some(levels)) => {
                let seen = self.sorted_labels();
                if let Some(label) = seen.iter().find(|label| !levels.contains(label)) {
                    return bad(format!("its label `{label}` is not one of the levels given"));
                }
                let labels = levels.iter().filter(|level| seen.contains(level)).cloned().collect();
                (Kind::Labels { labels, ordered: true }, 0.0)
            }
        };
        let levels = match &kind {
            Kind::Levels { values, .. } => values.len(),
            kind => kind.labels().len(),
        };
        if levels > MOST_LEVELS {
            return bad(format!("it has more than {MOST_LEVELS} levels"));
        }
        Ok((kind, if levels == 1 { Role::Constant(only) } else { Role::Modelled }))
    }

    fn sorted_values(&self, text: &NumberText) -> Vec<f64> {
        let bits = self.seen.bits.values().map(|&bits| f64::from_bits(bits));
        let texts = self.seen.texts.iter().filter_map(|(cell, _)| text.parse(cell.trim()));
        let mut values: Vec<f64> = bits.chain(texts.map(|parsed| parsed.value + 0.0)).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    fn as_continuous(&self) -> Result<(Kind, Role)> {
        let in_digits = |kind: &Kind| matches!(kind, Kind::Time { text, .. } if text.is_digits());
        if let Some(kind) = self.kind().filter(|kind| kind.time_unit().is_some() && !in_digits(kind)) {
            return match kind {
                Kind::Time { .. } if self.reading.doubtful_dates => Err(bad_override(
                    self.seen,
                    &ColumnOverride::Continuous,
                    Reason::DoubtfulDates.to_string(),
                )),
                kind => Ok((kind, Role::Modelled)),
            };
        }
        let (numbers, seen) = (self.numbers(), self.seen);
        if !nearly_all(seen, numbers.count) {
            let looks = &self.reading.numbers.text;
            return Err(match seen.first_odd(|text| looks.parse(text).is_some()) {
                Some(other) => self.bad_cell(other, "a number", numbers.count),
                None => {
                    bad_override(seen, &ColumnOverride::Continuous, "it does not hold numbers".to_string())
                }
            });
        }
        self.check_finite()?;
        let text = NumberText { padding: 0, ..self.reading.numbers.text.clone() };
        Ok((Kind::Number { decimals: None, text }, Role::Modelled))
    }

    /// Cells of a numeric or time column that are neither; an error if there are too many different ones to list.
    fn odd_texts(&self, kind: &Kind, role: &Role) -> Result<Vec<String>> {
        let holds_labels = matches!(kind, Kind::Labels { .. } | Kind::Boolean { .. } | Kind::Text);
        if holds_labels || matches!(role, Role::Left(_)) {
            return Ok(Vec::new());
        }
        let seen = self.seen;
        let good = match kind {
            Kind::Time { text, .. } => self.reading.dates_like(seen, *text).count,
            Kind::Clock { .. } => seen.clocks.count,
            Kind::Duration { .. } => seen.durations.count,
            _ => self.numbers().count,
        };
        if good == seen.observed {
            return Ok(Vec::new());
        }
        let texts = seen.texts.iter().filter(|(text, _)| kind.read(text).is_none());
        let (mut odd, mut cells) = (Vec::new(), 0);
        for (text, found) in texts {
            odd.push(text.trim().to_string());
            cells += found.cells;
        }
        odd.sort_unstable();
        odd.dedup();
        if cells == seen.observed - good {
            return Ok(odd);
        }
        let expected = crate::encode::expected(kind);
        Err(match seen.first_odd(|text| kind.read(text).is_some()) {
            Some(other) => self.bad_cell(other, expected, good),
            None => bad_override(
                seen,
                &ColumnOverride::Completed,
                format!("its cells are not all {}", kind.holds()),
            ),
        })
    }

    fn check_finite(&self) -> Result<()> {
        match &self.numbers().infinite {
            None => Ok(()),
            Some((place, text)) => {
                let (place, text) = (place.clone(), text.clone());
                Err(Error::Infinite { place, column: self.seen.name().to_string(), text })
            }
        }
    }

    fn bad_cell(&self, (place, text): (Place, String), expected: &'static str, good: u64) -> Error {
        let others = (self.seen.observed - good).saturating_sub(1);
        Error::BadCell { place, column: self.seen.name().to_string(), text, expected, others }
    }
}

/// The problem with the levels given for a numeric column, if any.
fn problem_with_levels(levels: &[String], values: &[f64], text: &NumberText) -> Option<String> {
    let given: Option<Vec<f64>> = levels.iter().map(|level| text.parse(level).map(|p| p.value)).collect();
    let Some(given) = given.filter(|given| given.is_sorted_by(|a, b| a < b)) else {
        return Some("numbers are ordered by their size".to_string());
    };
    let other = values.iter().find(|x| !given.contains(x))?;
    Some(format!("its cell {} is not one of the levels given", text.show(*other, None)))
}

/// Writes dates as dates where the type could also hold times of day.
fn looks_of_times(text: TimeText, unit: TimeUnit) -> TimeText {
    match text.clock {
        Clock::None if unit < TimeUnit::Day => TimeText { clock: Clock::T, ..text },
        _ => text,
    }
}

/// The only value of a column of times, in units.
fn only_time<T>(times: &TimeSurvey<T>, unit: TimeUnit) -> Option<Option<f64>> {
    (times.low == times.high).then(|| Some(unit.count(times.low)))
}

/// Recognises `id`, `user_id`, `PassengerId`, `userID` and the like.
fn says_identifier(name: &str) -> bool {
    let lower = name.to_lowercase();
    let whole = ["id", "uuid", "guid", "key", "index"].contains(&lower.as_str());
    let last_word = ["_id", " id", "-id", ".id"].iter().any(|end| lower.ends_with(end));
    let camel = name
        .strip_suffix("Id")
        .or(name.strip_suffix("ID"))
        .is_some_and(|stem| stem.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()));
    whole || last_word || camel
}

fn bad_override(seen: &ColumnSurvey, wanted: &ColumnOverride, problem: String) -> Error {
    Error::BadOverride { column: seen.name().to_string(), wanted: wanted.name(), problem }
}
