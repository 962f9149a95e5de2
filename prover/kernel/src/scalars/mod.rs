//! Scalars: the program as it was written, but that places of the store which only one variable leads to are variables themselves.
//!
//! In: a program. Out: a [`Scalarised`] one, in which the kernel then sees to all that is said of the first.
//!
//! Fifteen rules, each a box in `proofs/soundness.md`: *Scalars* of `objects` that nobody else sees, *In place* of the `helpers` that one
//! is handed to, and of those that only one version has (`expansion`), *Tail calls* (`tail_calls`) of those that recur, *Unfolding* (`unfolding`) of what mends its arguments, *Handed on* (`handed_on`) of objects that helpers see which call
//! themselves, *First node* (`first_node`) of lists whose first node a variable holds, *Destination* (`destination`) of recursion that
//! builds a structure, and *Leaving* of what a loop that does so stores behind it, *Promotion* (`promotion`) of fields that a loop looks at
//! through one variable alone, and of globals. Where what one version does is not replaced, neither is what the others do alike: they are
//! compared as they are written. *Sinking* (`sinking`) of objects to where they are needed, *Inversion* (`inversion`) of loops whose condition may err,
//! *Rotation* (`rotation`) of loops before which
//! stands what their turns end with, *Flattening* (`flattening`) of loops within loops, and *Fission* (`fission`) of loops that do several things at each turn.
//!
//! Invariant: procedures, and the variables that there were, keep their numbers; second forms of helpers come after all others. Spans are as they were, but for those of loops that
//! begin elsewhere; where a helper stands in place of calls, its statements have theirs in each of these places.

mod destination;
mod distribution;
mod expansion;
mod first_node;
mod fission;
mod flattening;
mod handed_on;
mod helpers;
mod in_place;
mod inversion;
mod locations;
mod nullness;
mod objects;
mod owners;
mod promotion;
mod returns;
mod rotation;
mod short_circuit;
mod sinking;
mod tail_calls;
mod turn;
mod unfolding;
mod variables;

use crate::effects::{looks_at_all_objects, quantifies_over_references};
use lang_l::hir::same::same_signature;
use lang_l::hir::{ProcId, Procedure, Unit, Version};

/// By the name of a second form, that of the procedure whose it is, and what the form is called in reports; `None` for any other name.
pub fn second_form(name: &str) -> Option<(&str, String)> {
    if let Some((helper, objects)) = handed_on::handed_apart(name) {
        return Some((helper, format!("{helper} with {objects} in parts")));
    }
    let (own, field) = destination::put_into(name)?;
    Some((own, format!("{own} with its result put into {field}")))
}

/// A program with variables in place of such places.
#[derive(Clone, Debug)]
pub struct Scalarised(Unit);

impl Scalarised {
    /// Replaces all of them.
    pub fn of(written: &Unit) -> Self {
        let mut unit = written.clone();
        unfolding::unfold(&mut unit);
        expansion::expand(&mut unit);
        first_node::replace(&mut unit);
        destination::replace(&mut unit);
        handed_on::replace(&mut unit);
        let expanded = unit.clone();
        for (own, version) in unit.versions.iter_mut().zip(&expanded.versions) {
            own.procedures.iter_mut().for_each(|procedure| objects::replace(procedure, (&expanded, version)));
        }
        sinking::sink(&mut unit);
        inversion::invert(&mut unit);
        rotation::rotate(&mut unit);
        flattening::flatten(&mut unit);
        fission::split(&mut unit);
        promotion::promote(&mut unit);
        if !faults::planted("kernel/scalars/quantified") {
            leave_quantified(&mut unit, written);
        }
        Scalarised(unit)
    }

    /// The program.
    pub fn unit(&self) -> &Unit {
        &self.0
    }
}

/// Whether a procedure of another version may be the same as one of this: it has its name, or one that nothing has here.
fn may_be(one: &Procedure, own: &Procedure, version: &Version) -> bool {
    same_signature(one, own) && (one.name == own.name || version.find(&one.name).is_none())
}

/// Gives the procedures back what was written that are active where a quantifier over references is looked at: it ranges over all that a
/// variable of theirs refers to, and over what can be reached from there.
fn leave_quantified(unit: &mut Unit, written: &Unit) {
    for (own, version) in unit.versions.iter_mut().zip(&written.versions) {
        if !version.procedures.iter().any(quantifies_over_references) {
            continue;
        }
        for ((id, own), written) in (0u32..).map(ProcId).zip(&mut own.procedures).zip(&version.procedures) {
            if looks_at_all_objects(version, id) {
                own.clone_from(written);
            }
        }
    }
}

#[cfg(test)]
mod owned_cells;
#[cfg(test)]
mod second_forms;
#[cfg(test)]
mod tests;
