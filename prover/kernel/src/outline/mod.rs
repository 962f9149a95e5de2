//! Outlining: statements of a procedure become a procedure of their own.
//!
//! In: a procedure and a `Range` of its statements. Out: a procedure with these statements, and the call of it that stands in
//! their place; nothing where control may leave them in the midst.
//!
//! Rule *Outlining*: what the statements read and what is live after them is handed in, and what they assign and is live after
//! them is handed back. So the procedure that calls does what the one with the statements does.
//!
//! Invariant: put back in the place of the call, the statements are those that were taken out.

pub mod condition;
pub mod cuts;
pub mod range;

use crate::liveness::{Live, before_block};
use lang_l::hir::visit::{walk_exprs, walk_locals_mut, walk_stmts};
use lang_l::hir::{Block, Expr, ExprKind, Local, LocalId, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use lang_l::source::Span;
use range::{Range, block, block_mut, liveness};
use std::collections::BTreeMap;

/// What a range has become.
#[derive(Clone, Debug)]
pub struct Outlined {
    /// The statements, as a procedure.
    pub procedure: Procedure,
    /// What is handed in.
    pub inputs: Vec<LocalId>,
    /// What is handed back.
    outputs: Vec<LocalId>,
    /// Whether the procedure of the range returns after it.
    returns: bool,
    span: Span,
}

/// How control leaves a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// It goes on behind it.
    Behind,
    /// It returns, on each path, or at the end of the body.
    Returns,
}

/// The procedure of a range, under a name.
pub fn outline(of: &Procedure, range: &Range, name: &str) -> Option<Outlined> {
    let body = of.body.as_ref()?;
    let here = block(body, &range.way);
    let taken = Block { stmts: here.stmts[range.from..=range.to].to_vec(), span: here.span };
    let last = range.way.is_empty() && range.to + 1 == here.stmts.len();
    let leaves = leaves(&taken, last)?;
    if speaks_of_entry(&taken) {
        return None;
    }
    let (live, exits) = liveness(of, body, &range.way);
    let after = if leaves == Leaves::Returns { &exits.returned } else { &live[range.to] };
    let mentioned = mentioned(&taken);
    let results: Vec<LocalId> = of.result_ids().collect();
    let written: Live = taken.stmts.iter().flat_map(Stmt::assigned).collect();
    let outputs: Vec<LocalId> = match leaves {
        Leaves::Returns => results.clone(),
        Leaves::Behind => mentioned.iter().copied().filter(|id| written.contains(id) && after.contains(id)).collect(),
    };
    let before = before_block(&taken, after, &exits);
    let bound = bound(&taken);
    let extra = outputs.iter().copied().filter(|id| !mentioned.contains(id));
    let inputs: Vec<LocalId> =
        mentioned.iter().copied().chain(extra).filter(|id| before.contains(id) && !bound.contains(id)).collect();
    let procedure = procedure(of, &taken, [&inputs, &outputs], name)?;
    let span = taken.stmts.first()?.span.to(taken.stmts.last()?.span);
    Some(Outlined { procedure, inputs, outputs, returns: leaves == Leaves::Returns && !last, span })
}

/// How control leaves the statements; `None` where it may leave them in more than one way.
fn leaves(taken: &Block, last: bool) -> Option<Leaves> {
    if taken.stmts.iter().any(jumps) {
        return None;
    }
    if !taken.any(&|stmt| matches!(stmt.kind, StmtKind::Return(_))) {
        return Some(Leaves::Behind);
    }
    let ends = matches!(taken.stmts.last().map(|stmt| &stmt.kind), Some(StmtKind::Return(_)));
    (last || ends).then_some(Leaves::Returns)
}

/// Whether a `break` or `continue` of a loop outside is in it.
fn jumps(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::While { .. } => false,
        _ => stmt.blocks().into_iter().any(|inner| inner.stmts.iter().any(jumps)),
    }
}

/// Whether the statements say something of the store on entry.
fn speaks_of_entry(taken: &Block) -> bool {
    taken.any_expr(&Expr::mentions_entry)
}

/// The variables that a quantifier binds.
fn bound(taken: &Block) -> Live {
    let mut found = Live::new();
    walk_exprs(taken, &mut |part| {
        if let ExprKind::Quant { var, .. } = part.kind {
            found.insert(var);
        }
    });
    found
}

/// The variables of statements, in the order of their first occurrence: the same in both versions of a client.
fn mentioned(taken: &Block) -> Vec<LocalId> {
    let mut found: Vec<LocalId> = Vec::new();
    let mut note = |id: LocalId| {
        if !found.contains(&id) {
            found.push(id);
        }
    };
    walk_stmts(taken, &mut |stmt| {
        for place in stmt.targets() {
            if let Place::Local(id) = place {
                note(*id);
            }
        }
        for expr in stmt.exprs() {
            expr.walk(&mut |part| {
                if let ExprKind::Local(id) | ExprKind::Quant { var: id, .. } = part.kind {
                    note(id);
                }
            });
        }
    });
    found
}

/// The procedure that does what the statements do. A variable that is handed in and back has a parameter and a result.
fn procedure(of: &Procedure, taken: &Block, [inputs, outputs]: [&[LocalId]; 2], name: &str) -> Option<Procedure> {
    let others: Vec<LocalId> =
        mentioned(taken).into_iter().filter(|id| !inputs.contains(id) && !outputs.contains(id)).collect();
    let local = |id: &LocalId| of.local(*id).clone();
    let result = |id: &LocalId| {
        let own = local(id);
        let name = if inputs.contains(id) { format!("{}'", own.name) } else { own.name };
        Local { name, ..own }
    };
    let locals: Vec<Local> =
        inputs.iter().map(local).chain(outputs.iter().map(result)).chain(others.iter().map(local)).collect();
    let ids = |from: usize| (from..).map(|at| LocalId(u32::try_from(at).unwrap_or(u32::MAX)));
    let mut to: BTreeMap<LocalId, LocalId> = inputs.iter().copied().zip(ids(0)).collect();
    // The result stands for a variable that is both.
    to.extend(outputs.iter().copied().zip(ids(inputs.len())));
    to.extend(others.iter().copied().zip(ids(inputs.len() + outputs.len())));
    let mut made = Procedure {
        name: name.to_string(),
        locals,
        params: inputs.len(),
        results: outputs.len(),
        requires: Vec::new(),
        ensures: Vec::new(),
        modifies: None,
        body: Some(taken.clone()),
        origin: Origin::Source,
        name_span: taken.stmts.first()?.span,
        span: taken.span,
    };
    walk_locals_mut(&mut made, &mut |id| *id = to.get(id).copied().unwrap_or(*id));
    let mut back = made.clone();
    let from: BTreeMap<LocalId, LocalId> = to.iter().map(|(mine, theirs)| (*theirs, *mine)).collect();
    walk_locals_mut(&mut back, &mut |id| *id = from.get(id).copied().unwrap_or(*id));
    if back.body.as_ref() != Some(taken) {
        return None;
    }
    let entry = inputs.iter().zip(ids(0)).filter(|(id, _)| outputs.contains(id)).map(|(id, parameter)| {
        let Local { ty, span, .. } = of.local(*id).clone();
        let value = Expr { kind: ExprKind::Local(parameter), ty, span };
        Stmt { kind: StmtKind::Assign(Place::Local(to[id]), Rhs::Expr(value)), span }
    });
    let entry: Vec<Stmt> = entry.collect();
    made.body.as_mut()?.stmts.splice(0..0, entry);
    Some(made)
}

impl Outlined {
    /// Puts the call of the procedure, which has this number by now, in the place of the statements.
    pub fn put_into(&self, of: &mut Procedure, range: &Range, callee: ProcId) {
        let value = |id: &LocalId| {
            let Local { ty, .. } = of.local(*id).clone();
            Expr { kind: ExprKind::Local(*id), ty, span: self.span }
        };
        let args = self.inputs.iter().map(value).collect();
        let targets = self.outputs.iter().map(|id| Place::Local(*id)).collect();
        let mut stmts = vec![Stmt { kind: StmtKind::Call { targets, callee, args }, span: self.span }];
        if self.returns {
            stmts.push(Stmt { kind: StmtKind::Return(Vec::new()), span: self.span });
        }
        if let Some(body) = &mut of.body {
            block_mut(body, &range.way).stmts.splice(range.from..=range.to, stmts);
        }
    }
}
