//! Completes whole tables, once or several times.

use super::{EncodedBatch, TableModel};
use crate::checks::{Checks, FilledWith};
use crate::decode::Completed;
use crate::error::{Error, Result};
use crate::open::Source;
use crate::plan::Plan;
use crate::report::Report;
use psd_impute::impute::{Imputer, Limits};
use psd_impute::model::{Imputation, Imputations};
use psd_impute::table::{RowCounter, Table};

/// The value that a missing cell gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A draw from the conditional distribution.
    Draw,
    /// The conditional mean; of a category the most probable label.
    Mean,
    /// The conditional median; of a category the most probable label.
    Median,
}

/// How a table is completed.
#[derive(Debug, Clone)]
pub struct CompletionOptions {
    /// The values of missing cells.
    pub method: Method,
    /// The number of completed tables.
    pub tables: u64,
    /// The seed of draws.
    pub seed: u64,
    /// Whether all tables are drawn from the one fit.
    pub one_fit: bool,
    /// The bounds of the cells.
    pub limits: Limits,
}

/// Completes a table, once or several times.
pub struct Completion<'a> {
    plan: &'a Plan,
    limits: Limits,
    values: Values<'a>,
}

/// The source of the values of all tables.
enum Values<'a> {
    /// No cell is missing.
    Nothing,
    Means(Imputer<'a>),
    Medians(Imputer<'a>),
    Draws(Box<Imputations<'a>>),
}

impl Method {
    /// All methods, the default first.
    pub const ALL: [Self; 3] = [Self::Draw, Self::Mean, Self::Median];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Mean => "mean",
            Self::Median => "median",
        }
    }

    /// The method of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The kind of values, for the checks of a completed table.
    pub fn filled_with(self) -> FilledWith {
        match self {
            Self::Draw => FilledWith::Draws,
            Self::Mean | Self::Median => FilledWith::Typical,
        }
    }
}

impl TableModel {
    /// Prepares the completion of a table.
    ///
    /// # Errors
    ///
    /// If the limits are for other columns, or no table is asked for.
    pub fn completion(&self, options: CompletionOptions) -> Result<Completion<'_>> {
        let CompletionOptions { method, tables, seed, one_fit, limits } = options;
        let values = match method {
            Method::Mean => Values::Means(self.model.imputer(limits.clone())?),
            Method::Median => Values::Medians(self.model.imputer(limits.clone())?),
            Method::Draw => {
                let all = self.model.imputations(tables, seed)?.one_fit(one_fit).within(limits.clone())?;
                Values::Draws(Box::new(all))
            }
        };
        Ok(Completion { plan: &self.plan, limits, values })
    }
}

impl<'a> Completion<'a> {
    /// Writes tables as they are: without a model, for a table that no cell is missing in.
    pub fn of_nothing(plan: &'a Plan, limits: Limits) -> Self {
        Self { plan, limits, values: Values::Nothing }
    }

    /// Whether draws are in balance; `None` where nothing is drawn.
    pub fn is_balanced(&self) -> Option<bool> {
        match &self.values {
            Values::Draws(draws) => Some(draws.is_balanced()),
            Values::Means(_) | Values::Medians(_) | Values::Nothing => None,
        }
    }

    /// A note if draws are not in balance.
    pub fn note(&self) -> Option<String> {
        match &self.values {
            Values::Draws(draws) => draws.note(),
            Values::Nothing | Values::Means(_) | Values::Medians(_) => None,
        }
    }

    /// Completes one of the tables, counted from one, and gives its batches with their counts to `take`. `checks`, if given, look at all
    /// rows.
    ///
    /// # Errors
    ///
    /// If the table cannot be read, a cell is outside its bounds, a row is impossible for the model, or `take` fails.
    pub fn table<E: From<Error>>(
        &self,
        number: u64,
        source: &Source,
        mut checks: Option<&mut Checks>,
        mut take: impl FnMut(Completed<'_>, &Report) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let plan = self.plan;
        let mut rows = self.rows_of(number)?;
        for encoded in plan.batches(source)? {
            let EncodedBatch { batch, table, counts } = encoded?;
            plan.check_limits(&self.limits, &batch, &table)?;
            let done = rows.complete(&table)?;
            if let Some(checks) = &mut checks {
                checks.add(&table, &done);
            }
            take(plan.decode(&batch, &done)?, &counts)?;
        }
        Ok(())
    }

    /// Fills the rows of one of the tables, counted from one.
    ///
    /// # Errors
    ///
    /// If there is no such table, and errors of a refit.
    pub fn rows_of(&self, number: u64) -> Result<RowFiller<'_>> {
        let filling = match &self.values {
            Values::Nothing => Filling::Nothing,
            Values::Means(imputer) => Filling::Means(imputer),
            Values::Medians(imputer) => Filling::Medians(imputer),
            Values::Draws(all) => Filling::Draws(all.nth(number)?),
        };
        Ok(RowFiller { filling, counter: RowCounter::default() })
    }
}

/// Completes the rows of one table, batch after batch, each once and in order.
pub struct RowFiller<'a> {
    filling: Filling<'a>,
    counter: RowCounter,
}

/// The source of the values of one table.
enum Filling<'a> {
    Nothing,
    Means(&'a Imputer<'a>),
    Medians(&'a Imputer<'a>),
    Draws(Imputation<'a>),
}

impl RowFiller<'_> {
    /// Completes the next batch.
    ///
    /// # Errors
    ///
    /// If the batch has other columns than the model, or a row is impossible for it.
    pub fn complete(&mut self, batch: &Table) -> Result<Table> {
        Ok(match &self.filling {
            Filling::Nothing => batch.clone(),
            Filling::Means(imputer) => imputer.mean(batch)?,
            Filling::Medians(imputer) => imputer.median(batch)?,
            Filling::Draws(draws) => draws.complete(batch, &mut self.counter)?,
        })
    }

    /// Completes some rows of the next batch, with the values that they have in the whole table.
    ///
    /// # Errors
    ///
    /// As for [`complete`](Self::complete), and for a row beyond the batch.
    pub fn complete_some(&mut self, batch: &Table, rows: &[usize]) -> Result<Table> {
        Ok(match &self.filling {
            Filling::Nothing => batch.select(rows)?,
            Filling::Means(imputer) => imputer.mean(&batch.select(rows)?)?,
            Filling::Medians(imputer) => imputer.median(&batch.select(rows)?)?,
            Filling::Draws(draws) => draws.complete_some(batch, rows, &mut self.counter)?,
        })
    }
}
