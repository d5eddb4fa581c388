//! The matrices `A_i`, packed and stored: `l(l+1)/2` numbers per row. For tables in which few rows share a pattern.

use super::term::{DataTerm, RowMatrices, ranges};
use crate::linalg::{column, dot, pack, packed_len, unpack, unpack_into};
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;
use std::ops::Range;

/// Number of pieces into which sums over rows are cut. Arbitrary.
const PIECES: usize = 16;

/// The data term held as one packed matrix per row.
pub struct StoredTerm {
    order: usize,
    /// `l(l+1)/2 × n`.
    packed: Mat<f64>,
}

impl StoredTerm {
    /// A term from packed matrices, one column per row.
    pub(super) fn new(order: usize, packed: Mat<f64>) -> Self {
        Self { order, packed }
    }

    /// Memory needed, in bytes.
    pub fn bytes(rows: usize, order: usize) -> u64 {
        8 * rows as u64 * packed_len(order) as u64
    }
}

impl DataTerm for StoredTerm {
    fn rows(&self) -> usize {
        self.packed.ncols()
    }

    fn order(&self) -> usize {
        self.order
    }

    fn values(&self, q: MatRef<'_, f64>, out: &mut [f64]) {
        let mut packed = vec![0.0; packed_len(self.order)];
        pack(q, &mut packed);
        out.par_iter_mut().enumerate().with_min_len(16).for_each(|(i, out)| {
            *out = dot(&packed, column(self.packed.as_ref(), i));
        });
    }

    fn adjoint(&self, c: &[f64], mut out: MatMut<'_, f64>) {
        let parts: Vec<Vec<f64>> = ranges(self.rows(), PIECES)
            .into_par_iter()
            .map(|rows| {
                let mut sum = vec![0.0; packed_len(self.order)];
                for i in rows {
                    let row = column(self.packed.as_ref(), i);
                    sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += c[i] * x);
                }
                sum
            })
            .collect();
        let mut total = vec![0.0; packed_len(self.order)];
        for part in parts {
            total.iter_mut().zip(part).for_each(|(total, x)| *total += x);
        }
        out.copy_from(unpack(&total, self.order));
    }

    fn row_matrices(&self) -> Option<&dyn RowMatrices> {
        Some(self)
    }

    /// The time is that of memory access: loading a number takes about as long as sixteen multiplications in a matrix product.
    fn pass_cost(&self) -> f64 {
        16.0 * self.packed.nrows() as f64 * self.packed.ncols() as f64
    }
}

impl RowMatrices for StoredTerm {
    fn matrices(&self, rows: Range<usize>, mut out: MatMut<'_, f64>) {
        let l = self.order;
        for (k, i) in rows.enumerate() {
            unpack_into(column(self.packed.as_ref(), i), out.as_mut().subcols_mut(k * l, l));
        }
    }
}
