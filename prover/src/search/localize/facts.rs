//! What the result of a test says, whatever way it is written.
//!
//! In: a condition and whether it held. Out: [`Fact`]s that hold both. `a > 0` that holds and `a <= 0` that does not are the
//! same fact; `a && b` that holds is two facts, and so is `a || b` that does not.
//!
//! Invariant: equal facts say the same of the same store, if the variables of these names hold the same.

use super::written;
use lang_l::hir::{BinOp, Expr, ExprKind, UnOp};
use lang_l::source::Sources;
use std::collections::BTreeSet;

/// What holds: one of these conditions is true, or false.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fact {
    literals: BTreeSet<(String, bool)>,
}

impl Fact {
    /// A condition of which nothing but the text is known.
    pub(super) fn opaque(text: String, holds: bool) -> Self {
        Fact { literals: BTreeSet::from([(text, holds)]) }
    }

    /// The fact that one condition is the other way round; of several conditions nothing so simple can be said.
    pub(super) fn opposite(&self) -> Option<Fact> {
        match self.literals.first() {
            Some((text, holds)) if self.literals.len() == 1 => Some(Fact::opaque(text.clone(), !holds)),
            _ => None,
        }
    }
}

/// What a test tells.
pub(super) fn facts(sources: &Sources, condition: &Expr, holds: bool) -> Vec<Fact> {
    match (&condition.kind, holds) {
        (ExprKind::Unary(UnOp::Not, inner), _) => facts(sources, inner, !holds),
        (ExprKind::Binary(BinOp::And, a, b), true) | (ExprKind::Binary(BinOp::Or, a, b), false) => {
            let mut all = facts(sources, a, holds);
            all.extend(facts(sources, b, holds));
            all
        }
        (ExprKind::Binary(BinOp::Implies, a, b), false) => {
            let mut all = facts(sources, a, true);
            all.extend(facts(sources, b, false));
            all
        }
        _ => {
            let mut literals = BTreeSet::new();
            collect(sources, condition, holds, &mut literals);
            vec![Fact { literals }]
        }
    }
}

/// The conditions of which one holds.
fn collect(sources: &Sources, condition: &Expr, holds: bool, found: &mut BTreeSet<(String, bool)>) {
    match (&condition.kind, holds) {
        (ExprKind::Unary(UnOp::Not, inner), _) => collect(sources, inner, !holds, found),
        (ExprKind::Binary(BinOp::And, a, b), false) | (ExprKind::Binary(BinOp::Or, a, b), true) => {
            collect(sources, a, holds, found);
            collect(sources, b, holds, found);
        }
        (ExprKind::Binary(BinOp::Implies, a, b), true) => {
            collect(sources, a, false, found);
            collect(sources, b, true, found);
        }
        (ExprKind::Binary(op, a, b), _) => {
            found.insert(comparison(sources, *op, [a, b], holds).unwrap_or((written(sources, condition.span), holds)));
        }
        _ => {
            found.insert((written(sources, condition.span), holds));
        }
    }
}

/// A comparison in its usual form: `a == b` with the sides in the order of their texts, or `a > b`, with a number on the right.
fn comparison(sources: &Sources, op: BinOp, sides: [&Expr; 2], holds: bool) -> Option<(String, bool)> {
    let [a, b] = sides.map(|side| written(sources, side.span));
    let number = |side: &Expr| match &side.kind {
        ExprKind::Int(value) => Some(value.clone()),
        _ => None,
    };
    let (op, [a, b], sides) = match op {
        BinOp::Eq | BinOp::Ne if b < a => (op, [b, a], sides),
        BinOp::Eq | BinOp::Ne => (op, [a, b], sides),
        _ if number(sides[0]).is_some() => (mirrored(op)?, [b, a], [sides[1], sides[0]]),
        _ => (op, [a, b], sides),
    };
    let number = number(sides[1]);
    Some(match (op, number) {
        (BinOp::Eq, _) => (format!("{a} == {b}"), holds),
        (BinOp::Ne, _) => (format!("{a} == {b}"), !holds),
        (BinOp::Gt, _) => (format!("{a} > {b}"), holds),
        (BinOp::Le, _) => (format!("{a} > {b}"), !holds),
        (BinOp::Ge, Some(number)) => (format!("{a} > {}", number - 1), holds),
        (BinOp::Lt, Some(number)) => (format!("{a} > {}", number - 1), !holds),
        (BinOp::Lt, None) => (format!("{b} > {a}"), holds),
        (BinOp::Ge, None) => (format!("{b} > {a}"), !holds),
        _ => return None,
    })
}

/// The comparison that says the same with its sides exchanged.
fn mirrored(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        _ => return None,
    })
}
