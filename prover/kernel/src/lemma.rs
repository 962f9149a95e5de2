//! The lemma of the lowering: each procedure of the lowered program does what the part of the source does that it stands for.
//!
//! In: the source, the lowered program, and which procedure stands for what ([`Simulation`]). Out: the procedures of which it is
//! so, with all that they call.
//!
//! Rule *Lockstep* (`proofs/soundness.md`): both are executed from the same store, a call of a part being a call of the procedure
//! that stands for it. Their outcomes are the same, one by one: the same condition, calls, objects, heap and results, but for
//! the names of calls and objects. So each step of one is a step of the other, by induction over the depth of calls.
//!
//! Invariant: no solver here. What is not the same term is not the same.

use crate::effects::Effects;
use crate::exec::source::{Given, Input, Literal, Simulation, Site, Source, invariants_of};
use crate::exec::state::Outcome;
use crate::exec::{ExecError, Executor, Limits, on_entry};
use crate::rejection::{Rejection, reject};
use crate::scalars::Scalarised;
use lang_l::hir::{LocalId, ProcId, Procedure, StmtKind, Type, Unit};
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::term::{AllocClass, CallId, Ending, Func, Kind, Node, Origin, PathFacts, Renaming, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// One version of the source, and the procedures of the lowered program that stand for its parts.
#[derive(Clone, Copy)]
pub struct Lowering<'a> {
    /// The program as it was written, but for places that are variables.
    pub source: &'a Scalarised,
    /// The program without loops.
    pub lowered: &'a Unit,
    /// The version.
    pub version: usize,
    /// What is said of the procedures of the lowered program.
    pub effects: &'a [Effects],
    /// What each of them stands for.
    pub simulations: &'a [Option<Simulation>],
}

/// The procedures among `wanted`, and those they call, that do what they stand for; and why others do not.
pub fn check(of: Lowering<'_>, wanted: &BTreeSet<ProcId>) -> BTreeMap<ProcId, Result<(), Rejection>> {
    let callees = |id: &ProcId| of.effects.get(id.index()).into_iter().flat_map(|own| own.callees.iter().copied());
    let all: BTreeSet<ProcId> = wanted.iter().flat_map(|id| callees(id).chain([*id])).collect();
    let mut found: BTreeMap<ProcId, Result<(), Rejection>> =
        all.into_iter().map(|id| (id, Lockstep { of, id }.check())).collect();
    // What calls something that does not, does not itself.
    let refused: BTreeSet<ProcId> = found.iter().filter(|(_, shown)| shown.is_err()).map(|(id, _)| *id).collect();
    for (id, shown) in &mut found {
        if let (Ok(()), Some(other)) = (&shown, callees(id).find(|callee| refused.contains(callee))) {
            let name = &of.lowered.procedure(of.version, other).name;
            *shown = reject(format!("it calls {name}, which is not shown to do what the source does"));
        }
    }
    found
}

/// Whether a procedure stands for one of the source as it is called there: with all its parameters and results, in order.
pub fn is_plain(simulation: &Simulation, code: &Procedure) -> bool {
    let inputs = (0u32..).zip(0..code.params).map(|(id, at)| (LocalId(id), Input::Param(at)));
    let outputs = (0..code.results).map(|at| (Given::Result(at), at));
    matches!(simulation.site, Site::Procedure(_))
        && simulation.inputs.iter().cloned().eq(inputs)
        && simulation.outputs.iter().copied().eq(outputs)
        && simulation.known.is_empty()
}

/// Whether what is shown of a procedure of the lowered program, which does what it stands for, is said of the procedure of the source
/// that has its number.
///
/// # Errors
/// Why it is not.
pub fn is_called_as_written(of: Lowering<'_>, id: ProcId) -> Result<(), Rejection> {
    let own = of.simulations.get(id.index()).and_then(Option::as_ref);
    let code = of.source.unit().versions[of.version].procedures.get(id.index());
    match (own, code) {
        (Some(own), Some(code)) if own.site == Site::Procedure(id) && is_plain(own, code) => Ok(()),
        (Some(_), Some(_)) => reject("it is not called as in the source"),
        _ => reject("the source has no such procedure"),
    }
}

struct Lockstep<'a> {
    of: Lowering<'a>,
    id: ProcId,
}

impl<'a> Lockstep<'a> {
    fn check(&self) -> Result<(), Rejection> {
        let Some(own) = self.of.simulations.get(self.id.index()).and_then(Option::as_ref) else {
            return reject("it stands for no part of the source");
        };
        let written = &self.of.source.unit().versions[self.of.version].procedures;
        let Some(code) = written.get(own.site.procedure().index()) else {
            return reject("it stands for a procedure that there is not");
        };
        self.interface(own, code)?;
        if self.is_verbatim(own, code) {
            return Ok(());
        }
        match self.outcomes(own, false) {
            Err(ExecError::TooManyPaths(_)) => self.outcomes(own, true),
            done => done,
        }
        .map_err(|error| Rejection(error.to_string()))?
    }

    fn lowered(&self) -> &'a Procedure {
        self.of.lowered.procedure(self.of.version, self.id)
    }

    /// What the two are given and give back are of the same types, and they have the same contract.
    fn interface(&self, own: &Simulation, code: &Procedure) -> Result<(), Rejection> {
        let lowered = self.lowered();
        let ty = |at: usize| lowered.locals.get(at).map(|local| &local.ty);
        let input = |(id, input): &(LocalId, Input)| match input {
            Input::Literal(literal) => {
                code.locals.get(id.index()).is_some_and(|local| Sort::from(&local.ty) == literal.sort())
            }
            Input::Param(at) => *at < lowered.params && code.locals.get(id.index()).map(|local| &local.ty) == ty(*at),
        };
        let type_of = |given: &Given| match given {
            Given::Local(id) => code.locals.get(id.index()).map(|local| &local.ty),
            Given::Result(result) => code.locals.get(code.params + result).map(|local| &local.ty),
            Given::Returned => Some(&Type::Bool),
        };
        let output = |(given, at): &(Given, usize)| *at < lowered.results && type_of(given) == ty(lowered.params + at);
        let known = |(given, literal): &(Given, Literal)| {
            let twice = own.outputs.iter().any(|(output, _)| output == given);
            !twice && type_of(given).is_some_and(|ty| Sort::from(ty) == literal.sort())
        };
        let listed: BTreeSet<LocalId> = own.inputs.iter().map(|(id, _)| *id).collect();
        let contract = |of: &Procedure| (of.requires.clone(), of.ensures.clone(), of.modifies.clone());
        let bare = !code.has_contract();
        let same_contract = match own.site {
            Site::Loop { number, .. } => self.has_invariants(own, code, number),
            Site::Procedure(_) if bare => contract(lowered) == contract(code),
            Site::Procedure(_) => contract(lowered) == contract(code) && is_plain(own, code),
        };
        if !own.inputs.iter().all(input)
            || !own.outputs.iter().all(output)
            || !own.known.iter().all(known)
            || listed.len() != own.inputs.len()
            || !same_contract
        {
            return reject("it is not called as the part of the source that it stands for");
        }
        match (&code.body, &lowered.body) {
            (None, None) if code.name != lowered.name || !is_plain(own, code) => reject("it is another external"),
            (None, Some(_)) | (Some(_), None) => reject("one of the two is external"),
            _ => Ok(()),
        }
    }

    /// A loop requires at each turn what its invariants say.
    fn has_invariants(&self, own: &Simulation, code: &Procedure, number: usize) -> bool {
        let Lowering { source, lowered, version, effects, simulations } = self.of;
        let Some(written) = code.body.as_ref().and_then(|body| invariants_of(body, number)) else { return false };
        let mut arena = Arena::new(lowered);
        let mut executor = Executor::new(lowered, version, effects, Limits::default(), &mut arena);
        let at = Source { unit: source.unit(), simulations, own, id: self.id };
        executor.requires_what_is_written(at, written) || faults::planted("kernel/lemma/invariants")
    }

    /// The two are the same text, and call what is called as in the source.
    fn is_verbatim(&self, own: &Simulation, code: &Procedure) -> bool {
        let lowered = self.lowered();
        let plain = |id: &ProcId| match (
            self.of.simulations.get(id.index()),
            self.of.source.unit().versions[self.of.version].procedures.get(id.index()),
        ) {
            (Some(Some(of)), Some(code)) => of.site == Site::Procedure(*id) && is_plain(of, code),
            _ => false,
        };
        let loops = |stmt: &lang_l::hir::Stmt| matches!(stmt.kind, StmtKind::While { .. });
        is_plain(own, code)
            && own.itself.is_none()
            && code.body == lowered.body
            && code.locals == lowered.locals
            && !code.body.as_ref().is_some_and(|body| body.any(&loops))
            && crate::effects::direct_callees(code).iter().all(plain)
    }

    /// Both executed, and compared.
    fn outcomes(&self, own: &Simulation, join: bool) -> Result<Result<(), Rejection>, ExecError> {
        let Lowering { source, lowered, version, effects, simulations } = self.of;
        let mut arena = Arena::new(lowered);
        // A procedure that hands its work to another one is that one.
        let inline: BTreeSet<ProcId> = own.itself.into_iter().filter(|itself| *itself != self.id).collect();
        let depth = inline.len();
        let limits = Limits { join, ..Limits::default() };
        let in_place = Limits { inline, inline_depth: depth, ..limits.clone() };
        let mut executor = Executor::new(lowered, version, effects, limits.clone(), &mut arena);
        let (_, assumed, _) = on_entry(&mut executor, self.id);
        let theirs = Executor::new(lowered, version, effects, in_place, &mut arena).run(self.id, &assumed)?;
        let at = Source { unit: source.unit(), simulations, own, id: self.id };
        let mine = Executor::new(lowered, version, effects, limits, &mut arena).run_source(at, &assumed)?;
        let both = same(&mut arena, &mine.outcomes, &theirs.outcomes);
        Ok(both.or_else(|_| {
            let [mine, theirs] = [mine.outcomes, theirs.outcomes].map(|outcomes| by_ways(&arena, outcomes));
            same(&mut arena, &mine, &theirs)
        }))
    }
}

/// Outcomes in the order of the branches that they take as far as entry decides these. Which one comes first says nothing, and those that
/// differ by how a call ends alone stay in the order in which it is made.
fn by_ways(arena: &Arena, mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
    let named = |part: Term| match arena.terms.node(part) {
        Node::App(func, _) => matches!(
            func,
            Func::New(_)
                | Func::Effect(..)
                | Func::Result(..)
                | Func::GlobalAfter(..)
                | Func::Ending(_)
                | Func::InRegion(_)
        ),
        _ => false,
    };
    let of_entry = |fact: &Term| !arena.terms.parts_of(&[*fact]).into_iter().any(named);
    outcomes.sort_by_cached_key(|outcome| {
        let mut facts: Vec<Term> = outcome.path.iter().copied().filter(of_entry).collect();
        facts.sort_unstable();
        facts
    });
    outcomes
}

/// Whether two lists of outcomes are the same, one by one, but for the names of calls and objects.
fn same(arena: &mut Arena, mine: &[Outcome], theirs: &[Outcome]) -> Result<(), Rejection> {
    if mine.len() != theirs.len() {
        return reject(format!("the source has {} outcomes there and it has {}", mine.len(), theirs.len()));
    }
    let mut names = Names::default();
    for (a, b) in mine.iter().zip(theirs) {
        names.outcome(a, b)?;
    }
    names.check_calls(arena)?;
    for (at, (a, b)) in mine.iter().zip(theirs).enumerate() {
        let mut renaming = names.renaming(arena);
        let a = a.rename(arena, &mut renaming);
        let ends = a.ending != Ending::Normal
            || ((faults::planted("kernel/lemma/results") || are_same(arena, &b.path, [&a.results, &b.results]))
                && (faults::planted("kernel/lemma/globals") || are_same(arena, &b.path, [&a.globals, &b.globals]))
                && a.heap == b.heap);
        if (a.path != b.path && !faults::planted("kernel/lemma/paths")) || !ends {
            return reject(format!("outcome {} is another one than that of the source", at + 1));
        }
    }
    Ok(())
}

/// Whether values are the same, one by one, where the facts of a path hold: a test that was met on the way may decide one of them.
fn are_same(arena: &mut Arena, path: &[Term], [mine, theirs]: [&[Term]; 2]) -> bool {
    if mine == theirs {
        return true;
    }
    let mut known = PathFacts::new();
    let possible = path.iter().all(|&fact| known.assume(&mut arena.terms, fact));
    let mut simple = |value: Term| arena.terms.simplify(value, &known);
    mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(&a, &b)| a == b || possible && simple(a) == simple(b))
}

/// The names of one execution in another.
#[derive(Default)]
struct Names {
    calls: BTreeMap<CallId, CallId>,
    news: BTreeMap<AllocClass, AllocClass>,
}

impl Names {
    /// Takes up the calls and objects of two outcomes, in order.
    fn outcome(&mut self, mine: &Outcome, theirs: &Outcome) -> Result<(), Rejection> {
        let lengths = |outcome: &Outcome| (outcome.ending, outcome.calls.len(), outcome.news.len());
        let calls = mine.calls.iter().zip(&theirs.calls).all(|(&a, &b)| *self.calls.entry(a).or_insert(b) == b);
        let news = mine.news.iter().zip(&theirs.news).all(|(&(a, _), &(b, _))| *self.news.entry(a).or_insert(b) == b);
        if lengths(mine) == lengths(theirs) && calls && news {
            Ok(())
        } else {
            reject("it makes other calls or other objects than the source")
        }
    }

    fn renaming(&self, arena: &Arena) -> Renaming {
        let mut renaming = Renaming::default();
        renaming.allocs.extend(self.news.iter().map(|(&a, &b)| (a, b)));
        for (&a, &b) in &self.calls {
            renaming.calls.insert(a, b);
            renaming.allocs.insert(arena.terms.reach(a).fresh, arena.terms.reach(b).fresh);
        }
        renaming
    }

    /// Calls of one name are of one procedure, with the same arguments, from the same store; objects are of one class.
    fn check_calls(&self, arena: &mut Arena) -> Result<(), Rejection> {
        let distinct = |count: usize, of: usize| count == of;
        let (calls, news): (BTreeSet<_>, BTreeSet<_>) = (self.calls.values().collect(), self.news.values().collect());
        let injective = distinct(calls.len(), self.calls.len()) && distinct(news.len(), self.news.len());
        let renaming = self.renaming(arena);
        let (mut terms, mut heaps) = (HashMap::default(), HashMap::default());
        for (&a, &b) in &self.calls {
            let (mine, theirs) = (arena.record(a).clone(), arena.record(b).clone());
            let heap = arena.heaps.rename(&mut arena.terms, mine.heap, &renaming, &mut heaps, &mut terms);
            let mut same = |mine: &[_], theirs: &[_]| {
                mine.len() == theirs.len()
                    && mine.iter().zip(theirs).all(|(&a, &b)| arena.terms.rename(a, &renaming, &mut terms) == b)
            };
            if mine.callee != theirs.callee
                || !(faults::planted("kernel/lemma/arguments") || same(&mine.args, &theirs.args))
                || !same(&mine.globals, &theirs.globals)
                || heap != theirs.heap
            {
                return reject("it calls with other arguments, or from another store, than the source");
            }
        }
        for (&a, &b) in &self.news {
            let same = match (arena.terms.origin(a).clone(), arena.terms.origin(b).clone()) {
                (Origin::New(Kind::Array(mine, length)), Origin::New(Kind::Array(theirs, other))) => {
                    mine == theirs && arena.terms.rename(length, &renaming, &mut terms) == other
                }
                (mine, theirs) => mine == theirs,
            };
            if !same {
                return reject("it makes an object of another class than the source");
            }
        }
        if injective { Ok(()) } else { reject("two calls or objects of the source are one") }
    }
}
