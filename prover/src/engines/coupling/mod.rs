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
//! Invariant: the runs only propose; every equation that is used was proved to be inductive together with the others.

pub mod closed_form;
mod ends;
mod runs;
mod steps;

use super::{Engine, is_full, product, relational};
use crate::budget::coupling::{DEGREES, MAX_QUERIES, MAX_ROUNDS, UNROLLED_DEGREES, UNROLLINGS};
use crate::chc::houdini::{self, Look};
use crate::chc::polynomial::{Equation, fit};
use crate::chc::summaries::{CouplingEvidence, Summary};
use crate::engines::fragments::heapless;
use crate::engines::fragments::{gives_numbers, only_reads};
use crate::goal::{Claim, Goal, Pair, PairProof, Program, ProofEvidence, Rule};
use kernel::effects::Effects;
use kernel::rejection::{Rejection, reject};
use runs::{Activation, Simulator};
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{Sort, Term};
use std::collections::BTreeMap;
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
pub(crate) struct Coupling;

impl Engine for Coupling {
    fn rule(&self) -> &'static Rule {
        &COUPLING
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        // Couplings are products of fewer kinds, but for any recursion.
        relational::is_open(goal) && applies(goal.program, goal.pair) && (reads_heap(goal) || !product::fits(goal))
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        match prove(goal.program, goal.pair, solver) {
            Some((evidence, together)) => {
                let level = relational::level(goal, together);
                relational::proof(goal, &COUPLING, level, Some(ProofEvidence::Coupling(evidence)))
            }
            None => relational::nothing(goal, &COUPLING),
        }
    }

    fn confirm(&self, goal: &Goal<'_>, claim: &Claim, solver: &mut Solver) -> Result<PairProof, Rejection> {
        // Over integers nothing but equal inputs is assumed, least of all a condition.
        let (ProofEvidence::Coupling(evidence), None) = (&claim.evidence, goal.when) else {
            return reject("the evidence is not one of couplings");
        };
        let together = is_full(claim);
        confirm(goal.program, goal.pair, (evidence, together), solver)?;
        Ok(relational::proof(goal, &COUPLING, relational::level(goal, together), None))
    }
}

fn reads_heap(goal: &Goal<'_>) -> bool {
    (0..2).any(|version| !goal.effects(version).accesses.is_empty())
}

/// The mutual summaries that prove the pair partially equivalent, if some are found; and whether the two end together, which
/// is as plain where both always end.
fn prove(program: &Program<'_>, pair: Pair, solver: &mut Solver) -> Option<(CouplingEvidence, bool)> {
    UNROLLINGS.iter().find_map(|&unroll| {
        let mut steps = Steps::of(program, pair, unroll)?;
        let degrees: &[u32] = if unroll == [0, 0] { &DEGREES } else { &UNROLLED_DEGREES };
        let summaries = degrees.iter().find_map(|&degree| {
            let summaries = observed(&mut steps, pair, degree);
            Coupler::new(&mut steps, pair, summaries, solver).prove(MAX_ROUNDS)
        })?;
        if both_end(program, pair) {
            return Some((CouplingEvidence { unroll, summaries }, true));
        }
        let mut coupler = Coupler::new(&mut steps, pair, summaries.clone(), solver);
        // What the proof does not use need not end together.
        let used = coupler.used();
        coupler.summaries.retain(|pair, _| used.contains(pair));
        let together = coupler.end_together();
        let summaries = if together { coupler.summaries } else { summaries };
        Some((CouplingEvidence { unroll, summaries }, together))
    })
}

fn both_end(program: &Program<'_>, pair: Pair) -> bool {
    program.effects[0][pair.0.index()].terminates && program.effects[1][pair.1.index()].terminates
}

/// Proves the pair partially equivalent by mutual summaries that were found before: they are inductive as they are. Where the
/// claim is that the two end together too, proves that.
///
/// # Errors
/// When they are not, or do not make equal outputs of equal inputs.
pub fn confirm(
    program: &Program<'_>,
    pair: Pair,
    (evidence, together): (&CouplingEvidence, bool),
    solver: &mut Solver,
) -> Result<(), Rejection> {
    if !applies(program, pair) || !UNROLLINGS.contains(&evidence.unroll) {
        return reject("equations between calls are no proof for such procedures");
    }
    let Some(mut steps) = Steps::of(program, pair, evidence.unroll) else {
        return reject("there are too many paths");
    };
    for (&(p, q), Summary { coupling, summary }) in &evidence.summaries {
        // What has no paths would satisfy anything.
        if !steps.executed(0, p) || !steps.executed(1, q) {
            return reject("an equation is of procedures that take no part");
        }
        let calls = (steps.whole(0, p), steps.whole(1, q));
        let sorts = [sorts(&steps, &inputs(&calls)), sorts(&steps, &all(&calls))];
        let fits = |equations: &[Equation], sorts: &[Sort]| equations.iter().all(|e| e.fits(sorts, DEGREES[1]));
        if !fits(coupling, &sorts[0]) || !fits(summary, &sorts[1]) {
            return reject("an equation is of values that there are not");
        }
    }
    if Coupler::new(&mut steps, pair, evidence.summaries.clone(), solver).prove(1).is_none() {
        return reject("the equations between calls are not inductive, or not enough");
    }
    let shown = !together
        || both_end(program, pair)
        || Coupler::new(&mut steps, pair, evidence.summaries.clone(), solver).end_together();
    if shown { Ok(()) } else { reject("calls that start coupled do not end together") }
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

/// The equations of one degree that were seen to hold in runs.
fn observed(steps: &mut Steps<'_>, pair: Pair, degree: u32) -> BTreeMap<Pair, Summary> {
    let observed = Simulator::observe(steps, pair);
    let mut fitted = |(pair, rows): (Pair, Vec<(Activation, Activation)>)| {
        let calls = (steps.whole(0, pair.0), steps.whole(1, pair.1));
        let of_inputs = sorts(steps, &self::inputs(&calls));
        let of_all = sorts(steps, &self::all(&calls));
        let inputs: Vec<Vec<_>> = rows.iter().map(|(a, b)| [a.input.clone(), b.input.clone()].concat()).collect();
        let all =
            |(a, b): &(Activation, Activation)| [&a.input[..], &b.input[..], &a.output[..], &b.output[..]].concat();
        let ends: Vec<Vec<_>> = rows.iter().map(all).collect();
        (pair, Summary { coupling: fit(&inputs, &of_inputs, degree), summary: fit(&ends, &of_all, degree) })
    };
    observed.into_iter().map(&mut fitted).collect()
}

struct Coupler<'a, 'p> {
    steps: &'a mut Steps<'p>,
    pair: Pair,
    solver: &'a mut Solver,
    summaries: BTreeMap<Pair, Summary>,
    /// How many more queries may be asked.
    queries: usize,
    /// What they are for.
    purpose: Purpose,
}

/// Two paths side by side: what is known of them, and which of their calls are to be related.
struct PathPair {
    known: Vec<Term>,
    calls: Vec<(Call, Call)>,
}

impl<'a, 'p> Coupler<'a, 'p> {
    fn new(steps: &'a mut Steps<'p>, pair: Pair, summaries: BTreeMap<Pair, Summary>, solver: &'a mut Solver) -> Self {
        Coupler { steps, pair, solver, summaries, queries: MAX_QUERIES, purpose: Purpose::SummaryInductive }
    }

    /// Drops what is not inductive, for so many rounds; what is left, if that is inductive and enough.
    fn prove(mut self, rounds: usize) -> Option<BTreeMap<Pair, Summary>> {
        let start = self.start();
        let pairs: Vec<Pair> = self.summaries.keys().copied().collect();
        let inductive = houdini::all_hold(start.len() + pairs.len(), rounds, |at| {
            Look::weakened(match start.get(at) {
                Some(path_pair) => self.relate(path_pair).is_none(),
                None => self.inductive(pairs[at - start.len()]),
            })
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
                vec![PathPair { known: equal, calls: vec![(a, b)] }]
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
            known.extend(self.steps.output_is(side, id, &step));
            let calls = step
                .calls
                .iter()
                .map(|call| if side == 1 { (whole.clone(), call.clone()) } else { (call.clone(), whole.clone()) })
                .collect();
            path_pairs.push(PathPair { known, calls });
        }
        path_pairs
    }

    /// Two paths side by side: calls in order; one without a partner that goes on with its own procedure meets the other
    /// side as a whole.
    fn align(&mut self, pair: Pair, left: &Step, right: &Step) -> PathPair {
        let mut known: Vec<Term> = left.path.iter().chain(&right.path).copied().collect();
        let wholes = [self.steps.whole(0, pair.0), self.steps.whole(1, pair.1)];
        known.extend(self.steps.outputs_are(pair, left, right));
        let mut calls = Vec::new();
        let mut taken = vec![false; right.calls.len()];
        for mine in &left.calls {
            let partner = (0..taken.len())
                .find(|&at| !taken[at] && (mine.callee == pair.0) == (right.calls[at].callee == pair.1));
            match partner {
                Some(at) => {
                    taken[at] = true;
                    calls.push((mine.clone(), right.calls[at].clone()));
                }
                None if mine.callee == pair.0 => calls.push((mine.clone(), wholes[1].clone())),
                None => {}
            }
        }
        for (theirs, taken) in right.calls.iter().zip(taken) {
            if !taken && theirs.callee == pair.1 {
                calls.push((wholes[0].clone(), theirs.clone()));
            }
        }
        PathPair { known, calls }
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
        (!dropped).then_some(known)
    }

    /// Drops from the coupling (or the summary) of a pair what does not follow; says whether anything was dropped.
    fn drop_unproved(&mut self, pair: Pair, calls: &(Call, Call), known: &[Term], coupling: bool) -> bool {
        let Some(own) = self.summaries.get(&pair) else { return false };
        let equations = if coupling { own.coupling.clone() } else { own.summary.clone() };
        let values = if coupling { inputs(calls) } else { all(calls) };
        let goals: Vec<Term> = equations.iter().map(|equation| equation.term(self.steps.terms(), &values)).collect();
        let failed = houdini::unproved(&goals, |goals| self.follows(known, |steps| steps.terms().and(goals)));
        let Some(own) = self.summaries.get_mut(&pair) else { return false };
        !faults::planted("engines/coupling/not-inductive")
            && houdini::remove(if coupling { &mut own.coupling } else { &mut own.summary }, &failed)
    }

    fn coupled(&mut self, pair: Pair, calls: &(Call, Call)) -> Vec<Term> {
        let equations = self.summaries.get(&pair).map(|own| own.coupling.clone()).unwrap_or_default();
        let values = inputs(calls);
        equations.iter().map(|equation| equation.term(self.steps.terms(), &values)).collect()
    }

    fn ended(&mut self, pair: Pair, calls: &(Call, Call)) -> Vec<Term> {
        let equations = self.summaries.get(&pair).map(|own| own.summary.clone()).unwrap_or_default();
        let values = all(calls);
        equations.iter().map(|equation| equation.term(self.steps.terms(), &values)).collect()
    }

    fn ends_equal(&mut self, path_pair: &PathPair) -> bool {
        let Some(known) = self.relate(path_pair) else { return false };
        let pair = self.pair;
        self.follows(&known, |steps| steps.equal_outputs(pair))
    }

    fn follows(&mut self, known: &[Term], goal: impl FnOnce(&mut Steps<'p>) -> Term) -> bool {
        let goal = goal(self.steps);
        if self.queries < if faults::planted("engines/coupling/budget-holds") { usize::MAX } else { 1 } {
            return faults::planted("engines/coupling/budget-holds");
        }
        self.queries -= 1;
        let obligation = Obligation { assumptions: known.to_vec(), goal, tag: self.purpose.clone().into() };
        self.solver.prove(self.steps.arena(), &obligation) == Answer::Holds
    }
}

fn inputs((mine, theirs): &(Call, Call)) -> Vec<Term> {
    mine.input.iter().chain(&theirs.input).copied().collect()
}

fn all((mine, theirs): &(Call, Call)) -> Vec<Term> {
    [&mine.input, &theirs.input, &mine.output, &theirs.output].into_iter().flatten().copied().collect()
}
