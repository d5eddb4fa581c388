//! Mixtures of normal densities on incomplete tables, by expectation maximisation.
//!
//! The diagonal-`Q` member with a metric for each anchor: component `k` is a normal density on the continuous columns (a Gaussian
//! feature, squared) times a table of probabilities on each discrete column. With one component it is the normal model.
//!
//! For the rows of one pattern and one component, order the columns with the observed ones first and factor
//! `Σ_k = [C 0; M L] [C 0; M L]'`. Then `z = C⁻¹ (x_S - m_S)` gives the log-density `-½|z|² - log|C|` (and constants), the missing cells have
//! the conditional mean `m_N + M z` and the conditional covariance `L L'`. An iteration costs `n K d²`, plus `K d³` for each pattern.
//!
//! **Priors**, in units of rows: each covariance has an inverse-Wishart prior of scale `Ψ` and weight `strength`, each mean is
//! pulled to the overall mean by one row, weights and tables are smoothed by one row in all. So every component stays proper,
//! however few rows it has.

use crate::density::{Density, PsdDensity, Stack};
use crate::error::{bad, positive};
use crate::kernel::{DiscreteColumn, Features};
use crate::linalg::{Cholesky, column, gram, log_sum_exp, times};
use crate::table::{Group, Kind, Table};
use crate::{Error, Result};
use faer::{Mat, MatRef, Scale};
use rayon::prelude::*;

const LOG_2PI: f64 = 1.837_877_066_409_345_5;

/// The prior of the components' covariances.
#[derive(Debug, Clone)]
pub struct MixturePrior {
    /// `Ψ`, over the continuous columns: what a covariance is pulled to.
    pub scale: Mat<f64>,
    /// How many rows the pull is worth.
    pub strength: f64,
}

/// When EM stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmParams {
    /// Stop when an iteration gains less than this, in nats a row.
    pub tolerance: f64,
    /// Stop after this many iterations.
    pub max_iterations: usize,
}

impl Default for EmParams {
    fn default() -> Self {
        Self { tolerance: 1e-4, max_iterations: 200 }
    }
}

/// How EM ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmReport {
    /// Iterations taken.
    pub iterations: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// The last penalised log-likelihood, in nats a row.
    pub objective: f64,
}

/// A mixture's parameters.
#[derive(Debug, Clone)]
pub struct Mixture {
    components: Vec<Component>,
}

/// One component.
#[derive(Debug, Clone)]
struct Component {
    weight: f64,
    /// Over the continuous columns.
    mean: Vec<f64>,
    covariance: Mat<f64>,
    /// For each discrete column, the probabilities of its atoms.
    tables: Vec<Vec<f64>>,
}

impl Mixture {
    /// Fits `labels.max() + 1` components to a table, starting from the clusters that `labels` gives to the columns of a complete
    /// `copy` of its cells. Row weights are relative.
    pub fn fit(
        table: &Table,
        weights: Option<&[f64]>,
        copy: MatRef<'_, f64>,
        labels: &[usize],
        prior: &MixturePrior,
        params: EmParams,
    ) -> Result<(Self, EmReport)> {
        positive("strength of the prior", prior.strength)?;
        let em = Em::new(table, weights, prior)?;
        let (found, expected) = (labels.len().min(copy.ncols()), table.len());
        if found != expected || copy.nrows() != table.columns().len() || labels.len() != copy.ncols() {
            return Err(Error::Shape { what: "rows of the starting copy", found, expected });
        }
        let mut mixture = em.start(copy, labels);
        let mut last = f64::NEG_INFINITY;
        for iterations in 1..=params.max_iterations {
            let (sums, log_likelihood) = em.expect(&mixture)?;
            let objective = log_likelihood + em.log_prior(&mixture)? / em.rows;
            if !objective.is_finite() {
                return Err(Error::NotFinite { what: "the likelihood of the mixture" });
            }
            if objective - last < params.tolerance {
                return Ok((mixture, EmReport { iterations, converged: true, objective }));
            }
            last = objective;
            mixture = em.maximise(&mixture, &sums);
        }
        let report = EmReport { iterations: params.max_iterations, converged: false, objective: last };
        Ok((mixture, report))
    }

    /// The number of components.
    pub fn len(&self) -> usize {
        self.components.len()
    }

    /// Never true: there is a component.
    pub fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// The first component's covariance: that of the normal model, when there is but one.
    pub fn covariance(&self) -> MatRef<'_, f64> {
        self.components[0].covariance.as_ref()
    }

    /// The density over the columns of `table`, as a stack of one-anchor members; table and weights are those of the fit.
    pub fn density(&self, table: &Table, weights: Option<&[f64]>) -> Result<Stack> {
        let member = |component: &Component| -> Result<(f64, Box<dyn Density>)> {
            let mut features =
                Features::normal(table, weights, &component.mean, component.covariance.as_ref())?;
            let flat: Vec<DiscreteColumn> = features.discrete().to_vec();
            for (column, table) in flat.iter().zip(&component.tables) {
                features = features.with_discrete(column.with_probabilities(table)?)?;
            }
            Ok((component.weight, Box::new(PsdDensity::new(features, Mat::identity(1, 1))?)))
        };
        Stack::new(self.components.iter().map(member).collect::<Result<_>>()?)
    }
}

/// What stays the same over the iterations.
struct Em<'a> {
    table: &'a Table,
    prior: &'a MixturePrior,
    groups: Vec<Group>,
    /// Relative weights that add up to the number of rows.
    weights: Vec<f64>,
    rows: f64,
    continuous: Vec<usize>,
    discrete: Vec<Discrete>,
    /// What means are pulled to.
    centre: Vec<f64>,
}

/// A discrete column, its atoms and their observed frequencies.
struct Discrete {
    column: usize,
    atoms: Vec<f64>,
    rho: Vec<f64>,
}

/// The expected sufficient statistics of one component, about its current mean.
#[derive(Clone)]
struct Sums {
    weight: f64,
    first: Vec<f64>,
    second: Mat<f64>,
    tables: Vec<Vec<f64>>,
}

/// Rows a mean's pull to the centre is worth.
const PULL: f64 = 1.0;
/// Groups whose sums are added up in one piece.
const PIECE: usize = 16;

impl<'a> Em<'a> {
    fn new(table: &'a Table, weights: Option<&[f64]>, prior: &'a MixturePrior) -> Result<Self> {
        let d = table.columns().len();
        let kind = |j: usize| table.columns()[j].kind();
        let (continuous, others): (Vec<usize>, Vec<usize>) =
            (0..d).partition(|&j| *kind(j) == Kind::Continuous);
        if prior.scale.nrows() != continuous.len() {
            let (found, expected) = (prior.scale.nrows(), continuous.len());
            return Err(Error::Shape { what: "order of the prior's scale", found, expected });
        }
        let rows = table.len() as f64;
        let weights = weights.map_or(vec![1.0; table.len()], <[f64]>::to_vec);
        let total: f64 = weights.iter().sum();
        let negative = weights.iter().any(|w| w.is_nan() || *w < 0.0);
        if negative || total <= 0.0 || weights.len() != table.len() {
            return Err(bad(
                "row weights",
                format!("{} with sum {total}", weights.len()),
                "one a row, none below zero, not all zero",
            ));
        }
        let weights: Vec<f64> = weights.iter().map(|w| w * rows / total).collect();
        let mut groups = table.groups();
        groups.iter_mut().for_each(|group| group.rows.retain(|&i| weights[i] > 0.0));
        groups.retain(|group| !group.rows.is_empty());
        let centre = continuous.iter().map(|&j| mean(table, j, &weights)).collect();
        let discrete = others.iter().map(|&j| Discrete::new(table, j, &weights)).collect();
        Ok(Self { table, prior, groups, weights, rows, continuous, discrete, centre })
    }

    /// Components from clusters of a complete copy.
    fn start(&self, copy: MatRef<'_, f64>, labels: &[usize]) -> Mixture {
        let count = labels.iter().max().map_or(1, |k| k + 1);
        let g = self.continuous.len();
        let blank = Mixture {
            components: (0..count)
                .map(|_| Component {
                    weight: 1.0 / count as f64,
                    mean: self.centre.clone(),
                    covariance: self.prior.scale.clone(),
                    tables: self.discrete.iter().map(|c| c.rho.clone()).collect(),
                })
                .collect(),
        };
        let mut sums = vec![self.no_sums(); count];
        for (i, &k) in labels.iter().enumerate() {
            let weight = self.weights[i];
            let y: Vec<f64> = (0..g).map(|j| copy[(self.continuous[j], i)] - self.centre[j]).collect();
            sums[k].weight += weight;
            for a in 0..g {
                sums[k].first[a] += weight * y[a];
                for b in 0..g {
                    sums[k].second[(a, b)] += weight * y[a] * y[b];
                }
            }
            for (c, column) in self.discrete.iter().enumerate() {
                if let Some(atom) = column.position(copy[(column.column, i)]) {
                    sums[k].tables[c][atom] += weight;
                }
            }
        }
        self.maximise(&blank, &sums)
    }

    fn no_sums(&self) -> Sums {
        let g = self.continuous.len();
        Sums {
            weight: 0.0,
            first: vec![0.0; g],
            second: Mat::zeros(g, g),
            tables: self.discrete.iter().map(|c| vec![0.0; c.atoms.len()]).collect(),
        }
    }

    /// The E-step: every component's sums, and the log-likelihood in nats a row.
    fn expect(&self, mixture: &Mixture) -> Result<(Vec<Sums>, f64)> {
        let parts = self
            .groups
            .par_chunks(PIECE)
            .map(|groups| {
                let mut sums = vec![self.no_sums(); mixture.len()];
                let mut total = 0.0;
                for group in groups {
                    total += self.expect_group(mixture, group, &mut sums)?;
                }
                Ok((sums, total))
            })
            .collect::<Result<Vec<_>>>()?;
        let mut sums = vec![self.no_sums(); mixture.len()];
        let mut total = 0.0;
        for (part, log_likelihood) in parts {
            total += log_likelihood;
            sums.iter_mut().zip(part).for_each(|(sum, part)| sum.add(&part));
        }
        Ok((sums, total / self.rows))
    }

    fn expect_group(&self, mixture: &Mixture, group: &Group, sums: &mut [Sums]) -> Result<f64> {
        let given = mixture.components.iter().map(|c| self.given(c, group)).collect::<Result<Vec<_>>>()?;
        let n = group.rows.len();
        let mut shares = vec![vec![0.0; n]; given.len()];
        let mut total = 0.0;
        for (i, &row) in group.rows.iter().enumerate() {
            let logs: Vec<f64> =
                given.iter().zip(&mixture.components).map(|(g, c)| g.logs[i] + c.weight.ln()).collect();
            let log = log_sum_exp(&logs);
            total += self.weights[row] * log;
            for (share, l) in shares.iter_mut().zip(&logs) {
                share[i] = self.weights[row] * (l - log).exp();
            }
        }
        for (k, given) in given.iter().enumerate() {
            self.add_sums(&mixture.components[k], given, group, &shares[k], &mut sums[k]);
        }
        Ok(total)
    }

    /// The columns of a group in the block's numbering, observed ones first, and how many those are.
    fn order(&self, group: &Group) -> (Vec<usize>, usize) {
        let missing = |k: &usize| group.pattern.missing().binary_search(&self.continuous[*k]).is_ok();
        let (gaps, mut order): (Vec<usize>, Vec<usize>) = (0..self.continuous.len()).partition(missing);
        let observed = order.len();
        order.extend(gaps);
        (order, observed)
    }

    fn given(&self, component: &Component, group: &Group) -> Result<Given> {
        let (order, s) = self.order(group);
        let (g, n) = (order.len(), group.rows.len());
        let sigma = Mat::from_fn(g, g, |i, j| component.covariance[(order[i], order[j])]);
        let factor = Cholesky::new(sigma, "covariance of a component")?;
        let cells = self.table.cells();
        let mut z = Mat::from_fn(s, n, |k, i| {
            cells[(self.continuous[order[k]], group.rows[i])] - component.mean[order[k]]
        });
        let c = factor.factor().submatrix(0, 0, s, s);
        faer::linalg::triangular_solve::solve_lower_triangular_in_place(c, z.as_mut(), faer::Par::Seq);
        let constant: f64 = (0..s).map(|k| factor.factor()[(k, k)].ln() + 0.5 * LOG_2PI).sum();
        let logs = (0..n)
            .map(|i| {
                let square: f64 = column(z.as_ref(), i).iter().map(|z| z * z).sum();
                -0.5 * square - constant + self.discrete_log(component, group.rows[i])
            })
            .collect();
        Ok(Given { order, factor: factor.factor().to_owned(), z, logs })
    }

    /// The log-density of a row's observed discrete cells with respect to `ρ`.
    fn discrete_log(&self, component: &Component, row: usize) -> f64 {
        let cells = self.table.row(row);
        let seen = self.discrete.iter().zip(&component.tables).filter(|(c, _)| !cells[c.column].is_nan());
        seen.filter_map(|(c, table)| c.position(cells[c.column]).map(|k| (table[k] / c.rho[k]).ln())).sum()
    }

    /// `y = x̂ - m` is `[C z; M z]` in the group's order; the missing block's conditional covariance is `L L'`.
    fn add_sums(&self, component: &Component, given: &Given, group: &Group, shares: &[f64], sums: &mut Sums) {
        let (g, s, n) = (given.order.len(), given.z.nrows(), shares.len());
        let y = times(given.factor.as_ref().subcols(0, s), given.z.as_ref());
        let weighted = Mat::from_fn(g, n, |k, i| y[(k, i)] * shares[i]);
        let mut second = times(weighted.as_ref(), y.transpose());
        let total: f64 = shares.iter().sum();
        let rest = gram(given.factor.as_ref().submatrix(s, s, g - s, g - s));
        for a in s..g {
            for b in s..g {
                second[(a, b)] += total * rest[(a - s, b - s)];
            }
        }
        sums.weight += total;
        for (a, &p) in given.order.iter().enumerate() {
            sums.first[p] += weighted.row(a).iter().sum::<f64>();
            for (b, &q) in given.order.iter().enumerate() {
                sums.second[(p, q)] += second[(a, b)];
            }
        }
        for (c, column) in self.discrete.iter().enumerate() {
            for (&row, share) in group.rows.iter().zip(shares) {
                match column.position(self.table.row(row)[column.column]) {
                    Some(k) => sums.tables[c][k] += share,
                    None => {
                        sums.tables[c].iter_mut().zip(&component.tables[c]).for_each(|(t, p)| *t += share * p)
                    }
                }
            }
        }
    }

    /// The M-step: the maximum of the expected log-likelihood and the log-prior.
    fn maximise(&self, mixture: &Mixture, sums: &[Sums]) -> Mixture {
        let count = sums.len() as f64;
        let components = mixture.components.iter().zip(sums).map(|(old, sums)| {
            let g = old.mean.len();
            let pull: Vec<f64> = self.centre.iter().zip(&old.mean).map(|(c, m)| c - m).collect();
            let shift: Vec<f64> =
                (0..g).map(|j| (sums.first[j] + PULL * pull[j]) / (sums.weight + PULL)).collect();
            let rows = sums.weight + self.prior.strength + PULL;
            let covariance = Mat::from_fn(g, g, |a, b| {
                let about = sums.second[(a, b)] - sums.first[a] * shift[b] - shift[a] * sums.first[b]
                    + sums.weight * shift[a] * shift[b];
                let off = (shift[a] - pull[a]) * (shift[b] - pull[b]);
                (about + PULL * off + self.prior.strength * self.prior.scale[(a, b)]) / rows
            });
            let tables = sums.tables.iter().zip(&self.discrete).map(|(counts, column)| {
                let total: f64 = counts.iter().sum();
                counts.iter().zip(&column.rho).map(|(n, rho)| (n + rho) / (total + 1.0)).collect()
            });
            Component {
                weight: (sums.weight + 1.0 / count) / (self.rows + 1.0),
                mean: old.mean.iter().zip(&shift).map(|(m, s)| m + s).collect(),
                covariance: (&covariance + covariance.transpose()) * Scale(0.5),
                tables: tables.collect(),
            }
        });
        Mixture { components: components.collect() }
    }

    /// The log-prior up to a constant, in nats.
    fn log_prior(&self, mixture: &Mixture) -> Result<f64> {
        let count = mixture.len() as f64;
        mixture.components.iter().try_fold(0.0, |sum, component| {
            let factor = Cholesky::new(component.covariance.clone(), "covariance of a component")?;
            let mut scaled = self.prior.scale.clone();
            factor.solve(scaled.as_mut());
            let spread: f64 = (0..scaled.nrows()).map(|j| scaled[(j, j)]).sum();
            let mut off = Mat::from_fn(component.mean.len(), 1, |j, _| component.mean[j] - self.centre[j]);
            factor.whiten(off.as_mut());
            let tables: f64 = component
                .tables
                .iter()
                .zip(&self.discrete)
                .map(|(table, c)| table.iter().zip(&c.rho).map(|(p, rho)| rho * p.ln()).sum::<f64>())
                .sum();
            let wishart = self.prior.strength * (factor.log_det() + spread);
            let pull = PULL * (factor.log_det() + off.squared_norm_l2());
            Ok(sum - 0.5 * (wishart + pull) + component.weight.ln() / count + tables)
        })
    }
}

/// One component for the rows of one group.
struct Given {
    order: Vec<usize>,
    /// `[C 0; M L]`.
    factor: Mat<f64>,
    /// `|S| × n`.
    z: Mat<f64>,
    /// Each row's log-density.
    logs: Vec<f64>,
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        self.first.iter_mut().zip(&other.first).for_each(|(a, b)| *a += b);
        self.second += &other.second;
        for (a, b) in self.tables.iter_mut().zip(&other.tables) {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        }
    }
}

impl Discrete {
    fn new(table: &Table, column: usize, weights: &[f64]) -> Self {
        let atoms = table.columns()[column].kind().atoms();
        Self { column, atoms, rho: table.shares(column, Some(weights)) }
    }

    fn position(&self, value: f64) -> Option<usize> {
        self.atoms.iter().position(|&v| v == value)
    }
}

fn mean(table: &Table, j: usize, weights: &[f64]) -> f64 {
    let seen = table.rows().zip(weights).filter(|(row, _)| !row[j].is_nan());
    let (sum, total) = seen.fold((0.0, 0.0), |(sum, total), (row, w)| (sum + w * row[j], total + w));
    if total > 0.0 { sum / total } else { 0.0 }
}
