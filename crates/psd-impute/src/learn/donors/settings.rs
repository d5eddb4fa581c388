//! The numbers of a fit of donors, each with its reason.

/// Numbers that bound the time of a fit, or say where it starts.
pub(super) struct DonorSettings {
    /// Number of rows whose leave-one-out likelihood is maximised. Arbitrary.
    pub(super) queries: usize,
    /// Penalty on the squared distance of the parameters from their start, in nats per row. Arbitrary.
    pub(super) pull: f64,
    /// Donors with a smaller posterior share than this are left out of the gradient. Arbitrary.
    pub(super) lightest: f64,
    /// Start for a continuous column: the logits of `h_1 - floor` and `h_2 - h_1`, then the logarithms of `c_1/c_0` and `c_2/c_0`. A kernel
    /// broader than the column is the task of the background, so both differences stay below one standard deviation. Values are arbitrary.
    pub(super) smooth_start: [f64; 4],
    /// Start for a discrete column: the logit of `1 - c_0`. Arbitrary.
    pub(super) discrete_start: [f64; 1],
}

/// The settings of every fit of donors.
pub(super) const SETTINGS: DonorSettings = DonorSettings {
    queries: 250,
    pull: 1e-3,
    lightest: 1e-4,
    smooth_start: [-2.0, -1.0, 2.0, 1.0],
    discrete_start: [2.0],
};
