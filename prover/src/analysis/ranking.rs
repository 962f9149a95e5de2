//! Termination of recursion by measures.
//!
//! In: the effects of one version. Out: the same, with `terminates` set where every recursive call provably makes a measure
//! smaller that is bounded below.
//!
//! Rule *Rank* (`proofs/soundness.md`): a measure is a linear form over the integer parameters, or the absolute value of one. For each recursive call, on
//! its path, the caller's measure is at least 0 and the callee's is smaller. With two measures in lexicographic order it
//! is enough that the first does not grow, and that the second is at least 0 and shrinks. No infinite chain of calls can do
//! that. Candidates come from the conditions on the paths: a path with `t <= 0` bounds `-t`, and one with `t != 0` the absolute value of t.

use crate::analysis::inference::components;
use crate::budget::ranking::{MAX_CANDIDATES, MAX_MEASURES};
use crate::chc::ranking::{Edges, bounded, lexicographic};
use crate::lower::Lowered;
use kernel::alone::measures::{Descent, Measure, Ranking, descents, is_open, shrinks};
use kernel::effects::Effects;
use lang_l::hir::ProcId;
use smt::arena::Arena;
use smt::solve::{Solver, Task};
use smt::term::{Func, Node, Term};
use std::collections::BTreeSet;

/// Sets `terminates` for the recursive procedures of a version that provably end; says why they do.
pub fn rank(unit: &Lowered, version: usize, effects: &mut [Effects], solver: &mut Solver) -> Vec<Ranking> {
    let mut rankings = Vec::new();
    for component in components(effects) {
        let task = Task::Alone { version, procedure: component[0] };
        if is_open(unit.as_unit(), version, effects, &component)
            && let Some((measures, by_second)) = solver
                .unless_too_large(|solver| {
                    solver.at(task, |solver| descends(unit, version, effects, solver, &component))
                })
                .flatten()
        {
            for id in &component {
                effects[id.index()].terminates = true;
            }
            rankings.push(Ranking { component, measures, by_second });
        }
    }
    rankings
}

/// The measures that shrink, and the calls at which it is the second.
fn descends(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    solver: &mut Solver,
    component: &[ProcId],
) -> Option<(Vec<Measure>, Vec<usize>)> {
    let (mut arenas, mut all_descents) = (Vec::new(), Vec::new());
    for (at, &id) in component.iter().enumerate() {
        let mut arena = unit.arena();
        let own = descents(unit.as_unit(), version, effects, &mut arena, (id, component))?;
        all_descents.extend(own.into_iter().map(|descent| (at, descent)));
        arenas.push(arena);
    }
    if all_descents.is_empty() {
        return Some((Vec::new(), Vec::new()));
    }
    let all: Vec<usize> = (0..all_descents.len()).collect();
    let mut calls = Calls { arenas, solver, descents: all_descents };
    let found = (1..=MAX_MEASURES).find_map(|depth| lexicographic(&mut calls, all.clone(), depth))?;
    let by_second = found.get(1).map(|(_, calls)| calls.clone()).unwrap_or_default();
    let most = if faults::planted("analysis/ranking/second-forgotten") { 1 } else { MAX_MEASURES };
    Some((found.into_iter().map(|(measure, _)| measure).take(most).collect(), by_second))
}

/// The recursive calls as edges of a graph: any may follow any other.
struct Calls<'a> {
    /// One for each procedure of the component.
    arenas: Vec<Arena>,
    solver: &'a mut Solver,
    /// Each in the arena of this number.
    descents: Vec<(usize, Descent)>,
}

impl Edges for Calls<'_> {
    type Measure = Measure;

    fn candidates(&mut self, calls: &[usize]) -> Vec<Measure> {
        let mut measures: BTreeSet<Measure> = BTreeSet::new();
        for (at, arena) in self.arenas.iter_mut().enumerate() {
            let own = calls.iter().map(|&call| &self.descents[call]).filter(|(of, _)| *of == at);
            let conditions: Vec<Term> = own.flat_map(|(_, descent)| &descent.path).copied().collect();
            let bounded = bounded(&mut arena.terms, &conditions);
            measures.extend(bounded.iter().filter_map(|&term| linear(arena, term)));
            // Both ways are there where it is not 0: one is enough.
            let both = |term: &&Term| arena.terms.neg(**term) > **term && bounded.contains(&arena.terms.neg(**term));
            let absolute: Vec<Term> = bounded.iter().filter(both).copied().collect();
            let absolute = absolute.into_iter().filter_map(|term| linear(arena, term));
            measures.extend(absolute.map(|measure| Measure { absolute: true, ..measure }));
        }
        measures.into_iter().take(MAX_CANDIDATES).collect()
    }

    fn decreases(&mut self, measure: &Measure, call: usize, strictly: bool) -> bool {
        let (at, descent) = &self.descents[call];
        faults::planted("analysis/ranking/unchecked")
            || shrinks(&mut self.arenas[*at], self.solver, measure, descent, strictly)
    }

    fn cycles(&self, calls: Vec<usize>) -> Vec<Vec<usize>> {
        if calls.is_empty() { Vec::new() } else { vec![calls] }
    }
}

/// A term as a measure, if it is a linear form over parameters and their lengths.
fn linear(arena: &Arena, term: Term) -> Option<Measure> {
    let (mut constant, parts) = arena.terms.linear_parts(term);
    if faults::planted("analysis/ranking/unbounded") {
        constant -= 1;
    }
    let mut measure = Measure { constant, ..Measure::default() };
    for (coefficient, part) in parts {
        match arena.terms.node(part) {
            Node::App(Func::Param(at), _) => measure.coefficients.insert(*at, coefficient),
            Node::App(Func::Length, of) => match arena.terms.node(*of.first()?) {
                Node::App(Func::Param(at), _) => measure.lengths.insert(*at, coefficient),
                _ => return None,
            },
            _ => return None,
        };
    }
    Some(measure)
}
