//! Checks of output files.

mod check;

pub(crate) use check::{Holds, check_output, place};
