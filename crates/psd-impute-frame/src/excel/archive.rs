//! Checks that a workbook, an archive of compressed files, is safe to open: its unpacked size is bounded, and so is the memory reserved for
//! it.

use crate::error::{Error, Result};
use crate::place::Origin;
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use zip::ZipArchive;
use zip::result::ZipError;

/// The most bytes that a workbook may unpack to.
const UNPACKED: u64 = 1 << 30;
/// The number of strings for which memory may always be reserved, and the least bytes of each further one.
const STRINGS: u64 = 1 << 16;
const STRING_BYTES: u64 = 5;
/// The attribute that determines the reservation.
const COUNT: &[u8] = b"uniqueCount";
const OLD: [u8; 4] = [0xd0, 0xcf, 0x11, 0xe0];

/// Refuses a file that is not a workbook, or that unpacks to too much.
pub(super) fn check(file: &mut File, origin: &Origin) -> Result<()> {
    let no_workbook = |found| Error::NoWorkbook { origin: origin.clone(), found };
    let damaged =
        |problem: String| Error::Unreadable { origin: origin.clone(), format: "an Excel workbook", problem };
    let mut start = [0; 4];
    let _ = file.read(&mut start);
    if start == OLD {
        return Err(no_workbook("an old workbook (.xls) or one with a password"));
    }
    file.rewind().map_err(|error| damaged(error.to_string()))?;
    let mut archive = ZipArchive::new(BufReader::new(&mut *file)).map_err(|error| damaged(said(error)))?;
    let mut names: Vec<String> = Vec::new();
    let mut unpacked = 0;
    for k in 0..archive.len() {
        let mut entry = archive.by_index(k).map_err(|error| damaged(said(error)))?;
        names.push(entry.name().unwrap_or_default().to_lowercase());
        let strings = names.last().is_some_and(|name| name.ends_with("sharedstrings.xml"));
        let mut counts = Counts::default();
        let mut block = vec![0; 1 << 16];
        let before = unpacked;
        loop {
            let read = entry.read(&mut block).map_err(|error| damaged(error.to_string()))?;
            if read == 0 {
                break;
            }
            unpacked += read as u64;
            if unpacked > UNPACKED {
                let what = format!("it unpacks to more than {} MB", UNPACKED >> 20);
                return Err(Error::TooLarge { origin: origin.clone(), what });
            }
            if strings {
                counts.look(&block[..read]);
            }
        }
        if counts.most > STRINGS.max((unpacked - before) / STRING_BYTES) || counts.wide {
            return Err(damaged("it states a number of texts that cannot be true".to_string()));
        }
    }
    let has = |end: &str| names.iter().any(|name| name.ends_with(end));
    match () {
        _ if has("workbook.xml") => Ok(()),
        _ if has("workbook.bin") => Err(no_workbook("a binary workbook (.xlsb)")),
        _ if has("content.xml") => Err(no_workbook("an OpenDocument file (.ods)")),
        _ => Err(no_workbook("an archive (.zip)")),
    }
}

fn said(error: ZipError) -> String {
    match error {
        ZipError::InvalidArchive(problem) => problem.to_string(),
        other => other.to_string(),
    }
}

/// Finds the counts in a text that arrives in blocks.
#[derive(Default)]
struct Counts {
    /// The largest count.
    most: u64,
    /// Whether characters have two bytes, so that the search would miss the attribute.
    wide: bool,
    /// Bytes of the attribute matched so far; all of them, with its equals sign and quote, before a number.
    matched: usize,
    number: Option<u64>,
}

impl Counts {
    fn look(&mut self, block: &[u8]) {
        for &byte in block {
            self.wide |= byte == 0;
            match self.number {
                Some(number) if byte.is_ascii_digit() => {
                    let number = number.saturating_mul(10).saturating_add(u64::from(byte - b'0'));
                    (self.number, self.most) = (Some(number), self.most.max(number));
                }
                _ => self.step(byte),
            }
        }
    }

    fn step(&mut self, byte: u8) {
        self.number = None;
        self.matched = match self.matched {
            n if n < COUNT.len() && byte == COUNT[n] => n + 1,
            n if n >= COUNT.len() && byte.is_ascii_whitespace() => n,
            n if n == COUNT.len() && byte == b'=' => n + 1,
            n if n == COUNT.len() + 1 && matches!(byte, b'"' | b'\'') => {
                self.number = Some(0);
                0
            }
            _ => usize::from(byte == COUNT[0]),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_in_any_blocks() {
        let text = b"<sst uni uniqueCoun uuniqueCount = \n'123456' x uniqueCount=\"77\"";
        for size in 1..text.len() {
            let mut counts = Counts::default();
            text.chunks(size).for_each(|block| counts.look(block));
            assert_eq!((counts.most, counts.wide), (123_456, false), "{size}");
        }
    }
}
