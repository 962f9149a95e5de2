//! The tree as written: names are strings, types may be missing, every node knows its place.
//!
//! In: what the parser saw. Out: input to [`crate::resolve`] and to [`crate::print`]; [`tree`] draws it.
//!
//! Invariant: an `ast` value says nothing about meaning; ill-typed and unresolved programs have one too.
//! Invariant: parentheses and redundant `call` keywords are not kept; comments are kept beside the tree, not in it.

pub mod tree;

use crate::source::Span;
use num_bigint::BigInt;

/// An identifier and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// One source file: shared items, then any number of versions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// Items before the first `version`; they belong to every version.
    pub shared: Vec<Item>,
    /// The versions in order.
    pub versions: Vec<Version>,
}

/// `version LABEL item*`.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// The label as it is to be printed in reports, if there is one.
    pub label: Option<Label>,
    /// The items of this version alone.
    pub items: Vec<Item>,
    /// The keyword and the label.
    pub span: Span,
}

/// A version's label.
#[derive(Clone, Debug, PartialEq)]
pub enum Label {
    /// `version 0`
    Int(BigInt, Span),
    /// `version old`
    Ident(Name),
    /// `version "before the fix"`; the text without its quotes, escapes resolved.
    Text(String, Span),
}

/// A top-level item.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `class C { f: int; }`
    Class(Class),
    /// `global g: T;`
    Global(Global),
    /// `procedure …`
    Procedure(Procedure),
    /// `equiv p ~ q when e;`
    Equiv(Equiv),
}

/// A class declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: Name,
    /// Its fields in order.
    pub fields: Vec<(Name, Type)>,
    /// The whole declaration.
    pub span: Span,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// The whole declaration.
    pub span: Span,
}

/// A procedure; without a body it is external.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its results.
    pub results: Vec<Param>,
    /// Its contract, clauses in the order written.
    pub specs: Vec<Spec>,
    /// Its body; `None` when it is external.
    pub body: Option<Block>,
    /// The whole procedure.
    pub span: Span,
}

/// A parameter or result.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// Its type, if written.
    pub ty: Option<Type>,
}

/// One clause of a contract.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// `requires e;`
    Requires(Expr, Span),
    /// `ensures e;`
    Ensures(Expr, Span),
    /// `modifies {p, q};`, or without braces with one place; places are [`Expr`]s of place form.
    Modifies(Vec<Expr>, Span),
}

/// `equiv left ~ right when condition;`
#[derive(Clone, Debug, PartialEq)]
pub struct Equiv {
    /// A procedure of version 0.
    pub left: Name,
    /// A procedure of version 1.
    pub right: Name,
    /// The condition, over the parameters of the left procedure.
    pub when: Option<Expr>,
    /// The whole declaration.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Which.
    pub kind: TypeKind,
    /// Where.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `int`
    Int,
    /// `bool`
    Bool,
    /// `ref`
    Ref,
    /// A class by name.
    Class(String),
    /// `T[]`
    Array(Box<Type>),
}

/// `{ … }`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// The whole statement.
    pub span: Span,
}

/// The forms of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `var x: T := rhs;`
    Var {
        /// The variable.
        name: Name,
        /// Its type, if written.
        ty: Option<Type>,
        /// Its first value, if written.
        init: Option<Rhs>,
    },
    /// `place := rhs;`
    Assign {
        /// An [`Expr`] of place form.
        place: Expr,
        /// What is assigned.
        rhs: Rhs,
    },
    /// `x, y := p(…);` with two or more targets.
    CallAssign {
        /// The targets.
        targets: Vec<Name>,
        /// The call.
        call: Call,
    },
    /// `p(…);`
    Call(Call),
    /// `if (…) {…} else {…}`; `else if` is an `els` block with that one `If` statement, whose span is the block's.
    If {
        /// The condition.
        cond: Expr,
        /// Then.
        then: Block,
        /// Else, if written.
        els: Option<Block>,
    },
    /// `while (…) invariant …; {…}`
    While {
        /// The condition.
        cond: Expr,
        /// The invariants.
        invariants: Vec<Expr>,
        /// The body.
        body: Block,
    },
    /// `return e, f;`
    Return(Vec<Expr>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `assert e;`
    Assert(Expr),
    /// `assume e;`
    Assume(Expr),
    /// `skip;`
    Skip,
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum Rhs {
    /// An expression.
    Expr(Expr),
    /// `new`, `new()`, `new C()`
    New {
        /// The class, if named.
        class: Option<Name>,
        /// The whole allocation.
        span: Span,
    },
    /// `new T[n]`
    NewArray {
        /// The element type `T`.
        element: Type,
        /// The length.
        length: Expr,
        /// The whole allocation.
        span: Span,
    },
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The procedure called.
    pub callee: Name,
    /// The arguments.
    pub args: Vec<Expr>,
    /// The whole call.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// The whole expression.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// An integer literal; never negative.
    Int(BigInt),
    /// `true`, `false`
    Bool(bool),
    /// `null`
    Null,
    /// A name.
    Name(String),
    /// `e.f`; also `e.length`, which [`crate::resolve`] tells from a field by the type of `e`.
    Field(Box<Expr>, Name),
    /// `e[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `p(…)`; also `old(…)`, `fresh(…)`, `reach(…)`, told apart by [`crate::resolve`].
    Call(Call),
    /// `-e`, `!e`
    Unary(UnOp, Box<Expr>),
    /// `e op f`
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `c ? e : f`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `forall x: T :: e`, `exists x: T :: e`
    Quant {
        /// `true` for `forall`.
        forall: bool,
        /// The bound variable.
        var: Name,
        /// Its type.
        ty: Type,
        /// The body.
        body: Box<Expr>,
    },
    /// What the parser puts where it could not read an expression; an error has been reported.
    Error,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// Binary operators, weakest binding last in the language reference; `==>` associates to the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is its own spelling")]
pub enum BinOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
    Implies,
}

impl BinOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::And => "&&",
            BinOp::Or => "||",
            BinOp::Implies => "==>",
        }
    }
}
