//! Labels that may stand for missing cells: codes such as -999, and words such as `unknown`.

use super::column::ColumnPlan;
use super::kind::Kind;
use super::remarks::{NAMED, Remark, list};
use super::survey::{ColumnSurvey, is_code};
use crate::text::NumberText;

/// Words that hardly ever answer a question. In lower case, without apostrophes and with single spaces.
const WORDS: [&str; 73] = [
    "*",
    "-na-",
    "--na--",
    "-n/a-",
    "?",
    "??",
    "???",
    "_",
    "__",
    "...",
    "..",
    "…",
    "–",
    "—",
    "(blank)",
    "(na)",
    "(none)",
    "(unknown)",
    "[unknown]",
    "<unknown>",
    "<none>",
    "cannot say",
    "cant say",
    "declined to answer",
    "dk",
    "do not know",
    "do not wish to answer",
    "dont know",
    "dont know/refused",
    "dont want to answer",
    "dunno",
    "n. a.",
    "n a",
    "n/d",
    "n/k",
    "n.a",
    "n.d",
    "n.d.",
    "n.k.",
    "na",
    "nan",
    "nd",
    "nk",
    "no answer",
    "no data",
    "no information",
    "no reply",
    "no response",
    "no value",
    "not available",
    "not collected",
    "not determined",
    "not disclosed",
    "not given",
    "not known",
    "not measured",
    "not provided",
    "not recorded",
    "not reported",
    "not specified",
    "not stated",
    "prefer not to answer",
    "prefer not to say",
    "prefer not to state",
    "refused",
    "refused to answer",
    "refuse to answer",
    "tba",
    "tbd",
    "unk",
    "unknown",
    "unspecified",
    "would not say",
];
/// Words this short may be abbreviations like those beside them, such as `ND` among states.
const SHORT: usize = 3;

/// Whether a text hardly ever answers a question.
pub(super) fn is_stand_in(text: &str) -> bool {
    let plain: String = text.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    let plain = plain.split([' ', '\u{a0}']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    WORDS.contains(&plain.as_str())
}

/// Labels of a category that may stand for missing cells.
pub(super) fn remark(seen: &ColumnSurvey, column: &ColumnPlan) -> Option<Remark> {
    if !matches!(column.kind(), Kind::Labels { ordered: false, .. }) {
        return None;
    }
    let labels: Vec<(&str, u64, u64)> =
        seen.texts.iter().map(|(text, found)| (text.trim(), found.cells, found.row)).collect();
    let number = |text: &str| NumberText::PLAIN.parse(text).map(|parsed| parsed.value);
    // Among labels that are numbers, a code is one of them.
    let codes = labels.iter().all(|(text, ..)| number(text).is_none_or(is_code));
    let code = |text: &str| codes && number(text).is_some_and(is_code);
    let words = !abbreviated(labels.iter().map(|(text, ..)| *text));
    let stands_in = |text: &str| code(text) || is_stand_in(text) && (words || text.chars().count() > SHORT);
    let (mut found, others): (Vec<_>, Vec<_>) = labels.into_iter().partition(|(text, ..)| stands_in(text));
    if found.is_empty() || others.len() < if found.iter().any(|(text, ..)| code(text)) { 2 } else { 1 } {
        return None;
    }
    found.sort_by_key(|&(text, cells, row)| (std::cmp::Reverse(cells), row, text));
    let (name, first) = (column.name(), found[0].0);
    let named = list(found.iter().map(|(text, cells, _)| format!("`{text}` ({cells})")), NAMED);
    let text = format!("{named} may stand for missing cells, but counts as a label");
    Some(Remark::of(name, text, makes_missing(name, first)))
}

/// Whether most labels are as short as abbreviations are.
fn abbreviated<'a>(labels: impl Iterator<Item = &'a str>) -> bool {
    let (short, long): (Vec<&str>, Vec<&str>) =
        labels.filter(|label| !is_stand_in(label)).partition(|label| label.chars().count() <= SHORT);
    short.len() > long.len() && short.len() >= 5
}

/// The option that makes a text missing, in quotes that a shell understands.
pub(super) fn makes_missing(name: &str, text: &str) -> String {
    let quote = if name.contains('\'') || text.contains('\'') { '"' } else { '\'' };
    format!("`--missing {quote}{name}={text}{quote}` makes such cells missing")
}
