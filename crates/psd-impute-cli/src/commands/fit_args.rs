//! How a model is fitted.

use clap::{Args, ValueEnum};
use psd_impute::kernel::MetricKind;
use psd_impute::learn::{Member, PaperPreset, StackFit, TheoryPreset};
use psd_impute::model::{FitOptions, Preset};
use psd_impute::table::Table;
use std::str::FromStr;
use std::time::Duration;

/// How a model is fitted.
#[derive(Args)]
pub(crate) struct FitArgs {
    /// How to fit: the stack chosen by cross-validation, or one of the paper's recipes.
    #[arg(long, value_enum, default_value_t = Recipe::Default)]
    pub(crate) preset: Recipe,
    /// Fit one kernel density with so many anchors instead of the stack.
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    anchors: AnchorCount,
    /// The kind of metric that kernel densities have.
    #[arg(long, value_enum, default_value_t = MetricArg::Auto)]
    metric: MetricArg,
    /// Seconds after which no finer member is tried.
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = positive)]
    time_budget: f64,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Recipe {
    /// A stack of members, weighted by how well they predict what they have not seen.
    Default,
    /// One kernel density, its bandwidth and barrier chosen by self-masking, its anchors learned in alternation.
    Paper,
    /// One kernel density with the sizes of the paper's theorem.
    Theory,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum MetricArg {
    /// What the stack takes: full.
    Auto,
    /// Any.
    Full,
    /// A bandwidth for each column.
    Diagonal,
    /// One bandwidth for all columns.
    Isotropic,
}

#[derive(Clone, Copy, PartialEq)]
struct AnchorCount(Option<usize>);

impl FromStr for AnchorCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<usize>() {
            _ if text == "auto" => Ok(Self(None)),
            Ok(count) if (1..=10_000).contains(&count) => Ok(Self(Some(count))),
            _ => Err("expected `auto` or a number from 1 to 10000".to_string()),
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("expected a number of seconds above zero".to_string()),
    }
}

impl FitArgs {
    pub(crate) fn budget(&self) -> Duration {
        Duration::from_secs_f64(self.time_budget)
    }

    /// The engine's options for a table.
    pub(crate) fn options(&self, table: &Table, seed: u64) -> FitOptions {
        let preset = match (self.preset, self.members(table, seed)) {
            (Recipe::Paper, _) => Preset::Paper(PaperPreset::default()),
            (Recipe::Theory, _) => Preset::Theory(TheoryPreset::default()),
            (Recipe::Default, Some(members)) => Preset::StackOf(members),
            (Recipe::Default, None) => Preset::Stack,
        };
        FitOptions { preset, seed }
    }

    /// Whether something is said that the paper's recipes leave no room for.
    pub(crate) fn contradicts_recipe(&self) -> bool {
        self.preset != Recipe::Default && (self.anchors.0.is_some() || self.metric != MetricArg::Auto)
    }

    /// Other members than the default's: one kernel density with a number of anchors, or the default's with another metric.
    fn members(&self, table: &Table, seed: u64) -> Option<Vec<Member>> {
        let metric = match self.metric {
            MetricArg::Auto | MetricArg::Full => MetricKind::Full,
            MetricArg::Diagonal => MetricKind::Diagonal,
            MetricArg::Isotropic => MetricKind::Isotropic,
        };
        if let AnchorCount(Some(anchors)) = self.anchors {
            return Some(vec![Member::Psd { metric, anchors, strength: 0.05, scale: 0.15 }]);
        }
        if self.metric == MetricArg::Auto {
            return None;
        }
        let with_metric = |member| match member {
            Member::Psd { anchors, strength, scale, .. } => Member::Psd { metric, anchors, strength, scale },
            other => other,
        };
        Some(StackFit::for_table(table, seed).members.into_iter().map(with_metric).collect())
    }
}
