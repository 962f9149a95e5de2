//! Whether an equivalence would say anything: of which stores, of which runs, and of which lines.
//!
//! In: a lowered pair program, with what is known of each procedure. Out: why a claim about a pair would be empty; and the
//! statements that no run from the stores compared comes to.
//!
//! Invariant: what is said here only ever takes an answer away, or is added to it for people; so the solver's word is enough.

use crate::goal::{Pair, Program, assumptions, inlinable};
use crate::verdict::Reason;
use kernel::bounds::pair::MAX_INLINE_DEPTH;
use kernel::effects::Effects;
use kernel::exec::on_entry;
use kernel::exec::state::Outcome;
use kernel::exec::{Executor, Limits, execute};
use kernel::relate::Claims;
use lang_l::hir::{
    BinOp, Block, Expr, ExprKind, Local, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, Version,
};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose, Tag};
use smt::solve::{Answer, Solver};
use smt::term::{Ending, Term};
use std::collections::BTreeSet;

/// What could make a vacuous pair say something.
const HINT: &str = "look at its assumptions, its recursion and its callees";

/// Why an equivalence would say nothing: no store satisfies what both assume, or no run ends.
pub fn vacuous(program: &Program<'_>, pair: Pair, when: Option<&Expr>, solver: &mut Solver) -> Option<Reason> {
    let unit = program.unit;
    let mut arena = unit.arena();
    let (a, b) = program.code(pair);
    let assumed = assumptions(program, pair, when, &mut arena);
    let reason = |what: &str, span: Span, hint: &str| {
        Some(Reason { what: what.into(), places: [vec![span], vec![b.name_span]], hint: hint.into() })
    };
    // Where nothing is assumed, any store will do.
    if !assumed.is_empty() && impossible(&mut arena, &assumed, Purpose::SomeStore.into(), solver) {
        let hint = "weaken the `requires` or the `when`";
        return reason("vacuous: no store satisfies both `requires` (and the `when`)", a.name_span, hint);
    }
    for (version, id) in [(0, pair.0), (1, pair.1)] {
        let code = unit.procedure(version, id);
        if code.body.is_none() || always_ends(program, version, id) {
            continue;
        }
        let returns = returns(program, version, id, &assumed, &mut arena, solver);
        if !returns || !recursion_ends(program, version, id, &mut arena, solver) {
            let what = format!("vacuous: no run of {} returns", unit.versions()[version].title());
            return reason(&what, a.name_span, HINT);
        }
    }
    None
}

/// Whether the code alone tells that every run comes to an end: nothing recurs, and nothing is assumed on the way.
fn always_ends(program: &Program<'_>, version: usize, id: ProcId) -> bool {
    let effects = &program.effects[version];
    let mut run = effects[id.index()].callees.iter().chain([&id]);
    !program.assumes(version, id) && !run.any(|callee| effects[callee.index()].recursive(*callee))
}

fn impossible(arena: &mut Arena, assumptions: &[Term], tag: Tag, solver: &mut Solver) -> bool {
    // Where nothing is assumed, any store will do.
    if assumptions.is_empty() {
        return false;
    }
    let goal = arena.terms.bool(false);
    let obligation = Obligation { assumptions: assumptions.to_vec(), goal, tag };
    solver.prove(arena, &obligation) == Answer::Holds
}

/// Whether some run of the procedure may end, if its calls may.
fn returns(
    program: &Program<'_>,
    version: usize,
    id: ProcId,
    assumed: &[Term],
    arena: &mut Arena,
    solver: &mut Solver,
) -> bool {
    let effects = &program.effects[version];
    let in_place = Limits {
        inline: inlinable(program, version, &Claims::new()),
        inline_depth: MAX_INLINE_DEPTH,
        ..Limits::default()
    };
    [Limits::default(), in_place].iter().all(|limits| {
        let Ok(execution) = execute(program.unit.as_unit(), version, effects, limits, arena, (id, assumed)) else {
            return true;
        };
        if !program.assumes(version, id) {
            return execution.outcomes.iter().any(|outcome| outcome.ending != Ending::Diverges);
        }
        // That a call may err is no run of this procedure's own: a callee whose contract lets it not return is
        // as good as an assumption that fails.
        let own = |o: &&Outcome| o.ending == Ending::Normal || !o.faults.is_empty();
        let mut own = execution.outcomes.iter().filter(own);
        own.any(|outcome| !impossible(arena, &outcome.path, Purpose::SomeRunReturns.into(), solver))
    })
}

/// Whether recursion may come to an end.
///
/// A run that ends has innermost calls, which call nothing that takes part in the recursion. So no run ends in either of two
/// cases:
/// - each way of a procedure to its end goes through a call of a procedure of which the same is true;
/// - a procedure that calls itself has no way to its end without a call of itself, from any store its own `requires` allow.
fn recursion_ends(program: &Program<'_>, version: usize, id: ProcId, arena: &mut Arena, solver: &mut Solver) -> bool {
    let effects = &program.effects[version];
    let code = &program.unit.versions()[version];
    if !may_end(code, effects, id) {
        return false;
    }
    let procedure = code.procedure(id);
    if !effects[id.index()].recursive(id) || procedure.requires.is_empty() {
        return true;
    }
    let mut executor = Executor::new(program.unit.as_unit(), version, effects, Limits::default(), arena);
    let (_, requires, _) = on_entry(&mut executor, id);
    let executed = execute(program.unit.as_unit(), version, effects, &Limits::default(), arena, (id, &requires));
    let Ok(execution) = executed else { return true };
    let innermost = |o: &&Outcome, arena: &Arena| o.calls.iter().all(|&call| arena.record(call).callee != id);
    let ways: Vec<&Outcome> =
        execution.outcomes.iter().filter(|o| o.ending != Ending::Diverges && innermost(o, arena)).collect();
    ways.into_iter().any(|way| !impossible(arena, &way.path, Purpose::SomeInnermostCallReturns.into(), solver))
}

/// Whether a procedure may come to an end, as far as the code alone tells: a least fixpoint over it and what it calls.
fn may_end(version: &Version, effects: &[Effects], id: ProcId) -> bool {
    let mut open: Vec<ProcId> = effects[id.index()].callees.iter().copied().chain([id]).collect();
    // Who calls another without recursion has more callees than that, so one round settles them all.
    open.sort_by_key(|id| effects[id.index()].callees.len());
    let mut ending = BTreeSet::new();
    loop {
        let before = open.len();
        open.retain(|&id| {
            let found = ends(version.procedure(id), &ending);
            ending.extend(found.then_some(id));
            !found
        });
        if open.is_empty() || open.len() == before {
            return ending.contains(&id);
        }
    }
}

fn ends(procedure: &Procedure, ending: &BTreeSet<ProcId>) -> bool {
    procedure.body.as_ref().is_none_or(|body| {
        let Ways { stops, goes_on } = ways(body, ending);
        stops || goes_on
    })
}

/// The ways through a piece of code.
#[derive(Clone, Copy)]
struct Ways {
    /// It may return, or err.
    stops: bool,
    /// It may come to what follows.
    goes_on: bool,
}

fn ways(block: &Block, ending: &BTreeSet<ProcId>) -> Ways {
    let mut all = Ways { stops: false, goes_on: true };
    for stmt in &block.stmts {
        let next = ways_of(stmt, ending);
        all.stops |= next.stops;
        all.goes_on = next.goes_on;
        if !all.goes_on {
            break;
        }
    }
    all
}

fn ways_of(stmt: &Stmt, ending: &BTreeSet<ProcId>) -> Ways {
    let evaluates = |exprs: &[&Expr]| Ways {
        stops: exprs.iter().any(|e| e.any(&may_err)),
        goes_on: !exprs.iter().any(|e| e.any(&|e| matches!(e.kind, ExprKind::Call(p, _) if !ending.contains(&p)))),
    };
    match &stmt.kind {
        StmtKind::Assign(place, rhs) => {
            let fails = matches!(place, Place::Field(..) | Place::Index(..)) || matches!(rhs, Rhs::NewArray(..));
            let Ways { stops, goes_on } = match rhs {
                Rhs::Expr(e) | Rhs::NewArray(_, e) => evaluates(&[e]),
                Rhs::New(_) => evaluates(&[]),
            };
            Ways { stops: stops || (fails && goes_on), goes_on }
        }
        StmtKind::Call { callee, args, .. } => {
            let Ways { stops, goes_on } = evaluates(&args.iter().collect::<Vec<_>>());
            let returns = goes_on && ending.contains(callee);
            Ways { stops: stops || returns, goes_on: returns }
        }
        StmtKind::If(cond, then, els) => {
            let before = evaluates(&[cond]);
            let branches: &[&Block] = match cond.kind {
                ExprKind::Bool(true) => &[then],
                ExprKind::Bool(false) => &[els],
                _ => &[then, els],
            };
            let all: Vec<Ways> = branches.iter().map(|branch| ways(branch, ending)).collect();
            Ways { stops: before.stops || all.iter().any(|w| w.stops), goes_on: all.iter().any(|w| w.goes_on) }
        }
        StmtKind::Return(values) => {
            let Ways { stops, goes_on } = evaluates(&values.iter().collect::<Vec<_>>());
            Ways { stops: stops || goes_on, goes_on: false }
        }
        StmtKind::Assume(e) => Ways { stops: false, goes_on: !matches!(e.kind, ExprKind::Bool(false)) },
        StmtKind::Assert(_) => Ways { stops: true, goes_on: true },
        // None of these is left after lowering.
        StmtKind::While { .. } | StmtKind::Break | StmtKind::Continue => Ways { stops: true, goes_on: true },
    }
}

fn may_err(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Length(_) | ExprKind::Binary(BinOp::Div | BinOp::Rem, ..)
    )
}

/// The statements of both versions that no run comes to from the stores in which a pair is compared: each the first of a branch,
/// or the first behind an `assume`. Statements in loops are not looked at.
pub fn unreached(program: &Program<'_>, pair: Pair, when: Option<&Expr>, solver: &mut Solver) -> [Vec<Span>; 2] {
    let mut unit = program.unit.clone();
    let mut places = [BTreeSet::new(), BTreeSet::new()];
    for (version, id) in [(0, pair.0), (1, pair.1)] {
        unit.change(version, id, |procedure| {
            let span = procedure.name_span;
            let mark = LocalId(u32::try_from(procedure.locals.len()).unwrap_or(u32::MAX));
            procedure.locals.push(Local { name: String::new(), ty: Type::Ref, span });
            if let Some(body) = &mut procedure.body {
                put_marks(body, mark, &mut places[version]);
            }
        });
    }
    let program = Program { unit: &unit, effects: program.effects.clone() };
    let mut arena = unit.arena();
    let assumed = assumptions(&program, pair, when, &mut arena);
    let mut version = 0;
    places.map(|mut places| {
        let id = [pair.0, pair.1][version];
        let effects = &program.effects[version];
        let executed = execute(unit.as_unit(), version, effects, &Limits::default(), &mut arena, (id, &assumed));
        let here = version;
        version += 1;
        let Ok(execution) = executed else { return Vec::new() };
        for outcome in &execution.outcomes {
            let come_to = |place: &Span| outcome.news.iter().any(|(_, span)| span == place);
            let met: Vec<Span> = places.iter().copied().filter(come_to).collect();
            let tag = Purpose::SomeRunTakesThisWay.within(here, met.clone());
            if !met.is_empty() && !impossible(&mut arena, &outcome.path, tag, solver) {
                places.retain(|place| !met.contains(place));
            }
        }
        places.into_iter().collect()
    })
}

/// Puts an allocation that nobody sees at the beginning of each branch, and behind each `assume`; an outcome tells which
/// allocations it made. Each is given the place of the statement that follows.
fn put_marks(block: &mut Block, mark: LocalId, places: &mut BTreeSet<Span>) {
    let mut marked = Vec::new();
    let mut behind_assume = false;
    for mut stmt in std::mem::take(&mut block.stmts) {
        if behind_assume {
            marked.push(new_mark(mark, stmt.span, places));
        }
        if let StmtKind::If(_, then, els) = &mut stmt.kind {
            for branch in [then, els] {
                put_marks(branch, mark, places);
                if let Some(first) = branch.stmts.first().map(|first| first.span) {
                    branch.stmts.insert(0, new_mark(mark, first, places));
                }
            }
        }
        behind_assume = matches!(stmt.kind, StmtKind::Assume(_));
        marked.push(stmt);
    }
    block.stmts = marked;
}

fn new_mark(mark: LocalId, span: Span, places: &mut BTreeSet<Span>) -> Stmt {
    places.insert(span);
    Stmt { kind: StmtKind::Assign(Place::Local(mark), Rhs::New(None)), span }
}
