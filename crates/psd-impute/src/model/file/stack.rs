//! Stacks: the rows they were fitted to, their members, and the members' scores.

use super::layout::{MemberLayout, SmoothLayout, StackLayout};
use super::tensors::{Source, Tensors};
use super::{count, donors, smooth, within};
use crate::Result;
use crate::error::bad;
use crate::stack::{Data, DonorPart, FittedStack, LEAST_SHAPE, Member, Parts, Space, Tried};
use crate::table::{Column, Table, Warp, Warps};

/// Largest number of rows, counting copies; more are taken to be a mistake, as a refit draws a weight for each copy. Arbitrary.
const MOST_ROWS: f64 = 1e7;

pub(super) fn write(stack: &FittedStack, out: &mut Tensors) -> StackLayout {
    let Parts { smooth, weights, held_out, donors, shape, data } = stack.parts();
    out.matrix("table.cells", data.table.cells());
    out.vector("table.weights", &data.weights);
    write_scores(&data.scores, out);
    out.vector("members.weights", weights);
    out.vector("members.held_out", &held_out.concat());
    out.vector("refits.shape", &[*shape]);
    if let Some(DonorPart { donors, share, .. }) = donors {
        out.vector("donors.share", &[*share]);
        donors::write(donors, out);
    }
    out.vector("held_out", &[stack.held_out]);
    out.vector("ridge", &[stack.ridge]);
    let members = smooth.iter().enumerate();
    StackLayout {
        tried: write_tried(&stack.members, out),
        members: members
            .map(|(k, (space, fit))| (*space, smooth::write(&format!("member.{k}"), fit, out)))
            .collect(),
        donors: donors.as_ref().map(|part| part.space),
        converged: stack.converged,
    }
}

pub(super) fn read(layout: &StackLayout, columns: &[Column], source: &Source<'_>) -> Result<FittedStack> {
    let data = read_data(columns, source)?;
    let views = data.views().map_err(within("table"))?;
    let member = |(k, (space, layout)): (usize, &(Space, SmoothLayout))| {
        Ok((*space, smooth::read(&format!("member.{k}"), layout, views[*space].columns(), source)?))
    };
    let smooth = layout.members.iter().enumerate().map(member).collect::<Result<Vec<_>>>()?;
    let weights = source.vector("members.weights", Some(smooth.len()))?;
    if weights.iter().any(|w| *w < 0.0) || (weights.iter().sum::<f64>() - 1.0).abs() > 1e-6 {
        let error = bad("weights", format!("{weights:?}"), "not below zero, adding up to one");
        return Err(within("members")(error));
    }
    let rows = data.sampled.len();
    let held_out = source.likelihoods("members.held_out", smooth.len() * rows)?;
    let held_out = held_out.chunks(rows.max(1)).map(<[f64]>::to_vec).collect();
    let donors = layout.donors.map(|space| read_donors(space, columns, &data, source)).transpose()?;
    let shape = source.number("refits.shape")?;
    if !(LEAST_SHAPE..=1.0).contains(&shape) {
        return Err(within("refits")(bad("shape", shape, "between a half and one")));
    }
    let parts = Parts { smooth, weights, held_out, donors, shape, data };
    let members = read_tried(&layout.tried, source)?;
    let held_out = source.likelihoods("held_out", 1)?[0];
    FittedStack::of(parts, members, held_out, source.number("ridge")?, layout.converged)
        .map_err(within("stack"))
}

fn read_donors(space: Space, columns: &[Column], data: &Data, source: &Source<'_>) -> Result<DonorPart> {
    let share = source.number("donors.share")?;
    if !(0.0..=1.0).contains(&share) {
        return Err(within("donors")(bad("share", share, "between zero and one")));
    }
    let views = data.views().map_err(within("table"))?;
    let resolution = views[space].resolution();
    Ok(DonorPart { donors: donors::read(columns, data, resolution, source)?, space, share })
}

fn read_data(columns: &[Column], source: &Source<'_>) -> Result<Data> {
    let cells = source.cells("table.cells", columns.len())?;
    let weights = source.vector("table.weights", Some(cells.ncols()))?;
    if let Some(weight) = weights.iter().find(|w| **w < 1.0 || w.fract() != 0.0) {
        return Err(within("table")(bad("weight of a row", weight, "a number of rows")));
    }
    let total: f64 = weights.iter().sum();
    if total > MOST_ROWS {
        return Err(within("table")(bad("number of rows", total, "at most ten million")));
    }
    let table = Table::new(columns.to_vec(), cells).map_err(within("table"))?;
    let scores = read_scores(&table, source)?;
    Data::from_parts(table, weights, scores).map_err(within("table"))
}

fn write_scores(scores: &Warps, out: &mut Tensors) {
    for j in 0..scores.columns() {
        if let Some(warp) = scores.warp(j) {
            let (x, z): (Vec<f64>, Vec<f64>) = warp.knots().iter().copied().unzip();
            out.vector(&format!("scores.{j}.values"), &x);
            out.vector(&format!("scores.{j}.scores"), &z);
        }
    }
}

fn read_scores(table: &Table, source: &Source<'_>) -> Result<Warps> {
    let warp = |j: usize| {
        let name = format!("scores.{j}.values");
        if !source.has(&name) {
            return Ok(None);
        }
        let x = source.vector(&name, None)?;
        let z = source.vector(&format!("scores.{j}.scores"), Some(x.len()))?;
        Warp::new(x.into_iter().zip(z).collect()).map(Some).map_err(within("scores"))
    };
    let warps = (0..table.columns().len()).map(warp).collect::<Result<_>>()?;
    Warps::new(table, warps).map_err(within("scores"))
}

/// Returns the kinds of the members for the layout, and writes their numbers as tensors: weight, held-out likelihood, and the prior's
/// strength and scale, if any.
fn write_tried(tried: &[Tried], out: &mut Tensors) -> Vec<(Space, MemberLayout)> {
    let prior = |tried: &Tried| match tried.member {
        Member::Normal | Member::Mixture { .. } | Member::Forest | Member::Donors => (0.0, 0.0),
        Member::Psd { strength, scale, .. } => (strength, scale),
    };
    let numbers = |f: &dyn Fn(&Tried) -> f64| tried.iter().map(f).collect::<Vec<f64>>();
    out.vector("tried.weights", &numbers(&|tried| tried.weight));
    out.vector("tried.held_out", &numbers(&|tried| tried.held_out));
    out.vector("tried.strengths", &numbers(&|tried| prior(tried).0));
    out.vector("tried.scales", &numbers(&|tried| prior(tried).1));
    let layout = |tried: &Tried| match tried.member {
        Member::Normal => MemberLayout::Normal,
        Member::Mixture { components } => MemberLayout::Mixture { components: components as u64 },
        Member::Psd { metric, anchors, .. } => MemberLayout::Psd { metric, anchors: anchors as u64 },
        Member::Forest => MemberLayout::Forest,
        Member::Donors => MemberLayout::Donors,
    };
    tried.iter().map(|tried| (tried.space, layout(tried))).collect()
}

fn read_tried(layout: &[(Space, MemberLayout)], source: &Source<'_>) -> Result<Vec<Tried>> {
    let n = layout.len();
    let weights = source.vector("tried.weights", Some(n))?;
    let held_out = source.likelihoods("tried.held_out", n)?;
    let strengths = source.vector("tried.strengths", Some(n))?;
    let scales = source.vector("tried.scales", Some(n))?;
    let one = |(k, (space, layout)): (usize, &(Space, MemberLayout))| {
        let (strength, scale) = (strengths[k], scales[k]);
        let member = match layout {
            MemberLayout::Normal => Member::Normal,
            MemberLayout::Mixture { components } => {
                Member::Mixture { components: count("components", *components)? }
            }
            MemberLayout::Psd { metric, anchors } => {
                Member::Psd { metric: *metric, anchors: count("anchors", *anchors)?, strength, scale }
            }
            MemberLayout::Forest => Member::Forest,
            MemberLayout::Donors => Member::Donors,
        };
        Ok(Tried { member, space: *space, weight: weights[k], held_out: held_out[k] })
    };
    layout.iter().enumerate().map(one).collect()
}
