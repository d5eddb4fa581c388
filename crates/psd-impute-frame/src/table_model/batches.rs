//! Tables in the engine's numbers, a batch at a time.

use crate::batch::Batch;
use crate::bounds::BoundsOptions;
use crate::error::Result;
use crate::open::Source;
use crate::plan::Plan;
use crate::report::{LeftColumn, Report};
use faer::Mat;
use psd_impute::impute::Limits;
use psd_impute::table::Table;

/// A batch and its numbers.
pub struct EncodedBatch {
    /// The batch.
    pub batch: Batch,
    /// Its modelled cells.
    pub table: Table,
    /// Its counts.
    pub counts: Report,
}

/// Findings of one pass over a table before it is completed.
pub struct Checked {
    /// The bounds of its cells.
    pub limits: Limits,
    /// Its counts.
    pub report: Report,
}

impl Plan {
    /// The batches of a table and their numbers.
    ///
    /// # Errors
    ///
    /// If the table cannot be read; each batch, as for [`encode`](Self::encode).
    pub fn batches(&self, source: &Source) -> Result<impl Iterator<Item = Result<EncodedBatch>> + '_> {
        Ok(source.batches()?.map(|batch| {
            let batch = batch?;
            let (table, counts) = self.encode(&batch)?;
            Ok(EncodedBatch { batch, table, counts })
        }))
    }

    /// All rows of a table. Refuses one without some of the columns.
    ///
    /// # Errors
    ///
    /// As for [`batches`](Self::batches), and [`Report::refuse_absent`].
    pub fn whole_table(&self, source: &Source) -> Result<Table> {
        let mut cells: Vec<f64> = Vec::new();
        for encoded in self.batches(source)? {
            let encoded = encoded?;
            encoded.counts.refuse_absent(source.origin())?;
            encoded.table.rows().for_each(|row| cells.extend(row));
        }
        self.table(&cells)
    }

    /// The columns of a table that are left unchanged.
    ///
    /// # Errors
    ///
    /// If the table cannot be read, and as for [`left`](Self::left).
    pub fn left_in(&self, source: &Source) -> Result<Vec<LeftColumn>> {
        let mut report = Report::default();
        for batch in source.batches()? {
            report.add_left(&self.left(&batch?)?);
        }
        Ok(report.left)
    }

    /// The counts of a table.
    ///
    /// # Errors
    ///
    /// As for [`batches`](Self::batches).
    pub fn count(&self, source: &Source) -> Result<Report> {
        let mut report = Report::default();
        for encoded in self.batches(source)? {
            report.add(&encoded?.counts);
        }
        Ok(report)
    }

    /// Reads a whole table: finds the bounds of its cells, refuses observed ones outside them, and counts. `each` gets the numbers of each
    /// batch.
    ///
    /// # Errors
    ///
    /// If the table cannot be read, the bounds do not fit its columns, or [`Error::OutOfBounds`](crate::Error::OutOfBounds).
    pub fn check(
        &self,
        source: &Source,
        bounds: &BoundsOptions,
        mut each: impl FnMut(&Table),
    ) -> Result<Checked> {
        let limits = self.limits_of(source, bounds)?;
        let mut report = Report::default();
        for encoded in self.batches(source)? {
            let EncodedBatch { batch, table, counts } = encoded?;
            self.check_limits(&limits, &batch, &table)?;
            report.add(&counts);
            each(&table);
        }
        Ok(Checked { limits, report })
    }

    /// The bounds of a table's cells, within the range of their types.
    ///
    /// # Errors
    ///
    /// As for [`limits`](Self::limits), and if the table cannot be read.
    pub fn limits_of(&self, source: &Source, bounds: &BoundsOptions) -> Result<Limits> {
        self.limits(bounds, source.batches()?.next().transpose()?.as_ref())
    }

    /// A table of the plan's modelled columns, from its cells in row order.
    ///
    /// # Errors
    ///
    /// If the engine refuses a column or a cell.
    pub fn table(&self, cells: &[f64]) -> Result<Table> {
        let columns = self.engine_columns()?;
        let d = columns.len();
        Ok(Table::new(columns, Mat::from_fn(d, cells.len() / d.max(1), |j, i| cells[i * d + j]))?)
    }
}
