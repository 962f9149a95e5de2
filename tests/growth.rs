//! How much is asked as programs grow, family by family. Questions are counted: a clock says little on a busy machine.

#[path = "../prover/ape/benches/programs/families.rs"]
mod families;

use families::{FAMILIES, Family};
use lang_l::source::Sources;
use lang_l::{parse, resolve};
use prover::report;
use prover::verify::{Config, verify};
use std::thread;

/// The stack of the thread that verifies, in bytes: as in `ape`, since the terms of a large program are deep.
const STACK: usize = 512 << 20;

/// Each question more of the small program may be so many of the large one, whose size is four times the other's.
const GROWTH: usize = 16;

/// A program may take so many questions, whatever its size is.
const FEW: usize = 64;

/// Families of which one program alone takes so long that a test build is no place for it.
const SLOW: [&str; 2] = ["procedures", "leaf"];

/// How many questions it takes to give a program its verdict.
#[track_caller]
fn questions(family: &Family, size: usize) -> usize {
    let text = (family.text)(size);
    let verified = move || {
        let mut sources = Sources::default();
        let file = sources.add("growth.l", &text);
        let parsed = parse::parse(file, &text);
        let unit = resolve::resolve(&[&parsed.file]).expect("the program is legal");
        let report = verify(&unit, &Config::default());
        (report::overall(&report), report.queries.len())
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(verified).expect("a thread can be started");
    let (verdict, asked) = thread.join().expect("it is verified");
    assert_eq!(verdict, family.expected, "{} {size}: {}", family.name, family.shape);
    asked
}

#[test]
fn questions_grow_with_the_square_of_the_size_at_most() {
    for family in FAMILIES.iter().filter(|family| !SLOW.contains(&family.name)) {
        let [small, large] = family.sizes.map(|size| questions(family, size));
        assert!(large <= GROWTH * small + FEW, "{}: {small} questions, then {large}", family.name);
    }
}

#[test]
fn a_difference_at_the_end_of_a_chain_is_found_with_few_questions() {
    let [chain] = FAMILIES.iter().filter(|family| family.name == "leaf").collect::<Vec<_>>()[..] else {
        panic!("there is one such family");
    };
    // Fewer than one for each procedure of the chain.
    let asked = questions(chain, 60);
    assert!(asked < 60, "{asked} questions");
}
