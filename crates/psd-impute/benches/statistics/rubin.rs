//! Rubin's rules, with the degrees of freedom of Barnard and Rubin (1999).

/// The pooled results of completed tables for a number.
pub(crate) struct Pooled {
    pub(crate) estimate: f64,
    /// The mean of the tables' squared standard errors.
    pub(crate) within: f64,
    /// The variance of the tables' estimates.
    pub(crate) between: f64,
    /// Half of the 95 % interval's width.
    pub(crate) half: f64,
}

impl Pooled {
    /// From each table's estimate and squared standard error, which has `degrees` of freedom where no cell is missing.
    pub(crate) fn new(tables: &[(f64, f64)], degrees: f64) -> Self {
        let m = tables.len() as f64;
        let estimate = tables.iter().map(|t| t.0).sum::<f64>() / m;
        let within = tables.iter().map(|t| t.1).sum::<f64>() / m;
        let between = tables.iter().map(|t| (t.0 - estimate).powi(2)).sum::<f64>() / (m - 1.0).max(1.0);
        let total = within + (1.0 + 1.0 / m) * between;
        let lost = (1.0 + 1.0 / m) * between / total;
        let observed = (degrees + 1.0) / (degrees + 3.0) * degrees * (1.0 - lost);
        let degrees = 1.0 / (lost * lost / (m - 1.0).max(1.0) + 1.0 / observed);
        Self { estimate, within, between, half: t_quantile(degrees) * total.sqrt() }
    }

    pub(crate) fn covers(&self, truth: f64) -> bool {
        (self.estimate - truth).abs() <= self.half
    }
}

/// The 97.5 % quantile of Student's distribution.
fn t_quantile(degrees: f64) -> f64 {
    // Where t² / (degrees + t²) passes, of a beta distribution with shapes 1/2 and degrees/2, 95 %.
    let (mut low, mut high) = (1.0, 1e4);
    while high - low > 1e-9 * high {
        let t: f64 = 0.5 * (low + high);
        if tail(degrees / (degrees + t * t), 0.5 * degrees) > 0.05 { low = t } else { high = t }
    }
    0.5 * (low + high)
}

/// The regularised incomplete beta function with shapes `a` and 1/2, by the substitution `x = 1 - u²` and Simpson's rule.
fn tail(x: f64, a: f64) -> f64 {
    const STEPS: usize = 400;
    // B(x; a, 1/2) = 2 ∫ (1 - u²)^(a-1) du from √(1-x) to 1; with u = sin v the integrand is cos(v)^(2a-1).
    let from = (1.0 - x).sqrt().asin();
    let step = (std::f64::consts::FRAC_PI_2 - from) / STEPS as f64;
    let at = |k: usize| (from + step * k as f64).cos().max(0.0).powf(2.0 * a - 1.0);
    let simpson = |k: usize| at(k) + 4.0 * at(k + 1) + at(k + 2);
    let integral = (0..STEPS).step_by(2).map(simpson).sum::<f64>() * step / 3.0;
    let log_beta = libm::lgamma(a) + libm::lgamma(0.5) - libm::lgamma(a + 0.5);
    2.0 * integral / log_beta.exp()
}
