//! CSV text. Cells are kept as spans of the file's bytes, so that observed cells are written back unchanged.

mod chunk;
mod dialect;
mod reader;
mod scan;
#[cfg(test)]
mod tests;

pub(crate) use chunk::{Added, Chunk};
pub(crate) use reader::{ChunkReader, Dialect};
pub(crate) use scan::{Span, count_lines};
