//! The search for ranking functions: measures in lexicographic order by which every edge of a graph comes to be taken only
//! finitely often.
//!
//! In: the edges of a graph, and who says what a measure does along one of them. Out: measures, each with the edges at which it
//! decreases. Candidates come from the conditions on the edges: one with `t <= 0` bounds `-t`.
//!
//! Invariant: a measure is used where it is at least 0 and decreases, and grows at no edge that is left to the next.

use smt::term::{Node, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// A graph whose edges, named by numbers, are to be shown to be taken only finitely often.
pub(crate) trait Edges {
    /// What may decrease.
    type Measure: Clone + Ord;

    /// The measures that are worth trying for these edges.
    fn candidates(&mut self, edges: &[usize]) -> Vec<Self::Measure>;

    /// Whether a measure is at least 0 before an edge and smaller after it (`strictly`), or no greater after it.
    fn decreases(&mut self, measure: &Self::Measure, edge: usize, strictly: bool) -> bool;

    /// The parts of a graph of these edges in which a path may stay for ever.
    fn cycles(&self, edges: Vec<usize>) -> Vec<Vec<usize>>;
}

/// Measures, at most `depth` in a row, with the edges at which each decreases; all edges are among them. `None` when there are
/// none such.
pub(crate) fn lexicographic<G: Edges>(
    graph: &mut G,
    edges: Vec<usize>,
    depth: usize,
) -> Option<Vec<(G::Measure, Vec<usize>)>> {
    Search { graph, known: BTreeMap::new() }.parts(edges, depth)
}

struct Search<'g, G: Edges> {
    graph: &'g mut G,
    /// What was found of a measure at an edge, strictly or not.
    known: BTreeMap<(G::Measure, usize, bool), bool>,
}

impl<G: Edges> Search<'_, G> {
    fn parts(&mut self, edges: Vec<usize>, depth: usize) -> Option<Vec<(G::Measure, Vec<usize>)>> {
        let mut found = Vec::new();
        for part in self.graph.cycles(edges) {
            found.extend(self.part(&part, depth)?);
        }
        Some(found)
    }

    fn part(&mut self, edges: &[usize], depth: usize) -> Option<Vec<(G::Measure, Vec<usize>)>> {
        let depth = depth.checked_sub(1)?;
        self.graph.candidates(edges).into_iter().find_map(|measure| {
            let (mut decreasing, mut rest) = (Vec::new(), Vec::new());
            for &edge in edges {
                if self.decreases(&measure, edge, true) {
                    decreasing.push(edge);
                } else if depth > 0 && self.decreases(&measure, edge, false) {
                    rest.push(edge);
                } else {
                    return None;
                }
            }
            if decreasing.is_empty() {
                return None;
            }
            let others = self.parts(rest, depth)?;
            Some([(measure, decreasing)].into_iter().chain(others).collect())
        })
    }

    fn decreases(&mut self, measure: &G::Measure, edge: usize, strictly: bool) -> bool {
        let key = (measure.clone(), edge, strictly);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let decreases = self.graph.decreases(measure, edge, strictly);
        self.known.insert(key, decreases);
        decreases
    }
}

/// The terms that conditions say are at least 0, and both ways those that they say are not 0.
///
/// A loop to `i != n` counts towards n from one side or the other, and the edge must say which.
pub(crate) fn bounded(terms: &mut Terms, conditions: &[Term]) -> BTreeSet<Term> {
    let mut found = BTreeSet::new();
    let mut work = conditions.to_vec();
    while let Some(condition) = work.pop() {
        match terms.node(condition).clone() {
            Node::And(parts) => work.extend(parts),
            Node::AtMostZero(t) => {
                found.insert(terms.neg(t));
            }
            Node::Not(inner) => {
                if let Node::IsZero(t) = *terms.node(inner) {
                    found.extend([t, terms.neg(t)]);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two numbers; each edge changes them, from where they are at least 0.
    struct Counters(Vec<[i64; 2]>);

    impl Edges for Counters {
        type Measure = usize;

        fn candidates(&mut self, _: &[usize]) -> Vec<usize> {
            vec![0, 1]
        }

        fn decreases(&mut self, measure: &usize, edge: usize, strictly: bool) -> bool {
            let change = self.0[edge][*measure];
            if strictly { change < 0 } else { change <= 0 }
        }

        fn cycles(&self, edges: Vec<usize>) -> Vec<Vec<usize>> {
            if edges.is_empty() { Vec::new() } else { vec![edges] }
        }
    }

    fn search(edges: &[[i64; 2]], depth: usize) -> Option<Vec<(usize, Vec<usize>)>> {
        lexicographic(&mut Counters(edges.to_vec()), (0..edges.len()).collect(), depth)
    }

    #[test]
    fn one_measure_is_enough_where_it_always_decreases() {
        assert_eq!(search(&[[0, -1], [5, -2]], 1), Some(vec![(1, vec![0, 1])]));
        assert_eq!(search(&[], 1), Some(Vec::new()));
    }

    #[test]
    fn the_second_measure_may_grow_where_the_first_decreases() {
        let nested = [[-1, 7], [0, -1]];
        assert_eq!(search(&nested, 1), None);
        assert_eq!(search(&nested, 2), Some(vec![(0, vec![0]), (1, vec![1])]));
        assert_eq!(search(&[[-1, 1], [1, -1]], 2), None);
    }
}
