//! How two versions differ: from which stores on entry they are equal, from which they differ and in what, and of which one ends.
//!
//! In: a checked pair program with its texts. Out: a [`DiffReport`], a [`PairDiff`] for each pair.
//!
//! 1. All pairs are proved as far as they can be, as `verify` does. What is left is looked at callees first: where a callee is equal helps
//!    with its callers (rule *Condition*).
//! 2. `paths`: what is left is executed path by path, with calls in place; each two paths that one store can take are compared.
//! 3. `regions`: from that, conditions over the store on entry, as short as they can be (`cubes`, `condition`).
//! 4. `proof`: each condition is read back from its text and proved; what is not proved is open.
//! 5. `kept`: where recursion is still open, remainders and signs of numbers that it keeps.
//! 6. `kinds::rows`: what differs where, each with a store that was run; what no term says is related (`kinds::between`).
//! 7. `finish`: conditions that were put together in fewer words; where no store is seen that is not equal, one from which one alone ends.
//!
//! Invariant: no condition is reported but as it was read back from its text and proved, or as another way to say what was.
//! Invariant: every store is of one of the reported kinds, or open.

mod acceleration;
mod ask;
pub mod at;
mod atoms;
pub mod brief;
pub mod client;
mod condition;
mod cubes;
mod endless;
mod finish;
mod kept;
mod kinds;
mod one_sided;
mod opposite;
mod outputs;
mod paths;
mod proof;
mod regions;
pub mod report;
mod results;
mod sight;
mod text;
mod turns;
mod twin;

pub use kinds::rows::{Row, Value};

use crate::analysis::{Analysis, analyse};
use crate::checked::{self, Material};
use crate::engines::claims;
use crate::goal::{Pair, PairProof, Program};
use crate::lower::lower;
use crate::search::concrete;
use crate::search::witness::{RunPair, Witness};
use crate::verdict::comparison::{Comparison, comparable, comparisons, procedures_run, unconditional};
use crate::verdict::judge::Proofs;
use crate::verdict::vacuity;
use crate::verify::Config;
use crate::verify::boundaries::noticed;
use crate::verify::boundaries::part::is_same_code;
use kernel::alone::clauses::{Clause, contracts_hold};
use kernel::proof::Kernel;
use kernel::relate::{Claims, ConditionalClaim, Level};
use lang_l::Loaded;
use lang_l::hir::{Expr, ProcId, Unit};
use paths::Question;
use proof::Known;
use smt::solve::Solver;
use smt::stop::{Reason, Stopped};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How the two procedures of a pair differ.
#[derive(Clone, Debug)]
pub struct PairDiff {
    /// The procedures.
    pub pair: Pair,
    /// Their names.
    pub names: [String; 2],
    /// The condition of the pair's own `equiv`.
    pub when: Option<String>,
    /// Where they are equal; proved as `equiv … when`.
    pub equal_when: String,
    /// Where both end and differ.
    pub differs_when: String,
    /// Where exactly one ends.
    pub one_ends_when: String,
    /// What none of these covers; `None` when nothing is left.
    pub open_when: Option<String>,
    /// How the stores that differ do.
    pub rows: Vec<Row>,
    /// Whether each way to differ that was proved has a row.
    rows_whole: bool,
    /// What holds of the outputs of every store that differs; `None` where not all ways to differ can be told.
    pub relation: Option<String>,
    /// A store from which exactly one was seen to end.
    pub one_ends_witness: Option<Box<Witness>>,
    /// Whether the text of one of the two was changed.
    pub modified: bool,
    /// Whether the two were executed.
    pub executed: bool,
    /// The procedures that were executed in place where they are called.
    pub refined: Vec<String>,
    /// How long it took.
    pub time: Duration,
    /// The lines of both versions that it is about, where it is about the values there.
    pub at: Option<[usize; 2]>,
    /// Where the two are equal, as it is read, with the proof; for callers.
    proved: Option<Box<(Expr, PairProof)>>,
}

impl PairDiff {
    /// Whether it is known of every store what kind it is.
    pub fn is_complete(&self) -> bool {
        self.open_when.is_none()
    }

    /// Whether some store is known that is not equal.
    pub fn differs(&self) -> bool {
        // Each row has a store that was run, also where it is open which others are like it.
        let seen = !self.rows.is_empty() || self.one_ends_witness.is_some();
        seen || self.differs_when != "false" || self.one_ends_when != "false"
    }

    /// What is known when a run that does not end counts as equal to any.
    fn counting_endless_as_equal(self) -> Self {
        let equal_when = finish::either(&self.equal_when, &self.one_ends_when);
        let (one_ends_when, one_ends_witness) = ("false".into(), None);
        PairDiff { equal_when, one_ends_when, one_ends_witness, proved: None, ..self }
    }

    /// The verdict that follows.
    pub fn verdict(&self) -> &'static str {
        match (self.differs(), self.is_complete()) {
            (true, _) => "not-equivalent",
            (false, true) => "equivalent",
            (false, false) => "unknown",
        }
    }
}

/// How two versions differ.
#[derive(Clone, Debug, Default)]
pub struct DiffReport {
    /// The pairs, in the order of version 0.
    pub pairs: Vec<PairDiff>,
    /// Why work was given up, if it was.
    pub stopped: Option<Reason>,
}

/// What is asked for beside what [`Config`] says.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// Count a run that does not end as equal to anything.
    pub partial: bool,
    /// The tests that conditions may be built of; all that there are when empty.
    pub predicates: Vec<String>,
}

impl Manner {
    /// Whether all stores are asked about, with all tests that there are: `when` is the pair's own condition.
    fn is_plain(&self, when: Option<&Expr>) -> bool {
        when.is_none() && !self.partial && self.predicates.is_empty()
    }
}

/// The first of these tests that no pair of the program can be asked about.
pub fn unreadable<'m>(source: &Loaded, manner: &'m Manner) -> Option<&'m String> {
    let pairs: Vec<Pair> = comparisons(&source.unit).iter().map(|one| one.pair).collect();
    let reads = |text: &String| pairs.iter().any(|&pair| proof::read(source, pair, None, text).is_some());
    manner.predicates.iter().find(|text| !reads(text))
}

/// The program in which the conditions of a report are read: each procedure has a variable more, which they may bind.
pub fn readable(source: &Loaded) -> Loaded {
    let mut source = source.clone();
    turns::with_variable(&mut source.unit);
    source
}

/// Finds how the two versions of a pair program differ.
pub fn diff(source: &Loaded, config: &Config, manner: &Manner) -> DiffReport {
    if source.unit.versions.len() < 2 {
        return DiffReport::default();
    }
    let source = &readable(source);
    let unit = &source.unit;
    let mut solver = config.solver();
    let comparisons = comparisons(unit);
    let selected: Vec<&Comparison<'_>> = comparisons.iter().filter(|c| config.selects(unit, c.pair)).collect();
    let lowered = solver.attempt(|solver| {
        let lowered = lower(unit);
        let analysis = analyse(&lowered, solver);
        (lowered, analysis)
    });
    let (lowered, Analysis { effects, clauses, evidence }) = match lowered {
        Ok(known) => known,
        Err(Stopped(reason)) => {
            let pairs = selected.iter().map(|comparison| open(source, comparison)).collect();
            return DiffReport { pairs, stopped: Some(reason) };
        }
    };
    let program = Program { unit: &lowered, effects };
    let wanted = wanted(&program, &selected);
    let mut proofs =
        solver.attempt(|solver| prove_all(source, &program, (&comparisons, &wanted), solver)).unwrap_or_default();
    let material = Material::of(unit, &program, &proofs);
    let kernel = match solver.attempt(|solver| material.check((unit, &[]), &program, &evidence, solver)) {
        Ok(kernel) => kernel,
        Err(Stopped(reason)) => {
            let pairs = selected.iter().map(|comparison| open(source, comparison)).collect();
            return DiffReport { pairs, stopped: Some(reason) };
        }
    };
    material.settle(&kernel, &program, &mut proofs);
    let claims = claims::surviving(&program, &proofs);
    // What a selected pair calls helps with it, whether it is asked about or not.
    let helps = |one: &&Comparison<'_>| {
        let is_selected = selected.iter().any(|own| std::ptr::eq(*own, *one));
        one.when.is_none() && is_wanted(&wanted, one.pair) && !is_selected
    };
    let looked_at: Vec<&Comparison<'_>> = selected.iter().copied().chain(comparisons.iter().filter(helps)).collect();
    let unasked = looked_at.iter().filter(|one| one.when.is_none()).map(|one| one.pair).collect();
    let kept = BTreeMap::new();
    let (program, proofs, clauses) = (&program, &proofs, &clauses[..]);
    let mut course = Course { source, manner, program, proofs, clauses, claims, kernel, unasked, kept };
    let mut found: Vec<Option<PairDiff>> = vec![None; looked_at.len()];
    for at in callees_first(program, &looked_at) {
        found[at] = Some(course.compare(looked_at[at], &mut solver));
    }
    let pairs = found.into_iter().zip(&selected).map(|(own, one)| own.unwrap_or_else(|| open(source, one)));
    DiffReport { pairs: pairs.collect(), stopped: solver.stopped() }
}

/// The comparisons of one program, one after the other: what is found of a pair helps with the next.
struct Course<'c> {
    source: &'c Loaded,
    manner: &'c Manner,
    program: &'c Program<'c>,
    proofs: &'c Proofs,
    clauses: &'c [Clause],
    /// What callers may rest on.
    claims: Claims,
    kernel: Kernel<'c>,
    /// The pairs that are looked at on all stores.
    unasked: Vec<Pair>,
    /// What recursion keeps, of the pairs for which it was searched.
    kept: BTreeMap<Pair, Option<kept::Kept>>,
}

impl Course<'_> {
    /// How one pair differs.
    fn compare(&mut self, comparison: &Comparison<'_>, solver: &mut Solver) -> PairDiff {
        let started = Instant::now();
        let manner = self.manner;
        let mut own = self.found(comparison, manner, solver);
        if manner.partial && !own.is_complete() {
            // More is looked for where endless runs are told apart.
            let apart = Manner { partial: false, ..manner.clone() };
            let found = self.found(comparison, &apart, solver).counting_endless_as_equal();
            own = finish::joined(self.task(manner), comparison, [own, found], solver);
        }
        own = finish::with_endless(self.task(manner), comparison, own, solver);
        own.time = started.elapsed();
        own.modified = is_modified(&self.source.unit, comparison.pair);
        own
    }

    /// What is found of a pair in a manner, in few words; callers may rest on it from now on.
    fn found(&mut self, comparison: &Comparison<'_>, manner: &Manner, solver: &mut Solver) -> PairDiff {
        let source = self.source;
        let task = self.task(manner);
        let own = solver.attempt(|solver| solver.at(comparison.task(), |solver| pair(task, comparison, solver)));
        let mut own = own.unwrap_or_else(|_| open(source, comparison));
        if manner.is_plain(comparison.when) && !own.is_complete() {
            own = self.by_recursion(own, solver);
        }
        own = finish::shortened(self.task(manner), comparison, own, solver);
        let learnt = solver.attempt(|solver| learn(self.program, &own, &mut self.kernel, solver));
        if learnt.is_ok() {
            self.claims.conditional.clone_from(&self.kernel.standing().conditional);
        }
        own
    }

    /// What is told of a pair, with what the numbers keep in the recursion that it is part of.
    fn by_recursion(&mut self, own: PairDiff, solver: &mut Solver) -> PairDiff {
        let source = self.source;
        if !self.kept.contains_key(&own.pair) {
            let component = kept::component(self.program, own.pair, &self.unasked);
            let kernel = &mut self.kernel;
            let search = |solver: &mut Solver| kept::search(source, self.program, &component, kernel, solver);
            let mut told = solver.attempt(search).unwrap_or_default();
            self.kept.extend(component.iter().map(|&pair| (pair, told.remove(&pair))));
        }
        let Some(Some(kept)) = self.kept.get(&own.pair) else { return own };
        let question = Question { program: self.program, pair: own.pair, claims: &self.claims };
        kinds::with_kept(own, kept, (question, self.known(false)), source, solver)
    }

    fn known(&self, partial: bool) -> Known<'_> {
        Known { proofs: self.proofs, clauses: self.clauses, kernel: &self.kernel, partial }
    }

    fn task<'t>(&'t self, manner: &'t Manner) -> Task<'t> {
        let known = self.known(manner.partial);
        Task { source: self.source, program: self.program, claims: &self.claims, known, manner }
    }
}

/// The order in which pairs are looked at: what is known of callees helps with their callers.
fn callees_first(program: &Program<'_>, looked_at: &[&Comparison<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..looked_at.len()).collect();
    order.sort_by_key(|&at| program.calls(looked_at[at].pair));
    order
}

/// Has the kernel take in where a pair is equal, so that its callers may rest on it.
fn learn(program: &Program<'_>, own: &PairDiff, kernel: &mut Kernel<'_>, solver: &mut Solver) {
    let Some((condition, proof)) = own.proved.as_deref().filter(|_| program.claimable(own.pair)) else { return };
    let claim = ConditionalClaim { pair: own.pair, condition: Some(condition.clone()), level: proof.level };
    kernel.learn(&[(claim, checked::told(program, own.pair, proof))], solver);
}

/// A condition of a report as the language reads it in the [`readable`] program, together with the pair's own; `None` for one that is no expression.
pub fn condition(source: &Loaded, of: &PairDiff, text: &str) -> Option<Expr> {
    let unit = &source.unit;
    let comparisons = comparisons(unit);
    let own = comparisons.iter().find(|one| one.pair == of.pair && one.condition(unit) == of.when)?;
    proof::read(source, of.pair, own.when, text)
}

/// The program that claims by `equiv … when` where its pairs were found to be equal; `None` where that is no legal program.
pub fn claimed(source: &Loaded, report: &DiffReport) -> Option<Loaded> {
    let mut conditions: BTreeMap<Pair, String> = BTreeMap::new();
    // A pair has one condition: what is found of it from all stores goes before what is found under its own.
    let plain_first =
        [false, true].into_iter().flat_map(|own| report.pairs.iter().filter(move |p| p.when.is_some() == own));
    for pair in plain_first.filter(|pair| pair.equal_when != "false") {
        let when = match &pair.when {
            Some(when) => format!("({when}) && ({})", pair.equal_when),
            None => pair.equal_when.clone(),
        };
        if when != "true" {
            conditions.entry(pair.pair).or_insert(when);
        }
    }
    proof::with_claims(source, &conditions.into_iter().collect::<Vec<_>>())
}

/// What the comparison of one pair starts from.
#[derive(Clone, Copy)]
pub(crate) struct Task<'t> {
    source: &'t Loaded,
    program: &'t Program<'t>,
    claims: &'t Claims,
    known: Known<'t>,
    manner: &'t Manner,
}

/// The procedures that the reported pairs run, in each version.
fn wanted(program: &Program<'_>, selected: &[&Comparison<'_>]) -> [BTreeSet<ProcId>; 2] {
    let pairs: BTreeSet<Pair> = selected.iter().map(|comparison| comparison.pair).collect();
    match pairs.first() {
        Some(first) => procedures_run(program, *first, &pairs),
        None => Default::default(),
    }
}

/// Proves all pairs of what is wanted that no quick look refutes.
fn prove_all(
    source: &Loaded,
    program: &Program<'_>,
    (comparisons, wanted): (&[Comparison<'_>], &[BTreeSet<ProcId>; 2]),
    solver: &mut Solver,
) -> Proofs {
    let unit = &source.unit;
    let refuted = |pair: &Pair| {
        let defined = [unit.versions[0].procedure(pair.0), unit.versions[1].procedure(pair.1)];
        if program.same_text(*pair) || defined.iter().any(|code| code.body.is_none()) {
            return false;
        }
        let run = RunPair { unit, left: pair.0, right: pair.1, when: None };
        concrete::search(&run, &[], concrete::SearchBudget::QUICK).is_some()
    };
    let asked: Vec<Pair> =
        unconditional(unit, comparisons).into_iter().filter(|&pair| is_wanted(wanted, pair)).collect();
    let refuted: Vec<Pair> = asked.iter().copied().filter(refuted).collect();
    let mut candidates = program.candidates(&asked);
    candidates.retain(|&pair| is_wanted(wanted, pair) && !refuted.contains(&pair));
    claims::prove_all(program, &candidates, solver)
}

fn is_wanted(wanted: &[BTreeSet<ProcId>; 2], pair: Pair) -> bool {
    wanted[0].contains(&pair.0) && wanted[1].contains(&pair.1)
}

/// A pair of which nothing is known.
fn open(source: &Loaded, comparison: &Comparison<'_>) -> PairDiff {
    let unit = &source.unit;
    let (left, right) = comparison.pair;
    let names = [unit.versions[0].procedure(left), unit.versions[1].procedure(right)].map(|code| code.name.clone());
    PairDiff {
        pair: comparison.pair,
        names,
        when: comparison.condition(unit),
        equal_when: "false".into(),
        differs_when: "false".into(),
        one_ends_when: "false".into(),
        open_when: Some("true".into()),
        rows: Vec::new(),
        rows_whole: false,
        relation: None,
        one_ends_witness: None,
        modified: false,
        executed: false,
        refined: Vec::new(),
        time: Duration::ZERO,
        at: None,
        proved: None,
    }
}

/// The comparison of one pair.
fn pair(task: Task<'_>, comparison: &Comparison<'_>, solver: &mut Solver) -> PairDiff {
    let nothing = open(task.source, comparison);
    if !comparable(&task.source.unit, comparison.pair) || !task.contracts_hold(comparison.pair) {
        return nothing;
    }
    let Comparison { pair, when } = *comparison;
    if defined(task.program, pair) && vacuity::vacuous(task.program, pair, when, solver).is_some() {
        // Of no store that there is, nothing is worth saying.
        return nothing;
    }
    let needed = if task.manner.partial { Level::Partial } else { Level::Full };
    let proved = task.known.proofs.get(&comparison.pair).and_then(|proof| proof.level) >= Some(needed);
    if proved && task.premises_hold(comparison.pair) {
        return PairDiff { equal_when: "true".into(), open_when: None, ..nothing };
    }
    if !defined(task.program, pair) {
        return nothing;
    }
    let callees = &task.program.effects[0][pair.0.index()].callees;
    let helped = task.claims.conditional.iter().any(|claim| claim.level.is_some() && callees.contains(&claim.pair.0));
    let question = Question { program: task.program, pair, claims: task.claims };
    if helped && proof::equal(question, task.known, when, solver).is_some() {
        return PairDiff { equal_when: "true".into(), open_when: None, executed: true, ..nothing };
    }
    if task.manner.is_plain(when) && task.program.same_text(pair) && task.is_unaffected(pair, solver) {
        return PairDiff { equal_when: "true".into(), open_when: None, ..nothing };
    }
    kinds::find(task, comparison, nothing, solver)
}

/// Whether the two are written in other ways, or have other names.
fn is_modified(unit: &Unit, (left, right): Pair) -> bool {
    let [left, right] = [(0, left), (1, right)].map(|(version, id)| &unit.procedure(version, id).name);
    left != right || !is_same_code(unit, left)
}

/// Whether both procedures have a body.
fn defined(program: &Program<'_>, pair: Pair) -> bool {
    let (left, right) = program.code(pair);
    left.body.is_some() && right.body.is_some()
}

impl Task<'_> {
    /// Whether runs of the two can be compared.
    fn may_run(&self, pair: Pair) -> bool {
        comparable(&self.source.unit, pair) && defined(self.program, pair) && self.contracts_hold(pair)
    }

    /// Whether all contracts of what the two run are proved: a run that breaks one is of no kind.
    fn contracts_hold(&self, pair: Pair) -> bool {
        let run = procedures_run(self.program, pair, &Default::default());
        (0..2).all(|version| contracts_hold(self.known.clauses, version, &run[version]))
    }

    /// Whether both do the same although what they call does not.
    fn is_unaffected(&self, pair: Pair, solver: &mut Solver) -> bool {
        let unit = &self.source.unit;
        let equal = self.known.proofs.iter().filter(|(_, proof)| proof.level == Some(Level::Full));
        let equal = equal.filter_map(|((left, _), _)| unit.versions[0].procedures.get(left.index()));
        let equal = equal.map(|code| code.name.clone()).collect();
        noticed::is_unaffected(unit, pair, &equal, solver)
    }

    /// The same of what the proof of the pair rests on.
    fn premises_hold(&self, pair: Pair) -> bool {
        let proofs = self.known.proofs;
        let reach = crate::verdict::comparison::premises(pair, proofs.get(&pair), proofs);
        let run = procedures_run(self.program, pair, &reach);
        (0..2).all(|version| contracts_hold(self.known.clauses, version, &run[version]))
    }
}
