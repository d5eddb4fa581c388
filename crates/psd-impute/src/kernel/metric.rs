//! The metric `P` of the kernel `k(x, w) = exp(-(x-w)' P (x-w))` on the continuous columns.
//!
//! Everything is computed from `Σ = (4P)⁻¹`, the covariance of each product of two features.

use crate::error::{bad, positive};
use crate::linalg::{Cholesky, gram, times};
use crate::{Error, Result};
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// A kernel's metric, valid by construction.
#[derive(Debug, Clone)]
pub struct Metric {
    shape: Shape,
}

/// Structure of a metric.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// One bandwidth for all columns.
    Isotropic,
    /// One bandwidth per column.
    Diagonal,
    /// Any positive definite matrix.
    #[default]
    Full,
}

impl MetricKind {
    /// The names of the kinds, the default first.
    pub const NAMES: [&'static str; 3] = ["full", "diagonal", "isotropic"];

    /// The kind of this name, one of [`NAMES`](Self::NAMES).
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for an unknown name.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "full" => Ok(Self::Full),
            "diagonal" => Ok(Self::Diagonal),
            "isotropic" => Ok(Self::Isotropic),
            other => Err(bad("metric", format!("{other:?}"), "'full', 'diagonal' or 'isotropic'")),
        }
    }
}

/// The parameters of a metric, by kind.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// `P = η I`.
    Isotropic(f64),
    /// `P = diag(η)`, as in the paper.
    Diagonal(Vec<f64>),
    /// Any `P`, held as the lower Cholesky factor `R` of `Σ`.
    Full(Mat<f64>),
}

impl Metric {
    /// `P = η I`.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] unless `eta` is finite and positive.
    pub fn isotropic(eta: f64) -> Result<Self> {
        positive("bandwidth eta", eta)?;
        Ok(Self { shape: Shape::Isotropic(eta) })
    }

    /// `P = diag(η)`.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] unless every bandwidth is finite and positive.
    pub fn diagonal(eta: Vec<f64>) -> Result<Self> {
        for &value in &eta {
            positive("bandwidth eta", value)?;
        }
        Ok(Self { shape: Shape::Diagonal(eta) })
    }

    /// The metric for which a product of two features has covariance `sigma`: `P = Σ⁻¹/4`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] unless `sigma` is square, [`Error::BadParameter`] unless it is symmetric, [`Error::NotPositiveDefinite`] unless it is
    /// positive definite.
    pub fn full(sigma: MatRef<'_, f64>) -> Result<Self> {
        let (rows, columns) = (sigma.nrows(), sigma.ncols());
        if rows != columns {
            return Err(Error::Shape { what: "columns of the metric", found: columns, expected: rows });
        }
        for j in 0..columns {
            for i in 0..j {
                let (upper, lower) = (sigma[(i, j)], sigma[(j, i)]);
                if (upper - lower).abs() > 1e-8 * (sigma[(i, i)] * sigma[(j, j)]).abs().sqrt() {
                    return Err(bad(
                        "metric",
                        format!("{upper} and {lower} across the diagonal"),
                        "symmetric",
                    ));
                }
            }
        }
        let factor = Cholesky::new(sigma.to_owned(), "metric")?;
        Ok(Self { shape: Shape::Full(factor.factor().to_owned()) })
    }

    /// The metric of the given kind closest to `sigma`.
    ///
    /// # Errors
    ///
    /// As for [`full`](Self::full) or, for the other kinds, [`diagonal`](Self::diagonal) of the variances.
    pub(crate) fn near(kind: MetricKind, sigma: MatRef<'_, f64>) -> Result<Self> {
        let variances: Vec<f64> = (0..sigma.nrows()).map(|j| sigma[(j, j)]).collect();
        match kind {
            MetricKind::Full => Self::full(sigma),
            MetricKind::Diagonal => Self::diagonal(variances.iter().map(|v| 0.25 / v).collect()),
            MetricKind::Isotropic => {
                Self::isotropic(0.25 * variances.len().max(1) as f64 / variances.iter().sum::<f64>())
            }
        }
    }

    /// The metric whose `Σ` has this lower Cholesky factor.
    pub(crate) fn from_factor(factor: Mat<f64>) -> Result<Self> {
        let g = factor.nrows();
        if factor.ncols() != g {
            return Err(Error::Shape { what: "columns of the metric", found: factor.ncols(), expected: g });
        }
        for j in 0..g {
            positive("metric factor's diagonal", factor[(j, j)])?;
            let wrong = |&i: &usize| !factor[(i, j)].is_finite() || (i < j && factor[(i, j)] != 0.0);
            if let Some(i) = (0..g).find(wrong) {
                let value = format!("{} in row {i} and column {j}", factor[(i, j)]);
                return Err(bad("metric factor", value, "lower triangular and finite"));
            }
        }
        Ok(Self { shape: Shape::Full(factor) })
    }

    /// The parameters, by kind.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether columns are independent for each pair of anchors; required if the base measure is a box.
    pub(crate) fn is_diagonal(&self) -> bool {
        !matches!(self.shape, Shape::Full(_))
    }

    /// `Σ` for `g` continuous columns.
    pub(crate) fn covariance(&self, g: usize) -> Result<Mat<f64>> {
        let fits = |found| {
            if found == g {
                Ok(())
            } else {
                Err(Error::Shape { what: "columns of the metric", found, expected: g })
            }
        };
        match &self.shape {
            Shape::Isotropic(eta) => Ok(diagonal_matrix(&vec![0.25 / eta; g])),
            Shape::Diagonal(eta) => {
                fits(eta.len())?;
                Ok(diagonal_matrix(&eta.iter().map(|eta| 0.25 / eta).collect::<Vec<_>>()))
            }
            Shape::Full(factor) => {
                fits(factor.nrows())?;
                Ok(gram(factor.as_ref()))
            }
        }
    }

    /// Unconstrained parameters: `log η`; each column's `log η`; or the lower triangle of `R`, column by column, with the logarithms of
    /// its diagonal.
    pub fn parameters(&self) -> Vec<f64> {
        match &self.shape {
            Shape::Isotropic(eta) => vec![eta.ln()],
            Shape::Diagonal(eta) => eta.iter().map(|eta| eta.ln()).collect(),
            Shape::Full(factor) => lower(factor.as_ref(), |i, j| {
                let r = factor[(i, j)];
                if i == j { r.ln() } else { r }
            }),
        }
    }

    /// The metric of the same kind with other [`parameters`](Self::parameters).
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] for another number of parameters, [`Error::BadParameter`] if an exponential overflows or underflows.
    pub fn with_parameters(&self, parameters: &[f64]) -> Result<Self> {
        let expected = self.parameters().len();
        if parameters.len() != expected {
            return Err(Error::Shape { what: "parameters of the metric", found: parameters.len(), expected });
        }
        match &self.shape {
            Shape::Isotropic(_) => Self::isotropic(parameters[0].exp()),
            Shape::Diagonal(_) => Self::diagonal(parameters.iter().map(|t| t.exp()).collect()),
            Shape::Full(factor) => {
                let mut next = parameters.iter();
                let mut out = Mat::zeros(factor.nrows(), factor.nrows());
                for j in 0..factor.nrows() {
                    for i in j..factor.nrows() {
                        let t = next.next().copied().unwrap_or_default();
                        out[(i, j)] = if i == j { positive("metric factor's diagonal", t.exp())? } else { t };
                    }
                }
                Ok(Self { shape: Shape::Full(out) })
            }
        }
    }

    /// Gradient with respect to the [`parameters`](Self::parameters) of a function whose gradient with respect to `Σ` is `d_sigma`.
    ///
    /// `dΣ_jj/d log η_j = -Σ_jj`, and `dΣ = dR R' + R dR'` gives `2 (dΣ R)` on the lower triangle.
    pub fn chain(&self, d_sigma: MatRef<'_, f64>) -> Vec<f64> {
        let g = d_sigma.nrows();
        match &self.shape {
            Shape::Isotropic(eta) => vec![-0.25 / eta * (0..g).map(|j| d_sigma[(j, j)]).sum::<f64>()],
            Shape::Diagonal(eta) => (0..g).map(|j| -0.25 / eta[j] * d_sigma[(j, j)]).collect(),
            Shape::Full(factor) => {
                let d_factor = times(d_sigma, factor.as_ref());
                lower(factor.as_ref(), |i, j| {
                    2.0 * d_factor[(i, j)] * if i == j { factor[(i, j)] } else { 1.0 }
                })
            }
        }
    }
}

fn diagonal_matrix(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(values.len(), values.len(), |i, j| if i == j { values[i] } else { 0.0 })
}

fn lower(a: MatRef<'_, f64>, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    (0..a.ncols()).flat_map(|j| (j..a.nrows()).map(move |i| (i, j))).map(|(i, j)| entry(i, j)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_metrics_name_the_value() {
        let negative = Metric::isotropic(-2.0).unwrap_err();
        assert_eq!(negative.to_string(), "bandwidth eta is -2, but must be finite and above zero");
        assert!(Metric::diagonal(vec![1.0, f64::NAN]).is_err());
        let skew = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { i as f64 });
        assert!(Metric::full(skew.as_ref()).unwrap_err().to_string().contains("symmetric"));
        let indefinite = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 2.0 });
        let error = Metric::full(indefinite.as_ref()).unwrap_err();
        assert_eq!(error, Error::NotPositiveDefinite { what: "metric", pivot: 1 });
        assert!(Metric::diagonal(vec![1.0]).unwrap().covariance(2).is_err());
    }

    #[test]
    fn parameters_go_there_and_back() {
        let sigma = Mat::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 0.5 });
        for metric in [Metric::isotropic(0.3), Metric::diagonal(vec![0.3, 4.0]), Metric::full(sigma.as_ref())]
        {
            let metric = metric.unwrap();
            let again = metric.with_parameters(&metric.parameters()).unwrap();
            assert!((metric.covariance(2).unwrap() - again.covariance(2).unwrap()).norm_max() < 1e-15);
            assert!(metric.with_parameters(&[0.0; 7]).is_err());
        }
    }
}
