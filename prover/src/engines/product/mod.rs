//! Products: two procedures with loops, run side by side under invariants that are found from runs.
//!
//! In: a pair of procedures over integers and a heap they only read. Their only recursion is by loops, or calls in tail
//! position. Out: whether a product of the two proves that they are partially equivalent, and whether it proves that they
//! end together.
//!
//! Loops seldom match iteration by iteration where somebody has worked on them: one is unrolled, split, peeled, or a
//! formula. So both are run on a number of inputs, and an [`Alignment`](graph::Alignment) lays the runs side by side:
//! - iteration by iteration;
//! - from one place where a variable has the same value in both to the next;
//! - one after the other.
//!
//! What the states seen side by side have in common is proved to be an invariant, or given up.
//!
//! Rule *Product* (`proofs/soundness.md`): two ending executions from equal inputs end alike if
//! - the edges preserve the facts at each node;
//! - the edges of a node cover all states with its facts;
//! - the last edges show equal outputs.
//!
//! Invariant: the runs only propose; what is concluded, the solver has proved.

mod check;
mod ends;
mod flow;
mod graph;
mod transitions;

use super::{Engine, relational};
use crate::budget::product::{MAX_DRAWN, MAX_ENDING_QUERIES, MAX_INPUTS, MAX_OTHERS, MAX_QUERIES, MAX_RUN};
use crate::chc::templates::{self, Templates};
use crate::engines::fragments::only_reads;
use crate::goal::{Goal, Pair, PairProof, Program, Rule, assumptions};
use check::Check;
use graph::{Alignment, Graph, Point, Setting};
use kernel::relate::Level;
use lang_l::hir::{Expr, GlobalId, Type};
use lang_l::random::Random;
use num_bigint::BigInt;
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::random_stores::{RandomStore, draw};
use smt::solve::Solver;
use smt::term::{Func, Node as Form, Sort, Term};
use std::collections::BTreeSet;
use transitions::{ENTRY, Side};

/// Where the inputs start from.
const SEED: u64 = 0x9e37_79b9;
/// Of so many stores each input is given one.
const STORES: usize = 1 << 20;
/// The number of the input that names a random store; no program looks at it.
const STORE: u32 = 1 << 22;

/// By a product of both and invariants found from runs.
static PRODUCT: Rule = Rule {
    name: "product",
    sentence: "proved by running both side by side under invariants found from runs",
    argument: "Product",
    // It asks many queries, and what it does not find soon it seldom finds.
    share: 100,
};

/// Rule *Product*: over integers alone, or over a heap that is only read.
pub(crate) struct Product {
    /// Whether it is for pairs that look at the heap; else for those that do not.
    pub(crate) over_reads: bool,
}

impl Engine for Product {
    fn rule(&self) -> &'static Rule {
        &PRODUCT
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        // Where the heap is read partial equivalence is as far as the search goes on.
        let open = if self.over_reads { goal.reached.is_none() } else { goal.reached != Some(Level::Full) };
        !goal.is_loop() && reads(goal.program, goal.pair) == self.over_reads && open
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        match attempt(goal.program, goal.pair, goal.when, solver).flatten() {
            Some(level) => relational::proof(goal, &PRODUCT, level, None),
            None => relational::nothing(goal, &PRODUCT),
        }
    }

    fn is_last_word(&self) -> bool {
        true
    }
}

/// Whether one of the two looks at the heap.
fn reads(program: &Program<'_>, pair: Pair) -> bool {
    let ids = [pair.0, pair.1];
    (0..2).any(|version| !program.effects[version][ids[version].index()].accesses.is_empty())
}

/// The globals of a product; `None` where there can be none.
fn globals(program: &Program<'_>, pair: Pair) -> Option<Vec<GlobalId>> {
    let ids = [pair.0, pair.1];
    if reads(program, pair) && !(0..2).all(|version| only_reads(program, version, ids[version])) {
        return None;
    }
    let touched = |version: usize| &program.effects[version][ids[version].index()];
    let globals: BTreeSet<GlobalId> = (0..2).flat_map(|version| touched(version).globals.iter().copied()).collect();
    let plain = |global: &GlobalId| !program.unit.globals()[global.index()].ty.is_reference();
    globals.iter().all(plain).then(|| globals.into_iter().collect())
}

/// Both versions as graphs of cut points, at least one with a loop.
fn sides<'u>(program: &'u Program<'_>, pair: Pair, globals: &[GlobalId], arena: &mut Arena) -> Option<[Side<'u>; 2]> {
    let left = Side::of(program, arena, 0, pair.0, globals)?;
    let right = Side::of(program, arena, 1, pair.1, globals)?;
    (left.loops() || right.loops()).then_some([left, right])
}

/// The level that a product proves, if one proves any; `None` where none can be made.
fn attempt(program: &Program<'_>, pair: Pair, when: Option<&Expr>, solver: &mut Solver) -> Option<Option<Level>> {
    let ids = [pair.0, pair.1];
    let touched = |version: usize| &program.effects[version][ids[version].index()];
    let reads = reads(program, pair);
    let globals = globals(program, pair)?;
    let mut arena = program.unit.arena();
    let mut assumed = assumptions(program, pair, when, &mut arena);
    // Less may always be assumed; runs cannot look at quantifiers.
    assumed.retain(|&condition| !quantified(&arena, condition));
    let [left, right] = sides(program, pair, &globals, &mut arena)?;
    let mut inputs = inputs(program, pair, &globals, &mut arena);
    let params = &program.unit.procedure(0, pair.0).locals[..];
    let is_array = |at: &usize| matches!(params[*at].ty, Type::Array(_));
    let arrays: Vec<usize> = (0..program.unit.procedure(0, pair.0).params).filter(is_array).collect();
    if reads {
        inputs.push(arena.terms.app(Func::Param(STORE), &[], Sort::Int));
    }
    let constants = constants(&arena, [&left, &right]);
    let rows = draw_inputs(&arena, (&inputs, reads), &assumed, &constants);
    let sides = [&left, &right];
    let mut tried = BTreeSet::new();
    let mut left = MAX_QUERIES;
    for Attempt { alignment, tagged, degree, queries } in attempts(sides) {
        let mut setting = Setting { arena: &mut arena, sides, inputs: &inputs, reads, arrays: &arrays, tagged };
        let Some(graph) = observe(&mut setting, &alignment, &rows) else { continue };
        if !tried.insert((graph.shape().clone(), degree, tagged)) {
            continue;
        }
        let queries = queries.min(left);
        let templates = Templates { degree, ..Templates::near(&constants) };
        let mut check = Check::new(setting, &alignment, graph, &assumed, solver, templates);
        check.queries = queries;
        if check.prove() {
            check.queries = MAX_ENDING_QUERIES;
            let both = (0..2).all(|version| touched(version).terminates);
            return Some(Some(if both || faults::planted("engines/product/ends-unchecked") || check.ends_together() {
                Level::Full
            } else {
                Level::Partial
            }));
        }
        left -= queries - check.queries.min(queries);
        if left == 0 {
            break;
        }
    }
    Some(None)
}

/// Whether there is a quantifier in a condition.
fn quantified(arena: &Arena, condition: Term) -> bool {
    let node = arena.terms.node(condition);
    matches!(node, Form::Forall(..)) || node.children().into_iter().any(|part| quantified(arena, part))
}

/// The terms of the inputs: parameters, then globals.
fn inputs(program: &Program<'_>, pair: Pair, globals: &[GlobalId], arena: &mut Arena) -> Vec<Term> {
    let code = program.unit.procedure(0, pair.0);
    let params = code.locals[..code.params].iter().zip(0u32..);
    let mut inputs: Vec<Term> =
        params.map(|(local, at)| arena.terms.app(Func::Param(at), &[], Sort::from(&local.ty))).collect();
    for global in globals {
        let sort = Sort::from(&program.unit.globals()[global.index()].ty);
        inputs.push(arena.terms.app(Func::Global(global.0), &[], sort));
    }
    inputs
}

/// One attempt.
struct Attempt {
    alignment: Alignment,
    /// Whether to tell first visits of loops from later ones.
    tagged: bool,
    /// The highest degree of equations to look for.
    degree: u32,
    /// How many queries it may ask.
    queries: usize,
}

/// What to try: what is cheap and succeeds often first.
fn attempts(sides: [&Side<'_>; 2]) -> Vec<Attempt> {
    let meet = |mine: &str, theirs: &str| Alignment::Meet(mine.to_string(), theirs.to_string());
    let names = sides.map(Side::changing);
    let same: Vec<Alignment> = names[0].intersection(&names[1]).map(|name| meet(name, name)).collect();
    let mut attempts = Vec::new();
    let mut plan = |alignments: &[Alignment], tagged: bool, degree: u32, queries: usize| {
        attempts.extend(alignments.iter().map(|alignment| Attempt {
            alignment: alignment.clone(),
            tagged,
            degree,
            queries,
        }));
    };
    let together = [Alignment::Together];
    let in_turn = [Alignment::First(0), Alignment::First(1)];
    plan(&together, false, 1, 60);
    plan(&same, false, 1, 60);
    plan(&together, false, 2, 120);
    plan(&same, false, 2, 200);
    plan(&in_turn, false, 2, 160);
    plan(&in_turn, true, 2, 250);
    plan(&same, true, 2, 250);
    plan(&together, true, 2, 250);
    let other: Vec<Alignment> = names[0]
        .iter()
        .flat_map(|mine| names[1].iter().filter(move |theirs| *theirs != mine).map(move |theirs| meet(mine, theirs)))
        .take(MAX_OTHERS)
        .collect();
    plan(&other, false, 2, 120);
    plan(&in_turn, true, 3, 300);
    attempts
}

/// The graph that the runs from these inputs make; `None` when the alignment does not fit them.
fn observe(setting: &mut Setting<'_>, alignment: &Alignment, rows: &[Vec<BigInt>]) -> Option<Graph> {
    let mut graph = Graph::default();
    for inputs in rows {
        let runs = [0, 1].map(|version| setting.run(version, (ENTRY, 0, Vec::new()), inputs, MAX_RUN));
        if !runs.iter().all(|run| run.last().is_some_and(Point::is_outcome)) {
            continue;
        }
        if !setting.add(&mut graph, alignment, inputs, [&runs[0], &runs[1]]) {
            return None;
        }
    }
    (!graph.edges.is_empty()).then_some(graph)
}

/// The numbers that the transitions mention.
fn constants(arena: &Arena, sides: [&Side<'_>; 2]) -> BTreeSet<BigInt> {
    let transitions = sides.iter().flat_map(|side| side.transitions.iter().flatten());
    let roots: Vec<Term> = transitions.flat_map(|own| own.values.iter().copied().chain([own.guard])).collect();
    templates::constants(&arena.terms, &roots)
}

/// Inputs that satisfy what is assumed: small numbers, and numbers near those that the programs mention.
fn draw_inputs(
    arena: &Arena,
    (inputs, reads): (&[Term], bool),
    assumed: &[Term],
    constants: &BTreeSet<BigInt>,
) -> Vec<Vec<BigInt>> {
    let constants: Vec<&BigInt> = constants.iter().collect();
    let mut random = Random::new(SEED);
    let mut rows: Vec<Vec<BigInt>> = Vec::new();
    for _ in 0..MAX_DRAWN {
        let mut value = |(at, &input): (usize, &Term)| match arena.terms.sort(input) {
            Sort::Int if reads && at + 1 == inputs.len() => BigInt::from(random.below(STORES)),
            Sort::Int => match constants.get(random.below(4 * constants.len())) {
                Some(constant) => draw(&mut random, Sort::Int) / 3 + *constant,
                None => draw(&mut random, Sort::Int),
            },
            sort => draw(&mut random, sort),
        };
        let row: Vec<BigInt> = inputs.iter().enumerate().map(&mut value).collect();
        let mut values: HashMap<Term, BigInt> = inputs.iter().copied().zip(row.iter().cloned()).collect();
        let mut store = row.last().filter(|_| reads).map(|number| RandomStore::new(u64::try_from(number).unwrap_or(0)));
        let allowed = assumed.iter().all(|&condition| arena.terms.is_satisfied(condition, &mut values, &mut store));
        if allowed && !rows.contains(&row) {
            rows.push(row);
        }
        if rows.len() >= MAX_INPUTS {
            break;
        }
    }
    rows
}
