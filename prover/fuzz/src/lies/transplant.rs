//! Lies that are true of something else: the evidence of a program whose versions do the same, offered for one whose versions differ.
//!
//! In: what engines find of the subject and of its like. Out: one in the place of the other.

use super::Lie;

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("claims of its like", |subject, story, _| {
        story.claims = subject.like.claims.clone();
        Some(())
    }),
    ("claims and effects of its like", |subject, story, _| {
        (story.claims, story.effects) = (subject.like.claims.clone(), subject.like.effects.clone());
        story.rankings = subject.like.rankings.clone();
        Some(())
    }),
    ("effects of its like", |subject, story, _| {
        (story.effects, story.rankings) = (subject.like.effects.clone(), subject.like.rankings.clone());
        Some(())
    }),
    ("parts of its like", |subject, story, _| {
        story.simulations = subject.like.simulations.clone();
        Some(())
    }),
    ("all of its like", |subject, story, _| {
        *story = subject.like.clone();
        Some(())
    }),
    ("all of its like but the parts", |subject, story, _| {
        *story = subject.like.clone();
        story.simulations = subject.own.simulations.clone();
        Some(())
    }),
    ("lowered as its like", |subject, story, _| {
        story.lowered = subject.like.lowered.clone();
        story.effects = subject.like.effects.clone();
        Some(())
    }),
];
