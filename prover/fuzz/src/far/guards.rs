//! Conditions that hold only of stores which nobody comes upon by chance.
//!
//! In: random numbers. Out: a [`Guard`]: parameters, statements that work out a condition, and arguments for which it holds.
//!
//! Invariant: the statements change nothing but the locals they name, cannot err, and end.

use super::store::Builder;
use lang_l::random::Random;
use serde_json::{Value as Json, json};

/// A condition, and a store of which it holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    /// What it is called in tables.
    pub(super) shape: &'static str,
    /// Parameters that it takes: names and types, where `Node` stands for the type of objects.
    pub(super) params: Vec<(&'static str, &'static str)>,
    /// Procedures that it calls.
    pub(super) helpers: String,
    /// Statements that come before; they set only the locals `g0` to `g9`.
    pub(super) before: String,
    /// The condition, over parameters and locals.
    pub(super) cond: String,
    /// The arguments.
    pub(super) arguments: Vec<(&'static str, Json)>,
    /// Whether the interpreter cannot run that far.
    pub(super) too_far: bool,
}

type Make = fn(&mut Random, &mut Builder) -> Guard;

/// All sorts of guards.
pub(super) const ALL: &[Make] = &[
    cube,
    squares,
    product,
    remainder,
    polynomial,
    collatz,
    turns,
    far_turns,
    doubling,
    fibonacci,
    cell,
    last_cell,
    cells,
    length,
    node,
    nodes,
    alias,
    ring,
    meeting,
    nested,
    argument_chain,
];

fn plain(shape: &'static str, params: &[&'static str], cond: String, values: &[i64]) -> Guard {
    let arguments = params.iter().copied().zip(values.iter().map(|n| json!(n))).collect();
    let params = params.iter().map(|text| (*text, "int")).collect();
    Guard { shape, params, cond, arguments, ..Guard::default() }
}

fn large(random: &mut Random, least: i64, span: usize) -> i64 {
    least + random.below(span) as i64
}

fn cube(random: &mut Random, _: &mut Builder) -> Guard {
    let k = large(random, 400, 900_000) * if random.percent(25) { -1 } else { 1 };
    let cube = i128::from(k).pow(3);
    let c = if cube < 0 { format!("0 - {}", -cube) } else { cube.to_string() };
    plain("cube", &["p"], format!("p * p * p == {c}"), &[k])
}

fn squares(random: &mut Random, _: &mut Builder) -> Guard {
    let (p, q) = (large(random, 500, 90_000), large(random, 500, 90_000));
    plain("squares", &["p", "q"], format!("p * p + q * q == {}", p * p + q * q), &[p, q])
}

fn product(random: &mut Random, _: &mut Builder) -> Guard {
    let (p, q) = (2 * large(random, 500, 4_000) + 1, 2 * large(random, 5_000, 40_000) + 1);
    plain("product", &["p", "q"], format!("p > 1 && q > p && p * q == {}", p * q), &[p, q])
}

fn remainder(random: &mut Random, _: &mut Builder) -> Guard {
    let (modulus, rest, times) = (1_000_003, large(random, 1, 900_000), large(random, 100, 5_000));
    plain(
        "remainder",
        &["p"],
        format!("p % {modulus} == {rest} && p / {modulus} == {times}"),
        &[modulus * times + rest],
    )
}

fn polynomial(random: &mut Random, _: &mut Builder) -> Guard {
    let p = large(random, 300, 40_000);
    plain("polynomial", &["p"], format!("p > 0 && p * p * p - 7 * p * p + p == {}", p * p * p - 7 * p * p + p), &[p])
}

fn collatz(random: &mut Random, _: &mut Builder) -> Guard {
    let (p, steps) = [(27, 111), (97, 118), (871, 178), (2_919, 216), (6_171, 261)][random.below(5)];
    let before = format!(
        "var g0: int; var g1: int; g0 := p; g1 := 0; while (g0 > 1 && g1 < {}) {{ if (g0 % 2 == 0) {{ g0 := g0 / 2; }} else {{ \
         g0 := 3 * g0 + 1; }} g1 := g1 + 1; }}",
        steps + 50
    );
    Guard { before, ..plain("collatz", &["p"], format!("g1 == {steps}"), &[p]) }
}

fn turn_loop(turn: i64) -> String {
    format!(
        "var g0: int; var g1: int; g0 := 0; g1 := 0; while (g0 < p) {{ g0 := g0 + 1; if (g0 == {turn}) {{ g1 := 1; }} }}"
    )
}

fn turns(random: &mut Random, _: &mut Builder) -> Guard {
    let turn = if random.percent(10) { 1_000_000 } else { large(random, 2_000, 60_000) };
    let more = random.below(5) as i64;
    Guard { before: turn_loop(turn), ..plain("turn of a loop", &["p"], "g1 == 1".to_owned(), &[turn + more]) }
}

fn far_turns(random: &mut Random, _: &mut Builder) -> Guard {
    let turn = large(random, 4_000_000_000, 1_000_000_000);
    let guard = plain("turn nobody runs to", &["p"], "g1 == 1".to_owned(), &[turn]);
    Guard { before: turn_loop(turn), too_far: true, ..guard }
}

fn doubling(random: &mut Random, _: &mut Builder) -> Guard {
    let times = large(random, 30, 60);
    let before =
        "var g0: int; var g1: int; g0 := 0; g1 := 1; while (g0 < p) { g1 := g1 + g1; g0 := g0 + 1; }".to_owned();
    Guard { before, ..plain("power of two", &["p"], format!("g1 == {}", 1i128 << times), &[times]) }
}

fn fibonacci(_: &mut Random, _: &mut Builder) -> Guard {
    let before = "var g0: int; var g1: int; var g2: int; var g3: int; g1 := 1; while (g0 < p) { g3 := g1 + g2; g2 := g1; g1 := g3; \
                  g0 := g0 + 1; }";
    Guard { before: before.to_owned(), ..plain("fibonacci", &["p"], "g2 == 12586269025".to_owned(), &[50]) }
}

fn array(cells: &[i64], store: &mut Builder) -> Json {
    store.add(json!({ "class": null, "element": "int", "cells": cells }))
}

fn over_array(shape: &'static str, before: &str, cond: String, cells: &[i64], store: &mut Builder) -> Guard {
    let arguments = vec![("p", array(cells, store))];
    Guard { shape, params: vec![("p", "int[]")], before: before.to_owned(), cond, arguments, ..Guard::default() }
}

fn cell(random: &mut Random, store: &mut Builder) -> Guard {
    let at = 40 + random.below(30);
    let mut cells = vec![0; at + 1 + random.below(4)];
    cells[at] = 7;
    over_array("cell", "", format!("p != null && p.length > {at} && p[{at}] == 7"), &cells, store)
}

fn last_cell(random: &mut Random, store: &mut Builder) -> Guard {
    let mut cells = vec![1; 41 + random.below(30)];
    let last = cells.len() - 1;
    cells[last] = 9;
    let before = "var g0: int; var g1: int; if (p != null) { while (g0 < p.length) { if (p[g0] == 9 && g0 > 39) { g1 := g0; } g0 := g0 + 1; } }";
    over_array("cell found by a loop", before, format!("g1 == {last}"), &cells, store)
}

fn cells(random: &mut Random, store: &mut Builder) -> Guard {
    let cells: Vec<i64> = (0..45).map(|_| large(random, 1, 2_000)).collect();
    let sum: i64 = cells.iter().sum();
    let before = "var g0: int; var g1: int; if (p != null && p.length == 45) { while (g0 < p.length) { g1 := g1 + p[g0]; g0 := g0 + 1; } }";
    over_array("sum of cells", before, format!("g1 == {sum}"), &cells, store)
}

fn length(random: &mut Random, store: &mut Builder) -> Guard {
    let cells = vec![0; 37 + random.below(50)];
    over_array("length", "", format!("p != null && p.length == {}", cells.len()), &cells, store)
}

fn over_list(shape: &'static str, before: String, cond: String, list: Json) -> Guard {
    let (params, arguments) = (vec![("p", "Node")], vec![("p", list)]);
    Guard { shape, params, before, cond, arguments, ..Guard::default() }
}

/// Goes along a list so many steps, as far as there is one.
fn walk(from: &str, steps: usize) -> String {
    format!("g0 := {from}; g1 := 0; while (g0 != null && g1 < {steps}) {{ g0 := g0.f; g1 := g1 + 1; }}")
}

const WALKER: &str = "var g0: Node; var g1: int; ";

fn node(random: &mut Random, store: &mut Builder) -> Guard {
    let steps = 40 + random.below(20);
    let list = store.list(steps + 1, None)[0].clone();
    over_list("node of a list", format!("{WALKER}{}", walk("p", steps)), "g0 != null".to_owned(), list)
}

fn nodes(random: &mut Random, store: &mut Builder) -> Guard {
    let count = 30 + random.below(30);
    let helpers =
        "procedure CountNodes(l: Node) returns (c: int) { if (l != null) { c := CountNodes(l.f); c := c + 1; } }"
            .to_owned();
    let list = store.list(count, None)[0].clone();
    let before = "var g0: int; g0 := CountNodes(p);".to_owned();
    // A ring would have no end of them.
    Guard { helpers, ..over_list("count of a list", before, format!("g0 == {count}"), list) }
}

fn alias(random: &mut Random, store: &mut Builder) -> Guard {
    let steps = 25 + random.below(30);
    let list = store.list(steps + 3, None);
    let mut guard = over_list(
        "alias in a list",
        format!("{WALKER}{}", walk("p", steps)),
        "q != null && g0 == q".to_owned(),
        list[0].clone(),
    );
    guard.params.push(("q", "Node"));
    guard.arguments.push(("q", list[steps].clone()));
    guard
}

fn ring(random: &mut Random, store: &mut Builder) -> Guard {
    let count = 31 + random.below(20);
    let list = store.list(count, Some(0));
    let before = format!(
        "{WALKER}if (p != null) {{ g0 := p.f; g1 := 1; while (g0 != null && g0 != p && g1 < 200) {{ g0 := g0.f; g1 := g1 + 1; }} }}"
    );
    over_list("ring", before, format!("p != null && g0 == p && g1 == {count}"), list[0].clone())
}

fn meeting(random: &mut Random, store: &mut Builder) -> Guard {
    let (first, second) = (20 + random.below(10), 35 + random.below(10));
    let tail = store.list(3, None)[0].clone();
    let (one, other) = (store.list_to(first, &tail), store.list_to(second, &tail));
    let before = format!("{WALKER}var g2: Node; {} g2 := g0; {}", walk("p", first), walk("q", second));
    let mut guard = over_list("lists that meet", before, "g0 != null && g0 == g2 && p != q".to_owned(), one);
    guard.params.push(("q", "Node"));
    guard.arguments.push(("q", other));
    guard
}

fn nested(random: &mut Random, _: &mut Builder) -> Guard {
    let (p, q) = (large(random, 60, 100), large(random, 60, 100));
    let before = "var g0: int; var g1: int; var g2: int; while (g0 < p) { g1 := 0; while (g1 < q) { g2 := g2 + 1; g1 := g1 + 1; } \
                  g0 := g0 + 1; }";
    let cond = format!("p < q && g2 == {}", p.min(q) * (p.max(q) + 1));
    Guard { before: before.to_owned(), ..plain("product of turns", &["p", "q"], cond, &[p.min(q), p.max(q) + 1]) }
}

fn argument_chain(random: &mut Random, _: &mut Builder) -> Guard {
    let depth = large(random, 300, 4_000);
    let helpers =
        "procedure Deep(n: int, m: int) returns (c: int) { if (n > 0) { c := Deep(n - 1, m + 3); } else { c := m; } }"
            .to_owned();
    let before = "var g0: int; g0 := Deep(p, 5);".to_owned();
    Guard { helpers, before, ..plain("depth of calls", &["p"], format!("g0 == {}", 5 + 3 * depth), &[depth]) }
}
