//! The thread that verifies, while another one answers.
//!
//! In: parts of programs. Out: a [`Card`] for each pair, as soon as its part is done.
//!
//! Invariant: a part that was stopped on request gives no card; so what is shown never depends on what somebody typed meanwhile.

use super::card::Card;
use crate::commands::verify::pairs::Group;
use crate::machine::limits;
use crate::machine::threads::{STACK, threads};
use crate::solvers;
use lang_l::source::Sources;
use prover::report::Subject;
use prover::verify::{Config, verify};
use smt::solve::Shared;
use smt::stop::{Reason, Stop};
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// What is to be verified.
pub(super) struct Task {
    /// Parts, with the texts that their places refer to.
    pub(super) groups: VecDeque<(Arc<Sources>, Group)>,
    /// Ends it.
    pub(super) stop: Stop,
}

/// What the thread works under.
#[derive(Clone)]
pub(super) struct Bounds {
    /// Seconds for a part, and MB for a question.
    pub(super) limits: (u64, u64),
    pub(super) jobs: Option<NonZeroUsize>,
    /// Who answers questions.
    pub(super) backend: Shared,
}

/// Cards, by the keys of their pairs.
pub(super) type Cards = Vec<(String, Card)>;

/// Starts the thread. It hands over what it finds, and ends when nobody can give it tasks any more.
pub(super) fn start(bounds: Bounds, hand_over: impl Fn(Cards) -> bool + Send + 'static) -> io::Result<Sender<Task>> {
    let (send, tasks): (Sender<Task>, Receiver<Task>) = channel();
    let pool = threads(bounds.jobs)?;
    let work = move || {
        for task in tasks {
            for (sources, group) in task.groups {
                if task.stop.reason().is_some() {
                    break;
                }
                let cards = pool.install(|| cards(&bounds, &task.stop, &sources, &group));
                if !hand_over(cards) {
                    return;
                }
            }
        }
    };
    thread::Builder::new().name("verify".to_string()).stack_size(STACK).spawn(work)?;
    Ok(send)
}

/// The cards of a part. That we have a bug is no verdict.
fn cards(bounds: &Bounds, stop: &Stop, sources: &Sources, group: &Group) -> Cards {
    let found = catch_unwind(AssertUnwindSafe(|| found(bounds, stop, sources, group)));
    found.unwrap_or_else(|_| {
        let open = |key: &String| (key.clone(), Card::open("an internal error of `ape`; please report it"));
        group.wanted.iter().map(|pair| open(&pair.key)).collect()
    })
}

fn found(bounds: &Bounds, stop: &Stop, sources: &Sources, group: &Group) -> Cards {
    let usual = solvers::config(bounds.limits, 1, &bounds.backend);
    let names = group.wanted.iter().flat_map(|pair| [pair.asked.left.clone(), pair.asked.right.clone()]);
    let (seconds, megabytes) = bounds.limits;
    let stop_here = limits::stop_under(stop, Duration::from_secs(seconds), megabytes, 1);
    let config = Config { procedures: names.collect(), stop: stop_here, ..usual };
    let report = verify(&group.unit, &config);
    if report.stopped == Some(Reason::Interrupted) || stop.reason().is_some() {
        return Vec::new();
    }
    let subject = Subject { unit: &group.unit, sources, report: &report };
    let card = |pair: &crate::commands::verify::pairs::Pair| {
        let asked = &pair.asked;
        let is = |of: &&prover::PairReport| of.left == asked.left && of.right == asked.right && of.when == asked.when;
        let card = report.pairs.iter().find(is).map(|of| Card::of(subject, of));
        (pair.key.clone(), card.unwrap_or_else(|| Card::open("it was not compared")))
    };
    group.wanted.iter().map(card).collect()
}
