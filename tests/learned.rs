//! Conditions that `ape diff` learns from runs: of loops and recursion whose paths do not say where and how the two differ.

mod common;

use common::{Ran, ape, scratch};
use serde_json::Value as Json;

fn run<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Ran {
    ape(words.into_iter().map(|word| word.as_ref().to_string()))
}

fn program(name: &str, text: &str) -> String {
    scratch(name, text).to_string_lossy().into_owned()
}

/// What is told of the first pair of two versions, in a file of this name.
fn told(name: &str, [before, after]: [&str; 2], above: &str) -> Json {
    let text = format!("{above}\nversion before {before}\nversion after {after}\n");
    let mut report = run(["diff", "--format", "json", &program(name, &text)]).json();
    report["pairs"][0].take()
}

/// A pair: what stands for `HOW` in each version, where the two are equal, where they differ, and how.
struct Case {
    code: &'static str,
    ways: [&'static str; 2],
    equal: &'static str,
    differs: &'static str,
    relation: &'static str,
}

const CASES: &[Case] = &[
    // As much more as at the start.
    Case {
        code: "procedure halvings(n: int) returns (r: int) { r := HOW; while (n > 0) { n := n / 2; r := r + 1; } }",
        ways: ["0", "1"],
        equal: "false",
        differs: "true",
        relation: "r' == r + 1",
    },
    Case {
        code: "procedure sum(a: int[]) returns (r: int) requires a != null;
               { var at: int := HOW; while (at < a.length) { r := r + a[at]; at := at + 1; } }",
        ways: ["0", "1"],
        equal: "a.length <= 0 || a[0] == 0",
        differs: "a.length >= 1 && a[0] != 0",
        relation: "old(a.length) >= 1 && old(a[0]) != 0 && r' == r - old(a[0])",
    },
    // By recursion, in a global.
    Case {
        code: "global count: int;
               procedure walk(n: int) { if (n <= 0) { HOW return; } count := count + 1; walk(n - 1); }",
        ways: ["", "count := count - 2;"],
        equal: "false",
        differs: "true",
        relation: "count' == count - 2",
    },
    // Zero has a digit.
    Case {
        code: "procedure digits(x: int) returns (r: int) { HOW }",
        ways: [
            "while (x > 0) { x := x / 10; r := r + 1; }",
            "r := 1; while (x >= 10) { x := x / 10; r := r + 1; }",
        ],
        equal: "x >= 1",
        differs: "x <= 0",
        relation: "x <= 0 && r' == r + 1",
    },
    // What is found, and where.
    Case {
        code: "procedure find(a: int[], n: int, c: int) returns (r: int) requires a != null && 0 <= n && n <= a.length;
               { var at: int := HOW; while (at < n) { if (a[at] == c) { return at; } at := at + 1; } return -1; }",
        ways: ["0", "1"],
        equal: "n <= 0 || c != a[0]",
        differs: "n >= 1 && c == a[0]",
        relation: "n >= 1 && c == old(a[0]) && r == 0 && r' != 0",
    },
    // One value from recursion that looks at many cells.
    Case {
        code: "procedure seek(a: int[], key: int, first: int, at: int, known: bool) returns (found: bool)
                 requires a != null && 0 <= first && at < a.length;
               { found := known;
                 if (at HOW first) { if (a[at] == key) { found := true; return; } found := seek(a, key, first, at - 1, found); } }",
        ways: [">", ">="],
        equal: "at < first || known || key != a[first] || (exists k: int :: k <= at && first < k && key == a[k])",
        differs: "at >= first && !known && key == a[first] && (forall k: int :: k <= at && first < k ==> key != a[k])",
        relation: "",
    },
];

#[test]
fn where_the_two_differ_and_how_is_learned_from_runs() {
    for (number, case) in CASES.iter().enumerate() {
        let [before, after] = case.ways.map(|way| case.code.replace("HOW", way));
        let globals: String = before.lines().filter(|line| line.trim().starts_with("global")).collect();
        let [before, after] = [before, after].map(|code| code.replace(&globals, ""));
        let pair = told(&format!("learned_{number}.l"), [&before, &after], &globals);
        assert_eq!(pair["equal_when"], case.equal, "{pair}");
        assert_eq!(pair["differs_when"], case.differs, "{pair}");
        assert!(pair["open_when"].is_null(), "{pair}");
        if !case.relation.is_empty() {
            assert_eq!(pair["relation"], case.relation, "{pair}");
        }
    }
}

#[test]
fn which_stores_run_for_ever_is_told_by_a_remainder() {
    let code = |sign| {
        format!("procedure thirds(n: int) returns (r: int) {{ while (n {sign} 0) {{ n := n - 3; r := r + 1; }} }}")
    };
    let pair = told("learned_thirds.l", [&code("!="), &code(">")], "");
    assert_eq!(pair["equal_when"], "n >= 0 && n % 3 == 0", "{pair}");
    assert_eq!(pair["one_ends_when"], "n <= -1 || n % 3 != 0", "{pair}");
    assert!(pair["open_when"].is_null(), "{pair}");
}

#[test]
fn what_a_search_finds_is_told_by_the_cells_of_a_range() {
    let code = |otherwise: &str| {
        format!(
            "procedure find(a: int[], x: int) returns (r: int)
             {{ var at: int := 0;
               while (at < a.length) {{ if (a[at] == x) {{ return at; }} at := at + 1; }}
               return {otherwise}; }}"
        )
    };
    let pair = told("learned_find.l", [&code("at"), &code("-1")], "");
    assert_eq!(pair["equal_when"], "a == null || (exists k: int :: k >= 0 && k < a.length && x == a[k])", "{pair}");
    assert!(pair["open_when"].is_null(), "{pair}");
}

/// Contracts of loops that search: what is ensured of what they hand out early.
#[test]
fn a_loop_that_searches_ensures_what_it_finds() {
    let code = |ensured: &str| {
        format!(
            "procedure find(a: int[], n: int, key: int) returns (r: bool)
               requires a != null && 0 <= n && n <= a.length;
               requires forall k: int :: 0 <= k && k < n ==> a[k] != key;
               ensures r == {ensured};
             {{ var at: int := 0;
               while (at < n) invariant forall k: int :: 0 <= k && k < n ==> a[k] != key;
               {{ if (a[at] == key) {{ return true; }} at := at + 1; }}
               return false; }}"
        )
    };
    for (ensured, kept) in [("false", true), ("true", false)] {
        let text = format!("version before {0}\nversion after {0}\n", code(ensured));
        let report = run(["verify", "--format", "json", &program(&format!("learned_{ensured}.l"), &text)]).json();
        assert_eq!(report["pairs"][0]["verdict"] == "equivalent", kept, "{report}");
    }
}

/// Pairs that were written to have more said to differ, or to be equal, than does: the loops with the pair's `HOW`, and a store of
/// another kind, which samples do not show or which is easily overlooked.
const ATTACKS: &[(&str, [&str; 2], &str, &str)] = &[
    // Both err where the array is too short.
    (
        "procedure p(a: int[], n: int) returns (r: int) requires a != null;
         { var at: int := HOW; while (at < n) { r := r + a[at]; at := at + 1; } }",
        ["0", "1"],
        "differs_when",
        "a.length == 2 && n == 3 && a[0] == 1",
    ),
    // Neither ends for odd numbers.
    (
        "procedure p(n: int) returns (r: int) { while (n != 0) { n := n - 2; } r := HOW; }",
        ["1", "2"],
        "differs_when",
        "n == 7",
    ),
    // Alike once, far from all samples.
    (
        "procedure p(n: int) returns (r: int)
         { var at: int := 0; while (at < n) { r := r + 1; at := at + 1; } HOW }",
        ["", "r := r + 1; if (r == 978) { r := 977; }"],
        "differs_when",
        "n == 977",
    ),
    // One of the two gives up after forty cells.
    (
        "procedure p(a: int[], x: int) returns (r: bool) requires a != null;
         { var at: int := 0; while (at < HOW) { if (a[at] == x) { return true; } at := at + 1; } return false; }",
        ["a.length", "a.length && at < 40"],
        "equal_when",
        "a.length == 41 && a[40] == x && (forall k: int :: 0 <= k && k < 40 ==> a[k] != x)",
    ),
    // What is looked at may be what is written, and then it matters which comes first.
    (
        "procedure p(a: int[], b: int[]) returns (r: int) requires a != null && b != null && a.length == b.length;
           modifies {b};
         { var at: int := 0; while (at < a.length) { HOW at := at + 1; } }",
        ["r := r + a[at]; b[at] := 0;", "b[at] := 0; r := r + a[at];"],
        "equal_when",
        "a == b && a.length == 1 && a[0] == 1",
    ),
];

#[test]
fn nothing_is_said_of_stores_of_another_kind() {
    for (number, (code, ways, key, store)) in ATTACKS.iter().enumerate() {
        let [before, after] = ways.map(|way| code.replace("HOW", way));
        let pair = told(&format!("attack_{number}.l"), [&before, &after], "");
        let said = pair[key].as_str().expect("a pair has conditions");
        let (head, _) = code.split_once(['\n', '{']).expect("it has a body");
        let results = if head.contains("r: bool") { ["true", "false"] } else { ["1", "2"] };
        let verdict = |condition: &str| {
            let [one, other] =
                results.map(|result| format!("{head} requires {condition}; requires {store}; {{ r := {result}; }}"));
            let text = format!("version before {one}\nversion after {other}\n");
            let report =
                run(["verify", "--format", "json", &program(&format!("attack_store_{number}.l"), &text)]).json();
            report["pairs"][0]["verdict"].as_str().unwrap_or_default().to_string()
        };
        // There is such a store, and the condition does not hold of it.
        assert_eq!(verdict("true"), "not-equivalent", "{store}");
        assert_ne!(verdict(said), "not-equivalent", "{said}: {store}");
    }
}

/// What both require is no part of the condition, so it may be what no condition can say.
#[test]
fn what_is_required_may_be_quantified() {
    let code = |more: &str| {
        format!(
            "procedure f(a: int[], n: int) returns (r: int)
               requires a != null && (forall k: int :: 0 <= k && k < a.length ==> a[k] >= 0);
             {{ if (0 <= n && n < a.length) {{ r := a[n]{more}; }} }}"
        )
    };
    let pair = told("required_of_all.l", [&code(""), &code(" + 1")], "");
    assert_eq!((&pair["complete"], &pair["rows"][0]["exact"]), (&true.into(), &true.into()), "{pair}");
}

/// Where all stores differ and no expression says the values, it is still said by how much.
#[test]
fn a_settled_row_has_a_relation() {
    let code = |more: &str| {
        format!(
            "procedure f(n: int, x: int) returns (r: int) {{ while (k < n) {{ r := r * x + k; k := k + 1; }} {more} }}"
        )
    };
    let pair = told("more_where_five.l", [&code(""), &code("if (x == 5) { r := r + 3; }")], "");
    let relation = pair["relation"].as_str().unwrap_or_default();
    assert!(relation.contains("r' == r + 3") && !relation.contains("r != r'"), "{pair}");
}

const NODE: &str = "class N { v: int; next: N; }";

/// A flag, a mode or a fast path that one version alone has: the two are equal where it is not taken.
#[test]
fn tests_of_what_stays_say_where_two_loops_are_equal() {
    let cases = [
        (
            "procedure s(a: int[], b: bool) returns (r: int) { var i := 0; while (i < a.length) { HOW i := i + 1; } }",
            ["r := r + a[i];", "if (b) { r := r + 2 * a[i]; } else { r := r + a[i]; }"],
            "a == null || a.length <= 0 || !b",
        ),
        (
            "procedure s(a: int[], mode: int) { var i := 0; while (i < a.length) { HOW i := i + 1; } }",
            ["a[i] := 0;", "a[i] := 0; if (mode == 2) { a[i] := 1; }"],
            "a == null || a.length <= 0 || mode != 2",
        ),
        (
            "procedure s(l: N, b: bool) returns (r: int) { while (l != null) { HOW l := l.next; } }",
            ["r := r + l.v;", "r := r + l.v; if (b) { r := r + 1; }"],
            "!b || l == null",
        ),
        (
            "procedure s(a: int[], b: int[], n: int) returns (r: bool)
             { HOW var i := 0; while (i < n) { if (a[i] != b[i]) { return false; } i := i + 1; } return true; }",
            ["", "if (a == b) { return true; }"],
            "a != b || n <= 0",
        ),
    ];
    for (at, (code, ways, equal)) in cases.into_iter().enumerate() {
        let found = told(
            &format!("one_sided_{at}.l"),
            ways.map(|way| code.replace("HOW", way)).each_ref().map(String::as_str),
            NODE,
        );
        assert_eq!(found["equal_when"], equal, "{found}");
    }
}
