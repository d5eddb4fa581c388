//! One table with cells taken away.

use super::study::{MechanismName, Protocol};
use crate::Result;
use psd_impute::table::Table;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// What is taken from which table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The table's or toy's name.
    pub dataset: String,
    /// Its rows.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
    /// Which rows are learned from, and which are completed.
    pub protocol: Protocol,
    /// How cells go missing.
    pub mechanism: MechanismName,
    /// The share of cells that do.
    pub rate: f64,
    /// The seed of the split, the mechanism and the methods.
    pub seed: u64,
}

/// The tables of a trial.
pub(super) struct Tables {
    /// What is learned from, with gaps.
    pub(super) train: Table,
    /// What is completed.
    pub(super) test: Table,
    /// What it was.
    pub(super) truth: Table,
}

impl Trial {
    /// Takes the cells away, then splits the rows, so that train and test lose cells alike.
    pub(super) fn tables(&self, table: &Table) -> Result<Tables> {
        let masked = self.mechanism.mechanism().ampute(table, self.rate, self.seed)?;
        match self.protocol {
            Protocol::InSample => Ok(Tables { train: masked.clone(), test: masked, truth: table.clone() }),
            Protocol::Split => {
                let mut rows: Vec<usize> = (0..table.len()).collect();
                rows.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
                let (train, test) = rows.split_at(table.len() * 7 / 10);
                Ok(Tables {
                    train: masked.select(train)?,
                    test: masked.select(test)?,
                    truth: table.select(test)?,
                })
            }
        }
    }
}
