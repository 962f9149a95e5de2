//! `ape client` on the suites beside the repository and on our own examples: every verdict is the one that is expected, or it is
//! known to be open.
//!
//! A row `client` of an `expected.tsv` has the verdicts that are right of a client, joined by `|`. One that is `unknown` must stand in
//! `tests/client_open.tsv`, which only shrinks. Any other verdict is *wrong*: never allowed.
//!
//! Suites that are absent are *ignored*. So are, unless `-- --include-ignored` asks for them, those of the papers: they take long.

mod common;

use common::{ape, complain, on_a_large_stack, root, scratch};
use libtest_mimic::{Arguments, Completion, Trial};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The suites, below the folder beside the repository.
const SUITES: [&str; 2] = ["clever/own", "clever/paper"];
/// The most lines of a report of one client.
const LINES: usize = 30;

/// What is expected of one client.
struct Expected {
    client: String,
    key: String,
    value: String,
}

fn main() -> ExitCode {
    let mut tests = vec![
        Trial::test("examples", || complain(examples())),
        Trial::test("three files", || complain(three_files())),
        Trial::test("reports", || complain(reports())),
        Trial::test("boundaries", || complain(boundaries())),
        Trial::test("needs", || complain(needs())),
        Trial::test("reached", || complain(reached())),
        Trial::test("escapes", || complain(escapes())),
        Trial::test("rounds", || complain(rounds())),
        Trial::test("look-alikes", || complain(look_alikes())),
        Trial::test("laws", || complain(laws())),
        Trial::test("usage", || complain(usage())),
    ];
    for suite in SUITES {
        let folder = root().join("../shared/suites").join(suite);
        let rows = expected(&folder);
        if rows.is_empty() {
            tests.push(Trial::ignorable_test(suite, || Ok(Completion::ignored_with("the suite is absent"))));
        }
        for (file, rows) in rows {
            let (path, name) = (folder.join(&file), format!("{suite}/{file}"));
            let label = name.clone();
            let run = move || complain(on_a_large_stack(move || check(&path, &label, &rows)));
            tests.push(Trial::test(name, run).with_ignored_flag(true));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// The rows of a suite about clients, by file.
fn expected(folder: &Path) -> BTreeMap<String, Vec<Expected>> {
    let table = fs::read_to_string(folder.join("expected.tsv")).unwrap_or_default();
    let mut found: BTreeMap<String, Vec<Expected>> = BTreeMap::new();
    for line in table.lines() {
        let cells: Vec<String> = line.split('\t').take(4).map(str::to_string).collect();
        if let Ok([file, client, key, value]) = <[String; 4]>::try_from(cells)
            && matches!(key.as_str(), "client" | "calls_reached")
        {
            found.entry(file).or_default().push(Expected { client, key, value });
        }
    }
    found
}

/// What is wrong with what is said of the clients of one file.
fn check(path: &Path, name: &str, rows: &[Expected]) -> Vec<String> {
    let known = fs::read_to_string(root().join("tests/client_open.tsv")).unwrap_or_default();
    let report = json(path, &[]);
    let mut wrong = Vec::new();
    for Expected { client, key, value } in rows {
        let Some(found) = one(&report, client) else {
            wrong.push(format!("{name}: {client} is not reported"));
            continue;
        };
        let label = format!("{name}\t{client}");
        let open = known.lines().any(|line| line == label);
        match key.as_str() {
            "calls_reached" => {
                let calls = found["calls"].as_array().into_iter().flatten();
                let reached = calls.filter(|call| call["reached"] != false).count();
                if reached.to_string() != *value {
                    wrong.push(format!("{label}: {reached} calls are reached"));
                }
            }
            _ => {
                let verdict = found["verdict"].as_str().unwrap_or_default();
                match (value.split('|').any(|right| right == verdict), verdict, open) {
                    (true, _, false) | (false, "unknown", true) => {}
                    (true, _, true) => wrong.push(format!("{label} is known: take it out of tests/client_open.tsv")),
                    _ => wrong.push(format!("{label}: {verdict}, and not {value}")),
                }
                wrong.extend(consistent(found).into_iter().map(|what| format!("{label}: {what}")));
            }
        }
    }
    wrong
}

/// What contradicts itself in what is said of one client.
fn consistent(client: &Json) -> Vec<String> {
    let mut wrong = Vec::new();
    let boundaries = client["boundaries"].as_array().map_or(0, Vec::len);
    for call in client["calls"].as_array().into_iter().flatten() {
        let contained = call["contained_by"].as_u64();
        if client["verdict"] == "equivalent" && contained.is_none() && call["reached"] != false {
            wrong.push(format!("the call in line {} is contained by nothing", call["line"]));
        }
        if let Some(at) = contained {
            let boundary = &client["boundaries"][usize::try_from(at).unwrap_or(usize::MAX)];
            if usize::try_from(at).map_or(true, |at| at >= boundaries) || boundary["verdict"] != "equivalent" {
                wrong.push(format!("the call in line {} is contained by what does not hold", call["line"]));
            }
        }
    }
    if client["verdict"] == "not-equivalent" && client["counterexample"].is_null() {
        wrong.push("it has no counterexample".into());
    }
    wrong
}

/// The report on a file, with more arguments.
fn json(path: &Path, more: &[&str]) -> Json {
    let mut words: Vec<&std::ffi::OsStr> = vec!["client".as_ref(), "--format".as_ref(), "json".as_ref()];
    words.push(path.as_os_str());
    words.extend(more.iter().map(|word| std::ffi::OsStr::new(*word)));
    ape(words).json()
}

fn one<'j>(report: &'j Json, client: &str) -> Option<&'j Json> {
    report["clients"].as_array()?.iter().find(|one| one["client"] == client)
}

/// Each example of clients is told as its name says; what it says is what `verify` says, and the counterexample can be run.
fn examples() -> Vec<String> {
    let mut wrong = Vec::new();
    for (file, client, verdict) in [
        ("client_zero_digits.l", "plain", "equivalent"),
        ("client_scratch_field.l", "publish", "equivalent"),
        ("client_scratch_field.l", "preview", "not-equivalent"),
        ("client_late_fee.l", "bill", "not-equivalent"),
    ] {
        let path = root().join("examples").join(file);
        let report = json(&path, &["--client", client]);
        let Some(found) = one(&report, client) else {
            wrong.push(format!("{file}: {client} is not reported"));
            continue;
        };
        if found["verdict"] != verdict {
            wrong.push(format!("{file}: {client} is {}", found["verdict"]));
        }
        wrong.extend(consistent(found).into_iter().map(|what| format!("{file}: {what}")));
        if verdict == "not-equivalent" {
            let store = scratch(&format!("client_{client}.json"), &found["counterexample"].to_string());
            let outcomes = ["0", "1"].map(|version| {
                let words =
                    ["run", &path.to_string_lossy(), client, "--version", version, "--store", &store.to_string_lossy()]
                        .map(String::from);
                ape(words).out
            });
            if outcomes[0] == outcomes[1] {
                wrong.push(format!("{file}: both versions do the same on the counterexample of {client}"));
            }
        }
    }
    wrong
}

/// A client in a file of its own, with an old library and a new one, is what a pair file with all of it is.
fn three_files() -> Vec<String> {
    let client = scratch("client_alone.l", "procedure use(n: int) returns (m: int) { if (n > 0) { m := sign(n); } }");
    let old = scratch("client_old.l", "procedure sign(n: int) returns (s: int) { if (n > 0) { s := 1; } }");
    let new = scratch("client_new.l", "procedure sign(n: int) returns (s: int) { s := n > 0 ? 1 : -1; }");
    let ran = ape([
        "client".as_ref(),
        client.as_os_str(),
        old.as_os_str(),
        new.as_os_str(),
        "--format".as_ref(),
        "json".as_ref(),
    ]);
    let report = ran.json();
    let found = one(&report, "use").cloned().unwrap_or_default();
    let mut wrong = consistent(&found);
    if found["verdict"] != "equivalent" || ran.status != Some(0) {
        wrong.push(format!("{found:#}"));
    }
    if found["library"][0]["verdict"] != "not-equivalent" || found["calls"][0]["line"] != 1 {
        wrong.push(format!("{found:#}"));
    }
    wrong
}

/// The text of each example fits on a page.
fn reports() -> Vec<String> {
    let mut wrong = Vec::new();
    for file in common::programs(&root().join("examples")) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with("client_") {
            continue;
        }
        let ran = ape(["client".as_ref(), file.as_os_str()]);
        let clients = ran.out.lines().filter(|line| !line.starts_with(' ')).count().max(1);
        if ran.out.lines().count() > LINES * clients {
            wrong.push(format!("{name}: {} lines", ran.out.lines().count()));
        }
    }
    wrong
}

/// What contains a call, on small programs: the traps of analyses of clients.
fn boundaries() -> Vec<String> {
    let library = "version a procedure lib(n: int) returns (r: int) { r := n; } \
                   version b procedure lib(n: int) returns (r: int) { r := n > 9 ? 0 : n; }";
    let cases = [
        // The result is live in a later turn.
        (
            "procedure f(n: int) returns (s: int) { i := 0; while (i < n) { s := lib(i); i := i + 1; } }",
            "not-equivalent",
            "",
        ),
        // It is dead at once.
        ("procedure f(n: int) returns (s: int) { x := lib(n); x := 0; s := x; }", "equivalent", "call"),
        // A test hides it, within a loop.
        (
            "procedure f(n: int) returns (s: int) { i := 0; while (i < n) { if (lib(i) < 0) { s := s + 1; } i := i + 1; } }",
            "equivalent",
            "branch",
        ),
        // A return leaves the statements.
        ("procedure f(n: int) returns (s: int) { if (n < 5) { return lib(n); } s := 1; }", "equivalent", "client"),
        // It goes into the heap, and is overwritten there.
        (
            "procedure f(c: int[], n: int) { if (c != null && c.length > 0) { c[0] := lib(n); c[0] := 1; } }",
            "equivalent",
            "branch",
        ),
        // It goes into the heap under another name.
        ("procedure f(c: int[], d: int[], n: int) { c[0] := lib(n); d[0] := 1; }", "not-equivalent", ""),
        // Two calls of one value cancel.
        ("procedure f(n: int) returns (s: int) { x := lib(n); y := lib(n); s := x - y; }", "equivalent", "client"),
        // It leaves the statements by a break.
        (
            "procedure f(n: int) returns (s: int) { while (n < 5) { if (lib(n) < 0) { break; } n := n + 1; s := n; } }",
            "equivalent",
            "client",
        ),
    ];
    let mut wrong = Vec::new();
    for (at, (client, verdict, kind)) in cases.into_iter().enumerate() {
        let path = scratch(&format!("client_boundary_{at}.l"), &format!("{client}\n{library}\n"));
        let report = json(&path, &[]);
        let found = one(&report, "f").cloned().unwrap_or_default();
        wrong.extend(consistent(&found).into_iter().map(|what| format!("{client}: {what}")));
        if found["verdict"] != verdict {
            wrong.push(format!("{client}: {}, and not {verdict}", found["verdict"]));
        }
        let by = found["calls"][0]["contained_by"].as_u64().and_then(|at| usize::try_from(at).ok());
        let by = by.map_or("", |at| found["boundaries"][at]["kind"].as_str().unwrap_or_default());
        if verdict == "equivalent" && by != kind {
            wrong.push(format!("{client}: contained by {by:?}, and not by {kind:?}"));
        }
    }
    wrong
}

/// What a boundary needs of a call is said of one that a run comes to once: in a loop each turn has a value of its own. And what holds at a
/// call holds at each.
fn needs() -> Vec<String> {
    let library = |[old, new]: [&str; 2]| {
        let of = |value: &str| format!("procedure lib(n: int) returns (r: int) {{ r := {value}; }}");
        format!("version a {} version b {}", of(old), of(new))
    };
    let (far, odd) = (["n", "n > 9 ? n + 1 : n"], ["1", "3"]);
    let cases = [
        (
            "procedure f(n: int) returns (c: int) { if (n > 3) { t := lib(n); if (t == 0) { c := 1; } } }",
            far,
            true,
            "n > 3",
        ),
        (
            "procedure f(n: int) returns (c: int, s: int) { if (n > 0) { i := 0; l := 0; while (i < 2) \
             { t := lib(i); if (t == 0) { c := c + 1; } l := l + t; i := i + 1; } s := l % 2; } }",
            odd,
            false,
            "n > 0 && i < 2",
        ),
        (
            "procedure f(n: int) returns (c: int) { if (n > 3) { while (lib(n) > 3) { n := n - 1; } c := 1; } }",
            far,
            false,
            "true",
        ),
        (
            "global g: int; procedure next() returns (r: int) { g := g - 1; r := g; } \
             procedure f() returns (c: int) { if (g > 3) { t := lib(next()); if (t == 0) { c := 1; } } }",
            far,
            true,
            "true",
        ),
    ];
    let mut wrong = Vec::new();
    for (at, (client, values, needed, when)) in cases.into_iter().enumerate() {
        let report = json(&scratch(&format!("client_needs_{at}.l"), &format!("{client}\n{}\n", library(values))), &[]);
        let found = one(&report, "f").cloned().unwrap_or_default();
        let call = &found["calls"][0];
        let boundaries = found["boundaries"].as_array().into_iter().flatten();
        let needs =
            boundaries.chain(found["calls"].as_array().into_iter().flatten()).any(|own| !own["needs"].is_null());
        if found["verdict"] != "equivalent" || call["called_when"] != when || needs != needed {
            wrong.push(format!("{client}: {found:#}"));
        }
    }
    wrong
}

/// A call is reached where a run makes it: not where its arguments err, nor where what comes before it in its statement does without it.
fn reached() -> Vec<String> {
    let library = "version a procedure lib(n: int) returns (r: int) { r := n; } \
                   version b procedure lib(n: int) returns (r: int) { r := n + 1; }";
    let cases = [
        ("class C { v: int; } procedure f(x: C) returns (r: int) { if (x == null) { r := lib(x.v); } }", false),
        ("procedure f(n: int) returns (r: int) { r := lib(n / (n - n)); }", false),
        (
            "procedure f(n: int) returns (r: int) { while (n > 5) { n := n - 1; r := lib(g(n)); } r := 1; } \
             procedure g(n: int) returns (r: int) { assert n < 0; r := n; }",
            false,
        ),
        ("procedure f(n: int) returns (r: int) { if (n > 3 && n < 3 && lib(n) > 0) { r := 1; } }", false),
        ("procedure f(n: int) returns (r: int) { if (n > 3 && lib(n) > 0) { r := 1; } }", true),
        ("procedure f(n: int) returns (r: int) { r := 3 / n - lib(2 / (n - 1)); r := 1; }", true),
    ];
    let mut wrong = Vec::new();
    for (at, (client, reached)) in cases.into_iter().enumerate() {
        let report = json(&scratch(&format!("client_reached_{at}.l"), &format!("{client}\n{library}\n")), &[]);
        let found = one(&report, "f").cloned().unwrap_or_default();
        if found["calls"][0]["reached"] != reached {
            wrong.push(format!("{client}: {found:#}"));
        }
    }
    wrong
}

/// What was outlined in one round is not taken for what is outlined in the next, where some of the first was not proved: versions
/// that differ from a store far away are not said to be equal.
fn rounds() -> Vec<String> {
    let far = |value: u8| format!("procedure lib(n: int) {{ if (n * n * n == 1879080904) {{ g := {value}; }} }}");
    let far = format!("version a {} version b {}", far(1), far(2));
    let near = "version a procedure lib(n: int) returns (r: int) { r := n; g := n; } \
        version b procedure lib(n: int) returns (r: int) { r := n; g := r * r; }";
    let cases = [
        (&far[..], false, "procedure f(n: int) { if (n > 0) { lib(n); h := 0; } lib(n - n + 1); }"),
        (
            &far[..],
            false,
            "procedure f(n: int) { if (n > 0) { lib(n); h := 1; } lib(3); if (n > 1) { lib(n); h := 2; } }",
        ),
        (near, true, "procedure f(n: int) { i := 0; while (i < n) { y := lib(0 - n); z := lib(1); i := i + 1; } }"),
    ];
    let mut wrong = Vec::new();
    for (at, (library, equal, client)) in cases.into_iter().enumerate() {
        let text = format!("global g: int; global h: int; {client} {library}");
        let found = one(&json(&scratch(&format!("client_round_{at}.l"), &text), &[]), "f").cloned().unwrap_or_default();
        if found.is_null() || (found["verdict"] == "equivalent") != equal {
            wrong.push(format!("{client}: {found:#}"));
        }
    }
    wrong
}

/// A procedure that has the code of a boundary in one version alone is not taken for it.
fn look_alikes() -> Vec<String> {
    let text = "procedure f(n: int) returns (s: int) { t := wrap(n); s := lib(n); s := s + t; }
        version a procedure lib(n: int) returns (r: int) { r := n; }
        procedure wrap(n: int) returns (s: int) { s := lib(n); }
        version b procedure lib(n: int) returns (r: int) { r := n + 1; }
        procedure wrap(n: int) returns (s: int) { s := lib(n); s := s - 1; }";
    let report = json(&scratch("client_look_alike.l", text), &["--boundaries"]);
    let found = one(&report, "f").cloned().unwrap_or_default();
    let tried = || found["boundaries"].as_array().into_iter().flatten().filter(|one| one["kind"] != "call");
    let library = found["calls"].as_array().into_iter().flatten().find(|call| call["callee"] == "lib");
    let contained = library.is_none_or(|call| !call["contained_by"].is_null());
    if found["verdict"] != "not-equivalent" || contained || tried().any(|one| one["verdict"] == "equivalent") {
        return vec![format!("{found:#}")];
    }
    Vec::new()
}

/// What `client` says of a whole client is what `verify` says of it, wherever both say something.
fn laws() -> Vec<String> {
    let mut wrong = Vec::new();
    for file in common::programs(&root().join("examples")) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with("client_") {
            continue;
        }
        let verified = common::verify(&[&file], &[]).json();
        for client in json(&file, &[])["clients"].as_array().into_iter().flatten() {
            let pairs = verified["pairs"].as_array().into_iter().flatten();
            let verdicts: Vec<&str> = pairs
                .filter(|pair| pair["left"] == client["client"])
                .filter_map(|pair| pair["verdict"].as_str())
                .chain(client["verdict"].as_str())
                .collect();
            if verdicts.contains(&"equivalent") && verdicts.contains(&"not-equivalent") {
                wrong.push(format!("{name}: {} is {verdicts:?}", client["client"]));
            }
        }
    }
    wrong
}

/// What cannot be asked is said to be so, with status 2, and nothing to look at with 4.
fn usage() -> Vec<String> {
    let file = root().join("examples/client_late_fee.l");
    let file = file.to_string_lossy().into_owned();
    let swap = root().join("examples/account.l").to_string_lossy().into_owned();
    let mut wrong = Vec::new();
    for (words, status, says) in [
        (vec!["client", &file, "--client", "fee"], 2, "fee is not the same code in both versions"),
        (vec!["client", &file, "--client", "nobody"], 2, "there is no procedure nobody"),
        (vec!["client", &swap], 4, ""),
    ] {
        let ran = ape(&words);
        if ran.status != Some(status) || !ran.err.contains(says) {
            wrong.push(format!("{words:?}: status {:?}, {}", ran.status, ran.err));
        }
    }
    wrong
}

/// What a client is told of is the first call that the versions do not share, not one that only one of them makes.
fn escapes() -> Vec<String> {
    let text = "global g: int;
        procedure top(n: int) returns (x: int) { lib(n); if (g == 1) { x := one(); } else { x := two(); } }
        procedure one() returns (r: int) { r := 10; }
        procedure two() returns (r: int) { r := 20; }
        version before procedure lib(n: int) { g := 1; }
        version after procedure lib(n: int) { g := 2; }";
    let report = json(&scratch("client_escapes.l", text), &[]);
    let escape = one(&report, "top").map(|own| own["escape"].clone()).unwrap_or_default();
    if escape["callee"] == "lib" && escape["left"] == escape["right"] { Vec::new() } else { vec![escape.to_string()] }
}
