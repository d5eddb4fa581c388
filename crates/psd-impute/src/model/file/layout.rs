//! The structure of a model, without its numbers: the JSON in the file.

use crate::kernel::MetricKind;
use crate::stack::Space;
use serde::{Deserialize, Serialize};

/// The whole.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layout {
    pub(super) columns: Vec<NamedColumn>,
    pub(super) seed: u64,
    /// Of the table that was fitted.
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

/// Its kind; the values of an ordered column are a tensor.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KindLayout {
    Continuous,
    Ordered,
    Category(Vec<String>),
}

/// What was fitted.
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
    /// All that were tried, with or without a place in the stack.
    pub(super) tried: Vec<(Space, MemberLayout)>,
    /// The smooth members that have one.
    pub(super) members: Vec<(Space, SmoothLayout)>,
    /// Where the donors live, if there are some.
    pub(super) donors: Option<Space>,
    pub(super) converged: bool,
}

/// A member's kind.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MemberLayout {
    Normal,
    Mixture { components: u64 },
    Psd { metric: MetricKind, anchors: u64 },
    Donors,
}

/// A smooth member.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SmoothLayout {
    Mixture,
    Psd(MetricKind),
}
