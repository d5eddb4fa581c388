//! Records on disk: one JSON object per line, appended as they are made.

use crate::commands::Failure;
use crate::commands::table_args::is_standard;
use psd_impute_eval::lab::Record;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The start of every line.
const START: &[u8] = b"{\"dataset\":";

/// The records of a file. Among several with the same key, the last counts.
pub(super) fn read(path: &Path) -> Result<Vec<Record>, Failure> {
    let bytes = std::fs::read(path).map_err(Failure::of_file(path))?;
    Ok(parse(path, &bytes)?.0)
}

/// The records, and the bytes they take. An unterminated last line, left by a run that was killed while writing it, does not count.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Vec<Record>, usize), Failure> {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let one = |(number, line): (usize, &[u8])| {
        serde_json::from_slice(line).map_err(|error| {
            let what =
                if error.is_data() { "it has not what a record has".to_string() } else { error.to_string() };
            Failure::Record { path: path.to_owned(), line: number + 1, what }
        })
    };
    let lines = bytes[..whole].split(|&byte| byte == b'\n').enumerate();
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    let records = lines.map(one).collect::<Result<Vec<Record>, Failure>>()?;
    let rest = &bytes[whole..];
    if !(START.starts_with(rest) || rest.starts_with(START)) {
        let what = "it is the beginning of something else".to_string();
        return Err(Failure::Record { path: path.to_owned(), line: records.len() + 1, what });
    }
    Ok((records, whole))
}

/// A file that records are appended to, or standard output.
pub(super) struct Journal {
    path: PathBuf,
    output: Box<dyn Write>,
}

impl Journal {
    /// Opens or creates the file, and reads its records. An unterminated last line is removed. `-` is standard output, which has no records
    /// yet.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<Record>), Failure> {
        if is_standard(path) {
            return Ok((Self { path: path.to_owned(), output: Box::new(io::stdout()) }, Vec::new()));
        }
        let of_file = Failure::of_file(path);
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(&of_file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(&of_file)?;
        let (records, whole) = parse(path, &bytes)?;
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(&of_file)?;
            file.seek(SeekFrom::End(0)).map_err(&of_file)?;
        }
        Ok((Self { path: path.to_owned(), output: Box::new(file) }, records))
    }

    /// Appends records, all of their lines in one write.
    pub(super) fn add(&mut self, records: &[Record]) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for record in records {
            serde_json::to_writer(&mut lines, record).map_err(io::Error::from)?;
            lines.push(b'\n');
        }
        self.output.write_all(&lines).map_err(Failure::of_file(&self.path))
    }
}
