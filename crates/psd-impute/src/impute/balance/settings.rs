//! The numbers of a balance, each with its reason.

/// Numbers that bound time and memory, or say how near the draws come to their target.
pub(super) struct BalanceSettings {
    /// Fewest candidate draws per row. Arbitrary.
    pub(super) least: usize,
    /// Most candidate draws per row: the fewer rows, the more candidates. Arbitrary.
    pub(super) most: usize,
    /// Most candidates, over all rows, whose distances are stored: 64 MB of them. Arbitrary.
    pub(super) stored: usize,
    /// Fewest waves. Arbitrary.
    pub(super) fewest_waves: usize,
    /// Number of waves, summed over the rows: with fewer rows, more waves cost the same, and fewer rows that are far apart compensate each
    /// other. Arbitrary.
    pub(super) waves_in_all: usize,
    /// Number of rows whose waves are summed together. Arbitrary.
    pub(super) chunk: usize,
    /// `ρ`, derived and measured; see the documentation of [`balance`](super).
    pub(super) reserve: f64,
    /// Number of sweeps over all rows while `T` falls. Arbitrary.
    pub(super) sweeps: usize,
    /// Most sweeps at `T = 0`. Arbitrary.
    pub(super) rounds: usize,
}

/// The settings of every balance.
pub(super) const SETTINGS: BalanceSettings = BalanceSettings {
    least: 16,
    most: 64,
    stored: 4096,
    fewest_waves: 256,
    waves_in_all: 1 << 18,
    chunk: 64,
    reserve: 0.25,
    sweeps: 40,
    rounds: 5,
};
