//! The clauses of contracts, each checked where it has to hold.
//!
//! In: a procedure, and what is said of its callees. Out: a [`Clause`] with a status for each of its `ensures`, `modifies` and
//! assertions, and for each `requires` and invariant of what it calls.
//!
//! Rule *Contracts*: all contracts of a version are assumed of its calls and checked for its bodies, by induction over call
//! depth.
//!
//! Invariant: what cannot be said is not proved.

use super::facts::confined;
use crate::effects::{Effects, is_loop};
use crate::exec::state::Outcome;
use crate::exec::{
    CheckedCall, ContractView, ExecError, Execution, Executor, Freshness, Limits, execute, existing, on_entry,
};
use lang_l::hir::{Expr, ProcId, Procedure, Unit};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::heap::Members;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{Ending, Term};
use std::collections::BTreeSet;

/// What kind of clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClauseKind {
    /// A pre-condition, at the calls of its procedure.
    Requires,
    /// A post-condition.
    Ensures,
    /// What may change.
    Modifies,
    /// A loop invariant.
    Invariant,
    /// An assertion.
    Assert,
}

impl ClauseKind {
    /// All of them.
    pub const ALL: [ClauseKind; 5] =
        [ClauseKind::Requires, ClauseKind::Ensures, ClauseKind::Modifies, ClauseKind::Invariant, ClauseKind::Assert];

    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            ClauseKind::Requires => "requires",
            ClauseKind::Ensures => "ensures",
            ClauseKind::Modifies => "modifies",
            ClauseKind::Invariant => "invariant",
            ClauseKind::Assert => "assert",
        }
    }
}

/// Whether a clause holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Proved.
    Holds,
    /// Not proved, and why. Whether it fails takes a run to say.
    Unproved(String),
}

/// A clause of a contract, or an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The version.
    pub version: usize,
    /// The procedure whose clause it is.
    pub procedure: ProcId,
    /// For `requires` and invariants: the procedure whose body must establish it. Else the same as `procedure`.
    pub within: ProcId,
    /// What it is.
    pub kind: ClauseKind,
    /// Its place.
    pub span: Span,
    /// Whether it holds.
    pub status: Status,
}

/// A clause as evidence names it: the procedure whose body must establish it, the one it is of, its kind, and where it starts.
pub type ClauseKey = (ProcId, ProcId, ClauseKind, u32);

/// The clauses of one procedure; those to be left out are not proved, and nothing is asked about them.
pub fn check_procedure(
    unit: &Unit,
    version: usize,
    effects: &[Effects],
    solver: &mut Solver,
    id: ProcId,
    left_out: &BTreeSet<ClauseKey>,
) -> Vec<Clause> {
    let code = unit.procedure(version, id);
    let mut arena = Arena::new(unit);
    let mut checker = Checker { unit, version, effects, solver, arena: &mut arena, id, code, left_out };
    match checker.run() {
        Ok(clauses) => clauses,
        Err(error) => checker.give_up(&format!("the procedure {error}")),
    }
}

/// The clauses of one procedure whose check was given up: none is proved.
pub fn too_large(unit: &Unit, version: usize, effects: &[Effects], solver: &mut Solver, id: ProcId) -> Vec<Clause> {
    let code = unit.procedure(version, id);
    let (mut arena, left_out) = (Arena::new(unit), BTreeSet::new());
    let checker = Checker { unit, version, effects, solver, arena: &mut arena, id, code, left_out: &left_out };
    checker.give_up("the procedure leads to terms that are too large")
}

struct Checker<'a> {
    unit: &'a Unit,
    version: usize,
    effects: &'a [Effects],
    solver: &'a mut Solver,
    arena: &'a mut Arena,
    id: ProcId,
    code: &'a Procedure,
    left_out: &'a BTreeSet<ClauseKey>,
}

impl Checker<'_> {
    fn executor(&mut self) -> Executor<'_> {
        Executor::new(self.unit, self.version, self.effects, Limits::default(), self.arena)
    }

    fn run(&mut self) -> Result<Vec<Clause>, ExecError> {
        let code = self.code;
        let id = self.id;
        let (entry, assumed, sayable) = on_entry(&mut self.executor(), id);
        let limits = Limits::default();
        let execution = execute(self.unit, self.version, self.effects, &limits, self.arena, (self.id, &assumed))?;
        let mut clauses = Vec::new();
        for ensures in &code.ensures {
            let status = match self.is_left_out(self.id, ClauseKind::Ensures, ensures.span) {
                Some(status) => status,
                None => self.ensures(&execution, &entry, ensures),
            };
            clauses.push(self.clause(ClauseKind::Ensures, self.id, ensures.span, status));
        }
        if let Some(modifies) = &code.modifies {
            let places = self.executor().places_on_entry(&entry, &modifies.places);
            let status = match self.is_left_out(self.id, ClauseKind::Modifies, modifies.span) {
                Some(status) => status,
                None => self.modifies(&execution, places, modifies.span),
            };
            clauses.push(self.clause(ClauseKind::Modifies, self.id, modifies.span, status));
        }
        for CheckedCall { callee, clause, check } in &execution.calls {
            let theirs = self.unit.procedure(self.version, *callee);
            let kind = if is_loop(theirs) { ClauseKind::Invariant } else { ClauseKind::Requires };
            let span = theirs.requires[*clause].span;
            let status = match self.is_left_out(*callee, kind, span) {
                Some(status) => status,
                None => self.condition(check.condition, &check.path, kind, vec![span, check.span]),
            };
            clauses.push(self.clause(kind, *callee, span, status));
        }
        for check in &execution.asserts {
            let status = match self.is_left_out(self.id, ClauseKind::Assert, check.span) {
                Some(status) => status,
                None => self.condition(check.condition, &check.path, ClauseKind::Assert, vec![check.span]),
            };
            clauses.push(self.clause(ClauseKind::Assert, self.id, check.span, status));
        }
        if !sayable {
            for clause in &mut clauses {
                if clause.status != Status::Holds {
                    clause.status =
                        Status::Unproved("a `requires` of it speaks of what cannot be said on entry".into());
                }
            }
        }
        Ok(merged(clauses))
    }

    /// The status of a clause that is known not to be proved.
    fn is_left_out(&self, procedure: ProcId, kind: ClauseKind, span: Span) -> Option<Status> {
        let left_out = self.left_out.contains(&(self.id, procedure, kind, span.start));
        left_out.then(|| Status::Unproved("it was not proved before".into()))
    }

    fn clause(&self, kind: ClauseKind, procedure: ProcId, span: Span, status: Status) -> Clause {
        Clause { version: self.version, procedure, within: self.id, kind, span, status }
    }

    fn ensures(&mut self, execution: &Execution, entry: &ContractView, condition: &Expr) -> Status {
        let span = condition.span;
        for outcome in normal(execution) {
            let view = self.at_exit(outcome, entry);
            let condition = self.executor().contract(&view, condition);
            let status = self.condition(condition, &outcome.path, ClauseKind::Ensures, vec![span]);
            if status != Status::Holds {
                return status;
            }
        }
        Status::Holds
    }

    /// What an `ensures` speaks of: parameters stand for the arguments.
    fn at_exit(&self, outcome: &Outcome, entry: &ContractView) -> ContractView {
        let mut locals = entry.locals.clone();
        let mut entry = entry.clone();
        // Within `old` the heap and the parameters are those of the entry; results are what they are now.
        for (id, &value) in self.code.result_ids().zip(&outcome.results) {
            locals.set(id.index(), value);
            entry.locals.set(id.index(), value);
        }
        ContractView {
            locals,
            globals: outcome.globals.iter().copied().collect(),
            heap: outcome.heap,
            entry: Some(Box::new(entry)),
            freshness: Freshness::SinceEntry,
            existing: existing(outcome.calls.is_empty(), outcome.news.iter().map(|(alloc, _)| *alloc)),
            at_entry: false,
        }
    }

    /// No old object but those the places name has changed: for an arbitrary old object, field by field.
    fn modifies(&mut self, execution: &Execution, places: Option<Vec<(Term, Members)>>, span: Span) -> Status {
        let Some(places) = places else {
            return Status::Unproved("a place of it has a form that cannot be said".into());
        };
        for outcome in normal(execution) {
            let goal = confined(self.arena, outcome, &self.effects[self.id.index()].writes, &places);
            let status = self.condition(Some(goal), &outcome.path, ClauseKind::Modifies, vec![span]);
            if status != Status::Holds {
                return status;
            }
        }
        Status::Holds
    }

    fn condition(&mut self, condition: Option<Term>, path: &[Term], kind: ClauseKind, places: Vec<Span>) -> Status {
        let Some(goal) = condition else {
            return Status::Unproved("it speaks of what cannot be said there: `old` or `fresh` in a loop, or all objects or paths after a call".into());
        };
        let mut known = smt::term::PathFacts::new();
        if !path.iter().all(|&fact| known.assume(&mut self.arena.terms, fact)) {
            return Status::Holds;
        }
        let goal = self.arena.terms.simplify(goal, &known);
        let purpose = Purpose::Clause { keyword: kind.keyword(), procedure: self.code.name.clone() };
        let tag = purpose.within(self.version, places);
        match self.solver.prove(self.arena, &Obligation { assumptions: path.to_vec(), goal, tag }) {
            Answer::Holds => Status::Holds,
            Answer::Fails | Answer::FailsAt(_) => {
                Status::Unproved("it does not follow from what is known there".into())
            }
            Answer::Unknown(why) => Status::Unproved(why),
        }
    }

    fn give_up(&self, why: &str) -> Vec<Clause> {
        let status = || Status::Unproved(why.to_string());
        let mut clauses: Vec<Clause> = self
            .code
            .ensures
            .iter()
            .map(|ensures| self.clause(ClauseKind::Ensures, self.id, ensures.span, status()))
            .collect();
        if let Some(modifies) = &self.code.modifies {
            clauses.push(self.clause(ClauseKind::Modifies, self.id, modifies.span, status()));
        }
        // The calls were not seen: any callee's pre-condition may be broken here.
        for &callee in &self.effects[self.id.index()].callees {
            let theirs = self.unit.procedure(self.version, callee);
            let kind = if is_loop(theirs) { ClauseKind::Invariant } else { ClauseKind::Requires };
            clauses.extend(theirs.requires.iter().map(|clause| self.clause(kind, callee, clause.span, status())));
        }
        clauses
    }
}

fn normal(execution: &Execution) -> impl Iterator<Item = &Outcome> {
    execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Normal)
}

/// One entry per clause, unproved if any of its checks is.
fn merged(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut merged: Vec<Clause> = Vec::new();
    for clause in clauses {
        let same = |c: &&mut Clause| (c.procedure, c.kind, c.span) == (clause.procedure, clause.kind, clause.span);
        match merged.iter_mut().find(same) {
            Some(known) if known.status == Status::Holds => known.status = clause.status,
            Some(_) => {}
            None => merged.push(clause),
        }
    }
    merged
}

/// Whether every contract that these procedures rest on was proved.
///
/// Effects say what a procedure does where its `requires` and the invariants of its loops hold. And a run that never ends
/// must not break a contract later.
pub fn contracts_hold(clauses: &[Clause], version: usize, run: &BTreeSet<ProcId>) -> bool {
    let concerned = |clause: &&Clause| {
        clause.version == version && clause.kind != ClauseKind::Assert && run.contains(&clause.within)
    };
    clauses.iter().filter(concerned).all(|clause| clause.status == Status::Holds)
}
