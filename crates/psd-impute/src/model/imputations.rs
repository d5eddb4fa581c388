//! Completed tables that belong together.

use super::{Fitted, Model};
use crate::Result;
use crate::density::{Density, Stack};
use crate::impute::{Balance, Drawn, Draws, Imputer, Limits};
use crate::learn::OneOf;
use crate::table::{RowCounter, RowKeys, Table};
use std::sync::OnceLock;

/// Tables with more rows are drawn row by row: where rows are many, chance evens out what balance would.
const ROWS: usize = 4_000;
/// So are more tables than this: what they scatter by is what pooling needs, but for a share of `2/(m + 1)`.
const TABLES: u64 = 5;

/// What several tables drawn from a model have in common.
pub struct Imputations<'a> {
    model: &'a Model,
    limits: Limits,
    seed: u64,
    of: u64,
    refits: bool,
    /// The rows that are drawn in balance.
    balance: Option<Balance>,
    /// The plain draws that the tables are off from each other by.
    plain: OnceLock<Vec<Draws>>,
}

impl Model {
    /// So many completed tables, of which each has a draw in every missing cell.
    ///
    /// Several are *proper* multiple imputations: each is drawn from the model under row weights of its own, as by
    /// [`FittedStack::refitted`](crate::learn::FittedStack::refitted); but for presets of the paper, which are not refitted, and for `one_fit`.
    ///
    /// For one table or a few, the rows of the table that the model was fitted to are drawn in balance, so that together they have the
    /// distribution that the model gives to the table; rows that it has not seen are drawn each by itself. What a row gets depends on the
    /// model, the seed, the number of the table and how many there are, and on the row: its content, and how many equal rows stand before
    /// it. It does not depend on the order of the rows, the batch they come in, or the number of threads.
    pub fn imputations(&self, of: u64, seed: u64, one_fit: bool, limits: Limits) -> Result<Imputations<'_>> {
        let rows = if of <= TABLES { self.rows_in_full()? } else { None };
        let balance = rows.map(|rows| Balance::new(rows, seed));
        let refits = of > 1 && !one_fit;
        Ok(Imputations { model: self, limits, seed, of, refits, balance, plain: OnceLock::new() })
    }

    /// The standardised rows it was fitted to, if it has all of them and they are not too many.
    fn rows_in_full(&self) -> Result<Option<Table>> {
        let Fitted::Stack(stack) = &self.fitted else { return Ok(None) };
        let (table, copies) = stack.distinct_rows();
        if self.rows > ROWS || copies.iter().sum::<f64>() != self.rows as f64 {
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

impl Imputations<'_> {
    /// What there is to say if draws are not in balance. Of a long table the model's report says it.
    pub fn note(&self) -> Option<String> {
        let why = match self.of > TABLES {
            _ if self.balance.is_some() || self.model.rows > ROWS => return None,
            true => format!("more than {TABLES} tables are asked for"),
            false => "the model is none of the default preset".to_string(),
        };
        Some(format!("draws are not in balance, since {why}: each row is drawn by itself"))
    }

    /// One of them, counted from one.
    pub fn nth(&self, number: u64) -> Result<Imputation<'_>> {
        let one = OneOf { number, of: self.of }.check()?;
        let density = match &self.model.fitted {
            Fitted::Stack(stack) if self.refits => Some(stack.refitted(self.seed, one)?),
            _ => None,
        };
        Ok(Imputation { all: self, one, density, drawn: OnceLock::new() })
    }

    /// What the tables are to be off from their average by.
    fn plain(&self, balance: &Balance) -> Result<&[Draws]> {
        if let Some(plain) = self.plain.get() {
            return Ok(plain);
        }
        let plain = balance.plain(&self.model.imputer(self.limits.clone())?, self.seed, self.of)?;
        Ok(self.plain.get_or_init(|| plain))
    }
}

/// One of several tables that are drawn from a model.
pub struct Imputation<'a> {
    all: &'a Imputations<'a>,
    one: OneOf,
    /// The density under this table's row weights, if it has some.
    density: Option<Stack>,
    /// The draws of the rows in balance.
    drawn: OnceLock<Drawn>,
}

impl Imputation<'_> {
    /// Completes the next batch of a table; the counter is that of its batches.
    pub fn complete(&self, batch: &Table, counter: &mut RowCounter) -> Result<Table> {
        self.all.model.check(batch)?;
        let keys = counter.keys(&self.all.model.scaler.standardise(batch));
        self.complete_keyed(batch, &keys)
    }

    /// Completes some rows of the next batch, with the draws that they have in the whole table.
    pub fn complete_some(&self, batch: &Table, rows: &[usize], counter: &mut RowCounter) -> Result<Table> {
        self.all.model.check(batch)?;
        let keys = counter.keys(&self.all.model.scaler.standardise(batch));
        self.complete_keyed(&batch.select(rows)?, &keys.select(rows))
    }

    fn complete_keyed(&self, batch: &Table, keys: &RowKeys) -> Result<Table> {
        let Imputations { model, limits, seed, balance, .. } = self.all;
        let density = self.density.as_ref().map_or(model.density(), |density| density as &dyn Density);
        let imputer = Imputer::new(density, &model.scaler, &model.ties, limits.clone())?;
        let none = &Drawn::default();
        let drawn = match balance {
            Some(balance) if balance.knows(keys, batch.len()) => self.drawn(balance, &imputer)?,
            _ => none,
        };
        imputer.complete_from(drawn, batch, keys, *seed, self.one.number)
    }

    /// The draws of the rows in balance, made when the first of them comes.
    fn drawn(&self, balance: &Balance, imputer: &Imputer<'_>) -> Result<&Drawn> {
        if let Some(drawn) = self.drawn.get() {
            return Ok(drawn);
        }
        let drawn = balance.drawn(imputer, self.all.seed, self.one, self.all.plain(balance)?)?;
        Ok(self.drawn.get_or_init(|| drawn))
    }
}
