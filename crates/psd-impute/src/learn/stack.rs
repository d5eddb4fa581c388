//! A stack without knobs: members from coarse to fine, weighted by how well they predict what they have not seen.
//!
//! 1. The smooth members (normal model, mixtures, kernel densities) are cross-validated on at most [`SAMPLE`] rows, coarse ones first. A
//!    kind stops growing when its held-out likelihood has fallen twice.
//! 2. Their weights maximise the held-out likelihood of the observed cells; those that count are fitted to all rows.
//! 3. Donors join with the weight that the energy score of self-masked cells gives them (see [`energy`](super::energy)).
//!
//! The result is one density. Under other row weights each member moves from where it is ([`FittedStack::refitted`]), which is what
//! proper multiple imputation needs.

use super::crossval::{CrossValidated, FOLDS, average, cross_validate};
use super::donors::fit_donors;
use super::energy;
use super::members::{FittedMixture, Member, Rows, Smooth};
use super::mixture::EmParams;
use super::normal::choose_ridge;
use crate::Result;
use crate::density::{Density, Donors, Fold, LeftOut, Stack};
use crate::error::bad;
use crate::linalg::log_sum_exp;
use crate::table::{Resolution, RowKeys, Table};
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
/// EM steps from a fit to one with other row weights.
const MOVES: usize = 30;

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

    /// Fits the stack to a standardised table.
    pub fn run(&self, table: &Table, observer: &mut dyn StackObserver) -> Result<FittedStack> {
        let data = Data::of(table)?;
        let ridge = choose_ridge(&data.sample)?;
        let candidates: Vec<Member> = self.members.iter().copied().filter(|m| *m != Member::Donors).collect();
        if candidates.is_empty() {
            let found = format!("{:?}", self.members);
            return Err(bad("members", found, "a normal model, mixture or kernel density among them"));
        }
        let of = self.members.len();
        let folds = FOLDS.min(data.sample.len());
        let tell = &mut |member, done, held_out| observer.tried(member, done, of, Some(held_out));
        let validated = cross_validate(data.sampled_rows(), &candidates, folds, ridge, self.seed, tell)?;
        let (mut parts, kept, converged) = self.fit_smooth(data, &validated, ridge)?;
        let mut left_out = Vec::new();
        if self.members.contains(&Member::Donors) && validated.complete && parts.may_have_donors() {
            let (donors, logs) = parts.fit_donors(&kept, folds, self.seed)?;
            (parts.donors, left_out) = (Some(donors), logs);
            // There is nothing left to stop.
            let _ = observer.tried(Member::Donors, of, of, None);
        }
        let (members, held_out) = parts.report(&validated, &kept, &left_out);
        FittedStack::of(parts, members, held_out, ridge, converged)
    }

    /// Fits the members that count to all rows; returns those and says whether they converged.
    fn fit_smooth(
        &self,
        data: Data,
        validated: &CrossValidated,
        ridge: f64,
    ) -> Result<(Parts, CrossValidated, bool)> {
        let weights = validated.weights(&data.sample_weights);
        let kept: Vec<usize> = (0..weights.len()).filter(|&c| weights[c] > LIGHTEST).collect();
        let em = EmParams { max_iterations: 500, ..Default::default() };
        let rows = data.rows(&data.weights, em);
        let (normal, converged) = FittedMixture::normal(rows, ridge)?;
        let fit = |&c: &usize| {
            Smooth::fit(validated.members[c], rows, &normal, &mut ChaCha8Rng::seed_from_u64(self.seed))
        };
        let fits = kept.par_iter().map(fit).collect::<Result<Vec<_>>>()?;
        let converged = converged && fits.iter().all(|fit| fit.1);
        let validated = validated.only(&kept);
        let weights = validated.weights(&data.sample_weights);
        let smooth = fits.into_iter().map(|fit| fit.0).collect();
        Ok((Parts { smooth, weights, donors: None, data }, validated, converged))
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
    /// From its parts and how it did.
    pub(crate) fn of(
        parts: Parts,
        members: Vec<Tried>,
        held_out: f64,
        ridge: f64,
        converged: bool,
    ) -> Result<Self> {
        Ok(Self { density: parts.stack(None)?, members, held_out, ridge, converged, parts })
    }

    /// What it is put together from.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The stack under row weights of the Bayesian bootstrap, for one of several completed tables: its members move, their weights in
    /// the stack stay. A row's weight depends on the seed, the number of the imputation and the row's content alone.
    pub fn refitted(&self, seed: u64, imputation: u64) -> Result<Stack> {
        let keys = RowKeys::of(&self.parts.data.table);
        // A row that stands for several gets the sum of their weights.
        let weight = |(i, &copies): (usize, &f64)| {
            let mut rng = keys.generator(i, seed, imputation);
            (0..copies.round() as usize).map(|_| -(1.0 - rng.random::<f64>()).ln()).sum()
        };
        let drawn = self.parts.data.weights.iter().enumerate().map(weight);
        self.parts.stack(Some(&drawn.collect::<Vec<_>>()))
    }

    /// How many distinct rows the members were fitted to.
    pub fn rows(&self) -> usize {
        self.parts.data.table.len()
    }
}

/// The rows that a stack is fitted to.
pub(crate) struct Data {
    /// Distinct rows where all are used, else some of them.
    pub(crate) table: Table,
    /// How many rows each stands for.
    pub(crate) weights: Vec<f64>,
    /// The rows that members are cross-validated on, their weights, and their positions in the table.
    sample: Table,
    sample_weights: Vec<f64>,
    pub(crate) sampled: Vec<usize>,
    pub(crate) resolution: Arc<Resolution>,
}

impl Data {
    fn of(table: &Table) -> Result<Self> {
        // Of a sample, merged rows would be in or out with all their weight.
        let (table, weights) = if table.len() <= SAMPLE {
            table.merge_duplicates(&vec![1.0; table.len()])?
        } else {
            let rows = table.spread(ROWS);
            (table.select(&rows)?, vec![1.0; rows.len()])
        };
        Self::new(table, weights)
    }

    /// From the rows to be used, and how many rows each stands for.
    pub(crate) fn new(table: Table, weights: Vec<f64>) -> Result<Self> {
        let sampled = table.spread(SAMPLE);
        let sample = table.select(&sampled)?;
        let sample_weights = sampled.iter().map(|&i| weights[i]).collect();
        let resolution = Arc::new(Resolution::of(&table));
        Ok(Self { table, weights, sample, sample_weights, sampled, resolution })
    }

    fn rows<'a>(&'a self, weights: &'a [f64], em: EmParams) -> Rows<'a> {
        Rows { table: &self.table, weights, resolution: &self.resolution, em }
    }

    /// For cross-validation, where less than the last digit will do.
    fn sampled_rows(&self) -> Rows<'_> {
        let em = EmParams { tolerance: 5e-4, max_iterations: 100 };
        Rows { table: &self.sample, weights: &self.sample_weights, resolution: &self.resolution, em }
    }
}

/// What the stack is put together from.
pub(crate) struct Parts {
    pub(crate) smooth: Vec<Smooth>,
    /// The smooth members' weights among themselves.
    pub(crate) weights: Vec<f64>,
    pub(crate) donors: Option<DonorPart>,
    pub(crate) data: Data,
}

pub(crate) struct DonorPart {
    pub(crate) donors: Donors,
    /// Their weight in the stack.
    pub(crate) share: f64,
}

impl Parts {
    fn may_have_donors(&self) -> bool {
        self.data.sample.len() > 1
    }

    /// Donors, and each sampled row's log-likelihood without itself. `kept` is what the smooth members were chosen by.
    fn fit_donors(&self, kept: &CrossValidated, folds: usize, seed: u64) -> Result<(DonorPart, Vec<f64>)> {
        let Data { table, weights, sample, sample_weights, sampled, resolution } = &self.data;
        let (donors, left_out) =
            fit_donors(table, Some(weights), sampled, &self.smooth_stack(None)?, resolution)?;
        let blind = kept.stacks(&self.weights)?;
        let scores = energy::score(sample, folds, seed, |i| {
            let fold = Fold { part: i % folds, folds };
            [Box::new(&blind[i % folds]), Box::new(LeftOut { donors: &donors, fold })]
        })?;
        Ok((DonorPart { donors, share: scores.best_weight(sample_weights) }, left_out))
    }

    /// The smooth members, moved to other row weights if there are some.
    fn smooth_stack(&self, moved: Option<&[f64]>) -> Result<Stack> {
        let em = EmParams { max_iterations: MOVES, ..Default::default() };
        // The base measure of discrete columns stays: all members speak of the same one.
        let rows = self.data.rows(&self.data.weights, em);
        let densities = self.smooth.par_iter().map(|fit| match moved {
            Some(moved) => fit.refit(self.data.rows(moved, em))?.density(rows),
            None => fit.density(rows),
        });
        let densities = densities.collect::<Result<Vec<_>>>()?;
        let members = self.weights.iter().zip(densities).map(|(&w, d)| (w, Box::new(d) as Box<dyn Density>));
        Stack::new(members.collect())
    }

    /// The whole stack, moved to other row weights if there are some.
    fn stack(&self, moved: Option<&[f64]>) -> Result<Stack> {
        let smooth = self.smooth_stack(moved)?;
        let Some(DonorPart { donors, share }) = &self.donors else { return Ok(smooth) };
        let weights = moved.unwrap_or(&self.data.weights);
        let donors = donors.reweighted(&self.data.sampled.iter().map(|&i| weights[i]).collect::<Vec<_>>())?;
        Stack::new(vec![(1.0 - share, Box::new(smooth)), (*share, Box::new(donors))])
    }

    /// Each member tried, and the stack's held-out likelihood.
    fn report(&self, tried: &CrossValidated, kept: &CrossValidated, left_out: &[f64]) -> (Vec<Tried>, f64) {
        let average = |logs: &[f64]| average(logs, &self.data.sample_weights);
        let share = self.donors.as_ref().map_or(0.0, |part| part.share);
        let weight = |member: &Member| {
            let place = kept.members.iter().position(|m| m == member);
            place.map_or(0.0, |c| (1.0 - share) * self.weights[c])
        };
        let one = |(member, logs): (&Member, &Vec<f64>)| Tried {
            member: *member,
            weight: weight(member),
            held_out: average(logs),
        };
        let mut members: Vec<Tried> = tried.members.iter().zip(&tried.logs).map(one).collect();
        let mut logs = kept.stacked(&self.weights);
        if self.donors.is_some() {
            members.push(Tried { member: Member::Donors, weight: share, held_out: average(left_out) });
            for (log, donors) in logs.iter_mut().zip(left_out) {
                *log = log_sum_exp(&[(1.0 - share).ln() + *log, share.ln() + donors]);
            }
        }
        (members, average(&logs))
    }
}
