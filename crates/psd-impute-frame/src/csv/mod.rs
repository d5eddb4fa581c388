//! CSV text. Cells are kept as spans of the file's bytes, so that what is observed comes out as it went in.

mod chunk;
mod dialect;
mod reader;
mod scan;
#[cfg(test)]
mod tests;

pub(crate) use chunk::{Added, Chunk};
pub use dialect::DEFAULT_MISSING;
pub(crate) use dialect::Missing;
pub(crate) use reader::ChunkReader;
pub(crate) use scan::count_lines;
