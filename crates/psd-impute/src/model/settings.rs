//! What a person may say of a fit, the same for the command and for Python.

use super::{FitOptions, Preset};
use crate::kernel::MetricKind;
use crate::learn::{Member, PaperPreset, StackFit, TheoryPreset};
use crate::table::Table;
use crate::{Error, Result};
use std::time::Duration;

/// How long members are tried unless it is said.
const TIME_BUDGET: Duration = Duration::from_secs(60);

/// How a model is fitted. By default nothing is said, and everything is found by cross-validation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Settings {
    /// What is fitted.
    pub recipe: Recipe,
    /// One kernel density with so many anchors instead of the members that the rows allow.
    pub anchors: Option<usize>,
    /// The kind of metric that kernel densities have; full unless given.
    pub metric: Option<MetricKind>,
    /// Whether the normal model, which holds where rows are few, stands beside the others; unless given, it does but for a single
    /// kernel density.
    pub normal: Option<bool>,
    /// How long finer members of the stack are tried; a minute unless given.
    pub time_budget: Option<Duration>,
}

/// What is fitted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recipe {
    /// A stack of members, weighted by how well they predict what they have not seen.
    #[default]
    Stack,
    /// One kernel density as in the paper's experiments.
    Paper,
    /// One kernel density with the sizes of the paper's theorem.
    Theory,
}

impl Settings {
    /// The engine's options for a table. Refuses what a recipe leaves no room for.
    pub fn options(&self, table: &Table, seed: u64) -> Result<FitOptions> {
        let said = self.anchors.is_some() || self.metric.is_some() || self.normal.is_some();
        let preset = match self.recipe {
            Recipe::Stack if said => Preset::StackOf(self.members(table, seed)),
            Recipe::Stack => Preset::Stack,
            _ if said || self.time_budget.is_some() => return Err(Error::RecipeHasItsOwn),
            Recipe::Paper => Preset::Paper(PaperPreset::default()),
            Recipe::Theory => Preset::Theory(TheoryPreset::default()),
        };
        Ok(FitOptions { preset, seed })
    }

    /// How long an observer should let members be tried.
    pub fn budget(&self) -> Duration {
        self.time_budget.unwrap_or(TIME_BUDGET)
    }

    fn members(&self, table: &Table, seed: u64) -> Vec<Member> {
        let metric = self.metric.unwrap_or(MetricKind::Full);
        let usual = match self.anchors {
            Some(anchors) => vec![Member::Psd { metric, anchors, strength: 0.05, scale: 0.15 }],
            None => StackFit::for_table(table, seed).members,
        };
        let normal = self.normal.unwrap_or(self.anchors.is_none());
        let others =
            usual.into_iter().filter(|member| *member != Member::Normal).map(|member| match member {
                Member::Psd { anchors, strength, scale, .. } => {
                    Member::Psd { metric, anchors, strength, scale }
                }
                other => other,
            });
        normal.then_some(Member::Normal).into_iter().chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(settings: Settings) -> Result<Preset> {
        let rows: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i), f64::from(i % 7)]).collect();
        let table = Table::continuous(&["a", "b"], &rows)?;
        Ok(settings.options(&table, 0)?.preset)
    }

    #[test]
    fn what_is_said_is_done() {
        let said = |settings| match options(settings) {
            Ok(Preset::StackOf(members)) => members,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(options(Settings::default()), Ok(Preset::Stack));
        let one = Settings { anchors: Some(9), metric: Some(MetricKind::Diagonal), ..Default::default() };
        let kernel = Member::Psd { metric: MetricKind::Diagonal, anchors: 9, strength: 0.05, scale: 0.15 };
        assert_eq!(said(one), [kernel]);
        assert_eq!(said(Settings { normal: Some(true), ..one }), [Member::Normal, kernel]);
        let without = said(Settings { normal: Some(false), ..Default::default() });
        assert!(!without.contains(&Member::Normal) && without.contains(&Member::Donors));
        let isotropic = said(Settings { metric: Some(MetricKind::Isotropic), ..Default::default() });
        assert!(isotropic.contains(&Member::Normal));
        let is_psd = |m: &Member| matches!(m, Member::Psd { metric: MetricKind::Isotropic, .. });
        assert!(isotropic.iter().any(is_psd));
    }

    #[test]
    fn recipes_have_their_own() {
        let paper = Settings { recipe: Recipe::Paper, ..Default::default() };
        assert!(matches!(options(paper), Ok(Preset::Paper(_))));
        assert_eq!(options(Settings { anchors: Some(3), ..paper }), Err(Error::RecipeHasItsOwn));
        let soon = Settings { time_budget: Some(Duration::from_secs(5)), ..Default::default() };
        assert_eq!(options(soon), Ok(Preset::Stack));
        assert_eq!(options(Settings { recipe: Recipe::Theory, ..soon }), Err(Error::RecipeHasItsOwn));
    }
}
