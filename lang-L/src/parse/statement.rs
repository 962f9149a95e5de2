//! The grammar of statements and blocks.
//!
//! In: tokens. Out: [`Block`]s; a statement that could not be read is reported and left out.

use super::error::{Rule, SyntaxError};
use super::expression::{operand, right_side, written_type};
use super::recover::{close, expect, name, no_statement, semicolon};
use super::{Grammar, at};
use crate::ast::{BinOp, Block, Expr, ExprKind, Name, Rhs, Stmt, StmtKind};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;
use chumsky::input::Emitter;
use chumsky::prelude::*;

/// `block`. Fails only where none starts.
pub(super) fn block<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, Block> {
    braces(statement(text, expression))
}

fn braces<'t>(statement: Grammar<'t, Option<Stmt>>) -> Grammar<'t, Block> {
    just(Token::LeftBrace)
        .ignore_then(statement.repeated().collect::<Vec<_>>())
        .then_ignore(expect(Token::RightBrace))
        .map_with(|stmts, extra| Block { stmts: stmts.into_iter().flatten().collect(), span: extra.span() })
        .boxed()
}

/// A statement, or `None` after an error. Fails only where a block ends.
fn statement<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, Option<Stmt>> {
    recursive(|statement| {
        let body = braces(statement.boxed())
            .recover_with(via_parser(empty().map_with(|(), extra| Block { stmts: Vec::new(), span: extra.span() })))
            .boxed();
        choice((
            change(text, expression.clone()),
            conditional(expression.clone(), body.clone()),
            repetition(text, expression.clone(), body),
            simple(text, expression),
        ))
        .map_with(|kind, extra| Some(Stmt { kind, span: extra.span() }))
        .labelled(Rule::Statement)
        .recover_with(via_parser(no_statement(text).to(None)))
    })
    .boxed()
}

/// A condition in parentheses.
fn condition<'t>(expression: Grammar<'t, Expr>) -> Grammar<'t, Expr> {
    let assigned = just(Token::Assign).map_with(|_, extra| extra.span()).then(expression.clone());
    expect(Token::LeftParen)
        .ignore_then(expression.then(assigned.or_not()))
        .then_ignore(close(Token::RightParen))
        .validate(|(left, assigned), _, emitter| {
            let Some((sign, right)) = assigned else { return left };
            let report = Diagnostic::new("E0103", sign, "`:=` assigns, which a condition cannot", "not a comparison");
            emitter.emit(SyntaxError::report(report.help("equality is written `==`").replace(sign, "==")));
            let span = left.span.to(right.span);
            at(ExprKind::Binary(BinOp::Eq, Box::new(left), Box::new(right)), span)
        })
        .boxed()
}

/// `if`
fn conditional<'t>(expression: Grammar<'t, Expr>, body: Grammar<'t, Block>) -> Grammar<'t, StmtKind> {
    recursive(|conditional| {
        let els_if = conditional.map_with(|kind, extra| {
            let span = extra.span();
            Block { stmts: vec![Stmt { kind, span }], span }
        });
        just(Token::If)
            .ignore_then(condition(expression))
            .then(body.clone())
            .then(just(Token::Else).ignore_then(els_if.or(body)).or_not())
            .map(|((cond, then), els)| StmtKind::If { cond, then, els })
    })
    .boxed()
}

/// `while`
fn repetition<'t>(text: &'t str, expression: Grammar<'t, Expr>, body: Grammar<'t, Block>) -> Grammar<'t, StmtKind> {
    let invariant = just(Token::Invariant).ignore_then(expression.clone()).then_ignore(semicolon(text));
    just(Token::While)
        .ignore_then(condition(expression))
        .then(invariant.repeated().collect())
        .then(body)
        .map(|((cond, invariants), body)| StmtKind::While { cond, invariants, body })
        .boxed()
}

/// Statements that start with a word of their own and have no body.
fn simple<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, StmtKind> {
    let end = semicolon(text);
    let with = |word, kind: fn(Expr) -> StmtKind| {
        just(word).ignore_then(expression.clone()).then_ignore(semicolon(text)).map(kind).boxed()
    };
    let values = expression.clone().separated_by(just(Token::Comma)).at_least(1).collect().then_ignore(end.clone());
    let declaration = just(Token::Var)
        .ignore_then(name(text))
        .then(just(Token::Colon).ignore_then(written_type(text)).or_not())
        .then(assignment_sign().ignore_then(right_side(text, expression.clone())).or_not())
        .then_ignore(end.clone())
        .map(|((name, ty), init)| StmtKind::Var { name, ty, init });
    choice((
        declaration,
        just(Token::Return).ignore_then(just(Token::Semicolon).map(|_| Vec::new()).or(values)).map(StmtKind::Return),
        with(Token::Assert, StmtKind::Assert),
        with(Token::Assume, StmtKind::Assume),
        just(Token::Break).then(end.clone()).map(|_| StmtKind::Break),
        just(Token::Continue).then(end.clone()).map(|_| StmtKind::Continue),
        just(Token::Skip).then(end).map(|_| StmtKind::Skip),
    ))
    .boxed()
}

/// `:=`, or `=` in its place with a report.
fn assignment_sign<'t>() -> Grammar<'t, ()> {
    let equal = just(Token::Equal).validate(|_, extra, emitter| {
        let report = Diagnostic::new("E0103", extra.span(), "`=` does not assign in L", "not an assignment");
        emitter.emit(SyntaxError::report(report.help("assignment is written `:=`").replace(extra.span(), ":=")));
    });
    just(Token::Assign).ignored().or(equal).boxed()
}

/// What a statement that starts with an operand goes on with.
enum Rest {
    /// `:= rhs`
    Assign(Rhs),
    /// `, name … := rhs`, and whether more values follow.
    AssignCall(Vec<Name>, Rhs, bool),
    /// Nothing: a call.
    Nothing,
}

/// Assignments and calls.
fn change<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, StmtKind> {
    let sign_and_value = assignment_sign().ignore_then(right_side(text, expression.clone()));
    let more = just(Token::Comma).ignore_then(name(text)).repeated().at_least(1).collect();
    let value_of_many =
        assignment_sign().recover_with(via_parser(empty())).ignore_then(right_side(text, expression.clone()));
    // As Python has them.
    let more_values = just(Token::Comma).ignore_then(expression.clone()).repeated().count().map(|count| count > 0);
    let rest = choice((
        sign_and_value.map(Rest::Assign),
        more.then(value_of_many).then(more_values).map(|((names, rhs), more)| Rest::AssignCall(names, rhs, more)),
        empty().map(|()| Rest::Nothing),
    ));
    operand(text, expression)
        .then(rest)
        .then(semicolon(text))
        .validate(|((target, rest), ended), _, emitter| checked(target, rest, ended, emitter))
        .boxed()
}

/// The statement, with a report when `target` or the value cannot stand where it does. Unless it `ended` well there is
/// a report already that says what could follow the target.
fn checked(target: Expr, rest: Rest, ended: bool, emitter: &mut Emitter<SyntaxError>) -> StmtKind {
    let mut report = |code, span, message: &str, label: &str, help: &str| {
        emitter.emit(SyntaxError::report(Diagnostic::new(code, span, message, label).help(help)));
    };
    match rest {
        Rest::Assign(rhs) => {
            if !is_place(&target) {
                let help = "a place is a name, followed by any number of `.field` and `[index]`";
                report("E0105", target.span, "only a place can be assigned", "not a place", help);
            }
            StmtKind::Assign { place: target, rhs }
        }
        Rest::AssignCall(names, rhs, more) => {
            let first = match target.kind {
                ExprKind::Name(text) => Name { text, span: target.span },
                _ => {
                    let help = "assign to locals first, and from these to the places";
                    report("E0105", target.span, "several results go to plain names only", "not a name", help);
                    Name { text: String::new(), span: target.span }
                }
            };
            let targets = std::iter::once(first).chain(names).collect();
            match rhs {
                Rhs::Expr(Expr { kind: ExprKind::Call(call), .. }) if !more => StmtKind::CallAssign { targets, call },
                rhs if more => {
                    let span = right_side_span(&rhs);
                    let help = "one after the other; what is read after it was overwritten is kept in another variable first, \
                                as in `t := a; a := b; b := t;`";
                    report("E0106", span, "several values are not assigned at once", "the first of several", help);
                    StmtKind::Skip
                }
                rhs => {
                    let span = right_side_span(&rhs);
                    let help = "only a procedure with several results gives several values; write one assignment each";
                    report("E0106", span, "this gives one value to several names", "not a call", help);
                    StmtKind::Skip
                }
            }
        }
        Rest::Nothing => match target.kind {
            ExprKind::Call(call) => StmtKind::Call(call),
            _ if !ended => StmtKind::Skip,
            ExprKind::Name(name) => {
                let help = format!("a call has parentheses, also when there is nothing in them: `{name}();`");
                report("E0107", target.span, "a name alone is no statement", "nothing happens here", &help);
                StmtKind::Skip
            }
            _ => {
                let help = "a statement assigns with `:=`, calls a procedure, or starts with a word such as `if`";
                report("E0107", target.span, "this expression is no statement", "its value is not used", help);
                StmtKind::Skip
            }
        },
    }
}

/// Whether this is a name followed by fields and indices.
pub(super) fn is_place(mut expr: &Expr) -> bool {
    loop {
        match &expr.kind {
            ExprKind::Name(_) => return true,
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => expr = base,
            _ => return false,
        }
    }
}

fn right_side_span(rhs: &Rhs) -> Span {
    match rhs {
        Rhs::Expr(expr) => expr.span,
        Rhs::New { span, .. } | Rhs::NewArray { span, .. } => *span,
    }
}
