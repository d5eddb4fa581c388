//! Reading and writing files.

mod csv_table;
mod file;

pub(crate) use csv_table::{CsvTable, numbered};
pub(crate) use file::write_file;
