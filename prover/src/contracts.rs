//! Contracts of one version: checked, and only then trusted.
//!
//! In: a lowered program and its facts. Out: a [`Clause`] with a status for each `requires` (at its calls), `ensures`,
//! `modifies`, invariant and `assert`; and facts that say which contracts callers may rely on.
//!
//! Rule *Contracts*: all contracts of a version are assumed of its calls and checked for its bodies, by induction over call
//! depth; what fails is withdrawn, and what was checked with its help is checked again.

use crate::exec::{
    CheckedCall, ContractView, ExecError, Execution, Executor, Freshness, Limits, before_call, execute, existing,
};
use crate::facts::Facts;
use crate::lower::is_loop;
use crate::obligation::Obligation;
use crate::solve::{Answer, Solver, Task};
use crate::state::{Outcome, World};
use crate::term::{Birth, Ending, Selector, Term};
use lang_l::hir::{ProcId, Procedure, Unit};
use lang_l::source::Span;

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

/// Checks all contracts of one version; withdraws from `facts` what could not be proved.
pub fn check(unit: &Unit, version: usize, facts: &mut [Facts], solver: &mut Solver) -> Vec<Clause> {
    let procedures = &unit.versions[version].procedures;
    for (own, code) in facts.iter_mut().zip(procedures) {
        own.trust_ensures = !code.ensures.is_empty();
        // What was inferred is at least as good as what is declared, if it was inferred at all.
        if own.modifies.is_none() {
            own.modifies = code.modifies.as_ref().map(|modifies| modifies.places.clone());
        }
    }
    loop {
        let mut clauses = Vec::new();
        let mut withdrawn = false;
        for (at, code) in (0u32..).zip(procedures) {
            if code.body.is_none() {
                continue;
            }
            let task = Task::Alone { version, procedure: ProcId(at) };
            let found = solver.at(task, |solver| check_procedure(unit, version, facts, solver, ProcId(at)));
            let failed = |kind| found.iter().any(|c: &Clause| c.kind == kind && c.status != Status::Holds);
            let own = &mut facts[at as usize];
            if failed(ClauseKind::Ensures) && own.trust_ensures {
                own.trust_ensures = false;
                withdrawn = true;
            }
            if failed(ClauseKind::Modifies) && own.modifies.is_some() && own.modifies == declared(code) {
                own.modifies = None;
                withdrawn = true;
            }
            clauses.extend(found);
        }
        if !withdrawn {
            // What a loop's procedure ensures is the lowering's idea, not a clause that anybody wrote.
            clauses.retain(|c: &Clause| c.kind != ClauseKind::Ensures || !is_loop(&procedures[c.procedure.index()]));
            return clauses;
        }
    }
}

fn declared(code: &Procedure) -> Option<Vec<lang_l::hir::Expr>> {
    code.modifies.as_ref().map(|modifies| modifies.places.clone())
}

fn check_procedure(unit: &Unit, version: usize, facts: &[Facts], solver: &mut Solver, id: ProcId) -> Vec<Clause> {
    let code = unit.versions[version].procedure(id);
    let mut world = World::new(unit);
    let mut checker = Checker { unit, version, facts, solver, world: &mut world, id, code };
    match checker.run() {
        Ok(clauses) => clauses,
        Err(ExecError::TooManyPaths) => checker.give_up("the procedure has too many paths"),
    }
}

struct Checker<'a> {
    unit: &'a Unit,
    version: usize,
    facts: &'a [Facts],
    solver: &'a mut Solver,
    world: &'a mut World,
    id: ProcId,
    code: &'a Procedure,
}

impl Checker<'_> {
    fn executor(&mut self) -> Executor<'_> {
        Executor::new(self.unit, self.version, self.facts, Limits::default(), self.world)
    }

    fn run(&mut self) -> Result<Vec<Clause>, ExecError> {
        let code = self.code;
        let (entry, assumed, sayable) = on_entry(&mut self.executor(), code);
        let limits = Limits::default();
        let execution = execute(self.unit, self.version, self.facts, &limits, self.world, (self.id, &assumed))?;
        let mut clauses = Vec::new();
        for ensures in &code.ensures {
            let status = self.ensures(&execution, &entry, ensures);
            clauses.push(self.clause(ClauseKind::Ensures, self.id, ensures.span, status));
        }
        if let Some(modifies) = &code.modifies {
            let places = modifies.places.iter().map(|place| self.executor().place_on_entry(&entry, place)).collect();
            let status = self.modifies(&execution, places);
            clauses.push(self.clause(ClauseKind::Modifies, self.id, modifies.span, status));
        }
        for CheckedCall { callee, clause, check } in &execution.calls {
            let theirs = self.unit.versions[self.version].procedure(*callee);
            let kind = if is_loop(theirs) { ClauseKind::Invariant } else { ClauseKind::Requires };
            let status = self.condition(check.condition, &check.path, kind);
            clauses.push(self.clause(kind, *callee, theirs.requires[*clause].span, status));
        }
        for check in &execution.asserts {
            let status = self.condition(check.condition, &check.path, ClauseKind::Assert);
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

    fn clause(&self, kind: ClauseKind, procedure: ProcId, span: Span, status: Status) -> Clause {
        Clause { version: self.version, procedure, within: self.id, kind, span, status }
    }

    fn ensures(&mut self, execution: &Execution, entry: &ContractView, condition: &lang_l::hir::Expr) -> Status {
        for outcome in normal(execution) {
            let view = self.at_exit(outcome, entry);
            let condition = self.executor().contract(&view, condition);
            let status = self.condition(condition, &outcome.path, ClauseKind::Ensures);
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
            existing: existing(outcome.calls.is_empty(), outcome.news.iter().map(|(birth, _)| *birth)),
        }
    }

    /// No old object but those the places name has changed: for an arbitrary old object, field by field.
    fn modifies(&mut self, execution: &Execution, places: Option<Vec<Term>>) -> Status {
        let Some(places) = places else {
            return Status::Unproved("a place of it has a form that cannot be said".into());
        };
        let initial = self.world.heaps.initial();
        let object = self.world.terms.representative(Birth::OLD);
        for outcome in normal(execution) {
            let mut cases = Vec::new();
            for &place in &places {
                cases.push(self.world.terms.eq(object, place));
            }
            let named = self.world.terms.or(&cases);
            let mut goals = Vec::new();
            for selector in self.facts[self.id.index()].writes.clone() {
                let index = matches!(selector, Selector::Cell(_)).then(|| self.world.terms.any_index());
                let [before, after] = [initial, outcome.heap]
                    .map(|heap| self.world.heaps.read(&mut self.world.terms, heap, selector, object, index));
                let same = self.world.terms.eq(before, after);
                goals.push(self.world.terms.or(&[named, same]));
            }
            let goal = self.world.terms.and(&goals);
            let status = self.condition(Some(goal), &outcome.path, ClauseKind::Modifies);
            if status != Status::Holds {
                return status;
            }
        }
        Status::Holds
    }

    fn condition(&mut self, condition: Option<Term>, path: &[Term], kind: ClauseKind) -> Status {
        let Some(goal) = condition else {
            return Status::Unproved("it speaks of what cannot be said there: `old` or `fresh` in a loop, or all objects or paths after a call".into());
        };
        let mut known = crate::term::Known::new();
        if !path.iter().all(|&fact| known.assume(&mut self.world.terms, fact)) {
            return Status::Holds;
        }
        let goal = self.world.terms.simplify(goal, &known);
        let tag = format!("{} of {}", kind.keyword(), self.code.name);
        match self.solver.prove(self.world, &Obligation { assumptions: path.to_vec(), goal, tag }) {
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
        for &callee in &self.facts[self.id.index()].callees {
            let theirs = self.unit.versions[self.version].procedure(callee);
            let kind = if is_loop(theirs) { ClauseKind::Invariant } else { ClauseKind::Requires };
            clauses.extend(theirs.requires.iter().map(|clause| self.clause(kind, callee, clause.span, status())));
        }
        clauses
    }
}

/// The view on entry, the pre-conditions as terms, and whether all of them could be said.
pub fn on_entry(executor: &mut Executor<'_>, code: &Procedure) -> (ContractView, Vec<Term>, bool) {
    let state = executor.entry(code);
    let view = ContractView {
        locals: state.locals,
        globals: state.globals,
        heap: state.heap,
        entry: None,
        freshness: before_call(code),
        existing: Some(Vec::new()),
    };
    let said: Vec<Option<Term>> = code.requires.iter().map(|condition| executor.contract(&view, condition)).collect();
    let sayable = said.iter().all(Option::is_some);
    (view, said.into_iter().flatten().collect(), sayable)
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
