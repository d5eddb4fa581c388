//! Properties that hold for any bytes. The fuzz target `csv_kinds` uses this file, too.

use psd_impute::table::Table;
use psd_impute_frame::{
    Batch, ColumnOverrides, ColumnPlan, Compression, Format, Plan, ReadOptions, Reason, Result, Role, Source,
    Writer,
};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

const CSV: Format = Format::Csv(Compression::None);

/// Reads bytes as a table with a given or detected delimiter, plans its columns, and writes it. Any step may fail, but none may panic,
/// and if all succeed then cells that were not filled are written byte for byte. Returns whether all succeeded.
pub(crate) fn check(bytes: &[u8], delimiter: Option<u8>) -> bool {
    let options = ReadOptions { delimiter, ..ReadOptions::default() };
    let Ok(source) = Source::spool(bytes, &options) else { return false };
    if source.format() != CSV {
        return false;
    }
    match written(&source) {
        Ok(output) => {
            assert_eq!(output, bytes, "{:?} became {:?}", text(bytes), text(&output));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            error.hint();
            false
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The table as written without changes.
fn written(source: &Source) -> Result<Vec<u8>> {
    let plan = Plan::infer(source.batches()?, &ColumnOverrides::new())?;
    let stays = untouched(&plan)?;
    let output = Output::default();
    let mut writer = Writer::to(output.clone(), CSV, CSV)?;
    for batch in source.batches()? {
        let batch = batch?;
        let (table, _) = plan.encode(&batch)?;
        // A name may be taken by an indicator, and a text may have no place in a type.
        let _ = complete(&plan, &batch, &table);
        writer.write(&stays.decode(&batch, &table)?)?;
    }
    writer.finish()?;
    Ok(output.take())
}

/// The plan without its constants, which fill cells unknown to the engine.
fn untouched(plan: &Plan) -> Result<Plan> {
    let column = |column: &ColumnPlan| match column.role() {
        Role::Constant(_) => {
            ColumnPlan::new(column.name(), column.kind().clone(), Role::Left(Reason::Ignored))
        }
        _ => column.clone(),
    };
    Plan::new(plan.columns().iter().map(column).collect())
}

/// Completes the table with zeros and writes it as text and records, with indicators of all columns.
fn complete(plan: &Plan, batch: &Batch, table: &Table) -> Result<()> {
    let mut cells = table.cells().to_owned();
    for i in 0..table.len() {
        for j in 0..table.columns().len() {
            if cells[(j, i)].is_nan() {
                cells[(j, i)] = 0.0;
            }
        }
    }
    let completed = table.with_cells(cells)?;
    let names: Vec<String> = batch.names().into_iter().map(String::from).collect();
    let completed = plan.decode(batch, &completed)?.with_indicators(&names)?;
    let records = completed.records()?;
    assert_eq!(records.num_rows(), batch.len());
    let mut writer = Writer::to(std::io::sink(), CSV, CSV)?;
    writer.write(&completed)?;
    writer.finish()
}

/// Where a writer's bytes can be found afterwards.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
