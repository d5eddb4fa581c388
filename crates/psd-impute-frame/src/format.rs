//! The formats of files.

use crate::error::{Error, Result};
use std::path::Path;

/// The endings of names that say a format, for messages.
pub const ENDINGS: &str = ".csv, .tsv (also .csv.gz, .csv.zst, ...), .parquet, .arrow, .feather, .arrows";

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text, with commas unless the file says otherwise.
    Csv(Compression),
    /// Text with tabs.
    Tsv(Compression),
    /// Parquet.
    Parquet,
    /// The Arrow IPC file format, also known as Feather.
    ArrowFile,
    /// The Arrow IPC stream format.
    ArrowStream,
}

/// How text is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// It is not.
    None,
    /// Gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Format {
    /// What the name of a file says.
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let (stem, compression) = match name.rsplit_once('.')? {
            (stem, "gz") => (stem, Compression::Gzip),
            (stem, "zst") => (stem, Compression::Zstd),
            _ => (name.as_str(), Compression::None),
        };
        match (stem.rsplit_once('.').map(|(_, extension)| extension), compression) {
            (Some("csv" | "txt"), _) => Some(Self::Csv(compression)),
            (Some("tsv" | "tab"), _) => Some(Self::Tsv(compression)),
            (Some("parquet" | "pq"), Compression::None) => Some(Self::Parquet),
            (Some("arrow" | "feather" | "ipc"), Compression::None) => Some(Self::ArrowFile),
            (Some("arrows"), Compression::None) => Some(Self::ArrowStream),
            _ => None,
        }
    }

    /// The format to write a file in, which its name must say. What has a name but is no file, such as a device or a pipe, is written in
    /// the format `source` unless its name says another.
    pub fn for_output(path: &Path, source: Self) -> Result<Self> {
        let special = || path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        match Self::of_name(path) {
            Some(format) => Ok(format),
            None if special() => Ok(source),
            None => Err(Error::UnknownEnding { path: path.to_owned() }),
        }
    }

    /// What the first bytes of a file say; text if they say nothing.
    pub fn of_content(start: &[u8]) -> Self {
        match start {
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::ArrowFile,
            [0xff, 0xff, 0xff, 0xff, ..] => Self::ArrowStream,
            [0x1f, 0x8b, ..] => Self::Csv(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Csv(Compression::Zstd),
            _ => Self::Csv(Compression::None),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv(_) | Self::Tsv(_) => "CSV",
            Self::Parquet => "Parquet",
            Self::ArrowFile => "an Arrow file",
            Self::ArrowStream => "an Arrow stream",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_formats() {
        let of = |name: &str| Format::of_name(Path::new(name));
        assert_eq!(of("a.csv"), Some(Format::Csv(Compression::None)));
        assert_eq!(of("a.b.CSV.GZ"), Some(Format::Csv(Compression::Gzip)));
        assert_eq!(of("a.tsv.zst"), Some(Format::Tsv(Compression::Zstd)));
        assert_eq!(of("dir.csv/a.parquet"), Some(Format::Parquet));
        assert_eq!(of("a.feather"), Some(Format::ArrowFile));
        assert_eq!(of("a.arrows"), Some(Format::ArrowStream));
        assert_eq!((of("a.parquet.gz"), of("a"), of("a.gz"), of("a.xlsx")), (None, None, None, None));
    }
}
