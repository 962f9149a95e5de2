//! What each stage of the prover makes of a program, so that a wrong answer can be followed by eye.
//!
//! In: a lowered program, effects, queries. Out: text.

use super::count;
use super::terms::{Names, call_text, place_text, term_text};
use crate::lower::Lowered;
use kernel::effects::Effects;
use kernel::exec::on_entry;
use kernel::exec::state::Outcome;
use kernel::exec::{Executor, Limits, execute};
use lang_l::hir::print::expr_text;
use lang_l::hir::{ProcId, Procedure, Version};
use lang_l::source::{Sources, Span};
use smt::arena::Arena;
use smt::heap::{HeapId, HeapNode};
use smt::solve::{Answer, Query, Task};
use smt::term::{Ending, Selector};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Which procedures are dumped: those of these names, with their loops; all when empty.
pub type Selection<'a> = &'a [String];

/// Whether a procedure of a version is dumped.
fn is_selected(selection: Selection<'_>, version: &Version, procedure: &Procedure) -> bool {
    let name = &procedure.origin.part_of().map_or(procedure, |of| version.procedure(of)).name;
    selection.is_empty() || selection.contains(name)
}

/// What is known of each procedure of a lowered program.
pub fn effects(unit: &Lowered, known: [&[Effects]; 2], selection: Selection<'_>) -> String {
    let mut text = String::new();
    for (version, known) in unit.versions().iter().zip(known) {
        let _ = writeln!(text, "version {}", version.label);
        for (procedure, effects) in
            version.procedures.iter().zip(known).filter(|(p, _)| is_selected(selection, version, p))
        {
            let _ = writeln!(text, "  {}", procedure.name);
            let globals = |ids: &BTreeSet<lang_l::hir::GlobalId>| {
                listed(ids.iter().map(|id| unit.globals()[id.index()].name.clone()))
            };
            let callees = effects.callees.iter().map(|id| version.procedure(*id).name.clone());
            let _ = writeln!(text, "    calls {}", listed(callees));
            let _ = writeln!(text, "    touches {}", listed(effects.accesses.iter().map(|s| selector(unit, *s))));
            let _ = writeln!(text, "    writes {}", listed(effects.writes.iter().map(|s| selector(unit, *s))));
            let _ = writeln!(text, "    touches globals {}", globals(&effects.globals));
            let _ = writeln!(text, "    writes globals {}", globals(&effects.written_globals));
            if let Some(places) = &effects.modifies {
                let places = places.iter().map(|place| expr_text(unit.as_unit(), version, procedure, place));
                let _ = writeln!(text, "    changes of what existed before {}", listed(places));
            }
            let _ = match &effects.errs_only_if_null {
                Some(params) if params.is_empty() => writeln!(text, "    never errs"),
                Some(params) => {
                    let names = params.iter().map(|&at| procedure.locals[at].name.clone());
                    writeln!(text, "    errs only if one of these is null: {}", listed(names))
                }
                None => writeln!(text, "    may err"),
            };
            if !effects.errs_if_null.is_empty() {
                let names = effects.errs_if_null.iter().map(|&at| procedure.locals[at].name.clone());
                let _ = writeln!(text, "    errs if one of these is null: {}", listed(names));
            }
            for own in &effects.changes_only_if {
                let _ = writeln!(text, "    {}", own.words(unit.as_unit(), procedure));
            }
            if !effects.entry.is_empty() {
                let conditions =
                    effects.entry.iter().map(|condition| expr_text(unit.as_unit(), version, procedure, condition));
                let _ = writeln!(text, "    entered only with {}", listed(conditions));
            }
            if !effects.exit.is_empty() {
                let conditions =
                    effects.exit.iter().map(|condition| expr_text(unit.as_unit(), version, procedure, condition));
                let _ = writeln!(text, "    returns only with {}", listed(conditions));
            }
            let ends = if effects.terminates { "always ends" } else { "may run for ever" };
            let _ = writeln!(text, "    {ends}");
        }
    }
    text
}

/// All symbolic outcomes of each procedure of a lowered program.
pub fn paths(unit: &Lowered, sources: &Sources, known: [&[Effects]; 2], selection: Selection<'_>) -> String {
    let mut text = String::new();
    for (version, side) in unit.versions().iter().enumerate().take(2) {
        for (procedure, at) in side.procedures.iter().zip(0u32..) {
            if procedure.body.is_none() || !is_selected(selection, side, procedure) {
                continue;
            }
            let mut arena = unit.arena();
            let mut executor = Executor::new(unit.as_unit(), version, known[version], Limits::default(), &mut arena);
            let (_, assumed, _) = on_entry(&mut executor, ProcId(at));
            let limits = Limits::default();
            let _ = write!(text, "version {}, {}: ", side.label, procedure.name);
            match execute(unit.as_unit(), version, known[version], &limits, &mut arena, (ProcId(at), &assumed)) {
                Ok(execution) => {
                    let _ = writeln!(text, "{}", count(execution.outcomes.len(), "path"));
                    for (number, outcome) in execution.outcomes.iter().enumerate() {
                        let _ = writeln!(text, "  path {}: {}", number + 1, ending(outcome.ending));
                        text.push_str(&path(unit, sources, procedure, &arena, outcome));
                    }
                }
                Err(_) => text.push_str("too many paths\n"),
            }
        }
    }
    text
}

fn path(unit: &Lowered, sources: &Sources, procedure: &Procedure, arena: &Arena, outcome: &Outcome) -> String {
    let names = Names { unit, procedure, arena, calls: &outcome.calls };
    let mut text = String::new();
    for &condition in &outcome.path {
        let _ = writeln!(text, "    if {}", term_text(names, condition));
    }
    for &call in &outcome.calls {
        let record = arena.record(call);
        let callee = &unit.procedure(record.version, record.callee).name;
        let args: Vec<String> = record.args.iter().map(|&arg| term_text(names, arg)).collect();
        let line = sources.line(record.span);
        let _ = writeln!(text, "    {}: {callee}({}), line {line}", call_text(names, call), args.join(", "));
    }
    for (alloc, span) in &outcome.news {
        let _ = writeln!(text, "    new#{}, line {}", alloc.0, sources.line(*span));
    }
    for fault in &outcome.faults {
        let _ = writeln!(text, "    {}, line {}", fault.message, sources.line(fault.span));
    }
    if outcome.ending == Ending::Normal {
        heap(names, outcome.heap, 2, &mut text);
        for (global, &value) in unit.globals().iter().zip(&outcome.globals) {
            let _ = writeln!(text, "    {} == {}", global.name, term_text(names, value));
        }
        for (id, &value) in procedure.result_ids().zip(&outcome.results) {
            let _ = writeln!(text, "    result {} == {}", procedure.local(id).name, term_text(names, value));
        }
    }
    text
}

/// What happened to the heap, oldest first.
fn heap(names: Names<'_>, last: HeapId, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let mut at = last;
    let mut lines = Vec::new();
    loop {
        at = match names.arena.heaps.node(at) {
            HeapNode::Initial => break,
            HeapNode::Store { prev, selector, object, index, value } => {
                let place = place_text(names, *selector, *object, *index);
                lines.push(format!("{indent}{place} := {}\n", term_text(names, *value)));
                *prev
            }
            HeapNode::Fill { prev, fill } => {
                let place = place_text(names, fill.selector, fill.array, Some(fill.index));
                let (from, to) = (term_text(names, fill.from), term_text(names, fill.to));
                lines.push(format!("{indent}{place} := {} from {from} below {to}\n", term_text(names, fill.value)));
                *prev
            }
            HeapNode::Call { prev, call, .. } => {
                lines.push(format!("{indent}effects of {}\n", call_text(names, *call)));
                *prev
            }
            HeapNode::Join { cond, then, els } => {
                let mut joined = format!("{indent}where {}\n", term_text(names, *cond));
                heap(names, *then, depth + 1, &mut joined);
                let _ = writeln!(joined, "{indent}and else");
                heap(names, *els, depth + 1, &mut joined);
                lines.push(joined);
                break;
            }
        };
    }
    text.extend(lines.into_iter().rev());
}

/// What was to be proved: for whom, with the places in both versions, what, and the answer. The formulas are in
/// [`queries`], under the same numbers.
pub fn obligations(unit: &Lowered, sources: &Sources, queries: &[Query]) -> String {
    let mut text = String::new();
    let mut before = None;
    for (number, query) in queries.iter().enumerate() {
        if before != Some(query.task) {
            before = Some(query.task);
            let _ = writeln!(text, "{}", purpose(unit, sources, query.task));
        }
        let (answer, tag) = (answer(&query.answer), &query.tag);
        let _ = writeln!(text, "  {}. {answer}: {tag}{}", number + 1, lines(unit, sources, query));
    }
    text
}

/// The lines that a question has to do with. Of a pair they are said to be of one version or the other.
fn lines(unit: &Lowered, sources: &Sources, query: &Query) -> String {
    let of = |(version, places): (usize, &Vec<Span>)| {
        let lines: BTreeSet<usize> = places.iter().map(|&span| sources.line(span)).collect();
        let side = match query.task {
            Some(Task::Alone { .. }) => String::new(),
            _ => format!("{}, ", unit.versions()[version].title()),
        };
        let word = if lines.len() == 1 { "line" } else { "lines" };
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        (!lines.is_empty()).then(|| format!("{side}{word} {}", lines.join(", ")))
    };
    let both: Vec<String> = query.tag.places.iter().enumerate().filter_map(of).collect();
    if both.is_empty() { String::new() } else { format!(" ({})", both.join("; ")) }
}

/// What a question was asked for: the procedures, and where they are.
fn purpose(unit: &Lowered, sources: &Sources, task: Option<Task>) -> String {
    let place = |version: usize, id: ProcId| {
        let side = &unit.versions()[version];
        let code = side.procedure(id);
        format!("{} ({}, line {})", code.name, side.title(), sources.line(code.span))
    };
    match task {
        None => "in general".to_string(),
        Some(Task::Alone { version, procedure }) => format!("alone: {}", place(version, procedure)),
        Some(Task::Pair { left, right, when }) => {
            let when = when.map_or(String::new(), |when| format!(", when {}", sources.text(when)));
            format!("pair: {} and {}{when}", place(0, left), place(1, right))
        }
    }
}

/// Every query, each a script of its own; `(reset)` keeps them apart, so that a solver also reads all of it at once.
pub fn queries(queries: &[Query]) -> String {
    let mut text = String::new();
    for (number, query) in queries.iter().enumerate() {
        let _ = writeln!(text, "; query {}\n; answer: {}", number + 1, answer(&query.answer));
        text.push_str(&query.smt2);
        text.push_str("(reset)\n\n");
    }
    text
}

fn answer(answer: &Answer) -> String {
    match answer {
        Answer::Holds => "holds".to_string(),
        Answer::Fails | Answer::FailsAt(_) => "fails".to_string(),
        Answer::Unknown(why) => format!("unknown ({})", why.replace('\n', " ")),
    }
}

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Normal => "returns",
        Ending::Error => "errs",
        Ending::Diverges => "never ends",
    }
}

fn selector(unit: &Lowered, selector: Selector) -> String {
    match selector {
        Selector::Field(field) => unit.fields()[field.index()].name.clone(),
        Selector::Cell(sort) => format!("cells of {} arrays", format!("{sort:?}").to_lowercase()),
    }
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() { "nothing".to_string() } else { items.join(", ") }
}
