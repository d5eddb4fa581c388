//! The methods that a study can name.

use crate::imputers::{
    External, Gaussian, Ice, IceMultiple, Imputer, Knn, Mean, Pmm, Psd, Sinkhorn, SoftImpute, Value,
};
use psd_impute::FitOptions;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use std::time::Duration;

/// A method by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The means of our density.
    PsdMean,
    /// Draws of our density, each from a refit.
    PsdMultiple,
    /// Of our density's draws the one closest to the truth, row by row: a bound, not a method.
    PsdIdeal,
    /// Column means.
    Mean,
    /// Iterative conditional expectation.
    Ice,
    /// The same with draws from the posterior.
    IceMi,
    /// Soft-thresholded singular values.
    Softimpute,
    /// Batched Sinkhorn optimal transport.
    Ot,
    /// The five nearest rows.
    Knn,
    /// Means of the normal model.
    Gaussian,
    /// Draws of the normal model.
    GaussianMi,
    /// Predictive mean matching in chained equations.
    Pmm,
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

impl Method {
    /// Every method.
    pub const ALL: [Self; 17] = [
        Self::PsdMean,
        Self::PsdMultiple,
        Self::PsdIdeal,
        Self::Mean,
        Self::Ice,
        Self::IceMi,
        Self::Softimpute,
        Self::Ot,
        Self::Knn,
        Self::Gaussian,
        Self::GaussianMi,
        Self::Pmm,
        Self::RMicePmm,
        Self::RMiceCart,
        Self::Miceforest,
        Self::Missforest,
        Self::Hyperimpute,
    ];

    /// Its name in studies and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::PsdMean => "psd_mean",
            Self::PsdMultiple => "psd_multiple",
            Self::PsdIdeal => "psd_ideal",
            Self::Mean => "mean",
            Self::Ice => "ice",
            Self::IceMi => "ice_mi",
            Self::Softimpute => "softimpute",
            Self::Ot => "ot",
            Self::Knn => "knn",
            Self::Gaussian => "gaussian",
            Self::GaussianMi => "gaussian_mi",
            Self::Pmm => "pmm",
            Self::RMicePmm => "r_mice_pmm",
            Self::RMiceCart => "r_mice_cart",
            Self::Miceforest => "miceforest",
            Self::Missforest => "missforest",
            Self::Hyperimpute => "hyperimpute",
        }
    }

    /// Its name in tables and figures.
    pub fn label(self) -> &'static str {
        match self {
            Self::PsdMean => "PSD mean",
            Self::PsdMultiple => "PSD multiple",
            Self::PsdIdeal => "PSD ideal",
            Self::Mean => "column mean",
            Self::Ice => "ICE",
            Self::IceMi => "ICE multiple",
            Self::Softimpute => "SoftImpute",
            Self::Ot => "Sinkhorn OT",
            Self::Knn => "kNN",
            Self::Gaussian => "normal mean",
            Self::GaussianMi => "normal draws",
            Self::Pmm => "PMM",
            Self::RMicePmm => "R mice pmm",
            Self::RMiceCart => "R mice cart",
            Self::Miceforest => "miceforest",
            Self::Missforest => "missForest",
            Self::Hyperimpute => "hyperimpute",
        }
    }

    /// Whether it is a method of this project.
    pub fn is_ours(self) -> bool {
        matches!(self, Self::PsdMean | Self::PsdMultiple | Self::PsdIdeal)
    }

    /// Whether each of its completed tables is another draw.
    pub fn draws(self) -> bool {
        match self {
            Self::PsdMultiple | Self::IceMi | Self::GaussianMi | Self::Pmm => true,
            Self::RMicePmm | Self::RMiceCart | Self::Miceforest => true,
            Self::PsdMean | Self::PsdIdeal | Self::Mean | Self::Ice | Self::Knn | Self::Gaussian => false,
            Self::Softimpute | Self::Ot | Self::Missforest | Self::Hyperimpute => false,
        }
    }

    /// The number of a study's imputations that it makes.
    pub(super) fn imputations(self, of: u64) -> u64 {
        if self.draws() || self.is_oracle() { of } else { 1 }
    }

    /// Whether it uses the truth, which excludes it from comparisons.
    pub fn is_oracle(self) -> bool {
        self == Self::PsdIdeal
    }

    /// The program that it needs, which may not be installed.
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

    /// The imputer for the given number of completed tables, except for the oracle, which is none.
    pub fn imputer(self, imputations: u64) -> Option<Box<dyn Imputer>> {
        let psd = |value| {
            Box::new(Psd {
                options: FitOptions { time_budget: Some(Duration::MAX), ..Default::default() },
                value,
                imputations,
            })
        };
        Some(match self {
            Self::PsdMean => psd(Value::Mean),
            Self::PsdMultiple => psd(Value::Draw),
            Self::PsdIdeal => return None,
            Self::Mean => Box::new(Mean),
            Self::Ice => Box::new(Ice),
            Self::IceMi => Box::new(IceMultiple),
            Self::Softimpute => Box::new(SoftImpute::default()),
            Self::Ot => Box::new(Sinkhorn::default()),
            Self::Knn => Box::new(Knn),
            Self::Gaussian => Box::new(Gaussian { value: Value::Mean }),
            Self::GaussianMi => Box::new(Gaussian { value: Value::Draw }),
            Self::Pmm => Box::new(Pmm),
            Self::RMicePmm => Box::new(External::MicePmm),
            Self::RMiceCart => Box::new(External::MiceCart),
            Self::Miceforest => Box::new(External::Miceforest),
            Self::Missforest => Box::new(External::Missforest),
            Self::Hyperimpute => Box::new(External::Hyperimpute),
        })
    }
}

impl FromStr for Method {
    type Err = String;

    /// Parses a [`name`](Method::name); the error lists them.
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|method| method.name() == name);
        found.ok_or_else(|| format!("expected one of {}", Self::ALL.map(Self::name).join(", ")))
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
