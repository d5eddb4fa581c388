//! Checks in advance, as far as possible, whether a file can be written.

use crate::commands::Failure;
use psd_impute_frame::{Compression, Format, Target};
use std::path::{Path, PathBuf};

/// The content of an output file. Its name must not indicate something else.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Holds {
    /// A table, in the format that the name determines.
    Table,
    /// CSV without compression.
    Csv,
    /// A page of HTML.
    Page,
    /// A page of Markdown; its figures go into a folder of its name without the ending.
    Markdown,
    /// A model; its name may be any but a table's.
    Model,
}

/// Refuses, before time is spent on the content: a path in a folder that does not exist or is not writable, a folder, a file that is an
/// input or would be one the next time, and a name that indicates other content.
pub(crate) fn check_output(path: &Path, holds: Holds, inputs: &[&Path]) -> Result<(), Failure> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Failure::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
    }
    if path.is_dir() {
        return Err(Failure::IsFolder { path: path.to_owned() });
    }
    if path.exists() && inputs.iter().any(|input| place(input) == place(path)) {
        return Err(Failure::Overwrites { path: path.to_owned() });
    }
    let of = folder.canonicalize().ok().filter(|_| Format::of_name(path) == Some(Format::Parquet));
    if let Some(read) = inputs.iter().find(|input| of.as_ref().is_some_and(|of| is_folder_of(input, of))) {
        return Err(Failure::WithinInput { path: path.to_owned(), folder: read.to_path_buf() });
    }
    // Devices and pipes may have any name.
    if !path.exists() || path.is_file() {
        check_name(path, holds)?;
        drop(Target::file(path)?);
    }
    Ok(())
}

/// Whether a path is a folder that contains another path, or is that path.
fn is_folder_of(path: &Path, other: &Path) -> bool {
    path.is_dir() && path.canonicalize().is_ok_and(|place| other.starts_with(place))
}

/// The canonical path of a file, which may not exist yet.
pub(crate) fn place(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let made = || Some(folder.canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(made).unwrap_or_else(|| path.to_owned())
}

fn check_name(path: &Path, holds: Holds) -> Result<(), Failure> {
    let plain = Format::Csv(Compression::None);
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let wanted = match (holds, Format::of_name(path)) {
        (Holds::Table, _) => return Ok(Format::for_output(path, plain).map(|_| ())?),
        (Holds::Csv, format) if format != Some(plain) => ".csv",
        (Holds::Page, _) if !matches!(ending.as_deref(), Some("html" | "htm")) => ".html",
        (Holds::Markdown, _) if ending.as_deref() != Some("md") => ".md",
        (Holds::Model, Some(_)) => ".psd",
        _ => return Ok(()),
    };
    Err(Failure::OtherEnding { path: path.to_owned(), holds: holds.name(), wanted })
}

impl Holds {
    fn name(self) -> &'static str {
        match self {
            Self::Table => "a table",
            Self::Csv => "CSV without compression",
            Self::Page => "HTML",
            Self::Markdown => "Markdown",
            Self::Model => "a model",
        }
    }
}
