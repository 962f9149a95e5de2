//! Tests of the parser: what is reported where, what is not, and that depth and length are survived.

use super::*;
use std::time::{Duration, Instant};

/// Each diagnostic as `CODE line:column message [help]`.
fn reports(input: &str) -> String {
    let mut sources = crate::source::Sources::new();
    let file = sources.add("test", input);
    let lines = parse(file, input).diagnostics.into_iter().map(|report| {
        let (line, column) = (sources.line(report.span), sources.column(report.span));
        let help = report.help.map_or(String::new(), |help| format!(" [{help}]"));
        format!("{} {line}:{column} {}{help}", report.code, report.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(input: &str, expected: &str) {
    assert_eq!(reports(input), expected, "on {input}");
}

#[test]
fn usual_slips() {
    let slips: &[(&str, &[&str])] = &[
        ("procedure p(x) { x = 1; }", &["E0103 1:20 `=` does not assign in L [assignment is written `:=`]"]),
        ("procedure p(x) { if (x = 1) { } }", &["E0103 1:24 `=` is no operator of L [equality is written `==`]"]),
        (
            "procedure p(x) { if (x := 1) { y := 2; } }",
            &["E0103 1:24 `:=` assigns, which a condition cannot [equality is written `==`]"],
        ),
        ("procedure p(x) { x := 1\n y := 2; }", &["E0101 1:23 missing `;` [end the statement with `;`]"]),
        ("procedure p(x) { x := 1 }", &["E0100 1:25 expected an operator or `;`, found `}` [end it with `;`]"]),
        (
            "procedure p(x) { x := y z; y := 2 3; }",
            &[
                "E0100 1:25 expected an operator or `;`, found `z` [end it with `;`]",
                "E0100 1:35 expected an operator or `;`, found `3` [end it with `;`]",
            ],
        ),
        (
            "procedure p(x) { if x == 1 { y := 2; } }",
            &["E0108 1:21 the condition of `if` stands in parentheses [write `if (x == 1) { … }`]"],
        ),
        (
            "procedure p(x) { if (x) y := 2; }",
            &["E0108 1:25 a body stands in braces, also when it is one statement [write `{ y := 2; }`]"],
        ),
        (
            "procedure p(x) { if (x) { } else y := 2; }",
            &["E0108 1:34 a body stands in braces, also when it is one statement [write `{ y := 2; }`]"],
        ),
        (
            "procedure p(x) { if (x) { } else while (x) { } }",
            &["E0100 1:34 expected `if` or `{`, found the keyword `while` [write `else { … }` or `else if (…) { … }`]"],
        ),
        ("procedure p(x) { if (x) { } elif (y) { } }", &["E0108 1:29 L has no `elif` [write `else if (…) { … }`]"]),
        (
            "procedure p(x) { else { } }",
            &[
                "E0100 1:18 expected a statement, found the keyword `else` [an `else` follows the `}` of an `if`; both branches need braces]",
            ],
        ),
        (
            "procedure p(x) { y := f(x, (1; z := 3; }",
            &["E0100 1:30 expected an operator or `)`, found `;` [close the `(` with `)`]"],
        ),
        (
            "procedure p(x) { y := x[1; f(x y); }",
            &[
                "E0100 1:26 expected an operator or `]`, found `;` [close the `[` with `]`]",
                "E0100 1:32 expected an operator, `)` or `,`, found `y` [put a `,` between the two, or close the `(` with `)`]",
            ],
        ),
        (
            "procedure p(x) { while (x) { y := 1; }\nprocedure q() { z := ; }",
            &[
                "E0109 1:16 this `{` is never closed [close it with `}`]",
                "E0100 2:22 expected an expression or `new`, found `;`",
            ],
        ),
        (
            "procedure p(x) { y := 1; } }",
            &["E0100 1:28 expected a class, global, procedure or pair, found `}` [this `}` closes nothing; remove it]"],
        ),
        (
            "procedure p(x) { var new := 3; ref := 4; x.assert := 5; }",
            &[
                "E0108 1:22 `new` is a reserved word of L [it cannot be a name; `new_` and `new'` can]",
                "E0108 1:32 `ref` is a reserved word of L [it cannot be a name; `ref_` and `ref'` can]",
                "E0108 1:44 `assert` is a reserved word of L [it cannot be a name; `assert_` and `assert'` can]",
            ],
        ),
        (
            "procedure p(new) { }",
            &[
                "E0100 1:13 expected a name or `)`, found the keyword `new` [`new` is a keyword, so it cannot be a name; `new'` and `new_` can]",
            ],
        ),
        (
            "procedure p(x) { f(x).g := 1; 3 := 4; }",
            &[
                "E0105 1:18 only a place can be assigned [a place is a name, followed by any number of `.field` and `[index]`]",
                "E0105 1:31 only a place can be assigned [a place is a name, followed by any number of `.field` and `[index]`]",
            ],
        ),
        (
            "procedure p(x) { 3; x.f; a b c; }",
            &[
                "E0107 1:18 this expression is no statement [a statement assigns with `:=`, calls a procedure, or starts with a word such as `if`]",
                "E0107 1:21 this expression is no statement [a statement assigns with `:=`, calls a procedure, or starts with a word such as `if`]",
                "E0100 1:28 expected an operator, `,`, `;` or `:=`, found `b` [end it with `;`]",
            ],
        ),
        (
            "procedure p(x) { a, b := 3; a, b.f := q(); a.f, b := q(); }",
            &[
                "E0106 1:26 this gives one value to several names [only a procedure with several results gives several values; write one assignment each]",
                "E0100 1:33 expected `,` or `:=`, found `.`",
                "E0105 1:44 several results go to plain names only [assign to locals first, and from these to the places]",
            ],
        ),
        (
            "procedure p(x y) { }",
            &["E0100 1:15 expected `)`, `,` or `:`, found `y` [put a `,` between the two, or close the `(` with `)`]"],
        ),
        (
            "procedure p(x)",
            &[
                "E0100 1:15 expected `returns`, `requires`, `ensures`, `modifies`, `{` or `;`, found the end of the file [a procedure has a body in braces, or ends in `;` when it is external]",
            ],
        ),
        (
            "procedure p(x) requires x == 3 { }",
            &["E0100 1:32 expected an operator or `;`, found `{` [end it with `;`]"],
        ),
        (
            "procedure p(x) modifies {f(x), 3}; requires; { }",
            &[
                "E0105 1:26 `modifies` names places only [a place is a name, followed by any number of `.field` and `[index]`]",
                "E0105 1:32 `modifies` names places only [a place is a name, followed by any number of `.field` and `[index]`]",
                "E0100 1:44 expected an expression, found `;`",
            ],
        ),
        (
            "procedure p(x) { y := p(new Foo(), 1); y := new int; y := new C(1); }",
            &[
                "E0100 1:25 expected an expression or `)`, found the keyword `new` [`new` stands only right after `:=`: assign the object to a local first, then use the local]",
                "E0104 1:45 this `new` makes nothing [write `new()`, `new C()` for a class `C`, or `new int[n]` for an array]",
                "E0100 1:65 expected `)`, found `1` [`new` takes no arguments; assign the fields afterwards]",
            ],
        ),
        (
            "procedure p(x) { x := 1 + * 2; x := ; x := a ? b; }",
            &[
                "E0100 1:27 expected an expression, found `*`",
                "E0100 1:37 expected an expression or `new`, found `;`",
                "E0100 1:49 expected an operator or `:`, found `;`",
            ],
        ),
        (
            "procedure p(x) { return 1, ; return x y; { } skip }",
            &[
                "E0100 1:28 expected an expression, found `;`",
                "E0100 1:39 expected an operator, `,` or `;`, found `y` [end it with `;`]",
                "E0100 1:42 expected a statement, found `{` [a block stands only after `if`, `else` and `while`: leave the braces out]",
                "E0100 1:51 expected `;`, found `}` [end it with `;`]",
            ],
        ),
        ("method p(x) { }", &["E0108 1:1 a procedure starts with `procedure` [write `procedure p(x)`]"]),
        (
            "class C { f: int g: int; h; 3; }",
            &[
                "E0100 1:18 expected `[` or `;`, found `g` [end it with `;`]",
                "E0100 1:27 expected `:`, found `;` [give its type, as in `x: int`]",
                "E0100 1:29 expected a name, found `3`",
            ],
        ),
        (
            "global g; equiv p ~ ; equiv p q;",
            &[
                "E0100 1:9 expected `:`, found `;` [give its type, as in `x: int`]",
                "E0100 1:21 expected a name, found `;`",
                "E0100 1:31 expected `~`, found `q`",
            ],
        ),
        (
            "version version x y",
            &[
                "E0100 1:19 expected a class, global, procedure or pair, found `y` [a program is made of `procedure p(x) { … }`, `class C { … }` and `global g: int;`]",
            ],
        ),
        (
            "procedure p() { assert forall x :: x; assert exists : int :: x; }",
            &[
                "E0100 1:33 expected `:`, found `::` [give its type, as in `x: int`]",
                "E0100 1:53 expected a name, found `:`",
            ],
        ),
    ];
    let wrong: Vec<String> = slips
        .iter()
        .filter(|(input, expected)| reports(input) != expected.join("\n"))
        .map(|(input, _)| format!("{input}\n{}", reports(input)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_is_not_closed_is_shown() {
    let parsed = parse(FileId(0), "procedure p(x) { if (x) { y := f((x; }");
    let others: Vec<_> = parsed.diagnostics.iter().map(|report| report.others.clone()).collect();
    let places: Vec<_> = parsed.diagnostics.iter().map(|report| report.span.start).collect();
    assert_eq!(places, [15, 35]);
    assert_eq!(others[0], [(Span::new(FileId(0), 38..38), "a `}` is missing before this".to_owned())]);
    assert_eq!(others[1], [(Span::new(FileId(0), 33..34), "this `(` is not closed".to_owned())]);
}

#[test]
fn depth_is_limited() {
    let n = 10_000;
    let inside = |body: &str| format!("procedure p(x) {{ {body} }}");
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    let inputs = [
        inside(&format!("x := {};", nested("(", "x", ")"))),
        inside(&format!("x := {};", nested("f(", "x", ")"))),
        inside(&format!("x := {};", nested("x[", "x", "]"))),
        inside(&format!("x := {};", nested("-", "x", ""))),
        inside(&format!("x := {};", nested("!", "x", ""))),
        inside(&format!("x := {};", nested("x ==> ", "x", ""))),
        inside(&format!("x := {};", nested("x ? x : ", "x", ""))),
        inside(&format!("x := {};", nested("x ? ", "x", ": x"))),
        inside(&format!("x := {};", nested("x + ", "x", ""))),
        inside(&format!("x := {};", nested("x", "", ".f"))),
        inside(&format!("x := {};", nested("(x + ", "x", ")"))),
        inside(&format!("x := x{};", "[1]".repeat(n))),
        inside(&format!("assert {};", nested("forall x: int :: ", "x", ""))),
        inside(&format!("var x: int{};", "[]".repeat(n))),
        inside(&nested("if (x) {", "", "}")),
        inside(&nested("while (x) {", "", "}")),
        inside(&format!("if (x) {{}} {}", "else if (x) {}".repeat(n))),
        inside(&nested("if (x) ", "x := 1;", "")),
        nested("{", "", "}"),
        nested("(", "", ""),
        nested("procedure p(x) {", "", ""),
        inside(&nested("if (x) { ) ", "", "")),
        inside(&nested("x := (x ", "", "")),
    ];
    for input in inputs {
        assert_ne!(reports(&input), "", "on {}", &input[..60]);
    }
}

#[test]
fn depth_below_the_limit_is_read() {
    let inside = |body: &str| format!("procedure p(x) {{ {body} }}");
    let nested = |n, open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    for input in [
        inside(&format!("x := {};", nested(190, "(", "x", ")"))),
        inside(&format!("x := {};", nested(190, "f(", "x", ")"))),
        inside(&format!("x := {};", nested(190, "x[", "x", "]"))),
        inside(&format!("x := {};", nested(190, "-", "x", ""))),
        inside(&format!("x := {};", nested(190, "x ==> ", "x", ""))),
        inside(&format!("x := {};", nested(190, "x ? x : ", "x", ""))),
        inside(&format!("x := {};", nested(490, "x + ", "x", ""))),
        inside(&format!("assert {};", nested(190, "forall x: int :: ", "x", ""))),
        inside(&nested(190, "if (x) {", "", "}")),
        inside(&nested(190, "while (x) {", "", "}")),
        inside(&format!("if (x) {{}} {}", "else if (x) {}".repeat(190))),
        inside(&format!("if (x) {{}} {}", "if (x) {} else {}".repeat(1000))),
        inside(&"x := -x;".repeat(1000)),
        inside(&format!("call f({} x);", "-x + x, ".repeat(1000))),
        "procedure p(x) { if (x) {".repeat(300).replace("procedure p(x) { if", "} } procedure p(x) { if")[4..]
            .to_owned()
            + "}}",
    ] {
        check(&input, "");
    }
}

#[test]
fn long_files_take_linear_time() {
    let statements = "  x.n.f := f + (x.g * 2); call p(x, y); if (x == null && !y) { z := new(); }\n".repeat(17_000);
    for (what, text) in [
        ("well-formed", format!("procedure p(x) {{\n{statements}}}\n")),
        ("without semicolons", format!("procedure p(x) {{\n{}}}\n", statements.replace(';', ""))),
        ("unclosed", statements.replace(')', "")),
        ("never closed", format!("procedure p(x) {{\n{}", "x := f(a b\n".repeat(50_000))),
        ("nothing but words", format!("procedure p(x) {{\n{}", "if ".repeat(50_000))),
        ("one line", format!("procedure p(x) {{{}", statements.replace(['\n', ';'], " "))),
    ] {
        let time = |text: &str| {
            let start = Instant::now();
            parse(FileId(0), text);
            start.elapsed()
        };
        let tenth = text.char_indices().nth(text.len() / 10).map_or(0, |(at, _)| at);
        let (small, taken) = (time(&text[..tenth]), time(&text));
        // A machine may be slow, but ten times the text must not take a hundred times as long.
        let linear = taken < Duration::from_secs(4) || taken < 40 * small;
        assert!(linear, "{what}: {small:?} for a tenth, {taken:?} for all");
    }
}

#[test]
fn errors_do_not_multiply_the_work() {
    let deep = "a || b && c == d < e + f * (".repeat(49);
    for text in [
        deep.clone(),
        format!("procedure p() {{ x := {deep} ;"),
        format!("procedure p() {{ {}", "if (a) { x := ".repeat(190)),
    ] {
        let start = Instant::now();
        parse(FileId(0), &text);
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
