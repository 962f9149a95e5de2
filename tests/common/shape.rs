//! The shape of a report in JSON, as section 6 of the language reference has it.

use serde_json::Value as Json;

/// What is missing in a report that the reference promises.
pub(crate) fn malformed(report: &Json) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut want = |json: &Json, keys: &[&str]| {
        let missing = keys.iter().filter(|key| json.get(**key).is_none());
        wrong.extend(missing.map(|key| format!("no `{key}` in {json}")));
    };
    want(report, &["schema_version", "verdict", "pairs", "contracts"]);
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    for pair in list("pairs") {
        let keys = ["left", "right", "verdict", "termination", "time_ms", "reason", "rests_on", "counterexample"];
        want(&pair, &keys);
        let refuted = pair["verdict"] == "not-equivalent" || pair["verdict"] == "contract-violation";
        if refuted {
            want(&pair["counterexample"], &["arguments", "globals", "heap", "left", "right"]);
        }
        for side in
            ["left", "right"].map(|side| &pair["counterexample"][side]).into_iter().filter(|side| !side.is_null())
        {
            match side["outcome"].as_str() {
                Some("normal") => want(side, &["heap", "results"]),
                Some("error" | "contract-violation") => want(side, &["message", "line"]),
                Some("diverges") => {}
                other => want(side, &[&format!("a known outcome, not {other:?}")]),
            }
        }
    }
    for clause in list("contracts") {
        want(&clause, &["version", "procedure", "clause", "line", "status"]);
    }
    wrong
}

/// The exit status that belongs to a report.
pub(crate) fn exit_status(report: &Json) -> i32 {
    match report["verdict"].as_str() {
        Some("equivalent") => 0,
        Some("not-equivalent" | "contract-violation") => 1,
        Some("unknown" | "partially-equivalent") => 3,
        Some("none") => 4,
        _ => 70,
    }
}
