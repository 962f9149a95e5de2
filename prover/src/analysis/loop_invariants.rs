//! What holds whenever a loop is entered, and whenever it has returned.
//!
//! In: a lowered program and the syntactic effects. Out: the same effects, with two things filled in for the procedure of
//! each loop:
//! - `entry`: conditions on its parameters that hold at every call, before the loop and at the end of each iteration;
//! - `exit`: conditions on its parameters and results that hold after the loop.
//!
//! Rule *Entry* (`proofs/soundness.md`): nobody is asked about a loop for its own sake, so all its calls are in the program.
//! The candidates are all conditions of some simple forms. At each call and at each return they have to follow from
//! themselves, and from what the procedure around may assume. Those that do not are dropped, until the rest do. (Flanagan
//! and Leino, "Houdini", FME 2001.)
//!
//! Of a helper that runs loops or calls others the same is asked, but for what holds on entry: it is called from any store.
//!
//! Invariant: the conditions speak of values that no store changes: numbers and flags, which references are null or the
//! same, lengths.

use super::conditions::Build;
use super::{conserved, helpers, settled};
use crate::budget::loop_invariants::{MAX_CANDIDATES, MAX_QUERIES};
use crate::chc::houdini::{self, Look};
use crate::lower::{Lowered, is_loop};
use kernel::effects::{Effects, direct_callees};
use kernel::exec::on_entry;
use kernel::exec::{Check, CheckedCall, Executor, Limits, execute};
use kernel::rejection::{Rejection, reject};
use lang_l::ast::BinOp;
use lang_l::hir::{Expr, ExprKind, LocalId, ProcId, Procedure, Type};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Solver, Task, Together};
use smt::term::{Ending, Node, PathFacts, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Conditions on a loop's procedure: when it is entered, and when it has returned.
#[derive(Clone, Debug, Default)]
struct Conditions {
    entry: Vec<Expr>,
    exit: Vec<Expr>,
}

/// Which of the conditions that are tried hold, by position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopInvariants {
    /// Whenever the loop is entered.
    pub entry: Vec<usize>,
    /// Whenever it has returned.
    pub exit: Vec<usize>,
}

/// Fills in what holds of the loops of one version.
pub fn infer(unit: &Lowered, version: usize, effects: &mut [Effects], solver: &mut Solver) {
    if solver.unless_too_large(|solver| search(unit, version, effects, solver)).is_none() {
        // What was assumed on the way was not checked.
        for own in effects {
            own.entry.clear();
            own.exit.clear();
        }
    }
}

fn search(unit: &Lowered, version: usize, effects: &mut [Effects], solver: &mut Solver) {
    let kept = spoken_of(unit, version).map(|id| (id, candidates(unit, version, id))).collect();
    let mut search = Search { unit, version, effects, solver, kept, queries: MAX_QUERIES };
    let concerned = search.concerned();
    search.assume();
    houdini::all_hold(concerned.len(), usize::MAX, |at| Look::weakened(search.drop_unproved(concerned[at])));
}

/// Which of the candidates of each procedure are taken to hold; none of what is no loop.
pub fn held(unit: &Lowered, version: usize, effects: &[Effects]) -> Vec<LoopInvariants> {
    let positions = |all: &[Expr], kept: &[Expr]| -> Vec<usize> {
        all.iter().enumerate().filter(|(_, condition)| kept.contains(condition)).map(|(at, _)| at).collect()
    };
    let held = |(at, own): (u32, &Effects)| {
        if own.entry.is_empty() && own.exit.is_empty() {
            return LoopInvariants::default();
        }
        let all = candidates(unit, version, ProcId(at));
        LoopInvariants { entry: positions(&all.entry, &own.entry), exit: positions(&all.exit, &own.exit) }
    };
    (0u32..).zip(effects).map(held).collect()
}

/// Fills in what was found before. Nobody has checked that it follows from itself.
///
/// # Errors
/// When it cannot be said.
pub fn fill(unit: &Lowered, version: usize, effects: &mut [Effects], held: &[LoopInvariants]) -> Result<(), Rejection> {
    let some = |held: &LoopInvariants| !held.entry.is_empty() || !held.exit.is_empty();
    for (id, held) in (0u32..).map(ProcId).zip(held).filter(|(_, held)| some(held)) {
        if spoken_of(unit, version).all(|own| own != id) {
            return reject("conditions are said to hold of what is neither a loop nor a helper");
        }
        let all = candidates(unit, version, id);
        let those = |all: &[Expr], positions: &[usize]| -> Option<Vec<Expr>> {
            positions.iter().map(|&at| all.get(at).cloned()).collect()
        };
        let (Some(entry), Some(exit)) = (those(&all.entry, &held.entry), those(&all.exit, &held.exit)) else {
            return reject("there is no such condition of a loop");
        };
        let own = &mut effects[id.index()];
        (own.entry, own.exit) = (entry, exit);
    }
    Ok(())
}

/// The procedures of which something may be said.
fn spoken_of(unit: &Lowered, version: usize) -> impl Iterator<Item = ProcId> {
    let procedures = &unit.versions()[version].procedures;
    let helpers = helpers::all(procedures);
    let numbered = (0u32..).map(ProcId).zip(procedures);
    numbered.filter(move |(id, code)| is_loop(code) || helpers.contains(id)).map(|(id, _)| id)
}

/// The conditions that are tried of a loop, or of a helper.
fn candidates(unit: &Lowered, version: usize, id: ProcId) -> Conditions {
    let code = unit.procedure(version, id);
    match is_loop(code) {
        true => of_loop(unit, version, id),
        false => Conditions { entry: Vec::new(), exit: helpers::candidates(code, id) },
    }
}

/// The conditions that are tried of a loop.
fn of_loop(unit: &Lowered, version: usize, id: ProcId) -> Conditions {
    let procedures = &unit.versions()[version].procedures;
    let code = &procedures[id.index()];
    let of_type = |ids: &[LocalId], wanted: fn(&Type) -> bool| -> Vec<LocalId> {
        ids.iter().copied().filter(|&at| wanted(&code.local(at).ty)).collect()
    };
    let (params, results): (Vec<LocalId>, Vec<LocalId>) = (code.param_ids().collect(), code.result_ids().collect());
    let [taken, given] = [&params, &results].map(|ids| of_type(ids, |ty| *ty == Type::Int));
    let arrays = of_type(&params, |ty| matches!(ty, Type::Array(_)));
    let build = Build { code };
    let mut entry = carried(procedures, code);
    entry.extend(conserved::candidates(procedures, id));
    let mut exit = ensured(procedures, code, &mut entry);
    for (numbers, conditions) in [(&taken, &mut entry), (&given, &mut exit)] {
        for &x in numbers {
            conditions.extend([1, 0].map(|number| build.compare(BinOp::Ge, build.local(x), build.int(number))));
            conditions.push(build.compare(BinOp::Ne, build.local(x), build.int(0)));
            for &a in &arrays {
                for op in [BinOp::Eq, BinOp::Lt, BinOp::Le] {
                    conditions.push(build.or_null(a, build.compare(op, build.local(x), build.length(a))));
                }
            }
        }
        for &x in numbers {
            for &y in taken.iter().filter(|&&y| y != x) {
                conditions.push(build.compare(BinOp::Le, build.local(x), build.local(y)));
            }
        }
    }
    for (at, &a) in arrays.iter().enumerate() {
        for &b in &arrays[at + 1..] {
            let same = build.compare(BinOp::Eq, build.length(a), build.length(b));
            entry.push(build.or_null(a, build.or_null(b, same)));
        }
    }
    for &x in &given {
        exit.extend(taken.iter().map(|&y| build.compare(BinOp::Ge, build.local(x), build.local(y))));
    }
    for (ids, conditions) in [(&params, &mut entry), (&results, &mut exit)] {
        let references = of_type(ids, Type::is_reference);
        conditions.extend(references.iter().map(|&r| build.compare(BinOp::Ne, build.local(r), build.null(r))));
    }
    for &a in &arrays {
        for &b in arrays.iter().filter(|&&b| b != a) {
            let fits = build.compare(BinOp::Le, build.length(a), build.length(b));
            entry.push(build.or_null(a, build.or_null(b, fits)));
        }
    }
    exit.extend(settled::candidates(code));
    entry.extend(apart(&arrays, &build));
    entry.truncate(MAX_CANDIDATES);
    exit.truncate(MAX_CANDIDATES);
    Conditions { entry, exit }
}

/// That arrays of one type are not the same one: what is written to one is not read from another.
fn apart(arrays: &[LocalId], build: &Build<'_>) -> Vec<Expr> {
    let pairs = arrays.iter().enumerate().flat_map(|(at, a)| arrays[at + 1..].iter().map(move |b| (*a, *b)));
    let alike = pairs.filter(|&(a, b)| build.code.local(a).ty == build.code.local(b).ty);
    alike.map(|(a, b)| build.compare(BinOp::Ne, build.local(a), build.local(b))).collect()
}

/// The pre-conditions of the procedure around a loop that speak of nothing but numbers, and of variables the loop takes as they are.
fn carried(procedures: &[Procedure], code: &Procedure) -> Vec<Expr> {
    let Some(around) = code.origin.part_of().map(|id| &procedures[id.index()]) else { return Vec::new() };
    let to: BTreeMap<LocalId, LocalId> = around
        .param_ids()
        .filter_map(|id| {
            let (name, ty) = (&around.local(id).name, &around.local(id).ty);
            let same = |&own: &LocalId| code.local(own).name == *name && code.local(own).ty == *ty;
            Some((id, code.param_ids().find(same)?))
        })
        .collect();
    around.requires.iter().filter_map(|condition| moved(condition, &to)).collect()
}

/// What the procedure around a loop ensures, of what the loop gives back: of the results of that procedure where the loop returns, and
/// of the variables that become them. The latter may hold on entry as well.
fn ensured(procedures: &[Procedure], code: &Procedure, entry: &mut Vec<Expr>) -> Vec<Expr> {
    let Some(around) = code.origin.part_of().map(|id| &procedures[id.index()]) else { return Vec::new() };
    let named = |mut ids: Box<dyn Iterator<Item = LocalId>>, name: &str, ty: &Type| {
        ids.find(|&id| code.local(id).name == name && code.local(id).ty == *ty)
    };
    let (params, results) = (|| Box::new(code.param_ids()), || Box::new(code.result_ids()));
    let fixed: BTreeMap<LocalId, LocalId> = around
        .param_ids()
        .filter_map(|id| Some((id, named(params(), &around.local(id).name, &around.local(id).ty)?)))
        .collect();
    let with = |of_result: &dyn Fn(&str, &Type) -> Option<LocalId>| {
        let own =
            around.result_ids().filter_map(|id| Some((id, of_result(&around.local(id).name, &around.local(id).ty)?)));
        fixed.iter().map(|(id, own)| (*id, *own)).chain(own).collect::<BTreeMap<LocalId, LocalId>>()
    };
    let returned = with(&|name, ty| named(results(), &format!("@{name}"), ty));
    let given = with(&|name, ty| named(results(), name, ty));
    let taken = with(&|name, ty| named(params(), name, ty));
    let build = Build { code };
    let flag = named(results(), "@returned", &Type::Bool);
    let mut exit = Vec::new();
    for clause in around.ensures.iter().flat_map(Expr::conjuncts) {
        let guarded = |to| Some(build.where_given(moved(clause, to)?));
        entry.extend(guarded(&taken));
        exit.extend(guarded(&given));
        exit.extend(guarded(&returned).map(|holds| match flag {
            Some(flag) => build.or_not(flag, holds),
            None => holds,
        }));
    }
    exit
}

/// The condition over other variables; `None` where it speaks of anything but numbers and lengths.
fn moved(condition: &Expr, to: &BTreeMap<LocalId, LocalId>) -> Option<Expr> {
    let part = |part: &Expr| moved(part, to).map(Box::new);
    let kind = match &condition.kind {
        ExprKind::Local(id) => ExprKind::Local(*to.get(id)?),
        ExprKind::Unary(op, inner) => ExprKind::Unary(*op, part(inner)?),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, part(left)?, part(right)?),
        ExprKind::Length(of) if matches!(of.kind, ExprKind::Local(_)) => ExprKind::Length(part(of)?),
        leaf @ (ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null) => leaf.clone(),
        _ => return None,
    };
    Some(Expr { kind, ty: condition.ty.clone(), span: condition.span })
}

struct Search<'a> {
    unit: &'a Lowered,
    version: usize,
    effects: &'a mut [Effects],
    solver: &'a mut Solver,
    /// What is left of each loop's candidates.
    kept: BTreeMap<ProcId, Conditions>,
    queries: usize,
}

impl Search<'_> {
    /// The loops of which something may be known, and the procedures that call them.
    fn concerned(&self) -> Vec<ProcId> {
        let procedures = (0u32..).map(ProcId).zip(&self.unit.versions()[self.version].procedures);
        let calls = |code: &Procedure| direct_callees(code).iter().any(|id| self.kept.contains_key(id));
        procedures.filter(|(id, code)| self.kept.contains_key(id) || calls(code)).map(|(id, _)| id).collect()
    }

    /// Makes what is left known.
    fn assume(&mut self) {
        for (id, conditions) in &self.kept {
            let own = &mut self.effects[id.index()];
            own.entry.clone_from(&conditions.entry);
            own.exit.clone_from(&conditions.exit);
        }
    }

    /// Drops what does not follow at the calls in a procedure, and where it returns; says whether anything was dropped.
    fn drop_unproved(&mut self, id: ProcId) -> bool {
        let (unit, version) = (self.unit, self.version);
        let mut arena = unit.arena();
        let mut executor = Executor::new(unit.as_unit(), version, self.effects, Limits::default(), &mut arena);
        let (view, assumed, _) = on_entry(&mut executor, id);
        let limits = Limits { entries: true, ..Limits::default() };
        let executed = execute(unit.as_unit(), version, self.effects, &limits, &mut arena, (id, &assumed));
        let mut dropped = false;
        let Ok(execution) = executed else {
            // Nothing was seen.
            for callee in direct_callees(unit.procedure(version, id)) {
                if let Some(kept) = self.kept.get_mut(&callee) {
                    dropped |= !kept.entry.is_empty();
                    kept.entry.clear();
                }
            }
            if let Some(kept) = self.kept.get_mut(&id) {
                dropped |= !kept.exit.is_empty();
                kept.exit.clear();
            }
            self.assume();
            return dropped;
        };
        let task = Task::Alone { version, procedure: id };
        let mut entries: BTreeMap<ProcId, BTreeSet<usize>> = BTreeMap::new();
        for (callee, checks) in by_call(execution.entries) {
            if faults::planted("analysis/loop-invariants/first-entry") && callee == id {
                continue;
            }
            let Some((path, place)) = checks.first().map(|(_, check)| (check.path.clone(), check.span)) else {
                continue;
            };
            let conditions = checks.into_iter().map(|(at, check)| (at, check.condition)).collect();
            entries.entry(callee).or_default().extend(self.unproved(task, &mut arena, (&path, place), conditions));
        }
        let mut exits = BTreeSet::new();
        let place = unit.procedure(version, id).name_span;
        let conditions = self.effects[id.index()].exit.clone();
        for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Normal) {
            let mut view = view.clone();
            for (result, &value) in unit.procedure(version, id).result_ids().zip(&outcome.results) {
                view.locals.set(result.index(), value);
            }
            let mut executor = Executor::new(unit.as_unit(), version, self.effects, Limits::default(), &mut arena);
            let said = |(at, condition)| (at, executor.contract(&view, condition));
            let conditions = conditions.iter().enumerate().map(said).collect();
            exits.extend(self.unproved(task, &mut arena, (&outcome.path, place), conditions));
        }
        for (callee, kept) in &mut self.kept {
            dropped |= entries.get(callee).is_some_and(|failed| houdini::remove(&mut kept.entry, failed));
            dropped |= *callee == id
                && !faults::planted("analysis/loop-invariants/exit-kept")
                && houdini::remove(&mut kept.exit, &exits);
        }
        self.assume();
        dropped
    }

    /// Which of the conditions do not follow at the end of a path.
    fn unproved(
        &mut self,
        task: Task,
        arena: &mut Arena,
        (path, place): (&[Term], Span),
        conditions: Vec<(usize, Option<Term>)>,
    ) -> Vec<usize> {
        let version = self.version;
        let mut failed = Vec::new();
        let (mut positions, mut open) = (Vec::new(), Vec::new());
        let mut known = PathFacts::new();
        if !path.iter().all(|&fact| known.assume(&mut arena.terms, fact)) {
            return failed;
        }
        // What is said of many cells may exclude a path that nothing in sight does.
        let is_of_many = |part: Term| matches!(arena.terms.node(part), Node::Forall(..));
        let of_many = arena.terms.parts_of(path).into_iter().any(is_of_many);
        for (at, condition) in conditions {
            let Some(condition) = condition else {
                failed.push(at);
                continue;
            };
            let condition = arena.terms.simplify(condition, &known);
            match arena.terms.as_bool(condition) {
                Some(true) => {}
                Some(false) if !of_many => failed.push(at),
                _ => {
                    positions.push(at);
                    open.push(condition);
                }
            }
        }
        let queries = &mut self.queries;
        let unproved = self.solver.at(task, |solver| {
            houdini::unproved(&open, |conditions| {
                let Some(left) = queries.checked_sub(1) else { return Together::Open };
                *queries = left;
                let goal = arena.terms.and(conditions);
                let tag = Purpose::LoopCondition.within(version, vec![place]);
                let obligation = Obligation { assumptions: path.to_vec(), goal, tag };
                match faults::planted("analysis/loop-invariants/unproved-kept") {
                    true => Together::Hold,
                    false => solver.prove_all(arena, &obligation, conditions),
                }
            })
        });
        failed.extend(unproved.into_iter().map(|at| positions[at]));
        failed
    }
}

/// The conditions of each call.
fn by_call(entries: Vec<CheckedCall>) -> Vec<(ProcId, Vec<(usize, Check)>)> {
    let mut calls: Vec<(ProcId, Vec<(usize, Check)>)> = Vec::new();
    for CheckedCall { callee, clause, check } in entries {
        match calls.last_mut() {
            Some((last, checks)) if *last == callee && clause > 0 => checks.push((clause, check)),
            _ => calls.push((callee, vec![(clause, check)])),
        }
    }
    calls
}
