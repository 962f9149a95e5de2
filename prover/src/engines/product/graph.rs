//! Which states of the two versions are looked at side by side.
//!
//! In: two [`Side`]s, and an [`Alignment`]. Out: a [`Graph`] of the pairs of places that runs pass, laid side by side as the
//! alignment says, with the [`Edge`]s between them: some transitions of the one, some of the other.
//!
//! Invariant: what an edge says of the transitions it is made of is exact, whatever alignment and run it was found by.

use super::transitions::{BLOCKED, Cut, ENTRY, ERROR, EXIT, Side};
use crate::budget::product::{MAX_EDGES, MAX_ROWS, MAX_STORES, MAX_WINDOW};
use num_bigint::BigInt;
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::random_stores::RandomStore;
use smt::term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// How to lay two runs side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Alignment {
    /// Transition by transition.
    Together,
    /// From one place at which a variable of the one has the value of a variable of the other to the next.
    Meet(String, String),
    /// One side to its end, then the other.
    First(usize),
}

/// A pair of places; `seen` tells a first visit of a head from later ones, where that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Node {
    pub(super) cuts: [Cut; 2],
    pub(super) seen: [u64; 2],
}

/// A path from one node to another.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) from: Node,
    pub(super) to: Node,
    /// The transitions of each side, by their numbers.
    pub(super) transitions: [Vec<usize>; 2],
    /// When it is taken, over the variables of `from`.
    pub(super) guard: Term,
    /// What the variables of `to` get.
    pub(super) values: Vec<Term>,
}

/// The nodes that runs passed, with the states seen there, and the edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) rows: BTreeMap<Node, Vec<Vec<BigInt>>>,
    pub(super) edges: Vec<Edge>,
    index: BTreeSet<(Node, [Vec<usize>; 2])>,
}

/// A state of a run at a cut point, and the transition that is taken from there.
#[derive(Clone, Debug)]
pub(super) struct Point {
    cut: Cut,
    seen: u64,
    state: Vec<BigInt>,
    transition: Option<usize>,
}

/// Where both versions and their inputs are kept.
pub(super) struct Setting<'a> {
    pub(super) arena: &'a mut Arena,
    pub(super) sides: [&'a Side<'a>; 2],
    /// The terms of the inputs; where the heap is read, the number of a random store is the last.
    pub(super) inputs: &'a [Term],
    /// Whether the heap is read.
    pub(super) reads: bool,
    /// Which of the inputs are arrays.
    pub(super) arrays: &'a [usize],
    /// Whether first visits are told from later ones.
    pub(super) tagged: bool,
}

impl Node {
    pub(super) const START: Node = Node { cuts: [ENTRY, ENTRY], seen: [0, 0] };

    /// Whether both have ended.
    pub(super) fn ended(&self) -> bool {
        self.cuts.iter().all(|&cut| ended(cut))
    }
}

fn ended(cut: Cut) -> bool {
    matches!(cut, EXIT | ERROR | BLOCKED)
}

impl Setting<'_> {
    /// The terms of a node's columns: inputs, variables of version 0, variables of version 1.
    pub(super) fn columns(&self, node: Node) -> Vec<Term> {
        let mut columns = self.inputs.to_vec();
        for (side, cut) in self.sides.iter().zip(node.cuts) {
            columns.extend(&side.variables[cut]);
        }
        columns
    }

    /// The values of a node's columns, and the lengths of the arrays among the inputs.
    pub(super) fn with_lengths(&mut self, values: &[Term]) -> Vec<Term> {
        let (mut values, arrays) = (values.to_vec(), self.arrays);
        for &at in arrays {
            let length = self.arena.heaps.length(&mut self.arena.terms, values[at]);
            values.push(length);
        }
        values
    }

    /// The same of a state.
    pub(super) fn row_with_lengths(&self, row: &[BigInt]) -> Vec<BigInt> {
        let store = self.store(row);
        let length = |&at: &usize| store.map_or_else(BigInt::default, |store| store.length(&row[at]));
        row.iter().cloned().chain(self.arrays.iter().map(length)).collect()
    }

    /// The store that runs from these inputs read.
    pub(super) fn store(&self, inputs: &[BigInt]) -> Option<RandomStore> {
        let number = inputs.get(self.inputs.len().checked_sub(1)?)?;
        self.reads.then(|| RandomStore::new(u64::try_from(number).unwrap_or(0)))
    }

    /// A run of one side from a state, of at most so many transitions; whether it came to its end.
    pub(super) fn run(
        &self,
        version: usize,
        from: (Cut, u64, Vec<BigInt>),
        inputs: &[BigInt],
        most: usize,
    ) -> Vec<Point> {
        let store = self.store(inputs);
        let inputs: Vec<(Term, BigInt)> = self.inputs.iter().copied().zip(inputs.iter().cloned()).collect();
        let (mut cut, mut seen, mut state) = from;
        let mut points = Vec::new();
        loop {
            let go_on = points.len() < most;
            let next = go_on.then(|| self.sides[version].run(self.arena, cut, &state, (&inputs, store))).flatten();
            points.push(Point { cut, seen, state, transition: next.as_ref().map(|(transition, _)| *transition) });
            let Some((transition, to)) = next else { return points };
            cut = self.sides[version].transitions[cut][transition].to;
            seen = self.arrive(seen, cut);
            state = to;
        }
    }

    /// What has been seen after coming to a cut point: two bits for each head, passed once and passed again.
    fn arrive(&self, seen: u64, cut: Cut) -> u64 {
        if !self.tagged || !Side::is_head(cut) || cut >= 32 {
            return seen;
        }
        let (once, again) = (1 << (2 * cut), 2 << (2 * cut));
        if seen & once == 0 { seen | once } else { seen | again }
    }

    /// Lays two whole runs side by side, and adds what they pass to the graph; false when the alignment does not fit.
    pub(super) fn add(
        &mut self,
        graph: &mut Graph,
        alignment: &Alignment,
        inputs: &[BigInt],
        runs: [&[Point]; 2],
    ) -> bool {
        let mut at = [0, 0];
        loop {
            let points = [&runs[0][at[0]], &runs[1][at[1]]];
            let node = Node { cuts: points.map(|p| p.cut), seen: points.map(|p| p.seen) };
            graph.note(node, [inputs, &points[0].state, &points[1].state].concat());
            if node.ended() {
                return true;
            }
            let Some(step) = self.next(alignment, runs, at) else { return false };
            if !self.edge(graph, node, runs, at, step) {
                return false;
            }
            at = [at[0] + step[0], at[1] + step[1]];
        }
    }

    /// Adds an edge that is taken from a state at a node; false when there is none, or it is there already. What a store holds is not
    /// part of a state, so where the heap is read several are tried.
    pub(super) fn extend(&mut self, graph: &mut Graph, alignment: &Alignment, node: Node, row: &[BigInt]) -> bool {
        if !self.reads {
            return self.extend_by(graph, alignment, node, row);
        }
        (0..MAX_STORES).any(|number| {
            let mut row = row.to_vec();
            row[self.inputs.len() - 1] = BigInt::from(number);
            self.extend_by(graph, alignment, node, &row)
        })
    }

    fn extend_by(&mut self, graph: &mut Graph, alignment: &Alignment, node: Node, row: &[BigInt]) -> bool {
        let (inputs, rest) = row.split_at(self.inputs.len());
        let (mine, theirs) = rest.split_at(self.sides[0].variables[node.cuts[0]].len());
        let runs = [(0, mine), (1, theirs)].map(|(version, state)| {
            self.run(version, (node.cuts[version], node.seen[version], state.to_vec()), inputs, MAX_WINDOW)
        });
        let runs = [runs[0].as_slice(), runs[1].as_slice()];
        let Some(step) = self.next(alignment, runs, [0, 0]) else { return false };
        let before = graph.edges.len();
        if !self.edge(graph, node, runs, [0, 0], step) || graph.edges.len() == before {
            return false;
        }
        let points = [&runs[0][step[0]], &runs[1][step[1]]];
        let to = Node { cuts: points.map(|p| p.cut), seen: points.map(|p| p.seen) };
        graph.note(to, [inputs, &points[0].state, &points[1].state].concat());
        true
    }

    /// How many transitions each side makes from here.
    fn next(&self, alignment: &Alignment, runs: [&[Point]; 2], at: [usize; 2]) -> Option<[usize; 2]> {
        let left = [runs[0].len() - 1 - at[0], runs[1].len() - 1 - at[1]];
        match alignment {
            Alignment::Together => {
                let step = left.map(|left| left.min(1));
                (step != [0, 0]).then_some(step)
            }
            Alignment::First(first) => {
                let mut step = [0, 0];
                let mover = if left[*first] > 0 { *first } else { 1 - first };
                step[mover] = left[mover].min(1);
                (step != [0, 0]).then_some(step)
            }
            Alignment::Meet(x, y) => {
                if runs[0][at[0]].cut == ENTRY && runs[1][at[1]].cut == ENTRY {
                    return Some([1, 1]);
                }
                let mut steps: Vec<[usize; 2]> = (0..=left[0].min(MAX_WINDOW))
                    .flat_map(|a| (0..=left[1].min(MAX_WINDOW)).map(move |b| [a, b]))
                    .filter(|step| *step != [0, 0])
                    .collect();
                // The fewest transitions; of these, those that both make.
                steps.sort_by_key(|[a, b]| (a + b, a.abs_diff(*b), *b));
                let points = |[a, b]: &[usize; 2]| [&runs[0][at[0] + a], &runs[1][at[1] + b]];
                let meets = |step: &&[usize; 2]| {
                    let [mine, theirs] = points(step);
                    let mine = self.named(0, mine, x);
                    mine.is_some() && mine == self.named(1, theirs, y)
                };
                let ends = |step: &&[usize; 2]| points(step).iter().all(|point| point.is_end());
                let one_ends = |step: &&[usize; 2]| points(step).iter().any(|point| point.is_end());
                let found = steps.iter().find(meets).or_else(|| steps.iter().find(ends));
                found.or_else(|| steps.iter().find(one_ends)).copied()
            }
        }
    }

    fn named<'p>(&self, version: usize, point: &'p Point, name: &str) -> Option<&'p BigInt> {
        let side = self.sides[version];
        let at = side.live[point.cut].iter().rposition(|&var| side.name(var) == name)?;
        point.state.get(at)
    }

    fn edge(&mut self, graph: &mut Graph, from: Node, runs: [&[Point]; 2], at: [usize; 2], step: [usize; 2]) -> bool {
        let transitions = [0, 1].map(|side| -> Vec<usize> {
            runs[side][at[side]..at[side] + step[side]].iter().filter_map(|point| point.transition).collect()
        });
        if !graph.index.insert((from, transitions.clone())) {
            return true;
        }
        let mut guards = Vec::new();
        let mut values = self.inputs.to_vec();
        let mut to = from;
        for (side, transitions) in transitions.iter().enumerate() {
            let (guard, got, cut, seen) = self.compose(side, from, transitions);
            guards.push(guard);
            values.extend(got);
            to.cuts[side] = cut;
            to.seen[side] = seen;
        }
        let guard = self.arena.terms.and(&guards);
        graph.edges.push(Edge { from, to, transitions, guard, values });
        graph.edges.len() <= MAX_EDGES
    }

    /// Some transitions of one side as one.
    fn compose(&mut self, version: usize, from: Node, transitions: &[usize]) -> (Term, Vec<Term>, Cut, u64) {
        let side = self.sides[version];
        let (mut cut, mut seen) = (from.cuts[version], from.seen[version]);
        let mut values = side.variables[cut].clone();
        let mut guards = Vec::new();
        for &number in transitions {
            let transition = &side.transitions[cut][number];
            let by: HashMap<Term, Term> = side.variables[cut].iter().copied().zip(values.iter().copied()).collect();
            guards.push(self.arena.terms.substitute(transition.guard, &by));
            values = transition.values.iter().map(|&value| self.arena.terms.substitute(value, &by)).collect();
            cut = transition.to;
            seen = self.arrive(seen, cut);
        }
        (self.arena.terms.and(&guards), values, cut, seen)
    }
}

impl Graph {
    /// Adds a state seen at a node; says whether it is new.
    pub(super) fn note(&mut self, node: Node, row: Vec<BigInt>) -> bool {
        let rows = self.rows.entry(node).or_default();
        if rows.len() >= MAX_ROWS || rows.contains(&row) {
            return false;
        }
        rows.push(row);
        true
    }

    /// Adds a state that a node must allow for, however many there are.
    pub(super) fn allow(&mut self, node: Node, row: Vec<BigInt>) {
        self.rows.entry(node).or_default().push(row);
    }

    /// What tells one graph from another.
    pub(super) fn shape(&self) -> &BTreeSet<(Node, [Vec<usize>; 2])> {
        &self.index
    }
}

impl Point {
    /// Whether the run has come to its end here.
    pub(super) fn is_end(&self) -> bool {
        ended(self.cut)
    }

    /// Whether it ended without being blocked.
    pub(super) fn is_outcome(&self) -> bool {
        matches!(self.cut, EXIT | ERROR)
    }
}
