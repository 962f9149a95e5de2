//! More stores in which the two of a pair are equal, than one look at its paths has shown.
//!
//! In: what is known of a pair, and where it was or may be proved to be equal. Out: what is known then.
//!
//! Invariant: what is added was proved (rule *Equal kind*), and so was that all is known, where that is said.

use super::{PairDiff, Task, rest};
use crate::diff::kept;
use crate::diff::paths::Question;
use crate::diff::proof::{self, Known};
use crate::diff::required;
use crate::goal::PairProof;
use lang_l::Loaded;
use lang_l::hir::Expr;
use smt::solve::Solver;

/// What is known of a pair, with where recursion keeps it equal, if that is more than is known.
pub(in crate::diff) fn with_kept(
    own: PairDiff,
    (text, condition, proof): &kept::Kept,
    (question, known): (Question<'_>, Known<'_>),
    source: &Loaded,
    solver: &mut Solver,
) -> PairDiff {
    let more = |solver: &mut Solver| {
        let holds = proof::premises_hold(question, known, proof);
        holds.then(|| is_more(&own, (text, condition), (question, source), solver)).flatten()
    };
    let Some(complete) = solver.attempt(more).ok().flatten() else { return own };
    widened(own, (text, condition, Some(proof.clone())), complete)
}

/// Where all turns of a pair's loops or its recursion are alike, as text and as it is read, with the proof that it is equal there.
pub(super) type Alike = (String, Expr, Option<PairProof>);

/// The first of some conditions that says more than is known of a pair, and under which it is proved to be equal.
pub(super) fn alike(task: Task<'_>, own: &PairDiff, texts: &[String], solver: &mut Solver) -> Option<Alike> {
    let question = Question { program: task.program, pair: own.pair, claims: task.claims };
    let proved = |text: &String, solver: &mut Solver| {
        let condition = proof::read(task.source, own.pair, None, text)?;
        is_more(own, (text, &condition), (question, task.source), solver)?;
        let proof = proof::equal(question, task.known, Some(&condition), solver);
        let is_equal =
            proof.is_some() || required::equal(task.source, question.program, question.pair, &condition, solver);
        is_equal.then(|| (text.clone(), condition, proof))
    };
    solver.attempt(|solver| texts.iter().find_map(|text| proved(text, solver))).ok().flatten()
}

/// What is known of a pair, with where all turns are alike, unless that is less: of two conditions of which neither follows from the
/// other it is the one that a person would read.
pub(super) fn with_alike(task: Task<'_>, own: PairDiff, found: Option<Alike>, solver: &mut Solver) -> PairDiff {
    let question = Question { program: task.program, pair: own.pair, claims: task.claims };
    let Some((text, condition, proof)) = found else { return own };
    let complete = solver.attempt(|solver| {
        let before = proof::read(task.source, own.pair, None, &own.equal_when)?;
        let more = !proof::follows(question, [&condition, &before], solver);
        more.then(|| covers(&own, &text, (question, task.source), solver)).flatten()
    });
    match complete.ok().flatten() {
        Some(complete) => widened(own, (&text, &condition, proof), complete),
        None => own,
    }
}

/// Whether the two are equal in more stores if they are where this holds; then, whether all is known.
fn is_more(
    own: &PairDiff,
    (text, condition): (&str, &Expr),
    (question, source): (Question<'_>, &Loaded),
    solver: &mut Solver,
) -> Option<bool> {
    let read = |text: &str| proof::read(source, own.pair, None, text);
    let before = read(&own.equal_when)?;
    let is_more = proof::follows(question, [&before, condition], solver)
        && !proof::follows(question, [condition, &before], solver);
    is_more.then(|| covers(own, text, (question, source), solver)).flatten()
}

/// Whether all is known of a pair that is equal where this holds.
fn covers(
    own: &PairDiff,
    text: &str,
    (question, source): (Question<'_>, &Loaded),
    solver: &mut Solver,
) -> Option<bool> {
    let read = |text: &str| proof::read(source, own.pair, None, text);
    let all = format!("({text}) || ({}) || ({})", own.differs_when, own.one_ends_when);
    let (all, always) = (read(&all)?, read("true")?);
    Some(proof::follows(question, [&always, &all], solver))
}

/// What is known of a pair that is equal where this holds.
fn widened(own: PairDiff, (text, condition, proof): (&str, &Expr, Option<PairProof>), complete: bool) -> PairDiff {
    let texts = [text.to_string(), own.differs_when.clone(), own.one_ends_when.clone()];
    PairDiff {
        equal_when: text.to_string(),
        open_when: (!complete).then(|| rest(&texts)),
        proved: proof.map(|proof| Box::new((condition.clone(), proof))),
        ..own
    }
}
