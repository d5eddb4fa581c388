//! Reading and writing tables.

mod csv_table;

pub(crate) use csv_table::{CsvTable, numbered};
