//! How a loop is split: as several loops of another version, one after the other, write what it writes.
//!
//! In: a turn of the loop, and what the other version's loops leave behind. Out: which of its assignments each of several loops is for.
//!
//! Nothing here is a premise of *Fission* (`proofs/soundness.md`): another choice would cost proofs.

use super::locations::variable;
use super::turn::Turn;
use crate::bounds::scalars::MAX_LOOKED_INTO;
use crate::effects::cell_sort;
use lang_l::hir::{
    Block, Expr, ExprKind, FieldId, GlobalId, Local, LocalId, Place, ProcId, Procedure, Stmt, StmtKind, Version,
};
use smt::term::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// What an assignment of a loop leaves behind.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Left {
    Field(FieldId),
    Global(GlobalId),
    /// Cells of an array, which may be a parameter.
    Cell(Sort, Option<String>),
    /// A value in a variable.
    Variable,
}

/// The names of parameters, those of a helper being what it is handed.
type Names = BTreeMap<LocalId, String>;

/// What each of some loops leaves behind that follow on each other; nothing where a loop is not plain.
pub(super) type Row = Vec<Vec<Left>>;

/// The loops of a procedure, and of those that it calls, in the order of the text.
pub(super) fn rows(version: &Version, procedure: &Procedure) -> Vec<Row> {
    let names = names(&procedure.locals, procedure.params);
    procedure.body.as_ref().map(|body| rows_of(body, version, (&names, MAX_LOOKED_INTO))).unwrap_or_default()
}

fn names(locals: &[Local], params: usize) -> Names {
    (0u32..).map(LocalId).zip(locals.iter().take(params).map(|local| local.name.clone())).collect()
}

fn rows_of(block: &Block, version: &Version, (names, depth): (&Names, usize)) -> Vec<Row> {
    let mut rows = vec![Row::new()];
    let add = |more: Vec<Row>, rows: &mut Vec<Row>| {
        rows.extend(more);
        rows.push(Row::new());
    };
    let mut before: Option<usize> = None;
    for (at, stmt) in block.stmts.iter().enumerate() {
        for (callee, args) in calls(stmt) {
            let handed = |(at, arg): (LocalId, &Expr)| Some((at, names.get(&variable(arg)?)?.clone()));
            let theirs = (0u32..).map(LocalId).zip(args).filter_map(handed).collect();
            let body = version.procedure(callee).body.as_ref();
            let called = depth.checked_sub(1).and_then(|depth| Some(rows_of(body?, version, (&theirs, depth))));
            match (called.unwrap_or_default(), rows.last_mut()) {
                (mut called, Some(last)) if called.len() == 1 => last.extend(called.remove(0)),
                (called, _) => add(called, &mut rows),
            }
        }
        if let StmtKind::While { .. } = stmt.kind {
            let turn = Turn::of(stmt, &BTreeSet::new());
            let own: Vec<Left> = turn.iter().flat_map(|turn| left(turn, names)).map(|(_, own)| own).collect();
            // One that takes the turns that are left does no part of each.
            if before.is_some_and(|earlier| stmt.goes_on_after(&block.stmts[earlier], &block.stmts[earlier + 1..at])) {
                rows.push(Row::new());
            }
            before = Some(at);
            if let Some(last) = rows.last_mut() {
                last.push(own);
            }
        }
        let within = stmt.blocks().into_iter().flat_map(|inner| rows_of(inner, version, (names, depth)));
        let within: Vec<Row> = within.filter(|row| !row.is_empty()).collect();
        // What is in a branch or in a loop is not behind what is in front of that.
        if !within.is_empty() {
            add(within, &mut rows);
        }
    }
    rows.retain(|row| !row.is_empty());
    rows
}

/// The calls that a statement makes itself.
fn calls(stmt: &Stmt) -> Vec<(ProcId, &[Expr])> {
    let mut found = Vec::new();
    for e in stmt.exprs() {
        e.walk(&mut |part| {
            if let ExprKind::Call(callee, args) = &part.kind {
                found.push((*callee, &args[..]));
            }
        });
    }
    found.extend(stmt.as_call().map(|(_, callee, args)| (callee, args)));
    found
}

/// What the assignments of a turn leave behind, by their numbers: what they store, and variables that nothing in the loop needs but
/// themselves; of several that need each other, the one that is assigned first.
fn left(turn: &Turn<'_>, names: &Names) -> Vec<(usize, Left)> {
    let stored = |place: &Place| match place {
        Place::Local(_) => None,
        Place::Global(id) => Some(Left::Global(*id)),
        Place::Field(_, field) => Some(Left::Field(*field)),
        Place::Index(array, _) => {
            Some(Left::Cell(cell_sort(&array.ty), variable(array).and_then(|id| names.get(&id).cloned())))
        }
    };
    let numbered = turn.assignments.iter().enumerate();
    let mut found: Vec<(usize, Left)> = numbered.filter_map(|(at, own)| Some((at, stored(own.target)?))).collect();
    let needed = turn.closed(found.iter().map(|(number, _)| *number).collect());
    let assigned: BTreeSet<LocalId> = turn.assignments.iter().filter_map(|own| own.variable()).collect();
    let alone = assigned.into_iter().filter_map(|id| turn.assigning(id).next()).filter(|first| !needed.contains(first));
    let alone: Vec<(usize, BTreeSet<usize>)> = alone.map(|first| (first, turn.closed([first].into()))).collect();
    let is_needed = |(first, own): &(usize, BTreeSet<usize>)| {
        alone.iter().any(|(other, theirs)| theirs.contains(first) && (!own.contains(other) || other < first))
    };
    found.extend(alone.iter().filter(|one| !is_needed(one)).map(|(first, _)| (*first, Left::Variable)));
    found.sort_by_key(|(number, _)| *number);
    found
}

/// Which assignments of a turn each of several loops is for: those that leave behind what some of the others' loops do, which follow on
/// each other. The loop has these variables, of which so many are parameters.
pub(super) fn distributed(
    turn: &Turn<'_>,
    theirs: &[Row],
    (locals, params): (&[Local], usize),
) -> Option<Vec<BTreeSet<usize>>> {
    let mine = left(turn, &names(locals, params));
    theirs.iter().flat_map(|row| (0..row.len()).map(|from| &row[from..])).find_map(|loops| taken_apart(&mine, loops))
}

/// What is left behind, as the first few of these loops do; `None` if there are not several that leave all of it, and no more.
fn taken_apart(mine: &[(usize, Left)], loops: &[Vec<Left>]) -> Option<Vec<BTreeSet<usize>>> {
    let mut rest = mine.to_vec();
    let mut parts = Vec::new();
    for own in loops {
        let mut part = BTreeSet::new();
        for left in own {
            let at = rest.iter().position(|(_, mine)| mine == left)?;
            part.insert(rest.remove(at).0);
        }
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        if rest.is_empty() {
            return (parts.len() > 1).then_some(parts);
        }
    }
    None
}
