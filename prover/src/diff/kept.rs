//! Conditions that recursion keeps, of procedures that call one another: remainders and signs of numbers that they are given.
//!
//! In: pairs that call one another. Out: for each of which that is so, where it is equal; proved of all of them together.
//!
//! What a run refutes is no candidate. Of the others those that follow from one another are left over, as with all claims under
//! conditions; those of one pair are joined, and proved once more.
//!
//! Rule *Condition*: each is proved under all, by induction over the depth of calls.

use super::proof;
use crate::budget::kept::{MAX_MODULUS, MAX_NUMBERS, MAX_PAIRS};
use crate::goal::{Pair, PairProof, Program};
use crate::search::concrete::{self, SearchBudget};
use crate::search::witness::RunPair;
use crate::verdict::conditional;
use kernel::proof::Kernel;
use kernel::relate::{Claims, ConditionalClaim, Level};
use lang_l::Loaded;
use lang_l::hir::visit::walk_exprs;
use lang_l::hir::{Expr, ExprKind, ProcId, Type};
use num_traits::ToPrimitive;
use smt::solve::Solver;
use std::collections::{BTreeMap, BTreeSet};

/// Where a pair is equal: as it is printed, as it is read, and the proof.
pub(super) type Kept = (String, Expr, PairProof);

/// Tests, all of which hold.
type Tests = Vec<String>;

/// The pairs that call one another, this one among them; none where it does not recur in both versions.
pub(super) fn component(program: &Program<'_>, pair: Pair, among: &[Pair]) -> Vec<Pair> {
    let calls = |from: Pair, to: Pair| {
        let callees = |version: usize, id: ProcId| &program.effects[version][id.index()].callees;
        callees(0, from.0).contains(&to.0) && callees(1, from.1).contains(&to.1)
    };
    among.iter().copied().filter(|&other| calls(pair, other) && calls(other, pair)).collect()
}

/// Finds where the pairs of a component are equal. The kernel takes it in.
pub(super) fn search(
    source: &Loaded,
    program: &Program<'_>,
    component: &[Pair],
    kernel: &mut Kernel<'_>,
    solver: &mut Solver,
) -> BTreeMap<Pair, Kept> {
    let moduli = moduli(source, component);
    if component.len() > MAX_PAIRS || moduli.is_empty() {
        return BTreeMap::new();
    }
    let mut candidates: Vec<(Pair, Tests, Expr)> = Vec::new();
    for &pair in component {
        for tests in tests(source, pair, &moduli) {
            let Some(condition) = proof::read(source, pair, None, &tests.join(" && ")) else { continue };
            let run = RunPair { unit: &source.unit, left: pair.0, right: pair.1, when: Some(&condition) };
            if !concrete::differs(&run, SearchBudget::QUICK) {
                candidates.push((pair, tests, condition));
            }
        }
    }
    let standing = kernel.standing().clone();
    let conditions = candidates.iter().map(|(pair, _, condition)| (*pair, condition.clone()));
    let holds: Vec<bool> = proved(program, &standing, conditions, solver)
        .iter()
        .map(|(claim, _)| claim.level == Some(Level::Full))
        .collect();
    let mut left: BTreeMap<Pair, Vec<Tests>> = BTreeMap::new();
    for ((pair, tests, _), _) in candidates.into_iter().zip(holds).filter(|(_, holds)| *holds) {
        left.entry(pair).or_default().push(tests);
    }
    let joined: Vec<(Pair, String, Expr)> = left
        .into_iter()
        .filter_map(|(pair, ways)| {
            let text = one_of(&ways);
            let condition = proof::read(source, pair, None, &text)?;
            Some((pair, text, condition))
        })
        .collect();
    let conditions = joined.iter().map(|(pair, _, condition)| (*pair, condition.clone()));
    let mut found = proved(program, &standing, conditions, solver);
    conditional::settle(program, &mut found, kernel, solver);
    let all = joined.into_iter().zip(found);
    let full = all.filter(|(_, (claim, _))| claim.level == Some(Level::Full));
    full.map(|((pair, text, condition), (_, proof))| (pair, (text, condition, proof))).collect()
}

/// Proves that pairs are equal under these conditions, as far as they are.
fn proved(
    program: &Program<'_>,
    standing: &Claims,
    conditions: impl Iterator<Item = (Pair, Expr)>,
    solver: &mut Solver,
) -> Vec<conditional::Proved> {
    let claim = |(pair, condition)| ConditionalClaim { pair, condition: Some(condition), level: Some(Level::Full) };
    let wanted: Vec<ConditionalClaim> = conditions.map(claim).collect();
    conditional::search(program, standing.clone(), &wanted, solver)
}

/// By which numbers remainders are taken: small ones that the programs speak of, and in how many steps the pairs come round.
fn moduli(source: &Loaded, component: &[Pair]) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([component.len()]);
    let mut note = |expr: &Expr| {
        if let ExprKind::Int(value) = &expr.kind {
            found.extend(value.to_usize());
        }
    };
    for &(left, right) in component {
        for (version, id) in [(0, left), (1, right)] {
            if let Some(body) = &source.unit.procedure(version, id).body {
                walk_exprs(body, &mut note);
            }
        }
    }
    found.retain(|number| (2..=MAX_MODULUS).contains(number));
    found
}

/// What may be asked of the numbers that a pair is given.
fn tests(source: &Loaded, (left, _): Pair, moduli: &BTreeSet<usize>) -> Vec<Tests> {
    let procedure = source.unit.procedure(0, left);
    let numbers = procedure.param_ids().map(|id| procedure.local(id)).filter(|local| local.ty == Type::Int);
    let mut all = Vec::new();
    for name in numbers.map(|local| &local.name).take(MAX_NUMBERS) {
        let (negative, natural) = (format!("{name} < 0"), format!("{name} >= 0"));
        all.push(vec![negative]);
        for modulus in moduli {
            for rest in 0..*modulus {
                let test = format!("{name} % {modulus} == {rest}");
                all.extend([vec![test.clone()], vec![natural.clone(), test]]);
            }
        }
    }
    all
}

/// That all tests of one of these hold, without those that follow from others.
fn one_of(ways: &[Tests]) -> String {
    let within = |a: &Tests, b: &Tests| a.len() < b.len() && a.iter().all(|test| b.contains(test));
    let least = ways.iter().filter(|way| !ways.iter().any(|other| within(other, way)));
    least.map(|way| way.join(" && ")).collect::<Vec<_>>().join(" || ")
}
