//! What was found of clients, as text and as JSON.
//!
//! In: a [`ClientReport`]. Out: the text of `ape client`, or its JSON object.
//!
//! Invariant: decides nothing.

use super::{Boundary, Call, Client, ClientReport, Escape, Kind, Library, Needs};
use crate::report::Subject;
use crate::report::json as verified;
use crate::report::text::{Detail, pair_text};
use crate::search::witness::Witness;
use crate::verdict::{PairReport, Verdict};
use lang_l::Loaded;
use lang_l::interp::Outcome;
use lang_l::show::outcome_text;
use lang_l::show::statements::input_lines;
use lang_l::source::Span;
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The most calls that are told of with all that is known.
const IN_FULL: usize = 3;
/// The most calls that are told of at all.
const SHOWN: usize = 12;
/// The most characters of a piece of the source.
const SOURCE_WIDTH: usize = 90;
/// The most columns of a store.
const STORE_WIDTH: usize = 1_000;

/// The report as text; with `all`, all boundaries that were tried.
pub fn text(source: &Loaded, report: &ClientReport, all: bool, width: usize) -> String {
    report.clients.iter().map(|client| client_text(source, report, client, all, width)).collect()
}

fn client_text(source: &Loaded, report: &ClientReport, client: &Client, all: bool, width: usize) -> String {
    let mut text = format!("{}: {}\n", client.name, headline(client));
    if let Some(escape) = &client.escape {
        text.push_str(&escape_text(source, escape));
    }
    if let Some((unit, found)) = client.case.as_deref()
        && let Some(pair) = found.pairs.first()
    {
        let subject = Subject { unit, sources: &source.sources, report: found };
        let told = pair_text(subject, pair, Detail { explain: false, width });
        text.extend(told.split_inclusive('\n').skip(1));
    }
    if let Some(open) = &client.open {
        let _ = writeln!(text, "  {open}");
    }
    if client.case.is_none() || all {
        calls_text(source, report, client, &mut text);
    }
    if all {
        boundaries_text(source, client, &mut text);
    }
    text
}

fn headline(client: &Client) -> String {
    let of = if client.library.is_empty() { "what was changed".to_string() } else { client.library.join(", ") };
    match client.verdict {
        "equivalent" => format!("not affected by {of}"),
        "partially-equivalent" => format!("not affected by {of} where both versions end"),
        "not-equivalent" => format!("affected by {of}"),
        "contract-violation" => "a contract is broken".into(),
        _ => "open".into(),
    }
}

fn escape_text(source: &Loaded, escape: &Escape) -> String {
    let gave = escape.gave.each_ref().map(|values| match values.as_deref() {
        None => "does not come back".to_string(),
        Some([]) => "comes back".to_string(),
        Some(values) => values.join(", "),
    });
    let line = source.sources.line(escape.span);
    let what = if gave[0] == gave[1] { "leaves another store".into() } else { format!("{} | {}", gave[0], gave[1]) };
    format!("  line {line}: {}({}): {what}\n", escape.callee, escape.arguments.join(", "))
}

fn calls_text(source: &Loaded, report: &ClientReport, client: &Client, text: &mut String) {
    for (at, call) in client.calls.iter().enumerate().take(SHOWN) {
        let line = source.sources.line(call.span);
        let _ = write!(text, "  line {line}: {}({})  ", call.callee, call.arguments);
        let boundary = call.contained_by.and_then(|at| client.boundaries.get(at));
        let library = report.library.get(&call.callee);
        if call.reached == Some(false) {
            text.push_str("no run reaches it\n");
            continue;
        }
        match boundary {
            Some(boundary) if boundary.kind == Kind::Call && boundary.procedure.is_empty() => {
                text.push_str("both versions do the same\n")
            }
            Some(boundary) => contained_text(source, (call, boundary, library), at < IN_FULL, text),
            None => _ = writeln!(text, "not contained{}", example(source, library)),
        }
    }
    if client.calls.len() > SHOWN {
        let _ = writeln!(text, "  and {} more calls", client.calls.len() - SHOWN);
    }
}

/// A call that differs, and where that does not matter any more.
fn contained_text(
    source: &Loaded,
    (call, boundary, library): (&Call, &Boundary, Option<&Library>),
    in_full: bool,
    text: &mut String,
) {
    let place = place(source, boundary);
    if !in_full {
        let _ = writeln!(text, "contained by {place}");
        return;
    }
    // The store is one of what is called: the client may not come to it, whenever it makes the call.
    let seen = example(source, library);
    let differs =
        if seen.is_empty() { "may differ".into() } else { format!("may differ, as {} does{seen}", call.callee) };
    let _ = writeln!(text, "{differs}, but what follows does not see it");
    if boundary.kind != Kind::Client {
        let _ = writeln!(text, "    {}", piece(source, boundary.span));
    }
    let from = if boundary.kind == Kind::Client { "" } else { ": from any store both versions do the same" };
    let _ = writeln!(text, "    ^ impact boundary, {place}{from}");
    if let Some(Needs { relation, kept }) = &call.needs {
        let kept = if *kept { ", which holds whatever the arguments are" } else { "" };
        let _ = writeln!(text, "    needs of {}: {relation}{kept}", call.callee);
    }
    if call.called_when != "true" {
        let _ = writeln!(text, "    called when {}", call.called_when);
    }
}

fn boundaries_text(source: &Loaded, client: &Client, text: &mut String) {
    for boundary in &client.boundaries {
        let word = if boundary.holds { "the same in both versions" } else { "not shown to be the same" };
        let _ = writeln!(text, "  tried {}: {word}", place(source, boundary));
    }
}

/// A boundary in words: what it is, and its lines.
fn place(source: &Loaded, boundary: &Boundary) -> String {
    let [from, to] = lines(source, boundary.span);
    let what = if boundary.kind == Kind::Client { "the whole client" } else { boundary.kind.word() };
    if from == to { format!("{what}, line {from}") } else { format!("{what}, lines {from} to {to}") }
}

fn lines(source: &Loaded, span: Span) -> [usize; 2] {
    let text = source.sources.text(span);
    let from = source.sources.line(span);
    [from, from + text.trim_end().matches('\n').count()]
}

/// The source of a place in one line.
fn piece(source: &Loaded, span: Span) -> String {
    let words: Vec<&str> = source.sources.text(span).split_whitespace().collect();
    let text = words.join(" ");
    if text.chars().count() <= SOURCE_WIDTH {
        return text;
    }
    text.chars().take(SOURCE_WIDTH - 1).chain(['…']).collect()
}

/// A store on which a changed procedure differs, and what it gives there.
fn example(source: &Loaded, library: Option<&Library>) -> String {
    let Some((name, witness)) = library.and_then(|library| Some((&library.name, witness(&library.report)?))) else {
        return String::new();
    };
    let version = &source.unit.versions[0];
    let Some(id) = version.find(name) else { return String::new() };
    let store = input_lines(&source.unit, version.procedure(id), witness.input(), STORE_WIDTH).join(" ");
    let store = store.trim_end_matches(';');
    let gave = [witness.left(), witness.right()].map(gave);
    let values = if gave[0] == gave[1] { String::new() } else { format!(": {} | {}", gave[0], gave[1]) };
    if store.is_empty() { format!(" (always{values})") } else { format!(" ({store}{values})") }
}

fn witness(report: &PairReport) -> Option<&Witness> {
    match &report.verdict {
        Verdict::NotEquivalent(witness) => Some(witness),
        _ => None,
    }
}

fn gave(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Normal(last) if !last.results.is_empty() => {
            last.results.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        Outcome::Diverged(_) => "never ends".into(),
        other => outcome_text(other),
    }
}

/// The report as JSON.
pub fn json(source: &Loaded, report: &ClientReport) -> Json {
    let clients: Vec<Json> = report.clients.iter().map(|client| client_json(source, report, client)).collect();
    let mut json = json!({ "schema_version": 1, "clients": clients });
    if let Some(reason) = report.stopped {
        json["stopped"] = reason.word().into();
    }
    json
}

fn client_json(source: &Loaded, report: &ClientReport, client: &Client) -> Json {
    let case = client.case.as_deref().map(|(unit, found)| {
        verified::report(Subject { unit, sources: &source.sources, report: found })["pairs"][0]["counterexample"].take()
    });
    let library = client.library.iter().filter_map(|name| report.library.get(name));
    let mut json = json!({
        "client": client.name,
        "verdict": client.verdict,
        "termination": client.termination.word(),
        "counterexample": case,
        "library": library.map(library_json).collect::<Vec<_>>(),
        "calls": client.calls.iter().map(|call| call_json(source, call)).collect::<Vec<_>>(),
        "boundaries": client.boundaries.iter().map(|boundary| boundary_json(source, boundary)).collect::<Vec<_>>(),
        "reason": reason(source, client),
        "time_ms": u64::try_from(client.time.as_millis()).unwrap_or(u64::MAX),
    });
    if let Some(Escape { span, callee, arguments, gave }) = &client.escape {
        json["escape"] = json!({
            "line": source.sources.line(*span),
            "callee": callee,
            "arguments": arguments,
            "left": gave[0],
            "right": gave[1],
        });
    }
    if matches!(client.verdict, "equivalent" | "partially-equivalent") {
        json["checked"] = true.into();
    }
    json
}

fn library_json(library: &Library) -> Json {
    let [differs, one_ends] = library.differs.clone().map_or([None, None], |texts| texts.map(Some));
    json!({
        "procedure": library.name,
        "verdict": library.report.verdict.word(),
        "differs_when": differs,
        "one_ends_when": one_ends,
    })
}

fn call_json(source: &Loaded, call: &Call) -> Json {
    json!({
        "line": source.sources.line(call.span),
        "callee": call.callee,
        "arguments": call.arguments,
        "reached": call.reached,
        "contained_by": call.contained_by,
        "called_when": call.called_when,
        "needs": call.needs.as_ref().map(|needs| needs.relation.as_str()),
        "needs_kept": call.needs.as_ref().map(|needs| needs.kept),
    })
}

fn boundary_json(source: &Loaded, boundary: &Boundary) -> Json {
    let [from, to] = lines(source, boundary.span);
    json!({
        "from_line": from,
        "to_line": to,
        "kind": boundary.kind.word(),
        "verdict": if boundary.holds { "equivalent" } else { "unknown" },
        "checked": boundary.holds,
    })
}

/// The verdict in a sentence.
fn reason(source: &Loaded, client: &Client) -> String {
    if let Some(open) = &client.open {
        return open.clone();
    }
    if let Some(escape) = &client.escape {
        return format!(
            "the call of {} in line {} gives something else",
            escape.callee,
            source.sources.line(escape.span)
        );
    }
    let unreached = !client.calls.is_empty() && client.calls.iter().all(|call| call.reached == Some(false));
    match client.verdict {
        "equivalent" if unreached => "no run reaches a call of what was changed".into(),
        "equivalent" => {
            let by: std::collections::BTreeSet<usize> =
                client.calls.iter().filter_map(|call| call.contained_by).collect();
            let places: Vec<String> =
                by.into_iter().filter_map(|at| client.boundaries.get(at)).map(|one| place(source, one)).collect();
            format!("all calls are contained: {}", places.join("; "))
        }
        _ => headline(client),
    }
}
