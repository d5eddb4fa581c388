//! Integers that only number the rows.
//!
//! They do if every cell is its row's number plus a constant, or if the cells are consecutive integers in any order. The latter is detected
//! without keeping them: a scrambled sum over the cells equals that over the whole range from the lowest to the highest.

/// Fewer cells than this decide nothing.
const FEWEST: u64 = 10;
/// Consecutive integers within this range are years.
const YEARS: std::ops::RangeInclusive<i64> = 1500..=2500;

/// Summary of a sequence of integers.
#[derive(Debug, Clone)]
pub(in crate::plan) struct Sequence {
    cells: u64,
    low: i64,
    high: i64,
    /// The first cell minus its row.
    offset: i64,
    /// Whether all cells minus their rows are the same.
    numbered: bool,
    scrambled: u64,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { cells: 0, low: i64::MAX, high: i64::MIN, offset: 0, numbered: true, scrambled: 0 }
    }
}

impl Sequence {
    pub(super) fn add(&mut self, row: u64, cell: i64) {
        let offset = cell.wrapping_sub(row as i64);
        if self.cells == 0 {
            self.offset = offset;
        }
        self.numbered &= offset == self.offset;
        self.cells += 1;
        self.low = self.low.min(cell);
        self.high = self.high.max(cell);
        self.scrambled = self.scrambled.wrapping_add(scramble(cell));
    }

    /// Merges two summaries.
    pub(super) fn merged(&self, other: &Self) -> Self {
        if self.cells == 0 || other.cells == 0 {
            return if other.cells == 0 { self.clone() } else { other.clone() };
        }
        Self {
            cells: self.cells + other.cells,
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            offset: self.offset,
            numbered: self.numbered && other.numbered && self.offset == other.offset,
            scrambled: self.scrambled.wrapping_add(other.scrambled),
        }
    }

    /// Whether the cells number all `rows` rows.
    pub(in crate::plan) fn numbers_rows(&self, rows: u64) -> bool {
        let years = YEARS.contains(&self.low) && YEARS.contains(&self.high);
        self.cells >= FEWEST && !years && (self.numbered || self.is_consecutive(rows))
    }

    fn is_consecutive(&self, rows: u64) -> bool {
        let range = i128::from(self.high) - i128::from(self.low) + 1;
        if self.cells != rows || range != i128::from(rows) {
            return false;
        }
        (self.low..=self.high).fold(0u64, |sum, cell| sum.wrapping_add(scramble(cell))) == self.scrambled
    }
}

/// The finaliser of SplitMix64.
pub(super) fn scramble(cell: i64) -> u64 {
    let x = cell as u64;
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers_rows(cells: &[Option<i64>]) -> bool {
        let mut sequence = Sequence::default();
        for (row, cell) in cells.iter().enumerate() {
            if let Some(cell) = cell {
                sequence.add(row as u64, *cell);
            }
        }
        sequence.numbers_rows(cells.len() as u64)
    }

    #[test]
    fn tells_row_numbers() {
        let from = |k: i64| (0..20).map(|i| Some(i + k)).collect::<Vec<_>>();
        assert!(numbers_rows(&from(1)) && numbers_rows(&from(-5)));
        assert!(!numbers_rows(&from(1990)), "years");
        let mut gaps = from(1);
        gaps[3] = None;
        assert!(numbers_rows(&gaps));
        let mut shuffled = from(100);
        shuffled.swap(2, 11);
        assert!(numbers_rows(&shuffled));
        shuffled[5] = shuffled[6];
        assert!(!numbers_rows(&shuffled), "one comes twice");
        assert!(!numbers_rows(&from(1)[..5]), "too few");
    }
}
