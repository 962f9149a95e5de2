//! The grammars for editors against the lexer and the parser of L, on every program in the repository.

mod kinds;
mod textmate;
mod tree;

#[path = "../common/mod.rs"]
mod common;

use lang_l::parse;
use lang_l::source::FileId;
use std::fs;
use std::path::PathBuf;

/// All programs of the repository, each with its text.
fn programs() -> Vec<(PathBuf, String)> {
    let mut open = ["examples", "lang-L", "prover", "tests"].map(|folder| common::root().join(folder)).to_vec();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be read").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.extension().is_some_and(|end| end == "l") {
                let text = fs::read(&entry).expect("a program can be read");
                found.extend(String::from_utf8(text).ok().map(|text| (entry, text)));
            }
        }
    }
    found.sort();
    assert!(found.len() > 500, "{} programs", found.len());
    found
}

/// Whether the parser of L takes a text.
fn is_well_formed(text: &str) -> bool {
    parse::parse(FileId(0), text).diagnostics.is_empty()
}
