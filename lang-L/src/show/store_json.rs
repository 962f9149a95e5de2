//! Inputs and stores as JSON, as section 6 of the language reference has them, and arguments as text.
//!
//! In: JSON, or words of a command line. Out: an [`Input`] that fits the procedure, or what is wrong with it; and back.
//!
//! References are strings `"#1"`; integers are JSON integers, or strings of decimal digits when they need more than 64 bits.
//! Arrays, beyond what section 6 says, are `{"class": null, "element": "int", "cells": [1, 2]}`. What an input does not mention
//! has its default. A whole counterexample is an input too: `left`, `right`, `difference` and `divergence` are passed over, and `externals` says
//! what external procedures do: `"skip"`, `"error"`, or the number of a seeded behaviour.
//!
//! Invariant: what is read is well-typed, and refers only to objects that are there.

use crate::heap::value::{Addr, Location, Slot, Value};
use crate::heap::{Input, Kind, Object, Store, may_refer, slot_type};
use crate::hir::print::type_text;
use crate::hir::{ClassId, DEEPEST_ARRAY, FieldId, GlobalId, Procedure, Type, Unit};
use crate::interp::{Behaviour, Divergence, Outcome};
use crate::show::outcome_text;
use crate::source::Sources;
use crate::source::diagnostic::counted;
use num_bigint::BigInt;
use serde_json::{Map, Value as Json, json};

/// Why a text is no input; one sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InputError(String);

fn wrong<T>(message: String) -> Result<T, InputError> {
    Err(InputError(message))
}

/// Reads `{"arguments": {…}, "globals": {…}, "heap": {…}}`, where each part may be missing.
///
/// # Errors
/// When it is not of that form, or does not fit the procedure.
pub fn read_input(unit: &Unit, procedure: &Procedure, json: &Json) -> Result<Input, InputError> {
    let parts = object(json, "a store")?;
    let known = ["arguments", "globals", "heap", "externals", "left", "right", "difference", "divergence"];
    if let Some(unknown) = parts.keys().find(|key| !known.contains(&key.as_str())) {
        return wrong(format!("a store has `arguments`, `globals` and `heap`, but no `{unknown}`"));
    }
    let empty = Map::new();
    let part = |name| parts.get(name).map_or(Ok(&empty), |json| object(json, &format!("`{name}`")));

    let mut input = Input { arguments: vec![None; procedure.params], store: Store::default() };
    let heap = part("heap")?;
    // All objects first, so that what refers to them can be checked.
    for (name, json) in heap {
        let kind = read_kind(unit, object(json, name)?).map_err(|e| InputError(format!("object `{name}`: {e}")))?;
        input.store.heap.insert(read_addr(name)?, Object::new(kind));
    }
    for (name, json) in heap {
        read_slots(unit, read_addr(name)?, object(json, name)?, &mut input.store)
            .map_err(|e| InputError(format!("object `{name}`: {e}")))?;
    }
    for (name, json) in part("globals")? {
        let Some((id, global)) = (0..).map(GlobalId).zip(&unit.globals).find(|(_, global)| global.name == *name) else {
            return wrong(format!("there is no global `{name}`"));
        };
        let value = read_value(unit, &input.store, &global.ty, json)
            .map_err(|e| InputError(format!("global `{name}`: {e}")))?;
        input.store.globals.insert(id, value);
    }
    for (name, json) in part("arguments")? {
        let Some(at) = procedure.locals[..procedure.params].iter().position(|local| local.name == *name) else {
            return wrong(format!("procedure `{}` has no parameter `{name}`", procedure.name));
        };
        let value = read_value(unit, &input.store, &procedure.locals[at].ty, json)
            .map_err(|e| InputError(format!("argument `{name}`: {e}")))?;
        input.arguments[at] = Some(value);
    }
    Ok(completed(unit, procedure, &input))
}

/// Reads arguments as words: `3`, `true`, `null`, and `#1` for an object. Objects that are named but not in `store` come into
/// being with default fields.
///
/// # Errors
/// When a word is no value of the parameter's type, or there are too many or too few.
pub fn read_arguments(unit: &Unit, procedure: &Procedure, words: &[String], store: Store) -> Result<Input, InputError> {
    if words.len() != procedure.params {
        let have = counted(procedure.params, "parameter");
        let given = counted(words.len(), "argument");
        let are = if words.len() == 1 { "is" } else { "are" };
        return wrong(format!("procedure `{}` has {have}, but {given} {are} given", procedure.name));
    }
    let mut input = Input { arguments: vec![None; procedure.params], store };
    for (at, (word, local)) in words.iter().zip(&procedure.locals).enumerate() {
        let describe = |e: InputError| InputError(format!("argument `{}`: {e}", local.name));
        let json = match word.as_str() {
            "null" => Json::Null,
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            other => Json::String(other.to_owned()),
        };
        if word.starts_with('#') && local.ty.is_reference() {
            let addr = read_addr(word).map_err(describe)?;
            let kind = match &local.ty {
                Type::Class(class) => Kind::Fields(Some(*class)),
                Type::Array(element) => Kind::Array { element: (**element).clone(), length: 0 },
                _ => Kind::Fields(None),
            };
            input.store.heap.entry(addr).or_insert_with(|| Object::new(kind));
        }
        input.arguments[at] = Some(read_value(unit, &input.store, &local.ty, &json).map_err(describe)?);
    }
    Ok(completed(unit, procedure, &input))
}

/// Sets all that an input leaves unset to its default.
pub fn completed(unit: &Unit, procedure: &Procedure, input: &Input) -> Input {
    let mut complete = Input { arguments: input.arguments.clone(), store: input.store.completed(unit) };
    complete.arguments.resize(procedure.params, None);
    for (at, local) in procedure.locals[..procedure.params].iter().enumerate() {
        if complete.arguments[at].is_none() {
            complete.set(Location::Argument(at), Value::default_of(&local.ty));
        }
    }
    complete
}

/// An input as [`read_input`] reads it.
pub fn input_json(unit: &Unit, procedure: &Procedure, input: &Input) -> Json {
    let mut arguments = Map::new();
    for (local, value) in procedure.locals.iter().zip(&input.arguments) {
        if let Some(value) = value {
            arguments.insert(local.name.clone(), value_json(value));
        }
    }
    let globals = globals_json(unit, &input.store);
    json!({ "arguments": arguments, "globals": globals, "heap": heap_json(unit, &input.store) })
}

/// What external procedures do, as `externals` of an input says; nothing when it does not say.
///
/// # Errors
/// When it says what cannot be understood.
pub fn read_externals(json: &Json) -> Result<Behaviour, InputError> {
    match json.get("externals") {
        None => Ok(Behaviour::Skip),
        Some(Json::String(text)) if text == "skip" => Ok(Behaviour::Skip),
        Some(Json::String(text)) if text == "error" => Ok(Behaviour::Error),
        Some(other) => match other.as_u64() {
            Some(seed) => Ok(Behaviour::Seeded(seed)),
            None => wrong(format!("`externals` must be \"skip\", \"error\" or a number, not {other}")),
        },
    }
}

/// What external procedures do, as [`read_externals`] reads it.
pub fn externals_json(externals: Behaviour) -> Json {
    match externals {
        Behaviour::Skip => "skip".into(),
        Behaviour::Error => "error".into(),
        Behaviour::Seeded(seed) => seed.into(),
    }
}

/// The globals of a store.
fn globals_json(unit: &Unit, store: &Store) -> Json {
    let named =
        |(id, global): (GlobalId, &crate::hir::Global)| (global.name.clone(), value_json(&store.global(unit, id)));
    Json::Object((0..).map(GlobalId).zip(&unit.globals).map(named).collect())
}

/// All objects of a store.
fn heap_json(unit: &Unit, store: &Store) -> Json {
    Json::Object(
        store.heap.iter().map(|(addr, object)| (addr.to_string(), object_json(unit, store, *addr, object))).collect(),
    )
}

fn object_json(unit: &Unit, store: &Store, addr: Addr, object: &Object) -> Json {
    let value = |slot| value_json(&store.slot(unit, addr, slot));
    match &object.kind {
        Kind::Fields(class) => {
            let mut fields = Map::new();
            for slot in object.all_slots(unit) {
                if let Slot::Field(field) = slot {
                    fields.insert(unit.fields[field.index()].name.clone(), value(slot));
                }
            }
            json!({ "class": class.map(|class| &unit.classes[class.index()].name), "fields": fields })
        }
        Kind::Array { element, length } => {
            let cells: Vec<Json> = (0..*length).map(|at| value(Slot::Cell(at))).collect();
            json!({ "class": null, "element": type_text(unit, element), "cells": cells })
        }
    }
}

/// How a run of `procedure` ended, as `left` and `right` of a counterexample.
pub fn outcome_json(unit: &Unit, procedure: &Procedure, sources: &Sources, outcome: &Outcome) -> Json {
    let line = |span| sources.line(span);
    match outcome {
        Outcome::Normal(last) => {
            let named = procedure.result_ids().map(|id| procedure.local(id).name.clone());
            let results: Map<String, Json> = named.zip(last.results.iter().map(value_json)).collect();
            let (globals, heap) = (globals_json(unit, &last.store), heap_json(unit, &last.store));
            json!({ "outcome": "normal", "results": results, "globals": globals, "heap": heap })
        }
        Outcome::Error(failure) => {
            json!({ "outcome": "error", "message": failure.kind.message(), "line": line(failure.span) })
        }
        Outcome::Violation(violation) => json!({
            "outcome": "contract-violation", "run": procedure.name, "procedure": violation.procedure, "clause": violation.clause.keyword(),
            "message": violation.message, "line": line(violation.span),
        }),
        Outcome::Excluded(_, span) => {
            json!({ "outcome": "excluded", "message": outcome_text(outcome), "line": line(*span) })
        }
        Outcome::Diverged(
            Divergence::LoopRepeats { span } | Divergence::CallRepeats { span, .. } | Divergence::Stays { span, .. },
        ) => {
            json!({ "outcome": "diverges", "message": outcome_text(outcome), "line": line(*span) })
        }
        Outcome::OutOfBudget(_) => json!({ "outcome": "stopped", "message": outcome_text(outcome) }),
        Outcome::Unsupported { what, span } => {
            json!({ "outcome": "unsupported", "message": what, "line": line(*span) })
        }
    }
}

/// A value.
fn value_json(value: &Value) -> Json {
    match value {
        Value::Int(n) => match i64::try_from(n) {
            Ok(n) => n.into(),
            Err(_) => n.to_string().into(),
        },
        Value::Bool(b) => (*b).into(),
        Value::Ref(None) => Json::Null,
        Value::Ref(Some(addr)) => addr.to_string().into(),
    }
}

fn object<'j>(json: &'j Json, what: &str) -> Result<&'j Map<String, Json>, InputError> {
    json.as_object().ok_or_else(|| InputError(format!("{what} must be a JSON object")))
}

fn read_addr(text: &str) -> Result<Addr, InputError> {
    match text.strip_prefix('#').map(str::parse).map(|n| n.map(Addr)) {
        // One name for each object: `#01` is none.
        Some(Ok(addr)) if addr.to_string() == text => Ok(addr),
        _ => wrong(format!("`{text}` is no object: objects are written `#1`, `#2`, and so on")),
    }
}

fn read_kind(unit: &Unit, json: &Map<String, Json>) -> Result<Kind, InputError> {
    if let Some(element) = json.get("element") {
        let Some(text) = element.as_str() else { return wrong("`element` must be the name of a type".to_owned()) };
        let Some(Json::Array(cells)) = json.get("cells") else { return wrong("an array has `cells`".to_owned()) };
        return Ok(Kind::Array { element: read_type(unit, text)?, length: cells.len() as u64 });
    }
    match json.get("class") {
        None | Some(Json::Null) => Ok(Kind::Fields(None)),
        Some(Json::String(name)) => Ok(Kind::Fields(Some(class_named(unit, name)?))),
        Some(other) => wrong(format!("`class` must be a name or null, not {other}")),
    }
}

fn class_named(unit: &Unit, name: &str) -> Result<ClassId, InputError> {
    let found = (0..).map(ClassId).zip(&unit.classes).find(|(_, class)| class.name == name);
    found.map(|(id, _)| id).ok_or_else(|| InputError(format!("there is no class `{name}`")))
}

fn read_type(unit: &Unit, text: &str) -> Result<Type, InputError> {
    let base = text.trim_end_matches("[]");
    let plain = match base {
        "int" => Type::Int,
        "bool" => Type::Bool,
        "ref" => Type::Ref,
        class => Type::Class(class_named(unit, class)?),
    };
    let arrays = (text.len() - base.len()) / 2;
    if arrays > DEEPEST_ARRAY {
        return wrong(format!("an array type may not nest more than {DEEPEST_ARRAY} deep"));
    }
    Ok((0..arrays).fold(plain, |ty, _| Type::Array(Box::new(ty))))
}

fn read_slots(unit: &Unit, addr: Addr, json: &Map<String, Json>, store: &mut Store) -> Result<(), InputError> {
    let Some(object_here) = store.heap.get(&addr).cloned() else { return Ok(()) };
    if let Kind::Array { element, .. } = &object_here.kind {
        let cells = json.get("cells").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        for (at, json) in (0..).zip(cells) {
            let value = read_value(unit, store, element, json).map_err(|e| InputError(format!("cell {at}: {e}")))?;
            store.set(addr, Slot::Cell(at), value);
        }
        return Ok(());
    }
    let Some(fields) = json.get("fields") else { return Ok(()) };
    let slots = object_here.all_slots(unit);
    for (name, json) in object(fields, "`fields`")? {
        let named = |slot: &&Slot| matches!(slot, Slot::Field(field) if field_name(unit, *field) == name);
        let Some(slot) = slots.iter().find(named) else { return wrong(format!("it has no field `{name}`")) };
        let ty = slot_type(unit, &object_here.kind, *slot);
        let value = read_value(unit, store, ty, json).map_err(|e| InputError(format!("field `{name}`: {e}")))?;
        store.set(addr, *slot, value);
    }
    Ok(())
}

fn field_name(unit: &Unit, field: FieldId) -> &str {
    &unit.fields[field.index()].name
}

fn read_value(unit: &Unit, store: &Store, ty: &Type, json: &Json) -> Result<Value, InputError> {
    let expected = |what: &str| wrong(format!("expected {what}, found {json}"));
    match ty {
        Type::Int => match json {
            Json::Number(n) => match (n.as_i64(), n.as_u64()) {
                (Some(n), _) => Ok(Value::from(n)),
                (None, Some(n)) => Ok(Value::Int(n.into())),
                (None, None) => expected("an integer (in a string, when it needs more than 64 bits)"),
            },
            Json::String(text) => match text.parse::<BigInt>() {
                Ok(n) => Ok(Value::Int(n)),
                Err(_) => expected("an integer"),
            },
            _ => expected("an integer"),
        },
        Type::Bool => json.as_bool().map_or_else(|| expected("true or false"), |b| Ok(Value::Bool(b))),
        Type::Ref | Type::Class(_) | Type::Array(_) => match json {
            Json::Null => Ok(Value::NULL),
            Json::String(text) => {
                let addr = read_addr(text)?;
                match store.heap.get(&addr) {
                    None => wrong(format!("there is no object `{addr}` in the heap")),
                    Some(object) if !may_refer(unit, ty, &object.kind) => {
                        let (want, found) = (type_text(unit, ty), type_text(unit, &object.ty()));
                        wrong(format!("expected a reference of type `{want}`, but `{addr}` is of type `{found}`"))
                    }
                    Some(_) => Ok(addr.into()),
                }
            }
            _ => expected("a reference such as \"#1\", or null"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    const PROGRAM: &str = "class L { v: int; next: L; b: bool; } global g: int; \
                           procedure p(x: L, n: int, a: int[], r: ref) { }";

    fn with_program<T>(then: impl FnOnce(&Unit, &Procedure) -> T) -> T {
        let parsed = crate::parse::parse(FileId(0), PROGRAM);
        let unit = crate::resolve::resolve(&[&parsed.file]).expect("the program is legal");
        then(&unit, &unit.versions[0].procedures[0])
    }

    /// Reading what was read and written again gives the same.
    fn check(json: &str, expected: Result<&str, &str>) {
        with_program(|unit, procedure| {
            let json = serde_json::from_str(json).expect("the JSON is good");
            let read = read_input(unit, procedure, &json);
            let written = read.as_ref().map(|input| input_json(unit, procedure, input));
            if let (Ok(input), Ok(written)) = (&read, &written) {
                assert_eq!(read_input(unit, procedure, written).as_ref(), Ok(input));
            }
            let found = written.map(|json| json.to_string()).map_err(InputError::to_string);
            assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
        });
    }

    #[test]
    fn what_is_not_mentioned_has_its_default() {
        let empty = r#"{"arguments":{"x":null,"n":0,"a":null,"r":null},"globals":{"g":0},"heap":{}}"#;
        check("{}", Ok(empty));
        let heap = r##""heap":{"#1":{"class":"L","fields":{"v":3,"next":"#1","b":false}},"#2":{"class":null,"element":"int","cells":[1,0]}}"##;
        let all = format!(
            r##"{{"arguments":{{"x":"#1","n":"123456789012345678901","a":"#2","r":"#2"}},"globals":{{"g":-5}},{heap}}}"##
        );
        check(&all, Ok(&all));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        check("[]", Err("a store must be a JSON object"));
        check(r#"{"args": {}}"#, Err("a store has `arguments`, `globals` and `heap`, but no `args`"));
        check(r#"{"arguments": {"y": 1}}"#, Err("procedure `p` has no parameter `y`"));
        check(
            r#"{"arguments": {"n": 1.5}}"#,
            Err("argument `n`: expected an integer (in a string, when it needs more than 64 bits), found 1.5"),
        );
        check(r#"{"arguments": {"n": true}}"#, Err("argument `n`: expected an integer, found true"));
        check(r##"{"arguments": {"x": "#1"}}"##, Err("argument `x`: there is no object `#1` in the heap"));
        check(
            r#"{"arguments": {"x": "one"}}"#,
            Err("argument `x`: `one` is no object: objects are written `#1`, `#2`, and so on"),
        );
        check(r#"{"globals": {"h": 1}}"#, Err("there is no global `h`"));
        check(r##"{"heap": {"#1": {"class": "M"}}}"##, Err("object `#1`: there is no class `M`"));
        check(r##"{"heap": {"#1": {"class": "L", "fields": {"w": 1}}}}"##, Err("object `#1`: it has no field `w`"));
        check(
            r##"{"heap": {"#1": {"class": "L", "fields": {"b": 1}}}}"##,
            Err("object `#1`: field `b`: expected true or false, found 1"),
        );
        for name in ["#01", "#+1", "1", "#", "#18446744073709551616"] {
            let said = format!("`{name}` is no object: objects are written `#1`, `#2`, and so on");
            check(&format!(r##"{{"heap": {{"{name}": {{}}}}}}"##), Err(&said));
        }
        let deep = format!(r##"{{"heap": {{"#1": {{"element": "int{}", "cells": []}}}}}}"##, "[]".repeat(100_000));
        check(&deep, Err("object `#1`: an array type may not nest more than 64 deep"));
        let array = r##"{"arguments": {"x": "#1"}, "heap": {"#1": {"element": "int", "cells": []}}}"##;
        check(array, Err("argument `x`: expected a reference of type `L`, but `#1` is of type `int[]`"));
        check(r##"{"heap": {"#1": {"element": "int"}}}"##, Err("object `#1`: an array has `cells`"));
    }

    #[test]
    fn a_counterexample_is_an_input() {
        for externals in [Behaviour::Skip, Behaviour::Error, Behaviour::Seeded(u64::MAX)] {
            let json =
                json!({ "arguments": {}, "heap": {}, "left": {}, "right": {}, "externals": externals_json(externals) });
            assert_eq!(read_externals(&json), Ok(externals));
            with_program(|unit, procedure| assert!(read_input(unit, procedure, &json).is_ok()));
        }
        assert!(read_externals(&json!({ "externals": "sometimes" })).is_err());
    }

    #[test]
    fn words() {
        with_program(|unit, procedure| {
            let read = |words: &str| {
                let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
                read_arguments(unit, procedure, &words, Store::default()).map_err(|error| error.to_string())
            };
            let input = read("#4 -3 null #4").expect("the words are good");
            assert_eq!(input.arguments[0], input.arguments[3]);
            assert_eq!(input.arguments[1], Some(Value::from(-3)));
            assert_eq!(read("1 2"), Err("procedure `p` has 4 parameters, but 2 arguments are given".to_owned()));
            assert_eq!(read("1"), Err("procedure `p` has 4 parameters, but one argument is given".to_owned()));
            assert_eq!(read("null x null null"), Err("argument `n`: expected an integer, found \"x\"".to_owned()));
        });
    }
}
