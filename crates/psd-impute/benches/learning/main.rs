//! Methods of learning a density, compared on simulated tables: seconds and held-out likelihood.
//!
//! ```text
//! cargo bench -p psd-impute --bench learning                   all sections
//! cargo bench -p psd-impute --bench learning -- anchors        one of them
//! ```
//!
//! - `learning`: alternating, joint, and joint learning finished by the convex solve;
//! - `anchors`: full, low-rank and diagonal `Q` against the number of anchors.

mod anchors;
mod compare;
mod data;

use psd_impute::{Error, Result};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = arguments.iter().map(String::as_str).filter(|a| !a.starts_with("--")).collect();
    // `cargo test --all-targets` runs benchmarks too, without the flag that `cargo bench` passes.
    if names.is_empty() && !arguments.iter().any(|a| a == "--bench") {
        return Ok(());
    }
    if let Some(other) = names.iter().find(|name| !["learning", "anchors"].contains(name)) {
        let expected = "learning or anchors";
        return Err(Error::BadParameter { name: "section", value: other.to_string(), expected });
    }
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    if wanted("learning") {
        compare::run()?;
    }
    if wanted("anchors") {
        anchors::run()?;
    }
    Ok(())
}
