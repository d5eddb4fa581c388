//! One file for each subcommand.

pub(crate) mod demo;
mod failure;

pub(crate) use failure::Failure;
