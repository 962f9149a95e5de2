//! Trace divergence: where two runs of the same store leave each other.
//!
//! In: what each run did, step by step. Out: the place in each version where it takes its own way.
//!
//! Steps are not compared by their number: one version may test what the other tests in another form, or in another order, and
//! leave early where the other nests. The runs are compared by their *effects*, the statements that do more than to direct
//! control. Between the last effect that both have and the first that one lacks, each run has learnt facts from its tests
//! ([`super::facts`]). The decision is a test whose fact the other run contradicts. Failing that, it is one whose fact the
//! other run never learns: of the run that lacks the effect the last, of the other run the first. Where both learnt the same and
//! still do different things, each of which the other version does elsewhere, branches are exchanged: the test decides that leads
//! there.
//!
//! Invariant: a mark is of a step that was taken.

use super::facts::{Fact, facts};
use super::{Mark, Role, written};
use crate::search::witness::RunPair;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Expr, StmtKind, Unit};
use lang_l::source::{Sources, Span};
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// Where two runs leave each other.
pub(super) struct Divergence {
    /// Where each run takes a way that the other does not; nowhere in a run without any step.
    pub(super) turns: [Option<Mark>; 2],
    /// Whether a test leads each run to a statement that the other version has as well, or to none: what differs is the way that
    /// control takes, and no statement.
    pub(super) of_control: bool,
}

/// A statement that was executed, or a test of an `if` or `while` with its result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Its place.
    pub(super) span: Span,
    /// The result of a test.
    pub(super) holds: Option<bool>,
    /// Whether it changes nothing: it directs control, as `break` does, or checks something.
    pub(super) directs: bool,
}

/// What a run learnt between two effects, and the effect that follows, if one does.
#[derive(Default)]
struct Segment {
    facts: Vec<(Fact, Step)>,
    effect: Option<(String, Step)>,
}

/// Follows two runs, given step by step, up to where they do different things.
pub(super) fn divergence(pair: &RunPair<'_>, sources: &Sources, steps: [&[Step]; 2]) -> Divergence {
    let codes = [0, 1].map(|version| Code::new(pair.unit, version, sources));
    let runs = [0, 1].map(|version| segments(&codes[version], sources, steps[version]));
    let effect = |run: &[Segment], at: usize| run.get(at)?.effect.as_ref().map(|(text, _)| text.clone());
    let same = |&at: &usize| {
        let effects = [effect(&runs[0], at), effect(&runs[1], at)];
        effects[0].is_some() && effects[0] == effects[1]
    };
    let common = (0..).take_while(same).count();
    let known = |own: usize| {
        let next = effect(&runs[own], common);
        next.is_none_or(|text| codes[1 - own].statements.iter().any(|(_, other)| *other == text))
    };
    let both_known = known(0) && known(1);
    let decisions = [0, 1].map(|own| {
        let found = decision(&runs[own], &runs[1 - own], common);
        let missing = effect(&runs[1 - own], common);
        let leads = || codes[own].leads_here(steps[own], runs[own].get(common)?, missing.as_deref());
        found.or_else(|| leads().filter(|_| both_known))
    });
    let of_control = both_known && decisions.iter().all(Option::is_some);
    let tests = decisions.map(|step| step.map(|step| (written(sources, step.span), step.holds)));
    let other_result = match tests {
        [Some((one, holds)), Some((other, held))] => one == other && holds != held,
        _ => false,
    };
    let turns = [0, 1].map(|own| {
        if let Some(step) = decisions[own] {
            let role = step.holds.filter(|_| other_result).map_or(Role::Turns, Role::Tests);
            return Some(Mark { span: step.span, role });
        }
        match runs[own].get(common).and_then(|segment| segment.effect.as_ref()) {
            Some((_, step)) => Some(Mark { span: step.span, role: Role::Turns }),
            None => steps[own].last().map(|step| Mark { span: step.span, role: Role::Ends }),
        }
    });
    Divergence { turns, of_control }
}

/// The test that takes a run to another effect than the other run has behind the first `common` ones, or to none.
fn decision(own: &[Segment], other: &[Segment], common: usize) -> Option<Step> {
    let (segment, theirs) = (own.get(common)?, other.get(common)?);
    let known: BTreeSet<&Fact> = theirs.facts.iter().map(|(fact, _)| fact).collect();
    let contradicted = |(fact, _): &&(Fact, Step)| fact.opposite().is_some_and(|opposite| known.contains(&opposite));
    if let Some((_, step)) = segment.facts.iter().find(contradicted) {
        return Some(*step);
    }
    let learnt: BTreeSet<&Fact> =
        other.iter().skip(common).flat_map(|later| &later.facts).map(|(fact, _)| fact).collect();
    let mut alone = segment.facts.iter().filter(|(fact, _)| !learnt.contains(fact)).map(|(_, step)| *step);
    let lacks = segment.effect.is_none();
    if lacks { alone.next_back() } else { alone.next() }
}

/// What the procedures of a version consist of.
struct Code<'u> {
    /// The conditions of all `if`s and `while`s, by their places, each with the place of its statement.
    conditions: HashMap<Span, (&'u Expr, Span)>,
    /// All other statements.
    statements: Vec<(Span, String)>,
    /// Those of them that leave a loop or a procedure.
    leaving: Vec<Span>,
}

impl<'u> Code<'u> {
    fn new(unit: &'u Unit, version: usize, sources: &Sources) -> Self {
        let mut code = Code { conditions: HashMap::default(), statements: Vec::new(), leaving: Vec::new() };
        for body in unit.versions[version].procedures.iter().filter_map(|procedure| procedure.body.as_ref()) {
            walk_stmts(body, &mut |stmt| match &stmt.kind {
                StmtKind::If(condition, ..) | StmtKind::While { cond: condition, .. } => {
                    code.conditions.insert(condition.span, (condition, stmt.span));
                }
                kind => {
                    code.statements.push((stmt.span, written(sources, stmt.span)));
                    if matches!(kind, StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue) {
                        code.leaving.push(stmt.span);
                    }
                }
            });
        }
        code
    }

    /// The last test before an effect, if the effect is under it, or a statement that leaves is; or before the end of a run that lacks an
    /// effect of the other one, if the run leaves there or a statement like that is under it.
    fn leads_here(&self, steps: &[Step], segment: &Segment, missing: Option<&str>) -> Option<Step> {
        let (_, test) = segment.facts.last()?;
        let (_, whole) = self.conditions.get(&test.span)?;
        let under = |place: Span| place.file == whole.file && whole.start <= place.start && place.end <= whole.end;
        let leads = match &segment.effect {
            Some((_, effect)) => under(effect.span) || self.leaving.iter().any(|place| under(*place)),
            None => {
                let leaves = steps.last().is_some_and(|last| last.directs && under(last.span));
                leaves || self.statements.iter().any(|(place, text)| Some(text.as_str()) == missing && under(*place))
            }
        };
        leads.then_some(*test)
    }
}

/// A run, cut at its effects. The last segment has none.
fn segments(code: &Code<'_>, sources: &Sources, steps: &[Step]) -> Vec<Segment> {
    let mut run = vec![Segment::default()];
    for &step in steps.iter().filter(|step| !step.directs) {
        let Some(segment) = run.last_mut() else { break };
        match step.holds {
            None => {
                segment.effect = Some((written(sources, step.span), step));
                run.push(Segment::default());
            }
            Some(holds) => {
                let told = match code.conditions.get(&step.span) {
                    Some((condition, _)) => facts(sources, condition, holds),
                    None => vec![Fact::opaque(written(sources, step.span), holds)],
                };
                segment.facts.extend(told.into_iter().map(|fact| (fact, step)));
            }
        }
    }
    run
}
