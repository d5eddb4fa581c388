//! Completes a table with the mean or the most frequent label of each column: `fill_missing in.parquet out.csv [column=override ...]`,
//! where an override is `category`, `continuous` or `ignore`. Prints what the columns are, one per line.

use psd_impute::table::{Kind, Table};
use psd_impute_frame::{ColumnOverride, ColumnOverrides, Plan, ReadOptions, Report, Result, Source, Writer};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output, overrides @ ..] = arguments.as_slice() else {
        eprintln!("usage: fill_missing INPUT OUTPUT [COLUMN=category|continuous|ignore ...]");
        return ExitCode::from(1);
    };
    let overrides = overrides.iter().filter_map(|text| column_override(text)).collect();
    match run(Path::new(input), Path::new(output), &overrides) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            if let Some(hint) = error.hint() {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(2)
        }
    }
}

fn column_override(text: &str) -> Option<(String, ColumnOverride)> {
    let (column, wanted) = text.split_once('=')?;
    let wanted = match wanted {
        "category" => ColumnOverride::Category,
        "continuous" => ColumnOverride::Continuous,
        "ignore" => ColumnOverride::Ignore,
        _ => return None,
    };
    Some((column.to_string(), wanted))
}

fn run(input: &Path, output: &Path, overrides: &ColumnOverrides) -> Result<()> {
    let source = Source::open(input, &ReadOptions::default())?;
    let plan = Plan::infer(source.batches()?, overrides)?;
    for column in plan.columns() {
        println!("{}\t{}\t{}", column.name(), column.kind().name(), column.note(0).unwrap_or_default());
    }
    let mut means = Means::default();
    for batch in source.batches()? {
        means.add(&plan.encode(&batch?)?.0);
    }
    let mut writer = Writer::create(output, source.format())?;
    let mut report = Report::default();
    for batch in source.batches()? {
        let batch = batch?;
        let (table, found) = plan.encode(&batch)?;
        report.add(&found);
        writer.write(&plan.decode(&batch, &means.complete(&table)?)?)?;
    }
    for note in report.notes() {
        eprintln!("{note}");
    }
    writer.finish()
}

/// The value that each column is completed with.
#[derive(Default)]
struct Means {
    columns: Vec<Counts>,
}

/// The sum and number of a column's cells, and how often it has each label.
#[derive(Default, Clone)]
struct Counts {
    sum: f64,
    cells: f64,
    labels: Vec<u64>,
}

impl Means {
    fn add(&mut self, table: &Table) {
        self.columns.resize(table.columns().len(), Counts::default());
        for (j, counts) in self.columns.iter_mut().enumerate() {
            counts.labels.resize(table.columns()[j].kind().atoms().len(), 0);
            for x in table.observed(j) {
                counts.sum += x;
                counts.cells += 1.0;
                if let Some(label) = counts.labels.get_mut(x as usize) {
                    *label += 1;
                }
            }
        }
    }

    fn complete(&self, table: &Table) -> Result<Table> {
        let mut cells = table.cells().to_owned();
        for (j, counts) in self.columns.iter().enumerate() {
            let most = (0..counts.labels.len()).rev().max_by_key(|&k| counts.labels[k]);
            let value = match table.columns()[j].kind() {
                Kind::Category(_) => most.unwrap_or(0) as f64,
                _ => counts.sum / counts.cells,
            };
            for i in 0..table.len() {
                if cells[(j, i)].is_nan() {
                    cells[(j, i)] = value;
                }
            }
        }
        Ok(table.with_cells(cells)?)
    }
}
