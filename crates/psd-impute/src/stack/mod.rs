//! The stack: members of every kind, in up to three spaces, weighted by how well they predict what they have not seen.

mod crossval;
mod energy;
mod fit;
mod members;
mod observer;
mod parts;
mod row_weights;
mod settings;
mod space;
mod stacking;

pub use fit::{FittedStack, StackFit, Tried};
pub use members::Member;
pub(crate) use members::{FittedMixture, Smooth};
pub(crate) use observer::Budget;
pub use observer::{FitObserver, Stop};
pub(crate) use parts::{Data, DonorPart, Parts};
pub use row_weights::ImputationIndex;
pub(crate) use row_weights::LEAST_SHAPE;
pub(crate) use settings::SETTINGS;
pub use space::Space;
