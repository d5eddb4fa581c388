//! Limited-memory BFGS for smooth functions without constraints.

use super::dot;

/// Stopping rule and memory.
#[derive(Debug, Clone, Copy)]
pub struct LbfgsParams {
    /// Largest number of steps.
    pub max_iterations: usize,
    /// Stop when a step lowers the value by less than this.
    pub tolerance: f64,
    /// Number of pairs (step, change of gradient) kept.
    pub memory: usize,
}

/// Outcome of a minimisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LbfgsInfo {
    /// Steps taken.
    pub iterations: usize,
    /// Evaluations of the function.
    pub evaluations: usize,
    /// The last value.
    pub value: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Minimises `f`, which returns its value and gradient; a value that is not finite means that the step was too long.
///
/// Directions come from the two-loop recursion; step lengths from backtracking to Armijo's rule with quadratic interpolation. A pair
/// enters the memory only if its curvature is positive, so every direction is one of descent.
///
/// # Errors
///
/// Those of `f`.
pub fn lbfgs<E>(
    mut f: impl FnMut(&[f64]) -> Result<(f64, Vec<f64>), E>,
    start: Vec<f64>,
    params: LbfgsParams,
) -> Result<(Vec<f64>, LbfgsInfo), E> {
    let mut x = start;
    let (mut value, mut gradient) = f(&x)?;
    let mut info = LbfgsInfo { iterations: 0, evaluations: 1, value, converged: false };
    let mut pairs: Vec<Pair> = Vec::new();
    while value.is_finite() && info.iterations < params.max_iterations {
        let direction = two_loops(&pairs, &gradient);
        let slope = dot(&direction, &gradient);
        if slope.is_nan() || slope >= 0.0 {
            info.converged = slope == 0.0;
            break;
        }
        // The first step has no scale yet: move by at most 0.1 (arbitrary).
        let longest = if pairs.is_empty() { 0.1 / dot(&gradient, &gradient).sqrt().max(0.1) } else { 1.0 };
        let mut length = longest;
        let accepted = loop {
            let trial: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
            let (next, slopes) = f(&trial)?;
            info.evaluations += 1;
            if next.is_finite() && next <= value + 1e-4 * length * slope {
                break Some((trial, next, slopes));
            }
            let parabola = -0.5 * slope * length * length / (next - value - slope * length);
            length =
                if parabola.is_finite() { parabola.clamp(0.1 * length, 0.5 * length) } else { 0.1 * length };
            // A step this short cannot gain enough. A gradient whose square overflows gives a length of zero.
            info.converged = -slope * length < params.tolerance;
            if info.converged || length < 1e-10 * longest || length == 0.0 {
                break None;
            }
        };
        let Some((trial, next, slopes)) = accepted else { break };
        remember(&mut pairs, params.memory, &x, &trial, &gradient, &slopes);
        info.iterations += 1;
        let gain = value - next;
        (x, value, gradient) = (trial, next, slopes);
        info.converged = gain < params.tolerance;
        if info.converged {
            break;
        }
    }
    info.value = value;
    Ok((x, info))
}

struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    rho: f64,
}

fn remember(pairs: &mut Vec<Pair>, memory: usize, x: &[f64], next: &[f64], g: &[f64], slopes: &[f64]) {
    let s: Vec<f64> = next.iter().zip(x).map(|(a, b)| a - b).collect();
    let y: Vec<f64> = slopes.iter().zip(g).map(|(a, b)| a - b).collect();
    let curvature = dot(&s, &y);
    if memory > 0 && curvature > 1e-12 * dot(&y, &y) {
        if pairs.len() == memory {
            pairs.remove(0);
        }
        pairs.push(Pair { s, y, rho: 1.0 / curvature });
    }
}

fn two_loops(pairs: &[Pair], gradient: &[f64]) -> Vec<f64> {
    let mut q: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let alpha = pair.rho * dot(&pair.s, &q);
        q.iter_mut().zip(&pair.y).for_each(|(q, y)| *q -= alpha * y);
        alphas.push(alpha);
    }
    if let Some(pair) = pairs.last() {
        let scale = 1.0 / (pair.rho * dot(&pair.y, &pair.y));
        q.iter_mut().for_each(|q| *q *= scale);
    }
    for (pair, alpha) in pairs.iter().zip(alphas.iter().rev()) {
        let beta = pair.rho * dot(&pair.y, &q);
        q.iter_mut().zip(&pair.s).for_each(|(q, s)| *q += (alpha - beta) * s);
    }
    q
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_bottom_of_rosenbrocks_valley() {
        let f = |x: &[f64]| -> Result<(f64, Vec<f64>), ()> {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            Ok((a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b]))
        };
        let params = LbfgsParams { max_iterations: 200, tolerance: 1e-20, memory: 8 };
        let (x, info) = lbfgs(f, vec![-1.2, 1.0], params).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6, "{x:?} {info:?}");
        assert!(info.converged && info.iterations < 100);
    }

    #[test]
    fn ends_where_the_gradient_is_too_long_for_a_number() {
        let f = |x: &[f64]| -> Result<(f64, Vec<f64>), ()> { Ok((1e200 * x[0], vec![1e200])) };
        let params = LbfgsParams { max_iterations: 50, tolerance: 0.0, memory: 4 };
        let (x, info) = lbfgs(f, vec![2.0], params).unwrap();
        assert_eq!((x[0], info.iterations, info.converged), (2.0, 0, false));
    }

    #[test]
    fn steps_back_from_where_the_function_is_not() {
        let f = |x: &[f64]| -> Result<(f64, Vec<f64>), ()> { Ok((x[0] - x[0].ln(), vec![1.0 - 1.0 / x[0]])) };
        let params = LbfgsParams { max_iterations: 100, tolerance: 1e-16, memory: 4 };
        let (x, _) = lbfgs(f, vec![30.0], params).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-6);
    }
}
