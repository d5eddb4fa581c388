//! Records on disk: one JSON object a line, added as they are made.

use crate::commands::Failure;
use psd_impute_eval::lab::Record;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The records of a file. Where several have the same key, the last counts.
pub(super) fn read(path: &Path) -> Result<Vec<Record>, Failure> {
    let text = std::fs::read_to_string(path).map_err(Failure::of_file(path))?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Record>, Failure> {
    let one = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| Failure::Record {
            path: path.to_owned(),
            line: number + 1,
            error,
        })
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(one).collect()
}

/// A file that records are added to.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens or makes the file, and reads what it has. A last line without an end, left by a run that was killed while writing it, is
    /// taken away.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<Record>), Failure> {
        let of_file = Failure::of_file(path);
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(&of_file)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(&of_file)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let records = parse(path, &String::from_utf8_lossy(&bytes[..whole]))?;
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(&of_file)?;
            file.seek(SeekFrom::End(0)).map_err(&of_file)?;
        }
        Ok((Self { path: path.to_owned(), file }, records))
    }

    /// Adds records, all of their lines in one write.
    pub(super) fn add(&mut self, records: &[Record]) -> Result<(), Failure> {
        let mut lines = Vec::new();
        for record in records {
            serde_json::to_writer(&mut lines, record).map_err(io::Error::from)?;
            lines.push(b'\n');
        }
        self.file.write_all(&lines).map_err(Failure::of_file(&self.path))
    }
}
