//! The pairs of procedures of a program, and what their verdicts depend on.
//!
//! In: a checked program in two versions. Out: its pairs, each with a key, and the parts of the program that have to be verified
//! where some keys are new.
//!
//! Invariant: two pairs with one key are the same code, with the same callees, under the same types: so a verdict on one is a
//! verdict on the other. Where they stand in a text is not part of it.

use lang_l::hir::print::{procedure_text, type_text};
use lang_l::hir::{ExprKind, Field, Place, ProcId, Procedure, StmtKind, Unit, Version, visit};
use lang_l::source::Sources;
use prover::verify::boundaries::part::restricted;
use prover::verify::{Asked, asked};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Procedures, each with its version.
type Run = BTreeSet<(usize, ProcId)>;

/// A pair.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Pair {
    /// The procedures, and the condition under which they are compared.
    pub(in crate::commands) asked: Asked,
    /// What its verdict depends on.
    pub(in crate::commands) key: String,
    /// What the two may run; what both versions share is in it for both.
    run: Run,
}

/// A part of a program that is to be verified by itself.
pub(in crate::commands) struct Group {
    /// The part.
    pub(in crate::commands) unit: Unit,
    /// The pairs of it that somebody waits for.
    pub(in crate::commands) wanted: Vec<Pair>,
}

/// The pairs of a program in two versions, in the order of a report; of any other there are none.
pub(in crate::commands) fn pairs(unit: &Unit, sources: &Sources) -> Vec<Pair> {
    if unit.versions.len() != 2 {
        return Vec::new();
    }
    let digests: Vec<Vec<String>> = unit.versions.iter().map(|version| digests(unit, version, sources)).collect();
    let (tables, twins) = (tables(unit), twins(unit));
    let pair = |asked: Asked| {
        let run = reached(unit, &twins, [(0, asked.pair.0), (1, asked.pair.1)]);
        let named: BTreeMap<(usize, &str), &String> = run
            .iter()
            .map(|&(version, id)| ((version, unit.procedure(version, id).name.as_str()), &digests[version][id.index()]))
            .collect();
        // A proof may rest on pairs that somebody has asked for.
        let others = unit.equivs.iter().filter(|one| run.contains(&(0, one.left)) && run.contains(&(1, one.right)));
        let mut hash = Sha256::new();
        [&tables, &asked.left, &asked.right].into_iter().for_each(|part| feed(&mut hash, part));
        feed_all(&mut hash, asked.when.as_deref());
        feed_all(&mut hash, named.into_values().map(String::as_str));
        feed_all(&mut hash, others.map(|one| sources.text(one.span)));
        Pair { key: hexadecimal(hash), asked, run }
    };
    asked(unit).into_iter().map(pair).collect()
}

/// Some pairs of a program, in parts that have no code in common.
pub(in crate::commands) fn groups(unit: &Unit, wanted: impl IntoIterator<Item = Pair>) -> Vec<Group> {
    let mut groups: Vec<(Run, Vec<Pair>)> = Vec::new();
    for pair in wanted {
        let (mut run, mut members) = (pair.run.clone(), vec![pair]);
        let (own, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(other, _)| !other.is_disjoint(&run));
        for (other, more) in own.into_iter().rev() {
            run.extend(other);
            members.splice(0..0, more);
        }
        groups = others;
        groups.push((run, members));
    }
    let group = |(run, wanted): (Run, Vec<Pair>)| {
        let kept: Vec<BTreeSet<ProcId>> =
            [0, 1].map(|at| run.iter().filter(|(version, _)| *version == at).map(|(_, id)| *id).collect()).into();
        Group { unit: restricted(unit, &kept), wanted }
    };
    groups.into_iter().map(group).collect()
}

/// What is declared for both versions at once: of each such procedure what it is in the other version.
fn twins(unit: &Unit) -> BTreeMap<(usize, ProcId), (usize, ProcId)> {
    let ids = |version: usize| (0u32..).map(ProcId).zip(&unit.versions[version].procedures);
    let new: HashMap<_, _> = ids(1).map(|(id, procedure)| (procedure.span, id)).collect();
    let both = ids(0).filter_map(|(old, procedure)| Some(((0, old), (1, *new.get(&procedure.span)?))));
    both.flat_map(|(old, new)| [(old, new), (new, old)]).collect()
}

/// Procedures and all that they may call.
fn reached(unit: &Unit, twins: &BTreeMap<(usize, ProcId), (usize, ProcId)>, roots: [(usize, ProcId); 2]) -> Run {
    let (mut found, mut work) = (Run::new(), roots.to_vec());
    let mut called = Vec::new();
    while let Some((version, next)) = work.pop() {
        if found.insert((version, next)) {
            callees(unit.procedure(version, next), &mut called);
            work.extend(called.drain(..).map(|callee| (version, callee)));
            work.extend(twins.get(&(version, next)));
        }
    }
    found
}

fn callees(procedure: &Procedure, found: &mut Vec<ProcId>) {
    let Some(body) = &procedure.body else { return };
    visit::walk_stmts(body, &mut |stmt| {
        if let StmtKind::Call { callee, .. } = &stmt.kind {
            found.push(*callee);
        }
    });
    visit::walk_exprs(body, &mut |expr| {
        if let ExprKind::Call(callee, _) = &expr.kind {
            found.push(*callee);
        }
    });
}

/// For each procedure of a version a hash of what it is: its text, and its types, which may come from elsewhere.
fn digests(unit: &Unit, version: &Version, sources: &Sources) -> Vec<String> {
    let digest = |procedure: &Procedure| {
        let mut hash = Sha256::new();
        feed(&mut hash, &version.label);
        feed(&mut hash, &procedure_text(unit, version, procedure));
        feed(&mut hash, sources.text(procedure.span));
        fields(unit, procedure).iter().for_each(|field| feed(&mut hash, field));
        hexadecimal(hash)
    };
    version.procedures.iter().map(digest).collect()
}

/// The fields that a procedure uses, with their types.
fn fields(unit: &Unit, procedure: &Procedure) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let look = |expr: &lang_l::hir::Expr, used: &mut BTreeSet<_>| {
        if let ExprKind::Field(_, field) = &expr.kind {
            used.insert(*field);
        }
    };
    procedure.contract_exprs().for_each(|expr| expr.walk(&mut |part| look(part, &mut used)));
    if let Some(body) = &procedure.body {
        visit::walk_exprs(body, &mut |expr| look(expr, &mut used));
        visit::walk_stmts(body, &mut |stmt| {
            if let StmtKind::Assign(Place::Field(_, field), _) = &stmt.kind {
                used.insert(*field);
            }
        });
    }
    let text = |field: lang_l::hir::FieldId| {
        let field = &unit.fields[field.index()];
        format!("{}: {}", field.name, type_text(unit, &field.ty))
    };
    used.into_iter().map(text).collect()
}

/// What all procedures have in common: classes and globals; and where there are no classes the fields, each of which every object has.
fn tables(unit: &Unit) -> String {
    let typed = |name: &str, ty: &lang_l::hir::Type| format!("{name}: {}; ", type_text(unit, ty));
    let field = |field: &Field| typed(&field.name, &field.ty);
    let mut text = String::new();
    for class in &unit.classes {
        let fields: String = class.fields.iter().map(|own| field(&unit.fields[own.index()])).collect();
        text.push_str(&format!("class {} {{ {fields}}} ", class.name));
    }
    text.extend(unit.globals.iter().map(|global| format!("global {}", typed(&global.name, &global.ty))));
    if unit.classes.is_empty() {
        let fields: BTreeSet<String> = unit.fields.iter().map(|own| format!("field {}", field(own))).collect();
        text.extend(fields);
    }
    text
}

/// Feeds parts, so that no other parts in a row are the same, nor any that follow.
fn feed_all<'p>(hash: &mut Sha256, parts: impl IntoIterator<Item = &'p str>) {
    let parts: Vec<&str> = parts.into_iter().collect();
    hash.update((parts.len() as u64).to_le_bytes());
    parts.into_iter().for_each(|part| feed(hash, part));
}

/// Feeds a part, so that no other parts in a row are the same.
fn feed(hash: &mut Sha256, part: &str) {
    hash.update((part.len() as u64).to_le_bytes());
    hash.update(part.as_bytes());
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> BTreeMap<String, String> {
        let loaded = lang_l::load([("a.l", text)]).expect("it is legal");
        pairs(&loaded.unit, &loaded.sources).into_iter().map(|pair| (pair.asked.left, pair.key)).collect()
    }

    #[test]
    fn a_key_changes_with_the_code_and_that_of_callees() {
        let text = "global g: int; version a procedure p() { q(); } procedure q() { g := 1; } procedure r() { g := 2; }
            version b procedure p() { q(); } procedure q() { g := 1; } procedure r() { g := 2; }";
        let before = keys(text);
        let changed = |text: &str| {
            let after = keys(text);
            before.iter().filter(|(name, key)| after.get(*name) != Some(*key)).map(|(name, _)| name.clone()).collect()
        };
        let none: Vec<String> = changed(&text.replace("version b", "\n\n// a comment\nversion b"));
        assert!(none.is_empty());
        let callee: Vec<String> = changed(&text.replacen("g := 1", "g := 3", 1));
        assert_eq!(callee, ["p", "q"]);
        let own: Vec<String> = changed(&text.replacen("g := 2", "g := 3", 1));
        assert_eq!(own, ["r"]);
        let all: Vec<String> = changed(&text.replace("int", "int; global h: int"));
        assert_eq!(all.len(), 3);
    }

    /// An external may keep an object in a global, and without classes every object has every field of the file.
    #[test]
    fn a_key_changes_with_what_others_may_look_at() {
        let keeps = |declared: &str| {
            let body = "procedure p() returns (r: int) { o := new C(); ext(o); r := o.f; }";
            keys(&format!("{declared} procedure ext(x: C); version a {body} version b {body}"))["p"].clone()
        };
        assert_ne!(keeps("class C { f: int; } global g: C;"), keeps("class C { f: int; g: C; }"));
        let links = |others: &str| {
            let body = "procedure p(x: ref, y: ref) returns (r: bool) requires reach(x, y); { r := x == y; }";
            keys(&format!("{others} version a {body} version b {body}"))["p"].clone()
        };
        assert_ne!(links(""), links("procedure q(x: ref, y: ref) { x.h := y; }"));
        assert_eq!(links(""), links("procedure q(x: ref, y: ref) { }"));
    }

    #[test]
    fn groups_have_no_code_in_common() {
        let text = "version a procedure p() { q(); } procedure q() { } procedure r() { }
            version b procedure p() { q(); } procedure q() { } procedure r() { }";
        let loaded = lang_l::load([("a.l", text)]).expect("it is legal");
        let groups = groups(&loaded.unit, pairs(&loaded.unit, &loaded.sources));
        let names: Vec<Vec<&str>> = groups
            .iter()
            .map(|group| group.unit.versions[0].procedures.iter().map(|p| p.name.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["p", "q"], vec!["r"]]);
    }
}
