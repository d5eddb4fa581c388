//! Points, coordinate by coordinate.

use pulp::NullaryFnOnce;

/// Number of lanes processed together.
pub(super) const LANES: usize = 8;

/// Points stored by coordinate, each contiguous and padded with zeros to whole lanes.
#[derive(Clone)]
pub(super) struct Cloud {
    len: usize,
    columns: usize,
    width: usize,
    cells: Vec<f64>,
}

impl Cloud {
    /// Points from a function of the point `i` and the coordinate `j`.
    pub(super) fn from_fn(len: usize, columns: usize, cell: impl Fn(usize, usize) -> f64) -> Self {
        let width = len.next_multiple_of(LANES);
        let mut cells = vec![0.0; width * columns];
        for (j, coordinate) in cells.chunks_exact_mut(width).enumerate() {
            coordinate[..len].iter_mut().enumerate().for_each(|(i, x)| *x = cell(j, i));
        }
        Self { len, columns, width, cells }
    }

    /// The shape of another cloud, with all points at zero.
    pub(super) fn zero(like: &Self) -> Self {
        Self::from_fn(like.len, like.columns, |_, _| 0.0)
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The number of points, padded to whole lanes.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn coordinate(&self, j: usize) -> &[f64] {
        &self.cells[j * self.width..(j + 1) * self.width]
    }

    pub(super) fn coordinate_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.cells[j * self.width..(j + 1) * self.width]
    }

    /// Half the squared distances to the points of another cloud, one row per point of this one.
    pub(super) fn half_squared_distances(&self, other: &Self) -> Vec<f64> {
        let mut out = vec![0.0; self.len * other.width];
        pulp::Arch::new().dispatch(Distances { from: self, to: other, out: &mut out });
        out
    }

    /// The length of the diagonal of the smallest box around both clouds.
    pub(super) fn diameter(&self, other: &Self) -> f64 {
        let side = |j: usize| {
            let points = || self.coordinate(j)[..self.len].iter().chain(&other.coordinate(j)[..other.len]);
            let least = points().fold(f64::INFINITY, |a, &b| a.min(b));
            points().fold(f64::NEG_INFINITY, |a, &b| a.max(b)) - least
        };
        (0..self.columns).map(|j| side(j).powi(2)).sum::<f64>().sqrt()
    }
}

/// Writes half the squared distances.
struct Distances<'a> {
    from: &'a Cloud,
    to: &'a Cloud,
    out: &'a mut [f64],
}

impl NullaryFnOnce for Distances<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (i, row) in self.out.chunks_exact_mut(self.to.width).enumerate() {
            for j in 0..self.from.columns {
                let x = self.from.coordinate(j)[i];
                for (total, y) in row.iter_mut().zip(self.to.coordinate(j)) {
                    *total += 0.5 * (x - y) * (x - y);
                }
            }
        }
    }
}
