//! `psd-impute impute`: complete a numeric CSV file.

use super::Failure;
use crate::io::{CsvTable, numbered};
use clap::{Args, ValueEnum};
use psd_impute::impute::{Ties, complete_with_draws, complete_with_means};
use psd_impute::learn::{FittedStack, Member, fit_stack};
use psd_impute::table::Table;
use rand_chacha::ChaCha8Rng;
use std::path::PathBuf;
use std::process::ExitCode;

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
    /// How many completed tables to write.
    #[arg(short, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    m: u64,
    /// The seed of anchors and draws.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Method {
    /// A draw from the conditional distribution.
    Draw,
    /// The conditional mean.
    Mean,
}

impl Impute {
    pub(crate) fn run(&self) -> Result<ExitCode, Failure> {
        let file = CsvTable::read(&self.input)?;
        let (standardised, scaler) = file.table().standardise();
        let members: Vec<Member> = [Member::Normal]
            .into_iter()
            .chain([2, 4, 8, 16].map(|components| Member::Mixture { components, scale: 0.2 }))
            .collect();
        let fitted = fit_stack::<ChaCha8Rng>(&standardised, &members, 5, self.seed)?;
        summarise(file.table(), &fitted);
        let ties = Ties::of(file.table());
        for k in 1..=self.m {
            let completed = match self.method {
                Method::Mean => complete_with_means(&fitted.density, file.table(), &scaler)?,
                Method::Draw => {
                    complete_with_draws(&fitted.density, file.table(), &scaler, &ties, self.seed, k)?
                }
            };
            let path = if self.m == 1 { self.output.clone() } else { numbered(&self.output, k as usize) };
            file.write(&completed, &path)?;
        }
        if fitted.converged {
            return Ok(ExitCode::SUCCESS);
        }
        eprintln!("warning: the fit did not converge; the result was written all the same");
        Ok(ExitCode::from(3))
    }
}

/// What was found, for the person at the terminal.
fn summarise(table: &Table, fitted: &FittedStack) {
    let missing: usize = table.rows().map(|row| row.iter().filter(|x| x.is_nan()).count()).sum();
    let (rows, columns) = (table.len(), table.columns().len());
    eprintln!("{rows} rows, {columns} columns, {missing} missing cells");
    eprintln!("held-out log-likelihood {:.3} nats a row, of which:", fitted.held_out);
    for (member, weight, held_out) in fitted.members.iter().filter(|member| member.1 > 0.005) {
        eprintln!("  {:3.0} %  {} ({held_out:.3} alone)", 100.0 * weight, describe(member));
    }
}

fn describe(member: &Member) -> String {
    match member {
        Member::Normal => "normal model".to_string(),
        Member::Mixture { components, .. } => format!("mixture of {components} normals"),
        Member::Psd { anchors, .. } => format!("kernel density with {anchors} anchors"),
        Member::Donors => "donors".to_string(),
    }
}
