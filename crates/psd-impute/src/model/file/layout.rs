//! The structure of a model without its numbers: the JSON in the file.

use crate::kernel::MetricKind;
use crate::stack::Space;
use serde::{Deserialize, Serialize};

/// Structure of a model.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layout {
    pub(super) columns: Vec<NamedColumn>,
    pub(super) seed: u64,
    /// Number of rows of the fitted table.
    pub(super) rows: u64,
    pub(super) fit: FitLayout,
}

/// A column.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NamedColumn {
    pub(super) name: String,
    pub(super) kind: KindLayout,
}

/// Kind of a column; the values of an ordered column are a tensor.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KindLayout {
    Continuous,
    Ordered,
    Category(Vec<String>),
}

/// The fitted density, by recipe.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum FitLayout {
    Stack(StackLayout),
    Paper { density: MetricKind, rounds: u64, kept: u64, converged: bool },
    Theory { density: MetricKind, anchors: u64, converged: bool },
}

/// A stack.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StackLayout {
    /// All members that were tried, whether or not they are in the stack.
    pub(super) tried: Vec<(Space, MemberLayout)>,
    /// The smooth members in the stack.
    pub(super) members: Vec<(Space, SmoothLayout)>,
    /// Space of the donors, if the stack has any.
    pub(super) donors: Option<Space>,
    pub(super) converged: bool,
}

/// Kind of a member.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MemberLayout {
    Normal,
    Mixture { components: u64 },
    Psd { metric: MetricKind, anchors: u64 },
    Forest,
    Donors,
}

/// A smooth member.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SmoothLayout {
    Mixture,
    Psd(MetricKind),
    Forest,
}
