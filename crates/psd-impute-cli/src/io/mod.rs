//! Writing files.

mod file;

pub(crate) use file::{check_output, write_file};
