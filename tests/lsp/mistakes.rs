//! What is wrong with a text, where, and how it is mended.

use crate::client::{Client, covered};
use serde_json::{Value, json};

const FILE: &str = "untitled:a.l";

fn actions(client: &mut Client, text: &str) -> Vec<(String, String, String)> {
    let lines = text.lines().count();
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": lines, "character": 0 } });
    let params = json!({ "textDocument": { "uri": FILE }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.request("textDocument/codeAction", params).expect("there is a list");
    let all = actions.as_array().expect("it is a list").iter().map(|action| {
        let edit = &action["edit"]["changes"][FILE][0];
        let new = edit["newText"].as_str().expect("it has a text").to_string();
        (action["title"].as_str().unwrap_or_default().to_string(), covered(text, &edit["range"]), new)
    });
    all.collect()
}

#[test]
fn each_mistake_is_at_its_place_with_its_mend() {
    let mut client = Client::quick();
    let table = [
        ("procedure p() { /* 😀 */ x = 1; }", "E0103", "=", Some(("=", ":="))),
        ("procedure p(size: int) { x := 😀 + size; }", "E0001", "😀", None),
        (
            "procedure p(size: int) returns (r: int) {\n  /* ä😀 */ r := sizw;\n}",
            "E0201",
            "sizw",
            Some(("sizw", "size")),
        ),
        ("procedure p(n: int) { if (n = 1) { } }", "E0103", "=", Some(("=", "=="))),
        ("procedure p(a: bool) { var b := a & a; }", "E0001", "&", Some(("&", "&&"))),
        ("procedure p() {\n  x := 1\n  y := 2;\n}", "E0101", "1", Some(("", ";"))),
        ("procedure p(n: int) { if (n) { } }", "E0301", "n", None),
    ];
    for (version, (text, code, at, mend)) in table.into_iter().enumerate() {
        let version = version as i64 + 1;
        if version == 1 {
            client.open(FILE, text);
        } else {
            client.change(FILE, version, text);
        }
        let found = client.diagnostics(FILE, version);
        let first = found.iter().find(|one| one["code"] == code).unwrap_or_else(|| panic!("{text}: {found:?}"));
        assert_eq!((covered(text, &first["range"]).as_str(), &first["severity"]), (at, &json!(1)), "{text}");
        let mends = actions(&mut client, text);
        let wanted = mend.map(|(old, new)| (old.to_string(), new.to_string()));
        let offered =
            mends.iter().map(|(_, old, new)| (old.clone(), new.clone())).find(|one| Some(one) == wanted.as_ref());
        assert_eq!(offered, wanted, "{text}: {mends:?}");
    }
    client.change(FILE, 99, "procedure p() { }");
    assert_eq!(client.diagnostics(FILE, 99), [] as [Value; 0]);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn positions_are_counted_as_agreed() {
    let text = "procedure p() { /* 😀ä */ x = 1; }";
    for (offered, chosen, column) in [
        (json!(["utf-8", "utf-16"]), "utf-8", 31),
        (json!(["utf-16"]), "utf-16", 28),
        (json!(["utf-32", "utf-8"]), "utf-32", 27),
        (Value::Null, "utf-16", 28),
        (json!([7, "utf-7"]), "utf-16", 28),
    ] {
        let capabilities = json!({ "general": { "positionEncodings": offered } });
        let (mut client, answer) = Client::with(&["--no-verify"], capabilities);
        assert_eq!(answer["capabilities"]["positionEncoding"], chosen);
        client.open(FILE, text);
        let found = client.diagnostics(FILE, 1);
        assert_eq!(found[0]["range"]["start"]["character"], column, "{chosen}");
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn related_places_and_changes_in_the_middle() {
    let mut client = Client::quick();
    client.open(FILE, "procedure p(n: int) { }\nprocedure q() { p(true); }");
    let found = client.diagnostics(FILE, 1);
    let related = found[0]["relatedInformation"].as_array().expect("there are places");
    assert!(related.iter().any(|place| place["location"]["range"]["start"]["line"] == 0), "{found:?}");
    let range = |from: usize, to: usize| json!({ "start": { "line": 1, "character": from }, "end": { "line": 1, "character": to } });
    client.edit(
        FILE,
        2,
        json!([{ "range": range(18, 22), "text": "1" }, { "range": range(90, 91), "text": " // end" }]),
    );
    assert_eq!(client.diagnostics(FILE, 2), [] as [Value; 0]);
    // With the mark of byte order the columns of the first line are one larger.
    client.change(FILE, 3, "\u{feff}procedure p() { x = 1; }");
    assert_eq!(client.diagnostics(FILE, 3)[0]["range"]["start"]["character"], 19);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": FILE } }));
    let gone =
        client.wait(|m| m["method"] == "textDocument/publishDiagnostics" && m["params"].get("version").is_none());
    assert_eq!(gone["params"]["diagnostics"], json!([]));
    assert_eq!(client.end(), Some(0));
}
