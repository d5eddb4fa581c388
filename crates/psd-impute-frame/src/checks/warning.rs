//! One finding of the checks.

use serde::Serialize;
use std::collections::BTreeMap;

/// A finding to review before a completed table is used.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Warning {
    /// The kind of finding.
    pub kind: WarningKind,
    /// The columns, the one that was imputed first.
    pub columns: Vec<String>,
    /// Its size, as named numbers.
    pub numbers: BTreeMap<&'static str, f64>,
    /// The finding as a sentence.
    pub text: String,
    /// The option of the command that addresses it, and its effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// Severity: at least 1 where the whole fit is doubtful, otherwise about the affected share of a column's imputed cells.
    pub severity: f64,
}

/// The kind of finding of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WarningKind {
    /// A column is imputed where it was never observed.
    Extrapolation,
    /// Two labels are imputed together that were observed apart.
    LabelPair,
    /// Imputed values unlike any observed one.
    ImpossibleValue,
    /// A label is imputed more or less often than it was observed in comparable rows.
    LabelShare,
    /// Zero in a numeric column is imputed more or less often than it was observed in comparable rows.
    ZeroShare,
    /// Another repeated value is imputed more or less often than it was observed in comparable rows.
    ValueShare,
    /// The mean of a column differs.
    Mean,
    /// The standard deviation of a column differs.
    Spread,
    /// The relation of two columns differs.
    Association,
    /// An observed cell is far from all others.
    FarCell,
    /// An observed value looks like a code for a missing cell.
    Sentinel,
    /// The model gives the rows almost no probability.
    Likelihood,
}

impl WarningKind {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extrapolation => "extrapolation",
            Self::LabelPair => "label-pair",
            Self::ImpossibleValue => "impossible-value",
            Self::LabelShare => "label-share",
            Self::ZeroShare => "zero-share",
            Self::ValueShare => "value-share",
            Self::Mean => "mean",
            Self::Spread => "spread",
            Self::Association => "association",
            Self::FarCell => "far-cell",
            Self::Sentinel => "sentinel",
            Self::Likelihood => "likelihood",
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.option {
            Some(option) => write!(f, "{}; {option}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

impl Warning {
    pub(super) fn new<const N: usize>(
        kind: WarningKind,
        columns: &[&str],
        severity: f64,
        numbers: [(&'static str, f64); N],
        text: String,
    ) -> Self {
        let columns = columns.iter().map(|name| name.to_string()).collect();
        Self { kind, columns, numbers: numbers.into(), text, option: None, severity }
    }

    pub(super) fn with_option(self, option: Option<String>) -> Self {
        Self { option, ..self }
    }
}

/// A number with three significant digits.
pub(super) fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(x);
    match rounded.abs() {
        size if size != 0.0 && !(1e-4..1e9).contains(&size) => format!("{rounded:e}"),
        _ => format!("{rounded}"),
    }
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    match 100.0 * share {
        x if x == 0.0 || x >= 9.95 => format!("{x:.0} %"),
        x if x < 0.1 => "< 0.1 %".to_string(),
        x => format!("{x:.1} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        assert_eq!([1234.5, 0.5512, -2e-8, 0.0].map(short), ["1230", "0.551", "-2e-8", "0"]);
        assert_eq!([0.0, 0.0004, 0.0312, 0.417].map(percent), ["0 %", "< 0.1 %", "3.1 %", "42 %"]);
    }
}
