//! What differs where a guard holds.
//!
//! In: random numbers. Out: an [`Effect`]: for each version the statements that stand where the guard is known.

use crate::oracle::Difference;
use lang_l::random::Random;

/// What two versions do.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    /// What it is called.
    pub(super) what: &'static str,
    /// The statements of each version, where `GUARD` stands for the condition. They see the object `x`, which is not null,
    /// the number `d` and the reference `e`, which are results, and the locals `u`, `w` and `z`.
    pub(super) code: [&'static str; 2],
    /// A clause of the contract of both.
    pub(super) spec: &'static str,
    /// Procedures that they call.
    pub(super) helpers: &'static str,
    /// In what they then differ.
    pub(super) difference: Option<Difference>,
}

const fn outcome(what: &'static str, code: [&'static str; 2]) -> Effect {
    Effect { what, code, spec: "", helpers: "", difference: Some(Difference::Outcome) }
}

const ALL: &[Effect] = &[
    outcome("other result", ["d := 1;", "d := 1; if (GUARD) { d := 2; }"]),
    outcome("result of a choice", ["if (GUARD) { d := 5; } else { d := 4; }", "d := 4;"]),
    outcome("error", ["skip;", "if (GUARD) { assert false; }"]),
    outcome("null", ["skip;", "if (GUARD) { e := null; e.f := x; }"]),
    outcome("no store", ["x.f := x;", "if (!(GUARD)) { x.f := x; }"]),
    outcome("other object", ["e := x;", "e := x; if (GUARD) { e := NEW; }"]),
    outcome(
        "shared object",
        ["e := NEW; e.f := x; x := e; e := NEW;", "e := NEW; e.f := x; x := e; if (!(GUARD)) { e := NEW; }"],
    ),
    outcome("early return", ["d := 3;", "if (GUARD) { return; } d := 3;"]),
    outcome("other order", ["if (GUARD) { x.f := x; } e := x.f;", "e := x.f; if (GUARD) { x.f := x; }"]),
    Effect {
        helpers: "procedure Write(w: Node) modifies {w}; { w.f := w; }",
        ..outcome("other order of a call", ["if (GUARD) { Write(x); } e := x.f;", "e := x.f; if (GUARD) { Write(x); }"])
    },
    Effect {
        helpers: "procedure WriteBehind(w: Node) modifies {w.f}; { if (w.f != null) { w.f.f := w; } }",
        ..outcome(
            "write behind a field",
            [
                "e := NEW; e.f := x; if (GUARD) { WriteBehind(e); } e := x.f;",
                "e := NEW; e.f := x; u := x.f; if (GUARD) { WriteBehind(e); } e := u;",
            ],
        )
    },
    Effect {
        helpers: "procedure Two(w: Node, m: int) returns (a: int, b: Node) { a := m; b := w; if (m == 2) { b := null; } }",
        ..outcome(
            "results of a call",
            ["d, e := Two(x, 1);", "if (GUARD) { d, e := Two(x, 2); } else { d, e := Two(x, 1); }"],
        )
    },
    Effect {
        difference: Some(Difference::Termination),
        ..outcome("endless loop", ["skip;", "if (GUARD) { while (true) { skip; } }"])
    },
    Effect { difference: Some(Difference::Blocked), ..outcome("blocked", ["skip;", "assume !(GUARD);"]) },
    Effect {
        spec: "ensures d == 1;",
        difference: None,
        ..outcome("broken ensures", ["d := 1; if (GUARD) { d := 2; }", "if (GUARD) { d := 2; } else { d := 1; }"])
    },
    Effect {
        helpers: "procedure Needs(m: int) requires m != 3; { skip; }",
        difference: None,
        ..outcome("broken requires", ["if (GUARD) { Needs(3); }", "if (GUARD) { Needs(3); }"])
    },
    outcome(
        "result of a loop",
        [
            "z := 1; w := 3; while (w > 0) { w := w - 1; d := z + 0; if (w == 0 - 5) { return; } } d := d + 1;",
            "z := 1; w := 3; while (w > 0) { w := w - 1; z := z + ((GUARD) ? 1 : 0); if (w == 0 - 5) { return; } } d := z + 1;",
        ],
    ),
    outcome("closed form", ["w := 1; while (w <= 10) { z := z + w; w := w + 1; } d := z;", "d := (GUARD) ? 56 : 55;"]),
    outcome(
        "order of cells",
        [
            "var b: int[]; b := new int[2]; w := (GUARD) ? 1 : 0; b[w] := 1; b[1] := 2; d := b[1];",
            "var b: int[]; b := new int[2]; w := (GUARD) ? 1 : 0; b[1] := 2; b[w] := 1; d := b[1];",
        ],
    ),
    outcome(
        "writes in a loop",
        [
            "w := 3; e := NEW; while (w > 0) { e.f := x; w := w - 1; }",
            "w := 3; e := NEW; while (w > 0) { if (w == 2 || !(GUARD)) { e.f := x; } else { e.f := null; } w := w - 1; }",
        ],
    ),
    Effect {
        helpers: "procedure Again(m: int, l: Node, n: int) { if (m > 0) { if (n == 0) { l.f := l; } Again(m - 1, l, n); } }",
        ..outcome("argument of recursion", ["Again(3, x, 0);", "Again(3, x, (GUARD) ? 1 : 0);"])
    },
    Effect {
        helpers: "procedure Gives(m: int) returns (a: int) ensures a == 1; { a := m; }",
        difference: None,
        ..outcome(
            "broken ensures of a callee",
            ["d := Gives((GUARD) ? 2 : 1);", "d := Gives((GUARD) ? 2 : 1); d := 1;"],
        )
    },
    Effect {
        spec: "ensures fresh(e);",
        difference: None,
        ..outcome("not fresh", ["e := NEW; if (GUARD) { e := x; }", "e := x; if (!(GUARD)) { e := NEW; }"])
    },
    Effect {
        spec: "modifies {};",
        difference: None,
        ..outcome("broken modifies", ["if (GUARD) { x.f := x; }", "u := x; if (GUARD) { u.f := u; }"])
    },
    Effect {
        spec: "ensures forall o: Node :: o != null && reach(x, o) ==> o.f != o;",
        difference: None,
        ..outcome("broken quantifier", ["if (GUARD) { x.f := x; }", "u := x; if (GUARD) { u.f := u; }"])
    },
    Effect {
        difference: None,
        ..outcome(
            "broken invariant",
            [
                "w := 3; while (w > 0) invariant d <= 2; { w := w - 1; if (GUARD) { d := 3; } }",
                "w := 3; while (w > 0) invariant d <= 2; { if (GUARD) { d := 3; } w := w - 1; }",
            ],
        )
    },
    Effect { difference: None, ..outcome("failed assert", ["assert !(GUARD);", "skip; assert !(GUARD);"]) },
];

impl Effect {
    /// One of them.
    pub(super) fn any(random: &mut Random) -> Effect {
        ALL[random.below(ALL.len())].clone()
    }
}
