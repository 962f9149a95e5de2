//! Which references the loops of a version hand out to what follows them.
//!
//! In: the procedures that loops become. Out: for each loop the names of the references among its results, and how many it returns.
//!
//! A reference that one version's loop hands out needs a partner. Where the other version returns from within its loop, nothing that
//! follows reads one: there the variable of the same name is handed out all the same.

use lang_l::hir::{Local, Origin, Procedure};
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// By version and procedure of the source: its loops, in the order of the source.
pub(super) type HandedOut = Vec<HashMap<String, Vec<References>>>;

/// The references that a loop hands out.
pub(super) struct References {
    /// The names of the variables.
    named: BTreeSet<String>,
    /// How many more there are since it returns.
    returned: usize,
}

impl References {
    /// Those among the results of a loop's procedure, which is part of another.
    pub(super) fn of(made: &Procedure, around: &Procedure) -> References {
        let returns = matches!(made.origin, Origin::Loop { returns: true, .. });
        // Whether it returned, and what.
        let returned = if returns { 1 + around.results } else { 0 };
        let (named, returned) = made.locals[made.params..][..made.results].split_at(made.results - returned);
        let is_reference = |local: &&Local| local.ty.is_reference();
        References {
            named: named.iter().filter(is_reference).map(|local| local.name.clone()).collect(),
            returned: returned.iter().filter(is_reference).count(),
        }
    }

    fn count(&self) -> usize {
        self.named.len() + self.returned
    }
}

/// The names that the loop of this number, from 1, hands out in another version, if it hands out fewer itself.
pub(super) fn elsewhere(handed: &HandedOut, version: usize, name: &str, number: usize) -> BTreeSet<String> {
    let of = |version: usize| handed.get(version)?.get(name)?.get(number.checked_sub(1)?);
    let Some(own) = of(version) else { return BTreeSet::new() };
    let others = (0..handed.len()).filter_map(of).filter(|other| other.count() > own.count());
    others.flat_map(|other| &other.named).cloned().collect()
}
