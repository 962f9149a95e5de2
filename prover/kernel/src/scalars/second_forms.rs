//! For tests of rules that give procedures second forms: the first version becomes what stands in the second, or stays as it is.
//!
//! In: two versions. Out: whether the procedures of the first are as they should be.

use super::Scalarised;
use lang_l::hir::print::print;
use lang_l::hir::same::same_code;
use lang_l::hir::{ProcId, Unit};

const CLASSES: &str =
    "class T { v: int; l: T; r: T; } class C { f: int; n: int; g: C; } global kept: C; global tally: int;";

pub(super) fn loaded(first: &str, second: &str) -> Unit {
    let text = format!("{CLASSES} version 0 {first} version 1 {second}");
    lang_l::load([("pair.l", text.as_str())]).expect("a legal program").unit
}

/// What `p` of the first version becomes, and the second forms of its other procedures, stand in the second version.
#[track_caller]
pub(super) fn becomes(first: &str, second: &str) {
    let unit = loaded(first, second);
    let (replaced, expected) = (Scalarised::of(&unit), &unit.versions[1].procedures);
    let found = &replaced.unit().versions[0].procedures;
    let added = unit.versions[0].procedures.len();
    let own = [0].into_iter().chain(added..found.len());
    let own: Vec<usize> = own.collect();
    assert_eq!(own.len(), expected.len(), "{}", print(replaced.unit()));
    for (&at, expected) in own.iter().zip(expected) {
        let alike = |p: ProcId, q: ProcId| own.get(q.index()) == Some(&p.index());
        assert!(same_code(&found[at], expected, alike), "{}", print(replaced.unit()));
    }
}

/// Nothing is done to the first version.
#[track_caller]
pub(super) fn stays(procedures: &str) {
    let unit = loaded(procedures, "procedure p(t: T, n: int) returns (r: int) { }");
    let replaced = Scalarised::of(&unit);
    assert!(*replaced.unit() == unit, "{}", print(replaced.unit()));
}
