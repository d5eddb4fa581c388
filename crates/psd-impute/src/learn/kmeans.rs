//! k-means on a completed copy: k-means++ seeds, then Lloyd's iterations.

use super::row_distance::{labels, squared_difference};
use crate::linalg::column;
use crate::table::{Kind, Table, position};
use faer::{Mat, MatRef};
use rand::{Rng, RngExt};
use rayon::prelude::*;

/// Returns `count` centres for the columns of `copy` (`d × n`), and the nearest centre of each column. A discrete coordinate of a centre is
/// the most frequent value among its rows.
pub(crate) fn cluster(
    table: &Table,
    copy: &Mat<f64>,
    count: usize,
    steps: usize,
    rng: &mut dyn Rng,
) -> (Mat<f64>, Vec<usize>) {
    let mut centres = seeds(table, copy, count, rng);
    let mut labels = nearest(table, copy, &centres);
    for _ in 0..steps {
        update(table, copy, &labels, &mut centres);
        let next = nearest(table, copy, &centres);
        if next == labels {
            break;
        }
        labels = next;
    }
    (centres, labels)
}

/// Fraction of the continuous columns' variance that is within the clusters; one if there is no variance.
pub(crate) fn share_within(table: &Table, weights: &[f64], copy: MatRef<'_, f64>, labels: &[usize]) -> f64 {
    let count = labels.iter().max().map_or(1, |k| k + 1);
    let (mut within, mut total) = (0.0, 0.0);
    for (j, _) in table.columns().iter().enumerate().filter(|(_, c)| *c.kind() == Kind::Continuous) {
        let mut clusters = vec![Moments::default(); count];
        let mut all = Moments::default();
        for (i, (&k, &weight)) in labels.iter().zip(weights).enumerate() {
            clusters[k].add(weight, copy[(j, i)]);
            all.add(weight, copy[(j, i)]);
        }
        within += clusters.iter().map(|cluster| cluster.squares).sum::<f64>();
        total += all.squares;
    }
    if total > 0.0 { within / total } else { 1.0 }
}

/// Total weight, mean and sum of squared deviations of some numbers.
#[derive(Clone, Default)]
struct Moments {
    weight: f64,
    mean: f64,
    squares: f64,
}

impl Moments {
    fn add(&mut self, weight: f64, x: f64) {
        self.weight += weight;
        let off = x - self.mean;
        if weight > 0.0 {
            self.mean += weight * off / self.weight;
            self.squares += weight * off * (x - self.mean);
        }
    }
}

/// k-means++: each seed is a row, drawn with probability proportional to its squared distance from the nearest earlier seed.
fn seeds(table: &Table, copy: &Mat<f64>, count: usize, rng: &mut dyn Rng) -> Mat<f64> {
    let n = copy.ncols();
    let mut chosen = vec![rng.random_range(0..n)];
    let mut closest = vec![f64::INFINITY; n];
    let columns = labels(table);
    while chosen.len() < count {
        let last = column(copy.as_ref(), chosen[chosen.len() - 1]).to_vec();
        closest.par_iter_mut().enumerate().for_each(|(i, best)| {
            *best = best.min(distance(&columns, column(copy.as_ref(), i), &last));
        });
        let mut left = rng.random::<f64>() * closest.iter().sum::<f64>();
        let pick = closest.iter().position(|d| {
            left -= d;
            left < 0.0
        });
        // Every row coincides with a seed: choose any.
        chosen.push(pick.unwrap_or_else(|| rng.random_range(0..n)));
    }
    Mat::from_fn(copy.nrows(), count, |j, a| copy[(j, chosen[a])])
}

fn nearest(table: &Table, copy: &Mat<f64>, centres: &Mat<f64>) -> Vec<usize> {
    let columns = labels(table);
    let closest = |i: usize| {
        let row = column(copy.as_ref(), i);
        let distances = (0..centres.ncols()).map(|a| distance(&columns, row, column(centres.as_ref(), a)));
        distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |nearest| nearest.0)
    };
    (0..copy.ncols()).into_par_iter().map(closest).collect()
}

fn update(table: &Table, copy: &Mat<f64>, labels: &[usize], centres: &mut Mat<f64>) {
    for a in 0..centres.ncols() {
        let rows: Vec<usize> = (0..labels.len()).filter(|&i| labels[i] == a).collect();
        if rows.is_empty() {
            continue;
        }
        for j in 0..centres.nrows() {
            centres[(j, a)] = match table.columns()[j].kind() {
                Kind::Continuous => rows.iter().map(|&i| copy[(j, i)]).sum::<f64>() / rows.len() as f64,
                discrete => commonest(&discrete.atoms(), rows.iter().map(|&i| copy[(j, i)])),
            };
        }
    }
}

fn commonest(atoms: &[f64], values: impl Iterator<Item = f64>) -> f64 {
    let mut counts = vec![0; atoms.len()];
    for value in values {
        if let Some(k) = position(atoms, value) {
            counts[k] += 1;
        }
    }
    let best = (0..atoms.len()).max_by_key(|&k| (counts[k], std::cmp::Reverse(k)));
    best.map_or(0.0, |k| atoms[k])
}

/// Squared distance of two rows.
fn distance(columns: &[bool], a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).zip(columns).map(|((&x, &y), &label)| squared_difference(label, x, y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_within_is_what_is_left_about_the_means_of_the_clusters() {
        // Two clusters at -1 and 1 with a spread of 0.1 around them, and a constant column.
        let cells: Vec<[f64; 2]> = [-1.1, -0.9, 0.9, 1.1, 0.9].map(|x| [x, 3.0]).to_vec();
        let table = Table::continuous(&["a", "b"], &cells).unwrap();
        let copy = table.cells().to_owned();
        // The last row has weight zero.
        let weights = [2.0, 2.0, 2.0, 2.0, 0.0];
        let share = |labels: &[usize]| share_within(&table, &weights, copy.as_ref(), labels);
        assert!((share(&[0, 0, 1, 1, 1]) - 0.01 / 1.01).abs() < 1e-12, "{}", share(&[0, 0, 1, 1, 1]));
        assert!((share(&[0; 5]) - 1.0).abs() < 1e-12);
        assert!(share(&[0, 1, 2, 3, 3]).abs() < 1e-12);
        let same = Table::continuous(&["a"], &[[1.0]; 5]).unwrap();
        assert!((share_within(&same, &weights, same.cells(), &[0, 0, 1, 1, 1]) - 1.0).abs() < 1e-12);
    }
}
