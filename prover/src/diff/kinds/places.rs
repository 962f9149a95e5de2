//! What places are called in rows and relations.
//!
//! In: a place that a caller can see. Out: its name in either version.
//!
//! Invariant: decides nothing.

use super::super::outputs::Place;
use super::super::text::{self, Names};
use super::Look;
use smt::term::{Func, Node, Term};

/// What a place is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// In words of the store on entry, as rows have it.
    pub(super) on_entry: String,
    /// In words of the final stores, as relations have it: `old(l.head).next`, where a version writes `l.head`.
    beside_final: String,
    /// Whether it is no place, but that a version ends in error.
    pub(super) is_error: bool,
}

impl Name {
    /// That a version ends in error.
    pub(super) fn error() -> Self {
        Name { on_entry: "err".into(), beside_final: "err".into(), is_error: true }
    }

    /// The place in a relation, in the first version.
    pub(super) fn first(&self) -> &str {
        &self.beside_final
    }

    /// The place in a relation, in the second version: `r'`, `a.f'`, `d'[i]`.
    pub(super) fn second(&self) -> String {
        let place = &self.beside_final;
        let (array, index) = place.split_at(opening(place).unwrap_or(place.len()));
        format!("{array}'{index}")
    }
}

/// Whether a name means a place in a relation: others say how a version ends, or are of what the second version leaves, or that is what
/// a parameter is called.
fn is_free(names: Names<'_>, name: &str) -> bool {
    let primed = format!("{name}'");
    let parameters = &names.procedure.locals[..names.procedure.params];
    let is_second = parameters.iter().any(|parameter| parameter.name == primed);
    !is_ending(name) && !name.ends_with('\'') && !is_second
}

/// Whether a word says in a relation how a version ends.
pub(in crate::diff) fn is_ending(name: &str) -> bool {
    ["err", "ends"].contains(&name)
}

/// Where the bracket is that the last one closes, if a text ends with one.
fn opening(text: &str) -> Option<usize> {
    let mut open = 0;
    text.ends_with(']').then_some(())?;
    text.char_indices().rev().find_map(|(at, character)| {
        open += i32::from(character == ']') - i32::from(character == '[');
        (open == 0).then_some(at)
    })
}

/// What a place is called.
pub(super) fn name(look: &mut Look<'_>, place: Place) -> Option<Name> {
    let on_entry = text_of(look, look.names(), place)?;
    let beside_final = match place {
        Place::Slot(_, object, index) if !std::iter::once(object).chain(index).all(|part| is_kept(look, part)) => {
            text_of(look, Names { beside_final: true, ..look.names() }, place)?
        }
        _ => on_entry.clone(),
    };
    Some(Name { on_entry, beside_final, is_error: false })
}

/// Whether all that a value on entry is read from is the same at the end, whichever way the versions go.
fn is_kept(look: &mut Look<'_>, value: Term) -> bool {
    let node = look.arena.terms.node(value).clone();
    let (arena, mut outcomes) = (&mut look.arena, look.meetings.outcomes.iter().flatten());
    let is_own = match node {
        Node::App(Func::Global(at), _) => outcomes.all(|outcome| outcome.globals.get(at as usize) == Some(&value)),
        Node::App(Func::Initial(selector), ref args) => outcomes.all(|outcome| {
            let index = args.get(1).copied();
            arena.heaps.read(&mut arena.terms, outcome.heap, selector, args[0], index) == value
        }),
        _ => true,
    };
    is_own && node.children().into_iter().all(|child| is_kept(look, child))
}

fn text_of(look: &Look<'_>, names: Names<'_>, place: Place) -> Option<String> {
    match place {
        Place::Result(at) => {
            let procedure = names.procedure;
            let name = procedure.locals.get(procedure.params + at).map(|local| local.name.clone());
            name.filter(|name| is_free(names, name))
        }
        Place::Global(at) => {
            let procedure = names.procedure;
            let mut seen = procedure.locals.iter().take(procedure.params + procedure.results);
            let name = names.unit.globals().get(at).map(|global| global.name.clone())?;
            (is_free(names, &name) && !seen.any(|local| local.name == name)).then_some(name)
        }
        Place::Slot(selector, object, index) => {
            text::place(names, &look.arena, selector, (object, index)).map(|text| text.text)
        }
    }
}
