//! What was found of each pair, and of contracts.
//!
//! In: a program with its report. Out: a section for each pair: its verdict, why, and what shows it.
//!
//! Invariant: a section says what `ape verify` and `ape explain` say.

use super::super::argument::{Point, Section, sections};
use super::super::counterexample::{rows, start, violation};
use super::super::picture::{embedded, pictures};
use super::super::show_difference;
use super::panes::Panes;
use super::words::{badge, pair_name, prose, visible};
use super::{Program, Room, count, is_refuted, steps};
use crate::search::witness::Witness;
use crate::verdict::{ClauseReport, ClauseStatus, PairReport, Verdict};
use maud::{Markup, PreEscaped, html};

/// How wide lines of stores are.
const WIDTH: usize = 80;

/// The section on a pair, while there is room for more.
pub(super) fn section(
    program: &Program<'_>,
    panes: &Panes<'_>,
    (at, pair): (usize, &PairReport),
    room: &mut Room,
) -> Markup {
    let id = format!("p{}q{at}", program.number);
    let head = html! { h3 { (pair_name(pair)) " " (badge(pair.verdict.word())) } };
    if room.sections == 0 {
        return html! { section.pair id=(id) { (head) p { "No more is said of it here: the page is large enough." } } };
    }
    room.sections -= 1;
    html! {
        section.pair id=(id) {
            (head)
            p { "Termination: " (pair.termination.word()) "." }
            (reason(pair))
            (shown(program, pair))
            @if is_refuted(pair) { (steps::steps(program, panes, (&id, pair), room)) }
            (argument(program, pair))
        }
    }
}

/// Why there is no better verdict, and what it rests on.
fn reason(pair: &PairReport) -> Markup {
    let names: Vec<&str> = pair.rests_on.iter().map(|premise| premise.title.as_str()).collect();
    html! {
        @if let Verdict::Unknown(reason) = &pair.verdict {
            p.open { "Not settled: " (prose(&reason.what)) "." }
            p { "What could help: " (prose(&reason.hint)) }
        }
        @if !names.is_empty() { p { "Rests on " (visible(&names.join(", "))) "." } }
    }
}

/// The proof in words, section by section.
fn argument(program: &Program<'_>, pair: &PairReport) -> Markup {
    let sections = program.known.map_or(Vec::new(), |known| sections(&known, pair));
    html! {
        @for Section { title, points } in &sections {
            h4 { (title) }
            ul {
                @for Point { text, number, inner, lines } in points {
                    li {
                        @if let Some(number) = number { b { (number) "." } " " }
                        (prose(text))
                        @if !inner.is_empty() { ul { @for point in inner { li { (prose(point)) } } } }
                        @if !lines.is_empty() { pre { (visible(&dedented(lines))) } }
                    }
                }
            }
        }
    }
}

/// The same lines without what stands before each of them.
fn dedented(lines: &str) -> String {
    lines.lines().map(str::trim_start).collect::<Vec<_>>().join("\n")
}

/// What a run has shown.
fn shown(program: &Program<'_>, pair: &PairReport) -> Markup {
    let subject = program.subject;
    html! {
        @match &pair.verdict {
            Verdict::NotEquivalent(witness) => (difference(program, pair, witness)),
            Verdict::ContractViolation(witness) => {
                h4 { "A run that breaks a contract" }
                pre { (visible(&dedented(&violation(subject, witness, WIDTH)))) }
            }
            _ => {}
        }
        div.pictures {
            @for picture in pictures(subject, pair) { figure { (PreEscaped(visible(&embedded(&picture)))) } }
        }
    }
}

/// Where two runs start, how each ends, and in what they differ.
fn difference(program: &Program<'_>, pair: &PairReport, witness: &Witness) -> Markup {
    let subject = program.subject;
    let [left, _] = subject.procedures(pair);
    let from = start(subject, left, witness.input(), witness.externals(), WIDTH);
    let rows = rows(subject, pair, witness);
    html! {
        h4 { "A store on which they differ" }
        pre { (visible(&dedented(&from))) }
        table.ends {
            @for (at, row) in rows.iter().enumerate() {
                tr {
                    @for cell in row {
                        @if at == 0 { th scope="col" { (visible(cell)) } } @else { td { (visible(cell)) } }
                    }
                }
            }
        }
        @if let Some(first) = show_difference(subject, pair, witness) {
            p { "First difference: " (visible(&first)) "." }
        }
    }
}

/// The contracts of both versions.
pub(super) fn contracts(program: &Program<'_>) -> Markup {
    let clauses = &program.subject.report.contracts;
    let holding = clauses.iter().filter(|clause| matches!(clause.status, ClauseStatus::Holds)).count();
    html! {
        @if !clauses.is_empty() {
            section.contracts {
                h3 { "Contracts" }
                p { (holding) " of " (count(clauses.len(), "clause")) " proved." }
                ul {
                    @for clause in clauses.iter().filter(|clause| !matches!(clause.status, ClauseStatus::Holds)) {
                        li { (one_clause(program, clause)) }
                    }
                }
            }
        }
    }
}

fn one_clause(program: &Program<'_>, clause: &ClauseReport) -> Markup {
    let subject = program.subject;
    html! {
        (clause.kind.keyword()) " of " (visible(&clause.procedure)) ", " (visible(&subject.version_name(clause.version)))
        (visible(&subject.at(clause.span))) " " (badge(clause.status.word()))
        @match &clause.status {
            ClauseStatus::Holds => {}
            ClauseStatus::Violated(witness) => pre { (visible(&dedented(&violation(subject, witness, WIDTH)))) },
            ClauseStatus::Unknown(why) => p { (prose(why)) },
        }
    }
}
