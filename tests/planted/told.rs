//! What is said of the probes, with a fault and without, and what of it is wrong or missing.

use crate::common::program::{Judgement, judge};
use crate::probes::Probe;
use prover::goal::Checked;
use prover::search::concrete::SearchBudget;
use prover::verdict::{PairReport, Report, Verdict};
use prover::verify::{Config, verify};
use smt::solve::{Answer, Backend, QueryBudget, Question, Shared, SolverFailure, Task};
use smt::stop::{Reason, Stop};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How long a thread may work on one program, in hundredths of a second; what is given up says nothing. It is the time that the
/// thread has used, so that other work on the machine changes nothing.
const PATIENCE: u64 = 150;
/// How often that is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// What a query may cost, a tenth of the usual: most of what is asked here does not hold.
const RLIMIT: u32 = 300_000;
/// Stack of a thread that verifies, in bytes; as `ape` has it.
const STACK: usize = 512 << 20;
/// How many programs are verified at once.
const WORKERS: usize = 2;

/// Remembers every answer, also that there is none: faults leave most questions as they are.
#[derive(Debug, Default)]
struct Remembering {
    inner: Shared,
    known: Mutex<BTreeMap<(String, u32), Answer>>,
}

impl Backend for Remembering {
    fn decide(&self, question: &Question<'_>) -> Result<Answer, SolverFailure> {
        let key = (format!("{:?} {}", question.logic, question.smt2), question.rlimit);
        if let Some(answer) = self.known.lock().expect("no worker has failed").get(&key) {
            return Ok(answer.clone());
        }
        let answer = self.inner.decide(question)?;
        self.known.lock().expect("no worker has failed").insert(key, answer.clone());
        Ok(answer)
    }

    fn done(&self, task: Task) {
        self.inner.done(task);
    }
}

/// What is said of one pair, or of a clause of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    word: &'static str,
    /// Whether the kernel has made it.
    checked: bool,
}

/// What is said of a program: nothing where the prover panicked; `None` where it took too long.
type Told = Option<BTreeMap<String, Said>>;

/// What is said of a program without a fault.
#[derive(Default)]
struct Usual {
    told: Told,
    /// The faults that it comes by.
    comes_by: BTreeSet<&'static str>,
    /// How long it takes, in hundredths of a second.
    time: u64,
}

/// A verdict that is not true.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) probe: String,
    /// Whether the kernel has made it.
    pub(crate) checked: bool,
    what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checked = if self.checked { "CHECKED" } else { "not checked" };
        write!(f, "{}: {} ({checked})", self.probe, self.what)
    }
}

/// What came of a fault.
pub(crate) struct Tried {
    /// What is said with it that is wrong.
    pub(crate) wrong: Vec<Wrong>,
    /// How many probes were asked.
    pub(crate) asked: usize,
    /// Where it costs a verdict, if it does.
    pub(crate) bites: Option<String>,
}

/// The probes, and what is said of them without a fault.
pub(crate) struct Bench {
    pub(crate) probes: Vec<Probe>,
    backend: Shared,
    /// What is to be stopped: where the time that its thread has used is told, and when it is over.
    watched: Mutex<Vec<(Stop, PathBuf, Option<u64>)>>,
    /// By the number of the probe, and whether nobody looks for differences.
    usual: Mutex<BTreeMap<(usize, bool), Arc<Usual>>>,
}

impl Bench {
    pub(crate) fn new(probes: Vec<Probe>) -> Self {
        // Most faults leave most questions as they are.
        let backend = Shared::new(Remembering::default());
        Bench { probes, backend, watched: Mutex::default(), usual: Mutex::default() }
    }

    /// What is wrong without a fault, of all that was looked at.
    pub(crate) fn usually_wrong(&self) -> Vec<String> {
        let known = self.usual.lock().expect("no worker has failed");
        let wrong = known.iter().flat_map(|((at, _), usual)| self.wrong(*at, &usual.told));
        wrong.map(|wrong| wrong.to_string()).collect()
    }

    /// What is wrong of some probes with a fault, that is not without; and a probe that it costs a verdict, if there is one.
    pub(crate) fn with_fault(&self, (fault, blind): (&str, bool), at: &[usize], most: usize) -> Tried {
        self.warm(at, blind);
        // Of what takes long without a fault nothing is asked, and nothing changes where nobody comes by it.
        let comes_by = |usual: &Usual| {
            faults::ALL.iter().find(|one| one.name == fault).is_some_and(|one| {
                usual.comes_by.contains(fault) || one.hides.is_some_and(|hidden| usual.comes_by.contains(hidden))
            })
        };
        let usual = |at: usize| self.usual(at, blind);
        let mut at: Vec<usize> = at.to_vec();
        at.retain(|&at| usual(at).told.is_some() && comes_by(&usual(at)));
        at.sort_by_key(|&at| usual(at).time);
        at.truncate(most);
        faults::switch(Some(fault), blind);
        let told = self.verify_all(&at);
        faults::switch(None, false);
        let (mut wrong, mut bites) = (Vec::new(), None);
        for (&at, (told, ..)) in at.iter().zip(&told) {
            let usual = self.usual(at, blind);
            let usual = &usual.told;
            let known: Vec<String> = self.wrong(at, usual).iter().map(Wrong::to_string).collect();
            let mut new = self.wrong(at, told);
            new.extend(self.broken(at, usual, told));
            new.retain(|wrong| !known.contains(&wrong.to_string()));
            if bites.is_none() && (!new.is_empty() || is_less(usual, told)) {
                bites = Some(self.probes[at].name.clone());
            }
            wrong.extend(new);
        }
        Tried { wrong, asked: at.len(), bites }
    }

    /// Finds out what is said of some probes without a fault.
    fn warm(&self, at: &[usize], blind: bool) {
        let open: Vec<usize> = {
            let known = self.usual.lock().expect("no worker has failed");
            at.iter().copied().filter(|at| !known.contains_key(&(*at, blind))).collect()
        };
        faults::switch(None, blind);
        let told = self.verify_all(&open);
        faults::switch(None, false);
        let mut known = self.usual.lock().expect("no worker has failed");
        let usual = |(told, comes_by, time)| Arc::new(Usual { told, comes_by, time });
        known.extend(open.into_iter().zip(told).map(|(at, told)| ((at, blind), usual(told))));
    }

    fn usual(&self, at: usize, blind: bool) -> Arc<Usual> {
        self.usual.lock().expect("no worker has failed").get(&(at, blind)).cloned().unwrap_or_default()
    }

    /// Verifies some probes, on a few threads.
    fn verify_all(&self, at: &[usize]) -> Vec<(Told, BTreeSet<&'static str>, u64)> {
        let next = Mutex::new(0..at.len());
        let found = Mutex::new(BTreeMap::new());
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| self.watch(&done));
            let mut workers = Vec::new();
            for _ in 0..WORKERS {
                let work = || {
                    loop {
                        let number = next.lock().expect("no worker has failed").next();
                        let Some(number) = number else { break };
                        let (file, _) = (own_statistics(), faults::come_by());
                        let before = ticks(&file);
                        let told = self.told(&self.probes[at[number]]);
                        let time = ticks(&file).zip(before).map_or(0, |(after, before)| after - before);
                        let told = (told, faults::come_by(), time);
                        found.lock().expect("no worker has failed").insert(number, told);
                    }
                };
                let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
                workers.push(worker.expect("a thread can be made"));
            }
            workers.into_iter().for_each(|worker| worker.join().expect("no worker has failed"));
            done.store(true, Ordering::Relaxed);
        });
        found.into_inner().expect("no worker has failed").into_values().collect()
    }

    /// A stop for what this thread does next.
    fn watched(&self) -> Stop {
        let (stop, file) = (Stop::new(), own_statistics());
        let until = ticks(&file).map(|now| now + PATIENCE);
        self.watched.lock().expect("no worker has failed").push((stop.clone(), file, until));
        stop
    }

    /// Stops what has used up its time, until the work is done.
    fn watch(&self, done: &AtomicBool) {
        while !done.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
            self.watched.lock().expect("no worker has failed").retain(|(stop, file, until)| {
                let late = until.is_none_or(|until| ticks(file).is_none_or(|now| now > until));
                if late {
                    stop.request(Reason::Time);
                }
                !late
            });
        }
    }

    fn told(&self, probe: &Probe) -> Told {
        let stop = self.watched();
        let budget = QueryBudget { rlimit: RLIMIT, ..QueryBudget::default() };
        let config = Config {
            budget,
            search: Some(SearchBudget::NEAR),
            stop,
            backend: self.backend.clone(),
            ..Config::default()
        };
        match catch_unwind(AssertUnwindSafe(|| verify(&probe.unit, &config))) {
            Ok(report) => report.stopped.is_none().then(|| told(&report)),
            // Nothing is said of any pair.
            Err(_) => Some(BTreeMap::new()),
        }
    }

    /// The verdicts that are not true.
    fn wrong(&self, at: usize, told: &Told) -> Vec<Wrong> {
        let probe = &self.probes[at];
        let said = told.iter().flatten().filter_map(|(pair, said)| Some((pair, said, probe.right.get(pair)?)));
        let wrong = said.filter(|(_, said, right)| probe.judged && judge(right, said.word) == Judgement::Wrong);
        wrong
            .map(|(pair, said, right)| Wrong {
                probe: probe.name.clone(),
                checked: said.checked,
                what: format!("{pair} is {}, should be {}", said.word, right.join(" or ")),
            })
            .collect()
    }

    /// The clauses that are said to hold though a run breaks them.
    fn broken(&self, at: usize, usual: &Told, told: &Told) -> Vec<Wrong> {
        let probe = &self.probes[at];
        let before = |clause: &String| usual.as_ref().and_then(|usual| usual.get(clause)).map(|said| said.word);
        let said = told
            .iter()
            .flatten()
            .filter(|(clause, said)| probe.judged && said.word == "holds" && before(clause) == Some("violated"));
        said.map(|(clause, _)| Wrong {
            probe: probe.name.clone(),
            checked: true,
            what: format!("{clause} is said to hold"),
        })
        .collect()
    }
}

/// What a report says.
fn told(report: &Report) -> BTreeMap<String, Said> {
    let pairs = report.pairs.iter().map(|pair| (name(pair), said(&pair.verdict)));
    let clauses = report.contracts.iter().map(|clause| {
        let word = clause.status.word();
        (format!("{:?} at {:?}", clause.kind, clause.span), Said { word, checked: word == "holds" })
    });
    pairs.chain(clauses).collect()
}

fn name(pair: &PairReport) -> String {
    if pair.left == pair.right && pair.when.is_none() {
        pair.left.clone()
    } else {
        format!("{}~{}", pair.left, pair.right)
    }
}

fn said(verdict: &Verdict) -> Said {
    let checked = match verdict {
        Verdict::Equivalent(proof) | Verdict::PartiallyEquivalent(proof) => {
            matches!(proof.checked, Checked::Proved(_))
        }
        _ => false,
    };
    Said { word: verdict.word(), checked }
}

/// Where the system tells how much time this thread has used.
fn own_statistics() -> PathBuf {
    fs::read_link("/proc/thread-self").map(|own| Path::new("/proc").join(own).join("stat")).unwrap_or_default()
}

/// The time that a thread has used, in hundredths of a second; `None` where the system does not tell.
fn ticks(file: &Path) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

/// Whether less is said than usually, or less of it is checked.
fn is_less(usual: &Told, told: &Told) -> bool {
    // What is given up says nothing, and costs nothing; a fault that only slows things is none.
    let (Some(usual), Some(told)) = (usual, told) else { return false };
    let worth = |said: Option<&Said>| match said.map(|said| said.word) {
        Some("equivalent" | "not-equivalent" | "contract-violation" | "holds" | "violated") => 2,
        Some("partially-equivalent") => 1,
        _ => 0,
    };
    usual.iter().any(|(pair, said)| {
        let now = told.get(pair);
        worth(now) < worth(Some(said)) || said.checked && !now.is_some_and(|now| now.checked)
    })
}
