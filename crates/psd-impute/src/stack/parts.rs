//! The parts of a stack: the rows, the fits of the members, the donors.

use super::crossval::{Chosen, CrossValidated, Placed, average};
use super::energy;
use super::fit::Tried;
use super::members::{Member, Rows, Smooth};
use super::settings::SETTINGS;
use super::space::{Space, View, Views, normal_scores};
use crate::Result;
use crate::density::{Density, Donors, Fold, LeftOut, Stack};
use crate::learn::donors::fit_donors;
use crate::learn::mixture::EmParams;
use crate::learn::selection::plainest;
use crate::linalg::log_sum_exp;
use crate::table::{Resolution, Table, Warps};
use rayon::prelude::*;
use std::sync::Arc;

/// The rows that a stack is fitted to.
pub(crate) struct Data {
    /// Distinct rows if all rows are used, else a sample.
    pub(crate) table: Table,
    /// How often each row occurs.
    pub(crate) weights: Vec<f64>,
    /// The rows that members are cross-validated on, in random order, so that folds do not follow the order of the table; their weights, and
    /// their positions in the table.
    pub(super) sample: Table,
    pub(super) sample_weights: Vec<f64>,
    pub(crate) sampled: Vec<usize>,
    pub(crate) resolution: Arc<Resolution>,
    /// The maps to the normal scores under these weights. They are kept in the model's file as well: donors are recognised by the exact bits
    /// of their scores.
    pub(crate) scores: Arc<Warps>,
}

impl Data {
    pub(super) fn of(table: &Table) -> Result<Self> {
        // Of a sample, merged rows would be in or out with all their weight.
        let (table, weights) = if table.len() <= SETTINGS.compared_rows {
            table.merge_duplicates(&vec![1.0; table.len()])?
        } else {
            let rows = table.sample(SETTINGS.fitted_rows);
            (table.select(&rows)?, vec![1.0; rows.len()])
        };
        Self::new(table, weights)
    }

    fn new(table: Table, weights: Vec<f64>) -> Result<Self> {
        let scores = normal_scores(&table, &weights)?;
        Self::from_parts(table, weights, scores)
    }

    /// From the rows to be used, how often each occurs, and the maps to their normal scores.
    pub(crate) fn from_parts(table: Table, weights: Vec<f64>, scores: Warps) -> Result<Self> {
        let sampled = table.shuffled(SETTINGS.compared_rows);
        let sample = table.select(&sampled)?;
        let sample_weights = sampled.iter().map(|&i| weights[i]).collect();
        let resolution = Arc::new(Resolution::of(&table));
        Ok(Self { table, weights, sample, sample_weights, sampled, resolution, scores: Arc::new(scores) })
    }

    fn rows<'a>(&'a self, weights: &'a [f64]) -> Rows<'a> {
        let Self { table, weights: base, resolution, .. } = self;
        Rows { table, weights, base, resolution, em: EmParams::default() }
    }

    /// The table in all spaces.
    pub(crate) fn views(&self) -> Result<Views> {
        Views::by(self.rows(&self.weights), self.scores.clone())
    }

    /// The rows of cross-validation, where EM may stop early.
    pub(super) fn sampled_rows(&self) -> Rows<'_> {
        let Self { sample: table, sample_weights: weights, resolution, .. } = self;
        Rows { table, weights, base: weights, resolution, em: SETTINGS.comparing }
    }
}

/// The parts of a stack.
pub(crate) struct Parts {
    /// The smooth members and their spaces; a mixture may be there several times, from different starts.
    pub(crate) smooth: Vec<(Space, Smooth)>,
    /// Their weights among themselves.
    pub(crate) weights: Vec<f64>,
    /// For each of them, the log-likelihoods of the sampled rows under fits without them, in the columns as they are.
    pub(crate) held_out: Vec<Vec<f64>>,
    pub(crate) donors: Option<DonorPart>,
    /// The shape of the row weights of refits.
    pub(crate) shape: f64,
    pub(crate) data: Data,
}

/// Row weights under which the members of a stack are refitted.
#[derive(Clone, Copy)]
pub(super) struct Reweighting<'a> {
    /// The row weights.
    pub(super) weights: &'a [f64],
    /// The factor of the covariances of mixtures that are fitted under them.
    pub(super) spread: f64,
}

/// The donors of a stack.
pub(crate) struct DonorPart {
    pub(crate) donors: Donors,
    /// Their space.
    pub(crate) space: Space,
    /// Their weight in the stack.
    pub(crate) share: f64,
}

/// Donors, the position and energy score of each scored row under the stack with them, and each sampled row's log-likelihood without
/// itself.
pub(super) struct FittedDonors {
    pub(super) part: DonorPart,
    scores: Vec<(usize, f64)>,
    pub(super) left_out: Vec<f64>,
}

/// A smooth member's weight, its space, and its density there.
type Inside = (f64, Space, Arc<dyn Density>);

impl Parts {
    /// Donors in the columns as they are, or in the normal scores if they predict better there. `chosen` are the smooth members.
    pub(super) fn fit_donors(&self, chosen: &Chosen, seed: u64) -> Result<FittedDonors> {
        let views = self.data.views()?;
        let densities = self.densities(&views, None)?;
        let blind = chosen.stacks()?;
        let fit_in = |space| {
            let smooth = self.smooth_in(space, &views, &densities)?;
            self.fit_donors_in(space, &views[space], &smooth, &blind, seed)
        };
        let plain = fit_in(Space::Plain)?;
        // Without a smooth member in normal scores, the missing cells of donors have no distribution there; and donors without weight in the
        // plain columns have hardly ever had weight in scores.
        if plain.part.share == 0.0 || self.smooth.iter().all(|member| member.0 != Space::Scores) {
            return Ok(plain);
        }
        let scores = fit_in(Space::Scores)?;
        // A row that is impossible in one of the two has no score there.
        let in_scores = |(row, plain): &(usize, f64)| {
            let at = scores.scores.binary_search_by_key(row, |other| other.0).ok()?;
            Some([*plain, scores.scores[at].1])
        };
        let both: Vec<[f64; 2]> = plain.scores.iter().filter_map(in_scores).collect();
        let better = plainest(2, both.len(), |space, row| both[row][space]) == 1;
        Ok(if better { scores } else { plain })
    }

    /// `smooth` gives the expected values of the donors' missing cells; `blind` are the stacks of smooth members fitted without each fold.
    fn fit_donors_in(
        &self,
        space: Space,
        view: &View,
        smooth: &Stack,
        blind: &[Stack],
        seed: u64,
    ) -> Result<FittedDonors> {
        let (Data { sample, sample_weights, sampled, .. }, folds) = (&self.data, blind.len());
        let Rows { table, weights, resolution, .. } = view.rows(EmParams::default());
        let (donors, mut left_out) = fit_donors(table, Some(weights), sampled, smooth, resolution)?;
        left_out.iter_mut().zip(view.log_slopes(sample)).for_each(|(log, slopes)| *log += slopes);
        let scores = energy::score(sample, seed, |i| {
            let fold = Fold { part: i % folds, folds };
            Ok([Box::new(&blind[i % folds]), view.outside(LeftOut { donors: &donors, fold })?])
        })?;
        let (share, scores) = scores.best_weight(sample_weights);
        Ok(FittedDonors { part: DonorPart { donors, space, share }, scores, left_out })
    }

    /// The weight, space and density of each smooth member. If `spread` is given, they are refitted under the views' row weights, and covariances are multiplied by it.
    fn densities(&self, views: &Views, spread: Option<f64>) -> Result<Vec<Inside>> {
        let rows: f64 = self.data.weights.iter().sum();
        let em = EmParams { tolerance: SETTINGS.refit_gain / rows, max_iterations: SETTINGS.refit_steps };
        let one = |(&weight, (space, fit)): (&f64, &(Space, Smooth))| {
            let rows = views[*space].rows(em);
            let density = match spread {
                Some(spread) => fit.refit(rows, spread)?.density(rows)?,
                None => fit.density(rows)?,
            };
            Ok((weight, *space, density))
        };
        self.weights.par_iter().zip(&self.smooth).map(one).collect()
    }

    /// The whole stack, under other row weights if given. Donors keep the coordinates of their cells.
    pub(super) fn stack(&self, moved: Option<Reweighting<'_>>) -> Result<Stack> {
        let home = self.data.views()?;
        let away = moved.map(|moved| Views::of(self.data.rows(moved.weights))).transpose()?;
        let views = away.as_ref().unwrap_or(&home);
        let outside = |(w, space, density): Inside| Ok((w, views[space].outside(density)?));
        let members = self.densities(views, moved.map(|moved| moved.spread))?.into_iter().map(outside);
        let smooth =
            Stack::with_held_out(members.collect::<Result<_>>()?, &self.data.sample, &self.held_out)?;
        let Some(DonorPart { donors, space, share }) = &self.donors else { return Ok(smooth) };
        let weights = moved.map_or(&self.data.weights[..], |moved| moved.weights);
        let donors = donors.reweighted(&self.data.sampled.iter().map(|&i| weights[i]).collect::<Vec<_>>())?;
        let donors = home[*space].outside(donors)?;
        Stack::new(vec![(1.0 - share, Box::new(smooth)), (*share, donors)])
    }

    /// Each member tried, and the stack's held-out likelihood.
    pub(super) fn report(
        &self,
        tried: &CrossValidated,
        chosen: &Chosen,
        left_out: &[f64],
    ) -> (Vec<Tried>, f64) {
        let average = |logs: &[f64]| average(logs, &self.data.sample_weights);
        let share = self.donors.as_ref().map_or(0.0, |part| part.share);
        let weight = |placed: &Placed| {
            let place = chosen.members().find(|(member, _)| member == placed);
            place.map_or(0.0, |(_, weight)| (1.0 - share) * weight)
        };
        let one = |(placed, logs): (&Placed, &Vec<f64>)| Tried {
            member: placed.0,
            space: placed.1,
            weight: weight(placed),
            held_out: average(logs),
        };
        let mut members: Vec<Tried> = tried.members.iter().zip(&tried.logs).map(one).collect();
        let mut logs = chosen.stacked();
        if let Some(DonorPart { space, .. }) = self.donors {
            let held_out = average(left_out);
            members.push(Tried { member: Member::Donors, space, weight: share, held_out });
            for (log, donors) in logs.iter_mut().zip(left_out) {
                *log = log_sum_exp(&[(1.0 - share).ln() + *log, share.ln() + donors]);
            }
        }
        (members, average(&logs))
    }

    /// The stack of smooth members in the coordinates of a space: all of them in the columns as they are, and only its own members in the normal scores.
    fn smooth_in(&self, space: Space, views: &Views, densities: &[Inside]) -> Result<Stack> {
        let member = |(weight, at, density): &Inside| -> Result<(f64, Box<dyn Density>)> {
            Ok(match space {
                Space::Plain | Space::Atoms => (*weight, views[*at].outside(density.clone())?),
                Space::Scores => (if *at == space { *weight } else { 0.0 }, Box::new(density.clone())),
            })
        };
        let members = densities.iter().map(member).collect::<Result<_>>()?;
        let rows = views[space].rows(EmParams::default()).table.select(&self.data.sampled)?;
        Stack::with_held_out(members, &rows, &self.held_out)
    }
}
