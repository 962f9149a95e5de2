//! What a verdict must not depend on: which process decides the queries, names, the order of declarations, the solver's seed.

mod common;

use common::{ape, programs, root, scratch, suite};
use lang_l::hir::Unit;
use lang_l::source::FileId;
use lang_l::{parse, resolve};
use prover::verify::{Config, verify};
use smt::solve::{InProcess, Isolated, Shared};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

/// Stack of a thread that verifies, in bytes.
const STACK: usize = 512 << 20;

fn read(path: &Path) -> Unit {
    let text = fs::read_to_string(path).expect("a program can be read");
    let parsed = parse::parse(FileId(0), &text);
    resolve::resolve(&[&parsed.file]).unwrap_or_else(|wrong| panic!("{}: {wrong:?}", path.display()))
}

/// Everything that was asked and answered, and what was made of it.
fn story(unit: &Unit, backend: &Shared) -> String {
    let report = verify(unit, &Config { backend: backend.clone(), ..Config::default() });
    let mut story = String::new();
    for query in &report.queries {
        story.push_str(&format!("{}{:?}\n", query.smt2, query.answer));
    }
    for pair in &report.pairs {
        story.push_str(&format!("{} {} {}\n", pair.left, pair.right, pair.verdict.word()));
    }
    story
}

#[test]
fn it_is_the_same_here_and_in_other_processes() {
    let apart = Isolated::new(env!("CARGO_BIN_EXE_ape").into(), vec!["solver".into(), "--memory=2048".into()]);
    let (here, apart) = (Shared::new(InProcess), Shared::new(apart));
    let files = programs(&root().join("examples"));
    let compare = move || {
        for file in files {
            let unit = read(&file);
            let (first, second) = (story(&unit, &here), story(&unit, &apart));
            let differ = first.lines().zip(second.lines()).find(|(here, apart)| here != apart);
            assert!(first == second, "{}: here and apart: {differ:?}", file.display());
        }
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(compare).expect("a thread can be made");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

#[track_caller]
fn nothing_wavers(files: &[PathBuf], runs: &str) {
    let mut args = vec!["stability".to_string(), "--format=json".to_string(), format!("--runs={runs}")];
    args.extend(files.iter().map(|file| file.display().to_string()));
    let ran = ape(args);
    let report = ran.json();
    let wavering: Vec<_> = report["files"].as_array().expect("files").iter().filter(|f| f["wavers"] == true).collect();
    assert!(wavering.is_empty(), "{wavering:#?}");
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
    assert_eq!(report["files"].as_array().map(Vec::len), Some(files.len()));
}

#[test]
fn no_verdict_of_the_examples_wavers() {
    nothing_wavers(&programs(&root().join("examples")), "2");
}

#[test]
fn no_verdict_of_the_paper_wavers() {
    let Some(dir) = suite("rie") else { return };
    nothing_wavers(&programs(&dir), "2");
}

#[test]
fn stability_shows_what_it_saw() {
    let text = "version 0\nprocedure p() returns (r: int) { r := 1; }\nprocedure q() { skip; }\n\
                version 1\nprocedure q() { skip; }\nprocedure p() returns (r: int) { r := 2; }\n";
    let file = scratch("stability-shown.l", text);
    let ran = ape(["stability", "--runs", "3", &file.to_string_lossy()]);
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
    let shown =
        "no verdict wavers in 4 runs\n  p: not-equivalent, termination unknown\n  q: equivalent, termination mutual\n";
    assert!(ran.out.ends_with(shown), "{}", ran.out);
    let single = scratch("stability-single.l", "procedure p() { skip; }");
    assert_eq!(ape(["stability", &single.to_string_lossy()]).status, Some(2));
}
