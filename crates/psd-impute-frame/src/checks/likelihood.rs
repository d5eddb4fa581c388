//! Does the model make sense of the rows at all?
//!
//! A row has a log-likelihood of about -1.4 nats per column in standardised units. One of -1,000 is not a poor fit: a cell is far
//! from all others, or a member broke down.

use super::far_cells::farthest;
use super::{Evidence, Warning, WarningKind};
use psd_impute::model::{DensityReport, Model};

/// Nats per row and column below which a likelihood is absurd.
const ABSURD: f64 = -100.0;
/// The lightest member worth a word.
const LIGHTEST: f64 = 0.005;

pub(super) fn check(model: &Model, evidence: &Evidence) -> Vec<Warning> {
    let DensityReport::Stack(stack) = model.report().density else { return Vec::new() };
    let limit = ABSURD * (model.columns().len() + 1) as f64;
    let heavy = stack.members.iter().filter(|tried| tried.weight > LIGHTEST && tried.held_out < limit);
    let worst = heavy.reduce(|a, b| if b.held_out < a.held_out { b } else { a });
    let (what, held_out, weight) = match worst {
        Some(tried) => {
            let what = format!("the {} has {:.0} % of the weight and", tried.member, 100.0 * tried.weight);
            (what, tried.held_out, tried.weight)
        }
        None if stack.held_out < limit => ("the model".to_string(), stack.held_out, 1.0),
        None => return Vec::new(),
    };
    let has = if weight < 1.0 && worst.is_some() { "" } else { " has" };
    let text = format!(
        "the fit is doubtful: {what}{has} a log-likelihood of {held_out:.1e} nats per row on rows it had not seen; look for cells far from all others{}",
        farthest(evidence).map(|cell| format!(", such as {cell}")).unwrap_or_default()
    );
    let numbers = [("held_out", held_out), ("weight", weight)];
    vec![Warning::new(WarningKind::Likelihood, &[], 3.0, numbers, text)]
}
