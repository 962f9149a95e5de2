//! Mutations that may change the meaning of a program.
//!
//! In: a program, one of its procedures, random numbers. Out: the program changed, or nothing when there is no place for a
//! mutation of the kind wanted.
//!
//! Invariant: nothing is claimed of the result; whether it differs is for the runs to see.

use super::effects::Summaries;
use super::keep::{Site, around, sites};
use super::tree::{
    Program, any_expr, assign, block, each_expr, has_call, not, null, own_exprs, own_exprs_mut, parts, type_of, var,
    variables,
};
use lang_l::ast::{BinOp, Call, Expr, ExprKind, Item, Procedure, Rhs, Stmt, StmtKind};
use lang_l::random::Random;

macro_rules! kinds {
    ($($kind:ident $text:literal $apply:path,)*) => {
        /// The kinds of mutations that may change the meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each is named as the function that does it, which says more")]
        pub enum Change { $($kind,)* }

        impl Change {
            /// All kinds.
            pub const ALL: &[Change] = &[$(Change::$kind,)*];

            /// Its name in tables.
            pub fn text(self) -> &'static str {
                match self { $(Change::$kind => $text,)* }
            }

            /// Applies it somewhere in the procedure at this position. When there is no place for it the answer is `None`, and the
            /// program may be spoilt.
            pub fn apply(self, program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
                match self { $(Change::$kind => $apply(program, at, random),)* }
            }
        }
    };
}

kinds! {
    Field "other field" other_field,
    Constant "other constant" other_constant,
    Operator "other operator" other_operator,
    Variable "other variable" other_variable,
    Negate "negate condition" negate,
    Drop "drop statement" drop_statement,
    Twice "repeat statement" repeat,
    Swap "swap any neighbours" swap,
    Share "share allocation" share,
    MergeCalls "merge equal calls" merge_calls,
    Unguard "drop test" unguard,
    DropElse "drop else" drop_else,
    Hoist "move statement out" hoist,
    SwapArguments "swap arguments" swap_arguments,
    Clear "add null store" clear,
    DropContract "drop contract" drop_contract,
}

fn any(_: &Stmt) -> bool {
    true
}

/// Changes one expression that passes a test, parts of others included.
fn change_expr(
    program: &mut Program,
    at: usize,
    random: &mut Random,
    test: &dyn Fn(&Expr) -> bool,
    change: &mut dyn FnMut(&mut Expr, &mut Random) -> Option<()>,
) -> Option<()> {
    let procedure = &program.procedures[at];
    let place = *random.pick(&sites(procedure, &|stmt| own_exprs(stmt).into_iter().any(|e| any_expr(e, test))))?;
    let stmt = &mut around(program, at, place)?[place.1];
    let total: usize = own_exprs(stmt).into_iter().map(|e| count(e, test)).sum();
    let chosen = random.below(total);
    let (mut seen, mut done) = (0, None);
    for e in own_exprs_mut(stmt) {
        each_expr(e, &mut |e| {
            if done.is_none() && test(e) {
                if seen == chosen {
                    done = Some(change(e, random));
                }
                seen += 1;
            }
        });
    }
    done.flatten()
}

fn count(e: &Expr, test: &dyn Fn(&Expr) -> bool) -> usize {
    usize::from(test(e)) + parts(e).into_iter().map(|part| count(part, test)).sum::<usize>()
}

fn other_field(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let lacks =
        |item: &Item| matches!(item, Item::Class(class) if class.fields.iter().all(|(name, _)| name.text != "g"));
    if program.shared.iter().any(lacks) {
        return None;
    }
    let test = |e: &Expr| matches!(&e.kind, ExprKind::Field(_, name) if name.text == "f" || name.text == "g");
    change_expr(program, at, random, &test, &mut |e, _| {
        let ExprKind::Field(_, name) = &mut e.kind else { return None };
        name.text = if name.text == "f" { "g" } else { "f" }.to_owned();
        Some(())
    })
}

fn other_constant(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let test = |e: &Expr| matches!(e.kind, ExprKind::Int(_) | ExprKind::Bool(_));
    change_expr(program, at, random, &test, &mut |e, random| {
        match &mut e.kind {
            ExprKind::Int(n) => *n += 1 + random.below(2),
            ExprKind::Bool(b) => *b = !*b,
            _ => return None,
        }
        Some(())
    })
}

fn other_operator(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let test = |e: &Expr| matches!(e.kind, ExprKind::Binary(..));
    change_expr(program, at, random, &test, &mut |e, random| {
        let ExprKind::Binary(op, ..) = &mut e.kind else { return None };
        let family: &[BinOp] = match op {
            BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Add | BinOp::Sub => {
                &[BinOp::Mul, BinOp::Div, BinOp::Rem, BinOp::Add, BinOp::Sub]
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => &[BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge],
            BinOp::Eq | BinOp::Ne => &[BinOp::Eq, BinOp::Ne],
            BinOp::And | BinOp::Or | BinOp::Implies => &[BinOp::And, BinOp::Or],
        };
        let others: Vec<BinOp> = family.iter().copied().filter(|other| other != op).collect();
        *op = *random.pick(&others)?;
        Some(())
    })
}

fn other_variable(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let all = variables(&program.procedures[at]);
    let known = all.clone();
    let test = move |e: &Expr| match &e.kind {
        ExprKind::Name(text) => known.iter().any(|(name, _)| name == text),
        _ => false,
    };
    change_expr(program, at, random, &test, &mut |e, random| {
        let ExprKind::Name(text) = &mut e.kind else { return None };
        let kind = &all.iter().find(|(name, _)| name == text)?.1;
        let others: Vec<String> =
            all.iter().filter(|(name, of)| of == kind && name != text).map(|(name, _)| name.clone()).collect();
        *text = random.pick(&others)?.clone();
        Some(())
    })
}

fn negate(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let place = *random.pick(&sites(&program.procedures[at], &|stmt| matches!(stmt.kind, StmtKind::If { .. })))?;
    if let StmtKind::If { cond, .. } = &mut around(program, at, place)?[place.1].kind {
        *cond = not(cond.clone());
    }
    Some(())
}

fn drop_statement(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let place = *random.pick(&sites(&program.procedures[at], &any))?;
    around(program, at, place)?.remove(place.1);
    Some(())
}

fn repeat(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let place = *random.pick(&sites(&program.procedures[at], &any))?;
    let stmts = around(program, at, place)?;
    let again = stmts[place.1].clone();
    stmts.insert(place.1, again);
    Some(())
}

fn swap(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let place = *random.pick(&sites(&program.procedures[at], &any))?;
    let stmts = around(program, at, place)?;
    if place.1 + 1 >= stmts.len() || stmts[place.1] == stmts[place.1 + 1] {
        return None;
    }
    stmts.swap(place.1, place.1 + 1);
    Some(())
}

fn allocates(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Assign { rhs: Rhs::New { .. }, .. })
}

/// Takes an object that is there already in place of a new one.
fn share(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let procedure = program.procedures[at].clone();
    let place = *random.pick(&sites(&procedure, &allocates))?;
    let StmtKind::Assign { place: target, rhs } = &mut around(program, at, place)?[place.1].kind else { return None };
    let ExprKind::Name(text) = &target.kind else { return None };
    let kind = type_of(&procedure, text)?;
    let others: Vec<String> = variables(&procedure)
        .into_iter()
        .filter(|(name, of)| *of == kind && name != text)
        .map(|(name, _)| name)
        .collect();
    *rhs = Rhs::Expr(var(random.pick(&others)?));
    Some(())
}

/// Takes the results of an earlier call in place of those of a later one of the same procedure.
fn merge_calls(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    fn called(stmt: &Stmt) -> Option<(&Expr, &str)> {
        match &stmt.kind {
            StmtKind::Assign { place, rhs: Rhs::Expr(Expr { kind: ExprKind::Call(call), .. }) } => {
                Some((place, &call.callee.text))
            }
            _ => None,
        }
    }
    let mut places: Vec<Site> = sites(&program.procedures[at], &|stmt| called(stmt).is_some());
    random.shuffle(&mut places);
    for place in places {
        let stmts = around(program, at, place)?;
        let (target, callee) = called(&stmts[place.1])?;
        let earlier = stmts[..place.1].iter().filter_map(called).find(|(_, other)| *other == callee);
        if let Some((value, _)) = earlier {
            stmts[place.1] = assign(target.clone(), value.clone());
            return Some(());
        }
    }
    None
}

/// `if (c) S` as `S`
fn unguard(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let place = *random.pick(&sites(&program.procedures[at], &|stmt| matches!(stmt.kind, StmtKind::If { .. })))?;
    let stmts = around(program, at, place)?;
    let StmtKind::If { then, .. } = stmts[place.1].kind.clone() else { return None };
    stmts.splice(place.1..=place.1, then.stmts);
    Some(())
}

fn drop_else(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let has_else = |stmt: &Stmt| matches!(stmt.kind, StmtKind::If { els: Some(_), .. });
    let place = *random.pick(&sites(&program.procedures[at], &has_else))?;
    if let StmtKind::If { els, .. } = &mut around(program, at, place)?[place.1].kind {
        *els = None;
    }
    Some(())
}

/// Moves the last statement of a branch or loop behind it.
fn hoist(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let nested = |stmt: &Stmt| matches!(stmt.kind, StmtKind::If { .. } | StmtKind::While { .. });
    let place = *random.pick(&sites(&program.procedures[at], &nested))?;
    let stmts = around(program, at, place)?;
    let last = match &mut stmts[place.1].kind {
        StmtKind::If { then: block, .. } | StmtKind::While { body: block, .. } => block.stmts.pop()?,
        _ => return None,
    };
    let fits =
        !Summaries::of(&Program { shared: Vec::new(), procedures: Vec::new() }).block(&block(vec![last.clone()])).jumps;
    if !fits {
        return None;
    }
    around(program, at, place)?.insert(place.1 + 1, last);
    Some(())
}

/// Swaps two arguments of the same type.
fn swap_arguments(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    fn call_of(stmt: &mut Stmt) -> Option<&mut Call> {
        match &mut stmt.kind {
            StmtKind::Call(call) | StmtKind::CallAssign { call, .. } => Some(call),
            StmtKind::Assign { rhs: Rhs::Expr(Expr { kind: ExprKind::Call(call), .. }), .. } => Some(call),
            _ => None,
        }
    }
    let calls = |stmt: &Stmt| call_of(&mut stmt.clone()).is_some();
    let place = *random.pick(&sites(&program.procedures[at], &calls))?;
    let callee = call_of(&mut around(program, at, place)?[place.1])?.callee.text.clone();
    let params = program.find(&callee)?.params.clone();
    let call = call_of(&mut around(program, at, place)?[place.1])?;
    let mut pairs: Vec<(usize, usize)> =
        (0..params.len()).flat_map(|second| (0..second).map(move |first| (first, second))).collect();
    pairs.retain(|&(first, second)| params[first].ty == params[second].ty && call.args[first] != call.args[second]);
    let &(first, second) = random.pick(&pairs)?;
    call.args.swap(first, second);
    Some(())
}

/// Writes `null` through a reference variable.
fn clear(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let writes = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign { place, .. } => {
            matches!(&place.kind, ExprKind::Field(_, name) if name.text == "f" || name.text == "g") && !has_call(place)
        }
        _ => false,
    };
    let place = *random.pick(&sites(&program.procedures[at], &writes))?;
    let stmts = around(program, at, place)?;
    let StmtKind::Assign { place: target, .. } = stmts[place.1].kind.clone() else { return None };
    let to = place.1 + random.below(stmts.len() + 1 - place.1);
    stmts.insert(to, assign(target, null()));
    Some(())
}

fn drop_contract(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let procedure: &mut Procedure = &mut program.procedures[at];
    if procedure.specs.is_empty() {
        return None;
    }
    let which = random.below(procedure.specs.len());
    procedure.specs.remove(which);
    Some(())
}
