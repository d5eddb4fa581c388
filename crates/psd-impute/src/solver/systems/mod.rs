//! Three methods for Newton systems `(μI + B'B) X = R` in scaled coordinates.

mod hessian;
mod pcg;
mod scaled_rows;
mod woodbury;

use crate::error::bad;
use crate::linalg::{Packed, column, dot, packed_len};
use crate::objective::{DataTerm, Objective};
use crate::{Error, Result};
use faer::{Mat, MatRef};

/// Method for Newton systems; `p = l(l+1)/2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SystemKind {
    /// The cheapest of the others that fits in memory.
    #[default]
    Auto,
    /// Sherman-Morrison-Woodbury: factor `μI + BB'`, `n × n`. For few rows.
    Woodbury,
    /// Factor `μI + B'B`, `p × p`. For few anchors.
    Hessian,
    /// Conjugate gradients, preconditioned by `Q ⊗ Q`. For many rows and many anchors.
    Pcg,
}

/// A system that has been formed and factored.
pub(super) trait NewtonSystem {
    /// Returns the packed `X` with `⟨H, X⟩ = 0` that solves the system up to a multiple of `H`, and the number of conjugate-gradient
    /// iterations. Direct systems solve up to rounding, whatever the tolerance.
    fn solve(&self, residual: &[f64], h: &[f64], tolerance: f64) -> (Packed, usize);
}

/// Puts the two right-hand sides side by side.
fn side_by_side(residual: &[f64], h: &[f64]) -> Mat<f64> {
    Mat::from_fn(h.len(), 2, |k, j| if j == 0 { residual[k] } else { h[k] })
}

/// `G⁻¹r - (⟨H, G⁻¹r⟩ / ⟨H, G⁻¹H⟩) G⁻¹H` from `G⁻¹r` and `G⁻¹H`.
fn tangent(solved: MatRef<'_, f64>, h: &[f64]) -> Packed {
    let (e, z) = (column(solved, 0), column(solved, 1));
    let ratio = dot(h, e) / dot(h, z);
    e.iter().zip(z).map(|(e, z)| e - ratio * z).collect()
}

/// Forms and factors the system at `Q = C C'`.
pub(super) fn factor<'a>(
    kind: SystemKind,
    objective: &'a Objective,
    c: MatRef<'a, f64>,
    curvatures: Vec<f64>,
    mu: f64,
) -> Result<Box<dyn NewtonSystem + 'a>> {
    let needed = bytes(kind, objective.rows(), c.ncols());
    if needed > objective.memory() {
        let (needed, ceiling) = (needed >> 20, objective.memory() >> 20);
        return Err(Error::TooLarge { what: "the Newton system", needed, ceiling });
    }
    let term = objective.term();
    Ok(match (kind, term.row_matrices()) {
        (SystemKind::Woodbury, Some(rows)) => Box::new(woodbury::Woodbury::new(rows, c, &curvatures, mu)?),
        (SystemKind::Hessian, Some(rows)) => Box::new(hessian::Hessian::new(rows, c, &curvatures, mu)?),
        (SystemKind::Woodbury | SystemKind::Hessian, None) => {
            return Err(bad("system", format!("{kind:?}"), "pcg when the data term streams its rows"));
        }
        _ => Box::new(pcg::Pcg::new(term, c, curvatures, mu)),
    })
}

/// Chooses the system: the given one, or among those that fit in memory the one whose step costs the fewest multiplications.
pub(super) fn choose(objective: &Objective, rank: usize, mu: f64, kind: SystemKind) -> SystemKind {
    if kind != SystemKind::Auto {
        return kind;
    }
    let direct = [SystemKind::Hessian, SystemKind::Woodbury];
    let rows = objective.term().row_matrices();
    let fits =
        |kind: &SystemKind| rows.is_some() && bytes(*kind, objective.rows(), rank) <= objective.memory();
    direct
        .into_iter()
        .filter(fits)
        .chain([SystemKind::Pcg])
        .min_by(|a, b| cost(*a, objective.term(), rank, mu).total_cmp(&cost(*b, objective.term(), rank, mu)))
        .unwrap_or(SystemKind::Pcg)
}

fn bytes(kind: SystemKind, rows: usize, rank: usize) -> u64 {
    let (n, p) = (rows as u64, packed_len(rank) as u64);
    8 * match kind {
        SystemKind::Woodbury => n * p + n * n,
        SystemKind::Hessian => p * p + p * scaled_rows::block(rank, rows) as u64,
        _ => 4 * p,
    }
}

/// Number of multiplications of one step. Forming the rows of `B` costs `2 n l³`. Conjugate gradients were measured to take about
/// `1 + 1.5 μ^(-1/3)` iterations (`tr(B'B) ≤ 1` leaves few large eigenvalues, so the bound `√(1 + 1/μ)` is far too high), each with two
/// passes over the data and four products of order `l`.
fn cost(kind: SystemKind, term: &dyn DataTerm, rank: usize, mu: f64) -> f64 {
    let (n, l, p) = (term.rows() as f64, term.order() as f64, packed_len(rank) as f64);
    let form = 2.0 * n * l * l * l;
    match kind {
        SystemKind::Woodbury => form + 0.5 * n * n * p + n * n * n / 6.0,
        SystemKind::Hessian => form + 0.5 * n * p * p + p * p * p / 6.0,
        _ => {
            let iterations = (1.0 + 1.5 * mu.recip().cbrt()).min(n.min(p) + 1.0);
            iterations * (2.0 * term.pass_cost() + 4.0 * l * l * l)
        }
    }
}
