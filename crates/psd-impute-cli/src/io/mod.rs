//! Reading and writing files.

mod csv_table;
mod file;

pub(crate) use csv_table::{CsvTable, numbered};
pub(crate) use file::{check_folder, write_file};
