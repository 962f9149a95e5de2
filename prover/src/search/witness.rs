//! Runs both versions on a concrete store, and so turns a suspicion into a witness.
//!
//! In: a pair (or one procedure) and an input from whatever source: a search, a solver's model, a user. Out: a [`Witness`]
//! that the two differ, a [`ContractWitness`] that a contract fails, or nothing.
//!
//! Invariant: only this module makes these witnesses, and only of what it has just seen happen. A pair is not equivalent,
//! and a contract violated, only by a value made here.
//! Invariant: that a version never ends is believed only when the interpreter proves it, or a recurrent set does for a place
//! where the run has just been.

use crate::search::recurrent_set::RecurrentSet;
use lang_l::heap::Input;
use lang_l::hir::same::same_code;
use lang_l::hir::{Expr, ProcId, Procedure, Unit, Version};
use lang_l::interp::{
    Behaviour, Budget, Clause, Environment, Exclusion, Job, Limits, Outcome, Run, Scattered, Sequential, Stuck,
    Violation, holds, run,
};
use lang_l::isomorphism::{Difference, same_outcome};
use lang_l::naming::named;
use lang_l::source::Span;
use lang_l::store_json::completed;
use lang_l::value::Addr;
use std::collections::BTreeSet;

/// Seeds of the address sequences under which a conclusion must stay the same.
const SEEDS: [u64; 2] = [1, 0x5eed];

/// Two procedures to be compared.
#[derive(Clone, Copy, Debug)]
pub struct RunPair<'u> {
    /// The program; both versions of it.
    pub unit: &'u Unit,
    /// A procedure of version 0.
    pub left: ProcId,
    /// A procedure of version 1, with parameters and results of the same types.
    pub right: ProcId,
    /// The condition under which they are compared, over the left procedure's parameters.
    pub when: Option<&'u Expr>,
}

impl<'u> RunPair<'u> {
    /// The procedure of version 0.
    pub fn left_procedure(&self) -> &'u Procedure {
        self.unit.versions[0].procedure(self.left)
    }

    /// The procedure of version 1.
    pub fn right_procedure(&self) -> &'u Procedure {
        self.unit.versions[1].procedure(self.right)
    }
}

/// In what two runs from one input differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contrast {
    /// Both end normally, in stores that are not isomorphic; this is the first difference.
    Stores(Difference),
    /// One ends normally and the other in error.
    Error,
    /// One ends, and the other provably never does.
    Termination,
}

impl Contrast {
    /// Whether the two are of the same sort, whatever the details.
    pub fn same_sort(&self, other: &Contrast) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// What the runs showed, in words.
    pub fn sentence(&self) -> &'static str {
        match self {
            Contrast::Termination => "one ends, the other never does",
            Contrast::Error => "one returns, the other errs",
            Contrast::Stores(_) => "the two return in different stores",
        }
    }
}

/// The proof that two procedures differ: an input, and what both did on it.
#[derive(Clone, Debug)]
pub struct Witness {
    input: Input,
    externals: Behaviour,
    left: Outcome,
    right: Outcome,
    contrast: Contrast,
}

impl Witness {
    /// What both started from; nothing in it is unset.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// What external procedures did.
    pub fn externals(&self) -> Behaviour {
        self.externals
    }

    /// How version 0 ended.
    pub fn left(&self) -> &Outcome {
        &self.left
    }

    /// How version 1 ended.
    pub fn right(&self) -> &Outcome {
        &self.right
    }

    /// In what they differ.
    pub fn contrast(&self) -> &Contrast {
        &self.contrast
    }
}

/// The proof that a contract fails: an input, and the clause that was violated in the run from it.
#[derive(Clone, Debug)]
pub struct ContractWitness {
    version: usize,
    procedure: ProcId,
    input: Input,
    externals: Behaviour,
    violation: Violation,
}

impl ContractWitness {
    /// Which version was run.
    pub fn version(&self) -> usize {
        self.version
    }

    /// Which procedure was run; the clause may be that of another, which it calls.
    pub fn procedure(&self) -> ProcId {
        self.procedure
    }

    /// What it started from; nothing in it is unset.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// What external procedures did.
    pub fn externals(&self) -> Behaviour {
        self.externals
    }

    /// The clause, and what is wrong.
    pub fn violation(&self) -> &Violation {
        &self.violation
    }
}

/// Runs both procedures on `input`, what it leaves unset at its default. A witness when `input` satisfies both `requires` and
/// the pair's `when`, and the outcomes differ, under every sequence of addresses tried. Contracts are checked whatever the
/// limits say: a run in which one fails shows a violation, and never a difference.
pub fn replay(pair: &RunPair<'_>, input: &Input, externals: Behaviour, limits: Limits) -> Option<Witness> {
    let (found, made) = replay_once(pair, input, externals, limits)?;
    let limits = Limits { checks: true, ..limits };
    // Where nothing was allocated the runs are the same ones under all addresses.
    for seed in SEEDS.into_iter().filter(|_| made) {
        // Different addresses in the two runs: what does not matter must not matter across versions either.
        let mut scattered = [seed, !seed].map(|seed| Scattered::new(seed).with(externals));
        let [first, second] = &mut scattered;
        let (_, _, again) = contrast(pair, &found.input, limits, [first, second])?;
        if !again.same_sort(&found.contrast) {
            return None;
        }
    }
    Some(found)
}

/// Whether the outcomes differ under one sequence of addresses: enough for a search whose result is replayed.
pub fn differs_once(pair: &RunPair<'_>, input: &Input, externals: Behaviour, limits: Limits) -> bool {
    replay_once(pair, input, externals, limits).is_some()
}

/// What would be a witness if it were one under other addresses as well, and whether a run has asked for an address.
fn replay_once(pair: &RunPair<'_>, input: &Input, externals: Behaviour, limits: Limits) -> Option<(Witness, bool)> {
    let input = usable(pair.unit, pair.left_procedure(), input)?;
    let limits = Limits { checks: true, ..limits };
    if let Some(when) = pair.when {
        let job = job(pair.unit, 0, pair.left, limits);
        let (holds, _) = holds(&job, when, input.clone(), &mut Sequential::after(&input));
        if !holds {
            return None;
        }
    }
    let [mut first, mut second] = [0, 1].map(|_| Watched::new(&input, externals));
    let (left, right, contrast) = contrast(pair, &input, limits, [&mut first, &mut second])?;
    let made = first.asked || second.asked;
    let declared_alike = is_one_external(pair.unit, [&first, &second], externals);
    declared_alike.then_some((Witness { input, externals, left, right, contrast }, made))
}

/// Whether what two runs took externals to do keeps what either version says of them: they are the same procedures in both. Whoever
/// does nothing or errs keeps any `modifies`.
fn is_one_external(unit: &Unit, runs: [&Watched; 2], externals: Behaviour) -> bool {
    let called = runs.into_iter().flat_map(|run| &run.called);
    called.into_iter().all(|name| {
        let writes = matches!(externals, Behaviour::Seeded(_));
        // A call that breaks a `requires` shows no difference.
        let kept = |of: &Procedure| {
            let modifies = of.modifies.clone().filter(|_| writes);
            Procedure { requires: Vec::new(), modifies, ..of.clone() }
        };
        let of = |version: &Version| version.find(name).map(|id| kept(version.procedure(id)));
        match [0, 1].map(|version| of(&unit.versions[version])) {
            [Some(left), Some(right)] if left.body.is_none() && right.body.is_none() => {
                same_code(&left, &right, |_, _| false)
            }
            _ => true,
        }
    })
}

/// The usual surroundings of a run, which note whether it asks for an address, and which externals it calls.
struct Watched {
    inner: Sequential,
    asked: bool,
    called: BTreeSet<String>,
}

impl Watched {
    fn new(input: &Input, externals: Behaviour) -> Self {
        Watched { inner: Sequential::after(input).with(externals), asked: false, called: BTreeSet::new() }
    }
}

impl Environment for Watched {
    fn fresh(&mut self) -> Addr {
        self.asked = true;
        self.inner.fresh()
    }

    fn behaviour(&mut self, procedure: &str) -> Behaviour {
        self.called.insert(procedure.to_string());
        self.inner.behaviour(procedure)
    }
}

/// Runs both procedures on `input`. A witness when one ends and the other is stopped at a place from which it never will.
///
/// `never_ends` is told the version and the place. It proves that the run from there neither ends nor breaks a contract.
pub fn replay_endless(
    pair: &RunPair<'_>,
    input: &Input,
    externals: Behaviour,
    limits: Limits,
    never_ends: &mut dyn FnMut(usize, &Stuck) -> Option<RecurrentSet>,
) -> Option<Witness> {
    let stopped = |outcome: &Outcome| matches!(outcome, Outcome::OutOfBudget(Budget::Steps | Budget::Depth));
    let (input, runs, endless) = one_ends(pair, input, externals, limits, &stopped)?;
    let proof = runs[endless].stuck.iter().find_map(|stuck| never_ends(endless, stuck))?;
    let diverged = Outcome::Diverged(proof.into());
    let [mut left, mut right] = runs.map(|run| run.outcome);
    *[&mut left, &mut right][endless] = diverged;
    Some(Witness { input, externals, left, right, contrast: Contrast::Termination })
}

/// Runs both procedures on `input`. A witness when one ends and the other is blocked by an `assume`, for whoever counts that among runs
/// that do not end.
pub fn replay_blocked(pair: &RunPair<'_>, input: &Input, externals: Behaviour, limits: Limits) -> Option<Witness> {
    let (input, runs, _) = one_ends(pair, input, externals, limits, &is_blocked)?;
    let [left, right] = runs.map(|run| run.outcome);
    Some(Witness { input, externals, left, right, contrast: Contrast::Termination })
}

/// Whether a run is blocked by an `assume`.
pub fn is_blocked(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Excluded(Exclusion::Assume, _))
}

/// Both runs from an input, if one ends and the other is kept from it, and which that is; the same with other addresses.
fn one_ends(
    pair: &RunPair<'_>,
    input: &Input,
    externals: Behaviour,
    limits: Limits,
    kept: &dyn Fn(&Outcome) -> bool,
) -> Option<(Input, [Run; 2], usize)> {
    let input = usable(pair.unit, pair.left_procedure(), input)?;
    let limits = Limits { checks: true, ..limits };
    if let Some(when) = pair.when
        && !holds(&job(pair.unit, 0, pair.left, limits), when, input.clone(), &mut Sequential::after(&input)).0
    {
        return None;
    }
    let procedures = [pair.left, pair.right];
    let run_in = |version: usize, environment: &mut dyn Environment| {
        run(&job(pair.unit, version, procedures[version], limits), input.clone(), environment)
    };
    let mut watched = [0, 1].map(|_| Watched::new(&input, externals));
    let [first, second] = &mut watched;
    let runs = [run_in(0, first), run_in(1, second)];
    if !is_one_external(pair.unit, watched.each_ref(), externals) {
        return None;
    }
    let ended = |outcome: &Outcome| matches!(outcome, Outcome::Normal(_) | Outcome::Error(_));
    let endless = (0..2).find(|&at| kept(&runs[at].outcome) && ended(&runs[1 - at].outcome))?;
    for seed in SEEDS {
        let again = [0, 1].map(|version| run_in(version, &mut Scattered::new(seed).with(externals)).outcome);
        if !kept(&again[endless]) || !ended(&again[1 - endless]) {
            return None;
        }
    }
    Some((input, runs, endless))
}

/// What a run is to break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'n> {
    /// Any contract.
    Contract,
    /// The clause of a contract at this place.
    Clause(Span),
    /// The `assert` at this place, of the procedure of this name. Where it fails, or has no value, the run errs.
    Assert(Span, &'n str),
}

impl Target<'_> {
    /// What an outcome breaks of it.
    pub fn broken_by(self, outcome: Outcome) -> Option<Violation> {
        match (self, outcome) {
            (Target::Contract, Outcome::Violation(violation)) => Some(violation),
            (Target::Clause(span), Outcome::Violation(violation)) => (violation.span == span).then_some(violation),
            (Target::Assert(span, name), Outcome::Error(failure)) => {
                let (whole, part) = (span.range(), failure.span.range());
                let here = span.file == failure.span.file && whole.start <= part.start && part.end <= whole.end;
                here.then(|| Violation {
                    clause: Clause::Assert,
                    span,
                    procedure: name.to_string(),
                    call: None,
                    message: failure.kind.message().to_string(),
                })
            }
            _ => None,
        }
    }
}

/// Runs one procedure on `input`, checking contracts. A witness when it breaks what is wanted, and in the same way under
/// every sequence of addresses tried.
pub fn replay_contract(
    unit: &Unit,
    (version, procedure): (usize, ProcId),
    wanted: Target<'_>,
    input: &Input,
    externals: Behaviour,
    limits: Limits,
) -> Option<ContractWitness> {
    let input = usable(unit, unit.versions[version].procedure(procedure), input)?;
    let job = job(unit, version, procedure, Limits { checks: true, ..limits });
    let broken = |environment: &mut dyn Environment| wanted.broken_by(run(&job, input.clone(), environment).outcome);
    let violation = broken(&mut Sequential::after(&input).with(externals))?;
    let same = |seed| broken(&mut Scattered::new(seed).with(externals)).as_ref() == Some(&violation);
    if !SEEDS.into_iter().all(same) {
        return None;
    }
    Some(ContractWitness { version, procedure, input, externals, violation })
}

fn job(unit: &Unit, version: usize, procedure: ProcId, limits: Limits) -> Job<'_> {
    Job { unit, version, procedure, limits }
}

/// The input with nothing left unset, if it is one that the procedure can be called with.
fn usable(unit: &Unit, procedure: &Procedure, input: &Input) -> Option<Input> {
    let input = completed(unit, procedure, input);
    input.fits(unit, procedure).then_some(input)
}

/// Runs both and says in what they differ, if they do and nothing kept either from having an outcome.
fn contrast(
    pair: &RunPair<'_>,
    input: &Input,
    limits: Limits,
    environments: [&mut dyn Environment; 2],
) -> Option<(Outcome, Outcome, Contrast)> {
    let [first, second] = environments;
    let outcome = |job: Job<'_>, environment: &mut dyn Environment| match run(&job, input.clone(), environment).outcome
    {
        // Named alike, as far as the two are alike.
        Outcome::Normal(last) => Outcome::Normal(named(&last, input)),
        other => other,
    };
    let left = outcome(job(pair.unit, 0, pair.left, limits), first);
    let right = outcome(job(pair.unit, 1, pair.right, limits), second);
    let contrast = compare(pair.unit, input, &left, &right)?;
    Some((left, right, contrast))
}

/// In what two outcomes of runs from `input` differ, if they do.
pub fn compare(unit: &Unit, input: &Input, left: &Outcome, right: &Outcome) -> Option<Contrast> {
    match (left, right) {
        (Outcome::Normal(left), Outcome::Normal(right)) => {
            same_outcome(unit, left, right, input).err().map(|difference| Contrast::Stores(*difference))
        }
        (Outcome::Normal(_), Outcome::Error(_)) | (Outcome::Error(_), Outcome::Normal(_)) => Some(Contrast::Error),
        (Outcome::Diverged(_), Outcome::Normal(_) | Outcome::Error(_))
        | (Outcome::Normal(_) | Outcome::Error(_), Outcome::Diverged(_)) => Some(Contrast::Termination),
        _ => None,
    }
}
