//! Effects that take symbolic execution: what a procedure may modify, and when it can err.
//!
//! In: the syntactic effects. Out: the same effects with `modifies` and `errs_only_if_null` filled in where they could be proved,
//! each by induction over call depth: assumed of the callees, recursive ones included, and checked for the body. Before that what
//! holds on entry of loops ([`crate::analysis::loop_invariants`]), after it `errs_if_null`, without solver.
//!
//! Invariant: only what was checked is written down (`proofs/soundness.md`, rule *Infer*).

use crate::analysis::{loop_invariants, only_if};
use crate::chc::houdini::{self, Look};
use crate::lower::Lowered;
use kernel::effects::Effects;
use kernel::exec::on_entry;
use kernel::exec::state::Outcome;
use kernel::exec::{Executor, Limits, execute};
use kernel::only_if::OnlyIf;
use kernel::rejection::{Rejection, reject};
use lang_l::hir::{Expr, ExprKind, LocalId, ProcId, Procedure};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use smt::arena::Arena;
use smt::heap::HeapNode;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver, Task};
use smt::term::{AllocClass, Ending, Func, Node, PathFacts, Sort, Term};
use std::collections::BTreeSet;

/// Fills in the effects of one version.
pub fn infer(unit: &Lowered, version: usize, effects: &mut [Effects], solver: &mut Solver) {
    loop_invariants::infer(unit, version, effects, solver);
    let relinked = only_if::relinked(unit);
    for component in components(effects) {
        let task = Task::Alone { version, procedure: component[0] };
        let inferred = solver.unless_too_large(|solver| {
            solver.at(task, |solver| {
                infer_modifies(unit, version, effects, solver, &component);
                infer_errors(unit, version, effects, solver, &component);
            });
            infer_needs(unit, version, effects, &component);
            solver.at(task, |solver| only_if::infer(unit, version, effects, solver, (&component, &relinked)));
        });
        if inferred.is_none() {
            forget(effects, &component);
        }
    }
}

/// Leaves nothing inferred of these: what was assumed on the way to it was not checked.
fn forget(effects: &mut [Effects], component: &[ProcId]) {
    for id in component {
        let own = &mut effects[id.index()];
        (own.modifies, own.errs_only_if_null) = (None, None);
        own.errs_if_null.clear();
        own.changes_only_if.clear();
    }
}

/// What was found of one procedure: positions of parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InferredEffects {
    /// Those that name on entry all that may change of what existed then; `None` where nothing is known.
    pub modifies: Option<Vec<usize>>,
    /// Those of which one must be null for it to err; `None` where nothing is known.
    pub errs_only_if_null: Option<Vec<usize>>,
    /// What changes only if something held on entry.
    pub changes_only_if: Vec<OnlyIf>,
    /// Of a loop: which of the conditions that are tried hold whenever it is entered, and whenever it has returned.
    pub loops: loop_invariants::LoopInvariants,
}

/// What [`infer`] has filled in; nothing for procedures without a body.
pub fn inferred(unit: &Lowered, version: usize, effects: &[Effects]) -> Vec<InferredEffects> {
    let position = |place: &Expr| match place.kind {
        ExprKind::Local(id) => Some(id.index()),
        _ => None,
    };
    let found = |((own, code), loops): ((&Effects, &Procedure), loop_invariants::LoopInvariants)| match code.body {
        Some(_) => InferredEffects {
            modifies: own.modifies.as_ref().and_then(|places| places.iter().map(position).collect()),
            errs_only_if_null: own.errs_only_if_null.clone(),
            changes_only_if: own.changes_only_if.clone(),
            loops,
        },
        None => InferredEffects::default(),
    };
    let procedures = &unit.versions()[version].procedures;
    effects.iter().zip(procedures).zip(loop_invariants::held(unit, version, effects)).map(found).collect()
}

/// Fills in the effects of one version as they were found before. Nobody has checked them; but when a procedure errs for sure is read
/// off its paths again.
///
/// # Errors
/// When one of them cannot be said.
pub fn fill(
    unit: &Lowered,
    version: usize,
    effects: &mut [Effects],
    found: &[InferredEffects],
) -> Result<(), Rejection> {
    if found.len() != effects.len() {
        return reject("something is said of procedures that there are not");
    }
    let loops: Vec<loop_invariants::LoopInvariants> = found.iter().map(|found| found.loops.clone()).collect();
    loop_invariants::fill(unit, version, effects, &loops)?;
    for component in components(effects) {
        let code = |id: ProcId| unit.procedure(version, id);
        let members: Vec<(ProcId, &InferredEffects)> = component
            .iter()
            .filter(|&&id| code(id).body.is_some())
            .filter_map(|&id| Some((id, found.get(id.index())?)))
            .collect();
        for (id, InferredEffects { modifies, errs_only_if_null, .. }) in &members {
            let references = |places: &Vec<usize>| {
                let params = &code(*id).locals[..code(*id).params];
                places.iter().all(|&at| params.get(at).is_some_and(|local| local.ty.is_reference()))
            };
            if ![modifies, errs_only_if_null].into_iter().flatten().all(references) {
                return reject(format!("a fact about {} names what is no reference parameter", code(*id).name));
            }
            let expr = |&at: &usize| param_expr(code(*id), u32::try_from(at).unwrap_or(u32::MAX));
            let own = &mut effects[id.index()];
            own.modifies = modifies.as_ref().map(|places| places.iter().map(expr).collect());
            own.errs_only_if_null.clone_from(errs_only_if_null);
        }
        infer_needs(unit, version, effects, &component);
        for (id, found) in &members {
            if !found.changes_only_if.iter().all(|own| own.can_be_said(unit.as_unit(), code(*id))) {
                return reject(format!("something is said of {} that cannot be", code(*id).name));
            }
            effects[id.index()].changes_only_if.clone_from(&found.changes_only_if);
        }
    }
    Ok(())
}

/// Strongly connected components of the call graph, callees first.
pub fn components(effects: &[Effects]) -> Vec<Vec<ProcId>> {
    let mut graph: DiGraphMap<ProcId, ()> = DiGraphMap::new();
    for (id, own) in (0u32..).map(ProcId).zip(effects) {
        graph.add_node(id);
        own.callees.iter().for_each(|&callee| {
            graph.add_edge(id, callee, ());
        });
    }
    // Each comes before those from which it is reached.
    let mut components = kosaraju_scc(&graph);
    components.iter_mut().for_each(|component| component.sort());
    components
}

/// Finds the least set of parameters that `modifies` can be, from below: nothing, then what was seen to change.
fn infer_modifies(unit: &Lowered, version: usize, effects: &mut [Effects], solver: &mut Solver, component: &[ProcId]) {
    let code = |id: ProcId| unit.procedure(version, id);
    let members: Vec<ProcId> = component.iter().copied().filter(|&id| code(id).body.is_some()).collect();
    for &id in &members {
        effects[id.index()].modifies = Some(Vec::new());
    }
    houdini::all_hold(members.len(), usize::MAX, |at| {
        let id = members[at];
        let Some(places) = effects[id.index()].modifies.clone() else { return Look::Holds };
        let next = modified_params(unit, version, effects, solver, id, places.clone());
        let weakened = next.as_ref() != Some(&places);
        if !faults::planted("analysis/inference/one-round") {
            effects[id.index()].modifies = next;
        }
        Look::weakened(weakened && !faults::planted("analysis/inference/one-round"))
    });
}

/// `places`, and the parameters seen to change beyond them; `None` when something else changes.
fn modified_params(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    solver: &mut Solver,
    id: ProcId,
    mut places: Vec<Expr>,
) -> Option<Vec<Expr>> {
    let code = unit.procedure(version, id);
    let mut arena = unit.arena();
    let execution = execute(unit.as_unit(), version, effects, &Limits::default(), &mut arena, (id, &[])).ok()?;
    for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Normal) {
        for target in written_objects(&mut arena, outcome)? {
            if !arena.terms.allocs(target).contains(AllocClass::OLD) {
                continue;
            }
            let named = places.iter().any(|place| param_of(&mut arena, place) == Some(target));
            if named {
                continue;
            }
            match *arena.terms.node(target) {
                Node::App(Func::Param(at), _) => places.push(param_expr(code, at)),
                _ => {
                    let allowed: Vec<Term> = places.iter().filter_map(|place| param_of(&mut arena, place)).collect();
                    if !faults::planted("analysis/inference/fills-unseen")
                        && !confined(&mut arena, solver, outcome, target, &allowed)
                    {
                        return None;
                    }
                }
            }
        }
    }
    Some(places)
}

fn param_expr(code: &Procedure, at: u32) -> Expr {
    let id = LocalId(at);
    Expr { kind: ExprKind::Local(id), ty: code.local(id).ty.clone(), span: code.local(id).span }
}

fn param_of(arena: &mut Arena, place: &Expr) -> Option<Term> {
    match place.kind {
        ExprKind::Local(id) => Some(arena.terms.app(Func::Param(id.0), &[], Sort::from(&place.ty))),
        _ => None,
    }
}

/// Whether, on this path, an object is new or one of `allowed`.
fn confined(arena: &mut Arena, solver: &mut Solver, outcome: &Outcome, target: Term, allowed: &[Term]) -> bool {
    let old = arena.terms.born(target, AllocClass::OLD);
    let mut cases = vec![arena.terms.not(old)];
    for &place in allowed {
        cases.push(arena.terms.eq(target, place));
    }
    let goal = arena.terms.or(&cases);
    let tag = Purpose::WriteConfined.into();
    solver.prove(arena, &Obligation { assumptions: outcome.path.clone(), goal, tag }) == Answer::Holds
}

/// The objects an outcome's heap may differ at from the entry heap; `None` when a call may change more than terms name.
pub fn written_objects(arena: &mut Arena, outcome: &Outcome) -> Option<BTreeSet<Term>> {
    let mut objects = BTreeSet::new();
    for node in arena.heaps.history(outcome.heap) {
        match node {
            HeapNode::Store { object, .. } => {
                objects.insert(object);
            }
            HeapNode::Fill { fill, .. } => {
                objects.insert(fill.array);
            }
            HeapNode::Call { call, .. } => match &arena.heaps.footprint(call).modifies {
                Some(_) if faults::planted("analysis/inference/calls-write-nothing") => {}
                Some(places) => objects.extend(places.iter().map(|(place, _)| *place)),
                None if arena.terms.reach(call).region.contains(AllocClass::OLD) => return None,
                None => {}
            },
            HeapNode::Initial | HeapNode::Join { .. } => {}
        }
    }
    Some(objects)
}

/// Finds a set of parameters of which one must be null for the procedure to err.
fn infer_errors(unit: &Lowered, version: usize, effects: &mut [Effects], solver: &mut Solver, component: &[ProcId]) {
    let code = |id: ProcId| unit.procedure(version, id);
    for &id in component.iter().filter(|&&id| code(id).body.is_some()) {
        effects[id.index()].errs_only_if_null = Some(Vec::new());
    }
    houdini::all_hold(component.len(), usize::MAX, |at| {
        let id = component[at];
        let Some(errs_if_null) = effects[id.index()].errs_only_if_null.clone() else { return Look::Holds };
        let next = null_params(unit, version, effects, solver, id, errs_if_null.clone());
        let weakened = next.as_ref() != Some(&errs_if_null);
        effects[id.index()].errs_only_if_null = next;
        Look::weakened(weakened)
    });
}

/// `errs_if_null`, grown until the procedure cannot err when none of them is null; `None` when no set of parameters does that.
fn null_params(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    solver: &mut Solver,
    id: ProcId,
    mut errs_if_null: Vec<usize>,
) -> Option<Vec<usize>> {
    let code = unit.procedure(version, id);
    let mut arena = unit.arena();
    let (_, assumed, _) =
        on_entry(&mut Executor::new(unit.as_unit(), version, effects, Limits::default(), &mut arena), id);
    let execution = execute(unit.as_unit(), version, effects, &Limits::default(), &mut arena, (id, &assumed)).ok()?;
    let references: Vec<usize> =
        code.param_ids().map(LocalId::index).filter(|&at| code.locals[at].ty.is_reference()).collect();
    let seen =
        |outcome: &&Outcome| !(faults::planted("analysis/inference/errors-of-calls") && outcome.faults.is_empty());
    for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Error).filter(seen) {
        while !impossible_without_null(&mut arena, solver, (version, outcome), &errs_if_null) {
            let helpful = references.iter().copied().filter(|at| !errs_if_null.contains(at)).find(|&at| {
                impossible_without_null(
                    &mut arena,
                    solver,
                    (version, outcome),
                    &[errs_if_null.as_slice(), &[at]].concat(),
                )
            });
            match helpful {
                Some(at) => errs_if_null.push(at),
                None if errs_if_null.len() < references.len() => {
                    errs_if_null = references.clone();
                }
                None if faults::planted("analysis/inference/other-errors") => break,
                None => return None,
            }
        }
    }
    errs_if_null.sort_unstable();
    Some(errs_if_null)
}

fn impossible_without_null(
    arena: &mut Arena,
    solver: &mut Solver,
    (version, outcome): (usize, &Outcome),
    errs_if_null: &[usize],
) -> bool {
    let null = arena.terms.null();
    let mut assumptions = outcome.path.clone();
    for &at in errs_if_null {
        let param = param_at(arena, at);
        let is_null = arena.terms.eq(param, null);
        assumptions.push(arena.terms.not(is_null));
    }
    let mut known = PathFacts::new();
    if !assumptions.iter().all(|&fact| known.assume(&mut arena.terms, fact)) {
        return true;
    }
    let goal = arena.terms.bool(false);
    let faults = outcome.faults.iter().map(|fault| fault.span);
    let last = outcome.calls.last().filter(|_| outcome.faults.is_empty()).map(|&call| arena.record(call).span);
    let tag = Purpose::CannotErr.within(version, faults.chain(last).collect());
    solver.prove(arena, &Obligation { assumptions, goal, tag }) == Answer::Holds
}

/// Finds the parameters without which each procedure errs: on no other path may one be null, calls of the component not counted.
fn infer_needs(unit: &Lowered, version: usize, effects: &mut [Effects], component: &[ProcId]) {
    let errs_if_null = component.iter().map(|&id| {
        let code = unit.procedure(version, id);
        let mut errs_if_null: BTreeSet<usize> =
            code.param_ids().map(LocalId::index).filter(|&at| code.locals[at].ty.is_reference()).collect();
        if code.body.is_none() || errs_if_null.is_empty() {
            return BTreeSet::new();
        }
        let mut arena = unit.arena();
        let executed = execute(unit.as_unit(), version, effects, &Limits::default(), &mut arena, (id, &[]));
        let Ok(execution) = executed else { return BTreeSet::new() };
        for outcome in execution
            .outcomes
            .iter()
            .filter(|outcome| outcome.ending != Ending::Error)
            .skip(usize::from(faults::planted("analysis/inference/needs-one-path")))
        {
            errs_if_null.retain(|&at| !may_be_null(&mut arena, outcome, at));
        }
        errs_if_null
    });
    let errs_if_null: Vec<BTreeSet<usize>> = errs_if_null.collect();
    for (id, errs_if_null) in component.iter().zip(errs_if_null) {
        effects[id.index()].errs_if_null = errs_if_null;
    }
}

/// Whether, as far as terms alone tell, a parameter may be null on this path.
fn may_be_null(arena: &mut Arena, outcome: &Outcome, at: usize) -> bool {
    let (param, null) = (param_at(arena, at), arena.terms.null());
    let is_null = arena.terms.eq(param, null);
    let mut known = PathFacts::new();
    known.assume(&mut arena.terms, is_null) && outcome.path.iter().all(|&fact| known.assume(&mut arena.terms, fact))
}

fn param_at(arena: &mut Arena, at: usize) -> Term {
    arena.terms.app(Func::Param(u32::try_from(at).unwrap_or(u32::MAX)), &[], Sort::Ref)
}
