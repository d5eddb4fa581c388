//! Methods of learning a density, compared on simulated tables: seconds and held-out likelihood.
//!
//! ```text
//! cargo bench -p psd-impute --bench learning
//! ```
//!
//! Alternating, joint, and joint learning finished by the convex solve.

mod compare;
mod data;

use psd_impute::Result;

fn main() -> Result<()> {
    // `cargo test --all-targets` runs benchmarks too, without the flag that `cargo bench` passes.
    if std::env::args().any(|argument| argument == "--bench") { compare::run() } else { Ok(()) }
}
