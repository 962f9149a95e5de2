//! Verdicts: what is said of a pair, from its proof, what that rests on, and what runs show.
//!
//! In: a [`Comparison`] with its proof, if there is one. Out: a [`PairReport`].
//!
//! The deciders are asked in order, and the first that knows the answer gives it ([`Judge::decide`]). What a run shows is looked
//! for before what is proved is believed, unless the proof is of full equivalence.

use super::comparison::{Comparison, comparable, premises};
use super::hints::{GENERAL, hint};
use super::{PairReport, Premise, Reason, Termination, Verdict, failure, vacuity};
use crate::goal::{Checked, Pair, PairProof, Program};
use crate::lower::is_loop;
use crate::search::witness::{self, Contrast};
use crate::search::{bmc, concrete, recurrent_set};
use kernel::alone::clauses::Clause;
use kernel::outline::cuts::part_of;
use kernel::proof::Kernel;
use kernel::relate::{Claims, ConditionalClaim, Level};
use kernel::scalars;
use lang_l::hir::{Expr, ProcId, Unit};
use lang_l::interp::Behaviour;
use smt::solve::Solver;
use smt::stop::{self, Stop};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How a judge works.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manner {
    /// Bounds on the search for a difference; `None` for the usual.
    pub(crate) search: Option<concrete::SearchBudget>,
    /// When to give up.
    pub(crate) stop: Stop,
    /// Also look for code that no run comes to.
    pub(crate) explain: bool,
    /// Whether what the kernel has not checked is reported as well: as an opinion.
    pub(crate) opinions: bool,
}

/// All proofs of unconditional pairs.
pub(crate) type Proofs = BTreeMap<Pair, PairProof>;

/// Gives verdicts.
pub(crate) struct Judge<'a> {
    /// The program as it was written.
    pub(crate) source: &'a Unit,
    /// The program lowered, with all that is known of each procedure alone.
    pub(crate) program: &'a Program<'a>,
    /// The contracts, and whether they are proved.
    pub(crate) clauses: &'a [Clause],
    pub(super) manner: Manner,
    /// What the search found of each clause that was not proved, by its place in `clauses`.
    pub(super) violations: BTreeMap<usize, Option<witness::ContractWitness>>,
    /// What the first look found, by pair and its condition.
    refuted: Vec<(Pair, Option<&'a Expr>, witness::Witness)>,
    /// Why some search was given up, if one was.
    pub(crate) stopped: Option<stop::Reason>,
    /// Whether nothing is searched for any more: what is proved is settled, and that is all.
    pub(super) settling: bool,
    /// The end of the time for that, once it has begun.
    pub(super) last: Option<Stop>,
}

/// What a decider looks at.
struct Case<'c> {
    comparison: &'c Comparison<'c>,
    proof: &'c PairProof,
    /// The pairs the proof rests on.
    premises: &'c BTreeSet<Pair>,
    /// Who checks proofs.
    kernel: &'c Kernel<'c>,
}

/// Gives the verdict, if it is for this decider to give it.
type Decider<'a> = fn(&mut Judge<'a>, &Case<'_>, &mut Solver) -> Option<Verdict>;

impl<'a> Judge<'a> {
    /// A judge who has seen nothing yet.
    pub(crate) fn new(source: &'a Unit, program: &'a Program<'a>, clauses: &'a [Clause], manner: Manner) -> Self {
        let (violations, refuted) = (BTreeMap::new(), Vec::new());
        Judge { source, program, clauses, manner, violations, refuted, stopped: None, settling: false, last: None }
    }

    /// A look before the proof: what differs on a small store needs no engine to fail on it. The pairs that differ without a
    /// condition.
    pub(crate) fn look(&mut self, comparisons: &[Comparison<'a>], solver: &mut Solver) -> Vec<Pair> {
        if faults::blind() {
            return Vec::new();
        }
        let (changed, mut others): (Vec<_>, Vec<_>) =
            comparisons.iter().partition(|of| !self.program.same_text(of.pair));
        let budget = concrete::SearchBudget::quick(changed.len());
        changed.into_iter().for_each(|comparison| self.look_at(comparison, budget, solver));
        // What has not changed may show what its callees do in another way; those nearest to these first.
        others.sort_by_key(|of| self.callees(of.pair).len());
        let budget = concrete::SearchBudget::passed_on(others.len());
        for comparison in others {
            let passes_on = |(pair, ..): &(Pair, _, _)| self.callees(comparison.pair).contains(&pair.0);
            if self.refuted.iter().any(passes_on) {
                self.look_at(comparison, budget, solver);
            }
        }
        self.refuted.iter().filter(|(_, when, _)| when.is_none()).map(|(pair, ..)| *pair).collect()
    }

    /// Looks for a difference, and keeps what it finds.
    fn look_at(&mut self, comparison: &Comparison<'a>, budget: concrete::SearchBudget, solver: &mut Solver) {
        let found = solver.attempt(|_| self.difference(comparison, budget));
        if let Ok(Some(witness)) = found {
            self.refuted.push((comparison.pair, comparison.when, witness));
        }
    }

    /// What the procedure of version 0 calls, at once or later.
    fn callees(&self, pair: Pair) -> &BTreeSet<ProcId> {
        &self.program.effects[0][pair.0.index()].callees
    }

    /// The name of a lowered procedure.
    pub(super) fn name(&self, version: usize, id: ProcId) -> &str {
        &self.program.unit.procedure(version, id).name
    }

    /// The procedure of the source that a procedure is, or is a part or a second form of.
    pub(super) fn source_of(&self, version: usize, id: ProcId) -> ProcId {
        let id = self.program.unit.procedure(version, id).origin.part_of().unwrap_or(id);
        let written = &self.source.versions[version];
        if id.index() < written.procedures.len() {
            return id;
        }
        scalars::second_form(self.name(version, id)).and_then(|(helper, _)| written.find(helper)).unwrap_or(id)
    }

    /// Whether one of the two is external, and the other is not.
    fn one_is_external(&self, (left, right): Pair) -> bool {
        let [a, b] = [(0, left), (1, right)].map(|(version, id)| self.source.procedure(version, id).body.is_none());
        a != b
    }

    /// The report on a pair.
    pub(crate) fn pair(
        &mut self,
        comparison: &Comparison<'_>,
        (proof, proofs): (Option<&PairProof>, &Proofs),
        kernel: &Kernel<'_>,
        solver: &mut Solver,
    ) -> PairReport {
        let started = Instant::now();
        if let Some(witness) = self.known_difference(comparison) {
            let verdict = Verdict::NotEquivalent(Box::new(witness.clone()));
            let report = self.report(comparison, verdict, None, Vec::new());
            return PairReport { time: started.elapsed(), ..report };
        }
        let reach = premises(comparison.pair, proof, proofs);
        let verdict = match proof {
            Some(proof) => self.decide(&Case { comparison, proof, premises: &reach, kernel }, solver),
            None if comparable(self.source, comparison.pair) => {
                unknown("the paper's strategy knows no `when`", "use the default strategy")
            }
            None if self.one_is_external(comparison.pair) => {
                unknown("one of the two has no body", "give both a body, or declare both without one")
            }
            None => unknown("the two have different parameters or results", "give both the same signature"),
        };
        let verdict = failure::account(verdict, self.program, (comparison.pair, comparison.when), solver);
        let lost = solver.failures().contains_key(&comparison.task());
        let level = proof.filter(|_| !lost).and_then(|proof| proof.level);
        let proved = matches!(verdict, Verdict::Equivalent(_) | Verdict::PartiallyEquivalent(_));
        let mut rests_on = self.described(comparison.pair, &reach, proofs);
        rests_on.extend(proof.into_iter().flat_map(|proof| self.under(comparison, proof, kernel.standing())));
        let mut report = self.report(comparison, verdict, level, rests_on);
        if self.manner.explain && proved && !self.settling {
            report.unreached = solver.at(comparison.task(), |solver| {
                vacuity::unreached(self.program, comparison.pair, comparison.when, solver)
            });
        }
        report.time = started.elapsed() + proof.map_or(Duration::ZERO, |proof| proof.time);
        // A search that the stop cuts short finds nothing, and says no more.
        if matches!(report.verdict, Verdict::Unknown(_) | Verdict::PartiallyEquivalent(_)) {
            self.note_stop();
        }
        report
    }

    /// Notes why a search was given up, if the stop has fired.
    pub(super) fn note_stop(&mut self) {
        self.stopped = self.stopped.or_else(|| self.manner.stop.reason());
    }

    /// What the first look found.
    pub(crate) fn known_difference(&self, comparison: &Comparison<'_>) -> Option<&witness::Witness> {
        let found = self.refuted.iter().find(|(pair, when, _)| *pair == comparison.pair && *when == comparison.when);
        found.map(|(.., witness)| witness)
    }

    pub(super) fn report(
        &self,
        comparison: &Comparison<'_>,
        verdict: Verdict,
        level: Option<Level>,
        rests_on: Vec<Premise>,
    ) -> PairReport {
        let termination = match &verdict {
            Verdict::NotEquivalent(witness) if matches!(witness.contrast(), Contrast::Termination) => {
                Termination::Different
            }
            _ if level == Some(Level::Full) => Termination::Mutual,
            _ => Termination::Unknown,
        };
        PairReport {
            left: self.name(0, comparison.pair.0).to_string(),
            right: self.name(1, comparison.pair.1).to_string(),
            when: comparison.condition(self.source),
            verdict,
            termination,
            time: Duration::ZERO,
            rests_on,
            pair: comparison.pair,
            differs_when: None,
            unreached: [Vec::new(), Vec::new()],
        }
    }

    /// The pairs that the verdict on a pair rests on, in the order of their names.
    fn described(&self, of: Pair, reach: &BTreeSet<Pair>, proofs: &Proofs) -> Vec<Premise> {
        let premise = |&pair: &Pair| {
            let (left, right) = (self.name(0, pair.0), self.name(1, pair.1));
            let name = if left == right { left.to_string() } else { format!("{left}~{right}") };
            let [left, right] = [(0, pair.0), (1, pair.1)].map(|(version, id)| self.program.unit.title(version, id));
            let title = if left == right { left } else { format!("{left} ~ {right}") };
            let (code, _) = self.program.code(pair);
            let is_part = is_loop(code) || part_of(&code.name).is_some();
            let how = proofs.get(&pair).filter(|_| is_part).map(|proof| proof.rule.sentence);
            Premise { name, title, how }
        };
        let mut premises: Vec<Premise> = reach.iter().filter(|&&pair| pair != of).map(premise).collect();
        premises.sort_by(|a, b| a.name.cmp(&b.name));
        premises.dedup_by(|a, b| a.name == b.name);
        premises
    }

    /// The other claims under conditions that the proof of a pair rests on, in their order.
    fn under(&self, of: &Comparison<'_>, proof: &PairProof, standing: &Claims) -> Vec<Premise> {
        let premise = |number: &usize| {
            let own = |claim: &&ConditionalClaim| (claim.pair, claim.condition.as_ref()) != (of.pair, of.when);
            let claim = standing.conditional.get(*number).filter(own)?;
            let when = Comparison { pair: claim.pair, when: claim.condition.as_ref() }.condition(self.source);
            let (left, right) = (self.name(0, claim.pair.0), self.name(1, claim.pair.1));
            let name = if left == right { left.to_string() } else { format!("{left}~{right}") };
            let name = when.map_or_else(|| name.clone(), |when| format!("{name} when {when}"));
            Some(Premise { title: name.clone(), name, how: None })
        };
        proof.used.conditional.keys().filter_map(premise).collect()
    }

    /// Asks the deciders in order.
    fn decide(&mut self, case: &Case<'_>, solver: &mut Solver) -> Verdict {
        let deciders: [Decider<'a>; 5] = [Self::declared, Self::vacuous, Self::refuted, Self::broken, Self::proved];
        let decided = deciders.iter().find_map(|decider| decider(self, case, solver));
        decided.unwrap_or_else(|| match &case.proof.failed_goal {
            Some(failed_goal) => Verdict::Unknown(Reason {
                what: failed_goal.what.clone(),
                places: failed_goal.places.clone(),
                hint: if self.manner.opinions { GENERAL.into() } else { hint(self.program, case.comparison.pair) },
            }),
            None => unknown("a pair it rests on could not be proved", "look at that pair first"),
        })
    }

    /// Two that are declared, not defined, are the same unknown procedure, if they are declared alike.
    fn declared(&mut self, case: &Case<'_>, _: &mut Solver) -> Option<Verdict> {
        let (left, right) = self.program.code(case.comparison.pair);
        if left.body.is_some() || right.body.is_some() {
            return None;
        }
        Some(match self.believed(case) {
            Some(_) => Verdict::Equivalent(Box::new(case.proof.clone())),
            None => unknown("the two are external, and not declared alike", "give them a body, or one contract"),
        })
    }

    /// Where no store satisfies what is assumed, or no run ends, nothing can be said. A contract that is seen to fail says more.
    fn vacuous(&mut self, case: &Case<'_>, solver: &mut Solver) -> Option<Verdict> {
        let Comparison { pair, when } = *case.comparison;
        let reason = solver.at(case.comparison.task(), |solver| vacuity::vacuous(self.program, pair, when, solver))?;
        Some(match self.broken_contract(pair, case.premises) {
            Some(verdict @ Verdict::ContractViolation(_)) => verdict,
            _ => Verdict::Unknown(reason),
        })
    }

    /// A run shows a difference. Nobody looks for one where full equivalence is proved.
    fn refuted(&mut self, case: &Case<'_>, solver: &mut Solver) -> Option<Verdict> {
        if case.proof.level == Some(Level::Full) || self.settling || faults::blind() {
            return None;
        }
        let witness = self
            .suspected(case.comparison, solver)
            .or_else(|| self.difference(case.comparison, self.search_budget()))
            .or_else(|| self.endless(case.comparison, case.kernel, solver))?;
        Some(Verdict::NotEquivalent(Box::new(witness)))
    }

    /// A contract that the pair rests on is not proved.
    fn broken(&mut self, case: &Case<'_>, _: &mut Solver) -> Option<Verdict> {
        self.broken_contract(case.comparison.pair, case.premises)
    }

    /// The proof stands.
    fn proved(&mut self, case: &Case<'_>, _: &mut Solver) -> Option<Verdict> {
        let proof = Box::new(case.proof.clone());
        Some(match self.believed(case)? {
            Level::Full => Verdict::Equivalent(proof),
            Level::Partial => Verdict::PartiallyEquivalent(proof),
        })
    }

    /// What the kernel has made of a proof; or what was found, where that is asked for as an opinion.
    fn believed(&self, case: &Case<'_>) -> Option<Level> {
        match &case.proof.checked {
            Checked::Proved(proved) => proved.level_of(case.comparison.pair, case.comparison.when),
            Checked::Not(_) => case.proof.level.filter(|_| self.manner.opinions),
        }
    }

    fn difference(&self, comparison: &Comparison<'_>, budget: concrete::SearchBudget) -> Option<witness::Witness> {
        let (left, right) = comparison.pair;
        let defined = self.source.versions[0].procedure(left).body.is_some()
            && self.source.versions[1].procedure(right).body.is_some();
        if !defined || !comparable(self.source, comparison.pair) {
            return None;
        }
        let pair = witness::RunPair { unit: self.source, left, right, when: comparison.when };
        concrete::search(&pair, &[], self.manner.search.unwrap_or(budget))
    }

    /// A difference that the solver suspects, and a run confirms.
    fn suspected(&self, comparison: &Comparison<'_>, solver: &mut Solver) -> Option<witness::Witness> {
        let (left, right) = comparison.pair;
        let pair = witness::RunPair { unit: self.source, left, right, when: comparison.when };
        let mut search = |input| concrete::search(&pair, &[(input, Behaviour::Skip)], concrete::SearchBudget::NEAR);
        solver.at(comparison.task(), |solver| {
            bmc::explore(self.program, comparison.pair, comparison.when, solver, &mut search)
        })
    }

    /// A store from which one of the two ends and the other never does.
    fn endless(
        &self,
        comparison: &Comparison<'_>,
        kernel: &Kernel<'_>,
        solver: &mut Solver,
    ) -> Option<witness::Witness> {
        let (left, right) = comparison.pair;
        let effects = &self.program.effects;
        let both_end = effects[0][left.index()].terminates && effects[1][right.index()].terminates;
        if both_end {
            return None;
        }
        let pair = witness::RunPair { unit: self.source, left, right, when: comparison.when };
        solver.at(comparison.task(), |solver| {
            concrete::search_endless(&pair, concrete::SearchBudget::ENDLESS, &mut |version, stuck| {
                let (unit, effects) = (self.program.unit, &effects[version]);
                let of = recurrent_set::Version { unit, version, effects, kernel };
                recurrent_set::never_ends(of, self.source, stuck, solver)
            })
        })
    }

    /// How long to search when there is no proof.
    pub(super) fn search_budget(&self) -> concrete::SearchBudget {
        self.manner.search.unwrap_or(concrete::SearchBudget::THOROUGH)
    }
}

fn unknown(what: &str, hint: &str) -> Verdict {
    Verdict::Unknown(Reason { what: what.into(), places: [Vec::new(), Vec::new()], hint: hint.into() })
}
