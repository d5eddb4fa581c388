//! One column of a plan.

use super::kind::Kind;
use super::learned::Learned;
use crate::report::LeftColumn;
use psd_impute::table::{Column, TOLD_APART};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A column's name, kind and role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnPlan {
    name: String,
    kind: Kind,
    role: Role,
    /// Cells of a numeric or time column that are neither, in alphabetical order. They are left unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    odd: Vec<String>,
    /// The least and the largest number that the column's type can hold, where they are near the observed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    type_ends: Option<[Option<f64>; 2]>,
    /// The lower and the upper end that all observed cells respect, and that imputed ones should respect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ends: Option<[Option<f64>; 2]>,
    /// `None` in plans of older model files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    learned: Option<Learned>,
    /// Whether the table that the plan was made from has missing cells in this column.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gaps: bool,
}

/// How a column is treated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The engine models and completes it.
    Modelled,
    /// All observed cells are equal; missing cells get the same value.
    Constant(
        /// The value, as the engine's cell.
        f64,
    ),
    /// Left unchanged.
    Left(Reason),
}

/// The reason why a column is left unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// It identifies the rows.
    Identifier,
    /// Its texts hardly ever repeat.
    FreeText,
    /// It has too many labels for a category.
    ManyLabels {
        /// Different labels among the cells examined.
        labels: u64,
        /// The cells examined.
        cells: u64,
    },
    /// No cell is observed.
    NeverObserved,
    /// The caller asked for it.
    Ignored,
    /// It has integers beyond 2⁵³, which the engine's numbers do not hold exactly.
    LongIntegers,
    /// Most of its numbers are dates written in digits alone, but not all have eight digits, or six for year and month.
    SomeDates,
    /// Its dates may be day-first or month-first, and nothing in the table decides.
    DoubtfulDates,
    /// Its type is not supported.
    Unsupported {
        /// The type.
        found: String,
    },
    /// The plan does not know the column. No stored plan has this reason.
    Unknown,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Identifier => f.write_str("it identifies rows"),
            Reason::FreeText => f.write_str("it is free text"),
            Reason::ManyLabels { labels, cells } => {
                write!(f, "{labels} different texts in {cells} cells are too many for a category")
            }
            Reason::NeverObserved => f.write_str("no cell is observed"),
            Reason::Ignored => f.write_str("it is ignored, as asked"),
            Reason::LongIntegers => f.write_str("its integers are too long to be computed with exactly"),
            Reason::SomeDates => f.write_str(
                "its numbers look like dates, of which only those like 20200131 or 202001 are completed; make any others missing",
            ),
            Reason::DoubtfulDates => {
                f.write_str("its dates may have the day or the month first, and none tells which")
            }
            Reason::Unsupported { found } => write!(f, "the type {found} is not modelled"),
            Reason::Unknown => f.write_str("the model does not know it"),
        }
    }
}

impl ColumnPlan {
    /// Makes a column; [`Plan::new`](super::Plan::new) checks it.
    pub fn new(name: impl Into<String>, kind: Kind, role: Role) -> Self {
        let (odd, type_ends, ends, learned) = (Vec::new(), None, None, None);
        Self { name: name.into(), kind, role, odd, type_ends, ends, learned, gaps: false }
    }

    /// Sets the least and the largest number that the column's type can hold.
    pub(super) fn with_type_ends(self, type_ends: Option<[Option<f64>; 2]>) -> Self {
        Self { type_ends, ..self }
    }

    /// The least and the largest number that the column's type can hold, where they are near the observed ones.
    pub fn type_ends(&self) -> [Option<f64>; 2] {
        self.type_ends.unwrap_or_default()
    }

    /// Sets the ends that all observed cells respect.
    pub(super) fn with_ends(self, ends: [Option<f64>; 2]) -> Self {
        Self { ends: Some(ends).filter(|ends| *ends != [None, None]), ..self }
    }

    /// The lower and the upper end that all observed cells of the plan's table respect, where they are natural or cells pile up at them.
    /// Imputed cells respect them too, unless other bounds are requested.
    pub fn ends(&self) -> [Option<f64>; 2] {
        self.ends.unwrap_or_default()
    }

    /// Sets the cells that are not numbers or times.
    pub(super) fn with_odd(self, odd: Vec<String>) -> Self {
        Self { odd, ..self }
    }

    /// Cells of a numeric or time column that are neither, in alphabetical order.
    pub fn odd(&self) -> &[String] {
        &self.odd
    }

    /// Whether a text is known not to be one of the column's numbers or times.
    pub(crate) fn is_odd(&self, text: &str) -> bool {
        !self.odd.is_empty() && self.odd.binary_search_by(|odd| odd.as_str().cmp(text.trim())).is_ok()
    }

    /// Sets whether the table has missing cells in this column.
    pub(super) fn with_gaps(self, gaps: bool) -> Self {
        Self { gaps, ..self }
    }

    /// Whether the table that the plan was made from has missing cells in this column. Unknown for older models, which did not store it.
    pub fn has_gaps(&self) -> bool {
        self.gaps
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of its cells.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// How it is treated.
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// Statistics of the cells that it was fitted to, if they were kept.
    pub fn learned(&self) -> Option<&Learned> {
        self.learned.as_ref()
    }

    /// Keeps statistics of the engine's cells that the column is fitted to.
    pub(crate) fn learn(&mut self, cells: impl Iterator<Item = f64>) {
        self.learned = Learned::of(self.kind.labels().len(), cells);
    }

    /// The column as one that is left unchanged, with `missing` missing cells. `None` if it is completed.
    pub(crate) fn left(&self, missing: u64) -> Option<LeftColumn> {
        let Role::Left(reason) = &self.role else { return None };
        let (name, kind, reason) = (self.name.clone(), self.kind.name(), reason.clone());
        Some(LeftColumn { name, kind, missing, reason })
    }

    /// A note about a column that is not modelled and has `missing` missing cells; zero where they are not counted.
    pub fn note(&self, missing: u64) -> Option<String> {
        if let Some(empty) = self.left(missing).and_then(|left| left.note()) {
            return Some(empty);
        }
        let name = &self.name;
        match &self.role {
            Role::Modelled => self.pooled().map(|(labels, pooled)| {
                format!("column `{name}` has {labels} labels; the {pooled} rarest are told apart only by their frequency")
            }),
            Role::Constant(cell) => {
                let value = self.kind.show(*cell);
                Some(format!("column `{name}` is always {value}, which is also put into its missing cells"))
            }
            Role::Left(reason) => Some(format!("column `{name}` is left as it is: {reason}")),
        }
    }

    /// The number of labels of a category and how many of them the engine pools, if there are too many to tell apart.
    fn pooled(&self) -> Option<(usize, usize)> {
        let labels = match &self.kind {
            Kind::Codes { values, .. } => values.len(),
            Kind::Labels { labels, .. } => labels.len(),
            _ => return None,
        };
        // One of the labels that the engine tells apart stands for all the others.
        Some((labels, labels.checked_sub(TOLD_APART - 1)?)).filter(|_| labels > TOLD_APART)
    }

    pub(super) fn engine_column(&self) -> psd_impute::Result<Column> {
        self.kind.engine_column(&self.name)
    }
}
