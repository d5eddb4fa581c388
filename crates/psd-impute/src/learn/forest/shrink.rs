//! The parameters of a tree's leaves, from the sums of their rows.
//!
//! A leaf has few rows, so each of its distributions is pulled to that of its parent, which is pulled to its own parent's, up to the
//! root: where a column was never observed, a leaf takes it from the nearest rows that have it. The sums of a node are those of the leaves
//! below it. From the root down, with `n` rows of a node that have the column,
//!
//! ```text
//! numbers  m = (Σx + κ m_parent) / (n + κ)      σ² = (SS + ν w_parent) / (n + ν) + κ/(n + κ) (t_parent - w_parent)
//! values   p_v = Σ_s π_s (n_v + s p_parent,v) / (n + s)
//! ```
//!
//! `w` is the variance *within* the leaves below a node, `t` the variance of all its rows: what a leaf's own rows leave open of its mean adds
//! to its variance. The strengths `s` are as likely as they make the node's counts, by the marginal likelihood of Dirichlet's prior, times
//! how often each is right in the tree. So a leaf of five rows with the same label keeps next to nothing of its parent's other labels
//! where leaves are pure as a rule, and much where they are not.

use super::ForestParams;
use super::cells::{CellColumn, Cells, ColumnCells, moments};
use super::grow::Nodes;
use crate::density::LeafCells;
use crate::kernel::truncated::LOG_SQRT_2PI;
use crate::linalg::log_sum_exp;

/// The strengths `s` that are weighed, in rows. Each is four times the one before.
const STRENGTHS: [f64; 6] = [0.0125, 0.05, 0.2, 0.8, 3.2, 12.8];
/// Fewer rows of a value tell nothing of the strength. Arbitrary: they are crumbs of rows that are elsewhere.
const CRUMB: f64 = 0.05;
/// Rows' worth of an even distribution in the shares of the root, so that no value is impossible. Arbitrary.
const EVEN: f64 = 0.1;

/// How often each strength was right in a tree, column by column. Each use of it is a step of EM.
pub(super) struct Habits {
    columns: Vec<[f64; STRENGTHS.len()]>,
}

impl Habits {
    /// Every strength is as likely.
    pub(super) fn none(cells: &Cells) -> Self {
        Self { columns: vec![[1.0 / STRENGTHS.len() as f64; STRENGTHS.len()]; cells.columns.len()] }
    }
}

/// The leaves' weights and the parameters of all columns. `sums` are those of the leaves.
pub(super) fn leaves(
    cells: &Cells,
    nodes: &Nodes,
    (sums, weights): (&[Vec<f64>], &[f64]),
    habits: &mut Habits,
    params: &ForestParams,
) -> (Vec<f64>, Vec<LeafCells>) {
    let all = below(nodes, sums, cells.width);
    let total: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    let weights = weights.iter().map(|n| (n + even) / (total + 1.0)).collect();
    let one = |(column, habit): (&CellColumn, &mut [f64; STRENGTHS.len()])| match &column.cells {
        ColumnCells::Numbers { floor, .. } => numbers(column, nodes, &all, *floor, params),
        ColumnCells::Values { .. } => values(column, nodes, &all, habit),
    };
    (weights, cells.columns.iter().zip(&mut habits.columns).map(one).collect())
}

/// The sums of every node.
fn below(nodes: &Nodes, sums: &[Vec<f64>], width: usize) -> Vec<Vec<f64>> {
    let mut all = vec![vec![0.0; width]; nodes.parents.len()];
    nodes.leaves.iter().zip(sums).for_each(|(&leaf, sums)| all[leaf].clone_from(sums));
    for node in (1..all.len()).rev() {
        let (above, rest) = all.split_at_mut(node);
        above[nodes.parents[node]].iter_mut().zip(&rest[0]).for_each(|(sum, x)| *sum += x);
    }
    all
}

/// A node's mean, its variance, and the variance within the leaves below it.
#[derive(Clone, Copy)]
struct Spread {
    mean: f64,
    whole: f64,
    within: f64,
}

fn numbers(
    column: &CellColumn,
    nodes: &Nodes,
    all: &[Vec<f64>],
    floor: f64,
    params: &ForestParams,
) -> LeafCells {
    // Squares about the leaves' means, and the number of rows less one for each leaf.
    let mut inside = vec![(0.0, 0.0); all.len()];
    for &leaf in &nodes.leaves {
        let (n, _, square) = moments(column.part(&all[leaf]));
        inside[leaf] = (square, (n - 1.0).max(0.0));
    }
    for node in (1..all.len()).rev() {
        let (square, n) = inside[node];
        let parent = &mut inside[nodes.parents[node]];
        (parent.0, parent.1) = (parent.0 + square, parent.1 + n);
    }
    let (kappa, nu) = (params.pull_of_means, params.pull_of_variances);
    let mut spreads: Vec<Spread> = Vec::with_capacity(all.len());
    for node in 0..all.len() {
        let (n, mean, square) = moments(column.part(&all[node]));
        let parent = match node {
            0 if n > 0.0 => {
                let whole = (square / n).max(floor);
                Spread { mean, whole, within: whole }
            }
            0 => Spread { mean: 0.0, whole: 1.0, within: 1.0 },
            _ => spreads[nodes.parents[node]],
        };
        let off = kappa * n / (n + kappa) * (mean - parent.mean).powi(2);
        spreads.push(Spread {
            mean: (n * mean + kappa * parent.mean) / (n + kappa),
            whole: (square + off + nu * parent.whole) / (n + nu),
            within: (inside[node].0 + nu * parent.within) / (inside[node].1 + nu),
        });
    }
    let leaf = |&leaf: &usize| {
        let (n, mean, square) = moments(column.part(&all[leaf]));
        let parent = spreads[nodes.parents[leaf]];
        let off = kappa * n / (n + kappa) * (mean - parent.mean).powi(2);
        let own = (square + off + nu * parent.within) / (n + nu);
        let open = kappa / (n + kappa) * (parent.whole - parent.within).max(0.0);
        (spreads[leaf].mean, (own + open).max(floor))
    };
    let (means, variances) = nodes.leaves.iter().map(leaf).unzip();
    LeafCells::Normals { means, variances }
}

fn values(
    column: &CellColumn,
    nodes: &Nodes,
    all: &[Vec<f64>],
    habit: &mut [f64; STRENGTHS.len()],
) -> LeafCells {
    let mut counts = *habit;
    let tables = tables_with(column, nodes, all, habit, &mut counts);
    let total: f64 = counts.iter().sum();
    *habit = counts.map(|n| n / total);
    let (leaves, atoms) = (nodes.leaves.len(), tables[0].len());
    let mut probabilities = vec![0.0; atoms * leaves];
    for (k, &leaf) in nodes.leaves.iter().enumerate() {
        (0..atoms).for_each(|v| probabilities[v * leaves + k] = tables[leaf][v]);
    }
    LeafCells::Tables { leaves, probabilities }
}

/// The table of every node, from the root down. `right` are the shares of the strengths; each node adds its own to `counts`.
fn tables_with(
    column: &CellColumn,
    nodes: &Nodes,
    all: &[Vec<f64>],
    right: &[f64],
    counts: &mut [f64],
) -> Vec<Vec<f64>> {
    let mut tables: Vec<Vec<f64>> = Vec::with_capacity(all.len());
    for (node, sums) in all.iter().enumerate() {
        let seen = column.part(sums);
        let n: f64 = seen.iter().sum();
        if node == 0 {
            let even = EVEN / seen.len() as f64;
            tables.push(seen.iter().map(|n_v| (n_v + even) / (n + EVEN)).collect());
            continue;
        }
        let parent = &tables[nodes.parents[node]];
        let shares = shares_of_strengths(seen, n, parent, right);
        counts.iter_mut().zip(&shares).for_each(|(count, share)| *count += share);
        let own: f64 = STRENGTHS.iter().zip(&shares).map(|(s, share)| share / (n + s)).sum();
        let inherited: f64 = STRENGTHS.iter().zip(&shares).map(|(s, share)| share * s / (n + s)).sum();
        tables.push(seen.iter().zip(parent).map(|(n_v, p)| own * n_v + inherited * p).collect());
    }
    tables
}

/// How likely each strength is for a node's counts: `π_s Γ(s)/Γ(s + n) Π_v Γ(s p_v + n_v)/Γ(s p_v)`.
fn shares_of_strengths(seen: &[f64], n: f64, parent: &[f64], right: &[f64]) -> Vec<f64> {
    let log = |(s, share): (&f64, &f64)| {
        let each = seen.iter().zip(parent).filter(|(n_v, _)| **n_v > CRUMB);
        let each = each.map(|(n_v, p)| log_rising(s * p, *n_v)).sum::<f64>();
        share.max(1e-9).ln() - log_rising(*s, n) + each
    };
    let logs: Vec<f64> = STRENGTHS.iter().zip(right).map(log).collect();
    let total = log_sum_exp(&logs);
    logs.iter().map(|log| (log - total).exp()).collect()
}

/// `log Γ(x + n)/Γ(x)` for positive `x` and `n`.
fn log_rising(x: f64, n: f64) -> f64 {
    log_gamma(x + n) - log_gamma(x)
}

/// `log Γ(x)` for positive `x`: Stirling's series above six, to which a smaller `x` is raised by `Γ(x + 1) = x Γ(x)`. The error is below 1e-8.
fn log_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    while x < 6.0 {
        product *= x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y / 1260.0)) / x;
    (x - 0.5) * x.ln() - x + LOG_SQRT_2PI + series - f64::ln(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_functions_of_integers_are_factorials() {
        let mut log = 0.0;
        for n in 1..40 {
            assert!((log_gamma(f64::from(n)) - log).abs() < 1e-8, "{n}");
            log += f64::from(n).ln();
        }
        assert!((log_gamma(0.5) - 0.5 * std::f64::consts::PI.ln()).abs() < 1e-8);
    }

    /// Under a parent, a leaf of five equal labels keeps its label where leaves are pure, and less of it where they are not.
    #[test]
    fn a_pure_leaf_is_believed_where_leaves_are_pure() {
        let share = |right: &[f64]| {
            let (seen, parent) = ([5.0, 0.0], [0.5, 0.5]);
            let shares = shares_of_strengths(&seen, 5.0, &parent, right);
            STRENGTHS.iter().zip(shares).map(|(s, share)| share * s * 0.5 / (5.0 + s)).sum::<f64>()
        };
        let (pure, mixed) =
            (share(&[0.9, 0.02, 0.02, 0.02, 0.02, 0.02]), share(&[1e-6, 0.0, 0.0, 0.0, 0.1, 0.9]));
        assert!(pure < 0.01 && mixed > 0.2, "{pure} {mixed}");
    }
}
