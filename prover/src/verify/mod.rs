//! The whole of verification, step by step.
//!
//! In: a checked pair program. Out: a [`Report`].
//!
//! 1. [`lower`]: loops become procedures, calls become statements.
//! 2. [`analyse`]: what is known of each procedure alone.
//! 3. `noticed`: where procedures do not notice that what they call differs, the statements round the calls are procedures.
//! 4. [`claims`]: all pairs proved together, as far as they can be.
//! 5. `Judge`: each pair's verdict, from its proof, what it rests on, and what a search for a difference found.

pub mod boundaries;

use crate::analysis::{Analysis, AnalysisEvidence, analyse};
use crate::checked::{self, Material};
use crate::engines::{claims, paper};
use crate::goal::{Pair, PairProof, Program};
use crate::lower::{Lowered, lower};
use crate::search::witness::Contrast;
use crate::search::{concrete, recurrent_set};
use crate::verdict::comparison::{Comparison, comparable, comparisons, procedures_run, unconditional};
use crate::verdict::conditional;
use crate::verdict::judge::{Judge, Manner, Proofs};
use crate::verdict::{PairReport, Report, Verdict, clauses, stopped};
use boundaries::noticed;
use kernel::alone::clauses::{Status, contracts_hold};
use kernel::outline::cuts::{Cut, cut};
use kernel::proof::Kernel;
use kernel::relate::{ConditionalClaim, Level};
use lang_l::hir::{ProcId, Unit};
use lang_l::interp::{Divergence, Stuck};
use smt::solve::{QueryBudget, Shared, Solver};
use smt::stop::{Reason, Stop, Stopped};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Of the time that there is, the part that is kept for the check of what was found by then: one in so many.
const CHECKING_SHARE: u32 = 4;

/// How long what was found is checked after an interruption, or when memory is full.
const LAST_CHECK: Duration = Duration::from_millis(900);

/// Ways to prove.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Path by path, with guided correspondence.
    #[default]
    Default,
    /// As the paper does: one query for all strategies; a pair with a condition of its own is unknown.
    Paper,
}

/// What is asked of a run.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Report only pairs in which one of these procedures takes part, and prove no others than they run; all when empty.
    pub procedures: Vec<String>,
    /// Bounds on each query.
    pub budget: QueryBudget,
    /// Bounds on the search for a difference; `None` for the usual.
    pub search: Option<concrete::SearchBudget>,
    /// How to prove.
    pub strategy: Strategy,
    /// Also look for code that no run comes to.
    pub explain: bool,
    /// When to give up: what is not decided by then is reported as unknown.
    pub stop: Stop,
    /// What decides queries; Z3 in this process if nothing else is said.
    pub backend: Shared,
    /// Where the solver's own choices start.
    pub seed: u32,
    /// Procedures that are known to be provable in no way: nothing is tried to prove them equivalent.
    pub given_up: BTreeSet<String>,
}

impl Config {
    fn manner(&self) -> Manner {
        let opinions = self.strategy == Strategy::Paper;
        Manner { search: self.search, stop: self.stop.clone(), explain: self.explain, opinions }
    }

    /// Whether a pair is to be reported.
    pub(crate) fn selects(&self, unit: &Unit, (left, right): Pair) -> bool {
        let names = [unit.versions[0].procedure(left), unit.versions[1].procedure(right)].map(|code| &code.name);
        self.procedures.is_empty() || self.procedures.iter().any(|name| names.contains(&name))
    }

    /// Whether nothing is tried to prove a pair.
    fn gives_up(&self, unit: &Unit, pair: Pair) -> bool {
        unit.versions[0].procedures.get(pair.0.index()).is_some_and(|code| self.given_up.contains(&code.name))
    }

    /// When to stop searching, so that there is time left to check what was found.
    fn search_stop(&self) -> Stop {
        let deadline = self.stop.left().and_then(|left| Instant::now().checked_add(left - left / CHECKING_SHARE));
        self.stop.until(deadline)
    }

    /// When to stop checking.
    fn check_stop(&self) -> Stop {
        match self.stop.reason() {
            Some(_) => Stop::new().until(Instant::now().checked_add(LAST_CHECK)),
            None => self.stop.clone(),
        }
    }

    /// A solver as it is asked for here.
    pub fn solver(&self) -> Solver {
        Solver::new(self.budget).under(self.stop.clone()).seeded(self.seed).with_backend(self.backend.clone())
    }
}

/// A pair that a report will speak of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The procedures.
    pub pair: Pair,
    /// The name of the one of version 0.
    pub left: String,
    /// The name of the one of version 1.
    pub right: String,
    /// The condition, as reports write it.
    pub when: Option<String>,
    /// Whether one of the two has a body.
    pub defined: bool,
}

/// The pairs that a report will speak of, in its order.
pub fn asked(unit: &Unit) -> Vec<Asked> {
    if unit.versions.len() < 2 {
        return Vec::new();
    }
    let of = |comparison: Comparison<'_>| {
        let (left, right) = comparison.pair;
        let code = [unit.versions[0].procedure(left), unit.versions[1].procedure(right)];
        let [left, right] = code.map(|procedure| procedure.name.clone());
        let defined = code.iter().any(|procedure| procedure.body.is_some());
        Asked { pair: comparison.pair, left, right, when: comparison.condition(unit), defined }
    };
    comparisons(unit).into_iter().map(of).collect()
}

/// Verifies all pairs of a pair program (of its first two versions).
pub fn verify(unit: &Unit, config: &Config) -> Report {
    if unit.versions.len() < 2 {
        return Report::default();
    }
    verified(unit, (unit, &[]), config)
}

/// Verifies the pairs of a source, in the program that it is after some cuts.
fn verified(unit: &Unit, (source, cuts): (&Unit, &[Cut]), config: &Config) -> Report {
    let mut solver = config.solver().under(config.search_stop());
    let known = solver.attempt(|solver| lowered_and_analysed(unit, solver));
    let comparisons = comparisons(unit);
    let selected = || comparisons.iter().filter(|one| config.selects(unit, one.pair) && is_written(source, one.pair));
    let all_open = |reason| {
        let open = selected().map(|comparison| (comparison.pair, comparison.condition(unit)));
        stopped::report(unit, open, reason)
    };
    let (lowered, Analysis { effects, clauses, evidence }) = match known {
        Ok(known) => known,
        Err(Stopped(reason)) => return all_open(reason),
    };
    let program = Program { unit: &lowered, effects };
    let concerned = concerned(&program, selected().map(|comparison| comparison.pair), config);
    let concerns = |(left, right): Pair| concerned[0].contains(&left) && concerned[1].contains(&right);
    let looked_at: Vec<_> = comparisons.iter().filter(|one| concerns(one.pair)).copied().collect();
    let mut judge = Judge::new(unit, &program, &clauses, config.manner());
    let refuted = judge.look(&looked_at, &mut solver);
    if let Some((program, cuts)) = outlined(unit, (cuts, config), (&looked_at, &refuted), &mut solver) {
        return Report { cuts: cuts.clone(), ..verified(&program, (unit, &cuts), config) };
    }
    let mut candidates = program.candidates(&unconditional(unit, &comparisons));
    candidates.retain(|pair| concerns(*pair) && !refuted.contains(pair) && !config.gives_up(unit, *pair));
    let mut proofs =
        solver.attempt(|solver| proofs(&program, &candidates, config.strategy, solver)).unwrap_or_default();
    let mut other = second_opinion(&program, &proofs, config.strategy, &mut solver);
    let material = Material::of(unit, &program, other.as_ref().unwrap_or(&proofs));
    let check =
        |solver: &mut Solver| inspect(&material, ((source, cuts), &program), &evidence, solver, config.check_stop());
    let ((kernel, stopped), queries) = solver.aside(check);
    let Some(mut kernel) = kernel else {
        // The first reason is the one that counts.
        return all_open(solver.stopped().or(stopped).unwrap_or(Reason::Size));
    };
    material.settle(&kernel, &program, other.as_mut().unwrap_or(&mut proofs));
    other.iter().for_each(|other| checked::agree(other, &mut proofs));
    let mut report = Report { kernel: checked::report(&program, &kernel, &proofs, queries), ..Report::default() };
    let under = Under { unit, program: &program, comparisons: &looked_at, strategy: config.strategy };
    let refuted = |one: &Comparison<'_>| judge.known_difference(one).is_some() || config.gives_up(unit, one.pair);
    report.conditional = under.prove((&mut proofs, &mut kernel), refuted, &mut solver);
    for comparison in selected() {
        let decided = solver.attempt(|solver| {
            let proof = under.answer(comparison, (&proofs, &report.conditional));
            judge.pair(comparison, (proof.as_ref(), &proofs), &kernel, solver)
        });
        let settle = |Stopped(reason)| judge.settle(comparison, (&proofs, &kernel), reason, &mut solver);
        report.pairs.push(decided.unwrap_or_else(settle));
    }
    report.contracts = judge.contracts(&concerned);
    clauses::confirmed(&kernel, &mut report.contracts);
    drop(kernel);
    report.evidence = evidence;
    report.stopped = solver.stopped().or(judge.stopped);
    report.queries = solver.log().to_vec();
    report.proofs = proofs;
    report
}

/// Whether a source has these two procedures.
fn is_written(source: &Unit, (left, right): Pair) -> bool {
    source.versions.iter().zip([left, right]).all(|(version, id)| id.index() < version.procedures.len())
}

/// The program in which statements round calls of what differs are procedures, where they do the same all the same; with these statements.
fn outlined(
    unit: &Unit,
    (cuts, config): (&[Cut], &Config),
    (looked_at, refuted): (&[Comparison<'_>], &[Pair]),
    solver: &mut Solver,
) -> Option<(Unit, Vec<Cut>)> {
    if !cuts.is_empty() || config.strategy == Strategy::Paper {
        return None;
    }
    let found = noticed::cuts(unit, &unconditional(unit, looked_at), refuted, solver);
    let program = cut(unit, &found).filter(|_| !found.is_empty())?;
    Some((program, found))
}

/// The program without loops, and what is known of each of its procedures.
fn lowered_and_analysed(unit: &Unit, solver: &mut Solver) -> (Lowered, Analysis) {
    let lowered = lower(unit);
    let analysis = analyse(&lowered, solver);
    (lowered, analysis)
}

/// The proofs by which the kernel can check what the paper's encoding says, which is an opinion without them.
fn second_opinion(program: &Program<'_>, proofs: &Proofs, strategy: Strategy, solver: &mut Solver) -> Option<Proofs> {
    let pairs: Vec<Pair> = proofs.iter().filter(|(_, proof)| proof.level.is_some()).map(|(pair, _)| *pair).collect();
    let search = |solver: &mut Solver| solver.attempt(|solver| claims::prove_all(program, &pairs, solver));
    (strategy == Strategy::Paper).then(|| solver.aside(search).0.unwrap_or_default())
}

/// Has all that was found checked. What was found in time is checked even if the time is over by then.
fn inspect<'k>(
    material: &'k Material,
    (source, program): ((&'k Unit, &'k [Cut]), &'k Program<'_>),
    evidence: &'k [AnalysisEvidence; 2],
    solver: &mut Solver,
    stop: Stop,
) -> (Option<Kernel<'k>>, Option<Reason>) {
    match solver.attempt_under(stop, |solver| material.check(source, program, evidence, solver)) {
        Ok(kernel) => (Some(kernel), None),
        Err(Stopped(reason)) => (None, Some(reason)),
    }
}

/// The procedures of each version that these pairs run: all, unless only some pairs were asked for.
fn concerned(program: &Program<'_>, pairs: impl Iterator<Item = Pair>, config: &Config) -> [BTreeSet<ProcId>; 2] {
    if config.procedures.is_empty() {
        return [0, 1].map(|version| (0u32..).take(program.effects[version].len()).map(ProcId).collect());
    }
    let mut run = [BTreeSet::new(), BTreeSet::new()];
    for pair in pairs {
        let own = procedures_run(program, pair, &BTreeSet::new());
        run.iter_mut().zip(own).for_each(|(all, own)| all.extend(own));
    }
    run
}

/// What is proved of the candidates, one way or the other.
fn proofs(program: &Program<'_>, candidates: &[Pair], strategy: Strategy, solver: &mut Solver) -> Proofs {
    match strategy {
        Strategy::Default => claims::prove_all(program, candidates, solver),
        Strategy::Paper => paper::prove_all(program, candidates, solver),
    }
}

/// What is asked under conditions.
struct Under<'u> {
    unit: &'u Unit,
    program: &'u Program<'u>,
    comparisons: &'u [Comparison<'u>],
    strategy: Strategy,
}

impl Under<'_> {
    /// What engines find of all that is worth asking under conditions; the paper's strategy knows none.
    fn search(
        &self,
        proofs: &Proofs,
        refuted: impl Fn(&Comparison<'_>) -> bool,
        solver: &mut Solver,
    ) -> Vec<conditional::Proved> {
        if self.strategy == Strategy::Paper {
            return Vec::new();
        }
        let wanted = conditional::wanted(self.unit, self.program, self.comparisons, proofs, refuted);
        conditional::search(self.program, claims::surviving(self.program, proofs), &wanted, solver)
    }

    /// What is proved of that, checked; nothing where the stop fires first. What needs no condition after all is taken over.
    fn prove(
        &self,
        (proofs, kernel): (&mut Proofs, &mut Kernel<'_>),
        refuted: impl Fn(&Comparison<'_>) -> bool,
        solver: &mut Solver,
    ) -> Vec<conditional::Proved> {
        let found = solver.attempt(|solver| {
            let mut found = self.search(proofs, refuted, solver);
            solver.aside(|solver| conditional::settle(self.program, &mut found, kernel, solver));
            found
        });
        let found = found.unwrap_or_default();
        conditional::take_over(&found, proofs);
        found
    }

    /// The proof of one pair under its condition; `None` where the two cannot be compared, or the strategy knows no conditions.
    fn answer(
        &self,
        comparison: &Comparison<'_>,
        (proofs, found): (&Proofs, &[conditional::Proved]),
    ) -> Option<PairProof> {
        match comparison.when {
            _ if !comparable(self.unit, comparison.pair) => None,
            None => proofs.get(&comparison.pair).cloned(),
            Some(_) if self.strategy == Strategy::Paper => None,
            Some(when) => {
                let own =
                    |claim: &ConditionalClaim| (claim.pair, claim.condition.as_ref()) == (comparison.pair, Some(when));
                let proof = found.iter().find(|(claim, _)| own(claim)).map(|(_, proof)| proof.clone());
                Some(proof.unwrap_or_else(|| claims::untried(self.program, comparison.pair)))
            }
        }
    }
}

/// The pairs a report refutes that the engines would have proved, had nobody looked for a difference first: there are none, if the
/// rules are sound. For those who hold proofs against runs.
pub fn contradicted<'r>(unit: &Unit, report: &'r Report, config: &Config) -> Vec<&'r PairReport> {
    // Whether what differs is whether they end.
    let refuted = |pair: &PairReport| match &pair.verdict {
        Verdict::NotEquivalent(witness) => Some(matches!(witness.contrast(), Contrast::Termination)),
        _ => None,
    };
    if report.pairs.iter().all(|pair| refuted(pair).is_none()) {
        return Vec::new();
    }
    let levels = unaided(unit, config);
    let provable = |pair: &PairReport| {
        let level = levels.iter().find(|(of, when, _)| *of == pair.pair && *when == pair.when).and_then(|(.., l)| *l);
        refuted(pair).is_some_and(|endless| if endless { level == Some(Level::Full) } else { level.is_some() })
    };
    let equal = report.pairs.iter().filter(|pair| matches!(pair.verdict, Verdict::Equivalent(_)));
    let equal = equal.map(|pair| pair.left.clone()).collect();
    let unaffected = |pair: &PairReport| {
        let is_client = pair.when.is_none() && pair.left == pair.right && refuted(pair).is_some();
        is_client && noticed::is_proved(unit, pair.pair, &equal, &mut config.solver())
    };
    report.pairs.iter().filter(|pair| provable(pair) || unaffected(pair)).collect()
}

/// What the engines alone make of each pair and the condition of its `equiv`. Nothing where a contract is not proved.
fn unaided(unit: &Unit, config: &Config) -> Vec<(Pair, Option<String>, Option<Level>)> {
    let mut solver = config.solver();
    let (lowered, Analysis { effects, clauses, .. }) = lowered_and_analysed(unit, &mut solver);
    let program = Program { unit: &lowered, effects };
    let comparisons = comparisons(unit);
    let candidates = program.candidates(&unconditional(unit, &comparisons));
    let mut proofs = proofs(&program, &candidates, config.strategy, &mut solver);
    let under = Under { unit, program: &program, comparisons: &comparisons, strategy: config.strategy };
    let found = under.search(&proofs, |_| false, &mut solver);
    conditional::take_over(&found, &mut proofs);
    let in_doubt = clauses.iter().any(|clause| clause.status != Status::Holds);
    let level = |comparison: &Comparison<'_>| {
        let proof = under.answer(comparison, (&proofs, &found));
        proof.filter(|_| !in_doubt).and_then(|proof| proof.level)
    };
    comparisons.iter().map(|comparison| (comparison.pair, comparison.condition(unit), level(comparison))).collect()
}

/// The proof, by a recurrent set, that a run of one version which was stopped in these places would never have ended.
pub fn never_ends(unit: &Unit, version: usize, stuck: &[Stuck], config: &Config) -> Option<Divergence> {
    // One version is a pair with itself, which is all that is needed to look at it alone.
    let twins = Unit { versions: vec![unit.versions[version].clone(); 2], ..unit.clone() };
    let lowered = lower(&twins);
    let mut solver = config.solver();
    let Analysis { effects, clauses, evidence } = analyse(&lowered, &mut solver);
    let all = (0u32..).take(effects[0].len()).map(ProcId).collect();
    if !contracts_hold(&clauses, 0, &all) {
        return None;
    }
    let program = Program { unit: &lowered, effects };
    let material = Material::of(&twins, &program, &Proofs::new());
    let kernel = material.check((&twins, &[]), &program, &evidence, &mut solver);
    let of = recurrent_set::Version { unit: &lowered, version: 0, effects: &program.effects[0], kernel: &kernel };
    stuck.iter().find_map(|stuck| recurrent_set::never_ends(of, &twins, stuck, &mut solver)).map(Divergence::from)
}
