//! One file for each subcommand.

pub(crate) mod demo;
mod failure;
pub(crate) mod impute;

pub(crate) use failure::Failure;
