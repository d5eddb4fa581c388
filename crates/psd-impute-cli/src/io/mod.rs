//! Files that are to be written.

mod check;

pub(crate) use check::{Holds, check_output, place};
