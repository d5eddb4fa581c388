//! Column settings that override the rules.

use std::collections::BTreeMap;

/// How the caller asks for a column to be treated, whatever it looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnOverride {
    /// As a category, even if its cells are numbers.
    Category,
    /// As ordered levels: few numbers by their size, or labels in the order given, from the lowest to the highest.
    Ordered(Option<Vec<String>>),
    /// As numbers that are completed with full precision.
    Continuous,
    /// As the rules say, but completed even if it looks like an identifier.
    Completed,
    /// Ignored.
    Ignore,
}

impl ColumnOverride {
    /// Its name in errors.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            ColumnOverride::Category => "a category",
            ColumnOverride::Ordered(_) => "ordered",
            ColumnOverride::Continuous => "continuous",
            ColumnOverride::Completed => "a column to complete",
            ColumnOverride::Ignore => "ignored",
        }
    }
}

/// Overrides by the names of the columns.
pub type ColumnOverrides = BTreeMap<String, ColumnOverride>;
