//! Whether verdicts depend on what they must not depend on: names, the order of declarations, the solver's own choices.
//!
//! In: a pair file as written, and a seed. Out: for each pair, which verdicts were seen, in which runs.
//!
//! Invariant: deterministic; run 0 is the file as it is, with the seed that `verify` uses.
//! Invariant: a variant means what the original means: every name is replaced by one name throughout, and only the order of
//! items and fields changes, which no rule of the language looks at.

use lang_l::ast::{File, Item};
use lang_l::hir::Unit;
use lang_l::random::Random;
use lang_l::source::FileId;
use lang_l::token::{Token, lex};
use lang_l::{parse, print, resolve};
use prover::verdict::Report;
use prover::verify::{Config, verify};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::{BTreeMap, BTreeSet};

/// Names with a meaning of their own in some places.
const SPECIAL: [&str; 4] = ["length", "old", "fresh", "reach"];

/// A file with other names and in another order.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its text.
    pub text: String,
    /// What each of its names is called in the original.
    pub originals: BTreeMap<String, String>,
}

/// What was seen of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairSeen {
    /// The procedure of version 0.
    pub left: String,
    /// The procedure of version 1.
    pub right: String,
    /// The condition under which they were compared, if there is one.
    pub when: Option<String>,
    /// The runs in which it got each verdict.
    pub verdicts: BTreeMap<String, Vec<u64>>,
}

impl PairSeen {
    /// Whether it did not get the same verdict each time.
    pub fn wavers(&self) -> bool {
        self.verdicts.len() != 1
    }
}

/// Verifies a legal pair file as it is, and then `runs` variants of it; each with another seed for the solver.
pub fn check(file: &File, config: &Config, runs: u64, seed: u64) -> Vec<PairSeen> {
    let seen: Vec<Vec<Named>> = (0..=runs).into_par_iter().map(|run| one_run(file, config, run, seed)).collect();
    let mut pairs: Vec<PairSeen> = Vec::new();
    for (run, named) in (0..).zip(seen) {
        for Named { left, right, nth, when, verdict } in named {
            let mut same = pairs.iter_mut().filter(|pair| pair.left == left && pair.right == right);
            let known = same.nth(nth);
            let verdicts = match known {
                Some(pair) => &mut pair.verdicts,
                None => {
                    pairs.push(PairSeen { left, right, when, verdicts: BTreeMap::new() });
                    let Some(last) = pairs.last_mut() else { continue };
                    &mut last.verdicts
                }
            };
            verdicts.entry(verdict).or_default().push(run);
        }
    }
    pairs
}

/// A verdict by the names of the original, and which of the claims about this pair it is of.
struct Named {
    left: String,
    right: String,
    nth: usize,
    when: Option<String>,
    verdict: String,
}

fn one_run(file: &File, config: &Config, run: u64, seed: u64) -> Vec<Named> {
    let mut random = Random::item(seed, run);
    let variant = match run {
        0 => Variant { text: print::print(file, &[]), originals: BTreeMap::new() },
        _ => vary(file, &mut random),
    };
    let solver_seed = if run == 0 { config.seed } else { random.number() as u32 >> 1 };
    let report = verify(&unit(&variant.text), &Config { seed: solver_seed, ..config.clone() });
    named(&report, &variant)
}

fn named(report: &Report, variant: &Variant) -> Vec<Named> {
    let original = |name: &String| variant.originals.get(name).unwrap_or(name).clone();
    let mut found: Vec<Named> = Vec::new();
    for pair in &report.pairs {
        let (left, right) = (original(&pair.left), original(&pair.right));
        // Claims about one pair stay in their order.
        let nth = found.iter().filter(|other| other.left == left && other.right == right).count();
        let verdict = format!("{}, termination {}", pair.verdict.word(), pair.termination.word());
        found.push(Named { left, right, nth, when: pair.when.clone(), verdict });
    }
    found
}

/// What a text means that was made from a legal program.
fn unit(text: &str) -> Unit {
    let parsed = parse::parse(FileId(0), text);
    assert!(parsed.diagnostics.is_empty(), "a variant is not legal: {:?}\n{text}", parsed.diagnostics);
    resolve::resolve(&[&parsed.file]).unwrap_or_else(|wrong| panic!("a variant is not legal: {wrong:?}\n{text}"))
}

/// The same program with every name replaced, and its items and fields in another order.
pub fn vary(file: &File, random: &mut Random) -> Variant {
    let mut file = file.clone();
    shuffle(&mut file.shared, random);
    for version in &mut file.versions {
        shuffle(&mut version.items, random);
    }
    let text = print::print(&file, &[]);
    let tokens = lex(FileId(0), &text).tokens;
    let names: BTreeSet<&str> =
        tokens.iter().filter(|(token, _)| *token == Token::Ident).map(|(_, span)| &text[span.range()]).collect();
    let mut numbers: Vec<usize> = (0..names.len()).collect();
    random.shuffle(&mut numbers);
    let special = |name: &&str| SPECIAL.contains(name);
    let replaced: BTreeMap<&str, String> = names
        .iter()
        .filter(|name| !special(name))
        .zip(numbers)
        .map(|(&name, number)| (name, format!("x{number}")))
        .collect();
    let mut renamed = String::new();
    let mut end = 0;
    for (_, span) in &tokens {
        renamed.push_str(&text[end..span.range().start]);
        let word = &text[span.range()];
        renamed.push_str(replaced.get(word).map_or(word, String::as_str));
        end = span.range().end;
    }
    renamed.push_str(&text[end..]);
    let originals = replaced.into_iter().map(|(old, new)| (new, old.to_string())).collect();
    Variant { text: renamed, originals }
}

/// Puts items and the fields of classes in another order. Claims about pairs stay in theirs, among themselves.
fn shuffle(items: &mut Vec<Item>, random: &mut Random) {
    let (mut others, claims): (Vec<Item>, Vec<Item>) =
        items.drain(..).partition(|item| !matches!(item, Item::Equiv(_)));
    random.shuffle(&mut others);
    for item in &mut others {
        if let Item::Class(class) = item {
            random.shuffle(&mut class.fields);
        }
    }
    items.extend(others);
    items.extend(claims);
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "class Node { next: Node; val: int; cells: int[]; }
global head: Node;
version 0
procedure get(n: Node) returns (r: int) requires n != null; ensures r == old(n.val); { r := n.val; }
procedure put(n: Node) { head := n; n.cells := new int[n.cells.length]; }
equiv get ~ take when n.val > 0;
version 1
procedure take(n: Node) returns (r: int) requires n != null; { r := n.val; }
procedure put(n: Node) { n.cells := new int[n.cells.length]; head := n; }
procedure get(n: Node) returns (r: int) requires n != null; { r := n.val + 1; }
";

    fn program() -> File {
        parse::parse(FileId(0), PROGRAM).file
    }

    #[test]
    fn a_variant_is_another_text_of_the_same_program() {
        let mut texts = BTreeSet::new();
        for run in 1..20 {
            let variant = vary(&program(), &mut Random::item(1, run));
            for name in ["Node", "next", "val", "cells", "head", "get", "put", "take", "n", "r"] {
                let found = lex(FileId(0), &variant.text).tokens;
                assert!(found.iter().all(|(_, span)| &variant.text[span.range()] != name), "{name}\n{}", variant.text);
                assert!(variant.originals.values().any(|original| original == name), "{name}");
            }
            assert!(variant.text.contains("length") && variant.text.contains("old("), "{}", variant.text);
            let unit = unit(&variant.text);
            assert_eq!(unit.versions.iter().map(|version| version.procedures.len()).collect::<Vec<_>>(), [2, 3]);
            texts.insert(variant.text);
        }
        assert!(texts.len() > 10, "only {} texts", texts.len());
    }

    #[test]
    fn what_is_seen_is_told_by_the_names_of_the_original() {
        let seen = check(&program(), &Config::default(), 4, 7);
        let named: Vec<(&str, &str, bool)> =
            seen.iter().map(|pair| (pair.left.as_str(), pair.right.as_str(), pair.when.is_some())).collect();
        assert_eq!(named, [("get", "get", false), ("get", "take", true), ("put", "put", false)]);
        for pair in &seen {
            assert!(!pair.wavers(), "{pair:?}");
            assert_eq!(pair.verdicts.values().flatten().copied().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        }
    }
}
