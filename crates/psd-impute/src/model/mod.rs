//! A fitted model and its file.
//!
//! ```
//! use psd_impute::impute::Limits;
//! use psd_impute::model::{FitOptions, Model};
//! use psd_impute::table::Table;
//!
//! let nan = f64::NAN;
//! let rows = [[1.62, 61.0], [1.75, nan], [1.81, 83.0], [nan, 72.0], [1.70, 69.0], [1.66, 58.0], [1.78, 77.0]];
//! let table = Table::continuous(&["height", "weight"], &rows)?;
//! let model = Model::fit(&table, &FitOptions::default(), &mut ())?;
//! let done = model.imputer(Limits::none(2))?.complete_with_means(&table)?;
//!
//! let mut file = Vec::new();
//! model.write("notes of one's own", &mut file).expect("memory can be written to");
//! let (loaded, notes) = Model::read(&file)?;
//! let again = loaded.imputer(Limits::none(2))?.complete_with_means(&table)?;
//! assert_eq!((again.row(1), notes.as_str()), (done.row(1), "notes of one's own"));
//! # Ok::<(), psd_impute::Error>(())
//! ```

mod file;
mod fit;
mod imputations;
mod kernel_density;
mod report;
mod settings;

pub use fit::{FitOptions, Preset};
pub use imputations::{Imputation, Imputations};
pub use report::{How, Report, RowsUsed, StackReport};
pub use settings::{Recipe, Settings};

use crate::density::{Density, Stack};
use crate::impute::{Imputer, Limits, Ties};
use crate::learn::{FittedStack, TheorySchedule};
use crate::table::{Column, Scaler, Table};
use crate::{Error, Result};
use kernel_density::KernelDensity;
use std::mem::discriminant;

/// What is left of a table when it has been fitted: all that is needed to complete tables like it.
pub struct Model {
    columns: Vec<Column>,
    scaler: Scaler,
    ties: Ties,
    seed: u64,
    /// How many the table had.
    rows: usize,
    fitted: Fitted,
}

/// The density and where it comes from.
enum Fitted {
    Stack(FittedStack),
    Paper { density: KernelDensity, mu: f64, eta: f64, rounds: usize, kept: usize, converged: bool },
    Theory { density: KernelDensity, schedule: TheorySchedule, converged: bool },
}

impl Model {
    /// The columns of the table it was fitted to.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The density, which lives on tables standardised by the model.
    pub fn density(&self) -> &dyn Density {
        match &self.fitted {
            Fitted::Stack(stack) => &stack.density,
            Fitted::Paper { density, .. } | Fitted::Theory { density, .. } => density.density(),
        }
    }

    /// Completes tables with the model's columns.
    pub fn imputer(&self, limits: Limits) -> Result<Imputer<'_>> {
        Imputer::new(self.density(), &self.scaler, &self.ties, limits)
    }

    /// The model as if it had not seen some rows, for saying how well it tells their cells; see [`FittedStack::without`]. Nothing for the
    /// presets of the paper, which are not refitted.
    pub fn without(&self, rows: &Table) -> Result<Option<Refitted<'_>>> {
        self.check(rows)?;
        match &self.fitted {
            Fitted::Stack(stack) => {
                let density = stack.without(&self.scaler.standardise(rows))?;
                Ok(Some(Refitted { density, model: self }))
            }
            Fitted::Paper { .. } | Fitted::Theory { .. } => Ok(None),
        }
    }

    /// Refuses a table with other columns than the model's.
    pub fn check(&self, table: &Table) -> Result<()> {
        let (found, expected) = (table.columns().len(), self.columns.len());
        if found != expected {
            return Err(Error::Shape { what: "columns of the table", found, expected });
        }
        let pairs = self.columns.iter().zip(table.columns());
        pairs.into_iter().try_for_each(|(ours, theirs)| {
            let problem = if ours == theirs {
                return Ok(());
            } else if ours.name() != theirs.name() {
                "stands in the place of"
            } else if discriminant(ours.kind()) != discriminant(theirs.kind()) {
                "is of another kind than"
            } else {
                "has other values than"
            };
            let (found, expected) = (theirs.name().to_string(), ours.name().to_string());
            Err(Error::OtherColumn { found, problem, expected })
        })
    }
}

/// A model whose members have moved to other row weights.
pub struct Refitted<'a> {
    density: Stack,
    model: &'a Model,
}

impl Refitted<'_> {
    /// Completes tables with the model's columns.
    pub fn imputer(&self, limits: Limits) -> Result<Imputer<'_>> {
        Imputer::new(&self.density, &self.model.scaler, &self.model.ties, limits)
    }
}
