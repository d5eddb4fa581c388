//! A stack of members, weighted by the held-out likelihood of the observed cells.

use super::donors::fit_donors;
use super::members::Member;
use super::mixture::EmParams;
use super::normal::{choose_ridge, fit_normal};
use crate::Result;
use crate::density::{Density, Stack};
use crate::table::{Kind, Table};
use faer::Mat;
use rand::SeedableRng;
use rayon::prelude::*;
use std::sync::Arc;

/// Members lighter than this are dropped.
const LIGHTEST: f64 = 0.01;

/// A stack and how its members did.
pub struct FittedStack {
    /// The density.
    pub density: Stack,
    /// Each member tried, its weight and its held-out log-likelihood in nats a row.
    pub members: Vec<(Member, f64, f64)>,
    /// The stack's held-out log-likelihood in nats a row.
    pub held_out: f64,
    /// The ridge of the normal model.
    pub ridge: f64,
    /// Whether the normal model and all members with weight converged.
    pub converged: bool,
}

/// Fits `members` to a standardised table, weights them by cross-validation and keeps those that count. Donors, whose
/// likelihoods are left-one-out as they are, join last, where all columns are continuous. A single row gets the normal model.
pub fn fit_stack<R: SeedableRng + rand::Rng>(
    table: &Table,
    members: &[Member],
    folds: usize,
    seed: u64,
) -> Result<FittedStack> {
    let members: Vec<Member> = match table.len() {
        1 => vec![Member::Normal],
        _ => members.iter().copied().filter(|member| *member != Member::Donors).collect(),
    };
    let ridge = choose_ridge(table)?;
    let (normal, report) = fit_normal(table, None, ridge, EmParams::default())?;
    let mut logs = match folds.min(table.len()) {
        0 | 1 => Mat::zeros(table.len(), members.len()),
        folds => held_out::<R>(table, &members, folds, ridge, seed)?,
    };
    let mut fitted = members
        .par_iter()
        .zip(stacking_weights(&logs))
        .map(|(member, weight)| {
            if weight <= LIGHTEST {
                return Ok(Candidate { weight: 0.0, density: None, converged: true });
            }
            let (density, converged) = member.fit(table, None, &normal, &mut R::seed_from_u64(seed))?;
            Ok(Candidate { weight, density: Some(Arc::from(density)), converged })
        })
        .collect::<Result<Vec<_>>>()?;
    let converged = report.converged && fitted.iter().all(|member| member.converged);
    let mut tried = members.clone();
    if table.len() > 1 && table.columns().iter().all(|c| *c.kind() == Kind::Continuous) {
        let (donors, left_out) = fit_donors(table, None, &stack(&fitted)?)?;
        fitted.push(Candidate { weight: 0.0, density: Some(Arc::new(donors)), converged: true });
        tried.push(Member::Donors);
        logs = Mat::from_fn(table.len(), tried.len(), |i, c| {
            if c < members.len() { logs[(i, c)] } else { left_out[i] }
        });
    }

    // Those dropped before have no place in the final weights.
    let kept: Vec<usize> = (0..tried.len()).filter(|&c| fitted[c].density.is_some()).collect();
    let kept_logs = Mat::from_fn(table.len(), kept.len(), |i, k| logs[(i, kept[k])]);
    let weights = stacking_weights(&kept_logs);
    kept.iter().zip(&weights).for_each(|(&c, &weight)| fitted[c].weight = weight);
    let mean = |c: usize| logs.col(c).iter().sum::<f64>() / logs.nrows() as f64;
    Ok(FittedStack {
        density: stack(&fitted)?,
        members: (0..tried.len()).map(|c| (tried[c], fitted[c].weight, mean(c))).collect(),
        held_out: average_log(&kept_logs, &weights),
        ridge,
        converged,
    })
}

/// A member that may have a place in the stack; without a density it has none.
struct Candidate {
    weight: f64,
    density: Option<Arc<dyn Density>>,
    converged: bool,
}

/// The stack of those that were fitted.
fn stack(candidates: &[Candidate]) -> Result<Stack> {
    let member = |c: &Candidate| c.density.clone().map(|d| (c.weight, Box::new(d) as Box<dyn Density>));
    Stack::new(candidates.iter().filter_map(member).collect())
}

/// `n × members`: the log-likelihood of every row under the members fitted without the row's fold.
fn held_out<R: SeedableRng + rand::Rng>(
    table: &Table,
    members: &[Member],
    folds: usize,
    ridge: f64,
    seed: u64,
) -> Result<Mat<f64>> {
    let mut out = Mat::zeros(table.len(), members.len());
    let parts = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let (test, train): (Vec<usize>, Vec<usize>) = (0..table.len()).partition(|i| i % folds == fold);
            let (left, rest) = (table.select(&test)?, table.select(&train)?);
            let (normal, _) = fit_normal(&rest, None, ridge, EmParams::default())?;
            let logs = members
                .par_iter()
                .map(|m| m.fit(&rest, None, &normal, &mut R::seed_from_u64(seed))?.0.log_marginals(&left))
                .collect::<Result<Vec<_>>>()?;
            Ok((test, logs))
        })
        .collect::<Result<Vec<_>>>()?;
    for (test, logs) in parts {
        for (c, logs) in logs.iter().enumerate() {
            test.iter().zip(logs).for_each(|(&i, &log)| out[(i, c)] = log);
        }
    }
    Ok(out)
}

/// The weights that maximise the average log of the mixed likelihoods: a convex problem, solved by EM.
fn stacking_weights(logs: &Mat<f64>) -> Vec<f64> {
    let (n, c) = (logs.nrows(), logs.ncols());
    let likelihoods = relative(logs);
    let mut weights = vec![1.0 / c as f64; c];
    for _ in 0..500 {
        let mut next = vec![0.0; c];
        for i in 0..n {
            let total: f64 = (0..c).map(|k| weights[k] * likelihoods[(i, k)]).sum();
            for k in 0..c {
                next[k] += weights[k] * likelihoods[(i, k)] / total / n as f64;
            }
        }
        weights = next;
    }
    weights
}

/// Likelihoods divided by each row's largest.
fn relative(logs: &Mat<f64>) -> Mat<f64> {
    let top: Vec<f64> =
        (0..logs.nrows()).map(|i| logs.row(i).iter().copied().fold(f64::NEG_INFINITY, f64::max)).collect();
    Mat::from_fn(logs.nrows(), logs.ncols(), |i, k| (logs[(i, k)] - top[i]).exp())
}

fn average_log(logs: &Mat<f64>, weights: &[f64]) -> f64 {
    let n = logs.nrows();
    let log = |i: usize| {
        let terms: Vec<f64> = (0..weights.len()).map(|k| weights[k].ln() + logs[(i, k)]).collect();
        crate::linalg::log_sum_exp(&terms)
    };
    (0..n).map(log).sum::<f64>() / n as f64
}
