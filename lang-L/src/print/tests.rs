//! Tests of the printer: the layout, and the law that printing and parsing are inverse, comments included.

use super::*;
use crate::parse::parse;
use crate::source::{FileId, Span};
use num_bigint::BigInt;
use proptest::prelude::*;

/// Parses without complaint and prints.
#[track_caller]
fn printed(input: &str) -> String {
    let parsed = parse(FileId(0), input);
    assert_eq!(parsed.diagnostics, [], "on {input}");
    print(&parsed.file, &parsed.comments)
}

#[track_caller]
fn check(input: &str, expected: &str) {
    let output = printed(input);
    assert_eq!(output, expected, "on {input}");
    assert_eq!(printed(&output), output, "printing again");
}

/// An expression, printed.
#[track_caller]
fn check_expr(input: &str, expected: &str) {
    check(&format!("procedure p() {{ x := {input}; }}"), &format!("procedure p() {{\n  x := {expected};\n}}\n"));
}

#[test]
fn expressions() {
    check_expr("((a + b)) * (c * d)", "(a + b) * (c * d)");
    check_expr("(a - b) - (c - d)", "a - b - (c - d)");
    check_expr("(a ==> b) ==> (c ==> d)", "(a ==> b) ==> c ==> d");
    check_expr("a ? b : (c ? d : e)", "a ? b : c ? d : e");
    check_expr("(a ? b : c) ? d : e", "(a ? b : c) ? d : e");
    check_expr("a < b == (c < d)", "a < b == c < d");
    check_expr("a < (b == c)", "a < (b == c)");
    check_expr("!(-a) && !(a && b)", "!-a && !(a && b)");
    check_expr("(-a).f[(i)]", "(-a).f[i]");
    check_expr("call f(old(x.f), (y))", "f(old(x.f), y)");
    check_expr("forall x: int[] :: x && exists y: C :: y", "forall x: int[] :: x && (exists y: C :: y)");
    check_expr("(forall x: int :: x) && y", "(forall x: int :: x) && y");
    check_expr("new", "new()");
    check_expr("new C", "new C()");
    check_expr("new int[][n + 1]", "new int[][n + 1]");
    check_expr("a.length + b.n.f[1][2]", "a.length + b.n.f[1][2]");
}

#[test]
fn layout() {
    check("", "");
    check("VERSION VERSION", "VERSION\n\nVERSION\n");
    check("version \"a\\\"b\" global g:int;global h:C[];", "VERSION \"a\\\"b\"\nglobal g: int;\nglobal h: C[];\n");
    check("class C{f:int;g:C;} class D{}", "class C {\n  f: int;\n  g: C;\n}\n\nclass D {}\n");
    check("procedure p(x,y:int)returns(z);procedure q();", "procedure p(x, y: int) returns (z);\nprocedure q();\n");
    check("procedure p(x)modifies x;{x.f:=1;}", "procedure p(x)\n  modifies {x};\n{\n  x.f := 1;\n}\n");
    check(
        "procedure p(x) modifies {}; ; equiv p~q when x>0;",
        "procedure p(x)\n  modifies {};\n\nequiv p ~ q when x > 0;\n",
    );
    check(
        "procedure p() { if (a) { skip; } else if (b) {} else { if (c) { return; } } }",
        "procedure p() {\n  if (a) {\n    skip;\n  } else if (b) {} else {\n    if (c) {\n      return;\n    }\n  }\n}\n",
    );
    check(
        "procedure p() { while (a) invariant b; invariant c; { break; } while (a) { continue; } }",
        "procedure p() {\n  while (a)\n    invariant b;\n    invariant c;\n  {\n    break;\n  }\n  while (a) {\n    continue;\n  }\n}\n",
    );
    check(
        "procedure p() { var x:int:=1; x,y:=call q(); return x,y; }",
        "procedure p() {\n  var x: int := 1;\n  x, y := q();\n  return x, y;\n}\n",
    );
}

#[test]
fn comments() {
    check("// a\n\n// b\nglobal g: int; // c\n// d", "// a\n// b\nglobal g: int; // c\n// d\n");
    check(
        "procedure p() { // a\n x := 1; // b\n // c\n y := f(1, // d\n 2); /* e */ // f\n} // g\nprocedure q();",
        "procedure p() { // a\n  x := 1; // b\n  // c\n  y := f(1, 2); // d\n  /* e */ // f\n} // g\n\nprocedure q();\n",
    );
    check("procedure p() { /* a */ }", "procedure p() { /* a */\n}\n");
    check("procedure p() {\n// a\n}", "procedure p() {\n  // a\n}\n");
    check("procedure p(/* a */ x) modifies x; // b\n{}", "procedure p(x) /* a */\n  modifies {x}; // b\n{}\n");
    check("procedure p() { if (a) { } // x\n else { } }", "procedure p() {\n  if (a) {} else { // x\n  }\n}\n");
    check("class C { // a\n f: int; /* b\n c */ }", "class C { // a\n  f: int; /* b\n c */\n}\n");
    check("version 0 // a\n// b\nglobal g: int;", "VERSION 0 // a\n// b\nglobal g: int;\n");
}

/// The tree as text without its spans.
pub(crate) fn shape(file: &File) -> String {
    let debug = format!("{file:?}");
    let mut parts = debug.split("Span {");
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |shape, part| shape + part.split_once('}').map_or(part, |(_, rest)| rest))
}

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

fn names() -> impl Strategy<Value = Name> {
    prop::sample::select(vec!["x", "y", "f", "p'", "old", "length", "_1"])
        .prop_map(|text| Name { text: text.to_owned(), span: NOWHERE })
}

fn types() -> impl Strategy<Value = Type> {
    let at = |kind| Type { kind, span: NOWHERE };
    let base = prop_oneof![
        Just(TypeKind::Int),
        Just(TypeKind::Bool),
        Just(TypeKind::Ref),
        names().prop_map(|name| TypeKind::Class(name.text)),
    ];
    (base, 0..3).prop_map(move |(base, dimensions)| {
        (0..dimensions).fold(at(base), |element, _| at(TypeKind::Array(Box::new(element))))
    })
}

fn bin_ops() -> impl Strategy<Value = BinOp> {
    use BinOp::{Add, And, Div, Eq, Ge, Gt, Implies, Le, Lt, Mul, Ne, Or, Rem, Sub};
    prop::sample::select(vec![Mul, Div, Rem, Add, Sub, Lt, Le, Gt, Ge, Eq, Ne, And, Or, Implies])
}

fn exprs() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        any::<u64>().prop_map(|number| ExprKind::Int(BigInt::from(number))),
        any::<bool>().prop_map(ExprKind::Bool),
        Just(ExprKind::Null),
        names().prop_map(|name| ExprKind::Name(name.text)),
    ];
    leaf.prop_map(|kind| Expr { kind, span: NOWHERE }).prop_recursive(6, 40, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            (boxed(), names()).prop_map(|(base, field)| ExprKind::Field(base, field)),
            (boxed(), boxed()).prop_map(|(base, index)| ExprKind::Index(base, index)),
            calls(inner.clone()).prop_map(ExprKind::Call),
            boxed().prop_map(|operand| ExprKind::Unary(UnOp::Neg, operand)),
            boxed().prop_map(|operand| ExprKind::Unary(UnOp::Not, operand)),
            (bin_ops(), boxed(), boxed()).prop_map(|(op, left, right)| ExprKind::Binary(op, left, right)),
            (bin_ops(), boxed(), boxed()).prop_map(|(op, left, right)| ExprKind::Binary(op, left, right)),
            (boxed(), boxed(), boxed()).prop_map(|(condition, then, els)| ExprKind::Cond(condition, then, els)),
            (any::<bool>(), names(), types(), boxed()).prop_map(|(forall, var, ty, body)| ExprKind::Quant {
                forall,
                var,
                ty,
                body
            }),
        ]
        .prop_map(|kind| Expr { kind, span: NOWHERE })
    })
}

fn calls(arg: impl Strategy<Value = Expr>) -> impl Strategy<Value = Call> {
    (names(), prop::collection::vec(arg, 0..3)).prop_map(|(callee, args)| Call { callee, args, span: NOWHERE })
}

fn places() -> impl Strategy<Value = Expr> {
    let steps = prop::collection::vec(prop_oneof![names().prop_map(Ok), exprs().prop_map(Err)], 0..3);
    (names(), steps).prop_map(|(name, steps)| {
        let at = |kind| Expr { kind, span: NOWHERE };
        steps.into_iter().fold(at(ExprKind::Name(name.text)), |base, step| match step {
            Ok(field) => at(ExprKind::Field(Box::new(base), field)),
            Err(index) => at(ExprKind::Index(Box::new(base), Box::new(index))),
        })
    })
}

fn right_sides() -> impl Strategy<Value = Rhs> {
    prop_oneof![
        exprs().prop_map(Rhs::Expr),
        prop::option::of(names()).prop_map(|class| Rhs::New { class, span: NOWHERE }),
        (types(), exprs()).prop_map(|(element, length)| Rhs::NewArray { element, length, span: NOWHERE }),
    ]
}

fn blocks() -> impl Strategy<Value = Block> {
    let leaf = prop_oneof![
        (names(), prop::option::of(types()), prop::option::of(right_sides()))
            .prop_map(|(name, ty, init)| StmtKind::Var { name, ty, init }),
        (places(), right_sides()).prop_map(|(place, rhs)| StmtKind::Assign { place, rhs }),
        (prop::collection::vec(names(), 2..4), calls(exprs()))
            .prop_map(|(targets, call)| StmtKind::CallAssign { targets, call }),
        calls(exprs()).prop_map(StmtKind::Call),
        prop::collection::vec(exprs(), 0..3).prop_map(StmtKind::Return),
        exprs().prop_map(StmtKind::Assert),
        exprs().prop_map(StmtKind::Assume),
        prop::sample::select(vec![StmtKind::Break, StmtKind::Continue, StmtKind::Skip]),
    ];
    let stmts = leaf.prop_map(|kind| Stmt { kind, span: NOWHERE }).prop_recursive(3, 12, 3, |inner| {
        let block = || prop::collection::vec(inner.clone(), 0..3).prop_map(|stmts| Block { stmts, span: NOWHERE });
        prop_oneof![
            (exprs(), block(), prop::option::of(block())).prop_map(|(cond, then, els)| StmtKind::If {
                cond,
                then,
                els
            }),
            (exprs(), prop::collection::vec(exprs(), 0..2), block())
                .prop_map(|(cond, invariants, body)| StmtKind::While { cond, invariants, body }),
        ]
        .prop_map(|kind| Stmt { kind, span: NOWHERE })
    });
    prop::collection::vec(stmts, 0..4).prop_map(|stmts| Block { stmts, span: NOWHERE })
}

fn items() -> impl Strategy<Value = Item> {
    let span = NOWHERE;
    let params = || {
        let param = (names(), prop::option::of(types())).prop_map(|(name, ty)| Param { name, ty });
        prop::collection::vec(param, 0..3)
    };
    let specs = prop_oneof![
        exprs().prop_map(move |expr| Spec::Requires(expr, span)),
        exprs().prop_map(move |expr| Spec::Ensures(expr, span)),
        prop::collection::vec(places(), 0..3).prop_map(move |places| Spec::Modifies(places, span)),
    ];
    let specs = prop::collection::vec(specs, 0..3);
    prop_oneof![
        (names(), prop::collection::vec((names(), types()), 0..3)).prop_map(move |(name, fields)| Item::Class(Class {
            name,
            fields,
            span
        })),
        (names(), types()).prop_map(move |(name, ty)| Item::Global(Global { name, ty, span })),
        (names(), names(), prop::option::of(exprs())).prop_map(move |(left, right, when)| Item::Equiv(Equiv {
            left,
            right,
            when,
            span
        })),
        (names(), params(), params(), specs, prop::option::of(blocks())).prop_map(
            move |(name, params, results, specs, body)| {
                Item::Procedure(Procedure { name, params, results, specs, body, span })
            }
        ),
    ]
}

/// Files of all shapes.
pub(crate) fn files() -> impl Strategy<Value = File> {
    let span = NOWHERE;
    let labels = prop_oneof![
        any::<u32>().prop_map(move |number| Label::Int(BigInt::from(number), span)),
        names().prop_map(Label::Ident),
        "[ -~\n\r\täß]{0,8}".prop_map(move |text| Label::Text(text, span)),
    ];
    let items = || prop::collection::vec(items(), 0..3);
    let versions =
        (prop::option::of(labels), items()).prop_map(move |(label, items)| crate::ast::Version { label, items, span });
    (items(), prop::collection::vec(versions, 0..3)).prop_map(|(shared, versions)| File { shared, versions })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Printing, then parsing, is the identity.
    #[test]
    fn parsing_undoes_printing(file in files()) {
        let text = print(&file, &[]);
        let parsed = parse(FileId(0), &text);
        prop_assert_eq!(&parsed.diagnostics, &[], "on {}", text);
        prop_assert_eq!(shape(&parsed.file), shape(&file), "on {}", text);
        prop_assert_eq!(print(&parsed.file, &[]), text);
    }

    /// Wherever comments stand, all are kept, in order, and the tree does not change; printing again changes nothing.
    #[test]
    fn comments_are_kept(file in files(), holes in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize), 0..6)) {
        let mut text = print(&file, &[]);
        for (hole, which) in holes {
            // White space outside quotes is where a comment may stand.
            let ends = crate::token::lex(FileId(0), &text).tokens.iter().map(|(_, span)| span.end).collect::<Vec<_>>();
            let at = if ends.is_empty() { 0 } else { ends[hole.index(ends.len())] as usize };
            text.insert_str(at, [" // a\n", " /* b */ ", "\n/* c\n d */\n", "\n// e\n"][which]);
        }
        let first = parse(FileId(0), &text);
        prop_assert_eq!(&first.diagnostics, &[], "on {}", text);
        let once = print(&first.file, &first.comments);
        let again = parse(FileId(0), &once);
        prop_assert_eq!(shape(&again.file), shape(&file), "on {}", text);
        let texts = |comments: &[Comment]| comments.iter().map(|comment| comment.text.clone()).collect::<Vec<_>>();
        prop_assert_eq!(texts(&again.comments), texts(&first.comments), "on {}", text);
        prop_assert_eq!(print(&again.file, &again.comments), once, "on {}", text);
    }
}
