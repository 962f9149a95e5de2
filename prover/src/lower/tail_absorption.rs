//! What follows a loop that returns, or looks on in the heap, is taken into it; what reads, writes or asks on where the other version
//! recurs; what reads from the reference that the loop comes to, or asks how it ended, where the other version has kept that; and what does
//! again what the loop does, or goes on with it, where the other version does not.
//!
//! In: the body of a procedure, its calls hoisted. Out: the same, where `while (c) { B } R` has become
//! `while (true) { if (c) { B } else { R return; } }`, with `R return;` in place of each `break` of that loop. The loop is at the top of
//! the body, or in a branch; then R goes on with what follows the branch. A loop in R may take in what follows it there.
//!
//! A loop that may `return` would have to tell its caller whether it did, and a recursive procedure that does the same does not:
//! its last call ends with what follows the loop. Like this they come to be called alike. So do a loop that returns and one that is
//! asked afterwards how it ended, and a loop that takes two cells at a time and then looks whether one is left and one that takes each
//! by itself; and a loop with its last turn, or the second part of its turns, behind it, and one that takes them all, as where two arrays
//! are merged: while both have something left, and then what is left of each. Recursion in place of a
//! loop ends with what the loop comes to, as where something is put at the end of a list.
//!
//! Invariant: the same statements are executed in the same order. `R` holds no loop that would be taken in twice, and
//! says nothing of the procedure's entry, which inside the loop would be another one.

use super::draft::Draft;
use super::worker::recurs;
use crate::budget::lower::MAX_REST;
use kernel::effects::callees_of;
use lang_l::hir::{Block, Expr, ExprKind, FieldId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, Unit, Version};
use lang_l::source::Span;
use std::collections::BTreeSet;

/// Takes what follows such a loop into it, in every procedure.
pub(super) fn run(draft: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    for (id, procedure) in draft.originals().zip(procedures) {
        let takes = takes(draft.source, draft.version, id);
        procedure.body = procedure.body.take().map(|body| taken_in(body, takes));
    }
}

/// The places of the loops of a procedure of the source that take in what follows them.
pub(super) fn absorbs(source: &Unit, version: usize, id: ProcId) -> Vec<Span> {
    let body = source.versions[version].procedure(id).body.as_ref();
    let found = body.map(|body| absorbing(body, takes(source, version, id))).unwrap_or_default();
    found.into_iter().map(|(at, _)| at).collect()
}

/// Which loops are to take in what follows them.
#[derive(Clone, Copy)]
enum Takes {
    /// None: one version returns from a loop, and does in a further one what the other does in one with it.
    Nothing,
    /// Those that return.
    Returning,
    /// Also those after which something is read, written or asked.
    GoingOn,
    /// Also those of this number in their block, if anything follows them there: the other version returns from such a loop, or does
    /// something in it before it breaks or is ended by a flag.
    Followed(usize),
    /// Also those after which something is done again that they do: the other version does not, as where a last turn stands behind a
    /// loop, or the second part of its turns; where the other version chooses in each turn, this may be what another loop goes on with.
    Repeated {
        /// Whether it chooses so.
        chosen: bool,
    },
    /// Also those of this number in their block, if anything follows them there: so it is in the other version.
    Beside(usize),
}

impl Takes {
    /// Where such a loop of a block is.
    fn find(self, block: &Block) -> Option<usize> {
        let other = || match self {
            Takes::Nothing | Takes::Returning => None,
            Takes::GoingOn => going_on(block),
            Takes::Followed(number) | Takes::Beside(number) => {
                loops(block).nth(number).filter(|at| at + 1 < block.stmts.len())
            }
            Takes::Repeated { chosen } => {
                loops(block).find(|&at| repeats(&block.stmts[at], &block.stmts[at + 1..], chosen).next().is_some())
            }
        };
        match self {
            Takes::Nothing => None,
            _ => returning(block).or_else(other),
        }
    }
}

/// Which loops of a procedure of the source are to take in what follows them; more where another version recurs, or returns from a loop.
fn takes(source: &Unit, version: usize, id: ProcId) -> Takes {
    let mine = source.versions[version].procedure(id);
    let name = &mine.name;
    let others = source.versions.iter().enumerate().filter(|(other, _)| *other != version);
    let theirs: Vec<(&Version, ProcId, &Procedure)> =
        others.filter_map(|(_, other)| other.find(name).map(|id| (other, id, other.procedure(id)))).collect();
    let is_new = |callee: &Procedure| source.versions[version].find(&callee.name).is_none();
    if theirs.iter().any(|(other, id, code)| recurs(*id, code) || leaves_to_recursion(other, code, &is_new)) {
        return Takes::GoingOn;
    }
    let theirs: Vec<(ProcId, &Procedure)> = theirs.into_iter().map(|(_, id, code)| (id, code)).collect();
    if theirs.iter().any(|(_, code)| checks_first(mine, code) || checks_first(code, mine)) {
        return Takes::Nothing;
    }
    let returns = |(_, code): &(ProcId, &Procedure)| {
        let body = code.body.as_ref()?;
        number_of_returning(body, &absorbing(body, Takes::Returning))
    };
    if let Some(number) = theirs.iter().find_map(returns) {
        return Takes::Followed(number);
    }
    // A reference that one loop alone would hand out, to be read from; or a variable, to be asked how the loop ended.
    for looks in [reads, asks] {
        let keeps = |(_, code): &(ProcId, &Procedure)| {
            code.body.as_ref().is_some_and(|body| body.any(&Stmt::is_while) && looks_on(body, looks).is_none())
        };
        let number = mine.body.as_ref().and_then(|body| looks_on(body, looks));
        if let Some(number) = number.filter(|_| theirs.iter().any(keeps)) {
            return Takes::Followed(number);
        }
    }
    let fills = |(_, code): &(ProcId, &Procedure)| {
        mine.body.as_ref().zip(code.body.as_ref()).and_then(|(own, other)| fills(own, other))
    };
    if let Some(number) = theirs.iter().find_map(fills) {
        return Takes::Followed(number);
    }
    let done_before_end = |code: &Procedure| code.body.as_ref().and_then(done_before_end);
    if let (None, Some(number)) = (done_before_end(mine), theirs.iter().find_map(|(_, code)| done_before_end(code))) {
        return Takes::Followed(number);
    }
    // Where one of two has such statements behind a loop, what is behind that loop of the other is taken in as well.
    let again = |code: &Procedure, other: &Procedure| -> Vec<usize> {
        code.body.as_ref().map(|body| repetitions(body, chooses(other))).unwrap_or_default()
    };
    for (_, code) in theirs {
        let [own, other] = [again(mine, code), again(code, mine)];
        if let Some(number) = other.first().copied().filter(|_| other.len() > own.len()) {
            return Takes::Beside(number);
        }
        if other.len() < own.len() {
            return Takes::Repeated { chosen: chooses(code) };
        }
    }
    Takes::Returning
}

/// Whether a procedure has a loop that returns, and further ones behind it at the top of its body, where another one has a loop that returns,
/// and fewer behind it.
fn checks_first(code: &Procedure, other: &Procedure) -> bool {
    let behind = |code: &Procedure| {
        let body = code.body.as_ref()?;
        Some(loops(body).filter(|&at| at > returning(body).unwrap_or(usize::MAX)).count())
    };
    let returns = |code: &Procedure| code.body.as_ref().is_some_and(|body| returning(body).is_some());
    returns(code) && returns(other) && behind(code) > behind(other)
}

/// Whether a procedure without loops ends with a call of such a one that calls itself, or a branch at its end does.
fn leaves_to_recursion(version: &Version, code: &Procedure, is_one: &dyn Fn(&Procedure) -> bool) -> bool {
    let Some(body) = code.body.as_ref().filter(|body| !body.any(&Stmt::is_while)) else { return false };
    let called = |e: &Expr| match e.kind {
        ExprKind::Call(callee, _) => Some(callee),
        _ => None,
    };
    let called_by = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Call { callee, .. } => Some(*callee),
        StmtKind::Return(values) => values.iter().find_map(called),
        StmtKind::Assign(_, Rhs::Expr(value)) => called(value),
        _ => None,
    };
    let is_it = |callee: ProcId| recurs(callee, version.procedure(callee)) && is_one(version.procedure(callee));
    last_statements(body).into_iter().filter_map(called_by).any(is_it)
}

/// The last statement of a block, or those of its branches.
fn last_statements(block: &Block) -> Vec<&Stmt> {
    let Some(last) = block.stmts.last() else { return Vec::new() };
    match &last.kind {
        StmtKind::If(_, then, els) => [then, els].into_iter().flat_map(last_statements).collect(),
        _ => vec![last],
    }
}

/// The statements of a block, and of branches in it, that do again what a loop before them does, or go on with it where the other version
/// chooses: each by the number of that loop in its block.
fn repetitions(block: &Block, chosen: bool) -> Vec<usize> {
    let behind =
        |(number, at): (usize, usize)| repeats(&block.stmts[at], &block.stmts[at + 1..], chosen).map(move |_| number);
    let branches = block.stmts.iter().filter(|stmt| !stmt.is_while()).flat_map(Stmt::blocks);
    let within = branches.flat_map(|branch| repetitions(branch, chosen));
    loops(block).enumerate().flat_map(behind).chain(within).collect()
}

/// The statements that do again what a loop does: call what it calls, or write a field that it writes. Where a loop writes one cell in each
/// turn and does nothing else, its cells are taken as a whole. Loops that go on where it has ended are among them if that is `chosen`.
fn repeats<'s>(own: &'s Stmt, after: &'s [Stmt], chosen: bool) -> impl Iterator<Item = &'s Stmt> {
    let mut done = deeds(own);
    if own.assigned().len() < 2 && cells_written(own) < 2 {
        done.remove(&Deed::WritesCell);
    }
    let goes_on = move |at: usize| chosen && after[at].goes_on_after(own, &after[..at]);
    let again = move |(at, stmt): &(usize, &'s Stmt)| !deeds(stmt).is_disjoint(&done) || goes_on(*at);
    after.iter().enumerate().filter(again).map(|(_, stmt)| stmt)
}

/// Whether a loop of a procedure does one thing or another in its turns: a choice that loops in a row need not make.
fn chooses(code: &Procedure) -> bool {
    let is_choice = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::If(_, then, els) if !then.stmts.is_empty() && !els.stmts.is_empty());
    let in_turns = |stmt: &Stmt| stmt.is_while() && stmt.blocks().into_iter().any(|body| body.any(&is_choice));
    code.body.as_ref().is_some_and(|body| body.any(&in_turns))
}

/// How many statements within one write cells.
fn cells_written(stmt: &Stmt) -> usize {
    let mut found = 0;
    stmt.walk(&mut |inner| found += usize::from(inner.targets().iter().any(|place| matches!(place, Place::Index(..)))));
    found
}

/// The number of a loop at the top of a body after which a cell is written, where that of the other version writes more cells than it: a
/// loop that shifts leaves a hole, and one that swaps has filled it.
fn fills(own: &Block, other: &Block) -> Option<usize> {
    loops(own).zip(loops(other)).enumerate().find_map(|(number, (mine, theirs))| {
        let [fewer, more] = [&own.stmts[mine], &other.stmts[theirs]].map(cells_written);
        let written = |rest: &[Stmt]| rest.iter().map(cells_written).sum::<usize>();
        let [behind, left] = [written(&own.stmts[mine + 1..]), written(&other.stmts[theirs + 1..])];
        (0 < fewer && fewer < more && behind > left).then_some(number)
    })
}

/// Something that a statement does to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Calls(ProcId),
    WritesField(FieldId),
    WritesCell,
}

/// What a statement does, or one within it.
fn deeds(stmt: &Stmt) -> BTreeSet<Deed> {
    let mut found: BTreeSet<Deed> = callees_of(stmt).into_iter().map(Deed::Calls).collect();
    stmt.walk(&mut |inner| {
        found.extend(inner.targets().iter().filter_map(|place| match place {
            Place::Field(_, field) => Some(Deed::WritesField(*field)),
            Place::Index(..) => Some(Deed::WritesCell),
            Place::Local(_) | Place::Global(_) => None,
        }));
    });
    found
}

/// The number of the first loop at the top of a body that does something right before a `break`, or beside a flag that ends it, as if that
/// followed the loop.
fn done_before_end(body: &Block) -> Option<usize> {
    body.stmts.iter().filter(|stmt| stmt.is_while()).enumerate().find_map(|(number, stmt)| {
        let StmtKind::While { cond, body, .. } = &stmt.kind else { return None };
        let ends = |stmt: &Stmt| stmt.kind == StmtKind::Break || stmt.sets_flag_of(cond);
        does_and_ends(body, &ends).then_some(number)
    })
}

/// The number of the first loop at the top of a body that writes nothing to the heap and after which, where nothing is written either, such
/// a thing is looked at of a variable that the loop assigns, under whatever name.
fn looks_on(body: &Block, looks: fn(&Expr) -> bool) -> Option<usize> {
    let silent = |stmt: &Stmt| deeds(stmt).is_empty();
    loops(body).enumerate().find_map(|(number, at)| {
        let mut come_to = body.stmts[at].assigned();
        let rest = &body.stmts[at + 1..];
        for stmt in rest {
            if let StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) = &stmt.kind
                && matches!(value.kind, ExprKind::Local(from) if come_to.contains(&from))
            {
                come_to.insert(*id);
            }
        }
        let is_come_to = |part: &Expr| matches!(part.kind, ExprKind::Local(id) if come_to.contains(&id));
        let from = |part: &Expr| looks(part) && part.parts().into_iter().any(is_come_to);
        let reads = rest.iter().any(|stmt| stmt.exprs().into_iter().any(|e| e.any(&from)));
        (reads && body.stmts[at..].iter().all(silent) && !any(rest, &Stmt::is_while)).then_some(number)
    })
}

/// Whether in one branch, or in the whole, something is done and what ends the loop.
fn does_and_ends(block: &Block, ends: &impl Fn(&Stmt) -> bool) -> bool {
    let branches = block.stmts.iter().filter(|stmt| !stmt.is_while()).flat_map(Stmt::blocks);
    let does = || block.stmts.iter().any(|stmt| !deeds(stmt).is_empty());
    block.stmts.iter().any(ends) && does() || branches.into_iter().any(|branch| does_and_ends(branch, ends))
}

/// The number in its block of the first loop that returns and has taken in what follows it.
fn number_of_returning(block: &Block, taken: &[(Span, Vec<Stmt>)]) -> Option<usize> {
    let is_it = |stmt: &Stmt| may_return(stmt) && taken.iter().any(|(at, _)| *at == stmt.span);
    let within = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If(_, then, els) => [then, els].into_iter().find_map(|branch| number_of_returning(branch, taken)),
        _ => None,
    };
    loops(block).position(|at| is_it(&block.stmts[at])).or_else(|| block.stmts.iter().find_map(within))
}

/// The loops that take in what follows them to the end of the procedure, each with that: at the top of the body the first one that
/// returns, or one after which something is looked for; where there is none, those in branches that return.
fn absorbing(body: &Block, takes: Takes) -> Vec<(Span, Vec<Stmt>)> {
    match takes.find(body).or_else(|| looked_on(body)) {
        Some(at) => taking(&body.stmts[at], &body.stmts[at + 1..], !may_break(&body.stmts[at]), takes),
        None => in_branches(body, &[], takes),
    }
}

/// The same of the branches of a block, where so much follows the block.
fn in_branches(block: &Block, after: &[Stmt], takes: Takes) -> Vec<(Span, Vec<Stmt>)> {
    let mut found = Vec::new();
    for (at, stmt) in block.stmts.iter().enumerate() {
        let StmtKind::If(_, then, els) = &stmt.kind else { continue };
        let rest = [&block.stmts[at + 1..], after].concat();
        for branch in [then, els] {
            match takes.find(branch) {
                Some(own) => {
                    // What follows the branch also follows the other one.
                    let once = !may_break(&branch.stmts[own]) && !any(&rest, &Stmt::is_while);
                    let rest = [&branch.stmts[own + 1..], &rest].concat();
                    found.extend(taking(&branch.stmts[own], &rest, once, takes));
                }
                None => found.extend(in_branches(branch, &rest, takes)),
            }
        }
    }
    found
}

/// A loop that takes in what follows it, if it can, and the second part of its turns with what follows that.
fn taking(stmt: &Stmt, rest: &[Stmt], once: bool, takes: Takes) -> Vec<(Span, Vec<Stmt>)> {
    let mut found = Vec::from_iter(fitting(stmt, rest.to_vec(), once));
    if !found.is_empty() && matches!(takes, Takes::Repeated { .. } | Takes::Beside(_)) {
        let rest = Block { stmts: rest.to_vec(), span: stmt.span };
        found.extend(absorbing(&rest, Takes::Beside(0)));
    }
    found
}

/// A loop with what follows it, if that can be taken in. More loops are in that only if it will be there once.
fn fitting(stmt: &Stmt, rest: Vec<Stmt>, once: bool) -> Option<(Span, Vec<Stmt>)> {
    let fixed = |stmt: &Stmt| match &stmt.kind {
        StmtKind::While { invariants, .. } => !once || invariants.iter().any(Expr::mentions_entry),
        StmtKind::Assert(e) | StmtKind::Assume(e) => e.mentions_entry(),
        _ => false,
    };
    (!any(&rest, &fixed) && rest.len() <= MAX_REST).then_some((stmt.span, rest))
}

/// Whether a test holds for one of these statements, or for one within.
fn any(stmts: &[Stmt], test: &impl Fn(&Stmt) -> bool) -> bool {
    stmts.iter().any(|stmt| test(stmt) || stmt.blocks().into_iter().any(|inner| inner.any(test)))
}

/// The position of the first loop of a block that returns.
fn returning(block: &Block) -> Option<usize> {
    block.stmts.iter().position(may_return)
}

/// Whether a statement is a loop in which the procedure may be left.
fn may_return(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::While { body, .. } => body.any(&|stmt| matches!(stmt.kind, StmtKind::Return(_))),
        _ => false,
    }
}

/// Whether a loop has a `break` of its own.
fn may_break(stmt: &Stmt) -> bool {
    fn leaves(stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Break => true,
            StmtKind::If(_, then, els) => [then, els].into_iter().any(|branch| branch.stmts.iter().any(leaves)),
            _ => false,
        }
    }
    matches!(&stmt.kind, StmtKind::While { body, .. } if body.stmts.iter().any(leaves))
}

/// The positions of the loops of a block.
fn loops(block: &Block) -> impl Iterator<Item = usize> {
    let all = block.stmts.iter().enumerate();
    all.filter(|(_, stmt)| stmt.is_while()).map(|(at, _)| at)
}

/// The position of the first loop of a block after which something is read from the heap, or written into it, or asked of how the loop
/// ended.
fn going_on(block: &Block) -> Option<usize> {
    let at = loops(block).next()?;
    let writes = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Assign(Place::Field(..) | Place::Index(..), _));
    let rest = &block.stmts[at + 1..];
    let goes_on =
        |stmt: &Stmt| writes(stmt) || stmt.exprs().into_iter().any(|e| e.any(&|part| reads(part) || asks(part)));
    (any(rest, &goes_on) && !any(rest, &Stmt::is_while)).then_some(at)
}

/// Whether it is a test.
fn asks(part: &Expr) -> bool {
    part.ty == Type::Bool && matches!(part.kind, ExprKind::Unary(..) | ExprKind::Binary(..))
}

/// Whether something in the heap is read.
fn reads(part: &Expr) -> bool {
    matches!(part.kind, ExprKind::Field(..) | ExprKind::Index(..))
}

/// The position of the only loop of a body that writes nothing to the heap, calls nothing and looks for one thing more in the heap
/// after it.
fn looked_on(body: &Block) -> Option<usize> {
    let at = loops(body).next()?;
    let writes = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Call { .. } => true,
        StmtKind::Assign(place, value) => {
            matches!(place, Place::Field(..) | Place::Index(..)) || !matches!(value, Rhs::Expr(_))
        }
        _ => false,
    };
    let looks = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If(_, then, els) => then.any_expr(&reads) || els.any_expr(&reads),
        _ => false,
    };
    let rest = &body.stmts[at + 1..];
    (rest.iter().any(looks) && !any(rest, &Stmt::is_while) && !body.any(&writes)).then_some(at)
}

fn taken_in(body: Block, takes: Takes) -> Block {
    let found = absorbing(&body, takes);
    let stmts = body.stmts.into_iter().map(|stmt| with_rest(stmt, &found)).collect();
    // What follows such a loop at the top of the body is in it now.
    ending_with_loop(Block { stmts, span: body.span }, &found)
}

/// A block up to the loop that has taken in what follows it, if one of its own has.
fn ending_with_loop(mut block: Block, found: &[(Span, Vec<Stmt>)]) -> Block {
    if let Some(at) = block.stmts.iter().position(|stmt| is_found(stmt, found)) {
        block.stmts.truncate(at + 1);
    }
    block
}

/// Whether a statement is a loop that takes in what follows it.
fn is_found(stmt: &Stmt, found: &[(Span, Vec<Stmt>)]) -> bool {
    stmt.is_while() && found.iter().any(|(at, _)| *at == stmt.span)
}

/// A statement in which the loops have taken in what follows them.
fn with_rest(stmt: Stmt, found: &[(Span, Vec<Stmt>)]) -> Stmt {
    let span = stmt.span;
    let rest = found.iter().find(|(at, _)| *at == span).map(|(_, rest)| rest.clone());
    let kind = match (stmt.kind, rest) {
        (StmtKind::While { cond, invariants, body }, Some(stmts)) => {
            let stmts = stmts.into_iter().map(|stmt| with_rest(stmt, found)).collect();
            let mut rest = ending_with_loop(Block { stmts, span }, found);
            if !faults::planted("lower/tail/return-forgotten") {
                rest.stmts.push(Stmt { kind: StmtKind::Return(Vec::new()), span });
            }
            let body = without_breaks(body, &rest);
            let always = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: cond.span };
            let turn = Stmt { kind: StmtKind::If(cond, body, rest), span };
            StmtKind::While { cond: always, invariants, body: Block { stmts: vec![turn], span } }
        }
        (StmtKind::If(cond, then, els), _) => {
            let [then, els] = [then, els].map(|branch| {
                let stmts = branch.stmts.into_iter().map(|stmt| with_rest(stmt, found)).collect();
                let mut branch = ending_with_loop(Block { stmts, span: branch.span }, found);
                // Nothing is looked at behind such a loop, and not what follows the branch either.
                if let Some(last) = branch.stmts.last().filter(|last| is_found(last, found)) {
                    let leave = Stmt { kind: StmtKind::Return(Vec::new()), span: last.span };
                    branch.stmts.push(leave);
                }
                branch
            });
            StmtKind::If(cond, then, els)
        }
        (kind, _) => kind,
    };
    Stmt { kind, span }
}

/// The body of a loop with `rest` in place of its own `break`s.
fn without_breaks(block: Block, rest: &Block) -> Block {
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for stmt in block.stmts {
        match stmt.kind {
            StmtKind::Break if faults::planted("lower/tail/break-skips-rest") => {
                stmts.extend(rest.stmts.last().cloned())
            }
            StmtKind::Break => stmts.extend(rest.stmts.iter().cloned()),
            StmtKind::If(cond, then, els) => {
                let kind = StmtKind::If(cond, without_breaks(then, rest), without_breaks(els, rest));
                stmts.push(Stmt { kind, span: stmt.span });
            }
            kind => stmts.push(Stmt { kind, span: stmt.span }),
        }
    }
    Block { stmts, span: block.span }
}
