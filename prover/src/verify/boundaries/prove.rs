//! What is proved of the pairs of a program, as `verify` proves it.
//!
//! In: a program, and pairs that are not worth trying. Out: for each name what was proved of the two procedures that have it.
//!
//! Invariant: no version has two procedures of one name, or nothing is proved: what is proved is told by name.
//! Invariant: what the kernel refuses is not proved, nor what rests on a contract that is not.

use super::part::Names;
use crate::analysis::{Analysis, analyse};
use crate::checked::Material;
use crate::engines::claims;
use crate::goal::Program;
use crate::lower::lower;
use crate::search::concrete;
use crate::search::witness::RunPair;
use crate::verdict::comparison::{comparisons, premises, procedures_run, unconditional};
use crate::verdict::vacuity;
use kernel::alone::clauses::contracts_hold;
use kernel::outline::cuts::{Cut, cut};
use kernel::relate::Level;
use lang_l::hir::Unit;
use smt::solve::Solver;
use std::collections::{BTreeMap, BTreeSet};

/// What was proved of a pair.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// How much; `None` for nothing.
    pub(crate) level: Option<Level>,
    /// Why it would say nothing, if it would.
    pub(crate) vacuous: Option<String>,
    /// Whether one of the two is known always to return. Of two that are equal so does the other.
    pub(crate) returns: bool,
}

impl Found {
    /// Whether the two do the same, and end from the same stores.
    pub(crate) fn is_equal(&self) -> bool {
        self.level == Some(Level::Full) && self.vacuous.is_none()
    }
}

/// Proves all pairs of a program but those of the names in `but`, which are known not to be equal, and those that `quick` says to
/// look at first and that a quick look refutes. Only for `asked` it is looked whether a proof would say anything.
pub(crate) fn prove(unit: &Unit, but: &Names, names: [&Names; 2], solver: &mut Solver) -> BTreeMap<String, Found> {
    prove_cut((unit, &[]), but, names, solver)
}

/// The same of a source, in the program that it is after some cuts: nothing where it cannot be cut so.
pub(crate) fn prove_cut(
    (source, cuts): (&Unit, &[Cut]),
    but: &Names,
    [quick, asked]: [&Names; 2],
    solver: &mut Solver,
) -> BTreeMap<String, Found> {
    let Some(unit) = &cut(source, cuts).filter(named_once) else { return BTreeMap::new() };
    let lowered = lower(unit);
    let Analysis { effects, clauses, evidence } = analyse(&lowered, solver);
    let program = Program { unit: &lowered, effects };
    let comparisons = comparisons(unit);
    let name = |pair: (lang_l::hir::ProcId, lang_l::hir::ProcId)| &unit.versions[0].procedure(pair.0).name;
    let asked_of = unconditional(unit, &comparisons);
    let refuted: Vec<_> = asked_of
        .iter()
        .copied()
        .filter(|&(left, right)| {
            let run = RunPair { unit, left, right, when: None };
            quick.contains(name((left, right))) && concrete::differs(&run, concrete::SearchBudget::QUICK)
        })
        .collect();
    let mut candidates = program.candidates(&asked_of);
    candidates.retain(|pair| {
        let known = asked_of.contains(pair) && but.contains(name(*pair));
        !known && !refuted.contains(pair)
    });
    let mut proofs = claims::prove_all(&program, &candidates, solver);
    let material = Material::of(unit, &program, &proofs);
    let kernel = material.check((source, cuts), &program, &evidence, solver);
    material.settle(&kernel, &program, &mut proofs);
    let mut found = BTreeMap::new();
    for pair in asked_of {
        let Some(proof) = proofs.get(&pair) else { continue };
        let reach = premises(pair, Some(proof), &proofs);
        let run = procedures_run(&program, pair, &reach);
        let kept = (0..2).all(|version| contracts_hold(&clauses, version, &run[version]));
        let level = proof.level.filter(|_| kept);
        let look = level.is_some() && asked.contains(name(pair));
        let vacuous = look.then(|| vacuity::vacuous(&program, pair, None, solver)).flatten().map(|reason| reason.what);
        let returns = program.effects.iter().zip([pair.0, pair.1]).any(|(effects, id)| {
            let own = &effects[id.index()];
            own.terminates && !own.may_block && own.errs_only_if_null.as_ref().is_some_and(Vec::is_empty)
        });
        found.insert(name(pair).clone(), Found { level, vacuous, returns });
    }
    found
}

fn named_once(unit: &Unit) -> bool {
    unit.versions.iter().all(|version| {
        let names: BTreeSet<&String> = version.procedures.iter().map(|one| &one.name).collect();
        names.len() == version.procedures.len()
    })
}
