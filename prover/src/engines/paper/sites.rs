//! Where a body allocates and calls.
//!
//! In: a lowered procedure. Out: its [`Sites`], in source order.
//!
//! Invariant: without loops, an execution of the body passes each site at most once; so a site stands for one object, or
//! for one call.

use lang_l::hir::{Block, ClassId, Expr, ExprKind, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use rustc_hash::FxHashMap as HashMap;

/// The sites of one body.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// The class each allocation makes.
    pub(super) allocations: Vec<Option<ClassId>>,
    /// The callee of each call.
    pub(super) calls: Vec<ProcId>,
    /// A statement's place in one of these lists.
    numbers: HashMap<*const Stmt, usize>,
}

impl Sites {
    pub(super) fn of(procedure: &Procedure) -> Self {
        let mut sites = Sites::default();
        if let Some(body) = &procedure.body {
            sites.block(body);
        }
        sites
    }

    /// The number of this allocation or call, a statement of the procedure the sites are of.
    pub(super) fn number(&self, stmt: &Stmt) -> usize {
        self.numbers[&std::ptr::from_ref(stmt)]
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let number = match &stmt.kind {
                StmtKind::Assign(_, Rhs::New(class)) => push(&mut self.allocations, *class),
                StmtKind::If(_, then, els) => {
                    self.block(then);
                    self.block(els);
                    continue;
                }
                _ => match call(stmt) {
                    Some(call) => push(&mut self.calls, call.callee),
                    None => continue,
                },
            };
            self.numbers.insert(std::ptr::from_ref(stmt), number);
        }
    }
}

/// A call statement of either form.
pub(super) struct Call<'a> {
    pub(super) targets: &'a [Place],
    pub(super) callee: ProcId,
    pub(super) args: &'a [Expr],
}

/// The call that a statement is: after lowering, `p(…)`, `x, y := p(…)` or `x := p(…)`.
pub(super) fn call(stmt: &Stmt) -> Option<Call<'_>> {
    match &stmt.kind {
        StmtKind::Call { targets, callee, args } => Some(Call { targets, callee: *callee, args }),
        StmtKind::Assign(target, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) => {
            Some(Call { targets: std::slice::from_ref(target), callee: *callee, args })
        }
        _ => None,
    }
}

fn push<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len() - 1
}

/// Whether the body has a call of `callee`.
pub(super) fn calls(procedure: &Procedure, callee: ProcId) -> bool {
    Sites::of(procedure).calls.contains(&callee)
}

/// Whether the block can leave the procedure early.
pub(super) fn returns(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::If(_, then, els) => returns(then) || returns(els),
        _ => false,
    })
}
