//! What was found, as text and as JSON.
//!
//! In: a [`DiffReport`]. Out: the text of `ape diff`, or its JSON object.
//!
//! Invariant: decides nothing.

use super::kinds::is_ending;
use super::{DiffReport, PairDiff, Row, Value};
use crate::search::localize::marks;
use crate::search::witness::{RunPair, Witness};
use lang_l::Loaded;
use lang_l::show::statements::input_lines;
use lang_l::store_json::{externals_json, input_json};
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The most lines that the text spends on the rows of one kind.
const SHOWN: usize = 24;
/// The most columns of a value before it gets a line of its own.
const STORE_WIDTH: usize = 1_000;

/// The report as text; with `rows`, all of them and in full.
pub fn text(source: &Loaded, report: &DiffReport, all_rows: bool) -> String {
    report.pairs.iter().map(|pair| pair_text(source, pair, all_rows)).collect()
}

fn pair_text(source: &Loaded, pair: &PairDiff, all_rows: bool) -> String {
    let mut text = format!("{}: ", title(pair));
    let complete = pair.is_complete();
    if pair.equal_when == "true" && complete {
        // Of a place nothing is said where a version errs or never ends.
        text.push_str(if pair.at.is_some() { "equal wherever both end normally\n" } else { "equal always\n" });
        return text;
    }
    if pair.equal_when == "false" {
        text.push_str("equal never seen\n");
    } else {
        let _ = writeln!(text, "equal when {}", pair.equal_when);
    }
    let kinds = [("differs", &pair.differs_when), ("one ends", &pair.one_ends_when)];
    let present: Vec<_> = kinds.into_iter().filter(|(_, when)| *when != "false").collect();
    for (kind, when) in &present {
        let rest = complete && present.len() == 1 && pair.equal_when != "false";
        match when.as_str() {
            "true" => _ = writeln!(text, "  {kind} always"),
            _ if rest => _ = writeln!(text, "  {kind} otherwise"),
            when => _ = writeln!(text, "  {kind} when {when}"),
        }
        if *kind == "differs" {
            let settled: Vec<&Row> = pair.rows.iter().filter(|row| row.is_settled()).collect();
            rows_text(source, pair, (&settled, all_rows), &mut text);
        } else if let Some(witness) = &pair.one_ends_witness {
            let _ = writeln!(text, "    {}", example(source, pair, witness));
        }
    }
    match &pair.open_when {
        None => text.push_str("  complete\n"),
        Some(open) if open == "true" => text.push_str("  open\n"),
        Some(open) => _ = writeln!(text, "  open when {open}"),
    }
    let left: Vec<&Row> = pair.rows.iter().filter(|row| !row.is_settled()).collect();
    rows_text(source, pair, (&left, all_rows), &mut text);
    if let Some(witness) = pair.one_ends_witness.as_ref().filter(|_| pair.one_ends_when == "false") {
        let _ = writeln!(text, "    from some stores one ends    {}", example(source, pair, witness));
    }
    text
}

fn title(pair: &PairDiff) -> String {
    let [left, right] = &pair.names;
    let name = if left == right { left.clone() } else { format!("{left} ~ {right}") };
    match &pair.when {
        Some(when) => format!("{name} when {when}"),
        None => name,
    }
}

fn rows_text(source: &Loaded, pair: &PairDiff, (rows, all_rows): (&[&Row], bool), text: &mut String) {
    let mut left = if all_rows { usize::MAX } else { SHOWN };
    let mut shown = 0;
    for row in rows {
        let lines = row_lines(source, pair, row, (rows.len() > 1, all_rows));
        // Of the first one the head is told, however long it is.
        if lines.len() > left && shown > 0 {
            break;
        }
        let told = lines.len().min(left);
        lines[..told].iter().for_each(|line| _ = writeln!(text, "    {line}"));
        if told < lines.len() {
            let _ = writeln!(text, "    and {} more places, see --rows", lines.len() - told);
        }
        left -= told;
        shown += 1;
    }
    if shown < rows.len() {
        let _ = writeln!(text, "    and {} more rows, see --rows", rows.len() - shown);
    }
}

/// What is said of one row, `among` others or alone; in full, or without what is equal.
fn row_lines(source: &Loaded, pair: &PairDiff, row: &Row, (among, in_full): (bool, bool)) -> Vec<String> {
    let mut lines = Vec::new();
    if !row.is_settled() {
        lines.push(match row.between() {
            Some(relation) => format!("what differs when {} does so with {relation}", row.when),
            None if row.when == "true" => "some differ".to_string(),
            None => format!("some differ when {}", row.when),
        });
    } else if among {
        lines.push(format!("when {}", row.when));
    }
    let mut example = Some(self::example(source, pair, &row.witness));
    for (left, right) in beside(row) {
        let values = format!("{} | {}", word(left), word(right));
        let place = left.or(right).map_or("", |value| value.place());
        let end = example.take().map_or(String::new(), |store| format!("    {store}"));
        lines.push(format!("{place}  {values}{end}"));
    }
    lines.extend(row.between().filter(|_| row.is_settled()));
    lines.extend(example);
    if in_full && !row.equal().is_empty() {
        lines.push(format!("equal: {}", row.equal().join(", ")));
    }
    lines
}

/// The values of both versions, place by place.
fn beside(row: &Row) -> Vec<(Option<&Value>, Option<&Value>)> {
    let find = |values: &'_ [Value], place: &str| values.iter().position(|value| value.place() == place);
    let mut pairs: Vec<_> =
        row.left.iter().map(|left| (Some(left), find(&row.right, left.place()).map(|at| &row.right[at]))).collect();
    for right in row.right.iter().filter(|right| find(&row.left, right.place()).is_none()) {
        pairs.push((None, Some(right)));
    }
    pairs
}

fn word(value: Option<&Value>) -> &str {
    match value {
        None => "-",
        Some(value) => value.value.as_deref().unwrap_or("?"),
    }
}

/// A store, as statements.
fn example(source: &Loaded, pair: &PairDiff, witness: &Witness) -> String {
    let procedure = source.unit.versions[0].procedure(pair.pair.0);
    let lines = input_lines(&source.unit, procedure, witness.input(), STORE_WIDTH);
    if lines.is_empty() { "e.g. any store".into() } else { format!("e.g. {}", lines.join(" ")) }
}

/// The report as JSON.
pub fn json(source: &Loaded, report: &DiffReport) -> Json {
    let pairs: Vec<Json> = report.pairs.iter().map(|pair| pair_json(source, pair)).collect();
    let mut json = json!({ "schema_version": 1, "pairs": pairs });
    if let Some(reason) = report.stopped {
        json["stopped"] = reason.word().into();
    }
    json
}

fn pair_json(source: &Loaded, pair: &PairDiff) -> Json {
    let affected = match (pair.differs(), pair.is_complete()) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    let refined: Vec<Json> = pair.refined.iter().map(|callee| json!({ "callee": callee, "when": "true" })).collect();
    let mut json = json!({
        "left": pair.names[0],
        "right": pair.names[1],
        "when": pair.when,
        "verdict": pair.verdict(),
        "equal_when": pair.equal_when,
        "differs_when": pair.differs_when,
        "one_ends_when": pair.one_ends_when,
        "open_when": pair.open_when,
        "complete": pair.is_complete(),
        "relation": pair.relation.as_ref().filter(|_| is_plain(source, pair)),
        "rows": pair.rows.iter().map(|row| row_json(source, pair, row)).collect::<Vec<_>>(),
        "modified": pair.modified,
        "affected": affected,
        "executed": pair.executed,
        "refined": refined,
        "time_ms": u64::try_from(pair.time.as_millis()).unwrap_or(u64::MAX),
    });
    if let Some(witness) = &pair.one_ends_witness {
        json["one_ends_witness"] = store_json(source, pair, witness);
    }
    json
}

fn row_json(source: &Loaded, pair: &PairDiff, row: &Row) -> Json {
    let values = |values: &[Value]| -> Vec<Json> {
        values.iter().map(|value| json!({ "place": value.place(), "value": value.value })).collect()
    };
    let lines = lines(source, pair, row).map_or([Vec::new(), Vec::new()], |lines| lines.map(|line| vec![line]));
    json!({
        "when": row.when,
        "relation": is_plain(source, pair).then(|| row.relation()),
        "exact": row.is_exact(),
        "equal": row.equal(),
        "left": values(&row.left),
        "right": values(&row.right),
        "witness": store_json(source, pair, &row.witness),
        "lines": { "left": lines[0], "right": lines[1] },
    })
}

/// Whether a relation can be read: no parameter is called what says in it how a version ends.
fn is_plain(source: &Loaded, pair: &PairDiff) -> bool {
    let procedure = source.unit.versions[0].procedure(pair.pair.0);
    !procedure.locals[..procedure.params].iter().any(|parameter| is_ending(&parameter.name))
}

/// The lines of both versions that make the difference of a row.
fn lines(source: &Loaded, pair: &PairDiff, row: &Row) -> Option<[usize; 2]> {
    let (left, right) = pair.pair;
    let run = RunPair { unit: &source.unit, left, right, when: None };
    let marked = || marks(&source.sources, &run, &row.witness);
    pair.at.or_else(|| marked().map(|marks| marks.map(|mark| source.sources.line(mark.span))))
}

fn store_json(source: &Loaded, pair: &PairDiff, witness: &Witness) -> Json {
    let procedure = source.unit.versions[0].procedure(pair.pair.0);
    let mut json = input_json(&source.unit, procedure, witness.input());
    json["externals"] = externals_json(witness.externals());
    json
}
