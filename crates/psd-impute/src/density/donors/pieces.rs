//! Pieces of the kernels of a continuous column on lines, computed once.
//!
//! The mean of a cell is a weighted sum of the pieces of thousands of kernels. A piece depends only on its kernel and the lines. Both are
//! the same for all rows of a table; only the weights differ. So the pieces are cached.

use super::super::piece::{Piece, UNCUT};
use crate::table::Line;
use std::sync::OnceLock;

/// The pieces of a column's kernels on lines.
#[derive(Debug)]
pub(super) struct Pieces {
    lines: Vec<Line>,
    /// The pieces of each donor's narrow and broad kernel.
    near: Vec<[Piece; 2]>,
    background: Piece,
}

impl Pieces {
    /// `near` yields each donor's value and the standard deviations of its two kernels. `background` must sum its argument, a function of mean
    /// and standard deviation, over the kernels of the marginal.
    pub(super) fn new(
        lines: &[Line],
        near: impl Iterator<Item = (f64, [f64; 2])>,
        background: impl Fn(&dyn Fn((f64, f64)) -> Piece) -> Piece,
    ) -> Self {
        let piece = |normal: (f64, f64)| Piece::of_normal_mapped(normal, UNCUT, lines);
        let near = near.map(|(value, deviations)| deviations.map(|deviation| piece((value, deviation))));
        Self { lines: lines.to_vec(), near: near.collect(), background: background(&piece) }
    }

    /// The piece of the cell under donors with these weights; `shares` are those of background, narrow and broad kernel.
    pub(super) fn sum(&self, weights: &[f64], shares: [f64; 3]) -> Piece {
        let near = weights.iter().zip(&self.near).filter(|(weight, _)| **weight > 1e-12);
        let near = near.flat_map(|(w, [narrow, broad])| [(w * shares[1], *narrow), (w * shares[2], *broad)]);
        Piece::sum(near.chain([(shares[0], self.background)]))
    }
}

/// Cache of the pieces for the first lines requested.
#[derive(Debug, Default)]
pub(super) struct KeptPieces(OnceLock<Pieces>);

impl KeptPieces {
    /// Passes the pieces on these lines to `then`: the cached ones if they are for the same lines, else new ones from `make`.
    pub(super) fn on<R>(
        &self,
        lines: &[Line],
        make: impl Fn(&[Line]) -> Pieces,
        then: impl Fn(&Pieces) -> R,
    ) -> R {
        let kept = self.0.get_or_init(|| make(lines));
        if kept.lines == lines { then(kept) } else { then(&make(lines)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_pieces_are_those_of_the_lines_asked_for() {
        let line = |from: f64, to: f64, slope: f64| Line { from, to, shift: 0.0, slope };
        let (one, other) = ([line(-1.0, 0.5, 2.0)], [line(-1.0, 0.5, 2.0), line(0.5, 3.0, 1.0)]);
        let make = |lines: &[Line]| {
            let near = [(0.2, [0.1, 1.0]), (-0.4, [0.3, 2.0])];
            Pieces::new(lines, near.into_iter(), |piece| piece((0.0, 1.5)))
        };
        let sum = |pieces: &Pieces| pieces.sum(&[0.25, 0.75], [0.5, 0.3, 0.2]);
        let kept = KeptPieces::default();
        for lines in [&one[..], &other, &one, &other] {
            assert_eq!(kept.on(lines, make, sum), sum(&make(lines)));
        }
        assert_ne!(kept.on(&one, make, sum), kept.on(&other, make, sum));
        // Computed directly: on one line the pieces are those of truncated normals, doubled.
        let cut = |mean, deviation| Piece::of_normal((mean, deviation), UNCUT, (-1.0, 0.5)).along(&one[0]);
        let parts = [
            (0.25 * 0.3, cut(0.2, 0.1)),
            (0.25 * 0.2, cut(0.2, 1.0)),
            (0.75 * 0.3, cut(-0.4, 0.3)),
            (0.75 * 0.2, cut(-0.4, 2.0)),
            (0.5, cut(0.0, 1.5)),
        ];
        let (by_hand, found) = (Piece::sum(parts.into_iter()), sum(&make(&one)));
        assert!((by_hand.mass - found.mass).abs() < 1e-12 && (by_hand.mean - found.mean).abs() < 1e-12);
        assert!((by_hand.variance - found.variance).abs() < 1e-12);
    }
}
