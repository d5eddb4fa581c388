//! Inner products of candidates from the distances between them, for few candidates.
//!
//! The energy distance is a squared distance in a space where, for combinations of rows whose weights sum to zero, `-|y - z|` acts as the
//! inner product of the rows `y` and `z`. So with `x_ik` candidate `k` of row `i` minus the average of its candidates,
//!
//! ```text
//! ⟨x_ik, x_jl⟩ = -|y_ik - y_jl| + avg_k |y_ik - y_jl| + avg_l |y_ik - y_jl| - avg_kl |y_ik - y_jl|
//! ```
//!
//! All products are stored, with their sums over the chosen candidates: the cost of a candidate is then known at once, and a row that changes
//! its choice changes one number per candidate.

use super::choose::Products;
use rayon::prelude::*;
use std::iter::zip;

pub(super) struct Distances {
    /// Number of candidates per row.
    each: usize,
    /// Products of each candidate with all others, candidate by candidate and row by row. Single precision is enough.
    products: Vec<f32>,
    /// Product of each candidate with `Σ x - t`.
    sums: Vec<f64>,
}

impl Distances {
    /// Products from the points of all rows' candidates, `each` per row. `t` consists of points with weights that sum to zero.
    pub(super) fn new(points: &[Vec<f64>], each: usize, t: &[(f64, Vec<f64>)]) -> Self {
        let axes = Axes::of(points.iter());
        let offset = Axes::of(t.iter().map(|(_, point)| point));
        let weights: Vec<f32> = t.iter().map(|(weight, _)| *weight as f32).collect();
        let mut products = vec![0.0f32; points.len() * points.len()];
        let mut sums = vec![0.0; points.len()];
        let n = points.len();
        let rows = products.par_chunks_mut(each * n).zip(sums.par_chunks_mut(each));
        rows.zip(points.par_chunks(each)).for_each(|((products, sums), points)| {
            for (point, products) in zip(points, products.chunks_mut(n)) {
                axes.distances(point, products);
                products.chunks_mut(each).for_each(|row| centre(row, 1, |x, mean| mean - x));
            }
            (0..n).for_each(|b| centre(&mut products[b..], n, |x, mean| x - mean));
            let to_offset = |point: &Vec<f64>| -> f64 {
                let mut distances = vec![0.0; weights.len()];
                offset.distances(point, &mut distances);
                zip(&weights, &distances).map(|(w, d)| f64::from(w * d)).sum()
            };
            let to_offset: Vec<f64> = points.iter().map(to_offset).collect();
            let mean = to_offset.iter().sum::<f64>() / each as f64;
            for ((sum, products), to_offset) in zip(zip(sums, products.chunks(n)), to_offset) {
                let first = products.iter().step_by(each).map(|&x| f64::from(x));
                *sum = first.sum::<f64>() + to_offset - mean;
            }
        });
        Self { each, products, sums }
    }

    fn product(&self, a: usize, b: usize) -> f64 {
        f64::from(self.products[a * self.sums.len() + b])
    }
}

/// Replaces every `step`-th number `x` by `to(x, mean)`, where `mean` is the mean of these numbers.
fn centre(numbers: &mut [f32], step: usize, to: impl Fn(f32, f32) -> f32) {
    let (sum, count) =
        numbers.iter().step_by(step).fold((0.0, 0), |(sum, count), &x| (sum + f64::from(x), count + 1));
    let mean = (sum / f64::from(count)) as f32;
    numbers.iter_mut().step_by(step).for_each(|x| *x = to(*x, mean));
}

/// Points, stored axis by axis.
struct Axes(Vec<Vec<f32>>);

impl Axes {
    fn of<'a>(points: impl Iterator<Item = &'a Vec<f64>> + Clone) -> Self {
        let count = points.clone().next().map_or(0, Vec::len);
        let axis = |j: usize| points.clone().map(|point| point[j] as f32).collect();
        Self((0..count).map(axis).collect())
    }

    /// Writes the distance of each point from `from`; `out` must be zero.
    fn distances(&self, from: &[f64], out: &mut [f32]) {
        for (axis, &x) in zip(&self.0, from) {
            let x = x as f32;
            zip(&mut *out, axis).for_each(|(square, y)| *square += (x - y) * (x - y));
        }
        out.iter_mut().for_each(|x| *x = x.sqrt());
    }
}

impl Products for Distances {
    fn squares(&self, row: usize) -> Vec<f64> {
        (row * self.each..(row + 1) * self.each).map(|a| self.product(a, a)).collect()
    }

    fn with_others(&mut self, row: usize, taken: usize) -> Vec<f64> {
        let first = row * self.each;
        (first..first + self.each).map(|a| self.sums[a] - self.product(a, first + taken)).collect()
    }

    fn take(&mut self, row: usize, from: usize, to: usize) {
        if from == to {
            return;
        }
        let (n, first) = (self.sums.len(), row * self.each);
        let of = |k: usize| &self.products[(first + k) * n..(first + k + 1) * n];
        let change = zip(of(from), of(to));
        zip(&mut self.sums, change).for_each(|(sum, (from, to))| *sum += f64::from(to - from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EACH: usize = 3;

    fn points(count: usize, shift: f64) -> Vec<Vec<f64>> {
        (0..count).map(|i| (0..2).map(|j| (shift + (i * (j + 2)) as f64 * 0.9).sin()).collect()).collect()
    }

    /// Squared length of a sum of weighted points whose weights sum to zero: minus the weighted distances between them.
    fn square(points: &[(f64, Vec<f64>)]) -> f64 {
        let distance = |y: &[f64], z: &[f64]| zip(y, z).map(|(y, z)| (y - z).powi(2)).sum::<f64>().sqrt();
        -points.iter().flat_map(|(v, y)| points.iter().map(move |(w, z)| v * w * distance(y, z))).sum::<f64>()
    }

    /// `Σ x - t` for the chosen candidates.
    fn off(points: &[Vec<f64>], taken: &[usize], t: &[(f64, Vec<f64>)]) -> Vec<(f64, Vec<f64>)> {
        let weight = |a: usize| f64::from(u8::from(a % EACH == taken[a / EACH])) - 1.0 / EACH as f64;
        let rows = points.iter().enumerate().map(|(a, point)| (weight(a), point.clone()));
        rows.chain(t.iter().map(|(w, point)| (-w, point.clone()))).collect()
    }

    /// Products by polarisation of the energy distance, computed from its definition.
    #[test]
    fn products_are_those_of_the_energy_distance() {
        let all = points(4 * EACH, 0.0);
        let t: Vec<(f64, Vec<f64>)> = zip([0.7, -0.4, -0.3], points(3, 0.5)).collect();
        let mut distances = Distances::new(&all, EACH, &t);
        let mut taken = [0; 4];
        for (row, to) in [(2, 1), (0, 2), (2, 2), (3, 1)] {
            distances.take(row, taken[row], to);
            taken[row] = to;
        }
        for row in 0..4 {
            let with = distances.with_others(row, taken[row]);
            let squares = distances.squares(row);
            for k in 0..EACH {
                let mut other = taken;
                other[row] = k;
                // |rest + x|² with one candidate, minus that with another.
                let change = |k: usize| 2.0 * with[k] + squares[k];
                let expected = square(&off(&all, &other, &t)) - square(&off(&all, &taken, &t));
                let found = change(k) - change(taken[row]);
                assert!((found - expected).abs() < 1e-5, "row {row}, candidate {k}: {found} {expected}");
            }
        }
    }
}
