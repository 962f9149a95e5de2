//! `ape schema`: what the JSON that other commands print looks like.
//!
//! In: a name. Out: a JSON schema that needs no other file.
//!
//! The schemas are written by hand, in files of their own. What several of them use is in one file; each gets what it uses of that.

use crate::args::schema::{Form, SchemaArgs};
use crate::files::replace::create_or_replace;
use crate::status::{Failure, Status};
use clap::ValueEnum;
use serde_json::{Map, Value as Json};
use std::fs;
use std::io::Write;

/// What schemas share.
const COMMON: &str = include_str!("../../schema/common.json");
/// Where a schema has the parts that it refers to, and how it refers to one.
const PARTS: &str = "$defs";
const REFERENCE: &str = "#/$defs/";

/// Prints a schema or the list of them, or writes all into a folder.
pub(crate) fn schema(args: &SchemaArgs, out: &mut impl Write) -> Result<Status, Failure> {
    if let Some(folder) = &args.dir {
        fs::create_dir_all(folder).map_err(|error| Failure::write(folder, error))?;
        for form in Form::value_variants() {
            let path = folder.join(format!("{}.schema.json", name(*form)));
            let text = format!("{:#}\n", whole(*form)?);
            create_or_replace(&path, &text).map_err(|error| Failure::write(&path, error))?;
        }
        return Ok(Status::Success);
    }
    match args.form {
        Some(form) => writeln!(out, "{:#}", whole(form)?)?,
        None => {
            for form in Form::value_variants() {
                writeln!(out, "{:10} {}", name(*form), whole(*form)?["title"].as_str().unwrap_or_default())?;
            }
        }
    }
    Ok(Status::Success)
}

fn name(form: Form) -> String {
    form.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}

fn file(form: Form) -> &'static str {
    match form {
        Form::Verify => include_str!("../../schema/verify.json"),
        Form::Diff => include_str!("../../schema/diff.json"),
        Form::Client => include_str!("../../schema/client.json"),
        Form::Test => include_str!("../../schema/test.json"),
        Form::Grade => include_str!("../../schema/grade.json"),
        Form::Sarif => include_str!("../../schema/sarif.json"),
        Form::Replay => include_str!("../../schema/replay.json"),
        Form::Run => include_str!("../../schema/run.json"),
        Form::Store => include_str!("../../schema/store.json"),
        Form::Stability => include_str!("../../schema/stability.json"),
    }
}

/// A schema with all that it refers to.
fn whole(form: Form) -> Result<Json, Failure> {
    let read = |text: &str| -> Result<Json, Failure> {
        serde_json::from_str(text).map_err(|error| Failure::Internal(format!("the schema of {form:?}: {error}")))
    };
    let (mut schema, common) = (read(file(form))?, read(COMMON)?);
    let mut parts = schema[PARTS].as_object().cloned().unwrap_or_default();
    let mut open = referred(&schema);
    while let Some(part) = open.pop() {
        if !parts.contains_key(&part) {
            let found = &common[PARTS][&part];
            if found.is_null() {
                return Err(Failure::Internal(format!("the schema of {form:?} refers to {part}, which is not there")));
            }
            open.extend(referred(found));
            parts.insert(part, found.clone());
        }
    }
    schema[PARTS] = Json::Object(sorted(parts));
    Ok(schema)
}

/// The parts that are referred to somewhere in a schema.
fn referred(json: &Json) -> Vec<String> {
    match json {
        Json::Object(entries) => {
            let own = entries.get("$ref").and_then(Json::as_str).and_then(|to| to.strip_prefix(REFERENCE));
            own.map(str::to_string).into_iter().chain(entries.values().flat_map(referred)).collect()
        }
        Json::Array(items) => items.iter().flat_map(referred).collect(),
        _ => Vec::new(),
    }
}

fn sorted(parts: Map<String, Json>) -> Map<String, Json> {
    let mut parts: Vec<(String, Json)> = parts.into_iter().collect();
    parts.sort_by(|(one, _), (other, _)| one.cmp(other));
    parts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn read(text: &str) -> Json {
        serde_json::from_str(text).expect("a schema is JSON")
    }

    #[test]
    fn every_part_is_used_and_has_one_meaning() {
        let common = read(COMMON);
        let shared: BTreeSet<&String> = common[PARTS].as_object().expect("parts").keys().collect();
        let mut unused = shared.clone();
        for form in Form::value_variants() {
            let own = read(file(*form));
            let whole = whole(*form).expect("all that it refers to is there");
            let used: BTreeSet<String> = referred(&whole).into_iter().collect();
            for part in own[PARTS].as_object().into_iter().flat_map(Map::keys) {
                assert!(used.contains(part), "{form:?}: nothing refers to {part}");
                assert!(!shared.contains(part), "{form:?}: {part} is shared");
            }
            unused.retain(|part| !used.contains(*part));
        }
        assert!(unused.is_empty(), "no schema uses {unused:?}");
    }
}
