//! A run as one page of HTML: `ape verify --format html`.
//!
//! In: the reports of a run, with what their proofs speak of. Out: one document.
//!
//! The parts:
//! - `panes`: which lines of the sources stand beside each other;
//! - `links`: what corresponds in them; `notes`: what is said of their lines;
//! - `code`: both as text with colours;
//! - `sections`: what was found of each pair;
//! - `steps`: the runs of a counterexample, step by step;
//! - `assets`: the style and the program of the page.
//!
//! Invariant: one document that needs nothing else, neither a network nor a file. A policy in it forbids all but the style and the
//! program that are part of it.
//! Invariant: what comes from a source stands in the page as text and as nothing else.
//! Invariant: the same reports make the same bytes. What is left out for its size is said to be.

mod code;
mod links;
mod notes;
mod panes;
mod sections;
mod steps;
mod words;

use super::argument::{Background, Known};
use super::picture::ARROW;
use super::{Subject, count, several};
use crate::budget::page::{MAX_SECTIONS, MAX_STEP_BYTES};
use crate::verdict::{PairReport, Verdict};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use panes::Panes;
use sha2::{Digest, Sha256};
use words::{badge, pair_name, visible};

/// The style of pages: colours, code, verdicts.
pub const STYLE: &str = include_str!("assets/page.css");
const PROGRAM: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("assets/links.js"),
    include_str!("assets/heap.js"),
    include_str!("assets/steps.js"),
    "})();\n"
);

/// What was found of one of the files, with what its proofs speak of; without that no proof is told.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// What the file is called.
    pub file: &'a str,
    /// Its report.
    pub subject: Subject<'a>,
    /// What its proofs speak of.
    pub background: Option<&'a Background>,
}

/// One of the programs of a page.
#[derive(Clone, Copy)]
struct Program<'a> {
    /// Which one: its elements have this in their names.
    number: usize,
    subject: Subject<'a>,
    known: Option<Known<'a>>,
}

/// How much room there is for the rest of a page.
struct Room {
    /// Sections on pairs.
    sections: usize,
    /// Bytes for steps, and how many pairs share them.
    steps: usize,
    refuted: usize,
}

/// The page.
pub fn page(parts: &[Part<'_>]) -> String {
    let word = several::overall(parts.iter().map(|part| part.subject.report));
    let title = match parts {
        [only] => format!("{}: {word}", visible(only.file)),
        _ => format!("{}: {word}", count(parts.len(), "file")),
    };
    let refuted = parts.iter().flat_map(|part| &part.subject.report.pairs).filter(|pair| is_refuted(pair)).count();
    let mut room = Room { sections: MAX_SECTIONS, steps: MAX_STEP_BYTES, refuted };
    let programs: Vec<Markup> =
        parts.iter().enumerate().map(|(number, part)| program(number, part, parts.len(), &mut room)).collect();
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    (summary(parts))
                }
                @for program in &programs { (program) }
                svg.defs aria-hidden="true" width="0" height="0" { defs { (PreEscaped(ARROW)) } }
                script { (PreEscaped(PROGRAM)) }
            }
        }
    };
    document.into_string() + "\n"
}

fn is_refuted(pair: &PairReport) -> bool {
    matches!(pair.verdict, Verdict::NotEquivalent(_) | Verdict::ContractViolation(_))
}

/// The hashes of the style and of the program of every page, as policies name them.
pub fn hashes() -> [String; 2] {
    [STYLE, PROGRAM].map(|text| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text))))
}

/// What the page may do: show its style, run its program, and nothing else.
fn policy() -> String {
    let [style, program] = hashes();
    format!("default-src 'none'; style-src {style}; script-src {program}; base-uri 'none'; form-action 'none'")
}

/// A table of all pairs.
fn summary(parts: &[Part<'_>]) -> Markup {
    let stopped = parts.iter().find_map(|part| part.subject.report.stopped);
    html! {
        table.verdicts {
            caption { "What was compared" }
            thead {
                tr {
                    @if parts.len() > 1 { th scope="col" { "file" } }
                    th scope="col" { "pair" }
                    th scope="col" { "verdict" }
                    th scope="col" { "termination" }
                }
            }
            tbody {
                @for (number, part) in parts.iter().enumerate() {
                    @for (at, pair) in part.subject.report.pairs.iter().enumerate() {
                        tr {
                            @if parts.len() > 1 { td { a href=(format!("#p{number}")) { (visible(part.file)) } } }
                            td { a href=(section_id(number, at)) { (pair_name(pair)) } }
                            td { (badge(pair.verdict.word())) }
                            td { (pair.termination.word()) }
                        }
                    }
                }
            }
        }
        @if parts.iter().all(|part| part.subject.report.pairs.is_empty()) {
            p { "Nothing to verify: no procedure is in both versions." }
        }
        @if let Some(reason) = stopped {
            p { (reason.to_string()) ": " (crate::verdict::stopped::consequence(reason)) "." }
        }
    }
}

fn section_id(program: usize, pair: usize) -> String {
    format!("#p{program}q{pair}")
}

/// Both sources of a program, and its pairs.
fn program(number: usize, part: &Part<'_>, of: usize, room: &mut Room) -> Markup {
    let subject = part.subject;
    let known = part.background.map(|background| background.known(subject));
    let program = Program { number, subject, known };
    let panes = Panes::of(subject, of);
    let links = links::links(&program, &panes);
    let notes = notes::notes(&program);
    html! {
        article.program id=(format!("p{number}")) {
            @if of > 1 { h2 { (visible(part.file)) } }
            (code::both(&program, &panes, &links, &notes))
            div.sections {
                @for (at, pair) in subject.report.pairs.iter().enumerate() {
                    (sections::section(&program, &panes, (at, pair), room))
                }
                (sections::contracts(&program))
            }
        }
    }
}
