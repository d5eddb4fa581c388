//! What is tried.

use super::Method;
use crate::ampute::Mechanism;
use crate::toys::Shape;
use serde::{Deserialize, Serialize};

/// A study, as its file has it: every table is tried with every mechanism, rate, seed and method.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// What it is called.
    pub title: String,
    /// Which rows are learned from, and which are completed.
    pub protocol: Protocol,
    /// How cells go missing.
    pub mechanisms: Vec<MechanismName>,
    /// The shares of cells that do.
    pub rates: Vec<f64>,
    /// One trial each.
    pub seeds: Vec<u64>,
    /// Completed tables of methods that draw.
    pub imputations: u64,
    /// The methods.
    pub methods: Vec<Method>,
    /// Whether methods are also scored without the truth, by the energy-I-Score, which takes a fit for each column with gaps.
    #[serde(default)]
    pub i_score: bool,
    /// Rows of a toy.
    #[serde(default = "toy_rows")]
    pub toy_rows: usize,
    /// The toys.
    #[serde(default)]
    pub toys: Vec<Shape>,
    /// The tables.
    #[serde(default)]
    pub tables: Vec<TableSource>,
}

fn toy_rows() -> usize {
    2000
}

/// A table that is found in the data folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSource {
    /// Its file is `NAME.csv`.
    pub name: String,
    /// Where it can be had, and what to keep of it.
    pub source: String,
}

/// Which rows are learned from, and which are completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Seven rows in ten are learned from, the others are completed and scored: the paper's.
    Split,
    /// All rows are learned from, completed and scored: that of Muzellec et al. (2020).
    InSample,
}

/// A mechanism with the settings it has in a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MechanismName {
    /// Completely at random.
    Mcar,
    /// [`Mechanism::MAR`].
    Mar,
    /// [`Mechanism::MNAR_LOGISTIC`].
    MnarLogistic,
    /// [`Mechanism::MnarSelf`].
    MnarSelf,
    /// [`Mechanism::MNAR_QUANTILE`].
    MnarQuantile,
}

impl MechanismName {
    /// What it stands for.
    pub fn mechanism(self) -> Mechanism {
        match self {
            Self::Mcar => Mechanism::Mcar,
            Self::Mar => Mechanism::MAR,
            Self::MnarLogistic => Mechanism::MNAR_LOGISTIC,
            Self::MnarSelf => Mechanism::MnarSelf,
            Self::MnarQuantile => Mechanism::MNAR_QUANTILE,
        }
    }
}
