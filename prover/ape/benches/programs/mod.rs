//! Pair programs of any size, and the run that is measured.
//!
//! In: how large. Out: a [`Program`] in L with the verdict it must get; [`Runner::overall`] takes it from text to verdict.

mod families;

use families::FAMILIES;
use lang_l::source::Sources;
use prover::report;
use prover::verdict::Report;
use prover::verify::{Config, Strategy, verify};
use smt::stop::Stop;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The stack of the thread that verifies, in bytes: as in `ape`, since the terms of a large program are deep.
const STACK: usize = 512 << 20;

/// The order in which version 1 of [`reordered_calls`] makes the calls that version 0 makes in the order of their numbers.
const ORDER: [usize; 8] = [0, 5, 7, 2, 1, 6, 4, 3];

/// A pair program.
pub(crate) struct Program {
    /// What it is called in a report.
    pub(crate) name: String,
    /// The shape, in words.
    pub(crate) shape: &'static str,
    /// Both versions.
    pub(crate) text: String,
    /// The verdict of the whole file.
    pub(crate) expected: &'static str,
    /// The longest that one run may take, where a bar has been set.
    pub(crate) bar: Option<Duration>,
}

/// What the end of the list in [`reversed`] is linked to, and whether both versions link alike.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Nothing: a list.
    List,
    /// The start: a ring.
    Ring,
    /// Nothing, and version 1 links one object in the middle backwards: not equivalent.
    Different,
}

/// Every program of the benchmark.
pub(crate) fn all() -> Vec<Program> {
    let mut programs = Vec::new();
    for links in [Links::List, Links::Ring, Links::Different] {
        programs.extend([16, 64, 256].map(|n| reversed(n, links)));
    }
    programs.extend([branches(20), straight(250), chain(200), reordered_calls(), many(1000, 50)]);
    for family in FAMILIES {
        programs.extend(family.sizes.map(|size| Program {
            name: format!("{}-{size}", family.name),
            shape: family.shape,
            text: (family.text)(size),
            expected: family.expected,
            bar: Some(Duration::from_secs(5)),
        }));
    }
    programs
}

/// `n` objects allocated in one order in version 0 and in reverse in version 1, then linked.
pub(crate) fn reversed(n: usize, links: Links) -> Program {
    let version = |version: usize| {
        let news = |i: usize| format!("  o{i} := new();\n");
        let mut body: String = if version == 0 { (0..n).map(news).collect() } else { (0..n).rev().map(news).collect() };
        for i in 0..n - 1 {
            let backwards = links == Links::Different && version == 1 && i == n / 2;
            let target = if backwards { i - 1 } else { i + 1 };
            body += &format!("  o{i}.next := o{target};\n");
        }
        if links == Links::Ring {
            body += &format!("  o{}.next := o0;\n", n - 1);
        }
        format!("version {version}\nprocedure P(x) {{\n{body}  x.head := o0;\n}}\n")
    };
    let (name, shape, expected) = match links {
        Links::List => ("list", "allocations reversed, linked into a list", "equivalent"),
        Links::Ring => ("ring", "allocations reversed, linked into a ring", "equivalent"),
        Links::Different => ("different", "allocations reversed, one link of the list differs", "not-equivalent"),
    };
    let bar = match (links, n) {
        (Links::List, 64) => Some(Duration::from_secs(1)),
        (Links::List, 256) => Some(Duration::from_secs(10)),
        _ => None,
    };
    Program { name: format!("{name}-{n}"), shape, text: version(0) + &version(1), expected, bar }
}

/// `n` two-way branches one after the other; version 1 has each of them the other way round.
pub(crate) fn branches(n: usize) -> Program {
    let parameters: String = (0..n).map(|i| format!(", a{i}")).collect();
    let version = |version: usize| {
        let branch = |i: usize| match version {
            0 => format!("  if (a{i} > 0) {{ x.f{i} := a{i}; }} else {{ x.f{i} := 0; }}\n"),
            _ => format!("  if (a{i} <= 0) {{ x.f{i} := 0; }} else {{ x.f{i} := a{i}; }}\n"),
        };
        let body: String = (0..n).map(branch).collect();
        format!("version {version}\nprocedure P(x{parameters}) {{\n{body}}}\n")
    };
    equivalent(format!("branches-{n}"), "two-way branches in a row, each turned round", version, 2)
}

/// `2 * n` statements without a branch: sums of earlier sums, each stored in one of ten fields. Version 1 has every fifth
/// sum the other way round and an object that nothing reaches.
pub(crate) fn straight(n: usize) -> Program {
    let version = |version: usize| {
        let mut body = String::new();
        for i in 1..=n {
            let earlier = i.saturating_sub(3);
            let sum =
                if version == 1 && i % 5 == 0 { format!("{i} + t{earlier}") } else { format!("t{earlier} + {i}") };
            body += &format!("  t{i} := {sum};\n  x.f{} := t{i};\n", i % 10);
        }
        if version == 1 {
            body += "  g := new();\n";
        }
        format!("version {version}\nprocedure P(x, t0: int) {{\n{body}}}\n")
    };
    equivalent(format!("straight-{}", 2 * n), "statements without a branch", version, 2)
}

/// `n` procedures, each of which stores and calls the next; in version 1 each allocates an object that nothing reaches.
pub(crate) fn chain(n: usize) -> Program {
    let version = |version: usize| {
        let garbage = if version == 1 { "t := new(); " } else { "" };
        let mut text = format!("version {version}\n");
        for i in 0..n - 1 {
            let (field, next) = (i % 5, i + 1);
            text += &format!("procedure p{i}(x, n: int) {{ {garbage}x.v{field} := n; p{next}(x, n + 1); }}\n");
        }
        text + &format!("procedure p{}(x, n: int) {{ x.v := n; }}\n", n - 1)
    };
    equivalent(format!("chain-{n}"), "procedures that each call the next, all changed", version, 2)
}

/// A copy of a tree with eight children for each node, by eight recursive calls, which version 1 makes in another order.
pub(crate) fn reordered_calls() -> Program {
    let version = |version: usize| {
        let order: Vec<usize> = if version == 0 { (0..ORDER.len()).collect() } else { ORDER.to_vec() };
        let each = |line: fn(usize) -> String| order.iter().map(|&i| line(i)).collect::<String>();
        let mut text = format!("version {version}\nprocedure C(x, r)\n  modifies {{r}};\n{{\n  if (x != null) {{\n");
        text += &each(|i| format!("    r{i} := new();\n"));
        text += &each(|i| format!("    C(x.c{i}, r{i});\n"));
        text += "    n := new();\n";
        text += &each(|i| format!("    n.c{i} := r{i}.v;\n"));
        text + "    r.v := n;\n  }\n}\n"
    };
    equivalent("calls-8".to_string(), "recursive calls in another order", version, 2)
}

/// `n` procedures in chains of ten, of which every `every`-th is changed.
pub(crate) fn many(n: usize, every: usize) -> Program {
    let version = |version: usize| {
        let mut text = format!("version {version}\n");
        for i in 0..n {
            let garbage = if version == 1 && i % every == 0 { "g := new(); " } else { "" };
            let call = if i % 10 == 0 { String::new() } else { format!(" q{}(x, n);", i - 1) };
            let body = format!("{garbage}if (x != null) {{ x.v := n + {i}; x := x.next;{call} }}");
            writeln!(text, "procedure q{i}(x, n: int) {{ {body} }}").expect("a string can be written to");
        }
        text
    };
    equivalent(format!("many-{n}"), "procedures, of which 20 are changed", version, 10)
}

/// A program that must be proved within so many seconds.
fn equivalent(name: String, shape: &'static str, version: impl Fn(usize) -> String, bar: u64) -> Program {
    let text = version(0) + &version(1);
    Program { name, shape, text, expected: "equivalent", bar: Some(Duration::from_secs(bar)) }
}

/// Verifies on one thread, whose stack is that of `ape`.
pub(crate) struct Runner {
    pool: rayon::ThreadPool,
}

impl Runner {
    /// Starts the thread.
    pub(crate) fn new() -> Self {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK).build();
        Runner { pool: pool.expect("a thread can be started") }
    }

    /// From text to the report, as `ape verify` does it but for reading the file and printing the report.
    pub(crate) fn report(&self, text: &str, strategy: Strategy, limit: Option<Duration>) -> Report {
        self.pool.install(|| {
            let mut sources = Sources::new();
            let file = sources.add("generated", text);
            let parsed = lang_l::parse::parse(file, text);
            assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
            let unit = lang_l::resolve::resolve(&[&parsed.file]).unwrap_or_else(|wrong| panic!("{wrong:?}"));
            let stop = Stop::new().until(limit.map(|limit| Instant::now() + limit));
            verify(&unit, &Config { strategy, stop, ..Config::default() })
        })
    }

    /// The verdict of a whole file.
    pub(crate) fn overall(&self, text: &str) -> &'static str {
        report::overall(&self.report(text, Strategy::Default, None))
    }

    /// Panics unless the verdict is the expected one: the time of a wrong answer means nothing.
    pub(crate) fn check(&self, program: &Program) {
        assert_eq!(self.overall(&program.text), program.expected, "{}", program.name);
    }
}
