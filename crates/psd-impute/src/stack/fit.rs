//! Fitting a stack: members from coarse to fine, weighted by how well they predict rows they have not seen.
//!
//! 1. *Compare.* The smooth members (normal model, forest, mixtures, kernel densities) are cross-validated, coarse ones first, on the columns as they
//!    are and on their normal scores (see [`space`](super::space)). A kind of member stops growing in a space after two sizes that improved neither
//!    on it nor on the stack.
//! 2. *Weigh.* Their weights maximise the held-out likelihood of the observed cells.
//! 3. *Fit.* Members with weight are fitted to all rows. On small tables each mixture has several starts, which share its weight.
//! 4. *Add donors.* They get the weight that the energy score of self-masked cells asks for (see [`energy`](super::energy)), in the columns as they
//!    are unless they predict better in the normal scores.
//!
//! The result is one density. Under other row weights each member moves from where it is ([`FittedStack::refitted`]): that makes multiple
//! imputation proper.

use super::crossval::{Chosen, CrossValidated, Placed, cross_validate};
use super::members::{Member, Smooth, Start, generator};
use super::observer::{FitObserver, Stop};
use super::parts::{Data, FittedDonors, Parts, Reweighting};
use super::row_weights::{ImputationIndex, row_weights, shape};
use super::settings::{SETTINGS, StackSettings};
use super::space::Space;
use crate::density::Stack;
use crate::error::bad;
use crate::kernel::MetricKind;
use crate::learn::folds::folds;
use crate::learn::mixture::choose_ridge;
use crate::table::{Kind, Table, canonical};
use crate::{Error, Result};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Settings of a stack fit.
#[derive(Debug, Clone)]
pub struct StackFit {
    /// The members that may have a place in it, coarse ones of a kind first.
    pub members: Vec<Member>,
    /// The number of starts of each mixture in the final fit; they share its weight.
    pub starts: u64,
    /// The seed of clusters and self-masking.
    pub seed: u64,
}

impl StackFit {
    /// The default for a table: a forest if it has labels and is short, mixtures as far as the rows allow, a few kernel densities, donors.
    pub fn for_table(table: &Table, seed: u64) -> Self {
        let StackSettings { rows_per_component, kernel_rows, kernel_columns, .. } = SETTINGS;
        let (rows, columns) = (table.len().min(SETTINGS.compared_rows), table.columns().len());
        let labels = table.columns().iter().any(|column| *column.kind() != Kind::Continuous);
        let few = table.len() * columns <= SETTINGS.several_starts_cells;
        let mixtures = SETTINGS.mixtures.map(|components| Member::Mixture { components });
        let kernels = SETTINGS.kernels.map(|size| size.member(MetricKind::Full, None));
        let least_rows = |member: &Member| match *member {
            Member::Mixture { components } => rows_per_component * components,
            Member::Psd { .. } if rows > kernel_rows || columns > kernel_columns => usize::MAX,
            Member::Psd { anchors, .. } => rows_per_component * anchors,
            Member::Forest if !labels || table.len() > SETTINGS.forest_rows => usize::MAX,
            Member::Normal | Member::Forest | Member::Donors => 0,
        };
        // The forest is cheap and often the best of short tables with labels, so that it comes before the time may be up.
        let coarse = [Member::Normal, Member::Forest];
        let members = coarse.into_iter().chain(mixtures).chain(kernels).chain([Member::Donors]);
        let members = members.filter(|member| least_rows(member) <= rows).collect();
        Self { members, starts: if few { SETTINGS.starts } else { 1 }, seed }
    }

    /// Fits the stack to a standardised table.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] without a smooth member or without starts, [`Error::Abandoned`] if the observer ends the fit, and errors of the members.
    pub fn run(&self, table: &Table, observer: &mut dyn FitObserver) -> Result<FittedStack> {
        self.check()?;
        let data = Data::of(table)?;
        let ridge = choose_ridge(&data.sample)?;
        let validated = self.compare(&data, ridge, observer)?;
        let chosen = validated.choose(&data.sample_weights);
        let (mut parts, converged) = self.fit_smooth(data, &chosen, ridge)?;
        let mut left_out = Vec::new();
        if let Some(donors) = self.fit_donors(&parts, &validated, &chosen, observer)? {
            (parts.donors, left_out) = (Some(donors.part), donors.left_out);
        }
        let (members, held_out) = parts.report(&validated, &chosen, &left_out);
        FittedStack::of(parts, members, held_out, ridge, converged)
    }

    fn check(&self) -> Result<()> {
        if self.members.iter().all(|member| *member == Member::Donors) {
            let found = format!("{:?}", self.members);
            return Err(bad(
                "members",
                found,
                "a normal model, forest, mixture or kernel density among them",
            ));
        }
        if self.starts == 0 {
            return Err(bad("starts", self.starts, "at least one"));
        }
        Ok(())
    }

    /// Cross-validates the smooth members.
    fn compare(&self, data: &Data, ridge: f64, observer: &mut dyn FitObserver) -> Result<CrossValidated> {
        let smooth: Vec<Member> = self.members.iter().copied().filter(|m| *m != Member::Donors).collect();
        let mut stop = None;
        let tell = &mut |member, done, held_out| {
            stop = observer.tried(member, done, self.members.len(), Some(held_out)).break_value();
            if stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let folds = folds(&data.sample);
        let validated = cross_validate(data.sampled_rows(), &smooth, folds, ridge, self.seed, tell)?;
        if stop == Some(Stop::Altogether) { Err(Error::Abandoned) } else { Ok(validated) }
    }

    /// Fits the donors; `None` if they are not asked for, cannot be compared, or get no weight.
    fn fit_donors(
        &self,
        parts: &Parts,
        validated: &CrossValidated,
        chosen: &Chosen,
        observer: &mut dyn FitObserver,
    ) -> Result<Option<FittedDonors>> {
        let comparable = validated.complete && folds(&parts.data.sample) > 1;
        if !self.members.contains(&Member::Donors) || !comparable {
            return Ok(None);
        }
        let donors = parts.fit_donors(chosen, self.seed)?;
        let of = self.members.len();
        if observer.tried(Member::Donors, of, of, None).break_value() == Some(Stop::Altogether) {
            return Err(Error::Abandoned);
        }
        Ok(Some(donors).filter(|donors| donors.part.share > SETTINGS.lightest))
    }

    /// Fits the members with weight to all rows, and says whether they converged.
    fn fit_smooth(&self, data: Data, chosen: &Chosen, ridge: f64) -> Result<(Parts, bool)> {
        let em = SETTINGS.fitting;
        let views = data.views()?;
        let normals = views.try_map(|view| Start::of(view.rows(em), ridge))?;
        let mut planned: Vec<(Placed, f64, u64)> = Vec::new();
        let mut held_out: Vec<Vec<f64>> = Vec::new();
        for ((placed, weight), logs) in chosen.members().zip(chosen.logs()) {
            let starts = self.starts_of(placed.0);
            planned.extend((0..starts).map(|start| (placed, weight / starts as f64, start)));
            held_out.extend((0..starts).map(|_| logs.clone()));
        }
        let fit = |&((member, space), _, start): &(Placed, f64, u64)| {
            let rng = &mut generator(self.seed, start);
            Smooth::fit(member, views[space].rows(em), &normals[space], rng)
        };
        let fits = planned.par_iter().map(fit).collect::<Result<Vec<_>>>()?;
        let converged = normals.plain.converged && fits.iter().all(|fit| fit.1);
        let smooth = planned.iter().zip(fits).map(|(((_, space), ..), fit)| (*space, fit.0)).collect();
        let weights = planned.iter().map(|member| member.1).collect();
        let shape = shape(&data.table, &data.weights, &normals.plain.normal)?;
        Ok((Parts { smooth, weights, held_out, donors: None, shape, data }, converged))
    }

    /// The number of starts of a member. Two clusters are the same from any.
    fn starts_of(&self, member: Member) -> u64 {
        if matches!(member, Member::Mixture { components } if components > 2) { self.starts } else { 1 }
    }
}

/// A member that was tried.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Its kind and settings.
    pub member: Member,
    /// The coordinates it is fitted in.
    pub space: Space,
    /// Its weight in the stack.
    pub weight: f64,
    /// Its held-out log-likelihood in nats per row.
    pub held_out: f64,
}

/// A stack with the members that were tried.
pub struct FittedStack {
    /// The density.
    pub density: Stack,
    /// Each member tried.
    pub members: Vec<Tried>,
    /// The stack's held-out log-likelihood in nats per row.
    pub held_out: f64,
    /// The ridge of the normal model.
    pub ridge: f64,
    /// Whether the normal model and all members with weight converged.
    pub converged: bool,
    parts: Parts,
}

impl FittedStack {
    /// From its parts.
    pub(crate) fn of(
        parts: Parts,
        members: Vec<Tried>,
        held_out: f64,
        ridge: f64,
        converged: bool,
    ) -> Result<Self> {
        Ok(Self { density: parts.stack(None)?, members, held_out, ridge, converged, parts })
    }

    /// The rows, the fits of the members, and the donors.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Refits the members under row weights of the Bayesian bootstrap, for one of several completed tables; their weights in the stack
    /// are kept. The row weights are in balance over the tables, so that pooled results scatter less. A row's weight depends on
    /// the seed, the index of the table, and the row's content alone.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] for an index out of range, and errors of the members.
    pub fn refitted(&self, seed: u64, one: ImputationIndex) -> Result<Stack> {
        let Parts { shape, data: Data { table, weights, .. }, .. } = &self.parts;
        let drawn = row_weights(table, weights, *shape, seed, one)?;
        self.parts.stack(Some(Reweighting { weights: &drawn, spread: shape.recip() }))
    }

    /// Refits the members without some rows of a standardised table; their weights in the stack are kept. A row that occurs several times is taken away once for each time that it is given; rows that the stack has not seen change nothing.
    ///
    /// # Errors
    ///
    /// Those of the members' refits.
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

    /// The distinct rows that the members were fitted to, and how often each occurs.
    pub(crate) fn distinct_rows(&self) -> (&Table, &[f64]) {
        (&self.parts.data.table, &self.parts.data.weights)
    }

    /// The number of rows that the members were fitted to, and of those they were compared on, which are the donors too.
    pub(crate) fn rows_used(&self) -> (usize, usize) {
        let Data { table, weights, sampled, .. } = &self.parts.data;
        let fitted = weights.iter().sum::<f64>().round() as usize;
        (fitted, if sampled.len() == table.len() { fitted } else { sampled.len() })
    }

    /// The number of distinct rows that the members were fitted to.
    pub fn rows(&self) -> usize {
        self.parts.data.table.len()
    }
}
