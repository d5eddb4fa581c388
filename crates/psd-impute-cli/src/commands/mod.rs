//! One file for each subcommand.

mod bounds;
pub(crate) mod demo;
mod failure;
pub(crate) mod impute;

pub(crate) use failure::Failure;
