//! What runs say of a pair.
//!
//! In: a pair of procedures. Out: an [`Observation`]: an input on which the two were seen to differ, if there is one.
//!
//! Nothing here is shared with the search of [`prover::search::concrete`], which it is to check; only the interpreter is.
//!
//! Invariant: a run that was stopped, or has no outcome, counts for nothing.

use super::stores::{Odometer, Small, fill, large};
use lang_l::heap::Input;
use lang_l::hir::{Expr, ProcId, Unit};
use lang_l::interp::{
    Behaviour, Clause, Environment, Exclusion, Job, Limits, Outcome, Scattered, Violation, holds, run,
};
use lang_l::isomorphism::same_outcome;
use lang_l::random::Random;
use lang_l::source::Span;
use prover::search::witness::{ContractWitness, Target, Witness};

/// How much is run for each pair.
#[derive(Clone, Copy, Debug)]
pub struct RunBudget {
    /// The most small stores.
    pub small: usize,
    /// How many large stores.
    pub large: usize,
}

impl Default for RunBudget {
    fn default() -> Self {
        RunBudget { small: 500, large: 40 }
    }
}

/// How far each run goes.
const LIMITS: Limits =
    Limits { steps: 4_000, depth: 400, array_length: 1 << 10, int_bits: 1 << 10, checks: false, divergence: true };
/// How far a run goes that is said never to end.
pub const LONG: Limits = Limits { steps: 50_000, depth: 5_000, ..LIMITS };
/// How far a run goes from a store that was planted.
pub const FAR: Limits = Limits { steps: 30_000_000, depth: 100_000, array_length: 1 << 20, ..LIMITS };
/// The behaviours of external procedures that are tried.
const EXTERNALS: [Behaviour; 6] = [
    Behaviour::Skip,
    Behaviour::Seeded(1),
    Behaviour::Seeded(2),
    Behaviour::Seeded(3),
    Behaviour::Seeded(4),
    Behaviour::Error,
];

/// Two procedures that are compared.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'u> {
    /// That of version 0.
    pub left: ProcId,
    /// That of version 1.
    pub right: ProcId,
    /// The condition that a store must satisfy.
    pub when: Option<&'u Expr>,
}

impl From<(ProcId, ProcId)> for Compared<'_> {
    /// From all stores.
    fn from((left, right): (ProcId, ProcId)) -> Self {
        Compared { left, right, when: None }
    }
}

impl Compared<'_> {
    /// Whether the two are compared on this input: a condition without a value does not hold.
    fn includes(&self, unit: &Unit, input: &Input) -> bool {
        let job = Job { unit, version: 0, procedure: self.left, limits: LIMITS };
        self.when.is_none_or(|when| holds(&job, when, input.clone(), &mut surroundings(0, Behaviour::Skip)).0)
    }
}

/// In what two runs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// One ends and the other never does.
    Termination,
    /// One ends and the other has no outcome, as an `assume` fails; that counts as not ending.
    Blocked,
    /// Both end, and not alike.
    Outcome,
}

/// Two runs that differ.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// What both started from.
    pub input: Input,
    /// What external procedures did.
    pub externals: Behaviour,
    /// How they differ.
    pub difference: Difference,
}

/// What was seen of a pair.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// Runs of which one ends and the other does not: it never does, or an `assume` stops it.
    pub termination: Option<Disagreement>,
    /// Runs that end, and not alike.
    pub outcome: Option<Disagreement>,
    /// How many inputs told something.
    pub told: usize,
    /// The clauses of contracts that were seen to fail, each with the version that was run.
    pub violations: Vec<(usize, Violation)>,
    /// Where runs were seen to err, each with the version that was run.
    pub errors: Vec<(usize, Span)>,
}

/// Runs both procedures on many stores.
pub fn observe<'u>(
    unit: &'u Unit,
    pair: impl Into<Compared<'u>>,
    budget: RunBudget,
    random: &mut Random,
) -> Observation {
    let pair = pair.into();
    let mut watch = Watch { unit, pair, limits: LIMITS, seen: Observation::default() };
    each_store(unit, (pair.left, pair.right), budget, random, &mut |input, externals| watch.input(input, externals));
    watch.seen
}

/// Calls `visit` with many stores for a pair, and what external procedures are to do.
pub fn each_store(
    unit: &Unit,
    (left, right): (ProcId, ProcId),
    budget: RunBudget,
    random: &mut Random,
    visit: &mut dyn FnMut(Input, Behaviour),
) {
    let job = |version, procedure| Job { unit, version, procedure, limits: LIMITS };
    let procedure = unit.versions[0].procedure(left);
    let externals: &[Behaviour] = if has_externals(unit) { &EXTERNALS } else { &EXTERNALS[..1] };
    for &behaviour in externals {
        for objects in [1, 2, 3] {
            let mut odometer = Odometer::default();
            for _ in 0..budget.small / 3 / externals.len() {
                // What neither reads is set at random.
                let mut small = Small::new(&mut odometer, objects, behaviour);
                let first = run(&job(0, left), Input::default(), &mut small);
                let mut input = run(&job(1, right), first.input, &mut small).input;
                fill(unit, procedure, &mut input, random);
                visit(input, behaviour);
                if !odometer.advance() {
                    break;
                }
            }
        }
        for at in 0..budget.large / externals.len() {
            visit(large(unit, procedure, 1 + at % 7, random), behaviour);
        }
    }
}

/// What both procedures do on one store; contracts are checked.
pub fn outcomes(unit: &Unit, pair: (ProcId, ProcId), input: &Input, externals: Behaviour) -> [Outcome; 2] {
    [(0, pair.0), (1, pair.1)].map(|(version, procedure)| {
        let job = Job { unit, version, procedure, limits: Limits { checks: true, ..LIMITS } };
        run(&job, input.clone(), &mut surroundings(version, externals)).outcome
    })
}

/// Whether a condition holds of a store on entry.
pub fn satisfies(unit: &Unit, procedure: ProcId, condition: &Expr, input: &Input) -> bool {
    let job = Job { unit, version: 0, procedure, limits: LIMITS };
    holds(&job, condition, input.clone(), &mut surroundings(0, Behaviour::Skip)).0
}

/// Runs both on one store, as far as it takes; external procedures do nothing.
pub fn observe_from<'u>(unit: &'u Unit, pair: impl Into<Compared<'u>>, input: Input) -> Observation {
    let mut watch = Watch { unit, pair: pair.into(), limits: FAR, seen: Observation::default() };
    watch.input(input, Behaviour::Skip);
    watch.seen
}

fn has_externals(unit: &Unit) -> bool {
    unit.versions.iter().flat_map(|version| &version.procedures).any(|procedure| procedure.body.is_none())
}

struct Watch<'u> {
    unit: &'u Unit,
    pair: Compared<'u>,
    limits: Limits,
    seen: Observation,
}

impl<'u> Watch<'u> {
    fn job(&self, version: usize, checks: bool) -> Job<'u> {
        let procedure = if version == 0 { self.pair.left } else { self.pair.right };
        Job { unit: self.unit, version, procedure, limits: Limits { checks, ..self.limits } }
    }

    fn input(&mut self, input: Input, externals: Behaviour) {
        let outcome =
            |version| run(&self.job(version, true), input.clone(), &mut surroundings(version, externals)).outcome;
        // A run in which a contract fails shows a violation, and never a difference.
        let (left, right) = (outcome(0), outcome(1));
        self.seen.told += usize::from(ends(&left) && ends(&right));
        let found = difference(self.unit, &input, &left, &right);
        if let Some(difference) = found.filter(|_| self.pair.includes(self.unit, &input)) {
            let of =
                if difference == Difference::Outcome { &mut self.seen.outcome } else { &mut self.seen.termination };
            of.get_or_insert(Disagreement { input, externals, difference });
        }
        for (version, outcome) in [left, right].into_iter().enumerate() {
            match outcome {
                Outcome::Violation(found) => {
                    let known = |(of, known): &(usize, Violation)| *of == version && known.span == found.span;
                    if !self.seen.violations.iter().any(known) {
                        self.seen.violations.push((version, found));
                    }
                }
                Outcome::Error(failure) if !self.seen.errors.contains(&(version, failure.span)) => {
                    self.seen.errors.push((version, failure.span));
                }
                _ => {}
            }
        }
    }
}

/// Whether a run came to an end that counts.
fn ends(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Normal(_) | Outcome::Error(_))
}

/// In what two outcomes of runs from `input` differ.
pub fn difference(unit: &Unit, input: &Input, left: &Outcome, right: &Outcome) -> Option<Difference> {
    match (left, right) {
        (Outcome::Normal(a), Outcome::Normal(b)) => same_outcome(unit, a, b, input).err().map(|_| Difference::Outcome),
        (Outcome::Error(_), Outcome::Error(_)) => None,
        _ if ends(left) && ends(right) => Some(Difference::Outcome),
        (Outcome::Diverged(_), other) | (other, Outcome::Diverged(_)) if ends(other) => Some(Difference::Termination),
        (Outcome::Excluded(Exclusion::Assume, _), other) | (other, Outcome::Excluded(Exclusion::Assume, _))
            if ends(other) =>
        {
            Some(Difference::Blocked)
        }
        _ => None,
    }
}

/// Runs both procedures on one input, as a user would to check a counterexample, with addresses that mean nothing. That one
/// is stopped by an `assume` is no difference that a counterexample can show.
pub fn replays<'u>(
    unit: &'u Unit,
    pair: impl Into<Compared<'u>>,
    input: &Input,
    externals: Behaviour,
) -> Option<Difference> {
    let pair = pair.into();
    let outcome = |version: usize, procedure| {
        let job = Job { unit, version, procedure, limits: Limits::default() };
        run(&job, input.clone(), &mut surroundings(version, externals)).outcome
    };
    let difference = difference(unit, input, &outcome(0, pair.left), &outcome(1, pair.right))?;
    (difference != Difference::Blocked && pair.includes(unit, input)).then_some(difference)
}

/// Whether the other procedure ends on this input, and that of version `endless` does not within these limits.
///
/// Runs can say no more where a recurrent set shows that a run never ends: it comes back to no state it has been in.
pub fn outlasts(unit: &Unit, pair: Compared<'_>, shown: &Witness, endless: usize, limits: Limits) -> bool {
    let procedures = [pair.left, pair.right];
    let outcome = |version: usize| {
        let job = Job { unit, version, procedure: procedures[version], limits: Limits { checks: true, ..limits } };
        run(&job, shown.input().clone(), &mut surroundings(version, shown.externals())).outcome
    };
    matches!(outcome(endless), Outcome::OutOfBudget(_))
        && matches!(outcome(1 - endless), Outcome::Normal(_) | Outcome::Error(_))
        && pair.includes(unit, shown.input())
}

/// Whether a run from this input breaks the clause, or the `assert`, that it is said to break.
pub fn breaks(unit: &Unit, said: &ContractWitness) -> bool {
    let (version, procedure) = (said.version(), said.procedure());
    let job = Job { unit, version, procedure, limits: Limits::default() };
    let surroundings = &mut surroundings(version, said.externals());
    let violation = said.violation();
    let wanted = match violation.clause {
        Clause::Assert => Target::Assert(violation.span, &violation.procedure),
        _ => Target::Clause(violation.span),
    };
    wanted.broken_by(run(&job, said.input().clone(), surroundings).outcome).as_ref() == Some(violation)
}

/// Scattered addresses, different in each version, none of them used before.
fn surroundings(version: usize, externals: Behaviour) -> impl Environment {
    Scattered::new(0xF00D + version as u64).with(externals)
}
