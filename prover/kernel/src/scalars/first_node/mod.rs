//! A list whose first node a variable holds, as one behind a node before all.
//!
//! In: a program. Out: `t.f := n` in place of `if (t == null) { h := n; } else { t.f := n; }`, where t begins as a new object d, `t == d` says that it
//! was null, and d.f is what h was.
//!
//! Rule *First node* (`proofs/soundness.md`). Nobody else sees this object, so it can stand for null. Then a loop that looks whether there
//! is a node yet does what one with a node before all does.

mod together;

use super::in_place::is_of_present;
use super::locations::variable;
use super::may_be;
use super::nullness::{There, compared_to_null, forget, not_null, not_null_else, surely_come_to, surely_read};
use super::variables::{added, rename};
use lang_l::hir::same::same_stmt;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{
    BinOp, Block, Expr, ExprKind, Field, FieldId, Local, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Type, Unit,
};
use lang_l::source::Span;
use std::collections::BTreeSet;
use std::mem;
use together::tested;

/// Puts a node before all in place of null, where another version does it by other means.
pub(super) fn replace(unit: &mut Unit) {
    let written = unit.versions.clone();
    let tests_first = |own: &Procedure| List::of(own, &unit.fields).map(|list| list.tests_first);
    for (at, version) in written.iter().enumerate() {
        let others = written.iter().enumerate().filter(|(other, _)| *other != at);
        let theirs: Vec<&Procedure> = others.flat_map(|(_, other)| &other.procedures).collect();
        for (number, own) in version.procedures.iter().enumerate() {
            // What another version does alike stays as it is in both.
            let alike = |one: &&Procedure| may_be(one, own, version) && tests_first(one) == tests_first(own);
            if theirs.iter().any(alike) {
                continue;
            }
            if let Some(list) = List::of(own, &unit.fields)
                && let Some(replaced) = list.put(own, &unit.fields)
            {
                unit.versions[at].procedures[number] = replaced;
            }
        }
    }
}

/// The variables of a list that grows at its end.
struct List {
    /// Holds the first node.
    first: LocalId,
    /// Holds the last one, or null where there is none.
    last: LocalId,
    /// Leads from one to the next.
    field: FieldId,
    /// Whether the first one is tested, and not the last one.
    tests_first: bool,
}

impl List {
    /// The first list of a procedure that grows in a loop.
    fn of(own: &Procedure, fields: &[Field]) -> Option<List> {
        let mut found = None;
        walk_stmts(own.body.as_ref()?, &mut |stmt| {
            if matches!(stmt.kind, StmtKind::While { .. }) {
                stmt.walk(&mut |inner| found = found.take().or_else(|| grown(inner)));
            }
        });
        let List { first, last, field, tests_first } = found?;
        let is_own = |id: LocalId, least: usize| id.index() >= least;
        let of = fields[field.index()].class.map_or(Type::Ref, Type::Class);
        let fits = first != last
            && is_own(first, own.params)
            && is_own(last, own.params + own.results)
            && own.local(last).ty == of
            && own.local(first).ty == fields[field.index()].ty;
        fits.then_some(List { first, last, field, tests_first })
    }

    /// The procedure with a node before all; `None` where more is done with the variables than can be said otherwise.
    fn put(&self, own: &Procedure, fields: &[Field]) -> Option<Procedure> {
        let mut made = own.clone();
        let span = own.local(self.last).span;
        let ty = own.local(self.last).ty.clone();
        let before = added(&mut made.locals, Local { name: "before".into(), ty, span });
        let mut body = made.body.take()?;
        let is_its = |id: &Place| *id == Place::Local(self.first) || *id == Place::Local(self.last);
        let called = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Call { targets, .. } if targets.iter().any(is_its));
        if body.any(&called) || body.any_expr(&|e| !is_of_present(e)) {
            return None;
        }
        // Where they are not null together, what is tested is tested as it is.
        together::test_other(&mut body, (self.first, self.last));
        let mut writer = Writer { list: self, before, made: &mut made, fits: true };
        writer.block(&mut body, &mut BTreeSet::new());
        if !writer.fits {
            return None;
        }
        let begin = [
            Stmt { kind: StmtKind::Assign(Place::Local(before), Rhs::New(fields[self.field.index()].class)), span },
            Stmt { kind: StmtKind::Assign(Place::Local(self.last), Rhs::Expr(writer.local(before, span))), span },
        ];
        if self.first.index() < own.params + own.results {
            let given = writer.given(span);
            hand_out(&mut body, &given);
            body.stmts.push(given);
        }
        body.stmts.splice(0..0, begin);
        // It holds another node than it did where the list is empty: nothing that is known of it in a run is said of it here.
        let ty = own.local(self.last).ty.clone();
        let last = added(&mut made.locals, Local { name: "last".into(), ty, span });
        if !faults::planted("kernel/scalars/same-last") {
            let now = |id: LocalId| if id == self.last { last } else { id };
            body.stmts.iter_mut().for_each(|stmt| rename(stmt, &now));
        }
        made.body = Some(body);
        Some(made)
    }
}

/// The list that a statement puts a node at the end of: `if (t == null) { h := n; … } else { t.f := n; … }`, or the other way round, or with h in
/// place of t.
fn grown(stmt: &Stmt) -> Option<List> {
    let StmtKind::If(condition, then, els) = &stmt.kind else { return None };
    let (tested, null) = tested(condition)?;
    let (none, some) = if null { (then, els) } else { (els, then) };
    let (last, field) = some.stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Assign(Place::Field(base, field), _) => Some((variable(base)?, *field)),
        _ => None,
    })?;
    let first = none.stmts.iter().find_map(|stmt| match stmt.kind {
        StmtKind::Assign(Place::Local(id), _) if id != last => Some(id),
        _ => None,
    })?;
    [first, last].contains(&tested).then_some(List { first, last, field, tests_first: tested == first })
}

/// Puts `given` before each `return;`.
fn hand_out(block: &mut Block, given: &Stmt) {
    for mut stmt in mem::take(&mut block.stmts) {
        if matches!(&stmt.kind, StmtKind::Return(values) if values.is_empty()) {
            block.stmts.push(given.clone());
        }
        stmt.blocks_mut().into_iter().for_each(|inner| hand_out(inner, given));
        block.stmts.push(stmt);
    }
}

/// Who puts the node before all in place of null.
struct Writer<'w> {
    list: &'w List,
    /// The variable of the node before all.
    before: LocalId,
    /// The procedure with that variable.
    made: &'w mut Procedure,
    /// Whether all could be said.
    fits: bool,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block, known: &mut BTreeSet<There>) {
        for mut stmt in mem::take(&mut block.stmts) {
            let written = stmt.clone();
            match &mut stmt.kind {
                StmtKind::If(condition, then, els) => {
                    let as_written = condition.clone();
                    let none = tested(condition).filter(|(id, _)| *id == self.list.last).map(|(_, null)| null);
                    self.expr(condition, known);
                    surely_read(&as_written, known);
                    let (mut holds, mut fails) = (known.clone(), known.clone());
                    not_null(&as_written, &mut holds);
                    not_null_else(&as_written, &mut fails);
                    self.block(then, &mut holds);
                    self.block(els, &mut fails);
                    forget(known, &written);
                    // Where the last one is the node before all, what is put behind that is put behind the last one.
                    if let Some(when) = none {
                        self.put_behind_last(if when { then } else { els });
                        let all = then.stmts.len() == els.stmts.len();
                        let alike = |(a, b): (&Stmt, &Stmt)| same_stmt(self.made, a, b);
                        if all && then.stmts.iter().zip(&els.stmts).all(alike) {
                            block.stmts.append(&mut then.stmts);
                            continue;
                        }
                    }
                }
                StmtKind::While { cond, invariants, body } => {
                    forget(known, &written);
                    let as_written = cond.clone();
                    invariants.iter_mut().for_each(|invariant| self.expr(invariant, &BTreeSet::new()));
                    self.expr(cond, known);
                    let mut inside = known.clone();
                    surely_read(&as_written, &mut inside);
                    not_null(&as_written, &mut inside);
                    self.block(body, &mut inside);
                }
                StmtKind::Assign(place, rhs) => block.stmts.extend(self.assignment(place, rhs, (&written, known))),
                _ => {
                    stmt.exprs_mut().into_iter().for_each(|e| self.expr(e, known));
                    surely_come_to(&written, known);
                    forget(known, &written);
                }
            }
            block.stmts.push(stmt);
        }
    }

    /// What is to be done before the assignment.
    fn assignment(
        &mut self,
        place: &mut Place,
        rhs: &mut Rhs,
        (written, known): (&Stmt, &mut BTreeSet<There>),
    ) -> Option<Stmt> {
        let mut first = None;
        if let Some(e) = rhs.expr_mut() {
            self.expr(e, known);
        }
        match place {
            Place::Local(id) if *id == self.list.last => {
                let StmtKind::Assign(_, Rhs::Expr(value)) = &written.kind else {
                    known.insert(There::Object(*id));
                    return None;
                };
                let is_node = variable(value).is_some_and(|of| of != *id && known.contains(&There::Object(of)));
                if let (Rhs::Expr(e), false) = (&mut *rhs, is_node) {
                    self.fits &= !value.any(&|part| matches!(part.kind, ExprKind::Call(..)));
                    let (null, object) = (self.null(e), self.local(self.before, e.span));
                    let none = binary(BinOp::Eq, e.clone(), null);
                    *e = match value.kind {
                        ExprKind::Null => object,
                        _ => conditional(none, object, e.clone()),
                    };
                }
                surely_read(value, known);
                forget(known, written);
                if is_node {
                    known.insert(There::Object(*id));
                }
                return None;
            }
            Place::Local(id) if *id == self.list.first => *place = self.first_place(written.span),
            Place::Local(_) | Place::Global(_) => {}
            Place::Field(base, _) | Place::Index(base, _) => {
                self.base(base, known);
                // A place begins with a variable, not with a choice.
                if base.any(&|part| matches!(part.kind, ExprKind::Cond(..))) {
                    first = Some(self.kept(base));
                }
            }
        }
        if let Place::Index(_, index) = place {
            self.expr(index, known);
        }
        surely_come_to(written, known);
        forget(known, written);
        if let StmtKind::Assign(Place::Local(id), Rhs::New(_)) = &written.kind {
            known.insert(There::Object(*id));
        }
        first
    }

    /// Gives what an expression is to a new variable, and puts that in its place.
    fn kept(&mut self, e: &mut Expr) -> Stmt {
        let (ty, span) = (e.ty.clone(), e.span);
        let id = added(&mut self.made.locals, Local { name: "at".into(), ty, span });
        let value = mem::replace(e, self.local(id, span));
        Stmt { kind: StmtKind::Assign(Place::Local(id), Rhs::Expr(value)), span }
    }

    /// Puts into an expression what stands for the variables.
    fn expr(&mut self, e: &mut Expr, known: &BTreeSet<There>) {
        let span = e.span;
        match &mut e.kind {
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b) if compared_to_null(a, b) == Some(self.list.last) => {
                *e = binary(*op, self.local(self.list.last, span), self.local(self.before, span));
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
                let mut behind = known.clone();
                match op {
                    BinOp::And => not_null(a, &mut behind),
                    _ => not_null_else(a, &mut behind),
                }
                self.expr(a, known);
                self.expr(b, &behind);
            }
            ExprKind::Field(base, _) => self.base(base, known),
            ExprKind::Local(id) if *id == self.list.first => *e = self.first(span),
            ExprKind::Local(id) if *id == self.list.last => *e = self.last_or_null(span),
            _ => e.parts_mut().into_iter().for_each(|part| self.expr(part, known)),
        }
    }

    /// The same of an expression a field of which is looked at.
    fn base(&mut self, base: &mut Expr, known: &BTreeSet<There>) {
        if variable(base) != Some(self.list.last) || !known.contains(&There::Object(self.list.last)) {
            self.expr(base, known);
        }
    }

    /// In a block that begins where the last one is the node before all: what stores behind that stores behind the last one.
    fn put_behind_last(&self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if let StmtKind::Assign(Place::Field(base, field), _) = &mut stmt.kind
                && *field == self.list.field
                && variable(base) == Some(self.before)
            {
                *base = self.local(self.list.last, base.span);
            }
            if stmt.assigned().contains(&self.list.last) {
                return;
            }
        }
    }

    fn local(&self, id: LocalId, span: Span) -> Expr {
        Expr { kind: ExprKind::Local(id), ty: self.made.local(id).ty.clone(), span }
    }

    fn null(&self, like: &Expr) -> Expr {
        Expr { kind: ExprKind::Null, ty: like.ty.clone(), span: like.span }
    }

    /// What the variable of the first node holds.
    fn first(&self, span: Span) -> Expr {
        let kind = ExprKind::Field(Box::new(self.local(self.before, span)), self.list.field);
        Expr { kind, ty: self.made.local(self.list.first).ty.clone(), span }
    }

    fn first_place(&self, span: Span) -> Place {
        Place::Field(self.local(self.before, span), self.list.field)
    }

    /// The result is given what the variable of the first node holds.
    fn given(&self, span: Span) -> Stmt {
        let kind = StmtKind::Assign(Place::Local(self.list.first), Rhs::Expr(self.first(span)));
        Stmt { kind, span }
    }

    /// What the variable of the last node holds.
    fn last_or_null(&self, span: Span) -> Expr {
        let (last, before) = (self.local(self.list.last, span), self.local(self.before, span));
        if faults::planted("kernel/scalars/seen-as-object") {
            return last;
        }
        let none = binary(BinOp::Eq, last.clone(), before);
        conditional(none, self.null(&last), last)
    }
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty: Type::Bool, span }
}

fn conditional(condition: Expr, then: Expr, els: Expr) -> Expr {
    let (ty, span) = (then.ty.clone(), condition.span);
    Expr { kind: ExprKind::Cond(Box::new(condition), Box::new(then), Box::new(els)), ty, span }
}

#[cfg(test)]
mod tests;
