//! Writes the engine's completed table back to the batch it came from.

use crate::batch::{Batch, Cell, Cells, Records, Rows};
use crate::csv::Added;
use crate::encode::{check_type, holds};
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::indicator::{Flags, Indicator};
use crate::plan::{ColumnPlan, Plan, Role};
use crate::{fill, json, typed};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::nullif::nullif;
use psd_impute::table::Table;
use std::sync::Arc;

/// A batch with its missing cells filled, or with some cells removed.
pub struct Completed<'a> {
    pub(crate) batch: &'a Batch,
    columns: Vec<Source<'a>>,
    /// Whether cells that are missing in the table are removed.
    erases: bool,
    /// The indicator columns, after all others.
    pub(crate) indicators: Vec<Indicator>,
}

/// The source of a column's missing cells.
#[derive(Clone, Copy)]
struct Source<'a> {
    column: Option<&'a ColumnPlan>,
    cells: Filling<'a>,
}

#[derive(Clone, Copy)]
enum Filling<'a> {
    /// A column of the completed table.
    Table(&'a Table, usize),
    Constant(f64),
    Nothing,
}

impl Plan {
    /// Fills the batch's missing cells from the completed table. A cell that is also missing there stays missing.
    ///
    /// # Errors
    ///
    /// If the shapes of the two do not match, or the batch lacks the modelled columns.
    pub fn decode<'a>(&'a self, batch: &'a Batch, completed: &'a Table) -> Result<Completed<'a>> {
        self.positions(batch)?;
        let modelled: Vec<&str> = self.modelled().map(ColumnPlan::name).collect();
        check_shape("columns", completed.columns().len(), modelled.len())?;
        check_shape("rows", completed.len(), batch.len())?;
        let source = |name: &str| {
            let column = self.column(name);
            let cells = match column.map(ColumnPlan::role) {
                Some(Role::Modelled) => modelled
                    .iter()
                    .position(|other| *other == name)
                    .map_or(Filling::Nothing, |k| Filling::Table(completed, k)),
                Some(Role::Constant(cell)) => Filling::Constant(*cell),
                Some(Role::Left(_)) | None => Filling::Nothing,
            };
            Source { column, cells }
        };
        let columns = batch.names().into_iter().map(source).collect();
        Ok(Completed { batch, columns, erases: false, indicators: Vec::new() })
    }

    /// Removes the cells that are missing in `masked`, and leaves all others unchanged.
    ///
    /// # Errors
    ///
    /// If the shapes of the two do not match, or the batch lacks the modelled columns.
    pub fn erase<'a>(&'a self, batch: &'a Batch, masked: &'a Table) -> Result<Completed<'a>> {
        let mut erased = self.decode(batch, masked)?;
        erased.erases = true;
        let is_modelled = |source: &Source<'_>| matches!(source.cells, Filling::Table(..));
        erased.columns.iter_mut().filter(|source| !is_modelled(source)).for_each(|source| {
            source.cells = Filling::Nothing;
        });
        Ok(erased)
    }
}

fn check_shape(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::Shape { what, found, expected }) }
}

impl Source<'_> {
    /// The value of a missing cell.
    fn cell(&self, i: usize) -> Option<f64> {
        match self.cells {
            Filling::Table(table, k) => Some(table.row(i)[k]).filter(|x| !x.is_nan()),
            Filling::Constant(cell) => Some(cell),
            Filling::Nothing => None,
        }
    }

    /// Whether the cell is missing in the table.
    fn is_unknown(&self, i: usize) -> bool {
        matches!(self.cells, Filling::Table(table, k) if table.row(i)[k].is_nan())
    }

    /// The value of each missing cell of a column; `None` where one is observed.
    fn gaps(&self, cells: &Cells<'_>, rows: usize) -> Vec<Option<f64>> {
        (0..rows).map(|i| self.cell(i).filter(|_| cells.get(i) == Cell::Missing)).collect()
    }
}

/// Whether an array has nothing to fill. Dictionaries are filled all the same, so that those of all batches stay equal.
fn is_whole(array: &ArrayRef, gaps: &[Option<f64>]) -> bool {
    !matches!(array.data_type(), DataType::Dictionary(..)) && gaps.iter().all(Option::is_none)
}

/// A column whose cells are all missing may have no type, or one that does not fit its kind; it gets that of its kind.
fn with_type(array: &ArrayRef, column: &ColumnPlan, cells: &Cells<'_>) -> ArrayRef {
    let (natural, fits) = (typed::natural_type(column.kind()), holds(column.kind(), cells));
    match array.data_type() {
        DataType::Dictionary(keys, values) if !fits || **values == DataType::Null => {
            new_null_array(&DataType::Dictionary(keys.clone(), Box::new(natural)), array.len())
        }
        DataType::Null => new_null_array(&natural, array.len()),
        _ if fits => array.clone(),
        _ => new_null_array(&natural, array.len()),
    }
}

impl Completed<'_> {
    /// The batch as Arrow records: of their original types or, if it was text, of those of its kinds.
    ///
    /// # Errors
    ///
    /// If a cell cannot be stored in its type.
    pub fn records(&self) -> Result<RecordBatch> {
        self.records_with(Flags::Booleans)
    }

    pub(crate) fn records_with(&self, flags: Flags) -> Result<RecordBatch> {
        let mut arrays = (0..self.columns.len()).map(|j| self.array(j)).collect::<Result<Vec<_>>>()?;
        let schema = match self.batch.rows() {
            Rows::Records(records) => records.records.schema(),
            Rows::Text(_) => {
                let named = self.batch.names().into_iter().zip(&arrays);
                let fields = named.map(|(name, array)| Field::new(name, array.data_type().clone(), true));
                Arc::new(Schema::new(fields.collect::<Vec<_>>()))
            }
        };
        let typed = |(field, array): (&Arc<Field>, &ArrayRef)| match field.data_type() == array.data_type() {
            true => field.clone(),
            false => Arc::new(field.as_ref().clone().with_data_type(array.data_type().clone())),
        };
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().zip(&arrays).map(typed).collect();
        for (field, array) in self.indicators.iter().map(|indicator| indicator.column(flags)) {
            fields.push(Arc::new(field));
            arrays.push(array);
        }
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        RecordBatch::try_new(Arc::new(schema), arrays)
            .map_err(|error| Error::Unwritable { format: "Arrow data", problem: error.to_string() })
    }

    fn array(&self, j: usize) -> Result<ArrayRef> {
        let array = self.filled(j)?;
        if !self.erases {
            return Ok(array);
        }
        let mask: BooleanArray = (0..self.batch.len()).map(|i| Some(self.columns[j].is_unknown(i))).collect();
        nullif(&array, &mask).map_err(fill::unwritable)
    }

    fn filled(&self, j: usize) -> Result<ArrayRef> {
        let source = &self.columns[j];
        let cells = self.batch.cells(j)?;
        let gaps = source.gaps(&cells, self.batch.len());
        match (self.batch.rows(), source.column) {
            (Rows::Text(chunk), column) => typed::array(self.batch, chunk, j, column, &gaps),
            (Rows::Records(Records { records, .. }), Some(column))
                if !matches!(source.cells, Filling::Nothing) && !is_whole(records.column(j), &gaps) =>
            {
                check_type(column, self.batch, j, &cells)?;
                fill::fill(&with_type(records.column(j), column, &cells), column, &gaps)
            }
            (Rows::Records(Records { records, .. }), _) => Ok(records.column(j).clone()),
        }
    }

    /// The encoding of the original text.
    pub(crate) fn encoding(&self) -> Encoding {
        match self.batch.rows() {
            Rows::Text(chunk) => chunk.encoding(),
            Rows::Records(_) => Encoding::default(),
        }
    }

    /// Whether its columns have names of their own.
    pub(crate) fn has_names(&self) -> bool {
        self.batch.has_names()
    }

    /// Whether it was read from a workbook.
    pub(crate) fn is_sheet(&self) -> bool {
        self.batch.is_sheet()
    }

    /// The batch as lines of JSON: the original lines with their missing cells replaced, if it was read from such.
    pub(crate) fn json(&self) -> Result<String> {
        let records = self.records()?;
        let unwritable = |problem| Error::Unwritable { format: "JSON lines", problem };
        let Some(lines) = self.batch.lines() else { return json::lines_of(&records).map_err(unwritable) };
        let missing = (0..self.columns.len()).map(|j| self.batch.missing(j)).collect::<Result<Vec<_>>>()?;
        lines.splice(&records, &missing).map_err(unwritable)
    }

    /// The original text with its missing cells replaced, if the batch was text, and with another delimiter on request.
    pub(crate) fn text(&self, delimiter: Option<u8>) -> Option<String> {
        let Rows::Text(chunk) = self.batch.rows() else { return None };
        if delimiter.is_some_and(|delimiter| delimiter != chunk.delimiter()) {
            return None;
        }
        let added: Vec<Added> = self.indicators.iter().map(Indicator::text).collect();
        Some(chunk.splice(&added, |i, j| {
            let source = &self.columns[j];
            if self.erases {
                let observed = !chunk.is_missing(j, &chunk.cell(i, j));
                // In a single column an empty cell would be a blank line.
                let nothing = if self.columns.len() == 1 { "NA" } else { "" };
                return (observed && source.is_unknown(i)).then(|| nothing.to_string());
            }
            let (column, cell) = (source.column?, source.cell(i)?);
            if !chunk.is_missing(j, &chunk.cell(i, j)) {
                return None;
            }
            Some(column.kind().show(cell))
        }))
    }
}
