//! Options for fitting a model.

use super::Failure;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use psd_impute::learn::psd::MetricKind;
use psd_impute::{FitOptions, Recipe, StackOptions};
use std::str::FromStr;
use std::time::Duration;

/// The value of an option that leaves the choice to the engine.
const AUTO: &str = "auto";

/// How a model is fitted.
#[derive(Args)]
pub(crate) struct FitArgs {
    /// The densities to fit: the stack chosen by cross-validation, or one of the paper's.
    #[arg(long, value_name = "PRESET", value_parser = preset(), default_value = Recipe::NAMES[0])]
    pub(crate) preset: String,
    /// Fit one kernel density with so many anchors instead of the stack.
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    anchors: AnchorCount,
    /// The kind of metric that kernel densities have.
    #[arg(long, value_name = "METRIC", value_parser = metric(), default_value = AUTO)]
    metric: String,
    /// Seconds after which no finer member of the stack is tried; 60 unless given.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_budget: Option<Duration>,
}

#[derive(Clone, Copy, PartialEq)]
struct AnchorCount(Option<usize>);

impl FromStr for AnchorCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == AUTO {
            return Ok(Self(None));
        }
        // A text that is no number is refused like the number zero.
        let anchors = Some(text.parse().unwrap_or(0));
        let recipe = Recipe::Stack(StackOptions { anchors, ..StackOptions::default() });
        let checked = FitOptions { recipe, ..FitOptions::default() }.check();
        checked.map(|()| Self(anchors)).map_err(|error| format!("expected `{AUTO}` or {}", expected(&error)))
    }
}

/// The presets, with help.
fn preset() -> PossibleValuesParser {
    let help = [
        "A stack of members, weighted by how well they predict what they have not seen",
        "One kernel density, its bandwidth and barrier chosen by self-masking, its anchors learned in alternation",
        "One kernel density with the sizes of the paper's theorem",
    ];
    let values = Recipe::NAMES.into_iter().zip(help).map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
}

/// The kinds of metric, with help.
fn metric() -> PossibleValuesParser {
    let help = ["Any", "A bandwidth for each column", "One bandwidth for all columns"];
    let auto = PossibleValue::new(AUTO).help("The choice of the stack: full");
    let values =
        MetricKind::NAMES.into_iter().zip(help).map(|(name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new([auto].into_iter().chain(values).collect::<Vec<_>>())
}

fn seconds(text: &str) -> Result<Duration, String> {
    FitOptions::seconds(text.parse().unwrap_or(f64::NAN))
        .map_err(|error| format!("expected {}", expected(&error)))
}

/// The values that the engine allows instead of one that it refuses.
fn expected(error: &psd_impute::Error) -> String {
    match error {
        psd_impute::Error::BadParameter { expected, .. } => expected.to_string(),
        other => other.to_string(),
    }
}

impl FitArgs {
    /// The engine's options.
    pub(crate) fn options(&self, seed: u64) -> Result<FitOptions, Failure> {
        let named = (self.metric != AUTO).then(|| MetricKind::named(&self.metric));
        let metric = named.transpose().map_err(psd_impute_frame::Error::from)?;
        let stack = StackOptions { anchors: self.anchors.0, metric, normal: None, members: None };
        let recipe = Recipe::named(&self.preset, stack).map_err(psd_impute_frame::Error::from)?;
        Ok(FitOptions { recipe, seed, time_budget: self.time_budget })
    }
}
