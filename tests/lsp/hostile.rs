//! Whatever an editor sends, the server answers, and lives.

use crate::client::Client;
use crate::common::root;
use serde_json::{Value, json};
use std::fs;

const FILE: &str = "untitled:a.l";

const ABOUT_A_PLACE: [&str; 8] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/completion",
    "textDocument/prepareRename",
];

const ABOUT_A_DOCUMENT: [&str; 5] = [
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/formatting",
    "textDocument/codeLens",
    "textDocument/codeAction",
];

/// Asks everything at a place. Nothing may end in an error.
fn everything(client: &mut Client, at: (usize, usize)) {
    for method in ABOUT_A_PLACE {
        client.at(method, FILE, at);
    }
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": at.0, "character": at.1 } });
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    for method in ABOUT_A_DOCUMENT {
        let params = json!({ "textDocument": { "uri": FILE }, "range": range, "options": options, "context": { "diagnostics": [] } });
        client.request(method, params).unwrap_or_else(|error| panic!("{method}: {error}"));
    }
    let position = json!({ "line": at.0, "character": at.1 });
    let params = json!({ "textDocument": { "uri": FILE }, "position": position, "newName": "other" });
    if let Err(error) = client.request("textDocument/rename", params) {
        assert_eq!(error["code"], -32803, "{error}");
    }
}

#[test]
fn the_order_of_things_is_kept() {
    let mut client = Client::silent(&["--no-verify"]);
    let early = client.request("textDocument/hover", json!({})).expect_err("it is too early");
    assert_eq!(early["code"], -32002);
    client.request("initialize", json!({ "capabilities": {} })).expect("it can be initialised");
    let again = client.request("initialize", json!({ "capabilities": {} })).expect_err("once is enough");
    assert_eq!(again["code"], -32600);
    for (method, params, code) in [
        ("workspace/unheardOf", json!({}), -32601),
        ("", Value::Null, -32601),
        ("textDocument/hover", Value::Null, -32602),
        ("textDocument/hover", json!({ "textDocument": 3 }), -32602),
        (
            "textDocument/hover",
            json!({ "textDocument": { "uri": FILE }, "position": { "line": -1, "character": 0 } }),
            -32602,
        ),
        ("textDocument/rename", json!([1, 2]), -32602),
    ] {
        assert_eq!(client.request(method, params).expect_err("it is refused")["code"], code, "{method}");
    }
    // What is not open has nothing to say.
    assert_eq!(client.at("textDocument/hover", "file:///nowhere.l", (0, 0)), Value::Null);
    client.request("shutdown", Value::Null).expect("it shuts down");
    assert_eq!(client.request("textDocument/hover", json!({})).expect_err("it is too late")["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.status(), Some(0));
    // Whoever goes away without a word is noticed.
    assert_eq!(Client::silent(&[]).status(), Some(1));
    let mut rude = Client::quick();
    rude.notify("exit", Value::Null);
    assert_eq!(rude.status(), Some(1));
}

#[test]
fn bytes_that_are_no_messages_are_passed_over() {
    let mut client = Client::quick();
    for bytes in [
        &b"Content-Length: 5\r\n\r\n{\"a\":"[..],
        b"Content-Length: 4\r\n\r\n\xff\xfe\x00\x01",
        b"Content-Length: 2\r\n\r\n[]",
        b"garbage\r\n\r\n",
        b"Content-Length: -3\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n",
    ] {
        client.raw(bytes);
        let complaint = client.wait(|message| message["error"]["code"] == -32700);
        assert_eq!(complaint["id"], Value::Null);
    }
    client.raw(format!("Content-Length: 5000\r\n\r\n{}", "[".repeat(5000)).as_bytes());
    client.wait(|message| message["error"]["code"] == -32700);
    for odd in [
        json!({ "textDocument": { "uri": FILE } }),
        json!({ "textDocument": { "uri": FILE, "version": 1 }, "contentChanges": [{ "text": 4 }] }),
        json!(["x"]),
    ] {
        client.notify("textDocument/didOpen", odd.clone());
        client.notify("textDocument/didChange", odd);
    }
    client.open(FILE, "procedure p() { }");
    assert_eq!(client.diagnostics(FILE, 1), [] as [Value; 0]);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_interrupt_ends_it() {
    let client = Client::new();
    let id = client.id().to_string();
    let told = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(told.is_ok_and(|status| status.success()));
    // Where interrupts are ignored, as in the background of a shell, it ends because nobody speaks to it.
    let mut client = client;
    assert!(matches!(client.status(), None | Some(1)));
}

/// Numbers from a seed, for choices that are the same each time.
struct Choices(u64);

impl Choices {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

#[test]
fn any_text_and_any_place() {
    let mut client = Client::quick();
    let table = [
        "",
        "\u{feff}",
        "\0\0",
        "version version version",
        "procedure",
        "procedure p(",
        "class C { f: C[][][]; } global g: D; equiv p ~ p; version equiv q ~",
        "procedure p() { x. }",
        "procedure p() { x.y. := new ; call p(; }",
        "\r\r\n\n\u{2028}procedure p() {\r}",
        "procedure p(a, a) returns (a) { var a; a := a.a.a; }",
        "/* never closed",
        "procedure p() { \"text }",
    ];
    for (at, text) in table.iter().enumerate() {
        client.open(FILE, text);
        for place in [(0, 0), (0, 13), (2, 1), (4_000_000_000, 4_000_000_000), (0, 4_000_000_000)] {
            everything(&mut client, place);
        }
        assert!(at < table.len());
    }
    client.open(FILE, &("procedure p(b: bool) { b := ".to_string() + &"!(".repeat(5000)));
    everything(&mut client, (0, 60));
    assert_eq!(client.end(), Some(0));
}

/// Random edits of an example, with everything asked after each.
#[test]
fn random_edits() {
    let mut client = Client::quick();
    let mut choices = Choices(7);
    let text = fs::read_to_string(root().join("examples/tree_insert.l")).expect("it is there");
    client.open(FILE, &text);
    let pieces =
        ["", "}", "{", "procedure q(", ";", "😀", "x.left := ", "version c\n", "\"", "/*", "\r", "while (", "old("];
    for version in 2..150 {
        let mut place = || json!({ "line": choices.below(60), "character": choices.below(50) });
        let (start, end) = (place(), place());
        let piece = pieces[choices.below(pieces.len())];
        client.edit(FILE, version, json!([{ "range": { "start": start, "end": start }, "text": piece }]));
        if choices.below(4) == 0 {
            client.edit(FILE, version, json!([{ "range": { "start": start, "end": end }, "text": "" }]));
        }
        everything(&mut client, (choices.below(60), choices.below(50)));
        if choices.below(10) == 0 {
            client.change(FILE, version, &text);
        }
    }
    assert_eq!(client.end(), Some(0));
}
