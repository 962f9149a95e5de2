//! SARIF 2.1.0: what is not as expected and what could not be tested, each at its places in both versions.

use super::super::outcome::{Outcome, PairOutcome, Place};
use super::{View, level, message};
use crate::status::Status;
use serde_json::{Value as Json, json};

/// Where the form is described.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The rules that results are of, each with what it says.
const RULES: [(&str, &str); 6] = [
    ("not-equivalent", "The two versions differ from a store that was run."),
    ("contract-violation", "A contract that the pair rests on fails from a store that was run."),
    ("unknown", "It is not settled whether the two versions are equivalent."),
    ("partially-equivalent", "It is not settled whether the two versions end from the same stores."),
    ("equivalent", "The two versions are equivalent, and that was not expected."),
    ("failure", "The file could not be tested."),
];

pub(super) fn of_all(outcomes: &[Outcome], view: &View) -> String {
    let results: Vec<Json> = outcomes.iter().flat_map(|outcome| of_one(outcome, view)).collect();
    let rules = RULES.map(|(id, what)| json!({ "id": id, "shortDescription": { "text": what } }));
    let json = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "ape", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{json:#}\n")
}

fn of_one(outcome: &Outcome, view: &View) -> Vec<Json> {
    match &outcome.result {
        Err(failure) => vec![json!({
            "ruleId": "failure",
            "level": "error",
            "message": { "text": message(failure) },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&outcome.file) } } }],
        })],
        Ok(pairs) => pairs.iter().filter_map(|pair| of_pair(pair, view)).collect(),
    }
}

fn of_pair(pair: &PairOutcome, view: &View) -> Option<Json> {
    let status = pair.status(view.partial);
    if status == Status::Success {
        return None;
    }
    let expected = match pair.expected.as_slice() {
        [] => String::new(),
        _ => format!(", expected {}", pair.expected_words()),
    };
    let more = if pair.detail.is_empty() { pair.why.as_str() } else { pair.detail.as_str() };
    let more = anstream::adapter::strip_str(more).to_string();
    let text = format!("{}: {}{expected}\n{}", pair.label, pair.found.text(), more.trim_end());
    let [old, new] = [0, 1].map(|version| location(&pair.places[version]));
    let mut old = old;
    old["id"] = 1.into();
    old["message"] = json!({ "text": "the other version" });
    Some(json!({
        "ruleId": pair.found.text(),
        "level": level(status),
        "message": { "text": text.trim_end() },
        "locations": [new],
        "relatedLocations": [old],
        "partialFingerprints": { "pair/v1": format!("{}: {}", pair.places[1].file, pair.label) },
    }))
}

fn location(place: &Place) -> Json {
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&place.file) },
        "region": { "startLine": place.line, "startColumn": place.column },
    } })
}

/// A path as a reference from where the run began: what a URI may not hold is escaped.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let escaped = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let text: String = path.bytes().map(escaped).collect();
    if path.starts_with('/') { format!("file://{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_reference() {
        assert_eq!(uri("a b/x.l"), "a%20b/x.l");
        assert_eq!(uri("/a:b/ü"), "file:///a%3Ab/%C3%BC");
    }
}
