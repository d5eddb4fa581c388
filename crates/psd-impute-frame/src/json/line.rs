//! The lines of a file, and the members of the object on each.

use crate::error::{Error, Result};
use crate::place::{Origin, Place};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

/// The longest line allowed.
const LONGEST_LINE: u64 = 1 << 26;
const BOM: &str = "\u{feff}";

/// A key with its quotes and a value, as in the line.
pub(super) type Member<'a> = (&'a RawValue, &'a RawValue);

/// The members of the object on a line.
struct Members<'a>(Vec<Member<'a>>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

/// The parser's message, without the position.
pub(super) fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_string()
}

/// The offset of a part of a text.
pub(super) fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Reads a file line by line.
pub(crate) struct Input {
    input: BufReader<Box<dyn Read + Send>>,
    origin: Origin,
    /// The number of the next line.
    pub(super) line: u64,
}

impl Input {
    pub(crate) fn new(input: Box<dyn Read + Send>, origin: Origin) -> Self {
        Self { input: BufReader::new(input), origin, line: 1 }
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The next line, with its end. The last line gets one if it has none.
    pub(super) fn next(&mut self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        let read = self.input.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| match self.origin.path() {
            Some(path) => Error::Io { path: path.to_owned(), error },
            None => {
                let (origin, problem) = (self.origin.clone(), error.to_string());
                Error::Unreadable { origin, format: "JSON lines", problem }
            }
        })?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 > LONGEST_LINE {
            let place = self.place(&bytes, (0, bytes.len()));
            return Err(Error::LongRow { place, limit: LONGEST_LINE as usize });
        }
        if bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::NotUtf8 { place: self.place(error.as_bytes(), (at, at + 1)), column: None }
        })?;
        self.line += 1;
        Ok(Some(text))
    }

    /// The members of the object on the line read last; `None` for a blank line.
    pub(super) fn members<'a>(&self, text: &'a str) -> Result<Option<Vec<Member<'a>>>> {
        let json = text.strip_prefix(BOM).unwrap_or(text);
        let start = json.trim_start();
        if start.is_empty() {
            return Ok(None);
        }
        if !start.starts_with('{') {
            return Err(self.bad(text, start.trim_end(), "the line is no JSON object".to_string()));
        }
        match serde_json::from_str::<Members<'_>>(json) {
            Ok(Members(members)) => Ok(Some(members)),
            Err(error) => {
                let whole = json.trim_end();
                let before = |at: &usize| *at < whole.len() && whole.is_char_boundary(*at);
                let at = Some(error.column().saturating_sub(1)).filter(|at| !error.is_eof() && before(at));
                let at = at.unwrap_or(whole.len());
                let end = whole[at..].chars().next().map_or(at, |c| at + c.len_utf8());
                Err(self.bad(text, &whole[at..end], said(&error)))
            }
        }
    }

    /// The error about a part of the line read last.
    pub(super) fn bad(&self, text: &str, part: &str, problem: String) -> Error {
        let start = offset(text, part);
        let span = (start, start + part.len());
        Error::BadJson { place: Place::in_text(&self.origin, self.line - 1, text.as_bytes(), span), problem }
    }

    /// The place of some bytes of the next line.
    fn place(&self, text: &[u8], span: (usize, usize)) -> Place {
        Place::in_text(&self.origin, self.line, text, span)
    }
}
