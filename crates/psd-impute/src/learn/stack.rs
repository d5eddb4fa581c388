//! A stack without knobs: members from coarse to fine, weighted by how well they predict what they have not seen.
//!
//! 1. The smooth members (normal model, mixtures, kernel densities) are cross-validated on at most [`SAMPLE`] rows, coarse ones first. A
//!    kind stops growing when its held-out likelihood has fallen twice.
//! 2. Their weights maximise the held-out likelihood of the observed cells; those that count are fitted to all rows.
//! 3. Donors join with the weight that the energy score of self-masked cells gives them (see [`energy`](super::energy)).
//!
//! The result is one density. Under other row weights each member moves from where it is ([`FittedStack::refitted`]), which is what
//! proper multiple imputation needs.

use super::crossval::{CrossValidated, cross_validate};
use super::donors::fit_donors;
use super::energy::{self, Scores};
use super::members::{Member, Rows, Smooth};
use super::mixture::EmParams;
use super::normal::choose_ridge;
use crate::Result;
use crate::density::{Density, Donors, Fold, LeftOut, Stack};
use crate::error::bad;
use crate::linalg::log_sum_exp;
use crate::table::{Kind, Resolution, RowKeys, Table};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Rows that members are cross-validated on, and that may be donors.
const SAMPLE: usize = 4_000;
/// Rows that members are fitted to.
const ROWS: usize = 20_000;
/// Members lighter than this are dropped.
const LIGHTEST: f64 = 0.01;
/// Folds of the cross-validation.
const FOLDS: usize = 5;

/// What is told while a stack is fitted; the answer may stop it from trying more members.
pub trait StackObserver {
    /// A member was tried, of so many; its held-out log-likelihood in nats a row, not known of donors.
    fn tried(&mut self, member: Member, done: usize, of: usize, held_out: Option<f64>) -> ControlFlow<()>;
}

/// Hears nothing and lets everything run.
impl StackObserver for () {
    fn tried(&mut self, _: Member, _: usize, _: usize, _: Option<f64>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// How to fit a stack.
#[derive(Debug, Clone)]
pub struct StackFit {
    /// What may have a place in it, coarse ones of a kind first.
    pub members: Vec<Member>,
    /// The seed of clusters and self-masking.
    pub seed: u64,
}

impl StackFit {
    /// The default for a table: mixtures as far as the rows allow, a few kernel densities, donors.
    pub fn for_table(table: &Table, seed: u64) -> Self {
        let n = table.len().min(SAMPLE);
        let mixtures = [2, 4, 8, 16, 32, 64].map(|components| Member::Mixture { components, scale: 0.2 });
        let psd = [(6, 0.2, 0.4), (15, 0.05, 0.15)].map(|(anchors, strength, scale)| Member::Psd {
            anchors,
            strength,
            scale,
        });
        let size = |member: &Member| match *member {
            Member::Mixture { components, .. } => 8 * components,
            // Where rows or columns are many they cost more than they bring.
            Member::Psd { .. } if n > 1000 || table.columns().len() > 15 => usize::MAX,
            Member::Psd { anchors, .. } => 8 * anchors,
            Member::Normal | Member::Donors => 0,
        };
        let members = [Member::Normal].into_iter().chain(mixtures).chain(psd).chain([Member::Donors]);
        Self { members: members.filter(|member| size(member) <= n).collect(), seed }
    }

    /// Fits the stack to a standardised table. Donors need continuous columns and are passed over where others are.
    pub fn run(&self, table: &Table, observer: &mut dyn StackObserver) -> Result<FittedStack> {
        // Of a sample, merged rows would be in or out with all their weight.
        let (table, weights) = if table.len() <= SAMPLE {
            table.merge_duplicates(&vec![1.0; table.len()])?
        } else {
            let rows = strided(table.len(), ROWS);
            (table.select(&rows)?, vec![1.0; rows.len()])
        };
        let sampled = strided(table.len(), SAMPLE);
        let (sample, sample_weights) = some_rows(&table, &weights, &sampled)?;
        let resolution = Arc::new(Resolution::of(&table));
        let ridge = choose_ridge(&sample)?;
        let candidates: Vec<Member> = self.members.iter().copied().filter(|m| *m != Member::Donors).collect();
        if candidates.is_empty() {
            return Err(bad(
                "members",
                format!("{:?}", self.members),
                "a normal model, mixture or kernel density among them",
            ));
        }
        let em = EmParams { tolerance: 5e-4, max_iterations: 100 };
        let rows = Rows { table: &sample, weights: &sample_weights, resolution: &resolution, em };
        let folds = FOLDS.min(sample.len());
        let validated =
            cross_validate(rows, &candidates, folds, ridge, self.seed, &mut |member, done, held_out| {
                observer.tried(member, done, self.members.len(), Some(held_out))
            })?;
        let smooth_weights = validated.weights(&sample_weights);
        let kept: Vec<usize> = (0..smooth_weights.len()).filter(|&c| smooth_weights[c] > LIGHTEST).collect();
        let em = EmParams { max_iterations: 500, ..Default::default() };
        let rows = Rows { table: &table, weights: &weights, resolution: &resolution, em };
        let (normal, converged) = Smooth::normal(rows, ridge)?;
        let fits = kept
            .par_iter()
            .map(|&c| {
                Smooth::fit(validated.members[c], rows, &normal, &mut ChaCha8Rng::seed_from_u64(self.seed))
            })
            .collect::<Result<Vec<_>>>()?;
        let converged = converged && fits.iter().all(|fit| fit.1);
        let mut parts = Parts {
            smooth: fits.into_iter().map(|fit| fit.0).collect(),
            validated: validated.only(&kept),
            donors: None,
            sampled,
            resolution,
            table,
            weights,
        };
        if self.members.contains(&Member::Donors) && validated.complete && parts.may_have_donors() {
            parts.donors = Some(parts.fit_donors(&sample, &sample_weights, folds, self.seed)?);
            let (done, of) = (self.members.len(), self.members.len());
            let _ = observer.tried(Member::Donors, done, of, None);
        }
        let (members, held_out) = parts.report(&validated, &sample_weights);
        let density = parts.stack(None)?;
        Ok(FittedStack { density, members, held_out, ridge, converged, parts })
    }
}

/// How a member did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Its kind and settings.
    pub member: Member,
    /// Its weight in the stack.
    pub weight: f64,
    /// Its held-out log-likelihood in nats a row.
    pub held_out: f64,
}

/// A stack and how its members did.
pub struct FittedStack {
    /// The density.
    pub density: Stack,
    /// Each member tried.
    pub members: Vec<Tried>,
    /// The stack's held-out log-likelihood in nats a row.
    pub held_out: f64,
    /// The ridge of the normal model.
    pub ridge: f64,
    /// Whether the normal model and all members with weight converged.
    pub converged: bool,
    parts: Parts,
}

impl FittedStack {
    /// The stack under row weights of the Bayesian bootstrap, for one of several completed tables: its members move, their weights in
    /// the stack stay. Each row's weight depends on the seed,
    /// the number of the imputation and the row's content alone.
    pub fn refitted(&self, seed: u64, imputation: u64) -> Result<Stack> {
        let keys = RowKeys::of(&self.parts.table);
        // A row that stands for several gets the sum of their weights.
        let weight = |(i, &copies): (usize, &f64)| {
            let mut rng = keys.generator(i, seed, imputation);
            (0..copies.round() as usize).map(|_| -(1.0 - rng.random::<f64>()).ln()).sum()
        };
        let drawn = self.parts.weights.iter().enumerate().map(weight);
        self.parts.stack(Some(&drawn.collect::<Vec<_>>()))
    }

    /// How many distinct rows the members were fitted to.
    pub fn rows(&self) -> usize {
        self.parts.table.len()
    }
}

/// What the stack is put together from.
struct Parts {
    smooth: Vec<Smooth>,
    validated: CrossValidated,
    donors: Option<DonorPart>,
    /// The rows of the table that members were cross-validated on.
    sampled: Vec<usize>,
    resolution: Arc<Resolution>,
    table: Table,
    weights: Vec<f64>,
}

struct DonorPart {
    donors: Donors,
    scores: Scores,
    /// Each sampled row's log-likelihood without itself.
    left_out: Vec<f64>,
}

impl Parts {
    fn may_have_donors(&self) -> bool {
        self.sampled.len() > 1 && self.table.columns().iter().all(|c| *c.kind() == Kind::Continuous)
    }

    fn fit_donors(&self, sample: &Table, weights: &[f64], folds: usize, seed: u64) -> Result<DonorPart> {
        let smooth = self.smooth_stack(weights, None)?;
        let (donors, left_out) = fit_donors(sample, Some(weights), &smooth, &self.resolution)?;
        let blind = self.validated.stacks(&self.validated.weights(weights))?;
        let scores = energy::score(sample, folds, seed, |i| {
            let fold = Fold { part: i % folds, folds };
            [Box::new(&blind[i % folds]), Box::new(LeftOut { donors: &donors, fold })]
        })?;
        Ok(DonorPart { donors, scores, left_out })
    }

    /// The weights of the sampled rows among those of all.
    fn sampled_weights(&self, weights: &[f64]) -> Vec<f64> {
        self.sampled.iter().map(|&i| weights[i]).collect()
    }

    /// The smooth members, moved to other row weights if there are some.
    fn smooth_stack(&self, sample_weights: &[f64], moved: Option<&[f64]>) -> Result<Stack> {
        let weights = moved.unwrap_or(&self.weights);
        let rows =
            Rows { table: &self.table, weights, resolution: &self.resolution, em: EmParams::default() };
        let densities = self.smooth.par_iter().map(|fit| match moved {
            Some(_) => fit.refit(rows)?.density(rows),
            None => fit.density(rows),
        });
        let densities = densities.collect::<Result<Vec<_>>>()?;
        let weights = self.validated.weights(sample_weights);
        Stack::new(
            weights.into_iter().zip(densities).map(|(w, d)| (w, Box::new(d) as Box<dyn Density>)).collect(),
        )
    }

    /// The whole stack, moved to other row weights if there are some.
    fn stack(&self, moved: Option<&[f64]>) -> Result<Stack> {
        let sample_weights = self.sampled_weights(&self.weights);
        let smooth: Box<dyn Density> = Box::new(self.smooth_stack(&sample_weights, moved)?);
        match &self.donors {
            None => Stack::new(vec![(1.0, smooth)]),
            Some(part) => {
                let share = part.scores.best_weight(&sample_weights);
                let donors = part.donors.reweighted(&self.sampled_weights(moved.unwrap_or(&self.weights)))?;
                Stack::new(vec![(1.0 - share, smooth), (share, Box::new(donors))])
            }
        }
    }

    /// Each member tried, and the stack's held-out likelihood.
    fn report(&self, tried: &CrossValidated, sample_weights: &[f64]) -> (Vec<Tried>, f64) {
        let average = |logs: &[f64]| {
            let sum: f64 = logs.iter().zip(sample_weights).map(|(log, w)| log * w).sum();
            sum / sample_weights.iter().sum::<f64>()
        };
        let weights = self.validated.weights(sample_weights);
        let share = self.donors.as_ref().map_or(0.0, |part| part.scores.best_weight(sample_weights));
        let weight = |member: &Member| {
            let place = self.validated.members.iter().position(|m| m == member);
            place.map_or(0.0, |c| (1.0 - share) * weights[c])
        };
        let one = |(member, logs): (&Member, &Vec<f64>)| Tried {
            member: *member,
            weight: weight(member),
            held_out: average(logs),
        };
        let mut members: Vec<Tried> = tried.members.iter().zip(&tried.logs).map(one).collect();
        let mut logs = self.validated.stacked(&weights);
        if let Some(part) = &self.donors {
            members.push(Tried { member: Member::Donors, weight: share, held_out: average(&part.left_out) });
            for (log, donors) in logs.iter_mut().zip(&part.left_out) {
                *log = log_sum_exp(&[(1.0 - share).ln() + *log, share.ln() + donors]);
            }
        }
        (members, average(&logs))
    }
}

/// At most `count` positions below `n`, evenly spread.
fn strided(n: usize, count: usize) -> Vec<usize> {
    let kept = n.min(count);
    (0..kept).map(|k| k * n / kept).collect()
}

fn some_rows(table: &Table, weights: &[f64], rows: &[usize]) -> Result<(Table, Vec<f64>)> {
    Ok((table.select(rows)?, rows.iter().map(|&i| weights[i]).collect()))
}
