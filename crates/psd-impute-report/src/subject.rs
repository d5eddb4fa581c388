//! What a report is about.

use psd_impute_frame::{BoundsOptions, Source, TableModel};

/// What a report is about.
pub struct Subject<'a> {
    /// The table, as it is.
    pub source: &'a Source,
    /// Completed copies of it. Without any, missing cells are drawn from the model.
    pub completed: &'a [Source],
    /// The model.
    pub model: &'a TableModel,
    /// What the cells of columns may be.
    pub bounds: BoundsOptions,
    /// What things are called.
    pub names: Names,
}

/// What things are called in the report.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The table's file.
    pub table: String,
    /// The model's file.
    pub model: String,
    /// The completed tables' files.
    pub completed: Vec<String>,
    /// The words of the command that makes the report.
    pub command: Vec<String>,
}

impl<'a> Subject<'a> {
    /// A table and a model that was fitted to it or to others like it.
    pub fn new(source: &'a Source, model: &'a TableModel) -> Self {
        let names = Names { table: source.origin().to_string(), ..Names::default() };
        Self { source, completed: &[], model, bounds: BoundsOptions::default(), names }
    }
}
