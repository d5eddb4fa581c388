//! File formats.

use crate::error::{Error, Result};
use crate::excel::check_size;
use std::io::Read;
use std::path::Path;

/// Bytes of a file read to detect its format.
pub(crate) const START: usize = 512;

/// The file name endings that determine a format, for messages.
pub const ENDINGS: &str =
    ".csv, .tsv, .jsonl, .ndjson (also .csv.gz, .csv.zst, ...), .xlsx, .parquet, .arrow, .feather, .arrows";

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text, with commas unless detected otherwise.
    Csv(Compression),
    /// Text with tabs.
    Tsv(Compression),
    /// JSON, one object per line.
    JsonLines(Compression),
    /// A sheet of an Excel workbook.
    Excel,
    /// Parquet.
    Parquet,
    /// The Arrow IPC file format, also known as Feather.
    ArrowFile,
    /// The Arrow IPC stream format.
    ArrowStream,
}

/// The compression of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Uncompressed.
    None,
    /// Gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Format {
    /// The format that a file's name determines.
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
            (Some("jsonl" | "ndjson"), _) => Some(Self::JsonLines(compression)),
            (Some("xlsx"), Compression::None) => Some(Self::Excel),
            (Some("parquet" | "pq"), Compression::None) => Some(Self::Parquet),
            (Some("arrow" | "feather" | "ipc"), Compression::None) => Some(Self::ArrowFile),
            (Some("arrows"), Compression::None) => Some(Self::ArrowStream),
            _ => None,
        }
    }

    /// The format of an output file, determined by its name. A device or a pipe is written in the format `source` unless its name
    /// determines another.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownEnding`].
    pub fn for_output(path: &Path, source: Self) -> Result<Self> {
        let special = || path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        match Self::of_name(path) {
            Some(format) => Ok(format),
            None if special() => Ok(source),
            None => Err(Error::UnknownEnding { path: path.to_owned() }),
        }
    }

    /// Checks that a file of the format can hold this many rows and columns.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`].
    pub fn check_size(self, rows: u64, columns: usize) -> Result<()> {
        if self == Self::Excel { check_size(rows + 1, columns) } else { Ok(()) }
    }

    /// The format determined by the first bytes of a file; text otherwise.
    pub fn of_content(start: &[u8]) -> Self {
        match start {
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::ArrowFile,
            [0xff, 0xff, 0xff, 0xff, ..] => Self::ArrowStream,
            [0x1f, 0x8b, ..] => Self::Csv(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Csv(Compression::Zstd),
            // A ZIP archive, and the container of old or encrypted workbooks.
            [b'P', b'K', 3, 4, ..] | [0xd0, 0xcf, 0x11, 0xe0, ..] => Self::Excel,
            _ => Self::Csv(Compression::None),
        }
    }

    /// The format of a file with this name and start. The name distinguishes tab-separated text, and the expected format of a damaged file.
    pub(crate) fn of_file(path: &Path, start: &[u8]) -> Self {
        let found = Self::of_content(start);
        let Self::Csv(compression) = found else { return found };
        match Self::of_name(path) {
            _ if is_json(&uncompressed_start(start, compression)) => Self::JsonLines(compression),
            Some(Self::Tsv(_)) => Self::Tsv(compression),
            Some(Self::JsonLines(_)) => Self::JsonLines(compression),
            Some(named @ (Self::Parquet | Self::ArrowFile | Self::Excel)) => named,
            _ => found,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv(_) | Self::Tsv(_) => "CSV",
            Self::JsonLines(_) => "JSON lines",
            Self::Excel => "an Excel workbook",
            Self::Parquet => "Parquet",
            Self::ArrowFile => "an Arrow file",
            Self::ArrowStream => "an Arrow stream",
        }
    }
}

/// The first bytes of a text, uncompressed as far as the file's first bytes allow.
fn uncompressed_start(start: &[u8], compression: Compression) -> Vec<u8> {
    let mut text = Vec::new();
    // The input is truncated, and so is the output.
    let _ = match compression {
        Compression::None => return start.to_vec(),
        Compression::Gzip => flate2::bufread::MultiGzDecoder::new(start).read_to_end(&mut text),
        Compression::Zstd => zstd::Decoder::new(start)
            .and_then(|mut text_of| text_of.by_ref().take(START as u64).read_to_end(&mut text)),
    };
    text
}

/// Whether a text begins like an object with a key, or like a list of objects.
fn is_json(start: &[u8]) -> bool {
    let mut significant =
        start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).iter().filter(|b| !b.is_ascii_whitespace());
    match (significant.next(), significant.next()) {
        (Some(b'{'), second) => matches!(second, Some(b'"' | b'}')),
        (Some(b'['), second) => second == Some(&b'{'),
        _ => false,
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
        assert_eq!(of("a.NDJSON.gz"), Some(Format::JsonLines(Compression::Gzip)));
        assert_eq!(of("a.xlsx"), Some(Format::Excel));
        for unknown in ["a.parquet.gz", "a", "a.gz", "a.xlsx.gz", "a.xls", "a.json"] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn content_says_formats() {
        let of = |name: &str, start: &[u8]| Format::of_file(Path::new(name), start);
        let (text, lines) = (Format::Csv(Compression::None), Format::JsonLines(Compression::None));
        for start in ["{\"a\": 1}", "\u{feff} { \"a\": 1}", "{}\n", "[{\"a\": 1}]", "[\n  {"] {
            assert_eq!(of("a.csv", start.as_bytes()), lines, "{start}");
        }
        for start in ["a,b\n{\"x\"},2", "{a},b\n", "[a],b\n", "\"a\",b"] {
            assert_eq!(of("a.csv", start.as_bytes()), text, "{start}");
        }
        assert_eq!(of("a.jsonl", b"1,2"), lines);
        assert_eq!(of("a.csv", b"PK\x03\x04"), Format::Excel);
        assert_eq!(of("a.xlsx", b"a,b"), Format::Excel);
        assert_eq!(of("a.tsv", b"a,b"), Format::Tsv(Compression::None));
        let zstd = zstd::encode_all(&b"{\"a\": 1}\n"[..], 0).unwrap();
        assert_eq!(of("a.zst", &zstd), Format::JsonLines(Compression::Zstd));
    }
}
