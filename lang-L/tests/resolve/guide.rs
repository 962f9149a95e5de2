//! The language guide keeps its word: every program in it is legal, or wrong in just the way it says.

use crate::resolved;
use lang_l::diagnostic::Diagnostic;
use std::collections::BTreeSet;

const GUIDE: &str = include_str!("../../LANGUAGE.md");

/// The code blocks: what follows the opening fence, and the code.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut parts = GUIDE.split("```").skip(1);
    let mut blocks = Vec::new();
    while let Some(block) = parts.next() {
        blocks.push(block.split_once('\n').unwrap());
        parts.next();
    }
    blocks
}

#[test]
fn every_block_is_what_it_claims_to_be() {
    for (claim, code) in blocks() {
        let files: Vec<&str> = code.split("// second file\n").collect();
        let (_, result) = resolved(&files);
        let found: BTreeSet<&str> = result.err().iter().flatten().map(|Diagnostic { code, .. }| *code).collect();
        let expected: BTreeSet<&str> = match claim.split_once(' ') {
            None if claim == "l" => BTreeSet::new(),
            Some(("l", codes)) => codes.split(' ').collect(),
            _ => panic!("say of each block what it is: {claim}"),
        };
        assert_eq!(found, expected, "{code}");
    }
}

#[test]
fn the_guide_has_programs_that_are_right_and_wrong() {
    assert!(blocks().iter().any(|(claim, _)| *claim == "l"));
    assert!(blocks().iter().any(|(claim, _)| claim.starts_with("l E")));
}
