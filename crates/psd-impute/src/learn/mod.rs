//! Choosing anchors and fitting a density to a table.

mod alternating;
mod anchors;
mod choice;
mod crossval;
mod donors;
mod energy;
mod fit;
mod held_out;
mod imputed_copy;
mod joint;
mod kmeans;
mod members;
mod mixture;
mod normal;
mod presets;
mod stack;
mod structure;

pub use alternating::{AdamParams, Alternating, AlternatingFitted, Round};
pub use anchors::AnchorChoice;
pub use donors::fit_donors;
pub(crate) use fit::with_reference;
pub use fit::{Fitted, PsdFit, Reference};
pub use held_out::HeldOut;
pub use imputed_copy::imputed_copy;
pub use joint::{JointFit, JointFitted, JointOptions, MetricPrior};
pub use members::Member;
pub(crate) use members::{FittedMixture, Smooth};
pub(crate) use mixture::Component;
pub use mixture::{EmParams, EmReport, Mixture, MixturePrior};
pub use normal::{choose_ridge, fit_normal};
pub use presets::{PaperPreset, PaperReport, TheoryPreset, TheoryReport, TheorySchedule};
pub(crate) use stack::{Data, DonorPart, Parts};
pub use stack::{FittedStack, StackFit, StackObserver, Tried};
pub use structure::Structure;
