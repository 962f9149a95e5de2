//! Closed forms: what recursion over integers returns, as polynomials of what it is given.
//!
//! In: a pair of procedures over integers. Out: whether closed forms of what recurs in each prove the two partially equivalent.
//!
//! A sum from below, from above, by a loop and by its formula have no calls in common; but each is a polynomial of its inputs.
//! So every recursive procedure is run alone. Its inputs are told apart by the conditions it makes of them, and in each case the
//! polynomial of lowest degree that fits what was seen becomes a candidate `Law`. Laws that are not inductive are dropped.
//!
//! Rule *Closed form* (`proofs/soundness.md`): by induction over the depth of an execution that ends.
//!
//! Invariant: the runs only propose; every law that is used was proved to be inductive together with the others.

use super::laws::{Laws, case_told, instance, instances, moduli, observed, told};
use super::steps::Steps;
use crate::budget::closed_form::MAX_QUERIES;
use crate::chc::asking::Asking;
use crate::chc::houdini::{self, Look};
use crate::chc::polynomial::Polynomial;
use crate::engines::fragments::heapless;
use crate::engines::{Engine, relational};
use crate::goal::{Goal, Pair, PairProof, Program, Rule, assumptions};
use kernel::pair::PairEvidence;
use kernel::pair::summaries::{Formula, SummariesEvidence, Summary};
use kernel::relate::Level;
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use rustc_hash::FxHashMap as HashMap;
use smt::obligation::Purpose;
use smt::solve::Solver;
use smt::term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// By closed forms of what recurs.
static CLOSED_FORM: Rule = Rule {
    name: "closed-form",
    sentence: "proved by polynomials for what recursion and loops compute, found from runs",
    argument: "Closed form",
    share: 60,
};

/// Rule *Closed form*.
pub(crate) struct ClosedForm;

impl Engine for ClosedForm {
    fn rule(&self) -> &'static Rule {
        &CLOSED_FORM
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::Summaries(_))
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        // A formula over references says nothing.
        let is_heapless = (0..2).all(|version| heapless(goal.program, version, goal.id(version)));
        goal.reached.is_none() && !goal.is_loop() && is_heapless && super::applies(goal.program, goal.pair)
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        let found = prove(goal, solver);
        // Under a condition one that may run for ever may be known to end, which is for the kernel to say.
        let level = if goal.when.is_some() { Level::Full } else { relational::level(goal, false) };
        super::summarised(goal, &CLOSED_FORM, found.map(|own| (level, own)), solver)
    }
}

/// The closed forms that prove the pair partially equivalent, if some do, as far as they can be told.
fn prove(goal: &Goal<'_>, solver: &mut Solver) -> Option<SummariesEvidence> {
    let pair = goal.pair;
    let mut steps = Steps::of(goal.program, pair, [0, 0])?;
    let assumed = assumptions(goal.program, pair, goal.when, steps.arena());
    let all = steps.all_recursive();
    let moduli = moduli(&mut steps, pair, &all);
    // What a flag says often depends on whether a number is even.
    let plain = attempt(&mut steps, (pair, &assumed), (&all, &[]), solver);
    let laws = plain.or_else(|| match moduli.is_empty() {
        true => None,
        false => attempt(&mut steps, (pair, &assumed), (&all, &moduli), solver),
    })?;
    let plan = steps.plan(pair);
    let told = laws.iter().map(|(&own, laws)| told(&steps, own, laws)).collect::<Option<Vec<Summary>>>();
    Some(SummariesEvidence { plan, summaries: told?, exact: BTreeSet::new() })
}

fn attempt(
    steps: &mut Steps<'_>,
    (pair, assumed): (Pair, &[Term]),
    (all, moduli): (&[(usize, ProcId)], &[BigInt]),
    solver: &mut Solver,
) -> Option<Laws> {
    let laws = observed(steps, all, moduli);
    let found = !laws.is_empty() && !laws.values().any(Vec::is_empty);
    found.then(|| Forms { steps, laws, solver, queries: MAX_QUERIES }.prove(pair, assumed)).flatten()
}

/// The laws of what recurs that are inductive by themselves.
pub(super) fn inductive(steps: &mut Steps<'_>, moduli: &[BigInt], solver: &mut Solver) -> Laws {
    let all = steps.all_recursive();
    let laws = observed(steps, &all, moduli);
    let mut forms = Forms { steps, laws, solver, queries: MAX_QUERIES };
    if forms.weaken(false) { forms.laws } else { Laws::new() }
}

/// What a procedure that recurs gives back, if it does, where some conditions hold of what it is given.
pub(crate) struct Form {
    /// The conditions, over its parameters.
    pub(crate) case: Vec<Formula>,
    /// What is 0, over parameters and then results: a polynomial of parameters and a multiple of one result.
    pub(crate) equation: Polynomial,
}

/// Closed forms of what recurs in a pair over numbers without globals, proved to be inductive. What is given may be told apart by its
/// remainders, too.
pub(crate) fn forms(
    program: &Program<'_>,
    pair: Pair,
    moduli: &[BigInt],
    solver: &mut Solver,
) -> BTreeMap<(usize, ProcId), Vec<Form>> {
    let plain = |version: usize, id: ProcId| {
        let no_globals = program.effects[version][id.index()].globals.is_empty();
        no_globals && heapless(program, version, id)
    };
    if !plain(0, pair.0) || !plain(1, pair.1) {
        return BTreeMap::new();
    }
    let Some(mut steps) = Steps::of(program, pair, [0, 0]) else { return BTreeMap::new() };
    let laws = inductive(&mut steps, moduli, solver);
    let mut found = BTreeMap::new();
    for (own, laws) in laws {
        let forms = laws.iter().filter_map(|law| {
            let case = case_told(&steps, own, law)?;
            Some(Form { case, equation: law.equation.sum.clone() })
        });
        found.insert(own, forms.collect());
    }
    found
}

struct Forms<'a, 'p> {
    steps: &'a mut Steps<'p>,
    /// By version and procedure.
    laws: Laws,
    solver: &'a mut Solver,
    /// How many more queries may be asked.
    queries: usize,
}

/// One way in which a side may end: what is known then, and its outputs.
struct End {
    known: Vec<Term>,
    output: Vec<Term>,
}

impl Forms<'_, '_> {
    /// The laws that are left, where they prove the pair from inputs of which this is assumed.
    fn prove(mut self, pair: Pair, assumed: &[Term]) -> Option<Laws> {
        if !self.weaken(true) {
            return None;
        }
        let (lefts, rights) = (self.ends(0, pair.0), self.ends(1, pair.1));
        // Both begin with the same inputs.
        let inputs = (self.steps.whole(0, pair.0).input, self.steps.whole(1, pair.1).input);
        let shared: HashMap<Term, Term> = inputs.1.into_iter().zip(inputs.0).collect();
        let alike = lefts.iter().all(|left| {
            rights.iter().all(|right| {
                let terms = self.steps.terms();
                let theirs: Vec<Term> = right.known.iter().map(|&fact| terms.substitute(fact, &shared)).collect();
                let known: Vec<Term> = left.known.iter().chain(&theirs).chain(assumed).copied().collect();
                let mut same = Vec::new();
                if faults::planted("engines/closed-form/outputs-unasked") {
                    return true;
                }
                for (&mine, &other) in left.output.iter().zip(&right.output) {
                    let other = terms.substitute(other, &shared);
                    same.push(terms.eq(mine, other));
                }
                let goal = terms.and(&same);
                self.asking().follows(&known, goal)
            })
        });
        alike.then_some(self.laws)
    }

    /// Drops what is not inductive; whether that came to an end, and, where `each` procedure needs one, left it a law.
    fn weaken(&mut self, each: bool) -> bool {
        let all: Vec<(usize, ProcId)> = self.laws.keys().copied().collect();
        houdini::all_hold(all.len(), usize::MAX, |at| {
            let dropped = self.drop_unproved(all[at]);
            let hopeless = self.queries == 0 || (each && self.laws.values().any(Vec::is_empty));
            if hopeless { Look::Hopeless } else { Look::weakened(dropped) }
        })
    }

    /// The ways in which a side may end: one, by its own laws, if it recurs; else one for each path.
    fn ends(&mut self, version: usize, id: ProcId) -> Vec<End> {
        if self.steps.recursive(version, id) {
            let whole = self.steps.whole(version, id);
            let known = instances(self.steps, &self.laws, version, &whole);
            return vec![End { known, output: whole.output }];
        }
        let steps = self.steps.steps(version, id);
        steps
            .into_iter()
            .map(|step| {
                let mut known = step.path;
                for call in &step.calls {
                    known.extend(instances(self.steps, &self.laws, version, call));
                }
                End { known, output: step.output }
            })
            .collect()
    }

    /// Drops the laws of a procedure that do not follow on some path; says whether there were any.
    fn drop_unproved(&mut self, (version, id): (usize, ProcId)) -> bool {
        let inputs = self.steps.inputs_ref(version, id).to_vec();
        let mut dropped = false;
        for step in self.steps.steps(version, id) {
            let mut known = step.path.clone();
            for call in &step.calls {
                known.extend(instances(self.steps, &self.laws, version, call));
            }
            let laws = self.laws.get(&(version, id)).cloned().unwrap_or_default();
            let values: Vec<Term> = inputs.iter().chain(&step.output).copied().collect();
            let terms = self.steps.terms();
            let goals: Vec<Term> = laws.iter().map(|law| instance(terms, law, &HashMap::default(), &values)).collect();
            let failed = self.asking().unproved(&known, &goals);
            dropped |= self.laws.get_mut(&(version, id)).is_some_and(|laws| {
                !faults::planted("engines/closed-form/not-inductive") && houdini::remove(laws, &failed)
            });
        }
        dropped
    }

    fn asking(&mut self) -> Asking<'_> {
        Asking {
            solver: self.solver,
            arena: self.steps.arena(),
            queries: &mut self.queries,
            purpose: &Purpose::ClosedFormInductive,
            exact: true,
        }
    }
}
