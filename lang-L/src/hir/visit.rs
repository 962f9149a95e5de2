//! Walks over statements and expressions, and small questions about them.
//!
//! In: the typed tree. Out: its parts, in the order in which they are evaluated.
//!
//! Who looks at every statement or expression of a procedure does it with these, and matches on the forms it cares about
//! only. A walk meets what stands outside before what stands within.
//!
//! Invariant: [`Stmt::exprs`] and [`Stmt::blocks`] leave out nothing, so that a walk with them meets all there is.

use super::{BinOp, Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use std::collections::BTreeSet;

/// Calls `visit` with every statement of a block, those of blocks within included.
pub fn walk_stmts<'h>(block: &'h Block, visit: &mut impl FnMut(&'h Stmt)) {
    block.stmts.iter().for_each(|stmt| stmt.walk(visit));
}

/// As [`walk_stmts`], for changing statements. Blocks within are walked as `visit` leaves them.
pub fn walk_stmts_mut(block: &mut Block, visit: &mut impl FnMut(&mut Stmt)) {
    for stmt in &mut block.stmts {
        visit(stmt);
        stmt.blocks_mut().into_iter().for_each(|inner| walk_stmts_mut(inner, visit));
    }
}

/// Calls `visit` with every expression of a block, and with every part of each.
pub fn walk_exprs<'h>(block: &'h Block, visit: &mut impl FnMut(&'h Expr)) {
    walk_stmts(block, &mut |stmt| stmt.exprs().into_iter().for_each(|e| e.walk(visit)));
}

/// Calls `visit` with every use of a variable in a procedure: where it is read, assigned or bound by a quantifier.
pub fn walk_locals_mut(procedure: &mut Procedure, visit: &mut impl FnMut(&mut LocalId)) {
    let expr = |e: &mut Expr, visit: &mut dyn FnMut(&mut LocalId)| {
        e.walk_mut(&mut |part| match &mut part.kind {
            ExprKind::Local(id) | ExprKind::Quant { var: id, .. } => visit(id),
            _ => {}
        });
    };
    procedure.contract_exprs_mut().into_iter().for_each(|e| expr(e, visit));
    if let Some(body) = &mut procedure.body {
        walk_stmts_mut(body, &mut |stmt| {
            for target in stmt.targets_mut() {
                if let Place::Local(id) = target {
                    visit(id);
                }
            }
            stmt.exprs_mut().into_iter().for_each(|e| expr(e, visit));
        });
    }
}

impl Procedure {
    /// What its contract consists of: `requires`, `ensures`, and the places of `modifies`.
    pub fn contract_exprs(&self) -> impl Iterator<Item = &Expr> {
        let places = self.modifies.iter().flat_map(|modifies| &modifies.places);
        self.requires.iter().chain(&self.ensures).chain(places)
    }

    /// Whether it has one: a `modifies` that names no place is one, too.
    pub fn has_contract(&self) -> bool {
        self.modifies.is_some() || self.contract_exprs().next().is_some()
    }

    /// As [`Procedure::contract_exprs`], for changing them.
    pub fn contract_exprs_mut(&mut self) -> Vec<&mut Expr> {
        let places = self.modifies.iter_mut().flat_map(|modifies| &mut modifies.places);
        self.requires.iter_mut().chain(&mut self.ensures).chain(places).collect()
    }
}

impl Block {
    /// Whether `test` holds for a statement of this block or of one within it.
    pub fn any(&self, test: &impl Fn(&Stmt) -> bool) -> bool {
        self.stmts.iter().any(|stmt| test(stmt) || stmt.blocks().into_iter().any(|inner| inner.any(test)))
    }

    /// Whether `test` holds for an expression of this block, or for a part of one.
    pub fn any_expr(&self, test: &impl Fn(&Expr) -> bool) -> bool {
        self.any(&|stmt| stmt.exprs().into_iter().any(|e| e.any(test)))
    }

    /// Whether a statement of this block assigns the variable.
    pub fn assigns(&self, id: LocalId) -> bool {
        self.any(&|stmt| stmt.targets().contains(&Place::Local(id)))
    }
}

impl Stmt {
    /// Calls `visit` with this statement and every one within it.
    pub fn walk<'h>(&'h self, visit: &mut impl FnMut(&'h Stmt)) {
        visit(self);
        self.blocks().into_iter().for_each(|inner| walk_stmts(inner, visit));
    }

    /// The variables that it assigns, or a statement within it. `return` assigns results too, which are not among them.
    pub fn assigned(&self) -> BTreeSet<LocalId> {
        let mut found = BTreeSet::new();
        self.walk(&mut |stmt| {
            found.extend(stmt.targets().iter().filter_map(|target| match target {
                Place::Local(id) => Some(*id),
                _ => None,
            }));
        });
        found
    }

    /// Whether it sets or unsets a flag, a variable that this condition asks for.
    pub fn sets_flag_of(&self, condition: &Expr) -> bool {
        let StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) = &self.kind else { return false };
        matches!(value.kind, ExprKind::Bool(_)) && condition.any(&|part| part.kind == ExprKind::Local(*id))
    }

    /// Whether it is a loop.
    pub fn is_while(&self) -> bool {
        matches!(self.kind, StmtKind::While { .. })
    }

    /// Whether this is a loop that goes on with something where an earlier one has ended, with such statements between the two: a variable
    /// that both assign, and these do not; or one that begins with what the earlier one has come to.
    pub fn goes_on_after(&self, earlier: &Stmt, between: &[Stmt]) -> bool {
        let (assigned, before) = (self.assigned(), earlier.assigned());
        let is_set = |id: &LocalId| between.iter().any(|stmt| stmt.assigned().contains(id));
        let takes_over = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(Place::Local(own), Rhs::Expr(value)) => {
                assigned.contains(own) && matches!(value.kind, ExprKind::Local(from) if before.contains(&from))
            }
            _ => false,
        };
        self.is_while()
            && earlier.is_while()
            && (assigned.intersection(&before).any(|id| !is_set(id)) || between.iter().any(takes_over))
    }

    /// The blocks directly within it.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If(_, then, els) => vec![then, els],
            StmtKind::While { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// As [`Stmt::blocks`], for changing them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match &mut self.kind {
            StmtKind::If(_, then, els) => vec![then, els],
            StmtKind::While { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    /// The expressions directly in it, not those of its blocks: of the places it assigns, then of the right side; of a loop, the
    /// invariants, then the condition.
    pub fn exprs(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Assign(place, rhs) => place.exprs().into_iter().chain(rhs.expr()).collect(),
            StmtKind::Call { targets, args, .. } => targets.iter().flat_map(Place::exprs).chain(args).collect(),
            StmtKind::If(e, ..) | StmtKind::Assert(e) | StmtKind::Assume(e) => vec![e],
            StmtKind::While { cond, invariants, .. } => invariants.iter().chain([cond]).collect(),
            StmtKind::Return(values) => values.iter().collect(),
            StmtKind::Break | StmtKind::Continue => Vec::new(),
        }
    }

    /// As [`Stmt::exprs`], for changing them.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            StmtKind::Assign(place, rhs) => place.exprs_mut().into_iter().chain(rhs.expr_mut()).collect(),
            StmtKind::Call { targets, args, .. } => targets.iter_mut().flat_map(Place::exprs_mut).chain(args).collect(),
            StmtKind::If(e, ..) | StmtKind::Assert(e) | StmtKind::Assume(e) => vec![e],
            StmtKind::While { cond, invariants, .. } => invariants.iter_mut().chain([cond]).collect(),
            StmtKind::Return(values) => values.iter_mut().collect(),
            StmtKind::Break | StmtKind::Continue => Vec::new(),
        }
    }

    /// The places it assigns. `return` assigns results too, but has no places.
    pub fn targets(&self) -> &[Place] {
        match &self.kind {
            StmtKind::Assign(place, _) => std::slice::from_ref(place),
            StmtKind::Call { targets, .. } => targets,
            _ => &[],
        }
    }

    /// As [`Stmt::targets`], for changing them.
    pub fn targets_mut(&mut self) -> &mut [Place] {
        match &mut self.kind {
            StmtKind::Assign(place, _) => std::slice::from_mut(place),
            StmtKind::Call { targets, .. } => targets,
            _ => &mut [],
        }
    }

    /// The call it is, if it is one and no more: `p(…);`, `x, y := p(…);` or `place := p(…);`. Its targets, the callee, the arguments.
    pub fn as_call(&self) -> Option<(&[Place], ProcId, &[Expr])> {
        match &self.kind {
            StmtKind::Call { targets, callee, args } => Some((targets, *callee, args)),
            StmtKind::Assign(place, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) => {
                Some((std::slice::from_ref(place), *callee, args))
            }
            _ => None,
        }
    }
}

impl Place {
    /// The object, or the array and the index.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            Place::Local(_) | Place::Global(_) => Vec::new(),
            Place::Field(object, _) => vec![object],
            Place::Index(array, index) => vec![array, index],
        }
    }

    /// As [`Place::exprs`], for changing them.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Place::Local(_) | Place::Global(_) => Vec::new(),
            Place::Field(object, _) => vec![object],
            Place::Index(array, index) => vec![array, index],
        }
    }
}

impl Rhs {
    /// The value, or the length of the new array.
    pub fn expr(&self) -> Option<&Expr> {
        match self {
            Rhs::Expr(e) | Rhs::NewArray(_, e) => Some(e),
            Rhs::New(_) => None,
        }
    }

    /// As [`Rhs::expr`], for changing it.
    pub fn expr_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Rhs::Expr(e) | Rhs::NewArray(_, e) => Some(e),
            Rhs::New(_) => None,
        }
    }
}

impl Expr {
    /// Calls `visit` with this expression and every one within it.
    pub fn walk<'h>(&'h self, visit: &mut impl FnMut(&'h Expr)) {
        visit(self);
        self.parts().into_iter().for_each(|part| part.walk(visit));
    }

    /// The parts of a conjunction, from the first to the last; of anything else itself.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Binary(BinOp::And, a, b) => [a.conjuncts(), b.conjuncts()].concat(),
            _ => vec![self],
        }
    }

    /// As [`Expr::walk`], for changing them. Parts are walked as `visit` leaves them.
    pub fn walk_mut(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        visit(self);
        self.parts_mut().into_iter().for_each(|part| part.walk_mut(visit));
    }

    /// Whether `test` holds for this expression or one within it.
    pub fn any(&self, test: &impl Fn(&Expr) -> bool) -> bool {
        test(self) || self.parts().into_iter().any(|part| part.any(test))
    }

    /// Whether it has no parts.
    pub fn is_leaf(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Local(_) | ExprKind::Global(_)
        )
    }

    /// The expressions directly within this one, in the order they are evaluated.
    pub fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Local(_) | ExprKind::Global(_) => {
                Vec::new()
            }
            ExprKind::Field(e, _)
            | ExprKind::Length(e)
            | ExprKind::Unary(_, e)
            | ExprKind::Old(e)
            | ExprKind::Fresh(e)
            | ExprKind::Quant { body: e, .. } => vec![e],
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Reach(a, b) => vec![a, b],
            ExprKind::Cond(a, b, c) => vec![a, b, c],
            ExprKind::Call(_, args) => args.iter().collect(),
        }
    }

    /// As [`Expr::parts`], for changing them.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Local(_) | ExprKind::Global(_) => {
                Vec::new()
            }
            ExprKind::Field(e, _)
            | ExprKind::Length(e)
            | ExprKind::Unary(_, e)
            | ExprKind::Old(e)
            | ExprKind::Fresh(e)
            | ExprKind::Quant { body: e, .. } => vec![e],
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Reach(a, b) => vec![a, b],
            ExprKind::Cond(a, b, c) => vec![a, b, c],
            ExprKind::Call(_, args) => args.iter_mut().collect(),
        }
    }

    /// Whether it speaks of the entry of its procedure, by `old` or `fresh`.
    pub fn mentions_entry(&self) -> bool {
        self.any(&|part| matches!(part.kind, ExprKind::Old(_) | ExprKind::Fresh(_)))
    }

    /// Whether it reads the variable.
    pub fn mentions(&self, id: LocalId) -> bool {
        self.any(&|part| part.kind == ExprKind::Local(id))
    }

    /// Whether it quantifies over references, so that its value depends on more than what it names. `within` is the procedure
    /// whose variables it has.
    pub fn quantifies_references(&self, within: &Procedure) -> bool {
        self.any(&|part| matches!(part.kind, ExprKind::Quant { var, .. } if within.local(var).ty.is_reference()))
    }

    /// Adds the variables that it reads to `found`. A variable that it binds is among them if it is read.
    pub fn collect_locals(&self, found: &mut BTreeSet<LocalId>) {
        self.walk(&mut |part| {
            if let ExprKind::Local(id) = part.kind {
                found.insert(id);
            }
        });
    }

    /// Adds the variables that stand inside an `old` in it to `found`.
    pub fn collect_old_locals(&self, found: &mut BTreeSet<LocalId>) {
        self.walk(&mut |part| {
            if let ExprKind::Old(inner) = &part.kind {
                inner.collect_locals(found);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hir::Unit;
    use crate::source::FileId;

    /// Every form of statement, place and expression, with the literals 1, 2, 3, … in the order of a walk.
    const ALL: &str = "
        class C { f: int; c: C; }
        global g: int;
        procedure one(a: int) returns (r: int) { }
        procedure two(a: int, b: int) returns (r: int, s: int) { }
        procedure p(x: C, a: int[], n: int) returns (r: int, s: int)
          requires n > 1; ensures reach(x, x) && fresh(x) || old(n) == 2; modifies {a[3].NOTHING}; 
        {
          a[4] := 5;
          a := new int[6];
          x := new C();
          x.f := 7;
          r, s := two(8, 9);
          n := one(10) + g;
          if (n == 11) { n := 12; } else { n := -13; }
          while (n > 15) invariant n != 14; { n := n > 16 ? 17 : 18; break; }
          assert exists k: int :: k == 19;
          assume a.length == 20 && !(x == null);
          return 21, 22;
        }";

    fn unit() -> Unit {
        let text = ALL.replace(" modifies {a[3].NOTHING};", " ensures n != 3; modifies {x.c};");
        let parsed = crate::parse::parse(FileId(0), &text);
        assert_eq!(parsed.diagnostics, []);
        crate::resolve::resolve(&[&parsed.file]).expect("the program is legal")
    }

    fn number(e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Int(n) => i64::try_from(n).ok(),
            _ => None,
        }
    }

    #[test]
    fn walks_meet_all_there_is_in_order() {
        let mut unit = unit();
        let procedure = &mut unit.versions[0].procedures[2];
        let mut seen = Vec::new();
        for e in procedure.contract_exprs() {
            e.walk(&mut |part| seen.extend(number(part)));
        }
        walk_exprs(procedure.body.as_ref().expect("p has a body"), &mut |e| seen.extend(number(e)));
        assert_eq!(seen, (1..=22).collect::<Vec<_>>());

        let add = &mut |e: &mut Expr| {
            if let ExprKind::Int(n) = &mut e.kind {
                *n += 100;
            }
        };
        procedure.contract_exprs_mut().into_iter().for_each(|e| e.walk_mut(add));
        let body = procedure.body.as_mut().expect("p has a body");
        walk_stmts_mut(body, &mut |stmt| stmt.exprs_mut().into_iter().for_each(|e| e.walk_mut(add)));
        let mut seen = Vec::new();
        procedure.contract_exprs().for_each(|e| e.walk(&mut |part| seen.extend(number(part))));
        let body = procedure.body.as_ref().expect("p has a body");
        walk_exprs(body, &mut |e| seen.extend(number(e)));
        assert_eq!(seen, (101..=122).collect::<Vec<_>>());

        let mut statements = 0;
        walk_stmts(body, &mut |_| statements += 1);
        assert_eq!(statements, 15);
        assert!(body.any(&|stmt| stmt.kind == StmtKind::Break) && !body.any(&|stmt| stmt.kind == StmtKind::Continue));
        let calls = body.stmts.iter().filter_map(Stmt::as_call).count();
        assert_eq!(calls, 1);
    }

    #[test]
    fn small_questions() {
        let mut unit = unit();
        let procedure = &mut unit.versions[0].procedures[2];
        assert!(!procedure.requires[0].mentions_entry() && procedure.ensures[0].mentions_entry());
        let (mut all, mut old) = (BTreeSet::new(), BTreeSet::new());
        procedure.ensures[0].collect_locals(&mut all);
        procedure.ensures[0].collect_old_locals(&mut old);
        assert_eq!((all.len(), old.into_iter().collect::<Vec<_>>()), (2, vec![LocalId(2)]));
        let assigns = |procedure: &Procedure, at| procedure.body.as_ref().is_some_and(|body| body.assigns(LocalId(at)));
        // Parameters x, a, n; results r, s; then the bound k.
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| assigns(procedure, at)), [true, true, true, true, true, false]);
        walk_locals_mut(procedure, &mut |id| *id = LocalId(id.0 + 1));
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6].map(|at| assigns(procedure, at)),
            [false, true, true, true, true, true, false]
        );
        assert!(procedure.requires[0].mentions(LocalId(3)));
    }
}
