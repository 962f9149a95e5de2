//! Lies about claims under conditions.
//!
//! In: a story. Out: others, in which a pair that differs is claimed under some condition, calls rest on such claims, or a condition is
//! another one.

use super::Lie;
use super::pick::leaves;
use kernel::pair::PairEvidence;
use kernel::relate::{ConditionalClaim, Level};
use lang_l::hir::{Expr, ExprKind, Type};
use lang_l::random::Random;
use lang_l::source::Span;

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("claimed under a condition", |subject, story, random| {
        let known = random.pick(&subject.known)?;
        let (level, evidence) = story.claims.get(&known.pair)?.clone();
        let number = story.conditional.len();
        let mut claim = (level, evidence);
        rest_on(&mut claim, number, random);
        let condition = if random.percent(60) { known.when.clone() } else { invented(random) };
        let own = ConditionalClaim { pair: known.pair, condition, level: Some(Level::Full) };
        story.conditional.push((own, Some(claim.1)));
        Some(())
    }),
    ("condition left out", |_, story, random| {
        let at = random.below(story.conditional.len());
        story.conditional.get_mut(at)?.0.condition.take().map(drop)
    }),
    ("condition of another claim", |_, story, random| {
        let (from, to) = (random.below(story.conditional.len()), random.below(story.conditional.len()));
        let condition = story.conditional.get(from)?.0.condition.clone();
        let told = &mut story.conditional.get_mut(to)?.0.condition;
        (*told != condition).then(|| *told = condition)
    }),
    ("call rests on another claim", |_, story, random| {
        let number = random.below(story.conditional.len() + 1);
        let at = random.below(story.conditional.len());
        let (own, evidence) = story.conditional.get_mut(at)?;
        let mut claim = (own.level?, evidence.clone()?);
        rest_on(&mut claim, number, random).then(|| *evidence = Some(claim.1))
    }),
];

/// Has calls rest on the claim under a condition of this number; whether any does now that did not.
fn rest_on(claim: &mut (Level, PairEvidence), number: usize, random: &mut Random) -> bool {
    let mut changed = false;
    for step in leaves(claim).into_iter().flat_map(|leaf| &mut leaf.calls) {
        if random.percent(70) {
            changed |= step.under != Some(number);
            step.under = Some(number);
        }
    }
    changed
}

/// Some condition: none, one that always holds, or one that never does.
fn invented(random: &mut Random) -> Option<Expr> {
    let value = random.percent(50);
    let said = Expr { kind: ExprKind::Bool(value), ty: Type::Bool, span: Span::default() };
    random.percent(60).then_some(said)
}
