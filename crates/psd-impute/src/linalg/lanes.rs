//! Small triangular systems, solved `W` at a time.
//!
//! A matrix of order seven is too small to fill vector registers, but eight of them side by side, entry by entry, do. Entry `(i, j)` of
//! a lower triangle packed by rows is at `i (i + 1) / 2 + j` and holds that entry of all `W` matrices. Factors store the
//! *reciprocals* of their diagonals.

/// Start of row `i` in a packed lower triangle; also the packed length of a triangle of order `i`.
pub(crate) fn packed_row(i: usize) -> usize {
    i * (i + 1) / 2
}

/// Cholesky factors of `W` packed matrices of order `n`, in place; the error is the first bad pivot.
#[inline(always)]
pub(crate) fn factor_lanes<const W: usize>(a: &mut [[f64; W]], n: usize) -> Result<(), usize> {
    for i in 0..n {
        let (done, rest) = a.split_at_mut(packed_row(i));
        let row = &mut rest[..=i];
        for j in 0..i {
            let other = &done[packed_row(j)..][..=j];
            let (head, tail) = row.split_at_mut(j);
            let sum = minus_products(tail[0], head, other);
            for w in 0..W {
                tail[0][w] = sum[w] * other[j][w];
            }
        }
        let (head, tail) = row.split_at_mut(i);
        let pivot = minus_products(tail[0], head, head);
        // A NaN fails the comparison.
        if !pivot.iter().all(|p| *p > 0.0) {
            return Err(i);
        }
        for w in 0..W {
            tail[0][w] = 1.0 / pivot[w].sqrt();
        }
    }
    Ok(())
}

/// `L⁻¹ b` in place, for `W` factors and `W` vectors.
#[inline(always)]
pub(crate) fn whiten_lanes<const W: usize>(factor: &[[f64; W]], b: &mut [[f64; W]]) {
    for i in 0..b.len() {
        let row = &factor[packed_row(i)..][..=i];
        let (head, tail) = b.split_at_mut(i);
        let sum = minus_products(tail[0], head, row);
        for w in 0..W {
            tail[0][w] = sum[w] * row[i][w];
        }
    }
}

/// The squared norms of `W` vectors.
#[inline(always)]
pub(crate) fn squares_lanes<const W: usize>(z: &[[f64; W]]) -> [f64; W] {
    let mut out = [0.0; W];
    for z in z {
        for w in 0..W {
            out[w] += z[w] * z[w];
        }
    }
    out
}

/// `½ log det` of `W` matrices of order `n` from their factors: takes the logarithm of products of eight pivots to save logarithms.
#[inline(always)]
pub(crate) fn half_log_det_lanes<const W: usize>(factor: &[[f64; W]], n: usize) -> [f64; W] {
    let mut out = [0.0; W];
    for start in (0..n).step_by(8) {
        let mut product = [1.0; W];
        for i in start..n.min(start + 8) {
            let pivot = &factor[packed_row(i) + i];
            for w in 0..W {
                product[w] *= pivot[w];
            }
        }
        for w in 0..W {
            out[w] -= product[w].ln();
        }
    }
    out
}

#[inline(always)]
fn minus_products<const W: usize>(mut sum: [f64; W], a: &[[f64; W]], b: &[[f64; W]]) -> [f64; W] {
    for (x, y) in a.iter().zip(b) {
        for w in 0..W {
            sum[w] -= x[w] * y[w];
        }
    }
    sum
}

/// `L⁻ᵀ z` in place, for `W` factors and `W` vectors.
#[inline(always)]
pub(crate) fn whiten_transposed_lanes<const W: usize>(factor: &[[f64; W]], z: &mut [[f64; W]]) {
    for i in (0..z.len()).rev() {
        let row = &factor[packed_row(i)..][..=i];
        let (head, tail) = z.split_at_mut(i);
        for w in 0..W {
            tail[0][w] *= row[i][w];
        }
        for (z, l) in head.iter_mut().zip(row) {
            for w in 0..W {
                z[w] -= l[w] * tail[0][w];
            }
        }
    }
}

/// `L⁻¹ B` in place for `W` factors of order `n` and `W` matrices `B` of `width` columns, stored by rows.
#[inline(always)]
pub(crate) fn whiten_rows_lanes<const W: usize>(
    factor: &[[f64; W]],
    n: usize,
    b: &mut [[f64; W]],
    width: usize,
) {
    for i in 0..n {
        let (head, tail) = b.split_at_mut(i * width);
        let (row, target) = (&factor[packed_row(i)..][..=i], &mut tail[..width]);
        for (l, x) in row.iter().zip(head.chunks_exact(width)) {
            add_times(target, l.map(|l| -l), x);
        }
        for t in target {
            for w in 0..W {
                t[w] *= row[i][w];
            }
        }
    }
}

/// Writes the packed inverses of `W` products `L L'` of order `n`; `root` receives the inverses of `L`.
#[inline(always)]
pub(crate) fn inverse_lanes<const W: usize>(
    factor: &[[f64; W]],
    n: usize,
    root: &mut Vec<[f64; W]>,
    out: &mut Vec<[f64; W]>,
) {
    for memory in [&mut *root, &mut *out] {
        memory.clear();
        memory.resize(packed_row(n), [0.0; W]);
    }
    for i in 0..n {
        let (done, rest) = root.split_at_mut(packed_row(i));
        let (row, target) = (&factor[packed_row(i)..][..=i], &mut rest[..=i]);
        for (k, l) in row[..i].iter().enumerate() {
            let mut scale = [0.0; W];
            for w in 0..W {
                scale[w] = -l[w] * row[i][w];
            }
            add_times(target, scale, &done[packed_row(k)..][..=k]);
        }
        target[i] = row[i];
        add_square_lanes(out, target);
    }
}

/// Adds `x x'` to packed lower triangles.
#[inline(always)]
pub(crate) fn add_square_lanes<const W: usize>(packed: &mut [[f64; W]], x: &[[f64; W]]) {
    for (a, &xa) in x.iter().enumerate() {
        add_times(&mut packed[packed_row(a)..][..=a], xa, x);
    }
}

/// Adds `scale x` to `sum`, over the length of `sum`.
#[inline(always)]
fn add_times<const W: usize>(sum: &mut [[f64; W]], scale: [f64; W], x: &[[f64; W]]) {
    for (sum, x) in sum.iter_mut().zip(x) {
        for w in 0..W {
            sum[w] += scale[w] * x[w];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two positive definite matrices of order `n`.
    fn matrices(n: usize) -> Vec<[f64; 2]> {
        let entry = |i: usize, j: usize, lane: usize| {
            (0..n + 2).map(|k| ((i * k + lane) as f64).sin() * ((j * k + lane) as f64).sin()).sum::<f64>()
                + f64::from(i == j) * (1.0 + lane as f64)
        };
        (0..n).flat_map(|i| (0..=i).map(move |j| [entry(i, j, 0), entry(i, j, 1)])).collect()
    }

    fn whole(packed: &[[f64; 2]], lane: usize, i: usize, j: usize) -> f64 {
        packed[packed_row(i.max(j)) + i.min(j)][lane]
    }

    #[test]
    fn factors_solve_and_invert_each_lane() {
        let n = 11;
        let a = matrices(n);
        let mut factor = a.clone();
        factor_lanes(&mut factor, n).unwrap();
        let b: Vec<[f64; 2]> = (0..n).map(|i| [1.0 + i as f64, (i as f64).cos()]).collect();
        let mut z = b.clone();
        whiten_lanes(&factor, &mut z);
        let mut rows: Vec<[f64; 2]> = b.iter().flat_map(|x| [*x, x.map(|x| 2.0 * x)]).collect();
        whiten_rows_lanes(&factor, n, &mut rows, 2);
        let mut solved = z.clone();
        whiten_transposed_lanes(&factor, &mut solved);
        let mut inverse = vec![[1.0; 2]];
        inverse_lanes(&factor, n, &mut Vec::new(), &mut inverse);
        for lane in 0..2 {
            assert!((0..n).all(|i| (rows[2 * i][lane] - z[i][lane]).abs() < 1e-11));
            assert!((0..n).all(|i| (rows[2 * i + 1][lane] - 2.0 * z[i][lane]).abs() < 1e-11));
            for (i, b) in b.iter().enumerate() {
                let back: f64 = (0..n).map(|j| whole(&a, lane, i, j) * solved[j][lane]).sum();
                assert!((back - b[lane]).abs() < 1e-10, "{back}");
                for j in 0..n {
                    let one: f64 = (0..n).map(|k| whole(&a, lane, i, k) * whole(&inverse, lane, k, j)).sum();
                    assert!((one - f64::from(i == j)).abs() < 1e-10);
                }
            }
            let square: f64 = z.iter().map(|z| z[lane] * z[lane]).sum();
            assert!((squares_lanes(&z)[lane] - square).abs() < 1e-12 * square);
            let logs: f64 = (0..n).map(|i| -factor[packed_row(i) + i][lane].ln()).sum();
            assert!((half_log_det_lanes(&factor, n)[lane] - logs).abs() < 1e-12);
        }
    }

    #[test]
    fn names_the_bad_pivot_of_any_lane() {
        let mut a = matrices(4);
        a[packed_row(2) + 2][1] = -1.0;
        assert_eq!(factor_lanes(&mut a, 4), Err(2));
        let mut nan = vec![[f64::NAN; 2]; packed_row(2)];
        assert_eq!(factor_lanes(&mut nan, 2), Err(0));
    }
}
