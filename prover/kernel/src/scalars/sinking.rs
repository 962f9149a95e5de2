//! Sinking: an object is made where it is first needed.
//!
//! In: a program. Out: `S x := new C(); x.f := e; T` in place of `x := new C(); x.f := e; S T`, where S comes to a loop, a call or a return
//! before anything looks at x; and the same in branches that look at it and lead elsewhere.
//!
//! Rule *Sinking* (`proofs/soundness.md`). To make an object always ends, and nobody sees it before something looks at the variable.
//! Invariant: a run makes the object once at most, and each of its fields begins with the same value.

use super::in_place::is_simple;
use crate::effects::callees_of;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Unit};
use std::collections::BTreeSet;

/// Makes objects of all procedures where they are first needed.
pub(super) fn sink(unit: &mut Unit) {
    for procedure in unit.versions.iter_mut().flat_map(|version| &mut version.procedures) {
        let Some(mut body) = procedure.body.take() else { continue };
        let results = procedure.result_ids().collect();
        Sinking { code: procedure }.block(&mut body, &results);
        procedure.body = Some(body);
    }
}

/// How an object is made: `x := new C();`, and what its fields begin with.
struct Making {
    /// The variable.
    local: LocalId,
    /// All of it.
    stmts: Vec<Stmt>,
    /// The variables that it reads.
    read: BTreeSet<LocalId>,
}

/// What statements lead to.
#[derive(Clone, Copy)]
struct Around {
    /// Something behind them looks at the object.
    needed_behind: bool,
    /// A `break` out of the loop right around them leads to where nothing does.
    break_leaves: bool,
}

/// The objects that a procedure makes.
struct Sinking<'c> {
    code: &'c Procedure,
}

impl Sinking<'_> {
    /// The objects of a block, but for those in its loops; some variables are looked at behind it.
    fn block(&self, block: &mut Block, behind: &BTreeSet<LocalId>) {
        let mut later = behind.clone();
        // The later ones first: the earlier ones may go past them.
        for at in (0..block.stmts.len()).rev() {
            if let StmtKind::If(_, then, els) = &mut block.stmts[at].kind {
                [then, els].into_iter().for_each(|branch| self.block(branch, &later));
            }
            self.used(&block.stmts[at], &mut later);
            if let Some(making) = self.making(&block.stmts[at..]) {
                let around = Around { needed_behind: behind.contains(&making.local), break_leaves: false };
                let (placed, far) = self.placed(&making, &block.stmts[at + making.stmts.len()..], around);
                if far {
                    block.stmts.truncate(at);
                    block.stmts.extend(placed);
                }
            }
        }
    }

    /// An object that is made where some statements begin.
    fn making(&self, stmts: &[Stmt]) -> Option<Making> {
        let StmtKind::Assign(Place::Local(local), Rhs::New(_)) = stmts.first()?.kind else { return None };
        let mut read = BTreeSet::new();
        let begins = |stmt: &&Stmt| match &stmt.kind {
            StmtKind::Assign(Place::Field(object, _), Rhs::Expr(value)) => {
                object.kind == ExprKind::Local(local) && is_timeless(value)
            }
            _ => false,
        };
        let fields = stmts[1..].iter().take_while(begins).count();
        let stmts = stmts[..=fields].to_vec();
        stmts.iter().flat_map(Stmt::exprs).for_each(|expr| expr.collect_locals(&mut read));
        read.remove(&local);
        (local.index() >= self.code.params).then_some(Making { local, stmts, read })
    }

    /// Some statements with the object made among them, where it is first needed; and whether that is further on than a loop, a call or
    /// a return.
    fn placed(&self, making: &Making, stmts: &[Stmt], around: Around) -> (Vec<Stmt>, bool) {
        let mut placed = Vec::with_capacity(stmts.len() + making.stmts.len());
        let mut far = false;
        for (at, stmt) in stmts.iter().enumerate() {
            let behind = &stmts[at + 1..];
            let needed = || around.needed_behind || behind.iter().any(|stmt| self.uses(stmt, making.local));
            let Some(past) = self.past(making, stmt, around.break_leaves, &needed) else {
                placed.extend(making.stmts.iter().chain(&stmts[at..]).cloned());
                return (placed, far);
            };
            far |= is_far(stmt);
            placed.push(past);
        }
        if around.needed_behind {
            placed.extend(making.stmts.iter().cloned());
        }
        (placed, far)
    }

    /// A statement before which the object was made, without that: the branches that look at it and lead elsewhere make it. `None` where it
    /// looks at the object otherwise, or assigns what the object begins with. Of a loop it is asked whether the object is needed behind it.
    fn past(&self, making: &Making, stmt: &Stmt, break_leaves: bool, needed_behind: &dyn Fn() -> bool) -> Option<Stmt> {
        let assigned = stmt.assigned();
        let changes = assigned.contains(&making.local) || !assigned.is_disjoint(&making.read);
        if changes && !faults::planted("kernel/scalars/sunk-past") {
            return None;
        }
        if !self.uses(stmt, making.local) {
            return Some(stmt.clone());
        }
        let kind = match &stmt.kind {
            StmtKind::If(cond, then, els) if !cond.mentions(making.local) => {
                let branch = |branch: &Block| self.branch(making, branch, break_leaves);
                StmtKind::If(cond.clone(), branch(then)?, branch(els)?)
            }
            StmtKind::While { cond, invariants, body }
                if ![cond].into_iter().chain(invariants).any(|expr| expr.mentions(making.local)) =>
            {
                let body = self.each_past(making, body, !needed_behind())?;
                StmtKind::While { cond: cond.clone(), invariants: invariants.clone(), body }
            }
            _ => return None,
        };
        Some(Stmt { kind, span: stmt.span })
    }

    /// A branch before which the object was made, without that.
    fn branch(&self, making: &Making, branch: &Block, break_leaves: bool) -> Option<Block> {
        if leaves(branch, break_leaves) && branch.stmts.iter().any(|stmt| self.uses(stmt, making.local)) {
            let around = Around { needed_behind: false, break_leaves };
            let (stmts, _) = self.placed(making, &branch.stmts, around);
            return Some(Block { stmts, span: branch.span });
        }
        self.each_past(making, branch, break_leaves)
    }

    /// A block within which the object is needed in branches alone that lead elsewhere.
    fn each_past(&self, making: &Making, block: &Block, break_leaves: bool) -> Option<Block> {
        let stmts = block.stmts.iter().map(|stmt| self.past(making, stmt, break_leaves, &|| true));
        Some(Block { stmts: stmts.collect::<Option<_>>()?, span: block.span })
    }

    /// Whether a statement looks at a variable or assigns it; one that returns looks at the results.
    fn uses(&self, stmt: &Stmt, local: LocalId) -> bool {
        let mut used = BTreeSet::new();
        self.used(stmt, &mut used);
        used.contains(&local)
    }

    /// The variables that a statement looks at or assigns.
    fn used(&self, stmt: &Stmt, found: &mut BTreeSet<LocalId>) {
        stmt.walk(&mut |part| {
            part.exprs().into_iter().for_each(|expr| expr.collect_locals(found));
            match &part.kind {
                StmtKind::Return(values) if values.is_empty() => found.extend(self.code.result_ids()),
                _ => {}
            }
        });
        found.extend(stmt.assigned());
    }
}

/// Whether a branch is left by a `return` alone, or by a `break` if that leaves: it ends with one, and nothing in it goes on otherwise.
fn leaves(branch: &Block, break_leaves: bool) -> bool {
    fn goes_on(block: &Block, break_leaves: bool) -> bool {
        block.stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Continue => true,
            StmtKind::Break => !break_leaves,
            StmtKind::If(_, then, els) => [then, els].into_iter().any(|branch| goes_on(branch, break_leaves)),
            // What a loop in it goes on with is its own turns, or what follows in the branch.
            _ => false,
        })
    }
    let ends = branch.stmts.last().is_some_and(|last| matches!(last.kind, StmtKind::Return(_) | StmtKind::Break));
    ends && (!goes_on(branch, break_leaves) || faults::planted("kernel/scalars/sunk-and-goes-on"))
}

/// Whether an expression always has a value, and the same one wherever the variables in it have theirs.
fn is_timeless(value: &Expr) -> bool {
    let sum = |part: &Expr| matches!(part.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..));
    !value.any(&|part| !is_simple(part) && !sum(part))
}

/// Whether a statement comes to a loop, a call or a return.
fn is_far(stmt: &Stmt) -> bool {
    let mut far = false;
    stmt.walk(&mut |part| {
        far |= matches!(part.kind, StmtKind::While { .. } | StmtKind::Return(_)) || !callees_of(part).is_empty();
    });
    far
}
