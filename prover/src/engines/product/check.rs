//! Proving a product: what is known at its nodes is made inductive, and then must do.
//!
//! In: a [`Graph`] found by runs. Out: whether it proves that two ending executions from equal inputs end alike, and the
//! facts at its nodes that do.
//!
//! The facts at a node are those that all states seen there have in common. A step may lead from such a state to one that
//! does not share all of them. The solver then shows such a state, which is added to the states seen. So facts grow weaker
//! until they are inductive. (Compare Sharma et al., "A data driven approach for algebraic loop invariants", ESOP 2013, and
//! Churchill et al., "Semantic program alignment for equivalence checking", PLDI 2019.)
//!
//! Invariant: nothing is concluded from facts that the last look found not to be inductive.

use super::graph::{Alignment, Edge, Graph, Node, Setting};
use super::transitions::{BLOCKED, ERROR, EXIT};
use crate::budget::product::MAX_EXTENSIONS;
use crate::chc::houdini::{self, Look};
use crate::chc::polynomial::Polynomial;
use crate::chc::templates::{Fact, Templates, common, compared};
use num_bigint::BigInt;
use rustc_hash::FxHashMap as HashMap;
use smt::obligation::Purpose;
use smt::obligation::{Obligation, input_name, linearised};
use smt::solve::{Answer, Solver};
use smt::term::{Node as Form, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A product that is being proved.
pub(super) struct Check<'a, 'w> {
    pub(super) setting: Setting<'w>,
    pub(super) alignment: &'a Alignment,
    pub(super) graph: Graph,
    /// What is assumed of the inputs.
    pub(super) assumed: &'a [Term],
    pub(super) solver: &'a mut Solver,
    pub(super) templates: Templates,
    pub(super) facts: BTreeMap<Node, Vec<Fact>>,
    banned: BTreeMap<Node, BTreeSet<Fact>>,
    conditions: BTreeMap<Node, Vec<Polynomial>>,
    /// How many more queries may be asked.
    pub(super) queries: usize,
}

/// What a query came to.
enum Reply {
    Holds,
    /// It fails for these values of the node's columns.
    Fails(Vec<BigInt>),
    Unknown,
}

impl<'a, 'w> Check<'a, 'w> {
    pub(super) fn new(
        setting: Setting<'w>,
        alignment: &'a Alignment,
        graph: Graph,
        assumed: &'a [Term],
        solver: &'a mut Solver,
        templates: Templates,
    ) -> Self {
        let mut check = Check {
            setting,
            alignment,
            graph,
            assumed,
            solver,
            templates,
            facts: BTreeMap::new(),
            banned: BTreeMap::new(),
            conditions: BTreeMap::new(),
            queries: 0,
        };
        for node in check.graph.rows.keys().copied().collect::<Vec<_>>() {
            check.fit(node);
        }
        check
    }

    /// Whether the product proves the pair partially equivalent.
    pub(super) fn prove(&mut self) -> bool {
        for _ in 0..MAX_EXTENSIONS {
            if !self.close() {
                return false;
            }
            match self.uncovered() {
                Ok(None) => return true,
                Ok(Some((node, row))) => {
                    self.graph.allow(node, row.clone());
                    if !self.setting.extend(&mut self.graph, self.alignment, node, &row) {
                        return false;
                    }
                    for node in self.graph.rows.keys().copied().collect::<Vec<_>>() {
                        if !self.facts.contains_key(&node) {
                            self.fit(node);
                        }
                    }
                }
                Err(()) => return false,
            }
        }
        false
    }

    /// Changes facts until every edge preserves them.
    fn close(&mut self) -> bool {
        let edges: Vec<Edge> = self.graph.edges.iter().filter(|edge| !edge.to.ended()).cloned().collect();
        houdini::all_hold(edges.len() + 1, usize::MAX, |at| {
            let weakened = match at.checked_sub(1) {
                // Facts only grow weaker: what they do not show now they never will.
                None => self.ends_alike().then_some(false),
                Some(edge) => self.preserve(&edges[edge]),
            };
            weakened.map_or(Look::Hopeless, Look::weakened)
        })
    }

    /// Weakens the facts at the end of an edge until they follow; whether there was need to. `None` when out of budget.
    fn preserve(&mut self, edge: &Edge) -> Option<bool> {
        let mut weakened = false;
        loop {
            let facts = self.facts.get(&edge.to).cloned().unwrap_or_default();
            let values = self.setting.with_lengths(&edge.values);
            let goals: Vec<Term> = facts.iter().map(|fact| fact.term(&mut self.setting.arena.terms, &values)).collect();
            let goal = self.setting.arena.terms.and(&goals);
            match self.ask(edge.from, &[edge.guard], goal)? {
                Reply::Holds => return Some(weakened),
                Reply::Fails(row) => {
                    weakened = true;
                    match self.successor(edge, &row) {
                        Some(next) => {
                            self.graph.allow(edge.to, next);
                            self.fit(edge.to);
                            if self.facts.get(&edge.to) == Some(&facts) {
                                // The row did not refute what the solver refuted: its model is no state.
                                self.ban_unproved(edge, &facts, &goals)?;
                            }
                        }
                        None => self.ban_unproved(edge, &facts, &goals)?,
                    }
                }
                Reply::Unknown if faults::planted("engines/product/unknown-kept") => return Some(weakened),
                Reply::Unknown => {
                    weakened = true;
                    self.ban_unproved(edge, &facts, &goals)?;
                }
            }
        }
    }

    /// Gives up those facts that do not follow one by one, with every product as a number of its own.
    ///
    /// Where the solver did not settle all of them together, it would take as long again over each.
    fn ban_unproved(&mut self, edge: &Edge, facts: &[Fact], goals: &[Term]) -> Option<()> {
        for (fact, &goal) in facts.iter().zip(goals) {
            let obligation = self.obligation(edge.from, &[edge.guard], goal);
            let arena = &mut *self.setting.arena;
            let linear = linearised(arena, &obligation).unwrap_or(obligation);
            self.queries = self.queries.checked_sub(1)?;
            if self.solver.prove(arena, &linear) != Answer::Holds {
                self.banned.entry(edge.to).or_default().insert(fact.clone());
            }
        }
        let banned = self.banned.get(&edge.to).cloned().unwrap_or_default();
        if let Some(kept) = self.facts.get_mut(&edge.to) {
            kept.retain(|fact| !banned.contains(fact));
        }
        Some(())
    }

    /// The state that an edge leads to, if it is taken with what the store is made to hold.
    fn successor(&self, edge: &Edge, row: &[BigInt]) -> Option<Vec<BigInt>> {
        let mut store = self.setting.store(row);
        let mut values: HashMap<Term, BigInt> =
            self.setting.columns(edge.from).into_iter().zip(row.iter().cloned()).collect();
        let terms = &self.setting.arena.terms;
        if self.setting.reads && !terms.is_satisfied(edge.guard, &mut values, &mut store) {
            return None;
        }
        terms.evaluate_all(&edge.values, &mut values, &mut store)
    }

    /// What the states at a node have in common.
    fn fit(&mut self, node: Node) {
        if node.ended() || node == Node::START {
            // Nothing is asked of ends but what `ends_alike` does; nothing is known at the start but what is assumed.
            self.facts.insert(node, Vec::new());
            return;
        }
        let columns = self.setting.columns(node);
        let columns = self.setting.with_lengths(&columns);
        let sorts: Vec<Sort> = columns.iter().map(|&column| self.setting.arena.terms.sort(column)).collect();
        let conditions = self.conditions_at(node);
        let templates = Templates { conditions, ..self.templates.clone() };
        let rows = self.graph.rows.get(&node).map_or(&[][..], Vec::as_slice);
        let rows: Vec<Vec<BigInt>> = rows.iter().map(|row| self.setting.row_with_lengths(row)).collect();
        let mut facts = common(&rows, &sorts, &templates);
        if let Some(banned) = self.banned.get(&node) {
            facts.retain(|fact| !banned.contains(fact));
        }
        self.facts.insert(node, facts);
    }

    /// The polynomials that the conditions of the program compare with 0 at a node.
    fn conditions_at(&mut self, node: Node) -> Vec<Polynomial> {
        if let Some(known) = self.conditions.get(&node) {
            return known.clone();
        }
        let columns = self.setting.columns(node);
        let columns: BTreeMap<Term, usize> = self.setting.with_lengths(&columns).into_iter().zip(0..).collect();
        let sides = self.setting.sides.iter().zip(node.cuts);
        let guards: Vec<Term> =
            sides.flat_map(|(side, cut)| side.transitions[cut].iter().map(|transition| transition.guard)).collect();
        let found = compared(&self.setting.arena.terms, &guards, &columns);
        self.conditions.insert(node, found.clone());
        found
    }

    /// A state that the facts at its node allow and from which no edge leads on.
    fn uncovered(&mut self) -> Result<Option<(Node, Vec<BigInt>)>, ()> {
        let nodes: Vec<Node> = self.graph.rows.keys().copied().filter(|node| !node.ended()).collect();
        for node in nodes {
            let guards: Vec<Term> =
                self.graph.edges.iter().filter(|edge| edge.from == node).map(|edge| edge.guard).collect();
            // Executions that are blocked do not end.
            let blocked = self.blocked(node);
            let terms = &mut self.setting.arena.terms;
            let goal = terms.or(&[guards, blocked].concat());
            match self.ask(node, &[], goal).ok_or(())? {
                Reply::Holds => {}
                _ if faults::planted("engines/product/uncovered") => {}
                Reply::Fails(row) => return Ok(Some((node, row))),
                Reply::Unknown => return Err(()),
            }
        }
        Ok(None)
    }

    /// The guards of the transitions from a node by which an execution is blocked.
    pub(super) fn blocked(&self, node: Node) -> Vec<Term> {
        let sides = self.setting.sides.iter().zip(node.cuts);
        sides
            .flat_map(|(side, cut)| &side.transitions[cut])
            .filter(|transition| transition.to == BLOCKED)
            .map(|transition| transition.guard)
            .collect()
    }

    /// Whether every edge at whose end both have ended shows that they end alike.
    fn ends_alike(&mut self) -> bool {
        let last: Vec<Edge> = self.graph.edges.iter().filter(|edge| edge.to.ended()).cloned().collect();
        last.into_iter().all(|edge| {
            let terms = &mut self.setting.arena.terms;
            let goal = match edge.to.cuts {
                [EXIT, EXIT] => {
                    let outputs = &edge.values[self.setting.inputs.len()..];
                    let (mine, theirs) = outputs.split_at(outputs.len() / 2);
                    let same: Vec<Term> = mine.iter().zip(theirs).map(|(&a, &b)| terms.eq(a, b)).collect();
                    terms.and(&same)
                }
                [ERROR, ERROR] => return true,
                cuts if cuts.contains(&BLOCKED) => return true,
                _ => terms.bool(false),
            };
            matches!(self.ask(edge.from, &[edge.guard], goal), Some(Reply::Holds))
        })
    }

    /// Whether a goal follows from the facts at a node and what else is known there; `None` when out of budget.
    fn ask(&mut self, node: Node, known: &[Term], goal: Term) -> Option<Reply> {
        let columns = self.setting.columns(node);
        let obligation = self.obligation(node, known, goal);
        let arena = &mut *self.setting.arena;
        if arena.terms.is_true(goal) || obligation.assumptions.iter().any(|&fact| arena.terms.is_false(fact)) {
            return Some(Reply::Holds);
        }
        if let Some(linear) = linearised(arena, &obligation) {
            self.queries = self.queries.checked_sub(1)?;
            if self.solver.prove(arena, &linear) == Answer::Holds {
                return Some(Reply::Holds);
            }
        }
        self.queries = self.queries.checked_sub(1)?;
        Some(match self.solver.prove_or_model(arena, &obligation) {
            Answer::Holds => Reply::Holds,
            Answer::FailsAt(model) => {
                let mut references = References::default();
                let row = columns.iter().map(|&column| {
                    let Form::App(func, _) = arena.terms.node(column) else { return None };
                    let value = model.get(&input_name(*func)?);
                    // What the query does not mention may be anything.
                    match (arena.terms.sort(column), value) {
                        (_, None) => Some(BigInt::default()),
                        (Sort::Ref, Some(word)) => Some(references.number(word, model.get("null"))),
                        (_, Some(value)) => value.parse().ok(),
                    }
                });
                row.collect::<Option<Vec<BigInt>>>().map_or(Reply::Unknown, Reply::Fails)
            }
            Answer::Fails | Answer::Unknown(_) => Reply::Unknown,
        })
    }

    /// That a goal follows from the facts at a node and what else is known there.
    fn obligation(&mut self, node: Node, known: &[Term], goal: Term) -> Obligation {
        let columns = self.setting.columns(node);
        let columns = self.setting.with_lengths(&columns);
        let mut assumptions = self.assumed.to_vec();
        for fact in self.facts.get(&node).into_iter().flatten() {
            assumptions.push(fact.term(&mut self.setting.arena.terms, &columns));
        }
        assumptions.extend(known);
        Obligation { assumptions, goal, tag: Purpose::ProductInductive.into() }
    }

    /// Whether a goal holds at a node: for those who ask more of a product than that it is one.
    pub(super) fn follows(&mut self, node: Node, known: &[Term], goal: Term) -> bool {
        matches!(self.ask(node, known, goal), Some(Reply::Holds))
    }
}

/// Numbers for the words by which a model tells references apart.
#[derive(Default)]
struct References {
    words: Vec<String>,
}

impl References {
    fn number(&mut self, word: &str, null: Option<&String>) -> BigInt {
        if null.is_some_and(|null| null == word) {
            return BigInt::default();
        }
        let at = self.words.iter().position(|known| known == word).unwrap_or_else(|| {
            self.words.push(word.to_string());
            self.words.len() - 1
        });
        BigInt::from(at + 1)
    }
}
