//! A procedure that tells whether a variable ever has a value at a place.
//!
//! In: a procedure as written, a statement of it, a variable. Out: a procedure with one parameter more, a value. Each time control comes
//! to the statement and the variable has the value, that is counted. What it returns is whether any was.
//!
//! Control comes to a loop before its condition is evaluated: once, and after each turn.
//!
//! Invariant: but for its results, and for the globals, which it clears at the end, the procedure does what the one it is made of does.

use lang_l::ast::{Block, Expr, ExprKind, Item, Name, Param, Procedure, Rhs, Spec, Stmt, StmtKind};
use lang_l::parse;
use lang_l::source::{FileId, Span};

/// What the parts of such a procedure are called: names that are free in the program.
#[derive(Clone, Debug)]
pub(super) struct Called {
    /// The procedure.
    pub(super) procedure: String,
    /// The value that is looked for.
    pub(super) value: String,
    /// The result: whether it was seen.
    pub(super) had: String,
    /// How often it was seen.
    pub(super) arrivals: String,
    /// What was returned, by the number of the result.
    pub(super) returned: String,
    /// The globals, each with what it is cleared to.
    pub(super) globals: Vec<(String, &'static str)>,
}

/// The procedure for a variable of this type, at the statement with this place.
pub(super) fn counting(
    of: &Procedure,
    place: Span,
    (variable, ty): (&str, &str),
    called: &Called,
) -> Option<Procedure> {
    let Called { procedure, value, had, arrivals, returned, globals } = called;
    let result = |(at, param): (usize, &Param)| {
        let declared = |name: String| {
            let kind =
                StmtKind::Var { name: Name { text: name, ..param.name.clone() }, ty: param.ty.clone(), init: None };
            Stmt { kind, span: param.name.span }
        };
        [declared(param.name.text.clone()), declared(format!("{returned}{at}"))]
    };
    let head = read(&format!("procedure {procedure}({value}: {ty}) returns ({had}: bool) {{ var {arrivals}: int; }}"))?;
    let cleared: String = globals.iter().map(|(name, nothing)| format!(" {name} := {nothing};")).collect();
    let seen = format!("if ({variable} == {value}) {{ {arrivals} := {arrivals} + 1; }}");
    let counter = Counter {
        place,
        count: statements(&seen)?,
        tell: statements(&format!("{had} := {arrivals} > 0;{cleared}"))?,
        returned: (0..of.results.len()).map(|at| format!("{returned}{at}")).collect(),
    };
    let body = counter.block(of.body.as_ref()?, false);
    let declared = head.body.as_ref()?.stmts.iter().cloned();
    let results = of.results.iter().enumerate().flat_map(result);
    let stmts = declared.chain(results).chain(body.stmts).chain(counter.tell.iter().cloned()).collect();
    let requires = of.specs.iter().filter(|spec| matches!(spec, Spec::Requires(..))).cloned();
    Some(Procedure {
        name: head.name,
        params: of.params.iter().chain(&head.params).cloned().collect(),
        results: head.results,
        specs: requires.collect(),
        body: Some(Block { stmts, ..body }),
        span: of.span,
    })
}

/// The statement that begins in a line: of several the outermost, and of those the last.
pub(super) fn beginning(block: &Block, in_line: &impl Fn(Span) -> bool) -> Option<Span> {
    let own = block.stmts.iter().rev().find(|stmt| in_line(stmt.span)).map(|stmt| stmt.span);
    let inner = || block.stmts.iter().flat_map(blocks).find_map(|inner| beginning(inner, in_line));
    own.or_else(inner)
}

fn blocks(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If { then, els, .. } => [then].into_iter().chain(els).collect(),
        StmtKind::While { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// Statements as the parser reads them.
fn statements(text: &str) -> Option<Vec<Stmt>> {
    Some(read(&format!("procedure p() {{ {text} }}"))?.body?.stmts)
}

fn read(text: &str) -> Option<Procedure> {
    let parsed = parse::parse(FileId(0), text);
    let legal = parsed.diagnostics.is_empty();
    match parsed.file.shared.into_iter().next().filter(|_| legal)? {
        Item::Procedure(procedure) => Some(procedure),
        _ => None,
    }
}

/// What is written into a body.
struct Counter {
    place: Span,
    /// Counts the arrival at the place.
    count: Vec<Stmt>,
    /// Tells whether any was counted.
    tell: Vec<Stmt>,
    /// What takes the values of a `return`: they may err.
    returned: Vec<String>,
}

impl Counter {
    /// The block with what it counts; `turn` is whether a `continue` in it leads back to the place.
    fn block(&self, block: &Block, turn: bool) -> Block {
        let stmts = block.stmts.iter().flat_map(|stmt| self.statement(stmt, turn)).collect();
        Block { stmts, span: block.span }
    }

    fn statement(&self, stmt: &Stmt, turn: bool) -> Vec<Stmt> {
        let here = stmt.span == self.place;
        let mut all = if here { self.count.clone() } else { Vec::new() };
        let kind = match &stmt.kind {
            StmtKind::If { cond, then, els } => StmtKind::If {
                cond: cond.clone(),
                then: self.block(then, turn),
                els: els.as_ref().map(|els| self.block(els, turn)),
            },
            StmtKind::While { cond, invariants, body } => {
                let mut body = self.block(body, here);
                if here {
                    body.stmts.extend(self.count.iter().cloned());
                }
                StmtKind::While { cond: cond.clone(), invariants: invariants.clone(), body }
            }
            StmtKind::Return(values) => {
                all.extend(values.iter().zip(&self.returned).map(|(value, name)| assigned(name, value)));
                all.extend(self.tell.iter().cloned());
                StmtKind::Return(Vec::new())
            }
            StmtKind::Continue if turn => {
                all.extend(self.count.iter().cloned());
                StmtKind::Continue
            }
            other => other.clone(),
        };
        all.push(Stmt { kind, span: stmt.span });
        all
    }
}

fn assigned(name: &str, value: &Expr) -> Stmt {
    let place = Expr { kind: ExprKind::Name(name.to_string()), span: value.span };
    Stmt { kind: StmtKind::Assign { place, rhs: Rhs::Expr(value.clone()) }, span: value.span }
}
