//! What places are called in rows and relations.
//!
//! In: a place that a caller can see. Out: its name in either version.
//!
//! Invariant: decides nothing.

use super::super::outputs::Place;
use super::super::text;
use super::Look;

/// A place in the second version: `r'`, `a.f'`, `d'[i]`.
pub(super) fn primed(place: &str, prime: &str) -> String {
    match place.strip_suffix(']').and(place.rfind('[')) {
        Some(at) => format!("{}{prime}{}", &place[..at], &place[at..]),
        None => format!("{place}{prime}"),
    }
}

/// What a place is called.
pub(super) fn place(look: &Look<'_>, place: Place) -> Option<String> {
    let names = look.names();
    match place {
        Place::Result(at) => {
            let procedure = names.procedure;
            procedure.locals.get(procedure.params + at).map(|local| local.name.clone())
        }
        Place::Global(at) => names.unit.globals().get(at).map(|global| global.name.clone()),
        Place::Slot(selector, object, index) => {
            text::place(names, &look.arena, selector, (object, index)).map(|text| text.text)
        }
    }
}
