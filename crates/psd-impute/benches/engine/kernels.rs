//! The machine's rates, and separate dense kernels: plain faer on all threads.

use crate::clock::{best, least};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};
use psd_impute::internals::linalg::packed_len;
use rayon::prelude::*;
use std::fmt;
use std::time::Instant;

/// The order of the product that the machine is rated by.
const ORDER: usize = 1500;
/// Numbers in an array far larger than any cache.
const LARGE: usize = 1 << 27;
/// Numbers in one operand of the forming products at most.
const PIECE: usize = 1 << 21;

/// The rates of the machine.
pub(crate) struct Machine {
    /// Floating-point operations per second in a large matrix product.
    pub(crate) flops: f64,
    /// Bytes per second read from memory.
    pub(crate) bytes: f64,
}

impl Machine {
    /// Measures both rates.
    pub(crate) fn measure() -> Self {
        let seconds = (0..3).map(|_| product(ORDER, ORDER, ORDER)).fold(f64::INFINITY, f64::min);
        Self { flops: 2.0 * (ORDER as f64).powi(3) / seconds, bytes: read_rate(LARGE) }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (threads, flops, bytes) = (rayon::current_num_threads(), self.flops / 1e9, self.bytes / 1e9);
        write!(f, "{threads} threads: matrix product {flops:.1} GFlop/s, memory reads {bytes:.1} GB/s")
    }
}

/// Bytes per second when an array of this many numbers is summed.
pub(crate) fn read_rate(numbers: usize) -> f64 {
    let array = vec![1.0; numbers];
    let piece = numbers.div_ceil(8 * rayon::current_num_threads());
    let sum = || array.par_chunks(piece).map(sum).sum::<f64>();
    8.0 * numbers as f64 / best(sum)
}

/// In strands, so that the compiler can use vector registers; a last few numbers are left out.
fn sum(x: &[f64]) -> f64 {
    let mut strands = [0.0; 16];
    for chunk in x.chunks_exact(16) {
        strands.iter_mut().zip(chunk).for_each(|(s, x)| *s += x);
    }
    strands.iter().sum()
}

/// Seconds of an `m × k` by `k × n` product.
pub(crate) fn product(m: usize, k: usize, n: usize) -> f64 {
    let (a, b) = (filled(m, k), filled(k, n));
    let mut out = Mat::zeros(m, n);
    best(|| matmul(out.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, Par::rayon(0)))
}

/// Seconds of the two products that turn `n` matrices `A_i` of order `l` into `C'A_iC`: `l × l` by `l × (n l)`, twice. Their
/// operands are cut into pieces.
pub(crate) fn forming(l: usize, n: usize) -> f64 {
    let rows = (PIECE / (l * l)).clamp(1, n);
    2.0 * product(l, l, rows * l) * n as f64 / rows as f64
}

/// Seconds of the lower triangle of `BB'` (`p × p`), where `B` is `p × n` and `p = l(l+1)/2`.
pub(crate) fn outer_gram(l: usize, n: usize) -> f64 {
    let b = filled(packed_len(l), n);
    gram(b.as_ref(), b.transpose())
}

/// Seconds of the lower triangle of `B'B` (`n × n`), `B` as above.
pub(crate) fn inner_gram(l: usize, n: usize) -> f64 {
    let b = filled(packed_len(l), n);
    gram(b.transpose(), b.as_ref())
}

fn gram(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    use BlockStructure::{Rectangular, TriangularLower};
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    best(|| {
        let (out, how, par) = (out.as_mut(), Accum::Replace, Par::rayon(0));
        triangular::matmul(out, TriangularLower, how, a, Rectangular, b, Rectangular, 1.0, par);
    })
}

/// Seconds of the Cholesky factor of a matrix of order `n`.
pub(crate) fn cholesky(n: usize) -> f64 {
    let par = Par::rayon(0);
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, par, Default::default()));
    let mut a = Mat::zeros(n, n);
    let seconds = least(|| {
        a.as_mut().fill(0.5);
        a.diagonal_mut().column_vector_mut().fill(n as f64);
        let start = Instant::now();
        let stack = MemStack::new(&mut memory);
        cholesky_in_place(a.as_mut(), Default::default(), par, stack, Default::default())?;
        Ok::<_, LltError>(start.elapsed().as_secs_f64())
    });
    seconds.unwrap_or(f64::NAN)
}

/// Numbers of ordinary size, in the padding below the columns too: faer multiplies a left operand's padding too, and uninitialised
/// values there may be subnormal numbers, which are slow.
fn filled(rows: usize, columns: usize) -> Mat<f64> {
    let entry = |i: usize, j: usize| 0.5 + ((7 * i + 3 * j) % 11) as f64 / 11.0;
    let mut out = Mat::from_fn(rows.next_multiple_of(8), columns, entry);
    out.truncate(rows, columns);
    out
}
