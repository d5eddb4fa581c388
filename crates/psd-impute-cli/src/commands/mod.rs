//! The subcommands, one per file, and their shared parts.

pub(crate) mod ampute;
mod bounds;
pub(crate) mod demo;
pub(crate) mod describe;
pub(crate) mod evaluate;
mod failure;
pub(crate) mod fit;
mod fit_args;
mod fitted;
pub(crate) mod impute;
mod intervals;
pub(crate) mod lab;
pub(crate) mod man;
mod progress;
#[cfg(test)]
mod reference;
pub(crate) mod report;
mod run_args;
pub(crate) mod sample;
pub(crate) mod score;
pub(crate) mod shell;
mod summary;
mod table_args;

pub(crate) use failure::Failure;
