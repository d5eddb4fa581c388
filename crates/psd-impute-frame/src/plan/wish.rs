//! Column settings that override the rules.

use std::collections::BTreeMap;

/// How the caller asks for a column to be treated, whatever it looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
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

impl Wish {
    /// Its name in errors.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Wish::Category => "a category",
            Wish::Ordered(_) => "ordered",
            Wish::Continuous => "continuous",
            Wish::Completed => "a column to complete",
            Wish::Ignore => "ignored",
        }
    }
}

/// Wishes by the names of the columns.
pub type Wishes = BTreeMap<String, Wish>;
