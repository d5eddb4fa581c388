//! The types of columns whose cells are typed one by one, as in JSON and in workbooks.
//!
//! A column gets the type that holds all its cells exactly. If there is none, because numbers and texts are mixed or cells are lists, its
//! cells are kept as JSON, and the column is left unchanged.

use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, TimeUnit};
use std::collections::HashMap;

/// Arrow's name for columns whose texts are JSON.
const JSON: &str = "arrow.json";
/// The key under which such a field describes its cells.
const HOLDS: &str = "holds";
/// The most characters of an example.
const EXAMPLE: usize = 30;

/// The class of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// An integer that is exact as a floating-point number.
    Whole,
    /// An integer of more than 53 bits.
    Long,
    Number,
    Text,
    Boolean,
    Date,
    /// A date with a time of day.
    Time,
    /// A time of day.
    Clock,
    Duration,
    /// A list, an object, or an integer of more than 64 bits.
    Other,
}

/// The type of a column, as far as its cells were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ColumnClass {
    /// `None` if all cells are missing.
    class: Option<Class>,
    /// A description of the cells, if no type holds them all.
    mixed: Option<String>,
}

impl Class {
    /// The class that holds the cells of both.
    fn join(self, other: Self) -> Option<Self> {
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Self::Whole, Self::Long) | (Self::Long, Self::Whole) => Some(Self::Long),
            (Self::Whole, Self::Number) | (Self::Number, Self::Whole) => Some(Self::Number),
            (Self::Date, Self::Time) | (Self::Time, Self::Date) => Some(Self::Time),
            _ => None,
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Whole => "integers",
            Self::Long => "integers of more than 53 bits",
            Self::Number => "numbers",
            Self::Text => "texts",
            Self::Boolean => "booleans",
            Self::Date => "dates",
            Self::Time => "times",
            Self::Clock => "times of day",
            Self::Duration => "durations",
            Self::Other => "lists, objects or integers of more than 64 bits",
        }
    }
}

impl ColumnClass {
    /// Adds a cell that is not missing; `show` gives its text.
    pub(crate) fn add(&mut self, cell: Class, show: impl FnOnce() -> String) {
        let Some(class) = self.class else {
            self.class = Some(cell);
            if cell == Class::Other {
                self.mixed = Some(format!("{}, such as `{}`", cell.plural(), short(&show())));
            }
            return;
        };
        match class.join(cell) {
            Some(joined) => self.class = Some(joined),
            None if self.mixed.is_some() => {}
            None => {
                let example = short(&show());
                self.mixed = Some(format!("{} and {} (`{example}`)", class.plural(), cell.plural()));
                self.class = Some(Class::Other);
            }
        }
    }

    /// The class; `None` if all cells are missing, `Other` if they are kept as JSON.
    pub(crate) fn class(&self) -> Option<Class> {
        self.class
    }

    /// The column's field.
    pub(crate) fn field(&self, name: &str) -> Field {
        let data_type = match self.class {
            None => DataType::Null,
            Some(Class::Whole | Class::Long) => DataType::Int64,
            Some(Class::Number) => DataType::Float64,
            Some(Class::Text | Class::Other) => DataType::Utf8,
            Some(Class::Boolean) => DataType::Boolean,
            Some(Class::Date) => DataType::Date32,
            Some(Class::Time) => DataType::Timestamp(TimeUnit::Millisecond, None),
            Some(Class::Clock) => DataType::Time32(TimeUnit::Millisecond),
            Some(Class::Duration) => DataType::Duration(TimeUnit::Millisecond),
        };
        let field = Field::new(name, data_type, true);
        match &self.mixed {
            None => field,
            Some(holds) => field.with_metadata(HashMap::from([
                (EXTENSION_TYPE_NAME_KEY.to_string(), JSON.to_string()),
                (HOLDS.to_string(), holds.clone()),
            ])),
        }
    }
}

/// Whether the texts of a column are JSON.
pub(crate) fn is_json(field: &Field) -> bool {
    field.metadata().get(EXTENSION_TYPE_NAME_KEY).is_some_and(|name| name == JSON)
}

/// Describes the cells of a column whose texts are JSON, for messages.
pub(crate) fn holds(field: &Field) -> Option<&str> {
    field.metadata().get(HOLDS).map(String::as_str).filter(|_| is_json(field))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(EXAMPLE) {
        None => text.to_string(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cells: &[Class]) -> ColumnClass {
        let mut column = ColumnClass::default();
        cells.iter().for_each(|&cell| column.add(cell, || "x".to_string()));
        column
    }

    #[test]
    fn a_type_holds_all_cells_exactly() {
        use Class::*;
        for (cells, class) in [
            (&[Whole, Whole][..], Whole),
            (&[Whole, Long, Whole], Long),
            (&[Number, Whole], Number),
            (&[Date, Time], Time),
            (&[Text], Text),
            (&[Whole, Text, Whole], Other),
            (&[Number, Long], Other),
            (&[Clock, Date], Other),
            (&[Boolean, Whole], Other),
            (&[Other, Other], Other),
        ] {
            assert_eq!(of(cells).class(), Some(class), "{cells:?}");
            assert_eq!(is_json(&of(cells).field("a")), class == Other, "{cells:?}");
        }
        assert_eq!(of(&[]).field("a").data_type(), &DataType::Null);
        assert_eq!(holds(&of(&[Whole, Text]).field("a")), Some("integers and texts (`x`)"));
    }
}
