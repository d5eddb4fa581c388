//! Speeds of the engine. Every speed is a ratio to a rate or a time measured in the same run.
//!
//! ```text
//! cargo bench -p psd-impute --bench engine                     all sections
//! cargo bench -p psd-impute --bench engine -- maps growth      some of them
//! ```
//!
//! - `maps`: the data term's two linear maps against a matrix product;
//! - `newton`: one Newton step against the dense kernels that it requires;
//! - `whole`: a whole solve: time, phases, memory;
//! - `growth`: time against the number of rows.

mod clock;
mod data;
mod growth;
mod kernels;
mod maps;
mod newton;
mod whole;

use kernels::Machine;
use psd_impute::{Error, Result};

const SECTIONS: [&str; 4] = ["maps", "newton", "whole", "growth"];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = arguments.iter().map(String::as_str).filter(|a| !a.starts_with("--")).collect();
    if let [whole::CHILD, columns] = names[..] {
        return whole::child(columns);
    }
    // `cargo test --all-targets` runs benchmarks too, without the flag that `cargo bench` passes.
    if names.is_empty() && !arguments.iter().any(|a| a == "--bench") {
        return Ok(());
    }
    if let Some(other) = names.iter().find(|name| !SECTIONS.contains(name)) {
        let expected = "maps, newton, whole or growth";
        return Err(Error::BadParameter { name: "section", value: other.to_string(), expected });
    }
    let machine = Machine::measure();
    println!("{machine}");
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    if wanted("maps") {
        maps::run(&machine)?;
    }
    if wanted("newton") {
        newton::run(&machine)?;
    }
    if wanted("whole") {
        whole::run();
    }
    if wanted("growth") {
        growth::run()?;
    }
    Ok(())
}
