//! From what was seen of a column to what it is.
//!
//! 1. The kind is that of the type, or, of text, the one that all cells can be read as. If nine in ten cells are numbers (or times)
//!    and the others are not, the others are more likely mistakes than labels: that is an error.
//! 2. A column that is never observed, that numbers the rows, whose texts hardly ever come back, or that has many labels, is left alone.
//!    One with a single value is a constant.
//! 3. The numbers zero and one are a category, so that they are completed with zeros and ones; other numbers are numbers, however few.
//! 4. Text is a category if it has at most a hundred labels, each of which comes back on average.

use super::MOST_LABELS;
use super::column::{ColumnPlan, Reason, Role};
use super::kind::{Kind, boolean};
use super::survey::{ColumnSurvey, NumberSurvey};
use super::wish::Wish;
use crate::error::{Error, Result};
use crate::place::Place;
use crate::text::{Clock, NumberText, TimeText, TimeUnit};

/// The most labels of a category that nobody wished for.
const USUAL_LABELS: u64 = 100;
/// Cells that a label has on average, at least.
const CELLS_A_LABEL: u64 = 2;
/// Fewer cells than this identify nothing.
const FEWEST_IDENTIFIERS: u64 = 10;

/// Says what a column is.
pub(super) fn decide(seen: &ColumnSurvey, rows: u64, wish: Option<Wish>) -> Result<ColumnPlan> {
    let (kind, role) = match (&seen.unsupported, wish) {
        (Some(found), None | Some(Wish::Ignore)) => {
            (Kind::Text, Role::Left(Reason::Unsupported { found: found.clone() }))
        }
        (Some(found), Some(wish)) => return Err(bad_wish(seen, wish, format!("its type is {found}"))),
        (None, _) if seen.observed == 0 => (Kind::Text, Role::Left(Reason::NeverObserved)),
        (None, Some(Wish::Ignore)) => (kind_of(seen).unwrap_or(Kind::Text), Role::Left(Reason::Ignored)),
        (None, Some(Wish::Category)) => as_category(seen)?,
        (None, Some(Wish::Continuous)) => as_continuous(seen)?,
        (None, None) => usual(seen, rows, false)?,
        (None, Some(Wish::Completed)) => usual(seen, rows, true)?,
    };
    Ok(ColumnPlan::new(seen.name(), kind, role))
}

/// What the rules say; if the column is to be completed, numbers are no identifiers.
fn usual(seen: &ColumnSurvey, rows: u64, completed: bool) -> Result<(Kind, Role)> {
    let kind = match kind_of(seen) {
        Some(kind) => kind,
        None => return doubtful_cell(seen).map_or_else(|| Ok(text(seen)), Err),
    };
    if let Some(cell) = constant(seen, &kind) {
        return Ok((kind, cell.map_or(Role::Left(Reason::Identifier), Role::Constant)));
    }
    match kind {
        Kind::Number { .. } if seen.dictionary && seen.bits.len() <= USUAL_LABELS => as_category(seen),
        Kind::Number { text, .. } => {
            let numbers = seen.numbers().1;
            check_finite(seen, numbers)?;
            let role = if !completed && is_identifier(seen, numbers, rows) {
                Role::Left(Reason::Identifier)
            } else {
                Role::Modelled
            };
            let kind = if numbers.binary { Kind::Codes { values: vec![0.0, 1.0], text } } else { kind };
            Ok((kind, role))
        }
        kind => Ok((kind, Role::Modelled)),
    }
}

/// The kind that all cells agree on, unless it is text.
fn kind_of(seen: &ColumnSurvey) -> Option<Kind> {
    let (looks, numbers) = seen.numbers();
    if numbers.count == seen.observed && !numbers.codes {
        return Some(Kind::Number { decimals: numbers.decimals, text: looks });
    }
    let times = &seen.times;
    if let Some(text) = times.text.filter(|_| times.count == seen.observed) {
        return Some(Kind::Time { unit: times.unit, text: looks_of_times(text, times.unit) });
    }
    (seen.booleans == seen.observed).then(|| booleans(seen)).flatten()
}

/// False and true, if each is spelled in one way.
fn booleans(seen: &ColumnSurvey) -> Option<Kind> {
    let spelled = |value: bool| seen.texts.values().find(|text| boolean(text) == Some(value)).cloned();
    let text = match (spelled(false), spelled(true), seen.texts.len()) {
        (Some(no), Some(yes), 2) => [no, yes],
        (Some(one), None, 1) | (None, Some(one), 1) if one == one.to_lowercase() => {
            ["false", "true"].map(String::from)
        }
        _ => return None,
    };
    Some(Kind::Boolean { text })
}

/// Dates of a type that could hold times are written as dates.
fn looks_of_times(text: TimeText, unit: TimeUnit) -> TimeText {
    match text.clock {
        Clock::None if unit < TimeUnit::Day => TimeText { clock: Clock::T, ..text },
        _ => text,
    }
}

/// The only cell of a column, as the engine would see it; nothing within if that would not be exact.
fn constant(seen: &ColumnSurvey, kind: &Kind) -> Option<Option<f64>> {
    match kind {
        Kind::Number { .. } => {
            let numbers = seen.numbers().1;
            let exact = numbers.low.abs() < 2f64.powi(53);
            (numbers.low == numbers.high && numbers.infinite.is_none()).then(|| exact.then_some(numbers.low))
        }
        Kind::Time { unit, .. } => {
            (seen.times.low == seen.times.high).then(|| Some(unit.count(seen.times.low)))
        }
        Kind::Boolean { .. } => {
            let only = seen.texts.values().next().filter(|_| seen.texts.len() == 1)?;
            boolean(only).map(|value| Some(f64::from(value)))
        }
        Kind::Codes { .. } | Kind::Labels { .. } | Kind::Text => None,
    }
}

/// Text: a constant, a category, or left alone.
fn text(seen: &ColumnSurvey) -> (Kind, Role) {
    let (labels, cells) = (seen.texts.len(), seen.texts.cells());
    if labels == 1 {
        return (Kind::Labels { labels: sorted_labels(seen) }, Role::Constant(0.0));
    }
    if labels <= USUAL_LABELS && (seen.dictionary || cells >= CELLS_A_LABEL * labels) {
        return (Kind::Labels { labels: sorted_labels(seen) }, Role::Modelled);
    }
    let reason = match 20 * labels >= 19 * cells {
        true if 2 * seen.spaced > seen.observed => Reason::FreeText,
        true => Reason::Identifier,
        false => Reason::ManyLabels { labels, cells },
    };
    (Kind::Text, Role::Left(reason))
}

fn sorted_labels(seen: &ColumnSurvey) -> Vec<String> {
    let mut labels: Vec<String> = seen.texts.values().cloned().collect();
    labels.sort_unstable();
    labels
}

/// Whether integers name the rows: they number them, or are all different in a column whose name says so.
fn is_identifier(seen: &ColumnSurvey, numbers: &NumberSurvey, rows: u64) -> bool {
    if numbers.decimals != Some(0) {
        return false;
    }
    let different = seen.bits.len().max(seen.texts.len());
    let all_different =
        different >= FEWEST_IDENTIFIERS && different == seen.bits.cells().max(seen.texts.cells());
    numbers.sequence.numbers_rows(rows) || all_different && says_identifier(seen.name())
}

/// `id`, `user_id`, `PassengerId`, `userID` and the like.
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

fn as_category(seen: &ColumnSurvey) -> Result<(Kind, Role)> {
    let kind = match kind_of(seen) {
        Some(Kind::Number { text, .. }) => {
            check_finite(seen, seen.numbers().1)?;
            Kind::Codes { values: sorted_values(seen, text), text }
        }
        Some(kind @ Kind::Boolean { .. }) => kind,
        Some(Kind::Time { .. }) if seen.texts.len() == 0 => {
            return Err(bad_wish(seen, Wish::Category, "it holds times".to_string()));
        }
        _ => Kind::Labels { labels: sorted_labels(seen) },
    };
    let labels = kind.labels().len();
    if labels > MOST_LABELS {
        return Err(bad_wish(seen, Wish::Category, format!("it has more than {MOST_LABELS} labels")));
    }
    Ok((kind, if labels == 1 { Role::Constant(0.0) } else { Role::Modelled }))
}

fn sorted_values(seen: &ColumnSurvey, text: NumberText) -> Vec<f64> {
    let bits = seen.bits.values().map(|&bits| f64::from_bits(bits));
    let texts = seen.texts.values().filter_map(|cell| text.parse(cell)).map(|parsed| parsed.value + 0.0);
    let mut values: Vec<f64> = bits.chain(texts).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

fn as_continuous(seen: &ColumnSurvey) -> Result<(Kind, Role)> {
    let (looks, numbers) = seen.numbers();
    if let Some(kind @ Kind::Time { .. }) = kind_of(seen) {
        return Ok((kind, Role::Modelled));
    }
    if numbers.count < seen.observed {
        return Err(match &numbers.other {
            Some(other) => bad_cell(seen, other, "a number", numbers.count),
            None => bad_wish(seen, Wish::Continuous, "it does not hold numbers".to_string()),
        });
    }
    check_finite(seen, numbers)?;
    let text = NumberText { padding: 0, ..looks };
    Ok((Kind::Number { decimals: None, text }, Role::Modelled))
}

/// The cell that keeps a column from being numbers or times, if nearly all others are.
fn doubtful_cell(seen: &ColumnSurvey) -> Option<Error> {
    let (numbers, times) = (seen.numbers().1, &seen.times);
    let nearly = |count: u64| count < seen.observed && 10 * count >= 9 * seen.observed;
    if nearly(numbers.count) && !numbers.codes {
        return numbers.other.as_ref().map(|other| bad_cell(seen, other, "a number", numbers.count));
    }
    if nearly(times.count) {
        return times.other.as_ref().map(|other| bad_cell(seen, other, "a date or time", times.count));
    }
    None
}

fn check_finite(seen: &ColumnSurvey, numbers: &NumberSurvey) -> Result<()> {
    match &numbers.infinite {
        None => Ok(()),
        Some((place, text)) => {
            Err(Error::Infinite { place: place.clone(), column: seen.name().to_string(), text: text.clone() })
        }
    }
}

fn bad_cell(
    seen: &ColumnSurvey,
    (place, text): &(Place, String),
    expected: &'static str,
    good: u64,
) -> Error {
    Error::BadCell {
        place: place.clone(),
        column: seen.name().to_string(),
        text: text.clone(),
        expected,
        others: seen.observed - good - 1,
    }
}

fn bad_wish(seen: &ColumnSurvey, wish: Wish, problem: String) -> Error {
    Error::BadWish { column: seen.name().to_string(), wish: wish.name(), problem }
}
