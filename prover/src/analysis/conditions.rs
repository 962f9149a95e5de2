//! Conditions on the variables of a procedure, as expressions of L.

use lang_l::ast::BinOp;
use lang_l::hir::{Expr, ExprKind, LocalId, Procedure, Type, UnOp};
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeSet;

/// Builds conditions on the variables of a procedure.
pub(super) struct Build<'c> {
    /// Whose they are.
    pub(super) code: &'c Procedure,
}

impl Build<'_> {
    fn expr(&self, kind: ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, span: self.code.span }
    }

    pub(super) fn local(&self, id: LocalId) -> Expr {
        self.expr(ExprKind::Local(id), self.code.local(id).ty.clone())
    }

    pub(super) fn int(&self, value: i64) -> Expr {
        self.number(value.into())
    }

    pub(super) fn number(&self, value: BigInt) -> Expr {
        self.expr(ExprKind::Int(value), Type::Int)
    }

    pub(super) fn null(&self, like: LocalId) -> Expr {
        self.expr(ExprKind::Null, self.code.local(like).ty.clone())
    }

    pub(super) fn length(&self, array: LocalId) -> Expr {
        self.expr(ExprKind::Length(Box::new(self.local(array))), Type::Int)
    }

    /// Numbers, each so many times, added up.
    pub(super) fn sum(&self, parts: Vec<(Expr, BigInt)>) -> Expr {
        let both = |op, a, b| self.expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), Type::Int);
        let part = |(part, factor): (Expr, BigInt)| match factor.is_one() {
            true => part,
            false => both(BinOp::Mul, self.number(factor), part),
        };
        parts.into_iter().map(part).reduce(|sum, part| both(BinOp::Add, sum, part)).unwrap_or_else(|| self.int(0))
    }

    pub(super) fn compare(&self, op: BinOp, left: Expr, right: Expr) -> Expr {
        self.expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), Type::Bool)
    }

    /// The condition, unless an array is null whose length it speaks of.
    pub(super) fn where_given(&self, condition: Expr) -> Expr {
        let mut arrays = BTreeSet::new();
        condition.walk(&mut |part| {
            if let ExprKind::Length(of) = &part.kind
                && let ExprKind::Local(array) = of.kind
            {
                arrays.insert(array);
            }
        });
        arrays.into_iter().fold(condition, |condition, array| self.or_null(array, condition))
    }

    /// That a flag is this.
    pub(super) fn flag(&self, id: LocalId, value: bool) -> Expr {
        let set = self.local(id);
        if value { set } else { self.not(set) }
    }

    /// That the second holds where the first does.
    pub(super) fn implies(&self, one: Expr, other: Expr) -> Expr {
        self.compare(BinOp::Or, self.not(one), other)
    }

    /// The condition, unless a flag is not set.
    pub(super) fn or_not(&self, flag: LocalId, condition: Expr) -> Expr {
        self.implies(self.local(flag), condition)
    }

    fn not(&self, condition: Expr) -> Expr {
        self.expr(ExprKind::Unary(UnOp::Not, Box::new(condition)), Type::Bool)
    }

    pub(super) fn or_null(&self, array: LocalId, condition: Expr) -> Expr {
        let null = self.compare(BinOp::Eq, self.local(array), self.null(array));
        self.compare(BinOp::Or, null, condition)
    }
}
