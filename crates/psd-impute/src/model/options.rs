//! Options of a fit, the same for the library, the command and Python.

use crate::error::bad;
use crate::kernel::MetricKind;
use crate::learn::psd::{PaperPreset, TheoryPreset};
use crate::stack::{Member, SETTINGS, StackFit};
use crate::table::Table;
use crate::{Error, Result};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Default time budget of a stack. Arbitrary.
const TIME_BUDGET: Duration = Duration::from_secs(60);
/// Longest time budget in seconds, more than thirty years. Arbitrary; it keeps the deadline a time that a clock can show.
const LONGEST_BUDGET: f64 = 1e9;
/// Numbers of anchors of a kernel density. The largest is arbitrary: its matrices would take more memory than any machine here has.
const ANCHORS: RangeInclusive<usize> = 1..=10_000;

/// Options of a fit. The default leaves everything to cross-validation.
///
/// ```
/// use psd_impute::{FitOptions, Recipe};
/// use std::time::Duration;
///
/// let quick = FitOptions { time_budget: Some(Duration::from_secs(5)), seed: 7, ..FitOptions::default() };
/// let paper = FitOptions { recipe: Recipe::named("paper", Default::default())?, ..FitOptions::default() };
/// assert_eq!((quick.recipe.name(), paper.recipe.name()), ("default", "paper"));
/// # Ok::<(), psd_impute::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FitOptions {
    /// The density to fit.
    pub recipe: Recipe,
    /// Seed of all randomness.
    pub seed: u64,
    /// Time for trying finer members of a stack; `None` for one minute, `Duration::MAX` for no limit. The other recipes accept none.
    pub time_budget: Option<Duration>,
}

/// The density to fit.
#[derive(Debug, Clone, PartialEq)]
pub enum Recipe {
    /// A stack of members, weighted by how well they predict held-out rows.
    Stack(StackOptions),
    /// One kernel density as in the paper's experiments.
    Paper(PaperPreset),
    /// One kernel density with the sizes of the paper's theorem.
    Theory(TheoryPreset),
}

/// Members of a stack. By default those of [`StackFit::for_table`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StackOptions {
    /// These members instead of the usual ones.
    pub members: Option<Vec<Member>>,
    /// One kernel density with this many anchors instead of the usual members.
    pub anchors: Option<usize>,
    /// The kind of metric of kernel densities; `None` for full.
    pub metric: Option<MetricKind>,
    /// Whether the normal model is a member; `None` for yes, except beside a single kernel density.
    pub normal: Option<bool>,
}

impl Default for Recipe {
    fn default() -> Self {
        Self::Stack(StackOptions::default())
    }
}

impl Recipe {
    /// The names of the recipes, the default first.
    pub const NAMES: [&'static str; 3] = ["default", "paper", "theory"];

    /// The recipe of this name; `stack` gives the members if it is a stack.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for an unknown name, [`Error::RecipeHasItsOwn`] for options of a stack with another recipe.
    pub fn named(name: &str, stack: StackOptions) -> Result<Self> {
        let recipe = match name {
            "default" => return Ok(Self::Stack(stack)),
            "paper" => Self::Paper(PaperPreset::default()),
            "theory" => Self::Theory(TheoryPreset::default()),
            other => return Err(bad("preset", format!("{other:?}"), "'default', 'paper' or 'theory'")),
        };
        if stack == StackOptions::default() { Ok(recipe) } else { Err(Error::RecipeHasItsOwn) }
    }

    /// The name, one of [`NAMES`](Self::NAMES).
    pub fn name(&self) -> &'static str {
        let [default, paper, theory] = Self::NAMES;
        match self {
            Self::Stack(_) => default,
            Self::Paper(_) => paper,
            Self::Theory(_) => theory,
        }
    }
}

impl FitOptions {
    /// Refuses options outside their ranges. A fit does so first.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for no or too many anchors or a time budget of zero, [`Error::RecipeHasItsOwn`] for a budget with a recipe
    /// that accepts none.
    pub fn check(&self) -> Result<()> {
        if let Recipe::Stack(StackOptions { anchors: Some(anchors), .. }) = &self.recipe
            && !ANCHORS.contains(anchors)
        {
            return Err(bad("anchors", anchors, "a number from 1 to 10000"));
        }
        self.budget().map(|_| ())
    }

    /// A time budget in seconds.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] unless the number is above zero and at most a thousand million.
    pub fn seconds(seconds: f64) -> Result<Duration> {
        if seconds > 0.0 && seconds <= LONGEST_BUDGET {
            Ok(Duration::from_secs_f64(seconds))
        } else {
            Err(bad_budget(seconds))
        }
    }

    /// Time for trying finer members.
    ///
    /// # Errors
    ///
    /// As for [`check`](Self::check).
    pub(super) fn budget(&self) -> Result<Duration> {
        match (&self.recipe, self.time_budget) {
            (Recipe::Stack(_), Some(Duration::ZERO)) => Err(bad_budget(0.0)),
            (Recipe::Stack(_), budget) => Ok(budget.unwrap_or(TIME_BUDGET)),
            (_, None) => Ok(TIME_BUDGET),
            (_, Some(_)) => Err(Error::RecipeHasItsOwn),
        }
    }
}

fn bad_budget(seconds: f64) -> Error {
    bad("time_budget", seconds, "a number of seconds above zero")
}

impl StackOptions {
    /// The fit of a stack with these members to a table. Explicitly given members are fitted from one start each.
    pub(super) fn fit(&self, table: &Table, seed: u64) -> StackFit {
        let usual = StackFit::for_table(table, seed);
        if *self == Self::default() {
            return usual;
        }
        let members = match &self.members {
            Some(members) => members.clone(),
            None => self.changed(usual.members),
        };
        StackFit { members, starts: 1, seed }
    }

    /// Applies the other options to the usual members.
    fn changed(&self, usual: Vec<Member>) -> Vec<Member> {
        let metric = self.metric.unwrap_or(MetricKind::Full);
        let usual = match self.anchors {
            Some(anchors) => vec![SETTINGS.kernels[1].member(metric, Some(anchors))],
            None => usual,
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

    fn members(options: StackOptions) -> Vec<Member> {
        let rows: Vec<[f64; 2]> = (0..60).map(|i| [f64::from(i), f64::from(i % 7)]).collect();
        let table = Table::continuous(&["a", "b"], &rows).unwrap();
        options.fit(&table, 0).members
    }

    #[test]
    fn options_choose_the_members() {
        let one = StackOptions { anchors: Some(9), metric: Some(MetricKind::Diagonal), ..Default::default() };
        let kernel = Member::Psd { metric: MetricKind::Diagonal, anchors: 9, strength: 0.05, scale: 0.15 };
        assert_eq!(members(one.clone()), [kernel]);
        assert_eq!(members(StackOptions { normal: Some(true), ..one }), [Member::Normal, kernel]);
        let without = members(StackOptions { normal: Some(false), ..Default::default() });
        assert!(!without.contains(&Member::Normal) && without.contains(&Member::Donors));
        let isotropic = members(StackOptions { metric: Some(MetricKind::Isotropic), ..Default::default() });
        assert!(isotropic.contains(&Member::Normal));
        let is_psd = |m: &Member| matches!(m, Member::Psd { metric: MetricKind::Isotropic, .. });
        assert!(isotropic.iter().any(is_psd));
        let given = StackOptions { members: Some(vec![Member::Donors]), ..Default::default() };
        assert_eq!(members(given), [Member::Donors]);
    }

    #[test]
    fn recipes_have_names_and_their_own_settings() {
        let plain = StackOptions::default();
        for name in Recipe::NAMES {
            assert_eq!(Recipe::named(name, plain.clone()).unwrap().name(), name);
        }
        let anchors = StackOptions { anchors: Some(3), ..plain.clone() };
        assert!(Recipe::named("default", anchors.clone()).is_ok());
        assert_eq!(Recipe::named("paper", anchors), Err(Error::RecipeHasItsOwn));
        assert!(matches!(Recipe::named("papers", plain), Err(Error::BadParameter { .. })));
        let soon = FitOptions { time_budget: Some(Duration::from_secs(5)), ..Default::default() };
        assert_eq!(soon.budget(), Ok(Duration::from_secs(5)));
        assert_eq!(FitOptions::default().budget(), Ok(TIME_BUDGET));
        let none = FitOptions { time_budget: Some(Duration::ZERO), ..FitOptions::default() };
        assert_eq!(none.check(), Err(bad_budget(0.0)));
        assert_eq!(FitOptions::seconds(0.5), Ok(Duration::from_millis(500)));
        assert!(
            [0.0, -1.0, f64::NAN, f64::INFINITY, 2e9].into_iter().all(|x| FitOptions::seconds(x).is_err())
        );
        for (anchors, sound) in [(0, false), (1, true), (10_000, true), (10_001, false)] {
            let recipe = Recipe::Stack(StackOptions { anchors: Some(anchors), ..StackOptions::default() });
            assert_eq!(FitOptions { recipe, ..FitOptions::default() }.check().is_ok(), sound);
        }
        let theory = Recipe::Theory(TheoryPreset::default());
        assert_eq!(FitOptions { recipe: theory, ..soon }.budget(), Err(Error::RecipeHasItsOwn));
    }
}
