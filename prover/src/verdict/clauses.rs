//! Contracts that are not proved: whether a run breaks them, and what that means for pairs.
//!
//! In: the clauses with their status. Out: reports on clauses, and verdicts that a clause forces.

use super::comparison::procedures_run;
use super::judge::Judge;
use super::{ClauseReport, ClauseStatus, Reason, Verdict};
use crate::goal::Pair;
use crate::search::concrete;
use crate::search::witness::{self, Target};
use kernel::alone::clauses::{Clause, ClauseKind, Status};
use kernel::outline::cuts::part_of;
use kernel::proof::Kernel;
use kernel::rejection::Rejection;
use lang_l::hir::ProcId;
use std::collections::BTreeSet;

impl Judge<'_> {
    /// The reports on all clauses that are of one of these procedures of each version.
    pub(crate) fn contracts(&mut self, concerned: &[BTreeSet<ProcId>; 2]) -> Vec<ClauseReport> {
        let clauses = self.clauses.iter().filter(|clause| concerned[clause.version].contains(&clause.within));
        merged(clauses.map(|clause| self.report_on(clause)))
    }

    /// The verdict forced by a clause that is not proved and was written for a procedure this pair runs.
    pub(super) fn broken_contract(&mut self, pair: Pair, reach: &BTreeSet<Pair>) -> Option<Verdict> {
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
                        version = self.source.versions[version].title()
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
        if self.settling {
            return None;
        }
        let clause = &self.clauses[at];
        let within = self.whole(clause.version, self.source_of(clause.version, clause.within));
        let name = &self.source.versions[clause.version].procedure(within).name;
        let wanted = match clause.kind {
            ClauseKind::Assert => Target::Assert(clause.span, name),
            _ => Target::Clause(clause.span),
        };
        let within = (clause.version, within);
        let search = || concrete::search_contract(self.source, within, wanted, &[], self.search_budget());
        // Pairs that rest on the clause, and its own report, are both content with nothing found.
        let found = self.manner.stop.run(search).ok().flatten();
        if found.is_none() {
            self.note_stop();
        }
        self.violations.insert(at, found.clone());
        found
    }

    /// The procedure as it is written that statements were taken from, where these have become this one.
    fn whole(&self, version: usize, id: ProcId) -> ProcId {
        let version = &self.source.versions[version];
        part_of(&version.procedure(id).name).and_then(|(whole, _)| version.find(whole)).unwrap_or(id)
    }

    fn report_on(&mut self, clause: &Clause) -> ClauseReport {
        let at = self.clauses.iter().position(|other| other == clause);
        let status = match &clause.status {
            Status::Holds => ClauseStatus::Holds,
            Status::Unproved(why) => match at.and_then(|at| self.violation(at)) {
                Some(witness) => ClauseStatus::Violated(Box::new(witness)),
                None => ClauseStatus::Unknown(why.clone()),
            },
        };
        let name = self.name(clause.version, self.source_of(clause.version, clause.procedure));
        // A clause is one of the procedure that it is written in, also where its statement is taken for another one.
        let procedure = part_of(name).map_or(name, |(whole, _)| whole).to_string();
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

/// Contracts that are said to hold and that the kernel has not proved of the source are unknown.
pub(crate) fn confirmed(kernel: &Kernel<'_>, clauses: &mut [ClauseReport]) {
    for clause in clauses.iter_mut().filter(|clause| matches!(clause.status, ClauseStatus::Holds)) {
        if let Err(Rejection(why)) = kernel.clause_holds(clause.version, clause.kind, clause.span) {
            clause.status = ClauseStatus::Unknown(format!("the kernel refuses the proof: {why}"));
        }
    }
}
