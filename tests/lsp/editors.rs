//! What editors are given: grammars that know every keyword. `tests/neovim.rs` tries it in a real editor.

use crate::common::root;
use lang_l::token::Token;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

fn keywords() -> Vec<&'static str> {
    let all = Token::FIXED.iter().filter(|token| token.is_keyword());
    all.map(|token| token.text().trim_matches('`')).collect()
}

fn read(file: &str) -> String {
    let path = root().join("prover/editors").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_textmate_grammar_knows_every_keyword() {
    let grammar: Value = serde_json::from_str(&read("vscode/syntaxes/l.tmLanguage.json")).expect("it is JSON");
    let patterns = grammar["repository"]["words"]["patterns"].as_array().expect("it is a list");
    let mut known = BTreeSet::new();
    for pattern in patterns {
        let text = pattern["match"].as_str().expect("it is a pattern");
        let words = text.split_once("(?<![\\w'])(").and_then(|(_, rest)| rest.split_once(')')).expect("words").0;
        known.extend(words.split('|'));
    }
    let missing: Vec<&str> = keywords().into_iter().filter(|word| !known.contains(word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let more: Vec<&&str> = known.iter().filter(|word| !keywords().contains(*word)).collect();
    assert_eq!(more, [&"fresh", &"old", &"reach"]);
}

#[test]
fn the_colours_of_neovim_know_every_keyword() {
    let text = read("nvim/syntax/l.vim");
    let lines = text.lines().filter_map(|line| line.strip_prefix("syntax keyword "));
    let known: BTreeSet<&str> = lines.flat_map(|line| line.split_whitespace().skip(1)).collect();
    assert_eq!(known, keywords().into_iter().collect());
}

#[test]
fn the_extension_is_whole() {
    let package: Value = serde_json::from_str(&read("vscode/package.json")).expect("it is JSON");
    let _: Value = serde_json::from_str(&read("vscode/language-configuration.json")).expect("it is JSON");
    for file in [&package["main"], &package["contributes"]["grammars"][0]["path"]] {
        let name = file.as_str().expect("it is a name").trim_start_matches("./");
        assert!(!read(&format!("vscode/{name}")).is_empty());
    }
    assert_eq!(package["contributes"]["languages"][0]["extensions"][0], ".l");
}
