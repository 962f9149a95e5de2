//! From which stores a pair differs, where that is cheap to have: for the last line of a report of `verify`.
//!
//! In: a program, and the report on it. Out: the report, with a condition for each pair of which one is quickly found.
//!
//! Only pairs without loops, recursion and code that is not there are looked at, and only a few of them. Each is executed once,
//! with all calls in place, where that gives few paths.
//!
//! Invariant: a condition is proved, as it was read back from its text (rule *Differing kind*), and a run has shown a difference.
//! Invariant: the work is bounded by counts, of pairs, of paths and of what the solver does.

use super::proof::{self, Known};
use super::{Manner, Task, kinds};
use crate::analysis::{Analysis, analyse};
use crate::budget::brief::{MAX_OUTCOMES, MAX_PAIRS, MAX_TESTS, SHARE};
use crate::checked::Material;
use crate::goal::{Pair, Program};
use crate::lower::lower;
use crate::search::witness::Contrast;
use crate::verdict::comparison::{Comparison, comparisons};
use crate::verdict::judge::Proofs;
use crate::verdict::{PairReport, Report, Verdict};
use crate::verify::Config;
use crate::verify::boundaries::part::{is_straight, reached_from, restricted};
use kernel::relate::Claims;
use lang_l::Loaded;
use lang_l::hir::{BinOp, Expr, ExprKind, UnOp, Unit};
use smt::solve::Solver;
use std::collections::{BTreeMap, BTreeSet};

/// Notes in a report from which stores its pairs differ, where that is cheap to have.
pub fn note(source: &Loaded, report: &mut Report, config: &Config) {
    let cheap = || report.pairs.iter().filter(|pair| is_cheap(&source.unit, pair)).take(MAX_PAIRS);
    let pairs: BTreeSet<Pair> = cheap().map(|pair| pair.pair).collect();
    let asked: BTreeSet<Key> = cheap().map(key).collect();
    if pairs.is_empty() {
        return;
    }
    let small = Loaded { sources: source.sources.clone(), unit: run_by(&source.unit, &pairs) };
    let look = |solver: &mut Solver| solver.with_share(SHARE, |solver| conditions(&small, &asked, solver));
    let mut found = config.solver().attempt(look).unwrap_or_default();
    for pair in &mut report.pairs {
        pair.differs_when = found.remove(&key(pair));
    }
}

/// The names of a pair, and the condition of its own.
type Key = ([String; 2], Option<String>);

fn key(pair: &PairReport) -> Key {
    ([pair.left.clone(), pair.right.clone()], pair.when.clone())
}

/// Whether a pair was seen to end in other stores, or in error, and is straight code.
fn is_cheap(unit: &Unit, pair: &PairReport) -> bool {
    let Verdict::NotEquivalent(witness) = &pair.verdict else { return false };
    let both_end = !matches!(witness.contrast(), Contrast::Termination);
    both_end && is_straight(&unit.versions[0], pair.pair.0) && is_straight(&unit.versions[1], pair.pair.1)
}

/// The part of a program that some pairs run.
fn run_by(unit: &Unit, pairs: &BTreeSet<Pair>) -> Unit {
    let left = reached_from(&unit.versions[0], pairs.iter().map(|pair| pair.0));
    let right = reached_from(&unit.versions[1], pairs.iter().map(|pair| pair.1));
    restricted(unit, &[left, right])
}

/// Where the pairs of a small program that are asked about differ.
fn conditions(source: &Loaded, asked: &BTreeSet<Key>, solver: &mut Solver) -> BTreeMap<Key, String> {
    let unit = &source.unit;
    let lowered = lower(unit);
    let Analysis { effects, clauses, evidence } = analyse(&lowered, solver);
    let program = Program { unit: &lowered, effects };
    let proofs = Proofs::new();
    let material = Material::of(unit, &program, &proofs);
    let kernel = material.check((unit, &[]), &program, &evidence, solver);
    let known = Known { proofs: &proofs, clauses: &clauses, kernel: &kernel, partial: false };
    let (claims, manner) = (Claims::new(), Manner::default());
    let task = Task { source, program: &program, claims: &claims, known, manner: &manner };
    let mut found = BTreeMap::new();
    for comparison in comparisons(unit) {
        let names = [(0, comparison.pair.0), (1, comparison.pair.1)];
        let names = names.map(|(version, id)| unit.procedure(version, id).name.clone());
        let own = (names, comparison.condition(unit));
        if asked.contains(&own)
            && let Some(text) = condition(task, &comparison, solver)
        {
            found.insert(own, text);
        }
    }
    found
}

/// Where one pair differs, if that is short.
fn condition(task: Task<'_>, comparison: &Comparison<'_>, solver: &mut Solver) -> Option<String> {
    let pair = comparison.pair;
    let condition = task.contracts_hold(pair).then(|| kinds::differing(task, comparison, MAX_OUTCOMES, solver))??;
    let alone = proof::read(task.source, pair, None, &condition.text)?;
    (tests(&alone) <= MAX_TESTS).then_some(condition.text)
}

/// How many tests a condition is built of.
fn tests(condition: &Expr) -> usize {
    match &condition.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, left, right) => tests(left) + tests(right),
        ExprKind::Unary(UnOp::Not, inner) | ExprKind::Quant { body: inner, .. } => tests(inner),
        _ => 1,
    }
}
