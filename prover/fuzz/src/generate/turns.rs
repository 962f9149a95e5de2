//! Procedures as people write them round a loop: a total, a search, a write in each turn, over a count, a list or an array.
//!
//! In: the fields and arrays of the program. Out: a procedure without a contract, legal L, whose loop most mutations of loops
//! can change.

use super::super::tree::{
    allocate, assign, binary, block, branch, declare, default_of, expr, field, int, null, stmt, var,
};
use super::{Generator, Signature, head};
use lang_l::ast::{BinOp, Expr, ExprKind, Procedure, Stmt, StmtKind, TypeKind};

/// How a loop goes.
#[derive(Clone, Copy, PartialEq)]
enum Pace {
    /// `k` counts to a number.
    Count,
    /// `t` walks along `f`.
    Walk,
    /// `k` counts through the array `a`.
    Array,
}

impl Generator<'_> {
    /// A procedure around one loop or two.
    pub(super) fn turning(&mut self, text: &str) -> Procedure {
        let node = self.node.clone();
        let mut params = vec![("x".to_owned(), node.clone()), ("n".to_owned(), TypeKind::Int)];
        if self.random.percent(30) {
            params.insert(1, ("y".to_owned(), node.clone()));
        }
        self.array_params(&mut params);
        let array = params.iter().any(|(text, _)| text == "a") && self.element == Some(TypeKind::Int);
        let results = vec![("r".to_owned(), TypeKind::Int)];
        let signature = Signature { name: text.to_owned(), params, results };
        let mut stmts = Vec::new();
        for _ in 0..1 + usize::from(self.random.percent(20)) {
            self.one_loop(array, &mut stmts);
        }
        if self.random.percent(40) {
            stmts = vec![branch(binary(BinOp::Ne, var("x"), null()), stmts, Vec::new())];
        }
        self.callees.push(signature.clone());
        let mut procedure = head(&signature, Vec::new());
        procedure.body = Some(block(stmts));
        for (text, kind) in [("u", node.clone()), ("t", node), ("k", TypeKind::Int)] {
            declare(&mut procedure, text, kind);
        }
        procedure
    }

    fn one_loop(&mut self, array: bool, out: &mut Vec<Stmt>) {
        let pace = match self.random.below(10) {
            0..4 => Pace::Walk,
            4..7 if array => Pace::Array,
            _ => Pace::Count,
        };
        if self.random.percent(40) {
            out.push(assign(var("r"), self.number(None)));
        }
        if pace == Pace::Walk {
            out.push(assign(var("t"), var("x")));
        }
        if pace != Pace::Walk || self.random.percent(30) {
            out.push(assign(var("k"), int(i64::from(self.random.percent(20)))));
        }
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            body.push(self.in_turn(pace));
        }
        let count = assign(var("k"), binary(BinOp::Add, var("k"), int(1)));
        let end = if self.random.percent(85) { var("n") } else { int(3) };
        let cond = match pace {
            Pace::Walk => binary(BinOp::Ne, var("t"), null()),
            Pace::Count => binary(BinOp::Lt, var("k"), end),
            Pace::Array => binary(BinOp::Lt, var("k"), field(var("a"), "length")),
        };
        if pace == Pace::Walk {
            if self.random.percent(25) {
                body.push(count);
            }
            body.push(assign(var("t"), field(var("t"), "f")));
        } else {
            body.push(count);
        }
        out.push(stmt(StmtKind::While { cond, invariants: Vec::new(), body: block(body) }));
        if self.random.percent(25) {
            out.push(assign(field(var("x"), "v"), var("r")));
        }
    }

    /// A number that is at hand, in a loop or before it.
    fn number(&mut self, pace: Option<Pace>) -> Expr {
        let mut known = vec![int(0), int(1), var("n"), field(var("x"), "v")];
        if let Some((text, _)) = self.globals.iter().find(|(_, kind)| *kind == TypeKind::Int) {
            known.push(var(text));
        }
        match pace {
            Some(Pace::Walk) => known.extend([field(var("t"), "v"), field(var("t"), "v")]),
            Some(Pace::Count) => known.extend([var("k"), var("k")]),
            Some(Pace::Array) => known.extend([var("k"), cell(), cell()]),
            None => {}
        }
        self.random.pick(&known).cloned().unwrap_or_else(|| default_of(&TypeKind::Int))
    }

    /// What is done in a turn.
    fn in_turn(&mut self, pace: Pace) -> Stmt {
        let number = self.number(Some(pace));
        let other = self.number(Some(pace));
        match self.random.below(12) {
            0..4 => {
                let op = [BinOp::Add, BinOp::Add, BinOp::Sub][self.random.below(3)];
                assign(var("r"), binary(op, var("r"), number))
            }
            4 => branch(binary(BinOp::Gt, number.clone(), var("r")), vec![assign(var("r"), number)], Vec::new()),
            5 => {
                let leave = stmt(if self.random.percent(50) { StmtKind::Break } else { StmtKind::Return(vec![other]) });
                branch(binary(BinOp::Eq, number, var("n")), vec![leave], Vec::new())
            }
            6..8 => {
                let more = binary(BinOp::Add, var("r"), int(1));
                branch(binary(BinOp::Lt, number, other), vec![assign(var("r"), more)], Vec::new())
            }
            8 => assign(field(var("x"), "v"), binary(BinOp::Add, field(var("x"), "v"), number)),
            9 => {
                let new = vec![allocate("u", &self.node), assign(field(var("u"), "v"), number)];
                branch(binary(BinOp::Ne, var("r"), other), new, Vec::new())
            }
            _ => match pace {
                Pace::Walk => assign(field(var("t"), "v"), number),
                Pace::Count => assign(field(var("x"), "v"), number),
                Pace::Array => assign(cell(), number),
            },
        }
    }
}

fn cell() -> Expr {
    expr(ExprKind::Index(Box::new(var("a")), Box::new(var("k"))))
}
