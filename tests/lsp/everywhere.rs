//! Every name of every program here: it can be asked about, and is declared under the same name.

use crate::client::{Client, covered};
use crate::common::root;
use lang_l::source::FileId;
use lang_l::token::{Token, lex};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_name_leads_to_a_declaration() {
    let mut client = Client::quick();
    let mut wrong = Vec::new();
    let mut names = 0;
    for file in ["examples", "tests"].iter().flat_map(|folder| files(&root().join(folder))) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        names += of_file(&mut client, &file, &text, &mut wrong);
    }
    assert!(names > 2_000 && wrong.is_empty(), "{names} names; {}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(client.end(), Some(0));
}

/// The programs in a folder and below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("it can be read");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    let all = paths.into_iter().flat_map(below);
    all.filter(|path| path.extension().is_some_and(|ending| ending == "l")).collect()
}

/// Asks at every name of a file. Returns how many there are.
fn of_file(client: &mut Client, file: &Path, text: &str, wrong: &mut Vec<String>) -> usize {
    let uri = format!("untitled:{}", file.display());
    client.open(&uri, text);
    let legal = client.diagnostics(&uri, 1).is_empty();
    let tokens = lex(FileId(0), text).tokens;
    let idents: Vec<usize> = (0..tokens.len()).filter(|&at| tokens[at].0 == Token::Ident).collect();
    let mut count = 0;
    for &at in &idents {
        let span = tokens[at].1;
        let name = &text[span.range()];
        let before = at.checked_sub(1).map(|at| tokens[at].0);
        let start = text[..span.start as usize].rfind('\n').map_or(0, |end| end + 1);
        let line = text[..span.start as usize].matches('\n').count();
        let place = (line, text[start..span.start as usize].encode_utf16().count());
        let declared = client.at("textDocument/definition", &uri, place);
        let declared: Vec<String> = declared.as_array().expect("a list").iter().map(|l| word(text, l)).collect();
        let uses = client.at("textDocument/references", &uri, place);
        let uses: Vec<String> = uses.as_array().expect("a list").iter().map(|l| word(text, l)).collect();
        let hover = client.at("textDocument/hover", &uri, place);
        let special = matches!(name, "length" | "old" | "fresh" | "reach");
        let label = matches!(before, Some(Token::Version | Token::VersionUpper));
        let missing = legal && !special && !label && (declared.is_empty() || uses.is_empty() || hover == Value::Null);
        if missing || declared.iter().chain(&uses).any(|other| other != name) {
            wrong.push(format!("{}:{}: {name}: {declared:?} {uses:?} {hover}", file.display(), line + 1));
        }
        count += 1;
    }
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    count
}

/// What stands at a location.
fn word(text: &str, location: &Value) -> String {
    let line = location["range"]["start"]["line"].as_u64().unwrap_or(0) as usize;
    let only = text.split('\n').nth(line).unwrap_or("").to_string();
    let mut range = location["range"].clone();
    range["start"]["line"] = json!(0);
    covered(&only, &range)
}
