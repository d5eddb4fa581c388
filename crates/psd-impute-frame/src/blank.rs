//! Rows with all cells missing, for tables that are drawn and not read.

use crate::batch::Batch;
use crate::csv::Chunk;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::open::BATCH;
use crate::place::Origin;
use crate::plan::{ColumnPlan, Kind, Plan, Role};

impl Plan {
    /// Batches of `rows` rows whose cells are all missing, in the columns that [`decode`](Self::decode) fills: the modelled and the
    /// constant ones. Written as text they look as the plan's columns do; they are meant for a writer of this format.
    ///
    /// # Errors
    ///
    /// [`Error::NothingToModel`].
    pub fn blank_batches(&self, rows: u64, format: Format) -> Result<impl Iterator<Item = Batch> + '_> {
        if self.modelled().next().is_none() {
            return Err(Error::NothingToModel { origin: Origin::default() });
        }
        let filled = self.columns().iter().filter(|column| !matches!(column.role(), Role::Left(_)));
        let names: Vec<String> = filled.map(|column| column.name().to_string()).collect();
        let delimiter = self.delimiter(format);
        let batch = move |first: u64| {
            let count = (rows - first).min(BATCH as u64);
            Batch::text(Origin::default(), first, Chunk::blank(&names, delimiter, first, count as usize))
        };
        Ok((0..rows).step_by(BATCH).map(batch))
    }

    /// The delimiter: a tab if the format is that, and otherwise one that does not occur within numbers.
    fn delimiter(&self, format: Format) -> u8 {
        let comma = |column: &ColumnPlan| match column.kind() {
            Kind::Number { text, .. } | Kind::Codes { text, .. } | Kind::Levels { text, .. } => text.comma,
            _ => false,
        };
        match format {
            Format::Tsv(_) => b'\t',
            _ if self.columns().iter().any(comma) => b';',
            _ => b',',
        }
    }
}
