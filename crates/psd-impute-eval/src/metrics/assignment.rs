//! The linear assignment problem: pair `n` rows with `n` columns at the minimum total cost.
//!
//! Solved by shortest augmenting paths (Jonker and Volgenant, 1987). Prices `v` of the columns are kept such that every paired row has
//! the least **reduced cost** `c_ij - v_j` of its row; then no other pairing of those rows is cheaper. A free row is added by Dijkstra's
//! search, in reduced costs, for the nearest free column over alternating paths. The pairs along the path are exchanged, and the prices
//! of columns reached earlier fall by the amount they are nearer. Each search takes `O(n²)`.

/// The column of each row in a cheapest pairing; `cost` is in row-major order.
pub(super) fn cheapest(cost: &[f64], n: usize) -> Vec<usize> {
    solve(cost, n).column_of.into_iter().flatten().collect()
}

fn solve(cost: &[f64], n: usize) -> Pairing<'_> {
    let mut pairing = Pairing::greedy(cost, n);
    let free: Vec<usize> = (0..n).filter(|&i| pairing.column_of[i].is_none()).collect();
    let mut search =
        Search { distance: vec![0.0; n], from: vec![0; n], open: Vec::new(), reached: Vec::new() };
    for row in free {
        let end = search.nearest_free(&pairing, row);
        search.pair(&mut pairing, row, end);
    }
    pairing
}

struct Pairing<'a> {
    cost: &'a [f64],
    prices: Vec<f64>,
    column_of: Vec<Option<usize>>,
    row_of: Vec<Option<usize>>,
}

impl<'a> Pairing<'a> {
    /// Sets the price of a column to its least cost; the first row with that cost gets the column.
    fn greedy(cost: &'a [f64], n: usize) -> Self {
        let mut prices = vec![f64::INFINITY; n];
        let mut cheapest = vec![0; n];
        for (i, row) in cost.chunks_exact(n).enumerate() {
            for (j, &cost) in row.iter().enumerate() {
                if cost < prices[j] {
                    (prices[j], cheapest[j]) = (cost, i);
                }
            }
        }
        let (mut column_of, mut row_of) = (vec![None; n], vec![None; n]);
        for (j, &i) in cheapest.iter().enumerate() {
            if column_of[i].is_none() {
                (column_of[i], row_of[j]) = (Some(j), Some(i));
            }
        }
        Self { cost, prices, column_of, row_of }
    }

    fn row(&self, i: usize) -> &[f64] {
        let n = self.prices.len();
        &self.cost[i * n..(i + 1) * n]
    }
}

/// A search from a free row.
struct Search {
    /// The length of the shortest known path to each column, and the row before it on that path.
    distance: Vec<f64>,
    from: Vec<usize>,
    /// Columns whose distance may still decrease, and those whose distance is final.
    open: Vec<usize>,
    reached: Vec<usize>,
}

impl Search {
    /// The free column at the least distance from a free row.
    fn nearest_free(&mut self, pairing: &Pairing<'_>, row: usize) -> usize {
        let n = pairing.prices.len();
        self.distance.fill(f64::INFINITY);
        self.open.clear();
        self.open.extend(0..n);
        self.reached.clear();
        let (mut i, mut so_far) = (row, 0.0);
        loop {
            let place = self.step(pairing, i, so_far);
            let j = self.open.swap_remove(place);
            let Some(next) = pairing.row_of[j] else { return j };
            self.reached.push(j);
            // The edge of a pair leads back from the column to its row.
            so_far = self.distance[j] - (pairing.row(next)[j] - pairing.prices[j]);
            i = next;
        }
    }

    /// Shortens distances by paths over row `i`; returns the position of the nearest open column, free ones first.
    fn step(&mut self, pairing: &Pairing<'_>, i: usize, so_far: f64) -> usize {
        let cost = pairing.row(i);
        let (mut place, mut least) = (0, f64::INFINITY);
        for (k, &j) in self.open.iter().enumerate() {
            let length = so_far + (cost[j] - pairing.prices[j]);
            if length < self.distance[j] {
                (self.distance[j], self.from[j]) = (length, i);
            }
            let distance = self.distance[j];
            if distance < least || (distance == least && pairing.row_of[j].is_none()) {
                (place, least) = (k, distance);
            }
        }
        place
    }

    /// Pairs the free row along the path to the free column.
    fn pair(&self, pairing: &mut Pairing<'_>, row: usize, end: usize) {
        for &j in &self.reached {
            pairing.prices[j] += self.distance[j] - self.distance[end];
        }
        let mut column = Some(end);
        while let Some(j) = column {
            let i = self.from[j];
            pairing.row_of[j] = Some(i);
            column = pairing.column_of[i].replace(j).filter(|_| i != row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// The least cost of pairing the rows from `i` on with the columns not yet taken.
    fn brute(cost: &[f64], n: usize, i: usize, taken: &mut Vec<usize>) -> f64 {
        if i == n {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for j in 0..n {
            if !taken.contains(&j) {
                taken.push(j);
                least = least.min(cost[i * n + j] + brute(cost, n, i + 1, taken));
                taken.pop();
            }
        }
        least
    }

    #[test]
    fn no_permutation_is_cheaper() {
        let rng = &mut ChaCha8Rng::seed_from_u64(0);
        for case in 0..210 {
            let n = 1 + case % 7;
            // Every other one has many ties.
            let mut number =
                || if case % 2 == 0 { rng.random::<f64>() } else { f64::from(rng.random_range(0..4)) };
            let cost: Vec<f64> = (0..n * n).map(|_| number()).collect();
            let paired = cheapest(&cost, n);
            let mut columns = paired.clone();
            columns.sort_unstable();
            assert_eq!(columns, (0..n).collect::<Vec<_>>());
            let total: f64 = paired.iter().enumerate().map(|(i, j)| cost[i * n + j]).sum();
            assert!((total - brute(&cost, n, 0, &mut Vec::new())).abs() < 1e-13);
        }
    }

    #[test]
    fn the_prices_prove_it() {
        let n = 400;
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let truth: Vec<[f64; 3]> = (0..n).map(|_| [0; 3].map(|_| rng.random::<f64>())).collect();
        // Half of the cells are their column's mean: many rows are alike.
        let filled: Vec<[f64; 3]> =
            truth.iter().map(|row| row.map(|x| if rng.random() { 0.5 } else { x })).collect();
        let square = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>();
        let cost: Vec<f64> = filled.iter().flat_map(|a| truth.iter().map(|b| square(a, b))).collect();
        let pairing = solve(&cost, n);
        for i in 0..n {
            let reduced = |j: usize| pairing.row(i)[j] - pairing.prices[j];
            let own = reduced(pairing.column_of[i].unwrap());
            assert!((0..n).all(|j| own <= reduced(j) + 1e-13), "row {i}");
        }
    }
}
