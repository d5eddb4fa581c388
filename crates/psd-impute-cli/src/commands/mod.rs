//! One file for each subcommand.

pub(crate) mod ampute;
mod bounds;
pub(crate) mod demo;
pub(crate) mod evaluate;
mod failure;
pub(crate) mod impute;

pub(crate) use failure::Failure;
