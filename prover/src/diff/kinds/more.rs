//! More stores in which the two of a pair are equal, than one look at its paths has shown.
//!
//! In: what is known of a pair, and where it was or may be proved to be equal. Out: what is known then.
//!
//! Invariant: what is added was proved (rule *Equal kind*), and so was that all is known, where that is said.

use super::rows::Row;
use super::{PairDiff, Task, rest};
use crate::diff::kept;
use crate::diff::paths::Question;
use crate::diff::proof::{self, Known};
use crate::diff::twin;
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
        let is_equal = proof.is_some() || twin::equal(&task.source.unit, question.pair, &condition, solver);
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

/// What is known of a pair that is also equal where this holds, if that is more than is known.
pub(super) fn with_equal(
    own: PairDiff,
    (text, condition, proof): (&str, &Expr, Option<PairProof>),
    (question, source): (Question<'_>, &Loaded),
    solver: &mut Solver,
) -> PairDiff {
    match is_more(&own, (text, condition), (question, source), solver) {
        Some(complete) => widened(own, (text, condition, proof), complete),
        None => own,
    }
}

/// What is known of a pair that also differs where this holds, as a row says; `None` if that is not more than is known. `is_rest` says
/// that it is all that is left: where the two are neither equal nor one of them alone ends.
pub(super) fn with_differing(
    own: &PairDiff,
    (text, row, is_rest): (String, Row, bool),
    (question, source): (Question<'_>, &Loaded),
    solver: &mut Solver,
) -> Option<PairDiff> {
    let read = |text: &str| proof::read(source, own.pair, None, text);
    let mut is_more = || {
        let sides = read(&own.differs_when).zip(read(&text));
        sides.is_some_and(|(before, now)| proof::follows(question, [&before, &now], solver))
    };
    if !is_rest && !is_more() {
        return None;
    }
    let relation = Some(row.relation());
    let mut rows = vec![row];
    let open = own.rows.iter().filter(|other| !other.is_settled()).cloned();
    let own = PairDiff { rows: Vec::new(), rows_whole: true, differs_when: text, ..own.clone() };
    if is_rest || covers(&own, &own.equal_when, (question, source), solver) == Some(true) {
        return Some(PairDiff { open_when: None, relation, rows, ..own });
    }
    // What was told of all stores that differ still holds.
    let texts = [own.equal_when.clone(), own.differs_when.clone(), own.one_ends_when.clone()];
    rows.extend(open);
    Some(PairDiff { open_when: Some(rest(&texts)), rows, ..own })
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
    // Where no store differs nothing is said of how.
    let none_differs = complete && own.differs_when == "false";
    PairDiff {
        equal_when: text.to_string(),
        open_when: (!complete).then(|| rest(&texts)),
        proved: proof.map(|proof| Box::new((condition.clone(), proof))),
        relation: own.relation.filter(|_| !none_differs),
        rows: own.rows.into_iter().filter(|row| !complete || row.is_settled()).collect(),
        ..own
    }
}
