//! What the paper's encoding proves, and what it must not.

use super::angels::strategies;
use super::sites::Sites;
use super::{PaperAnswer, PaperGoal, encode, verify};
use crate::analysis::{contracts, inference};
use crate::goal::{Pair, Program};
use crate::lower::{Lowered, lower};
use kernel::effects;
use lang_l::hir::ProcId;
use smt::solve::{QueryBudget, Solver};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

fn lowered(text: &str) -> Lowered {
    let mut sources = lang_l::source::Sources::new();
    let file = sources.add("test", text);
    let parsed = lang_l::parse::parse(file, text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    lower(&lang_l::resolve::resolve(&[&parsed.file]).expect("a legal program"))
}

fn program(unit: &Lowered) -> Program<'_> {
    let mut solver = Solver::new(QueryBudget::default());
    let known = [0, 1].map(|version| {
        let mut known = effects::syntactic(unit.as_unit(), version);
        inference::infer(unit, version, &mut known, &mut solver);
        contracts::check(unit, version, &mut known, &mut solver);
        known
    });
    Program { unit, effects: known }
}

fn claims(unit: &Lowered) -> Vec<Pair> {
    let named = (0u32..).zip(&unit.versions()[0].procedures);
    named.filter_map(|(at, p)| Some((ProcId(at), unit.versions()[1].find(&p.name)?))).collect()
}

fn answers(text: &str) -> BTreeMap<String, PaperAnswer> {
    let unit = lowered(text);
    let budget = QueryBudget { rlimit: 20_000_000, clock: Duration::from_secs(60) };
    let found = verify(&program(&unit), &claims(&unit), &mut Solver::new(budget));
    found.into_iter().map(|(pair, report)| (unit.procedure(0, pair.0).name.clone(), report.answer)).collect()
}

fn check(procedure: &str, text: &str, expected: PaperAnswer) {
    assert_eq!(answers(text)[procedure], expected, "{text}");
}

fn check_unknown(procedure: &str, text: &str) {
    let answer = &answers(text)[procedure];
    assert!(matches!(answer, PaperAnswer::Unknown(_)), "{answer:?} {text}");
}

const REORDERED: &str = "
    version procedure p(x) { t := new(); u := new(); q(t); q(u); x.f := t; x.g := u; }
            procedure q(x) modifies {x}; { x.v := new(); }
    version procedure p(x) { t := new(); q(t); u := new(); q(u); x.f := u; x.g := t; }
            procedure q(x) modifies {x}; { y := new(); x.v := y; }";

#[test]
fn order_and_amount_of_allocation_do_not_matter() {
    check(
        "p",
        "version procedure p(x) { t := new(); u := new(); x.f := t; x.g := u; }
         version procedure p(x) { u := new(); t := new(); g := new(); g.f := x; x.f := t; x.g := u; }",
        PaperAnswer::Equivalent,
    );
    check("p", REORDERED, PaperAnswer::Equivalent);
}

#[test]
fn two_objects_are_not_one() {
    check_unknown(
        "p",
        "version procedure p(x) { t := new(); x.f := t; x.g := t; }
         version procedure p(x) { t := new(); u := new(); x.f := t; x.g := u; }",
    );
}

#[test]
fn two_calls_are_not_one() {
    let callee = "procedure mk() returns (r: ref) { r := new(); }";
    check_unknown(
        "p",
        &format!(
            "version {callee} procedure p(x) {{ a := mk(); b := mk(); x.f := a; x.g := b; }}
             version {callee} procedure p(x) {{ a := mk(); b := mk(); x.f := a; x.g := a; }}"
        ),
    );
}

#[test]
fn errors_count() {
    check_unknown("p", "version procedure p(x) { t := x.f; } version procedure p(x) { }");
    check_unknown(
        "p",
        "version procedure p(n: int, x) { if (n / 2 == 0) { x.f := null; } }
         version procedure p(n: int, x) { if (2 / n == 0) { x.f := null; } }",
    );
    check(
        "p",
        "version procedure p(x, y) { x.f := y; y.f := y; }
         version procedure p(x, y) { y.f := y; x.f := y; }",
        PaperAnswer::Equivalent,
    );
}

#[test]
fn results_globals_and_early_returns() {
    check(
        "p",
        "global n: int;
         version procedure p(x: ref, b: bool) returns (r: ref, c: bool)
                 { n := n + 1; if (b) { r := new(); return r, !b; } r := x.next; c := x.flag; }
         version procedure p(x: ref, b: bool) returns (r: ref, c: bool)
                 { if (!b) { n := 1 + n; return x.next, x.flag; } r := new(); n := n + 1; }",
        PaperAnswer::Equivalent,
    );
    check_unknown(
        "p",
        "global n: int;
         version procedure p(b: bool) { if (b) { return; } n := n + 1; }
         version procedure p(b: bool) { n := n + 1; }",
    );
}

#[test]
fn a_claim_falls_with_what_it_rests_on() {
    let found = answers(
        "version procedure p(x) { q(x); } procedure q(x) { x.f := x; }
         version procedure p(x) { q(x); } procedure q(x) { x.f := null; }",
    );
    assert!(found.values().all(|answer| matches!(answer, PaperAnswer::Unknown(_))), "{found:?}");
}

#[test]
fn divergence_is_no_full_equivalence() {
    check(
        "p",
        "version procedure p(x) modifies {}; { t := new(); }
         version procedure p(x) modifies {}; { t := new(); if (x != null) { p(x); } }",
        PaperAnswer::PartiallyEquivalent,
    );
    // The one order ends in an error where the other never ends.
    check(
        "p",
        "version procedure p(x) { t := x.f; spin(x); } procedure spin(x) { spin(x); }
         version procedure p(x) { spin(x); t := x.f; } procedure spin(x) { spin(x); }",
        PaperAnswer::PartiallyEquivalent,
    );
}

#[test]
fn externals_are_matched_in_order() {
    let external = "procedure e(x) returns (r: ref);";
    check(
        "p",
        &format!(
            "{external} version procedure p(x) returns (r: ref) {{ t := new(); r := e(x); }}
             version procedure p(x) returns (r: ref) {{ r := e(x); t := new(); }}"
        ),
        PaperAnswer::Equivalent,
    );
    check_unknown(
        "p",
        &format!(
            "{external} version procedure p(x, y) {{ a := e(x); b := e(y); }}
             version procedure p(x, y) {{ b := e(y); a := e(x); }}"
        ),
    );
}

#[test]
fn what_the_paper_has_no_words_for_is_unknown() {
    check_unknown("p", "version procedure p(a: int[]) { a[0] := 1; } version procedure p(a: int[]) { a[0] := 1; }");
    check_unknown("p", "version procedure p(x) { assume x != null; } version procedure p(x) { assume x != null; }");
    check_unknown("p", "version procedure p(x) { } version procedure p(x, y) { y.f := x; }");
}

#[test]
fn strategies_are_injective_and_maximal() {
    let unit = lowered(REORDERED);
    let program = program(&unit);
    let claims: BTreeSet<Pair> = claims(&unit).into_iter().collect();
    let pair = (unit.versions()[0].find("p").expect("p"), unit.versions()[1].find("p").expect("p"));
    let sites = [Sites::of(unit.procedure(0, pair.0)), Sites::of(unit.procedure(1, pair.1))];
    let found = strategies([&sites[0], &sites[1]], &claims).expect("few");
    // Two ways to pair the allocations, two to pair the calls.
    assert_eq!(found.len(), 4);
    assert_eq!(found[0].allocations, [(0, 0), (1, 1)]);
    assert_eq!(found[3].calls, [(0, 1), (1, 0)]);
    let text = encode(&program, pair, &claims, PaperGoal::SameStores).expect("supported");
    for comment in ["; Figure 2: product procedure", "; Figure 4: mutual summaries", "; Figure 9: reachability"] {
        assert!(text.contains(comment), "{comment}");
    }
    assert_eq!(text.matches("\n; Strategy ").count(), 4);
    plain_z3_reads(&text);
}

#[test]
fn too_many_strategies_are_refused() {
    let news = "t := new(); ".repeat(5);
    let text = format!("version procedure p(x) {{ {news} }} version procedure p(x) {{ {news} }}");
    check_unknown("p", &text);
    let text = format!("version procedure p(x) {{ {0} }} version procedure p(x) {{ {0} }}", news.repeat(40));
    check_unknown("p", &text);
}

/// Runs the `z3` on the path, if there is one.
fn plain_z3_reads(text: &str) {
    let run = Command::new("z3").args(["-in", "rlimit=1000"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut z3) = run else { return };
    let mut input = z3.stdin.take().expect("piped");
    writeln!(input, "{text}(check-sat)").expect("written");
    drop(input);
    let output = z3.wait_with_output().expect("ended");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!said.contains("error"), "{said}");
}
