//! Helpers that only one version has, in place where they loop or are called in a loop: so loops of the versions stand side by side.
//!
//! In: a program. Out: the program with such calls in place.
//!
//! Rule *In place* (`proofs/soundness.md`). Helpers that both versions have are compared by themselves, and stay; but the second form of a
//! procedure that builds by recursion (`destination`) has all of its own in place.

use super::in_place::{Call, in_place, in_rounds, is_plain, is_simple};
use super::short_circuit::{as_branch, optional_operands};
use super::tail_calls::as_loop;
use super::variables::added;
use crate::bounds::scalars::MAX_IN_PLACE;
use crate::effects::direct_callees;
use lang_l::hir::{Block, Expr, ExprKind, Local, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Unit, Version};
use std::collections::BTreeSet;
use std::{iter, mem};

/// Puts calls in place in all procedures that another version has as well.
pub(super) fn expand(unit: &mut Unit) {
    let written = unit.clone();
    for (at, own) in unit.versions.iter_mut().enumerate() {
        let theirs: Vec<&Version> =
            written.versions.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other).collect();
        let others: BTreeSet<&str> =
            theirs.iter().flat_map(|other| &other.procedures).map(|procedure| procedure.name.as_str()).collect();
        let version = &with_loops(&written.versions[at], &theirs);
        let [helpers, looping] = helpers(version, &others);
        if helpers.is_empty() || others.is_empty() {
            continue;
        }
        for procedure in own.procedures.iter_mut().filter(|procedure| others.contains(procedure.name.as_str())) {
            let expanded = in_rounds(procedure, |body, locals| {
                let mut caller = Caller { version, helpers: &helpers, looping: &looping, locals, done: 0 };
                caller.block(body, false);
                caller.done
            });
            if let Some(expanded) = expanded {
                *procedure = expanded;
            }
        }
    }
}

/// A version with helpers as loops that give back a reference with which one of its procedures goes on, where another version loops.
fn with_loops(version: &Version, theirs: &[&Version]) -> Version {
    let mut made = version.clone();
    let loops = |name: &str| {
        theirs.iter().any(|other| {
            let callees = |id: ProcId| direct_callees(other.procedure(id));
            let all = other.find(name).map(|id| reached(&callees, id).into_iter().chain([id]).collect::<Vec<_>>());
            all.is_some_and(|all| all.into_iter().any(|id| has_loop(other.procedure(id))))
        })
    };
    let goes_on = |callee: ProcId| {
        let is_call = |part: &Expr| matches!(part.kind, ExprKind::Call(own, _) if own == callee);
        let calls = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Return(_) => false,
            StmtKind::Call { callee: own, .. } if *own == callee => true,
            _ => stmt.exprs().into_iter().any(|e| e.any(&is_call)),
        };
        let callers = version.procedures.iter().filter(|code| loops(&code.name));
        callers.filter_map(|code| code.body.as_ref()).any(|body| body.any(&calls))
    };
    for (id, code) in (0u32..).map(ProcId).zip(&version.procedures) {
        let hands_out = code.result_ids().any(|result| code.local(result).ty.is_reference());
        let is_new = theirs.iter().all(|other| other.find(&code.name).is_none());
        if hands_out
            && is_new
            && is_plain(code)
            && goes_on(id)
            && let Some(looped) = as_loop(id, code)
        {
            made.procedures[id.index()] = looped;
        }
    }
    made
}

/// A procedure with all its plain helpers in place that neither recur nor loop; `None` where there are none, or too many.
pub(super) fn with_helpers(version: &Version, id: ProcId) -> Option<Procedure> {
    let callees = |id: ProcId| direct_callees(version.procedure(id));
    let mut helpers = plain(version, &callees, reached(&callees, id));
    helpers.retain(|&id| !has_loop(version.procedure(id)));
    in_rounds(version.procedure(id), |body, locals| {
        let mut caller = Caller { version, helpers: &helpers, looping: &helpers, locals, done: 0 };
        caller.block(body, false);
        caller.done
    })
}

/// The plain helpers that only this version has and that do not recur; and those of them that loop, or call such.
fn helpers(version: &Version, others: &BTreeSet<&str>) -> [BTreeSet<ProcId>; 2] {
    let all: Vec<BTreeSet<ProcId>> = version.procedures.iter().map(direct_callees).collect();
    let callees = |id: ProcId| all[id.index()].clone();
    let unknown = |id: &ProcId| !others.contains(version.procedure(*id).name.as_str());
    let own = plain(version, &callees, (0u32..).map(ProcId).take(all.len()).filter(unknown));
    let loops = |id: &ProcId| {
        let on_the_way = |callee: &ProcId| callee == id || own.contains(callee);
        let all = reached(&callees, *id).into_iter().chain([*id]).filter(on_the_way);
        all.into_iter().any(|callee| has_loop(version.procedure(callee)))
    };
    let looping = own.iter().copied().filter(loops).collect();
    [own, looping]
}

/// Those of some procedures that are plain and do not recur.
fn plain(
    version: &Version,
    callees: &dyn Fn(ProcId) -> BTreeSet<ProcId>,
    of: impl IntoIterator<Item = ProcId>,
) -> BTreeSet<ProcId> {
    let is_it = |id: &ProcId| is_plain(version.procedure(*id)) && !reached(callees, *id).contains(id);
    of.into_iter().filter(is_it).collect()
}

/// The procedures that one comes to call.
fn reached(callees: &dyn Fn(ProcId) -> BTreeSet<ProcId>, from: ProcId) -> BTreeSet<ProcId> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(id) = open.pop() {
        open.extend(callees(id).into_iter().filter(|callee| reached.insert(*callee)));
    }
    reached
}

fn has_loop(code: &Procedure) -> bool {
    code.body.iter().any(|body| body.any(&Stmt::is_while))
}

/// Who makes the calls.
struct Caller<'v> {
    version: &'v Version,
    helpers: &'v BTreeSet<ProcId>,
    looping: &'v BTreeSet<ProcId>,
    locals: &'v mut Vec<Local>,
    /// How many calls are in place now.
    done: usize,
}

impl Caller<'_> {
    fn block(&mut self, block: &mut Block, in_loop: bool) {
        for mut stmt in mem::take(&mut block.stmts) {
            let is_loop = matches!(stmt.kind, StmtKind::While { .. });
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner, in_loop || is_loop));
            while let Some(first) = self.first(&mut stmt, in_loop) {
                block.stmts.extend(first);
            }
            match self.statement(&stmt, in_loop) {
                Some(stmts) => block.stmts.extend(stmts),
                None => block.stmts.push(stmt),
            }
        }
    }

    fn is_wanted(&self, callee: ProcId, in_loop: bool) -> bool {
        let wanted = if in_loop { self.helpers } else { self.looping };
        self.done <= MAX_IN_PLACE && wanted.contains(&callee)
    }

    /// A helper in place of a statement that does nothing but to call it.
    fn statement(&mut self, stmt: &Stmt, in_loop: bool) -> Option<Vec<Stmt>> {
        let (targets, callee, args) = match &stmt.kind {
            StmtKind::Call { targets, callee, args } => (&targets[..], *callee, args),
            StmtKind::Assign(target, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) => {
                (std::slice::from_ref(target), *callee, args)
            }
            _ => return None,
        };
        let simple = targets.iter().all(|target| matches!(target, Place::Local(_)));
        if !simple || !self.is_wanted(callee, in_loop) {
            return None;
        }
        let call = Call { targets, args, span: stmt.span };
        let stmts = in_place(self.version.procedure(callee), &call, self.locals)?;
        self.done += 1;
        Some(stmts)
    }

    /// What a statement evaluates before it does anything else, in front of it, where that is a helper in place or a branch around one.
    fn first(&mut self, stmt: &mut Stmt, in_loop: bool) -> Option<Vec<Stmt>> {
        let looks_first = match &stmt.kind {
            // All that it does is to call, and that is seen to as a whole.
            StmtKind::Assign(Place::Local(_), Rhs::Expr(Expr { kind: ExprKind::Call(..), .. })) => false,
            StmtKind::Assign(..) | StmtKind::If(..) | StmtKind::Return(_) | StmtKind::Call { .. } => true,
            _ => false,
        };
        if !looks_first {
            return None;
        }
        let first = stmt.exprs_mut().into_iter().find(|e| !is_simple(e))?;
        self.hoisted(first, in_loop).or_else(|| self.branched(first, in_loop))
    }

    /// A helper in front of an expression that calls it first, and has a variable now in place of that.
    fn hoisted(&mut self, first: &mut Expr, in_loop: bool) -> Option<Vec<Stmt>> {
        let first = first_call(first, &|callee| self.is_wanted(callee, in_loop))?;
        let ExprKind::Call(callee, args) = &first.kind else { return None };
        let helper = self.version.procedure(*callee);
        let value = Local { name: helper.name.clone(), ty: first.ty.clone(), span: first.span };
        let count = self.locals.len();
        let target = added(self.locals, value);
        let call = Call { targets: &[Place::Local(target)], args, span: first.span };
        let Some(stmts) = in_place(helper, &call, self.locals) else {
            self.locals.truncate(count);
            return None;
        };
        first.kind = ExprKind::Local(target);
        self.done += 1;
        Some(stmts)
    }

    /// A branch in front of an expression that calls helpers only sometimes, and has a variable now in place of what does so first.
    fn branched(&mut self, first: &mut Expr, in_loop: bool) -> Option<Vec<Stmt>> {
        let first = first_operator(first)?;
        let is_wanted = |part: &Expr| matches!(part.kind, ExprKind::Call(callee, _) if self.is_wanted(callee, in_loop));
        if !optional_operands(first).into_iter().any(|operand| operand.any(&is_wanted)) {
            return None;
        }
        let mut branch = as_branch(first, self.locals)?;
        branch.blocks_mut().into_iter().for_each(|inner| self.block(inner, in_loop));
        Some(vec![branch])
    }
}

/// The wanted call that an expression evaluates, with its arguments, before anything but variables and literals, if that is so whatever
/// their values are. Of one within another the inner.
fn first_call<'e>(e: &'e mut Expr, is_wanted: &dyn Fn(ProcId) -> bool) -> Option<&'e mut Expr> {
    let is_it = |part: &Expr| matches!(part.kind, ExprKind::Call(callee, _) if is_wanted(callee));
    let parts = iter::successors(Some(&*e), |&own| own.parts().into_iter().nth(first_part(own)?));
    let depth = parts.enumerate().filter(|(_, part)| is_it(part)).last()?.0;
    (0..depth).try_fold(e, |own, _| {
        let first = first_part(own)?;
        own.parts_mut().into_iter().nth(first)
    })
}

/// The operator that may leave out an operand, and that an expression evaluates before anything but variables and literals.
fn first_operator(e: &mut Expr) -> Option<&mut Expr> {
    if !optional_operands(e).is_empty() {
        return Some(e);
    }
    let first = first_part(e)?;
    e.parts_mut().into_iter().nth(first).and_then(first_operator)
}

/// Which part of an expression is the first that is neither variable nor literal, if it is evaluated whatever the others are.
fn first_part(e: &Expr) -> Option<usize> {
    let count = if optional_operands(e).is_empty() { usize::MAX } else { 1 };
    let is_passed = |part: &Expr| {
        is_simple(part) || faults::planted("kernel/scalars/read-before") && optional_operands(part).is_empty()
    };
    e.parts().into_iter().take(count).position(|part| !is_passed(part))
}
