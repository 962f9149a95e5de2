//! The search for impact boundaries of one client, smallest first.
//!
//! In: a program, and a client in it. Out: its calls, what contains each, and the program with what was shown to be a boundary
//! outlined in both versions.
//!
//! Rule *Impact boundary*: statements that are outlined and proved to be equivalent do the same from every store, with what they
//! call in them; so the call of the procedure that they have become is a call of something common.
//!
//! Invariant: a call is contained only by a procedure that the kernel's gate let through, at the full level.

pub(crate) mod noticed;
pub mod part;
pub(crate) mod prove;
pub(crate) mod sites;

pub use sites::Kind;

use kernel::effects::looks_at_all_objects;
use kernel::outline::cuts::{Cut, part_of};
use kernel::outline::range::Range;
use kernel::outline::{Outlined, outline};
use lang_l::hir::same::same_code;
use lang_l::hir::{ProcId, Procedure, Unit};
use lang_l::source::Span;
use part::{Names, callees, part};
use prove::{Found, prove};
use sites::{Candidate, Site};
use smt::solve::Solver;
use std::collections::BTreeSet;

/// Statements that do the same in both versions, or were not shown to.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// Where they are.
    pub span: Span,
    /// What they are.
    pub kind: Kind,
    /// Whether they do the same.
    pub holds: bool,
    /// The procedure they have become; empty for a call, and for a whole client.
    pub(crate) procedure: String,
}

/// What is known of the program by now.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    /// The program; boundaries are procedures in it.
    pub(crate) unit: Unit,
    /// The procedures that are proved to be the same in both versions.
    pub(crate) equal: Names,
    /// The procedures that are known not to be, or that nothing proved to be.
    pub(crate) unequal: Names,
    /// What was cut out of the clients, in this order.
    pub(crate) cuts: Vec<Cut>,
    /// Whether the condition of an `if` may be one.
    pub(crate) tests: bool,
    /// How many ranges were outlined so far: no two procedures that they become have one name, whichever of them are kept.
    pub(crate) outlined: usize,
}

/// The calls of a client, and what contains them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    /// All boundaries that were tried.
    pub(crate) boundaries: Vec<Boundary>,
    /// For each place of a call the number of the boundary that contains it.
    pub(crate) contained: Vec<(Span, usize)>,
}

/// A range that is tried in one round.
struct Trial {
    tried: Candidate,
    name: String,
    outlined: [Outlined; 2],
    /// Whether an earlier one of the round has the same code, and is called instead.
    same_as: Option<String>,
}

impl Work {
    /// What is known at first.
    pub(crate) fn new(unit: Unit, equal: Names, unequal: Names) -> Self {
        let procedures = unit.versions.iter().flat_map(|version| &version.procedures);
        let numbers = procedures.filter_map(|code| part_of(&code.name)?.1.parse::<usize>().ok());
        let outlined = numbers.max().map_or(0, |most| most.saturating_add(1));
        Work { unit, equal, unequal, cuts: Vec::new(), tests: false, outlined }
    }

    /// The calls of a client that are not known to do the same in both versions.
    pub(crate) fn open(&self, client: &str) -> Vec<Site> {
        let version = &self.unit.versions[0];
        let Some(procedure) = version.find(client).map(|id| version.procedure(id)) else { return Vec::new() };
        let Some(body) = &procedure.body else { return Vec::new() };
        let differs = |id: ProcId| {
            let name = &version.procedure(id).name;
            name != client
                && self.reaches_unequal(name)
                && !callees(&self.unit, name).contains(client)
                && !self.equal.contains(name)
        };
        sites::sites(body, &differs)
    }

    /// Whether a procedure is one that is not known to be the same in both versions, or calls one.
    fn reaches_unequal(&self, name: &str) -> bool {
        self.unequal.contains(name) || callees(&self.unit, name).iter().any(|callee| self.unequal.contains(callee))
    }

    /// Looks for boundaries round all calls of a client, for so many rounds.
    pub(crate) fn search(&mut self, client: &str, rounds: usize, solver: &mut Solver) -> Search {
        let mut search = Search::default();
        let mut failed: BTreeSet<Span> = BTreeSet::new();
        for _ in 0..rounds {
            let trials = self.trials(client, &failed);
            if trials.is_empty() {
                break;
            }
            let (unit, roots) = self.with(&trials);
            let small = part(&unit, &roots);
            let found = prove(&small, &self.unequal, [&roots, &Names::new()], solver);
            let body = |unit: &Unit| unit.versions[0].find(client).and_then(|id| unit.procedure(0, id).body.clone());
            let Some(before) = body(&self.unit) else { break };
            let open = self.open(client);
            let mut proved: Vec<&Trial> = Vec::new();
            for trial in &trials {
                let name = trial.same_as.as_ref().unwrap_or(&trial.name);
                let result = found.get(name);
                let holds = result.is_some_and(Found::is_equal);
                let span = trial.tried.span(&before);
                let kind = trial.tried.kind(&before);
                let number = search.boundaries.len();
                search.boundaries.push(Boundary { span, kind, holds, procedure: name.clone() });
                if !holds {
                    failed.insert(span);
                    continue;
                }
                let within = open.iter().filter(|site| trial.tried.holds(site));
                let known = |span: Span, search: &Search| search.contained.iter().any(|(known, _)| *known == span);
                for site in within.collect::<Vec<_>>() {
                    if !known(site.span, &search) {
                        search.contained.push((site.span, number));
                    }
                }
                proved.push(trial);
            }
            self.keep(client, &unit, &proved);
        }
        search
    }

    /// For each open call the smallest range that was not tried; no two of them are the same.
    fn trials(&mut self, client: &str, failed: &BTreeSet<Span>) -> Vec<Trial> {
        let first = self.outlined;
        let [old, new] = [0, 1].map(|version| {
            let version = &self.unit.versions[version];
            let id = version.find(client).filter(|&id| !looks_at_all_objects(version, id))?;
            Some(version.procedure(id))
        });
        let (Some(old), Some(new)) = (old, new) else { return Vec::new() };
        let Some(body) = &old.body else { return Vec::new() };
        let mut found: Vec<Trial> = Vec::new();
        for site in self.open(client) {
            if found.iter().any(|trial| trial.tried.holds(&site)) {
                continue;
            }
            let untried = |candidate: &Candidate| !failed.contains(&candidate.span(body));
            let candidates = sites::candidates(old, &site).into_iter().filter(|one| self.tests || !one.is_test);
            let fits = candidates.filter(untried).find_map(|tried| {
                let name = format!("{client}#{}", first + found.len());
                let outlined = |of: &Procedure| outline(&tried.alone(of)?, &tried.range, &name);
                let outlined = [outlined(old)?, outlined(new)?];
                Some((tried, name, outlined))
            });
            let Some((tried, name, outlined)) = fits else { continue };
            let same_as = self.like(&outlined, &found);
            found.push(Trial { tried, name, outlined, same_as });
        }
        self.outlined += found.len();
        found
    }

    /// A procedure that has the same code as this one, in both versions: one of this round, or one that is proved to be equal.
    fn like(&self, outlined: &[Outlined; 2], round: &[Trial]) -> Option<String> {
        let same = |version: usize, other: &Procedure| same_code(&outlined[version].procedure, other, |p, q| p == q);
        let tried = |trial: &&Trial| {
            trial.same_as.is_none() && (0..2).all(|version| same(version, &trial.outlined[version].procedure))
        };
        if let Some(trial) = round.iter().find(tried) {
            return Some(trial.name.clone());
        }
        let known = |name: &&String| {
            (0..2).all(|version| {
                let own = &self.unit.versions[version];
                own.find(name).is_some_and(|id| same(version, own.procedure(id)))
            })
        };
        self.equal.iter().find(known).cloned()
    }

    /// The program with the procedures of all trials, and their names.
    fn with(&self, trials: &[Trial]) -> (Unit, Names) {
        let mut unit = self.unit.clone();
        let mut roots = Names::new();
        for trial in trials {
            if let Some(other) = &trial.same_as {
                roots.insert(other.clone());
                continue;
            }
            for (version, outlined) in trial.outlined.iter().enumerate() {
                unit.versions[version].procedures.push(outlined.procedure.clone());
            }
            roots.insert(trial.name.clone());
        }
        (unit, roots)
    }

    /// Keeps what was proved: the client calls it from now on. Of two that meet the outer one counts, or else the first.
    fn keep(&mut self, client: &str, tried: &Unit, proved: &[&Trial]) {
        let mut chosen: Vec<&Trial> = Vec::new();
        for &trial in proved {
            let own = &trial.tried.range;
            let outer = proved.iter().map(|other| &other.tried.range).any(|other| other != own && other.contains(own));
            if !outer && !chosen.iter().any(|other| other.tried.range.meets(own)) {
                chosen.push(trial);
            }
        }
        // Those that stand later first: so the numbers of statements before them stay.
        let place = |trial: &Trial| (trial.tried.range.way.clone(), trial.tried.range.from);
        chosen.sort_by_key(|trial| std::cmp::Reverse(place(trial)));
        for trial in chosen {
            let name = trial.same_as.as_ref().unwrap_or(&trial.name);
            for version in 0..2 {
                let Some(id) = self.procedure(version, name, tried) else { continue };
                let own = &mut self.unit.versions[version];
                let Some(at) = own.find(client) else { continue };
                let Some(mut alone) = trial.tried.alone(own.procedure(at)) else { continue };
                trial.outlined[version].put_into(&mut alone, &trial.tried.range, id);
                own.procedures[at.index()] = alone;
            }
            let Range { way, from, to } = trial.tried.range.clone();
            let test = trial.tried.is_test;
            self.cuts.push(Cut { of: client.to_string(), way, from, to, test, name: name.clone() });
            self.equal.insert(name.clone());
        }
    }

    /// The number of a procedure, which is taken over from what was tried if it is new.
    fn procedure(&mut self, version: usize, name: &str, tried: &Unit) -> Option<ProcId> {
        let own = &mut self.unit.versions[version];
        if own.find(name).is_none() {
            let id = tried.versions[version].find(name)?;
            own.procedures.push(tried.procedure(version, id).clone());
        }
        own.find(name)
    }
}
