//! The numbers of a column under one reading.

use super::sequence::Sequence;
use super::spread::Spread;
use crate::place::Place;
use crate::text::{MOST_DECIMALS, Parsed, decimals_of};

/// Summary of a column's numbers.
#[derive(Debug, Clone)]
pub(in crate::plan) struct NumberSurvey {
    pub(in crate::plan) count: u64,
    pub(in crate::plan) low: f64,
    pub(in crate::plan) high: f64,
    /// The number of cells at the lowest and at the highest number.
    pub(in crate::plan) at_ends: [u64; 2],
    /// The most decimals that a number needs, while they are few.
    pub(in crate::plan) decimals: Option<u8>,
    /// The fewest decimals that a number is written with.
    pub(in crate::plan) padding: u8,
    /// The separator of thousands.
    pub(in crate::plan) group: Option<char>,
    /// Whether a cell is more than a number, as with leading zeros.
    pub(in crate::plan) codes: bool,
    /// Whether all are zero or one.
    pub(in crate::plan) binary: bool,
    pub(in crate::plan) sequence: Sequence,
    pub(in crate::plan) spread: Spread,
    /// The first infinite number.
    pub(in crate::plan) infinite: Option<(Place, String)>,
}

impl Default for NumberSurvey {
    fn default() -> Self {
        Self {
            count: 0,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            at_ends: [0; 2],
            decimals: Some(0),
            padding: MOST_DECIMALS,
            group: None,
            codes: false,
            binary: true,
            sequence: Sequence::default(),
            spread: Spread::default(),
            infinite: None,
        }
    }
}

impl NumberSurvey {
    /// Adds a number; `single` tells whether it has single precision.
    pub(super) fn add(
        &mut self,
        row: u64,
        number: Parsed,
        single: bool,
        found: impl FnOnce() -> (Place, String),
    ) {
        let x = number.value;
        self.padding = self.padding.min(number.decimals.unwrap_or(0));
        self.codes |= number.code;
        self.group = self.group.or(number.group);
        self.count += 1;
        if x.is_infinite() {
            self.infinite.get_or_insert_with(found);
            self.decimals = None;
            return;
        }
        self.count_ends((x, x), [1, 1]);
        self.binary &= x == 0.0 || x == 1.0;
        self.spread.add(row, x);
        self.decimals = self.decimals.and_then(|most| decimals_of(x, single).map(|k| k.max(most)));
        if self.decimals == Some(0) {
            self.sequence.add(row, x as i64);
        }
    }

    /// Adds numbers from `low` to `high`, with `cells` at either end.
    fn count_ends(&mut self, (low, high): (f64, f64), cells: [u64; 2]) {
        let merge = |mine: &mut f64, count: &mut u64, other: f64, cells: u64, beyond: bool| {
            if beyond {
                (*mine, *count) = (other, cells);
            } else if *mine == other {
                *count += cells;
            }
        };
        let [at_low, at_high] = &mut self.at_ends;
        let (below, above) = (low < self.low, high > self.high);
        merge(&mut self.low, at_low, low, cells[0], below);
        merge(&mut self.high, at_high, high, cells[1], above);
    }

    /// Merges two summaries.
    pub(super) fn merged(&self, other: &Self) -> Self {
        if self.count == 0 || other.count == 0 {
            return if other.count == 0 { self.clone() } else { other.clone() };
        }
        let mut spread = self.spread.clone();
        spread.merge(&other.spread);
        let mut ends = self.clone();
        ends.count_ends((other.low, other.high), other.at_ends);
        Self {
            count: self.count + other.count,
            low: ends.low,
            high: ends.high,
            at_ends: ends.at_ends,
            decimals: self.decimals.zip(other.decimals).map(|(a, b)| a.max(b)),
            padding: self.padding.min(other.padding),
            group: self.group.or(other.group),
            codes: self.codes || other.codes,
            binary: self.binary && other.binary,
            sequence: self.sequence.merged(&other.sequence),
            spread,
            infinite: self.infinite.clone().or_else(|| other.infinite.clone()),
        }
    }
}
