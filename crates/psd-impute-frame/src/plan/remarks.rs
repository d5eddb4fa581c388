//! Remarks on a table's cells: what was assumed, and what may be wrong with them.

use super::Plan;
use super::column::{ColumnPlan, Reason, Role};
use super::kind::Kind;
use super::stand_ins::{is_stand_in, makes_missing};
use super::survey::{ColumnSurvey, DigitForm, Evidence, Storage, Survey, comma_of};
use super::{mixed, stand_ins};
use crate::missing::is_word;
use crate::text::TimeText;
use std::collections::BTreeMap;

/// Texts quoted in a remark.
pub(super) const NAMED: usize = 3;
/// Columns with this many different numbers or dates, and at most as many other texts, were not meant as labels.
pub(super) const DIFFERENT: usize = 10;
const DIFFERENT_OTHERS: usize = 5;

/// Characters that take no space: zero-width spaces, joiners, byte order marks, soft hyphens.
const INVISIBLE: [char; 6] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{ad}'];

/// A remark, and the option of the command that changes what it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The column, if the remark is about one.
    pub column: Option<String>,
    /// The remark itself.
    pub text: String,
    /// The option to write to change it, and its effect.
    pub option: Option<String>,
}

impl Remark {
    pub(super) fn of(column: &str, text: String, option: impl Into<Option<String>>) -> Self {
        Self {
            column: Some(column.to_string()),
            text: format!("column `{column}`: {text}"),
            option: option.into(),
        }
    }
}

impl std::fmt::Display for Remark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.option {
            Some(option) => write!(f, "{}; {option}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl Survey {
    /// Remarks on the cells, in the order of the columns; `plan` is the plan made from this survey. Codes for missing cells are reported by
    /// [`sentinels`](Self::sentinels) instead.
    pub fn remarks(&self, plan: &Plan) -> Vec<Remark> {
        let evidence = self.evidence();
        let mut remarks: Vec<Remark> = self.header_remark(plan).into_iter().collect();
        if evidence.mixed {
            remarks.push(self.mixed_signs());
        }
        for (seen, column) in self.columns().iter().zip(plan.columns()) {
            if *column.role() == Role::Left(Reason::DoubtfulDates) {
                remarks.push(doubtful_dates(seen, column));
            }
            let unlike = mixed::remark(seen, column, &evidence).or_else(|| mostly(seen, column, &evidence));
            let told = unlike.is_some();
            remarks.extend(unlike);
            if matches!(column.role(), Role::Left(_)) {
                continue;
            }
            remarks.extend(token_remarks(seen, column));
            remarks.extend(odd_remark(seen, column));
            remarks.extend(number_remarks(seen, column, &evidence));
            remarks.extend(number_labels(seen, column, &evidence));
            remarks.extend(date_remarks(seen, column, &evidence));
            if matches!(column.kind(), Kind::Labels { .. }) {
                remarks.extend(padded_labels(seen, column));
                remarks.extend(labels_alike(seen, column));
                remarks.extend(stand_ins::remark(seen, column).filter(|_| !told));
            }
        }
        remarks
    }

    fn mixed_signs(&self) -> Remark {
        let named = |comma: bool| {
            let mine = self.columns().iter().filter(move |column| comma_of(column) == Some(comma));
            list(mine.map(|column| format!("`{}`", column.name())), NAMED)
        };
        let text = format!("{} have a decimal comma, but {} a decimal point", named(true), named(false));
        let option = "`--decimal ,` or `--decimal .` says which is meant".to_string();
        Remark { column: None, text, option: Some(option) }
    }

    /// A header whose names all look like the cells below is more likely a row.
    fn header_remark(&self, plan: &Plan) -> Option<Remark> {
        let columns = plan.columns();
        let known =
            || columns.iter().filter(|column| *column.kind() != Kind::Text && !column.name().is_empty());
        let alike = known().all(|column| column.kind().read(column.name()).is_some());
        // One label may well be named like its column, but hardly those of all columns.
        let tells = known().count() > 1 || known().any(|column| column.kind().labels().is_empty());
        if !self.is_named() || !alike || !tells || counted(columns) {
            return None;
        }
        let names = list(columns.iter().map(|column| format!("`{}`", column.name())), NAMED);
        let text = format!("the header ({names}) looks like a row of data");
        Some(Remark { column: None, text, option: Some("`--no-header` reads it as one".to_string()) })
    }
}

/// Whether names count up, as programs number unnamed columns, or as years do.
fn counted(columns: &[ColumnPlan]) -> bool {
    let numbers: Option<Vec<i64>> = columns.iter().map(|column| column.name().parse().ok()).collect();
    numbers.is_some_and(|numbers| numbers.windows(2).all(|pair| pair[1] - pair[0] == 1))
}

/// Tokens that may be answers, and tokens in a column whose type could store missing cells without them.
fn token_remarks(seen: &ColumnSurvey, column: &ColumnPlan) -> Vec<Remark> {
    let labels = matches!(column.kind(), Kind::Labels { .. });
    let in_file = seen.storage == Storage::File;
    let said = seen.tokens.iter().filter(|(token, _)| if in_file { labels && is_word(token) } else { true });
    said.map(|(token, count)| {
        let name = column.name();
        let text = format!("`{token}` counts as missing in {}", cells(*count));
        Remark::of(name, text, labels.then(|| format!("`--missing-only {name}=NA` makes it a label")))
    })
    .collect()
}

/// Cells of a numeric or time column that are neither.
fn odd_remark(seen: &ColumnSurvey, column: &ColumnPlan) -> Option<Remark> {
    if column.odd().is_empty() {
        return None;
    }
    let mut odd: Vec<(&str, u64, u64)> = (seen.texts.iter())
        .filter(|(text, _)| column.is_odd(text))
        .map(|(text, seen)| (text.as_str(), seen.cells, seen.row))
        .collect();
    odd.sort_by_key(|&(text, cells, row)| (std::cmp::Reverse(cells), row, text));
    let total: u64 = odd.iter().map(|(_, cells, _)| cells).sum();
    let first = odd.iter().map(|(_, _, row)| row + 1).min().unwrap_or(1);
    let named = list(
        odd.iter().map(|(text, cells, _)| match cells {
            1 => format!("`{text}`"),
            _ => format!("`{text}` {cells} times"),
        }),
        NAMED,
    );
    let (name, holds) = (column.name(), column.kind().holds());
    let where_first = format!("({named}; first in row {first})");
    let text = match total {
        1 => format!("1 cell is not one of its {holds} {where_first} and stays as it is"),
        _ => format!("{total} cells are not {holds} {where_first} and stay as they are"),
    };
    let token = odd.first().map_or("", |(text, ..)| text);
    Some(Remark::of(name, text, makes_missing(name, token)))
}

/// Numbers that can be read in two ways, that lack a unit, or that are stored as text.
fn number_remarks(seen: &ColumnSurvey, column: &ColumnPlan, evidence: &Evidence) -> Vec<Remark> {
    let (Kind::Number { text: looks, .. } | Kind::Codes { text: looks, .. }) = column.kind() else {
        return Vec::new();
    };
    let (name, reading) = (column.name(), evidence.read(seen));
    let mut remarks = Vec::new();
    if let Some(text) = seen.forms.doubtful.as_ref().filter(|_| reading.doubtful) {
        let value = looks.parse(text).map_or(f64::NAN, |parsed| parsed.value);
        let other = if looks.comma { '.' } else { ',' };
        let option = format!("`--decimal {other}` reads it otherwise");
        remarks.push(Remark::of(
            name,
            format!("`{text}` is read as {value}, which nothing else in the file tells"),
            option,
        ));
    }
    if reading.numbers.bare > 0 {
        let unit = format!("{}{}", looks.style.prefix, looks.style.suffix);
        let text =
            format!("{} without `{}` are taken to have it, too", cells(reading.numbers.bare), unit.trim());
        remarks.push(Remark::of(name, text, None));
    }
    if seen.storage == Storage::Text {
        remarks.push(Remark::of(name, "its texts are numbers and are completed as such".to_string(), None));
    }
    remarks.extend(digit_remark(seen, column));
    remarks
}

/// Integers whose digits look like times of day or weeks.
fn digit_remark(seen: &ColumnSurvey, column: &ColumnPlan) -> Option<Remark> {
    let form =
        seen.digits.form().filter(|_| matches!(column.kind(), Kind::Number { decimals: Some(0), .. }))?;
    let text = match form {
        DigitForm::Clock => {
            "look like times of day such as 1359, but are completed as numbers: 1375 may be imputed"
        }
        DigitForm::Week => {
            "look like years and weeks such as 202052, but are completed as numbers: 202075 may be imputed"
        }
    };
    let name = column.name();
    let option =
        format!("`--continuous {name}` says that they are numbers, `--ignore {name}` leaves it as it is");
    Some(Remark::of(name, format!("its numbers {text}"), option))
}

/// Whether a column is text although nobody declared it so.
pub(super) fn is_text(seen: &ColumnSurvey, column: &ColumnPlan) -> bool {
    matches!(column.kind(), Kind::Labels { .. } | Kind::Text)
        && matches!(seen.storage, Storage::File | Storage::Text)
}

/// Texts most of which are numbers or dates, with too many others to be odd, such as `<1` below a limit of detection.
fn mostly(seen: &ColumnSurvey, column: &ColumnPlan, evidence: &Evidence) -> Option<Remark> {
    let reading = evidence.read(seen);
    let (numbers, dates) = (&reading.numbers, reading.dates.count);
    let are_dates = dates > numbers.survey.count;
    let (holds, count) =
        if are_dates { ("dates or times", dates) } else { ("numbers", numbers.survey.count) };
    let codes = !are_dates && numbers.survey.codes;
    if !is_text(seen, column) || codes || 2 * count <= seen.observed || count == seen.observed {
        return None;
    }
    let is_good = |text: &str| match are_dates {
        true => TimeText::parse_both(text.trim()).is_some(),
        false => numbers.text.parse(text).is_some(),
    };
    let (good, mut others): (Vec<_>, Vec<_>) = seen.texts.iter().partition(|(text, _)| is_good(text));
    // Few numbers may be labels, unless the others are words for missing cells.
    let are_words = others.iter().all(|(text, _)| is_stand_in(text));
    if good.len() < DIFFERENT && !are_words || others.is_empty() || others.len() > DIFFERENT_OTHERS {
        return None;
    }
    others.sort_by_key(|(text, found)| (std::cmp::Reverse(found.cells), found.row, *text));
    let (name, first) = (column.name(), others[0].0);
    let named = list(others.iter().map(|(text, found)| format!("`{text}` ({})", found.cells)), NAMED);
    let text =
        format!("{count} of {} cells are {holds}, but it is text because of others: {named}", seen.observed);
    Some(Remark::of(name, text, makes_missing(name, first)))
}

/// Labels that are all numbers, in a typed table.
fn number_labels(seen: &ColumnSurvey, column: &ColumnPlan, evidence: &Evidence) -> Option<Remark> {
    let labels = matches!(column.kind(), Kind::Labels { .. }) && seen.storage == Storage::Text;
    let all = evidence.read(seen).numbers.survey.count == seen.observed;
    (labels && all).then(|| {
        let text =
            "its labels are numbers stored as text; they are labels unless the column is made one of numbers";
        Remark::of(column.name(), text.to_string(), None)
    })
}

/// Dates that may be day-first or month-first.
fn doubtful_dates(seen: &ColumnSurvey, column: &ColumnPlan) -> Remark {
    let text = seen.doubtful_date.as_ref().map_or("", |(_, text)| text);
    let option = "`--dates dmy` or `--dates mdy` says which, so that the column is completed".to_string();
    Remark::of(column.name(), format!("`{text}` may have its day or its month first"), option)
}

/// Two-digit years, and numbers that are taken for years and months.
fn date_remarks(seen: &ColumnSurvey, column: &ColumnPlan, evidence: &Evidence) -> Option<Remark> {
    match column.kind() {
        Kind::Time { text, unit } if text.date.dayless => {
            let dates = evidence.read(seen).dates_like(seen, *text);
            let [low, high] = [dates.low, dates.high].map(|time| text.show(unit.count(time), *unit));
            let said = format!("its numbers are taken to be years and months ({low} to {high})");
            let name = column.name();
            Some(Remark::of(name, said, format!("`--continuous {name}` takes them as numbers")))
        }
        Kind::Time { text, .. } if text.date.short_year => {
            let text = "years of two digits are taken to be 1969 to 2068".to_string();
            Some(Remark::of(column.name(), text, None))
        }
        _ => None,
    }
}

/// Labels some of which have spaces around them.
fn padded_labels(seen: &ColumnSurvey, column: &ColumnPlan) -> Option<Remark> {
    (seen.padded > 0 && seen.padded < seen.observed).then(|| {
        let text =
            format!("{} have spaces around their labels, which do not tell labels apart", cells(seen.padded));
        Remark::of(column.name(), text, None)
    })
}

/// Labels that differ only in case or space.
fn labels_alike(seen: &ColumnSurvey, column: &ColumnPlan) -> Option<Remark> {
    let mut alike: BTreeMap<String, Vec<(&String, u64)>> = BTreeMap::new();
    for (text, seen) in seen.texts.iter() {
        let visible: String = text.chars().filter(|c| !INVISIBLE.contains(c)).collect();
        let plain = visible.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        alike.entry(plain).or_default().push((text, seen.cells));
    }
    alike.retain(|_, labels| labels.len() > 1);
    let mut groups: Vec<_> = alike.into_values().collect();
    groups.iter_mut().for_each(|labels| labels.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0))));
    let shown = |labels: &Vec<(&String, u64)>| {
        let labels: Vec<String> =
            labels.iter().map(|(label, cells)| format!("`{label}` ({cells})")).collect();
        labels.join(", ")
    };
    (!groups.is_empty()).then(|| {
        let groups = list(groups.iter().map(shown), NAMED);
        Remark::of(
            column.name(),
            format!("labels differ only in case or space and are kept apart: {groups}"),
            None,
        )
    })
}

pub(super) fn cells(count: u64) -> String {
    if count == 1 { "1 cell".to_string() } else { format!("{count} cells") }
}

/// Lists at most `most` items, followed by the number of the others.
pub(super) fn list(items: impl Iterator<Item = String>, most: usize) -> String {
    let items: Vec<String> = items.collect();
    let rest = items.len().saturating_sub(most);
    let named = items[..items.len() - rest].join(", ");
    if rest > 0 { format!("{named} and {rest} more") } else { named }
}
