//! Loops: walks along a field, counts, and loops inside other statements that are left early.
//!
//! In: what is in scope. Out: statements, legal L, which end on most stores.

use super::super::tree::{assign, binary, block, branch, field, int, null, stmt, var};
use super::contracts::Moment;
use super::{Generator, Scope, assigned};
use lang_l::ast::{BinOp, Expr, Stmt, StmtKind, TypeKind};

impl Generator<'_> {
    pub(super) fn some_loop(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<Stmt>) {
        let node = self.node.clone();
        let counted = scope.has("k") && self.random.percent(55);
        if !counted && !scope.has("t") {
            return self.field_write(scope, out);
        }
        let mut inside = scope.enter();
        inside.in_loop = true;
        inside.safe.clear();
        let (start, cond, step) = if counted {
            let end = if inside.has("n") { var("n") } else { int(2) };
            inside.fixed.extend(["k".to_owned(), "n".to_owned()]);
            let step = assign(var("k"), binary(BinOp::Add, var("k"), int(1)));
            (assign(var("k"), int(0)), binary(BinOp::Lt, var("k"), end), step)
        } else {
            inside.fixed.push("t".to_owned());
            inside.safe.push("t".to_owned());
            let start = if self.random.percent(70) { var("x") } else { self.value(scope, &node, 1) };
            (assign(var("t"), start), binary(BinOp::Ne, var("t"), null()), assign(var("t"), field(var("t"), "f")))
        };
        let count = 1 + self.random.below(2);
        let mut body = self.stmts(&mut inside, count, depth - 1);
        body.push(step);
        let holds = binary(BinOp::Ge, var("k"), int(0));
        let mut invariants = if counted && self.random.percent(15) { vec![holds] } else { Vec::new() };
        if self.rich && self.random.percent(35) {
            invariants.push(self.clause(&scope.variables, Moment::Later));
        }
        scope.assign(&assigned(&body));
        out.push(start);
        out.push(stmt(StmtKind::While { cond, invariants, body: block(body) }));
    }

    /// `if (…) { while (…) { …; r := …; if (…) { return …; } } r := …; }`, with a counter that no loop around uses.
    pub(super) fn inner_loop(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<Stmt>) {
        let free = |text: &&str| scope.has(text) && !scope.fixed.iter().any(|fixed| fixed == text);
        let Some(counter) = ["k", "j"].into_iter().find(free) else { return self.field_write(scope, out) };
        let mut inside = scope.enter();
        inside.in_loop = true;
        inside.safe.clear();
        inside.fixed.extend([counter.to_owned(), "n".to_owned()]);
        let count = self.random.below(2);
        let mut body = self.stmts(&mut inside, count, depth.saturating_sub(1));
        self.result_writes(&mut inside, &mut body);
        let (cond, _) = self.condition(&inside);
        let mut leaving = Vec::new();
        self.result_writes(&mut inside, &mut leaving);
        leaving.push(self.leave(&inside));
        body.push(branch(cond, leaving, Vec::new()));
        body.push(assign(var(counter), binary(BinOp::Add, var(counter), int(1))));
        let end = if scope.has("n") { var("n") } else { int(3) };
        let cond = binary(BinOp::Lt, var(counter), end);
        let turning = StmtKind::While { cond, invariants: Vec::new(), body: block(body) };
        let mut then = vec![assign(var(counter), int(0)), stmt(turning)];
        self.result_writes(&mut inside, &mut then);
        let (cond, _) = self.condition(scope);
        scope.assign(&assigned(&then));
        out.push(branch(cond, then, Vec::new()));
    }

    /// Assigns some of the results anew.
    fn result_writes(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) {
        for (text, kind) in scope.results.clone() {
            if self.random.percent(65) {
                let value = self.value(scope, &kind, 1);
                out.push(assign(var(&text), value));
                scope.assign(std::slice::from_ref(&text));
            }
        }
    }

    /// Leaves the loop, or the procedure.
    fn leave(&mut self, scope: &Scope) -> Stmt {
        let results = scope.results.clone();
        match self.random.below(5) {
            0 => stmt(StmtKind::Break),
            1 | 2 => stmt(StmtKind::Return(Vec::new())),
            _ => {
                let values: Vec<Expr> = results.iter().map(|(_, kind)| self.value(scope, kind, 1)).collect();
                stmt(StmtKind::Return(values))
            }
        }
    }

    /// A write to what a field or a cell refers to, as `x.f.v := 1`, mostly under a test that it is there.
    pub(super) fn deep_write(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) {
        let Some(object) = self.object(scope) else { return self.field_write(scope, out) };
        let holds = self.element.as_ref() == Some(&self.node);
        let place = match self.cell(scope).filter(|_| holds) {
            Some(cell) => cell,
            None => self.link(object),
        };
        let at = self.random.below(self.fields.len());
        let (text, kind) = (self.fields[at].name, self.fields[at].ty.clone());
        let value = self.value(scope, &kind, 1);
        let write = assign(field(place.clone(), text), value);
        if self.random.percent(75) {
            out.push(branch(binary(BinOp::Ne, place, null()), vec![write], Vec::new()));
        } else {
            out.push(write);
        }
    }

    /// The results that a procedure of this grammar has, after the first.
    pub(super) fn more_results(&mut self, results: &mut Vec<(String, TypeKind)>) {
        if !results.is_empty() && self.random.percent(if self.rich { 55 } else { 15 }) {
            let kind = if self.rich && self.random.percent(40) { self.node.clone() } else { TypeKind::Int };
            results.push(("s".to_owned(), kind));
            if self.rich && self.random.percent(25) {
                results.push(("q".to_owned(), TypeKind::Bool));
            }
        }
    }
}
