//! The methods that a study can name.

use crate::imputers::{External, Imputer, Mean};
use serde::{Deserialize, Serialize};

/// A method by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The means of our density.
    PsdMean,
    /// Draws of our density, each from a refit.
    PsdMultiple,
    /// Of our density's draws the one closest to the truth, row by row: no method, but a bound.
    PsdIdeal,
    /// Column means.
    Mean,
    /// R's mice with predictive mean matching, if installed.
    RMicePmm,
    /// R's mice with trees, if installed.
    RMiceCart,
    /// Python's miceforest, if installed.
    Miceforest,
    /// scikit-learn's IterativeImputer over random forests, which is missForest, if installed.
    Missforest,
    /// Python's hyperimpute, if installed.
    Hyperimpute,
}

/// How a method is run.
pub(super) enum Runner {
    /// As an imputer of its own.
    Alone(Box<dyn Imputer>),
    /// From our density, which is fitted once for all that ask for it.
    Ours,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 9] = [
        Self::PsdMean,
        Self::PsdMultiple,
        Self::PsdIdeal,
        Self::Mean,
        Self::RMicePmm,
        Self::RMiceCart,
        Self::Miceforest,
        Self::Missforest,
        Self::Hyperimpute,
    ];

    /// As it is called in studies and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::PsdMean => "psd_mean",
            Self::PsdMultiple => "psd_multiple",
            Self::PsdIdeal => "psd_ideal",
            Self::Mean => "mean",
            Self::RMicePmm => "r_mice_pmm",
            Self::RMiceCart => "r_mice_cart",
            Self::Miceforest => "miceforest",
            Self::Missforest => "missforest",
            Self::Hyperimpute => "hyperimpute",
        }
    }

    /// As it is called in tables and figures.
    pub fn label(self) -> &'static str {
        match self {
            Self::PsdMean => "PSD mean",
            Self::PsdMultiple => "PSD multiple",
            Self::PsdIdeal => "PSD ideal",
            Self::Mean => "column mean",
            Self::RMicePmm => "R mice pmm",
            Self::RMiceCart => "R mice cart",
            Self::Miceforest => "miceforest",
            Self::Missforest => "missForest",
            Self::Hyperimpute => "hyperimpute",
        }
    }

    /// Whether it is ours.
    pub fn is_ours(self) -> bool {
        matches!(self, Self::PsdMean | Self::PsdMultiple | Self::PsdIdeal)
    }

    /// Whether each of its completed tables is another draw.
    pub fn draws(self) -> bool {
        !matches!(self, Self::PsdMean | Self::PsdIdeal | Self::Mean | Self::Missforest | Self::Hyperimpute)
    }

    /// How many of a study's imputations it makes.
    pub(super) fn imputations(self, of: u64) -> u64 {
        if self.draws() || self.is_oracle() { of } else { 1 }
    }

    /// Whether it knows the truth, so that it takes no part in comparisons.
    pub fn is_oracle(self) -> bool {
        self == Self::PsdIdeal
    }

    /// The program that it needs and this machine may not have.
    pub fn external(self) -> Option<External> {
        Some(match self {
            Self::RMicePmm => External::MicePmm,
            Self::RMiceCart => External::MiceCart,
            Self::Miceforest => External::Miceforest,
            Self::Missforest => External::Missforest,
            Self::Hyperimpute => External::Hyperimpute,
            _ => return None,
        })
    }

    pub(super) fn runner(self) -> Runner {
        if let Some(external) = self.external() {
            return Runner::Alone(Box::new(external));
        }
        Runner::Alone(match self {
            Self::Mean => Box::new(Mean),
            _ => return Runner::Ours,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, StrDeserializer};

    #[test]
    fn names_are_those_of_files() {
        for method in Method::ALL {
            let name: StrDeserializer<'_, Error> = method.name().into_deserializer();
            assert_eq!(Method::deserialize(name), Ok(method));
        }
    }
}
