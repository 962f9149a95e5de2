//! The golden table: what today's prover says of every program, held so that no verdict gets worse.
//!
//! In: `tests/golden.tsv` and reports. Out: what is worse than the table has it, and the table anew.
//!
//! Invariant: of programs outside the repository the table has names and verdicts alone.

use super::program::{Judgement, judge, reported_name};
use super::root;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// What stands where there is nothing to say.
const NOTHING: &str = "-";
/// Why a test of a program that lies beside the repository is ignored.
pub(crate) const ABSENT: &str = "../shared/suites is absent";
/// The first line of the table.
const HEAD: &str = "# file\tpair\tverdict\ttermination\trule\tms\n";

/// What was found of one pair, or of one clause of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The pair's name, with its condition; or `contract`, version, procedure, kind and line; or `-` for the whole file.
    pub(crate) pair: String,
    /// The verdict, or the status of the clause.
    pub(crate) verdict: String,
    /// The word for termination; told, and held, only of programs of the repository.
    pub(crate) termination: String,
    /// The rule that proved it; information.
    pub(crate) rule: String,
    /// How many milliseconds it took; information.
    pub(crate) ms: String,
}

/// The rows of each file.
pub(crate) type Table = BTreeMap<String, Vec<Row>>;

fn path() -> PathBuf {
    root().join("tests/golden.tsv")
}

/// The name of the test of a file of the table that lies beside the repository.
pub(crate) fn absent(file: &str) -> Option<String> {
    let name = file.strip_prefix("shared/")?;
    Some(name.trim_end_matches(".bl").trim_end_matches(".l").replace('/', "::"))
}

/// The table as it is checked in.
pub(crate) fn read() -> Table {
    let text = fs::read_to_string(path()).unwrap_or_default();
    let mut table = Table::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, pair, verdict, termination, rule, ms] = cells[..] else { panic!("golden.tsv: `{line}`") };
        let row = [pair, verdict, termination, rule, ms].map(str::to_string);
        let [pair, verdict, termination, rule, ms] = row;
        table.entry(file.into()).or_default().push(Row { pair, verdict, termination, rule, ms });
    }
    table
}

/// Writes the table: what was found now, and what is kept of files that were not looked at.
pub(crate) fn write(old: &Table, found: &Table, keep: impl Fn(&str) -> bool) {
    let kept = old.iter().filter(|(file, _)| !found.contains_key(*file) && keep(file));
    let steady = found.iter().map(|(file, rows)| (file, steady(old.get(file), rows)));
    let kept = kept.map(|(file, rows)| (file.clone(), rows.clone()));
    let all: Table = kept.chain(steady.map(|(file, rows)| (file.clone(), rows))).collect();
    let mut text = String::from(HEAD);
    for (file, rows) in &all {
        for Row { pair, verdict, termination, rule, ms } in rows {
            writeln!(text, "{file}\t{pair}\t{verdict}\t{termination}\t{rule}\t{ms}").expect("text can be written");
        }
    }
    fs::write(path(), text).expect("the golden table can be written");
}

/// The rows found, with the old time where nothing else is new and the time is much the same: a table that changes in
/// every line each time is one that nobody reads.
fn steady(old: Option<&Vec<Row>>, found: &[Row]) -> Vec<Row> {
    let time = |row: &Row| row.ms.parse::<u64>().unwrap_or(0);
    let known = |row: &Row| old.into_iter().flatten().find(|old| old.pair == row.pair).cloned();
    let near = |old: &Row, new: &Row| time(old).abs_diff(time(new)) < 300 + time(old);
    let kept = |new: &Row| known(new).filter(|old| near(old, new) && Row { ms: new.ms.clone(), ..old.clone() } == *new);
    found.iter().map(|row| kept(row).unwrap_or_else(|| row.clone())).collect()
}

/// The rows of a program that is not legal.
pub(crate) fn refused() -> Vec<Row> {
    vec![row("-".into(), "refused".into())]
}

fn row(pair: String, verdict: String) -> Row {
    let nothing = || NOTHING.to_string();
    Row { pair, verdict, termination: nothing(), rule: nothing(), ms: nothing() }
}

/// The rows of a report, sorted.
pub(crate) fn rows(report: &Json, shared: bool) -> Vec<Row> {
    let text = |json: &Json| json.as_str().map_or_else(|| json.to_string(), str::to_string);
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    let mut rows: Vec<Row> = list("pairs")
        .iter()
        .map(|pair| {
            let condition = pair["when"].as_str().map_or(String::new(), |when| format!(" when {when}"));
            let mut row = row(reported_name(pair) + &condition, text(&pair["verdict"]));
            if !shared {
                row.termination = text(&pair["termination"]);
                row.rule = pair["proof"]["rule"].as_str().unwrap_or(NOTHING).to_string();
                row.ms = text(&pair["time_ms"]);
            }
            row
        })
        .collect();
    rows.extend(list("contracts").iter().map(|clause| {
        let name = ["version", "procedure", "clause", "line"].map(|key| text(&clause[key])).join(" ");
        row(format!("contract {name}"), text(&clause["status"]))
    }));
    if list("pairs").is_empty() {
        rows.push(row("-".into(), text(&report["verdict"])));
    }
    rows.sort_by(|one, other| one.pair.cmp(&other.pair));
    number(&mut rows);
    rows
}

/// Tells apart the rows of one name, such as two clauses in one line.
fn number(rows: &mut [Row]) {
    let names: Vec<String> = rows.iter().map(|row| row.pair.clone()).collect();
    for at in 0..rows.len() {
        let before = names[..at].iter().filter(|name| **name == names[at]).count();
        if before > 0 {
            rows[at].pair += &format!(" #{}", before + 1);
        }
    }
}

/// What is worse than the table has it; `right` says which verdicts are right for a pair, where that is known.
pub(crate) fn worse(golden: &[Row], found: &[Row], right: impl Fn(&str) -> Option<Vec<String>>) -> Vec<String> {
    let mut wrong = Vec::new();
    for old in golden {
        let Some(new) = found.iter().find(|new| new.pair == old.pair) else {
            wrong.push(format!("{} is gone, which was {}", old.pair, old.verdict));
            continue;
        };
        let was_wrong = right(&old.pair).is_some_and(|right| {
            judge(&right, &old.verdict) == Judgement::Wrong && judge(&right, &new.verdict) != Judgement::Wrong
        });
        if !was_wrong && is_worse(&old.verdict, &new.verdict) {
            wrong.push(format!("{} is {}, and was {}", old.pair, new.verdict, old.verdict));
        }
        let held = ["mutual", "different"].contains(&old.termination.as_str());
        if !was_wrong && held && old.termination != new.termination {
            wrong.push(format!("termination of {} is {}, and was {}", old.pair, new.termination, old.termination));
        }
    }
    let new = found.iter().filter(|new| !golden.iter().any(|old| old.pair == new.pair));
    wrong.extend(new.map(|new| format!("{} is not in the table", new.pair)));
    wrong
}

/// Whether a verdict, or the status of a clause, says less than it did, or takes a claim back.
fn is_worse(old: &str, new: &str) -> bool {
    match old {
        "unknown" => false,
        "partially-equivalent" => !["partially-equivalent", "equivalent"].contains(&new),
        old => old != new,
    }
}
