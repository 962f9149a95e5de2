//! Coupling: mutual summaries that are found from runs and then proved.
//!
//! In: a pair of procedures over integers, and over a heap that they only read. Their loops and recursion do not match call
//! for call. Out: whether a mutual summary per pair of calls proves the two partially equivalent, and whether they end
//! together.
//!
//! Equal arguments are one way for two calls to correspond; `k = 3 * i` or `r' = r + a` are others. Both versions are run on
//! a number of inputs, and their calls are laid side by side in the order they happen. Every polynomial equation of low
//! degree that the observed arguments satisfy becomes a candidate *coupling*. Every one that holds of arguments and results
//! becomes a candidate *summary*. What is not inductive is dropped until the rest is. Compare the invariants mined from
//! traces in Sharma et al., "Data-driven equivalence checking" (OOPSLA 2013), and Hawblitzel et al. on mutual summaries.
//!
//! Rule *Couple* (`proofs/soundness.md`): where two calls start coupled and both end, their results satisfy the summary. The
//! proof is by induction over the sum of the depths of the two executions.
//!
//! Equations are looked for first. Where they do not do, bounds and remainders are as well (`bounds`), and what each procedure
//! gives back by itself (`laws`).
//!
//! Invariant: the runs only propose; every fact that is used was proved to be inductive together with the others. The kernel is
//! told of them as summaries, and nothing is proved to which it does not agree.

pub mod closed_form;
mod ends;
mod laws;
mod runs;
pub mod stages;
mod steps;

use super::{Engine, relational};
use crate::budget::coupling::{
    BOUNDED_UNROLLINGS, DEGREES, MAX_BOUNDED_QUERIES, MAX_QUERIES, MAX_ROUNDS, UNROLLED_DEGREES, UNROLLINGS,
};
use crate::chc::asking::Asking;
use crate::chc::houdini::{self, Look};
use crate::chc::polynomial::fit;
use crate::chc::summaries::Candidates;
use crate::chc::templates::{self, Fact};
use crate::engines::fragments::heapless;
use crate::engines::fragments::{gives_numbers, only_reads};
use crate::goal::{Goal, Pair, PairProof, Program, ProofEvidence, Rule};
use kernel::effects::Effects;
use kernel::pair::PairEvidence;
use kernel::pair::summaries::{self, SummariesEvidence, Summary};
use kernel::relate::Level;
use laws::{Laws, instances};
use num_bigint::BigInt;
use runs::{Observations, Order, Simulator};
use smt::obligation::Purpose;
use smt::solve::Solver;
use smt::term::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};
use steps::{Call, Step, Steps};

/// By mutual summaries found from runs.
static COUPLING: Rule = Rule {
    name: "coupling",
    sentence: "proved by relations between the calls of both, found from runs",
    argument: "Couple",
    // It asks many queries.
    share: 60,
};

/// Rule *Couple*.
pub(crate) struct Coupling {
    /// Whether bounds and remainders are looked for, besides equations.
    pub(crate) bounds: bool,
}

impl Engine for Coupling {
    fn rule(&self) -> &'static Rule {
        &COUPLING
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::Summaries(_))
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        relational::is_open(goal) && applies(goal.program, goal.pair)
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        let found = prove(goal.program, goal.pair, self.bounds, solver);
        let found = found.map(|(evidence, together)| (relational::level(goal, together), evidence));
        // A product often shows more than that two end alike if both end.
        let found = found.filter(|(level, _)| !self.bounds || *level == Level::Full);
        summarised(goal, &COUPLING, found, solver)
    }
}

/// The proof by summaries that were found, where the kernel agrees that they are one. Another engine may know of another.
fn summarised(
    goal: &Goal<'_>,
    rule: &'static Rule,
    found: Option<(Level, SummariesEvidence)>,
    solver: &mut Solver,
) -> PairProof {
    let Some((level, evidence)) = found else { return relational::nothing(goal, rule) };
    match summaries::with_exact(&goal.as_checked(), level, evidence, solver) {
        Some(evidence) => relational::proof(goal, rule, level, Some(ProofEvidence::Summaries(evidence))),
        None => relational::nothing(goal, rule),
    }
}

/// The mutual summaries that prove the pair partially equivalent, if some are found; and whether the two end together, which
/// is as plain where both always end.
fn prove(program: &Program<'_>, pair: Pair, bounds: bool, solver: &mut Solver) -> Option<(SummariesEvidence, bool)> {
    let unrollings: &[[usize; 2]] = if bounds { &BOUNDED_UNROLLINGS } else { &UNROLLINGS };
    unrollings.iter().find_map(|&unroll| {
        let mut steps = Steps::of(program, pair, unroll)?;
        let laws = if bounds { closed_form::inductive(&mut steps, &[], solver) } else { Laws::new() };
        let degrees: &[u32] = if unroll == [0, 0] { &DEGREES } else { &UNROLLED_DEGREES };
        let orders: &[Order] = match bounds && steps.has_several_recursive() {
            true => &[Order::OfProcedure, Order::OfRun],
            false => &[Order::OfProcedure],
        };
        let tries: Vec<(u32, Order)> =
            degrees.iter().flat_map(|&degree| orders.iter().map(move |&order| (degree, order))).collect();
        let summaries = tries.into_iter().find_map(|(degree, order)| {
            let seen = Simulator::observe(&mut steps, pair, order);
            let summaries = observed(&mut steps, seen, (degree, bounds));
            let mut coupler = Coupler::new(&mut steps, pair, summaries, solver);
            (coupler.laws, coupler.bounds) = (laws.clone(), bounds);
            coupler.queries = if bounds { MAX_BOUNDED_QUERIES } else { MAX_QUERIES };
            coupler.prove(MAX_ROUNDS)
        })?;
        if both_end(program, pair) {
            return Some((told(&mut steps, pair, (&summaries, &laws))?, true));
        }
        let mut coupler = Coupler::new(&mut steps, pair, summaries.clone(), solver);
        coupler.laws = laws.clone();
        // What the proof does not use need not end together.
        let used = coupler.used();
        coupler.summaries.retain(|pair, _| used.contains(pair));
        let together = coupler.end_together();
        let summaries = if together { coupler.summaries } else { summaries };
        Some((told(&mut steps, pair, (&summaries, &laws))?, together))
    })
}

/// Summaries as the kernel has them.
fn told(
    steps: &mut Steps<'_>,
    pair: Pair,
    (summaries, laws): (&BTreeMap<Pair, Candidates>, &Laws),
) -> Option<SummariesEvidence> {
    let mut all = Vec::new();
    for (&(p, q), own) in summaries {
        let calls = (steps.whole(0, p), steps.whole(1, q));
        let columns = [steps.with_lengths(inputs(&calls)), steps.with_lengths(self::all(&calls))];
        let [inputs, values] = columns.map(|columns| sorts(steps, &columns));
        let before = own.before.iter().map(|fact| fact.told(&inputs)).collect();
        let after = own.after.iter().map(|fact| fact.told(&values)).collect();
        all.push(Summary::of_calls([Some(p), Some(q)], before, after));
    }
    for (&own, laws) in laws.iter().filter(|(_, laws)| !laws.is_empty()) {
        all.push(laws::told(steps, own, laws)?);
    }
    Some(SummariesEvidence { plan: steps.plan(pair), summaries: all, exact: BTreeSet::new() })
}

fn both_end(program: &Program<'_>, pair: Pair) -> bool {
    program.effects[0][pair.0.index()].terminates && program.effects[1][pair.1.index()].terminates
}

fn sorts(steps: &Steps<'_>, values: &[Term]) -> Vec<Sort> {
    values.iter().map(|&value| steps.terms_ref().sort(value)).collect()
}

/// Whether this is a way to prove the pair: the heap is at most read, and both sides err in the same cases.
///
/// The latter holds if each side errs only where a parameter is null for which the other side errs too.
fn applies(program: &Program<'_>, pair: Pair) -> bool {
    let plain = |version, id| {
        heapless(program, version, id) || (only_reads(program, version, id) && gives_numbers(program, version, id))
    };
    let [mine, theirs] = [&program.effects[0][pair.0.index()], &program.effects[1][pair.1.index()]];
    let within = |errs: &Effects, needs: &Effects| {
        errs.errs_only_if_null.as_ref().is_some_and(|errs| errs.iter().all(|at| needs.errs_if_null.contains(at)))
    };
    plain(0, pair.0) && plain(1, pair.1) && within(mine, theirs) && within(theirs, mine)
}

/// What was seen to hold in runs: equations of one degree; where `bounds` are wanted, these and remainders as well.
fn observed(steps: &mut Steps<'_>, seen: Observations, (degree, bounds): (u32, bool)) -> BTreeMap<Pair, Candidates> {
    let mut candidates = BTreeMap::new();
    for ((p, q), rows) in seen {
        let calls = (steps.whole(0, p), steps.whole(1, q));
        let columns = [steps.with_lengths(inputs(&calls)), steps.with_lengths(all(&calls))];
        let before = rows.iter().map(|(a, b)| [&a.input[..], &b.input, &a.lengths, &b.lengths].concat());
        let after =
            rows.iter().map(|(a, b)| [&a.input[..], &b.input, &a.output, &b.output, &a.lengths, &b.lengths].concat());
        let rows: [Vec<Vec<BigInt>>; 2] = [before.collect(), after.collect()];
        let [before, after] = [0, 1].map(|at| {
            let sorts = sorts(steps, &columns[at]);
            if bounds {
                let templates = steps.templates(&[(0, p), (1, q)], &columns[at], degree);
                templates::common(&rows[at], &sorts, &templates)
            } else {
                fit(&rows[at], &sorts, degree).into_iter().map(Fact::Equation).collect()
            }
        });
        candidates.insert((p, q), Candidates { before, after });
    }
    candidates
}

struct Coupler<'a, 'p> {
    steps: &'a mut Steps<'p>,
    pair: Pair,
    solver: &'a mut Solver,
    summaries: BTreeMap<Pair, Candidates>,
    /// What holds of calls of one version, whatever the other does.
    laws: Laws,
    /// Whether there are so many facts that none is looked at closely.
    bounds: bool,
    /// How many more queries may be asked.
    queries: usize,
    /// What they are for.
    purpose: Purpose,
}

/// Two paths side by side: what is known of them, and which of their calls are to be related.
struct PathPair {
    known: Vec<Term>,
    calls: Vec<(Call, Call)>,
    /// Calls without a partner, each with the other side as a whole: they are related where they start coupled.
    alone: Vec<(Call, Call)>,
}

impl<'a, 'p> Coupler<'a, 'p> {
    fn new(
        steps: &'a mut Steps<'p>,
        pair: Pair,
        summaries: BTreeMap<Pair, Candidates>,
        solver: &'a mut Solver,
    ) -> Self {
        let (queries, purpose) = (MAX_QUERIES, Purpose::SummaryInductive);
        Coupler { steps, pair, solver, summaries, laws: Laws::new(), bounds: false, queries, purpose }
    }

    /// Drops what is not inductive, for so many rounds; what is left, if that is inductive and enough.
    fn prove(mut self, rounds: usize) -> Option<BTreeMap<Pair, Candidates>> {
        let start = self.start();
        if !self.may_all_end_equal(&start) {
            return None;
        }
        let pairs: Vec<Pair> = self.summaries.keys().copied().collect();
        let inductive = houdini::all_hold(start.len() + pairs.len(), rounds, |at| {
            let dropped = match start.get(at) {
                Some(path_pair) => self.relate(path_pair).is_none(),
                None => self.inductive(pairs[at - start.len()]),
            };
            // Without questions nothing is shown any more.
            let hopeless = self.queries == 0 || dropped && !self.may_all_end_equal(&start);
            if hopeless { Look::Hopeless } else { Look::weakened(dropped) }
        });
        let enough = inductive
            && (faults::planted("engines/coupling/start-unchecked")
                || start.iter().all(|path_pair| self.ends_equal(path_pair)));
        enough.then_some(self.summaries)
    }

    /// The two procedures begin with equal inputs: path against path; a side that recurs is taken whole where the other
    /// side only calls something that does.
    fn start(&mut self) -> Vec<PathPair> {
        let (p, q) = self.pair;
        let equal = self.steps.equal_inputs(self.pair);
        let wholes = [self.steps.whole(0, p), self.steps.whole(1, q)];
        let recurs = [self.steps.recursive(0, p), self.steps.recursive(1, q)];
        match recurs {
            [true, true] => {
                let [a, b] = wholes;
                vec![PathPair { known: equal, calls: vec![(a, b)], alone: Vec::new() }]
            }
            [true, false] => self.against_whole(1, q, &wholes[0], &equal),
            [false, true] => self.against_whole(0, p, &wholes[1], &equal),
            [false, false] => {
                let (lefts, rights) = (self.steps.steps(0, p), self.steps.steps(1, q));
                let mut path_pairs = Vec::new();
                for left in &lefts {
                    for right in &rights {
                        let mut path_pair = self.align(self.pair, left, right);
                        path_pair.known.extend(&equal);
                        path_pair.known.extend(self.steps.outputs_are(self.pair, left, right));
                        path_pairs.push(path_pair);
                    }
                }
                path_pairs
            }
        }
    }

    /// The paths of one side against the other side as a single call.
    fn against_whole(&mut self, side: usize, id: lang_l::hir::ProcId, whole: &Call, equal: &[Term]) -> Vec<PathPair> {
        let mut path_pairs = Vec::new();
        for step in self.steps.steps(side, id) {
            let mut known = equal.to_vec();
            known.extend(&step.path);
            known.extend(step.calls.iter().flat_map(|call| instances(self.steps, &self.laws, side, call)));
            known.extend(instances(self.steps, &self.laws, 1 - side, whole));
            known.extend(self.steps.output_is(side, id, &step));
            let calls = step
                .calls
                .iter()
                .map(|call| if side == 1 { (whole.clone(), call.clone()) } else { (call.clone(), whole.clone()) })
                .collect();
            path_pairs.push(PathPair { known, calls, alone: Vec::new() });
        }
        path_pairs
    }

    /// Two paths side by side: calls in order; one without a partner that goes on with its own procedure meets the other
    /// side as a whole.
    fn align(&mut self, pair: Pair, left: &Step, right: &Step) -> PathPair {
        let mut known: Vec<Term> = left.path.iter().chain(&right.path).copied().collect();
        for (version, step) in [left, right].into_iter().enumerate() {
            known.extend(step.calls.iter().flat_map(|call| instances(self.steps, &self.laws, version, call)));
        }
        let wholes = [self.steps.whole(0, pair.0), self.steps.whole(1, pair.1)];
        known.extend(self.steps.outputs_are(pair, left, right));
        let (mut calls, mut alone) = (Vec::new(), Vec::new());
        let mut taken = vec![false; right.calls.len()];
        for mine in &left.calls {
            let partner = (0..taken.len())
                .find(|&at| !taken[at] && (mine.callee == pair.0) == (right.calls[at].callee == pair.1));
            // Procedures that call one another in turn.
            let known =
                |at: &usize| !taken[*at] && self.summaries.contains_key(&(mine.callee, right.calls[*at].callee));
            let partner = partner.or_else(|| (0..taken.len()).filter(|_| self.bounds).find(known));
            match partner {
                Some(at) => {
                    taken[at] = true;
                    calls.push((mine.clone(), right.calls[at].clone()));
                }
                None if mine.callee == pair.0 => alone.push((mine.clone(), wholes[1].clone())),
                None => {}
            }
        }
        for (theirs, taken) in right.calls.iter().zip(taken) {
            if !taken && theirs.callee == pair.1 {
                alone.push((wholes[0].clone(), theirs.clone()));
            }
        }
        if !self.bounds {
            calls.append(&mut alone);
        }
        PathPair { known, calls, alone }
    }

    /// Drops what is not inductive from the summary of a pair, and from the couplings of the calls on its paths; says
    /// whether anything was dropped.
    fn inductive(&mut self, pair: Pair) -> bool {
        let wholes = (self.steps.whole(0, pair.0), self.steps.whole(1, pair.1));
        let (lefts, rights) = (self.steps.steps(0, pair.0), self.steps.steps(1, pair.1));
        let mut dropped = false;
        for left in &lefts {
            for right in &rights {
                let mut path_pair = self.align(pair, left, right);
                let coupled = self.coupled(pair, &wholes);
                path_pair.known.extend(coupled);
                let Some(known) = self.relate(&path_pair) else {
                    dropped = true;
                    continue;
                };
                dropped |= self.drop_unproved(pair, &wholes, &known, false);
            }
        }
        dropped
    }

    /// What is known once all calls of a pair of paths are related; drops couplings that do not hold there. `None` when one was
    /// dropped.
    fn relate(&mut self, path_pair: &PathPair) -> Option<Vec<Term>> {
        let mut known = path_pair.known.clone();
        let mut dropped = false;
        for (mine, theirs) in &path_pair.calls {
            let pair = (mine.callee, theirs.callee);
            let calls = (mine.clone(), theirs.clone());
            dropped |= self.drop_unproved(pair, &calls, &known, true);
            known.extend(self.ended(pair, &calls));
        }
        for calls in &path_pair.alone {
            let pair = (calls.0.callee, calls.1.callee);
            let coupled = self.coupled(pair, calls);
            if self.summaries.contains_key(&pair) && self.follows(&known, |steps| steps.terms().and(&coupled)) {
                known.extend(self.ended(pair, calls));
            }
        }
        (!dropped).then_some(known)
    }

    /// Drops from the coupling (or the summary) of a pair what does not follow; says whether anything was dropped.
    fn drop_unproved(&mut self, pair: Pair, calls: &(Call, Call), known: &[Term], coupling: bool) -> bool {
        let Some(own) = self.summaries.get(&pair) else { return false };
        let facts = if coupling { own.before.clone() } else { own.after.clone() };
        let values = self.steps.with_lengths(if coupling { inputs(calls) } else { all(calls) });
        let goals: Vec<Term> = facts.iter().map(|fact| fact.term(self.steps.terms(), &values)).collect();
        let failed = self.asking().unproved(known, &goals);
        let Some(own) = self.summaries.get_mut(&pair) else { return false };
        !faults::planted("engines/coupling/not-inductive")
            && houdini::remove(if coupling { &mut own.before } else { &mut own.after }, &failed)
    }

    fn coupled(&mut self, pair: Pair, calls: &(Call, Call)) -> Vec<Term> {
        let facts = self.summaries.get(&pair).map(|own| own.before.clone()).unwrap_or_default();
        let values = self.steps.with_lengths(inputs(calls));
        facts.iter().map(|fact| fact.term(self.steps.terms(), &values)).collect()
    }

    fn ended(&mut self, pair: Pair, calls: &(Call, Call)) -> Vec<Term> {
        let facts = self.summaries.get(&pair).map(|own| own.after.clone()).unwrap_or_default();
        let values = self.steps.with_lengths(all(calls));
        facts.iter().map(|fact| fact.term(self.steps.terms(), &values)).collect()
    }

    /// Whether outputs would be equal if all candidates held that are left. Candidates only grow fewer: what all of them together do
    /// not show is not shown. That is asked beside the other questions, as it only saves some of them.
    fn may_all_end_equal(&mut self, start: &[PathPair]) -> bool {
        let queries = self.queries;
        self.queries = usize::MAX;
        let may = start.iter().all(|path_pair| self.may_end_equal(path_pair));
        self.queries = queries;
        may
    }

    fn may_end_equal(&mut self, path_pair: &PathPair) -> bool {
        let mut known = path_pair.known.clone();
        for calls in path_pair.calls.iter().chain(&path_pair.alone) {
            known.extend(self.ended((calls.0.callee, calls.1.callee), calls));
        }
        let pair = self.pair;
        self.follows(&known, |steps| steps.equal_outputs(pair))
    }

    fn ends_equal(&mut self, path_pair: &PathPair) -> bool {
        let Some(known) = self.relate(path_pair) else { return false };
        let pair = self.pair;
        self.follows(&known, |steps| steps.equal_outputs(pair))
    }

    fn follows(&mut self, known: &[Term], goal: impl FnOnce(&mut Steps<'p>) -> Term) -> bool {
        let goal = goal(self.steps);
        faults::planted("engines/coupling/budget-holds") || self.asking().follows(known, goal)
    }

    fn asking(&mut self) -> Asking<'_> {
        Asking {
            solver: self.solver,
            arena: self.steps.arena(),
            queries: &mut self.queries,
            purpose: &self.purpose,
            exact: !self.bounds,
        }
    }
}

fn inputs((mine, theirs): &(Call, Call)) -> Vec<Term> {
    mine.input.iter().chain(&theirs.input).copied().collect()
}

fn all((mine, theirs): &(Call, Call)) -> Vec<Term> {
    [&mine.input, &theirs.input, &mine.output, &theirs.output].into_iter().flatten().copied().collect()
}
