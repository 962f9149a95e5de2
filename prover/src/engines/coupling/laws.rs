//! Laws: what one procedure gives back, as polynomials of what it is given, case by case.
//!
//! In: the paths of procedures. Out: the [`Laws`] that runs of each satisfy, as candidates; what they say of a call; and the same
//! as the kernel has them.
//!
//! Invariant: runs only propose; whoever uses a law has proved that it is inductive together with the others.

use super::runs::{Activation, Simulator};
use super::steps::{Call, Steps};
use crate::budget::closed_form::{MAX_CONDITIONS, MAX_DEGREE, MAX_MODULI, MAX_REMAINDERS};
use crate::chc::polynomial::{Equation, Polynomial, closed_form};
use crate::goal::Pair;
use kernel::pair::summaries::{Formula, Summary};
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap as HashMap;
use smt::term::{Node, Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Laws, by version and procedure.
pub(super) type Laws = BTreeMap<(usize, ProcId), Vec<Law>>;

/// Where the inputs satisfy some conditions and fail others, inputs and outputs satisfy an equation.
#[derive(Clone, Debug)]
pub(super) struct Law {
    /// Over the procedure's own inputs, each with its truth.
    pub(super) case: Vec<(Term, bool)>,
    /// Over inputs, then outputs.
    pub(super) equation: Equation,
}

/// The laws that runs of some procedures satisfy; their inputs are told apart by whether these numbers divide them, too.
pub(super) fn observed(steps: &mut Steps<'_>, all: &[(usize, ProcId)], moduli: &[BigInt]) -> Laws {
    let mut laws = Laws::new();
    for &own in all {
        let conditions = conditions(steps, own, moduli);
        laws.insert(own, of_runs(steps, own, &conditions));
    }
    laws
}

/// What laws say of a call that has ended.
pub(super) fn instances(steps: &mut Steps<'_>, laws: &Laws, version: usize, call: &Call) -> Vec<Term> {
    let Some(laws) = laws.get(&(version, call.callee)) else { return Vec::new() };
    let own = steps.inputs_ref(version, call.callee).to_vec();
    let given: HashMap<Term, Term> = own.into_iter().zip(call.input.iter().copied()).collect();
    let values: Vec<Term> = call.input.iter().chain(&call.output).copied().collect();
    laws.iter().map(|law| instance(steps.terms(), law, &given, &values)).collect()
}

/// A law over other values: of inputs (by what they stand for), and of inputs and outputs in order.
pub(super) fn instance(terms: &mut Terms, law: &Law, given: &HashMap<Term, Term>, values: &[Term]) -> Term {
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

/// The laws of a procedure as the kernel has them; `None` where they cannot be said so.
pub(super) fn told(steps: &Steps<'_>, (version, id): (usize, ProcId), laws: &[Law]) -> Option<Summary> {
    let formula = |law: &Law| {
        let case = case_told(steps, (version, id), law)?.into_iter();
        let mut parts: Vec<Formula> = case.map(|condition| Formula::Not(Box::new(condition))).collect();
        parts.push(Formula::Zero(law.equation.sum.told()));
        Some(Formula::Any(parts))
    };
    let after = laws.iter().map(formula).collect::<Option<_>>()?;
    let mut of = [None, None];
    of[version] = Some(id);
    Some(Summary::of_calls(of, Vec::new(), after))
}

/// The conditions of a law as the kernel has them; `None` where they cannot be said so.
pub(super) fn case_told(steps: &Steps<'_>, (version, id): (usize, ProcId), law: &Law) -> Option<Vec<Formula>> {
    let columns: BTreeMap<Term, usize> = steps.inputs_ref(version, id).iter().copied().zip(0..).collect();
    let terms = steps.terms_ref();
    let told = |&(condition, truth): &(Term, bool)| {
        let told = condition_told(terms, condition, &columns)?;
        Some(if truth { told } else { Formula::Not(Box::new(told)) })
    };
    law.case.iter().map(told).collect()
}

/// A condition on inputs as the kernel has it.
fn condition_told(terms: &Terms, condition: Term, columns: &BTreeMap<Term, usize>) -> Option<Formula> {
    let sum = |term: Term| Polynomial::of(terms, term, columns).map(|sum| sum.told());
    Some(match *terms.node(condition) {
        Node::AtMostZero(term) => Formula::AtMostZero(sum(term)?),
        Node::IsZero(term) => match terms.linear_parts(term) {
            (_, parts) if parts.len() == 1 && term == parts[0].1 => match *terms.node(term) {
                Node::Rem(of, by) => Formula::Divisible(sum(of)?, terms.as_int(by)?.clone()),
                _ => Formula::Zero(sum(term)?),
            },
            _ => Formula::Zero(sum(term)?),
        },
        Node::App(..) => {
            let value = *columns.get(&condition)?;
            Formula::Not(Box::new(Formula::Zero(Polynomial { parts: vec![(BigInt::from(1), vec![value])] }.told())))
        }
        Node::Not(inner) => Formula::Not(Box::new(condition_told(terms, inner, columns)?)),
        _ => return None,
    })
}

/// The numbers that remainders are taken by.
pub(super) fn moduli(steps: &mut Steps<'_>, pair: Pair, all: &[(usize, ProcId)]) -> Vec<BigInt> {
    let roots = [(0, pair.0), (1, pair.1)];
    let taken = all.iter().copied().chain(roots).flat_map(|(version, id)| steps.steps(version, id));
    let terms: Vec<Term> = taken.flat_map(|step| step.path.into_iter().chain(step.output)).collect();
    let mut found = BTreeSet::new();
    for part in steps.terms().parts_of(&terms) {
        if let Node::Rem(_, by) | Node::Div(_, by) = steps.terms().node(part) {
            let by = *by;
            found.extend(steps.terms().as_int(by).filter(|by| **by > BigInt::from(1)).cloned());
        }
    }
    found.into_iter().take(MAX_MODULI).collect()
}

/// The laws that runs of a procedure satisfy.
fn of_runs(steps: &Steps<'_>, (version, id): (usize, ProcId), conditions: &[Term]) -> Vec<Law> {
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
            // All remainders but the last one are told apart; by great numbers only 0 is.
            let most = by.to_u32().filter(|by| *by <= MAX_REMAINDERS).map_or(1, |by| by.saturating_sub(1).max(1));
            for less in 0..most {
                let (by, zero, less) = (terms.int(by.clone()), terms.int(0), terms.int(less));
                let less = terms.sub(input, less);
                let rest = terms.rem(less, by);
                divisible.push(terms.eq(rest, zero));
            }
        }
    }
    let roots: Vec<Term> = steps.steps_ref(version, id).iter().flat_map(|step| step.path.iter().copied()).collect();
    let mut found = comparisons(steps, (version, id), &roots);
    // What always holds tells nothing apart.
    for always in comparisons(steps, (version, id), steps.assumed(version, id)) {
        found.remove(&always);
    }
    found.into_iter().take(MAX_CONDITIONS).chain(divisible.into_iter().take(MAX_CONDITIONS)).collect()
}

/// The comparisons in some conditions that are of a procedure's inputs alone.
fn comparisons(steps: &Steps<'_>, (version, id): (usize, ProcId), conditions: &[Term]) -> BTreeSet<Term> {
    let terms = steps.terms_ref();
    let inputs: BTreeSet<Term> = steps.inputs_ref(version, id).iter().copied().collect();
    let mut found = BTreeSet::new();
    let mut work = conditions.to_vec();
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
    found
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
