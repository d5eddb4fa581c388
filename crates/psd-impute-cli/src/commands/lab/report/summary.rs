//! Summaries of records: means and deviations over seeds, and the best methods.

use psd_impute_eval::lab::{Done, MechanismName, Method, Protocol, Record};
use std::collections::{BTreeMap, BTreeSet};

/// A measure of quality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Energy,
    Transport,
    Error,
    Absolute,
    Labels,
    WithoutTruth,
    Likelihood,
}

impl Measure {
    /// The paper's measures, by which methods are compared.
    pub(super) const MAIN: [Self; 3] = [Self::Energy, Self::Transport, Self::Error];
    /// All measures.
    pub(super) const ALL: [Self; 7] = [
        Self::Energy,
        Self::Transport,
        Self::Error,
        Self::Absolute,
        Self::Labels,
        Self::WithoutTruth,
        Self::Likelihood,
    ];

    /// The name in file names.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Energy => "ed",
            Self::Transport => "w2",
            Self::Error => "rmse",
            Self::Absolute => "mae",
            Self::Labels => "labels",
            Self::WithoutTruth => "i-score",
            Self::Likelihood => "nll",
        }
    }

    /// The label for readers.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Energy => "Energy distance",
            Self::Transport => "Optimal transport (half squared 2-Wasserstein)",
            Self::Error => "RMSE of the missing cells",
            Self::Absolute => "Mean absolute error of the missing cells",
            Self::Labels => "Share of missing labels that are wrong",
            Self::WithoutTruth => "Energy-I-Score, which needs no truth",
            Self::Likelihood => "Minus the log-likelihood of the truth, nats per row of standardised columns",
        }
    }

    pub(super) fn title(self, section: &Section) -> String {
        format!("{}, {}", self.label(), section.title())
    }

    fn of(self, record: &Record) -> Option<f64> {
        let Done::Scored { scores, nll, i_score, .. } = &record.done else { return None };
        match self {
            Self::Energy => Some(scores.ed),
            // A lower bound is used where there are too many rows.
            Self::Transport => scores.w2.or(scores.sw2),
            Self::Error => scores.rmse,
            Self::Absolute => scores.mae,
            Self::Labels => scores.category_error,
            Self::WithoutTruth => *i_score,
            Self::Likelihood => *nll,
        }
    }
}

/// A mean over seeds, and the standard deviation, which is absent for one seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Average {
    pub(super) mean: f64,
    pub(super) deviation: Option<f64>,
}

impl Average {
    fn of(values: &[f64]) -> Option<Self> {
        let n = values.len() as f64;
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        Some(Self { mean, deviation: (values.len() > 1).then(|| (square / (n - 1.0)).sqrt()) })
    }
}

/// The trials of one protocol, mechanism and rate.
pub(super) struct Section {
    protocol: Protocol,
    mechanism: MechanismName,
    rate: f64,
    /// Ordered by rows per column, the largest first.
    pub(super) datasets: Vec<Dataset>,
    /// The methods with a record, in the order of [`Method::ALL`].
    pub(super) methods: Vec<Method>,
}

/// A table and its records in a section.
pub(super) struct Dataset {
    pub(super) name: String,
    pub(super) rows: usize,
    pub(super) columns: usize,
    records: Vec<Record>,
}

/// The sections of records. Among records that differ at most in a method's number of draws, the last one with the most draws counts.
pub(super) fn sections(records: &[Record]) -> Vec<Section> {
    let mut last: BTreeMap<String, &Record> = BTreeMap::new();
    for record in records {
        let alike = Record { imputations: 0, ..record.clone() }.key();
        let kept = last.entry(alike).or_insert(record);
        if record.imputations >= kept.imputations {
            *kept = record;
        }
    }
    let mut found: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
    for record in last.into_values() {
        let trial = &record.trial;
        let key = format!("{:?} {} {:?}", trial.mechanism, trial.rate, trial.protocol);
        found.entry(key).or_default().push(record);
    }
    found.into_values().map(|records| Section::of(&records)).collect()
}

impl Section {
    /// The section of records that agree in protocol, mechanism and rate; there is at least one.
    fn of(records: &[&Record]) -> Self {
        let methods: BTreeSet<Method> = records.iter().map(|record| record.method).collect();
        let mut datasets: BTreeMap<(String, usize, usize), Dataset> = BTreeMap::new();
        for record in records {
            let trial = &record.trial;
            let (name, rows, columns) = (trial.dataset.clone(), trial.rows, trial.columns);
            let dataset = datasets.entry((name.clone(), rows, columns)).or_insert_with(|| Dataset {
                name,
                rows,
                columns,
                records: Vec::new(),
            });
            dataset.records.push((*record).clone());
        }
        let mut datasets: Vec<Dataset> = datasets.into_values().collect();
        // Sums are taken in the order of the seeds.
        datasets.iter_mut().for_each(|dataset| dataset.records.sort_by_key(|record| record.trial.seed));
        datasets.sort_by(|a, b| b.density().total_cmp(&a.density()));
        let trial = &records[0].trial;
        Self {
            protocol: trial.protocol,
            mechanism: trial.mechanism,
            rate: trial.rate,
            datasets,
            methods: Method::ALL.into_iter().filter(|method| methods.contains(method)).collect(),
        }
    }

    /// The name in file names.
    pub(super) fn name(&self) -> String {
        let protocol = if self.protocol == Protocol::Split { "" } else { "-in-sample" };
        let mechanism = format!("{:?}", self.mechanism).to_lowercase();
        format!("{mechanism}-{}{protocol}", self.percent())
    }

    /// The title for readers.
    pub(super) fn title(&self) -> String {
        let rows = match self.protocol {
            Protocol::Split => "on rows not learned from",
            Protocol::InSample => "on the rows learned from",
        };
        let mechanism = match self.mechanism {
            MechanismName::Mcar => "MCAR",
            MechanismName::Mar => "MAR",
            MechanismName::MnarLogistic => "MNAR (logistic)",
            MechanismName::MnarSelf => "MNAR (self-masked)",
            MechanismName::MnarQuantile => "MNAR (quantiles)",
        };
        format!("{mechanism} {} %, {rows}", self.percent())
    }

    /// The rate with as many digits as it needs.
    fn percent(&self) -> f64 {
        (1e10 * self.rate).round() / 1e8
    }

    pub(super) fn has(&self, dataset: &str) -> bool {
        self.datasets.iter().any(|d| d.name == dataset)
    }

    /// The best of a table's means among methods that do not use the truth.
    pub(super) fn best(&self, dataset: &Dataset, measure: Measure) -> Option<f64> {
        let fair = self.methods.iter().filter(|method| !method.is_oracle());
        fair.filter_map(|&method| Some(dataset.average(method, measure)?.mean)).min_by(f64::total_cmp)
    }

    /// A method's mean relative to the best of the table, for each table that has both.
    pub(super) fn ratios(&self, method: Method, measure: Measure) -> Vec<f64> {
        let one =
            |dataset: &Dataset| Some(dataset.average(method, measure)?.mean / self.best(dataset, measure)?);
        self.datasets.iter().filter_map(one).filter(|ratio| ratio.is_finite()).collect()
    }

    /// A method's seconds on one core per trial, by tables.
    pub(super) fn seconds(&self, method: Method) -> Vec<f64> {
        self.datasets.iter().filter_map(|dataset| dataset.seconds(method)).collect()
    }

    /// The number of a method's records for which `what` holds.
    pub(super) fn count(&self, method: Method, what: impl Fn(&Done) -> bool) -> usize {
        let own = |dataset: &Dataset| dataset.of(method).filter(|record| what(&record.done)).count();
        self.datasets.iter().map(own).sum()
    }
}

impl Dataset {
    /// Rows per column.
    fn density(&self) -> f64 {
        self.rows as f64 / self.columns as f64
    }

    /// A method's records, ordered by seed.
    pub(super) fn of(&self, method: Method) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(move |record| record.method == method)
    }

    /// The average over the seeds. A method without scores for one of them has no average: it would be compared on the masks that suit it.
    pub(super) fn average(&self, method: Method, measure: Measure) -> Option<Average> {
        if self.of(method).any(|record| record.scores().is_none()) {
            return None;
        }
        Average::of(&self.of(method).filter_map(|record| measure.of(record)).collect::<Vec<_>>())
    }

    fn seconds(&self, method: Method) -> Option<f64> {
        let seconds = self.of(method).filter_map(|record| match record.done {
            Done::Scored { seconds, .. } => Some(seconds),
            Done::LeftEmpty { .. } | Done::Failed { .. } => None,
        });
        Average::of(&seconds.collect::<Vec<_>>()).map(|average| average.mean)
    }
}

/// The median of some numbers; the mean of the two middle ones for an even count.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    (n > 0).then(|| 0.5 * (values[(n - 1) / 2] + values[n / 2]))
}
