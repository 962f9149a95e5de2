//! Whether two variables are null together, wherever one of them is tested.
//!
//! In: the body of a procedure, and the two. Out: the body with tests of the other one, if each test of the first says the same of that.
//!
//! The body is executed over what may be null: each of the two, or not. That a loop comes to its head again adds to what may be there, until
//! nothing is new.

use crate::scalars::locations::variable;
use crate::scalars::nullness::{There, compared_to_null, forget, not_null, not_null_else, surely_come_to, surely_read};
use lang_l::hir::visit::walk_stmts_mut;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, Rhs, Stmt, StmtKind};
use std::collections::BTreeSet;

/// Has a body test the second variable wherever it tests whether the first one is null; false where the two are not null together there.
pub(super) fn test_other(body: &mut Block, (one, other): (LocalId, LocalId)) -> bool {
    let both_null = States::from([[true, true]]);
    let mut walk = Walk { variables: [one, other], together: true, leaving: Vec::new() };
    walk.block(body, both_null, &mut BTreeSet::new());
    if walk.together {
        walk_stmts_mut(body, &mut |stmt| {
            if let StmtKind::If(condition, ..) | StmtKind::While { cond: condition, .. } = &mut stmt.kind
                && tested(condition).is_some_and(|(id, _)| id == one)
                && let ExprKind::Binary(_, a, b) = &mut condition.kind
            {
                for part in [a, b] {
                    if let ExprKind::Local(id) = &mut part.kind {
                        *id = other;
                    }
                }
            }
        });
    }
    walk.together
}

/// The variable of which a condition says that it is null, or that it is not.
pub(super) fn tested(condition: &Expr) -> Option<(LocalId, bool)> {
    match &condition.kind {
        ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b) => Some((compared_to_null(a, b)?, *op == BinOp::Eq)),
        _ => None,
    }
}

/// What may be: which of the two are null.
type States = BTreeSet<[bool; 2]>;

struct Walk {
    variables: [LocalId; 2],
    /// Whether they are null together at all tests of the first one so far.
    together: bool,
    /// What may be where the loops around are left by `break`, and where they go on by `continue`.
    leaving: Vec<[States; 2]>,
}

impl Walk {
    /// What may be behind a block.
    fn block(&mut self, block: &Block, mut states: States, known: &mut BTreeSet<There>) -> States {
        for stmt in &block.stmts {
            states = self.stmt(stmt, states, known);
            self.keep_known(&mut states, known);
        }
        states
    }

    fn stmt(&mut self, stmt: &Stmt, mut states: States, known: &mut BTreeSet<There>) -> States {
        match &stmt.kind {
            StmtKind::If(condition, then, els) => {
                surely_read(condition, known);
                let [holds, fails] = self.sides(condition, states, known);
                let holds = self.block(then, holds.0, &mut holds.1.clone());
                let fails = self.block(els, fails.0, &mut fails.1.clone());
                forget(known, stmt);
                holds.into_iter().chain(fails).collect()
            }
            StmtKind::While { cond, body, .. } => {
                forget(known, stmt);
                loop {
                    let before = states.len();
                    self.leaving.push(Default::default());
                    let [holds, fails] = self.sides(cond, states.clone(), known);
                    let behind = self.block(body, holds.0, &mut holds.1.clone());
                    let [left, again] = self.leaving.pop().unwrap_or_default();
                    states.extend(behind.into_iter().chain(again));
                    if states.len() == before {
                        return fails.0.into_iter().chain(left).collect();
                    }
                }
            }
            StmtKind::Break | StmtKind::Continue => {
                if let Some([left, again]) = self.leaving.last_mut() {
                    let to = if stmt.kind == StmtKind::Break { left } else { again };
                    to.extend(states);
                }
                States::new()
            }
            StmtKind::Return(_) => States::new(),
            _ => {
                for at in [0, 1] {
                    if stmt.targets().contains(&Place::Local(self.variables[at])) {
                        states = self.assigned(stmt, at, &states, known);
                    }
                }
                self.learn(stmt, known);
                states
            }
        }
    }

    /// What may be on either side of a condition, and what is known there.
    fn sides(&mut self, condition: &Expr, states: States, known: &BTreeSet<There>) -> [(States, BTreeSet<There>); 2] {
        let test = tested(condition).and_then(|(id, null)| Some((self.position(id)?, null)));
        if let Some((0, _)) = test {
            self.together &= states.iter().all(|[one, other]| one == other);
        }
        [true, false].map(|holds| {
            let mut known = known.clone();
            if holds {
                not_null(condition, &mut known);
            } else {
                not_null_else(condition, &mut known);
            }
            let fits = |state: &[bool; 2]| test.is_none_or(|(at, null)| state[at] == (null == holds));
            (states.iter().copied().filter(fits).collect(), known)
        })
    }

    /// What may be where a statement has assigned one of the two.
    fn assigned(&self, stmt: &Stmt, at: usize, states: &States, known: &BTreeSet<There>) -> States {
        let is_null = |state: &[bool; 2]| match &stmt.kind {
            StmtKind::Assign(_, Rhs::New(_)) => Some(false),
            StmtKind::Assign(_, Rhs::Expr(Expr { kind: ExprKind::Null, .. })) => Some(true),
            StmtKind::Assign(_, Rhs::Expr(e)) => {
                let id = variable(e)?;
                let is_known = known.contains(&There::Object(id)).then_some(false);
                self.position(id).map(|of| state[of]).or(is_known)
            }
            _ => None,
        };
        let behind = |state: &[bool; 2]| {
            let may_be = is_null(state).map_or(vec![true, false], |null| vec![null]);
            let with = |null: bool| if at == 0 { [null, state[1]] } else { [state[0], null] };
            may_be.into_iter().map(with).collect::<Vec<_>>()
        };
        states.iter().flat_map(behind).collect()
    }

    /// What is known behind a statement without blocks.
    fn learn(&self, stmt: &Stmt, known: &mut BTreeSet<There>) {
        let given = match &stmt.kind {
            StmtKind::Assign(Place::Local(to), Rhs::New(_)) => Some(*to),
            StmtKind::Assign(Place::Local(to), Rhs::Expr(e)) => {
                variable(e).filter(|of| known.contains(&There::Object(*of))).map(|_| *to)
            }
            _ => None,
        };
        surely_come_to(stmt, known);
        forget(known, stmt);
        known.extend(given.map(There::Object));
    }

    /// Leaves out what cannot be, since one of the two is known not to be null.
    fn keep_known(&self, states: &mut States, known: &BTreeSet<There>) {
        let is_there = self.variables.map(|id| known.contains(&There::Object(id)));
        states.retain(|state| !(0..2).any(|at| is_there[at] && state[at]));
    }

    fn position(&self, id: LocalId) -> Option<usize> {
        self.variables.iter().position(|own| *own == id)
    }
}
