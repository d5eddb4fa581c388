//! The Sinkhorn divergence between two clouds of points with equal weights, and its gradient.
//!
//! ```text
//! S(x, y) = OT(x, y) - ½ OT(x, x) - ½ OT(y, y),   OT = min_π <π, C> + ε KL(π, equal weights),   C = ½ |x_i - y_j|²
//! ```
//!
//! Each `OT` is the sum of the means of its two potentials. They are found while the temperature falls from the squared diameter to
//! `ε = blur²`, by a factor `scaling²` per step, each step going half of the way (Feydy, *Geometric data analysis, beyond convolutions*,
//! 2020, Algorithm 3.5, which the library geomloss follows). A last full step then makes the potentials functions of the points: by the
//! envelope theorem the gradient of `OT(x, y)` at `x_i`, times the number of points, is `x_i` minus the mean of the points that its mass
//! goes to.

use super::cloud::Cloud;
use super::coupling::{Coupling, Outcome};
use faer::{Mat, MatRef};

/// Settings of a divergence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blur {
    /// The length scale of the blur; its square is the temperature.
    pub length: f64,
    /// The ratio of each blur to the one before while it falls; between zero and one.
    pub scaling: f64,
}

/// A divergence and its gradients.
#[derive(Debug, Clone)]
pub struct Divergence {
    /// Its value.
    pub value: f64,
    /// The derivatives in the first and in the second points, of their shapes.
    pub gradients: [Mat<f64>; 2],
}

/// The Sinkhorn divergence between points, which are the *columns* of two matrices.
pub fn sinkhorn_divergence(x: MatRef<'_, f64>, y: MatRef<'_, f64>, blur: &Blur) -> Divergence {
    let cloud =
        |points: MatRef<'_, f64>| Cloud::from_fn(points.ncols(), points.nrows(), |j, i| points[(j, i)]);
    let matrix = |cloud: &Cloud| Mat::from_fn(cloud.columns(), cloud.len(), |j, i| cloud.coordinate(j)[i]);
    let (value, gradients) = divergence(&cloud(x), &cloud(y), blur);
    Divergence { value, gradients: [matrix(&gradients[0]), matrix(&gradients[1])] }
}

/// The divergence and its gradients; zero if all points are equal.
pub(super) fn divergence(x: &Cloud, y: &Cloud, blur: &Blur) -> (f64, [Cloud; 2]) {
    let diameter = x.diameter(y);
    if diameter == 0.0 {
        return (0.0, [Cloud::zero(x), Cloud::zero(y)]);
    }
    at_temperatures(x, y, &blur.temperatures(diameter))
}

/// The same, with steps at the given temperatures.
fn at_temperatures(x: &Cloud, y: &Cloud, temperatures: &[f64]) -> (f64, [Cloud; 2]) {
    let solve = |coupling| solved(coupling, temperatures);
    let (xy, (xx, yy)) = rayon::join(
        || solve(Coupling::between(x, y)),
        || (solve(Coupling::within(x)), solve(Coupling::within(y))),
    );
    let value = xy.means[0] - xx.means[0] + xy.means[1] - yy.means[0];
    let gradients = [gradient(&xx.targets[0], &xy.targets[0]), gradient(&yy.targets[0], &xy.targets[1])];
    (value, gradients)
}

/// A coupling at the last temperature.
fn solved(mut coupling: Coupling<'_>, temperatures: &[f64]) -> Outcome {
    let (first, last) = (temperatures[0], temperatures[temperatures.len() - 1]);
    coupling.step(first, 1.0);
    temperatures.iter().for_each(|&epsilon| coupling.step(epsilon, 0.5));
    coupling.finish(last)
}

/// The points cancel; the gradient is the difference of the means that their masses go to, in their own cloud and in the other.
fn gradient(within: &Cloud, between: &Cloud) -> Cloud {
    let n = within.len() as f64;
    Cloud::from_fn(within.len(), within.columns(), |j, i| {
        (within.coordinate(j)[i] - between.coordinate(j)[i]) / n
    })
}

impl Blur {
    /// The temperatures of all steps: the squared diameter twice, a falling sequence, and the squared blur.
    fn temperatures(&self, diameter: f64) -> Vec<f64> {
        let [first, last, fall] = [diameter, self.length, self.scaling].map(|length| 2.0 * length.ln());
        let count = ((last - first) / fall).ceil().max(0.0) as usize;
        let falling = (0..count).map(|k| (first + k as f64 * fall).exp());
        [diameter * diameter].into_iter().chain(falling).chain([self.length * self.length]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Generic points, whose numbers are no multiples of the lanes.
    fn cloud(n: usize, shift: f64) -> Cloud {
        Cloud::from_fn(n, 3, |j, i| ((i * 7 + j * 3) as f64 + shift).sin() + 0.1 * shift * j as f64)
    }

    fn cost(x: &Cloud, i: usize, y: &Cloud, k: usize) -> f64 {
        (0..3).map(|j| (x.coordinate(j)[i] - y.coordinate(j)[k]).powi(2)).sum::<f64>() / 2.0
    }

    /// `-ε log mean_k exp((g_k - C_ik) / ε)` for all points of `x`.
    fn softmin(x: &Cloud, y: &Cloud, g: &[f64], epsilon: f64) -> Vec<f64> {
        let of = |i: usize| {
            let terms: Vec<f64> = (0..y.len()).map(|k| (g[k] - cost(x, i, y, k)) / epsilon).collect();
            let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = terms.iter().map(|term| (term - top).exp()).sum();
            -epsilon * (top + sum.ln() - (y.len() as f64).ln())
        };
        (0..x.len()).map(of).collect()
    }

    /// The potentials by the definition of each step.
    fn potentials(x: &Cloud, y: &Cloud, temperatures: &[f64]) -> [Vec<f64>; 2] {
        let halfway = |a: &[f64], b: Vec<f64>| a.iter().zip(b).map(|(a, b)| 0.5 * (a + b)).collect();
        let (mut f, mut g) = (vec![0.0; x.len()], vec![0.0; y.len()]);
        let next = |f: &[f64], g: &[f64], e: f64| (softmin(x, y, g, e), softmin(y, x, f, e));
        (f, g) = next(&f, &g, temperatures[0]);
        for &epsilon in temperatures {
            let (to_f, to_g) = next(&f, &g, epsilon);
            (f, g) = (halfway(&f, to_f), halfway(&g, to_g));
        }
        (f, g) = next(&f, &g, temperatures[temperatures.len() - 1]);
        [f, g]
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    #[test]
    fn the_value_is_that_of_the_steps_by_their_definition() {
        let blur = Blur { length: 0.3, scaling: 0.9 };
        for (n, m) in [(1, 1), (5, 8), (9, 21), (16, 16)] {
            let (x, y) = (cloud(n, 0.0), cloud(m, 2.0));
            let temperatures = blur.temperatures(x.diameter(&y));
            let [xy, xx, yy] = [(&x, &y), (&x, &x), (&y, &y)].map(|(a, b)| potentials(a, b, &temperatures));
            let expected = mean(&xy[0]) + mean(&xy[1]) - mean(&xx[0]) - mean(&yy[0]);
            let (found, _) = divergence(&x, &y, &blur);
            assert!((found - expected).abs() < 1e-12, "{n} {m}: {found} {expected}");
        }
    }

    #[test]
    fn gradients_are_central_differences_once_the_potentials_are_best() {
        let (x, y) = (cloud(5, 0.0), cloud(9, 2.0));
        let temperatures = vec![0.3; 2000];
        let value = |x: &Cloud, y: &Cloud| at_temperatures(x, y, &temperatures).0;
        let (_, gradients) = at_temperatures(&x, &y, &temperatures);
        let moved = |cloud: &Cloud, j: usize, i: usize, by: f64| {
            let mut moved = cloud.clone();
            moved.coordinate_mut(j)[i] += by;
            moved
        };
        let h = 1e-5;
        let close = |found: f64, up: f64, down: f64| {
            let expected = (up - down) / (2.0 * h);
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        };
        for j in 0..3 {
            for i in 0..x.len() {
                let [up, down] = [h, -h].map(|by| value(&moved(&x, j, i, by), &y));
                close(gradients[0].coordinate(j)[i], up, down);
            }
            for i in 0..y.len() {
                let [up, down] = [h, -h].map(|by| value(&x, &moved(&y, j, i, by)));
                close(gradients[1].coordinate(j)[i], up, down);
            }
        }
    }

    #[test]
    fn a_cloud_is_at_no_distance_from_itself() {
        let (x, blur) = (cloud(12, 0.0), Blur { length: 0.1, scaling: 0.9 });
        let (value, gradients) = divergence(&x, &x, &blur);
        assert!(value.abs() < 1e-13, "{value}");
        assert!((0..3).all(|j| gradients[0].coordinate(j).iter().all(|g| g.abs() < 1e-13)));
        let (value, _) = divergence(&Cloud::zero(&x), &Cloud::zero(&x), &blur);
        assert_eq!(value, 0.0);
    }

    #[test]
    fn temperatures_fall_from_the_diameter_to_the_blur() {
        let found = Blur { length: 1.0, scaling: 0.5 }.temperatures(8.0);
        let expected = [64.0, 64.0, 16.0, 4.0, 1.0];
        assert!(found.len() == 5 && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12 * b));
        assert_eq!(Blur { length: 3.0, scaling: 0.5 }.temperatures(2.0), [4.0, 9.0]);
    }
}
