//! Fission: a loop that does several things at each turn is a loop for each of them, one after the other.
//!
//! In: a program. Out: the program with `d := c; while (d != null) { d.f := 0; d := d.next; } while (c != null) { c.g := 0; c := c.next; }`
//! in place of `while (c != null) { c.f := 0; c.g := 0; c := c.next; }`, where another version has more loops, which write so.
//!
//! Rule *Fission* (`proofs/soundness.md`): what the loops have in common they do once each, with variables of their own, and nothing
//! that one does may come into the way of another.
//!
//! Invariant: each loop has a place of its own, as its head is another: what is known of a run at the one that is written is not said
//! of it.

use super::distribution::{Row, distributed, rows};
use super::locations::variable;
use super::nullness::{There, not_null, replace_loops};
use super::turn::{Access, Region, Turn, offset};
use super::variables::{added, rename};
use lang_l::hir::{BinOp, Block, Expr, ExprKind, Local, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Unit};
use lang_l::source::Span;
use num_bigint::Sign;
use std::collections::{BTreeMap, BTreeSet};

/// Splits loops of all procedures of which another version has more loops, those of what it calls included; those that then write what
/// some of these do.
pub(super) fn split(unit: &mut Unit) {
    let written = unit.clone();
    for (at, own) in unit.versions.iter_mut().enumerate() {
        let version = &written.versions[at];
        for (procedure, code) in own.procedures.iter_mut().zip(&version.procedures) {
            let count = |rows: &[Row]| rows.iter().map(Vec::len).sum::<usize>();
            let mine = count(&rows(version, code));
            let others = written.versions.iter().enumerate().filter(|(other, _)| *other != at);
            let mut theirs =
                others.filter_map(|(_, other)| Some(rows(other, other.procedure(other.find(&code.name)?))));
            if let Some(theirs) = theirs.find(|theirs| count(theirs) > mine) {
                let params = procedure.params;
                let Procedure { body: Some(body), locals, requires, .. } = procedure else { continue };
                let mut known = BTreeSet::new();
                requires.iter().for_each(|clause| not_null(clause, &mut known));
                let mut fission = Fission { theirs: &theirs, params, locals };
                replace_loops(body, &mut known, &mut |stmt, known| fission.looped(stmt, known));
            }
        }
    }
}

/// The loops of one procedure.
struct Fission<'p> {
    /// The other version's loops.
    theirs: &'p [Row],
    params: usize,
    locals: &'p mut Vec<Local>,
}

impl Fission<'_> {
    /// What stands in place of a loop. What is known is there, whatever it assigns.
    fn looped(&mut self, mut stmt: Stmt, known: &BTreeSet<There>) -> Vec<Stmt> {
        if let Some(turn) = Turn::of(&stmt, known)
            && let Some(parts) = distributed(&turn, self.theirs, (self.locals, self.params))
        {
            let slices: Vec<BTreeSet<usize>> = parts.iter().map(|part| turn.closed(part.clone())).collect();
            if may_be_split(&turn, &slices) {
                let firsts = parts.iter().filter_map(|part| part.first());
                let spans: Vec<Span> = firsts.map(|&first| turn.assignments[first].span).collect();
                return self.split(&stmt, &turn, (&slices, &spans));
            }
        }
        if let StmtKind::While { cond, body, .. } = &mut stmt.kind {
            let mut within = known.clone();
            not_null(cond, &mut within);
            replace_loops(body, &mut within, &mut |stmt, known| self.looped(stmt, known));
        }
        vec![stmt]
    }

    /// A loop for each slice, each from such a place on.
    fn split(&mut self, stmt: &Stmt, turn: &Turn<'_>, (slices, spans): (&[BTreeSet<usize>], &[Span])) -> Vec<Stmt> {
        let assigned = |slice: &BTreeSet<usize>| -> BTreeSet<LocalId> {
            slice.iter().filter_map(|&number| turn.assignments[number].variable()).collect()
        };
        let (mut before, mut loops) = (Vec::new(), Vec::new());
        for (at, (slice, from)) in slices.iter().zip(spans).enumerate() {
            let span = Span { start: from.start, ..stmt.span };
            let later = slices[at + 1..].iter().flat_map(assigned).collect();
            let mut instead = BTreeMap::new();
            for &id in assigned(slice).intersection(&later) {
                let Local { name, ty, .. } = self.locals[id.index()].clone();
                let copy = added(self.locals, Local { name, ty: ty.clone(), span });
                let value = Rhs::Expr(Expr { kind: ExprKind::Local(id), ty, span });
                before.push(Stmt { kind: StmtKind::Assign(Place::Local(copy), value), span });
                instead.insert(id, copy);
            }
            let mut own = Stmt { span, ..stmt.clone() };
            own.blocks_mut().into_iter().for_each(|body| keep(body, slice, &mut 0));
            rename(&mut own, &|id| instead.get(&id).copied().unwrap_or(id));
            loops.push(own);
        }
        before.into_iter().chain(loops).collect()
    }
}

/// Whether a loop does what so many loops do, one for each slice; each of these is closed.
fn may_be_split(turn: &Turn<'_>, slices: &[BTreeSet<usize>]) -> bool {
    let control = turn.closed(BTreeSet::new());
    if !each_is_done(turn, slices) || !steers_by_itself(turn, &control) {
        return false;
    }
    let counter = counter(turn);
    let mut steering = control.iter().filter_map(|&number| turn.assignments[number].variable());
    let steers_alone = steering.next().filter(|&id| steering.all(|other| other == id));
    let index = counter.or(steers_alone);
    let meeting = meeting(turn, slices);
    let mut err = (0..turn.assignments.len()).filter(|at| !turn.assignments[*at].calm && !control.contains(at));
    let first_errs_alone = err.clone().all(|number| slices.first().is_some_and(|first| first.contains(&number)));
    let ends_alike = counter.is_some() || err.next().is_none() || meeting.is_empty() && first_errs_alone;
    meeting.into_iter().all(|two| stays_in_turn(turn, two, index))
        && (ends_alike || faults::planted("kernel/scalars/endless"))
}

/// Whether each assignment is in a slice, and in no more than one if doing it twice is to do more.
fn each_is_done(turn: &Turn<'_>, slices: &[BTreeSet<usize>]) -> bool {
    turn.assignments.iter().enumerate().all(|(number, own)| {
        let count = slices.iter().filter(|slice| slice.contains(&number)).count();
        count == 1 || count > 1 && own.is_repeatable()
    })
}

/// Whether nothing that the loop writes is looked at by its condition, or by what assigns the variables of that.
fn steers_by_itself(turn: &Turn<'_>, control: &BTreeSet<usize>) -> bool {
    let written = accesses_of(turn, 0..turn.assignments.len()).filter(|access| access.written);
    let written: BTreeSet<Region> = written.map(|access| access.region).collect();
    let mut looked_at = turn.tested.accesses.iter().chain(accesses_of(turn, control.iter().copied()));
    looked_at.all(|access| !written.contains(&access.region)) || faults::planted("kernel/scalars/steered")
}

/// What an earlier slice and a later one may look at both, and one of them writes.
fn meeting<'t>(turn: &'t Turn<'_>, slices: &[BTreeSet<usize>]) -> Vec<[&'t Access; 2]> {
    let mut found = Vec::new();
    for (at, earlier) in slices.iter().enumerate() {
        for later in &slices[at + 1..] {
            for first in accesses_of(turn, earlier.iter().copied()) {
                let meets = |second: &&Access| first.region == second.region && (first.written || second.written);
                let seconds = accesses_of(turn, later.iter().copied()).filter(meets);
                found.extend(seconds.map(|second| [first, second]));
            }
        }
    }
    found
}

fn accesses_of<'t>(turn: &'t Turn<'_>, numbers: impl Iterator<Item = usize>) -> impl Iterator<Item = &'t Access> {
    numbers.flat_map(|number| &turn.assignments[number].looks.accesses)
}

/// Whether two accesses, the first of an earlier slice, are at one place only where they are of one turn, and the first comes first.
fn stays_in_turn(turn: &Turn<'_>, [first, second]: [&Access; 2], index: Option<LocalId>) -> bool {
    let Some((id, _)) = first.index.as_ref().filter(|_| first.index == second.index) else { return false };
    let assigned: Vec<usize> = turn.assigning(*id).map(|number| turn.assignments[number].at).collect();
    let both = |is_so: &dyn Fn(usize) -> bool| is_so(first.at) && is_so(second.at);
    // The index is the one that the turn begins with, or the one that it ends with.
    let at_first = both(&|at| assigned.iter().all(|&assigned| at < assigned));
    let at_last = both(&|at| assigned.iter().all(|&assigned| at > assigned));
    let in_order = first.at < second.at || faults::planted("kernel/scalars/late");
    Some(*id) == index && in_order && (at_first || at_last)
}

/// The variable of a counted loop that counts.
fn counter(turn: &Turn<'_>) -> Option<LocalId> {
    let two_sides = turn.condition.conjuncts().into_iter().flat_map(|bound| match &bound.kind {
        ExprKind::Binary(BinOp::Lt | BinOp::Le, a, b) => vec![(a, b, Sign::Plus), (b, a, Sign::Minus)],
        ExprKind::Binary(BinOp::Gt | BinOp::Ge, a, b) => vec![(a, b, Sign::Minus), (b, a, Sign::Plus)],
        _ => Vec::new(),
    });
    two_sides.into_iter().find_map(|(counted, limit, towards)| {
        let id = variable(counted)?;
        let mut assigning = turn.assigning(id);
        let own = &turn.assignments[assigning.next()?];
        let is_fixed = !limit.any(&|part| variable(part).is_some_and(|id| turn.assigns(id)));
        let step = match own.rhs {
            Rhs::Expr(value) => offset(value).filter(|(from, _)| *from == id).map(|(_, step)| step.sign()),
            _ => None,
        };
        (own.always && assigning.next().is_none() && is_fixed && step == Some(towards)).then_some(id)
    })
}

/// Keeps some assignments of a block, and the branches around them. The next assignment has this number, as [`Turn`] counts them: in
/// the order of the text.
fn keep(block: &mut Block, slice: &BTreeSet<usize>, next: &mut usize) {
    block.stmts.retain_mut(|stmt| match &mut stmt.kind {
        StmtKind::If(_, then, els) => {
            [&mut *then, &mut *els].into_iter().for_each(|branch| keep(branch, slice, next));
            !then.stmts.is_empty() || !els.stmts.is_empty()
        }
        _ => {
            *next += 1;
            slice.contains(&(*next - 1))
        }
    });
}
