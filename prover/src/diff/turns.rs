//! Conditions under which all turns of a loop, or all steps of recursion, are alike.
//!
//! In: a pair that calls itself, or of which each version runs one loop. Out: texts of conditions, the weakest first, that may say
//! where the two are equal: of no turn that is taken does one do anything else than the other.
//!
//! One turn of both is executed from one store. Where they do not do the same is a condition on what the turn begins with: on a
//! counter, and on what stays as it is. With a variable in the place of the counter it is asked of all turns. Where a turn that may
//! differ is known by its number, no quantifier is needed; and it may not be reached, as a turn before it goes no further.
//!
//! Invariant: claims nothing; a condition is believed once it was proved ([`proof`](super::proof)).

use super::Task;
use super::ask::{Asker, Memory};
use super::atoms;
use super::condition;
use super::paths::{self, Kind, Meetings, Plan, Question};
use super::regions;
use super::sight::with_equations;
use super::text::{self, Binding, Names, Text};
use crate::budget::diff::MAX_OUTCOMES;
use crate::goal::{Pair, assumptions};
use crate::lower::is_loop;
use kernel::exec::state::Outcome;
use kernel::relate::Level;
use lang_l::hir::{Local, ProcId, Procedure, Type, Unit};
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::solve::Solver;
use smt::term::{Func, Node, Sort, Term};
use std::collections::BTreeSet;

/// The program with a variable in each procedure that conditions may bind.
pub(super) fn with_variable(unit: &mut Unit) {
    let used: BTreeSet<&String> = {
        let locals = unit.versions.iter().flat_map(|version| &version.procedures).flat_map(|code| &code.locals);
        locals.map(|local| &local.name).chain(unit.globals.iter().map(|global| &global.name)).collect()
    };
    let usual = ["k", "j", "m"].map(String::from).into_iter();
    let mut names = usual.chain((1..).map(|number| format!("k{number}")));
    let Some(name) = names.find(|name| !used.contains(name)) else { return };
    for code in unit.versions.iter_mut().flat_map(|version| &mut version.procedures) {
        code.locals.push(Local { name: name.clone(), ty: Type::Int, span: code.name_span });
    }
}

/// How a parameter goes from turn to turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    Fixed,
    Up,
    Down,
    Varying,
}

/// Turns of a pair, as they are seen from its entry.
struct Turns<'t> {
    task: Task<'t>,
    /// The pair that takes the turns.
    turns: Pair,
    /// What its parameters are at first.
    begins: Vec<Term>,
    arena: Arena,
    /// What is assumed on entry of the whole.
    assumed: Vec<Term>,
    /// The procedure of version 0, with the bound variable behind its parameters.
    procedure: Procedure,
    memory: Memory,
}

/// Conditions under which the two of a pair may be equal, each once.
pub(super) fn conditions(task: Task<'_>, pair: Pair, solver: &mut Solver) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let recursive = |version: usize, id: ProcId| task.program.effects[version][id.index()].recursive(id);
    let recurs = recursive(0, pair.0) && recursive(1, pair.1);
    // Calls that go no further may be executed in place in one version alone, which takes a turn more than the other.
    let all = [[false, true], [true, false], [true, true], [false, false]];
    let ways = if recurs { &all[..] } else { &all[3..] };
    for &apart in ways {
        let Some(mut turns) = Turns::of(task, pair, recurs) else { break };
        for text in turns.texts(apart, solver).unwrap_or_default() {
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found
}

impl<'t> Turns<'t> {
    /// Those of a pair that recurs, or of the only loop of each version.
    fn of(task: Task<'t>, whole: Pair, recurs: bool) -> Option<Self> {
        let mut procedure = task.source.unit.versions[0].procedure(whole.0).clone();
        let bound = procedure.locals.pop()?;
        procedure.locals.truncate(procedure.params);
        procedure.locals.push(bound);
        let mut arena = task.program.unit.arena();
        let assumed = assumptions(task.program, whole, None, &mut arena);
        let (turns, begins) = if recurs {
            let sorts = procedure.locals[..procedure.params].iter().map(|local| Sort::from(&local.ty));
            let params = (0u32..).zip(sorts).map(|(at, sort)| arena.terms.app(Func::Param(at), &[], sort)).collect();
            (whole, params)
        } else {
            only_loops(task, whole, &assumed, &mut arena)?
        };
        Some(Turns { task, turns, begins, arena, assumed, procedure, memory: Memory::default() })
    }

    /// The conditions, the weakest first. `apart` says of which version calls that go no further are executed in place.
    fn texts(&mut self, apart: [bool; 2], solver: &mut Solver) -> Option<Vec<String>> {
        let program = self.task.program;
        let mut claims = self.task.claims.clone();
        claims.always.insert(self.turns, Level::Full);
        let question = Question { program, pair: self.turns, claims: &claims };
        let assumed = assumptions(program, self.turns, None, &mut self.arena);
        let plan = Plan { outcomes: MAX_OUTCOMES, apart: Some(apart), ..Plan::default() };
        let outcomes = paths::outcomes(question, &plan, &assumed, &mut self.arena)?;
        let meetings = paths::meetings(question, outcomes, &mut self.arena, solver)?;
        let regions = regions::of(&mut self.arena, &meetings, &assumed);
        let courses = self.courses(&meetings.outcomes[0]);
        let differ = regions.differ.iter().chain(&regions.one_ends).map(|region| region.condition);
        let parts: Vec<Term> = differ.chain(regions.open.iter().copied()).collect();
        let goes_on = self.goes_on(&meetings, &courses);
        let mut ways: [Option<Vec<Text>>; 3] = [const { Some(Vec::new()) }; 3];
        for part in parts {
            let clause = self.clause(part, (&courses, &goes_on), solver);
            let wider = clause.clone().map(|(clause, reached)| {
                condition::joined(&[Some(clause), reached].into_iter().flatten().collect::<Vec<_>>(), Binding::Or)
            });
            let plain = clause.map(|(clause, _)| clause);
            let fixed = self.of_what_stays(part, &courses, solver);
            for (way, text) in ways.iter_mut().zip([wider, plain, fixed]) {
                *way = way.take().zip(text).map(|(mut all, text)| {
                    if !all.contains(&text) {
                        all.push(text);
                    }
                    all
                });
            }
        }
        let ways = ways.iter().flatten().filter(|clauses| !clauses.is_empty());
        Some(ways.map(|clauses| condition::joined(clauses, Binding::And).text).collect())
    }

    /// That not all tests of a part hold that speak of what stays as it is; `None` where none does.
    fn of_what_stays(&mut self, part: Term, courses: &[Course], solver: &mut Solver) -> Option<Text> {
        let mut tests = regions::conjuncts_in_order(&self.arena, part);
        tests.retain(|&test| self.spoken_of(test, courses).is_empty());
        let by = self.at_first()?;
        let tests: Vec<Term> = tests.iter().map(|&test| self.arena.terms.substitute(test, &by)).collect();
        if tests.is_empty() { None } else { self.none_of(&tests, solver) }
    }

    /// What stands for each parameter where the turns begin.
    fn at_first(&mut self) -> Option<HashMap<Term, Term>> {
        let mut by: HashMap<Term, Term> = HashMap::default();
        for (at, &begin) in self.begins.iter().enumerate() {
            let sort = self.arena.terms.sort(begin);
            by.insert(self.arena.terms.app(Func::Param(u32::try_from(at).ok()?), &[], sort), begin);
        }
        Some(by)
    }

    /// How each parameter goes, by the calls of the next turn.
    fn courses(&mut self, outcomes: &[Outcome]) -> Vec<Course> {
        let steps: Vec<Vec<Term>> = outcomes.iter().filter_map(|outcome| self.next(outcome, 0)).collect();
        let count = self.task.program.unit.procedure(0, self.turns.0).params;
        let course = |at: usize| {
            let mut course = Course::Fixed;
            for step in &steps {
                let given = step[at];
                let own = match self.arena.terms.node(given) {
                    _ if self.arena.terms.sort(given) != Sort::Int => {
                        if self.is_param(given, at) {
                            Course::Fixed
                        } else {
                            Course::Varying
                        }
                    }
                    _ => {
                        let (constant, parts) = self.arena.terms.linear_parts(given);
                        match parts.as_slice() {
                            [(one, param)] if one.is_one() && self.is_param(*param, at) => match () {
                                () if constant.is_zero() => Course::Fixed,
                                () if constant.is_positive() => Course::Up,
                                () => Course::Down,
                            },
                            _ => Course::Varying,
                        }
                    }
                };
                course = match (course, own) {
                    (Course::Fixed, own) => own,
                    (course, Course::Fixed) => course,
                    (course, own) if course == own => course,
                    _ => return Course::Varying,
                };
            }
            course
        };
        (0..count).map(course).collect()
    }

    fn is_param(&self, term: Term, at: usize) -> bool {
        matches!(self.arena.terms.node(term), Node::App(Func::Param(own), _) if *own as usize == at)
    }

    /// What the next turn is given where an outcome takes one.
    fn next(&self, outcome: &Outcome, version: usize) -> Option<Vec<Term>> {
        let own = [self.turns.0, self.turns.1][version];
        let record = self.arena.record(*outcome.calls.last()?);
        (record.callee == own).then(|| record.args.clone())
    }

    /// What else must hold of a turn for another one to follow, where there is one way to go on alone.
    fn goes_on(&mut self, meetings: &Meetings, courses: &[Course]) -> Vec<Term> {
        let steps: Vec<&paths::Meeting> = meetings
            .pairs
            .iter()
            .filter(|meeting| {
                let taken =
                    |version: usize| self.next(&meetings.outcomes[version][meeting.paths[version]], version).is_some();
                taken(0) && taken(1) && matches!(meeting.kind, Kind::Equal)
            })
            .collect();
        // Each call may end, never end or err.
        let mut ways: Vec<Vec<Term>> = Vec::new();
        for step in steps {
            let tests: Vec<Term> =
                step.when.iter().flat_map(|&part| regions::conjuncts_in_order(&self.arena, part)).collect();
            let tests: Vec<Term> = tests
                .into_iter()
                .filter(|&test| atoms::of_entry(&self.arena, test) && !text::guards(&mut self.arena, test).is_empty())
                .collect();
            if !ways.contains(&tests) {
                ways.push(tests);
            }
        }
        let [only] = ways.as_slice() else { return Vec::new() };
        let speaks = |&test: &Term| {
            let of = self.spoken_of(test, courses);
            of.len() == 1 && of.iter().all(|at| courses[*at] != Course::Varying)
        };
        only.iter().copied().filter(speaks).collect()
    }

    /// Which parameters that change a condition speaks of.
    fn spoken_of(&self, condition: Term, courses: &[Course]) -> BTreeSet<usize> {
        let parts = self.arena.terms.parts_of(&[condition]);
        let params = parts.into_iter().filter_map(|part| match self.arena.terms.node(part) {
            Node::App(Func::Param(at), _) => Some(*at as usize),
            _ => None,
        });
        params.filter(|at| courses.get(*at).is_none_or(|course| *course != Course::Fixed)).collect()
    }

    /// That no turn is one of these; and where it is known which turn that would be, that one before it goes no further.
    fn clause(
        &mut self,
        part: Term,
        (courses, goes_on): (&[Course], &[Term]),
        solver: &mut Solver,
    ) -> Option<(Text, Option<Text>)> {
        let mut tests = regions::conjuncts_in_order(&self.arena, part);
        tests.retain(|&test| {
            let of = self.spoken_of(test, courses);
            of.iter().all(|at| courses.get(*at).is_some_and(|course| *course != Course::Varying))
        });
        let tests = with_equations(&mut self.arena.terms, &tests);
        let counters: BTreeSet<usize> = tests.iter().flat_map(|&test| self.spoken_of(test, courses)).collect();
        let mut by = self.at_first()?;
        let Some(&counter) = counters.first() else {
            let tests: Vec<Term> = tests.iter().map(|&test| self.arena.terms.substitute(test, &by)).collect();
            return Some((self.none_of(&tests, solver)?, None));
        };
        if counters.len() > 1 {
            return None;
        }
        let own = self.arena.terms.app(Func::Param(u32::try_from(counter).ok()?), &[], Sort::Int);
        let begin = self.begins[counter];
        let bound = self.bound();
        let up = courses[counter] == Course::Up;
        let value = tests.iter().find_map(|&test| self.value(test, own));
        let goes_on: Vec<Term> =
            goes_on.iter().copied().filter(|&test| self.spoken_of(test, courses).contains(&counter)).collect();
        match value {
            Some(value) => {
                let value = self.arena.terms.substitute(value, &by);
                by.insert(own, value);
                let mut all = vec![self.in_order(up, [begin, value])];
                all.extend(tests.iter().map(|&test| self.arena.terms.substitute(test, &by)).collect::<Vec<_>>());
                let clause = self.none_of(&all, solver)?;
                by.insert(own, bound);
                let before = if up { self.arena.terms.lt(bound, value) } else { self.arena.terms.lt(value, bound) };
                let range = [self.in_order(up, [begin, bound]), before];
                let mut ends: Vec<Term> = Vec::new();
                for &test in &goes_on {
                    let test = self.arena.terms.substitute(test, &by);
                    if !self.asker(solver).clearly_follows(&range, test) {
                        ends.push(self.arena.terms.not(test));
                    }
                }
                let reached = (!ends.is_empty()).then(|| self.some(&range, &ends, solver));
                Some((clause, reached.flatten()))
            }
            None => {
                by.insert(own, bound);
                let begun = self.in_order(up, [begin, bound]);
                let tests: Vec<Term> = tests.iter().map(|&test| self.arena.terms.substitute(test, &by)).collect();
                Some((self.every(begun, &tests, solver)?, None))
            }
        }
    }

    /// That a counter which begins at one number may have another.
    fn in_order(&mut self, up: bool, [begin, value]: [Term; 2]) -> Term {
        if up { self.arena.terms.le(begin, value) } else { self.arena.terms.le(value, begin) }
    }

    /// The number that a test says a counter is, if it is an equation of it.
    fn value(&mut self, test: Term, counter: Term) -> Option<Term> {
        let Node::IsZero(sum) = *self.arena.terms.node(test) else { return None };
        let (_, parts) = self.arena.terms.linear_parts(sum);
        let (factor, _) = parts.iter().find(|(_, part)| *part == counter)?;
        if !factor.abs().is_one() {
            return None;
        }
        let minus = -factor.clone();
        let minus = self.arena.terms.int(minus);
        // `f * counter + rest == 0`, and `f * f == 1`.
        let scaled = self.arena.terms.mul(minus, sum);
        let value = self.arena.terms.add(scaled, counter);
        (!self.arena.terms.occurs(counter, value)).then_some(value)
    }

    /// That not all of these hold. Tests that always have a value come first.
    fn none_of(&mut self, tests: &[Term], solver: &mut Solver) -> Option<Text> {
        let ordered = self.guarded(&[], tests, solver);
        let negated: Vec<Term> = ordered.iter().map(|&test| self.arena.terms.not(test)).collect();
        self.joined(&negated, Binding::Or)
    }

    /// That for no number from where the turns begin all tests hold.
    fn every(&mut self, begun: Term, tests: &[Term], solver: &mut Solver) -> Option<Text> {
        let all: Vec<Term> = [begun].into_iter().chain(tests.iter().copied()).collect();
        let all = self.guarded(&[], &all, solver);
        let bound = self.bound();
        let (looks, range): (Vec<Term>, Vec<Term>) = all.into_iter().partition(|&test| {
            let guards = text::guards(&mut self.arena, test);
            guards.into_iter().any(|guard| self.arena.terms.occurs(bound, guard))
        });
        // Of numbers alone it would say no more than that there are no turns.
        if looks.is_empty() {
            return None;
        }
        let looks: Vec<Term> = looks.iter().map(|&test| self.arena.terms.not(test)).collect();
        let (range, then) = (self.joined(&range, Binding::And)?, self.joined(&looks, Binding::Or)?);
        let (name, then) = (self.bound_name(), then.within(Binding::Comparison));
        Some(Text::new(format!("forall {name}: int :: {} ==> {then}", range.within(Binding::And)), Binding::Loosest))
    }

    /// That for some number of a range one of these holds.
    fn some(&mut self, range: &[Term], one: &[Term], solver: &mut Solver) -> Option<Text> {
        let mut all = range.to_vec();
        for &test in one {
            let needed = self.guarded(&all, &[test], solver);
            all.extend(needed.into_iter().filter(|&guard| guard != test));
        }
        let (range, then) = (self.joined(&all, Binding::And)?, self.joined(one, Binding::Or)?);
        let text = format!(
            "exists {}: int :: {} && {}",
            self.bound_name(),
            range.within(Binding::And),
            then.within(Binding::And)
        );
        Some(Text::new(text, Binding::Loosest))
    }

    /// The variable that conditions bind.
    fn bound(&mut self) -> Term {
        let at = u32::try_from(self.procedure.params).unwrap_or(u32::MAX);
        self.arena.terms.app(Func::Param(at), &[], Sort::Int)
    }

    fn bound_name(&self) -> String {
        self.procedure.locals.last().map(|local| local.name.clone()).unwrap_or_default()
    }

    /// The tests, each behind what it needs to have a value, without those that follow from what stands before them.
    fn guarded(&mut self, before: &[Term], tests: &[Term], solver: &mut Solver) -> Vec<Term> {
        let mut asker = self.asker(solver);
        let mut kept = before.to_vec();
        for test in condition::in_order(&mut asker, before, tests) {
            if !asker.clearly_follows(&kept, test) {
                kept.push(test);
            }
        }
        kept.split_off(before.len())
    }

    fn asker<'s>(&'s mut self, solver: &'s mut Solver) -> Asker<'s> {
        Asker::new(&mut self.arena, solver, &self.assumed, &mut self.memory)
    }

    fn joined(&self, parts: &[Term], binding: Binding) -> Option<Text> {
        let numbers = BTreeSet::new();
        let names =
            Names { unit: self.task.program.unit, procedure: &self.procedure, numbers: &numbers, beside_final: false };
        let texts: Option<Vec<Text>> = parts.iter().map(|&part| text::text(names, &self.arena, part)).collect();
        Some(condition::joined(&texts?, binding))
    }
}

/// The only loop that each version runs, and what it is given at first; `None` where there is none, more than one, or it is given
/// something that cannot be said of the store on entry.
fn only_loops(task: Task<'_>, pair: Pair, assumed: &[Term], arena: &mut Arena) -> Option<(Pair, Vec<Term>)> {
    let question = Question { program: task.program, pair, claims: task.claims };
    let plan = Plan { outcomes: MAX_OUTCOMES, ..Plan::default() };
    let outcomes = paths::outcomes(question, &plan, assumed, arena)?;
    let mut found: Vec<(ProcId, Vec<Term>)> = Vec::new();
    for (version, outcomes) in outcomes.iter().enumerate() {
        let calls: Vec<_> = outcomes.iter().flat_map(|outcome| &outcome.calls).collect();
        let first = arena.record(**calls.first()?).clone();
        let alike = calls.iter().all(|call| {
            let record = arena.record(**call);
            (record.callee, &record.args) == (first.callee, &first.args)
        });
        let is_loop = is_loop(task.program.unit.procedure(version, first.callee));
        let sayable = first.args.iter().all(|&arg| atoms::of_entry(arena, arg));
        if !alike || !is_loop || !sayable {
            return None;
        }
        found.push((first.callee, first.args));
    }
    let [(left, begins), (right, _)] = found.as_slice() else { return None };
    let names = |version: usize, id: ProcId| {
        let code = task.program.unit.procedure(version, id);
        code.locals[..code.params].iter().map(|local| (local.name.clone(), local.ty.clone())).collect::<Vec<_>>()
    };
    (names(0, *left) == names(1, *right)).then(|| ((*left, *right), begins.clone()))
}
