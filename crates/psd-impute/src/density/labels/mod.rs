//! Labels that depend on each other along a forest.
//!
//! The discrete columns `c` of a table are the nodes of a forest: a root has a table `p(v)`, a child a table `p(v | u)` for each value `u` of
//! its parent, and
//!
//! ```text
//! p(labels) = Π_roots p(v_c) · Π_children p(v_c | v_parent)
//! ```
//!
//! Missing labels are summed out by [`messages`], which costs the sum over edges of the products of the numbers of values, and nothing
//! where nobody below a missing label was observed. A forest without edges is a product of independent tables.

mod conditional;
mod labelled;
mod messages;

pub(crate) use labelled::{Labelled, Node};
pub(crate) use messages::Beliefs;

use crate::Result;
use crate::error::bad;

/// Which discrete column depends on which, and their numbers of values. Columns are numbered among the discrete ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LabelForest {
    sizes: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// The columns, parents before their children.
    order: Vec<usize>,
}

impl LabelForest {
    /// From the number of values and the parent of each column.
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`](crate::Error::BadParameter) if a parent is not a column, or the edges have a cycle.
    pub(crate) fn new(sizes: Vec<usize>, parents: Vec<Option<usize>>) -> Result<Self> {
        let known = |parent: &Option<usize>| parent.is_none_or(|p| p < sizes.len());
        if parents.len() != sizes.len() || !parents.iter().all(known) {
            return Err(bad("parents of labels", format!("{parents:?}"), "one of the discrete columns each"));
        }
        let mut order: Vec<usize> = (0..sizes.len()).filter(|&c| parents[c].is_none()).collect();
        let mut next = 0;
        while next < order.len() {
            let parent = Some(order[next]);
            order.extend((0..sizes.len()).filter(|&c| parents[c] == parent));
            next += 1;
        }
        if order.len() < sizes.len() {
            return Err(bad("parents of labels", format!("{parents:?}"), "without a cycle"));
        }
        Ok(Self { sizes, parents, order })
    }

    /// Columns that do not depend on each other.
    pub(crate) fn apart(sizes: Vec<usize>) -> Self {
        Self { parents: vec![None; sizes.len()], order: (0..sizes.len()).collect(), sizes }
    }

    /// The number of columns.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The number of values of a column.
    pub(crate) fn size(&self, c: usize) -> usize {
        self.sizes[c]
    }

    /// The column that a column depends on.
    pub(crate) fn parent(&self, c: usize) -> Option<usize> {
        self.parents[c]
    }

    /// The parent of each column.
    pub(crate) fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// The number of entries of a column's table.
    pub(crate) fn entries(&self, c: usize) -> usize {
        self.sizes[c] * self.parents[c].map_or(1, |p| self.sizes[p])
    }

    /// Tables of zeros.
    pub(crate) fn zeros(&self) -> Vec<Vec<f64>> {
        (0..self.len()).map(|c| vec![0.0; self.entries(c)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_cycles_are_refused() {
        let forest = LabelForest::new(vec![2, 3, 2, 4], vec![Some(2), Some(0), None, None]).unwrap();
        assert_eq!(forest.order, [2, 3, 0, 1]);
        assert_eq!((forest.entries(0), forest.entries(1), forest.entries(3)), (4, 6, 4));
        assert!(LabelForest::new(vec![2, 2], vec![Some(1), Some(0)]).is_err());
        assert!(LabelForest::new(vec![2, 2], vec![None, Some(2)]).is_err());
    }
}
