//! Whatever the bytes: every stage ends soon, without a panic and on an ordinary stack.
//!
//! In: random bytes, random tokens, programs with random changes, and very deep nesting. The stages, from tokens to
//! resolving and back to text, run here on the
//! 2 MiB stacks of test threads, so deep recursion would show.

use lang_l::parse::parse;
use lang_l::print::print;
use lang_l::render::render;
use lang_l::resolve::resolve;
use lang_l::source::Sources;
use std::time::{Duration, Instant};

/// Runs all stages on a file and takes note of how long the slowest took.
fn run(bytes: &[u8]) {
    let start = Instant::now();
    let mut sources = Sources::new();
    let (file, unreadable) = sources.add_bytes("input.l", bytes);
    if let Some(report) = unreadable {
        assert!(!render(&sources, &[report], false).is_empty());
    }
    // The text goes on even if it is not what the bytes say.
    let text = sources.get(file).text.clone();
    let parsed = parse(file, &text);
    let shown = render(&sources, &parsed.diagnostics, false);
    assert_eq!(shown.is_empty(), parsed.diagnostics.is_empty());
    // Partial trees are resolved too: an editor would.
    if let Err(reports) = resolve(&[&parsed.file]) {
        render(&sources, &reports, false);
    }
    let printed = print(&parsed.file, &parsed.comments);
    if parsed.diagnostics.is_empty() {
        let again = parse(file, &printed);
        assert!(again.diagnostics.is_empty(), "{text}\nprints as\n{printed}");
        assert_eq!(print(&again.file, &again.comments), printed, "{text}");
    }
    let taken = start.elapsed();
    assert!(taken < Duration::from_secs(10), "{taken:?} for {}", String::from_utf8_lossy(bytes));
}

/// A small generator of pseudo-random numbers, so that every run sees the same inputs.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 16).unwrap_or(0) % limit.max(1)
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// Words, signs and fragments of L, some of them wrong.
const TOKENS: &[&str] = &[
    "version",
    "VERSION",
    "class",
    "global",
    "procedure",
    "equiv",
    "when",
    "returns",
    "requires",
    "ensures",
    "modifies",
    "int",
    "bool",
    "ref",
    "var",
    "if",
    "else",
    "while",
    "invariant",
    "return",
    "break",
    "continue",
    "assert",
    "assume",
    "skip",
    "new",
    "call",
    "true",
    "false",
    "null",
    "forall",
    "exists",
    "old",
    "fresh",
    "reach",
    "length",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ".",
    ":",
    "::",
    ":=",
    "?",
    "~",
    "*",
    "/",
    "%",
    "+",
    "-",
    "!",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "&&",
    "||",
    "==>",
    "=",
    "x",
    "y'",
    "p",
    "1",
    "42",
    "\"s\"",
    "\"",
    "// c\n",
    "/* c */",
    "/*",
    "\n",
    "@",
    "ä",
    "procedure p(x) {",
    "if (x) {",
    "x := ",
    "p(x)",
    "x.f",
    "[1]",
    "} else {",
    "else if (x) {",
];

/// Programs that use every rule of the grammar.
const PROGRAMS: &[&str] = &[
    "global g: int;\nclass C { f: int; next: C; }\nVERSION 0\nprocedure p(x: C, n) returns (r: int)\n  requires x != null && \
     n >= 0; ensures r == old(x.f) ==> fresh(x); modifies {x, x.next};\n{\n  var i: int := 0; // count\n  while (i < n) \
     invariant i <= n; { i := i + 1; if (i % 2 == 0) { continue; } else if (i > 10) { break; } else { skip; } }\n  r, g := \
     call q(x, -i); assert reach(x, x.next) || !(n == 1); return r;\n}\nversion \"b\"\nprocedure q(x, y);\nequiv p ~ q when x > 0;\n",
    "procedure sort(a: int[]) returns (b: bool[][]) modifies a;\n  ensures forall i: int :: 0 <= i && i < a.length ==> \
     (exists j: int :: a[i] == old(a[j]));\n{ b := new bool[][a.length]; b[0] := new bool[a[0] * 2 / 3]; x.f := new C(); \
     y := new; z := x.n ? 1 : y ? 2 : 3; assume z - (1 - z) - 1 > 0; p(p(1), null, true); }\n",
    "VERSION\nprocedure F(x)\n  modifies {x};\n{\n\tt := new();\n\tx.f := t; /* here */\n}\nVERSION\nprocedure F(x) { x.f.g := \
     x; call F(x.f); }\n",
];

#[test]
fn random_bytes() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..20_000 {
        let length = random.below(60);
        let ascii = random.below(2) == 0;
        let bytes = (0..length).map(|_| (random.next() >> 24) as u8 & if ascii { 0x7f } else { 0xff });
        run(&bytes.collect::<Vec<_>>());
    }
}

#[test]
fn random_tokens() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..40_000 {
        let length = random.below(30);
        // Half of them inside a body, where most of the grammar is.
        let mut text = if round % 2 == 0 { String::new() } else { "procedure p(x) { ".to_owned() };
        for _ in 0..length {
            text.push_str(random.pick(TOKENS));
            if random.below(4) > 0 {
                text.push(' ');
            }
        }
        run(text.as_bytes());
    }
}

#[test]
fn changed_programs() {
    let mut random = Random(0xda94_2042_e4dd_58b5);
    for round in 0..40_000 {
        let mut text = PROGRAMS[round % PROGRAMS.len()].as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let (from, to) = (random.below(text.len()), random.below(text.len()));
            let (from, to) = (from.min(to), to.max(from));
            match random.below(6) {
                0 => text.insert(from, random.next() as u8 & 0x7f),
                1 => drop(text.remove(from)),
                2 => drop(text.splice(from..from, random.pick(TOKENS).bytes())),
                3 => drop(text.drain(from..to.min(from + 20))),
                4 => text.truncate(to.max(20)),
                _ => {
                    let copy = text[from..to.min(from + 40)].to_vec();
                    let at = random.below(text.len());
                    drop(text.splice(at..at, copy));
                }
            }
        }
        run(&text);
    }
}

#[test]
fn deep_nesting() {
    const DEPTH: usize = 10_000;
    let openers = [
        "(",
        "[",
        "{",
        "f(",
        "x[",
        "-",
        "!",
        "x + ",
        "x ==> ",
        "x ? ",
        "x ? x : ",
        "forall x: int :: ",
        "(x + ",
        "x.f",
        ".f",
        "[]",
        "[1]",
        "if (x) {",
        "if (x) ",
        "if ",
        "while (x) {",
        "if (x) {} else ",
        "else if (x) {} ",
        "else ",
        "procedure p(x) {",
        "class C {",
        "version ",
        "modifies {",
        "return ",
        "invariant (",
        "if (x) { ) ",
        "x := (x ; ",
        "/*",
        "\"",
        ")",
        "}",
        "]",
        ";",
        ",",
        "x",
        "@",
        "if (x) { x := (",
        "new int[",
        "x := new ",
        "x, ",
        "call ",
    ];
    let frames =
        [("", ""), ("procedure p(x) { ", "}"), ("procedure p(x) { x := ", "; }"), ("procedure p(x) { assert ", "; }")];
    let closers = ["", ")", "]", "}", "} else {}", ": x"];
    for opener in openers {
        for (before, behind) in frames {
            // A closing sign of each kind at the shallow depth that is read, and at the deep one that is refused.
            for closer in closers {
                for depth in [190, DEPTH] {
                    if depth == 190 || closer.len() <= 1 {
                        let (open, shut) = (opener.repeat(depth), closer.repeat(depth));
                        run(format!("{before}{open}x{shut}{behind}").as_bytes());
                    }
                }
            }
        }
    }
}

#[test]
fn mixed_nesting() {
    let mut random = Random(0x853c_49e6_748f_ea9b);
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "x",
        "f(",
        "-",
        "!",
        "+ ",
        "x ==> ",
        "x ? ",
        ": ",
        ";",
        "if (x) {",
        "else ",
        "if (",
        "while (x) {",
        "x := ",
        "x[",
        "(x, ",
        "forall x: int :: ",
        "if (x) { x := (",
    ];
    for _ in 0..300 {
        // A few pieces over and over, so that the nesting grows in one direction.
        let some: Vec<&str> = (0..=random.below(4)).map(|_| random.pick(&pieces)).collect();
        let mut text = "procedure p(x) { ".to_owned();
        for _ in 0..3_000 {
            text.push_str(random.pick(&some));
        }
        run(text.as_bytes());
    }
}
