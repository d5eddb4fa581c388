//! The rows nearest to a component.
//!
//! Distance is that of Mahalanobis over the observed cells, `(x_S - m_S)' Σ_SS⁻¹ (x_S - m_S) / |S|`. A wide component next to the rows where a column was never
//! observed may hold labels of rows far from them; its nearest rows do not.

use super::super::Component;
use super::super::data::{Batch, Em};
use crate::Result;
use crate::linalg::Cholesky;
use faer::Mat;

/// Each row counts less than the one before by one part in so many. Arbitrary: enough for frequencies, few enough to be near.
const ROWS: f64 = 8.0;

/// The share left to later rows below which they are neglected. Arbitrary.
const LEAST: f64 = 1e-4;

/// The rows with positive weight that have an observed number, nearest to the component first.
pub(super) fn by_distance(em: &Em<'_>, component: &Component) -> Result<Vec<usize>> {
    let mut found = Vec::new();
    for batch in em.pieces.iter().flatten().filter(|batch| !batch.observed.is_empty()) {
        add_distances(em, component, batch, &mut found)?;
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Ok(found.into_iter().map(|(_, row)| row).collect())
}

fn add_distances(
    em: &Em<'_>,
    Component { mean, covariance, .. }: &Component,
    batch: &Batch,
    found: &mut Vec<(f64, usize)>,
) -> Result<()> {
    let seen = &batch.observed;
    let block = Mat::from_fn(seen.len(), seen.len(), |a, b| covariance[(seen[a], seen[b])]);
    let factor = Cholesky::new(block, "covariance of a component")?;
    let mut off =
        Mat::from_fn(seen.len(), batch.rows.len(), |a, i| em.cells[(seen[a], batch.rows[i])] - mean[seen[a]]);
    factor.whiten(off.as_mut());
    let square = |i: usize| off.col(i).iter().map(|x| x * x).sum::<f64>() / seen.len() as f64;
    found.extend(batch.rows.iter().enumerate().map(|(i, &row)| (square(i), row)));
    Ok(())
}

/// The counts of a column's table over rows in which the column, and the one that it depends on, was observed, less and less from the first to the last:
/// together as much as [`ROWS`] rows.
pub(super) fn counts(em: &Em<'_>, rows: &[usize], c: usize) -> Vec<f64> {
    let labels = &em.labels;
    let (mut out, mut left) = (vec![0.0; labels.forest.entries(c)], 1.0);
    for &row in rows {
        let seen = &labels.combinations[labels.of_row[row]];
        let u = labels.forest.parent(c).map_or(Some(0), |p| seen[p]);
        if let (Some(v), Some(u)) = (seen[c], u) {
            let rest = left * (-em.weights[row] / ROWS).exp();
            out[u * labels.forest.size(c) + v] += ROWS * (left - rest);
            left = rest;
        }
        if left < LEAST {
            break;
        }
    }
    out
}
