//! A model with the plan of its columns: fitted, loaded or saved.

use super::Failure;
use super::fit_args::FitArgs;
use super::progress::{Progress, Watch};
use super::table_args::target;
use psd_impute_frame::{Source, Surveyed, TableModel};
use std::io::Write;
use std::path::Path;

/// Fits a table within the time budget. Adds remarks to `notes`.
pub(crate) fn fit(
    source: &Source,
    surveyed: Surveyed,
    args: &FitArgs,
    seed: u64,
    progress: &Progress,
    notes: &mut Vec<String>,
) -> Result<TableModel, Failure> {
    let options = args.options(seed)?;
    let (fitted, remark) = surveyed.fit(source, &options, &mut Watch::new(progress))?;
    notes.extend(remark.map(|remark| remark.to_string()));
    Ok(fitted)
}

/// Reads a model file.
pub(crate) fn load(path: &Path) -> Result<TableModel, Failure> {
    let bytes = std::fs::read(path).map_err(Failure::of_file(path))?;
    TableModel::read(&bytes).map_err(|error| Failure::Model { path: path.to_owned(), error: error.into() })
}

/// Writes a model file; `-` is standard output.
pub(crate) fn save(fitted: &TableModel, path: &Path) -> Result<(), Failure> {
    let bytes = fitted.to_bytes()?;
    let mut target = target(path)?;
    target.write_all(&bytes).map_err(Failure::of_file(path))?;
    Ok(target.finish()?)
}
