//! What an editor can ask of a text.

use crate::client::{Client, place};
use crate::common::root;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

const FILE: &str = "untitled:a.l";

const PAIR: &str = "class Node { next: Node; item: int; }
global made: int;

// Counts
// things.
version old

procedure sum(list: Node) returns (total: int)
  requires list != null;
  ensures total == total;
{
  var node := list;
  while (node != null) {
    total := total + node.item;
    node := node.next;
  }
}

procedure twice(list: Node) returns (r: int) { r := sum(list); made := made + 1; }

version later

procedure sum(list: Node) returns (total: int)
  requires list != null;
{
  node := list;
  while (node != null) { total := node.item + total; node := node.next; }
}

procedure twice(list: Node) returns (r: int) { r := sum(list); made := 1 + made; }
";

fn opened() -> Client {
    let mut client = Client::quick();
    client.open(FILE, PAIR);
    assert_eq!(client.diagnostics(FILE, 1), [] as [Value; 0]);
    client
}

fn text_of(hover: &Value) -> String {
    hover["contents"]["value"].as_str().unwrap_or_default().to_string()
}

#[test]
fn hover_tells_types_and_contracts() {
    let mut client = opened();
    let table = [
        ("node := list", 0, "node: Node"),
        ("node.item", 0, "local of `sum`"),
        ("item;", 0, "Node.item: int"),
        ("made :=", 0, "global made: int"),
        ("Node)", 0, "class Node { next: Node; item: int; }"),
        (
            "sum(list);",
            0,
            "procedure sum(list: Node) returns (total: int)\n  requires list != null;\n  ensures total == total;",
        ),
        ("+ node", 0, "total + node.item: int"),
        ("!= null)", 0, "node != null: bool"),
    ];
    for (word, nth, right) in table {
        let hover = client.at("textDocument/hover", FILE, place(PAIR, word, nth));
        assert!(text_of(&hover).contains(right), "{word}: {hover}");
    }
    assert_eq!(client.at("textDocument/hover", FILE, place(PAIR, "version", 0)), Value::Null);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn definitions_references_and_counterparts() {
    let mut client = opened();
    let lines = |places: &Value| -> Vec<u64> {
        let all = places.as_array().expect("it is a list").iter();
        all.map(|place| place["range"]["start"]["line"].as_u64().expect("a line")).collect()
    };
    let line = |word: &str, nth: usize| place(PAIR, word, nth).0 as u64;
    let call = place(PAIR, "sum(list);", 0);
    assert_eq!(lines(&client.at("textDocument/definition", FILE, call)), [line("sum(list: Node)", 0)]);
    assert_eq!(lines(&client.at("textDocument/implementation", FILE, call)), [line("sum(list: Node)", 1)]);
    let local = place(PAIR, "node.item", 0);
    assert_eq!(lines(&client.at("textDocument/definition", FILE, local)), [line("var node", 0)]);
    assert_eq!(lines(&client.at("textDocument/declaration", FILE, local)), [line("  node := list", 0)]);
    let field = place(PAIR, "item;", 0);
    assert_eq!(lines(&client.at("textDocument/definition", FILE, field)), [0]);
    assert_eq!(lines(&client.at("textDocument/references", FILE, field)).len(), 3);
    assert_eq!(lines(&client.at("textDocument/references", FILE, place(PAIR, "made", 0))).len(), 5);
    let marked = client.at("textDocument/documentHighlight", FILE, local);
    let writes = marked.as_array().expect("a list").iter().filter(|one| one["kind"] == 3).count();
    assert_eq!((marked.as_array().map(Vec::len), writes), (Some(5), 1));
    assert_eq!(client.end(), Some(0));
}

/// The text after a rename, or what was said against it.
fn renamed(client: &mut Client, at: (usize, usize), name: &str) -> Result<String, String> {
    let position = json!({ "line": at.0, "character": at.1 });
    let params = json!({ "textDocument": { "uri": FILE }, "position": position, "newName": name });
    let edit = client.request("textDocument/rename", params);
    let edit = edit.map_err(|error| error["message"].as_str().unwrap_or_default().to_string())?;
    let mut lines: Vec<String> = PAIR.lines().map(str::to_string).collect();
    let edits = edit["changes"][FILE].as_array().expect("there are changes");
    for one in edits.iter().rev() {
        let number = |end: &str, what: &str| one["range"][end][what].as_u64().expect("a number") as usize;
        let text = one["newText"].as_str().expect("a text");
        lines[number("start", "line")].replace_range(number("start", "character")..number("end", "character"), text);
    }
    Ok(lines.join("\n") + "\n")
}

#[test]
fn names_are_changed_where_that_changes_no_meaning() {
    let mut client = opened();
    let local = place(PAIR, "node.item", 0);
    let after = renamed(&mut client, local, "at").expect("it can be renamed");
    assert!(after.contains("var at := list;") && after.contains("at := at.next;") && after.contains("  node := list;"));
    let after = renamed(&mut client, place(PAIR, "sum(list);", 0), "add").expect("it can be renamed");
    assert_eq!((after.matches("add(").count(), after.matches("sum(").count()), (2, 2));
    let after = renamed(&mut client, place(PAIR, "item", 0), "value").expect("it can be renamed");
    assert_eq!((after.matches("value").count(), after.matches("item").count()), (3, 0));
    for (at, name, why) in [
        (local, "list", "`list` cannot be the name: `list` is already a variable here"),
        (place(PAIR, "node := list", 1), "made", "expected `int`, found `Node`"),
        (place(PAIR, "made", 0), "r", "taken"),
        (local, "while", "keyword"),
        (local, "2x", "no name"),
        (local, "", "no name"),
        (local, "a b", "no name"),
        (place(PAIR, "item", 0), "next", "declared twice"),
        (place(PAIR, "item", 0), "length", "arrays"),
        (place(PAIR, "sum(list);", 0), "twice", "declared twice"),
        (place(PAIR, "sum(list);", 0), "old", "contracts"),
        (place(PAIR, "version", 0), "x", "no name here"),
    ] {
        let refused = renamed(&mut client, at, name).expect_err("it is refused");
        assert!(refused.contains(why), "{name}: {refused}");
    }
    assert_eq!(client.at("textDocument/prepareRename", FILE, local)["placeholder"], "node");
    assert_eq!(client.at("textDocument/prepareRename", FILE, place(PAIR, "version", 0)), Value::Null);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn outline_folds_and_completion() {
    let mut client = opened();
    let document = json!({ "textDocument": { "uri": FILE } });
    let symbols = client.request("textDocument/documentSymbol", document.clone()).expect("there are symbols");
    let names: Vec<&str> = symbols.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["Node", "made", "version old", "version later"]);
    assert_eq!(symbols[2]["children"][1]["name"], "twice");
    let folds = client.request("textDocument/foldingRange", document).expect("there are folds");
    let folds: Vec<(u64, u64)> = folds
        .as_array()
        .expect("a list")
        .iter()
        .map(|fold| (fold["startLine"].as_u64().unwrap_or(0), fold["endLine"].as_u64().unwrap_or(0)))
        .collect();
    assert!(folds.contains(&(3, 4)) && folds.contains(&(12, 15)) && folds.contains(&(7, 16)), "{folds:?}");

    let half = PAIR.replace("node := node.next;\n  }\n}\n\nprocedure twice", "node.\n  }\n}\n\nprocedure twice");
    client.change(FILE, 2, &half);
    let labels = |found: &Value| -> Vec<String> {
        found.as_array().expect("a list").iter().filter_map(|one| one["label"].as_str()).map(str::to_string).collect()
    };
    let (line, column) = place(&half, "node.\n", 0);
    assert_eq!(labels(&client.at("textDocument/completion", FILE, (line, column + 5))), ["item", "next"]);
    let found = labels(&client.at("textDocument/completion", FILE, (line, column)));
    for word in ["node", "list", "total", "made", "twice", "sum", "while", "invariant"] {
        assert!(found.contains(&word.to_string()), "{word}: {found:?}");
    }
    assert!(!found.contains(&"r".to_string()) && !found.contains(&"item".to_string()), "{found:?}");
    let (line, column) = place(&half, "things", 0);
    assert_eq!(client.at("textDocument/completion", FILE, (line, column)), json!([]));
    assert_eq!(client.end(), Some(0));
}

/// What a formatted text looks like is what `ape fmt` makes of it.
#[test]
fn formatting_is_that_of_fmt() {
    let mut client = Client::quick();
    let text = "// a\nprocedure   p( n:int ){x:=n+1; if(n>0){y:=😀;}}".replace('😀', "n");
    client.open(FILE, &text);
    let params = json!({ "textDocument": { "uri": FILE }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", params.clone()).expect("there is a change");
    let folder = std::env::temp_dir().join(format!("ape-lsp-fmt-{}.l", std::process::id()));
    fs::write(&folder, &text).expect("it can be written");
    let done = Command::new(env!("CARGO_BIN_EXE_ape")).current_dir(root()).arg("fmt").arg(&folder).status();
    assert!(done.is_ok_and(|status| status.success()));
    let right = fs::read_to_string(&folder).expect("it can be read");
    fs::remove_file(&folder).expect("it can be removed");
    client.edit(FILE, 2, json!([{ "range": edits[0]["range"], "text": edits[0]["newText"] }]));
    assert_eq!(client.request("textDocument/formatting", params.clone()).expect("a list"), json!([]));
    client.change(FILE, 3, &right);
    assert_eq!(client.request("textDocument/formatting", params.clone()).expect("a list"), json!([]));
    client.change(FILE, 4, "procedure p( {");
    assert_eq!(client.request("textDocument/formatting", params).expect("a list"), json!([]));
    assert_eq!(client.end(), Some(0));
}
