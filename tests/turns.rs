//! Where all turns of a loop, or all steps of recursion, are alike: the conditions that `ape diff` finds, some with quantifiers.

mod common;

use common::{Ran, ape, scratch};

fn run<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Ran {
    ape(words.into_iter().map(|word| word.as_ref().to_string()))
}

fn program(name: &str, text: &str) -> String {
    scratch(name, text).to_string_lossy().into_owned()
}

/// Loops and recursion over cells, and where the two are said to be equal: where all turns are alike.
const ALIKE_TURNS: &[(&str, &str, &str)] = &[
    (
        "procedure tops(a: int[], n: int, top: int) returns (found: bool)
           requires a != null && 0 <= n && n <= a.length;
         { var at: int := 0; while (at < n) { if (a[at] HOW top) { found := true; } at := at + 1; } }",
        "> >=",
        "forall k: int :: k >= 0 && k < n ==> top != a[k]",
    ),
    (
        "procedure lift(a: int[], from: int, to: int)
           requires a != null && 0 <= from && to <= a.length;
           modifies {a};
         { var k: int := from; while (k < to) { if (a[k] < HOW) { a[k] := 0; } k := k + 1; } }",
        "0 -1",
        "forall j: int :: from <= j && j < to ==> a[j] != -1",
    ),
    (
        "procedure debt(a: int[]) returns (any: bool)
         { if (a != null) { var at: int := a.length - 1; while (at >= 0) { if (a[at] HOW 0) { any := true; return; } at := at - 1; } } }",
        "< <=",
        "forall k: int :: k >= 0 && a != null && k < a.length ==> a[k] != 0",
    ),
    (
        "procedure seek(a: int[], key: int, first: int, at: int, known: bool) returns (found: bool)
           requires a != null && 0 <= first && at < a.length;
         { found := known; if (at HOW first) { if (a[at] == key) { found := true; return; } found := seek(a, key, first, at - 1, found); } }",
        "> >=",
        "at < first || known || key != a[first] || (exists k: int :: k <= at && first < k && key == a[k])",
    ),
];

#[test]
fn the_two_are_equal_where_all_turns_are_alike() {
    for (number, (code, ways, expected)) in ALIKE_TURNS.iter().enumerate() {
        let (one, other) = ways.split_once(' ').expect("there are two ways");
        let [before, after] = [one, other].map(|way| code.replace("HOW", way));
        let text = format!("version before {before}\nversion after {after}\n");
        let file = program(&format!("alike_turns_{number}.l"), &text);
        let report = run(["diff", "--format", "json", &file]).json();
        let pair = &report["pairs"][0];
        assert_eq!(pair["equal_when"], *expected, "{text}");
        assert!(pair["rows"][0]["witness"].is_object(), "{pair}");
    }
}

/// The turns change the cells that later turns look at, or what they look for: what holds of all cells on entry does not tell.
#[test]
fn what_turns_change_is_not_taken_to_stay() {
    for (number, changed) in [
        "if (k + 1 < to) { a[k + 1] := a[k + 1] - 1; }",
        "if (to > 1) { a[to - 1] := -1; }",
        "if (a[k] == 7) { from := k - 1; k := from; a[from + 1] := -1; }",
    ]
    .iter()
    .enumerate()
    {
        let version = |bound: &str| {
            format!(
                "procedure lift(a: int[], from: int, to: int)
                   requires a != null && 0 <= from && to <= a.length;
                   modifies {{a}};
                 {{ var k: int := from; while (k < to) {{ if (a[k] < {bound}) {{ a[k] := 0; }} {changed} k := k + 1; }} }}"
            )
        };
        let text = format!("version before {}\nversion after {}\n", version("0"), version("-1"));
        let report = run(["diff", "--format", "json", &program(&format!("turns_change_{number}.l"), &text)]).json();
        let equal = report["pairs"][0]["equal_when"].as_str().unwrap_or_default();
        assert!(!equal.contains("a[j] != -1"), "{equal}: {text}");
    }
}

/// A loop that begins with the second cell leaves out what the first turn of the other does.
#[test]
fn a_loop_may_begin_one_turn_later() {
    let version = |begin: u32| {
        format!(
            "procedure place(a: int[], n: int, key: int) returns (found: int)
               requires a != null && 0 <= n && n <= a.length;
             {{ var at: int := {begin}; found := -1; while (at < n && found < 0) {{ if (a[at] == key) {{ found := at; }} at := at + 1; }} }}"
        )
    };
    let text = format!("version before {}\nversion after {}\n", version(0), version(1));
    let report = run(["diff", "--format", "json", &program("one_turn_later.l", &text)]).json();
    let pair = &report["pairs"][0];
    assert_eq!(
        [&pair["equal_when"], &pair["differs_when"]],
        ["n <= 0 || key != a[0]", "n >= 1 && key == a[0]"],
        "{pair}"
    );
    assert!(pair["open_when"].is_null(), "{pair}");
}

/// What is said to be equal of pairs that were written to make it wrong: claimed by the user it is never refuted.
#[test]
fn what_is_said_to_be_equal_is_not_refuted() {
    let cells = "requires a != null && b != null && 0 <= n && n <= a.length && n < b.length;";
    let attacks = [
        // The cells that are looked at may be those that are written.
        format!(
            "procedure p(a: int[], b: int[], n: int) returns (r: int) {cells}
             {{ var i: int := 0; while (i < n) {{ if (a[i] < HOW) {{ r := r + 1; }} b[i + 1] := 0; i := i + 1; }} }}"
        ),
        // Each step leaves another key behind for the next.
        "procedure p(a: int[], key: int, first: int, at: int) returns (r: bool)
           requires a != null && 0 <= first && at < a.length;
         { if (at + HOW > first) { if (a[at] == key) { r := true; return; } if (at > 0) { a[at - 1] := key; } r := p(a, key, first, at - 1); } }"
            .into(),
        // What the last call leaves is written over by all others but one.
        "global g: int;
         procedure p(n: int) { if (n <= 0) { g := HOW; return; } p(n - 1); if (n > 1) { g := 0; } }"
            .into(),
        // The end of the range comes nearer, and what is found is forgotten again.
        "procedure p(a: int[], n: int, key: int) returns (r: bool)
           requires a != null && 0 <= n && n <= a.length;
         { var i: int := 0; while (i < n) { r := a[i] + HOW > key; n := n - 1; i := i + 1; } }"
            .into(),
        // The first turn gives the second something to compare with.
        "procedure p(a: int[], n: int) returns (r: int)
           requires a != null && 0 < n && n <= a.length;
         { var i: int := HOW; var last: int := 0; while (i < n) { if (a[i] > last) { r := r + 1; } last := a[i]; i := i + 1; } }"
            .into(),
        // Turns go by two: a cell between them is never looked at, and the key moves along.
        "procedure p(a: int[], n: int, key: int) returns (r: bool)
           requires a != null && 0 <= n && n <= a.length;
         { var i: int := n - 1; while (i >= 0 && !r) { if (a[i] + HOW == key) { r := true; } key := key + 1; i := i - 2; } }"
            .into(),
    ];
    for (number, code) in attacks.iter().enumerate() {
        let (globals, code) = code.split_at(code.find("procedure").expect("there is a procedure"));
        let [before, after] = ["0", "1"].map(|way| code.replace("HOW", way));
        let text = format!("{globals}\nversion before {before}\nversion after {after}\n");
        let report = run(["diff", "--format", "json", &program(&format!("attack_{number}.l"), &text)]).json();
        let equal = report["pairs"][0]["equal_when"].as_str().expect("it is said").to_string();
        println!("{number}: {equal}");
        if equal == "false" {
            continue;
        }
        let claimed = program(&format!("attack_claimed_{number}.l"), &format!("equiv p ~ p when {equal};\n{text}"));
        let claims = run(["verify", "--format", "json", &claimed]).json();
        let claim = claims["pairs"].as_array().into_iter().flatten().find(|pair| pair["when"].is_string());
        let verdict = claim.map(|pair| pair["verdict"].clone()).unwrap_or_default();
        assert!(verdict == "equivalent" || verdict == "unknown", "{equal}: {claims}");
    }
}
