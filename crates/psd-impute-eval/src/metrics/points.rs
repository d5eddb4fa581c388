//! Rows as points.

use crate::Result;
use crate::scale::scaler;
use faer::MatRef;
use psd_impute::table::{Kind, Scaler, Table};
use std::f64::consts::FRAC_1_SQRT_2;

/// The columns that are compared, and the truth's units.
pub(super) struct Space {
    scaler: Scaler,
    numbers: Vec<usize>,
    categories: Vec<usize>,
}

impl Space {
    /// All columns except constant numbers, which have no unit.
    pub(super) fn of(truth: &Table) -> Result<Self> {
        let (categories, mut numbers): (Vec<usize>, Vec<usize>) =
            (0..truth.columns().len()).partition(|&j| matches!(truth.columns()[j].kind(), Kind::Category(_)));
        numbers.retain(|&j| {
            let mut values = truth.observed(j);
            values.next().is_some_and(|first| values.any(|x| x != first))
        });
        Ok(Self { scaler: scaler(truth)?, numbers, categories })
    }

    pub(super) fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    pub(super) fn categories(&self) -> &[usize] {
        &self.categories
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = usize> {
        self.numbers.iter().chain(&self.categories).copied()
    }

    /// A number in the truth's units, or a label's number unchanged.
    pub(super) fn unit(&self, j: usize, x: f64) -> f64 {
        self.scaler.apply(j, x)
    }

    /// The given rows of a table's cells.
    pub(super) fn points(&self, cells: MatRef<'_, f64>, rows: &[usize]) -> Points {
        let row = |&i: &usize| self.columns().map(move |j| self.unit(j, cells[(j, i)]));
        Points {
            len: rows.len(),
            numbers: self.numbers.len(),
            width: self.numbers.len() + self.categories.len(),
            cells: rows.iter().flat_map(row).collect(),
        }
    }
}

/// Points: standardised numbers, then labels by their numbers.
pub(super) struct Points {
    len: usize,
    numbers: usize,
    width: usize,
    cells: Vec<f64>,
}

impl Points {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The squared distance between a point and one of another set. The indicators of two different labels differ in two places, by
    /// the square root of a half in each: together by one.
    pub(super) fn squared_distance(&self, i: usize, others: &Self, j: usize) -> f64 {
        let (a, b) = (self.point(i), others.point(j));
        let numbers: f64 = a.0.iter().zip(b.0).map(|(x, y)| (x - y) * (x - y)).sum();
        let labels = a.1.iter().zip(b.1).filter(|(x, y)| x != y).count();
        numbers + labels as f64
    }

    fn point(&self, i: usize) -> (&[f64], &[f64]) {
        self.cells[i * self.width..(i + 1) * self.width].split_at(self.numbers)
    }

    /// The projection of a point on a direction in the space of numbers and indicators.
    pub(super) fn along(&self, i: usize, direction: &[f64], labels: &Labels) -> f64 {
        let (numbers, categories) = self.point(i);
        let indicators =
            categories.iter().zip(&labels.starts).map(|(&x, start)| direction[start + x as usize]);
        let sum: f64 = numbers.iter().zip(direction).map(|(x, d)| x * d).sum();
        sum + indicators.sum::<f64>() * FRAC_1_SQRT_2
    }
}

/// The start of the indicators of each category, after the numbers.
pub(super) struct Labels {
    starts: Vec<usize>,
    width: usize,
}

impl Labels {
    /// The layout for the labels in the given sets of points.
    pub(super) fn of(all: &[&Points]) -> Self {
        let (numbers, columns) = (all[0].numbers, all[0].width);
        let most = |k: usize| {
            let labels = all.iter().flat_map(|points| points.cells.iter().skip(k).step_by(columns));
            labels.fold(0.0, |a: f64, &b| a.max(b)) as usize + 1
        };
        let mut width = numbers;
        let mut starts = Vec::new();
        for k in numbers..columns {
            starts.push(width);
            width += most(k);
        }
        Self { starts, width }
    }

    /// The number of numbers and indicators of a point.
    pub(super) fn width(&self) -> usize {
        self.width
    }
}
