//! `psd-impute impute`: complete a numeric CSV file.

use super::Failure;
use super::bounds::{Bounds, limits};
use crate::io::{CsvTable, check_folder, numbered};
use clap::{Args, ValueEnum};
use psd_impute::density::Density;
use psd_impute::impute::{Imputer, Ties};
use psd_impute::learn::{
    FittedStack, Member, PaperPreset, StackFit, StackObserver, TheoryPreset, TheorySchedule, Tried,
};
use psd_impute::solver::Status;
use psd_impute::table::Table;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The probabilities at which `--intervals` gives quantiles.
const INTERVAL: [f64; 2] = [0.025, 0.975];

/// The subcommand's arguments.
#[derive(Args)]
pub(crate) struct Impute {
    /// The CSV file to complete.
    input: PathBuf,
    /// The file to write; with -m, out.csv becomes out.1.csv, out.2.csv, ...
    #[arg(short, long)]
    output: PathBuf,
    /// What to put into a missing cell.
    #[arg(long, value_enum, default_value_t = Method::Draw)]
    method: Method,
    /// How many completed tables to write. The draws of more than one come from refits under random row weights, so that what is
    /// computed from them can be pooled.
    #[arg(short, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    m: u64,
    /// Draw all tables from the one fit: they then leave out how uncertain the fit is.
    #[arg(long)]
    one_fit: bool,
    /// What the cells of a column may be, both ends included; either may be left out, as in `--bounds age=0:`.
    #[arg(long, value_name = "COL=LO:HI")]
    bounds: Vec<Bounds>,
    /// Also write a CSV file with the mean, standard deviation, median and the quantiles at 2.5 % and 97.5 % of each missing cell.
    /// Rows are counted from 1 below the header.
    #[arg(long, value_name = "FILE")]
    intervals: Option<PathBuf>,
    /// The seed of everything random.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How to fit: the stack chosen by cross-validation, or one of the paper's recipes.
    #[arg(long, value_enum, default_value_t = Preset::Default)]
    preset: Preset,
    /// Seconds after which no finer member is tried.
    #[arg(long, default_value_t = 60.0, value_parser = positive)]
    time_budget: f64,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Method {
    /// A draw from the conditional distribution.
    Draw,
    /// The conditional mean.
    Mean,
    /// The conditional median.
    Median,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Preset {
    /// A stack of members, weighted by how well they predict what they have not seen.
    Default,
    /// One kernel density, its bandwidth and barrier chosen by self-masking, its anchors learned in alternation.
    Paper,
    /// One kernel density with the sizes of the paper's theorem.
    Theory,
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("expected a number of seconds above zero".to_string()),
    }
}

/// What was fitted.
enum Model {
    Stack(Box<FittedStack>),
    Single(Box<dyn Density>),
}

impl Impute {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        self.check_outputs()?;
        let file = CsvTable::read(&self.input)?;
        let limits = limits(&file, &self.bounds)?;
        describe_table(&file);
        if count_missing(file.table()) == 0 {
            eprintln!("note: no cell is missing; the table is written as it is");
            return self.copy(&file);
        }
        every_column_is_observed(&file)?;
        self.describe_tables();
        let (standardised, scaler) = file.table().standardise();
        let (model, converged) = self.fit(&standardised)?;
        let fitted: &dyn Density = match &model {
            Model::Stack(stack) => &stack.density,
            Model::Single(density) => density.as_ref(),
        };
        let ties = Ties::of(file.table()).calibrated(fitted, file.table(), &scaler)?;
        if let Some(path) = &self.intervals {
            let imputer = Imputer::new(fitted, &scaler, &ties, limits.clone())?;
            file.write_intervals(&imputer.summaries(file.table(), &INTERVAL)?, path)?;
        }
        for k in 1..=self.m {
            let refitted = match &model {
                Model::Stack(stack) if self.m > 1 && !self.one_fit && self.method == Method::Draw => {
                    Some(stack.refitted(self.seed, k)?)
                }
                _ => None,
            };
            let density = refitted.as_ref().map_or(fitted, |density| density as &dyn Density);
            let imputer = Imputer::new(density, &scaler, &ties, limits.clone())?;
            let completed = match self.method {
                Method::Mean => imputer.complete_with_means(file.table())?,
                Method::Median => imputer.complete_with_medians(file.table())?,
                Method::Draw => imputer.complete_with_draws(file.table(), self.seed, k)?,
            };
            file.write(&completed, &self.path(k))?;
        }
        if converged {
            return Ok(ExitCode::SUCCESS);
        }
        eprintln!("warning: the fit did not converge; the result was written all the same");
        Ok(ExitCode::from(3))
    }

    /// The file of one of the completed tables.
    fn path(&self, k: u64) -> PathBuf {
        if self.m == 1 { self.output.clone() } else { numbered(&self.output, k as usize) }
    }

    /// Refuses what could not be written, before time is spent on it.
    fn check_outputs(&self) -> Result<(), Failure> {
        check_folder(&self.output)?;
        let Some(intervals) = &self.intervals else { return Ok(()) };
        if (1..=self.m).any(|k| self.path(k) == *intervals) {
            return Err(Failure::SameFile { path: intervals.clone() });
        }
        check_folder(intervals)
    }

    /// Writes a table without gaps.
    fn copy(&self, file: &CsvTable) -> Result<ExitCode, Failure> {
        (1..=self.m).try_for_each(|k| file.write(file.table(), &self.path(k)))?;
        self.intervals.as_ref().map_or(Ok(()), |path| file.write_intervals(&[], path))?;
        Ok(ExitCode::SUCCESS)
    }

    /// What several tables are, where it is not what one would expect.
    fn describe_tables(&self) {
        if self.m > 1 && self.method != Method::Draw {
            eprintln!("note: all {} tables will be the same; only draws differ", self.m);
        } else if self.m > 1 && !self.one_fit && self.preset != Preset::Default {
            eprintln!("note: all tables are drawn from the one fit; only the default preset is refitted");
        }
    }

    fn fit(&self, table: &Table) -> Result<(Model, bool), Failure> {
        match self.preset {
            Preset::Default => {
                let mut budget = Budget {
                    deadline: Instant::now() + Duration::from_secs_f64(self.time_budget),
                    hit: None,
                };
                let fitted = StackFit::for_table(table, self.seed).run(table, &mut budget)?;
                describe_stack(table, &fitted);
                if let Some(member) = budget.hit {
                    eprintln!("note: the time budget ended after the {member}; --time-budget allows more");
                }
                let converged = fitted.converged;
                Ok((Model::Stack(Box::new(fitted)), converged))
            }
            Preset::Paper => {
                let (density, report) = PaperPreset::default().fit(table, self.seed)?;
                let (rounds, kept) = (report.rounds.len(), report.kept + 1);
                eprintln!(
                    "the paper's recipe: mu {}, eta {}; round {kept} of {rounds} kept",
                    report.mu, report.eta
                );
                Ok((Model::Single(Box::new(density)), report.status == Status::Converged))
            }
            Preset::Theory => {
                let (fitted, report) = TheoryPreset::default().fit(table, self.seed)?;
                let TheorySchedule { nu, lambda, anchors, eta } = report.schedule;
                eprintln!(
                    "the theorem's sizes: {anchors} anchors, nu {nu:.3}, lambda {lambda:.2e}, eta {eta:.3}"
                );
                Ok((Model::Single(fitted.density), report.status == Status::Converged))
            }
        }
    }
}

/// Stops the search for finer members when time is up.
struct Budget {
    deadline: Instant,
    /// The last member tried before.
    hit: Option<Member>,
}

impl StackObserver for Budget {
    fn tried(&mut self, member: Member, done: usize, of: usize, _: Option<f64>) -> ControlFlow<()> {
        if done < of && Instant::now() >= self.deadline {
            self.hit = Some(member);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

fn count_missing(table: &Table) -> usize {
    table.rows().map(|row| row.iter().filter(|x| x.is_nan()).count()).sum()
}

fn every_column_is_observed(file: &CsvTable) -> Result<(), Failure> {
    let columns = file.table().columns();
    match (0..columns.len()).find(|&j| file.table().observed(j).next().is_none()) {
        None => Ok(()),
        Some(j) => Err(Failure::NeverObserved {
            path: file.path().to_owned(),
            column: columns[j].name().to_string(),
        }),
    }
}

fn describe_table(file: &CsvTable) {
    let table = file.table();
    let columns: Vec<&str> = table.columns().iter().map(|column| column.name()).collect();
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    eprintln!(
        "{}, {}, {}",
        count(table.len(), "row"),
        count(columns.len(), "column"),
        count(count_missing(table), "missing cell")
    );
    if file.header_is_numeric() {
        eprintln!("note: the first line was taken as the header, though it has numbers only");
    }
    if let Some(name) = (1..columns.len())
        .map(|j| columns[j])
        .find(|name| columns.iter().filter(|other| other == &name).count() > 1)
    {
        eprintln!("note: more than one column is called `{name}`");
    }
}

/// What was found, for the person at the terminal.
fn describe_stack(table: &Table, fitted: &FittedStack) {
    if fitted.rows() < table.len() {
        eprintln!("fitted to {} distinct rows", fitted.rows());
    }
    eprintln!("held-out log-likelihood {:.3} nats a row, of which:", fitted.held_out);
    for Tried { member, space, weight, held_out } in
        fitted.members.iter().filter(|tried| tried.weight > 0.005)
    {
        eprintln!("  {:3.0} %  {member}, {space} ({held_out:.3} alone)", 100.0 * weight);
    }
}
