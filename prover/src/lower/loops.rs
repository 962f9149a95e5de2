//! Loops out of procedures: see the module above for the shape.

use super::fresh_local;
use super::live::{Exits, Live, after_each, at_head};
use super::tails;
use lang_l::hir::{
    Block, Expr, ExprKind, Local, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, UnOp, Unit,
};
use lang_l::source::Span;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// Takes the loops out of `procedure`; returns them as procedures, the first of which has the id `next`.
///
/// `kept` names variables to be returned even if nothing reads them afterwards.
pub(super) fn extract(procedure: &mut Procedure, next: usize, kept: &BTreeSet<String>) -> Vec<Procedure> {
    let Some(body) = procedure.body.take() else { return Vec::new() };
    let exits = Exits::of(procedure);
    let mut extractor = Extractor { procedure, next, made: Vec::new(), kept };
    let body = tails::taken_in(body);
    let body = extractor.block(body, &exits.returned, &exits);
    let made = extractor.made;
    procedure.body = Some(body);
    made.into_iter().flatten().collect()
}

struct Extractor<'a> {
    procedure: &'a mut Procedure,
    next: usize,
    /// `None` while the loop's body is being worked on.
    made: Vec<Option<Procedure>>,
    kept: &'a BTreeSet<String>,
}

/// Names of variables, by the name of the procedure they are of.
pub(super) type SpokenOf = HashMap<String, BTreeSet<String>>;

/// By procedure, the variables that matter to loops with invariants: what these ensure is said of their last values.
pub(super) fn spoken_of(unit: &Unit) -> SpokenOf {
    let mut found = SpokenOf::default();
    for procedure in unit.versions.iter().flat_map(|version| &version.procedures) {
        if let Some(body) = &procedure.body {
            spoken_of_in(body, procedure, found.entry(procedure.name.clone()).or_default());
        }
    }
    found
}

fn spoken_of_in(block: &Block, procedure: &Procedure, found: &mut BTreeSet<String>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::If(_, then, els) => {
                spoken_of_in(then, procedure, found);
                spoken_of_in(els, procedure, found);
            }
            StmtKind::While { cond, invariants, body } => {
                if !invariants.is_empty() {
                    invariants.iter().chain([cond]).for_each(|e| names_in(e, procedure, found));
                }
                spoken_of_in(body, procedure, found);
            }
            _ => {}
        }
    }
}

fn names_in(e: &Expr, procedure: &Procedure, found: &mut BTreeSet<String>) {
    if let ExprKind::Local(id) = e.kind {
        found.insert(procedure.local(id).name.clone());
    }
    e.parts().into_iter().for_each(|part| names_in(part, procedure, found));
}

impl Extractor<'_> {
    fn block(&mut self, block: Block, after: &Live, exits: &Exits) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        let lives = after_each(&block, after, exits);
        for (stmt, after) in block.stmts.into_iter().zip(&lives) {
            match stmt.kind {
                StmtKind::While { cond, invariants, body } => {
                    let source = Loop { cond, invariants, body, span: stmt.span };
                    self.extract(source, after, exits, &mut stmts);
                }
                StmtKind::If(cond, then, els) => {
                    let kind = StmtKind::If(cond, self.block(then, after, exits), self.block(els, after, exits));
                    stmts.push(Stmt { kind, span: stmt.span });
                }
                kind => stmts.push(Stmt { kind, span: stmt.span }),
            }
        }
        Block { stmts, span: block.span }
    }

    fn extract(&mut self, source: Loop, after: &Live, exits: &Exits, out: &mut Vec<Stmt>) {
        let span = source.span;
        let number = self.made.len();
        self.made.push(None);
        let id = ProcId(u32::try_from(self.next + number).unwrap_or(u32::MAX));
        let head = at_head(&source.cond, &source.invariants, &source.body, after, exits);
        let body = self.block(source.body, &head, &exits.within(&head, after));
        let source = Loop { body, ..source };
        let uses = Uses::of(&source, &head, after, (self.procedure, self.kept));
        let name = format!("{}@loop{}", self.procedure.name, number + 1);
        let made = loop_procedure(self.procedure, id, name, &uses, source);
        self.made[number] = Some(made);

        let mut targets: Vec<Place> = uses.given.iter().map(|&id| Place::Local(id)).collect();
        let mut values = Vec::new();
        let returned = uses.returns.then(|| {
            let flag = fresh_local(self.procedure, format!("returned@{}", number + 1), Type::Bool, span);
            targets.push(Place::Local(flag));
            for at in 0..self.procedure.results {
                let ty = self.procedure.locals[self.procedure.params + at].ty.clone();
                let id = fresh_local(self.procedure, format!("result@{}.{at}", number + 1), ty.clone(), span);
                targets.push(Place::Local(id));
                values.push(Expr { kind: ExprKind::Local(id), ty, span });
            }
            Expr { kind: ExprKind::Local(flag), ty: Type::Bool, span }
        });
        let args = uses.taken.iter().map(|&id| variable(self.procedure, id, span)).collect();
        out.push(Stmt { kind: StmtKind::Call { targets, callee: id, args }, span });
        if let Some(returned) = returned {
            let leave = Block { stmts: vec![Stmt { kind: StmtKind::Return(values), span }], span };
            out.push(Stmt { kind: StmtKind::If(returned, leave, Block { stmts: Vec::new(), span }), span });
        }
    }
}

fn variable(procedure: &Procedure, id: LocalId, span: Span) -> Expr {
    Expr { kind: ExprKind::Local(id), ty: procedure.local(id).ty.clone(), span }
}

/// A loop of the source.
struct Loop {
    cond: Expr,
    invariants: Vec<Expr>,
    body: Block,
    span: Span,
}

/// Which variables of the procedure a loop uses, in the order of their first occurrence.
#[derive(Default)]
struct Uses {
    /// Read or assigned.
    read: Vec<LocalId>,
    /// Assigned.
    assigned: Vec<LocalId>,
    /// Bound by quantifiers.
    bound: Vec<LocalId>,
    /// Used, and live at the loop's head: the parameters of the loop.
    taken: Vec<LocalId>,
    /// Assigned, and live after the loop: its results.
    given: Vec<LocalId>,
    /// Whether the loop holds a `return`.
    returns: bool,
    /// Whether the loop holds a `break` of its own; loops within are gone already.
    breaks: bool,
}

impl Uses {
    fn of(source: &Loop, head: &Live, after: &Live, (procedure, kept): (&Procedure, &BTreeSet<String>)) -> Uses {
        let mut uses = Uses::default();
        uses.expr(&source.cond);
        uses.block(&source.body, procedure);
        source.invariants.iter().for_each(|invariant| uses.expr(invariant));
        let bound = uses.bound.clone();
        uses.read.retain(|id| !bound.contains(id));
        uses.taken = uses.read.iter().copied().filter(|id| head.contains(id)).collect();
        let matters =
            |id: &LocalId| after.contains(id) || (uses.taken.contains(id) && kept.contains(&procedure.local(*id).name));
        uses.given = uses.assigned.iter().copied().filter(matters).collect();
        uses
    }

    fn reads(&mut self, id: LocalId) {
        if !self.read.contains(&id) {
            self.read.push(id);
        }
    }

    fn assigns(&mut self, place: &Place) {
        match place {
            Place::Local(id) => {
                self.reads(*id);
                if !self.assigned.contains(id) {
                    self.assigned.push(*id);
                }
            }
            Place::Global(_) => {}
            Place::Field(object, _) => self.expr(object),
            Place::Index(array, index) => {
                self.expr(array);
                self.expr(index);
            }
        }
    }

    /// Loops within are gone already, so every `break` is the loop's own.
    fn block(&mut self, block: &Block, procedure: &Procedure) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign(place, rhs) => {
                    self.assigns(place);
                    match rhs {
                        Rhs::Expr(e) | Rhs::NewArray(_, e) => self.expr(e),
                        Rhs::New(_) => {}
                    }
                }
                StmtKind::Call { targets, args, .. } => {
                    targets.iter().for_each(|place| self.assigns(place));
                    args.iter().for_each(|arg| self.expr(arg));
                }
                StmtKind::If(cond, then, els) => {
                    self.expr(cond);
                    self.block(then, procedure);
                    self.block(els, procedure);
                }
                StmtKind::While { .. } => {}
                StmtKind::Return(values) => {
                    self.returns = true;
                    if values.is_empty() {
                        procedure.result_ids().for_each(|id| self.reads(id));
                    }
                    values.iter().for_each(|value| self.expr(value));
                }
                StmtKind::Assert(e) | StmtKind::Assume(e) => self.expr(e),
                StmtKind::Break => self.breaks = true,
                StmtKind::Continue => {}
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Local(id) => self.reads(*id),
            ExprKind::Quant { var, .. } => self.bound.push(*var),
            _ => {}
        }
        expr.parts().into_iter().for_each(|part| self.expr(part));
    }
}

fn loop_procedure(procedure: &Procedure, own: ProcId, name: String, uses: &Uses, source: Loop) -> Procedure {
    let Loop { cond, invariants, body, span } = source;
    let mut locals: Vec<Local> = uses.taken.iter().map(|&id| procedure.local(id).clone()).collect();
    let mut map: HashMap<LocalId, LocalId> = uses.taken.iter().copied().zip((0..).map(LocalId)).collect();
    let mut results: Vec<LocalId> = Vec::new();
    let add = |locals: &mut Vec<Local>, local: Local| {
        locals.push(local);
        LocalId(u32::try_from(locals.len() - 1).unwrap_or(u32::MAX))
    };
    let mut exit_map = map.clone();
    for &id in &uses.given {
        let result = add(&mut locals, procedure.local(id).clone());
        exit_map.insert(id, result);
        results.push(result);
    }
    let mut extra = Vec::new();
    if uses.returns {
        let flag = Local { name: "returned".into(), ty: Type::Bool, span };
        extra.push(add(&mut locals, flag));
        for id in procedure.result_ids() {
            extra.push(add(&mut locals, procedure.local(id).clone()));
        }
    }
    let result_count = results.len() + extra.len();
    let within = uses.read.iter().filter(|id| !uses.taken.contains(id));
    for &id in within.chain(&uses.bound) {
        let bound = add(&mut locals, procedure.local(id).clone());
        map.insert(id, bound);
        exit_map.insert(id, bound);
    }
    let shape = Shape { procedure, own, uses, map: &map, locals: &locals, extra: &extra, span };
    let again = shape.again();
    let mut stmts = shape.block(body).stmts;
    stmts.push(again);
    let then = Block { stmts, span };
    let enter =
        Stmt { kind: StmtKind::If(shape.expr(cond.clone()), then, Block { stmts: Vec::new(), span }), span: cond.span };
    let leave = shape.leave(None);
    let sayable = |e: &&Expr| !speaks_of_entry(e);
    let mut ensures = Vec::new();
    if !uses.breaks && !uses.returns {
        let at_exit = Shape { map: &exit_map, ..shape };
        ensures.extend(invariants.iter().filter(sayable).map(|e| at_exit.expr(e.clone())));
        let not = ExprKind::Unary(UnOp::Not, Box::new(at_exit.expr(cond.clone())));
        ensures.push(Expr { kind: not, ty: Type::Bool, span: cond.span });
    }
    // An invariant that speaks of the enclosing procedure's entry cannot be said here; it stays, so that it counts as unproved.
    let requires = invariants.iter().map(|e| shape.expr(e.clone())).collect();
    Procedure {
        name,
        params: uses.taken.len(),
        results: result_count,
        requires,
        ensures,
        modifies: None,
        body: Some(Block { stmts: vec![enter, leave], span }),
        locals,
        name_span: span,
        span,
    }
}

/// What the translation of a loop's body needs to know.
#[derive(Clone, Copy)]
struct Shape<'a> {
    procedure: &'a Procedure,
    own: ProcId,
    uses: &'a Uses,
    map: &'a HashMap<LocalId, LocalId>,
    locals: &'a [Local],
    /// The flag and the enclosing procedure's results, when the loop holds a `return`.
    extra: &'a [LocalId],
    span: Span,
}

impl Shape<'_> {
    fn local(&self, id: LocalId) -> Expr {
        Expr { kind: ExprKind::Local(id), ty: self.locals[id.index()].ty.clone(), span: self.span }
    }

    fn mapped(&self, id: LocalId) -> LocalId {
        self.map.get(&id).copied().unwrap_or(id)
    }

    /// The next iteration.
    fn again(&self) -> Stmt {
        let mut targets: Vec<Place> = self.uses.given.iter().map(|&id| Place::Local(self.mapped(id))).collect();
        targets.extend(self.extra.iter().map(|&id| Place::Local(id)));
        let args = self.uses.taken.iter().map(|&id| self.local(self.mapped(id))).collect();
        Stmt { kind: StmtKind::Call { targets, callee: self.own, args }, span: self.span }
    }

    /// Leaves the loop, with these results of the enclosing procedure if it is left too.
    fn leave(&self, returned: Option<Vec<Expr>>) -> Stmt {
        let mut values: Vec<Expr> = self.uses.given.iter().map(|&id| self.local(self.mapped(id))).collect();
        match returned {
            None => values.extend(self.extra.iter().map(|&id| self.local(id))),
            Some(results) => {
                values.push(Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: self.span });
                values.extend(results);
            }
        }
        Stmt { kind: StmtKind::Return(values), span: self.span }
    }

    fn block(&self, block: Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for Stmt { kind, span } in block.stmts {
            let kind = match kind {
                StmtKind::Assign(place, rhs) => {
                    let rhs = match rhs {
                        Rhs::Expr(e) => Rhs::Expr(self.expr(e)),
                        Rhs::NewArray(element, length) => Rhs::NewArray(element, self.expr(length)),
                        new @ Rhs::New(_) => new,
                    };
                    StmtKind::Assign(self.place(place), rhs)
                }
                StmtKind::Call { targets, callee, args } => StmtKind::Call {
                    targets: targets.into_iter().map(|place| self.place(place)).collect(),
                    callee,
                    args: args.into_iter().map(|arg| self.expr(arg)).collect(),
                },
                StmtKind::If(cond, then, els) => StmtKind::If(self.expr(cond), self.block(then), self.block(els)),
                StmtKind::Continue => {
                    stmts.push(Stmt { kind: self.again().kind, span });
                    self.leave(None).kind
                }
                StmtKind::Break => self.leave(None).kind,
                StmtKind::Return(values) => {
                    let values = if values.is_empty() {
                        self.procedure.result_ids().map(|id| self.local(self.mapped(id))).collect()
                    } else {
                        values.into_iter().map(|value| self.expr(value)).collect()
                    };
                    self.leave(Some(values)).kind
                }
                StmtKind::Assert(e) => StmtKind::Assert(self.expr(e)),
                StmtKind::Assume(e) => StmtKind::Assume(self.expr(e)),
                // Loops within this one are procedures already.
                kind @ StmtKind::While { .. } => kind,
            };
            stmts.push(Stmt { kind, span });
        }
        Block { stmts, span: block.span }
    }

    fn place(&self, place: Place) -> Place {
        match place {
            Place::Local(id) => Place::Local(self.mapped(id)),
            Place::Global(id) => Place::Global(id),
            Place::Field(object, field) => Place::Field(self.expr(object), field),
            Place::Index(array, index) => Place::Index(self.expr(array), self.expr(index)),
        }
    }

    fn expr(&self, expr: Expr) -> Expr {
        let Expr { kind, ty, span } = expr;
        let go = |e: Box<Expr>| Box::new(self.expr(*e));
        let kind = match kind {
            ExprKind::Local(id) => ExprKind::Local(self.mapped(id)),
            ExprKind::Field(object, field) => ExprKind::Field(go(object), field),
            ExprKind::Index(array, index) => ExprKind::Index(go(array), go(index)),
            ExprKind::Length(array) => ExprKind::Length(go(array)),
            ExprKind::Unary(op, inner) => ExprKind::Unary(op, go(inner)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, go(a), go(b)),
            ExprKind::Cond(a, b, c) => ExprKind::Cond(go(a), go(b), go(c)),
            ExprKind::Call(callee, args) => {
                ExprKind::Call(callee, args.into_iter().map(|arg| self.expr(arg)).collect())
            }
            ExprKind::Old(inner) => ExprKind::Old(go(inner)),
            ExprKind::Fresh(inner) => ExprKind::Fresh(go(inner)),
            ExprKind::Reach(a, b) => ExprKind::Reach(go(a), go(b)),
            ExprKind::Quant { forall, var, body } => ExprKind::Quant { forall, var: self.mapped(var), body: go(body) },
            leaf @ (ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Global(_)) => leaf,
        };
        Expr { kind, ty, span }
    }
}

/// `old` and `fresh` in an invariant speak of the entry of the enclosing procedure, which the loop's procedure cannot see.
fn speaks_of_entry(expr: &Expr) -> bool {
    expr.any(&|part| matches!(part.kind, ExprKind::Old(_) | ExprKind::Fresh(_)))
}
