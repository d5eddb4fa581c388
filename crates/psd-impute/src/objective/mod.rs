//! The penalised likelihood and its derivatives.
//!
//! ```text
//! F(Q) = -Σ_i w_i log((1-ν) tr(Q A_i) + ν u_i) + λ tr(Q A_0) - μ log det Q        tr(QH) = 1
//! ```
//!
//! over the rows `i` of a table with weights `w` that sum to one; `u_i` is a reference density at the row's observed cells.
//! The paper's `α` is `ν u_i / (1-ν)`. Everything needs only two linear maps, `Q -> (tr Q A_i)_i` and `c -> Σ c_i A_i`: the
//! [`DataTerm`].

mod grouped;
mod parameters;
mod problem;
mod stored;
mod term;

pub use grouped::GroupedTerm;
pub use parameters::{Derivatives, ParameterGradient};
pub use problem::{Problem, ProblemOptions, Regularizer, Storage};
pub use stored::StoredTerm;
pub use term::{DataTerm, RowMatrices};

use crate::linalg::{Cholesky, congruence, is_finite, trace_product};
use crate::{Error, Result};
use faer::{Mat, MatRef, Scale};

/// `F` as a function of `Q`, for fixed anchors and metric. Each row is held divided by a scale of its own, `exp(ρ_i)`.
pub struct Objective {
    pub(crate) term: Box<dyn DataTerm>,
    /// `w_i`, which sum to one.
    weights: Vec<f64>,
    /// `ν u_i / exp(ρ_i)`.
    offsets: Vec<f64>,
    /// `1 - ν`.
    mass: f64,
    /// `Σ w_i ρ_i`.
    log_scale: f64,
    h: Mat<f64>,
    a0: Mat<f64>,
    lambda: f64,
    /// Bytes that a solve may use.
    memory: u64,
}

/// Weights, offsets and scales of the rows, in the order of the data term.
pub struct RowScales {
    /// `w_i`, which sum to one.
    pub weights: Vec<f64>,
    /// `ν u_i / exp(ρ_i)`.
    pub offsets: Vec<f64>,
    /// `Σ w_i ρ_i`.
    pub log_scale: f64,
}

impl Objective {
    /// An objective over any data term whose `tr(Q A_i)` are divided by `exp(ρ_i)`; `options` gives `λ`, `ν` and the memory. For tables in
    /// memory, [`Problem::objective`] does all of this.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if sizes differ, [`Error::NotFinite`] if `a0` is not finite.
    pub fn new(
        term: Box<dyn DataTerm>,
        rows: RowScales,
        h: Mat<f64>,
        a0: Mat<f64>,
        options: &ProblemOptions,
    ) -> Result<Self> {
        let l = term.order();
        for (what, found, expected) in [
            ("row weights", rows.weights.len(), term.rows()),
            ("row offsets", rows.offsets.len(), term.rows()),
            ("order of H", h.nrows(), l),
            ("order of A_0", a0.nrows(), l),
        ] {
            if found != expected {
                return Err(Error::Shape { what, found, expected });
            }
        }
        if !is_finite(a0.as_ref()) {
            return Err(Error::NotFinite { what: "the kernel of an anchor that is too far outside the box" });
        }
        let RowScales { weights, offsets, log_scale } = rows;
        let (mass, lambda, memory) = (1.0 - options.nu, options.lambda, options.memory);
        Ok(Self { term, weights, offsets, mass, log_scale, h, a0, lambda, memory })
    }

    /// The number of anchors.
    pub fn order(&self) -> usize {
        self.h.nrows()
    }

    /// The number of rows with positive weight.
    pub fn rows(&self) -> usize {
        self.weights.len()
    }

    /// The data term.
    pub fn term(&self) -> &dyn DataTerm {
        self.term.as_ref()
    }

    /// `H`.
    pub fn h(&self) -> MatRef<'_, f64> {
        self.h.as_ref()
    }

    /// `A_0`.
    pub fn a0(&self) -> MatRef<'_, f64> {
        self.a0.as_ref()
    }

    /// `λ`.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// Bytes that a solve may use.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// `(tr Q A_i)_i`, each divided by its row's scale.
    pub fn values(&self, q: MatRef<'_, f64>) -> Vec<f64> {
        let mut out = vec![0.0; self.rows()];
        self.term.values(q, &mut out);
        out
    }

    /// `(1-ν) t + ν u`, but at least the smallest positive number, so that its logarithm is finite.
    fn density(&self, i: usize, t: f64) -> f64 {
        (self.mass * t + self.offsets[i]).max(f64::MIN_POSITIVE)
    }

    /// The data part of `F` at the values `t`.
    pub fn data_value(&self, t: &[f64]) -> f64 {
        let logs: f64 = t.iter().enumerate().map(|(i, &t)| self.weights[i] * self.density(i, t).ln()).sum();
        -logs - self.log_scale
    }

    /// The change of the data part when the values move from `t` by `length · moves`; accurate even if it is tiny.
    pub fn data_change(&self, t: &[f64], moves: &[f64], length: f64) -> f64 {
        let relative = |i: usize| self.mass * moves[i] / self.density(i, t[i]);
        -(0..t.len()).map(|i| self.weights[i] * (length * relative(i)).max(-1.0).ln_1p()).sum::<f64>()
    }

    /// `∂F/∂t_i = -w_i (1-ν) / ((1-ν) t_i + ν u_i)`.
    pub fn slopes(&self, t: &[f64]) -> Vec<f64> {
        t.iter().enumerate().map(|(i, &t)| -self.weights[i] * self.mass / self.density(i, t)).collect()
    }

    /// `∂²F/∂t_i² = w_i (1-ν)² / ((1-ν) t_i + ν u_i)²`.
    pub fn curvatures(&self, t: &[f64]) -> Vec<f64> {
        t.iter()
            .enumerate()
            .map(|(i, &t)| self.weights[i] * (self.mass / self.density(i, t)).powi(2))
            .collect()
    }

    /// `F(Q)` with barrier weight `mu`.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`] unless `q` is positive definite.
    pub fn value(&self, q: MatRef<'_, f64>, mu: f64) -> Result<f64> {
        let log_det = Cholesky::new(q.to_owned(), "Q")?.log_det();
        Ok(self.data_value(&self.values(q)) + self.lambda * trace_product(q, self.a0()) - mu * log_det)
    }

    /// `∇F(Q) = Σ ∂F/∂t_i A_i + λ A_0 - μ Q⁻¹`, symmetric.
    ///
    /// # Errors
    ///
    /// As for [`value`](Self::value).
    pub fn gradient(&self, q: MatRef<'_, f64>, mu: f64) -> Result<Mat<f64>> {
        let inverse = inverse(q)?;
        let mut out = self.data_gradient(&self.values(q));
        out += &self.a0 * Scale(self.lambda) - inverse * Scale(mu);
        Ok(out)
    }

    /// `Σ ∂F/∂t_i A_i` at the values `t`.
    pub fn data_gradient(&self, t: &[f64]) -> Mat<f64> {
        let mut out = Mat::zeros(self.order(), self.order());
        self.term.adjoint(&self.slopes(t), out.as_mut());
        out
    }

    /// `∇²F(Q) X = Σ ∂²F/∂t_i² tr(A_i X) A_i + μ Q⁻¹ X Q⁻¹`.
    ///
    /// # Errors
    ///
    /// As for [`value`](Self::value).
    pub fn hessian_product(&self, q: MatRef<'_, f64>, mu: f64, x: MatRef<'_, f64>) -> Result<Mat<f64>> {
        let inverse = inverse(q)?;
        let weighted: Vec<f64> =
            self.curvatures(&self.values(q)).iter().zip(self.values(x)).map(|(k, v)| k * v).collect();
        let mut out = Mat::zeros(self.order(), self.order());
        self.term.adjoint(&weighted, out.as_mut());
        out += congruence(inverse.as_ref(), x) * Scale(mu);
        Ok(out)
    }
}

fn inverse(q: MatRef<'_, f64>) -> Result<Mat<f64>> {
    let mut out = Mat::identity(q.nrows(), q.nrows());
    Cholesky::new(q.to_owned(), "Q")?.solve(out.as_mut());
    Ok(out)
}
