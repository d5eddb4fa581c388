//! A convex combination `Σ_c π_c p_c` of densities.
//!
//! Marginals are weighted sums, and a row's conditional mixes those of the members by their posterior weights `π_c p_c(x_S)`. The
//! paper's `(1-ν) p_Q + ν u` with a reference density `u` is a stack of two.

use super::combined::Combined;
use super::{Conditional, Density, Given, Weighed};
use crate::error::{bad, non_negative};
use crate::linalg::log_sum_exp;
use crate::table::Pattern;
use crate::{Error, Result};

/// Densities over the same columns, with weights that sum to one.
pub struct Stack {
    members: Vec<(f64, Box<dyn Density>)>,
}

impl Stack {
    /// A stack of members with weights, which are scaled to sum to one; members of weight zero are dropped.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`] if a weight is negative or not finite, or all are zero; [`Error::Shape`] if numbers of columns differ.
    pub fn new(members: Vec<(f64, Box<dyn Density>)>) -> Result<Self> {
        let mut total = 0.0;
        for (weight, _) in &members {
            total += non_negative("weight of a member", *weight)?;
        }
        if total <= 0.0 {
            return Err(bad("sum of the members' weights", total, "above zero"));
        }
        let expected = members[0].1.columns();
        if let Some(found) = members.iter().map(|(_, m)| m.columns()).find(|&n| n != expected) {
            return Err(Error::Shape { what: "columns of a member", found, expected });
        }
        let members = members.into_iter().filter(|(weight, _)| *weight > 0.0);
        Ok(Self { members: members.map(|(weight, member)| (weight / total, member)).collect() })
    }

    /// The members and their weights.
    pub fn members(&self) -> impl Iterator<Item = (f64, &dyn Density)> {
        self.members.iter().map(|(weight, member)| (*weight, member.as_ref()))
    }
}

impl Density for Stack {
    fn columns(&self) -> usize {
        self.members[0].1.columns()
    }

    fn given<'a>(&'a self, pattern: &Pattern) -> Result<Box<dyn Given<'a> + 'a>> {
        let parts =
            self.members.iter().map(|(w, m)| Ok((w.ln(), m.given(pattern)?))).collect::<Result<_>>()?;
        Ok(Box::new(StackGiven { parts }))
    }
}

struct StackGiven<'a> {
    /// `log π_c` and the member.
    parts: Vec<(f64, Box<dyn Given<'a> + 'a>)>,
}

impl<'a> Given<'a> for StackGiven<'a> {
    fn log_marginal(&self, row: &[f64]) -> f64 {
        let logs = self.parts.iter().map(|(log_weight, part)| log_weight + part.log_marginal(row));
        log_sum_exp(&logs.collect::<Vec<_>>())
    }

    fn weigh(&self, row: &[f64]) -> Weighed<'a> {
        let parts = self.parts.iter().map(|(log_weight, part)| (log_weight, part.weigh(row)));
        let parts: Vec<(f64, Weighed<'a>)> =
            parts.map(|(log, part)| (log + part.log_marginal, part)).collect();
        let log_marginal = log_sum_exp(&parts.iter().map(|part| part.0).collect::<Vec<_>>());
        Weighed { log_marginal, conditional: Box::new(move || combine(parts, log_marginal)) }
    }
}

/// Mixes the members' conditionals by posterior weight, from `log π_c p_c(x_S)` and the logarithm of their sum.
fn combine<'a>(parts: Vec<(f64, Weighed<'a>)>, total: f64) -> Result<Box<dyn Conditional + 'a>> {
    if total == f64::NEG_INFINITY {
        return Err(Error::ZeroDensity);
    }
    // Drop members whose total weight is below the last bit.
    let least = 0.1 * f64::EPSILON / parts.len() as f64;
    let parts = parts.into_iter().map(|(log, part)| ((log - total).exp(), part));
    let kept = parts.filter(|(weight, _)| *weight > least);
    let parts = kept.map(|(weight, part)| Ok((weight, (part.conditional)()?))).collect::<Result<Vec<_>>>()?;
    if parts.is_empty() {
        return Err(Error::ZeroDensity);
    }
    Ok(Box::new(Combined::new(parts)))
}
