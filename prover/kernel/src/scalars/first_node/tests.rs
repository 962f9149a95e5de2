//! Tests of the rule: lists whose first node a variable holds, and what becomes of them where the other version has none.

use super::List;
use crate::scalars::Scalarised;
use crate::scalars::second_forms::loaded;
use lang_l::hir::print::print;
use lang_l::hir::same::same_code;
use lang_l::hir::{Place, Stmt, StmtKind};

/// `p` with this body becomes `p` with that one.
#[track_caller]
fn becomes(body: &str, expected: &str) {
    let header = "procedure p(t: T) returns (r: T)";
    let unit = loaded(&format!("{header} {body}"), &format!("{header} {{ r := t; }}"));
    let wanted = loaded(&format!("{header} {expected}"), &format!("{header} {{ r := t; }}"));
    let replaced = Scalarised::of(&unit);
    let [found, wanted] = [replaced.unit(), &wanted].map(|unit| &unit.versions[0].procedures[0]);
    assert!(same_code(found, wanted, |_, _| true), "{}", print(replaced.unit()));
}

#[track_caller]
fn stays(body: &str) {
    becomes(body, body);
}

const BEGINS: &str = "d := new T(); last := d;";

#[test]
fn an_object_stands_in_place_of_null() {
    becomes(
        "{ var h: T; var e: T; while (t != null) { n := new T(); if (e == null) { h := n; } else { e.l := n; } e := n; t := t.l; } return h; }",
        &format!("{{ {BEGINS} while (t != null) {{ n := new T(); last.l := n; last := n; t := t.l; }} return d.l; }}"),
    );
}

/// Wherever else the variable is looked at, it is null where it was.
#[test]
fn null_is_still_null_where_it_is_seen() {
    becomes(
        "{ var h: T; var e: T; while (t != null) { n := new T(); if (e == null) { h := n; } else { e.l := n; } e := n; t := t.l; } k := e.v; return e; }",
        &format!(
            "{{ {BEGINS} while (t != null) {{ n := new T(); last.l := n; last := n; t := t.l; }}
                k := (last == d ? null : last).v; return last == d ? null : last; }}"
        ),
    );
}

#[test]
fn what_may_be_null_is_the_object_then() {
    becomes(
        "{ var h: T; var e: T; while (t != null) { n := new T(); if (e == null) { h := n; } else { e.l := n; } e := t.r; t := t.l; } return h; }",
        &format!(
            "{{ {BEGINS} while (t != null) {{ n := new T(); last.l := n; last := t.r == null ? d : t.r; t := t.l; }} return d.l; }}"
        ),
    );
}

/// The first one is tested, and both are null together.
#[test]
fn two_that_are_null_together_are_tested_alike() {
    let grows = "n := new T(); if (h == null) { h := n; } else { e.l := n; } e := n; t := t.l;";
    becomes(
        &format!("{{ var h: T; var e: T; while (t != null) {{ {grows} }} return h; }}"),
        &format!("{{ {BEGINS} while (t != null) {{ n := new T(); last.l := n; last := n; t := t.l; }} return d.l; }}"),
    );
    let alone = "if (t.v == 0) { h := null; }";
    becomes(
        &format!("{{ var h: T; var e: T; while (t != null) {{ {grows} {alone} }} return h; }}"),
        &format!(
            "{{ {BEGINS} while (t != null) {{ n := new T(); if (d.l == null) {{ d.l := n; }} else {{ at := last == d ? null : last; at.l := n; }}
                 last := n; t := t.l; if (t.v == 0) {{ d.l := null; }} }} return d.l; }}"
        ),
    );
}

#[test]
fn a_result_is_handed_out_wherever_the_procedure_ends() {
    becomes(
        "{ var e: T; while (t != null) { if (t.v == 0) { return; } n := new T(); if (e != null) { e.l := n; } else { r := n; } e := n; t := t.l; } }",
        &format!(
            "{{ {BEGINS} while (t != null) {{ if (t.v == 0) {{ r := d.l; return; }} n := new T(); last.l := n; last := n; t := t.l; }} r := d.l; }}"
        ),
    );
}

#[test]
fn what_is_called_or_handed_to_stays() {
    stays(
        "{ var h: T; while (t != null) { n := new T(); if (t == null) { h := n; } else { t.l := n; } t := n; } return h; }",
    );
    stays(
        "{ var h: T; var e: T; while (t != null) { n := new T(); if (e == null) { h := n; } else { e.l := n; } e := p(n); t := t.l; } return h; }",
    );
}

/// In a run where the list is empty it is the node before all, so nothing that was known of the variable is said of it.
#[test]
fn the_last_node_has_a_variable_of_its_own() {
    let header = "procedure p(t: T) returns (r: T)";
    let grows = "{ var h: T; var e: T; while (t != null) { n := new T(); if (e == null) { h := n; } else { e.l := n; } e := n; t := t.l; } return h; }";
    let unit = loaded(&format!("{header} {grows}"), &format!("{header} {{ r := t; }}"));
    let own = &unit.versions[0].procedures[0];
    let list = List::of(own, &unit.fields).expect("it grows at its end");
    let put = list.put(own, &unit.fields).expect("nothing else is done with it");
    let body = put.body.as_ref().expect("it has a body");
    let assigns = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Assign(Place::Local(id), _) if id == list.last);
    assert!(!body.any(&assigns), "{}", print(&unit));
    assert_eq!(own.local(list.last).ty, put.locals.last().expect("it was added").ty);
}
