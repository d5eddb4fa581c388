//! Conjugate gradients on a symmetric positive definite operator, always bounded, reporting the true last residual.

use super::dot;

/// Stopping rule.
#[derive(Debug, Clone, Copy)]
pub struct CgParams {
    /// Stop when the residual's norm has fallen to this fraction of the right-hand side's.
    pub tolerance: f64,
    /// Stop after this many products.
    pub max_iterations: usize,
}

/// Outcome of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CgInfo {
    /// Number of products with the operator.
    pub iterations: usize,
    /// Norm of the last residual over the norm of the right-hand side.
    pub residual: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Solves `A x = b` from `x = 0`; `apply(v, out)` writes `A v`.
pub fn conjugate_gradient(
    mut apply: impl FnMut(&[f64], &mut [f64]),
    b: &[f64],
    params: CgParams,
) -> (Vec<f64>, CgInfo) {
    let (mut x, mut r, mut p, mut ap) = (vec![0.0; b.len()], b.to_vec(), b.to_vec(), vec![0.0; b.len()]);
    let start = dot(b, b);
    let goal = start * params.tolerance * params.tolerance;
    let (mut rr, mut iterations) = (start, 0);
    while rr > goal && iterations < params.max_iterations {
        apply(&p, &mut ap);
        iterations += 1;
        let curvature = dot(&p, &ap);
        if curvature <= 0.0 || !curvature.is_finite() {
            break;
        }
        let step = rr / curvature;
        for k in 0..b.len() {
            x[k] += step * p[k];
            r[k] -= step * ap[k];
        }
        let next = dot(&r, &r);
        let ratio = next / rr;
        for k in 0..b.len() {
            p[k] = r[k] + ratio * p[k];
        }
        rr = next;
    }
    let residual = if start > 0.0 { (rr / start).sqrt() } else { 0.0 };
    (x, CgInfo { iterations, residual, converged: rr <= goal })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(v: &[f64], out: &mut [f64]) {
        for (k, o) in out.iter_mut().enumerate() {
            *o = (1.0 + k as f64) * v[k];
        }
    }

    #[test]
    fn solves_in_as_many_steps_as_eigenvalues() {
        let (x, info) =
            conjugate_gradient(apply, &[1.0; 6], CgParams { tolerance: 1e-13, max_iterations: 50 });
        assert!(info.converged && info.iterations <= 7);
        assert!(x.iter().enumerate().all(|(k, v)| (v * (1.0 + k as f64) - 1.0).abs() < 1e-12));
    }

    #[test]
    fn says_when_it_did_not_converge() {
        let (x, info) =
            conjugate_gradient(apply, &[1.0; 6], CgParams { tolerance: 1e-13, max_iterations: 2 });
        let mut ax = vec![0.0; 6];
        apply(&x, &mut ax);
        let residual = (ax.iter().map(|v| (1.0 - v).powi(2)).sum::<f64>() / 6.0).sqrt();
        assert!(!info.converged && (info.residual - residual).abs() < 1e-12);
    }
}
