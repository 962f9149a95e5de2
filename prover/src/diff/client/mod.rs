//! Who notices: whether a client and its library together do the same in both versions, although the library does not.
//!
//! In: a checked pair program. Out: a [`ClientReport`], a [`Client`] for each procedure that is the same code in both versions
//! and calls what was changed.
//!
//! 1. The changed procedures are verified.
//! 2. Of each client, callees first, a quick search looks for a store on which it was seen to differ.
//! 3. `boundaries`: for each call the smallest statements round it that do the same in both versions; they become procedures.
//! 4. The client that calls these is verified: as a whole where not all calls are contained, for changes may cancel.
//!
//! Invariant: a client is said to be unaffected only if it is proved, as it calls its boundaries, and all these are.
//! Invariant: a client is said to be affected only with a store on which its own code was run, as it was written.

pub mod claimed;
mod escape;
mod facts;
mod needs;
mod reach;
pub mod report;

pub use crate::verify::boundaries::{Boundary, Kind};
pub use escape::Escape;
pub use needs::Needs;

use crate::budget::client::MAX_ROUNDS;
use crate::goal::Pair;
use crate::search::concrete;
use crate::search::witness::{Contrast, RunPair, Witness};
use crate::verdict::{PairReport, Report, Termination, Verdict};
use crate::verify::boundaries::part::{Names, callees, is_same_code, is_straight, part};
use crate::verify::boundaries::{Search, Work, prove, sites};
use crate::verify::{Config, verify};
use kernel::outline::cuts::Cut;
use lang_l::Loaded;
use lang_l::hir::Unit;
use lang_l::source::Span;
use smt::solve::Solver;
use smt::stop::Reason;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Whom the question is about.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The clients; when empty, each procedure that is the same code in both versions and calls what was changed.
    pub clients: Vec<String>,
    /// The library; when empty, each changed procedure.
    pub libraries: Vec<String>,
    /// Also look for boundaries in a client that was seen to differ.
    pub boundaries: bool,
}

/// A changed procedure.
#[derive(Clone, Debug)]
pub struct Library {
    /// Its name.
    pub name: String,
    /// What `verify` says of it, in a program that has no client.
    pub report: PairReport,
    /// From which stores it differs, and of which one ends, where that is cheap to have.
    pub differs: Option<[String; 2]>,
}

/// A call of a client that comes to a changed procedure.
#[derive(Clone, Debug)]
pub struct Call {
    /// Where it is.
    pub span: Span,
    /// What is called.
    pub callee: String,
    /// With which arguments, as they are written.
    pub arguments: String,
    /// Whether some run reaches it; `None` where that is not known.
    pub reached: Option<bool>,
    /// The boundary that contains it.
    pub contained_by: Option<usize>,
    /// What holds of the client's variables there.
    pub called_when: String,
    /// What the boundary needs of the results.
    pub needs: Option<Needs>,
}

/// What was found of a client.
#[derive(Clone, Debug)]
pub struct Client {
    /// Its name.
    pub name: String,
    /// The word of the verdict, as of `verify`.
    pub verdict: &'static str,
    /// Whether it ends from the same stores.
    pub termination: Termination,
    /// Why it is open, if it is.
    pub open: Option<String>,
    /// The program and the report that show how it differs, or which contract it breaks.
    pub case: Option<Box<(Unit, Report)>>,
    /// Its first call that gave something else, where it differs.
    pub escape: Option<Escape>,
    /// The changed procedures that it comes to.
    pub library: Vec<String>,
    /// Its calls that come to them.
    pub calls: Vec<Call>,
    /// The boundaries that were tried.
    pub boundaries: Vec<Boundary>,
    /// How long it took.
    pub time: Duration,
}

/// What was found of all clients.
#[derive(Clone, Debug, Default)]
pub struct ClientReport {
    /// The changed procedures, by name.
    pub library: BTreeMap<String, Library>,
    /// The clients, callees first.
    pub clients: Vec<Client>,
    /// The statements that have become procedures, which the clients call where they were proved.
    pub cuts: Vec<Cut>,
    /// Why work was given up, if it was.
    pub stopped: Option<Reason>,
}

/// The procedures of this program that [`client`] cannot be asked about as a client: they are not the same code in both versions.
pub fn changed_clients(unit: &Unit, asked: &Asked) -> Vec<String> {
    asked.clients.iter().filter(|name| !is_same_code(unit, name)).cloned().collect()
}

/// Finds out which clients notice what was changed.
pub fn client(source: &Loaded, config: &Config, asked: &Asked) -> ClientReport {
    let unit = &source.unit;
    if unit.versions.len() < 2 {
        return ClientReport::default();
    }
    let changed = changed(unit);
    let libraries: Names =
        if asked.libraries.is_empty() { changed.clone() } else { asked.libraries.iter().cloned().collect() };
    let clients = clients(unit, &libraries);
    let selected: Names = match asked.clients.as_slice() {
        [] => clients.iter().cloned().collect(),
        names => names.iter().cloned().collect(),
    };
    // What a selected client calls comes first, as its own boundaries may be of use.
    let needed: Vec<String> = clients
        .into_iter()
        .chain(asked.clients.iter().cloned())
        .filter(|name| selected.contains(name) || selected.iter().any(|one| callees(unit, one).contains(name)))
        .collect();
    let mut solver = config.solver();
    let reached: Names = selected.iter().flat_map(|name| callees(unit, name)).collect();
    let concerned: Names = changed.intersection(&reached).cloned().collect();
    let mut report = ClientReport { library: library(source, &concerned, config), ..ClientReport::default() };
    let equal = report.library.values().filter(|one| matches!(one.report.verdict, Verdict::Equivalent(_)));
    let equal: Names = equal.map(|one| one.name.clone()).collect();
    let unequal = concerned.difference(&equal).cloned().collect();
    let work = Work::new(unit.clone(), equal, unequal);
    let given_up = report.library.values().filter(|one| !may_be_partly_equal(&one.report)).map(|one| one.name.clone());
    let given_up = given_up.collect();
    let mut examination = Examination { source, config, asked, work, changed, given_up };
    let mut seen = Names::new();
    for name in needed {
        if !seen.insert(name.clone()) {
            continue;
        }
        let found = examination.examine(&name, &mut solver);
        if selected.contains(&name) {
            report.clients.push(found);
        }
    }
    report.cuts = examination.work.cuts;
    report.library.retain(|name, _| libraries.contains(name));
    report.stopped = solver.stopped().or_else(|| config.stop.reason());
    report
}

/// The procedures that both versions have, and that are not the same code in them.
fn changed(unit: &Unit) -> Names {
    let both = unit.versions[0].procedures.iter().filter(|one| unit.versions[1].find(&one.name).is_some());
    both.map(|one| one.name.clone()).filter(|name| !is_same_code(unit, name)).collect()
}

/// The procedures that are the same code and come to one of these, callees first.
fn clients(unit: &Unit, libraries: &Names) -> Vec<String> {
    let named = unit.versions[0].procedures.iter().filter(|one| one.body.is_some()).map(|one| one.name.clone());
    let comes = |name: &String| !callees(unit, name).is_disjoint(libraries);
    let mut found: Vec<String> =
        named.filter(|name| !libraries.contains(name) && is_same_code(unit, name) && comes(name)).collect();
    found.sort_by_key(|name| callees(unit, name).len());
    found
}

/// What `verify` says of the changed procedures, without their clients; how they differ, where neither loops nor recurs.
fn library(source: &Loaded, names: &Names, config: &Config) -> BTreeMap<String, Library> {
    let small = part(&source.unit, names);
    let config = Config { procedures: names.iter().cloned().collect(), ..config.clone() };
    let report = if names.is_empty() { Report::default() } else { verify(&small, &config) };
    let differing =
        |pair: &&PairReport| matches!(pair.verdict, Verdict::NotEquivalent(_)) && is_plain(&small, &pair.left);
    let plain: Vec<String> = report.pairs.iter().filter(differing).map(|pair| pair.left.clone()).collect();
    let differences = if plain.is_empty() {
        super::DiffReport::default()
    } else {
        let config = Config { procedures: plain, ..config };
        let source = Loaded { sources: source.sources.clone(), unit: small.clone() };
        super::diff(&source, &config, &super::Manner::default())
    };
    let kinds = |name: &String| {
        let own = differences.pairs.iter().find(|pair| pair.names[0] == *name && pair.when.is_none())?;
        own.is_complete().then(|| [own.differs_when.clone(), own.one_ends_when.clone()])
    };
    let entry = |report: PairReport| {
        let name = report.left.clone();
        (name.clone(), Library { differs: kinds(&name), name, report })
    };
    report.pairs.into_iter().filter(|pair| pair.left == pair.right).map(entry).collect()
}

/// Whether a changed procedure is equivalent where both versions end, for all that is known of it.
fn may_be_partly_equal(report: &PairReport) -> bool {
    match &report.verdict {
        Verdict::Equivalent(_) | Verdict::PartiallyEquivalent(_) => true,
        Verdict::NotEquivalent(witness) => matches!(witness.contrast(), Contrast::Termination),
        Verdict::ContractViolation(_) | Verdict::Unknown(_) => false,
    }
}

/// Whether neither version of a procedure has a loop, recursion, or code that is not there.
fn is_plain(unit: &Unit, name: &str) -> bool {
    unit.versions.iter().all(|version| version.find(name).is_none_or(|id| is_straight(version, id)))
}

/// What clients are examined with.
struct Examination<'e> {
    source: &'e Loaded,
    config: &'e Config,
    asked: &'e Asked,
    work: Work,
    /// The changed procedures.
    changed: Names,
    /// Those of them that are not even partially equivalent, as far as is known.
    given_up: Names,
}

/// A verdict in the making.
struct Judged {
    verdict: &'static str,
    termination: Termination,
    open: Option<String>,
    case: Option<Box<(Unit, Report)>>,
}

impl Examination<'_> {
    /// What is to be said of one client.
    fn examine(&mut self, name: &str, solver: &mut Solver) -> Client {
        let started = Instant::now();
        let roots = Names::from([name.to_string()]);
        let original = part(&self.source.unit, &roots);
        let differs = solver.attempt(|_| seen(&original, name, concrete::SearchBudget::NEAR)).ok().flatten();
        let mut search = Search::default();
        if differs.is_none() || self.asked.boundaries {
            search = solver.attempt(|solver| self.work.search(name, MAX_ROUNDS, solver)).unwrap_or_default();
        }
        let judged = match differs {
            Some(witness) => affected(&original, name, witness),
            None => self.judge(&original, name, &mut search, solver),
        };
        match judged.verdict {
            "equivalent" => self.work.equal.insert(name.to_string()),
            _ => self.work.unequal.insert(name.to_string()),
        };
        let escape = judged.case.as_ref().and_then(|case| escaped(case));
        let calls = solver.attempt(|solver| self.calls(name, &mut search, solver)).unwrap_or_default();
        let library = callees(&self.source.unit, name).intersection(&self.changed).cloned().collect();
        let Judged { verdict, termination, open, case } = judged;
        Client {
            name: name.to_string(),
            verdict,
            termination,
            open,
            case,
            escape,
            library,
            calls,
            boundaries: search.boundaries,
            time: started.elapsed(),
        }
    }

    /// The verdict on a client of which no difference was seen: of the one that calls its boundaries.
    fn judge(&self, original: &Unit, name: &str, search: &mut Search, solver: &mut Solver) -> Judged {
        let roots = Names::from([name.to_string()]);
        let small = part(&self.work.unit, &roots);
        let proved = solver.attempt(|solver| prove::prove(&small, &self.work.unequal, [&Names::new(), &roots], solver));
        let found = proved.ok().and_then(|mut found| found.remove(name));
        if found.is_some_and(|found| found.is_equal()) {
            self.whole(name, search);
            return Judged { verdict: "equivalent", termination: Termination::Mutual, open: None, case: None };
        }
        if let Ok(Some(witness)) = solver.attempt(|_| seen(original, name, concrete::SearchBudget::QUICK)) {
            return affected(original, name, witness);
        }
        let given_up = self.given_up.clone();
        let config = Config { procedures: vec![name.to_string()], given_up, ..self.config.clone() };
        let report = verify(original, &config);
        self.as_verified(original, report, name, search)
    }

    /// Notes that the whole client is the boundary of the calls that nothing smaller contains.
    fn whole(&self, name: &str, search: &mut Search) {
        let open = self.work.open(name);
        let version = &self.source.unit.versions[0];
        let Some(id) = version.find(name).filter(|_| !open.is_empty()) else { return };
        let number = search.boundaries.len();
        let span = version.procedure(id).span;
        search.boundaries.push(Boundary { span, kind: Kind::Client, holds: true, procedure: String::new() });
        search.contained.extend(open.iter().map(|site| (site.span, number)));
    }

    /// What `verify` says of the client as it is written.
    fn as_verified(&self, original: &Unit, report: Report, name: &str, search: &mut Search) -> Judged {
        let Some(pair) = report.pairs.iter().find(|pair| pair.left == name) else {
            let open = Some("it is no pair that can be compared".to_string());
            return Judged { verdict: "unknown", termination: Termination::Unknown, open, case: None };
        };
        let (verdict, termination) = (pair.verdict.word(), pair.termination);
        let (mut open, mut shown) = (None, false);
        match &pair.verdict {
            Verdict::Equivalent(_) => self.whole(name, search),
            Verdict::PartiallyEquivalent(_) => {
                open = Some("that both end from the same stores is not proved".into());
            }
            Verdict::Unknown(reason) => open = Some(reason.what.clone()),
            Verdict::NotEquivalent(_) | Verdict::ContractViolation(_) => shown = true,
        }
        let case = shown.then(|| Box::new((original.clone(), report)));
        Judged { verdict, termination, open, case }
    }

    /// The calls of a client that come to changed procedures.
    fn calls(&self, name: &str, search: &mut Search, solver: &mut Solver) -> Vec<Call> {
        let unit = &self.source.unit;
        let version = &unit.versions[0];
        let Some(id) = version.find(name) else { return Vec::new() };
        let own = version.procedure(id);
        let Some(body) = &own.body else { return Vec::new() };
        let comes = |callee: lang_l::hir::ProcId| {
            let callee = &version.procedure(callee).name;
            callee != name && (self.changed.contains(callee) || !callees(unit, callee).is_disjoint(&self.changed))
        };
        let mut calls = Vec::new();
        for site in sites::sites(body, &comes) {
            let callee = version.procedure(site.callee).name.clone();
            let contained_by = self.container(&site, &callee, search);
            let boundary = contained_by.map(|at| search.boundaries[at].clone());
            let needs = boundary.filter(|boundary| !boundary.procedure.is_empty()).and_then(|boundary| {
                needs::needs(&self.work.unit, &boundary.procedure, &callee, &self.work.unequal, solver)
            });
            calls.push(Call {
                span: site.span,
                arguments: facts::arguments(unit, version, own, &site),
                reached: reach::reached(unit, name, &site, solver),
                contained_by,
                called_when: facts::called_when(unit, version, own, &site),
                needs,
                callee,
            });
        }
        calls
    }

    /// The boundary that contains a call: the call itself, where both versions of the callee do the same.
    fn container(&self, site: &sites::Site, callee: &String, search: &mut Search) -> Option<usize> {
        if let Some((_, at)) = search.contained.iter().find(|(span, _)| *span == site.span) {
            return Some(*at);
        }
        if !self.work.equal.contains(callee) {
            return None;
        }
        let procedure = String::new();
        search.boundaries.push(Boundary { span: site.span, kind: Kind::Call, holds: true, procedure });
        Some(search.boundaries.len() - 1)
    }
}

fn pair_of(unit: &Unit, name: &str) -> Option<Pair> {
    Some((unit.versions[0].find(name)?, unit.versions[1].find(name)?))
}

/// A store on which a client was seen to differ.
fn seen(unit: &Unit, name: &str, budget: concrete::SearchBudget) -> Option<Witness> {
    let (left, right) = pair_of(unit, name)?;
    unit.procedure(0, left).body.as_ref()?;
    concrete::search(&RunPair { unit, left, right, when: None }, &[], budget)
}

/// The verdict on a client that was seen to differ.
fn affected(unit: &Unit, name: &str, witness: Witness) -> Judged {
    let endless = matches!(witness.contrast(), Contrast::Termination);
    let termination = if endless { Termination::Different } else { Termination::Unknown };
    let report = pair_of(unit, name).map(|pair| PairReport {
        left: name.to_string(),
        right: name.to_string(),
        when: None,
        verdict: Verdict::NotEquivalent(Box::new(witness)),
        termination,
        time: Duration::ZERO,
        rests_on: Vec::new(),
        pair,
        differs_when: None,
        unreached: [Vec::new(), Vec::new()],
    });
    let report = Report { pairs: report.into_iter().collect(), ..Report::default() };
    let case = Some(Box::new((unit.clone(), report)));
    Judged { verdict: "not-equivalent", termination, open: None, case }
}

/// The first call that gave something else in a case.
fn escaped((unit, report): &(Unit, Report)) -> Option<Escape> {
    let pair = report.pairs.first()?;
    let Verdict::NotEquivalent(witness) = &pair.verdict else { return None };
    let (left, right) = pair.pair;
    escape::escape(&RunPair { unit, left, right, when: None }, witness)
}
