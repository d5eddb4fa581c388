//! Cross-validation of a stack's smooth members.

use super::members::{Member, Rows, Smooth, Start, generator};
use super::settings::SETTINGS;
use super::space::{PerSpace, Space, Views};
use super::stacking::stacking_weights;
use crate::Result;
use crate::density::{Density, Stack};
use crate::learn::folds::split;
use crate::learn::selection::plainest;
use crate::linalg::log_sum_exp;
use crate::table::Table;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The weighted mean of one number per row.
pub(super) fn average(values: &[f64], weights: &[f64]) -> f64 {
    let sum: f64 = values.iter().zip(weights).map(|(v, w)| v * w).sum();
    sum / weights.iter().sum::<f64>()
}

/// A member and the space it is fitted in.
pub(super) type Placed = (Member, Space);

/// Members and their out-of-fold likelihoods. Row `i` is in fold `i % folds`.
pub(super) struct CrossValidated {
    pub(super) members: Vec<Placed>,
    /// For each member, the log-likelihood of every row's observed cells.
    pub(super) logs: Vec<Vec<f64>>,
    /// For each member, its fits without each of the folds.
    fits: Vec<Vec<Arc<dyn Density>>>,
    /// Whether all members were tried: the observer did not stop the search.
    pub(super) complete: bool,
}

/// Tries the members in order: the normal model and mixtures in the columns and in their scores, mixtures among atoms too, a forest in the columns as
/// they are, others in the better of the two. A kind of member grows no further in a space after two sizes without a gain there.
pub(super) fn cross_validate(
    rows: Rows<'_>,
    members: &[Member],
    folds: usize,
    ridge: f64,
    seed: u64,
    tried: &mut dyn FnMut(Member, usize, f64) -> ControlFlow<()>,
) -> Result<CrossValidated> {
    let splits = (0..folds)
        .into_par_iter()
        .map(|fold| Split::new(rows, fold, folds, ridge))
        .collect::<Result<Vec<_>>>()?;
    let mut out = CrossValidated { members: Vec::new(), logs: Vec::new(), fits: Vec::new(), complete: true };
    let mut held_out: Vec<f64> = Vec::new();
    // What each member added to the best stack of those before it.
    let mut gains: Vec<f64> = Vec::new();
    let mut level = f64::NEG_INFINITY;
    for (done, &member) in members.iter().enumerate() {
        let mut best = f64::NEG_INFINITY;
        for space in out.spaces(member, &held_out, splits.iter().all(|split| split.rest.atoms.is_some())) {
            if out.falls((member, space), &held_out, &gains) >= 2 {
                continue;
            }
            let parts = splits
                .par_iter()
                .map(|split| split.try_member((member, space), rows, seed))
                .collect::<Result<Vec<_>>>()?;
            let mut logs = vec![0.0; rows.table.len()];
            for (split, (_, part)) in splits.iter().zip(&parts) {
                split.test.iter().zip(part).for_each(|(&i, &log)| logs[i] = log);
            }
            held_out.push(average(&logs, rows.weights));
            best = best.max(held_out[held_out.len() - 1]);
            out.members.push((member, space));
            out.logs.push(logs);
            let before = std::mem::replace(&mut level, out.level(rows.weights));
            gains.push(level - before);
            out.fits.push(parts.into_iter().map(|part| part.0).collect());
        }
        if best > f64::NEG_INFINITY && tried(member, done + 1, best).is_break() {
            out.complete = false;
            break;
        }
    }
    Ok(out)
}

/// One fold: the rows it leaves out, and the others in each space with their normal model.
struct Split {
    test: Vec<usize>,
    left: Table,
    rest: Views,
    starts: PerSpace<Start>,
}

impl Split {
    fn new(rows: Rows<'_>, fold: usize, folds: usize, ridge: f64) -> Result<Self> {
        let (test, train) = split(rows.table.len(), fold, folds);
        let weights: Vec<f64> = train.iter().map(|&i| rows.weights[i]).collect();
        let rest = rows.table.select(&train)?;
        let rest = Views::of(Rows { table: &rest, weights: &weights, base: &weights, ..rows })?;
        let starts = rest.try_map(|view| Start::of(view.rows(rows.em), ridge))?;
        Ok(Self { left: rows.table.select(&test)?, test, rest, starts })
    }

    /// The member fitted without the fold, and the log-likelihoods of the fold's rows.
    fn try_member(
        &self,
        (member, space): Placed,
        rows: Rows<'_>,
        seed: u64,
    ) -> Result<(Arc<dyn Density>, Vec<f64>)> {
        let (view, start) = (&self.rest[space], &self.starts[space]);
        let rest = view.rows(rows.em);
        let rng = &mut generator(seed, 0);
        let inner = Smooth::fit(member, rest, start, rng)?.0.density(rest)?;
        let density: Arc<dyn Density> = Arc::from(view.outside(inner)?);
        let logs = density.log_marginals(&self.left)?;
        Ok((density, logs))
    }
}

impl CrossValidated {
    /// The spaces in which a member is tried, given the held-out likelihoods of those before it.
    fn spaces(&self, member: Member, held_out: &[f64], atoms: bool) -> Vec<Space> {
        let best = |space: Space| {
            let here = self.members.iter().zip(held_out).filter(|(placed, _)| placed.1 == space);
            here.map(|(_, log)| *log).fold(f64::NEG_INFINITY, f64::max)
        };
        match member {
            Member::Mixture { .. } if atoms => vec![Space::Plain, Space::Scores, Space::Atoms],
            Member::Normal | Member::Mixture { .. } => vec![Space::Plain, Space::Scores],
            Member::Forest => vec![Space::Plain],
            Member::Psd { .. } | Member::Donors if best(Space::Scores) > best(Space::Plain) => {
                vec![Space::Scores]
            }
            Member::Psd { .. } | Member::Donors => vec![Space::Plain],
        }
    }

    /// The number of consecutive sizes of this kind that improved neither on its best in this space nor on the stack. A member that is worse by itself
    /// may still improve the stack.
    fn falls(&self, (member, space): Placed, held_out: &[f64], gains: &[f64]) -> usize {
        let kind = std::mem::discriminant(&member);
        let here = |placed: &Placed| std::mem::discriminant(&placed.0) == kind && placed.1 == space;
        let mut best = f64::NEG_INFINITY;
        let mut falls = 0;
        for c in (0..self.members.len()).filter(|&c| here(&self.members[c])) {
            let better = held_out[c] > best && !self.is_outdone(c);
            falls = if better || gains[c] > SETTINGS.worth { 0 } else { falls + 1 };
            best = best.max(held_out[c]);
        }
        falls
    }

    /// The average log-likelihood under the best stack of the members tried so far.
    fn level(&self, row_weights: &[f64]) -> f64 {
        let logs = self.stacked(&self.weights(row_weights));
        average(&logs.iter().map(|log| log.max(SETTINGS.impossible)).collect::<Vec<_>>(), row_weights)
    }

    /// Whether the same member is clearly better in the other space.
    fn is_outdone(&self, c: usize) -> bool {
        let other = |placed: &Placed| placed.0 == self.members[c].0 && placed.1 != self.members[c].1;
        let Some(rival) = self.members.iter().position(other) else { return false };
        let logs = [&self.logs[c], &self.logs[rival]];
        plainest(2, logs[0].len(), |which, row| -logs[which][row]) == 1
    }

    /// Drops members without weight, and computes the weights of the others again.
    pub(super) fn choose(&self, row_weights: &[f64]) -> Chosen {
        let weights = self.weights(row_weights);
        let kept: Vec<usize> = (0..weights.len()).filter(|&c| weights[c] > SETTINGS.lightest).collect();
        let validated = Self {
            members: kept.iter().map(|&c| self.members[c]).collect(),
            logs: kept.iter().map(|&c| self.logs[c].clone()).collect(),
            fits: kept.iter().map(|&c| self.fits[c].clone()).collect(),
            complete: self.complete,
        };
        Chosen { weights: validated.weights(row_weights), validated }
    }

    /// The weights of the members tried so far; the normal models are the plain ones.
    fn weights(&self, row_weights: &[f64]) -> Vec<f64> {
        let plain: Vec<bool> = self.members.iter().map(|placed| placed.0 == Member::Normal).collect();
        stacking_weights(&self.logs, &plain, row_weights)
    }

    /// The log-likelihood of every row under the stack with these weights.
    fn stacked(&self, weights: &[f64]) -> Vec<f64> {
        let log = |i: usize| {
            let terms: Vec<f64> = self.logs.iter().zip(weights).map(|(logs, w)| w.ln() + logs[i]).collect();
            log_sum_exp(&terms)
        };
        (0..self.logs[0].len()).map(log).collect()
    }
}

/// The members with weight.
pub(super) struct Chosen {
    validated: CrossValidated,
    /// Their weights among themselves.
    weights: Vec<f64>,
}

impl Chosen {
    /// Each member and its weight.
    pub(super) fn members(&self) -> impl Iterator<Item = (Placed, f64)> {
        self.validated.members.iter().copied().zip(self.weights.iter().copied())
    }

    /// For each member, the log-likelihood of every row under the fit without it.
    pub(super) fn logs(&self) -> &[Vec<f64>] {
        &self.validated.logs
    }

    /// The log-likelihood of every row under their stack.
    pub(super) fn stacked(&self) -> Vec<f64> {
        self.validated.stacked(&self.weights)
    }

    /// For each fold, the stack that has not seen it.
    pub(super) fn stacks(&self) -> Result<Vec<Stack>> {
        let fits = &self.validated.fits;
        let stack = |fold: usize| {
            let member = |(fits, &w): (&Vec<Arc<dyn Density>>, &f64)| {
                (w, Box::new(fits[fold].clone()) as Box<dyn Density>)
            };
            Stack::new(fits.iter().zip(&self.weights).map(member).collect())
        };
        (0..fits[0].len()).map(stack).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mixtures of 2, 4 and 8 with these log-likelihoods of four rows.
    fn tried(logs: [[f64; 4]; 3]) -> CrossValidated {
        let member = |components| (Member::Mixture { components }, Space::Plain);
        CrossValidated {
            members: [2, 4, 8].map(member).to_vec(),
            logs: logs.map(|logs| logs.to_vec()).to_vec(),
            fits: Vec::new(),
            complete: true,
        }
    }

    fn falls(of: &CrossValidated) -> usize {
        let held_out: Vec<f64> = of.logs.iter().map(|logs| average(logs, &[1.0; 4])).collect();
        let levels: Vec<f64> = (1..=3)
            .map(|k| {
                let (members, logs) = (of.members[..k].to_vec(), of.logs[..k].to_vec());
                CrossValidated { members, logs, fits: Vec::new(), complete: true }.level(&[1.0; 4])
            })
            .collect();
        let gains = [f64::INFINITY, levels[1] - levels[0], levels[2] - levels[1]];
        of.falls((Member::Mixture { components: 16 }, Space::Plain), &held_out, &gains)
    }

    #[test]
    fn a_kind_grows_while_it_or_the_stack_with_it_gets_better() {
        assert_eq!(falls(&tried([[-2.0; 4], [-1.5; 4], [-1.0; 4]])), 0);
        // Worse on every row: it cannot improve the stack.
        assert_eq!(falls(&tried([[-1.0; 4], [-1.5; 4], [-2.0; 4]])), 2);
        // Worse on average, but better on the rows that the others miss.
        let apart = [[-1.0, -1.0, -1.0, -9.0], [-9.0, -9.0, -9.0, -1.0], [-4.0, -4.0, -4.0, -4.0]];
        assert_eq!(falls(&tried(apart)), 1);
    }

    #[test]
    fn the_level_is_that_of_the_best_weights_and_forgives_impossible_rows() {
        let of = tried([[-1.0; 4], [-3.0; 4], [-2.0; 4]]);
        assert!((of.level(&[1.0; 4]) + 1.0).abs() < 1e-6, "{}", of.level(&[1.0; 4]));
        let none = f64::NEG_INFINITY;
        let of = tried([[-1.0, -1.0, -1.0, none]; 3]);
        let expected = (-3.0 + SETTINGS.impossible) / 4.0;
        assert!((of.level(&[1.0; 4]) - expected).abs() < 1e-6, "{}", of.level(&[1.0; 4]));
    }
}
