//! A table with masked cells.

use super::study::{MechanismName, Protocol};
use crate::Result;
use psd_impute::table::Table;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// The table and the cells to mask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The table's or toy's name.
    pub dataset: String,
    /// Its number of rows.
    pub rows: usize,
    /// Its number of columns.
    pub columns: usize,
    /// The rows to learn from and those to complete.
    pub protocol: Protocol,
    /// The mechanism of missingness.
    pub mechanism: MechanismName,
    /// The share of cells to mask.
    pub rate: f64,
    /// The seed of the split, the mechanism and the methods.
    pub seed: u64,
}

/// The tables of a trial.
pub(super) struct Tables {
    /// The masked table to learn from.
    pub(super) train: Table,
    /// The masked table to complete.
    pub(super) test: Table,
    /// The truth of the table to complete.
    pub(super) truth: Table,
}

impl Trial {
    /// Masks cells, then splits the rows, so that train and test rows are masked alike.
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
