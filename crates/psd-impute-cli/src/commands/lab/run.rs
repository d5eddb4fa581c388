//! `psd-impute lab run`: run or resume a study.

use super::records::Journal;
use super::setting::setting;
use super::studies;
use crate::commands::Failure;
use crate::commands::progress::Progress;
use crate::commands::table_args::is_standard;
use crate::diagnostic::printable;
use clap::Args;
use psd_impute::table::{Column, Kind, Table};
use psd_impute_eval::lab::{self, Dataset, Done, Method, Record, Study, TableSource};
use psd_impute_frame::{ColumnOverrides, Plan, ReadOptions, Source};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::available_parallelism;

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Run {
    /// The study: a TOML file, or `paper.toml`, `in-sample.toml` or `minute.toml`, which come with the command.
    study: PathBuf,
    /// The folder with the study's tables, each a file NAME.csv.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Some of the study's methods only.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Vec<Method>,
    /// The file that records are added to, one JSON object per line; runs that it has are not repeated. Unless given, the study's name with
    /// `.jsonl`, in this folder; `-` writes standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Trials to run at once, each on one core; as many as there are cores unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// No progress and no summary; only errors and warnings.
    #[arg(long)]
    quiet: bool,
}

impl Run {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let mut study = studies::read(&self.study)?;
        let datasets = self.datasets(&study)?;
        if !self.methods.is_empty() {
            study.methods.retain(|method| self.methods.contains(method));
        }
        study.methods.retain(|method| installed(*method));
        if study.methods.is_empty() {
            return Err(Failure::NoMethods { study: self.study.clone() });
        }
        let (mut journal, before) = Journal::open(&self.output())?;
        let done: HashSet<String> =
            before.iter().filter(|record| record.is_whole(&study)).map(Record::key).collect();
        let jobs = lab::jobs(&study, &datasets, &done);
        let threads = match self.threads {
            Some(threads) => threads as usize,
            None => available_parallelism().map_or(1, usize::from),
        };
        let progress = Progress::new(self.quiet);
        progress.begin("trials", jobs.len() as u64);
        let (mut added, mut failed, mut unfilled) = (0, 0, 0);
        let broken = lab::run(&jobs, &datasets, threads, &setting(), |records| {
            progress.advance(1);
            added += records.len();
            failed += records.iter().filter(|record| matches!(record.done, Done::Failed { .. })).count();
            unfilled += records.iter().filter(|record| matches!(record.done, Done::LeftEmpty { .. })).count();
            match journal.add(&records) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            }
        });
        progress.end();
        if let Some(error) = broken {
            return Err(error);
        }
        if !self.quiet {
            eprintln!(
                "{}: {} records there, {added} added, {failed} of them failed",
                study.title,
                done.len()
            );
            if unfilled > 0 {
                eprintln!(
                    "note: {unfilled} of the records added have no scores, because the method left cells empty; `left_empty` says how many"
                );
            }
            if failed > 0 {
                eprintln!("hint: each that failed has its `error` in the file; it is tried again next time");
            }
            if !is_standard(&self.output()) {
                eprintln!("wrote {}", self.output().display());
            }
        }
        let nothing = added > 0 && failed == added;
        Ok(if nothing { ExitCode::from(2) } else { ExitCode::SUCCESS })
    }

    fn output(&self) -> PathBuf {
        let named = || PathBuf::from(self.study.file_stem().unwrap_or_default()).with_extension("jsonl");
        self.output.clone().unwrap_or_else(named)
    }

    /// The toys, and those of the tables that exist.
    fn datasets(&self, study: &Study) -> Result<Vec<Dataset>, Failure> {
        let mut datasets = Vec::new();
        for &toy in &study.toys {
            // One table for all seeds, as for the other tables.
            let table = toy.rows(study.toy_rows, &mut ChaCha8Rng::seed_from_u64(0))?;
            datasets.push(dataset(toy.name(), &table)?);
        }
        let mut absent = Vec::new();
        for table in &study.tables {
            let path = self.data.as_ref().map(|folder| folder.join(format!("{}.csv", table.name)));
            match path.filter(|path| path.exists()) {
                Some(path) => datasets.push(dataset(&table.name, &numbers(&path)?)?),
                None => absent.push(table),
            }
        }
        self.explain(&absent);
        if datasets.is_empty() {
            return Err(Failure::NoTables { study: self.study.clone() });
        }
        Ok(datasets)
    }

    /// Reports which tables are left out and where to get them.
    fn explain(&self, absent: &[&TableSource]) {
        if absent.is_empty() {
            return;
        }
        let place = match &self.data {
            Some(folder) => format!("they are not in {}", folder.display()),
            None => "there is no data folder".to_string(),
        };
        eprintln!("note: {} tables are left out, because {place}:", absent.len());
        for TableSource { name, source } in absent {
            eprintln!("  {name}.csv: {source}");
        }
        eprintln!(
            "hint: put them into one folder and name it with --data DIR; the study then goes on with them"
        );
    }
}

/// Whether a method can run here; reports it if not.
fn installed(method: Method) -> bool {
    match method.external() {
        Some(external) if !external.is_installed() => {
            eprintln!(
                "note: {} is left out, because it is not installed: {}",
                method.label(),
                external.how_to_install()
            );
            false
        }
        _ => true,
    }
}

fn dataset(name: &str, table: &Table) -> Result<Dataset, Failure> {
    Dataset::standardised(name, table)
        .map_err(|error| Failure::Evaluation { path: PathBuf::from(name), error })
}

/// The columns to impute. Labels that are numbers, such as 0 and 1, are numbers here: most methods support nothing else.
fn numbers(path: &Path) -> Result<Table, Failure> {
    let source = Source::open(path, &ReadOptions::default())?;
    let plan = Plan::infer(source.batches()?, &ColumnOverrides::new())?;
    for note in plan.columns().iter().filter_map(|column| column.note(0)) {
        eprintln!("note: {}: {}", path.display(), printable(&note));
    }
    let table = plan.whole_table(&source)?;
    let mut cells = table.cells().to_owned();
    let mut columns = Vec::new();
    for (j, column) in table.columns().iter().enumerate() {
        let values = match column.kind() {
            Kind::Category(labels) => labels.iter().map(|label| label.parse().ok()).collect(),
            _ => None,
        };
        let Some(values): Option<Vec<f64>> = values else {
            columns.push(column.clone());
            continue;
        };
        cells.row_mut(j).iter_mut().filter(|x| !x.is_nan()).for_each(|x| *x = values[*x as usize]);
        columns.push(Column::ordered(column.name(), values)?);
    }
    Ok(Table::new(columns, cells)?)
}
