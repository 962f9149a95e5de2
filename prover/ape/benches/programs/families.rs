//! Families of pair programs that once grew out of all bounds; each is to be decided at four times the size where it did.
//!
//! In: a size. Out: the text of a pair program, with the verdict that it must get.

/// Pair programs of one shape.
pub(crate) struct Family {
    /// What it is called in a report.
    pub(crate) name: &'static str,
    /// The shape, in words.
    pub(crate) shape: &'static str,
    /// The size to which it was good at first, and the size that it is held to.
    pub(crate) sizes: [usize; 2],
    /// The verdict of the whole file.
    pub(crate) expected: &'static str,
    /// The text of one size.
    pub(crate) text: fn(usize) -> String,
}

const fn family(name: &'static str, shape: &'static str, sizes: [usize; 2], text: fn(usize) -> String) -> Family {
    Family { name, shape, sizes, expected: "equivalent", text }
}

/// All families.
pub(crate) const FAMILIES: [Family; 14] = [
    family("trees", "copies of trees, made in reverse", [8, 32], trees),
    family("turned", "branches that add up numbers, each turned round", [9, 36], turned),
    family("reordered", "branches that add up numbers, in reverse", [9, 36], reordered),
    family("aliases", "parameters that may be the same, counted up in reverse", [11, 44], aliases),
    family("births", "branches that allocate, in reverse", [128, 512], births),
    family("ifs", "branches in one another, each turned round", [64, 256], ifs),
    family("cells", "cells of an array parameter, written in reverse", [256, 1024], cells),
    family("new-cells", "cells of a new array, written in reverse", [256, 1024], new_cells),
    family("writes", "fields of one object, written in reverse", [2048, 8192], writes),
    family("loops", "loops nested in one another, with garbage", [3, 12], loops),
    family("library", "calls of a library with a loop, in reverse", [10, 40], library),
    family("procedures", "procedures in chains of ten, some changed", [375, 1500], procedures),
    Family {
        name: "leaf",
        shape: "a chain of procedures of which the last differs",
        sizes: [250, 1000],
        expected: "not-equivalent",
        text: leaf,
    },
    Family {
        name: "written-leaf",
        shape: "the same, where each writes a field",
        sizes: [40, 160],
        expected: "not-equivalent",
        text: written_leaf,
    },
];

/// Both versions, each made by a function of its number.
fn pair(version: impl Fn(usize) -> String) -> String {
    format!("version before\n{}version after\n{}", version(0), version(1))
}

/// So many lines; in the reverse order in the new version.
fn turned_round(version: usize, count: usize, line: impl Fn(usize) -> String) -> String {
    let at = |i: usize| if version == 0 { i } else { count - 1 - i };
    (0..count).map(|i| line(at(i))).collect()
}

/// So many parameters, results or summands.
fn list(count: usize, between: &str, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().join(between)
}

fn garbage(version: usize) -> &'static str {
    ["", "g := new(); "][version]
}

fn trees(count: usize) -> String {
    let copy = "procedure copy(t: Tree) returns (r: Tree) {\n  if (t == null) { return null; }\n  r := new Tree();\n  \
                r.left := copy(t.left);\n  r.right := copy(t.right);\n}\n";
    let both = pair(|version| {
        let body = turned_round(version, count, |i| format!("  r{i} := copy(t{i});\n"));
        let (given, made) =
            (list(count, ", ", |i| format!("t{i}: Tree")), list(count, ", ", |i| format!("r{i}: Tree")));
        format!("{copy}procedure P({given}) returns ({made}) {{\n{body}}}\n")
    });
    format!("class Tree {{ left: Tree; right: Tree; }}\n{both}")
}

fn numbers(count: usize, body: &str) -> String {
    let given = list(count, ", ", |i| format!("a{i}: int"));
    format!("procedure P({given}) returns (r: int) {{\n{body}}}\n")
}

fn turned(count: usize) -> String {
    pair(|version| {
        let line = |i: usize| match version {
            0 => format!("  if (a{i} > 0) {{ r := r + a{i}; }} else {{ r := r - {i}; }}\n"),
            _ => format!("  if (a{i} <= 0) {{ r := r - {i}; }} else {{ r := r + a{i}; }}\n"),
        };
        numbers(count, &(0..count).map(line).collect::<String>())
    })
}

fn reordered(count: usize) -> String {
    pair(|version| numbers(count, &turned_round(version, count, |i| format!("  if (a{i} > 0) {{ r := r + a{i}; }}\n"))))
}

fn aliases(count: usize) -> String {
    pair(|version| {
        let body = turned_round(version, count, |i| format!("  x{i}.v := x{i}.v + {};\n", i + 1));
        format!("procedure P({}) {{\n{body}}}\n", list(count, ", ", |i| format!("x{i}")))
    })
}

fn cells(count: usize) -> String {
    pair(|version| {
        let body = turned_round(version, count, |i| format!("  a[{i}] := n + {i};\n"));
        format!("procedure P(a: int[], n: int) {{\n  if (a == null || a.length < {count}) {{ return; }}\n{body}}}\n")
    })
}

fn new_cells(count: usize) -> String {
    pair(|version| {
        let body = turned_round(version, count, |i| format!("  a[{i}] := n + {i};\n"));
        format!("procedure P(n: int) returns (a: int[]) {{\n  a := new int[{count}];\n{body}}}\n")
    })
}

fn writes(count: usize) -> String {
    pair(|version| {
        let body = turned_round(version, count, |i| format!("  x.f{i} := n + {i};\n"));
        format!("procedure P(x, n: int) {{\n{body}}}\n")
    })
}

fn loops(depth: usize) -> String {
    pair(|version| {
        let heads = list(depth, "", |i| format!("i{i} := 0;\nwhile (i{i} < n) {{\n"));
        let ends: String = (0..depth).rev().map(|i| format!("i{i} := i{i} + 1;\n}}\n")).collect();
        let count = ["s := s + 1;\n", "s := 1 + s;\n"][version];
        format!("procedure P(n: int) returns (s: int) {{\n{}{heads}{count}{ends}}}\n", garbage(version))
    })
}

fn library(count: usize) -> String {
    pair(|version| {
        let sum = ["r := r + i; i := i + 1;", "r := i + r; i := 1 + i;"][version];
        let sum = format!("procedure sum(n: int) returns (r: int) {{ i := 0; while (i < n) {{ {sum} }} }}\n");
        let calls = turned_round(version, count, |i| format!("  t{i} := sum(a{i});\n"));
        let total = list(count, " + ", |i| format!("t{i}"));
        sum + &numbers(count, &format!("{calls}  r := {total};\n"))
    })
}

fn procedures(count: usize) -> String {
    pair(|version| {
        let one = |i: usize| {
            let garbage = garbage(if i.is_multiple_of(50) { version } else { 0 });
            let call = if i.is_multiple_of(10) { String::new() } else { format!(" q{}(x, n);", i - 1) };
            format!(
                "procedure q{i}(x, n: int) {{ {garbage}if (x != null) {{ x.v := n + {i}; x := x.next;{call} }} }}\n"
            )
        };
        (0..count).map(one).collect()
    })
}

fn leaf(depth: usize) -> String {
    pair(|version| {
        let call = |i: usize| format!("procedure p{i}(n: int) returns (r: int) {{ r := p{}(n + 1); }}\n", i + 1);
        let chain: String = (0..depth).map(call).collect();
        format!("{chain}procedure p{depth}(n: int) returns (r: int) {{ r := n{}; }}\n", ["", " + 1"][version])
    })
}

fn written_leaf(depth: usize) -> String {
    pair(|version| {
        let call = |i: usize| format!("procedure p{i}(x, n: int) {{ x.v{i} := n; p{}(x, n + 1); }}\n", i + 1);
        let chain: String = (0..depth).map(call).collect();
        format!("{chain}procedure p{depth}(x, n: int) {{ x.v := n{}; }}\n", ["", " + 1"][version])
    })
}

fn births(count: usize) -> String {
    pair(|version| {
        let body = turned_round(version, count, |i| format!("  if (a{i} > 0) {{ r{i} := new(); r{i}.v := a{i}; }}\n"));
        let (given, made) = (list(count, ", ", |i| format!("a{i}: int")), list(count, ", ", |i| format!("r{i}")));
        format!("procedure P({given}) returns ({made}) {{\n{body}}}\n")
    })
}

fn ifs(depth: usize) -> String {
    pair(|version| {
        let (heads, ends) = match version {
            0 => (
                list(depth, "", |i| format!("if (a{i} > 0) {{\n")),
                turned_round(1, depth, |i| format!("}} else {{ r := {i}; }}\n")),
            ),
            _ => (list(depth, "", |i| format!("if (a{i} <= 0) {{ r := {i}; }} else {{\n")), "}\n".repeat(depth)),
        };
        numbers(depth, &format!("{heads}  r := -1;\n{ends}"))
    })
}
