//! Facts that take symbolic execution: what a procedure may modify, and when it can err.
//!
//! In: the syntactic facts. Out: the same facts with `modifies` and `errs_only_if_null` filled in where they could be proved,
//! each by induction over call depth: assumed of the callees, recursive ones included, and checked for the body. Before that what
//! holds on entry of loops ([`crate::analysis::loop_invariants`]), after it `needs`, without solver.
//!
//! Invariant: only what was checked is written down (`proofs/soundness.md`, rule *Infer*).

use crate::exec::on_entry;
use crate::analysis::loop_invariants;
use crate::rejection::{Wrong, wrong};
use crate::exec::{Executor, Limits, execute};
use crate::effects::Facts;
use smt::heap::HeapNode;
use smt::obligation::Obligation;
use smt::solve::{Answer, Solver, Task};
use crate::exec::state::{Outcome};
use smt::arena::{World};
use smt::term::{Birth, Ending, Func, Known, Node, Sort, Term};
use lang_l::hir::{Expr, ExprKind, LocalId, ProcId, Procedure, Unit};
use std::collections::BTreeSet;

/// Fills in the facts of one version.
pub fn infer(unit: &Unit, version: usize, facts: &mut [Facts], solver: &mut Solver) {
    loop_invariants::infer(unit, version, facts, solver);
    for component in components(facts) {
        let task = Task::Alone { version, procedure: component[0] };
        solver.at(task, |solver| {
            infer_modifies(unit, version, facts, solver, &component);
            infer_errors(unit, version, facts, solver, &component);
        });
        infer_needs(unit, version, facts, &component);
    }
}

/// What was found of one procedure: positions of parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inferred {
    /// Those that name on entry all that may change of what existed then; `None` where nothing is known.
    pub modifies: Option<Vec<usize>>,
    /// Those of which one must be null for it to err; `None` where nothing is known.
    pub errs_only_if_null: Option<Vec<usize>>,
    /// Of a loop: which of the conditions that are tried hold whenever it is entered, and whenever it has returned.
    pub loops: loop_invariants::Held,
}

/// What [`infer`] has filled in; nothing for procedures without a body.
pub fn inferred(unit: &Unit, version: usize, facts: &[Facts]) -> Vec<Inferred> {
    let position = |place: &Expr| match place.kind {
        ExprKind::Local(id) => Some(id.index()),
        _ => None,
    };
    let found = |((own, code), loops): ((&Facts, &Procedure), loop_invariants::Held)| match code.body {
        Some(_) => Inferred {
            modifies: own.modifies.as_ref().and_then(|places| places.iter().map(position).collect()),
            errs_only_if_null: own.errs_only_if_null.clone(),
            loops,
        },
        None => Inferred::default(),
    };
    let procedures = &unit.versions[version].procedures;
    facts.iter().zip(procedures).zip(loop_invariants::held(unit, version, facts)).map(found).collect()
}

/// Fills in the facts of one version as they were found before, each checked under all of them: a set that was found from
/// below is confirmed in one round.
///
/// # Errors
/// When one of them is not confirmed.
pub fn confirm(
    unit: &Unit,
    version: usize,
    facts: &mut [Facts],
    solver: &mut Solver,
    found: &[Inferred],
) -> Result<(), Wrong> {
    let loops: Vec<loop_invariants::Held> = found.iter().map(|found| found.loops.clone()).collect();
    loop_invariants::confirm(unit, version, facts, solver, &loops)?;
    for component in components(facts) {
        let code = |id: ProcId| unit.versions[version].procedure(id);
        let members: Vec<(ProcId, &Inferred)> = component
            .iter()
            .filter(|&&id| code(id).body.is_some())
            .filter_map(|&id| Some((id, found.get(id.index())?)))
            .collect();
        let references = |id: ProcId, places: &[usize]| {
            let params = &code(id).locals[..code(id).params];
            places.iter().all(|&at| params.get(at).is_some_and(|local| local.ty.is_reference()))
        };
        for (id, Inferred { modifies, errs_only_if_null, .. }) in &members {
            if [modifies, errs_only_if_null].into_iter().flatten().any(|places| !references(*id, places)) {
                return wrong(format!("a fact about {} names what is no reference parameter", code(*id).name));
            }
            let expr = |&at: &usize| param_expr(code(*id), u32::try_from(at).unwrap_or(u32::MAX));
            facts[id.index()].modifies = modifies.as_ref().map(|places| places.iter().map(expr).collect());
        }
        for (id, _) in &members {
            if let Some(places) = facts[id.index()].modifies.clone()
                && modified_params(unit, version, facts, solver, *id, places.clone()) != Some(places)
            {
                return wrong(format!("{} may modify more than is said", code(*id).name));
            }
        }
        for (id, found) in &members {
            facts[id.index()].errs_only_if_null = found.errs_only_if_null.clone();
        }
        for (id, _) in &members {
            if let Some(needs) = facts[id.index()].errs_only_if_null.clone()
                && null_params(unit, version, facts, solver, *id, needs.clone()) != Some(needs)
            {
                return wrong(format!("{} may err in more cases than is said", code(*id).name));
            }
        }
        infer_needs(unit, version, facts, &component);
    }
    Ok(())
}

/// Strongly connected components of the call graph, callees first.
pub fn components(facts: &[Facts]) -> Vec<Vec<ProcId>> {
    let all: Vec<ProcId> = (0u32..).take(facts.len()).map(ProcId).collect();
    let mut done: BTreeSet<ProcId> = BTreeSet::new();
    let mut order = all.clone();
    // A callee reaches fewer others than its caller, unless the two are in one component.
    order.sort_by_key(|id| {
        let own = &facts[id.index()].callees;
        (own.len() - usize::from(own.contains(id)), *id)
    });
    let mut components = Vec::new();
    for id in order {
        if done.contains(&id) {
            continue;
        }
        let own = &facts[id.index()].callees;
        let mut component: Vec<ProcId> =
            own.iter().copied().filter(|other| *other != id && facts[other.index()].callees.contains(&id)).collect();
        component.push(id);
        component.sort();
        done.extend(component.iter().copied());
        components.push(component);
    }
    components
}

/// Finds the least set of parameters that `modifies` can be, from below: nothing, then what was seen to change.
fn infer_modifies(unit: &Unit, version: usize, facts: &mut [Facts], solver: &mut Solver, component: &[ProcId]) {
    let code = |id: ProcId| unit.versions[version].procedure(id);
    let members: Vec<ProcId> = component.iter().copied().filter(|&id| code(id).body.is_some()).collect();
    for &id in &members {
        facts[id.index()].modifies = Some(Vec::new());
    }
    loop {
        let mut stable = true;
        for &id in &members {
            let Some(places) = facts[id.index()].modifies.clone() else { continue };
            let next = modified_params(unit, version, facts, solver, id, places.clone());
            if next.as_ref() != Some(&places) {
                facts[id.index()].modifies = next;
                stable = false;
            }
        }
        if stable {
            return;
        }
    }
}

/// `places`, and the parameters seen to change beyond them; `None` when something else changes.
fn modified_params(
    unit: &Unit,
    version: usize,
    facts: &[Facts],
    solver: &mut Solver,
    id: ProcId,
    mut places: Vec<Expr>,
) -> Option<Vec<Expr>> {
    let code = unit.versions[version].procedure(id);
    let mut world = World::new(unit);
    let execution = execute(unit, version, facts, &Limits::default(), &mut world, (id, &[])).ok()?;
    for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Normal) {
        for target in written_objects(&mut world, outcome)? {
            if !world.terms.births(target).contains(Birth::OLD) {
                continue;
            }
            let named = places.iter().any(|place| param_of(&mut world, place) == Some(target));
            if named {
                continue;
            }
            match *world.terms.node(target) {
                Node::App(Func::Param(at), _) => places.push(param_expr(code, at)),
                _ => {
                    let allowed: Vec<Term> = places.iter().filter_map(|place| param_of(&mut world, place)).collect();
                    if !confined(&mut world, solver, outcome, target, &allowed) {
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

fn param_of(world: &mut World, place: &Expr) -> Option<Term> {
    match place.kind {
        ExprKind::Local(id) => Some(world.terms.app(Func::Param(id.0), &[], Sort::from(&place.ty))),
        _ => None,
    }
}

/// Whether, on this path, an object is new or one of `allowed`.
fn confined(world: &mut World, solver: &mut Solver, outcome: &Outcome, target: Term, allowed: &[Term]) -> bool {
    let old = world.terms.born(target, Birth::OLD);
    let mut cases = vec![world.terms.not(old)];
    for &place in allowed {
        cases.push(world.terms.eq(target, place));
    }
    let goal = world.terms.or(&cases);
    let tag = "a written object is new or named by modifies".to_string();
    solver.prove(world, &Obligation { assumptions: outcome.path.clone(), goal, tag }) == Answer::Holds
}

/// The objects an outcome's heap may differ at from the entry heap; `None` when a call may change more than terms name.
pub fn written_objects(world: &mut World, outcome: &Outcome) -> Option<BTreeSet<Term>> {
    let mut objects = BTreeSet::new();
    for node in world.heaps.history(outcome.heap) {
        match node {
            HeapNode::Store { object, .. } => {
                objects.insert(object);
            }
            HeapNode::Fill { fill, .. } => {
                objects.insert(fill.array);
            }
            HeapNode::Call { call, .. } => match &world.heaps.footprint(call).modifies {
                Some(places) => objects.extend(places.iter().copied()),
                None if world.terms.reach(call).region.contains(Birth::OLD) => return None,
                None => {}
            },
            HeapNode::Initial | HeapNode::Join { .. } => {}
        }
    }
    Some(objects)
}

/// Finds a set of parameters of which one must be null for the procedure to err.
fn infer_errors(unit: &Unit, version: usize, facts: &mut [Facts], solver: &mut Solver, component: &[ProcId]) {
    let code = |id: ProcId| unit.versions[version].procedure(id);
    for &id in component.iter().filter(|&&id| code(id).body.is_some()) {
        facts[id.index()].errs_only_if_null = Some(Vec::new());
    }
    loop {
        let mut stable = true;
        for &id in component {
            let Some(needs) = facts[id.index()].errs_only_if_null.clone() else { continue };
            let next = null_params(unit, version, facts, solver, id, needs.clone());
            if next.as_ref() != Some(&needs) {
                facts[id.index()].errs_only_if_null = next;
                stable = false;
            }
        }
        if stable {
            return;
        }
    }
}

/// `needs`, grown until the procedure cannot err when none of them is null; `None` when no set of parameters does that.
fn null_params(
    unit: &Unit,
    version: usize,
    facts: &[Facts],
    solver: &mut Solver,
    id: ProcId,
    mut needs: Vec<usize>,
) -> Option<Vec<usize>> {
    let code = unit.versions[version].procedure(id);
    let mut world = World::new(unit);
    let (_, assumed, _) = on_entry(&mut Executor::new(unit, version, facts, Limits::default(), &mut world), id);
    let execution = execute(unit, version, facts, &Limits::default(), &mut world, (id, &assumed)).ok()?;
    let references: Vec<usize> =
        code.param_ids().map(LocalId::index).filter(|&at| code.locals[at].ty.is_reference()).collect();
    for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Error) {
        while !impossible_without_null(&mut world, solver, outcome, &needs) {
            let helpful =
                references.iter().copied().filter(|at| !needs.contains(at)).find(|&at| {
                    impossible_without_null(&mut world, solver, outcome, &[needs.as_slice(), &[at]].concat())
                });
            match helpful {
                Some(at) => needs.push(at),
                None if needs.len() < references.len() => {
                    needs = references.clone();
                }
                None => return None,
            }
        }
    }
    needs.sort_unstable();
    Some(needs)
}

fn impossible_without_null(world: &mut World, solver: &mut Solver, outcome: &Outcome, needs: &[usize]) -> bool {
    let null = world.terms.null();
    let mut assumptions = outcome.path.clone();
    for &at in needs {
        let param = param_at(world, at);
        let is_null = world.terms.eq(param, null);
        assumptions.push(world.terms.not(is_null));
    }
    let mut known = Known::new();
    if !assumptions.iter().all(|&fact| known.assume(&mut world.terms, fact)) {
        return true;
    }
    let goal = world.terms.bool(false);
    let tag = "the procedure cannot err here".to_string();
    solver.prove(world, &Obligation { assumptions, goal, tag }) == Answer::Holds
}

/// Finds the parameters without which each procedure errs: on no other path may one be null, calls of the component not counted.
fn infer_needs(unit: &Unit, version: usize, facts: &mut [Facts], component: &[ProcId]) {
    let needs = component.iter().map(|&id| {
        let code = unit.versions[version].procedure(id);
        let mut needs: BTreeSet<usize> =
            code.param_ids().map(LocalId::index).filter(|&at| code.locals[at].ty.is_reference()).collect();
        if code.body.is_none() || needs.is_empty() {
            return BTreeSet::new();
        }
        let mut world = World::new(unit);
        let executed = execute(unit, version, facts, &Limits::default(), &mut world, (id, &[]));
        let Ok(execution) = executed else { return BTreeSet::new() };
        for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending != Ending::Error) {
            needs.retain(|&at| !may_be_null(&mut world, outcome, at));
        }
        needs
    });
    let needs: Vec<BTreeSet<usize>> = needs.collect();
    for (id, needs) in component.iter().zip(needs) {
        facts[id.index()].needs = needs;
    }
}

/// Whether, as far as terms alone tell, a parameter may be null on this path.
fn may_be_null(world: &mut World, outcome: &Outcome, at: usize) -> bool {
    let (param, null) = (param_at(world, at), world.terms.null());
    let is_null = world.terms.eq(param, null);
    let mut known = Known::new();
    known.assume(&mut world.terms, is_null) && outcome.path.iter().all(|&fact| known.assume(&mut world.terms, fact))
}

fn param_at(world: &mut World, at: usize) -> Term {
    world.terms.app(Func::Param(u32::try_from(at).unwrap_or(u32::MAX)), &[], Sort::Ref)
}
