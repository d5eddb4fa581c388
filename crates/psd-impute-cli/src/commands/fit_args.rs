//! Options for fitting a model.

use super::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use psd_impute::learn::psd::MetricKind;
use psd_impute::{FitOptions, Recipe, StackOptions};
use std::str::FromStr;
use std::time::Duration;

/// How a model is fitted.
#[derive(Args)]
pub(crate) struct FitArgs {
    /// How to fit: the stack chosen by cross-validation, or one of the paper's recipes.
    #[arg(long, value_name = "PRESET", value_parser = preset(), default_value = Recipe::NAMES[0])]
    pub(crate) preset: String,
    /// Fit one kernel density with so many anchors instead of the stack.
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    anchors: AnchorCount,
    /// The kind of metric that kernel densities have.
    #[arg(long, value_enum, default_value_t = MetricArg::Auto)]
    metric: MetricArg,
    /// Seconds after which no finer member of the stack is tried; 60 unless given.
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    time_budget: Option<f64>,
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

/// The recipes, with help.
fn preset() -> PossibleValuesParser {
    let help = [
        "A stack of members, weighted by how well they predict what they have not seen",
        "One kernel density, its bandwidth and barrier chosen by self-masking, its anchors learned in alternation",
        "One kernel density with the sizes of the paper's theorem",
    ];
    let values = Recipe::NAMES.into_iter().zip(help).map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("expected a number of seconds above zero".to_string()),
    }
}

impl FitArgs {
    /// The engine's options.
    pub(crate) fn options(&self, seed: u64) -> Result<FitOptions, Failure> {
        let metric = match self.metric {
            MetricArg::Auto => None,
            MetricArg::Full => Some(MetricKind::Full),
            MetricArg::Diagonal => Some(MetricKind::Diagonal),
            MetricArg::Isotropic => Some(MetricKind::Isotropic),
        };
        let stack = StackOptions { anchors: self.anchors.0, metric, normal: None, members: None };
        let recipe = Recipe::named(&self.preset, stack).map_err(psd_impute_frame::Error::from)?;
        Ok(FitOptions { recipe, seed, time_budget: self.time_budget.map(Duration::from_secs_f64) })
    }
}
