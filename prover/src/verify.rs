//! The whole of verification, stage by stage.
//!
//! In: a checked pair program. Out: a [`Report`].
//!
//! 1. [`lower`]: loops become procedures, calls become statements.
//! 2. [`effects`], [`infer`], [`contracts`]: what is known of each procedure alone.
//! 3. [`pairs`]: all pairs proved together, as far as they can be.
//! 4. [`refute`]: a search for a difference wherever there is no full proof.
//! 5. Each pair's verdict, from its proof, what it rests on, and what the search found.

use crate::analysis::contracts::{Clause, ClauseKind, Status};
use crate::analysis::{Analysis, analyse};
use crate::engines::claims::{self};
use crate::engines::paper::{self, PaperAnswer, PaperReport};
use crate::goal::{self, Pair, PairProof, Program};
use crate::lower;
use crate::relate::{FailedGoal, Level};
use crate::search::bmc;
use crate::search::concrete;
use crate::search::recurrent_set;
use crate::search::witness::{self, Contrast, Wanted};
use crate::verdict::failure;
use crate::verdict::vacuity;
use crate::verdict::{ClauseReport, ClauseStatus, PairReport, Premise, Reason, Report, Termination, Verdict};
use lang_l::hir::{Expr, Origin, ProcId, Unit};
use lang_l::interp::{Behaviour, Divergence, Stuck};
use smt::solve::{Budget, Shared, Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

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
    /// Report only pairs in which one of these procedures takes part; all when empty.
    pub procedures: Vec<String>,
    /// Bounds on each query.
    pub budget: Budget,
    /// Bounds on the search for a difference; `None` for the usual.
    pub search: Option<concrete::Budget>,
    /// How to prove.
    pub strategy: Strategy,
    /// Also look for code that no run comes to.
    pub explain: bool,
    /// When to stop proving; what is not proved by then is searched for a difference, briefly, and reported as unknown.
    pub deadline: Option<Instant>,
    /// What decides queries; Z3 in this process if nothing else is said.
    pub backend: Shared,
    /// Where the solver's own choices start.
    pub seed: u32,
}

impl Config {
    /// A solver as it is asked for here.
    pub fn solver(&self) -> Solver {
        Solver::new(self.budget).until(self.deadline).seeded(self.seed).with_backend(self.backend.clone())
    }
}

/// A pair as it is reported: its procedures, and the condition of its `equiv`.
pub(crate) struct Asked<'u> {
    pub(crate) pair: Pair,
    pub(crate) when: Option<&'u Expr>,
}

impl Asked<'_> {
    /// The condition as text.
    pub(crate) fn condition(&self, unit: &Unit) -> Option<String> {
        let version = &unit.versions[0];
        self.when.map(|when| lang_l::hir_print::expr_text(unit, version, version.procedure(self.pair.0), when))
    }
}

/// Verifies all pairs of a pair program (of its first two versions).
pub fn verify(unit: &Unit, config: &Config) -> Report {
    if unit.versions.len() < 2 {
        return Report::default();
    }
    let lowered = lower::lower(unit);
    let mut solver = config.solver();
    let Analysis { effects, clauses, evidence } = analyse(&lowered, &mut solver);
    let program = Program { unit: &lowered, effects };
    let asked = asked(unit);
    let unconditional: Vec<Pair> =
        asked.iter().filter(|a| a.when.is_none() && comparable(unit, a.pair)).map(|a| a.pair).collect();
    let mut run =
        Run { unit, program: &program, clauses: &clauses, config, violations: BTreeMap::new(), seen: Vec::new() };
    // A look before the proof: what differs on a small store needs no engine to fail on it.
    for asked in asked.iter().filter(|asked| !program.same_text(asked.pair)) {
        if let Some(witness) = run.difference(asked, concrete::Budget::QUICK) {
            run.seen.push((asked.pair, asked.when, witness));
        }
    }
    let refuted: Vec<Pair> = run.seen.iter().filter(|(_, when, _)| when.is_none()).map(|(pair, ..)| *pair).collect();
    let mut candidates = program.candidates(&unconditional);
    candidates.retain(|pair| !refuted.contains(pair));
    let proofs = proofs(&program, &candidates, config.strategy, &mut solver);
    let mut report = Report::default();
    for asked in &asked {
        if run.selected(asked.pair) {
            report.pairs.push(run.pair(asked, &proofs, &mut solver));
        }
    }
    let concerned = run.concerned(&report.pairs);
    let selected = clauses.iter().filter(|clause| concerned[clause.version].contains(&clause.within));
    report.contracts = merged(selected.map(|clause| run.clause(clause)));
    report.evidence = evidence;
    report.proofs = proofs;
    report.queries = solver.log().to_vec();
    report.late = solver.late() || run.late();
    report
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
    report.pairs.iter().filter(|pair| provable(pair)).collect()
}

/// What the engines alone make of each pair and the condition of its `equiv`. Nothing where a contract is not proved.
fn unaided(unit: &Unit, config: &Config) -> Vec<(Pair, Option<String>, Option<Level>)> {
    let lowered = lower::lower(unit);
    let mut solver = config.solver();
    let Analysis { effects, clauses, .. } = analyse(&lowered, &mut solver);
    let program = Program { unit: &lowered, effects };
    let asked = asked(unit);
    let unconditional: Vec<Pair> =
        asked.iter().filter(|a| a.when.is_none() && comparable(unit, a.pair)).map(|a| a.pair).collect();
    let proofs = proofs(&program, &program.candidates(&unconditional), config.strategy, &mut solver);
    let in_doubt = clauses.iter().any(|clause| clause.status != Status::Holds);
    let mut level = |asked: &Asked<'_>| match asked.when {
        _ if in_doubt || !comparable(unit, asked.pair) => None,
        None => proofs.get(&asked.pair)?.level,
        Some(when) => {
            let claims = claims::surviving(&program, &proofs);
            claims::prove_when(&program, asked.pair, Some(when), &claims, &mut solver).level
        }
    };
    asked.iter().map(|asked| (asked.pair, asked.condition(unit), level(asked))).collect()
}

/// Whether every contract that these procedures rest on was proved: effects say what a procedure does where its `requires` and
/// the invariants of its loops hold, and a run that never ends must not break a contract later.
pub(crate) fn contracts_hold(clauses: &[Clause], version: usize, run: &BTreeSet<ProcId>) -> bool {
    let concerned = |clause: &&Clause| {
        clause.version == version && clause.kind != ClauseKind::Assert && run.contains(&clause.within)
    };
    clauses.iter().filter(concerned).all(|clause| clause.status == Status::Holds)
}

/// The proof, by a recurrent set, that a run of one version which was stopped in these places would never have ended.
pub fn never_ends(unit: &Unit, version: usize, stuck: &[Stuck], config: &Config) -> Option<Divergence> {
    // One version is a pair with itself, which is all that is needed to look at it alone.
    let twins = Unit { versions: vec![unit.versions[version].clone(); 2], ..unit.clone() };
    let lowered = lower::lower(&twins);
    let mut solver = config.solver();
    let Analysis { effects, clauses, .. } = analyse(&lowered, &mut solver);
    let all = (0u32..).take(effects[0].len()).map(ProcId).collect();
    if !contracts_hold(&clauses, 0, &all) {
        return None;
    }
    let of = recurrent_set::Version { unit: &lowered, version: 0, effects: &effects[0] };
    stuck.iter().find_map(|stuck| recurrent_set::never_ends(of, &twins, stuck, &mut solver)).map(Divergence::from)
}

/// What is proved of the candidates, one way or the other.
fn proofs(program: &Program<'_>, pairs: &[Pair], by: Strategy, solver: &mut Solver) -> BTreeMap<Pair, PairProof> {
    match by {
        Strategy::Default => claims::prove_all(program, pairs, solver),
        Strategy::Paper => prove_as_paper(program, pairs, solver),
    }
}

/// What the paper's strategy says of each pair, as proofs.
fn prove_as_paper(program: &Program<'_>, candidates: &[Pair], solver: &mut Solver) -> BTreeMap<Pair, PairProof> {
    let level = |answer: &PaperAnswer| match answer {
        PaperAnswer::Equivalent => Some(Level::Full),
        PaperAnswer::PartiallyEquivalent => Some(Level::Partial),
        PaperAnswer::Unknown(_) => None,
    };
    let answers = paper::verify(program, candidates, solver);
    let levels: BTreeMap<Pair, Level> =
        answers.iter().filter_map(|(&pair, report)| Some((pair, level(&report.answer)?))).collect();
    let proof = |pair: Pair, report: &PaperReport| {
        let used = report.rests_on.iter().filter_map(|on| Some((*on, *levels.get(on)?))).collect();
        let mut proof = PairProof::trivial(level(&report.answer), &paper::PAPER, used);
        if let PaperAnswer::Unknown(why) = &report.answer {
            let place = |version: usize, id: ProcId| vec![program.unit.versions[version].procedure(id).name_span];
            proof.failed_goal = Some(FailedGoal { what: why.clone(), places: [place(0, pair.0), place(1, pair.1)] });
        }
        proof
    };
    answers.iter().map(|(&pair, report)| (pair, proof(pair, report))).collect()
}

/// The pairs of the language reference, section 5, in the order of version 0.
pub(crate) fn asked(unit: &Unit) -> Vec<Asked<'_>> {
    let mut asked = Vec::new();
    for (left, procedure) in (0u32..).zip(&unit.versions[0].procedures) {
        if let Some(right) = unit.versions[1].find(&procedure.name) {
            asked.push(Asked { pair: (ProcId(left), right), when: None });
        }
        for equiv in unit.equivs.iter().filter(|equiv| equiv.left == ProcId(left)) {
            let pair = (equiv.left, equiv.right);
            let known = asked.iter().any(|a: &Asked<'_>| a.pair == pair && a.when.is_none() && equiv.when.is_none());
            if !known {
                asked.push(Asked { pair, when: equiv.when.as_ref() });
            }
        }
    }
    asked
}

/// Whether the two can be called alike as they are written; lowered, helpers may have lost what tells them apart.
pub(crate) fn comparable(unit: &Unit, pair: Pair) -> bool {
    lower::same_signature(unit.versions[0].procedure(pair.0), unit.versions[1].procedure(pair.1))
}

struct Run<'a> {
    unit: &'a Unit,
    program: &'a Program<'a>,
    clauses: &'a [Clause],
    config: &'a Config,
    /// What the search found of each clause that was not proved, by its place in `clauses`.
    violations: BTreeMap<usize, Option<witness::ContractWitness>>,
    /// What the first look found, by pair and its condition.
    seen: Vec<(Pair, Option<&'a Expr>, witness::Witness)>,
}

impl Run<'_> {
    fn name(&self, version: usize, id: ProcId) -> &str {
        &self.program.unit.versions[version].procedure(id).name
    }

    /// The procedure of the source that a procedure is, or is a part of.
    fn source_of(&self, version: usize, id: ProcId) -> ProcId {
        self.program.unit.versions[version].procedure(id).origin.part_of().unwrap_or(id)
    }

    fn selected(&self, pair: Pair) -> bool {
        let wanted = &self.config.procedures;
        wanted.is_empty() || wanted.iter().any(|name| name == self.name(0, pair.0) || name == self.name(1, pair.1))
    }

    /// The procedures of each version that the reported pairs run: all, unless only some pairs were asked for.
    fn concerned(&self, reports: &[PairReport]) -> [BTreeSet<ProcId>; 2] {
        [0, 1].map(|version| {
            let all = (0u32..).zip(&self.program.unit.versions[version].procedures).map(|(at, _)| ProcId(at));
            if self.config.procedures.is_empty() {
                return all.collect();
            }
            let own = reports.iter().map(|report| [report.pair.0, report.pair.1][version]);
            own.flat_map(|id| {
                self.program.effects[version][id.index()].callees.iter().copied().chain([id]).collect::<Vec<_>>()
            })
            .collect()
        })
    }

    fn pair(&mut self, asked: &Asked<'_>, proofs: &BTreeMap<Pair, PairProof>, solver: &mut Solver) -> PairReport {
        let started = Instant::now();
        let proof = match (asked.when, proofs.get(&asked.pair)) {
            _ if !comparable(self.unit, asked.pair) => None,
            (None, Some(proof)) => Some(proof.clone()),
            (Some(when), _) if self.config.strategy == Strategy::Default => Some(claims::prove_when(
                self.program,
                asked.pair,
                Some(when),
                &claims::surviving(self.program, proofs),
                solver,
            )),
            _ => None,
        };
        let seen = self.seen.iter().find(|(pair, when, _)| *pair == asked.pair && *when == asked.when);
        if let Some((_, _, witness)) = seen {
            let verdict = Verdict::NotEquivalent(Box::new(witness.clone()));
            return self.report(asked, verdict, None, (&BTreeSet::new(), proofs), started.elapsed());
        }
        let reach = rests_on(asked.pair, proof.as_ref(), proofs);
        let verdict = self.verdict(asked, proof.as_ref(), &reach, solver);
        let verdict = failure::account(verdict, self.program, (asked.pair, asked.when), solver);
        let lost = solver.failures().contains_key(&goal::task(asked.pair, asked.when));
        let level = proof.as_ref().filter(|_| !lost).and_then(|proof| proof.level);
        let proved = matches!(verdict, Verdict::Equivalent(_) | Verdict::PartiallyEquivalent(_));
        let time = started.elapsed() + proof.as_ref().map_or(Duration::ZERO, |proof| proof.time);
        let mut report = self.report(asked, verdict, level, (&reach, proofs), time);
        if self.config.explain && proved {
            report.unreached = solver.at(goal::task(asked.pair, asked.when), |solver| {
                vacuity::unreached(self.program, asked.pair, asked.when, solver)
            });
        }
        report
    }

    fn report(
        &self,
        asked: &Asked<'_>,
        verdict: Verdict,
        level: Option<Level>,
        (reach, proofs): (&BTreeSet<Pair>, &BTreeMap<Pair, PairProof>),
        time: Duration,
    ) -> PairReport {
        let termination = match &verdict {
            Verdict::NotEquivalent(witness) if matches!(witness.contrast(), Contrast::Termination) => {
                Termination::Different
            }
            _ if level == Some(Level::Full) => Termination::Mutual,
            _ => Termination::Unknown,
        };
        PairReport {
            left: self.name(0, asked.pair.0).to_string(),
            right: self.name(1, asked.pair.1).to_string(),
            when: asked.condition(self.unit),
            verdict,
            termination,
            time,
            rests_on: self.premises(asked.pair, reach, proofs),
            pair: asked.pair,
            unreached: [Vec::new(), Vec::new()],
        }
    }

    /// The pairs that the verdict on a pair rests on, in the order of their names.
    fn premises(&self, of: Pair, reach: &BTreeSet<Pair>, proofs: &BTreeMap<Pair, PairProof>) -> Vec<Premise> {
        let premise = |&pair: &Pair| {
            let (left, right) = (self.name(0, pair.0), self.name(1, pair.1));
            let name = if left == right { left.to_string() } else { format!("{left}~{right}") };
            let [left, right] = [self.title(0, pair.0), self.title(1, pair.1)];
            let title = if left == right { left } else { format!("{left} ~ {right}") };
            let (code, _) = self.program.code(pair);
            let how = proofs.get(&pair).filter(|_| lower::is_loop(code)).map(|proof| proof.rule.sentence);
            Premise { name, title, how }
        };
        let mut premises: Vec<Premise> = reach.iter().filter(|&&pair| pair != of).map(premise).collect();
        premises.sort_by(|a, b| a.name.cmp(&b.name));
        premises.dedup_by(|a, b| a.name == b.name);
        premises
    }

    /// What people call a procedure: loops are said to be loops.
    fn title(&self, version: usize, id: ProcId) -> String {
        let origin = self.program.unit.versions[version].procedure(id).origin;
        let of = self.name(version, self.source_of(version, id));
        match origin {
            Origin::Source => of.to_string(),
            Origin::Loop { number, .. } => format!("loop {number} of {of}"),
            Origin::Worker { .. } => format!("the recursion of {of}"),
        }
    }

    fn verdict(
        &mut self,
        asked: &Asked<'_>,
        proof: Option<&PairProof>,
        reach: &BTreeSet<Pair>,
        solver: &mut Solver,
    ) -> Verdict {
        let Some(proof) = proof else {
            if self.config.strategy == Strategy::Paper && asked.when.is_some() {
                return self.unknown("the paper's strategy knows no `when`", "use the default strategy");
            }
            return self.unknown("the two have different parameters or results", "give both the same signature");
        };
        let (left, right) = self.program.code(asked.pair);
        if left.body.is_none() && right.body.is_none() {
            // Declared, not defined: the same unknown procedure on both sides, if it is declared alike.
            return match proof.level {
                Some(_) => Verdict::Equivalent(Box::new(proof.clone())),
                None => {
                    self.unknown("the two are external, and not declared alike", "give them a body, or one contract")
                }
            };
        }
        let vacuous = solver.at(goal::task(asked.pair, asked.when), |solver| {
            vacuity::vacuous(self.program, asked.pair, asked.when, solver)
        });
        if let Some(reason) = vacuous {
            // A contract that is seen to fail says more than that nothing can be said.
            return match self.broken_contract(asked.pair, reach) {
                Some(verdict @ Verdict::ContractViolation(_)) => verdict,
                _ => Verdict::Unknown(reason),
            };
        }
        if proof.level != Some(Level::Full)
            && let Some(witness) = self
                .suspected(asked, solver)
                .or_else(|| self.difference(asked, self.search_budget()))
                .or_else(|| self.endless(asked, solver))
        {
            return Verdict::NotEquivalent(Box::new(witness));
        }
        if let Some(verdict) = self.broken_contract(asked.pair, reach) {
            return verdict;
        }
        match proof.level {
            Some(Level::Full) => Verdict::Equivalent(Box::new(proof.clone())),
            Some(Level::Partial) => Verdict::PartiallyEquivalent(Box::new(proof.clone())),
            None => match &proof.failed_goal {
                Some(failed_goal) => Verdict::Unknown(Reason {
                    what: failed_goal.what.clone(),
                    places: failed_goal.places.clone(),
                    hint: "compare the places named; a contract (`requires`, `modifies`) on what they call may help"
                        .into(),
                }),
                None => self.unknown("a pair it rests on could not be proved", "look at that pair first"),
            },
        }
    }

    fn unknown(&self, what: &str, hint: &str) -> Verdict {
        Verdict::Unknown(Reason { what: what.into(), places: [Vec::new(), Vec::new()], hint: hint.into() })
    }

    fn difference(&self, asked: &Asked<'_>, budget: concrete::Budget) -> Option<witness::Witness> {
        let (left, right) = asked.pair;
        let defined = self.unit.versions[0].procedure(left).body.is_some()
            && self.unit.versions[1].procedure(right).body.is_some();
        if !defined || !comparable(self.unit, asked.pair) {
            return None;
        }
        let pair = witness::Pair { unit: self.unit, left, right, when: asked.when };
        concrete::search(&pair, &[], self.config.search.unwrap_or(budget))
    }

    /// A difference that the solver suspects, and a run confirms.
    fn suspected(&self, asked: &Asked<'_>, solver: &mut Solver) -> Option<witness::Witness> {
        let (left, right) = asked.pair;
        let pair = witness::Pair { unit: self.unit, left, right, when: asked.when };
        let mut search = |input| concrete::search(&pair, &[(input, Behaviour::Skip)], concrete::Budget::NEAR);
        solver.at(goal::task(asked.pair, asked.when), |solver| {
            bmc::explore(self.program, asked.pair, asked.when, solver, &mut search)
        })
    }

    /// A store from which one of the two ends and the other never does.
    fn endless(&self, asked: &Asked<'_>, solver: &mut Solver) -> Option<witness::Witness> {
        let (left, right) = asked.pair;
        let effects = &self.program.effects;
        let both_end = effects[0][left.index()].terminates && effects[1][right.index()].terminates;
        if both_end {
            return None;
        }
        let run = procedures_run(self.program, asked.pair, &BTreeSet::new());
        let pair = witness::Pair { unit: self.unit, left, right, when: asked.when };
        solver.at(goal::task(asked.pair, asked.when), |solver| {
            concrete::search_endless(&pair, concrete::Budget::ENDLESS, &mut |version, stuck| {
                if !contracts_hold(self.clauses, version, &run[version]) {
                    return None;
                }
                let of = recurrent_set::Version { unit: self.program.unit, version, effects: &effects[version] };
                recurrent_set::never_ends(of, self.unit, stuck, solver)
            })
        })
    }

    fn late(&self) -> bool {
        self.config.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// How long to search when there is no proof: until it is late, and not long when it is late already.
    fn search_budget(&self) -> concrete::Budget {
        if self.late() {
            return concrete::Budget::QUICK;
        }
        let usual = self.config.search.unwrap_or(concrete::Budget::THOROUGH);
        concrete::Budget { deadline: self.config.deadline, ..usual }
    }

    /// The verdict forced by a clause that is not proved and was written for a procedure this pair runs.
    fn broken_contract(&mut self, pair: Pair, reach: &BTreeSet<Pair>) -> Option<Verdict> {
        let run = procedures_run(self.program, pair, reach);
        let mut unproved = None;
        for at in 0..self.clauses.len() {
            let clause = &self.clauses[at];
            let Status::Unproved(why) = &clause.status else { continue };
            if clause.kind == ClauseKind::Assert || !run[clause.version].contains(&clause.within) {
                continue;
            }
            let (what, span, version) = (why.clone(), clause.span, clause.version);
            let kind = clause.kind.keyword();
            let name = self.name(version, clause.procedure).to_string();
            if let Some(witness) = self.violation(at) {
                return Some(Verdict::ContractViolation(Box::new(witness)));
            }
            unproved.get_or_insert_with(|| {
                let mut places = [Vec::new(), Vec::new()];
                places[version].push(span);
                Reason {
                    what: format!(
                        "`{kind}` of {name} in {version} is not proved: {what}",
                        version = self.unit.versions[version].title()
                    ),
                    places,
                    hint: "the pair rests on this contract; strengthen the `requires`, or drop the clause".into(),
                }
            });
        }
        unproved.map(Verdict::Unknown)
    }

    /// A run that breaks the clause, if the search finds one. A loop's clauses break in runs of the procedure it is in.
    fn violation(&mut self, at: usize) -> Option<witness::ContractWitness> {
        if let Some(known) = self.violations.get(&at) {
            return known.clone();
        }
        let clause = &self.clauses[at];
        let within = self.source_of(clause.version, clause.within);
        let name = &self.unit.versions[clause.version].procedure(within).name;
        let wanted = match clause.kind {
            ClauseKind::Assert => Wanted::Assert(clause.span, name),
            _ => Wanted::Clause(clause.span),
        };
        let found = concrete::search_contract(self.unit, (clause.version, within), wanted, &[], self.search_budget());
        self.violations.insert(at, found.clone());
        found
    }

    fn clause(&mut self, clause: &Clause) -> ClauseReport {
        let at = self.clauses.iter().position(|other| other == clause);
        let status = match &clause.status {
            Status::Holds => ClauseStatus::Holds,
            Status::Unproved(why) => match at.and_then(|at| self.violation(at)) {
                Some(witness) => ClauseStatus::Violated(Box::new(witness)),
                None => ClauseStatus::Unknown(why.clone()),
            },
        };
        let procedure = self.name(clause.version, self.source_of(clause.version, clause.procedure)).to_string();
        ClauseReport { version: clause.version, procedure, kind: clause.kind, span: clause.span, status }
    }
}

/// One entry per clause, the worst: a `requires` has one for each procedure that calls, an invariant for entry and step.
fn merged(clauses: impl Iterator<Item = ClauseReport>) -> Vec<ClauseReport> {
    let severity = |clause: &ClauseReport| match clause.status {
        ClauseStatus::Holds => 0,
        ClauseStatus::Unknown(_) => 1,
        ClauseStatus::Violated(_) => 2,
    };
    let mut merged: Vec<ClauseReport> = Vec::new();
    for clause in clauses {
        let place = |c: &ClauseReport| (c.version, c.kind, c.span);
        match merged.iter_mut().find(|known| place(known) == place(&clause)) {
            Some(known) if severity(known) < severity(&clause) => *known = clause,
            Some(_) => {}
            None => merged.push(clause),
        }
    }
    merged
}

/// The procedures of each version that a pair runs, or a pair that its proof rests on.
pub(crate) fn procedures_run(program: &Program<'_>, pair: Pair, reach: &BTreeSet<Pair>) -> [BTreeSet<ProcId>; 2] {
    let mut run: [BTreeSet<ProcId>; 2] = [BTreeSet::new(), BTreeSet::new()];
    for &(left, right) in reach.iter().chain([&pair]) {
        for (version, id) in [(0, left), (1, right)] {
            run[version].insert(id);
            run[version].extend(&program.effects[version][id.index()].callees);
        }
    }
    run
}

/// All pairs a proof rests on, directly or not.
pub(crate) fn rests_on(pair: Pair, proof: Option<&PairProof>, proofs: &BTreeMap<Pair, PairProof>) -> BTreeSet<Pair> {
    let mut found = BTreeSet::new();
    let mut work: Vec<Pair> = proof.map(|proof| proof.used.keys().copied().collect()).unwrap_or_default();
    while let Some(next) = work.pop() {
        if found.insert(next) {
            work.extend(proofs.get(&next).iter().flat_map(|proof| proof.used.keys().copied()));
        }
    }
    found.remove(&pair);
    found
}
