//! Which loops and recursive helpers of two procedures are run in step.
//!
//! In: a goal. Out: pairs of what recurs on both sides, in the order in which it is called; none where that does not go together.
//!
//! A helper that is claimed to do what one of the other version does needs no relation. One that stands alone on its side may stand for
//! several: as one with a flag does, or a loop with a test that the other version makes once, before it chooses among loops.

use crate::budget::loops::{MAX_COMPARED, MAX_LOOPS};
use crate::goal::{Goal, Pair};
use crate::lower::is_loop;
use kernel::pair::loops;
use kernel::relate::Level;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, ProcId, Procedure, Stmt, StmtKind};

/// The pairs that are related.
pub(super) fn pairs(goal: &Goal<'_>) -> Vec<Pair> {
    let mut both = [0, 1].map(|version| recurring(goal, version));
    for version in 0..2 {
        // What is asked about may recur itself, where the other version has a helper for it.
        let alone = both[version].is_empty() && !both[1 - version].is_empty();
        if alone && may_recur_in_step(goal, version, goal.id(version)) {
            both[version].push(goal.id(version));
        }
    }
    let pairs = together(goal, &both[0], &both[1]).unwrap_or_default();
    let fits = pairs.len() <= MAX_LOOPS && pairs.iter().all(|&pair| goal.program.claimable(pair));
    if fits { pairs } else { Vec::new() }
}

/// Loops of which each may do a part of what one of the other version does, and those that are run in step all the same.
pub(super) struct Parts {
    /// Pairs of loops that write nothing.
    pub(super) compared: Vec<Pair>,
    /// Pairs of others.
    pub(super) matched: Vec<Pair>,
}

/// Each loop that writes nothing with each of the other version, and the others in order; `None` where there are not several of one
/// version to compare.
pub(super) fn parts(goal: &Goal<'_>) -> Option<Parts> {
    let [(mine, left), (theirs, right)] = [0, 1].map(|version| {
        let silent =
            |id: &ProcId| loops::is_silent(&goal.program.effects[version][id.index()], code(goal, version, *id));
        recurring(goal, version).into_iter().partition::<Vec<ProcId>, _>(silent)
    });
    let compared: Vec<Pair> = mine.iter().flat_map(|&p| theirs.iter().map(move |&q| (p, q))).collect();
    let matched = together(goal, &left, &right)?;
    let claimable = |pairs: &[Pair]| pairs.iter().all(|&pair| goal.program.claimable(pair));
    let fits = (2..=MAX_COMPARED).contains(&compared.len()) && matched.len() <= MAX_LOOPS;
    (fits && claimable(&compared) && claimable(&matched)).then_some(Parts { compared, matched })
}

/// What goes together, in order; one that stands for several comes last.
fn together(goal: &Goal<'_>, left: &[ProcId], right: &[ProcId]) -> Option<Vec<Pair>> {
    let stands_for_all = |version: usize, one: ProcId, several: &[ProcId]| {
        let other = 1 - version;
        several.len() > 1
            && (is_shared(goal, version, one) || are_choices(goal, other, several) || go_on(goal, other, several))
    };
    match (left, right) {
        (&[one], several) if stands_for_all(0, one, several) => Some(several.iter().map(|&q| (one, q)).collect()),
        (several, &[one]) if stands_for_all(1, one, several) => Some(several.iter().map(|&p| (p, one)).collect()),
        _ if left.len() == right.len() => Some(left.iter().copied().zip(right.iter().copied()).collect()),
        (&[p, ref left @ ..], &[q, ref right @ ..]) => {
            let mut pairs = vec![(p, q)];
            pairs.extend(together(goal, left, right)?);
            Some(pairs)
        }
        _ => None,
    }
}

/// The loops that a version runs, and its helpers that recur and for which nothing else stands.
fn recurring(goal: &Goal<'_>, version: usize) -> Vec<ProcId> {
    let others = &goal.effects(1 - version).callees;
    let stands_for = |id: ProcId, &(p, q): &Pair| [p, q][version] == id && others.contains(&[q, p][version]);
    let settled =
        |id: ProcId| goal.claims.always.iter().any(|(pair, level)| *level == Level::Full && stands_for(id, pair));
    let is_open = |id: ProcId| id != goal.id(version) && may_recur_in_step(goal, version, id) && !settled(id);
    called(goal, version).into_iter().filter(|&id| is_loop(code(goal, version, id)) || is_open(id)).collect()
}

/// Whether a procedure recurs, and the kernel lets it be related.
fn may_recur_in_step(goal: &Goal<'_>, version: usize, id: ProcId) -> bool {
    let code = code(goal, version, id);
    loops::may_be_related(code) && code.body.is_some() && goal.program.effects[version][id.index()].recursive(id)
}

/// Whether a procedure, or the one that it is a loop of, may be called from several places.
fn is_shared(goal: &Goal<'_>, version: usize, id: ProcId) -> bool {
    code(goal, version, id).origin.part_of().unwrap_or(id) != goal.id(version)
}

/// Whether each of some loops but the first is called where the one before it is left: it goes on where that one ended.
pub(super) fn go_on(goal: &Goal<'_>, version: usize, several: &[ProcId]) -> bool {
    several.windows(2).all(|both| code(goal, version, both[0]).body.as_ref().is_some_and(|body| leaves(body, both)))
}

/// Whether the second of two loops is called in a block in which the first is not: no turn of the first goes on there.
fn leaves(block: &Block, both: &[ProcId]) -> bool {
    let calls = |stmt: &Stmt, at: usize| is_call_of(stmt, &both[at..=at]);
    let here = block.stmts.iter().any(|stmt| calls(stmt, 1)) && !block.any(&|stmt| calls(stmt, 0));
    here || block.stmts.iter().flat_map(Stmt::blocks).any(|inner| leaves(inner, both))
}

/// Whether no run of the procedure of a version calls two of these itself: a test that does not change in a loop may be made before it,
/// and then there are several loops.
fn are_choices(goal: &Goal<'_>, version: usize, several: &[ProcId]) -> bool {
    let body = code(goal, version, goal.id(version)).body.as_ref();
    let mut called = 0;
    if let Some(body) = body {
        walk_stmts(body, &mut |stmt| called += usize::from(is_call_of(stmt, several)));
    }
    called == several.len() && body.is_some_and(|body| at_most_one(&body.stmts, false, several).is_some())
}

/// Whether one of some procedures may have been called once some statements are done, where one was or was not before; `None` where two
/// may be.
fn at_most_one(stmts: &[Stmt], mut before: bool, several: &[ProcId]) -> Option<bool> {
    for stmt in stmts {
        before = match &stmt.kind {
            StmtKind::If(_, then, els) => {
                let ways = [then, els].map(|side| at_most_one(&side.stmts, before, several));
                ways[0]? | ways[1]?
            }
            // Nothing follows.
            StmtKind::Return(_) => return Some(false),
            _ if is_call_of(stmt, several) && before => return None,
            _ => before || is_call_of(stmt, several),
        };
    }
    Some(before)
}

fn is_call_of(stmt: &Stmt, several: &[ProcId]) -> bool {
    stmt.as_call().is_some_and(|(_, callee, _)| several.contains(&callee))
}

/// All that the procedure of a version calls, in the order in which it is first come to.
fn called(goal: &Goal<'_>, version: usize) -> Vec<ProcId> {
    let (mut found, mut work) = (Vec::new(), vec![goal.id(version)]);
    while let Some(next) = work.pop() {
        if found.contains(&next) {
            continue;
        }
        found.push(next);
        let mut callees = Vec::new();
        if let Some(body) = &code(goal, version, next).body {
            walk_stmts(body, &mut |stmt| callees.extend(stmt.as_call().map(|(_, callee, _)| callee)));
        }
        work.extend(callees.into_iter().rev());
    }
    found
}

fn code<'g>(goal: &'g Goal<'_>, version: usize, id: ProcId) -> &'g Procedure {
    goal.program.unit.procedure(version, id)
}
