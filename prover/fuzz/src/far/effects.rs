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
    /// the number `d` and the reference `e`, which are results.
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
];

impl Effect {
    /// One of them.
    pub(super) fn any(random: &mut Random) -> Effect {
        ALL[random.below(ALL.len())].clone()
    }
}
