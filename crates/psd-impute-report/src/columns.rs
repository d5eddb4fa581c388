//! Facts about a column that the page needs to show its cells.

use crate::numbers::short;
use psd_impute_frame::{ColumnPlan, Kind, TimeUnit};
use serde::Serialize;

/// Maximum number of characters shown of a label.
const LONGEST: usize = 80;

/// A modelled column.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnInfo {
    /// Its name.
    pub name: String,
    /// Its kind in words.
    pub kind: &'static str,
    /// The labels of a category.
    pub labels: Vec<String>,
    /// Number of decimals of its numbers, if few.
    pub decimals: Option<u8>,
    /// For times: the milliseconds in their unit, in which they are counted from 1970.
    pub unit: Option<f64>,
}

impl ColumnInfo {
    pub(crate) fn of(column: &ColumnPlan) -> Self {
        let (decimals, unit) = match column.kind() {
            Kind::Number { decimals, .. } => (*decimals, None),
            Kind::Time { unit, .. } => (None, Some(milliseconds(*unit))),
            _ => (None, None),
        };
        let (name, kind) = (column.name().to_string(), column.kind().name());
        let labels = column.kind().labels().iter().map(|label| clipped(label)).collect();
        Self { name, kind, labels, decimals, unit }
    }

    /// Whether its cells are labels.
    pub fn has_labels(&self) -> bool {
        !self.labels.is_empty()
    }
}

/// A cell as text: a label, a date, a number with the digits of its column.
pub(crate) fn show(column: &ColumnPlan, x: f64) -> String {
    match column.kind() {
        _ if x.is_nan() => "\u{2013}".to_string(),
        Kind::Number { decimals: None, .. } => short(x),
        kind => clipped(&kind.show(x)),
    }
}

/// Cuts long labels, because a page has many cells.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// A mean or a width as text, which may have more digits than cells.
pub(crate) fn show_fine(column: &ColumnPlan, x: f64) -> String {
    match column.kind() {
        Kind::Number { .. } => short(x),
        _ => show(column, x),
    }
}

fn milliseconds(unit: TimeUnit) -> f64 {
    match unit {
        TimeUnit::Nanosecond => 1e-6,
        TimeUnit::Microsecond => 1e-3,
        TimeUnit::Millisecond => 1.0,
        TimeUnit::Second => 1e3,
        TimeUnit::Minute => 6e4,
        TimeUnit::Hour => 3.6e6,
        TimeUnit::Day => 8.64e7,
    }
}
