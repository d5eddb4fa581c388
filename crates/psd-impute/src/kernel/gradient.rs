//! Derivatives of the features.
//!
//! A function `F` of the matrices `A_i` is differentiated through the two places where anchors and metric enter: the
//! vectors `log f_i` and the pair matrix `log E` of a pattern. (`E` is meant with its diagonal here; the scaling of
//! [`PatternFeatures`] only moves the diagonal from `E` to `f`.) Given
//!
//! ```text
//! G[a,i] = ∂F/∂ log f_ia        T[a,b] = ∂F/∂ log E_ab  (symmetric)
//! ```
//!
//! this file sums `∂F/∂W`, `∂F/∂Σ` and `∂F/∂ log θ`. Two kinds of term occur: `-¼ |z_i - u_a|² - ½ log|C|` in `log f`, and a multiple of
//! `|w_a - w_b|²_Σ` in `log E`, where `|v_a - v_b|² = |w_a - w_b|²_Σ - |w_a - w_b|²_{Σ_SS}`.

use super::features::Features;
use super::metric::Metric;
use super::pattern::PatternFeatures;
use super::truncated::end_densities;
use crate::Result;
use crate::linalg::{Cholesky, log_sum_exp, times};
use crate::table::{Pattern, Table};
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Mat, MatRef, Par, Scale};

/// Gradient with respect to all parameters of the features.
#[derive(Debug, Clone)]
pub struct FeatureGradient {
    /// With respect to the continuous anchors, `g × l`.
    pub anchors: Mat<f64>,
    /// With respect to `Σ`, symmetric `g × g`: the derivative along a symmetric direction `D` is `tr(· D)`.
    pub sigma: Mat<f64>,
    /// With respect to each discrete column's `log θ`, `K × l`.
    pub log_theta: Vec<Mat<f64>>,
    /// With respect to the features' `log_norm`; [`finish`](Self::finish) carries it over to the parameters.
    norm: Vec<f64>,
    /// Sum of `T` over the patterns. [`finish`](Self::finish) uses it for the distances in all columns, which `log E` contains for every
    /// pattern.
    pairs: Mat<f64>,
}

impl FeatureGradient {
    /// The zero gradient.
    pub fn zeros(features: &Features) -> Self {
        let (g, l) = (features.continuous_columns().len(), features.len());
        Self {
            anchors: Mat::zeros(g, l),
            sigma: Mat::zeros(g, g),
            log_theta: features.discrete().iter().map(|c| Mat::zeros(c.atoms().len(), l)).collect(),
            norm: vec![0.0; l],
            pairs: Mat::zeros(l, l),
        }
    }

    /// Gradient with respect to the metric's [`parameters`](Metric::parameters).
    pub fn metric(&self, metric: &Metric) -> Vec<f64> {
        metric.chain(self.sigma.as_ref())
    }

    /// Adds another gradient.
    pub fn add(&mut self, other: &Self) {
        self.anchors += &other.anchors;
        self.sigma += &other.sigma;
        self.log_theta.iter_mut().zip(&other.log_theta).for_each(|(to, from)| *to += from);
        self.norm.iter_mut().zip(&other.norm).for_each(|(to, from)| *to += from);
        self.pairs += &other.pairs;
    }

    /// Adds the contribution of the rows of one pattern from `G` (`l × n`) and `T` (`l × l`).
    pub fn add_rows(
        &mut self,
        features: &Features,
        pattern: &PatternFeatures<'_>,
        table: &Table,
        rows: &[usize],
        g: MatRef<'_, f64>,
        t: MatRef<'_, f64>,
    ) {
        self.pairs += t;
        self.add_observed(features, pattern, table, rows, g, t);
        self.add_integrals(features, pattern, all_pairs(t));
    }

    /// Adds the contribution of `tr(T log H)`: `t[a,b] = ∂F/∂ log H_ab`.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`](crate::Error::NotPositiveDefinite) if `Σ` cannot be factored.
    pub fn add_h(&mut self, features: &Features, t: MatRef<'_, f64>) -> Result<()> {
        self.add_norms(t);
        self.pairs += t;
        self.add_integrals(features, &features.pattern(&Pattern::empty(features.columns()))?, all_pairs(t));
        Ok(())
    }

    /// Adds the contribution of the kernel between anchors: `t[a,b] = ∂F/∂ log K_ab`.
    ///
    /// # Errors
    ///
    /// As for [`add_h`](Self::add_h).
    pub fn add_k(&mut self, features: &Features, t: MatRef<'_, f64>) -> Result<()> {
        self.add_norms(t);
        self.add_distances(features, -0.25, t)?;
        for (c, column) in features.discrete().iter().enumerate() {
            let ones = vec![0.0; column.atoms().len()];
            add_table(&mut self.log_theta[c], column.log_theta(), &ones, all_pairs(t));
        }
        Ok(())
    }

    /// Carries the gradients with respect to the norms `½ log ∫ φ_a²` and the distances `-⅛ |w_a - w_b|²_Σ` over to the parameters. Call it
    /// once, last.
    ///
    /// # Errors
    ///
    /// As for [`add_h`](Self::add_h).
    pub fn finish(mut self, features: &Features) -> Result<Self> {
        let pairs = std::mem::replace(&mut self.pairs, Mat::zeros(features.len(), features.len()));
        self.add_distances(features, -0.125, pairs.as_ref())?;
        let t: Vec<f64> = self.norm.iter().map(|norm| 0.5 * norm).collect();
        self.norm.fill(0.0);
        self.add_integrals(features, &features.pattern(&Pattern::empty(features.columns()))?, own_pairs(&t));
        Ok(self)
    }

    fn add_norms(&mut self, t: MatRef<'_, f64>) {
        for a in 0..t.nrows() {
            self.norm[a] -= 2.0 * t.row(a).iter().sum::<f64>();
        }
    }

    /// Adds `log f` and, from `log E`, the distances `⅛ |w_a - w_b|²_{Σ_SS}`, all in the coordinates of the observed columns: with
    /// `r = Σ_a G`, `γ = Σ G` and `V = U [diag(Σ_i G - Σ_b T) + T]`,
    /// `∂Σ_SS = ¼ C⁻ᵀ [Z diag(r) Z' - Z G'U' - U G Z' + V U' - γ I] C⁻¹` and `∂w_S = ½ C⁻ᵀ [Z G' - V]`. The two middle terms are transposes of
    /// each other and the result is made symmetric, so one of them is taken twice.
    fn add_observed(
        &mut self,
        features: &Features,
        pattern: &PatternFeatures<'_>,
        table: &Table,
        rows: &[usize],
        g: MatRef<'_, f64>,
        t: MatRef<'_, f64>,
    ) {
        let block = pattern.continuous();
        let (k, l) = (block.observed().len(), g.nrows());
        let sums = |m: MatRef<'_, f64>| (0..l).map(|a| m.row(a).iter().sum()).collect::<Vec<f64>>();
        let in_rows = sums(g);
        self.norm.iter_mut().zip(&in_rows).for_each(|(norm, sum)| *norm -= sum);
        let mut z = Mat::zeros(k, rows.len());
        let mut buffer = vec![0.0; k];
        for (i, &row) in rows.iter().enumerate() {
            block.whiten(table.row(row), &mut buffer);
            z.col_mut(i).iter_mut().zip(&buffer).for_each(|(to, from)| *to = *from);
        }
        let r: Vec<f64> = (0..rows.len()).map(|i| g.col(i).iter().sum()).collect();
        let gamma: f64 = r.iter().sum();
        let u = block.u();
        let in_pairs = sums(t);
        let mut v = Mat::from_fn(k, l, |j, a| u[(j, a)] * (in_rows[a] - in_pairs[a]));
        v += times(u, t);
        let zr = Mat::from_fn(k, rows.len(), |j, i| z[(j, i)] * r[i]);
        let zg = times(z.as_ref(), g.transpose());
        let from_anchors = &v - &zg * Scale(2.0);
        let mut inner = times(zr.as_ref(), z.transpose()) + times(from_anchors.as_ref(), u.transpose());
        for j in 0..k {
            inner[(j, j)] -= gamma;
        }
        let positions = positions(features, block.observed());
        self.add_whitened(&positions, block.c(), inner, 0.25, zg - v, 0.5);

        for column in pattern.seen() {
            let Some(c) = features.discrete().iter().position(|other| other.column() == column.column())
            else {
                continue;
            };
            for (i, &row) in rows.iter().enumerate() {
                let Some(atom) = column.position(table.row(row)[column.column()]) else { continue };
                for a in 0..l {
                    self.log_theta[c][(atom, a)] += g[(a, i)];
                }
            }
        }
    }

    /// Adds the terms of `log E` that are not distances: the box and the missing discrete columns.
    fn add_integrals(
        &mut self,
        features: &Features,
        pattern: &PatternFeatures<'_>,
        pairs: impl Iterator<Item = Pair> + Clone,
    ) {
        if pattern.continuous().boxed() {
            self.add_box(&positions(features, pattern.continuous().missing()), pattern, pairs.clone());
        }
        for column in pattern.unseen() {
            if let Some(c) = features.discrete().iter().position(|other| other.column() == column.column()) {
                add_table(&mut self.log_theta[c], column.log_theta(), column.log_rho(), pairs.clone());
            }
        }
    }

    /// `Σ_ab T_ab · weight · |w_a - w_b|²_Σ`: with `U = C⁻¹ W` and `s = Σ_b T`,
    /// `∂Σ = -2 weight C⁻ᵀ [U diag(s) U' - U T U'] C⁻¹` and `∂W = 4 weight C⁻ᵀ [U diag(s) - U T]`.
    fn add_distances(&mut self, features: &Features, weight: f64, t: MatRef<'_, f64>) -> Result<()> {
        let positions: Vec<usize> = (0..features.continuous_columns().len()).collect();
        let (k, l) = (positions.len(), t.nrows());
        let factor = Cholesky::new(features.sigma().to_owned(), "metric")?;
        let mut u = features.anchors().to_owned();
        factor.whiten(u.as_mut());
        let s: Vec<f64> = (0..l).map(|a| t.row(a).iter().sum()).collect();
        let difference = Mat::from_fn(k, l, |j, a| u[(j, a)] * s[a]) - times(u.as_ref(), t);
        let inner = times(difference.as_ref(), u.transpose());
        self.add_whitened(&positions, factor.factor(), inner, -2.0 * weight, difference, 4.0 * weight);
        Ok(())
    }

    /// `∂Σ += a C⁻ᵀ inner C⁻¹` and `∂W += b C⁻ᵀ outer` for the rows `positions`.
    fn add_whitened(
        &mut self,
        positions: &[usize],
        c: MatRef<'_, f64>,
        mut inner: Mat<f64>,
        a: f64,
        mut outer: Mat<f64>,
        b: f64,
    ) {
        solve_upper_triangular_in_place(c.transpose(), outer.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(c.transpose(), inner.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(c.transpose(), inner.transpose_mut(), Par::Seq);
        for (i, &p) in positions.iter().enumerate() {
            for anchor in 0..outer.ncols() {
                self.anchors[(p, anchor)] += b * outer[(i, anchor)];
            }
            for (j, &q) in positions.iter().enumerate() {
                self.sigma[(p, q)] += 0.5 * a * (inner[(i, j)] + inner[(j, i)]);
            }
        }
    }

    /// `Σ_ab T_ab log[Φ(β) - Φ(α)]` with `α, β = bound/σ - v_ab`: with the densities `p` at the ends,
    /// `∂/∂w_a = -(p_β - p_α)/(2σ)` for each anchor of the pair and `∂/∂σ² = -(β p_β - α p_α)/(2σ²)`.
    fn add_box(
        &mut self,
        positions: &[usize],
        pattern: &PatternFeatures<'_>,
        pairs: impl Iterator<Item = Pair> + Clone,
    ) {
        let block = pattern.continuous();
        for (k, &p) in positions.iter().enumerate() {
            let scale = block.l()[(k, k)];
            for (a, b, t) in pairs.clone() {
                let (lo, hi) = block.seen_from(k, a, b);
                let (at_lo, at_hi) = end_densities(lo, hi);
                let reach = |x: f64, p: f64| if p == 0.0 { 0.0 } else { x * p };
                self.anchors[(p, a)] -= t * (at_hi - at_lo) / scale;
                self.sigma[(p, p)] -= t * (reach(hi, at_hi) - reach(lo, at_lo)) / (2.0 * scale * scale);
            }
        }
    }
}

/// `Σ_ab T_ab log Σ_k ρ_k θ_a(k) θ_b(k)`: for each pair, the share of atom `k`, counted for both anchors.
fn add_table(
    out: &mut Mat<f64>,
    log_theta: MatRef<'_, f64>,
    log_rho: &[f64],
    pairs: impl Iterator<Item = Pair>,
) {
    for (a, b, t) in pairs {
        let logs: Vec<f64> =
            (0..log_rho.len()).map(|k| log_rho[k] + log_theta[(k, a)] + log_theta[(k, b)]).collect();
        let total = log_sum_exp(&logs);
        for (k, log) in logs.iter().enumerate() {
            out[(k, a)] += 2.0 * t * (log - total).exp();
        }
    }
}

/// Two anchors and `T` for the pair.
type Pair = (usize, usize, f64);

/// All ordered pairs of a symmetric `T`.
fn all_pairs(t: MatRef<'_, f64>) -> impl Iterator<Item = Pair> + Clone {
    let l = t.nrows();
    (0..l).flat_map(move |a| (0..l).map(move |b| (a, b, t[(a, b)])))
}

/// The pairs of each anchor with itself, for a diagonal `T`.
fn own_pairs(t: &[f64]) -> impl Iterator<Item = Pair> + Clone {
    t.iter().enumerate().map(|(a, &t)| (a, a, t))
}

/// Converts table columns to positions within the continuous block.
fn positions(features: &Features, columns: &[usize]) -> Vec<usize> {
    columns.iter().filter_map(|c| features.continuous_columns().binary_search(c).ok()).collect()
}
