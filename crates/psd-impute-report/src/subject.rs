//! The subject of a report.

use psd_impute_frame::{BoundsOptions, Source, TableModel};

/// The inputs of a report.
pub struct Subject<'a> {
    /// The incomplete table.
    pub source: &'a Source,
    /// Completed copies of it. If empty, missing cells are drawn from the model.
    pub completed: &'a [Source],
    /// The model.
    pub model: &'a TableModel,
    /// Bounds of the imputed cells.
    pub bounds: BoundsOptions,
    /// Names shown in the report.
    pub names: Names,
}

/// Names shown in the report.
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
    /// The report of a table and a model that was fitted to it or to a similar one.
    pub fn new(source: &'a Source, model: &'a TableModel) -> Self {
        let names = Names { table: source.origin().to_string(), ..Names::default() };
        Self { source, completed: &[], model, bounds: BoundsOptions::default(), names }
    }
}
