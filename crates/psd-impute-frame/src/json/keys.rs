//! The columns of a table of objects: all their keys, and the types that hold their values.

use super::line::{Input, said};
use crate::class::{Class, ColumnClass};
use crate::error::Result;
use crate::missing::{Missing, Tokens};
use arrow_schema::{Schema, SchemaRef};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Tables with more different keys than this are refused.
const MOST_KEYS: usize = 1 << 15;

/// The columns of a table of objects.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    pub(super) schema: SchemaRef,
    pub(super) classes: Vec<Option<Class>>,
    /// The column of each key, written with its quotes.
    places: HashMap<Box<str>, usize>,
}

/// Summary of the keys read so far.
#[derive(Default)]
struct Seen {
    names: Vec<(String, ColumnClass, Arc<Tokens>)>,
    by_name: HashMap<String, usize>,
    places: HashMap<Box<str>, usize>,
}

impl Keys {
    /// Reads all objects of some files.
    pub(crate) fn of(inputs: impl IntoIterator<Item = Result<Input>>, missing: &Missing) -> Result<Self> {
        let mut seen = Seen::default();
        for input in inputs {
            seen.read(input?, missing)?;
        }
        let fields: Vec<_> = seen.names.iter().map(|(name, class, _)| class.field(name)).collect();
        let classes = seen.names.iter().map(|(_, class, _)| class.class()).collect();
        Ok(Self { schema: Arc::new(Schema::new(fields)), classes, places: seen.places })
    }

    /// Whether no object has a key.
    pub(crate) fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The column of a known key.
    pub(super) fn place(&self, key: &RawValue) -> Option<usize> {
        self.places.get(key.get()).copied()
    }
}

impl Seen {
    fn read(&mut self, mut input: Input, missing: &Missing) -> Result<()> {
        let mut in_object: Vec<bool> = Vec::new();
        while let Some(text) = input.next()? {
            in_object.fill(false);
            for (key, value) in input.members(&text)?.unwrap_or_default() {
                let bad = |part: &RawValue, problem| input.bad(&text, part.get(), problem);
                let j = self.place(key, missing).map_err(|problem| bad(key, problem))?;
                if in_object.len() <= j {
                    in_object.resize(j + 1, false);
                }
                if std::mem::replace(&mut in_object[j], true) {
                    return Err(bad(key, "the key is in the object twice".to_string()));
                }
                let (_, class, tokens) = &mut self.names[j];
                match value_of(value).map_err(|problem| bad(value, problem))? {
                    Value::Null => {}
                    // A token of a missing cell does not determine the column's type.
                    Value::Text(cell) if tokens.has_text(cell.trim()) => {}
                    cell => class.add(cell.class(), || cell.show(value)),
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, key: &RawValue, missing: &Missing) -> std::result::Result<usize, String> {
        if let Some(&j) = self.places.get(key.get()) {
            return Ok(j);
        }
        let name: String = serde_json::from_str(key.get()).map_err(|error| said(&error))?;
        let known = self.by_name.get(&name).copied();
        let j = known.unwrap_or(self.names.len());
        if known.is_none() {
            if j == MOST_KEYS {
                return Err(format!("the objects have more than {MOST_KEYS} different keys"));
            }
            self.names.push((name.clone(), ColumnClass::default(), missing.of(&name)));
            self.by_name.insert(name, j);
        }
        // A key may be written in many ways; rare spellings are matched by their content.
        if self.places.len() < 2 * MOST_KEYS {
            self.places.insert(key.get().into(), j);
        }
        Ok(j)
    }
}

/// A value of an object.
pub(super) enum Value<'a> {
    Null,
    Text(Cow<'a, str>),
    Boolean(bool),
    Whole(i64),
    Number(f64),
    /// A list, an object, or an integer of more than 64 bits.
    Other,
}

/// Reads a value, or describes the error.
pub(super) fn value_of(value: &RawValue) -> std::result::Result<Value<'_>, String> {
    let text = value.get();
    Ok(match text.as_bytes().first() {
        Some(b'n') => Value::Null,
        Some(b't' | b'f') => Value::Boolean(text == "true"),
        Some(b'"') if !text.contains('\\') => Value::Text(Cow::Borrowed(&text[1..text.len() - 1])),
        Some(b'"') => Value::Text(serde_json::from_str(text).map_err(|error| said(&error))?),
        Some(b'{' | b'[') | None => Value::Other,
        Some(_) if text.contains(['.', 'e', 'E']) => Value::Number(finite(text)?),
        Some(_) => text.parse().map_or(Value::Other, Value::Whole),
    })
}

fn finite(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| "the number is too large".to_string())
}

impl Value<'_> {
    fn class(&self) -> Class {
        match self {
            Self::Text(_) => Class::Text,
            Self::Boolean(_) => Class::Boolean,
            Self::Whole(n) if n.unsigned_abs() <= 1 << 53 => Class::Whole,
            Self::Whole(_) => Class::Long,
            Self::Number(_) => Class::Number,
            Self::Null | Self::Other => Class::Other,
        }
    }

    fn show(&self, value: &RawValue) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            _ => value.get().to_string(),
        }
    }
}
