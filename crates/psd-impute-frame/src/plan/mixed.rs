//! Columns of text whose cells are numbers or dates that are written in more than one way.

use super::column::{ColumnPlan, Reason, Role};
use super::kind::Kind;
use super::remarks::{DIFFERENT, NAMED, Remark, is_text, list};
use super::survey::{ColumnSurvey, Evidence, nearly_all};
use crate::text::TimeText;

/// The most different texts of dates that are quoted.
const FORMS: usize = 2;

/// The first of these that is true of a column.
pub(super) fn remark(seen: &ColumnSurvey, column: &ColumnPlan, evidence: &Evidence) -> Option<Remark> {
    let many = *column.kind() == Kind::Text || seen.texts.len() >= DIFFERENT as u64;
    if !is_text(seen, column) || !many || *column.role() == Role::Left(Reason::Ignored) {
        return None;
    }
    let text = units(seen, evidence).or_else(|| percent(seen, evidence)).or_else(|| signs(seen));
    let option = "give them the same, so that the column is completed as one of numbers".to_string();
    let numbers = text.map(|text| Remark::of(column.name(), text, option));
    numbers.or_else(|| dates(seen, column, evidence))
}

/// Numbers with different currencies or units.
fn units(seen: &ColumnSurvey, evidence: &Evidence) -> Option<String> {
    let units = seen.forms.units(evidence.read(seen).numbers.text.comma)?;
    let cells: u64 = units.iter().map(|(_, cells)| cells).sum();
    if units.len() < 2 || !nearly_all(seen, cells) {
        return None;
    }
    let named = list(units.into_iter().map(|(unit, cells)| format!("`{unit}` ({cells})")), NAMED);
    Some(format!("its numbers have different currencies or units: {named}"))
}

/// Numbers some of which are percent.
fn percent(seen: &ColumnSurvey, evidence: &Evidence) -> Option<String> {
    let comma = evidence.read(seen).numbers.text.comma;
    let units = seen.forms.units(comma)?;
    let &[(ref unit, with)] = units.as_slice() else { return None };
    let bare = seen.forms.count(comma) - with;
    (matches!(unit.as_str(), "%" | "‰") && bare > 0 && nearly_all(seen, with + bare)).then(|| {
        format!("{with} of its numbers have a sign `{unit}` and {bare} have none, which may be shares")
    })
}

/// Numbers some of which have a decimal comma and some a decimal point.
fn signs(seen: &ColumnSurvey) -> Option<String> {
    let [point, comma] = seen.forms.only;
    let all = seen.forms.count(true) + point;
    (point > 0 && comma > 0 && nearly_all(seen, all))
        .then(|| format!("{point} of its numbers have a decimal point and {comma} a decimal comma"))
}

/// Dates that are not written in one way.
fn dates(seen: &ColumnSurvey, column: &ColumnPlan, evidence: &Evidence) -> Option<Remark> {
    let reading = evidence.read(seen);
    let one_way = reading.dates.text.is_some() && nearly_all(seen, reading.dates.count);
    if one_way || *column.role() == Role::Left(Reason::DoubtfulDates) {
        return None;
    }
    let mut dates: Vec<_> =
        seen.texts.iter().filter(|(text, _)| TimeText::parse_both(text.trim()).is_some()).collect();
    let (texts, cells) = (seen.texts.len(), dates.iter().map(|(_, found)| found.cells).sum::<u64>());
    if dates.len() < DIFFERENT || 10 * (dates.len() as u64) < 9 * texts || 10 * cells < 9 * seen.texts.cells()
    {
        return None;
    }
    dates.sort_by_key(|(text, found)| (found.row, *text));
    let first = TimeText::parse_both(dates[0].0.trim())?;
    let other = dates.iter().find(|(text, _)| {
        let read = TimeText::parse_both(text.trim());
        let joined = |k: usize| {
            first[k].zip(read.and_then(|read| read[k])).is_some_and(|(a, b)| a.1.join(b.1).is_some())
        };
        !joined(0) && !joined(1)
    });
    let named = list(dates.first().into_iter().chain(other).map(|(text, _)| format!("`{text}`")), FORMS);
    let text = format!("its cells look like dates that are not all written in one way: {named}");
    let option = "write them alike, so that the column is completed as one of dates".to_string();
    Some(Remark::of(column.name(), text, option))
}
