//! What is said of how two versions differ, and of who notices, held against runs.
//!
//! In: a seed and a number of pairs. Out: a [`Tally`], with each store that is not of the kind it is said to be of.
//!
//! Both versions are run on the stores of [`stores`](crate::stores), and the conditions of `ape diff` are evaluated there by the
//! interpreter. Where the two end alike no condition but that for equal stores may hold, and so on. Where they differ, what is said of
//! their outputs must be so (`told`). Of a client that is said not to notice no run may differ.
//!
//! Invariant: a run that was stopped, or breaks a contract, counts for nothing.

use super::outputs::Runs;
use super::told::Told;
use crate::case::Case;
use crate::oracle::{Difference, RunBudget, difference, each_store, outcomes, satisfies};
use lang_l::hir::{Expr, ExprKind, ProcId, Type, UnOp};
use lang_l::interp::{Exclusion, Outcome};
use lang_l::random::Random;
use lang_l::show::statements::input_lines;
use lang_l::{Loaded, load};
use prover::diff::client::{Asked, client};
use prover::diff::{Manner, PairDiff, condition, diff, readable};
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
    /// The relations and values that were held against a run.
    pub said: u64,
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
        self.said += other.said;
        self.wrong.extend(other.wrong);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Wrong { number, what, text } in &self.wrong {
            writeln!(f, "wrong in pair {number}: {what}\n{text}")?;
        }
        writeln!(f, "{} programs, {} stores of known kind", self.programs, self.stores)?;
        writeln!(f, "{} times a relation or a value was held against a run", self.said)?;
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
    let bound = readable(&source);
    for pair in &diff(&source, &within(), &Manner::default()).pairs {
        *if pair.is_complete() { &mut tally.complete } else { &mut tally.open } += 1;
        hold(&bound, pair, &mut random, &mut tally, &mut wrong);
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

/// Holds what is said of a pair against runs.
fn hold(source: &Loaded, pair: &PairDiff, random: &mut Random, tally: &mut Tally, wrong: &mut Vec<String>) {
    let unit = &source.unit;
    let (left, right) = pair.pair;
    if unit.procedure(0, left).body.is_none() || unit.procedure(1, right).body.is_none() {
        return;
    }
    let [equal, differs, one_ends] = [&pair.equal_when, &pair.differs_when, &pair.one_ends_when];
    let read = |text: &String| condition(source, pair, text).filter(|_| text != "false");
    let said = [(Kind::Equal, equal), (Kind::Differs, differs), (Kind::OneEnds, one_ends)]
        .map(|(kind, text)| (kind, text, read(text)));
    for (kind, text, _) in said.iter().filter(|(_, text, read)| *text != "false" && read.is_none()) {
        wrong.push(format!("{}: {kind:?} is said when {text}, which cannot be read", pair.names[0]));
    }
    let told = Told::read(source, pair, wrong);
    told.witnesses(source, pair, wrong);
    each_store(unit, pair.pair, RUNS, random, &mut |input, externals| {
        let outcomes = outcomes(unit, pair.pair, &input, externals);
        let Some(seen) = kind(source, &input, &outcomes) else { return };
        tally.stores += 1;
        let runs = Runs::new(unit, left, &input, &outcomes).filter(|_| seen == Kind::Differs);
        for what in told.hold((unit, left, &input), runs.as_ref(), &mut tally.said) {
            wrong.push(format!("{}: on {} {what}", pair.names[0], shown(source, left, &input)));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: &str = "class Node { next: Node; v: int; }
        version a procedure p(n: int, x: Node, a: int[]) returns (r: int) {
            r := n; x.v := n; x.next.v := 1; if (n > 2) { a[0] := n; }
        }
        version b procedure p(n: int, x: Node, a: int[]) returns (r: int) {
            r := n + 1; x.v := n; x.next := null; if (n > 2) { a[0] := 0 - n; }
        }";

    /// What is found to be wrong of what is said of [`PAIR`], changed.
    fn wrong(change: impl FnOnce(&mut PairDiff)) -> Vec<String> {
        let source = load([("pair.l", PAIR)]).expect("it is legal");
        let config = DifferenceConfig::new(1, 0, 1);
        let mut pair = diff(&source, &config.verify, &Manner::default()).pairs.remove(0);
        assert!(pair.is_complete() && pair.relation.is_some() && pair.rows.len() > 1, "{pair:?}");
        change(&mut pair);
        let (mut tally, mut wrong) = (Tally::default(), Vec::new());
        hold(&source, &pair, &mut Random::item(1, 2), &mut tally, &mut wrong);
        assert!(tally.said > 100, "{tally}");
        wrong
    }

    #[test]
    fn what_is_so_is_not_held_to_be_wrong() {
        assert_eq!(wrong(|_| {}), Vec::<String>::new());
        for relation in [
            "err || r' == r + 1 && (old(x.next) == x || x.v == x.v') && x.next' == null && x.next == old(x.next)",
            "(err || !err') && (err || old(x.next).v == 1)",
            "n <= 2 || err || !(a'[0] >= 0) && a[0] + a'[0] == 0",
            "ends && ends' && (err || old(a) == null || a.length >= 0)",
        ] {
            assert_eq!(wrong(|pair| pair.relation = Some(relation.into())), Vec::<String>::new(), "{relation}");
        }
    }

    #[test]
    fn a_relation_that_does_not_hold_is_wrong() {
        for relation in [
            "err || r' == r",
            "err || x.next.v == 1 && x.next'.v == 1",
            "err || old(x.v) == x.v",
            "r == n",
            "!err",
            "n <= 2 || err || a'[0] == a[0]",
            "err || old(x.next).v' == 1",
            "r = r'",
        ] {
            assert_ne!(wrong(|pair| pair.relation = Some(relation.into())), Vec::<String>::new(), "{relation}");
        }
    }

    #[test]
    fn a_row_that_does_not_hold_is_wrong() {
        let change: [fn(&mut PairDiff); 3] = [
            |pair| pair.rows.iter_mut().for_each(|row| row.when = "true".into()),
            |pair| {
                pair.rows
                    .iter_mut()
                    .for_each(|row| row.left.iter_mut().for_each(|one| one.value = Some("n + 7".into())))
            },
            |pair| pair.rows[0].witness = pair.rows[1].witness.clone(),
        ];
        for change in change {
            assert_ne!(wrong(change), Vec::<String>::new());
        }
    }
}
