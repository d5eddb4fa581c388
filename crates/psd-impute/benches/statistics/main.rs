//! Tests of the claims about estimates on simulated tables.
//!
//! ```text
//! cargo bench -p psd-impute --bench statistics                   all but the last section
//! cargo bench -p psd-impute --bench statistics -- rate           one of them
//! cargo bench -p psd-impute --bench statistics -- members 200    coverage by stacks with fewer members, 200 tables each
//! ```
//!
//! - `coverage`: intervals from several completed tables, pooled by Rubin's rules;
//! - `clusters`: variance of imputations of clustered data against that required by these rules;
//! - `rate`: the rate at which the divergence from a known density falls with the number of rows;
//! - `members`: coverage by stacks with fewer members, only if requested.

mod clusters;
mod coverage;
mod data;
mod rate;
mod rubin;

use psd_impute::{Error, Result};

/// Tables simulated for `coverage` unless told.
const TABLES: u64 = 500;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|a| !a.starts_with("--")).collect();
    let (counts, names): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.parse::<u64>().is_ok());
    // `cargo test --all-targets` runs benchmarks too, without the flag that `cargo bench` passes.
    if names.is_empty() && !arguments.iter().any(|a| a == "--bench") {
        return Ok(());
    }
    if let Some(other) = names.iter().find(|name| !["coverage", "clusters", "rate", "members"].contains(name))
    {
        let expected = "coverage, clusters, rate or members";
        return Err(Error::BadParameter { name: "section", value: other.to_string(), expected });
    }
    let tables = counts.first().and_then(|count| count.parse().ok()).unwrap_or(TABLES);
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    if wanted("coverage") {
        coverage::run(tables)?;
    }
    if wanted("clusters") {
        clusters::run(tables)?;
    }
    if wanted("rate") {
        rate::run()?;
    }
    if names.contains(&"members") {
        coverage::by_members(tables)?;
    }
    Ok(())
}
