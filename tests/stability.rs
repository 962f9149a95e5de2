//! What a verdict must not depend on: which process decides the queries, names, the order of declarations, the solver's seed, and what
//! else was asked.

mod common;

use common::program::{Program, stem};
use common::{ape, on_a_large_stack, programs, root, scratch};
use lang_l::hir::Unit;
use prover::verdict::PairReport;
use prover::verify::{Config, verify};
use smt::solve::{InProcess, Isolated, Shared};

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
    on_a_large_stack(move || {
        for file in files {
            let Program { name, unit, .. } = Program::read(&stem(&file), &file).expect("an example is legal");
            let (first, second) = (story(&unit, &here), story(&unit, &apart));
            let differ = first.lines().zip(second.lines()).find(|(here, apart)| here != apart);
            assert!(first == second, "{name}: here and apart: {differ:?}");
        }
    });
}

/// Who asks for one procedure gets what is said of it among all, and waits for nothing but what it runs.
#[test]
fn it_is_the_same_alone_and_among_others() {
    let files = programs(&root().join("examples"));
    on_a_large_stack(move || {
        let mut fewer = 0;
        for file in files {
            let Program { name, unit, .. } = Program::read(&stem(&file), &file).expect("an example is legal");
            let all = verify(&unit, &Config::default());
            for pair in &all.pairs {
                let alone = verify(&unit, &Config { procedures: vec![pair.left.clone()], ..Config::default() });
                let said = |pairs: &[PairReport]| -> Vec<String> {
                    let own = pairs.iter().filter(|other| other.left == pair.left || other.right == pair.left);
                    own.map(|own| format!("{} ~ {}: {}", own.left, own.right, own.verdict.word())).collect()
                };
                assert_eq!(said(&alone.pairs), said(&all.pairs), "{name}");
                assert_eq!(alone.pairs.len(), said(&alone.pairs).len(), "{name}");
                fewer += usize::from(alone.queries.len() < all.queries.len());
            }
        }
        assert!(fewer >= 10, "only {fewer} pairs took fewer questions alone");
    });
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
