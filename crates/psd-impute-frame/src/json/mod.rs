//! JSON, one object per line. The bytes of lines are kept, so that observed values are written back unchanged.

mod keys;
mod line;
mod lines;
mod reader;
mod value;

pub(crate) use keys::Keys;
pub(crate) use line::Input;
pub(crate) use lines::Lines;
pub(crate) use reader::LineReader;
pub(crate) use value::{lines_of, text_of};
