//! The outlines of `{f ≥ level}`, by marching squares.

use super::Point;
use std::collections::HashMap;

/// Values on a regular grid, in units of its cells: `value(i, j)` stands at `(i, j)`.
pub(crate) struct Grid {
    columns: usize,
    rows: usize,
    values: Vec<f64>,
}

/// An edge of the grid from a node to its right or lower neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Edge {
    i: usize,
    j: usize,
    down: bool,
}

impl Grid {
    /// A grid with a border of zeros, so that every outline of a positive level closes.
    pub(crate) fn new(columns: usize, rows: usize, values: &[f64]) -> Self {
        let mut padded = vec![0.0; (columns + 2) * (rows + 2)];
        for (j, row) in values.chunks(columns).enumerate() {
            padded[(j + 1) * (columns + 2) + 1..][..columns].copy_from_slice(row);
        }
        Self { columns: columns + 2, rows: rows + 2, values: padded }
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.columns + i]
    }

    /// The point where an edge crosses the level, without the border's shift.
    fn crossing(&self, edge: Edge, level: f64) -> Point {
        let (i, j) = (edge.i, edge.j);
        let (di, dj) = if edge.down { (0, 1) } else { (1, 0) };
        let (a, b) = (self.value(i, j), self.value(i + di, j + dj));
        let t = ((level - a) / (b - a)).clamp(0.0, 1.0);
        (i as f64 + t * di as f64 - 1.0, j as f64 + t * dj as f64 - 1.0)
    }

    /// The pieces of the outline within a cell, each from edge to edge with the set always on the same side.
    fn pieces(&self, i: usize, j: usize, level: f64) -> Vec<(Edge, Edge)> {
        let inside = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| self.value(i, j) >= level);
        let top = Edge { i, j, down: false };
        let right = Edge { i: i + 1, j, down: true };
        let bottom = Edge { i, j: j + 1, down: false };
        let left = Edge { i, j, down: true };
        // The edge after each corner, clockwise. The outline leaves the set over the edges where it ends.
        let edges = [top, right, bottom, left];
        let leaves: Vec<usize> = (0..4).filter(|&k| inside[k] && !inside[(k + 1) % 4]).collect();
        let enters: Vec<usize> = (0..4).filter(|&k| !inside[k] && inside[(k + 1) % 4]).collect();
        let before = |k: usize| (1..=4).map(|back| (k + 4 - back) % 4).find(|e| enters.contains(e));
        leaves.iter().filter_map(|&k| Some((edges[before(k)?], edges[k]))).collect()
    }
}

/// Closed outlines; filled by the even-odd rule they are `{f ≥ level}`. The level must be above zero.
pub(crate) fn superlevel(grid: &Grid, level: f64) -> Vec<Vec<Point>> {
    let mut next: HashMap<Edge, Edge> = HashMap::new();
    let mut order = Vec::new();
    for j in 0..grid.rows - 1 {
        for i in 0..grid.columns - 1 {
            for (from, to) in grid.pieces(i, j, level) {
                next.insert(from, to);
                order.push(from);
            }
        }
    }
    let mut loops = Vec::new();
    for start in order {
        let mut outline = Vec::new();
        let mut at = start;
        while let Some(to) = next.remove(&at) {
            outline.push(grid.crossing(at, level));
            at = to;
        }
        if outline.len() > 2 {
            loops.push(outline);
        }
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the signed area, by the shoelace formula.
    fn twice_area(outline: &[Point]) -> f64 {
        let next = outline.iter().cycle().skip(1);
        outline.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum()
    }

    fn hill(f: impl Fn(f64, f64) -> f64) -> Grid {
        let values: Vec<f64> =
            (0..41 * 41).map(|k| f((k % 41) as f64 - 20.0, (k / 41) as f64 - 20.0)).collect();
        Grid::new(41, 41, &values)
    }

    #[test]
    fn a_disc_has_one_outline_of_its_area() {
        let loops = superlevel(&hill(|x, y| 400.0 - x * x - y * y), 300.0);
        assert_eq!(loops.len(), 1);
        assert!((0.5 * twice_area(&loops[0]).abs() - 100.0 * std::f64::consts::PI).abs() < 3.0);
    }

    #[test]
    fn a_ring_has_a_hole_that_runs_the_other_way() {
        let loops = superlevel(&hill(|x, y| 10.0 - ((x * x + y * y).sqrt() - 12.0).abs()), 7.0);
        let areas: Vec<f64> = loops.iter().map(|outline| twice_area(outline)).collect();
        assert_eq!(areas.len(), 2);
        assert!(areas[0] * areas[1] < 0.0);
    }

    #[test]
    fn what_reaches_the_border_is_closed_along_it() {
        let loops = superlevel(&hill(|x, _| 21.0 + x), 21.0);
        assert_eq!(loops.len(), 1);
        assert!((0.5 * twice_area(&loops[0]).abs() - 20.0 * 40.0).abs() < 80.0);
    }

    #[test]
    fn saddles_close_too() {
        let loops = superlevel(&hill(|x, y| if (x as i64 + y as i64) % 2 == 0 { 2.0 } else { 1.0 }), 1.5);
        assert!(loops.iter().map(|outline| outline.len()).sum::<usize>() >= 41 * 41 * 2 - 8);
    }
}
