//! Does the model make sense of the rows at all?
//!
//! A row has a log-likelihood of about -1.4 nats per column in standardised units. One of -1,000 is not a poor fit: a cell is far
//! from all others, or a member broke down.

use super::far_cells::farthest;
use super::{Evidence, Warning, WarningKind};
use psd_impute::model::{DensityReport, Model, StackReport};
use psd_impute::stack::Tried;

/// Nats per row and column below which a likelihood is absurd.
const ABSURD: f64 = -100.0;
/// The lightest member worth a word.
const LIGHTEST: f64 = 0.005;

pub(super) fn check(model: &Model, evidence: &Evidence) -> Vec<Warning> {
    let DensityReport::Stack(stack) = model.report().density else { return Vec::new() };
    let Some(Doubt { about, held_out, weight }) = doubt(&stack, model.columns().len()) else {
        return Vec::new();
    };
    let text = format!(
        "the fit is doubtful: {about} a log-likelihood of {held_out:.1e} nats per row on rows it had not seen; look for cells far from all others{}",
        farthest(evidence).map(|cell| format!(", such as {cell}")).unwrap_or_default()
    );
    let numbers = [("held_out", held_out), ("weight", weight)];
    vec![Warning::new(WarningKind::Likelihood, &[], 3.0, numbers, text)]
}

/// An absurd likelihood, and the density that has it.
struct Doubt {
    about: String,
    held_out: f64,
    weight: f64,
}

/// The worst member with weight, or the whole stack, if its likelihood is absurd for so many columns.
fn doubt(stack: &StackReport, columns: usize) -> Option<Doubt> {
    let limit = ABSURD * (columns + 1) as f64;
    let heavy = stack.members.iter().filter(|tried| tried.weight > LIGHTEST && tried.held_out < limit);
    match heavy.reduce(|a, b| if b.held_out < a.held_out { b } else { a }) {
        Some(&Tried { member, weight, held_out, .. }) => {
            let has = if weight < 1.0 { "" } else { " has" };
            let about = format!("the {member} has {:.0} % of the weight and{has}", 100.0 * weight);
            Some(Doubt { about, held_out, weight })
        }
        None if stack.held_out < limit => {
            Some(Doubt { about: "the model has".to_string(), held_out: stack.held_out, weight: 1.0 })
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psd_impute::stack::{Member, Space};

    /// A stack of two members with these weights and likelihoods.
    fn stack(members: [(f64, f64); 2], held_out: f64) -> StackReport {
        let kinds = [Member::Normal, Member::Mixture { components: 4 }];
        let tried = kinds.into_iter().zip(members).map(|(member, (weight, held_out))| Tried {
            member,
            space: Space::Plain,
            weight,
            held_out,
        });
        StackReport {
            members: tried.collect(),
            held_out,
            normal: None,
            ridge: 0.1,
            rows: 100,
            budget_ended_after: None,
        }
    }

    #[test]
    fn only_an_absurd_likelihood_with_weight_is_doubtful() {
        assert!(doubt(&stack([(0.5, -7.0), (0.5, -290.0)], -150.0), 2).is_none());
        assert!(doubt(&stack([(0.999, -7.0), (0.001, -1e9)], -7.0), 2).is_none());
        let worst = doubt(&stack([(0.64, -7.0), (0.36, -2e8)], -7.0), 2).unwrap();
        assert_eq!((worst.held_out, worst.weight), (-2e8, 0.36));
        assert_eq!(worst.about, "the mixture of 4 normals has 36 % of the weight and");
        let whole = doubt(&stack([(0.5, -250.0), (0.5, -299.0)], -301.0), 2).unwrap();
        assert_eq!((whole.about.as_str(), whole.held_out), ("the model has", -301.0));
    }
}
