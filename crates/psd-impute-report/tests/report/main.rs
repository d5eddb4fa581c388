//! Reports on generated tables.

#![allow(clippy::unwrap_used, clippy::panic)]

mod bounded;
mod cells;
mod common;
mod completed;
mod escaped;
mod found;
mod looked_at;
mod shown;
