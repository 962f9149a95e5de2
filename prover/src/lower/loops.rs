//! Loops become procedures that call themselves.
//!
//! In: procedures whose calls are statements. Out: the same without `while`, `break` and `continue`; the loops follow as
//! procedures of their own. The module above has the shape of these.

use super::draft::{Draft, fresh_local};
use super::handed_out::{HandedOut, References};
use super::turn_ends;
use kernel::liveness::{Exits, Live, after_each, at_head};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{
    Block, Expr, ExprKind, Local, LocalId, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, UnOp, Unit,
};
use lang_l::source::Span;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// Takes the loops out of every procedure.
pub(super) fn run(draft: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    for own in draft.originals() {
        let next = procedures.len();
        let procedure = &mut procedures[own.index()];
        let mut made = extract(procedure, own, next, &|number| draft.kept(own, number));
        procedures.append(&mut made);
    }
}

/// What the loops of each version hand out for the sake of what follows them.
pub(super) fn handed_out(unit: &Unit) -> HandedOut {
    let of = |code: &Procedure| {
        let made = extract(&mut code.clone(), ProcId(0), 0, &|_| BTreeSet::new());
        (code.name.clone(), made.iter().map(|made| References::of(made, code)).collect())
    };
    unit.versions.iter().map(|version| version.procedures.iter().map(of).collect()).collect()
}

/// The names of variables that the loop of this number, from 1, returns even if nothing reads them afterwards.
type Kept<'a> = &'a dyn Fn(usize) -> BTreeSet<String>;

/// Takes the loops out of `procedure`; returns them as procedures, the first of which has the id `next`.
fn extract(procedure: &mut Procedure, of: ProcId, next: usize, kept: Kept<'_>) -> Vec<Procedure> {
    let Some(body) = procedure.body.take() else { return Vec::new() };
    let exits = Exits::of(procedure);
    let mut extractor = Extractor { procedure, of, next, made: Vec::new(), kept };
    let body = extractor.block(body, &exits.returned, &exits);
    let made = extractor.made;
    procedure.body = Some(body);
    made.into_iter().flatten().collect()
}

struct Extractor<'a> {
    procedure: &'a mut Procedure,
    /// The procedure's id.
    of: ProcId,
    /// The id of the first loop.
    next: usize,
    /// `None` while the loop's body is being worked on.
    made: Vec<Option<Procedure>>,
    kept: Kept<'a>,
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
        let kept = (self.kept)(number + 1);
        let uses = Uses::of(&source, &head, after, (self.procedure, &kept));
        let origin = Origin::Loop { of: self.of, number: number + 1, returns: uses.returns };
        let made = loop_procedure(self.procedure, (id, origin), &uses, source);
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
        // Nothing follows a loop that only a `return` leaves. A number handed out for nothing does no harm, and may help to relate two
        // loops; a reference has to have a partner.
        let is_left = uses.breaks || !matches!(source.cond.kind, ExprKind::Bool(true));
        let is_wanted = |id: &LocalId| is_left || !procedure.local(*id).ty.is_reference();
        let matters = |id: &LocalId| {
            (is_wanted(id) && after.contains(id))
                || (uses.taken.contains(id) && kept.contains(&procedure.local(*id).name))
        };
        uses.given = uses.assigned.iter().copied().filter(matters).collect();
        uses
    }

    fn reads(&mut self, id: LocalId) {
        if !self.read.contains(&id) {
            self.read.push(id);
        }
    }

    /// Loops within are gone already, so every `break` is the loop's own.
    fn block(&mut self, block: &Block, procedure: &Procedure) {
        walk_stmts(block, &mut |stmt| {
            for place in stmt.targets() {
                if let Place::Local(id) = place {
                    self.reads(*id);
                    if !self.assigned.contains(id) {
                        self.assigned.push(*id);
                    }
                }
            }
            match &stmt.kind {
                StmtKind::Return(values) => {
                    self.returns = true;
                    if values.is_empty() {
                        procedure.result_ids().for_each(|id| self.reads(id));
                    }
                }
                StmtKind::Break => self.breaks = true,
                _ => {}
            }
            stmt.exprs().into_iter().for_each(|e| self.expr(e));
        });
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

fn loop_procedure(procedure: &Procedure, (own, origin): (ProcId, Origin), uses: &Uses, source: Loop) -> Procedure {
    let Loop { cond, invariants, body, span } = source;
    let body = turn_ends::join(body);
    let frame = Frame::of(procedure, uses, span);
    let shape = Shape { procedure, own, uses, frame: &frame, map: &frame.map, span };
    let ensures = if (uses.breaks && !faults::planted("lower/loops/ensures-after-break")) || uses.returns {
        Vec::new()
    } else {
        Shape { map: &frame.exit_map, ..shape }.ensures(&invariants, &cond)
    };
    // An invariant that speaks of the enclosing procedure's entry cannot be said here; it stays, so that it counts as unproved.
    let lost = usize::from(faults::planted("lower/loops/invariant-lost"));
    let requires = invariants.iter().skip(lost).map(|e| shape.expr(e.clone())).collect();
    let again = shape.again();
    let mut stmts = shape.block(body).stmts;
    stmts.push(again);
    let (then, els) = (Block { stmts, span }, Block { stmts: Vec::new(), span });
    let enter = Stmt { span: cond.span, kind: StmtKind::If(shape.expr(cond), then, els) };
    let leave = shape.leave(None);
    let number = if let Origin::Loop { number, .. } = origin { number } else { 0 };
    Procedure {
        name: format!("{}@loop{number}", procedure.name),
        params: uses.taken.len(),
        results: frame.results,
        requires,
        ensures,
        modifies: None,
        body: Some(Block { stmts: vec![enter, leave], span }),
        locals: frame.locals,
        name_span: span,
        span,
        origin,
    }
}

/// The variables of a loop's procedure.
struct Frame {
    locals: Vec<Local>,
    /// How many of them are results.
    results: usize,
    /// The variable that stands for one of the enclosing procedure, within the loop.
    map: HashMap<LocalId, LocalId>,
    /// The same at the loop's end, where results stand for what the loop assigned.
    exit_map: HashMap<LocalId, LocalId>,
    /// The flag and the enclosing procedure's results, when the loop holds a `return`.
    extra: Vec<LocalId>,
}

impl Frame {
    fn of(procedure: &Procedure, uses: &Uses, span: Span) -> Self {
        let map: HashMap<LocalId, LocalId> = uses.taken.iter().copied().zip((0..).map(LocalId)).collect();
        let mut frame = Frame {
            locals: uses.taken.iter().map(|&id| procedure.local(id).clone()).collect(),
            results: uses.given.len(),
            exit_map: map.clone(),
            map,
            extra: Vec::new(),
        };
        for &id in &uses.given {
            let result = frame.add(procedure.local(id).clone());
            frame.exit_map.insert(id, result);
        }
        if uses.returns {
            // No variable of the source is called like these, so that names tell all results apart.
            let flag = frame.add(Local { name: "@returned".into(), ty: Type::Bool, span });
            frame.extra.push(flag);
            for id in procedure.result_ids() {
                let Local { name, ty, span } = procedure.local(id).clone();
                let result = frame.add(Local {
                    name: if faults::planted("lower/loops/results-permuted") { name } else { format!("@{name}") },
                    ty,
                    span,
                });
                frame.extra.push(result);
            }
            frame.results += frame.extra.len();
        }
        let within = uses.read.iter().filter(|id| !uses.taken.contains(id));
        for &id in within.chain(&uses.bound) {
            let own = frame.add(procedure.local(id).clone());
            frame.map.insert(id, own);
            frame.exit_map.insert(id, own);
        }
        frame
    }

    fn add(&mut self, local: Local) -> LocalId {
        self.locals.push(local);
        LocalId(u32::try_from(self.locals.len() - 1).unwrap_or(u32::MAX))
    }
}

/// What the translation of a loop's body needs to know.
#[derive(Clone, Copy)]
struct Shape<'a> {
    procedure: &'a Procedure,
    own: ProcId,
    uses: &'a Uses,
    frame: &'a Frame,
    map: &'a HashMap<LocalId, LocalId>,
    span: Span,
}

impl Shape<'_> {
    fn local(&self, id: LocalId) -> Expr {
        Expr { kind: ExprKind::Local(id), ty: self.frame.locals[id.index()].ty.clone(), span: self.span }
    }

    fn mapped(&self, id: LocalId) -> LocalId {
        self.map.get(&id).copied().unwrap_or(id)
    }

    /// What holds when the loop ends by its condition: the invariants that can be said, and that the condition does not hold.
    fn ensures(&self, invariants: &[Expr], cond: &Expr) -> Vec<Expr> {
        let said = invariants.iter().filter(|e| !e.mentions_entry());
        let mut ensures: Vec<Expr> = said.map(|e| self.expr(e.clone())).collect();
        let not = ExprKind::Unary(UnOp::Not, Box::new(self.expr(cond.clone())));
        ensures.push(Expr { kind: not, ty: Type::Bool, span: cond.span });
        ensures
    }

    /// The next iteration.
    fn again(&self) -> Stmt {
        let mut targets: Vec<Place> = self.uses.given.iter().map(|&id| Place::Local(self.mapped(id))).collect();
        targets.extend(self.frame.extra.iter().map(|&id| Place::Local(id)));
        let mut args: Vec<Expr> = self.uses.taken.iter().map(|&id| self.local(self.mapped(id))).collect();
        if faults::planted("lower/loops/turns-crossed") && args.len() > 1 && args[0].ty == args[1].ty {
            args.swap(0, 1);
        }
        Stmt { kind: StmtKind::Call { targets, callee: self.own, args }, span: self.span }
    }

    /// Leaves the loop, with these results of the enclosing procedure if it is left too.
    fn leave(&self, returned: Option<Vec<Expr>>) -> Stmt {
        let mut values: Vec<Expr> = self.uses.given.iter().map(|&id| self.local(self.mapped(id))).collect();
        match returned {
            None => values.extend(self.frame.extra.iter().map(|&id| self.local(id))),
            Some(results) => {
                values.push(Expr {
                    kind: ExprKind::Bool(!faults::planted("lower/loops/return-unflagged")),
                    ty: Type::Bool,
                    span: self.span,
                });
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
                    if !faults::planted("lower/loops/continue-as-break") {
                        stmts.push(Stmt { kind: self.again().kind, span });
                    }
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

    fn expr(&self, mut expr: Expr) -> Expr {
        expr.walk_mut(&mut |part| match &mut part.kind {
            ExprKind::Local(id) | ExprKind::Quant { var: id, .. } => *id = self.mapped(*id),
            _ => {}
        });
        expr
    }
}
