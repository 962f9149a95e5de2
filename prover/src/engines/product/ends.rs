//! Whether a product that proves partial equivalence also proves that the two end together.
//!
//! Invariant: what is concluded holds of all executions, ending or not.

use super::check::Check;
use super::graph::{self, Edge};
use super::transitions::BLOCKED;
use crate::budget::product::MAX_MEASURES;
use crate::chc::ranking::{Edges, bounded, cyclic_parts, lexicographic};
use kernel::alone::measures::decrease;
use rustc_hash::FxHashMap as HashMap;
use smt::term::{Func, Node, Term};

impl Check<'_, '_> {
    /// Whether, of two executions from equal inputs, one ends when the other does: no cycle of edges in which one of them
    /// stands still can be taken for ever.
    pub(super) fn ends_together(&mut self) -> bool {
        let nodes: Vec<graph::Node> = self.graph.rows.keys().copied().collect();
        // Nothing that is blocked ends.
        let free = nodes.into_iter().filter(|node| !node.ended()).all(|node| {
            self.blocked(node).into_iter().all(|blocked| {
                let never = self.setting.arena.terms.not(blocked);
                self.follows(node, &[], never)
            })
        });
        let free = free && !self.graph.edges.iter().any(|edge| edge.to.cuts.contains(&BLOCKED));
        free && (0..2).all(|side| {
            let still: Vec<Edge> =
                self.graph.edges.iter().filter(|edge| edge.transitions[side].is_empty()).cloned().collect();
            let all: Vec<usize> = (0..still.len()).collect();
            let depth = all.len();
            lexicographic(&mut StandingEdges { check: self, edges: still }, all, depth).is_some()
        })
    }
}

/// The edges along which one side stands still.
struct StandingEdges<'c, 'a, 'w> {
    check: &'c mut Check<'a, 'w>,
    edges: Vec<Edge>,
}

impl Edges for StandingEdges<'_, '_, '_> {
    /// A linear form over the variables at the nodes, and lengths.
    type Measure = Term;

    fn candidates(&mut self, edges: &[usize]) -> Vec<Term> {
        let guards: Vec<Term> = edges.iter().map(|&edge| self.edges[edge].guard).collect();
        let terms = &mut self.check.setting.arena.terms;
        let found = bounded(terms, &guards);
        let simple = |part: Term| matches!(terms.node(part), Node::App(..));
        let linear = |term: &Term| terms.linear_parts(*term).1.into_iter().all(|(_, part)| simple(part));
        found.into_iter().filter(linear).take(MAX_MEASURES).collect()
    }

    fn decreases(&mut self, measure: &Term, edge: usize, strictly: bool) -> bool {
        let edge = self.edges[edge].clone();
        let Some(after) = self.after(*measure, &edge) else { return false };
        let goal = decrease(&mut self.check.setting.arena.terms, *measure, after, strictly);
        self.check.follows(edge.from, &[edge.guard], goal)
    }

    fn cycles(&self, edges: Vec<usize>) -> Vec<Vec<usize>> {
        let ends: Vec<_> = edges.iter().map(|&edge| (self.edges[edge].from, self.edges[edge].to)).collect();
        let part = |part: Vec<usize>| part.into_iter().map(|at| edges[at]).collect();
        cyclic_parts(&ends).into_iter().map(part).collect()
    }
}

impl StandingEdges<'_, '_, '_> {
    /// A measure after an edge; `None` where it speaks of what is not there at both of its ends.
    fn after(&mut self, measure: Term, edge: &Edge) -> Option<Term> {
        let setting = &mut self.check.setting;
        let (at_start, at_end) = (setting.columns(edge.from), setting.columns(edge.to));
        let mut by = HashMap::default();
        for (_, part) in setting.arena.terms.linear_parts(measure).1 {
            // A variable, or the length of one.
            let (variable, is_length) = match *setting.arena.terms.node(part) {
                Node::App(Func::Length, ref args) => (args[0], true),
                _ => (part, false),
            };
            if !at_start.contains(&variable) {
                return None;
            }
            let mut value = edge.values[at_end.iter().position(|&column| column == variable)?];
            if is_length {
                value = setting.arena.heaps.length(&mut setting.arena.terms, value);
            }
            by.insert(part, value);
        }
        Some(setting.arena.terms.substitute(measure, &by))
    }
}
