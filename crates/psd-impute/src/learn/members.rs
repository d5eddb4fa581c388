//! The members a stack may have.

use super::imputed_copy::mean_copy;
use super::kmeans;
use super::mixture::{EmParams, Mixture, MixturePrior};
use crate::Result;
use crate::density::Density;
use crate::table::Table;
use faer::Scale;
use rand::Rng;

/// A member's kind and settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Member {
    /// The normal model.
    Normal,
    /// Every row of the table.
    Donors,
    /// A mixture of normals, each with its own covariance.
    Mixture {
        /// How many.
        components: usize,
        /// The prior's scale, in covariances of the normal model.
        scale: f64,
    },
}

impl Member {
    /// Fits the member. `normal` is the normal model of the same rows.
    pub fn fit(
        &self,
        table: &Table,
        weights: Option<&[f64]>,
        normal: &Mixture,
        rng: &mut dyn Rng,
    ) -> Result<Box<dyn Density>> {
        match *self {
            Self::Donors => {
                Ok(Box::new(super::donors::fit_donors(table, weights, &normal.density(table)?)?.0))
            }
            Self::Normal => Ok(Box::new(normal.density(table)?)),
            Self::Mixture { components, scale } => {
                let copy = mean_copy(&normal.density(table)?, table)?;
                let (_, labels) = kmeans::cluster(table, &copy, components.min(table.len()), 20, rng);
                let d = normal.covariance().nrows();
                let prior =
                    MixturePrior { scale: normal.covariance() * Scale(scale), strength: 10.0 + d as f64 };
                let mixture =
                    Mixture::fit(table, weights, copy.as_ref(), &labels, &prior, EmParams::default())?.0;
                Ok(Box::new(mixture.density(table)?))
            }
        }
    }
}
