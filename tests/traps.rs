//! Pairs that a careless prover gets wrong, each in a file of `traps/`.
//!
//! In each file `// exploits:` says which wrong step it invites, and `// expect: P verdict` (or `P~Q verdict`) what is right.
//! What is wrong here is to prove what differs or to refute what does not; that too little is proved, or that a difference
//! is not found, is counted and printed only.

use lang_l::source::Sources;
use prover::verdict::PairReport;
use prover::verify::{Config, contradicted, verify};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The verdicts a file expects, by `P` or `P~Q`.
fn expectations(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.strip_prefix("// expect: ")?.trim().rsplit_once(' ')).collect()
}

fn name_of(pair: &PairReport) -> String {
    if pair.left == pair.right { pair.left.clone() } else { format!("{}~{}", pair.left, pair.right) }
}

/// Whether `found` claims what is not so, when `wanted` is right.
fn is_wrong(wanted: &str, found: &str) -> bool {
    // What can at most be proved of a pair: `unknown` and a broken contract allow nothing to be proved.
    let provable: &[&str] = match wanted {
        "equivalent" => &["equivalent", "partially-equivalent"],
        "partially-equivalent" => &["partially-equivalent"],
        _ => &[],
    };
    match found {
        "equivalent" | "partially-equivalent" => !provable.contains(&found),
        // A pair that differs may break a contract as well, and either may be told.
        "not-equivalent" => wanted != "not-equivalent",
        "contract-violation" => !matches!(wanted, "not-equivalent" | "contract-violation"),
        _ => false,
    }
}

/// Verifies one file; adds what is wrong and what is not settled.
fn check(path: &Path, wrong: &mut Vec<String>, unsettled: &mut Vec<String>) {
    let text = fs::read_to_string(path).expect("a trap is readable");
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    assert!(text.starts_with("// exploits: "), "{file_name} does not say what it exploits");
    let mut sources = Sources::new();
    let file = sources.add(file_name.clone(), text.clone());
    let parsed = lang_l::parse::parse(file, &text);
    assert!(parsed.diagnostics.is_empty(), "{file_name}: {:?}", parsed.diagnostics);
    let unit = lang_l::resolve::resolve(&[&parsed.file]).unwrap_or_else(|wrong| panic!("{file_name}: {wrong:?}"));
    let report = verify(&unit, &Config::default());
    // The engines must not fall for it either, had a look at small stores not settled it first.
    for pair in contradicted(&unit, &report, &Config::default()) {
        wrong.push(format!("{file_name}: {} is refuted, and could have been proved", name_of(pair)));
    }
    let mut expected = expectations(&text);
    assert!(!expected.is_empty(), "{file_name} expects nothing");
    for pair in &report.pairs {
        let name = name_of(pair);
        let Some(wanted) = expected.remove(name.as_str()) else { continue };
        let found = pair.verdict.word();
        let line = format!("{file_name}: {name} is {found}, should be {wanted}");
        if is_wrong(wanted, found) {
            wrong.push(line);
        } else if wanted != found {
            unsettled.push(line);
        }
    }
    assert!(expected.is_empty(), "{file_name} expects a verdict on what is no pair: {expected:?}");
}

#[test]
fn no_trap_is_fallen_into() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/traps");
    let entries = fs::read_dir(folder).expect("the folder of traps");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "l"));
    paths.sort();
    assert!(paths.len() >= 60, "the traps are gone");
    let (mut wrong, mut unsettled) = (Vec::new(), Vec::new());
    for path in &paths {
        check(path, &mut wrong, &mut unsettled);
    }
    println!("{} traps, {} verdicts less than wanted:\n{}", paths.len(), unsettled.len(), unsettled.join("\n"));
    assert!(wrong.is_empty(), "wrong verdicts:\n{}", wrong.join("\n"));
}
