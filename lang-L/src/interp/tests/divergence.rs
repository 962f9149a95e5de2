//! Proofs that a run never ends, and their absence where it does end.

use super::check;

const LOOP: &str = "never ends: a loop comes back to a state it has been in";

fn calls(name: &str) -> String {
    format!("never ends: {name} is called again from the same state while it is active")
}

#[test]
fn loops_that_repeat() {
    check("procedure p() { while (true) { } }", "", LOOP);
    check("procedure p() { i := 0; while (i < 10) { i := (i + 1) % 7; } }", "", LOOP);
    // The garbage differs, what the frame can see does not.
    check("procedure p() { x := new(); while (x != null) { x := new(); } }", "", LOOP);
    check("procedure p() { x := new(); x.n := x; while (x != null) { x := x.n; } }", "", LOOP);
    check("global g: bool; procedure p() { while (true) { g := !g; } }", "", LOOP);
    check("procedure p(a: int[]) { a := new int[2]; while (a[0] == 0) { a[1] := 1 - a[1]; } }", "null", LOOP);
}

/// What is only counted or added up decides nothing.
#[test]
fn loops_that_count_around_a_ring() {
    let ring = |step: &str, then: &str| {
        format!(
            "procedure p() returns (r: int) {{ x := new(); x.n := x; i := 0; while (x != null) {{ x := x.n; {step} }} {then} }}"
        )
    };
    check(&ring("r := r + 1;", ""), "", LOOP);
    check(&ring("i := i + 1; r := r + i * i;", ""), "", LOOP);
    check(&ring("i := i + 1; b := i > 3 && r == i;", ""), "", LOOP);
    check(&ring("i := i + 1;", "return 7 / i;"), "", LOOP);
    check(&ring("if (x.n == x) { i := i - 1; } else { return i; }", ""), "", LOOP);
    let decides = [
        ("i := i + 1; if (i == 5000) { x := null; }", "0"),
        ("i := i + 1; r := i; if (r == 5000) { return r; }", "5000"),
        ("i := i + 1; b := i == 5000; x := b ? null : x;", "0"),
        ("i := i + 1; r := 7 / (5000 - i);", "ends in error: division by zero"),
        ("i := i + 1; b := i < 5000 || x.n.n == null.n;", "ends in error: null dereference"),
        ("i := i + 1; a := new int[5000 - i];", "ends in error: negative array size"),
        ("i := i + 1; x.i := i; if (x.i == 5000) { return 1; }", "1"),
        ("i := i + 1; call q(i); if (done) { return 1; }", "1"),
        ("i := i + 1; count := i; if (count == 5000) { return 1; }", "1"),
        ("r := i; i := k; k := k + 1; assert r < 5000;", "ends in error: assertion failed"),
    ];
    let more = "global done: bool; global count: int; procedure q(i: int) { done := i == 5000; }";
    for (step, end) in decides {
        check(&format!("{more} {}", ring(&format!("var a: int[]; {step}"), "")), "", end);
    }
}

#[test]
fn loops_that_end() {
    check("procedure p() returns (r: int) { while (r < 100000) { r := r + 1; } }", "", "100000");
    let long = "procedure p() returns (r: int) { x := new(); i := 0; while (i < 3000) { y := new(); y.n := x; x := y; i := i + 1; } \
                while (x.n != null) { x := x.n; r := r + 1; } }";
    check(long, "", "3000");
    // Old objects are not exchanged for new ones: this loop ends in the second round.
    let fresh = "procedure p(x) returns (r: int) { while (true) { r := 1; x := new(); assert !fresh(x); } }";
    check(fresh, "#1", "ends in error: assertion failed");
    let old = "procedure p(x) { x := x; y := x; while (true) { assert y == x; y := new(); } }";
    check(old, "#1", "ends in error: assertion failed");
}

/// Quantifiers do not see garbage, so they cannot tell one round from the next.
#[test]
fn loops_with_quantifiers() {
    let other = "exists a: ref :: exists b: ref :: a != null && b != null && a != b && a != first && b != first";
    let text =
        format!("procedure p() {{ first := new(); while (true) {{ t := new(); t := null; assert !({other}); }} }}");
    check(&text, "", LOOP);
    let kept = format!(
        "global g: ref; procedure p() {{ first := new(); while (true) {{ t := new(); t.f := g; g := t; assert !({other}); }} }}"
    );
    check(&kept, "", "ends in error: assertion failed");
}

/// A call that repeats has more callers, and quantifiers see what these hold.
#[test]
fn calls_with_quantifiers_are_not_taken_to_repeat() {
    let three = "exists a: ref :: exists b: ref :: exists c: ref :: a != null && b != null && c != null && a != b && b != c && a != c";
    let text = format!("procedure p(x) {{ t := new(); assert !({three}); call p(x); }}");
    check(&text, "null", "ends in error: assertion failed");
}

#[test]
fn calls_that_repeat() {
    check("procedure p(x) { if (x != null) { call p(x); } }", "#1", &calls("p"));
    check("procedure p(x) { t := new(); call p(t); }", "#1", &calls("p"));
    check(
        "procedure p(n: int) { call q(n); } procedure q(n: int) { if (n == 0) { call q(1); } call q(1 - n); }",
        "0",
        &calls("q"),
    );
    check("procedure p(x) { y := new(); y.f := x.f; call p(y); }", "#1", &calls("p"));
}

#[test]
fn calls_that_end() {
    check("procedure p(x) returns (r: int) { if (x != null) { r := p(x.f) + 1; } }", "#1", "1");
    check("global g: int; procedure p(x) { g := g + 1; if (g < 500) { call p(x); } }", "#1", "");
    let grows =
        "procedure p(x, n: int) returns (r: int) { y := new(); y.f := x; if (n > 0) { r := p(y, n - 1) + 1; } }";
    check(grows, "#1 1000", "1000");
}
