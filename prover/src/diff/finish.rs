//! What was found of a pair, as short as its own tests allow; and where nothing is known whether some store is seen from which one version
//! alone ends.
//!
//! In: conditions that were put together: where nothing is known, mostly that nothing holds of what is. Out: the same stores in shorter
//! texts, `n > 8` for `n > 2 && (n <= 2 || n > 8)`; and a store that was run.
//!
//! Invariant: the shorter text was read back, and holds in the same stores. Where callers may rest on it, it is proved anew.

use super::ask::{Asker, Memory};
use super::kinds::{self, integers_of, rows};
use super::opposite;
use super::paths::Question;
use super::proof;
use super::regions::Regions;
use super::text::Names;
use super::{PairDiff, Task};
use crate::goal::assumptions;
use crate::verdict::comparison::Comparison;
use smt::solve::Solver;
use smt::term::Term;

/// The same, in shorter texts.
pub(super) fn shortened(task: Task<'_>, comparison: &Comparison<'_>, own: PairDiff, solver: &mut Solver) -> PairDiff {
    let mut short = |text: String| shortened_text(task, comparison, text, solver);
    let plain = |text: &String| opposite::plain(task.source, comparison.pair, text.clone());
    let open_when = own.open_when.as_ref().map(plain).map(&mut short);
    let [equal_when, differs_when, one_ends_when] = [&own.equal_when, &own.differs_when, &own.one_ends_when]
        .map(|text| if is_mixed(text) { short(text.clone()) } else { text.clone() });
    let own = PairDiff { open_when, differs_when, one_ends_when, ..own };
    if equal_when == own.equal_when {
        return own;
    }
    let question = Question { program: task.program, pair: comparison.pair, claims: task.claims };
    let condition = proof::read(task.source, comparison.pair, comparison.when, &equal_when);
    let proved = condition.and_then(|condition| {
        let proved = solver.attempt(|solver| proof::equal(question, task.known, Some(&condition), solver));
        Some(Box::new((condition, proved.ok().flatten()?)))
    });
    match (&own.proved, proved) {
        (None, _) => PairDiff { equal_when, ..own },
        (Some(_), Some(proved)) => PairDiff { equal_when, proved: Some(proved), ..own },
        (Some(_), None) => own,
    }
}

/// What two looks at one pair have found together. That some of it was proved of the same stores in other words is as good.
pub(super) fn joined(
    task: Task<'_>,
    comparison: &Comparison<'_>,
    [one, other]: [PairDiff; 2],
    solver: &mut Solver,
) -> PairDiff {
    let equal_when = shortened_text(task, comparison, either(&one.equal_when, &other.equal_when), solver);
    let other = PairDiff { equal_when, proved: None, ..other };
    let both = solver.attempt(|solver| kinds::together(task, one.clone(), other, solver)).unwrap_or(one);
    shortened(task, comparison, both, solver)
}

/// That one of two conditions holds.
pub(super) fn either(one: &str, other: &str) -> String {
    let plain = |text: &str| !["&&", "==>", "?", "forall", "exists"].iter().any(|sign| text.contains(sign));
    let within = |text: &str| if plain(text) { text.to_string() } else { format!("({text})") };
    match (one, other) {
        ("false", text) | (text, "false") => text.to_string(),
        _ => format!("{} || {}", within(one), within(other)),
    }
}

/// Whether a condition has alternatives and parts, so that some may say the same.
fn is_mixed(text: &str) -> bool {
    text.contains(" && ") && text.contains(" || ")
}

/// A shorter text, if there is one.
fn shortened_text(task: Task<'_>, comparison: &Comparison<'_>, text: String, solver: &mut Solver) -> String {
    let shorter = solver.attempt(|solver| shorter(task, comparison, &text, solver)).ok().flatten();
    shorter.filter(|short| short.len() < text.len()).unwrap_or(text)
}

fn shorter(task: Task<'_>, comparison: &Comparison<'_>, text: &str, solver: &mut Solver) -> Option<String> {
    let Comparison { pair, when } = *comparison;
    let question = Question { program: task.program, pair, claims: task.claims };
    let mut arena = task.program.unit.arena();
    let assumed = assumptions(task.program, pair, when, &mut arena);
    let read = |text: &str| proof::read(task.source, pair, None, text);
    let whole = proof::term(question, &read(text)?, &assumed, &mut arena, solver)?;
    let unit = &task.source.unit;
    let numbers = integers_of(unit);
    let procedure = unit.versions[0].procedure(pair.0);
    let names = Names { unit: task.program.unit, procedure, numbers: &numbers, beside_final: false };
    let mut memory = Memory::default();
    let mut asker = Asker::new(&mut arena, solver, &assumed, &mut memory);
    let short = Regions::of_one(asker.arena, whole).write(names, &mut asker, &[whole])?.holds.text;
    let again = proof::term(question, &read(&short)?, &assumed, &mut arena, solver)?;
    let mut asker = Asker::new(&mut arena, solver, &assumed, &mut memory);
    let mut follows = |from: Term, goal: Term| asker.follows(&[from], goal);
    (follows(whole, again) && follows(again, whole)).then_some(short)
}

/// The same with a store from which one alone ends, where no store is known that is not equal, and some are open.
pub(super) fn with_endless(
    task: Task<'_>,
    comparison: &Comparison<'_>,
    own: PairDiff,
    solver: &mut Solver,
) -> PairDiff {
    let pair = comparison.pair;
    let looked = own.executed || solver.stopped().is_some() && task.may_run(pair);
    let Some(open) = own.open_when.as_ref().filter(|_| looked && !own.differs() && !task.manner.partial) else {
        return own;
    };
    let Some(condition) = proof::read(task.source, pair, comparison.when, open) else { return own };
    // What takes no questions is done whether or not there is time left for any.
    let soon = rows::soon_endless(task, pair, &condition);
    let found =
        soon.or_else(|| solver.attempt(|solver| rows::proved_endless(task, pair, &condition, solver)).ok().flatten());
    PairDiff { one_ends_witness: found.map(Box::new), ..own }
}
