//! Imputed cells: draws of the model, or those of completed tables.

use crate::error::{Error, Result};
use crate::rows::{Rows, Sample};
use psd_impute::impute::Limits;
use psd_impute::table::Table;
use psd_impute_frame::{
    Batch, Checks, ColumnPlan, CompletionOptions, EncodedBatch, Method, Plan, Source, TableModel,
};
use std::collections::HashSet;

/// Completed rows that are compared, at most, over all completed tables.
const SHOWN_ROWS: usize = 4_000;
/// Number of rows up to which a whole table is drawn and checked; of longer tables only the sample is.
const WHOLE: u64 = 20_000;
/// The seed of draws: the default of `impute`.
const SEED: u64 = 0;

/// Rows with missing cells, incomplete and completed.
pub(crate) struct Imputed {
    /// The rows with missing cells.
    pub(crate) gaps: Sample,
    /// The same rows, completed once or several times.
    pub(crate) completed: Vec<Table>,
}

impl Imputed {
    /// Draws the same values as `impute`. All rows drawn are checked.
    pub(crate) fn drawn(
        rows: &Rows,
        gaps: &Sample,
        source: &Source,
        model: &TableModel,
        limits: &Limits,
        checks: &mut Checks,
    ) -> Result<Self> {
        let gaps = gaps.some(SHOWN_ROWS)?;
        let with_gaps: HashSet<u64> = gaps.numbers.iter().copied().collect();
        let looked_at: HashSet<u64> = rows.sample.numbers.iter().copied().collect();
        let whole = rows.report.rows <= WHOLE;
        let (method, limits) = (Method::Draw, limits.clone());
        let options = CompletionOptions { method, tables: 1, seed: SEED, one_fit: false, limits };
        let completion = model.completion(options)?;
        let (mut draws, mut cells) = (completion.rows_of(1)?, Vec::new());
        for encoded in model.plan.batches(source)? {
            let EncodedBatch { batch, table, .. } = encoded?;
            let number = |i: usize| batch.first_row() + i as u64;
            let is_wanted =
                |&i: &usize| whole || looked_at.contains(&number(i)) || with_gaps.contains(&number(i));
            let mut wanted: Vec<usize> = (0..table.len()).filter(is_wanted).collect();
            if wanted.is_empty() {
                // Skipped rows are counted too.
                wanted.push(0);
            }
            let done = draws.complete_some(&table, &wanted)?;
            for (&i, done) in wanted.iter().zip(done.rows()) {
                if whole || looked_at.contains(&number(i)) {
                    checks.add_row(table.row(i), done);
                }
                if with_gaps.contains(&number(i)) {
                    cells.extend(done);
                }
            }
        }
        Ok(Self { completed: vec![model.plan.table(&cells)?], gaps })
    }

    /// Reads the rows from completed tables, which must have the table's rows and observed cells. The first table is checked.
    pub(crate) fn read(
        gaps: &Sample,
        source: &Source,
        completed: &[Source],
        plan: &Plan,
        checks: &mut Checks,
    ) -> Result<Self> {
        let gaps = gaps.some((SHOWN_ROWS / completed.len().max(1)).max(50))?;
        let wanted: HashSet<u64> = gaps.numbers.iter().copied().collect();
        let mut checks = Some(checks);
        let tables = completed.iter().map(|done| read_one(source, done, plan, &wanted, checks.take()));
        Ok(Self { completed: tables.collect::<Result<_>>()?, gaps })
    }

    /// The imputed values of a column.
    pub(crate) fn values(&self, j: usize) -> Vec<f64> {
        let was_missing = |i: &usize| self.gaps.table.row(*i)[j].is_nan();
        let rows: Vec<usize> = (0..self.gaps.table.len()).filter(was_missing).collect();
        let cells = self.completed.iter().flat_map(|table| rows.iter().map(|&i| table.row(i)[j]));
        cells.filter(|x| !x.is_nan()).collect()
    }
}

/// Reads a table row by row.
struct Reader<'a> {
    batches: Box<dyn Iterator<Item = psd_impute_frame::Result<EncodedBatch>> + 'a>,
    /// The current batch and row.
    at: Option<(EncodedBatch, usize)>,
}

impl<'a> Reader<'a> {
    fn new(source: &Source, plan: &'a Plan) -> Result<Self> {
        Ok(Self { batches: Box::new(plan.batches(source)?), at: None })
    }

    /// Moves to the next row; false if there is none.
    fn advance(&mut self) -> Result<bool> {
        if let Some((batch, row)) = &mut self.at
            && *row + 1 < batch.table.len()
        {
            *row += 1;
            return Ok(true);
        }
        let Some(batch) = self.batches.next() else { return Ok(false) };
        self.at = Some((batch?, 0));
        Ok(true)
    }

    fn row(&self) -> &[f64] {
        self.at.as_ref().map_or(&[], |(batch, row)| batch.table.row(*row))
    }
}

fn read_one(
    source: &Source,
    done: &Source,
    plan: &Plan,
    wanted: &HashSet<u64>,
    mut checks: Option<&mut Checks>,
) -> Result<Table> {
    let (mut table, mut completed) = (Reader::new(source, plan)?, Reader::new(done, plan)?);
    let (mut number, mut cells) = (0, Vec::new());
    loop {
        match (table.advance()?, completed.advance()?) {
            (true, true) => {}
            (false, false) => return Ok(plan.table(&cells)?),
            (more, _) => {
                let left = if more { 1 + rest(table)? } else { 0 };
                let found = if more { number.to_string() } else { "more".to_string() };
                return Err(Error::OtherRows {
                    origin: done.origin().clone(),
                    found,
                    expected: number + left,
                });
            }
        }
        check_row(table.row(), &completed, plan)?;
        if let Some(checks) = &mut checks {
            checks.add_row(table.row(), completed.row());
        }
        if wanted.contains(&number) {
            cells.extend(completed.row());
        }
        number += 1;
    }
}

fn rest(mut table: Reader<'_>) -> Result<u64> {
    let mut rows = 0;
    while table.advance()? {
        rows += 1;
    }
    Ok(rows)
}

/// Refuses a row whose observed cells differ, or that has a missing cell. A label that the model does not know counts as missing in
/// both tables.
fn check_row(row: &[f64], completed: &Reader<'_>, plan: &Plan) -> Result<()> {
    let Some((EncodedBatch { batch, counts, .. }, i)) = &completed.at else { return Ok(()) };
    // An absent column has no missing cells to fill.
    let all_filled = |j: usize| counts.columns[j].absent || counts.columns[j].missing == 0;
    let pairs = row.iter().zip(completed.row()).zip(plan.modelled());
    for (j, ((&was, &is), column)) in pairs.enumerate() {
        if was.is_nan() && is.is_nan() && all_filled(j) || was == is || was.is_nan() && !is.is_nan() {
            continue;
        }
        let place = batch.place(*i, position(batch, column));
        let name = column.name().to_string();
        if was.is_nan() {
            return Err(Error::StillMissing { place, column: name });
        }
        let show = |x: f64| if x.is_nan() { String::new() } else { column.kind().show(x) };
        return Err(Error::OtherCell { place, column: name, found: show(is), observed: show(was) });
    }
    Ok(())
}

fn position(batch: &Batch, column: &ColumnPlan) -> usize {
    batch.names().iter().position(|name| *name == column.name()).unwrap_or(0)
}
