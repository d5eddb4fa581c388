//! Decimals of numbers.

/// Columns whose cells all have at most this many decimals are completed with no more than theirs.
pub const MOST_DECIMALS: u8 = 6;

/// Whether counting in units of `10^-decimals` is exact at `x`.
pub(super) fn fits(x: f64, decimals: u8) -> bool {
    x.abs() * 10f64.powi(i32::from(decimals)) < 2f64.powi(53)
}

/// The nearest number with at most `decimals` decimals.
pub(crate) fn round_to(x: f64, decimals: u8) -> f64 {
    if !fits(x, decimals) {
        return x;
    }
    let unit = 10f64.powi(i32::from(decimals));
    (x * unit).round() / unit
}

/// The decimals of a number that was not stored as text, if they are few. A number of single precision has those of its shortest text.
pub(crate) fn decimals_of(x: f64, single: bool) -> Option<u8> {
    let same = |y: f64| if single { y as f32 == x as f32 } else { y == x };
    (0..=MOST_DECIMALS).find(|&k| same(round_to(x, k)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_decimals() {
        assert_eq!(decimals_of(41.0, false), Some(0));
        assert_eq!(decimals_of(71.2833, false), Some(4));
        assert_eq!(decimals_of(f64::from(0.1f32), true), Some(1));
        assert_eq!(decimals_of(f64::from(0.1f32), false), None);
        assert_eq!(decimals_of(1.0 / 3.0, false), None);
    }
}
