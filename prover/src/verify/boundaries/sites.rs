//! Where a client calls what differs, and which statements round a call may hide it.
//!
//! In: a procedure. Out: its calls as [`Site`]s, and for each the [`Range`]s round it, smallest first.
//!
//! Invariant: the ranges of one call, in order, are statements of ever more enclosing blocks.

use crate::budget::client::{MAX_CANDIDATES, MAX_ENDS};
use kernel::liveness::Live;
use kernel::outline::condition::hoist;
use kernel::outline::range::{Range, Way, block, liveness};
use lang_l::hir::{Block, Expr, ExprKind, ProcId, Procedure, StmtKind};
use lang_l::source::Span;

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The block whose statement it is in.
    pub(crate) way: Way,
    /// That statement.
    pub(crate) at: usize,
    /// The call, or the whole statement where it is one.
    pub(crate) span: Span,
    /// What is called.
    pub(crate) callee: ProcId,
    /// The arguments.
    pub(crate) args: Vec<Expr>,
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
pub(crate) fn sites(body: &Block, wanted: &impl Fn(ProcId) -> bool) -> Vec<Site> {
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
            found.push(Site { way, at, span: stmt.span, callee: *callee, args });
        }
        for expr in stmt.exprs() {
            expr.walk(&mut |part| match &part.kind {
                ExprKind::Call(callee, args) if wanted(*callee) => {
                    let (way, args) = (way.clone(), args.clone());
                    found.push(Site { way, at, span: part.span, callee: *callee, args });
                }
                _ => {}
            });
        }
        for (which, inner) in stmt.blocks().into_iter().enumerate() {
            way.push((at, which));
            gather(inner, way, wanted, found);
            way.pop();
        }
    }
}

/// Statements round a call that may be a boundary, or the condition that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The statements; the `if` of a condition.
    pub(crate) range: Range,
    /// Whether it is the condition alone.
    pub(crate) is_test: bool,
}

impl Candidate {
    /// The procedure in which it is statements of its own, those of the range; `None` where it cannot be.
    pub(crate) fn alone(&self, of: &Procedure) -> Option<Procedure> {
        let mut alone = of.clone();
        if self.is_test {
            hoist(&mut alone, &self.range)?;
        }
        Some(alone)
    }

    /// Whether a call is in it.
    pub(crate) fn holds(&self, site: &Site) -> bool {
        let own = Range { way: site.way.clone(), from: site.at, to: site.at };
        if self.is_test { self.range == own } else { self.range.contains(&own) }
    }

    /// Its place in the source.
    pub(crate) fn span(&self, body: &Block) -> Span {
        match &block(body, &self.range.way).stmts[self.range.from].kind {
            StmtKind::If(cond, ..) if self.is_test => cond.span,
            _ => span(body, &self.range),
        }
    }

    /// What it is.
    pub(crate) fn kind(&self, body: &Block) -> Kind {
        if self.is_test { Kind::Statements } else { kind(body, &self.range) }
    }
}

/// What is round a call, smallest first; never the whole body.
pub(crate) fn candidates(procedure: &Procedure, site: &Site) -> Vec<Candidate> {
    let Some(body) = &procedure.body else { return Vec::new() };
    let mut found: Vec<Candidate> = Vec::new();
    if let StmtKind::If(..) = &block(body, &site.way).stmts[site.at].kind {
        let range = Range { way: site.way.clone(), from: site.at, to: site.at };
        found.push(Candidate { range, is_test: true });
    }
    let tests = found.len();
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
            let one = Candidate { range, is_test: false };
            if !whole && !found.contains(&one) {
                found.push(one);
            }
        }
        let Some((outer, _)) = way.pop() else { break };
        at = outer;
    }
    found.truncate(tests + MAX_CANDIDATES);
    found
}

/// Where the values that a statement assigns do not matter any more.
fn ends(block: &Block, at: usize, live: &[Live]) -> Vec<usize> {
    let own: Live = block.stmts[at].assigned();
    let dead = |to: &usize| own.intersection(&live[*to]).next().is_none();
    (at + 1..block.stmts.len()).filter(dead).take(MAX_ENDS).collect()
}

/// What the statements of a range are.
fn kind(body: &Block, range: &Range) -> Kind {
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
fn span(body: &Block, range: &Range) -> Span {
    let here = block(body, &range.way);
    here.stmts[range.from].span.to(here.stmts[range.to].span)
}
