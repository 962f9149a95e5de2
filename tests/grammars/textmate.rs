//! The TextMate grammar, read as editors read it: line by line, at each place the pattern that matches first.
//!
//! It knows of the format what the grammar uses, and refuses what it does not know.

use crate::kinds::{Kind, kinds};
use crate::{common, programs};
use fancy_regex::Regex;
use serde_json::{Map, Value};
use std::fs;
use std::ops::Range;

/// A pattern of the grammar.
struct Pattern {
    /// The scope of all that it takes.
    name: Option<String>,
    /// What it takes, or how it begins.
    begin: Regex,
    /// How it ends, perhaps lines below.
    end: Option<Regex>,
    /// The scopes of groups of `begin`.
    captures: Vec<(usize, String)>,
}

fn grammar() -> Vec<Pattern> {
    let path = common::root().join("prover/editors/vscode/syntaxes/l.tmLanguage.json");
    let text = fs::read_to_string(path).expect("the grammar can be read");
    let grammar: Value = serde_json::from_str(&text).expect("it is JSON");
    let mut patterns = Vec::new();
    include(&grammar, &grammar["patterns"], &mut patterns);
    patterns
}

fn include(grammar: &Value, list: &Value, patterns: &mut Vec<Pattern>) {
    for rule in list.as_array().expect("a list of rules") {
        let rule = rule.as_object().expect("a rule");
        match text(rule, "include") {
            Some(name) => {
                let name = name.strip_prefix('#').expect("the name of a part");
                include(grammar, &grammar["repository"][name]["patterns"], patterns);
            }
            None => patterns.push(pattern(rule)),
        }
    }
}

fn pattern(rule: &Map<String, Value>) -> Pattern {
    let known = ["name", "match", "begin", "end", "captures"];
    assert!(rule.keys().all(|key| known.contains(&key.as_str())), "{rule:?}");
    // A line ends before its end of line, as editors have it.
    let regex = |text: &str| Regex::new(&format!("(?m){text}")).unwrap_or_else(|error| panic!("{text}: {error}"));
    let captures = rule.get("captures").and_then(Value::as_object).into_iter().flatten();
    Pattern {
        name: text(rule, "name").map(str::to_string),
        begin: regex(text(rule, "match").or(text(rule, "begin")).expect("it matches something")),
        end: text(rule, "end").map(regex),
        captures: captures
            .map(|(group, scope)| {
                (group.parse().expect("a group"), scope["name"].as_str().expect("a scope").to_string())
            })
            .collect(),
    }
}

fn text<'r>(rule: &'r Map<String, Value>, key: &str) -> Option<&'r str> {
    rule.get(key).and_then(Value::as_str)
}

/// The innermost scope of each byte; empty where there is none but that of the whole.
fn scopes<'g>(grammar: &'g [Pattern], text: &str) -> Vec<&'g str> {
    let mut scopes = vec![""; text.len()];
    let mut open: Option<(&Pattern, &Regex)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut at = 0;
        while at < line.len() {
            let mut paint = |range: Range<usize>, scope| scopes[start + range.start..start + range.end].fill(scope);
            if let Some((pattern, end)) = open {
                let found = end.find_from_pos(line, at).expect("it can be matched");
                let until = found.map_or(line.len(), |found| found.end());
                paint(at..until, pattern.name.as_deref().unwrap_or(""));
                open = open.filter(|_| found.is_none());
                at = until;
                continue;
            }
            let all = grammar.iter().filter_map(|pattern| {
                let found = pattern.begin.captures_from_pos(line, at).expect("it can be matched")?;
                Some((pattern, found))
            });
            // Of those that begin at one place the first one counts.
            let Some((pattern, found)) = all.min_by_key(|(_, found)| found.get(0).map(|all| all.start())) else {
                break;
            };
            let whole = found.get(0).expect("the whole");
            paint(whole.start()..whole.end(), pattern.name.as_deref().unwrap_or(""));
            for (group, scope) in &pattern.captures {
                found.get(*group).into_iter().for_each(|part| paint(part.start()..part.end(), scope));
            }
            open = pattern.end.as_ref().map(|end| (pattern, end));
            assert!(whole.end() > at, "it takes something");
            at = whole.end();
        }
        start += line.len();
    }
    scopes
}

/// Whether something of this kind may have such a scope.
fn fits(kind: Kind, scope: &str) -> bool {
    let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| scope.starts_with(prefix));
    match kind {
        Kind::Keyword => {
            scope == "keyword.operator.new.l"
                || is(&["storage.type", "keyword.other", "keyword.control", "support.type", "constant.language"])
        }
        Kind::Name => scope.is_empty() || is(&["entity.name", "variable.other.member", "support.function"]),
        // The label of a version may be a number.
        Kind::Number => is(&["constant.numeric", "entity.name.section"]),
        Kind::Text => is(&["string.quoted"]),
        Kind::Comment => is(&["comment"]),
        Kind::Operator => is(&["keyword.operator"]) && scope != "keyword.operator.new.l",
        Kind::Mark => scope.is_empty(),
    }
}

/// Where the grammar and the lexer do not agree.
fn disagreements(grammar: &[Pattern], text: &str) -> Vec<String> {
    let scopes = scopes(grammar, text);
    let wrong = kinds(text).into_iter().filter_map(|(kind, range)| {
        let bad = scopes[range.clone()].iter().find(|scope| !fits(kind, scope))?;
        let line = text[..range.start].matches('\n').count() + 1;
        Some(format!("line {line}, `{}`: {kind:?} has the scope `{bad}`", &text[range]))
    });
    wrong.collect()
}

#[test]
fn it_gives_each_token_its_kind() {
    let grammar = grammar();
    let wrong = programs().into_iter().flat_map(|(path, text)| {
        let wrong = disagreements(&grammar, &text);
        wrong.into_iter().map(move |what| format!("{}: {what}", path.display()))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn it_gives_each_token_its_kind_in_what_no_program_has() {
    let text = "version \"a // \\\" b\" /* of\n// two */ class' := if' + old(x.while') ==> new'; // \"\n\
        procedure p'(x1: int[]) { call p'(-1 * 2 / 3); /**/ x := !a ? b : c; forall1 := 1; } version 12 class C{}\n\
        VERSION\nafter equiv p ~ q when x != y; a/b/**//c\n";
    assert_eq!(disagreements(&grammar(), text), [""; 0]);
}
