//! Checks that the lengths stated in an Arrow file are plausible. The readers reserve memory for any stated length, and a damaged file may
//! state more than any machine has.

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{Block, Message, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::ArrowError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

type Checked<T> = Result<T, ArrowError>;

/// The bytes before the length of a message.
const MARKER: [u8; 4] = [0xff; 4];
/// The footer's length and the magic at the end of a file.
const TRAILER: usize = 10;
/// The most bytes from one compressed byte: Zstandard makes at most 2¹⁷ bytes from a block of at least four.
const MOST_FROM_A_BYTE: u64 = 1 << 15;

/// Checks the messages of a stream one by one.
pub(crate) fn check_stream(file: &mut File) -> Checked<()> {
    let mut bytes = Bytes::of(file)?;
    let mut at = 0;
    while let Some(start) = bytes.metadata_start(at)? {
        let length = u64::from(u32::from_le_bytes(bytes.array(start - 4)?));
        if length == 0 {
            break;
        }
        let metadata = bytes.read(start, length)?;
        at = bytes.check_message(&message(&metadata)?, start + length)?;
    }
    Ok(bytes.file.rewind()?)
}

/// Checks the messages that the footer of a file lists.
pub(crate) fn check_file(file: &mut File) -> Checked<()> {
    let mut bytes = Bytes::of(file)?;
    let end = bytes.size.checked_sub(TRAILER as u64).ok_or_else(impossible)?;
    let length = read_footer_length(bytes.array(end)?)? as u64;
    let footer = bytes.read(end.checked_sub(length).ok_or_else(impossible)?, length)?;
    let footer = root_as_footer(&footer).map_err(|error| ArrowError::ParseError(error.to_string()))?;
    for block in [footer.dictionaries(), footer.recordBatches()].into_iter().flatten().flatten() {
        bytes.check_block(block)?;
    }
    Ok(bytes.file.rewind()?)
}

fn message(metadata: &[u8]) -> Checked<Message<'_>> {
    root_as_message(metadata).map_err(|error| ArrowError::ParseError(error.to_string()))
}

fn impossible() -> ArrowError {
    ArrowError::ParseError("it states a length that cannot be true".to_string())
}

/// A length or offset, which must not be negative.
fn natural(number: i64) -> Checked<u64> {
    u64::try_from(number).map_err(|_| impossible())
}

/// A file and its size.
struct Bytes<'a> {
    file: &'a mut File,
    size: u64,
}

impl<'a> Bytes<'a> {
    fn of(file: &'a mut File) -> Checked<Self> {
        let size = file.metadata()?.len();
        Ok(Self { file, size })
    }

    /// The end of the bytes, if it is within the file.
    fn end(&self, start: u64, length: u64) -> Checked<u64> {
        start.checked_add(length).filter(|&end| end <= self.size).ok_or_else(impossible)
    }

    fn read(&mut self, start: u64, length: u64) -> Checked<Vec<u8>> {
        self.end(start, length)?;
        let mut bytes = vec![0; length as usize];
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self, start: u64) -> Checked<[u8; N]> {
        let mut bytes = [0; N];
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The start of the metadata of the message at `at`, after its length; `None` if the file ends before.
    fn metadata_start(&mut self, at: u64) -> Checked<Option<u64>> {
        if self.end(at, 4).is_err() {
            return Ok(None);
        }
        Ok(Some(if self.array(at)? == MARKER { at + 8 } else { at + 4 }))
    }

    fn check_block(&mut self, block: &Block) -> Checked<()> {
        let start = natural(block.offset())?;
        let metadata = natural(block.metaDataLength().into())?;
        let body = self.end(start, metadata)?;
        self.end(body, natural(block.bodyLength())?)?;
        let bytes = self.read(start, metadata)?;
        let prefix = if bytes.starts_with(&MARKER) { 8 } else { 4 };
        self.check_message(&message(bytes.get(prefix..).ok_or_else(impossible)?)?, body)?;
        Ok(())
    }

    /// Returns the end of the message whose body begins at `start`.
    fn check_message(&mut self, message: &Message<'_>, start: u64) -> Checked<u64> {
        let length = natural(message.bodyLength())?;
        let end = self.end(start, length)?;
        let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
        if let Some(batch) = message.header_as_record_batch().or(dictionary) {
            self.check_buffers(&batch, start, length)?;
        }
        Ok(end)
    }

    /// Checks that buffers are within the body. Compressed ones begin with their uncompressed length.
    fn check_buffers(&mut self, batch: &RecordBatch<'_>, start: u64, body: u64) -> Checked<()> {
        for buffer in batch.buffers().into_iter().flatten() {
            let (offset, length) = (natural(buffer.offset())?, natural(buffer.length())?);
            offset.checked_add(length).filter(|&end| end <= body).ok_or_else(impossible)?;
            if batch.compression().is_none() || length < 8 {
                continue;
            }
            let before = i64::from_le_bytes(self.array(start + offset)?);
            // A buffer that is not compressed after all states -1.
            if before != -1 && natural(before)? / MOST_FROM_A_BYTE > length {
                return Err(impossible());
            }
        }
        Ok(())
    }
}
