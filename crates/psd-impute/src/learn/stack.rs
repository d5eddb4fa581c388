//! A stack of members, weighted by the held-out likelihood of the observed cells.

use super::donors::fit_donors;
use super::members::Member;
use super::mixture::EmParams;
use super::normal::{choose_ridge, fit_normal};
use crate::Result;
use crate::density::{Density, Stack};
use crate::table::Table;
use faer::Mat;
use rand::SeedableRng;
use rayon::prelude::*;

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
}

/// Fits `members` to a standardised table, weights them by cross-validation and keeps those that count. Donors, whose
/// likelihoods are left-one-out as they are, join last.
pub fn fit_stack<R: SeedableRng + rand::Rng>(
    table: &Table,
    members: &[Member],
    folds: usize,
    seed: u64,
) -> Result<FittedStack> {
    let ridge = choose_ridge(table)?;
    let logs = held_out::<R>(table, members, folds.min(table.len()), ridge, seed)?;
    let normal = fit_normal(table, None, ridge, EmParams::default())?;
    let fitted = members
        .par_iter()
        .zip(stacking_weights(&logs))
        .filter(|(_, weight)| *weight > LIGHTEST)
        .map(|(m, weight)| Ok((weight, m.fit(table, None, &normal, &mut R::seed_from_u64(seed))?)))
        .collect::<Result<Vec<_>>>()?;
    let smooth = Stack::new(fitted)?;
    let (donors, left_out) = fit_donors(table, None, &smooth)?;

    let logs = Mat::from_fn(table.len(), members.len() + 1, |i, c| {
        if c < members.len() { logs[(i, c)] } else { left_out[i] }
    });
    let weights = stacking_weights(&logs);
    let held_out = average_log(&logs, &weights);
    let last = weights[members.len()];
    let density = Stack::new(vec![
        ((1.0 - last).max(0.0), Box::new(smooth) as Box<dyn Density>),
        (last, Box::new(donors)),
    ])?;
    let mean = |c: usize| logs.col(c).iter().sum::<f64>() / logs.nrows() as f64;
    let all: Vec<Member> = members.iter().copied().chain([Member::Donors]).collect();
    let members = all.iter().enumerate().map(|(c, m)| (*m, weights[c], mean(c))).collect();
    Ok(FittedStack { density, members, held_out, ridge })
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
            let normal = fit_normal(&rest, None, ridge, EmParams::default())?;
            let logs = members
                .par_iter()
                .map(|m| m.fit(&rest, None, &normal, &mut R::seed_from_u64(seed))?.log_marginals(&left))
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
