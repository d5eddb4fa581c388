//! Shared helpers: completing a table in the simplest way.

use arrow_array::RecordBatch;
use psd_impute::table::Table;
use psd_impute_frame::{
    Batch, Bounds, BoundsOptions, ColumnOverrides, Plan, ReadOptions, Remark, Result, Source, Survey, Writer,
};
use std::path::Path;

/// The table with `cell` in all missing cells.
pub(crate) fn filled(table: &Table, cell: f64) -> Table {
    let mut cells = table.cells().to_owned();
    for i in 0..table.len() {
        for j in 0..table.columns().len() {
            if cells[(j, i)].is_nan() {
                cells[(j, i)] = cell;
            }
        }
    }
    table.with_cells(cells).unwrap()
}

/// Opens a file as usual.
pub(crate) fn open(path: &Path) -> Result<Source> {
    Source::open(path, &ReadOptions::default())
}

/// The plan that the rules make for a file.
pub(crate) fn plan(path: &Path, overrides: &ColumnOverrides) -> Result<Plan> {
    Plan::infer(open(path)?.batches()?, overrides)
}

/// Completes a file with `cell` and writes it to another.
pub(crate) fn complete(input: &Path, output: &Path, overrides: &ColumnOverrides, cell: f64) -> Result<Plan> {
    let source = open(input)?;
    let plan = Plan::infer(source.batches()?, overrides)?;
    let mut writer = Writer::create(output, source.format())?;
    for batch in source.batches()? {
        let batch = batch?;
        let table = plan.encode(&batch)?.0;
        writer.write(&plan.decode(&batch, &filled(&table, cell))?)?;
    }
    writer.finish()?;
    Ok(plan)
}

/// The plan for text.
pub(crate) fn plan_of(text: &str, overrides: &ColumnOverrides) -> Result<Plan> {
    Plan::infer(source_of(text).batches()?, overrides)
}

/// Text as a source.
pub(crate) fn source_of(text: &str) -> Source {
    Source::spool(text.as_bytes(), &ReadOptions::default()).unwrap()
}

/// The batches of text.
pub(crate) fn batches_of(text: &str) -> Vec<Batch> {
    source_of(text).batches().unwrap().collect::<Result<_>>().unwrap()
}

/// Completes a record batch with `cell`.
pub(crate) fn complete_records(records: RecordBatch, cell: f64) -> RecordBatch {
    let batch = Batch::from(records);
    let plan = Plan::infer([Ok(batch.clone())], &ColumnOverrides::new()).unwrap();
    let table = plan.encode(&batch).unwrap().0;
    let completed = filled(&table, cell);
    plan.decode(&batch, &completed).unwrap().records().unwrap()
}

/// Text as a source that is read with options.
pub(crate) fn source_with(text: &str, options: &ReadOptions) -> Source {
    Source::spool(text.as_bytes(), options).unwrap()
}

/// The report on the cells of a text.
pub(crate) fn remarks_of(text: &str, options: &ReadOptions) -> Vec<String> {
    let mut survey = Survey::default();
    for batch in source_with(text, options).batches().unwrap() {
        survey.add(&batch.unwrap()).unwrap();
    }
    let plan = survey.plan(&ColumnOverrides::new()).unwrap();
    survey.remarks(&plan).iter().map(Remark::to_string).collect()
}

/// The text completed with `cell`.
pub(crate) fn completed(text: &str, options: &ReadOptions, cell: f64) -> String {
    let source = source_with(text, options);
    let plan = Plan::infer(source.batches().unwrap(), &ColumnOverrides::new()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.csv");
    let mut writer = Writer::create(&output, source.format()).unwrap();
    for batch in source.batches().unwrap() {
        let batch = batch.unwrap();
        let table = plan.encode(&batch).unwrap().0;
        writer.write(&plan.decode(&batch, &filled(&table, cell)).unwrap()).unwrap();
    }
    writer.finish().unwrap();
    std::fs::read_to_string(output).unwrap()
}

/// The bounds of one column.
pub(crate) fn asked(bounds: Bounds) -> BoundsOptions {
    BoundsOptions { asked: vec![bounds], ..BoundsOptions::default() }
}
