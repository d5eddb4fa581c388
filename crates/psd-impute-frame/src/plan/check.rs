//! Whether a plan makes sense. One that was stored may say anything.

use super::MOST_LABELS;
use super::column::{ColumnPlan, Role};
use super::kind::{Kind, boolean};
use crate::error::{Error, Result};
use crate::text::{MOST_DECIMALS, NumberText, Zone};
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
    problem_with_kind(column.kind()).or_else(|| problem_with_role(column.kind(), column.role()))
}

fn problem_with_kind(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Number { decimals, .. } if *decimals > Some(MOST_DECIMALS) => {
            Some("it has more decimals than are counted")
        }
        Kind::Number { text, .. } => problem_with_looks(text),
        Kind::Codes { values, text } => problem_with_looks(text).or_else(|| match values.as_slice() {
            [] => Some("it has no values"),
            _ if values.len() > MOST_LABELS => Some("it has too many values"),
            _ if values.iter().any(|x| !x.is_finite()) => Some("one of its values is not finite"),
            _ if !values.is_sorted_by(|a, b| a < b) => Some("its values do not increase"),
            _ => None,
        }),
        Kind::Labels { labels } => match labels.as_slice() {
            [] => Some("it has no labels"),
            _ if labels.len() > MOST_LABELS => Some("it has too many labels"),
            _ if !labels.is_sorted_by(|a, b| a < b) => Some("its labels are not in order"),
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
        Kind::Boolean { .. } | Kind::Text => None,
    }
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
                _ => cell.is_finite(),
            };
            (!known).then_some("its constant is none of its cells")
        }
        Role::Modelled | Role::Left(_) => None,
    }
}
