//! Anchors and their features.
//!
//! A feature `φ_a(x)` is a product over *blocks* of columns: all continuous columns together, and each discrete column
//! on its own. So is every integral of `φ_a φ_b`. The whole crate rests on this: for a row with observed columns `S`
//!
//! ```text
//! A[a,b] = ∫ φ_a(x) φ_b(x) dx_missing = f_a f_b E[a,b]
//! ```
//!
//! where the vector `f` depends on the row and the matrix `E` only on `S`. See [`PatternFeatures`].
//!
//! **Normalised features.** Everything is expressed in features scaled to `∫ φ_a² = 1`. The paper's matrix is
//! `Q_paper = D⁻¹ Q D⁻¹` with `D_a² = H_paper[a,a]`: the density is the same, `H` has a unit diagonal, and nothing over-
//! or underflows when a hundred columns meet a bandwidth of 1e6.

mod continuous;
mod discrete;
mod features;
mod gradient;
mod metric;
mod pattern;
pub mod truncated;

pub use continuous::{Bounds, ContinuousPattern};
pub use discrete::DiscreteColumn;
pub use features::{Anchors, BaseMeasure, Features};
pub use gradient::FeatureGradient;
pub(crate) use metric::Shape;
pub use metric::{Metric, MetricKind};
pub use pattern::PatternFeatures;
