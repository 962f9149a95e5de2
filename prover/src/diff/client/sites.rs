//! Where a client calls what differs, and which statements round a call may hide it.
//!
//! In: a procedure. Out: its calls as [`Site`]s, and for each the [`Range`]s round it, smallest first.
//!
//! Invariant: the ranges of one call, in order, are statements of ever more enclosing blocks.

use crate::budget::client::{MAX_CANDIDATES, MAX_ENDS};
use crate::lower::liveness::Live;
use crate::lower::outline::range::{Range, Way, block, liveness};
use lang_l::hir::{BinOp, Block, Expr, ExprKind, ProcId, Procedure, StmtKind};
use lang_l::source::Span;

/// A call.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// The block whose statement it is in.
    pub(super) way: Way,
    /// That statement.
    pub(super) at: usize,
    /// The call, or the whole statement where it is one.
    pub(super) span: Span,
    /// What is called.
    pub(super) callee: ProcId,
    /// The arguments.
    pub(super) args: Vec<Expr>,
    /// Whether a run that comes to the statement may leave it without the call.
    pub(super) lazy: bool,
}

/// What the statements of a boundary are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The call alone.
    Call,
    /// Some statements of a block.
    Statements,
    /// An `if`, or one of its branches.
    Branch,
    /// The body of a loop.
    Turn,
    /// A loop.
    Loop,
    /// The whole client.
    Client,
}

impl Kind {
    /// The word of reports.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Call => "call",
            Kind::Statements => "statements",
            Kind::Branch => "branch",
            Kind::Turn => "turn",
            Kind::Loop => "loop",
            Kind::Client => "client",
        }
    }
}

/// All calls of a body of the procedures that are wanted, in the order of the source.
pub(super) fn sites(body: &Block, wanted: &impl Fn(ProcId) -> bool) -> Vec<Site> {
    let mut found = Vec::new();
    gather(body, &mut Vec::new(), wanted, &mut found);
    found
}

fn gather(block: &Block, way: &mut Way, wanted: &impl Fn(ProcId) -> bool, found: &mut Vec<Site>) {
    for (at, stmt) in block.stmts.iter().enumerate() {
        if let StmtKind::Call { callee, args, .. } = &stmt.kind
            && wanted(*callee)
        {
            let (way, args) = (way.clone(), args.clone());
            found.push(Site { way, at, span: stmt.span, callee: *callee, args, lazy: false });
        }
        for expr in stmt.exprs() {
            within(expr, false, &mut |callee, args, span, lazy| {
                if wanted(callee) {
                    found.push(Site { way: way.clone(), at, span, callee, args: args.to_vec(), lazy });
                }
            });
        }
        for (which, inner) in stmt.blocks().into_iter().enumerate() {
            way.push((at, which));
            gather(inner, way, wanted, found);
            way.pop();
        }
    }
}

/// The calls in an expression, and whether its evaluation may do without them.
fn within(expr: &Expr, lazy: bool, see: &mut impl FnMut(ProcId, &[Expr], Span, bool)) {
    if let ExprKind::Call(callee, args) = &expr.kind {
        see(*callee, args, expr.span, lazy);
    }
    let skips = |part: usize| match &expr.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, ..) | ExprKind::Cond(..) => part > 0,
        _ => false,
    };
    for (at, part) in expr.parts().into_iter().enumerate() {
        within(part, lazy || skips(at), see);
    }
}

/// The ranges round a call, smallest first; never the whole body.
pub(super) fn candidates(procedure: &Procedure, site: &Site) -> Vec<Range> {
    let Some(body) = &procedure.body else { return Vec::new() };
    let mut found: Vec<Range> = Vec::new();
    let (mut way, mut at) = (site.way.clone(), site.at);
    loop {
        let here = block(body, &way);
        let last = here.stmts.len() - 1;
        let (live, _) = liveness(procedure, body, &way);
        let mut ends = ends(here, at, &live);
        ends.insert(0, at);
        let mut ranges: Vec<(usize, usize)> = ends.into_iter().map(|to| (at, to)).collect();
        ranges.extend([(at, last), (0, last)]);
        for (from, to) in ranges {
            let range = Range { way: way.clone(), from, to };
            let whole = way.is_empty() && (from, to) == (0, last);
            if !whole && !found.contains(&range) {
                found.push(range);
            }
        }
        let Some((outer, _)) = way.pop() else { break };
        at = outer;
    }
    found.truncate(MAX_CANDIDATES);
    found
}

/// Where the values that a statement assigns do not matter any more.
fn ends(block: &Block, at: usize, live: &[Live]) -> Vec<usize> {
    let own: Live = block.stmts[at].assigned();
    let dead = |to: &usize| own.intersection(&live[*to]).next().is_none();
    (at + 1..block.stmts.len()).filter(dead).take(MAX_ENDS).collect()
}

/// What the statements of a range are.
pub(super) fn kind(body: &Block, range: &Range) -> Kind {
    let here = block(body, &range.way);
    let all = (range.from, range.to) == (0, here.stmts.len() - 1);
    let outer = range.way.split_last().map(|((at, _), way)| &block(body, way).stmts[*at].kind);
    let first = &here.stmts[range.from];
    match (&first.kind, outer) {
        _ if range.from == range.to && first.as_call().is_some() => Kind::Call,
        (_, Some(StmtKind::While { .. })) if all => Kind::Turn,
        (_, Some(StmtKind::If(..))) if all => Kind::Branch,
        (StmtKind::If(..), _) if range.from == range.to => Kind::Branch,
        (StmtKind::While { .. }, _) if range.from == range.to => Kind::Loop,
        _ => Kind::Statements,
    }
}

/// The place of a range in the source.
pub(super) fn span(body: &Block, range: &Range) -> Span {
    let here = block(body, &range.way);
    here.stmts[range.from].span.to(here.stmts[range.to].span)
}

impl Range {
    /// Whether a call is in one of the statements.
    pub(super) fn holds(&self, site: &Site) -> bool {
        self.contains(&Range { way: site.way.clone(), from: site.at, to: site.at })
    }
}
