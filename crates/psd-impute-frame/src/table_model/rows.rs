//! Summaries of cells, scores of rows, and new rows.

use super::{EncodedBatch, TableModel};
use crate::batch::Batch;
use crate::decode::Completed;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::open::Source;
use crate::plan::ColumnPlan;
use crate::report::Report;
use psd_impute::impute::{CellSummary, Imputer, Limits, RowScore};

/// Rows drawn from the model, among which a row is ranked. Arbitrary: shares are known to one part in a hundred at .1.
const RANKED_AMONG: usize = 1000;

impl TableModel {
    /// Summarises the missing cells of a table, with quantiles at these probabilities; `take` gets those of a batch, whose rows are counted
    /// from the table's first, and the batch's number of rows.
    ///
    /// # Errors
    ///
    /// If the table cannot be read, a cell is outside its bounds, a row is impossible for the model, or `take` fails.
    pub fn summaries<E: From<Error>>(
        &self,
        source: &Source,
        limits: &Limits,
        quantiles: &[f64],
        mut take: impl FnMut(Vec<CellSummary>, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let imputer = self.model.imputer(limits.clone()).map_err(Error::from)?;
        for encoded in self.plan.batches(source)? {
            let EncodedBatch { batch, table, .. } = encoded?;
            self.plan.check_limits(limits, &batch, &table)?;
            let mut cells = imputer.summaries(&table, quantiles).map_err(Error::from)?;
            let missing = self.missing(&batch)?;
            // A label that the model does not know has no number, but it is observed and stays.
            cells.retain(|cell| missing[cell.column].as_ref().is_none_or(|missing| missing[cell.row]));
            cells.iter_mut().for_each(|cell| cell.row += batch.first_row() as usize);
            take(cells, table.len() as u64)?;
        }
        Ok(())
    }

    /// Scores all rows of a table by how unusual they are among new rows, which are drawn with this seed; and counts its cells.
    ///
    /// # Errors
    ///
    /// If the table cannot be read.
    pub fn outlier_scores(&self, source: &Source, seed: u64) -> Result<(Vec<RowScore>, Report)> {
        let imputer = self.unbounded()?;
        let drawn = imputer.new_rows(self.model.columns(), RANKED_AMONG, seed)?;
        let (mut scores, mut report) = (Vec::new(), Report::default());
        for encoded in self.plan.batches(source)? {
            let EncodedBatch { table, counts, .. } = encoded?;
            report.add(&counts);
            scores.extend(imputer.outlier_scores(&table, &drawn)?);
        }
        Ok((scores, report))
    }

    /// The log-density of the observed cells of each row, in the table's units; `take` gets those of a batch.
    ///
    /// # Errors
    ///
    /// If the table cannot be read, or `take` fails.
    pub fn log_densities<E: From<Error>>(
        &self,
        source: &Source,
        mut take: impl FnMut(Vec<f64>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let imputer = self.unbounded()?;
        for encoded in self.plan.batches(source)? {
            take(imputer.log_densities(&encoded?.table).map_err(Error::from)?)?;
        }
        Ok(())
    }

    /// Draws new rows; `take` gets a batch of them as it is written in this format.
    ///
    /// # Errors
    ///
    /// If the model has no columns or the limits are for others, or `take` fails.
    pub fn sample<E: From<Error>>(
        &self,
        rows: u64,
        seed: u64,
        limits: Limits,
        format: Format,
        mut take: impl FnMut(Completed<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let imputer = self.model.imputer(limits).map_err(Error::from)?;
        let drawn = imputer.new_rows(self.model.columns(), rows as usize, seed).map_err(Error::from)?;
        for batch in self.plan.blank_batches(rows, format)? {
            let first = batch.first_row() as usize;
            let part =
                drawn.select(&(first..first + batch.len()).collect::<Vec<_>>()).map_err(Error::from)?;
            take(self.plan.decode(&batch, &part)?)?;
        }
        Ok(())
    }

    /// Which cells of each modelled column are missing in a batch; `None` for a column that the batch lacks.
    fn missing(&self, batch: &Batch) -> Result<Vec<Option<Vec<bool>>>> {
        let positions = self.plan.positions(batch)?;
        let of = |column: &ColumnPlan| positions.get(column.name()).map(|&at| batch.missing(at)).transpose();
        self.plan.modelled().map(of).collect()
    }

    fn unbounded(&self) -> Result<Imputer<'_>> {
        Ok(self.model.imputer(Limits::none(self.model.columns().len()))?)
    }
}
