//! One column of a plan.

use super::kind::Kind;
use psd_impute::table::Column;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a column is, and what is done with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnPlan {
    name: String,
    kind: Kind,
    role: Role,
}

/// What is done with a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The engine sees it and completes it.
    Modelled,
    /// All its observed cells are the same, and so the missing ones become.
    Constant(
        /// The cell, as the engine would see it.
        f64,
    ),
    /// It stays as it is.
    Left(Reason),
}

/// Why a column stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// It names the rows.
    Identifier,
    /// Its texts are hardly ever the same.
    FreeText,
    /// It has too many labels for a category.
    ManyLabels {
        /// Different ones among the cells that were looked at.
        labels: u64,
        /// The cells that were looked at.
        cells: u64,
    },
    /// No cell was observed.
    NeverObserved,
    /// The caller wished it.
    Ignored,
    /// Its type has no kind here.
    Unsupported {
        /// The type.
        found: String,
    },
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
            Reason::Ignored => f.write_str("it is to be ignored"),
            Reason::Unsupported { found } => write!(f, "the type {found} is not modelled"),
        }
    }
}

impl ColumnPlan {
    /// A column; [`Plan::new`](super::Plan::new) checks it.
    pub fn new(name: impl Into<String>, kind: Kind, role: Role) -> Self {
        Self { name: name.into(), kind, role }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it holds.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// What is done with it.
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// What to say of a column that is not modelled.
    pub fn note(&self) -> Option<String> {
        let name = &self.name;
        match &self.role {
            Role::Modelled => None,
            Role::Constant(cell) => {
                let value = self.kind.show(*cell);
                Some(format!("column `{name}` is always {value}, which is also put into its missing cells"))
            }
            Role::Left(reason) => Some(format!("column `{name}` is left as it is: {reason}")),
        }
    }

    pub(super) fn engine_column(&self) -> psd_impute::Result<Column> {
        self.kind.engine_column(&self.name)
    }
}
