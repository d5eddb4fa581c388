//! Runs a study's trials on several threads, one core each.

use super::clock::Clock;
use super::ideal::Ideal;
use super::record::{Done, Record, Setting, key};
use super::trial::Tables;
use super::{Dataset, Method, Study, Trial};
use crate::Result;
use crate::imputers::{Fitted, FittedPsd, Value};
use crate::metrics::{Evaluation, Scores, energy_i_score};
use psd_impute::impute::Limits;
use psd_impute::model::{FitOptions, Model};

use psd_impute::table::Table;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// A trial and the methods that are run on it together.
pub struct Job {
    trial: Trial,
    dataset: usize,
    methods: Vec<Method>,
    imputations: u64,
    i_score: bool,
}

/// The remaining jobs of a study: its trials without the records whose keys are `done`.
pub fn jobs(study: &Study, datasets: &[Dataset], done: &HashSet<String>) -> Vec<Job> {
    let Study { imputations, i_score, .. } = *study;
    let mut jobs = Vec::new();
    for (dataset, trial) in trials(study, datasets) {
        let missing =
            |method: &&Method| !done.contains(&key(&trial, **method, method.imputations(imputations)));
        let wanted = study.methods.iter().filter(missing).copied();
        let (ours, others): (Vec<Method>, Vec<Method>) = wanted.partition(|method| method.is_ours());
        let together = others.into_iter().map(|method| vec![method]).chain([ours]);
        for methods in together.filter(|methods| !methods.is_empty()) {
            jobs.push(Job { trial: trial.clone(), dataset, methods, imputations, i_score });
        }
    }
    jobs
}

/// The trials of a study and the positions of their tables, all of a seed before the next, so that a study that is stopped has
/// results for every table.
fn trials(study: &Study, datasets: &[Dataset]) -> Vec<(usize, Trial)> {
    let of = |seed: u64, rate: f64, mechanism| {
        datasets.iter().enumerate().map(move |(at, Dataset { name, table })| {
            let (rows, columns) = (table.len(), table.columns().len());
            let (dataset, protocol) = (name.clone(), study.protocol);
            (at, Trial { dataset, rows, columns, protocol, mechanism, rate, seed })
        })
    };
    let mut trials = Vec::new();
    for &seed in &study.seeds {
        for &rate in &study.rates {
            study.mechanisms.iter().for_each(|&mechanism| trials.extend(of(seed, rate, mechanism)));
        }
    }
    trials
}

/// Runs jobs on the given number of threads, each job on one core so that seconds are comparable, and passes on the records of each as soon
/// as it is done. Ends early if `take` asks for it.
pub fn run<E>(
    jobs: &[Job],
    datasets: &[Dataset],
    threads: usize,
    setting: &Setting,
    mut take: impl FnMut(Vec<Record>) -> ControlFlow<E>,
) -> Option<E> {
    let next = &AtomicUsize::new(0);
    thread::scope(|scope| {
        let (send, receive) = mpsc::channel();
        for _ in 0..threads.max(1) {
            let send = send.clone();
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if send.send(on_one_core(|| job.run(&datasets[job.dataset].table, setting))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        receive.into_iter().find_map(|records| take(records).break_value())
    })
}

/// Runs `work` on one thread.
fn on_one_core<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

impl Job {
    /// The records of its methods.
    fn run(&self, table: &Table, setting: &Setting) -> Vec<Record> {
        let failed = |error: crate::Error| {
            let error = error.to_string();
            self.methods.iter().map(|_| Done::Failed { error: error.clone() }).collect()
        };
        let done = self.done(table).unwrap_or_else(failed);
        let record = |(&method, done): (&Method, Done)| {
            let (trial, setting) = (self.trial.clone(), setting.clone());
            Record { trial, method, imputations: method.imputations(self.imputations), setting, done }
        };
        self.methods.iter().zip(done).map(record).collect()
    }

    fn done(&self, table: &Table) -> Result<Vec<Done>> {
        let tables = self.trial.tables(table)?;
        let evaluation = Evaluation::new(&tables.truth, &tables.test)?;
        let clock = Clock::start(self.methods[0]);
        match self.methods[0].imputer(self.imputations).filter(|_| !self.methods[0].is_ours()) {
            Some(imputer) => {
                let fitted = imputer.fit(&tables.train, self.trial.seed)?;
                Ok(vec![self.score(self.methods[0], &*fitted, &tables, &evaluation, clock, None)?])
            }
            None => self.ours(&tables, &evaluation, clock),
        }
    }

    /// Our density is fitted once for all methods that use it.
    fn ours(&self, tables: &Tables, evaluation: &Evaluation, clock: Clock) -> Result<Vec<Done>> {
        let (Tables { train, truth, .. }, seed) = (tables, self.trial.seed);
        let model = Arc::new(Model::fit(
            train,
            &FitOptions { seed, time_budget: Some(Duration::MAX), ..FitOptions::default() },
        )?);
        let fitting = clock.elapsed();
        let nll = negative_log_likelihood(&model, truth)?;
        let one = |&method: &Method| {
            let clock = Clock::start_with(method, fitting);
            let model = model.clone();
            let psd = |value| {
                Box::new(FittedPsd { model: model.clone(), value, imputations: self.imputations, seed })
            };
            let fitted: Box<dyn Fitted> = match method {
                Method::PsdMean => psd(Value::Mean),
                Method::PsdMultiple => psd(Value::Draw),
                _ => {
                    let (truth, scaler) = (truth.clone(), train.standardise().1);
                    Box::new(Ideal { model, truth, scaler, draws: self.imputations, seed })
                }
            };
            self.score(method, &*fitted, tables, evaluation, clock, nll)
        };
        self.methods.iter().map(one).collect()
    }

    /// Completes the test rows as often as the method draws, and scores them after the clock has stopped.
    fn score(
        &self,
        method: Method,
        fitted: &dyn Fitted,
        tables: &Tables,
        evaluation: &Evaluation,
        clock: Clock,
        nll: Option<f64>,
    ) -> Result<Done> {
        let count = if method.draws() { self.imputations } else { 1 };
        let completed = fitted.completions(&tables.test, count)?;
        let seconds = clock.elapsed().as_secs_f64();
        let note = fitted.note();
        let left_empty = completed.iter().map(gaps).sum();
        if left_empty > 0 {
            let missing = completed.len() * gaps(&tables.test);
            return Ok(Done::LeftEmpty { seconds, left_empty, missing, note });
        }
        let each = completed.iter().enumerate().map(|(k, table)| evaluation.score(k, table));
        let Some(scores) = Scores::average(&each.collect::<Result<Vec<_>>>()?) else {
            return Ok(Done::Failed { error: "no table was completed".into() });
        };
        let imputer = method.imputer(count).filter(|_| self.i_score);
        let i_score = imputer.map(|imputer| energy_i_score(&*imputer, &tables.train, count, self.trial.seed));
        // A method that has no score without the truth keeps its scores with it.
        let i_score = i_score.and_then(|found| found.ok()?.score);
        Ok(Done::Scored { seconds, scores, nll, i_score, note })
    }
}

/// The number of missing cells of a table.
fn gaps(table: &Table) -> usize {
    table.rows().flatten().filter(|x| x.is_nan()).count()
}

/// The mean over complete rows; `None` without any.
fn negative_log_likelihood(model: &Model, truth: &Table) -> Result<Option<f64>> {
    let complete = |i: &usize| !truth.row(*i).iter().any(|x| x.is_nan());
    let rows: Vec<usize> = (0..truth.len()).filter(complete).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let imputer = model.imputer(Limits::none(truth.columns().len()))?;
    let logs = imputer.log_densities(&truth.select(&rows)?)?;
    Ok(Some(-logs.iter().sum::<f64>() / logs.len() as f64))
}
