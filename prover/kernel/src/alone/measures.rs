//! Why recursion ends: measures that shrink from call to call.
//!
//! In: the procedures of a version, and [`Ranking`]s. Out: whether each ranking shows that its component ends.
//!
//! Rule *Rank* (`proofs/soundness.md`): a measure is a linear form over the integer parameters and the lengths of the others, or the absolute
//! value of one. For each recursive call, on its path, the caller's measure is at least 0 and the callee's is smaller. With two measures in lexicographic order it
//! is enough that the first does not grow, and that the second is at least 0 and shrinks. No infinite chain of calls can do
//! that.
//!
//! Invariant: each procedure is executed in an arena of its own. Parameters of several procedures are one term there where they have one
//! number, and a quantifier would speak of what another procedure is given (rule *Instances*).

use crate::effects::Effects;
use crate::exec::{Executor, Limits, execute, on_entry};
use crate::rejection::{Rejection, reject};
use lang_l::hir::{ProcId, Unit};
use lang_l::source::Span;
use num_bigint::BigInt;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{CallId, Ending, Func, Sort, Term, Terms};
use std::collections::BTreeMap;

/// A linear form over parameters and lengths of parameters, by their position; or its absolute value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure {
    /// Whether it is the absolute value.
    pub absolute: bool,
    /// What is added.
    pub constant: BigInt,
    /// What each parameter is multiplied by.
    pub coefficients: BTreeMap<u32, BigInt>,
    /// What the length of each is multiplied by. No store changes it.
    pub lengths: BTreeMap<u32, BigInt>,
}

/// Why the procedures of a component end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// The component; callees that it does not reach itself are not in it.
    pub component: Vec<ProcId>,
    /// No measure, where there is no recursive call on any path; or one; or two in lexicographic order.
    pub measures: Vec<Measure>,
    /// The recursive calls at which it is the second measure that shrinks, numbered along procedures and paths.
    pub by_second: Vec<usize>,
}

/// One recursive call: its version, the path to it, as assumptions, its arguments, and where it is.
pub struct Descent {
    /// The version.
    pub version: usize,
    /// The path to it.
    pub path: Vec<Term>,
    /// What it hands on.
    pub args: Vec<Term>,
    /// Where it is.
    pub span: Span,
}

/// Checks rankings, and says in `effects` that the procedures of their components end.
///
/// # Errors
/// When a measure does not shrink, or is not enough.
pub fn check(
    unit: &Unit,
    version: usize,
    effects: &mut [Effects],
    solver: &mut Solver,
    rankings: &[Ranking],
) -> Result<(), Rejection> {
    for ranking in rankings {
        let component = &ranking.component;
        let known = component.iter().all(|id| id.index() < effects.len());
        let unbounded = || Rejection("recursion is said to end that no measure can bound".into());
        if !known || !is_open(unit, version, effects, component) {
            return Err(unbounded());
        }
        let mut before = 0;
        for &id in component {
            let mut arena = Arena::new(unit);
            let calls = descents(unit, version, effects, &mut arena, (id, component)).ok_or_else(unbounded)?;
            for (number, call) in (before..).zip(&calls) {
                if !falls(ranking, number, |measure, strictly| shrinks(&mut arena, solver, measure, call, strictly)) {
                    return reject("a measure does not shrink at a recursive call");
                }
            }
            before += calls.len();
        }
        for id in component {
            effects[id.index()].terminates = true;
        }
    }
    Ok(())
}

/// Whether the measures of a ranking fall at the recursive call of this number, as one of them does or does not.
fn falls(ranking: &Ranking, number: usize, mut falls: impl FnMut(&Measure, bool) -> bool) -> bool {
    match &ranking.measures[..] {
        [] => false,
        // As it is said, and not as the answers fall: whoever writes a certificate has none.
        [first, second, ..] if ranking.by_second.contains(&number) => falls(second, true) && falls(first, false),
        [first, ..] => falls(first, true),
    }
}

/// Whether a component would end if its own recursion did, and that is not known yet.
pub fn is_open(unit: &Unit, version: usize, effects: &[Effects], component: &[ProcId]) -> bool {
    let procedures = &unit.versions[version].procedures;
    let ends_without = |id: &ProcId| {
        let own = &effects[id.index()];
        procedures[id.index()].body.is_some()
            && !own.may_block
            && own.callees.iter().all(|callee| component.contains(callee) || effects[callee.index()].terminates)
    };
    component.iter().all(ends_without) && component.iter().any(|id| !effects[id.index()].terminates)
}

/// The calls from a procedure into its component, in an arena that is new; `None` when it has too many paths.
pub fn descents(
    unit: &Unit,
    version: usize,
    effects: &[Effects],
    arena: &mut Arena,
    (id, component): (ProcId, &[ProcId]),
) -> Option<Vec<Descent>> {
    if !effects[id.index()].recursive(id) {
        return Some(Vec::new());
    }
    let mut executor = Executor::new(unit, version, effects, Limits::default(), arena);
    let (_, assumed, _) = on_entry(&mut executor, id);
    let execution = execute(unit, version, effects, &Limits::default(), arena, (id, &assumed)).ok()?;
    let mut descents = Vec::new();
    // The outcome in which a call never ends has just the path to it.
    for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Diverges) {
        let last: Option<&CallId> = outcome.calls.last();
        let Some(record) = last.map(|&call| arena.record(call)) else { continue };
        if component.contains(&record.callee) {
            descents.push(Descent {
                version,
                path: outcome.path.clone(),
                args: record.args.clone(),
                span: record.span,
            });
        }
    }
    Some(descents)
}

/// Whether, at a call, the measure is at least 0 before and smaller after (`strictly`), or no greater after.
pub fn shrinks(arena: &mut Arena, solver: &mut Solver, measure: &Measure, descent: &Descent, strictly: bool) -> bool {
    let before = value(arena, measure, |terms, at, sort| Some(terms.app(Func::Param(at), &[], sort)));
    let after = value(arena, measure, |_, at, _| descent.args.get(at as usize).copied());
    let (Some(before), Some(after)) = (before, after) else { return false };
    let goal = decrease(&mut arena.terms, before, after, strictly);
    let tag = Purpose::MeasureShrinks.within(descent.version, vec![descent.span]);
    solver.prove(arena, &Obligation { assumptions: descent.path.clone(), goal, tag }) == Answer::Holds
}

fn value(arena: &mut Arena, measure: &Measure, of: impl Fn(&mut Terms, u32, Sort) -> Option<Term>) -> Option<Term> {
    let mut sum = arena.terms.int(measure.constant.clone());
    let numbers = measure.coefficients.iter().map(|(&at, own)| (at, own, Sort::Int));
    let lengths = measure.lengths.iter().map(|(&at, own)| (at, own, Sort::Ref));
    for (at, coefficient, sort) in numbers.chain(lengths) {
        let mut term = of(&mut arena.terms, at, sort).filter(|&term| arena.terms.sort(term) == sort)?;
        if sort == Sort::Ref {
            term = arena.heaps.length(&mut arena.terms, term);
        }
        let coefficient = arena.terms.int(coefficient.clone());
        let product = arena.terms.mul(coefficient, term);
        sum = arena.terms.add(sum, product);
    }
    if measure.absolute {
        let (zero, negated) = (arena.terms.int(0), arena.terms.neg(sum));
        let is_positive = arena.terms.le(zero, sum);
        sum = arena.terms.ite(is_positive, sum, negated);
    }
    Some(sum)
}

/// That a measure is at least 0 before and smaller after (`strictly`), or no greater after.
pub fn decrease(terms: &mut Terms, before: Term, after: Term, strictly: bool) -> Term {
    if !strictly {
        return terms.le(after, before);
    }
    let zero = terms.int(0);
    let bounded =
        if faults::planted("kernel/alone/measure-unbounded") { terms.bool(true) } else { terms.le(zero, before) };
    let smaller = terms.lt(after, before);
    terms.and(&[bounded, smaller])
}
