//! A program in which what two procedures do is put right, or compared with what is known, from stores with a condition.
//!
//! In: a pair, a condition, and what is done after a call of each. Out: whether the two procedures that do that are proved to be
//! equal wherever the condition holds, and whether they return.
//!
//! Rules *Equal kind*, *Put right* and *Values apart*: the two call the pair as it is, and require the condition. The procedures of the
//! pair are also tried with the condition required, and kept by their loops, which know nothing of it otherwise: from a store with the
//! condition each does what it does in the program as it is.
//!
//! Invariant: a proof is one that the kernel agrees to, at the full level.

use super::opposite::pushed;
use crate::goal::Pair;
use crate::verify::boundaries::{part, prove};
use kernel::effects::direct_callees;
use lang_l::hir::visit::walk_stmts_mut;
use lang_l::hir::{
    BinOp, Block, Expr, ExprKind, GlobalId, Local, LocalId, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind,
    Type, UnOp, Unit,
};
use lang_l::source::Span;
use smt::solve::Solver;
use std::collections::{BTreeMap, BTreeSet};

/// What the procedures that call the pair are named: no procedure of the source can be.
const NAME: &str = "(a call)";

/// An output of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// A result, by its number.
    Result(usize),
    /// A global.
    Global(GlobalId),
}

/// What is done after a call. Expressions are over the parameters and the store on entry, in words of version 0.
#[derive(Clone, Debug)]
pub(super) enum After {
    /// Nothing.
    Nothing,
    /// From each of these outputs something is taken away; booleans are turned round.
    PutRight(Vec<(Output, Option<Expr>)>),
    /// Only whether this output compares so is given back.
    Compare(Output, BinOp, Expr),
    /// That it does is given back, and there is no call.
    Said,
}

/// What was proved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Proved {
    /// Both do the same.
    pub(super) equal: bool,
    /// And that is to return.
    pub(super) returns: bool,
}

/// What is asked.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub(super) unit: &'q Unit,
    pub(super) pair: Pair,
    /// From which stores, over the parameters of version 0.
    pub(super) condition: &'q Expr,
    /// What is done after a call of each.
    pub(super) after: [&'q After; 2],
    /// Tests that the condition says one cell of a range to satisfy, or none: of the cells that a loop has been at, perhaps none did.
    pub(super) of_cells: &'q [&'q Expr],
}

/// Where the condition is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Where the pair is called.
    Outside,
    /// On entry of the pair as well.
    OnEntry,
    /// And in their loops.
    InLoops,
    /// And there that no cell satisfied a test, the one with this number, that a loop going up has been at, or one going down.
    Searched(usize, bool),
    /// Outside alone; but what is compared is ensured by the pair wherever the condition held on entry.
    Ensured,
}

/// Whether the two of a pair that does not recur are proved to be equal where a condition holds, in the program in which both require it
/// and in which there is nothing but them and what they run. What speaks of many cells is also tried as an invariant of their loops.
pub(super) fn equal(unit: &Unit, pair: Pair, condition: &Expr, solver: &mut Solver) -> bool {
    let question = Question { unit, pair, condition, after: [&After::Nothing, &After::Nothing], of_cells: &[] };
    let known: &[Known] = if is_quantified(condition) { &[Known::OnEntry, Known::InLoops] } else { &[Known::OnEntry] };
    loops(question) && known.iter().any(|&known| found(question, known, solver).is_some())
}

/// Whether what the two run has loops or recursion: without them nothing is hidden from who executes them.
fn loops(question: Question<'_>) -> bool {
    let Question { unit, pair, .. } = question;
    unit.versions.iter().zip([pair.0, pair.1]).any(|(version, id)| !part::is_straight(version, id))
}

fn is_quantified(condition: &Expr) -> bool {
    condition.any(&|part| matches!(part.kind, ExprKind::Quant { .. }))
}

/// Proves that the two do the same wherever the condition holds, and that they return.
pub(super) fn proved(question: Question<'_>, solver: &mut Solver) -> Proved {
    let mut best = Proved::default();
    for known in ways(question) {
        if let Some(found) = found(question, known, solver) {
            best = Proved { equal: true, returns: best.returns || found.returns };
        }
        if best.returns {
            break;
        }
    }
    best
}

/// What is proved where the condition is known so, if that is that the two are equal.
fn found(question: Question<'_>, known: Known, solver: &mut Solver) -> Option<prove::Found> {
    let twin = twin(question, known)?;
    let Question { unit, pair, after, .. } = question;
    let codes = [unit.versions[0].procedure(pair.0), unit.versions[1].procedure(pair.1)];
    // Unless they are known to differ they may be equal themselves.
    let are_asked = after.iter().all(|after| matches!(after, After::Nothing));
    let but = if are_asked { BTreeSet::new() } else { codes.iter().map(|code| code.name.clone()).collect() };
    let own = BTreeSet::from([NAME.to_string()]);
    let found = prove::prove(&twin, &but, [&own, &own], solver).remove(NAME);
    found.filter(prove::Found::is_equal)
}

/// Where the condition is tried to be known. Of many cells loops know nothing but what they keep.
fn ways(question: Question<'_>) -> Vec<Known> {
    let searched = (0..question.of_cells.len()).flat_map(|at| [Known::Searched(at, true), Known::Searched(at, false)]);
    let recurs = question
        .unit
        .versions
        .iter()
        .zip([question.pair.0, question.pair.1])
        .any(|(version, id)| part::reached_from(version, direct_callees(version.procedure(id))).contains(&id));
    match (is_quantified(question.condition), recurs) {
        (false, _) => vec![Known::Outside, Known::OnEntry, Known::InLoops, Known::Ensured],
        (true, true) => vec![Known::Ensured, Known::Outside],
        (true, false) if question.of_cells.is_empty() => vec![Known::InLoops],
        (true, false) => searched.collect(),
    }
}

/// The program; `None` where the condition cannot be known there.
fn twin(question: Question<'_>, known: Known) -> Option<Unit> {
    let Question { unit, pair, condition, after, of_cells } = question;
    let codes = [unit.versions[0].procedure(pair.0), unit.versions[1].procedure(pair.1)];
    let roots = codes.iter().map(|code| code.name.clone()).collect();
    let mut small = part::part(unit, &roots);
    let condition = (condition, codes[0]);
    let mut is_new = known == Known::Outside;
    for (version, after) in after.into_iter().enumerate() {
        let id = small.versions[version].find(&codes[version].name)?;
        let callees = direct_callees(small.versions[version].procedure(id));
        let recurs = part::reached_from(&small.versions[version], callees).contains(&id);
        let code = &mut small.versions[version].procedures[id.index()];
        match (known, after) {
            (_, After::Said) | (Known::Outside, _) => {}
            (Known::Ensured, After::Compare(output, op, value)) if recurs => {
                ensure(code, Some(condition), codes[0], (*output, *op, value));
                is_new = true;
            }
            (Known::OnEntry, _) if !recurs => {
                // Without loops of its own all that it runs knows as much where it is called.
                is_new |= has_loops(code);
                require(code, condition);
            }
            (Known::InLoops | Known::Searched(..), _) if !recurs => {
                is_new |= has_loops(code);
                require(code, condition);
                keep(code, condition, &|_, condition| Some(condition.clone()));
                if let Known::Searched(at, up) = known {
                    keep(code, (of_cells[at], codes[0]), &|head, test| searched(head, test, up));
                }
                if let After::Compare(output, op, value) = after {
                    ensure(code, None, codes[0], (*output, *op, value));
                }
            }
            _ => return None,
        }
        let caller = caller(small.versions[version].procedure(id), id, condition, after);
        small.versions[version].procedures.push(caller);
    }
    is_new.then_some(small)
}

/// Has a procedure ensure what is said of an output; where a condition is given, if it held on entry.
fn ensure(
    code: &mut Procedure,
    condition: Option<(&Expr, &Procedure)>,
    of: &Procedure,
    (output, op, value): (Output, BinOp, &Expr),
) {
    let body = Body { stmts: Vec::new(), span: code.name_span };
    let results: Vec<LocalId> = code.result_ids().collect();
    let (_, now) = body.output(output, &results, &code.locals, value.ty.clone());
    let value = imported(value, of, &mut code.locals);
    let compared = |value| body.expr(ExprKind::Binary(op, Box::new(now), Box::new(value)), Type::Bool);
    let clause = match condition {
        None => compared(value),
        Some((condition, of)) => {
            let condition = imported(condition, of, &mut code.locals);
            let old = |expr: Expr| body.expr(ExprKind::Old(Box::new(expr.clone())), expr.ty);
            let (held, then) = (old(condition), compared(old(value)));
            body.expr(ExprKind::Binary(BinOp::Implies, Box::new(held), Box::new(then)), Type::Bool)
        }
    };
    code.ensures.push(clause);
}

fn has_loops(code: &Procedure) -> bool {
    code.body.as_ref().is_some_and(|body| body.any(&|stmt| matches!(stmt.kind, StmtKind::While { .. })))
}

fn require(code: &mut Procedure, (condition, of): (&Expr, &Procedure)) {
    let condition = imported(condition, of, &mut code.locals);
    code.requires.push(condition);
}

/// Has all loops of a procedure keep what is made of a condition for each: by its own test, and what its body assigns.
fn keep(code: &mut Procedure, (condition, of): (&Expr, &Procedure), made: &dyn Fn(&Head<'_>, &Expr) -> Option<Expr>) {
    let condition = imported(condition, of, &mut code.locals);
    let Some(body) = &mut code.body else { return };
    walk_stmts_mut(body, &mut |stmt| {
        if let StmtKind::While { cond, invariants, body } = &mut stmt.kind {
            invariants.extend(made(&Head { cond, body }, &condition));
        }
    });
}

/// The head of a loop.
struct Head<'h> {
    cond: &'h Expr,
    body: &'h Block,
}

/// That no cell that a loop has been at satisfies what one of a range does. The loop goes up, or down, by the number that its test
/// speaks of and its body assigns.
fn searched(head: &Head<'_>, some: &Expr, up: bool) -> Option<Expr> {
    let ExprKind::Quant { forall: false, var, body } = &some.kind else { return None };
    let mut of_test = BTreeSet::new();
    head.cond.collect_locals(&mut of_test);
    let assigns = |stmt: &Stmt, id: LocalId| stmt.targets().contains(&Place::Local(id));
    let counter = of_test.into_iter().find(|&id| head.body.any(&|stmt| assigns(stmt, id)))?;
    let of = |kind| Expr { kind, ty: Type::Bool, span: some.span };
    let number = |id| Box::new(Expr { kind: ExprKind::Local(id), ty: Type::Int, span: some.span });
    let op = if up { BinOp::Lt } else { BinOp::Gt };
    let been_at = of(ExprKind::Binary(op, number(*var), number(counter)));
    let both = of(ExprKind::Binary(BinOp::And, Box::new(been_at), body.clone()));
    Some(pushed(&of(ExprKind::Quant { forall: false, var: *var, body: Box::new(both) }), false))
}

/// An expression over the parameters of one procedure, among the variables of another with the same ones: what it binds is new there.
fn imported(expr: &Expr, of: &Procedure, locals: &mut Vec<Local>) -> Expr {
    let mut moved: BTreeMap<LocalId, LocalId> = BTreeMap::new();
    let mut expr = expr.clone();
    expr.walk_mut(&mut |part| match &mut part.kind {
        ExprKind::Local(id) | ExprKind::Quant { var: id, .. } if id.index() >= of.params => {
            *id = *moved.entry(*id).or_insert_with(|| added(locals, of.local(*id).clone()));
        }
        _ => {}
    });
    expr
}

fn added(locals: &mut Vec<Local>, local: Local) -> LocalId {
    locals.push(local);
    LocalId(u32::try_from(locals.len() - 1).unwrap_or(u32::MAX))
}

/// The procedure that calls another, and does what comes after.
fn caller(callee: &Procedure, id: ProcId, (condition, of): (&Expr, &Procedure), after: &After) -> Procedure {
    let span = callee.name_span;
    let mut locals: Vec<Local> = callee.locals[..callee.params].to_vec();
    let given: Vec<Local> = callee.locals[callee.params..callee.params + callee.results].to_vec();
    let is_told = matches!(after, After::Compare(..) | After::Said);
    if is_told {
        added(&mut locals, Local { name: "(told)".into(), ty: Type::Bool, span });
    }
    let results: Vec<LocalId> = given.into_iter().map(|local| added(&mut locals, local)).collect();
    let mut body = Body { stmts: Vec::new(), span };
    body.call(callee, id, (&results, of), after, &mut locals);
    let mut requires: Vec<Expr> = callee.requires.iter().map(|clause| imported(clause, callee, &mut locals)).collect();
    requires.push(imported(condition, of, &mut locals));
    Procedure {
        name: NAME.into(),
        results: if is_told { 1 } else { callee.results },
        params: callee.params,
        locals,
        requires,
        ensures: Vec::new(),
        modifies: None,
        body: Some(Block { stmts: body.stmts, span }),
        origin: Origin::Source,
        name_span: span,
        span,
    }
}

/// The statements of a procedure that is being made. What the lowering makes of a procedure stands at the place of its name: no
/// statement does.
struct Body {
    stmts: Vec<Stmt>,
    span: Span,
}

impl Body {
    fn push(&mut self, kind: StmtKind) {
        let number = u32::try_from(self.stmts.len()).unwrap_or(u32::MAX);
        let at = self.span.start.saturating_add(number);
        self.stmts.push(Stmt { kind, span: Span { start: at, end: at, ..self.span } });
    }

    /// The call, what is kept before it, and what is done after it.
    fn call(
        &mut self,
        callee: &Procedure,
        id: ProcId,
        (results, of): (&[LocalId], &Procedure),
        after: &After,
        locals: &mut Vec<Local>,
    ) {
        let args = (0u32..).take(callee.params).map(|at| self.local(locals, LocalId(at))).collect();
        let targets = results.iter().map(|&result| Place::Local(result)).collect();
        let call = StmtKind::Call { targets, callee: id, args };
        match after {
            After::Nothing => self.push(call),
            After::PutRight(outputs) => {
                let mut by = |by: &Option<Expr>| Some(self.kept(by.as_ref()?, of, locals));
                let before: Vec<Option<LocalId>> = outputs.iter().map(|(_, own)| by(own)).collect();
                self.push(call);
                for ((output, _), by) in outputs.iter().zip(before) {
                    self.put_right(*output, by, (results, locals));
                }
            }
            After::Compare(output, op, value) => {
                let ty = value.ty.clone();
                let kept = self.kept(value, of, locals);
                self.push(call);
                let (_, now) = self.output(*output, results, locals, ty);
                let value = self.local(locals, kept);
                let holds = self.expr(ExprKind::Binary(*op, Box::new(now), Box::new(value)), Type::Bool);
                self.push(StmtKind::Return(vec![holds]));
            }
            After::Said => {
                let yes = self.expr(ExprKind::Bool(true), Type::Bool);
                self.push(StmtKind::Return(vec![yes]));
            }
        }
    }

    /// Keeps what a value is now.
    fn kept(&mut self, value: &Expr, of: &Procedure, locals: &mut Vec<Local>) -> LocalId {
        let value = imported(value, of, locals);
        let name = format!("(kept {})", self.stmts.len());
        let kept = added(locals, Local { name, ty: value.ty.clone(), span: self.span });
        self.push(StmtKind::Assign(Place::Local(kept), Rhs::Expr(value)));
        kept
    }

    /// Takes what was kept from an output, or turns it round.
    fn put_right(&mut self, output: Output, by: Option<LocalId>, (results, locals): (&[LocalId], &[Local])) {
        let (place, now) = self.output(output, results, locals, by.map_or(Type::Bool, |_| Type::Int));
        let right = match by {
            Some(by) => {
                let by = self.local(locals, by);
                self.expr(ExprKind::Binary(BinOp::Sub, Box::new(now), Box::new(by)), Type::Int)
            }
            None => self.expr(ExprKind::Unary(UnOp::Not, Box::new(now)), Type::Bool),
        };
        self.push(StmtKind::Assign(place, Rhs::Expr(right)));
    }

    fn expr(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, span: self.span }
    }

    fn local(&self, locals: &[Local], id: LocalId) -> Expr {
        self.expr(ExprKind::Local(id), locals[id.index()].ty.clone())
    }

    fn output(&self, output: Output, results: &[LocalId], locals: &[Local], ty: Type) -> (Place, Expr) {
        match output {
            Output::Result(at) => (Place::Local(results[at]), self.local(locals, results[at])),
            Output::Global(id) => (Place::Global(id), self.expr(ExprKind::Global(id), ty)),
        }
    }
}
