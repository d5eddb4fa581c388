//! Columns: a name and a kind.

use crate::error::bad;
use crate::{Error, Result};

/// Type of the values in a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Any real number.
    Continuous,
    /// One of a few numbers, in increasing order.
    Ordered(Vec<f64>),
    /// One of a few labels without order; a cell holds the label's position.
    Category(Vec<String>),
}

impl Kind {
    /// Returns the allowed value nearest to `x`; `x` itself in a continuous column.
    pub fn nearest(&self, x: f64) -> f64 {
        let distance = |v: &f64| (v - x).abs();
        self.atoms().into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(x)
    }

    /// Values that a cell of a discrete column may hold, increasing; empty for a continuous column.
    pub fn atoms(&self) -> Vec<f64> {
        match self {
            Kind::Continuous => Vec::new(),
            Kind::Ordered(values) => values.clone(),
            Kind::Category(labels) => (0..labels.len()).map(|k| k as f64).collect(),
        }
    }
}

/// The position of a value among increasing atoms.
pub(crate) fn position(atoms: &[f64], value: f64) -> Option<usize> {
    let k = atoms.partition_point(|&atom| atom < value);
    (atoms.get(k) == Some(&value)).then_some(k)
}

/// A column's name and kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    name: String,
    kind: Kind,
}

impl Column {
    /// A column of real numbers.
    pub fn continuous(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: Kind::Continuous }
    }

    /// A column of numbers with few distinct values. They are sorted and deduplicated here.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyTable`] if there are no values, [`Error::BadParameter`] if one is not finite.
    pub fn ordered(name: impl Into<String>, mut values: Vec<f64>) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::EmptyTable("values in an ordered column"));
        }
        if let Some(value) = values.iter().find(|v| !v.is_finite()) {
            return Err(bad("value of an ordered column", value, "finite"));
        }
        values.sort_by(f64::total_cmp);
        values.dedup();
        Ok(Self { name: name.into(), kind: Kind::Ordered(values) })
    }

    /// A column of labels.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyTable`] if there are no labels.
    pub fn category(name: impl Into<String>, labels: Vec<String>) -> Result<Self> {
        if labels.is_empty() {
            return Err(Error::EmptyTable("labels in a category column"));
        }
        Ok(Self { name: name.into(), kind: Kind::Category(labels) })
    }

    /// The same with other labels.
    pub(super) fn with_labels(&self, labels: Vec<String>) -> Self {
        Self { name: self.name.clone(), kind: Kind::Category(labels) }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(super) fn problem_with(&self, cell: f64) -> Option<&'static str> {
        if cell.is_infinite() {
            return Some("is infinite");
        }
        let known = cell.is_nan()
            || match &self.kind {
                Kind::Continuous => true,
                Kind::Ordered(values) => position(values, cell).is_some(),
                Kind::Category(labels) => cell >= 0.0 && cell.fract() == 0.0 && cell < labels.len() as f64,
            };
        if known { None } else { Some("is not one of the column's values") }
    }
}
