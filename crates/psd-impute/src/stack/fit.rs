//! A stack without knobs: members from coarse to fine, weighted by how well they predict what they have not seen.
//!
//! 1. The smooth members (normal model, mixtures, kernel densities) are cross-validated on at most [`SAMPLE`] rows, coarse ones first, among
//!    the columns as they are and among their normal scores (see [`space`](super::space)). A kind stops growing in a space when it has
//!    twice gained neither itself nor for the stack.
//! 2. Their weights maximise the held-out likelihood of the observed cells; those that count are fitted to all rows. Small tables have each
//!    mixture from several starts, which share its weight.
//! 3. Donors join with the weight that the energy score of self-masked cells gives them (see [`energy`](super::energy)), in the columns as
//!    they are unless they tell better in the scores.
//!
//! The result is one density. Under other row weights each member moves from where it is ([`FittedStack::refitted`]), which is what
//! proper multiple imputation needs.

use super::crossval::{Chosen, LIGHTEST, Placed, cross_validate};
use super::members::{Member, Smooth, Start, generator};
use super::observer::{FitObserver, Stop};
use super::parts::{Data, Parts, Reweighting, SAMPLE};
use super::row_weights::{ImputationIndex, row_weights, shape};
use super::space::Space;
use crate::density::Stack;
use crate::error::bad;
use crate::kernel::MetricKind;
use crate::learn::folds::folds;
use crate::learn::mixture::EmParams;
use crate::learn::mixture::choose_ridge;
use crate::table::{Table, canonical};
use crate::{Error, Result};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Tables with as few cells as this have mixtures from several starts: where rows are few, the clusters are a matter of chance, and the
/// average over some of them is not. Larger tables may gain too, but their fits would take half as long again.
const FEW: usize = 5_000;
/// How many starts.
const STARTS: u64 = 3;

/// How to fit a stack.
#[derive(Debug, Clone)]
pub struct StackFit {
    /// What may have a place in it, coarse ones of a kind first.
    pub members: Vec<Member>,
    /// From how many starts a mixture is fitted in the end, which share its weight.
    pub starts: u64,
    /// The seed of clusters and self-masking.
    pub seed: u64,
}

impl StackFit {
    /// The default for a table: mixtures as far as the rows allow, a few kernel densities, donors.
    pub fn for_table(table: &Table, seed: u64) -> Self {
        let n = table.len().min(SAMPLE);
        let few = table.len() * table.columns().len() <= FEW;
        let mixtures = [2, 4, 8, 16, 32, 64].map(|components| Member::Mixture { components });
        let psd = [(6, 0.2, 0.4), (15, 0.05, 0.15)].map(|(anchors, strength, scale)| Member::Psd {
            metric: MetricKind::Full,
            anchors,
            strength,
            scale,
        });
        let size = |member: &Member| match *member {
            Member::Mixture { components } => 8 * components,
            // Where rows or columns are many they cost more than they bring.
            Member::Psd { .. } if n > 1000 || table.columns().len() > 15 => usize::MAX,
            Member::Psd { anchors, .. } => 8 * anchors,
            Member::Normal | Member::Donors => 0,
        };
        let members = [Member::Normal].into_iter().chain(mixtures).chain(psd).chain([Member::Donors]);
        let members = members.filter(|member| size(member) <= n).collect();
        Self { members, starts: if few { STARTS } else { 1 }, seed }
    }

    /// Fits the stack to a standardised table.
    pub fn run(&self, table: &Table, observer: &mut dyn FitObserver) -> Result<FittedStack> {
        let data = Data::of(table)?;
        let ridge = choose_ridge(&data.sample)?;
        let candidates: Vec<Member> = self.members.iter().copied().filter(|m| *m != Member::Donors).collect();
        if candidates.is_empty() {
            let found = format!("{:?}", self.members);
            return Err(bad("members", found, "a normal model, mixture or kernel density among them"));
        }
        if self.starts == 0 {
            return Err(bad("starts", self.starts, "at least one"));
        }
        let of = self.members.len();
        let folds = folds(&data.sample);
        let mut stop = None;
        let tell = &mut |member, done, held_out| {
            stop = observer.tried(member, done, of, Some(held_out)).break_value();
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let validated = cross_validate(data.sampled_rows(), &candidates, folds, ridge, self.seed, tell)?;
        if stop == Some(Stop::Altogether) {
            return Err(Error::Abandoned);
        }
        let chosen = validated.choose(&data.sample_weights);
        let (mut parts, converged) = self.fit_smooth(data, &chosen, ridge)?;
        let mut left_out = Vec::new();
        if self.members.contains(&Member::Donors) && validated.complete && folds > 1 {
            let donors = parts.fit_donors(&chosen, self.seed)?;
            if donors.part.share > LIGHTEST {
                (parts.donors, left_out) = (Some(donors.part), donors.left_out);
            }
            if observer.tried(Member::Donors, of, of, None).break_value() == Some(Stop::Altogether) {
                return Err(Error::Abandoned);
            }
        }
        let (members, held_out) = parts.report(&validated, &chosen, &left_out);
        FittedStack::of(parts, members, held_out, ridge, converged)
    }

    /// Fits the members that count to all rows and says whether they converged.
    fn fit_smooth(&self, data: Data, chosen: &Chosen, ridge: f64) -> Result<(Parts, bool)> {
        let em = EmParams { max_iterations: 500, ..Default::default() };
        let views = data.views()?;
        let normals = views.try_map(|view| Start::of(view.rows(em), ridge))?;
        let planned: Vec<(Placed, f64, u64)> = chosen
            .members()
            .flat_map(|(placed, weight)| {
                let starts = self.starts_of(placed.0);
                (0..starts).map(move |start| (placed, weight / starts as f64, start))
            })
            .collect();
        let fit = |&((member, space), _, start): &(Placed, f64, u64)| {
            let rng = &mut generator(self.seed, start);
            Smooth::fit(member, views[space].rows(em), &normals[space], rng)
        };
        let fits = planned.par_iter().map(fit).collect::<Result<Vec<_>>>()?;
        let converged = normals.plain.converged && fits.iter().all(|fit| fit.1);
        let smooth = planned.iter().zip(fits).map(|(((_, space), ..), fit)| (*space, fit.0)).collect();
        let weights = planned.iter().map(|member| member.1).collect();
        let shape = shape(&data.table, &data.weights, &normals.plain.normal)?;
        Ok((Parts { smooth, weights, donors: None, shape, data }, converged))
    }

    /// From how many starts a member is fitted. Two clusters are the same from any.
    fn starts_of(&self, member: Member) -> u64 {
        if matches!(member, Member::Mixture { components } if components > 2) { self.starts } else { 1 }
    }
}

/// How a member did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Its kind and settings.
    pub member: Member,
    /// The coordinates it lives in.
    pub space: Space,
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
    /// the stack stay. The weights are in balance over the tables, so that what is pooled from all of them scatters less. A row's depends
    /// on the seed, on which of how many tables it is for, and on the row's content alone.
    pub fn refitted(&self, seed: u64, one: ImputationIndex) -> Result<Stack> {
        let Parts { shape, data: Data { table, weights, .. }, .. } = &self.parts;
        let drawn = row_weights(table, weights, *shape, seed, one)?;
        self.parts.stack(Some(Reweighting { weights: &drawn, spread: shape.recip() }))
    }

    /// The stack as if it had not seen some rows of a standardised table: its members move to the other rows, their weights in the stack
    /// stay. A row that several stood for is taken away once for each time that it is given; rows that it has not seen change nothing.
    pub fn without(&self, rows: &Table) -> Result<Stack> {
        let Data { table, weights, .. } = &self.parts.data;
        let mut taken: HashMap<Vec<u64>, f64> = HashMap::new();
        let key = |row: &[f64]| row.iter().map(|&x| canonical(x)).collect::<Vec<u64>>();
        rows.rows().for_each(|row| *taken.entry(key(row)).or_default() += 1.0);
        let left = table.rows().zip(weights).map(|(row, &weight)| {
            let Some(copies) = taken.get_mut(&key(row)) else { return weight };
            let gone = copies.min(weight);
            *copies -= gone;
            weight - gone
        });
        self.parts.stack(Some(Reweighting { weights: &left.collect::<Vec<_>>(), spread: 1.0 }))
    }

    /// The distinct rows the members were fitted to, and how many rows each stands for.
    pub(crate) fn distinct_rows(&self) -> (&Table, &[f64]) {
        (&self.parts.data.table, &self.parts.data.weights)
    }

    /// How many rows the members were fitted to, and how many of these they were compared on, which are the donors too.
    pub fn rows_used(&self) -> (usize, usize) {
        let Data { table, weights, sampled, .. } = &self.parts.data;
        let fitted = weights.iter().sum::<f64>().round() as usize;
        (fitted, if sampled.len() == table.len() { fitted } else { sampled.len() })
    }

    /// How many distinct rows the members were fitted to.
    pub fn rows(&self) -> usize {
        self.parts.data.table.len()
    }
}
