//! Certificates: what was proved replays, and nothing else does.
//!
//! A certificate is corrupted in a thousand ways, and none is believed. At first the forger is careless. Then all digests
//! are made to fit again. At last everything is written anew, from forged decisions.

mod common;

use common::program::Program;
use common::{ape, each, programs, root, verify};
use lang_l::hir::Unit;
use lang_l::random::Random;
use prover::certificate::{Certificate, INDEX, Refusal, make, replay, rewrite};
use prover::engines::SCHEDULE;
use prover::search::concrete;
use prover::verdict::Report;
use prover::verify::{self as verification, Config};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use smt::obligation::{PREAMBLE, Purpose};
use smt::solve::cvc5::Cvc5;
use smt::solve::{Answer, Query, cross_check};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many corrupted certificates are made.
const CORRUPTED: usize = 1_000;

/// What is said of a program after no long search for a difference.
fn verify_unit(unit: &Unit) -> Report {
    verification::verify(unit, &Config { search: Some(concrete::SearchBudget::QUICK), ..Config::default() })
}

fn certified(path: &Path) -> Certificate {
    let Program { sources, unit, .. } = Program::read(&path.display().to_string(), path).expect("an example is legal");
    let report = verification::verify(&unit, &Config::default());
    make(&unit, &sources, &report).unwrap_or_else(|refusal| panic!("{}: {refusal}", path.display()))
}

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

/// The certificates that are corrupted: of every sort of proof, and of programs that differ.
fn originals() -> Vec<Certificate> {
    let names = [
        "swap.l",
        "reordered_calls.l",
        "countdown.l",
        "tree_insert.l",
        "account.l",
        "globals.l",
        "swapped_stores.l",
        "hoisted_length.l",
    ];
    names.iter().map(|name| certified(&example(name))).collect()
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn index(certificate: &Certificate) -> Json {
    serde_json::from_str(&certificate.files[INDEX]).expect("an index is JSON")
}

/// Makes all digests fit what the files now say.
fn sealed(mut certificate: Certificate) -> Certificate {
    let Ok(mut index) = serde_json::from_str::<Json>(&certificate.files[INDEX]) else { return certificate };
    for source in index["sources"].as_array_mut().into_iter().flatten() {
        if let Some(text) = source["file"].as_str().and_then(|name| certificate.files.get(name)) {
            source["sha256"] = sha256(text).into();
        }
    }
    let sums = certificate.files.iter().filter(|(name, _)| *name != INDEX);
    index["files"] = Json::Object(sums.map(|(name, text)| (name.clone(), sha256(text).into())).collect());
    index["digest"] = "".into();
    let text = |index: &Json| serde_json::to_string_pretty(index).expect("JSON can be written") + "\n";
    index["digest"] = sha256(&text(&index)).into();
    certificate.files.insert(INDEX.into(), text(&index));
    certificate
}

/// Some place of a text that is the start of a character.
fn place(text: &str, random: &mut Random) -> usize {
    let at = random.below(text.len().max(1));
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn some_file(certificate: &Certificate, random: &mut Random) -> String {
    let names: Vec<&String> = certificate.files.keys().collect();
    names[random.below(names.len())].clone()
}

/// Changes one value somewhere within: a number by one, a word to another, a list in its order or length.
fn change_value(json: &mut Json, random: &mut Random) {
    match json {
        Json::Object(entries) if !entries.is_empty() => {
            let at = random.below(entries.len());
            if random.below(12) == 0 {
                let key = entries.keys().nth(at).expect("in range").clone();
                entries.remove(&key);
            } else {
                change_value(entries.values_mut().nth(at).expect("in range"), random);
            }
        }
        Json::Array(items) if !items.is_empty() => {
            let (at, other) = (random.below(items.len()), random.below(items.len()));
            match random.below(6) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.swap(at, other),
                _ => change_value(&mut items[at], random),
            }
        }
        Json::Number(number) => *json = json!(number.as_u64().unwrap_or(0) ^ 1),
        Json::Bool(value) => *json = json!(!*value),
        Json::String(text) => {
            let words = ["full", "partial", "exclusive", "contradiction", "equivalent", "same-code", "", "0"];
            let other = words[random.below(words.len())];
            *json = json!(if *text == other { "1" } else { other });
        }
        Json::Null => *json = json!([]),
        Json::Array(_) => *json = json!([0]),
        Json::Object(_) => *json = json!({ "0": 0 }),
    }
}

/// Changes a decision.
fn change_decision(certificate: &mut Certificate, random: &mut Random) {
    let mut index = index(certificate);
    let part = ["pairs", "proofs", "versions"][random.below(3)];
    change_value(&mut index[part], random);
    certificate.files.insert(INDEX.into(), serde_json::to_string_pretty(&index).expect("JSON can be written") + "\n");
}

/// Changes a script: a question is left out, or an assumption more is made, or one less.
fn change_script(certificate: &mut Certificate, random: &mut Random) {
    let scripts: Vec<String> = certificate.files.keys().filter(|name| name.ends_with(".smt2")).cloned().collect();
    let name = &scripts[random.below(scripts.len())];
    let text = &certificate.files[name];
    let lines: Vec<&str> = text.lines().collect();
    let asserts: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with("(assert ")).collect();
    let ends: Vec<usize> = (0..lines.len()).filter(|&at| lines[at] == "(check-sat)").collect();
    let mut lines: Vec<String> = lines.into_iter().map(String::from).collect();
    let choose = |from: &[usize], random: &mut Random| (!from.is_empty()).then(|| from[random.below(from.len())]);
    match (random.below(3), choose(&asserts, random), choose(&ends, random)) {
        (0, _, Some(end)) => lines.insert(end, "(assert false)".into()),
        (1, _, Some(end)) => drop(lines.remove(end)),
        (_, Some(at), _) => drop(lines.remove(at)),
        _ => lines.push("(assert false)".into()),
    }
    certificate.files.insert(name.clone(), lines.join("\n") + "\n");
}

/// Changes the program: one word or number of it becomes another.
fn change_source(text: &str, random: &mut Random) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let starts: Vec<usize> =
        (0..text.len()).filter(|&at| text[at..].starts_with(word) && !text[..at].ends_with(word)).collect();
    let at = |start: usize| &text[start..start + text[start..].find(|c| !word(c)).unwrap_or(text.len() - start)];
    let (here, there) = (starts[random.below(starts.len())], starts[random.below(starts.len())]);
    let new = match at(here).parse::<u64>() {
        Ok(number) => (number + 1).to_string(),
        Err(_) => at(there).to_string(),
    };
    format!("{}{new}{}", &text[..here], &text[here + at(here).len()..])
}

fn corrupt(original: &Certificate, other: &Certificate, random: &mut Random) -> Certificate {
    let mut corrupted = original.clone();
    let name = some_file(&corrupted, random);
    let text = corrupted.files[&name].clone();
    let (from, to) = (place(&text, random), place(&text, random));
    match random.below(9) {
        0 => {
            let flipped = char::from(b' ' + u8::try_from(random.below(90)).expect("small"));
            let end = from + text[from..].chars().next().map_or(0, char::len_utf8);
            corrupted.files.insert(name, format!("{}{flipped}{}", &text[..from], &text[end..]));
        }
        1 => drop(corrupted.files.insert(name, text[..from].to_string())),
        2 => drop(corrupted.files.insert(name, format!("{}{}", &text[..from.min(to)], &text[from.max(to)..]))),
        3 => drop(corrupted.files.remove(&name)),
        4 => {
            let second = some_file(&corrupted, random);
            let swapped = corrupted.files.insert(second, text).expect("it was there");
            corrupted.files.insert(name, swapped);
        }
        5 => {
            let theirs = some_file(other, random);
            corrupted.files.insert(theirs.clone(), other.files[&theirs].clone());
        }
        6 => change_decision(&mut corrupted, random),
        7 => change_script(&mut corrupted, random),
        _ => {
            let text = change_source(&corrupted.files["source-0.l"], random);
            corrupted.files.insert("source-0.l".into(), text);
        }
    }
    if random.below(2) == 0 && corrupted.files.contains_key(INDEX) { sealed(corrupted) } else { corrupted }
}

#[test]
fn a_thousand_corrupted_certificates_are_refused() {
    let originals = originals();
    for original in &originals {
        assert_eq!(sealed(original.clone()), *original, "the test seals as the tool does");
    }
    let mut random = Random::new(0xce27);
    let (mut made, mut believed) = (0, Vec::new());
    while made < CORRUPTED {
        let original = &originals[random.below(originals.len())];
        let other = &originals[random.below(originals.len())];
        let corrupted = corrupt(original, other, &mut random);
        // Now and then what is put in place of something is the same.
        if originals.contains(&corrupted) {
            continue;
        }
        made += 1;
        if replay(&corrupted, None).is_ok() {
            let changed = corrupted.files.iter().filter(|(name, text)| original.files.get(*name) != Some(text));
            believed.push(changed.map(|(name, text)| format!("{name}:\n{text}")).collect::<Vec<_>>().join("\n"));
        }
    }
    assert!(believed.is_empty(), "{} were believed:\n{}", believed.len(), believed.join("\n\n"));
}

/// Someone who writes all files anew from decisions of their own gets no further: what replays is so.
#[test]
fn forged_decisions_prove_nothing_that_is_not_so() {
    let originals = originals();
    let mut random = Random::new(0xf0e6);
    let mut written = 0;
    for _ in 0..300 {
        let original = &originals[random.below(originals.len())];
        let mut forged = original.clone();
        change_decision(&mut forged, &mut random);
        let Ok(forged) = rewrite(&sealed(forged)) else { continue };
        written += 1;
        if let Ok(replayed) = replay(&forged, None) {
            let honest = replay(original, None).expect("an original replays");
            for pair in &replayed.pairs {
                let so = honest.pairs.iter().any(|other| {
                    other.name == pair.name
                        && (other.verdict == pair.verdict
                            || matches!(pair.verdict, "unknown" | "uncertified")
                            || (other.verdict, pair.verdict) == ("equivalent", "partially-equivalent"))
                });
                assert!(so, "{} was made {}", pair.name, pair.verdict);
            }
        }
    }
    assert!(written > 20, "only {written} forged certificates could be written");
}

/// The decisions that prove one program do not prove another that differs.
#[test]
fn decisions_of_an_equivalent_pair_do_not_prove_one_that_differs() {
    let mut random = Random::new(0xd1ff);
    let mut tried = 0;
    for original in originals() {
        for _ in 0..60 {
            let text = change_source(&original.files["source-0.l"], &mut random);
            let Ok(Program { unit, .. }) = Program::parse("changed", &text) else { continue };
            let mut forged = original.clone();
            forged.files.insert("source-0.l".into(), text);
            let forged = rewrite(&sealed(forged)).and_then(|forged| replay(&forged, None));
            let Ok(replayed) = forged else { continue };
            tried += 1;
            let honest = verify_unit(&unit);
            for (pair, honest) in replayed.pairs.iter().zip(&honest.pairs) {
                let found = honest.verdict.word();
                assert!(!pair.confirmed || pair.verdict == found, "{} is {found}, not {}", pair.name, pair.verdict);
            }
        }
    }
    assert!(tried > 5, "only {tried} changed programs have the same proof");
}

/// No method proves what differs, whatever it is told.
#[test]
fn no_evidence_proves_what_differs() {
    for name in ["null_order.l", "lost_update.l", "wrong_field.l", "off_by_one.l", "alias_increment.l"] {
        let original = certified(&example(name));
        let plain = |method: &str| json!({ "level": "full", "rule": method });
        let mut paths = plain("paths");
        paths["in_place"] = json!([[], []]);
        paths["depths"] = json!([0, 0]);
        let mut summaries = paths.clone();
        summaries["rule"] = "coupling".into();
        let mut proofs: Vec<Json> = SCHEDULE.iter().map(|engine| plain(engine.rule().name)).collect();
        let mut related = paths.clone();
        related["rule"] = "relation".into();
        proofs.extend([paths, summaries, related]);
        for proof in proofs {
            let mut index = index(&original);
            let pairs = index["pairs"].as_array_mut().expect("pairs");
            let mut proofs = Vec::new();
            for pair in pairs {
                let mut proof = proof.clone();
                for (key, value) in [("left", pair["left"].clone()), ("right", pair["right"].clone())] {
                    proof[key] = value;
                }
                if proof["rule"] == "coupling" {
                    // It never returns.
                    let [left, right] = ["left", "right"].map(|side| json!([{ "of": pair[side], "turns": 1 }]));
                    let never = json!({ "left": left, "right": right, "before": [], "after": [{ "any": [] }] });
                    proof["summaries"] = json!([never]);
                }
                proof["script"] = Json::Null;
                proof["questions"] = json!(0);
                proofs.push(proof);
                pair["verdict"] = "equivalent".into();
                pair.as_object_mut().expect("a pair").remove("counterexample");
            }
            index["proofs"] = proofs.into();
            let mut forged = original.clone();
            forged.files.insert(INDEX.into(), index.to_string());
            let refused = rewrite(&sealed(forged)).and_then(|forged| replay(&forged, None));
            assert!(matches!(refused, Err(Refusal::Rejection { .. })), "{name} by {}: {refused:?}", proof["rule"]);
        }
    }
}

/// Conditions spoke of a number as of a boolean, and both had one name: a solver that takes one for the other looked at 0 and 1 alone.
#[test]
fn a_number_is_not_told_apart_as_a_boolean() {
    for (number, head) in [("param 0", "procedure f(n: int)"), ("global 0", "procedure f()")] {
        let version = |name: &str, result: i64| {
            format!("version {name} {head} returns (r: int) {{ if (n > 5) {{ r := {result}; }} else {{ r := 0; }} }}\n")
        };
        let global = if head.contains("n: int") { "" } else { "global n: int;\n" };
        let text = [global.to_string(), version("a", 1), version("b", 2)].concat();
        let Program { sources, unit, .. } = Program::parse("f.l", &text).expect("it is legal");
        let report = verification::verify(&unit, &Config::default());
        let original = make(&unit, &sources, &report).expect("it has a certificate");
        let (truth, zero) = (format!("({number} bool)"), format!("(=0 ({number} int))"));
        let conditions = [
            truth.clone(),
            format!("(not {truth})"),
            format!("(and {truth} (not {zero}))"),
            format!("(or {truth} {zero})"),
            format!("(ite {truth} {zero} true)"),
        ];
        for condition in conditions {
            let leaf = |end: Json| json!({ "settled": { "end": end } });
            let path = |at: usize, cases: Json| json!({ "left": at, "right": at, "related": { "cases": cases } });
            let sides = (leaf("exclusive".into()), leaf("exclusive".into()));
            let split = json!({ "version": 0, "condition": condition, "holds": sides.0, "fails": sides.1 });
            let paths = [path(0, json!({ "split": split })), path(1, leaf(json!({ "isomorphic": {} })))];
            let mut index = index(&original);
            let pair = &mut index["pairs"][0];
            (pair["verdict"], pair["termination"]) = ("equivalent".into(), "mutual".into());
            pair.as_object_mut().expect("a pair").remove("counterexample");
            index["proofs"] = json!([{
                "left": "f", "right": "f", "level": "full", "rule": "paths", "script": Json::Null, "questions": 0,
                "in_place": [[], []], "depths": [0, 0], "paths": paths,
            }]);
            let mut forged = original.clone();
            forged.files.insert(INDEX.into(), index.to_string());
            let refused = rewrite(&sealed(forged)).and_then(|forged| replay(&forged, None));
            // It comes as far as a solver, which finds a number for which the two paths are taken.
            let why = format!("{:?}", refused.expect_err("the two differ"));
            assert!(why.contains("is not confirmed"), "{condition}: {why}");
        }
    }
}

/// Lowered, helpers may lose the parameters and results that tell them apart. That makes a claim for their callers, no verdict.
#[test]
fn what_cannot_be_called_alike_is_not_confirmed() {
    let programs = [
        "version A procedure H(x: int, u: int) returns (r: int) { r := x + 2; } \
         procedure P(x: int) returns (r: int) { r := H(x, 3); } \
         version B procedure H(x: int) returns (r: int) { r := x + 2; } \
         procedure P(x: int) returns (r: int) { r := H(x); }",
        "version A procedure H(x: int) returns (r: int, s: int) { r := x * 2; } \
         procedure P(x: int) returns (r: int) { r, s := H(x); } \
         version B procedure H(x: int) returns (r: int) { r := x * 2; } \
         procedure P(x: int) returns (r: int) { r := H(x); }",
        "version A procedure H(n: int, k: int) returns (r: int) { if (n > 0) { t := H(n - 1, k); r := t + 1; } } \
         procedure P(x: int) returns (r: int) { r := H(x, 5); } \
         version B procedure H(n: int) returns (r: int) { if (n > 0) { t := H(n - 1); r := t + 1; } } \
         procedure P(x: int) returns (r: int) { r := H(x); }",
    ];
    for text in programs {
        let Program { sources, unit, .. } = Program::parse("given.l", text).expect("the program is legal");
        let report = verification::verify(&unit, &Config::default());
        let original = make(&unit, &sources, &report).expect("what was proved replays");
        let mut index = index(&original);
        for pair in index["pairs"].as_array_mut().expect("pairs") {
            if pair["left"] == "H" {
                pair["verdict"] = "equivalent".into();
                pair["termination"] = "mutual".into();
                pair.as_object_mut().expect("a pair").remove("reason");
            }
        }
        let mut forged = original.clone();
        forged.files.insert(INDEX.into(), index.to_string());
        let refused = rewrite(&sealed(forged)).and_then(|forged| replay(&forged, None));
        assert!(matches!(refused, Err(Refusal::Rejection { .. })), "{text}: {refused:?}");
    }
}

/// A certificate may say less; what it leaves out is named. No pair is answered twice, and none by a rule that is not that of its proof.
#[test]
fn what_a_certificate_leaves_out_is_named() {
    let original = certified(&example("swap.l"));
    let changed = |change: &dyn Fn(&mut Json)| {
        let mut index = index(&original);
        change(&mut index);
        let mut forged = original.clone();
        forged.files.insert(INDEX.into(), index.to_string());
        rewrite(&sealed(forged)).and_then(|forged| replay(&forged, None))
    };
    let pairs = |index: &mut Json| index["pairs"].as_array_mut().expect("pairs").clone();
    assert_eq!(changed(&|_| ()).expect("it replays").left_out, Vec::<String>::new());
    let shorter = changed(&|index| index["pairs"] = pairs(index)[..1].into()).expect("what it says is so");
    assert_eq!((shorter.pairs.len(), shorter.left_out), (1, vec!["rotate".to_string()]));
    let silent = changed(&|index| index["pairs"] = json!([])).expect("it says nothing that is not so");
    assert_eq!((silent.pairs.len(), silent.left_out.len()), (0, 2));
    let twice = changed(&|index| index["pairs"] = [pairs(index), pairs(index)].concat().into());
    assert!(twice.is_err_and(|refusal| refusal.to_string().contains("answered twice")));
    let by_another = changed(&|index| index["proofs"][0]["rule"] = "relation".into());
    assert!(by_another.is_err_and(|refusal| refusal.to_string().contains("is not the rule")));
}

/// What is checked in are the certificates of today's examples, as today's `ape` writes them, and they replay.
#[test]
fn the_certificates_checked_in_are_those_of_the_examples() {
    let home = root().join("proofs/certificates");
    let bless = env::var_os("APE_BLESS").is_some();
    let examples = programs(&root().join("examples"));
    let name = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let wrong = each(&examples, |file| {
        let certificate = certified(file);
        let directory = home.join(name(file));
        if bless {
            let _ = fs::remove_dir_all(&directory);
            fs::create_dir_all(&directory).expect("a directory can be made");
            for (name, text) in &certificate.files {
                fs::write(directory.join(name), text).expect("a file can be written");
            }
        }
        let found = Certificate { files: files(&directory).into_iter().collect() };
        if found != certificate {
            let what = "is not what is written today; APE_BLESS=1 writes it";
            return vec![format!("{}: the certificate {what}", name(file))];
        }
        replay(&found, None).err().map(|refusal| format!("{}: {refusal}", name(file))).into_iter().collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let known: Vec<String> = examples.iter().map(name).collect();
    for entry in fs::read_dir(home).expect("certificates are checked in") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        assert!(known.contains(&name), "{name} is no example");
    }
}

/// The files of a directory; none when it is not there.
fn files(directory: &Path) -> Vec<(String, String)> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a certificate is text"))
        })
        .collect();
    files.sort();
    files
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

fn written(name: &str, program: &str) -> PathBuf {
    let path = directory(name);
    let ran = verify(&[&example(program)], &["--certificate", &path.to_string_lossy()]);
    assert_eq!(ran.err, "");
    path
}

#[test]
fn the_command_line_writes_and_replays() {
    let path = written("certificate-of-swap", "swap.l");
    let text = path.to_string_lossy().into_owned();
    let ran = ape(["replay", &text]);
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("swap: equivalent (paths)"), "{}", ran.out);
    let ran = ape(["replay", &text, "examples/swap.l", "--format", "json"]);
    assert_eq!(ran.json()["certificates"][0]["status"], "confirmed");
    let ran = ape(["replay", &text, "examples/garbage.l"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.out.contains("belongs to another source text"), "{}", ran.out);
    // Replaced by another, of another program.
    written_over(&path, "garbage.l");
    let ran = ape(["replay", &text, "examples/garbage.l"]);
    assert_eq!(ran.status, Some(0), "{}", ran.out);
}

fn written_over(path: &Path, program: &str) {
    let ran = verify(&[&example(program)], &["--certificate", &path.to_string_lossy()]);
    assert_eq!(ran.err, "");
}

#[test]
fn what_is_no_certificate_is_left_alone() {
    let path = directory("no-certificate");
    fs::create_dir(&path).expect("a directory can be made");
    fs::write(path.join("thesis.tex"), "years of work").expect("a file can be written");
    let text = path.to_string_lossy().into_owned();
    let ran = ape(["verify", "examples/swap.l", "--certificate", &text]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("is not replaced: it is no certificate"), "{}", ran.err);
    assert_eq!(fs::read_to_string(path.join("thesis.tex")).expect("it is there"), "years of work");
    let ran = ape(["replay", &text]);
    assert_eq!((ran.status, ran.out.contains("not a certificate")), (Some(2), true), "{}", ran.out);

    let path = written("certificate-with-notes", "swap.l");
    fs::write(path.join("notes.txt"), "mine").expect("a file can be written");
    let ran = ape(["verify", "examples/swap.l", "--certificate", &path.to_string_lossy()]);
    assert!(ran.err.contains("notes.txt is no part of the certificate"), "{}", ran.err);
    assert_eq!(fs::read_to_string(path.join("notes.txt")).expect("it is there"), "mine");
}

/// What cannot be written leaves what was there, and nothing half written.
#[test]
fn what_cannot_be_written_changes_nothing() {
    let path = directory("certificate-nowhere");
    fs::create_dir(&path).expect("a directory can be made");
    let within = path.join("missing").join("certificate");
    fs::write(path.join("missing"), "a file, no directory").expect("a file can be written");
    let ran = ape(["verify", "examples/swap.l", "--certificate", &within.to_string_lossy()]);
    assert_eq!(ran.status, Some(74));
    assert!(ran.err.contains("cannot write"), "{}", ran.err);
    assert_eq!(fs::read_dir(&path).expect("it is there").count(), 1);
}

/// The same program makes the same bytes.
#[test]
fn certificates_are_the_same_each_time() {
    let twice = [written("certificate-first", "reordered_calls.l"), written("certificate-second", "reordered_calls.l")];
    let [first, second] = twice.map(|path| files(&path));
    assert_eq!(first, second);
    assert!(first.len() > 2, "{first:?}");
}

#[test]
fn recursion_that_ends_by_two_measures_is_certified() {
    // Which of the two shrinks at a call is part of the certificate: no answer tells that when it is replayed.
    let certificate = certified(&root().join("tests/numeric/ackermann.l"));
    assert!(replay(&certificate, None).is_ok());
}

#[test]
fn without_cvc5_there_is_no_second_opinion() {
    for arguments in [["verify", "--cross-check", "examples/swap.l"], ["replay", "--solver=cvc5", "proofs"]] {
        let ran = Command::new(env!("CARGO_BIN_EXE_ape"))
            .current_dir(root())
            .args(arguments)
            .env("APE_CVC5", "/nowhere/cvc5")
            .output()
            .expect("ape can be started");
        assert_eq!(ran.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&ran.stderr).contains("cvc5 was not found"));
    }
}

/// Where cvc5 is there, it agrees with what is so, and what is not so is noticed.
#[test]
fn cvc5_agrees_with_what_is_so_alone() {
    let Some(cvc5) = Cvc5::find() else { return };
    let report = verify(&[&example("reordered_calls.l")], &["--cross-check"]).json();
    assert_eq!(report["cross_check"]["disagreed"], 0);
    assert!(report["cross_check"]["agreed"].as_u64() > Some(0), "{report}");
    let query = |text: &str| Query {
        smt2: format!("{PREAMBLE}{text}(check-sat)\n"),
        tag: Purpose::PathsExclusive.into(),
        task: None,
        answer: Answer::Holds,
    };
    let check = cross_check(&cvc5, &[query(""), query("(assert false)\n")]).expect("cvc5 can be run");
    assert_eq!((check.agreed, check.disagreed.len()), (1, 1));
}
