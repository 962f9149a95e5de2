//! Statements about arrays: cells written, read and swapped, and loops over indexes.
//!
//! In: what is in scope. Out: statements, legal L, that find an array and an index in bounds on most stores.

use super::super::tree::{assign, binary, block, branch, expr, field, int, null, stmt, ty, var};
use super::{Generator, Scope, assigned};
use lang_l::ast::{BinOp, Expr, ExprKind, Rhs, Stmt, StmtKind, TypeKind};
use lang_l::source::Span;

impl Generator<'_> {
    /// Adds parameters that are arrays: often two, which may be one.
    pub(super) fn array_params(&mut self, params: &mut Vec<(String, TypeKind)>) {
        let Some(element) = self.element.clone() else { return };
        for (text, percent) in [("a", 80), ("b", 35)] {
            if self.random.percent(percent) {
                params.push((text.to_owned(), TypeKind::Array(Box::new(ty(element.clone())))));
            }
        }
    }

    /// Something with an array, within a test that it is one now and then.
    pub(super) fn array_stmt(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<Stmt>) {
        let Some(array) = self.array(scope) else { return self.field_write(scope, out) };
        if !self.random.percent(40) {
            return self.unguarded(scope, &array, depth, out);
        }
        let mut then = Vec::new();
        self.unguarded(&mut scope.enter(), &array, depth, &mut then);
        scope.assign(&assigned(&then));
        out.push(branch(binary(BinOp::Ne, var(&array), null()), then, Vec::new()));
    }

    fn unguarded(&mut self, scope: &mut Scope, array: &str, depth: usize, out: &mut Vec<Stmt>) {
        let counter = scope.variables.iter().any(|(text, _)| text == "k") && !scope.fixed.contains(&"k".to_owned());
        match self.random.below(10) {
            0 if !scope.fixed.iter().any(|fixed| fixed == array) => out.push(self.new_array(array)),
            1 | 2 => self.swap(scope, array, out),
            3..7 if counter && depth > 0 && !scope.in_loop => self.array_loop(scope, array, depth, out),
            _ => out.push(self.cell_write(scope, array)),
        }
    }

    fn new_array(&mut self, array: &str) -> Stmt {
        let element = ty(self.element.clone().unwrap_or(TypeKind::Int));
        let length = int(1 + self.random.below(2) as i64);
        stmt(StmtKind::Assign { place: var(array), rhs: Rhs::NewArray { element, length, span: Span::default() } })
    }

    fn cell_write(&mut self, scope: &mut Scope, array: &str) -> Stmt {
        let element = self.element.clone().unwrap_or(TypeKind::Int);
        let value = self.value(scope, &element, 2);
        assign(cell(array, self.index(scope)), value)
    }

    /// Two cells, of one array or of two, change places by way of a local.
    fn swap(&mut self, scope: &mut Scope, array: &str, out: &mut Vec<Stmt>) {
        let element = self.element.clone().unwrap_or(TypeKind::Int);
        let (Some(by), Some(other)) = (self.assignable(scope, &element), self.array(scope)) else {
            return out.push(self.cell_write(scope, array));
        };
        let (first, second) = (cell(array, self.index(scope)), cell(&other, self.index(scope)));
        out.push(assign(var(&by), first.clone()));
        out.push(assign(first, second.clone()));
        out.push(assign(second, var(&by)));
        scope.assign(&[by]);
    }

    /// A loop over the indexes of an array, or over the first few.
    fn array_loop(&mut self, scope: &mut Scope, array: &str, depth: usize, out: &mut Vec<Stmt>) {
        let mut inside = scope.enter();
        inside.in_loop = true;
        inside.safe.clear();
        inside.fixed.extend(["k".to_owned(), "n".to_owned(), array.to_owned()]);
        let mut body = vec![self.cell_write(&mut inside, array)];
        if self.random.percent(30) {
            body.extend(self.stmts(&mut inside, 1, depth - 1));
        }
        body.push(assign(var("k"), binary(BinOp::Add, var("k"), int(1))));
        let end = if self.random.percent(75) { field(var(array), "length") } else { int(2) };
        let cond = binary(BinOp::Lt, var("k"), end);
        scope.assign(&assigned(&body));
        out.push(assign(var("k"), int(0)));
        out.push(stmt(StmtKind::While { cond, invariants: Vec::new(), body: block(body) }));
    }

    /// A cell that can be read here.
    pub(super) fn cell(&mut self, scope: &Scope) -> Option<Expr> {
        let array = self.array(scope)?;
        Some(cell(&array, self.index(scope)))
    }

    fn array(&mut self, scope: &Scope) -> Option<String> {
        let arrays = scope.variables.iter().filter(|(_, kind)| matches!(kind, TypeKind::Array(_)));
        let arrays: Vec<String> = arrays.map(|(text, _)| text.clone()).collect();
        self.random.pick(&arrays).cloned()
    }

    /// The counter of a loop, or a small number, or anything.
    fn index(&mut self, scope: &Scope) -> Expr {
        let counting = scope.in_loop && scope.fixed.contains(&"k".to_owned());
        match self.random.below(10) {
            0..7 if counting => var("k"),
            0..8 => int(self.random.below(2) as i64),
            8 if counting => binary(BinOp::Sub, var("k"), int(1)),
            _ => self.value(scope, &TypeKind::Int, 0),
        }
    }
}

fn cell(array: &str, index: Expr) -> Expr {
    expr(ExprKind::Index(Box::new(var(array)), Box::new(index)))
}
