//! The grammar of expressions, types and right sides.
//!
//! In: tokens. Out: [`Expr`], [`Type`] and [`Rhs`], with [`ExprKind::Error`] where an operand is missing.

use super::error::{Rule, SyntaxError};
use super::recover::{close, expect, name, plain_name};
use super::{Grammar, at};
use crate::ast::{BinOp, Call, Expr, ExprKind, Name, Rhs, Type, TypeKind, UnOp};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;
use chumsky::pratt::{infix, left, prefix, right};
use chumsky::prelude::*;

/// `expr`
pub(super) fn expression<'t>(text: &'t str) -> Grammar<'t, Expr> {
    recursive(|expression| {
        let expression = expression.boxed();
        let operand = operand(text, expression.clone())
            .labelled(Rule::Expression)
            .recover_with(via_parser(empty().map_with(|(), extra| at(ExprKind::Error, extra.span()))));
        let unary = |token, op| {
            prefix(8, just(token).labelled(Rule::Expression).to(op), |op, operand, extra| {
                at(ExprKind::Unary(op, Box::new(operand)), extra.span())
            })
        };
        let binary = |associativity, operators: Grammar<'t, BinOp>| {
            infix(associativity, operators.labelled(Rule::Operator), |left, op, right, extra| {
                at(ExprKind::Binary(op, Box::new(left), Box::new(right)), extra.span())
            })
        };
        let equality = select! { Token::EqualEqual => BinOp::Eq, Token::BangEqual => BinOp::Ne }.or(equals_sign());
        let operation = operand.pratt((
            unary(Token::Minus, UnOp::Neg),
            unary(Token::Bang, UnOp::Not),
            binary(
                left(7),
                select! { Token::Star => BinOp::Mul, Token::Slash => BinOp::Div, Token::Percent => BinOp::Rem }.boxed(),
            ),
            binary(left(6), select! { Token::Plus => BinOp::Add, Token::Minus => BinOp::Sub }.boxed()),
            binary(
                left(5),
                select! {
                    Token::Less => BinOp::Lt,
                    Token::LessEqual => BinOp::Le,
                    Token::Greater => BinOp::Gt,
                    Token::GreaterEqual => BinOp::Ge,
                }
                .boxed(),
            ),
            binary(left(4), equality.boxed()),
            binary(left(3), just(Token::AndAnd).to(BinOp::And).boxed()),
            binary(left(2), just(Token::OrOr).to(BinOp::Or).boxed()),
            binary(right(1), just(Token::Implies).to(BinOp::Implies).boxed()),
        ));
        let branches = just(Token::Question)
            .labelled(Rule::Operator)
            .ignore_then(expression.clone())
            .then_ignore(expect(Token::Colon))
            .then(expression);
        operation.boxed().then(branches.or_not()).map_with(|(condition, branches), extra| match branches {
            None => condition,
            Some((then, els)) => at(ExprKind::Cond(Box::new(condition), Box::new(then), Box::new(els)), extra.span()),
        })
    })
    .boxed()
}

/// `=`, reported and read as `==`.
fn equals_sign<'t>() -> Grammar<'t, BinOp> {
    just(Token::Equal)
        .validate(|_, extra, emitter| {
            let report = Diagnostic::new("E0103", extra.span(), "`=` is no operator of L", "not an operator");
            emitter.emit(SyntaxError::report(report.help("equality is written `==`").replace(extra.span(), "==")));
            BinOp::Eq
        })
        .boxed()
}

/// An operand with the fields and indices taken of it. Fails only where none starts.
pub(super) fn operand<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, Expr> {
    enum Step {
        Field(Name),
        Index(Expr),
    }
    let field = just(Token::Dot).labelled(Rule::Operator).ignore_then(name(text)).map(Step::Field);
    let index = just(Token::LeftBracket)
        .labelled(Rule::Operator)
        .ignore_then(expression.clone())
        .then_ignore(close(Token::RightBracket))
        .map(Step::Index);
    atom(text, expression)
        .foldl_with(field.or(index).repeated(), |base, step, extra| {
            let base = Box::new(base);
            let kind = match step {
                Step::Field(name) => ExprKind::Field(base, name),
                Step::Index(index) => ExprKind::Index(base, Box::new(index)),
            };
            at(kind, extra.span())
        })
        .boxed()
}

/// A literal, name, call, quantifier or an expression in parentheses. Fails only where none starts.
fn atom<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, Expr> {
    let integer = just(Token::Int).map_with(move |_, extra| {
        let span: Span = extra.span();
        // The lexer lets only digits pass.
        at(ExprKind::Int(text[span.range()].parse().unwrap_or_default()), span)
    });
    let constant = select! {
        Token::True => ExprKind::Bool(true),
        Token::False => ExprKind::Bool(false),
        Token::Null => ExprKind::Null,
    }
    .map_with(|kind, extra| at(kind, extra.span()));
    let in_parentheses = just(Token::LeftParen).ignore_then(arguments(expression.clone()));
    let name_or_call = plain_name(text).then(in_parentheses.clone().labelled(Rule::Operator).or_not()).map_with(
        |(name, args), extra| match args {
            None => at(ExprKind::Name(name.text), name.span),
            Some(args) => at(ExprKind::Call(Call { callee: name, args, span: extra.span() }), extra.span()),
        },
    );
    let call = just(Token::Call)
        .ignore_then(name(text))
        // Without its `(` it has no arguments: reading some would nest where no bracket does.
        .then(in_parentheses.clone().recover_with(via_parser(empty().map(|()| Vec::new()))))
        .map_with(|(callee, args), extra| at(ExprKind::Call(Call { callee, args, span: extra.span() }), extra.span()));
    let quantifier = choice((just(Token::Forall).to(true), just(Token::Exists).to(false)))
        .then(name(text))
        .then_ignore(expect(Token::Colon))
        .then(written_type(text))
        .then_ignore(expect(Token::ColonColon))
        .then(expression.clone())
        .map_with(|(((forall, var), ty), body), extra| {
            at(ExprKind::Quant { forall, var, ty, body: Box::new(body) }, extra.span())
        });
    let parenthesised = just(Token::LeftParen).ignore_then(expression).then_ignore(close(Token::RightParen));
    choice((name_or_call, integer, constant, parenthesised, call, quantifier)).boxed()
}

/// What follows the `(` of a call, with the `)`.
fn arguments<'t>(expression: Grammar<'t, Expr>) -> Grammar<'t, Vec<Expr>> {
    let some = expression.separated_by(just(Token::Comma)).at_least(1).collect().then_ignore(close(Token::RightParen));
    just(Token::RightParen).map(|_| Vec::new()).or(some).boxed()
}

/// `type`; after an error it is `ref`.
pub(super) fn written_type<'t>(text: &'t str) -> Grammar<'t, Type> {
    element_type(text)
        .recover_with(via_parser(empty().map_with(|(), extra| Type { kind: TypeKind::Ref, span: extra.span() })))
        .boxed()
}

/// `type`. Fails only where none starts.
fn element_type<'t>(text: &'t str) -> Grammar<'t, Type> {
    let class = plain_name(text).map(|name| TypeKind::Class(name.text));
    let base = select! {
        Token::IntType => TypeKind::Int,
        Token::BoolType => TypeKind::Bool,
        Token::RefType => TypeKind::Ref,
    }
    .or(class)
    .labelled(Rule::Type)
    .map_with(|kind, extra| Type { kind, span: extra.span() });
    let brackets = just(Token::LeftBracket).then(just(Token::RightBracket));
    base.foldl_with(brackets.repeated(), |element, _, extra| Type {
        kind: TypeKind::Array(Box::new(element)),
        span: extra.span(),
    })
    .boxed()
}

/// `rhs`
pub(super) fn right_side<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, Rhs> {
    enum Rest {
        Length(Expr),
        Parentheses,
        Nothing,
    }
    let length = just(Token::LeftBracket).ignore_then(expression.clone()).then_ignore(close(Token::RightBracket));
    let rest = choice((
        length.map(Rest::Length),
        just(Token::LeftParen).then(close(Token::RightParen)).map(|_| Rest::Parentheses),
        empty().map(|()| Rest::Nothing),
    ));
    let new =
        just(Token::New).ignore_then(element_type(text).or_not()).then(rest).validate(|(ty, rest), extra, emitter| {
            let span = extra.span();
            match (ty, rest) {
                (None, Rest::Parentheses | Rest::Nothing) => Rhs::New { class: None, span },
                (Some(Type { kind: TypeKind::Class(text), span: place }), Rest::Parentheses | Rest::Nothing) => {
                    Rhs::New { class: Some(Name { text, span: place }), span }
                }
                (Some(element), Rest::Length(length)) => Rhs::NewArray { element, length, span },
                _ => {
                    let report = Diagnostic::new("E0104", span, "this `new` makes nothing", "neither object nor array");
                    emitter.emit(SyntaxError::report(
                        report.help("write `new()`, `new C()` for a class `C`, or `new int[n]` for an array"),
                    ));
                    Rhs::New { class: None, span }
                }
            }
        });
    new.or(expression.map(Rhs::Expr)).boxed()
}
