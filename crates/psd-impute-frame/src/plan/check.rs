//! Checks that a plan makes sense. A stored plan may say anything.

use super::column::{ColumnPlan, Role};
use super::kind::{Kind, boolean};
use super::{MOST_LABELS, MOST_LEVELS};
use crate::error::{Error, Result};
use crate::text::{MOST_DECIMALS, NumberText, TimeUnit, Zone};
use std::collections::HashSet;

pub(super) fn check(columns: &[ColumnPlan]) -> Result<()> {
    let mut names = HashSet::new();
    for column in columns {
        let problem =
            if names.insert(column.name()) { problem_with(column) } else { Some("its name is taken") };
        if let Some(problem) = problem {
            return Err(Error::BadPlan { column: column.name().to_string(), problem });
        }
    }
    Ok(())
}

fn problem_with(column: &ColumnPlan) -> Option<&'static str> {
    let odd = column.odd().is_sorted_by(|a, b| a < b);
    problem_with_kind(column.kind())
        .or_else(|| problem_with_role(column.kind(), column.role()))
        .or_else(|| problem_with_ends(column.kind(), column.type_ends()))
        .or_else(|| problem_with_ends(column.kind(), column.ends()))
        .or_else(|| column.learned()?.problem(column.kind().labels().len()))
        .or((!odd).then_some("its odd texts are not in order"))
}

fn problem_with_kind(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Number { decimals, .. } if *decimals > Some(MOST_DECIMALS) => {
            Some("it has more decimals than are counted")
        }
        Kind::Number { text, .. } => problem_with_looks(text),
        Kind::Codes { values, text } | Kind::Levels { values, text } => {
            let most = if matches!(kind, Kind::Codes { .. }) { MOST_LABELS } else { MOST_LEVELS };
            problem_with_looks(text).or_else(|| match values.as_slice() {
                [] => Some("it has no values"),
                _ if values.len() > most => Some("it has too many values"),
                _ if values.iter().any(|x| !x.is_finite()) => Some("one of its values is not finite"),
                _ if !values.is_sorted_by(|a, b| a < b) => Some("its values do not increase"),
                _ => None,
            })
        }
        Kind::Labels { labels, ordered } => match labels.as_slice() {
            [] => Some("it has no labels"),
            _ if labels.len() > if *ordered { MOST_LEVELS } else { MOST_LABELS } => {
                Some("it has too many labels")
            }
            _ if *ordered && has_twins(labels) => Some("one of its labels comes twice"),
            _ if !ordered && !labels.is_sorted_by(|a, b| a < b) => Some("its labels are not in order"),
            _ => None,
        },
        Kind::Boolean { text: [no, yes] } if boolean(no) != Some(false) || boolean(yes) != Some(true) => {
            Some("its texts are not false and true")
        }
        Kind::Time { text, .. } => match text.zone {
            Zone::Ahead(minutes) if minutes.unsigned_abs() >= 24 * 60 => {
                Some("its zone is more than a day away")
            }
            _ => None,
        },
        // Hours divide a day, and days are too long for a time of day.
        Kind::Clock { unit: TimeUnit::Day, .. } => Some("its times of day are counted in days"),
        Kind::Boolean { .. } | Kind::Clock { .. } | Kind::Duration { .. } | Kind::Text => None,
    }
}

fn problem_with_ends(kind: &Kind, ends: [Option<f64>; 2]) -> Option<&'static str> {
    let [low, high] = ends;
    let ordered = low.unwrap_or(f64::NEG_INFINITY) < high.unwrap_or(f64::INFINITY);
    let known = ends.iter().flatten().all(|end| end.is_finite());
    let numbers = ends == [None, None]
        || matches!(kind, Kind::Number { .. } | Kind::Time { .. } | Kind::Duration { .. });
    (!(ordered && known && numbers)).then_some("its ends make no sense")
}

fn has_twins(labels: &[String]) -> bool {
    labels.iter().collect::<HashSet<_>>().len() < labels.len()
}

fn problem_with_looks(text: &NumberText) -> Option<&'static str> {
    (text.padding > MOST_DECIMALS).then_some("it pads with more decimals than are counted")
}

fn problem_with_role(kind: &Kind, role: &Role) -> Option<&'static str> {
    match role {
        Role::Modelled | Role::Constant(_) if *kind == Kind::Text => {
            Some("free text can only be left as it is")
        }
        Role::Constant(cell) => {
            let known = match kind {
                Kind::Codes { .. } | Kind::Labels { .. } | Kind::Boolean { .. } => {
                    cell.fract() == 0.0 && (0.0..kind.labels().len() as f64).contains(cell)
                }
                Kind::Levels { values, .. } => values.contains(cell),
                _ => cell.is_finite(),
            };
            (!known).then_some("its constant is not one of its cells")
        }
        Role::Modelled | Role::Left(_) => None,
    }
}
