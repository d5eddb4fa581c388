//! A fitted model and its file.
//!
//! ```
//! use psd_impute::{FitOptions, Model, Table};
//!
//! let nan = f64::NAN;
//! let rows = [[1.62, 61.0], [1.75, nan], [1.81, 83.0], [nan, 72.0], [1.70, 69.0], [1.66, 58.0], [1.78, 77.0]];
//! let table = Table::continuous(&["height", "weight"], &rows)?;
//! let model = Model::fit(&table, &FitOptions::default())?;
//!
//! let mut file = Vec::new();
//! model.write("notes of one's own", &mut file).expect("memory can be written to");
//! let (loaded, notes) = Model::read(&file)?;
//! assert_eq!(loaded.draw(&table, 1)?.row(1), model.draw(&table, 1)?.row(1));
//! assert_eq!(notes, "notes of one's own");
//! # Ok::<(), psd_impute::Error>(())
//! ```

mod complete;
mod file;
mod fit;
mod imputations;
mod kernel_density;
mod options;
mod report;

pub use complete::Refitted;
pub use imputations::{Imputation, Imputations};
pub use options::{FitOptions, Recipe, StackOptions};
pub use report::{DensityReport, KernelReport, Report, RowsUsed, StackReport};

use crate::density::Density;
use crate::impute::Ties;
use crate::stack::{FittedStack, Member};
use crate::table::{Column, Scaler, Table};
use crate::{Error, Result};
use kernel_density::KernelDensity;
use std::mem::discriminant;

/// A fitted model: everything needed to complete tables with the same columns.
///
/// ```
/// use psd_impute::{FitOptions, Model, Table};
///
/// let nan = f64::NAN;
/// let rows = [[1.62, 61.0], [1.75, nan], [1.81, 83.0], [nan, 72.0], [1.70, 69.0], [1.66, 58.0], [1.78, 77.0]];
/// let table = Table::continuous(&["height", "weight"], &rows)?;
/// let model = Model::fit(&table, &FitOptions::default())?;
///
/// let drawn = model.draw(&table, 1)?;
/// let means = model.mean(&table)?;
/// assert!(drawn.rows().chain(means.rows()).flatten().all(|cell| cell.is_finite()));
/// assert_eq!(means.row(1)[0], 1.75);
/// # Ok::<(), psd_impute::Error>(())
/// ```
pub struct Model {
    columns: Vec<Column>,
    scaler: Scaler,
    ties: Ties,
    seed: u64,
    /// The number of rows of the fitted table.
    rows: usize,
    /// The member after which the time budget ended; unknown for a model read from a file.
    budget_ended_after: Option<Member>,
    fitted: FittedDensity,
}

/// The fitted density and how it was fitted.
enum FittedDensity {
    Stack(Box<FittedStack>),
    Kernel { density: Box<KernelDensity>, report: KernelReport, converged: bool },
}

impl Model {
    /// The columns of the fitted table.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The density, on tables standardised by the model.
    pub fn density(&self) -> &dyn Density {
        match &self.fitted {
            FittedDensity::Stack(stack) => &stack.density,
            FittedDensity::Kernel { density, .. } => density.density(),
        }
    }

    /// Refuses a table whose columns differ from the model's.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for another number of columns, [`Error::OtherColumn`] for a column of another name, kind or set of values.
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
