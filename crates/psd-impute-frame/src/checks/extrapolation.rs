//! Is a column imputed where it was never observed?
//!
//! For a column `j` with gaps and another column `k`, take the rows that have `k`: those in which `j` was observed, and those in which it
//! was imputed. If gaps fall at random, the two mix: among the rows in the order of `k`, each is imputed with probability `r`, the imputed
//! share. A region of `k` with `L` rows, of which `c` were observed, then has probability `P(Bin(L, 1 - r) ≤ c)`.
//!
//! Regions are the low end, the high end, a stretch between, or a label of `k`. Where no single column separates the rows, several may: see
//! [`unlike`].

use super::chance::{LEVEL, binomial_at_most};
use super::compared::Compared;
use super::{Evidence, Warning, WarningKind};

/// The fewest imputed cells of a region, in number and as a share of the column's.
const CELLS: usize = 20;
const SHARE: f64 = 0.2;
/// The largest share of observed rows that an end or a label may still have.
const HARDLY: f64 = 0.01;
/// The least share of a column's imputed rows that must be unlike all others.
const UNLIKE: f64 = 0.3;

/// A set of rows given by one other column.
struct Region {
    other: usize,
    imputed: usize,
    observed: usize,
    whereabouts: String,
}

pub(super) fn check(evidence: &Evidence) -> Vec<Warning> {
    let others = evidence.others();
    let with_gaps: Vec<usize> = evidence.with_gaps().collect();
    let comparisons = (with_gaps.len() * others) as f64;
    let worst = |&j: &usize| {
        let regions = (0..others).filter(|&k| k != j).filter_map(|k| widest(evidence, j, k, comparisons));
        // The first of the largest.
        let region = regions.reduce(|a, b| if b.imputed > a.imputed { b } else { a })?;
        Some(warn(evidence, j, &region))
    };
    with_gaps.iter().filter_map(worst).collect()
}

/// Tests whether many rows are more likely to miss the column than any in which it was observed.
pub(super) fn unlike(evidence: &Evidence, compared: &Compared<'_>) -> Option<Warning> {
    let share = compared.unlike as f64 / compared.looked_at as f64;
    if share < UNLIKE || compared.unlike < CELLS {
        return None;
    }
    let (j, all) = (compared.column, evidence.imputed(compared.column).count() as f64);
    let (rows, in_words) = evidence.in_words(j, (share * all).round() as usize, "row");
    let text = format!("`{}` is imputed in {in_words} unlike any in which it was observed", evidence.name(j));
    let numbers = [("rows", rows as f64), ("share", share), ("observed", 0.0)];
    Some(Warning::new(WarningKind::Extrapolation, &[evidence.name(j)], share, numbers, text))
}

fn warn(evidence: &Evidence, j: usize, region: &Region) -> Warning {
    let share = region.imputed as f64 / evidence.imputed(j).count() as f64;
    let (rows, in_words) = evidence.in_words(j, region.imputed, "row");
    let never = if region.observed == 0 && evidence.whole { "never" } else { "hardly ever" };
    let text = format!(
        "`{}` is imputed in {in_words} with {}, where it was {never} observed",
        evidence.name(j),
        region.whereabouts
    );
    let numbers = [("rows", rows as f64), ("share", share), ("observed", region.observed as f64)];
    let columns = [evidence.name(j), evidence.name(region.other)];
    Warning::new(WarningKind::Extrapolation, &columns, share, numbers, text)
}

/// The largest region of `k` where `j` was not observed and that chance does not explain.
fn widest(evidence: &Evidence, j: usize, k: usize, comparisons: f64) -> Option<Region> {
    let imputed = evidence.imputed(j).filter(|row| !row.before[k].is_nan()).map(|row| (row.before[k], true));
    let observed =
        evidence.observed(j).filter(|row| !row.before[k].is_nan()).map(|row| (row.before[k], false));
    let mut cells: Vec<(f64, bool)> = imputed.chain(observed).collect();
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total = evidence.imputed(j).count();
    let share = cells.iter().filter(|cell| cell.1).count() as f64 / cells.len().max(1) as f64;
    let tests = comparisons * cells.len() as f64;
    let counts: Vec<Count> = cells.chunk_by(|a, b| a.0 == b.0).map(Count::of).collect();
    let counts_as = |part: &Count| {
        let rows = part.imputed + part.observed;
        part.imputed >= CELLS.max((SHARE * total as f64) as usize)
            && part.observed as f64 <= HARDLY * rows as f64
            && tests * binomial_at_most(part.observed as u64, rows as u64, 1.0 - share) < LEVEL
    };
    let name = evidence.name(k);
    let regions: Vec<(Count, String)> = if evidence.is_number(k) {
        let show = |at: usize| evidence.show(k, counts[at].value);
        let low = longest(counts.iter());
        let high = longest(counts.iter().rev());
        let (from, between) = stretch(&counts);
        let to = from + between.values;
        let mut regions = Vec::new();
        if low.values < counts.len() {
            regions.push((low, format!("`{name}` below {}", show(low.values))));
            regions.push((high, format!("`{name}` above {}", show(counts.len() - 1 - high.values))));
        }
        if from > 0 && to < counts.len() {
            regions.push((between, format!("`{name}` between {} and {}", show(from - 1), show(to))));
        }
        regions
    } else {
        counts.iter().map(|part| (*part, format!("`{name}` = {}", evidence.show(k, part.value)))).collect()
    };
    let found = regions.into_iter().filter(|(part, _)| counts_as(part));
    let (part, whereabouts) = found.reduce(|a, b| if b.0.imputed > a.0.imputed { b } else { a })?;
    Some(Region { other: k, imputed: part.imputed, observed: part.observed, whereabouts })
}

/// Counts of rows with adjacent values of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Count {
    /// The first value.
    value: f64,
    /// The number of different values.
    values: usize,
    imputed: usize,
    observed: usize,
}

impl Count {
    fn of(same: &[(f64, bool)]) -> Self {
        let imputed = same.iter().filter(|cell| cell.1).count();
        Self { value: same[0].0, values: 1, imputed, observed: same.len() - imputed }
    }

    fn with(self, next: &Self) -> Self {
        Self {
            values: self.values + 1,
            imputed: self.imputed + next.imputed,
            observed: self.observed + next.observed,
            ..self
        }
    }
}

/// The most values from the first on with hardly an observed row. If there are some, the region ends before the observed ones.
fn longest<'a>(counts: impl Iterator<Item = &'a Count>) -> Count {
    let (mut sum, mut best) = (Count::default(), Count::default());
    for count in counts {
        sum = sum.with(count);
        let hardly = sum.observed as f64 <= HARDLY * (sum.observed + sum.imputed) as f64;
        if hardly && count.observed == 0 {
            best = sum;
        }
    }
    best
}

/// The start of the stretch without observed rows that has the most imputed ones.
fn stretch(counts: &[Count]) -> (usize, Count) {
    let mut best = (0, Count::default());
    let (mut from, mut sum) = (0, Count::default());
    for (at, count) in counts.iter().enumerate() {
        if count.observed > 0 {
            (from, sum) = (at + 1, Count::default());
            continue;
        }
        sum = sum.with(count);
        if sum.imputed > best.1.imputed {
            best = (from, sum);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(cells: &[(usize, usize)]) -> Vec<Count> {
        let count = |(at, &(imputed, observed)): (usize, &(usize, usize))| Count {
            value: at as f64,
            values: 1,
            imputed,
            observed,
        };
        cells.iter().enumerate().map(count).collect()
    }

    #[test]
    fn ends_and_stretches_are_found() {
        let counts = counts(&[(150, 0), (0, 1), (50, 0), (1, 9), (30, 0), (20, 0), (0, 8), (2, 0)]);
        let low = longest(counts.iter());
        assert_eq!((low.values, low.imputed, low.observed), (3, 200, 1));
        let high = longest(counts.iter().rev());
        assert_eq!((high.values, high.imputed), (1, 2));
        let (from, between) = stretch(&counts[1..]);
        assert_eq!((from, between.values, between.imputed), (1, 1, 50));
        let (from, between) = stretch(&counts[3..]);
        assert_eq!((from, between.values, between.imputed), (1, 2, 50));
    }
}
