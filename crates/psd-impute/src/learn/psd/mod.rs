//! Kernel densities: the choice of anchors, the convex fit at given anchors, and learning all parameters together.

mod alternating;
mod anchors;
mod fit;
mod held_out;
mod joint;
mod presets;

pub use alternating::{AdamParams, Alternating, AlternatingFitted, Round};
pub use anchors::AnchorChoice;
pub(crate) use fit::with_reference;
pub use fit::{Fitted, PsdFit, Reference};
pub use held_out::HeldOut;
pub use joint::{JointFit, MetricPrior};
pub use presets::{PaperPreset, PaperReport, TheoryPreset, TheoryReport, TheorySchedule};

pub use crate::kernel::{Anchors, BaseMeasure, Metric, MetricKind};
pub use crate::linalg::{LbfgsInfo, LbfgsParams};
pub use crate::objective::{ProblemOptions, Regularizer, Storage};
