//! Loops and recursion that end, but only after many turns: whoever says of such a run that it never ends is wrong.
//!
//! In: random numbers. Out: a [`Case`] of which one version turns long and the other does at once what comes after.
//!
//! Invariant: from the planted store, and from smaller numbers, the run comes to its end in a number of turns that the
//! interpreter can do.

use super::{TOP, spelt, with_host};
use crate::case::{Case, Mutation, Planted, mutate};
use crate::oracle::Difference;
use lang_l::random::Random;
use serde_json::json;

/// How a run turns: its name, and its text, where `HIT` stands for the condition of the last turn, `LEAVE` for what is done
/// then, and `NEXT` for a step.
const TURNS: [(&str, &str); 6] = [
    ("late end of a loop", "procedure Top(p: int) returns (d: int) { while (true) { if (HIT) { LEAVE } NEXT } }"),
    (
        "late end after a loop inside",
        "procedure Top(p: int) returns (d: int) { while (p > 0 - 5) { var g: int; g := 2; while (g > 0) { g := g - 1; } \
         if (HIT) { LEAVE } NEXT } }",
    ),
    (
        "late end by a callee",
        "procedure Top(p: int) returns (d: int) { var y: int; y := 1; while (y == 1) { y := Asks(p); NEXT } p := p - 1; \
         LEAVE } procedure Asks(p: int) returns (y: int) { y := 1; if (HIT) { y := 0; } }",
    ),
    (
        "late end of recursion",
        "procedure Top(p: int) returns (d: int) { if (HIT) { LEAVE } else { NEXT d := Top(p); } }",
    ),
    (
        "late end of two in turn",
        "procedure Top(p: int) returns (d: int) { if (HIT) { LEAVE } NEXT d := Other(p); } \
         procedure Other(p: int) returns (d: int) { if (HIT) { LEAVE } NEXT d := Top(p); }",
    ),
    (
        "late end through the heap",
        "procedure Top(p: int) returns (d: int) { var c: Node; c := NEW; while (c != null) { if (HIT) { c.f := null; } else { \
         c.f := NEW; } c := c.f; NEXT } p := p - 1; LEAVE }",
    ),
];

/// Their names.
pub(super) const SHAPES: [&str; 6] = [TURNS[0].0, TURNS[1].0, TURNS[2].0, TURNS[3].0, TURNS[4].0, TURNS[5].0];

/// How a run ends, what the other version does instead, and in what the two then differ.
const ENDS: [(&str, &str, Option<Difference>); 6] = [
    ("d := 1; return;", "d := 1;", None),
    ("return 2;", "d := 1;", Some(Difference::Outcome)),
    ("assert false;", "assert false;", None),
    ("assert false;", "d := 1;", Some(Difference::Outcome)),
    ("assume false;", "d := 1;", Some(Difference::Blocked)),
    ("Needs(3); return;", "assert false;", None),
];

/// A pair that ends late.
pub(super) fn plant(random: &mut Random) -> Option<Case> {
    let (shape, turning) = *random.pick(&TURNS)?;
    let (leave, other, difference) = *random.pick(&ENDS)?;
    let last =
        1_500 + random.below(if shape.contains("recursion") || shape.contains("in turn") { 8_000 } else { 40_000 });
    let hit = match random.below(4) {
        0 => format!("p == {last}"),
        1 => format!("p * p == {}", last * last),
        2 => format!("p > 1 && p % {last} == 0"),
        _ => format!("p * p * p == {}", last * last * last),
    };
    let turning = turning.replace("HIT", &hit).replace("LEAVE", leave).replace("NEXT", "p := p + 1;");
    let helpers = "procedure Needs(m: int) requires m != 3; { skip; } class Node { f: Node; }";
    let at_once = format!("procedure {TOP}(p: int) returns (d: int) {{ {other} }}");
    let program = |text: &str| with_host(&spelt(&format!("{text} {helpers}"), true), None);
    let (mut left, mut right) = (program(&turning)?, program(&at_once)?);
    if random.percent(40)
        && let Some((_, mutated)) = mutate(&left, false, random)
    {
        // The names of parameters of version 0 are those of the store.
        (left, right) = (right, mutated);
    }
    let planted = Planted {
        what: leave,
        procedure: TOP.to_owned(),
        store: json!({ "arguments": { "p": random.below(3) } }),
        difference,
        runs: true,
    };
    Some(Case { left, right, mutations: vec![Mutation::Plant(shape)], planted: Some(planted) })
}
