//! Text in other encodings than UTF-8: read as UTF-8, and written back in its own encoding.
//!
//! Supports only encodings that reproduce text byte for byte: those of one byte per character, and UTF-16.

use encoding_rs::{DecoderResult, UTF_8, UTF_16BE, UTF_16LE};
use std::io::{Error, ErrorKind, Read, Result};

/// Bytes decoded at a time.
const BLOCK: usize = 1 << 16;

/// The encoding of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Default for Encoding {
    fn default() -> Self {
        Self(UTF_8)
    }
}

impl Encoding {
    /// The encoding with a name such as `latin1`, `windows-1252` or `utf-16le`, in any case. `None` if it is unknown, or if it has several
    /// bytes per character and is not Unicode.
    pub fn named(name: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label(name.trim().as_bytes())?;
        let unicode = [UTF_8, UTF_16LE, UTF_16BE].contains(&encoding);
        (unicode || encoding.is_single_byte()).then_some(Self(encoding))
    }

    /// Its usual name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The encoded bytes of a text.
    pub(crate) fn bytes(self, text: String) -> Vec<u8> {
        if self.0 == UTF_16LE {
            return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        }
        if self.0 == UTF_16BE {
            return text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        }
        if self.0 == UTF_8 {
            return text.into_bytes();
        }
        self.0.encode(&text).0.into_owned()
    }
}

/// The input as UTF-8, and its original encoding. Text with the byte order mark of UTF-16 is UTF-16.
pub(crate) fn decoded(
    mut input: Box<dyn Read + Send>,
    named: Option<Encoding>,
) -> Result<(Box<dyn Read + Send>, Encoding)> {
    let mut start = Vec::new();
    input.by_ref().take(2).read_to_end(&mut start)?;
    let found = match start.as_slice() {
        [0xff, 0xfe] => Encoding(UTF_16LE),
        [0xfe, 0xff] => Encoding(UTF_16BE),
        _ => Encoding::default(),
    };
    let encoding = named.unwrap_or(found);
    let whole = std::io::Cursor::new(start).chain(input);
    if encoding.0 == UTF_8 {
        return Ok((Box::new(whole), encoding));
    }
    // A byte order mark stays in the text, so that it is written back.
    let decoder = encoding.0.new_decoder_without_bom_handling();
    Ok((
        Box::new(Decoded { input: whole, decoder, encoding, text: Vec::new(), at: 0, ended: false }),
        encoding,
    ))
}

/// A reader of UTF-8 from text in another encoding.
struct Decoded<R> {
    input: R,
    decoder: encoding_rs::Decoder,
    encoding: Encoding,
    /// Decoded text, partly consumed.
    text: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<R: Read> Decoded<R> {
    /// Decodes more bytes.
    fn advance(&mut self) -> Result<()> {
        let mut block = Vec::with_capacity(BLOCK);
        self.input.by_ref().take(BLOCK as u64).read_to_end(&mut block)?;
        self.ended = block.len() < BLOCK;
        let room = self.decoder.max_utf8_buffer_length_without_replacement(block.len()).unwrap_or(4 * BLOCK);
        self.text.resize(room, 0);
        let (result, _, written) =
            self.decoder.decode_to_utf8_without_replacement(&block, &mut self.text, self.ended);
        if result != DecoderResult::InputEmpty {
            let problem = format!("it is not {} text", self.encoding.name());
            return Err(Error::new(ErrorKind::InvalidData, problem));
        }
        self.text.truncate(written);
        self.at = 0;
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        while self.at == self.text.len() && !self.ended {
            self.advance()?;
        }
        let count = out.len().min(self.text.len() - self.at);
        out[..count].copy_from_slice(&self.text[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], name: Option<&str>) -> (String, Encoding) {
        let input = Box::new(std::io::Cursor::new(bytes.to_vec()));
        let (mut input, encoding) = decoded(input, name.and_then(Encoding::named)).unwrap();
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        (text, encoding)
    }

    #[test]
    fn text_comes_out_as_it_went_in() {
        let every: Vec<u8> = (0..=255).collect();
        for name in ["latin1", "windows-1252", "windows-1250", "iso-8859-15", "macintosh", "koi8-r"] {
            // Some encodings leave bytes unused.
            let known =
                |b: &u8| Encoding::named(name).unwrap().0.decode_without_bom_handling(&[*b]).0 != "\u{fffd}";
            let bytes: Vec<u8> = every.iter().copied().filter(known).collect();
            let (text, encoding) = read(&bytes, Some(name));
            assert_eq!(encoding.bytes(text), bytes, "{name}");
        }
        for little in [true, false] {
            let bytes: Vec<u8> = "\u{feff}a,é\n😀,2\n"
                .encode_utf16()
                .flat_map(|x| if little { x.to_le_bytes() } else { x.to_be_bytes() })
                .collect();
            let (text, encoding) = read(&bytes, None);
            assert_eq!(text, "\u{feff}a,é\n😀,2\n");
            assert_eq!(encoding.bytes(text), bytes);
        }
    }

    #[test]
    fn long_text_is_read_in_blocks() {
        let long = "é,x\n".repeat(50_000);
        let bytes = Encoding::named("latin1").unwrap().bytes(long.clone());
        assert_eq!(read(&bytes, Some("latin1")).0, long);
        assert_eq!(read(b"", Some("latin1")).0, "");
    }

    #[test]
    fn only_exact_encodings_have_names() {
        assert_eq!(Encoding::named("Latin1").map(Encoding::name), Some("windows-1252"));
        assert!(Encoding::named("utf-16le").is_some() && Encoding::named("UTF8").is_some());
        assert!(Encoding::named("shift_jis").is_none() && Encoding::named("klingon").is_none());
    }
}
