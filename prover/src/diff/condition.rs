//! A condition as text that has a value in every store.
//!
//! In: cubes. Out: the text of "one of them holds", or of "none of them does".
//!
//! Invariant: every test stands behind what it needs to have a value, unless that follows from what stands before it.

use super::ask::Asker;
use super::cubes::Cube;
use super::text::{self, Binding, Names, Text};
use smt::term::Term;

/// Cubes with the guards of their tests, in the order in which they are evaluated.
#[derive(Clone, Debug, Default)]
pub(super) struct Guarded {
    cubes: Vec<Cube>,
}

impl Guarded {
    /// Puts guards before tests, and cubes that need none before others.
    pub(super) fn of(asker: &mut Asker<'_>, cubes: &[Cube]) -> Self {
        let mut order: Vec<Cube> = cubes.to_vec();
        order.sort_by_key(|cube| {
            let needed: usize = cube.iter().map(|&literal| text::guards(asker.arena, literal).len()).sum();
            (needed, cube.len())
        });
        let mut before: Vec<Term> = Vec::new();
        let mut guarded = Vec::new();
        for cube in order {
            let cube = in_order(asker, &before, &cube);
            let all = asker.arena.terms.and(&cube);
            before.push(asker.arena.terms.not(all));
            guarded.push(cube);
        }
        Guarded { cubes: guarded }
    }

    /// How many tests there are.
    pub(super) fn atoms(&self) -> usize {
        self.cubes.iter().map(Vec::len).sum()
    }

    /// That one of the cubes holds.
    pub(super) fn some(&self, names: Names<'_>, asker: &mut Asker<'_>) -> Option<Text> {
        let cases: Option<Vec<Text>> = self
            .cubes
            .iter()
            .map(|cube| {
                let parts: Option<Vec<Text>> = cube.iter().map(|&l| text::text(names, asker.arena, l)).collect();
                Some(joined(&parts?, Binding::And))
            })
            .collect();
        Some(joined(&cases?, Binding::Or))
    }

    /// That none of the cubes holds.
    pub(super) fn none(&self, names: Names<'_>, asker: &mut Asker<'_>) -> Option<Text> {
        let cases: Option<Vec<Text>> = self
            .cubes
            .iter()
            .map(|cube| {
                let parts: Option<Vec<Text>> = cube
                    .iter()
                    .map(|&literal| {
                        let negated = asker.arena.terms.not(literal);
                        text::text(names, asker.arena, negated)
                    })
                    .collect();
                Some(joined(&parts?, Binding::Or))
            })
            .collect();
        Some(joined(&cases?, Binding::And))
    }
}

/// A conjunction or disjunction of texts.
pub(super) fn joined(parts: &[Text], binding: Binding) -> Text {
    let (sign, nothing) = if binding == Binding::And { (" && ", "true") } else { (" || ", "false") };
    match parts {
        [] => Text::new(nothing, Binding::Tightest),
        [one] => one.clone(),
        _ => {
            let texts: Vec<String> = parts.iter().map(|part| part.within(binding)).collect();
            Text::new(texts.join(sign), binding)
        }
    }
}

/// The tests of a cube, those that need nothing first, each behind its guards.
pub(super) fn in_order(asker: &mut Asker<'_>, before: &[Term], cube: &[Term]) -> Cube {
    let mut order: Vec<(usize, Term)> =
        cube.iter().map(|&literal| (text::guards(asker.arena, literal).len(), literal)).collect();
    order.sort_by_key(|(needed, _)| *needed);
    let mut placed: Cube = Vec::new();
    for (_, literal) in order {
        for guard in text::guards(asker.arena, literal) {
            let known: Vec<Term> = before.iter().chain(&placed).copied().collect();
            if !asker.clearly_follows(&known, guard) {
                placed.push(guard);
            }
        }
        if !placed.contains(&literal) {
            placed.push(literal);
        }
    }
    placed
}
