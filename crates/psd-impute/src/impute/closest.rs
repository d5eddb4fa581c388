//! The oracle of the paper's experiments (`psd_ideal`): of several draws of a row, the one closest to the truth.

use super::imputer::Imputer;
use crate::error::bad;
use crate::table::{Kind, Table};
use crate::{Error, Result};

impl Imputer<'_> {
    /// Completes every row that has a gap with that of its draws for the imputations `1 ..= draws` which is closest to the same row
    /// of `truth`: a bound on what choosing among draws could achieve, and a check that draws reach the truth. No way to impute: it
    /// looks at the answer.
    ///
    /// Closeness is the Euclidean distance over the missing cells in standardised units, a wrong label counting one; cells that
    /// `truth` does not have are left out, and the first of equals is taken.
    pub fn complete_with_closest(
        &self,
        table: &Table,
        truth: &Table,
        draws: u64,
        seed: u64,
    ) -> Result<Table> {
        if draws == 0 {
            return Err(bad("number of draws", draws, "above zero"));
        }
        if truth.len() != table.len() {
            return Err(Error::Shape {
                what: "rows of the truth",
                found: truth.len(),
                expected: table.len(),
            });
        }
        self.scaler.check(truth)?;
        let (keys, standardised) = (self.keys(table), self.scaler.standardise(table));
        self.complete(table, |i, conditional| {
            let mut best = (f64::INFINITY, Vec::new());
            for k in 1..=draws {
                let rng = &mut keys.generator(i, seed, k);
                let draw = self.draw(table.columns(), standardised.row(i), conditional, rng)?;
                let distance = self.distance(table, conditional.missing(), &draw, truth.row(i));
                if k == 1 || distance < best.0 {
                    best = (distance, draw);
                }
            }
            Ok(best.1)
        })
    }

    /// The squared distance of a draw of some columns to a row of the truth.
    fn distance(&self, table: &Table, columns: &[usize], draw: &[f64], truth: &[f64]) -> f64 {
        let square = |(&j, &x): (&usize, &f64)| match table.columns()[j].kind() {
            _ if truth[j].is_nan() => 0.0,
            Kind::Category(_) => f64::from(u8::from(x != truth[j])),
            _ => ((x - truth[j]) / self.scaler.scale(j)).powi(2),
        };
        columns.iter().zip(draw).map(square).sum()
    }
}
