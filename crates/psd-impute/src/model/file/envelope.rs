//! The envelope around the payload: mark of a model file, format, length and checksum.
//!
//! ```text
//! "psdmodel"   version: u32   length: u64   payload: length bytes   checksum: u32
//! ```
//!
//! Numbers are little-endian; the checksum is the CRC-32 of all bytes before it.

use crate::Result;
use crate::error::ModelFileError;
use std::io::Write;

pub(super) const MAGIC: [u8; 8] = *b"psdmodel";
/// The format that is written, and the oldest that can be read. In format 4 labels do not depend on each other within a component.
const VERSION: u32 = 5;
const OLDEST: u32 = 4;
const HEAD: usize = 20;
const TAIL: usize = 4;

pub(super) fn write(payload: &[u8], out: &mut dyn Write) -> std::io::Result<()> {
    let mut head = MAGIC.to_vec();
    head.extend(VERSION.to_le_bytes());
    head.extend((payload.len() as u64).to_le_bytes());
    let mut checksum = crc32fast::Hasher::new();
    for part in [&head, payload] {
        checksum.update(part);
        out.write_all(part)?;
    }
    out.write_all(&checksum.finalize().to_le_bytes())?;
    out.flush()
}

/// Checks a file and returns its payload.
pub(super) fn open(file: &[u8]) -> Result<&[u8]> {
    let length = |expected: u64| ModelFileError::Length { found: file.len() as u64, expected };
    let Some((magic, rest)) = file.split_first_chunk() else {
        return Err(ModelFileError::NotAModel.into());
    };
    if *magic != MAGIC {
        return Err(ModelFileError::NotAModel.into());
    }
    let least = (HEAD + TAIL) as u64;
    let (version, rest) = rest.split_first_chunk().ok_or(length(least))?;
    let found = u32::from_le_bytes(*version);
    if !(OLDEST..=VERSION).contains(&found) {
        return Err(ModelFileError::Version { found, known: VERSION }.into());
    }
    let (said, rest) = rest.split_first_chunk().ok_or(length(least))?;
    let expected = u64::from_le_bytes(*said).saturating_add(least);
    if expected != file.len() as u64 {
        return Err(length(expected).into());
    }
    let (payload, checksum) = rest.split_last_chunk().ok_or(length(least))?;
    let (found, expected) = (crc32fast::hash(&file[..file.len() - TAIL]), u32::from_le_bytes(*checksum));
    if found != expected {
        return Err(ModelFileError::Damaged { found, expected }.into());
    }
    Ok(payload)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn file() -> Vec<u8> {
        let mut out = Vec::new();
        write(b"some payload", &mut out).unwrap();
        out
    }

    fn error(file: &[u8]) -> ModelFileError {
        match open(file).unwrap_err() {
            Error::ModelFile(error) => error,
            other => unreachable!("{other}"),
        }
    }

    #[test]
    fn a_whole_file_opens() {
        assert_eq!(open(&file()).unwrap(), b"some payload");
    }

    #[test]
    fn what_is_cut_longer_damaged_or_foreign_does_not() {
        let whole = file();
        for end in 0..8 {
            assert_eq!(error(&whole[..end]), ModelFileError::NotAModel);
        }
        for end in 8..whole.len() {
            assert!(matches!(error(&whole[..end]), ModelFileError::Length { .. }), "{end}");
        }
        let longer = [whole.as_slice(), b"x"].concat();
        assert_eq!(error(&longer), ModelFileError::Length { found: 37, expected: 36 });
        let mut huge = whole.clone();
        huge[12..20].fill(0xff);
        assert_eq!(error(&huge), ModelFileError::Length { found: 36, expected: u64::MAX });
        let mut newer = whole.clone();
        newer[8] = 6;
        assert_eq!(error(&newer), ModelFileError::Version { found: 6, known: VERSION });
        for bit in 8 * HEAD..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(error(&flipped), ModelFileError::Damaged { .. }), "{bit}");
        }
    }
}
