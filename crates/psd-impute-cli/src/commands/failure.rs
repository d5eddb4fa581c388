//! Errors of commands.

use psd_impute::ModelFileError;
use psd_impute_frame::{Place, io_hint};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// An error of a command. [`hint`](Self::hint) tells how to correct it.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Engine(#[from] psd_impute::Error),
    #[error(transparent)]
    Frame(#[from] psd_impute_frame::Error),
    #[error(transparent)]
    Report(psd_impute_report::Error),
    #[error(transparent)]
    Output(#[from] io::Error),
    #[error("{}: {error}", path.display())]
    Model { path: PathBuf, error: Box<psd_impute_frame::Error> },
    #[error("{}: {error}", path.display())]
    Evaluation { path: PathBuf, error: psd_impute_eval::Error },
    #[error("{}: there is no folder {}", path.display(), folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error("{}: is a folder", path.display())]
    IsFolder { path: PathBuf },
    #[error("{}: would be written twice", path.display())]
    SameFile { path: PathBuf },
    #[error("{}: is read from, and would be overwritten", path.display())]
    Overwrites { path: PathBuf },
    #[error("{}: {holds} would be written, but the ending of the name is for something else", path.display())]
    OtherEnding { path: PathBuf, holds: &'static str, wanted: &'static str },
    #[error("{}: is in the folder {}, whose files are read", path.display(), folder.display())]
    WithinInput { path: PathBuf, folder: PathBuf },
    #[error("standard output cannot hold more than one thing")]
    OneStream,
    #[error("standard input cannot be combined with other files")]
    InputsWithStream,
    #[error("drawing a picture: {0}")]
    Picture(String),
    #[error("column `{column}` is given two kinds")]
    TwoKinds { column: String },
    #[error("--mnar needs --mechanism mnar")]
    MnarAlone,
    #[error("{}: there is no such study", path.display())]
    NoStudy { path: PathBuf, known: String },
    #[error("{}: line {line}: {what}", path.display())]
    Study { path: PathBuf, line: usize, what: String },
    #[error("{}: {what}: {found}", path.display())]
    BadStudy { path: PathBuf, what: &'static str, found: String },
    #[error("{}: none of its tables was found", study.display())]
    NoTables { study: PathBuf },
    #[error("{}: line {line}: {what}", path.display())]
    Interval { path: PathBuf, line: u64, what: String },
    #[error("{}: has no record", path.display())]
    NoRecords { path: PathBuf },
    #[error("{}: line {line} is not a record: {what}", path.display())]
    Record { path: PathBuf, line: usize, what: String },
    #[error("{}: has none of these methods, or none is installed", study.display())]
    NoMethods { study: PathBuf },
}

/// A report's errors are a table's or the engine's, as elsewhere, or its own.
impl From<psd_impute_report::Error> for Failure {
    fn from(error: psd_impute_report::Error) -> Self {
        match error {
            psd_impute_report::Error::Frame(error) => Self::Frame(error),
            psd_impute_report::Error::Engine(error) => Self::Engine(error),
            other => Self::Report(other),
        }
    }
}

impl Failure {
    /// Wraps an error of the system about a file.
    pub(crate) fn of_file(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Frame(psd_impute_frame::Error::Io { path: path.to_owned(), error })
    }

    /// Whether the reader of our output has closed it, which is not an error of ours.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        match self {
            Self::Output(error) | Self::Frame(psd_impute_frame::Error::Io { error, .. }) => {
                error.kind() == io::ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }

    /// Whether the command line is wrong, regardless of the files' content.
    pub(crate) fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::SameFile { .. }
                | Self::Overwrites { .. }
                | Self::OtherEnding { .. }
                | Self::OneStream
                | Self::InputsWithStream
                | Self::WithinInput { .. }
                | Self::Frame(
                    psd_impute_frame::Error::BoundsTwice { .. }
                        | psd_impute_frame::Error::UnknownEnding { .. }
                        | psd_impute_frame::Error::Engine(psd_impute::Error::RecipeHasItsOwn)
                )
                | Self::TwoKinds { .. }
                | Self::MnarAlone
        )
    }

    /// The place in a table where the error occurred.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Frame(error) => error.place(),
            Self::Report(error) => error.place(),
            _ => None,
        }
    }

    /// A hint on how to correct it.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Frame(error) => return frame_hint(error),
            Self::Report(error) => return error.hint(),
            Self::Output(error) => return io_hint(error),
            Self::Evaluation { error, .. } => return error.hint().map(String::from),
            Self::Model { error, .. } if is_no_model(error) => {
                "`psd-impute fit TABLE -o MODEL` writes a model".into()
            }
            Self::Model { .. } => "fit the model again with `psd-impute fit`".into(),
            Self::NoFolder { .. } => "make the folder first".into(),
            Self::IsFolder { .. } => "add the name of a file".into(),
            Self::SameFile { .. } => "give each output a file of its own".into(),
            Self::Overwrites { .. } => "write to another file; what is missing would be lost".into(),
            Self::WithinInput { .. } => {
                "write to another folder; the file would be read as a part of the table the next time".into()
            }
            Self::InputsWithStream => "name files only, or `-` only".into(),
            Self::OtherEnding { path, wanted, .. } => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                format!("give it a name such as {}{wanted}", name.split('.').next().unwrap_or_default())
            }
            Self::OneStream => "write to files: -o out.csv, --intervals cells.csv".into(),
            Self::TwoKinds { .. } => {
                "name it in one of --categorical, --ordered, --continuous and --ignore".into()
            }
            Self::MnarAlone => "add --mechanism mnar, or leave --mnar out".into(),
            Self::NoStudy { known, .. } => {
                format!("give a TOML file, or one that comes with the command: {known}")
            }
            Self::NoTables { .. } => "name the folder that has them with --data DIR".into(),
            Self::Interval { .. } => {
                "give the file that `psd-impute impute MASKED --intervals FILE` wrote".into()
            }
            Self::NoMethods { .. } => "see `methods` in the study, and what --methods names".into(),
            Self::NoRecords { .. } => "`psd-impute lab run` writes them".into(),
            Self::Record { .. } => {
                "records are what `psd-impute lab run` writes; start a new file with -o".into()
            }
            _ => return None,
        })
    }
}

/// Whether a file is not a model.
fn is_no_model(error: &psd_impute_frame::Error) -> bool {
    use psd_impute_frame::Error::Engine;
    matches!(error, Engine(psd_impute::Error::ModelFile(ModelFileError::NotAModel)))
}

/// The library's hint, in terms of the command's options.
fn frame_hint(error: &psd_impute_frame::Error) -> Option<String> {
    use psd_impute_frame::{Error, LeftColumn};
    Some(match error {
        Error::Ragged { delimiter, .. } => format!(
            "if `{}` does not separate the cells, say what does with --delimiter; if it does, quote cells that contain it",
            delimiter.escape_default()
        ),
        Error::BadCell { column, text, .. } => format!(
            "correct the cell; or add --missing '{column}={text}' if it stands for a missing one, or --categorical {column} or --ignore {column} where the model is fitted"
        ),
        Error::NotUtf8 { .. } => "save the file as UTF-8, or add --encoding windows-1252 or what it is encoded in".into(),
        Error::DuplicateColumn { .. } => {
            "give each column a name of its own, or add --no-header if the first row is data".into()
        }
        Error::NoSheet { known, .. } => format!("name one with --sheet: {}", known.join(", ")),
        Error::Infinite { column, .. } => {
            format!("empty the cell if it is missing, or add --ignore {column} where the model is fitted")
        }
        Error::NothingToModel { .. } => {
            "`psd-impute describe` says what columns are taken for; --categorical and --continuous say otherwise".into()
        }
        Error::StaysEmpty { columns } => {
            let remedies =
                LeftColumn::remedies(columns, ["--categorical", "--continuous", "--ignore"]);
            format!("{remedies}; without --strict the cells stay empty")
        }
        Error::BadOverride { column, wanted: "ordered", .. } => format!(
            "give the levels as they are in the table, from the lowest to the highest: --ordered \"{column}=LOW<MIDDLE<HIGH\""
        ),
        Error::BoundsTwice { column } => format!("both ends go into one, {column}=LO:HI"),
        Error::Engine(psd_impute::Error::RecipeHasItsOwn) => {
            "leave --preset out, or --anchors, --metric and --time-budget".into()
        }
        _ => return error.hint(),
    })
}
