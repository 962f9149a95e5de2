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

use super::runs::{Activation, Simulator};
use super::steps::{Call, Steps};
use crate::budget::closed_form::{MAX_CONDITIONS, MAX_DEGREE, MAX_MODULI, MAX_QUERIES};
use crate::chc::houdini::{self, Look};
use crate::chc::linearise::linearised;
use crate::chc::polynomial::{Equation, closed_form};
use crate::engines::fragments::heapless;
use crate::engines::{Engine, relational};
use crate::goal::{Goal, Pair, PairProof, Program, Rule};
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use rustc_hash::FxHashMap as HashMap;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{Node, Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// So far from where a condition changes inputs are looked at one by one.
const BORDER: std::ops::RangeInclusive<i32> = -2..=2;

/// Where the inputs satisfy some conditions and fail others, inputs and outputs satisfy an equation.
#[derive(Clone, Debug)]
struct Law {
    /// Over the procedure's own inputs, each with its truth.
    case: Vec<(Term, bool)>,
    /// Over inputs, then outputs.
    equation: Equation,
}

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

    fn applies(&self, goal: &Goal<'_>) -> bool {
        // A formula over references says nothing.
        let is_heapless = (0..2).all(|version| heapless(goal.program, version, goal.id(version)));
        relational::is_open(goal) && is_heapless && super::applies(goal.program, goal.pair)
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        if prove(goal.program, goal.pair, solver) {
            return relational::proof(goal, &CLOSED_FORM, relational::level(goal, false), None);
        }
        relational::nothing(goal, &CLOSED_FORM)
    }
}

/// Whether closed forms prove the pair partially equivalent.
fn prove(program: &Program<'_>, pair: Pair, solver: &mut Solver) -> bool {
    let Some(mut steps) = Steps::of(program, pair, [0, 0]) else { return false };
    let all = steps.all_recursive();
    let moduli = moduli(&mut steps, pair, &all);
    // What a flag says often depends on whether a number is even.
    let plain = attempt(&mut steps, pair, (&all, &[]), solver);
    plain || (!moduli.is_empty() && attempt(&mut steps, pair, (&all, &moduli), solver))
}

fn attempt(
    steps: &mut Steps<'_>,
    pair: Pair,
    (all, moduli): (&[(usize, ProcId)], &[BigInt]),
    solver: &mut Solver,
) -> bool {
    let mut laws = BTreeMap::new();
    for &own in all {
        let conditions = conditions(steps, own, moduli);
        laws.insert(own, observed(steps, own, &conditions));
    }
    let found = !laws.is_empty() && !laws.values().any(Vec::is_empty);
    found && Forms { steps, laws, solver, queries: MAX_QUERIES }.prove(pair)
}

/// The numbers that remainders are taken by.
fn moduli(steps: &mut Steps<'_>, pair: Pair, all: &[(usize, ProcId)]) -> Vec<BigInt> {
    let roots = [(0, pair.0), (1, pair.1)];
    let taken = all.iter().copied().chain(roots).flat_map(|(version, id)| steps.steps(version, id));
    let terms: Vec<Term> = taken.flat_map(|step| step.path.into_iter().chain(step.output)).collect();
    let mut found = BTreeSet::new();
    for part in steps.terms().parts_of(&terms) {
        if let Node::Rem(_, by) = steps.terms().node(part) {
            let by = *by;
            found.extend(steps.terms().as_int(by).filter(|by| **by > BigInt::from(1)).cloned());
        }
    }
    found.into_iter().take(MAX_MODULI).collect()
}

/// The laws that runs of a procedure satisfy.
fn observed(steps: &Steps<'_>, (version, id): (usize, ProcId), conditions: &[Term]) -> Vec<Law> {
    let inputs = steps.inputs_ref(version, id);
    let terms = steps.terms_ref();
    let seen = Simulator::analyse(steps, version, id, &numbers(terms, conditions));
    let truths = |activation: &Activation| -> Option<Vec<bool>> {
        let mut values: HashMap<Term, BigInt> = inputs.iter().copied().zip(activation.input.iter().cloned()).collect();
        conditions
            .iter()
            .map(|&c| terms.evaluate(c, &mut values, &mut ()).map(|value| value != BigInt::default()))
            .collect()
    };
    let mut cases: BTreeMap<Vec<bool>, Vec<&Activation>> = BTreeMap::new();
    for activation in &seen {
        if let Some(truths) = truths(activation) {
            cases.entry(truths).or_default().push(activation);
        }
    }
    // What no run told apart need not be told apart.
    let constant: BTreeSet<usize> = (0..conditions.len())
        .filter(|&at| {
            let mut seen = cases.keys().map(|truths| truths[at]);
            let first = seen.next();
            seen.all(|other| Some(other) == first)
        })
        .collect();
    let mut laws = Vec::new();
    for (truths, rows) in cases {
        let told = conditions.iter().copied().zip(truths).enumerate().filter(|(at, _)| !constant.contains(at));
        let case: Vec<(Term, bool)> = told.map(|(_, condition)| condition).collect();
        let outputs = rows.first().map_or(0, |row| row.output.len());
        for at in 0..outputs {
            let numbers: Vec<Vec<BigInt>> =
                rows.iter().map(|row| [row.input.as_slice(), std::slice::from_ref(&row.output[at])].concat()).collect();
            let Some(mut equation) = closed_form(&numbers, MAX_DEGREE) else { continue };
            for factor in equation.sum.parts.iter_mut().flat_map(|(_, factors)| factors) {
                if *factor == inputs.len() {
                    *factor += at;
                }
            }
            laws.push(Law { case: case.clone(), equation });
        }
    }
    laws
}

/// The conditions that a procedure makes of its inputs alone; and whether each is divisible by these numbers.
fn conditions(steps: &mut Steps<'_>, (version, id): (usize, ProcId), moduli: &[BigInt]) -> Vec<Term> {
    let mut divisible = Vec::new();
    for input in steps.inputs_ref(version, id).to_vec() {
        let terms = steps.terms();
        for by in moduli.iter().filter(|_| terms.sort(input) == Sort::Int).cloned().collect::<Vec<_>>() {
            let (by, zero) = (terms.int(by), terms.int(0));
            let rest = terms.rem(input, by);
            divisible.push(terms.eq(rest, zero));
        }
    }
    let terms = steps.terms_ref();
    let inputs: BTreeSet<Term> = steps.inputs_ref(version, id).iter().copied().collect();
    let mut found = BTreeSet::new();
    let mut work: Vec<Term> = steps.steps_ref(version, id).iter().flat_map(|step| step.path.iter().copied()).collect();
    while let Some(term) = work.pop() {
        match terms.node(term) {
            Node::And(parts) | Node::Or(parts) => work.extend(parts.iter().copied()),
            Node::Not(inner) => work.push(*inner),
            Node::AtMostZero(_) | Node::IsZero(_) | Node::App(..) if terms.sort(term) == Sort::Bool => {
                let plain = |part: &Term| match terms.node(*part) {
                    Node::App(..) => inputs.contains(part),
                    Node::Forall(..) | Node::SameRef(..) | Node::InClass(..) | Node::Null => false,
                    _ => true,
                };
                if terms.parts_of(&[term]).iter().all(plain) {
                    found.insert(term);
                }
            }
            _ => {}
        }
    }
    found.into_iter().take(MAX_CONDITIONS).chain(divisible.into_iter().take(MAX_CONDITIONS)).collect()
}

/// The numbers that inputs are compared with.
fn numbers(terms: &Terms, conditions: &[Term]) -> Vec<BigInt> {
    let mut found = BTreeSet::new();
    for &condition in conditions {
        if let Node::AtMostZero(t) | Node::IsZero(t) = terms.node(condition) {
            let (constant, _) = terms.linear_parts(*t);
            found.extend([constant.clone(), -constant]);
        }
    }
    found.remove(&BigInt::default());
    found.into_iter().collect()
}

struct Forms<'a, 'p> {
    steps: &'a mut Steps<'p>,
    /// By version and procedure.
    laws: BTreeMap<(usize, ProcId), Vec<Law>>,
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
    fn prove(mut self, pair: Pair) -> bool {
        let all: Vec<(usize, ProcId)> = self.laws.keys().copied().collect();
        let inductive = houdini::all_hold(all.len(), usize::MAX, |at| {
            let dropped = self.drop_unproved(all[at]);
            let hopeless = self.queries == 0 || self.laws.values().any(Vec::is_empty);
            if hopeless { Look::Hopeless } else { Look::weakened(dropped) }
        });
        if !inductive {
            return false;
        }
        let (lefts, rights) = (self.ends(0, pair.0), self.ends(1, pair.1));
        // Both begin with the same inputs.
        let inputs = (self.steps.whole(0, pair.0).input, self.steps.whole(1, pair.1).input);
        let shared: HashMap<Term, Term> = inputs.1.into_iter().zip(inputs.0).collect();
        lefts.iter().all(|left| {
            rights.iter().all(|right| {
                let terms = self.steps.terms();
                let theirs: Vec<Term> = right.known.iter().map(|&fact| terms.substitute(fact, &shared)).collect();
                let known: Vec<Term> = left.known.iter().chain(&theirs).copied().collect();
                let mut same = Vec::new();
                if faults::planted("engines/closed-form/outputs-unasked") {
                    return true;
                }
                for (&mine, &other) in left.output.iter().zip(&right.output) {
                    let other = terms.substitute(other, &shared);
                    same.push(terms.eq(mine, other));
                }
                let goal = terms.and(&same);
                self.follows(&known, goal)
            })
        })
    }

    /// Where inputs are just beyond a condition or just within, one of them is what the others say: and so are its products
    /// with others. True of all numbers; said for a solver that takes products for numbers of their own.
    fn at_the_border(&mut self, own: (usize, ProcId)) -> Vec<Term> {
        let inputs = self.steps.inputs_ref(own.0, own.1).to_vec();
        let conditions: BTreeSet<Term> =
            self.laws[&own].iter().flat_map(|law| law.case.iter().map(|&(condition, _)| condition)).collect();
        let terms = self.steps.terms();
        let numbers: Vec<Term> = inputs.into_iter().filter(|&input| terms.sort(input) == Sort::Int).collect();
        let mut factors = numbers.clone();
        for (at, &a) in numbers.iter().enumerate() {
            factors.extend(numbers[at..].iter().map(|&b| terms.mul(a, b)));
        }
        let zero = terms.int(0);
        let mut lemmas = Vec::new();
        for condition in conditions {
            let (Node::AtMostZero(t) | Node::IsZero(t)) = *terms.node(condition) else { continue };
            if !terms.linear_parts(t).1.iter().all(|(_, part)| numbers.contains(part)) {
                continue;
            }
            for beyond in BORDER {
                let beyond = terms.int(beyond);
                let distance = terms.add(t, beyond);
                let there = terms.eq(distance, zero);
                let mut products = Vec::new();
                for &factor in &factors {
                    let product = terms.mul(distance, factor);
                    products.push(terms.eq(product, zero));
                }
                let all = terms.and(&products);
                lemmas.push(terms.implies(there, all));
            }
        }
        lemmas
    }

    /// The ways in which a side may end: one, by its own laws, if it recurs; else one for each path.
    fn ends(&mut self, version: usize, id: ProcId) -> Vec<End> {
        if self.steps.recursive(version, id) {
            let whole = self.steps.whole(version, id);
            let mut known = self.laws_of(version, &whole);
            known.extend(self.at_the_border((version, id)));
            return vec![End { known, output: whole.output }];
        }
        let steps = self.steps.steps(version, id);
        steps
            .into_iter()
            .map(|step| {
                let mut known = step.path;
                for call in &step.calls {
                    known.extend(self.laws_of(version, call));
                }
                End { known, output: step.output }
            })
            .collect()
    }

    /// What the laws say of a call that has ended.
    fn laws_of(&mut self, version: usize, call: &Call) -> Vec<Term> {
        let laws = self.laws.get(&(version, call.callee)).cloned().unwrap_or_default();
        let own = self.steps.inputs_ref(version, call.callee).to_vec();
        let given: HashMap<Term, Term> = own.into_iter().zip(call.input.iter().copied()).collect();
        let values: Vec<Term> = call.input.iter().chain(&call.output).copied().collect();
        laws.iter().map(|law| instance(self.steps.terms(), law, &given, &values)).collect()
    }

    /// Drops the laws of a procedure that do not follow on some path; says whether there were any.
    fn drop_unproved(&mut self, (version, id): (usize, ProcId)) -> bool {
        let inputs = self.steps.inputs_ref(version, id).to_vec();
        let border = self.at_the_border((version, id));
        let mut dropped = false;
        for step in self.steps.steps(version, id) {
            let mut known = [step.path.as_slice(), &border].concat();
            for call in &step.calls {
                known.extend(self.laws_of(version, call));
            }
            let laws = self.laws.get(&(version, id)).cloned().unwrap_or_default();
            let values: Vec<Term> = inputs.iter().chain(&step.output).copied().collect();
            let terms = self.steps.terms();
            let goals: Vec<Term> = laws.iter().map(|law| instance(terms, law, &HashMap::default(), &values)).collect();
            let failed = houdini::unproved(&goals, |goals| {
                let goal = self.steps.terms().and(goals);
                self.follows(&known, goal)
            });
            dropped |= self.laws.get_mut(&(version, id)).is_some_and(|laws| {
                !faults::planted("engines/closed-form/not-inductive") && houdini::remove(laws, &failed)
            });
        }
        dropped
    }

    fn follows(&mut self, known: &[Term], goal: Term) -> bool {
        let Some(left) = self.queries.checked_sub(1) else { return false };
        self.queries = left;
        let obligation = Obligation { assumptions: known.to_vec(), goal, tag: Purpose::ClosedFormInductive.into() };
        let arena = self.steps.arena();
        // Most laws follow without a look into products.
        linearised(arena, &obligation).is_some_and(|linear| self.solver.prove(arena, &linear) == Answer::Holds)
            || self.solver.prove(arena, &obligation) == Answer::Holds
    }
}

/// A law over other values: of inputs (by what they stand for), and of inputs and outputs in order.
fn instance(terms: &mut Terms, law: &Law, given: &HashMap<Term, Term>, values: &[Term]) -> Term {
    let equation = law.equation.term(terms, values);
    let case: Vec<Term> = law
        .case
        .iter()
        .map(|&(condition, truth)| {
            let condition = terms.substitute(condition, given);
            if truth { condition } else { terms.not(condition) }
        })
        .collect();
    let case = terms.and(&case);
    terms.implies(case, equation)
}
