//! Which parameters and results of procedures matter: liveness across calls.
//!
//! In: the procedures of one version, lowered, and which of them are *internal* (see [`super::draft`]). Out: for each
//! procedure, which parameters its behaviour may hang on, and which results some caller looks at.
//!
//! A variable matters at a point when what it holds there may change what the execution does later. An assignment to a variable
//! that does not matter makes matter only what it hangs on whether evaluating it errs; and so does an `if` that decides nothing else.
//!
//! Invariant: the least solution; starting from "no result is looked at, no parameter is read" everything that is needed is
//! added until nothing is missing.

use super::dead_arguments::{Change, ParamChange, ResultChange, apply};
use super::draft::Draft;
use super::errors::{decisive, is_idle};
use super::is_loop;
use lang_l::hir::{Block, Expr, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use std::collections::BTreeSet;

/// What matters of one procedure, by position.
#[derive(Clone, Debug, PartialEq)]
struct Demand {
    /// The parameters.
    params: Vec<bool>,
    /// The results.
    results: Vec<bool>,
}

type Live = BTreeSet<LocalId>;

/// Drops the parameters of internal procedures that do not matter, and the results that nobody looks at.
#[expect(clippy::ptr_arg, reason = "all passes of the table have one type")]
pub(super) fn run(draft: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    let change = |needed: Demand| {
        let param = |needed| if needed { ParamChange::Kept } else { ParamChange::Dropped };
        let result = |needed| if needed { ResultChange::Kept } else { ResultChange::Dropped };
        Change {
            params: needed.params.into_iter().map(param).collect(),
            results: needed.results.into_iter().map(result).collect(),
        }
    };
    let internal = draft.internal(procedures);
    let changes: Vec<Change> = needed(draft, procedures, &internal).into_iter().map(change).collect();
    apply(procedures, &changes);
}

/// What matters of each procedure. Of one that is not internal everything does.
fn needed(draft: &Draft<'_>, procedures: &[Procedure], internal: &BTreeSet<ProcId>) -> Vec<Demand> {
    let ids = || (0u32..).map(ProcId).zip(procedures);
    let start = |(id, p): (ProcId, &Procedure)| {
        let all = !internal.contains(&id);
        Demand { params: vec![all; p.params], results: vec![all; p.results] }
    };
    let mut needed: Vec<Demand> = ids().map(start).collect();
    loop {
        let before = needed.clone();
        for (id, procedure) in ids() {
            let Some(body) = &procedure.body else { continue };
            let pinned = draft.pinned(procedure);
            let own = &mut needed[id.index()];
            for (at, result) in procedure.result_ids().enumerate() {
                own.results[at] |= pinned.contains(&result);
            }
            let wanted = procedure.result_ids().zip(&own.results).filter(|(_, needed)| **needed).map(|(id, _)| id);
            // What a loop requires speaks of its entry alone.
            let at_exit = pinned.iter().copied().filter(|_| !is_loop(procedure));
            let end: Live = wanted.chain(at_exit).collect();
            let entry = Walk { procedure, end: &end, needed: &mut needed }.block(body, end.clone());
            for (at, param) in procedure.param_ids().enumerate() {
                needed[id.index()].params[at] |= entry.contains(&param) || pinned.contains(&param);
            }
        }
        if needed == before {
            return needed;
        }
    }
}

/// Goes backwards through one procedure.
struct Walk<'a> {
    procedure: &'a Procedure,
    /// What matters at the end of the procedure.
    end: &'a Live,
    needed: &'a mut Vec<Demand>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, after: Live) -> Live {
        block.stmts.iter().rev().fold(after, |live, stmt| self.stmt(stmt, live))
    }

    fn stmt(&mut self, stmt: &Stmt, mut live: Live) -> Live {
        if let Some((targets, callee, args)) = stmt.as_call() {
            return self.call(targets, callee, args, live);
        }
        match &stmt.kind {
            StmtKind::Assign(Place::Local(id), Rhs::Expr(e) | Rhs::NewArray(_, e)) => {
                // An array of a negative size is an error.
                if live.remove(id) || matches!(&stmt.kind, StmtKind::Assign(_, Rhs::NewArray(..))) {
                    e.collect_locals(&mut live);
                } else {
                    decisive(e, &mut live);
                }
            }
            StmtKind::Assign(place, rhs) => {
                match place {
                    Place::Local(id) => live.retain(|other| other != id),
                    Place::Global(_) => {}
                    Place::Field(object, _) => object.collect_locals(&mut live),
                    Place::Index(array, index) => {
                        array.collect_locals(&mut live);
                        index.collect_locals(&mut live);
                    }
                }
                if let Rhs::Expr(e) | Rhs::NewArray(_, e) = rhs {
                    e.collect_locals(&mut live);
                }
            }
            StmtKind::If(cond, then, els) if is_idle(then, &live, cond) && is_idle(els, &live, cond) => {
                decisive(cond, &mut live);
            }
            StmtKind::If(cond, then, els) => {
                let mut either = self.block(then, live.clone());
                either.extend(self.block(els, live));
                if !faults::planted("lower/dead/condition") {
                    cond.collect_locals(&mut either);
                }
                live = either;
            }
            StmtKind::Return(values) => {
                live = self.end.clone();
                // All values are evaluated before any is assigned.
                let returned: Vec<(LocalId, &Expr)> = self.procedure.result_ids().zip(values).collect();
                live.retain(|id| returned.iter().all(|(result, _)| result != id));
                for (id, value) in returned {
                    if self.end.contains(&id) {
                        value.collect_locals(&mut live);
                    } else {
                        decisive(value, &mut live);
                    }
                }
            }
            StmtKind::Assert(e) | StmtKind::Assume(e) => e.collect_locals(&mut live),
            // The lowering has made procedures of the loops; a call is treated above.
            StmtKind::Call { .. } | StmtKind::While { .. } | StmtKind::Break | StmtKind::Continue => {}
        }
        live
    }

    fn call(&mut self, targets: &[Place], callee: ProcId, args: &[Expr], mut live: Live) -> Live {
        for (at, target) in targets.iter().enumerate() {
            let looked_at = match target {
                Place::Local(id) => live.remove(id),
                Place::Global(_) | Place::Field(..) | Place::Index(..) => true,
            };
            self.needed[callee.index()].results[at] |= looked_at && !(faults::planted("lower/dead/result") && at > 0);
        }
        for (at, arg) in args.iter().enumerate() {
            if self.needed[callee.index()].params[at] && !faults::planted("lower/dead/argument") {
                arg.collect_locals(&mut live);
            } else {
                decisive(arg, &mut live);
            }
        }
        live
    }
}
