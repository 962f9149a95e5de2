//! Which variables matter later: the usual backward analysis, over structured code.
//!
//! A variable is *live* at a point when some path from there reads it before assigning it. What is not live at a loop's head
//! need not be handed to the loop's procedure, and what is not live after it need not be handed back.

use lang_l::hir::{Block, Expr, LocalId, Place, Procedure, Stmt, StmtKind};
use std::collections::BTreeSet;

/// A set of variables.
pub type Live = BTreeSet<LocalId>;

/// Where control can go from within a block, and what is live there.
#[derive(Clone, Debug, Default)]
pub struct Exits {
    /// After the enclosing loop.
    pub broken: Live,
    /// At the enclosing loop's head.
    pub continued: Live,
    /// At the end of the procedure.
    pub returned: Live,
}

impl Exits {
    /// Outside every loop: the results are live at the end.
    pub fn of(procedure: &Procedure) -> Self {
        Exits { returned: procedure.result_ids().collect(), ..Exits::default() }
    }

    /// Within a loop.
    pub fn within(&self, head: &Live, after: &Live) -> Self {
        Exits { broken: after.clone(), continued: head.clone(), returned: self.returned.clone() }
    }
}

/// What is live after each statement of a block, given what is live after the block.
pub fn after_each(block: &Block, after: &Live, exits: &Exits) -> Vec<Live> {
    let mut live = after.clone();
    let mut all: Vec<Live> = block
        .stmts
        .iter()
        .rev()
        .map(|stmt| {
            let after = live.clone();
            live = before(stmt, &after, exits);
            after
        })
        .collect();
    all.reverse();
    all
}

/// What is live at the head of a loop.
pub fn at_head(cond: &Expr, invariants: &[Expr], body: &Block, after: &Live, exits: &Exits) -> Live {
    let mut head = if faults::planted("lower/liveness/no-turn") { Live::new() } else { after.clone() };
    if !faults::planted("lower/liveness/condition") {
        cond.collect_locals(&mut head);
    }
    invariants.iter().for_each(|invariant| invariant.collect_locals(&mut head));
    loop {
        let before_body = before_block(body, &head, &exits.within(&head, after));
        let known = head.len();
        head.extend(before_body);
        if head.len() == known {
            return head;
        }
    }
}

/// What is live before a block.
pub fn before_block(block: &Block, after: &Live, exits: &Exits) -> Live {
    block.stmts.iter().rev().fold(after.clone(), |live, stmt| before(stmt, &live, exits))
}

fn before(stmt: &Stmt, after: &Live, exits: &Exits) -> Live {
    let mut live = match &stmt.kind {
        StmtKind::If(_, then, els) => {
            let mut live = before_block(then, after, exits);
            live.extend(before_block(els, after, exits));
            live
        }
        StmtKind::While { cond, invariants, body } => return at_head(cond, invariants, body, after, exits),
        StmtKind::Return(values) if values.is_empty() => exits.returned.clone(),
        StmtKind::Return(_) => Live::new(),
        StmtKind::Break if faults::planted("lower/liveness/after-break") => Live::new(),
        StmtKind::Break => exits.broken.clone(),
        StmtKind::Continue => exits.continued.clone(),
        StmtKind::Assign(..) | StmtKind::Call { .. } | StmtKind::Assert(_) | StmtKind::Assume(_) => after.clone(),
    };
    for place in stmt.targets() {
        if let Place::Local(id) = place {
            live.remove(id);
        }
    }
    stmt.exprs().into_iter().for_each(|e| e.collect_locals(&mut live));
    live
}
