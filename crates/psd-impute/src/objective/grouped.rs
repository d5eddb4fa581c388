//! Rows grouped by pattern: one matrix `E` per pattern and one vector `f` per row.
//!
//! With `F` the `l × n` matrix of the vectors of one pattern's rows,
//!
//! ```text
//! tr(Q A_i) = f_i' (Q∘E) f_i                column sums of F ∘ ((Q∘E) F)      one matrix product
//! Σ c_i A_i = E ∘ (F diag(c) F')                                              half a matrix product
//! ```

use super::term::{DataTerm, RowMatrices, ranges};
use crate::linalg::{column, dot, lower_product, mirror, product, zeros};
use faer::{Accum, Mat, MatMut, MatRef};
use rayon::prelude::*;
use std::ops::Range;

/// Rows in one product: enough to run at full speed, few enough to spread over threads and stay in cache. Arbitrary.
const BLOCK: usize = 256;
/// Number of pieces into which sums over blocks are cut. Arbitrary.
const PIECES: usize = 16;

/// The data term held as one matrix `E` per pattern and one vector `f` per row.
pub struct GroupedTerm {
    order: usize,
    rows: usize,
    patterns: Vec<PatternRows>,
    blocks: Vec<Block>,
}

/// The rows of one pattern.
pub(super) struct PatternRows {
    /// `l × l`.
    pub(super) e: Mat<f64>,
    /// `l × n`.
    pub(super) f: Mat<f64>,
}

/// Some rows of one pattern.
struct Block {
    pattern: usize,
    /// Columns of the pattern's `F`.
    columns: Range<usize>,
    /// The same rows as numbered in the term.
    rows: Range<usize>,
}

impl GroupedTerm {
    /// A term from the patterns in order; rows are numbered consecutively.
    pub(super) fn new(order: usize, patterns: Vec<PatternRows>) -> Self {
        let (mut blocks, mut rows) = (Vec::new(), 0);
        for (pattern, group) in patterns.iter().enumerate() {
            let n = group.f.ncols();
            for columns in ranges(n, n.div_ceil(BLOCK)) {
                blocks.push(Block { pattern, rows: rows + columns.start..rows + columns.end, columns });
            }
            rows += n;
        }
        Self { order, rows, patterns, blocks }
    }

    /// Memory needed, in bytes.
    pub fn bytes(rows: usize, patterns: usize, order: usize) -> u64 {
        let order = order as u64;
        8 * (rows as u64 * order + patterns as u64 * order * order)
    }

    /// Returns a function that makes a thread's working space: `l × l`, and `l × n` for the rows of a block.
    fn buffers(&self) -> impl Fn() -> (Mat<f64>, Mat<f64>) {
        let (l, widest) = (self.order, self.blocks.iter().map(|block| block.rows.len()).max().unwrap_or(0));
        move || (zeros(l, l), zeros(l, widest))
    }

    fn f(&self, block: &Block) -> MatRef<'_, f64> {
        self.patterns[block.pattern].f.as_ref().subcols(block.columns.start, block.columns.len())
    }
}

impl DataTerm for GroupedTerm {
    fn rows(&self) -> usize {
        self.rows
    }

    fn order(&self) -> usize {
        self.order
    }

    fn values(&self, q: MatRef<'_, f64>, out: &mut [f64]) {
        let mut pieces = Vec::with_capacity(self.blocks.len());
        let mut rest = out;
        for block in &self.blocks {
            let (head, tail) = rest.split_at_mut(block.rows.len());
            pieces.push(head);
            rest = tail;
        }
        self.blocks.par_iter().zip(pieces).for_each_init(self.buffers(), |(qe, y), (block, out)| {
            let f = self.f(block);
            let mut y = y.as_mut().subcols_mut(0, f.ncols());
            hadamard(qe.as_mut(), q, self.patterns[block.pattern].e.as_ref());
            product(y.as_mut(), qe.as_ref(), f);
            out.iter_mut().enumerate().for_each(|(i, out)| *out = dot(column(f, i), column(y.as_ref(), i)));
        });
    }

    fn adjoint(&self, c: &[f64], mut out: MatMut<'_, f64>) {
        let l = self.order;
        let parts: Vec<Mat<f64>> = ranges(self.blocks.len(), PIECES)
            .into_par_iter()
            .map_init(self.buffers(), |(square, weighted), blocks| {
                let mut sum = zeros(l, l);
                for block in &self.blocks[blocks] {
                    let f = self.f(block);
                    let mut weighted = weighted.as_mut().subcols_mut(0, f.ncols());
                    for (i, &c) in c[block.rows.clone()].iter().enumerate() {
                        let column = column(f, i);
                        weighted.as_mut().col_mut(i).iter_mut().zip(column).for_each(|(w, f)| *w = c * f);
                    }
                    lower_product(square.as_mut(), Accum::Replace, weighted.as_ref(), f.transpose());
                    add_lower_hadamard(
                        sum.as_mut(),
                        square.as_ref(),
                        self.patterns[block.pattern].e.as_ref(),
                    );
                }
                sum
            })
            .collect();
        out.fill(0.0);
        for part in &parts {
            out += part;
        }
        mirror(out);
    }

    fn row_matrices(&self) -> Option<&dyn RowMatrices> {
        Some(self)
    }

    fn pass_cost(&self) -> f64 {
        // The time of a pattern with few rows is that of loading its E.
        let order = (self.order * self.order) as f64;
        self.patterns.iter().map(|p| order * (p.f.ncols() as f64).max(40.0)).sum()
    }
}

impl RowMatrices for GroupedTerm {
    fn matrices(&self, rows: Range<usize>, mut out: MatMut<'_, f64>) {
        let l = self.order;
        let first = self.blocks.partition_point(|block| block.rows.end <= rows.start);
        for block in self.blocks[first..].iter().take_while(|block| block.rows.start < rows.end) {
            let e = self.patterns[block.pattern].e.as_ref();
            let f = self.f(block);
            for i in block.rows.start.max(rows.start)..block.rows.end.min(rows.end) {
                let f = column(f, i - block.rows.start);
                let mut a = out.as_mut().subcols_mut((i - rows.start) * l, l);
                for (b, fb) in f.iter().enumerate() {
                    a.as_mut()
                        .col_mut(b)
                        .iter_mut()
                        .zip(f)
                        .zip(column(e, b))
                        .for_each(|((a, fa), e)| *a = fa * fb * e);
                }
            }
        }
    }
}

fn hadamard(mut out: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    for j in 0..a.ncols() {
        let product = column(a, j).iter().zip(column(b, j));
        out.as_mut().col_mut(j).iter_mut().zip(product).for_each(|(out, (a, b))| *out = a * b);
    }
}

fn add_lower_hadamard(mut sum: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    for j in 0..a.ncols() {
        let lower = column(a, j)[j..].iter().zip(&column(b, j)[j..]);
        sum.as_mut()
            .col_mut(j)
            .subrows_mut(j, a.nrows() - j)
            .iter_mut()
            .zip(lower)
            .for_each(|(s, (a, b))| *s += a * b);
    }
}
