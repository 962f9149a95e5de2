//! What is known of paths through the heap on entry.
//!
//! In: the `reach` conditions that a text speaks of, and the fields it reads. Out: facts about them, each an instance of what
//! a path is (`proofs/soundness.md`, rule *Paths*).
//!
//! Invariant: bounded in number.

use super::Writer;
use crate::arena::Arena;
use crate::term::{Func, Node, Selector, Sort, Term};
use std::collections::BTreeSet;

/// More sources, targets or edges than this are not combined.
const MOST: usize = 8;

impl Writer {
    /// Brings in the conditions that paths at hand pass through.
    pub(super) fn reach_steps(&mut self, arena: &mut Arena) {
        let found = self.paths(arena);
        if found.is_empty() {
            return;
        }
        let sources: BTreeSet<Term> = found.iter().map(|&(from, _, _)| from).collect();
        let edges = self.edges(arena);
        for &from in sources.iter().take(MOST) {
            for &(object, value, ..) in edges.iter().take(MOST) {
                for to in [object, value] {
                    let path = arena.terms.app(Func::Reach, &[from, to], Sort::Bool);
                    self.visit(arena, path);
                }
            }
        }
        // A path that is longer than nothing begins with an edge: where all edges are fields, it is one of these.
        if arena.heaps.has_reference_cells() {
            return;
        }
        let fields = arena.heaps.reference_fields();
        for (from, to, _) in found.into_iter().take(MOST) {
            let mut first = Vec::new();
            for &field in &fields {
                let next = arena.terms.app(Func::Initial(Selector::Field(field)), &[from], Sort::Ref);
                let rest = arena.terms.app(Func::Reach, &[next, to], Sort::Bool);
                self.visit(arena, rest);
                first.push(self.names[&rest].clone());
            }
            let path = arena.terms.app(Func::Reach, &[from, to], Sort::Bool);
            let (path, from, to) = (self.names[&path].clone(), &self.names[&from], &self.names[&to]);
            self.facts.push(format!("(=> (and {path} (not (= {from} {to}))) (or false {}))", first.join(" ")));
        }
    }

    /// The facts about all conditions at hand.
    pub(super) fn reach_facts(&mut self, arena: &mut Arena) {
        let paths = self.paths(arena);
        if paths.is_empty() {
            return;
        }
        let null = arena.terms.null();
        self.visit(arena, null);
        let name = |writer: &Self, term: Term| writer.names[&term].clone();
        for &(from, to, path) in &paths {
            let (a, b, p) = (name(self, from), name(self, to), name(self, path));
            // From an object to itself; and to another only among those that existed on entry.
            self.facts.push(format!("(=> (and (= {a} {b}) (not (= {a} null))) {p})"));
            let both = format!("(and (= (alloc {a}) 1) (= (alloc {b}) 1))");
            self.facts.push(format!("(=> {p} (and (not (= {a} null)) (not (= {b} null)) (or (= {a} {b}) {both})))"));
        }
        let edges = self.edges(arena);
        for &(from, to, path) in &paths {
            for &(object, value, index) in edges.iter().filter(|&&(object, ..)| object == to) {
                let Some(&(.., longer)) = paths.iter().find(|&&(a, b, _)| (a, b) == (from, value)) else { continue };
                let (p, v, l) = (name(self, path), name(self, value), name(self, longer));
                let inside = match index {
                    Some(index) => {
                        let length = arena.heaps.length(&mut arena.terms, object);
                        self.visit(arena, length);
                        let (i, n) = (name(self, index), name(self, length));
                        format!("(and (<= 0 {i}) (< {i} {n}))")
                    }
                    None => "true".to_string(),
                };
                self.facts.push(format!("(=> (and {p} {inside} (not (= {v} null))) {l})"));
            }
            for &(middle, end, rest) in paths.iter().filter(|&&(middle, ..)| middle == to) {
                let Some(&(.., whole)) = paths.iter().find(|&&(a, b, _)| (a, b) == (from, end)) else { continue };
                if middle != from && middle != end {
                    let (p, r, w) = (name(self, path), name(self, rest), name(self, whole));
                    self.facts.push(format!("(=> (and {p} {r}) {w})"));
                }
            }
        }
    }

    /// From where, to where, and the condition that says so.
    fn paths(&self, arena: &Arena) -> Vec<(Term, Term, Term)> {
        let path = |&term: &Term| match arena.terms.node(term) {
            Node::App(Func::Reach, args) => Some((args[0], args[1], term)),
            _ => None,
        };
        self.names.keys().filter_map(path).collect()
    }

    /// What points to what in the heap on entry, with the index if the edge is a cell.
    fn edges(&self, arena: &Arena) -> Vec<(Term, Term, Option<Term>)> {
        let edge = |&term: &Term| match arena.terms.node(term) {
            Node::App(Func::Initial(_), args) if arena.terms.sort(term) == Sort::Ref => {
                Some((args[0], term, args.get(1).copied()))
            }
            _ => None,
        };
        self.names.keys().filter_map(edge).collect()
    }
}
