//! A turn of a plain loop: its assignments, and what each of them looks at.
//!
//! In: a loop, and the variables that are not null in front of it. Out: a [`Turn`], if the loop has assignments and branches alone.
//!
//! For *Fission* (`proofs/soundness.md`).

use super::locations::variable;
use super::nullness::{There, forget, not_null};
use crate::bounds::scalars::MAX_ASSIGNMENTS;
use crate::effects::cell_sort;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, GlobalId, LocalId, Place, Rhs, Stmt, StmtKind};
use lang_l::source::Span;
use num_bigint::BigInt;
use smt::term::Selector;
use std::collections::BTreeSet;

/// The assignments of a loop's body, by number, in the order of the text.
pub(super) struct Turn<'l> {
    pub(super) condition: &'l Expr,
    /// What the condition looks at.
    pub(super) tested: Looks,
    pub(super) assignments: Vec<Assignment<'l>>,
}

/// An assignment, with the conditions of the branches around it.
pub(super) struct Assignment<'l> {
    pub(super) span: Span,
    pub(super) target: &'l Place,
    pub(super) rhs: &'l Rhs,
    /// What it and the conditions look at.
    pub(super) looks: Looks,
    /// Where in the text it assigns, counted from the beginning of the body.
    pub(super) at: usize,
    /// Whether none of these can err.
    pub(super) calm: bool,
    /// Whether it stands in no branch.
    pub(super) always: bool,
}

/// The variables that are read somewhere, and the places of the store that are read or written.
#[derive(Clone, Default)]
pub(super) struct Looks {
    pub(super) variables: BTreeSet<LocalId>,
    pub(super) accesses: Vec<Access>,
}

/// A place of the store that is looked at.
#[derive(Clone)]
pub(super) struct Access {
    pub(super) region: Region,
    /// What says which field or cell it is, where that is a variable, or a cell so far behind or before the one of that number.
    pub(super) index: Option<(LocalId, Option<BigInt>)>,
    /// Where in the text, counted from the beginning of the body.
    pub(super) at: usize,
    pub(super) written: bool,
}

/// What the places of the store are told apart by at least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Region {
    Heap(Selector),
    Global(GlobalId),
}

impl<'l> Turn<'l> {
    /// A turn of a loop; `None` where it is not plain. What is known is there, whatever it assigns.
    pub(super) fn of(stmt: &'l Stmt, known: &BTreeSet<There>) -> Option<Self> {
        let StmtKind::While { cond, invariants, body } = &stmt.kind else { return None };
        let tested = Looks::default().and(cond, 0)?;
        let mut reader = Reader { assignments: Vec::new(), at: 0 };
        let mut known = known.clone();
        not_null(cond, &mut known);
        let outside = Around { looks: Looks::default(), calm: true, always: true };
        reader.block(body, &outside, &mut known)?;
        invariants.is_empty().then_some(Turn { condition: cond, tested, assignments: reader.assignments })
    }

    /// Whether it assigns a variable.
    pub(super) fn assigns(&self, id: LocalId) -> bool {
        self.assigning(id).next().is_some()
    }

    /// The numbers of the assignments to a variable.
    pub(super) fn assigning(&self, id: LocalId) -> impl Iterator<Item = usize> {
        let numbered = self.assignments.iter().enumerate();
        numbered.filter(move |(_, own)| own.variable() == Some(id)).map(|(number, _)| number)
    }

    /// The least set of assignments with these that assigns all of its variables, and those of the condition, as the loop does.
    pub(super) fn closed(&self, mut slice: BTreeSet<usize>) -> BTreeSet<usize> {
        loop {
            let mut needed = self.tested.variables.clone();
            for own in slice.iter().map(|&number| &self.assignments[number]) {
                needed.extend(&own.looks.variables);
                needed.extend(own.variable());
            }
            let before = slice.len();
            slice.extend(needed.into_iter().flat_map(|id| self.assigning(id)));
            if slice.len() == before {
                return slice;
            }
        }
    }
}

impl Assignment<'_> {
    /// The variable that it assigns, if it does that and no more.
    pub(super) fn variable(&self) -> Option<LocalId> {
        match self.target {
            Place::Local(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether doing it twice, to two variables, is to do no more: it stores nothing and makes nothing.
    pub(super) fn is_repeatable(&self) -> bool {
        self.variable().is_some() && matches!(self.rhs, Rhs::Expr(_))
    }
}

/// The branches around a place.
struct Around {
    /// What their conditions look at.
    looks: Looks,
    calm: bool,
    /// Whether there are none.
    always: bool,
}

struct Reader<'l> {
    assignments: Vec<Assignment<'l>>,
    /// Where in the text: a condition is one step on, what an assignment looks at another one, and what it assigns one more.
    at: usize,
}

impl<'l> Reader<'l> {
    fn block(&mut self, block: &'l Block, around: &Around, known: &mut BTreeSet<There>) -> Option<()> {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign(target, rhs) => {
                    let own = self.assignment(stmt, (target, rhs), around, known)?;
                    self.assignments.push(own);
                    forget(known, stmt);
                }
                StmtKind::If(condition, then, els) => {
                    let before = self.assignments.len();
                    self.at += 1;
                    let looks = around.looks.clone().and(condition, self.at)?;
                    let within = Around { looks, calm: around.calm && is_calm(condition, known), always: false };
                    let mut branch = known.clone();
                    not_null(condition, &mut branch);
                    self.block(then, &within, &mut branch)?;
                    self.block(els, &within, &mut known.clone())?;
                    forget(known, stmt);
                    // Else the condition would be looked at by none.
                    if self.assignments.len() == before && !faults::planted("kernel/scalars/tested-by-none") {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        (self.assignments.len() <= MAX_ASSIGNMENTS).then_some(())
    }

    fn assignment(
        &mut self,
        stmt: &'l Stmt,
        (target, rhs): (&'l Place, &'l Rhs),
        around: &Around,
        known: &BTreeSet<There>,
    ) -> Option<Assignment<'l>> {
        self.at += 2;
        let mut looks = around.looks.clone();
        for e in stmt.exprs() {
            looks = looks.and(e, self.at - 1)?;
        }
        let written = match target {
            Place::Local(_) => None,
            Place::Global(id) => Some((Region::Global(*id), None)),
            Place::Field(object, field) => Some((Region::Heap(Selector::Field(*field)), of_object(object))),
            Place::Index(array, index) => Some((cells(array), of_cell(index))),
        };
        looks.accesses.extend(written.map(|(region, index)| Access { region, index, at: self.at, written: true }));
        let stores_calmly = match target {
            Place::Local(_) | Place::Global(_) => true,
            Place::Field(object, _) => variable(object).is_some_and(|id| known.contains(&There::Object(id))),
            Place::Index(..) => false,
        };
        let makes_calmly = !matches!(rhs, Rhs::NewArray(..));
        let calm = around.calm && stores_calmly && makes_calmly && stmt.exprs().into_iter().all(|e| is_calm(e, known));
        Some(Assignment { span: stmt.span, target, rhs, looks, at: self.at, calm, always: around.always })
    }
}

impl Looks {
    /// With what an expression looks at, which stands at this place of the text. `None` for one that does more than to look.
    fn and(mut self, e: &Expr, at: usize) -> Option<Self> {
        let mut is_plain = true;
        e.walk(&mut |part| {
            let read = match &part.kind {
                ExprKind::Local(id) => {
                    self.variables.insert(*id);
                    None
                }
                ExprKind::Global(id) => Some((Region::Global(*id), None)),
                ExprKind::Field(object, field) => Some((Region::Heap(Selector::Field(*field)), of_object(object))),
                ExprKind::Index(array, index) => Some((cells(array), of_cell(index))),
                ExprKind::Call(..)
                | ExprKind::Old(_)
                | ExprKind::Fresh(_)
                | ExprKind::Reach(..)
                | ExprKind::Quant { .. } => {
                    is_plain = false;
                    None
                }
                _ => None,
            };
            self.accesses.extend(read.map(|(region, index)| Access { region, index, at, written: false }));
        });
        is_plain.then_some(self)
    }
}

fn cells(array: &Expr) -> Region {
    Region::Heap(Selector::Cell(cell_sort(&array.ty)))
}

/// How the object is told that a field is of.
fn of_object(object: &Expr) -> Option<(LocalId, Option<BigInt>)> {
    variable(object).map(|id| (id, None))
}

/// How the number of a cell is told: a variable, and what is added to it.
fn of_cell(index: &Expr) -> Option<(LocalId, Option<BigInt>)> {
    let (id, added) = variable(index).map(|id| (id, BigInt::ZERO)).or_else(|| offset(index))?;
    Some((id, Some(added)))
}

/// The variable to which an expression adds a literal, and that.
pub(super) fn offset(e: &Expr) -> Option<(LocalId, BigInt)> {
    let literal = |e: &Expr| match &e.kind {
        ExprKind::Int(value) => Some(value.clone()),
        _ => None,
    };
    match &e.kind {
        ExprKind::Binary(BinOp::Add, a, b) => variable(a).zip(literal(b)).or_else(|| variable(b).zip(literal(a))),
        ExprKind::Binary(BinOp::Sub, a, b) => Some((variable(a)?, -literal(b)?)),
        _ => None,
    }
}

/// Whether an expression always has a value, where what is known is there.
pub(super) fn is_calm(e: &Expr, known: &BTreeSet<There>) -> bool {
    match &e.kind {
        ExprKind::Field(object, _) | ExprKind::Length(object) => {
            variable(object).is_some_and(|id| known.contains(&There::Object(id)))
                || faults::planted("kernel/scalars/calm")
        }
        ExprKind::Binary(BinOp::And, a, b) => {
            let mut behind = known.clone();
            not_null(a, &mut behind);
            is_calm(a, known) && is_calm(b, &behind)
        }
        ExprKind::Binary(BinOp::Div | BinOp::Rem, a, b) => {
            is_calm(a, known) && matches!(&b.kind, ExprKind::Int(value) if *value != BigInt::ZERO)
        }
        ExprKind::Index(..) | ExprKind::Call(..) => false,
        _ => e.parts().into_iter().all(|part| is_calm(part, known)),
    }
}
