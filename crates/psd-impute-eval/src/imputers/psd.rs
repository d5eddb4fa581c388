//! The stack of this project as an imputer.

use super::{Fitted, Imputer};
use crate::Result;
use psd_impute::model::{FitOptions, Model};
use psd_impute::table::{RowCounter, Table};
use std::sync::Arc;

/// The value that a missing cell gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// Its conditional mean.
    Mean,
    /// A draw. Each imputation comes from the model refitted under its own row weights, so that several are proper multiple
    /// imputations.
    Draw,
}

/// The stack of positive semi-definite densities.
#[derive(Debug, Clone)]
pub struct Psd {
    /// Options of the fit.
    pub options: FitOptions,
    /// The value that a missing cell gets.
    pub value: Value,
    /// Number of completed tables.
    pub imputations: u64,
}

/// A model and the value to take from it.
pub struct FittedPsd {
    /// The model, which may be shared.
    pub model: Arc<Model>,
    /// The value that a missing cell gets.
    pub value: Value,
    /// Number of completed tables.
    pub imputations: u64,
    /// The seed of draws and row weights.
    pub seed: u64,
}

impl Imputer for Psd {
    fn fit(&self, table: &Table, seed: u64) -> Result<Box<dyn Fitted>> {
        let model = Model::fit(table, &FitOptions { seed, ..self.options.clone() })?;
        let Self { value, imputations, .. } = *self;
        Ok(Box::new(FittedPsd { model: Arc::new(model), value, imputations, seed }))
    }
}

impl Fitted for FittedPsd {
    fn complete(&self, table: &Table, imputation: u64) -> Result<Table> {
        match self.value {
            Value::Mean => Ok(self.model.mean(table)?),
            Value::Draw => {
                let all = self.model.imputations(self.imputations, self.seed)?;
                Ok(all.nth(imputation)?.complete(table, &mut RowCounter::default())?)
            }
        }
    }

    /// All imputations share what they are in balance with, so that it is prepared once.
    fn completions(&self, table: &Table, count: u64) -> Result<Vec<Table>> {
        if self.value == Value::Mean {
            return (1..=count).map(|k| self.complete(table, k)).collect();
        }
        let all = self.model.imputations(self.imputations, self.seed)?;
        (1..=count).map(|k| Ok(all.nth(k)?.complete(table, &mut RowCounter::default())?)).collect()
    }
}
