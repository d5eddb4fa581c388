//! The range of numbers, apart from values that may be codes for missing cells.

use super::sequence::scramble;
use std::collections::BinaryHeap;

/// Numbers kept to estimate the quartiles.
const KEPT: usize = 200;
/// Different numbers kept at either end, one more than may be unknown codes.
const ENDS: usize = 4;
/// A number that is not a known code counts as one only if it repeats this often beside enough different others.
const REPEATED: u64 = 3;
/// A code of three digits or more need not be repeated if it is this many times further away from enough others than these span.
const TIMES: f64 = 5.0;
const OTHERS: usize = 20;
const DIFFERENT: usize = 10;

/// Numbers written for missing cells: nines, eights and sevens, with either sign, and the ends of types.
const CODES: [f64; 54] = [
    -2147483648.0,
    -999999.0,
    -99999.0,
    -32768.0,
    -9999.0,
    -999.9,
    -999.0,
    -998.0,
    -997.0,
    -888.0,
    -777.0,
    -99.9,
    -99.0,
    -98.0,
    -97.0,
    -88.0,
    -77.0,
    -9.0,
    -8.0,
    -7.0,
    -1.0,
    7.0,
    8.0,
    9.0,
    66.0,
    77.0,
    88.0,
    96.0,
    97.0,
    98.0,
    99.0,
    99.9,
    666.0,
    777.0,
    888.0,
    996.0,
    997.0,
    998.0,
    999.0,
    999.9,
    7777.0,
    8888.0,
    9997.0,
    9998.0,
    9999.0,
    32767.0,
    99999.0,
    999999.0,
    9999999.0,
    99999999.0,
    999999999.0,
    2147483647.0,
    1e20,
    1e30,
];
/// Days since 1970 of 0001-01-01, 1111-11-11, 1753-01-01, 1899-12-30, 1899-12-31, 1900-01-01, 1901-01-01, 1970-01-01, 2099-12-31,
/// 2999-12-31, 3000-01-01, 8888-08-08, 9999-09-09 and 9999-12-31.
const DAYS: [f64; 14] = [
    -719162.0, -313430.0, -79257.0, -25569.0, -25568.0, -25567.0, -25202.0, 0.0, 47481.0, 376199.0, 376200.0,
    2526968.0, 2932783.0, 2932896.0,
];

/// Whether a number is often written for missing cells.
pub(in crate::plan) fn is_code(x: f64) -> bool {
    CODES.binary_search_by(|code| code.total_cmp(&x)).is_ok()
}

/// The set of numbers that may be codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Codes {
    #[default]
    Numbers,
    Days,
}

/// Summary of the range of numbers.
#[derive(Debug, Clone)]
pub(crate) struct Spread {
    of: Codes,
    /// The codes found, with their counts.
    codes: Vec<(f64, u64)>,
    /// The lowest and the highest of the other numbers, outermost first, with their counts.
    ends: [Vec<(f64, u64)>; 2],
    /// A sample of the other numbers, chosen by the hashes of their rows: the lowest hashes.
    kept: BinaryHeap<(u64, u64)>,
}

/// A value that looks like a code for a missing cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::plan) struct Suspect {
    pub(in crate::plan) value: f64,
    pub(in crate::plan) cells: u64,
    /// The lowest and the highest of the others.
    pub(in crate::plan) others: (f64, f64),
}

impl Spread {
    pub(crate) fn new(of: Codes) -> Self {
        Self { of, codes: Vec::new(), ends: [Vec::new(), Vec::new()], kept: BinaryHeap::new() }
    }

    pub(crate) fn add(&mut self, row: u64, x: f64) {
        let codes = match self.of {
            Codes::Numbers => &CODES[..],
            Codes::Days => &DAYS[..],
        };
        if codes.binary_search_by(|code| code.total_cmp(&x)).is_ok() {
            self.count(x, 1);
            return;
        }
        self.count_ends(x, 1);
        self.keep(scramble(row as i64), x.to_bits());
    }

    fn count(&mut self, code: f64, cells: u64) {
        match self.codes.iter_mut().find(|(known, _)| *known == code) {
            Some((_, count)) => *count += cells,
            None => self.codes.push((code, cells)),
        }
    }

    fn count_ends(&mut self, x: f64, cells: u64) {
        for (ends, sign) in self.ends.iter_mut().zip([1.0, -1.0]) {
            let at = ends.partition_point(|&(end, _)| sign * end < sign * x);
            match ends.get_mut(at) {
                Some((end, count)) if *end == x => *count += cells,
                _ if at < ENDS => {
                    ends.insert(at, (x, cells));
                    ends.truncate(ENDS);
                }
                _ => {}
            }
        }
    }

    fn keep(&mut self, hash: u64, bits: u64) {
        if self.kept.len() < KEPT {
            self.kept.push((hash, bits));
        } else if self.kept.peek().is_some_and(|&(highest, _)| hash < highest) {
            self.kept.pop();
            self.kept.push((hash, bits));
        }
    }

    /// Merges the summary of other cells of the same column.
    pub(super) fn merge(&mut self, other: &Self) {
        other.codes.iter().for_each(|&(code, cells)| self.count(code, cells));
        other.kept.iter().for_each(|&(hash, bits)| self.keep(hash, bits));
        // An end of both is an end of each, unless it lies further in than all that are kept.
        for (mine, (theirs, sign)) in self.ends.iter_mut().zip(other.ends.iter().zip([1.0, -1.0])) {
            for &(x, cells) in theirs {
                match mine.iter_mut().find(|(end, _)| *end == x) {
                    Some((_, count)) => *count += cells,
                    None => mine.push((x, cells)),
                }
            }
            mine.sort_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)));
            mine.truncate(ENDS);
        }
    }

    /// Repeated codes, or long ones that are very far out, far from all other numbers: by more than the interquartile range and a quarter of the range, or most of it for single
    /// digits. A negative code is also far if no other number is negative and their range is at least 5, or five times its size if that is
    /// less. A number that is not a known code may be one if it repeats and is further from the others than these are from each other.
    pub(in crate::plan) fn suspects(&self) -> Vec<Suspect> {
        let out = self.unknown_codes();
        let [Some(&(mut low, _)), Some(&(mut high, _))] = [0, 1].map(|side| self.ends[side].get(out[side]))
        else {
            return Vec::new();
        };
        let mut found: Vec<Suspect> = [0, 1]
            .into_iter()
            .flat_map(|side| &self.ends[side][..out[side]])
            .map(|&(value, cells)| Suspect { value, cells, others: (low, high) })
            .collect();
        let quartiles = self.quartiles();
        let mut codes = self.codes.clone();
        let outside = |x: f64, low: f64, high: f64| (low - x).max(x - high);
        codes.sort_by(|a, b| outside(a.0, low, high).total_cmp(&outside(b.0, low, high)));
        for (value, cells) in codes {
            let gap = outside(value, low, high);
            // Single digits are also counts.
            let share = if value.abs() < 10.0 { 0.7 } else { 0.25 };
            let far = gap > quartiles && gap > share * (high - low) && gap > 0.0;
            let below = self.of == Codes::Numbers
                && value < 0.0
                && low >= 0.0
                && high - low >= 5.0 * value.abs().min(1.0);
            let very_far = gap > TIMES * (high - low) && self.kept.len() >= OTHERS;
            let fewest = if value.abs() < 100.0 { 3 } else { 2 - u64::from(very_far) };
            if cells >= fewest && (far || below) {
                found.push(Suspect { value, cells, others: (low, high) });
            } else {
                (low, high) = (low.min(value), high.max(value));
            }
        }
        found.iter_mut().for_each(|suspect| suspect.others = (low, high));
        found
    }

    /// The number of values at the lower and at the upper end that may be unknown codes.
    fn unknown_codes(&self) -> [usize; 2] {
        let mut different: Vec<u64> = self.kept.iter().map(|&(_, bits)| bits).collect();
        different.sort_unstable();
        different.dedup();
        let mut out = [0, 0];
        if different.len() < DIFFERENT + 2 * ENDS {
            return out;
        }
        // Codes at one end make those at the other seem near, so the first end is examined again.
        for side in [0, 1, 0] {
            let Some(&(other, _)) = self.ends[1 - side].get(out[1 - side]) else { continue };
            let ends = &self.ends[side];
            let is_far = |k: &usize| {
                let (last, next) = (ends[k - 1].0, ends[*k].0);
                ends[..*k].iter().all(|end| end.1 >= REPEATED) && (last - next).abs() > (next - other).abs()
            };
            out[side] = (1..ends.len()).find(is_far).unwrap_or(0);
        }
        out
    }

    /// The distance between the quartiles of the kept numbers.
    fn quartiles(&self) -> f64 {
        let mut kept: Vec<f64> = self.kept.iter().map(|&(_, bits)| f64::from_bits(bits)).collect();
        kept.sort_by(f64::total_cmp);
        let at =
            |share: f64| kept.get((share * (kept.len().saturating_sub(1)) as f64).round() as usize).copied();
        at(0.75).unwrap_or(0.0) - at(0.25).unwrap_or(0.0)
    }
}

impl Default for Spread {
    fn default() -> Self {
        Self::new(Codes::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suspects(of: Codes, cells: impl IntoIterator<Item = f64>) -> Vec<(f64, u64)> {
        let mut spread = Spread::new(of);
        cells.into_iter().enumerate().for_each(|(row, x)| spread.add(row as u64, x));
        spread.suspects().iter().map(|suspect| (suspect.value, suspect.cells)).collect()
    }

    #[test]
    fn codes_are_found_far_from_the_rest() {
        let ages = || (0..100).map(|i| 20.0 + (i % 45) as f64);
        assert_eq!(suspects(Codes::Numbers, ages().chain([-999.0; 4])), [(-999.0, 4)]);
        assert_eq!(suspects(Codes::Numbers, ages().chain([999.0; 2])), [(999.0, 2)]);
        assert_eq!(suspects(Codes::Numbers, ages().chain([-999.0])), [(-999.0, 1)], "very far out");
        assert_eq!(suspects(Codes::Numbers, ages().chain([9999.0])), [(9999.0, 1)]);
        assert_eq!(suspects(Codes::Numbers, ages().chain([-1.0; 3])), [(-1.0, 3)]);
        assert_eq!(suspects(Codes::Numbers, ages().chain([99.0; 5])), [(99.0, 5)]);
        assert_eq!(suspects(Codes::Numbers, ages().chain([-999.0; 4]).chain([-998.0; 3])).len(), 2);
        let scale = || (0..100).map(|i| 1.0 + (i % 5) as f64);
        assert_eq!(suspects(Codes::Numbers, scale().chain([9.0; 3])), [(9.0, 3)]);
        let days = || (0..100).map(|i| 18000.0 + i as f64);
        assert_eq!(suspects(Codes::Days, days().chain([-25567.0; 3])), [(-25567.0, 3)]);
    }

    #[test]
    fn repeated_numbers_far_out_may_be_codes_that_nobody_knows() {
        let ages = || (0..100).map(|i| 18.0 + (i % 45) as f64);
        for code in [-555.0, 1000.0, 12345.0, 1e9, 555.0, 999.99, -100.0] {
            assert_eq!(suspects(Codes::Numbers, ages().chain([code; 3])), [(code, 3)], "{code}");
            assert_eq!(suspects(Codes::Numbers, ages().chain([code; 2])), [] as [(f64, u64); 0], "{code}");
        }
        let both = ages().chain([-555.0; 3]).chain([12345.0; 4]).chain([-556.0; 5]).chain([-999.0; 6]);
        assert_eq!(
            suspects(Codes::Numbers, both.clone()),
            [(-556.0, 5), (-555.0, 3), (12345.0, 4), (-999.0, 6)]
        );
        // Added in two parts, as for columns whose decimal sign is not known at first.
        let (mut a, mut b) = (Spread::default(), Spread::default());
        both.enumerate().for_each(|(i, x)| if i % 2 == 0 { a.add(i as u64, x) } else { b.add(i as u64, x) });
        a.merge(&b);
        assert_eq!(a.suspects().iter().map(|suspect| suspect.cells).collect::<Vec<_>>(), [5, 3, 4, 6]);
        assert!(a.suspects().iter().all(|suspect| suspect.others == (18.0, 62.0)));
        // An amount that is often zero, a truncated one, few different numbers, a heavy tail.
        let none: [(f64, u64); 0] = [];
        assert_eq!(suspects(Codes::Numbers, (0..100).map(|i| (i % 5 * i) as f64)), none);
        assert_eq!(suspects(Codes::Numbers, (0..100).map(|i| f64::from(i).min(80.0))), none);
        assert_eq!(
            suspects(Codes::Numbers, (0..100).map(|i| if i % 9 == 0 { 50.0 } else { (i % 3) as f64 })),
            none
        );
        assert_eq!(suspects(Codes::Numbers, (0..100).map(|i| (f64::from(i / 3) / 4.0).exp())), none);
    }

    #[test]
    fn numbers_of_the_column_are_no_codes() {
        let none: [(f64, u64); 0] = [];
        assert_eq!(suspects(Codes::Numbers, (0..200).map(|i| (i % 101) as f64)), none);
        assert_eq!(suspects(Codes::Numbers, (0..200).map(|i| (i % 10) as f64)), none);
        assert_eq!(suspects(Codes::Numbers, (0..200).map(|i| (i % 3) as f64 - 1.0)), none, "-1, 0 and 1");
        assert_eq!(suspects(Codes::Numbers, (0..200).map(|i| (i % 21) as f64 - 10.0)), none);
        assert_eq!(
            suspects(Codes::Numbers, (0..100).map(|i| 20.0 + 7.0 * i as f64).chain([999.0])),
            none,
            "only once, and not so far"
        );
        assert_eq!(suspects(Codes::Numbers, (0..10).map(f64::from).chain([999.0])), none, "few others");
        assert_eq!(suspects(Codes::Numbers, [99.0; 10]), none, "nothing else");
        let siblings = (0..200).map(|i| f64::from(i % 6)).chain([8.0; 7]);
        assert_eq!(suspects(Codes::Numbers, siblings), none, "a count with a gap");
        assert_eq!(suspects(Codes::Days, (0..30_000).map(f64::from)), none);
    }

    #[test]
    fn the_lists_are_in_order() {
        assert!(CODES.is_sorted_by(|a, b| a < b) && DAYS.is_sorted_by(|a, b| a < b));
    }
}
