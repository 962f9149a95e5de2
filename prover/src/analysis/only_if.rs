//! What recursion changes only if something held on entry: where it links what it gives back into what it was given.
//!
//! In: a lowered program, and a component of the call graph. Out: what its procedures change only under tests: `o.next` changes only if
//! `o.next` was null, and what is given back is another reference than `l` only if `l` was null.
//!
//! `l.next := insert(l.next, x)` writes what is there already, but where the list ends. A loop that does the same writes there alone. Only
//! fields that some recursion writes in this way are looked at.
//!
//! Invariant: only what was shown is written down (`proofs/soundness.md`, rule *Only if*).

use super::helpers::calls;
use crate::budget::only_if::MAX_ROUNDS;
use crate::chc::houdini::{self, Look};
use crate::lower::Lowered;
use kernel::alone::unchanged_or_allowed;
use kernel::effects::{self, Effects};
use kernel::exec::state::Outcome;
use kernel::exec::{Executor, Limits, execute, on_entry};
use kernel::only_if::{Changing, OnlyIf, Operand};
use kernel::pair::loops::{parameters, results};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Expr, ExprKind, FieldId, Local, LocalId, Place, ProcId, Procedure, Rhs, StmtKind};
use num_traits::{One, Signed, ToPrimitive};
use smt::arena::Arena;
use smt::heap::{Comparison, HeapNode, Test};
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{AllocClass, Ending, Func, Node, Selector, Term};
use std::collections::BTreeSet;

/// The fields into which recursion of either version links what a call of itself gave back.
pub(super) fn relinked(unit: &Lowered) -> BTreeSet<FieldId> {
    let mut found = BTreeSet::new();
    let gives_reference = |code: &Procedure| results(code).iter().any(|local| local.ty.is_reference());
    for (version, own) in unit.versions().iter().enumerate() {
        // Who calls whom takes a look at the whole program.
        let may_link = |code: &Procedure| gives_reference(code) && !links(code, &|_| true).is_empty();
        let wanted: Vec<bool> = own.procedures.iter().map(may_link).collect();
        if !wanted.contains(&true) {
            continue;
        }
        let known = effects::syntactic(unit.as_unit(), version);
        for (id, _) in (0u32..).map(ProcId).zip(&wanted).filter(|(_, wanted)| **wanted) {
            let again = |callee: ProcId| known[callee.index()].callees.contains(&id);
            found.extend(links(unit.procedure(version, id), &again));
        }
    }
    found
}

/// The fields to which a procedure assigns what calls gave back that lead to itself.
fn links(code: &Procedure, again: &dyn Fn(ProcId) -> bool) -> BTreeSet<FieldId> {
    let mut found = BTreeSet::new();
    let Some(body) = &code.body else { return found };
    let given_back: BTreeSet<LocalId> = calls(body, again).into_iter().flat_map(|(targets, _)| targets).collect();
    walk_stmts(body, &mut |stmt| {
        if let StmtKind::Assign(Place::Field(_, field), Rhs::Expr(Expr { kind: ExprKind::Local(id), .. })) = &stmt.kind
            && given_back.contains(id)
        {
            found.insert(*field);
        }
    });
    found
}

/// Fills in what the procedures of a component change only under tests.
pub(super) fn infer(
    unit: &Lowered,
    version: usize,
    effects: &mut [Effects],
    solver: &mut Solver,
    (component, fields): (&[ProcId], &BTreeSet<FieldId>),
) {
    let recursive = component.iter().copied().filter(|id| effects[id.index()].recursive(*id));
    let members: Vec<ProcId> = recursive.collect();
    for &id in &members {
        let relinks = relinks(&effects[id.index()], fields);
        let mut found = Search { unit, version, effects, id, fields }.given_back();
        found.retain(|own| relinks || own.tests.is_empty());
        effects[id.index()].changes_only_if = found;
    }
    for &id in &members {
        let found = Search { unit, version, effects, id, fields }.written();
        effects[id.index()].changes_only_if.extend(found);
    }
    let held = houdini::all_hold(members.len(), MAX_ROUNDS, |at| {
        let id = members[at];
        let all = effects[id.index()].changes_only_if.clone();
        let shown = shown(unit, version, effects, solver, id);
        let weakened = shown.len() < all.len();
        effects[id.index()].changes_only_if = shown;
        Look::weakened(weakened)
    });
    if !held {
        members.iter().for_each(|id| effects[id.index()].changes_only_if.clear());
    }
}

/// Whether a procedure writes some of these fields, of objects that nobody can name.
fn relinks(own: &Effects, fields: &BTreeSet<FieldId>) -> bool {
    own.modifies.is_none() && fields.iter().any(|field| own.writes.contains(&Selector::Field(*field)))
}

/// Which of what is said of a procedure follows, if all that is said of it and of its callees is so.
pub(super) fn shown(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    solver: &mut Solver,
    id: ProcId,
) -> Vec<OnlyIf> {
    let mut all = effects[id.index()].changes_only_if.clone();
    if all.is_empty() {
        return all;
    }
    let mut arena = unit.arena();
    let Some((params, outcomes)) = returns(unit, version, effects, &mut arena, id) else { return Vec::new() };
    all.retain(|own| {
        outcomes.iter().all(|outcome| {
            let goal = unchanged_or_allowed(own, &mut arena, &params, outcome);
            let tag = Purpose::WriteConfined.within(version, vec![unit.procedure(version, id).name_span]);
            let obligation = Obligation { assumptions: outcome.path.clone(), goal, tag };
            arena.terms.is_true(goal) || solver.prove(&mut arena, &obligation) == Answer::Holds
        })
    });
    all
}

/// The parameters of a procedure, and its outcomes that return.
fn returns(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    arena: &mut Arena,
    id: ProcId,
) -> Option<(Vec<Term>, Vec<Outcome>)> {
    let mut executor = Executor::new(unit.as_unit(), version, effects, Limits::default(), arena);
    let (view, assumed, _) = on_entry(&mut executor, id);
    let params = view.locals.iter().take(unit.procedure(version, id).params).copied().collect();
    let executed = execute(unit.as_unit(), version, effects, &Limits::default(), arena, (id, &assumed)).ok()?;
    let returns = |outcome: &Outcome| outcome.ending == Ending::Normal;
    Some((params, executed.outcomes.into_iter().filter(returns).collect()))
}

/// The search for tests in one procedure.
struct Search<'s> {
    unit: &'s Lowered,
    version: usize,
    effects: &'s [Effects],
    id: ProcId,
    fields: &'s BTreeSet<FieldId>,
}

impl Search<'_> {
    /// Of each result that is a parameter on some path, what holds of that on the others.
    fn given_back(&self) -> Vec<OnlyIf> {
        let code = self.unit.procedure(self.version, self.id);
        let is_reference = |local: &&Local| local.ty.is_reference();
        let mut found = Vec::new();
        if !results(code).iter().any(|local| is_reference(&local))
            || !parameters(code).iter().any(|local| is_reference(&local))
        {
            return found;
        }
        let mut arena = self.unit.arena();
        let Some((params, outcomes)) = returns(self.unit, self.version, self.effects, &mut arena, self.id) else {
            return found;
        };
        for (result, parameter) in (0..code.results).flat_map(|result| (0..params.len()).map(move |at| (result, at))) {
            let what = Changing::Result { result, parameter };
            let given = params[parameter];
            let (same, other): (Vec<&Outcome>, Vec<&Outcome>) =
                outcomes.iter().partition(|outcome| outcome.results[result] == given);
            if same.is_empty() || !(OnlyIf { what, tests: Vec::new() }).can_be_said(self.unit.as_unit(), code) {
                continue;
            }
            let again =
                |outcome: &&&Outcome| self.gives_on(&arena, outcome.results[result], (result, parameter), given);
            let other = other.iter().filter(|outcome| !again(outcome));
            let tests: Option<Vec<_>> = other.map(|outcome| last_test(&arena, &outcome.path, given, true)).collect();
            found.extend(tests.map(|tests| OnlyIf { what, tests: unimplied(tests) }));
        }
        found
    }

    /// Of each field that it writes, what holds of the objects.
    fn written(&self) -> Vec<OnlyIf> {
        if !relinks(&self.effects[self.id.index()], self.fields) {
            return Vec::new();
        }
        let mut arena = self.unit.arena();
        let Some((_, outcomes)) = returns(self.unit, self.version, self.effects, &mut arena, self.id) else {
            return Vec::new();
        };
        let tests = |&field: &FieldId| -> Option<OnlyIf> {
            let tests: Option<Vec<_>> =
                outcomes.iter().map(|outcome| self.writes(&mut arena, field, outcome)).collect();
            Some(OnlyIf { what: Changing::Field(field), tests: unimplied(tests?) })
        };
        let writes = &self.effects[self.id.index()].writes;
        let found = self.fields.iter().filter(|field| writes.contains(&Selector::Field(**field))).filter_map(tests);
        let code = self.unit.procedure(self.version, self.id);
        found.filter(|own| own.can_be_said(self.unit.as_unit(), code)).collect()
    }

    /// Whether a value is what a call of itself gave back that was given the same.
    fn gives_on(&self, arena: &Arena, value: Term, (result, parameter): (usize, usize), given: Term) -> bool {
        match *arena.terms.node(value) {
            Node::App(Func::Result(call, at), _) => {
                let record = arena.record(call);
                record.callee == self.id && at as usize == result && record.args[parameter] == given
            }
            _ => false,
        }
    }

    /// What holds on a path of the objects whose field it writes; `None` where nothing is seen to.
    fn writes(&self, arena: &mut Arena, field: FieldId, outcome: &Outcome) -> Option<Vec<Test<Operand>>> {
        let mut tests = Vec::new();
        let initial = arena.heaps.initial();
        for node in arena.heaps.history(outcome.heap) {
            match node {
                HeapNode::Store { selector: Selector::Field(written), object, value, .. }
                    if written == field && arena.terms.allocs(object).contains(AllocClass::OLD) =>
                {
                    if value == arena.heaps.read(&mut arena.terms, initial, Selector::Field(field), object, None) {
                        continue;
                    }
                    let linked = self.linked(arena, (object, field), value);
                    tests.extend(linked.or_else(|| last_test(arena, &outcome.path, object, false))?);
                }
                _ => {}
            }
        }
        Some(tests)
    }

    /// The tests of what stands in a field, where a call was given that, and what it gave back goes there.
    fn linked(&self, arena: &mut Arena, (object, field): (Term, FieldId), value: Term) -> Option<Vec<Test<Operand>>> {
        let Node::App(Func::Result(call, result), _) = *arena.terms.node(value) else { return None };
        let record = arena.record(call).clone();
        let before = arena.heaps.read(&mut arena.terms, record.heap, Selector::Field(field), object, None);
        let further = |test: &Test<Operand>| {
            let value = match test.value.parameter {
                Some(at) => self.handed_on(arena, record.args[at], test.value.more)?,
                None => test.value,
            };
            Some(Test { path: [&[field], &test.path[..]].concat(), value, ..test.clone() })
        };
        self.effects[record.callee.index()].changes_only_if.iter().find_map(|own| match own.what {
            Changing::Result { result: at, parameter } if at == result as usize && record.args[parameter] == before => {
                own.tests.iter().map(further).collect()
            }
            _ => None,
        })
    }

    /// A parameter that a call is handed, and a number more; `None` where it is handed something else.
    fn handed_on(&self, arena: &Arena, given: Term, more: i64) -> Option<Operand> {
        match *arena.terms.node(given) {
            Node::App(Func::Param(at), _) => Some(Operand { parameter: Some(at as usize), more }),
            _ => None,
        }
    }
}

/// The tests of all paths, but those that others imply.
fn unimplied(tests: Vec<Vec<Test<Operand>>>) -> Vec<Test<Operand>> {
    let tests: BTreeSet<Test<Operand>> = tests.into_iter().flatten().collect();
    // That something on the way to what is read is null is part of each test.
    let implied = |test: &Test<Operand>| {
        let null = test.comparison == Comparison::Equal && test.value == Operand { parameter: None, more: 0 };
        let longer = |other: &Test<Operand>| other.path.len() > test.path.len() && other.path.starts_with(&test.path);
        null && tests.iter().any(longer)
    };
    tests.iter().filter(|test| !implied(test)).cloned().collect()
}

/// The last fact of a path that says something of what an object holds, as tests of which one holds.
fn last_test(arena: &Arena, path: &[Term], object: Term, may_be_null: bool) -> Option<Vec<Test<Operand>>> {
    path.iter().rev().find_map(|&fact| Reader { arena, object, may_be_null }.tests(fact, true))
}

/// Reads tests of an object off facts.
struct Reader<'r> {
    arena: &'r Arena,
    object: Term,
    may_be_null: bool,
}

impl Reader<'_> {
    /// Tests of which one holds if a fact does, or if it does not.
    fn tests(&self, fact: Term, holds: bool) -> Option<Vec<Test<Operand>>> {
        match self.arena.terms.node(fact) {
            Node::Not(inner) => self.tests(*inner, !holds),
            Node::Or(parts) | Node::And(parts) => {
                let is_choice = matches!(self.arena.terms.node(fact), Node::Or(_)) == holds;
                let each = parts.iter().map(|&part| self.tests(part, holds));
                if is_choice {
                    each.collect::<Option<Vec<_>>>().map(|all| all.concat())
                } else {
                    each.rev().find_map(|own| own)
                }
            }
            Node::AtMostZero(sum) => {
                self.number(*sum, if holds { Comparison::AtMost } else { Comparison::AtLeast }, holds)
            }
            Node::IsZero(sum) => self.number(*sum, if holds { Comparison::Equal } else { Comparison::Unequal }, true),
            Node::SameRef(one, other) => self.reference([*one, *other], holds),
            Node::App(Func::Initial(_), _) => {
                let path = self.path(fact)?;
                let value = Operand { parameter: None, more: i64::from(holds) };
                Some(vec![Test { path, comparison: Comparison::Equal, value }])
            }
            _ => None,
        }
    }

    /// That a sum of something read, a parameter and a number is at most 0, or at least 1, or 0.
    fn number(&self, sum: Term, comparison: Comparison, as_said: bool) -> Option<Vec<Test<Operand>>> {
        let (constant, parts) = self.arena.terms.linear_parts(sum);
        let (mut read, mut parameter) = (None, None);
        for (factor, part) in &parts {
            match (self.arena.terms.node(*part), self.path(*part)) {
                (_, Some(path)) if read.is_none() && factor.abs().is_one() => read = Some((path, factor.is_positive())),
                (Node::App(Func::Param(at), _), _) if parameter.is_none() && factor.abs().is_one() => {
                    parameter = Some((*at as usize, factor.is_positive()));
                }
                _ => return None,
            }
        }
        let (path, positive) = read?;
        if parameter.is_some_and(|(_, other)| other == positive) {
            return None;
        }
        // At least 1 is more than 0.
        let constant = constant.to_i64()?.checked_sub(i64::from(!as_said))?;
        let more = if positive { constant.checked_neg()? } else { constant };
        let comparison = match comparison {
            Comparison::AtMost if !positive => Comparison::AtLeast,
            Comparison::AtLeast if !positive => Comparison::AtMost,
            same => same,
        };
        let value = Operand { parameter: parameter.map(|(at, _)| at), more };
        Some(vec![Test { path, comparison, value }])
    }

    /// That a reference that is read is null or a parameter; that it is not null is no test, as what is looked at mostly is not.
    fn reference(&self, [one, other]: [Term; 2], holds: bool) -> Option<Vec<Test<Operand>>> {
        let (path, value) = [(one, other), (other, one)].into_iter().find_map(|(read, value)| {
            let parameter = match *self.arena.terms.node(value) {
                Node::Null => None,
                Node::App(Func::Param(at), _) => Some(at as usize),
                _ => return None,
            };
            Some((self.path(read)?, Operand { parameter, more: 0 }))
        })?;
        let says = holds || value.parameter.is_some();
        let comparison = if holds { Comparison::Equal } else { Comparison::Unequal };
        (says && (!path.is_empty() || self.may_be_null)).then(|| vec![Test { path, comparison, value }])
    }

    /// The fields by which something is read from the object in the heap on entry.
    fn path(&self, read: Term) -> Option<Vec<FieldId>> {
        if read == self.object {
            return Some(Vec::new());
        }
        match self.arena.terms.node(read) {
            Node::App(Func::Initial(Selector::Field(field)), args) => {
                let mut path = self.path(args[0])?;
                path.push(*field);
                Some(path)
            }
            _ => None,
        }
    }
}
