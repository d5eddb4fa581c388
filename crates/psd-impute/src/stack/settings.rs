//! The numbers of a stack's fit, each with its reason.

use crate::kernel::MetricKind;
use crate::learn::mixture::EmParams;
use crate::stack::Member;

/// Numbers that decide which members are tried, on which rows, and for how long.
pub(crate) struct StackSettings {
    /// Rows that members are compared on, and that may be donors. Arbitrary: the time of cross-validation and of donors grows with them.
    pub(crate) compared_rows: usize,
    /// Rows that members are fitted to. Arbitrary: it bounds time and memory.
    pub(crate) fitted_rows: usize,

    /// Numbers of components that are tried in turn. Each doubles the one before, so that no size is missed by more than a factor of 1.4.
    pub(crate) mixtures: [usize; 6],
    /// Kernel densities that are tried. Their priors did best among those of design finding 3 for their number of anchors.
    pub(crate) kernels: [KernelSize; 2],
    /// Rows per component or anchor that a member needs to be tried. Arbitrary: fewer leave a component its prior alone.
    pub(crate) rows_per_component: usize,
    /// Kernel densities are tried on no more rows and columns than these. Measured on seventeen tables: above, they cost more than they bring.
    pub(crate) kernel_rows: usize,
    /// See `kernel_rows`.
    pub(crate) kernel_columns: usize,

    /// A forest is tried on tables with labels and at most so many rows. Measured: on penguins and titanic (333 and 712 rows) completed tables are a seventh to a third nearer
    /// to the truth with it; on 4,000 rows of adult it takes as long as all others, and spoils pairs of columns that are copies of each other.
    pub(crate) forest_rows: usize,

    /// Tables with at most this many cells have mixtures from several starts: where rows are few, clusters are a matter of chance, and their
    /// average is not. Larger tables may gain too, but their fits would take half as long again.
    pub(crate) several_starts_cells: usize,
    /// The number of starts then. Measured: more gained little.
    pub(crate) starts: u64,

    /// Gain in nats per row that a member has to bring to the stack for one of twice its size to be tried. Measured on seventeen tables: a fifth
    /// of it gained little more and took a third longer.
    pub(crate) worth: f64,
    /// Members lighter than this are dropped. Arbitrary.
    pub(crate) lightest: f64,
    /// The log-likelihood that counts for a row that no member can have produced, where rows are added up. Arbitrary: far below any possible row.
    pub(crate) impossible: f64,

    /// EM where members are compared: differences of less than a thousandth of a nat per row decide nothing.
    pub(crate) comparing: EmParams,
    /// EM of the members that are kept. The limit is arbitrary and hardly ever met.
    pub(crate) fitting: EmParams,
    /// The gain of all rows together, in nats, at which EM of a refit stops. Refits are there for their spread, and one that stops at a remaining gain of `g`
    /// nats stops some `√(2g)` standard errors short: EM is slowest along what the missing cells would tell.
    pub(crate) refit_gain: f64,
    /// EM steps of a refit, at most. Arbitrary.
    pub(crate) refit_steps: usize,
}

/// A kernel density's number of anchors, and the strength and scale of the prior on its metric.
#[derive(Clone, Copy)]
pub(crate) struct KernelSize {
    anchors: usize,
    /// In nats per row.
    strength: f64,
    /// In covariances of the normal model.
    scale: f64,
}

impl KernelSize {
    /// The member of this size, or of another number of anchors with the same prior.
    pub(crate) fn member(self, metric: MetricKind, anchors: Option<usize>) -> Member {
        let Self { anchors: usual, strength, scale } = self;
        Member::Psd { metric, anchors: anchors.unwrap_or(usual), strength, scale }
    }
}

/// The settings of every stack.
pub(crate) const SETTINGS: StackSettings = StackSettings {
    compared_rows: 4_000,
    fitted_rows: 20_000,
    mixtures: [2, 4, 8, 16, 32, 64],
    kernels: [
        KernelSize { anchors: 6, strength: 0.2, scale: 0.4 },
        KernelSize { anchors: 15, strength: 0.05, scale: 0.15 },
    ],
    rows_per_component: 8,
    kernel_rows: 1_000,
    kernel_columns: 15,
    forest_rows: 2_000,
    several_starts_cells: 5_000,
    starts: 3,
    worth: 0.05,
    lightest: 0.01,
    impossible: -1e3,
    comparing: EmParams { tolerance: 1e-3, max_iterations: 100 },
    fitting: EmParams { tolerance: 1e-4, max_iterations: 500 },
    refit_gain: 1e-4,
    refit_steps: 30,
};
