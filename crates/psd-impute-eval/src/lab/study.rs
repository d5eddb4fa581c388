//! Studies, the lists of comparisons.

use super::Method;
use crate::ampute::Mechanism;
use crate::toys::Shape;
use serde::{Deserialize, Serialize};

/// A study as in its file: every table is combined with every mechanism, rate, seed and method.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Its name.
    pub title: String,
    /// The rows to learn from and those to complete.
    pub protocol: Protocol,
    /// The mechanisms of missingness.
    pub mechanisms: Vec<MechanismName>,
    /// The shares of cells to mask.
    pub rates: Vec<f64>,
    /// The seeds, one trial each.
    pub seeds: Vec<u64>,
    /// Number of completed tables of methods that draw.
    pub imputations: u64,
    /// The methods.
    pub methods: Vec<Method>,
    /// Whether methods are also scored without the truth, by the energy-I-Score, which takes a fit for each column with missing cells.
    #[serde(default)]
    pub i_score: bool,
    /// Number of rows of a toy.
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

/// A table in the data folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableSource {
    /// The name, of the file `NAME.csv`.
    pub name: String,
    /// Its source, and the part of it to keep.
    pub source: String,
}

/// The rows to learn from and those to complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// 70 % of the rows are learned from, the others are completed and scored, as in the paper.
    Split,
    /// All rows are learned from, completed and scored, as in Muzellec et al. (2020).
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
    /// The mechanism with its settings.
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
