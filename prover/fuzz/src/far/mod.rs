//! Far differences: pairs that differ only from a store which nobody comes upon by chance, and which is known here.
//!
//! In: a seed and a number. Out: a [`Case`] with what was [`Planted`] in it.
//!
//! 1. `guards` makes a condition and arguments for which it holds, as `p * p * p == c` or the fortieth node of a list.
//! 2. `effects` says what the versions do where it holds.
//! 3. `late` makes loops instead that end, but only after many turns.
//!
//! A program of the usual grammar may be around it, and mutations that keep the meaning may hide it.
//!
//! Invariant: both versions of a planted pair were run from its store and did what is said of them. Where the interpreter
//! cannot run so far, nothing random is around, and the reason is the construction itself.

mod effects;
mod guards;
mod late;
mod store;

use super::case::{Case, Mutation, Planted, mutate};
use super::generate;
use super::oracle::{Difference, Observation, observe_from};
use super::tree::{Program, variables};
use effects::Effect;
use guards::Guard;
use lang_l::ast::{Item, Procedure, StmtKind, TypeKind};
use lang_l::parse::parse;
use lang_l::random::Random;
use lang_l::source::FileId;
use lang_l::store_json::read_input;
use serde_json::{Map, Value as Json, json};
use store::Builder;

/// How often another pair is planted when runs do not show what they should.
const TRIES: usize = 12;
/// The procedure that starts from the store.
const TOP: &str = "Top";
/// Numbers of far cases are not those of others.
const SALT: u64 = 0xFA2;

/// The case of this number; `None` when none of the pairs that were tried does what it should.
pub fn case(seed: u64, number: u64) -> Option<Case> {
    let random = &mut Random::item(seed ^ SALT, number);
    (0..TRIES).find_map(|_| {
        let case = if random.percent(20) { late::plant(random)? } else { plant(random)? };
        confirmed(&case).then_some(case)
    })
}

/// The names of all that is planted: the shapes of conditions and of late ends.
pub fn shapes() -> Vec<&'static str> {
    let random = &mut Random::new(0);
    let guards = guards::ALL.iter().map(|make| make(random, &mut Builder::new(None)).shape);
    guards.chain(late::SHAPES).collect()
}

/// Whether runs show what was planted, or cannot.
fn confirmed(case: &Case) -> bool {
    let (Some(unit), Some(planted)) = (case.unit(), &case.planted) else { return false };
    let find = |version: usize| unit.versions[version].find(TOP);
    let (Some(left), Some(right)) = (find(0), find(1)) else { return false };
    let Ok(input) = read_input(&unit, unit.versions[0].procedure(left), &planted.store) else { return false };
    !planted.runs || shows(&observe_from(&unit, (left, right), input), planted.difference)
}

fn shows(seen: &Observation, difference: Option<Difference>) -> bool {
    let found = seen.outcome.as_ref().or(seen.termination.as_ref()).map(|seen| seen.difference);
    found == difference && (found.is_some() || seen.told > 0 || !seen.violations.is_empty())
}

/// A pair with a condition that is hard to come upon.
fn plant(random: &mut Random) -> Option<Case> {
    let host = random.percent(60).then(|| generate::program(random));
    let classes = host.as_ref().map_or_else(|| random.percent(30), has_classes);
    let mut store = Builder::new(classes.then_some("Node"));
    let guard = random.pick(guards::ALL)?(random, &mut store);
    let mut effect = Effect::any(random);
    if guard.too_far && effect.difference != Some(Difference::Outcome) {
        return None;
    }
    if random.percent(50) {
        effect.code.reverse();
    }
    let host = host.filter(|_| !guard.too_far);
    let call = host.as_ref().map(HostCall::of);
    let words = Words { guard: &guard, effect: &effect, call, apart: random.percent(35), first: random.percent(50) };
    let mut programs = [0, 1].map(|version| {
        let text = words.text(version, host.is_none() && classes);
        with_host(&spelt(&text, classes), host.as_ref())
    });
    for _ in 0..random.below(3) {
        let [_, right] = &mut programs;
        if let Some((_, mutated)) = right.as_ref().and_then(|right| mutate(right, false, random)) {
            *right = Some(mutated);
        }
    }
    let [left, right] = programs;
    let planted = Planted {
        what: effect.what,
        procedure: TOP.to_owned(),
        store: words.store(store, random),
        difference: effect.difference,
        runs: !guard.too_far,
    };
    Some(Case { left: left?, right: right?, mutations: vec![Mutation::Plant(guard.shape)], planted: Some(planted) })
}

fn has_classes(program: &Program) -> bool {
    program.shared.iter().any(|item| matches!(item, Item::Class(_)))
}

/// The same for the objects of the program: without classes they are all alike.
fn spelt(text: &str, classes: bool) -> String {
    if classes { text.replace("NEW", "new Node()") } else { text.replace("NEW", "new()").replace("Node", "ref") }
}

/// A program of these procedures, then those of the host. Declarations stand first, as in all that is generated.
fn with_host(text: &str, host: Option<&Program>) -> Option<Program> {
    let parsed = parse(FileId(0), text);
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let mut program = Program { shared: Vec::new(), procedures: Vec::new() };
    for item in parsed.file.shared {
        match item {
            Item::Procedure(mut procedure) => {
                if let Some(body) = &mut procedure.body {
                    body.stmts.sort_by_key(|stmt| !matches!(stmt.kind, StmtKind::Var { .. }));
                }
                program.procedures.push(procedure);
            }
            other => program.shared.push(other),
        }
    }
    if let Some(host) = host {
        program.shared.extend(host.shared.iter().cloned());
        program.procedures.extend(host.procedures.iter().cloned());
    }
    Some(program)
}

/// The call of the program that is around.
struct HostCall {
    /// What it takes besides `x`: names and types.
    params: Vec<(String, TypeKind)>,
    /// What it returns: types.
    results: Vec<TypeKind>,
    /// Its name and its arguments.
    text: String,
}

impl HostCall {
    fn of(host: &Program) -> HostCall {
        let main: &Procedure = &host.procedures[0];
        let all = variables(main);
        let (params, rest) = all.split_at(main.params.len());
        let arguments: Vec<&str> = params.iter().map(|(text, _)| text.as_str()).collect();
        let text = format!("{}({})", main.name.text, arguments.join(", "));
        let results = rest.iter().take(main.results.len()).map(|(_, kind)| kind.clone()).collect();
        HostCall { params: params.iter().filter(|(text, _)| text != "x").cloned().collect(), results, text }
    }
}

fn type_text(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Int => "int".to_owned(),
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Ref | TypeKind::Class(_) => "Node".to_owned(),
        TypeKind::Array(element) => format!("{}[]", type_text(&element.kind)),
    }
}

/// All that the text of a version is made of.
struct Words<'w> {
    guard: &'w Guard,
    effect: &'w Effect,
    call: Option<HostCall>,
    /// The condition and what follows stand in a procedure of their own.
    apart: bool,
    /// They come before the call of the host.
    first: bool,
}

impl Words<'_> {
    /// The procedures of a version.
    fn text(&self, version: usize, declare: bool) -> String {
        let class = if declare { "class Node { f: Node; }\n" } else { "" };
        let Guard { helpers, before, cond, .. } = self.guard;
        let code = self.effect.code[version].replace("GUARD", cond);
        let planted: String = self.guard.params.iter().map(|(name, ty)| format!(", {name}: {ty}")).collect();
        let names: String = self.guard.params.iter().map(|(name, _)| format!(", {name}")).collect();
        let (spec, locals) = (self.effect.spec, "var u: Node; var w: int; var z: int;");
        let (mine, apart) = if self.apart {
            let head = format!("procedure Plant(x: Node{planted}) returns (d: int, e: Node)");
            (format!("d, e := Plant(x{names});"), format!("{head} {spec} {{ {locals} {before} {code} }}"))
        } else {
            (format!("{locals} {before} {code}"), String::new())
        };
        let (taken, given, called) = self.around();
        let body = if self.first { format!("{mine} {called}") } else { format!("{called} {mine}") };
        let head = format!("procedure {TOP}(x: Node{planted}{taken}) returns (d: int, e: Node{given})");
        let spec = if self.apart { "" } else { spec };
        format!("{class}{head} {spec} {{ {body} }}\n{apart}\n{helpers}\n{}", self.effect.helpers)
    }

    /// What the call of the host adds: parameters, results, statements.
    fn around(&self) -> (String, String, String) {
        let Some(call) = &self.call else { return Default::default() };
        let taken = call.params.iter().map(|(text, kind)| format!(", {text}: {}", type_text(kind))).collect();
        let results = call.results.iter().enumerate();
        let given = results.clone().map(|(at, kind)| format!(", m{at}: {}", type_text(kind))).collect();
        let targets: Vec<String> = results.map(|(at, _)| format!("m{at}")).collect();
        let assigned = if targets.is_empty() { String::new() } else { format!("{} := ", targets.join(", ")) };
        (taken, given, format!("{assigned}{};", call.text))
    }

    /// The store from which the condition holds.
    fn store(&self, mut store: Builder, random: &mut Random) -> Json {
        let mut arguments = Map::new();
        let x = store.node(&Json::Null);
        for (text, kind) in self.call.iter().flat_map(|call| &call.params) {
            let value = match kind {
                TypeKind::Int => json!(random.below(4)),
                TypeKind::Bool => json!(random.percent(50)),
                TypeKind::Array(element) if element.kind == TypeKind::Int => {
                    store.add(json!({ "class": null, "element": "int", "cells": [1, 0] }))
                }
                TypeKind::Array(_) => store.add(json!({ "class": null, "element": "Node", "cells": [x, null] })),
                _ if random.percent(30) => x.clone(),
                _ => store.node(&Json::Null),
            };
            arguments.insert(text.clone(), value);
        }
        arguments.insert("x".to_owned(), x);
        arguments.extend(self.guard.arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        store.finish(arguments)
    }
}
