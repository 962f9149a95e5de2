//! Termination of recursion by measures.
//!
//! In: the effects of one version. Out: the same, with `terminates` set where every recursive call provably makes a measure
//! smaller that is bounded below.
//!
//! Rule *Rank* (`proofs/soundness.md`): a measure is a linear form over the integer parameters. For each recursive call, on
//! its path, the caller's measure is at least 0 and the callee's is smaller. With two measures in lexicographic order it
//! is enough that the first does not grow, and that the second is at least 0 and shrinks. No infinite chain of calls can do
//! that. Candidates come from the conditions on the paths: a path with `t <= 0` bounds `-t`.

use crate::analysis::inference::components;
use crate::budget::ranking::{MAX_CANDIDATES, MAX_MEASURES};
use crate::chc::ranking::{Edges, bounded, decrease, lexicographic};
use crate::lower::Lowered;
use kernel::effects::Effects;
use kernel::exec::on_entry;
use kernel::exec::{Executor, Limits, execute};
use kernel::rejection::{Rejection, reject};
use lang_l::hir::ProcId;
use lang_l::source::Span;
use num_bigint::BigInt;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver, Task};
use smt::term::{CallId, Ending, Func, Node, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A linear form over parameters, by their position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// What is added.
    pub constant: BigInt,
    /// What each parameter is multiplied by.
    pub coefficients: BTreeMap<u32, BigInt>,
}

/// Why the procedures of a component end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The component; callees that it does not reach itself are not in it.
    pub component: Vec<ProcId>,
    /// No measure, where there is no recursive call on any path; or one; or two in lexicographic order.
    pub measures: Vec<Measure>,
    /// The recursive calls at which it is the second measure that shrinks, numbered along procedures and paths.
    pub by_second: Vec<usize>,
}

/// One recursive call: its version, the path to it, as assumptions, its arguments, and where it is.
struct Descent {
    version: usize,
    path: Vec<Term>,
    args: Vec<Term>,
    span: Span,
}

/// Sets `terminates` for the recursive procedures of a version that provably end; says why they do.
pub fn rank(unit: &Lowered, version: usize, effects: &mut [Effects], solver: &mut Solver) -> Vec<Ranking> {
    let mut rankings = Vec::new();
    for component in components(effects) {
        let task = Task::Alone { version, procedure: component[0] };
        if open(unit, version, effects, &component)
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

/// Sets `terminates` for the procedures of which it was found before, and checks the measures.
///
/// # Errors
/// When a measure does not shrink, or is not enough.
pub fn confirm(
    unit: &Lowered,
    version: usize,
    effects: &mut [Effects],
    solver: &mut Solver,
    rankings: &[Ranking],
) -> Result<(), Rejection> {
    let mut open_rankings = rankings.iter();
    for component in components(effects) {
        let Some(ranking) = open_rankings.as_slice().first().filter(|ranking| ranking.component == component) else {
            continue;
        };
        open_rankings.next();
        let mut arena = unit.arena();
        let descents = match open(unit, version, effects, &component) {
            true => descents(unit, version, effects, &mut arena, &component),
            false => None,
        };
        let Some(descents) = descents else { return reject("recursion is said to end that no measure can bound") };
        for (at, descent) in descents.iter().enumerate() {
            let by_second = ranking.by_second.contains(&at);
            let shrinks = match (&ranking.measures[..], by_second) {
                ([first] | [first, _], false) => shrinks(&mut arena, solver, first, descent, true),
                ([first, second], true) => {
                    shrinks(&mut arena, solver, second, descent, true)
                        && shrinks(&mut arena, solver, first, descent, false)
                }
                _ => false,
            };
            if !shrinks {
                return reject("a measure does not shrink at a recursive call");
            }
        }
        for id in &component {
            effects[id.index()].terminates = true;
        }
    }
    match open_rankings.next() {
        None => Ok(()),
        Some(_) => reject("recursion is said to end of what is no component of the call graph"),
    }
}

/// Whether a component would end if its own recursion did, and that is not known yet.
fn open(unit: &Lowered, version: usize, effects: &[Effects], component: &[ProcId]) -> bool {
    let procedures = &unit.versions()[version].procedures;
    let ends_without = |id: &ProcId| {
        let own = &effects[id.index()];
        procedures[id.index()].body.is_some()
            && !own.may_block
            && own.callees.iter().all(|callee| component.contains(callee) || effects[callee.index()].terminates)
    };
    component.iter().all(ends_without) && component.iter().any(|id| !effects[id.index()].terminates)
}

/// The recursive calls within a component; `None` when it has too many paths.
fn descents(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    arena: &mut Arena,
    component: &[ProcId],
) -> Option<Vec<Descent>> {
    let mut descents = Vec::new();
    for &id in component {
        if effects[id.index()].recursive(id) {
            descents.extend(recursive_calls(unit, version, effects, arena, id, component)?);
        }
    }
    Some(descents)
}

/// The measures that shrink, and the calls at which it is the second.
fn descends(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    solver: &mut Solver,
    component: &[ProcId],
) -> Option<(Vec<Measure>, Vec<usize>)> {
    let mut arena = unit.arena();
    let descents = descents(unit, version, effects, &mut arena, component)?;
    if descents.is_empty() {
        return Some((Vec::new(), Vec::new()));
    }
    let all: Vec<usize> = (0..descents.len()).collect();
    let mut calls = Calls { arena, solver, descents };
    let found = (1..=MAX_MEASURES).find_map(|depth| lexicographic(&mut calls, all.clone(), depth))?;
    let by_second = found.get(1).map(|(_, calls)| calls.clone()).unwrap_or_default();
    Some((found.into_iter().map(|(measure, _)| measure).collect(), by_second))
}

/// The recursive calls as edges of a graph: any may follow any other.
struct Calls<'a> {
    arena: Arena,
    solver: &'a mut Solver,
    descents: Vec<Descent>,
}

impl Edges for Calls<'_> {
    type Measure = Measure;

    fn candidates(&mut self, calls: &[usize]) -> Vec<Measure> {
        let conditions: Vec<Term> = calls.iter().flat_map(|&call| &self.descents[call].path).copied().collect();
        let bounded = bounded(&mut self.arena.terms, &conditions);
        let measures: BTreeSet<Measure> = bounded.into_iter().filter_map(|term| linear(&self.arena, term)).collect();
        measures.into_iter().take(MAX_CANDIDATES).collect()
    }

    fn decreases(&mut self, measure: &Measure, call: usize, strictly: bool) -> bool {
        shrinks(&mut self.arena, self.solver, measure, &self.descents[call], strictly)
    }

    fn cycles(&self, calls: Vec<usize>) -> Vec<Vec<usize>> {
        if calls.is_empty() { Vec::new() } else { vec![calls] }
    }
}

/// The calls from `id` into its component; `None` when it has too many paths.
fn recursive_calls(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    arena: &mut Arena,
    id: ProcId,
    component: &[ProcId],
) -> Option<Vec<Descent>> {
    let mut executor = Executor::new(unit.as_unit(), version, effects, Limits::default(), arena);
    let (_, assumed, _) = on_entry(&mut executor, id);
    let execution = execute(unit.as_unit(), version, effects, &Limits::default(), arena, (id, &assumed)).ok()?;
    let mut descents = Vec::new();
    // The outcome in which a call never ends has just the path to it.
    for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Diverges) {
        let last: Option<&CallId> = outcome.calls.last();
        let Some(record) = last.map(|&call| arena.record(call)) else { continue };
        if component.contains(&record.callee) {
            descents.push(Descent {
                version,
                path: outcome.path.clone(),
                args: record.args.clone(),
                span: record.span,
            });
        }
    }
    Some(descents)
}

/// A term as a measure, if it is a linear form over parameters.
fn linear(arena: &Arena, term: Term) -> Option<Measure> {
    let (constant, parts) = arena.terms.linear_parts(term);
    let coefficient = |(coefficient, part): (BigInt, Term)| match arena.terms.node(part) {
        Node::App(Func::Param(at), _) => Some((*at, coefficient)),
        _ => None,
    };
    Some(Measure { constant, coefficients: parts.into_iter().map(coefficient).collect::<Option<_>>()? })
}

/// Whether, at a call, the measure is at least 0 before and smaller after (`strictly`), or no greater after.
fn shrinks(arena: &mut Arena, solver: &mut Solver, measure: &Measure, descent: &Descent, strictly: bool) -> bool {
    let params: BTreeMap<u32, Term> = measure
        .coefficients
        .keys()
        .map(|&at| (at, arena.terms.app(Func::Param(at), &[], smt::term::Sort::Int)))
        .collect();
    let before = value(arena, measure, |at| params.get(&at).copied());
    let after = value(arena, measure, |at| descent.args.get(at as usize).copied());
    let (Some(before), Some(after)) = (before, after) else { return false };
    let goal = decrease(&mut arena.terms, before, after, strictly);
    let tag = Purpose::MeasureShrinks.within(descent.version, vec![descent.span]);
    solver.prove(arena, &Obligation { assumptions: descent.path.clone(), goal, tag }) == Answer::Holds
}

fn value(arena: &mut Arena, measure: &Measure, of: impl Fn(u32) -> Option<Term>) -> Option<Term> {
    let mut sum = arena.terms.int(measure.constant.clone());
    for (&at, coefficient) in &measure.coefficients {
        let term = of(at).filter(|&term| arena.terms.sort(term) == smt::term::Sort::Int)?;
        let coefficient = arena.terms.int(coefficient.clone());
        let product = arena.terms.mul(coefficient, term);
        sum = arena.terms.add(sum, product);
    }
    Some(sum)
}
