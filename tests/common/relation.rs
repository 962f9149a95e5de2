//! Relations of outputs, as tables have them, in terms of the store on entry.
//!
//! In: a relation in the words of `ape diff` (`r`, `r'`, `old(e)`, `err`), and a row of a report. Out: what the relation says with the
//! values of that row in the place of the outputs.
//!
//! Invariant: an output of which the row says nothing is what it was on entry; one that the row says to be equal is a variable,
//! and one of which it knows no value is one in each version.

use serde_json::Value as Json;

/// A relation over the store on entry.
pub(crate) struct Substituted {
    /// The relation.
    pub(crate) text: String,
    /// The outputs that are equal, of which no value is known: variables of these names, for these places.
    pub(crate) unknown: Vec<(String, String)>,
}

/// The relation with a row's values; `None` where the row has none for an output.
pub(crate) fn substituted(relation: &str, row: &Json) -> Option<Substituted> {
    let mut done = Substituted { text: String::new(), unknown: Vec::new() };
    let mut rest = relation;
    while let Some(first) = rest.chars().next() {
        if let Some(inner) = rest.strip_prefix("old(") {
            let length = closing(inner, '(', ')')?;
            done.text.push_str(&format!("({})", &inner[..length]));
            rest = &inner[length + 1..];
        } else if first.is_alphabetic() || first == '_' {
            let length = place(rest)?;
            done.text.push_str(&output(&rest[..length], row, &mut done.unknown)?);
            rest = &rest[length..];
        } else {
            done.text.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Some(done)
}

/// The variable for what a version leaves at a place, where nothing says its value.
pub(crate) fn unknown(side: &str, place: &str) -> String {
    format!("{side}__{}", place.replace(|c: char| !c.is_alphanumeric(), "_"))
}

/// How far it is to the bracket that closes what is open.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 1;
    for (at, character) in text.char_indices() {
        depth += i32::from(character == open) - i32::from(character == close);
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The length of a place that a text begins with.
fn place(text: &str) -> Option<usize> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '\'')).count();
    let mut length = word(text);
    loop {
        let rest = &text[length..];
        if let Some(field) = rest.strip_prefix('.') {
            length += 1 + word(field);
        } else if let Some(index) = rest.strip_prefix('[') {
            length += 2 + closing(index, '[', ']')?;
        } else {
            return Some(length);
        }
    }
}

/// What stands for a place: its value in the row, a variable, or the place itself.
fn output(text: &str, row: &Json, unknown: &mut Vec<(String, String)>) -> Option<String> {
    let plain = text.replace('\'', "");
    let side = if text.contains('\'') { "right" } else { "left" };
    let value = |side: &str| row[side].as_array().into_iter().flatten().find(|value| value["place"] == plain.as_str());
    if let Some(value) = value(side) {
        if let Some(known) = value["value"].as_str() {
            return Some(format!("({known})"));
        }
        let name = self::unknown(side, &plain);
        if !unknown.iter().any(|(known, _)| *known == name) {
            unknown.push((name.clone(), plain));
        }
        return Some(name);
    }
    match plain.as_str() {
        "err" => return Some("false".into()),
        "ends" => return Some("true".into()),
        _ => {}
    }
    let equal = row["equal"].as_array().into_iter().flatten().any(|place| *place == plain.as_str());
    if !equal {
        return Some(plain);
    }
    let name = format!("same__{}", plain.replace(|c: char| !c.is_alphanumeric(), "_"));
    if !unknown.iter().any(|(known, _)| *known == name) {
        unknown.push((name.clone(), plain));
    }
    Some(name)
}
