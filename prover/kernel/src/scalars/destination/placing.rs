//! A procedure's body as one that puts its result where it is told: each path to its end, with the call that it waits for at the end.
//!
//! In: the body, and the field. Out: statements that do the same, but put the result into that field of the object that they are told.
//!
//! Rule *Destination* (`proofs/soundness.md`). What follows a branch stands in both sides of it, so that each path is a row of statements.
//! On each it is known which variables hold objects that were made on it and that nothing else leads to. A call of the procedure itself
//! may *wait*: what follows comes first, where that looks at nothing that calls change, and cannot err.

use super::super::locations::variable;
use super::super::nullness::{There, forget, not_null, not_null_else, surely_come_to, surely_read};
use super::super::turn::is_calm;
use super::super::variables::added;
use super::changes::Changes;
use crate::bounds::scalars::MAX_PLACED;
use lang_l::hir::{Block, Expr, ExprKind, FieldId, Local, LocalId, Place, ProcId, Rhs, Stmt, StmtKind, Version};
use lang_l::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// An object that waits for a call.
#[derive(Clone, Copy)]
pub(super) struct Cons {
    /// Where it is made.
    pub(super) made: Span,
    /// Where the call is.
    pub(super) call: Span,
}

/// What is done to a body.
pub(super) struct Placing<'p> {
    /// The procedure, and what it is to call in its own place.
    own: [ProcId; 2],
    /// What calls of it may change; unknown where they come to code that is not there.
    changes: Option<Changes>,
    field: FieldId,
    object: LocalId,
    result: LocalId,
    locals: &'p mut Vec<Local>,
    /// How many statements were looked at.
    steps: usize,
    /// The first object that waits for a call.
    pub(super) cons: Option<Cons>,
}

impl<'p> Placing<'p> {
    /// For a procedure of a version that is to call the second one: the field, the variable of the object, and that of the result.
    pub(super) fn new(
        (version, id, second): (&Version, ProcId, ProcId),
        (field, object, result): (FieldId, LocalId, LocalId),
        locals: &'p mut Vec<Local>,
    ) -> Self {
        let changes = Changes::of(version, id);
        Placing { own: [id, second], changes, field, object, result, locals, steps: 0, cons: None }
    }

    /// The body; `None` where it is too long.
    pub(super) fn body(&mut self, body: &Block) -> Option<Vec<Stmt>> {
        self.path(&body.stmts, Path::default(), body.span)
    }

    /// Some statements, up to the end of the procedure.
    fn path(&mut self, stmts: &[Stmt], mut path: Path, end: Span) -> Option<Vec<Stmt>> {
        let mut done = Vec::new();
        for (at, stmt) in stmts.iter().enumerate() {
            self.steps += 1;
            if self.steps > MAX_PLACED {
                return None;
            }
            let rest = &stmts[at + 1..];
            match &stmt.kind {
                StmtKind::Return(values) => {
                    let given = values.iter().map(|value| Stmt {
                        kind: StmtKind::Assign(Place::Local(self.result), Rhs::Expr(value.clone())),
                        span: stmt.span,
                    });
                    done.extend(self.path(&given.collect::<Vec<_>>(), path, stmt.span)?);
                    return Some(done);
                }
                StmtKind::If(condition, then, els) => {
                    let [mut holds, mut fails] = self.tested(condition, path)?;
                    not_null(condition, &mut holds.known);
                    not_null_else(condition, &mut fails.known);
                    let mut side = |block: &Block, path: Path| {
                        let stmts = [&block.stmts, rest].concat();
                        Some(Block { stmts: self.path(&stmts, path, end)?, span: block.span })
                    };
                    let kind = StmtKind::If(condition.clone(), side(then, holds)?, side(els, fails)?);
                    done.push(Stmt { kind, span: stmt.span });
                    return Some(done);
                }
                _ => {}
            }
            if let Some(waiting) = self.waiting(stmt, rest, (&path, end)) {
                done.extend(waiting);
                return Some(done);
            }
            if path.does(stmt, self.field, self.changes.as_ref())? {
                done.push(stmt.clone());
            }
        }
        done.extend(self.end(&path, end)?);
        Some(done)
    }

    /// The path behind a test, for either side.
    fn tested(&self, condition: &Expr, mut path: Path) -> Option<[Path; 2]> {
        path.looks_at(condition, self.field, self.changes.as_ref())?;
        surely_read(condition, &mut path.known);
        Some([path.clone(), path])
    }

    /// A call of the procedure itself that waits for what follows; `None` where the statement is none, or that cannot be.
    fn waiting(&mut self, stmt: &Stmt, rest: &[Stmt], (path, end): (&Path, Span)) -> Option<Vec<Stmt>> {
        let (targets, callee, args) = stmt.as_call()?;
        let [target] = targets else { return None };
        if callee != self.own[0] || path.waiting.is_some() {
            return None;
        }
        let mut path = path.clone();
        args.iter().for_each(|arg| path.escapes(arg));
        surely_come_to(stmt, &mut path.known);
        let mut waiting = Waiting { args: Vec::new(), call: stmt.span, holding: BTreeSet::new(), stored: None };
        match target {
            Place::Local(id) => {
                path.forgets(*id);
                waiting.holding.insert(*id);
            }
            Place::Field(base, field) if *field == self.field => waiting.stored = Some(path.own_object(base)?),
            _ => return None,
        }
        let (before, cons) = (self.locals.len(), self.cons);
        let mut done = Vec::new();
        // One that calls something may change what the others look at.
        let calls = |part: &Expr| matches!(part.kind, ExprKind::Call(..));
        let any_calls = args.iter().any(|arg| arg.any(&calls)) && !faults::planted("kernel/scalars/argument-late");
        // To return is to assign the result.
        let assigned: BTreeSet<LocalId> = rest.iter().flat_map(Stmt::assigned).chain([self.result]).collect();
        for arg in args {
            let given =
                if !any_calls && path.is_late(arg, &assigned) { arg.clone() } else { self.kept(arg, &mut done) };
            waiting.args.push(given);
        }
        path.waiting = Some(waiting);
        match self.path(rest, path, end) {
            Some(behind) => {
                done.extend(behind);
                Some(done)
            }
            None => {
                self.locals.truncate(before);
                self.cons = cons;
                None
            }
        }
    }

    /// A new variable that is given what an expression is now.
    fn kept(&mut self, e: &Expr, done: &mut Vec<Stmt>) -> Expr {
        let Expr { ty, span, .. } = e.clone();
        let id = added(self.locals, Local { name: "argument".into(), ty: ty.clone(), span });
        done.push(Stmt { kind: StmtKind::Assign(Place::Local(id), Rhs::Expr(e.clone())), span });
        Expr { kind: ExprKind::Local(id), ty, span }
    }

    /// What stands at the end of a path; `None` where what waits there is neither the result nor in the field of the object that is.
    fn end(&mut self, path: &Path, span: Span) -> Option<Vec<Stmt>> {
        let Some(waiting) = &path.waiting else { return Some(vec![self.put(span)]) };
        let object = match waiting.stored {
            None => waiting.holding.contains(&self.result).then_some(self.object)?,
            Some(stored) => (path.own.get(&self.result) == Some(&stored)).then_some(self.result)?,
        };
        let given = Expr { kind: ExprKind::Local(object), ty: self.locals[object.index()].ty.clone(), span };
        let args = waiting.args.iter().cloned().chain([given]).collect();
        let kind = StmtKind::Call { targets: Vec::new(), callee: self.own[1], args };
        let call = Stmt { kind, span: waiting.call };
        let Some(stored) = waiting.stored else { return Some(vec![call]) };
        let made = path.made.get(&stored).copied()?;
        self.cons.get_or_insert(Cons { made, call: waiting.call });
        Some(vec![self.put(made), call])
    }

    /// The result goes where it belongs.
    fn put(&self, span: Span) -> Stmt {
        let read = |id: LocalId| Expr { kind: ExprKind::Local(id), ty: self.locals[id.index()].ty.clone(), span };
        let place = Place::Field(read(self.object), self.field);
        Stmt { kind: StmtKind::Assign(place, Rhs::Expr(read(self.result))), span }
    }
}

/// What is known on a path.
#[derive(Clone, Default)]
struct Path {
    /// The variables that hold objects which were made on it and are known to these variables alone; equal numbers are one object.
    own: BTreeMap<LocalId, usize>,
    /// Where each object was made.
    made: BTreeMap<usize, Span>,
    known: BTreeSet<There>,
    waiting: Option<Waiting>,
}

/// A call that waits for what follows it.
#[derive(Clone)]
struct Waiting {
    args: Vec<Expr>,
    call: Span,
    /// The variables that would hold its result.
    holding: BTreeSet<LocalId>,
    /// The object whose field would hold it.
    stored: Option<usize>,
}

impl Path {
    /// Takes a statement without blocks; whether it is to be done. `None` where a call waits that it must not come before.
    fn does(&mut self, stmt: &Stmt, field: FieldId, changes: Option<&Changes>) -> Option<bool> {
        let held = |path: &Path, e: &Expr| {
            let waiting = path.waiting.as_ref();
            variable(e).is_some_and(|id| waiting.is_some_and(|waiting| waiting.holding.contains(&id)))
        };
        match &stmt.kind {
            StmtKind::Assign(Place::Local(to), Rhs::New(_)) => self.makes(*to, stmt.span),
            StmtKind::Assign(Place::Local(to), Rhs::Expr(e)) if held(self, e) => {
                self.forgets(*to);
                self.waiting.as_mut()?.holding.insert(*to);
                return Some(false);
            }
            StmtKind::Assign(Place::Local(to), Rhs::Expr(e)) if self.own_object(e).is_some() => {
                let object = self.own_object(e)?;
                self.forgets(*to);
                self.own.insert(*to, object);
                self.known.insert(There::Object(*to));
            }
            StmtKind::Assign(Place::Field(base, to), Rhs::Expr(e)) if held(self, e) => {
                let object = self.own_object(base).filter(|_| *to == field)?;
                let stored = &mut self.waiting.as_mut()?.stored;
                return stored.replace(object).is_none().then_some(false);
            }
            StmtKind::Assign(Place::Field(base, to), Rhs::Expr(e)) if self.own_object(base).is_some() => {
                let again = *to == field && self.waiting.as_ref().is_some_and(|waiting| waiting.stored.is_some());
                if again {
                    return None;
                }
                self.looks_at(e, field, changes)?;
            }
            StmtKind::Assign(Place::Local(to), Rhs::Expr(e)) => {
                self.looks_at(e, field, changes)?;
                self.forgets(*to);
                surely_read(e, &mut self.known);
                forget(&mut self.known, stmt);
            }
            _ if self.waiting.is_some() => return None,
            _ => {
                stmt.exprs().into_iter().for_each(|e| self.escapes(e));
                stmt.assigned().into_iter().for_each(|to| self.forgets(to));
                surely_come_to(stmt, &mut self.known);
                forget(&mut self.known, stmt);
            }
        }
        Some(true)
    }

    fn makes(&mut self, to: LocalId, span: Span) {
        self.forgets(to);
        let object = self.made.len();
        self.made.insert(object, span);
        self.own.insert(to, object);
        self.known.insert(There::Object(to));
    }

    /// Whether an argument is the same behind what follows, which assigns these variables and stores to objects of the path's own alone.
    fn is_late(&self, arg: &Expr, assigned: &BTreeSet<LocalId>) -> bool {
        !arg.any(&|part| match &part.kind {
            ExprKind::Local(id) => assigned.contains(id),
            ExprKind::Field(base, _) => self.own_object(base).is_some(),
            _ => false,
        })
    }

    /// The object of its own that a variable holds.
    fn own_object(&self, e: &Expr) -> Option<usize> {
        variable(e).and_then(|id| self.own.get(&id)).copied()
    }

    /// A variable is assigned something else.
    fn forgets(&mut self, id: LocalId) {
        self.own.remove(&id);
        let assigned = BTreeSet::from([id]);
        self.known.retain(|one| one.outlives(&assigned));
        if let Some(waiting) = &mut self.waiting {
            waiting.holding.remove(&id);
        }
    }

    /// Looks at an expression; `None` where a call waits that it must not come before.
    fn looks_at(&mut self, e: &Expr, field: FieldId, changes: Option<&Changes>) -> Option<()> {
        if let Some(waiting) = &self.waiting {
            let stored = waiting.stored.is_some();
            let stays = |part: &Expr| match &part.kind {
                ExprKind::Local(id) => !waiting.holding.contains(id),
                ExprKind::Field(_, read) if *read == field && stored => false,
                ExprKind::Field(base, _) if self.own_object(base).is_some() => true,
                ExprKind::Field(_, read) => {
                    let stored = |changes: &Changes| changes.fields.contains(read);
                    !changes.is_none_or(stored) || faults::planted("kernel/scalars/changed-by-call")
                }
                ExprKind::Global(id) => changes.is_some_and(|changes| !changes.globals.contains(id)),
                _ => true,
            };
            if !is_calm(e, &self.known) || e.any(&|part| !stays(part)) {
                return None;
            }
        }
        self.escapes(e);
        Some(())
    }

    /// Objects that an expression names, other than to look at a field, may be known elsewhere from now on.
    fn escapes(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Field(base, _) if self.own_object(base).is_some() => {}
            ExprKind::Local(id) => {
                if let Some(object) = self.own.get(id).copied()
                    && !faults::planted("kernel/scalars/led-to")
                {
                    self.own.retain(|_, own| *own != object);
                }
            }
            _ => e.parts().into_iter().for_each(|part| self.escapes(part)),
        }
    }
}
