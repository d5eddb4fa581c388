//! The kinds of column, as text and as numbers.

use crate::text::{ClockText, DAY, DurationText, NumberText, TimeText, TimeUnit, round_to};
use psd_impute::table::Column;
use serde::{Deserialize, Serialize};

/// The kind of a column's cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "holds", rename_all = "lowercase", deny_unknown_fields)]
pub enum Kind {
    /// Numbers.
    Number {
        /// The most decimals of any number, if they are few; zero for integers.
        decimals: Option<u8>,
        /// How they are written.
        text: NumberText,
    },
    /// Numbers that are only labels, increasing.
    Codes {
        /// The numbers.
        values: Vec<f64>,
        /// How they are written.
        text: NumberText,
    },
    /// Few numbers that are ordered levels: a cell is one of them. The engine sees the numbers themselves.
    Levels {
        /// The numbers, increasing.
        values: Vec<f64>,
        /// How they are written.
        text: NumberText,
    },
    /// Labels, in alphabetical or their own order. The engine sees their positions.
    Labels {
        /// The labels.
        labels: Vec<String>,
        /// Whether they are ordered, from the lowest to the highest.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ordered: bool,
    },
    /// False and true.
    Boolean {
        /// How they are written.
        text: [String; 2],
    },
    /// Dates and times, as whole numbers of a unit since 1970.
    Time {
        /// The unit.
        unit: TimeUnit,
        /// How they are written.
        text: TimeText,
    },
    /// Times of day, as whole numbers of a unit since midnight.
    Clock {
        /// The unit.
        unit: TimeUnit,
        /// How they are written.
        text: ClockText,
    },
    /// Lengths of time, as whole numbers of a unit.
    Duration {
        /// The unit.
        unit: TimeUnit,
        /// How they are written.
        text: DurationText,
    },
    /// Anything else.
    Text,
}

impl Kind {
    /// Its name in lists of columns.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Number { decimals: Some(0), .. } => "integer",
            Kind::Number { .. } => "continuous",
            Kind::Boolean { .. } => "boolean",
            Kind::Levels { .. } | Kind::Labels { ordered: true, .. } => "ordered",
            Kind::Codes { values, .. } if values == &[0.0, 1.0] => "boolean",
            Kind::Labels { labels, .. } if is_yes_or_no(labels) => "boolean",
            Kind::Codes { .. } | Kind::Labels { .. } => "category",
            Kind::Time { unit: TimeUnit::Day, .. } => "date",
            Kind::Time { .. } => "time",
            Kind::Clock { .. } => "time of day",
            Kind::Duration { .. } => "duration",
            Kind::Text => "text",
        }
    }

    /// Describes the kind in errors.
    pub(crate) fn holds(&self) -> &'static str {
        match self {
            Kind::Number { .. } | Kind::Codes { .. } | Kind::Levels { .. } => "numbers",
            Kind::Labels { .. } | Kind::Text => "text",
            Kind::Boolean { .. } => "booleans",
            Kind::Time { .. } => "dates or times",
            Kind::Clock { .. } => "times of day",
            Kind::Duration { .. } => "durations",
        }
    }

    /// The labels of a category or of ordered labels, as text; empty for other kinds.
    pub fn labels(&self) -> Vec<String> {
        match self {
            Kind::Codes { values, text } => values.iter().map(|&x| text.show(x, None)).collect(),
            Kind::Labels { labels, .. } => labels.clone(),
            Kind::Boolean { text } => text.to_vec(),
            Kind::Number { .. }
            | Kind::Levels { .. }
            | Kind::Time { .. }
            | Kind::Clock { .. }
            | Kind::Duration { .. }
            | Kind::Text => Vec::new(),
        }
    }

    /// The engine's column. Integers and times are continuous there and are rounded on the way back: the engine itself finds repeated
    /// values, and a number that never occurred is still a number.
    pub(crate) fn engine_column(&self, name: &str) -> psd_impute::Result<Column> {
        match self {
            Kind::Levels { values, .. } => Column::ordered(name, values.clone()),
            Kind::Labels { labels, ordered: true } => {
                Column::ordered(name, (0..labels.len()).map(|k| k as f64).collect())
            }
            Kind::Codes { .. } | Kind::Labels { .. } | Kind::Boolean { .. } => {
                Column::category(name, self.labels())
            }
            _ => Ok(Column::continuous(name)),
        }
    }

    /// Shows the engine's cell as text. Returns an empty text for an unknown label.
    pub fn show(&self, cell: f64) -> String {
        match self {
            Kind::Number { decimals, text } => text.show(cell, *decimals),
            Kind::Codes { values, text } => {
                values.get(cell as usize).map_or_else(String::new, |&x| text.show(x, None))
            }
            Kind::Levels { text, .. } => text.show(cell, None),
            // A mean of positions lies between them.
            Kind::Labels { labels, .. } => labels.get(cell.round() as usize).cloned().unwrap_or_default(),
            Kind::Boolean { text } => text[usize::from(cell >= 0.5)].clone(),
            Kind::Time { unit, text } => text.show(cell, *unit),
            Kind::Clock { unit, text } => text.show(cell, *unit),
            Kind::Duration { unit, text } => text.show(cell, *unit),
            Kind::Text => String::new(),
        }
    }

    /// Reads a text as [`show`](Self::show) writes it. Returns `None` for a text that the column cannot hold.
    pub fn read(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        match self {
            Kind::Number { text: looks, .. } | Kind::Levels { text: looks, .. } => {
                looks.parse(text).map(|parsed| parsed.value)
            }
            Kind::Codes { values, text: looks } => place(values, looks.parse(text)?.value),
            Kind::Labels { labels, .. } => labels.iter().position(|label| label == text).map(|k| k as f64),
            Kind::Boolean { .. } => boolean(text).map(f64::from),
            Kind::Time { unit, text: looks } => looks.read(text).map(|time| unit.count(time)),
            Kind::Clock { unit, .. } => ClockText::parse(text).map(|(time, _)| unit.count(time)),
            Kind::Duration { unit, .. } => DurationText::parse(text).map(|(time, _)| unit.count(time)),
            Kind::Text => None,
        }
    }

    /// The number nearest to `cell` that the column may hold.
    pub(crate) fn rounded(&self, cell: f64) -> f64 {
        match self {
            Kind::Number { decimals: Some(decimals), .. } => round_to(cell, *decimals),
            Kind::Codes { values, .. } => values.get(cell as usize).copied().unwrap_or(f64::NAN),
            _ => cell,
        }
    }

    /// The least and the largest engine cell that the column can hold: within one day for times of day.
    pub(crate) fn ends(&self) -> (Option<f64>, Option<f64>) {
        match self {
            Kind::Clock { unit, .. } => (Some(0.0), Some(unit.count(DAY - unit.nanoseconds()))),
            _ => (None, None),
        }
    }

    /// The unit of a kind that counts time.
    pub fn time_unit(&self) -> Option<TimeUnit> {
        match self {
            Kind::Time { unit, .. } | Kind::Clock { unit, .. } | Kind::Duration { unit, .. } => Some(*unit),
            _ => None,
        }
    }

    /// Whether all numbers are integers.
    pub(crate) fn is_whole(&self) -> bool {
        match self {
            Kind::Number { decimals, .. } => *decimals == Some(0),
            Kind::Codes { values, .. } | Kind::Levels { values, .. } => {
                values.iter().all(|x| x.fract() == 0.0)
            }
            _ => false,
        }
    }
}

/// The position of `value` among increasing `values`.
pub(crate) fn place(values: &[f64], value: f64) -> Option<f64> {
    values.binary_search_by(|v| v.total_cmp(&(value + 0.0))).ok().map(|k| k as f64)
}

/// Reads `true` and `false`, in any case.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(true),
        _ if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

fn is_yes_or_no(labels: &[String]) -> bool {
    let pairs = [("no", "yes"), ("n", "y"), ("f", "t"), ("false", "true")];
    let [a, b] = labels else { return false };
    pairs.iter().any(|(no, yes)| a.eq_ignore_ascii_case(no) && b.eq_ignore_ascii_case(yes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_reads_back() {
        let number = Kind::Number { decimals: Some(1), text: NumberText::PLAIN };
        let codes =
            Kind::Codes { values: vec![0.0, 1.0], text: NumberText { padding: 1, ..NumberText::PLAIN } };
        let labels = Kind::Labels { labels: vec!["a".into(), "b".into()], ordered: false };
        let levels = Kind::Levels { values: vec![1.0, 2.5], text: NumberText::PLAIN };
        let ordered = Kind::Labels { labels: vec!["low".into(), "high".into()], ordered: true };
        let boolean = Kind::Boolean { text: ["False".into(), "True".into()] };
        let date = Kind::Time { unit: TimeUnit::Day, text: TimeText::DATE };
        let clock = Kind::Clock { unit: TimeUnit::Minute, text: ClockText::FULL };
        let length = DurationText::Clock { seconds: false, padded: false };
        let length = Kind::Duration { unit: TimeUnit::Minute, text: length };
        for (kind, cell, text) in [
            (number, 1.5, "1.5"),
            (codes, 1.0, "1.0"),
            (labels, 1.0, "b"),
            (levels, 2.5, "2.5"),
            (ordered, 1.0, "high"),
            (boolean, 1.0, "True"),
            (date, 365.0, "1971-01-01"),
            (clock, 90.0, "01:30:00"),
            (length, 1510.0, "25:10"),
        ] {
            assert_eq!(kind.show(cell), text);
            assert_eq!(kind.read(text), Some(cell));
        }
    }

    #[test]
    fn strangers_are_not_shown() {
        let labels = Kind::Labels { labels: vec!["a".into()], ordered: false };
        for cell in [7.0, 1e300, f64::NAN, -1.0] {
            labels.show(cell);
        }
        assert_eq!(labels.show(7.0), "");
        assert_eq!(labels.read("z"), None);
    }
}
