//! Verdicts while one types: they arrive, stay where the code stays, and are given up where it goes.

use crate::client::{Client, place};
use crate::common::root;
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

const FILE: &str = "untitled:a.l";

fn example(name: &str) -> String {
    fs::read_to_string(root().join("examples").join(name)).expect("it is there")
}

#[test]
fn verdicts_arrive_with_what_corresponds() {
    let (mut client, _) = Client::with(&[], json!({ "workspace": { "codeLens": { "refreshSupport": true } } }));
    let text = example("tree_copy.l");
    client.open(FILE, &text);
    assert_eq!(client.diagnostics(FILE, 1), [] as [Value; 0]);
    let refresh = client.wait(|message| message["method"] == "workspace/codeLens/refresh");
    assert!(refresh["id"].is_string());
    let titles = client.verdicts(FILE);
    assert!(titles.iter().all(|title| title.starts_with("equivalent: ")) && titles.len() >= 2, "{titles:?}");
    let hover = client.at("textDocument/hover", FILE, place(&text, "copy(tree", 0));
    let said = hover["contents"]["value"].as_str().unwrap_or_default();
    assert!(said.contains("**equivalent**") && said.contains("corresponds to"), "{said}");
    // An allocation, and the one that corresponds to it.
    let (here, there) = (place(&text, "new Tree()", 0), place(&text, "new Tree()", 2));
    let found = client.at("textDocument/implementation", FILE, here);
    assert_eq!(found[0]["range"]["start"]["line"], there.0, "{found}");
    let hover = client.at("textDocument/hover", FILE, here);
    assert!(hover["contents"]["value"].as_str().unwrap_or_default().contains("this new corresponds to"), "{hover}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn what_differs_is_shown_at_the_procedure() {
    let mut client = Client::new();
    let text = example("wrong_field.l");
    client.open(FILE, &text);
    let found = client.wait(|message| {
        let found = &message["params"]["diagnostics"][0];
        found["code"] == "not-equivalent"
    });
    let first = &found["params"]["diagnostics"][0];
    assert_eq!(first["severity"], 3, "{first}");
    assert!(first["message"].as_str().unwrap_or_default().contains("first difference: rest is tree"), "{first}");
    assert!(client.verdicts(FILE)[0].starts_with("not-equivalent: "));
    // Lines move with the code.
    client.change(FILE, 2, &format!("// one\n// two\n// three\n{text}"));
    let hover = client.at("textDocument/hover", FILE, place(&format!("\n\n\n{text}"), "dropMin", 1));
    let said = hover["contents"]["value"].as_str().unwrap_or_default();
    assert!(said.contains("line 19: return tree.right;") && said.contains("line 31:  rest := tree.left;"), "{said}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_verdict_stays_with_its_code() {
    let mut client = Client::new();
    let text = "version a
procedure leaf(n: int) returns (r: int) { r := n + 1; }
procedure top(n: int) returns (r: int) { r := leaf(n); }
procedure other(n: int) returns (r: int) { r := n * 2; }
version b
procedure leaf(n: int) returns (r: int) { r := 1 + n; }
procedure top(n: int) returns (r: int) { r := leaf(n); }
procedure other(n: int) returns (r: int) { r := n + n; }
";
    client.open(FILE, text);
    assert!(client.verdicts(FILE).iter().all(|title| title.starts_with("equivalent")));
    // Comments and places change no verdict, so that nothing is verified.
    client.change(FILE, 2, &format!("// a comment\n\n{}", text.replace("\nprocedure other", "\n\n\nprocedure other")));
    assert!(client.lenses(FILE).iter().all(|title| title.starts_with("equivalent")));
    // A changed procedure has lost its own, and that of what calls it.
    client.change(FILE, 3, &text.replace("1 + n", "2 + n"));
    let now = client.lenses(FILE);
    assert_eq!(now.iter().filter(|title| !title.starts_with("equivalent")).count(), 4, "{now:?}");
    let now = client.verdicts(FILE);
    let counted = |word: &str| now.iter().filter(|title| title.starts_with(word)).count();
    assert_eq!((counted("not-equivalent: "), counted("equivalent: ")), (4, 2), "{now:?}");
    // What was known before is known again.
    client.change(FILE, 4, text);
    assert!(client.lenses(FILE).iter().all(|title| title.starts_with("equivalent")));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn work_on_code_that_is_gone_is_given_up() {
    let (mut client, _) = Client::with(&["--timeout", "600"], json!({}));
    let steps = "if (y.f > i) { x.f := x.f + y.f / (x.f + i); } ".repeat(200);
    let head = "procedure p(x, y: ref, i: int) returns (r: int) {";
    let slow = format!("version a {head} {steps} r := x.f; }}\nversion b {head} {steps} r := x.f + 0; }}");
    client.open(FILE, &slow);
    assert_eq!(client.diagnostics(FILE, 1), [] as [Value; 0]);
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(client.lenses(FILE)[0], "verifying …");
    let begun = Instant::now();
    client.change(FILE, 2, &format!("version a {head} r := i; }}\nversion b {head} r := i + 0; }} "));
    client.diagnostics(FILE, 2);
    assert!(begun.elapsed() < Duration::from_secs(10), "mistakes wait for nothing: {:?}", begun.elapsed());
    assert!(client.verdicts(FILE).iter().all(|title| title.starts_with("equivalent")));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn two_files_are_one_program() {
    let folder = std::env::temp_dir().join(format!("ape-lsp-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("it can be made");
    let (old, new) = (folder.join("x.old.l"), folder.join("x.new.l"));
    let text = "procedure p(n: int) returns (r: int) { r := n + n; }\n";
    fs::write(&old, format!("// old\n{text}")).expect("it can be written");
    fs::write(&new, text.replace("n + n", "2 * n")).expect("it can be written");
    let uri = |path: &std::path::Path| format!("file://{}", path.display());
    let mut client = Client::new();
    client.open(&uri(&new), &text.replace("n + n", "2 * n"));
    assert!(client.verdicts(&uri(&new))[0].starts_with("equivalent: "));
    let found = client.at("textDocument/implementation", &uri(&new), (0, 10));
    assert_eq!((&found[0]["uri"], &found[0]["range"]["start"]["line"]), (&json!(uri(&old)), &json!(1)));
    // What is wrong with the other file is said there.
    fs::write(&old, "procedure p(").expect("it can be written");
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri(&new) } }));
    let said = client.wait(|message| message["params"]["uri"] == uri(&old));
    assert!(!said["params"]["diagnostics"].as_array().expect("a list").is_empty());
    fs::remove_dir_all(&folder).expect("it can be removed");
    assert_eq!(client.end(), Some(0));
}
