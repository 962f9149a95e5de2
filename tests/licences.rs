//! `THIRD-PARTY-LICENSES.txt` names every crate that `ape` is linked with, and has the licences of all.
//!
//! `APE_BLESS=1 cargo test -p ape-cli --test licences` makes it anew, from what cargo says and from the files of the crates. And
//! `deny.toml` allows every crate that is used.

mod common;

use common::root;
use serde_json::Value as Json;
use spdx::{Expression, Licensee, ParseMode};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The file, from the root of the repository.
const FILE: &str = "THIRD-PARTY-LICENSES.txt";
/// What the lines of crates begin with.
const CRATE: &str = "crate ";
/// What a part with a text begins with.
const PART: &str = "==== ";
/// What names of files with licences begin with, in small letters.
const NAMES: [&str; 5] = ["license", "licence", "copying", "unlicense", "notice"];
/// Fewer bytes are no licence.
const LICENCE: usize = 500;
/// The systems that `ape` is made for; each may need other crates.
const SYSTEMS: [&str; 4] =
    ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin"];

/// A crate: its name, and its version.
type Crate = (String, String);

fn cargo(args: &[&str]) -> String {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).current_dir(root()).args(args).output().expect("cargo can be started");
    assert!(output.status.success(), "cargo {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

/// The crates of others that become part of `ape`, with their licences: neither those that only build or test, nor macros.
fn linked(more: &[&str]) -> BTreeMap<Crate, String> {
    crates(&[&["-p", "ape-cli", "-e", "normal,no-proc-macro"], more].concat())
}

/// The crates of others in a tree of cargo, with their licences.
fn crates(of: &[&str]) -> BTreeMap<Crate, String> {
    let tree = ["tree", "--locked", "--prefix", "none", "--format", "{p}|{l}"];
    let text = cargo(&[&tree, of].concat());
    let mut crates = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (name, licence) = line.split_once('|').expect("a crate and its licence");
        let mut words = name.split(' ');
        let (Some(name), Some(version)) = (words.next(), words.next()) else { panic!("{line}") };
        let is_ours = words.any(|word| word.starts_with("(/"));
        if !is_ours {
            let licence = licence.trim_end_matches(" (*)").to_string();
            crates.insert((name.into(), version.trim_start_matches('v').into()), licence);
        }
    }
    crates
}

/// The crates that the file names.
fn named(text: &str) -> BTreeSet<Crate> {
    let names = text.lines().filter_map(|line| line.strip_prefix(CRATE)?.split(',').next()?.split_once(' '));
    names.map(|(name, version)| (name.into(), version.into())).collect()
}

/// The text of the file, which is made anew before if that is asked for.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    if env::var_os("APE_BLESS").is_some() {
        fs::write(root().join(FILE), made()).expect("the file can be written");
    }
    fs::read_to_string(root().join(FILE)).expect("there is the file")
});

#[test]
fn the_file_names_what_is_linked() {
    let text = TEXT.as_str();
    let mend = "APE_BLESS=1 cargo test -p ape-cli --test licences";
    // Of this system alone: what others need may not have been fetched here.
    let linked: BTreeSet<Crate> = linked(&["--offline"]).into_keys().collect();
    let named = named(text);
    let missing: Vec<&Crate> = linked.difference(&named).collect();
    assert!(missing.is_empty(), "{FILE} does not name {missing:?}: {mend}");
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("there is a lock file");
    let locked = |(name, version): &&Crate| lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n"));
    let gone: Vec<&Crate> = named.iter().filter(|one| !locked(one)).collect();
    assert!(gone.is_empty(), "{FILE} names {gone:?}, which Cargo.lock has not: {mend}");
    assert!(linked.len() > 60, "{linked:?}");
}

#[test]
fn every_text_that_is_referred_to_is_there() {
    let text = TEXT.as_str();
    let parts: BTreeMap<&str, &str> = text.split(PART).skip(1).filter_map(|part| part.split_once('\n')).collect();
    assert!(parts.values().all(|part| !part.trim().is_empty()), "a part is empty");
    let mut used = BTreeSet::new();
    for line in text.lines().take_while(|line| !line.starts_with(PART)).filter(|line| line.contains('[')) {
        let numbers = line.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
        let numbers: Vec<&str> = numbers.map(|(number, _)| number).collect();
        assert!(numbers.iter().all(|number| parts.contains_key(number)), "{line}");
        // Some crates say in a file of its own which licences they have.
        assert!(numbers.iter().any(|number| parts[number].len() > LICENCE), "{line}");
        used.extend(numbers);
    }
    assert_eq!(used, parts.keys().copied().collect());
    for line in text.lines().filter(|line| line.starts_with(CRATE)) {
        assert!(line.contains('['), "no text for {line}");
    }
    for part in
        ["Z3", "The Rust standard library", "Copyright (c) Microsoft Corporation", "Mozilla Public License Version 2.0"]
    {
        assert!(text.contains(part), "{part}");
    }
}

/// What `cargo deny` would say of the licences and of crates that are not wanted, also of those that only build or test.
#[test]
fn no_crate_is_denied() {
    let text = fs::read_to_string(root().join("deny.toml")).expect("there is the file");
    let deny: toml::Table = text.parse().expect("it is TOML");
    let list = |table: &str, key: &str| deny[table][key].as_array().expect("a list").clone();
    let allowed = list("licenses", "allow").into_iter().map(|licence| {
        let licence = licence.as_str().expect("a licence").to_string();
        Licensee::parse(&licence).unwrap_or_else(|error| panic!("{licence}: {error}"))
    });
    let allowed: Vec<Licensee> = allowed.collect();
    let unwanted = list("bans", "deny");
    let unwanted: Vec<&str> = unwanted.iter().filter_map(|entry| entry["crate"].as_str()).collect();
    assert!(unwanted.contains(&"im"));
    let all = crates(&["--workspace", "-e", "normal,build,dev", "--offline"]);
    assert!(all.len() > linked(&["--offline"]).len());
    for ((name, version), licence) in &all {
        let terms = Expression::parse_mode(licence, ParseMode::LAX);
        let terms = terms.unwrap_or_else(|error| panic!("{name} {version}: {error}"));
        let may_be_used = terms.evaluate(|required| allowed.iter().any(|licence| licence.satisfies(required)));
        assert!(may_be_used, "{name} {version} is under {licence}, which deny.toml does not allow");
        assert!(!unwanted.contains(&name.as_str()), "deny.toml has {name}");
    }
}

/// Texts, each once whatever its white space, with numbers.
#[derive(Default)]
struct Texts {
    numbers: BTreeMap<String, usize>,
    all: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: &str) -> usize {
        let all = &mut self.all;
        let key = text.split_whitespace().collect::<Vec<_>>().join(" ");
        *self.numbers.entry(key).or_insert_with(|| {
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            all.push(lines.join("\n").trim_matches('\n').to_string());
            all.len()
        })
    }
}

/// The file as it should be.
fn made() -> String {
    let metadata: Json =
        serde_json::from_str(&cargo(&["metadata", "--locked", "--format-version", "1"])).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let crates: BTreeMap<Crate, String> =
        SYSTEMS.into_iter().flat_map(|system| linked(&["--target", system])).collect();
    let ours = |file: &str| fs::read_to_string(root().join(file)).expect("there is our licence");
    let (apache, mit) = (ours("LICENSE-APACHE"), ours("LICENSE-MIT"));
    let permission =
        mit.split_once("\n\nPermission").map(|(_, rest)| format!("Permission{rest}")).expect("the MIT licence");
    let mut texts = Texts::default();
    let mut list = String::new();
    for ((name, version), licence) in &crates {
        let same = |package: &&Json| package["name"] == **name && package["version"] == **version;
        let package = packages.iter().find(same).expect("a package");
        let manifest = package["manifest_path"].as_str().expect("a path");
        let mut numbers: BTreeSet<usize> = files(Path::new(manifest)).iter().map(|text| texts.number(text)).collect();
        if numbers.is_empty() {
            // A crate that comes without the text has the usual one, with its authors as it names them.
            let authors: Vec<&str> =
                package["authors"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
            let text = match licence.as_str() {
                _ if licence.contains("Apache-2.0") => apache.clone(),
                "MIT" if !authors.is_empty() => {
                    format!("MIT License\n\nCopyright (c) {}\n\n{permission}", authors.join(", "))
                }
                _ => panic!("{name} has no file with its licence, {licence}"),
            };
            numbers.insert(texts.number(&text));
        }
        let numbers: String = numbers.iter().map(|number| format!(" [{number}]")).collect();
        let _ = writeln!(list, "{CRATE}{name} {version}, {licence}:{numbers}");
    }
    let z3 = format!("Z3\nCopyright (c) Microsoft Corporation\nAll rights reserved.\n\nMIT License\n\n{permission}");
    let (z3, rust) = (texts.number(&z3), texts.number(&apache));
    let mut text = format!(
        "Beside its own code, under LICENSE-MIT or LICENSE-APACHE, `ape` is made of the crates below, and of:\n\n\
         Z3, its solver, as a library beside it, MIT: [{z3}]\n\
         The Rust standard library, MIT OR Apache-2.0: [{rust}]\n\n\
         The numbers are those of the texts that follow. The source of each crate can be had from the registry of Rust under\n\
         its name and version; none was changed.\n\n{list}"
    );
    for (at, one) in texts.all.iter().enumerate() {
        let _ = write!(text, "\n{PART}{}\n\n{one}\n", at + 1);
    }
    text
}

/// The texts of the files beside a manifest that are licences or notices.
fn files(manifest: &Path) -> Vec<String> {
    let folder = manifest.parent().expect("a manifest is in a folder");
    let entries = fs::read_dir(folder).expect("the folder of a crate can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.retain(|file| {
        let name = file.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        file.is_file() && NAMES.iter().any(|begin| name.starts_with(begin))
    });
    files
        .iter()
        .map(|file| String::from_utf8_lossy(&fs::read(file).expect("a licence can be read")).into_owned())
        .collect()
}
