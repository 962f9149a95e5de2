//! Whether a product that proves partial equivalence also proves that the two end together.
//!
//! Invariant: what is concluded holds of all executions, ending or not.

use super::check::Check;
use super::graph::{Edge, Node};
use super::transitions::BLOCKED;
use num_bigint::BigInt;
use smt::term::{Func, Node as Form, Term};
use std::collections::{BTreeMap, BTreeSet};

/// More measures than this are not tried for one cycle.
const MAX_MEASURES: usize = 14;

impl Check<'_, '_> {
    /// Whether, of two executions from equal inputs, one ends when the other does: no cycle of edges in which one of them
    /// stands still can be gone round for ever.
    pub(super) fn ends_together(&mut self) -> bool {
        let nodes: Vec<Node> = self.graph.rows.keys().copied().collect();
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
            self.runs_dry(still)
        })
    }

    /// Whether no endless path goes along these edges.
    fn runs_dry(&mut self, edges: Vec<Edge>) -> bool {
        cyclic_parts(&edges).into_iter().all(|part| {
            let measures = self.measures(&part);
            measures.into_iter().any(|measure| {
                let mut rest = Vec::new();
                for edge in &part {
                    match self.shrinks(&measure, edge) {
                        Some(true) => {}
                        Some(false) => rest.push(edge.clone()),
                        None => return false,
                    }
                }
                rest.len() < part.len() && self.runs_dry(rest)
            })
        })
    }

    /// Whether a measure is at least 0 before an edge and smaller after it (`Some(true)`), or no greater after it.
    fn shrinks(&mut self, measure: &[(BigInt, Term)], edge: &Edge) -> Option<bool> {
        let columns = self.setting.columns(edge.from);
        let at_end = self.setting.columns(edge.to);
        let arena = &mut *self.setting.arena;
        let mut before = arena.terms.int(0);
        let mut after = arena.terms.int(0);
        for (coefficient, part) in measure {
            let factor = arena.terms.int(coefficient.clone());
            let (mut old, mut new) = (factor, factor);
            if arena.terms.as_int(*part).is_none() {
                // A variable, or the length of one.
                let (variable, length) = match *arena.terms.node(*part) {
                    Form::App(Func::Length, ref args) => (args[0], true),
                    _ => (*part, false),
                };
                if !columns.contains(&variable) {
                    return None;
                }
                let at = at_end.iter().position(|&column| column == variable)?;
                let mut value = edge.values[at];
                if length {
                    value = arena.heaps.length(&mut arena.terms, value);
                }
                old = arena.terms.mul(factor, *part);
                new = arena.terms.mul(factor, value);
            }
            before = arena.terms.add(before, old);
            after = arena.terms.add(after, new);
        }
        let zero = arena.terms.int(0);
        let bounded = arena.terms.le(zero, before);
        let smaller = arena.terms.lt(after, before);
        let no_greater = arena.terms.le(after, before);
        let both = arena.terms.and(&[bounded, smaller]);
        if self.follows(edge.from, &[edge.guard], both) {
            return Some(true);
        }
        self.follows(edge.from, &[edge.guard], no_greater).then_some(false)
    }

    /// Linear forms that the guards of these edges say are at least 0, and those that they say are not 0, both ways.
    fn measures(&self, edges: &[Edge]) -> Vec<Vec<(BigInt, Term)>> {
        let terms = &self.setting.arena.terms;
        let mut found = BTreeSet::new();
        fn collect(terms: &smt::term::Terms, condition: Term, found: &mut BTreeSet<(Term, bool)>) {
            match terms.node(condition) {
                Form::And(parts) => parts.iter().for_each(|&part| collect(terms, part, found)),
                Form::AtMostZero(t) => {
                    found.insert((*t, false));
                }
                Form::Not(inner) => {
                    if let Form::IsZero(t) = terms.node(*inner) {
                        found.extend([(*t, false), (*t, true)]);
                    }
                }
                _ => {}
            }
        }
        edges.iter().for_each(|edge| collect(terms, edge.guard, &mut found));
        let linear = |(term, positive): (Term, bool)| {
            let (constant, parts) = terms.linear_parts(term);
            let sign = |c: BigInt| if positive { c } else { -c };
            let simple = parts.iter().all(|(_, part)| matches!(terms.node(*part), Form::App(..)));
            let mut measure: Vec<(BigInt, Term)> = parts.into_iter().map(|(c, part)| (sign(c), part)).collect();
            measure.push((sign(constant), self.one));
            simple.then_some(measure)
        };
        found.into_iter().filter_map(linear).take(MAX_MEASURES).collect()
    }
}

/// The strongly connected parts of a graph that have edges.
fn cyclic_parts(edges: &[Edge]) -> Vec<Vec<Edge>> {
    let mut reach: BTreeMap<Node, BTreeSet<Node>> = BTreeMap::new();
    for edge in edges {
        reach.entry(edge.from).or_default().insert(edge.to);
    }
    loop {
        let mut changed = false;
        for node in reach.keys().copied().collect::<Vec<_>>() {
            let more: BTreeSet<Node> =
                reach[&node].iter().filter_map(|next| reach.get(next)).flatten().copied().collect();
            let own = reach.entry(node).or_default();
            let before = own.len();
            own.extend(more);
            changed |= own.len() > before;
        }
        if !changed {
            break;
        }
    }
    let connected = |a: Node, b: Node| {
        let to = |a: Node, b: Node| reach.get(&a).is_some_and(|reached| reached.contains(&b));
        to(a, b) && to(b, a)
    };
    let mut parts: BTreeMap<Node, Vec<Edge>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| connected(edge.from, edge.to)) {
        let name = reach.keys().copied().find(|&node| connected(node, edge.from)).unwrap_or(edge.from);
        parts.entry(name).or_default().push(edge.clone());
    }
    parts.into_values().collect()
}
