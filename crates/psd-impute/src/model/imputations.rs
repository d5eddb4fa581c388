//! Sets of completed tables.

use super::{FittedDensity, Model};
use crate::Result;
use crate::density::{Density, Stack};
use crate::error::bad;
use crate::impute::{Balance, Drawn, Draws, Imputer, Limits};
use crate::stack::ImputationIndex;
use crate::table::{RowCounter, RowKeys, Table};
use std::sync::OnceLock;

/// Longer tables get independent draws per row: with many rows, chance evens out what balance would. Arbitrary; it bounds time and memory.
const MOST_BALANCED_ROWS: usize = 4_000;
/// More tables than this get independent draws too: pooling needs the variance due to draws, except for a share of `2/(m + 1)`.
const MOST_BALANCED_TABLES: u64 = 5;

/// Completed tables drawn from a model.
///
/// The draws of a few tables (up to five, of up to 4,000 rows) are *balanced*: they keep the model's distribution of the fitted table as
/// closely as possible. Rows that the model has not seen are drawn independently. A row's draw depends only on the model, the seed, the
/// index of the table, the number of tables, and the row: its content, and the number of equal rows before it. It does not depend on the
/// order of the rows, the batch, or the number of threads.
pub struct Imputations<'a> {
    model: &'a Model,
    limits: Limits,
    seed: u64,
    of: u64,
    refits: bool,
    /// The rows that get balanced draws.
    balance: Option<Balance>,
    /// Plain draws; their deviations from their mean define those of the tables.
    plain: OnceLock<Vec<Draws>>,
}

impl<'a> Imputations<'a> {
    pub(super) fn new(model: &'a Model, of: u64, seed: u64) -> Result<Self> {
        if of == 0 {
            return Err(bad("number of completed tables", of, "at least one"));
        }
        let rows = if of <= MOST_BALANCED_TABLES { model.rows_in_full()? } else { None };
        let balance = rows.map(|rows| Balance::new(rows, seed));
        Ok(Self {
            limits: model.no_limits(),
            model,
            seed,
            of,
            refits: of > 1,
            balance,
            plain: OnceLock::new(),
        })
    }

    /// The same tables within limits.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the limits are for another number of columns.
    pub fn within(self, limits: Limits) -> Result<Self> {
        self.model.imputer(limits.clone())?;
        Ok(Self { limits, plain: OnceLock::new(), ..self })
    }

    /// Draws from the original fit if `one_fit`, otherwise from refits. Tables from one fit omit the uncertainty of the fit.
    pub fn one_fit(self, one_fit: bool) -> Self {
        Self { refits: self.of > 1 && !one_fit, plain: OnceLock::new(), ..self }
    }

    /// One of the tables, counted from one. It can complete batches of any table.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`](crate::Error::BadParameter) for an unknown index, and errors of the refit.
    pub fn nth(&self, number: u64) -> Result<Imputation<'_>> {
        let index = ImputationIndex { number, of: self.of }.check()?;
        let density = match &self.model.fitted {
            FittedDensity::Stack(stack) if self.refits => Some(stack.refitted(self.seed, index)?),
            _ => None,
        };
        Ok(Imputation { all: self, index, density, drawn: OnceLock::new() })
    }

    /// All the completed tables.
    ///
    /// # Errors
    ///
    /// As for [`nth`](Self::nth) and [`Imputation::complete`].
    pub fn tables(&self, table: &Table) -> Result<Vec<Table>> {
        (1..=self.of).map(|k| self.nth(k)?.complete(table, &mut RowCounter::default())).collect()
    }

    /// Whether the draws of the fitted rows are in balance.
    pub fn is_balanced(&self) -> bool {
        self.balance.is_some()
    }

    /// A note if the draws are not in balance. For a long table, the model's report has it.
    pub fn note(&self) -> Option<String> {
        let why = match self.of > MOST_BALANCED_TABLES {
            _ if self.balance.is_some() || self.model.rows > MOST_BALANCED_ROWS => return None,
            true => format!("more than {MOST_BALANCED_TABLES} tables are asked for"),
            false => "the model was not fitted by the default preset".to_string(),
        };
        Some(format!("draws are not in balance, since {why}: each row is drawn by itself"))
    }

    fn plain(&self, balance: &Balance) -> Result<&[Draws]> {
        if let Some(plain) = self.plain.get() {
            return Ok(plain);
        }
        let plain = balance.plain(&self.model.imputer(self.limits.clone())?, self.seed, self.of)?;
        Ok(self.plain.get_or_init(|| plain))
    }
}

impl Model {
    /// The standardised rows of the fitted table; `None` if the model does not have all of them or they are too many.
    fn rows_in_full(&self) -> Result<Option<Table>> {
        let FittedDensity::Stack(stack) = &self.fitted else { return Ok(None) };
        let (table, copies) = stack.distinct_rows();
        if self.rows > MOST_BALANCED_ROWS || copies.iter().sum::<f64>() != self.rows as f64 {
            return Ok(None);
        }
        let rows: Vec<usize> = copies
            .iter()
            .enumerate()
            .flat_map(|(i, &copies)| std::iter::repeat_n(i, copies as usize))
            .collect();
        table.select(&rows).map(Some)
    }
}

/// One of several tables drawn from a model.
pub struct Imputation<'a> {
    all: &'a Imputations<'a>,
    index: ImputationIndex,
    /// The density refitted with this table's row weights, if there is one.
    density: Option<Stack>,
    /// The balanced draws.
    drawn: OnceLock<Drawn>,
}

impl Imputation<'_> {
    /// Completes the next batch of a table. Use one counter for all batches of a table, so that equal rows get different draws.
    ///
    /// # Errors
    ///
    /// As for [`Model::check`], and [`Error::ImpossibleRow`](crate::Error::ImpossibleRow) for a row with density zero.
    pub fn complete(&self, batch: &Table, counter: &mut RowCounter) -> Result<Table> {
        self.all.model.check(batch)?;
        let standardised = self.all.model.scaler.standardise(batch);
        let keys = counter.keys(&standardised);
        self.complete_keyed(batch, standardised, &keys)
    }

    /// Completes some rows of the next batch with the draws they have in the whole table.
    ///
    /// # Errors
    ///
    /// As for [`complete`](Self::complete), and [`Error::BadParameter`](crate::Error::BadParameter) for a row beyond the batch.
    pub fn complete_some(&self, batch: &Table, rows: &[usize], counter: &mut RowCounter) -> Result<Table> {
        self.all.model.check(batch)?;
        let standardised = self.all.model.scaler.standardise(batch);
        let keys = counter.keys(&standardised);
        self.complete_keyed(&batch.select(rows)?, standardised.select(rows)?, &keys.select(rows))
    }

    fn complete_keyed(&self, batch: &Table, standardised: Table, keys: &RowKeys) -> Result<Table> {
        let Imputations { model, limits, seed, balance, .. } = self.all;
        let density = self.density.as_ref().map_or(model.density(), |density| density as &dyn Density);
        let imputer = Imputer::new(density, &model.scaler, &model.ties, limits.clone())?;
        let none = &Drawn::default();
        let drawn = match balance {
            Some(balance) if balance.knows(keys, batch.len()) => self.drawn(balance, &imputer)?,
            _ => none,
        };
        imputer.complete_from(drawn, batch, standardised, keys, *seed, self.index.number)
    }

    /// The balanced draws, computed when the first of their rows is completed.
    fn drawn(&self, balance: &Balance, imputer: &Imputer<'_>) -> Result<&Drawn> {
        if let Some(drawn) = self.drawn.get() {
            return Ok(drawn);
        }
        let drawn = balance.drawn(imputer, self.all.seed, self.index, self.all.plain(balance)?)?;
        Ok(self.drawn.get_or_init(|| drawn))
    }
}
