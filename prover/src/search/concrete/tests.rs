//! Pairs that differ are refuted by small witnesses; pairs that do not, never.

use super::{SearchBudget, search, search_contract};
use crate::search::witness::{Contrast, RunPair, Target};
use lang_l::heap::{Input, Object, Store};
use lang_l::hir::{FieldId, ProcId, Unit};
use lang_l::interp::{Behaviour, Clause, Outcome};
use lang_l::show::{difference_text, outcome_text};
use lang_l::source::FileId;
use lang_l::statements::input_lines;
use lang_l::value::{Addr, Value};

fn unit(text: &str) -> Unit {
    let parsed = lang_l::parse::parse(FileId(0), text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    lang_l::resolve::resolve(&[&parsed.file]).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// The witness that the pair of this name differs, in words.
fn refute(unit: &Unit, name: &str, budget: SearchBudget) -> Option<String> {
    let [left, right] = [0, 1].map(|version: usize| unit.versions[version].find(name).expect("both have it"));
    let when = unit.equivs.iter().find(|equiv| equiv.left == left).and_then(|equiv| equiv.when.as_ref());
    let pair = RunPair { unit, left, right, when };
    let witness = search(&pair, &[], budget)?;
    let start = input_lines(unit, pair.left_procedure(), witness.input(), 100).join(" ");
    let end = match witness.contrast() {
        Contrast::Stores(difference) => {
            difference_text(unit, pair.left_procedure(), witness.input(), difference, ["0", "1"])
        }
        Contrast::Error | Contrast::Termination => {
            format!("0 {}, 1 {}", outcome_text(witness.left()), outcome_text(witness.right()))
        }
    };
    Some(format!("{start}: {end}"))
}

/// Compares the witness that `p` differs in the two versions, or `same`.
fn check(shared: &str, left: &str, right: &str, expected: &str) {
    let unit = unit(&format!("{shared} version {left} version {right}"));
    let found = refute(&unit, "p", SearchBudget::THOROUGH);
    assert_eq!(found.as_deref().unwrap_or("same"), expected, "{shared} {left} {right}");
}

#[test]
fn numbers() {
    let p = |body: &str| format!("procedure p(n: int) returns (r: int) {{ {body} }}");
    check("", &p("r := n;"), &p("r := n + 1;"), "n := 0;: r is 0 in 0 and 1 in 1");
    check("", &p("r := n;"), &p("if (n != 41) { r := n; }"), "n := 41;: r is 41 in 0 and 0 in 1");
    check("", &p("r := n;"), &p("if (n <= 99) { r := n; }"), "n := 100;: r is 100 in 0 and 0 in 1");
    check("", &p("r := n * 2;"), &p("r := n + n;"), "same");
    check(
        "",
        &p("r := n / 2;"),
        &p("if (n < 0) { r := (n - 1) / 2; } else { r := n / 2; }"),
        "n := -1;: r is 0 in 0 and -1 in 1",
    );
}

#[test]
fn aliasing() {
    let p = |body: &str| format!("procedure p(x, y) returns (r: int) {{ {body} }}");
    let left = p("x.n := 1; y.n := 2; r := x.n;");
    let alias = "x := #1; y := #1; #1 := new();: r is 2 in 0 and 1 in 1";
    check("", &left, &p("x.n := 1; y.n := 2; r := 1;"), alias);
    check("", &left, &p("x.n := 1; y.n := 2; if (x == y) { r := 2; } else { r := 1; }"), "same");
}

/// What one version overwrites and no version reads is still seen by the caller.
#[test]
fn overwritten_places() {
    let p = |body: &str| format!("global g: int; procedure p(x) {{ {body} }}");
    let null = "x := #1; #1 := new(); #1.f := #1;: x.f is null in 0 and x (#1) in 1";
    check("", "procedure p(x) { x.f := null; }", "procedure p(x) { if (x == null) { x.f := x; } }", null);
    check("", &p("g := 0;"), &p(""), "x := null; g := 1;: g is 0 in 0 and 1 in 1");
    check("", &p("g := 0;"), &p("g := 1; g := 0;"), "same");
}

#[test]
fn conditions() {
    let p = |spec: &str, body: &str| format!("procedure p(n: int) returns (r: int) {spec} {{ {body} }}");
    check("", &p("requires n > 0;", "r := 1;"), &p("", "if (n > 0) { r := 1; }"), "same");
    check("", &p("requires n > 0;", "r := 1;"), &p("", "if (n > 1) { r := 1; }"), "n := 1;: r is 1 in 0 and 0 in 1");
    check("", &p("", "assume n > 0; r := 1;"), &p("", "if (n > 0) { r := 1; }"), "same");
    check("equiv p ~ p when n == 3;", &p("", "r := 3;"), &p("", "r := n;"), "same");
}

#[test]
fn termination() {
    let down = "procedure p(n: int) { while (n != 0) { n := n - 1; } }";
    let stay = "procedure p(n: int) { while (n > 0) { n := n - 1; } while (n < 0) { skip; } }";
    // Version 0 never ends either for negative numbers, but that is not proved, since it is never in the same state twice.
    check("", down, stay, "same");
    let error = "procedure p(n: int) { assert n >= 0; }";
    let never =
        "n := -1;: 0 ends in error: assertion failed, 1 never ends: a loop comes back to a state it has been in";
    check("", error, stay, never);
}

#[test]
fn arrays_and_classes() {
    let p = |body: &str| format!("procedure p(a: int[], i: int) returns (r: int) {{ {body} }}");
    let bounds = "a := #1; i := 0; #1 := new int[0];: 0 ends in error: index out of bounds, 1 ends normally";
    check("", &p("r := a[i];"), &p("if (0 <= i && i < a.length) { r := a[i]; } else { assert a != null; }"), bounds);
    let class = "class C { n: int; next: C; }";
    let q = |body: &str| format!("procedure p(c: C) returns (r: int) {{ if (c != null) {{ {body} }} }}");
    let next = "c := #1; #1 := new C(); #1.next := #1;: r is 1 in 0 and 0 in 1";
    check(class, &q("if (c.next != null) { r := 1; }"), &q("r := 0;"), next);
}

/// Calls of external procedures do the same in both versions, whatever it is.
#[test]
fn externals() {
    let shared = "procedure e(n: int) returns (r: int);";
    let p = |body: &str| format!("procedure p(n: int) returns (r: int) {{ {body} }}");
    check(shared, &p("r := e(n);"), &p("m := n; r := e(m);"), "same");
    let unit = unit(&format!("{shared} version {} version {}", p("r := e(n);"), p("r := e(n); r := e(r);")));
    assert!(refute(&unit, "p", SearchBudget::THOROUGH).is_some(), "calling twice is not calling once");
}

#[test]
fn contracts() {
    let violated = |text: &str| {
        let unit = unit(text);
        let found = search_contract(&unit, (0, ProcId(0)), Target::Contract, &[], SearchBudget::THOROUGH)?;
        let start = input_lines(&unit, &unit.versions[0].procedures[0], found.input(), 100).join(" ");
        Some((found.violation().clause, start))
    };
    let objects = "x := null; y := #1; #1 := new(); #1.v := #1;".to_owned();
    assert_eq!(violated("procedure p(x, y) modifies x; { y.v := null; }"), Some((Clause::Modifies, objects)));
    assert_eq!(violated("procedure p(x, y) modifies {x, y}; { y.v := null; }"), None);
    let ensures = "procedure p(n: int) returns (r: int) ensures r >= 0; { r := n; if (n > -5) { r := 0; } }";
    assert_eq!(violated(ensures), Some((Clause::Ensures, "n := -5;".to_owned())));
    let requires = "procedure p(n: int) { call q(n); } procedure q(n: int) requires n != 7; { }";
    assert_eq!(violated(requires), Some((Clause::Requires, "n := 7;".to_owned())));
}

/// A witness holds what the interpreter said.
#[test]
fn witnesses_are_replayed() {
    let unit = unit("version procedure p(x) { x.v := 1; } version procedure p(x) { if (x != null) { x.v := 1; } }");
    let pair = RunPair { unit: &unit, left: ProcId(0), right: ProcId(0), when: None };
    let witness = search(&pair, &[], SearchBudget::QUICK).expect("they differ on null");
    assert!(matches!(witness.left(), Outcome::Error(_)));
    assert!(matches!(witness.right(), Outcome::Normal(_)));
}

/// A hint need not be complete, and may be of no use.
#[test]
fn hints() {
    // 13 is near a constant of the program, 9 is not.
    let test = "x.a > 12 && x.a * x.a == 2 * x.b * x.b + 7";
    let p = |constant: i64| format!("procedure p(x) {{ if (x != null) {{ if ({test}) {{ x.c := {constant}; }} }} }}");
    let unit = unit(&format!("version {} version {}", p(0), p(1)));
    let pair = RunPair { unit: &unit, left: ProcId(0), right: ProcId(0), when: None };
    let hint = |addr: u64, value: i64| {
        let b = unit.fields.iter().position(|field| field.name == "b").expect("there is a field b");
        let field = FieldId(u32::try_from(b).expect("there are few fields"));
        let mut store = Store::default();
        store.heap.insert(Addr(1), Object::with_fields(None, [(field, Value::from(value))]));
        (Input { arguments: vec![Some(Addr(addr).into())], store }, Behaviour::Skip)
    };
    let (dangling, useless, good) = (hint(5, 9), hint(1, 8), hint(1, 9));
    assert!(search(&pair, &[dangling.clone(), useless.clone()], SearchBudget::QUICK).is_none());
    let witness = search(&pair, &[dangling, useless, good], SearchBudget::QUICK).expect("the last hint leads to it");
    assert!(matches!(witness.contrast(), Contrast::Stores(_)));
}

/// The order of external calls matters where one may see what the other has done.
#[test]
fn externals_in_another_order() {
    let shared = "procedure f(x) modifies {x}; procedure g(x) returns (r: int) modifies {};";
    let refuted = |left: &str, right: &str| {
        let p = |body: &str| format!("procedure p(x, y) returns (r: int) {{ k := x.v + y.v; {body} }}");
        let unit = unit(&format!("{shared} version {} version {}", p(left), p(right)));
        refute(&unit, "p", SearchBudget::THOROUGH).is_some()
    };
    assert!(refuted("call f(x); r := g(y);", "r := g(y); call f(x);"));
    assert!(!refuted("r := g(x); r := r + g(y);", "s := g(y); r := g(x) + s;"));
    assert!(!refuted("call f(x); r := g(y);", "z := y; call f(x); r := g(z);"));
}
