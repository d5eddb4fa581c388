//! Structures of `Q` for joint learning.
//!
//! `Q = LL' / tr(LL'H)`, and the free entries of `L` define the structure. With `G = ∇F(Q)` and `ω = -⟨G, Q⟩` the gradient with respect
//! to `L` is `2 (G + ωH) L / tr(LL'H)`; for a diagonal `L` it is the diagonal of that, where `H_aa = 1`.

use crate::Result;
use crate::error::bad;
use crate::kernel::{FeatureGradient, Features};
use crate::linalg::{Cholesky, dot, gram, times, trace_product};
use crate::objective::Problem;
use faer::{Mat, MatRef, Scale};

/// Structure of `Q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Structure {
    /// Any positive semi-definite matrix.
    #[default]
    Full,
    /// A matrix of at most this rank: `L` is `l × r`. Fewer parameters; a pass over the data still costs `N l²`.
    LowRank(usize),
    /// A diagonal matrix: a mixture of normals with a common covariance, at cost `N l` per pass.
    Diagonal,
}

/// Value and gradients at a root `L`. The gradients other than `root` are those of the full Lagrangian.
pub(super) struct AtRoot {
    pub(super) value: f64,
    pub(super) root: Mat<f64>,
    pub(super) features: FeatureGradient,
    pub(super) nu: f64,
}

impl Structure {
    /// The free entries of `L` (`l × columns`) for a `Q` close to the given one. Low rank sums the columns `k`, `k + r`, … of the Cholesky
    /// factor, so that no anchor starts with weight zero; diagonal takes the root of the diagonal.
    pub(super) fn root(&self, q: MatRef<'_, f64>) -> Result<Mat<f64>> {
        let l = q.nrows();
        let factor = Cholesky::new(q.to_owned(), "starting Q")?.factor().to_owned();
        match *self {
            Self::Full => Ok(factor),
            Self::LowRank(0) => Err(bad("rank of Q", 0, "at least one")),
            Self::LowRank(rank) => Ok(Mat::from_fn(l, rank.min(l), |a, k| {
                (k..l).step_by(rank.min(l)).map(|column| factor[(a, column)]).sum()
            })),
            Self::Diagonal => Ok(Mat::from_fn(l, 1, |a, _| q[(a, a)].sqrt())),
        }
    }

    /// The number of columns of [`root`](Self::root) for `l` anchors.
    pub(super) fn columns(&self, l: usize) -> usize {
        match *self {
            Self::Full => l,
            Self::LowRank(rank) => rank.min(l),
            Self::Diagonal => 1,
        }
    }

    /// `LL'`.
    pub(super) fn square(&self, root: MatRef<'_, f64>) -> Mat<f64> {
        match self {
            Self::Diagonal => {
                let square = |a, b| if a == b { root[(a, 0)].powi(2) } else { 0.0 };
                Mat::from_fn(root.nrows(), root.nrows(), square)
            }
            _ => gram(root),
        }
    }

    /// The objective of `problem` and its gradients at `L`.
    pub(super) fn evaluate(
        &self,
        problem: &Problem<'_>,
        features: &Features,
        root: MatRef<'_, f64>,
    ) -> Result<AtRoot> {
        if *self == Self::Diagonal {
            return diagonal(problem, features, root);
        }
        let h = features.h()?;
        let square = gram(root);
        let mass = trace_product(square.as_ref(), h.as_ref());
        let q = square * Scale(1.0 / mass);
        let at = problem.derivatives(q.as_ref())?;
        let omega = -trace_product(at.q.as_ref(), q.as_ref());
        let features = problem.with_constraint(at.features, q.as_ref(), omega)?;
        let root = times((at.q + h * Scale(omega)).as_ref(), root) * Scale(2.0 / mass);
        Ok(AtRoot { value: at.value, root, features, nu: at.nu })
    }
}

/// `tr(QH) = Σ q_a` for all anchors, so the constraint adds nothing to their gradient.
fn diagonal(problem: &Problem<'_>, features: &Features, root: MatRef<'_, f64>) -> Result<AtRoot> {
    let squares: Vec<f64> = root.col(0).iter().map(|x| x * x).collect();
    let mass: f64 = squares.iter().sum();
    let q: Vec<f64> = squares.iter().map(|x| x / mass).collect();
    let at = problem.diagonal_derivatives(&q)?;
    let slopes: Vec<f64> = at.q.col(0).iter().copied().collect();
    let omega = -dot(&slopes, &q);
    let root = Mat::from_fn(q.len(), 1, |a, _| 2.0 * (slopes[a] + omega) * root[(a, 0)] / mass);
    Ok(AtRoot { value: at.value, root, features: at.features.finish(features)?, nu: at.nu })
}
