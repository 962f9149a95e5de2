//! Proofs: what the kernel has checked of a pair program, and nothing else.
//!
//! In: a pair program as it was written, and a [`Dossier`] of all that is said of it. Out: [`Proved`], which only this module
//! can make.
//!
//! Rule *Induction* (`proofs/soundness.md`): what is said of single procedures is checked first, then all claims about pairs
//! at once, each under all of them. A claim that is not shown falls, and so does what rests on it. What stands proves itself,
//! by induction over the depth of calls (partial equivalence) and then over the size of the side that ends (mutual
//! termination). A proof about the lowered program is one about the source, as each is shown to do what the other does.
//!
//! Invariant: every `equivalent`, `partially-equivalent`, and `holds` that is said to be checked is made from a [`Proved`].

mod contracts;
pub mod endless;
mod shape;

use crate::alone::clauses::{Clause, ClauseKey, contracts_hold};
use crate::alone::measures::Ranking;
use crate::alone::{self, Said};
use crate::effects::{Effects, is_loop};
use crate::exec::source::Simulation;
use crate::lemma::{self, Lowering};
use crate::outline::cuts::{Cut, cut};
use crate::pair::{self, Both, Goal, Matches, Pair, PairEvidence};
use crate::rejection::{Rejection, reject};
use crate::relate::{Claims, ConditionalClaim, Level, Uses};
use crate::scalars::Scalarised;
use lang_l::hir::{Expr, ProcId, Unit};
use smt::solve::Solver;
use smt::stop::Stopped;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// All that is said of a pair program.
#[derive(Clone, Copy)]
pub struct Dossier<'a> {
    /// The program as it was written.
    pub source: &'a Unit,
    /// Statements of it that are taken for procedures, the same ones in both versions (rule *Outlining*).
    pub cuts: &'a [Cut],
    /// What is left, without loops.
    pub lowered: &'a Unit,
    /// What each procedure of the lowered program stands for.
    pub simulations: [&'a [Option<Simulation>]; 2],
    /// What is said of each of them alone.
    pub effects: [&'a [Effects]; 2],
    /// Why recursion ends that is said to, callees first.
    pub rankings: [&'a [Ranking]; 2],
    /// The clauses of contracts of which it is not said that they hold.
    pub unclaimed: [&'a BTreeSet<ClauseKey>; 2],
    /// What is said of pairs, and why.
    pub claims: &'a BTreeMap<Pair, (Level, PairEvidence)>,
}

/// That two procedures of the source are equivalent, perhaps from the stores that satisfy a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Proved {
    pair: Pair,
    level: Level,
    when: Option<Expr>,
}

impl Proved {
    /// The procedures, of version 0 and of version 1.
    pub fn pair(&self) -> Pair {
        self.pair
    }

    /// How much is proved.
    pub fn level(&self) -> Level {
        self.level
    }

    /// How much is proved of this pair under this condition. What is proved from all stores is so under every one.
    pub fn level_of(&self, pair: Pair, when: Option<&Expr>) -> Option<Level> {
        let is_it = self.pair == pair && self.when.as_ref().is_none_or(|own| Some(own) == when);
        is_it.then_some(self.level)
    }
}

/// How a claim that stands was shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The claims that it rests on, each at the level at which it is used.
    pub used: Uses,
    /// What corresponds in the two.
    pub matches: Matches,
    /// What was asked for it and not before, by the places in the solver's log.
    pub asked: Range<usize>,
}

/// What was found of a dossier.
pub struct Kernel<'a> {
    dossier: Dossier<'a>,
    /// The source, after the cuts.
    cut: Unit,
    /// The same, but for places that are variables.
    source: Scalarised,
    clauses: Vec<Clause>,
    /// Why nothing is believed of a version, where nothing is.
    alone: [Result<(), Rejection>; 2],
    /// The claims that stand.
    standing: Claims,
    /// How they were shown.
    shown: BTreeMap<Pair, Shown>,
    /// Why those do not that do not.
    refused: BTreeMap<Pair, Rejection>,
    /// How those under conditions were shown, by number.
    shown_conditional: BTreeMap<usize, Shown>,
    /// Why those of them do not stand that do not.
    refused_conditional: BTreeMap<usize, Rejection>,
    lemmas: [BTreeMap<ProcId, Result<(), Rejection>>; 2],
}

impl<'a> Kernel<'a> {
    /// Checks all that is said.
    pub fn check(dossier: Dossier<'a>, solver: &mut Solver) -> Self {
        let cut = cut(dossier.source, dossier.cuts);
        let legal = if cut.is_some() { Ok(()) } else { reject("the source cannot be cut so") };
        let cut = cut.unwrap_or_else(|| dossier.source.clone());
        let source = Scalarised::of(&cut);
        let legal = legal.and_then(|()| shape::check(&dossier, source.unit()));
        let mut kernel = Kernel {
            dossier,
            source,
            cut,
            clauses: Vec::new(),
            alone: [Ok(()), Ok(())],
            standing: Claims::new(),
            shown: BTreeMap::new(),
            refused: BTreeMap::new(),
            shown_conditional: BTreeMap::new(),
            refused_conditional: BTreeMap::new(),
            lemmas: Default::default(),
        };
        if let Err(rejection) = legal {
            kernel.alone = [Err(rejection.clone()), Err(rejection)];
            return kernel;
        }
        let pairs = || dossier.claims.keys().copied();
        for version in 0..2 {
            let (unit, effects) = (dossier.lowered, dossier.effects[version]);
            let (rankings, unclaimed) = (dossier.rankings[version], dossier.unclaimed[version]);
            let said = Said { unit, version, effects, rankings, unclaimed };
            match alone::check(said, solver) {
                Ok(clauses) => kernel.clauses.extend(clauses),
                Err(rejection) => kernel.alone[version] = Err(rejection),
            }
            let wanted: BTreeSet<ProcId> = pairs().map(|pair| [pair.0, pair.1][version]).collect();
            kernel.lemmas[version] = lemma::check(kernel.lowering(version), &wanted);
        }
        if kernel.alone.iter().all(Result::is_ok) {
            kernel.standing = dossier.claims.iter().map(|(pair, (level, _))| (*pair, *level)).collect::<Claims>();
            kernel.induction(solver);
        }
        kernel
    }

    fn lowering(&self, version: usize) -> Lowering<'_> {
        let Dossier { lowered, simulations, effects, .. } = self.dossier;
        Lowering {
            source: &self.source,
            lowered,
            version,
            effects: effects[version],
            simulations: simulations[version],
        }
    }

    fn program(&self) -> Both<'a> {
        let Dossier { source, lowered, effects, .. } = self.dossier;
        Both { unit: lowered, written: source, effects }
    }

    /// Checks all claims, each under those that stand, until all that stand are shown. A claim whose check is given up, for its
    /// size or when the time is over, falls like any other that is not shown.
    fn induction(&mut self, solver: &mut Solver) {
        loop {
            let rests = |own: &Shown| stand(&self.standing, &own.used);
            let open = |pair: &&Pair| !self.shown.get(pair).is_some_and(rests);
            let Some(&pair) = self.standing.always.keys().find(open) else { return };
            match solver.attempt(|solver| self.claim(pair, None, solver)).unwrap_or_else(given_up) {
                Ok(own) => {
                    self.shown.insert(pair, own);
                }
                Err(rejection) => {
                    self.shown.remove(&pair);
                    self.standing.always.remove(&pair);
                    self.refused.insert(pair, rejection);
                }
            }
        }
    }

    /// How a claim is shown, if its evidence shows it.
    fn claim(
        &self,
        pair: Pair,
        when: Option<(Option<&Expr>, Level, &PairEvidence)>,
        solver: &mut Solver,
    ) -> Result<Shown, Rejection> {
        let said = match when {
            Some(said) => said,
            None => {
                let Some((level, evidence)) = self.dossier.claims.get(&pair) else {
                    return reject("there is no such claim");
                };
                (None, *level, evidence)
            }
        };
        self.check_under(&self.standing, pair, said, solver)
    }

    /// The same, of any claims.
    fn check_under(
        &self,
        claims: &Claims,
        pair: Pair,
        (condition, level, evidence): (Option<&Expr>, Level, &PairEvidence),
        solver: &mut Solver,
    ) -> Result<Shown, Rejection> {
        let goal = Goal { program: self.program(), pair, when: condition, claims };
        let before = solver.log().len();
        let (used, matches) = pair::check(&goal, level, evidence, solver)?;
        let asked = before..solver.log().len();
        if stand(claims, &used) { Ok(Shown { used, matches, asked }) } else { reject("it rests on what is not proved") }
    }

    /// The level at which the claim about a pair of the lowered program stands.
    ///
    /// # Errors
    /// Why it does not.
    pub fn stands(&self, pair: Pair) -> Result<Level, Rejection> {
        match (self.standing.always.get(&pair), self.refused.get(&pair)) {
            (Some(&level), _) => Ok(level),
            (None, Some(rejection)) => Err(rejection.clone()),
            (None, None) => reject("nothing is said of the pair that the kernel can check"),
        }
    }

    /// The proof of a pair.
    ///
    /// # Errors
    /// Why there is none.
    pub fn prove(&self, pair: Pair) -> Result<Proved, Rejection> {
        let level = self.stands(pair)?;
        self.about_source(pair)?;
        Ok(Proved { pair, level, when: None })
    }

    /// The proof of a pair from the stores that satisfy a condition, under the claims that stand and, by
    /// induction, under what is proved itself, which has the next number; within, why it is none about the source.
    ///
    /// # Errors
    /// Where the evidence is wrong.
    pub fn prove_when(
        &self,
        pair: Pair,
        condition: Option<&Expr>,
        (level, evidence): (Level, &PairEvidence),
        solver: &mut Solver,
    ) -> Result<Result<Proved, Rejection>, Rejection> {
        (0..2).try_for_each(|version| self.alone(version))?;
        let own = ConditionalClaim { pair, condition: condition.cloned(), level: Some(level) };
        self.is_claimable(&own)?;
        let mut claims = self.standing.clone();
        claims.conditional.push(own);
        self.check_under(&claims, pair, (condition, level, evidence), solver)?;
        Ok(self.about_source(pair).map(|()| Proved { pair, level, when: condition.cloned() }))
    }

    /// Checks claims from the stores that satisfy conditions, each with its evidence, all at once: each may rest on all of them, and
    /// on what stands (rules *Condition* and *Induction*). In their order they have the next numbers, from the one that is returned. A
    /// claim without evidence has a number, and falls.
    pub fn learn(&mut self, said: &[(ConditionalClaim, Option<PairEvidence>)], solver: &mut Solver) -> usize {
        let first = self.standing.conditional.len();
        for (number, (claim, _)) in (first..).zip(said) {
            let legal = (0..2).try_for_each(|version| self.alone(version));
            let legal = legal.and_then(|()| self.is_claimable(claim));
            let level = claim.level.filter(|_| legal.is_ok());
            self.refused_conditional.extend(legal.err().map(|rejection| (number, rejection)));
            self.standing.conditional.push(ConditionalClaim { level, ..claim.clone() });
        }
        loop {
            let open = |number: &usize| {
                let stands = self.standing.conditional[*number].level.is_some();
                let rests = |own: &Shown| stand(&self.standing, &own.used);
                stands && !self.shown_conditional.get(number).is_some_and(rests)
            };
            let Some(number) = (first..self.standing.conditional.len()).find(open) else { return first };
            let checked = match &said[number - first] {
                (ConditionalClaim { pair, condition, level: Some(level) }, Some(evidence)) => {
                    let said = Some((condition.as_ref(), *level, evidence));
                    solver.attempt(|solver| self.claim(*pair, said, solver)).unwrap_or_else(given_up)
                }
                _ => reject("nothing is said of the pair that the kernel can check"),
            };
            match checked {
                Ok(own) => {
                    self.shown_conditional.insert(number, own);
                }
                Err(rejection) => {
                    self.shown_conditional.remove(&number);
                    self.standing.conditional[number].level = None;
                    self.refused_conditional.insert(number, rejection);
                }
            }
        }
    }

    /// Whether a claim under a condition can be looked at.
    fn is_claimable(&self, claim: &ConditionalClaim) -> Result<(), Rejection> {
        let (left, right) = claim.pair;
        let lowered = self.dossier.lowered;
        let procedure = |version: usize, id: ProcId| lowered.versions[version].procedures.get(id.index());
        let (Some(a), Some(b)) = (procedure(0, left), procedure(1, right)) else {
            return reject("the program has no such pair");
        };
        if is_loop(a) || is_loop(b) {
            return reject("a claim under a condition is about procedures of the source");
        }
        match &claim.condition {
            Some(condition) if !shape::is_said(lowered, 0, left, condition) => reject("the condition makes no sense"),
            _ => Ok(()),
        }
    }

    /// The level at which a claim under a condition stands, known by its number.
    ///
    /// # Errors
    /// Why it does not.
    pub fn stands_under(&self, number: usize) -> Result<Level, Rejection> {
        let level = self.standing.conditional.get(number).and_then(|claim| claim.level);
        let nothing = || Rejection("nothing is said of the pair that the kernel can check".into());
        level.ok_or_else(|| self.refused_conditional.get(&number).cloned().unwrap_or_else(nothing))
    }

    /// The proof of a pair from the stores that satisfy the condition of the claim of this number.
    ///
    /// # Errors
    /// Why there is none.
    pub fn prove_under(&self, number: usize) -> Result<Proved, Rejection> {
        let level = self.stands_under(number)?;
        let claim = &self.standing.conditional[number];
        self.about_source(claim.pair)?;
        Ok(Proved { pair: claim.pair, level, when: claim.condition.clone() })
    }

    /// The claims that stand.
    pub fn standing(&self) -> &Claims {
        &self.standing
    }

    /// How the claim about a pair of the lowered program was shown, if it stands.
    pub fn shown(&self, pair: Pair) -> Option<&Shown> {
        self.shown.get(&pair)
    }

    /// The same of a claim under a condition, known by its number.
    pub fn shown_under(&self, number: usize) -> Option<&Shown> {
        self.shown_conditional.get(&number)
    }

    /// Whether every contract that these procedures of a version rest on was proved.
    pub fn contracts_hold(&self, version: usize, run: &BTreeSet<ProcId>) -> bool {
        contracts_hold(&self.clauses, version, run)
    }

    /// What is shown of the two procedures holds of those of the source, and contracts on which it rests are kept.
    fn about_source(&self, pair: Pair) -> Result<(), Rejection> {
        for (version, id) in [pair.0, pair.1].into_iter().enumerate() {
            self.alone[version].clone()?;
            if id.index() >= self.dossier.source.versions[version].procedures.len() {
                return reject("it is no procedure of the source");
            }
            self.does_what_is_written(version, id)?;
            lemma::is_called_as_written(self.lowering(version), id)?;
            let run: BTreeSet<ProcId> =
                self.dossier.effects[version][id.index()].callees.iter().copied().chain([id]).collect();
            if !self.contracts_hold(version, &run) && !faults::planted("kernel/alone/contracts-unproved") {
                return reject("a contract on which it rests is not proved");
            }
        }
        Ok(())
    }

    /// Whether a procedure of the lowered program does what the part of the source does that it stands for; what is shown of the one
    /// holds of the other then.
    ///
    /// # Errors
    /// Why that is not shown.
    pub fn does_what_is_written(&self, version: usize, id: ProcId) -> Result<(), Rejection> {
        match self.lemmas[version].get(&id) {
            Some(shown) => shown.clone(),
            None => lemma::check(self.lowering(version), &BTreeSet::from([id])).remove(&id).unwrap_or(Ok(())),
        }
    }

    /// The claims that were refused, and why.
    pub fn refused(&self) -> &BTreeMap<Pair, Rejection> {
        &self.refused
    }

    /// Why nothing is believed of a version, where nothing is.
    pub fn alone(&self, version: usize) -> Result<(), Rejection> {
        self.alone[version].clone()
    }

    /// Whether a procedure of the lowered program was shown to do what the source does; nothing of those that no claim is about.
    pub fn lemmas(&self, version: usize) -> &BTreeMap<ProcId, Result<(), Rejection>> {
        &self.lemmas[version]
    }
}

/// Whether all claims stand that a proof rests on; it has to be asked again whenever one falls.
fn stand(claims: &Claims, used: &Uses) -> bool {
    claims.support(used) || faults::planted("kernel/proof/used-fallen")
}

/// What is said of a claim whose check was given up.
fn given_up(Stopped(reason): Stopped) -> Result<Shown, Rejection> {
    reject(format!("its check was given up: {reason}"))
}

#[cfg(test)]
mod tests;
