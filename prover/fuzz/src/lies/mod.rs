//! Liars: evidence that is wrong, about pairs that are known to differ, offered to the kernel.
//!
//! In: a seed and a number of lies. Out: a [`Tally`]: how many lies of each kind were offered, what refused them, and those that
//! were believed.
//!
//! 1. [`subject`] makes pairs that were run and differ, with what engines find of them and of their like.
//! 2. A *story* is all that is found of a subject, with the claims about its like for the pairs that differ. A lie is a story
//!    with something in it changed: `transplant`, `evidence`, `relations`, `summaries`, `conditions`, `alone`, `parts`, `guess`.
//! 3. The kernel is told each story. None may be proved about what differs, and none may make the kernel panic. Nor may it
//!    believe of a single procedure what a run denies (`deeds`).
//!
//! Invariant: deterministic; a story that says what the engines found is no lie, and is not counted.

mod alone;
mod conditions;
mod deeds;
mod evidence;
mod guess;
mod parts;
mod pick;
mod pieces;
mod relations;
pub mod subject;
mod summaries;
mod sweeps;
mod tally;
mod transplant;
mod twins;

use lang_l::random::Random;
use prover::findings::Findings;
use prover::search::concrete::SearchBudget;
use prover::verify::Config;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use smt::solve::{Caching, QueryBudget, Shared};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use subject::{Stage, Subject, tell};
pub use tally::{Believed, Row, Tally};

/// Changes a story about a subject; `None` when there is nothing of the sort to change, and the story may be spoilt.
type Lie = fn(&Subject, &mut Findings, &mut Random) -> Option<()>;

/// What wrong evidence asks is seldom hard to refuse; what takes more is refused for that.
const EFFORT: QueryBudget = QueryBudget { rlimit: 300_000, clock: Duration::from_secs(5) };
/// How many lies are told about one subject.
const PER_SUBJECT: u64 = 40;
/// How often another kind is tried when one finds no place.
const TRIES: usize = 30;
/// How many subjects are looked at before any of them is told of.
const TOGETHER: u64 = 32;

/// What is asked of the liars.
#[derive(Clone, Debug)]
pub struct LieConfig {
    /// The seed of everything.
    pub seed: u64,
    /// How many lies.
    pub lies: u64,
    /// How hard the engines and the kernel try.
    pub verify: Config,
}

impl LieConfig {
    /// So many lies of this seed.
    pub fn new(seed: u64, lies: u64) -> Self {
        let search = Some(SearchBudget::QUICK);
        let verify = Config { search, budget: EFFORT, ..Config::default() };
        // Lies about one pair ask nearly the same.
        let backend = Shared::new(Caching::new(verify.backend.clone()));
        LieConfig { seed, lies, verify: Config { backend, ..verify } }
    }
}

/// A story that was told.
struct Told {
    kinds: Vec<&'static str>,
    heard: Heard,
}

/// What came of a story.
enum Heard {
    /// The kernel came so far with it, and said why no further.
    Came(Stage, String),
    /// It takes more than it may use.
    GivenUp,
    /// The kernel panicked.
    Panic(String),
}

/// The names of all kinds, in the order of the table.
pub fn kinds() -> Vec<&'static str> {
    all().map(|(name, _)| *name).collect()
}

fn all() -> impl Iterator<Item = &'static (&'static str, Lie)> {
    let of_pairs = [transplant::KINDS, evidence::KINDS, relations::KINDS, summaries::KINDS, sweeps::KINDS];
    of_pairs.into_iter().chain([conditions::KINDS, alone::KINDS, parts::KINDS, guess::KINDS]).flatten()
}

/// Tells lies about pairs that are made up, on the threads of `pool`; `watch` is told of those that are believed.
pub fn lie(config: &LieConfig, pool: &ThreadPool, watch: &mut dyn FnMut(&Believed)) -> Tally {
    let mut tally = Tally::default();
    let mut first = 0;
    while tally.offered() < config.lies {
        let numbers: Vec<u64> = (first..first + TOGETHER).collect();
        first += TOGETHER;
        let about = |&number: &u64| {
            let subject = Subject::made(config.seed, number, &config.verify)?;
            let told = lies_about(&subject, number, PER_SUBJECT, config);
            Some((subject, told))
        };
        let heard: Vec<_> = pool.install(|| numbers.par_iter().map(about).collect());
        for (subject, told) in heard.into_iter().flatten() {
            tally.subjects += 1;
            told.into_iter().for_each(|told| tally.count(&subject, told, watch));
        }
    }
    tally
}

/// Tells lies about one subject.
pub fn lie_about(subject: &Subject, lies: u64, config: &LieConfig) -> Tally {
    let mut tally = Tally { subjects: 1, ..Tally::default() };
    let told = lies_about(subject, 0, lies, config);
    told.into_iter().for_each(|told| tally.count(subject, told, &mut |_| {}));
    tally
}

fn lies_about(subject: &Subject, number: u64, lies: u64, config: &LieConfig) -> Vec<Told> {
    let mut solver = config.verify.solver();
    let base = subject.base();
    let mut told = Vec::new();
    for lie in 0..lies {
        let random = &mut Random::item(config.seed, number.wrapping_mul(1 << 20) + lie);
        let Some((kinds, story)) = changed(subject, &base, random) else { continue };
        let tried = catch_unwind(AssertUnwindSafe(|| {
            solver.attempt(|solver| solver.aside(|solver| tell(subject, &story, solver)).0)
        }));
        let heard = match tried {
            Ok(Ok((stage, why))) => Heard::Came(stage, why),
            Ok(Err(_)) => Heard::GivenUp,
            Err(panic) => {
                solver = config.verify.solver();
                let text = panic.downcast_ref::<String>().cloned();
                Heard::Panic(text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default())
            }
        };
        told.push(Told { kinds, heard });
    }
    told
}

/// A story that is not what the engines found, and the kinds of its lies.
fn changed(subject: &Subject, base: &Findings, random: &mut Random) -> Option<(Vec<&'static str>, Findings)> {
    let all: Vec<&(&'static str, Lie)> = all().collect();
    let wanted = if random.percent(70) { 1 } else { 2 + random.below(3) };
    let mut kinds = Vec::new();
    // What is said of parts matters where the pair stands that they make up.
    let base = if random.percent(25) { &subject.like } else { base };
    let mut story = base.clone();
    for _ in 0..TRIES {
        let (name, lie) = *random.pick(&all)?;
        let mut other = story.clone();
        if lie(subject, &mut other, random).is_some() && other != story {
            story = other;
            kinds.push(*name);
        }
        if kinds.len() == wanted && story != subject.own {
            return Some((kinds, story));
        }
        if kinds.len() == wanted {
            kinds.clear();
            story = base.clone();
        }
    }
    None
}
