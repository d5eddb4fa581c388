//! A stack without knobs: members from coarse to fine, weighted by how well they predict what they have not seen.
//!
//! 1. The smooth members (normal model, mixtures, kernel densities) are cross-validated on at most [`SAMPLE`] rows, coarse ones first. A
//!    kind stops growing when its held-out likelihood has fallen twice.
//! 2. Their weights maximise the held-out likelihood of the observed cells; those that count are fitted to all rows.
//! 3. Donors join with the weight that the energy score of self-masked cells gives them (see [`energy`](super::energy)).
//!
//! The result is one density. Under other row weights each member moves from where it is ([`FittedStack::refitted`]), which is what
//! proper multiple imputation needs.

use super::crossval::{CrossValidated, FOLDS, Placed, average, cross_validate};
use super::donors::fit_donors;
use super::energy;
use super::members::{FittedMixture, Member, Rows, Smooth};
use super::mixture::EmParams;
use super::normal::choose_ridge;
use super::space::{Space, View};
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
        let (mut parts, converged) = self.fit_smooth(data, &validated, ridge)?;
        if self.members.contains(&Member::Donors) && validated.complete && parts.may_have_donors() {
            parts.donors = Some(parts.fit_donors(folds, self.seed)?);
            // There is nothing left to stop.
            let _ = observer.tried(Member::Donors, of, of, None);
        }
        let (members, held_out) = parts.report(&validated);
        let density = parts.stack(None)?;
        Ok(FittedStack { density, members, held_out, ridge, converged, parts })
    }

    /// Fits the members that count to all rows, and says whether they converged.
    fn fit_smooth(&self, data: Data, validated: &CrossValidated, ridge: f64) -> Result<(Parts, bool)> {
        let weights = validated.weights(&data.sample_weights);
        let kept: Vec<usize> = (0..weights.len()).filter(|&c| weights[c] > LIGHTEST).collect();
        let em = EmParams { max_iterations: 500, ..Default::default() };
        let views = data.views(&data.weights)?;
        let normals = views
            .par_iter()
            .map(|view| FittedMixture::normal(view.rows(em), ridge))
            .collect::<Result<Vec<_>>>()?;
        let fit = |&c: &usize| {
            let (member, space) = validated.members[c];
            let rng = &mut ChaCha8Rng::seed_from_u64(self.seed);
            Smooth::fit(member, views[space as usize].rows(em), &normals[space as usize].0, rng)
        };
        let fits = kept.par_iter().map(fit).collect::<Result<Vec<_>>>()?;
        let converged = normals[0].1 && fits.iter().all(|fit| fit.1);
        let validated = validated.only(&kept);
        let weights = validated.weights(&data.sample_weights);
        let smooth = fits.into_iter().map(|fit| fit.0).collect();
        Ok((Parts { smooth, validated, weights, donors: None, data }, converged))
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
struct Data {
    /// Distinct rows where all are used, else some of them.
    table: Table,
    weights: Vec<f64>,
    /// The rows that members are cross-validated on, their weights, and their positions in the table.
    sample: Table,
    sample_weights: Vec<f64>,
    sampled: Vec<usize>,
    resolution: Arc<Resolution>,
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
        let sampled = table.spread(SAMPLE);
        let sample = table.select(&sampled)?;
        let sample_weights = sampled.iter().map(|&i| weights[i]).collect();
        let resolution = Arc::new(Resolution::of(&table));
        Ok(Self { table, weights, sample, sample_weights, sampled, resolution })
    }

    /// The table in both spaces.
    fn views(&self, weights: &[f64]) -> Result<[View; 2]> {
        let Self { table, weights: base, resolution, .. } = self;
        let rows = Rows { table, weights, base, resolution, em: EmParams::default() };
        Ok([View::new(Space::Plain, rows)?, View::new(Space::Scores, rows)?])
    }

    /// For cross-validation, where less than the last digit will do.
    fn sampled_rows(&self) -> Rows<'_> {
        let em = EmParams { tolerance: 5e-4, max_iterations: 100 };
        let Self { sample: table, sample_weights: weights, resolution, .. } = self;
        Rows { table, weights, base: weights, resolution, em }
    }
}

/// What the stack is put together from.
struct Parts {
    smooth: Vec<Smooth>,
    /// The smooth members' weights among themselves, and what they were chosen by.
    weights: Vec<f64>,
    validated: CrossValidated,
    donors: Option<DonorPart>,
    data: Data,
}

/// A smooth member's weight, its space, and its density there.
type Inside = (f64, Space, Arc<dyn Density>);

struct DonorPart {
    donors: Donors,
    /// Where they live.
    space: Space,
    view: View,
    /// Their weight in the stack.
    share: f64,
    /// Each sampled row's log-likelihood without itself.
    left_out: Vec<f64>,
}

impl Parts {
    fn may_have_donors(&self) -> bool {
        self.data.sample.len() > 1
    }

    /// Donors in the space that has most of the smooth members' weight; if they get a share there, in the other as well, and the ones
    /// that do better by the energy score of self-masked cells are kept.
    fn fit_donors(&self, folds: usize, seed: u64) -> Result<DonorPart> {
        let members = self.weights.iter().zip(&self.validated.members);
        let scores: f64 = members.filter(|(_, placed)| placed.1 == Space::Scores).map(|(w, _)| w).sum();
        let order = [Space::Plain, Space::Scores];
        let [first, second] = if scores > 0.5 { [order[1], order[0]] } else { order };
        let first = self.fit_donors_in(first, folds, seed)?;
        // Without a smooth member there is no telling what a donor's missing cells are among the scores.
        if second == Space::Scores && scores == 0.0 {
            return Ok(first.1);
        }
        let second = self.fit_donors_in(second, folds, seed)?;
        Ok(if second.0 < first.0 { second.1 } else { first.1 })
    }

    /// What the smooth members say of the missing cells in the coordinates of a space: all of them outside, inside those that live there.
    fn smooth_in(&self, space: Space, views: &[View; 2]) -> Result<Stack> {
        let members = self.densities(views, false)?.into_iter();
        let member = |(weight, at, density): Inside| match space {
            Space::Plain => Ok((weight, views[at as usize].outside(density)?)),
            Space::Scores => {
                Ok((if at == space { weight } else { 0.0 }, Box::new(density) as Box<dyn Density>))
            }
        };
        Stack::new(members.map(member).collect::<Result<_>>()?)
    }

    /// Donors in one space and the best score that they get.
    fn fit_donors_in(&self, space: Space, folds: usize, seed: u64) -> Result<(f64, DonorPart)> {
        let Data { sample, sample_weights, sampled, .. } = &self.data;
        let views = self.data.views(&self.data.weights)?;
        let smooth = self.smooth_in(space, &views)?;
        let [plain, scores] = views;
        let view = if space == Space::Plain { plain } else { scores };
        let Rows { table, weights, resolution, .. } = view.rows(EmParams::default());
        let (donors, mut left_out) = fit_donors(table, Some(weights), sampled, &smooth, resolution)?;
        left_out.iter_mut().zip(view.log_slopes(sample)).for_each(|(log, slopes)| *log += slopes);
        let blind = self.validated.stacks(&self.weights)?;
        let scores = energy::score(sample, folds, seed, |i| {
            let fold = Fold { part: i % folds, folds };
            Ok([Box::new(&blind[i % folds]), view.outside(LeftOut { donors: &donors, fold })?])
        })?;
        let (share, score) = scores.best_weight(sample_weights);
        Ok((score, DonorPart { donors, space, view, share, left_out }))
    }

    /// Each smooth member's weight, space and density there, moved to the views' row weights if they are new.
    fn densities(&self, views: &[View; 2], moved: bool) -> Result<Vec<Inside>> {
        let em = EmParams { max_iterations: MOVES, ..Default::default() };
        let one = |((&weight, placed), fit): ((&f64, &Placed), &Smooth)| {
            let rows = views[placed.1 as usize].rows(em);
            let density = if moved { fit.refit(rows)?.density(rows)? } else { fit.density(rows)? };
            Ok((weight, placed.1, density))
        };
        self.weights.par_iter().zip(&self.validated.members).zip(&self.smooth).map(one).collect()
    }

    /// The whole stack, moved to other row weights if there are some.
    fn stack(&self, moved: Option<&[f64]>) -> Result<Stack> {
        let weights = moved.unwrap_or(&self.data.weights);
        let views = self.data.views(weights)?;
        let outside = |(w, space, density)| Ok((w, views[space as usize].outside(density)?));
        let members = self.densities(&views, moved.is_some())?.into_iter().map(outside);
        let smooth = Stack::new(members.collect::<Result<_>>()?)?;
        let Some(DonorPart { donors, view, share, .. }) = &self.donors else { return Ok(smooth) };
        let donors = donors.reweighted(&self.data.sampled.iter().map(|&i| weights[i]).collect::<Vec<_>>())?;
        Stack::new(vec![(1.0 - share, Box::new(smooth)), (*share, view.outside(donors)?)])
    }

    /// Each member tried, and the stack's held-out likelihood.
    fn report(&self, tried: &CrossValidated) -> (Vec<Tried>, f64) {
        let average = |logs: &[f64]| average(logs, &self.data.sample_weights);
        let share = self.donors.as_ref().map_or(0.0, |part| part.share);
        let weight = |placed: &Placed| {
            let place = self.validated.members.iter().position(|m| m == placed);
            place.map_or(0.0, |c| (1.0 - share) * self.weights[c])
        };
        let one = |(placed, logs): (&Placed, &Vec<f64>)| Tried {
            member: placed.0,
            space: placed.1,
            weight: weight(placed),
            held_out: average(logs),
        };
        let mut members: Vec<Tried> = tried.members.iter().zip(&tried.logs).map(one).collect();
        let mut logs = self.validated.stacked(&self.weights);
        if let Some(DonorPart { space, left_out, .. }) = &self.donors {
            let held_out = average(left_out);
            members.push(Tried { member: Member::Donors, space: *space, weight: share, held_out });
            for (log, donors) in logs.iter_mut().zip(left_out) {
                *log = log_sum_exp(&[(1.0 - share).ln() + *log, share.ln() + donors]);
            }
        }
        (members, average(&logs))
    }
}
