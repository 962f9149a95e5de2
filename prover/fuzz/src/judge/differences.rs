//! What is said of how two versions differ, and of who notices, held against runs.
//!
//! In: a seed and a number of pairs. Out: a [`Tally`], with each store that is not of the kind it is said to be of.
//!
//! Both versions are run on the stores of [`stores`](crate::stores), and the conditions of `ape diff` are evaluated there by the
//! interpreter. Where the two end alike no condition but that for equal stores may hold, and so on. Of a client that is said not to
//! notice no run may differ.
//!
//! Invariant: a run that was stopped, or breaks a contract, counts for nothing.

use crate::case::Case;
use crate::oracle::{Difference, RunBudget, difference, each_store, outcomes, satisfies};
use lang_l::hir::{Expr, ExprKind, ProcId, Type, UnOp};
use lang_l::interp::{Exclusion, Outcome};
use lang_l::random::Random;
use lang_l::show::statements::input_lines;
use lang_l::{Loaded, load};
use prover::diff::client::{Asked, client};
use prover::diff::{Manner, PairDiff, condition, diff};
use prover::verify::Config;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use smt::solve::{Caching, Shared};
use smt::stop::Stop;
use std::fmt;
use std::time::{Duration, Instant};

/// How long the question for one pair may take. What is known by then must be right as well.
const PATIENCE: Duration = Duration::from_secs(8);
/// Runs for each pair of procedures.
const RUNS: RunBudget = RunBudget { small: 300, large: 40 };

/// What is asked of the fuzzer.
#[derive(Clone, Debug)]
pub struct DifferenceConfig {
    /// The seed of everything.
    pub seed: u64,
    /// The number of the first pair.
    pub first: u64,
    /// How many pairs.
    pub pairs: u64,
    /// How hard the prover tries.
    pub verify: Config,
}

impl DifferenceConfig {
    /// So many pairs of a seed.
    pub fn new(seed: u64, first: u64, pairs: u64) -> Self {
        let backend = Shared::new(Caching::new(Config::default().backend));
        let search = Some(prover::search::concrete::SearchBudget::QUICK);
        DifferenceConfig { seed, first, pairs, verify: Config { search, backend, ..Config::default() } }
    }
}

/// Something wrong that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The number of the pair.
    pub number: u64,
    /// What is wrong, with the store that shows it.
    pub what: String,
    /// The program.
    pub text: String,
}

/// What came of all pairs.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The pairs of programs.
    pub programs: u64,
    /// The pairs of procedures of which all was known.
    pub complete: u64,
    /// The pairs of procedures of which something was open.
    pub open: u64,
    /// The clients that were said not to notice.
    pub unaffected: u64,
    /// The other clients.
    pub affected: u64,
    /// The stores whose kind was seen.
    pub stores: u64,
    /// What was wrong.
    pub wrong: Vec<Wrong>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.complete += other.complete;
        self.open += other.open;
        self.unaffected += other.unaffected;
        self.affected += other.affected;
        self.stores += other.stores;
        self.wrong.extend(other.wrong);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Wrong { number, what, text } in &self.wrong {
            writeln!(f, "wrong in pair {number}: {what}\n{text}")?;
        }
        writeln!(f, "{} programs, {} stores of known kind", self.programs, self.stores)?;
        writeln!(f, "{} pairs told completely, {} with something open", self.complete, self.open)?;
        writeln!(f, "{} clients that do not notice, {} that do or may", self.unaffected, self.affected)?;
        writeln!(f, "{} wrong", self.wrong.len())
    }
}

/// Asks about all pairs on the threads of `pool`.
pub fn differences(config: &DifferenceConfig, pool: &ThreadPool) -> Tally {
    let numbers: Vec<u64> = (config.first..config.first + config.pairs).collect();
    let looked: Vec<Tally> = pool.install(|| numbers.into_par_iter().map(|number| look(config, number)).collect());
    let mut tally = Tally::default();
    looked.into_iter().for_each(|one| tally.add(one));
    tally
}

/// Asks about one pair, and runs it.
fn look(config: &DifferenceConfig, number: u64) -> Tally {
    let mut tally = Tally::default();
    let Some(text) = Case::new(config.seed, number).map(|case| case.text()) else { return tally };
    let Ok(source) = load([("pair.l", text.clone())]) else { return tally };
    tally.programs = 1;
    let within = || Config { stop: Stop::new().until(Instant::now().checked_add(PATIENCE)), ..config.verify.clone() };
    let mut random = Random::item(config.seed ^ 0xD1FF, number);
    let mut wrong = Vec::new();
    for pair in &diff(&source, &within(), &Manner::default()).pairs {
        *if pair.is_complete() { &mut tally.complete } else { &mut tally.open } += 1;
        tally.stores += hold(&source, pair, &mut random, &mut wrong);
    }
    for found in client(&source, &within(), &Asked::default()).clients {
        let (left, right) = (source.unit.versions[0].find(&found.name), source.unit.versions[1].find(&found.name));
        let said = match found.verdict {
            "equivalent" => [Kind::Differs, Kind::OneEnds].as_slice(),
            "partially-equivalent" => &[Kind::Differs],
            _ => &[],
        };
        *if said.is_empty() { &mut tally.affected } else { &mut tally.unaffected } += 1;
        if let (Some(left), Some(right), false) = (left, right, said.is_empty()) {
            unnoticed(&source, (left, right), said, &mut random, &mut wrong);
        }
    }
    tally.wrong = wrong.into_iter().map(|what| Wrong { number, what, text: text.clone() }).collect();
    tally
}

/// Kinds of stores, as runs show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Equal,
    Differs,
    OneEnds,
}

/// The kind of a store that two outcomes show.
fn kind(source: &Loaded, input: &lang_l::heap::Input, outcomes: &[Outcome; 2]) -> Option<Kind> {
    let [left, right] = outcomes;
    let known = |outcome: &Outcome| {
        matches!(
            outcome,
            Outcome::Normal(_) | Outcome::Error(_) | Outcome::Diverged(_) | Outcome::Excluded(Exclusion::Assume, _)
        )
    };
    if !known(left) || !known(right) {
        return None;
    }
    Some(match difference(&source.unit, input, left, right) {
        None => Kind::Equal,
        Some(Difference::Outcome) => Kind::Differs,
        Some(Difference::Termination | Difference::Blocked) => Kind::OneEnds,
    })
}

/// The store as text.
fn shown(source: &Loaded, procedure: ProcId, input: &lang_l::heap::Input) -> String {
    input_lines(&source.unit, source.unit.versions[0].procedure(procedure), input, 1_000).join(" ")
}

/// Holds the conditions of a pair against runs; how many stores told something.
fn hold(source: &Loaded, pair: &PairDiff, random: &mut Random, wrong: &mut Vec<String>) -> u64 {
    let unit = &source.unit;
    let (left, right) = pair.pair;
    if unit.procedure(0, left).body.is_none() || unit.procedure(1, right).body.is_none() {
        return 0;
    }
    let [equal, differs, one_ends] = [&pair.equal_when, &pair.differs_when, &pair.one_ends_when];
    let read = |text: &String| condition(source, pair, text).filter(|_| text != "false");
    let said = [(Kind::Equal, equal), (Kind::Differs, differs), (Kind::OneEnds, one_ends)]
        .map(|(kind, text)| (kind, text, read(text)));
    let mut stores = 0;
    each_store(unit, pair.pair, RUNS, random, &mut |input, externals| {
        let Some(seen) = kind(source, &input, &outcomes(unit, pair.pair, &input, externals)) else { return };
        stores += 1;
        let mut covered = false;
        for (kind, text, condition) in &said {
            let Some(condition) = condition else { continue };
            let holds = satisfies(unit, left, condition, &input);
            covered |= holds;
            let store = || format!("{}: on {}", pair.names[0], shown(source, left, &input));
            if holds && *kind != seen {
                wrong.push(format!("{} the two are {seen:?}, and {kind:?} is said when {text}", store()));
            }
            if !holds && pair.when.is_none() && !satisfies(unit, left, &negated(condition), &input) {
                wrong.push(format!("{} there is no value of {text}", store()));
            }
        }
        if !covered && pair.is_complete() && pair.when.is_none() {
            wrong.push(format!("{}: no condition holds on {}", pair.names[0], shown(source, left, &input)));
        }
    });
    wrong.truncate(SHOWN);
    stores
}

/// The most that is told of one program.
const SHOWN: usize = 3;

fn negated(condition: &Expr) -> Expr {
    let kind = ExprKind::Unary(UnOp::Not, Box::new(condition.clone()));
    Expr { kind, ty: Type::Bool, span: condition.span }
}

/// Looks for a store of a kind that a client that does not notice has none of.
fn unnoticed(source: &Loaded, pair: (ProcId, ProcId), none: &[Kind], random: &mut Random, wrong: &mut Vec<String>) {
    let unit = &source.unit;
    each_store(unit, pair, RUNS, random, &mut |input, externals| {
        let seen = kind(source, &input, &outcomes(unit, pair, &input, externals));
        if let Some(seen) = seen.filter(|seen| none.contains(seen)) {
            let store = shown(source, pair.0, &input);
            let name = &unit.procedure(0, pair.0).name;
            wrong.push(format!("{name}: the client is said not to notice, and the two are {seen:?} on {store}"));
        }
    });
    wrong.truncate(SHOWN);
}
