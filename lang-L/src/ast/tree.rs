//! The tree as written, drawn node by node, for `--dump ast`.
//!
//! In: a [`File`] and the texts it was parsed from. Out: a line for each node: what it is, its name or operator if it has
//! one, and the line and column where it starts. What is within a node stands below it, two spaces further in.
//!
//! Invariant: a node has one line, in the order of the text; a part that was not written has none.

use crate::ast::{
    Block, Call, Class, Equiv, Expr, ExprKind, File, Item, Label, Name, Param, Procedure, Rhs, Spec, Stmt, StmtKind,
    Type, TypeKind, UnOp, Version,
};
use crate::source::{Sources, Span};
use crate::stack::deep;
use std::fmt::Write as _;

/// The tree of a file, whose spans must refer to these texts.
///
/// # Examples
/// ```
/// use lang_l::{ast, parse, source::Sources};
///
/// let mut sources = Sources::new();
/// let id = sources.add("a.l", "procedure p() { x := 1 + y; }");
/// let parsed = parse::parse(id, &sources.get(id).text);
/// let tree = ast::tree::print(&parsed.file, &sources);
/// assert!(tree.ends_with("assign 1:17\n      name x 1:17\n      binary + 1:22\n        int 1 1:22\n        name y 1:26\n"));
/// ```
pub fn print(file: &File, sources: &Sources) -> String {
    let mut tree = Tree { sources, depth: 0, out: String::new() };
    deep(|| tree.file(file));
    tree.out
}

/// The lines so far.
struct Tree<'a> {
    sources: &'a Sources,
    /// How many nodes the next one is within.
    depth: usize,
    out: String,
}

impl Tree<'_> {
    fn node(&mut self, what: &str, span: Span, within: impl FnOnce(&mut Self)) {
        let (line, column) = (self.sources.line(span), self.sources.column(span));
        self.out.extend(std::iter::repeat_n("  ", self.depth));
        let _ = writeln!(self.out, "{what} {line}:{column}");
        self.depth += 1;
        within(self);
        self.depth -= 1;
    }

    fn leaf(&mut self, what: &str, span: Span) {
        self.node(what, span, |_| ());
    }

    fn file(&mut self, file: &File) {
        file.shared.iter().for_each(|item| self.item(item));
        file.versions.iter().for_each(|version| self.version(version));
    }

    fn version(&mut self, version: &Version) {
        let label = match &version.label {
            None => String::new(),
            Some(Label::Int(number, _)) => format!(" {number}"),
            Some(Label::Ident(name)) => format!(" {}", name.text),
            Some(Label::Text(text, _)) => format!(" {text:?}"),
        };
        self.node(&format!("version{label}"), version.span, |tree| {
            version.items.iter().for_each(|item| tree.item(item));
        });
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Class(class) => self.class(class),
            Item::Global(global) => {
                self.node(&format!("global {}", global.name.text), global.span, |tree| tree.ty(&global.ty));
            }
            Item::Procedure(procedure) => self.procedure(procedure),
            Item::Equiv(equiv) => self.equiv(equiv),
        }
    }

    fn class(&mut self, class: &Class) {
        self.node(&format!("class {}", class.name.text), class.span, |tree| {
            for (name, ty) in &class.fields {
                tree.node(&format!("field {}", name.text), name.span, |tree| tree.ty(ty));
            }
        });
    }

    fn procedure(&mut self, procedure: &Procedure) {
        self.node(&format!("procedure {}", procedure.name.text), procedure.span, |tree| {
            procedure.params.iter().for_each(|param| tree.param("parameter", param));
            procedure.results.iter().for_each(|result| tree.param("result", result));
            procedure.specs.iter().for_each(|spec| tree.spec(spec));
            procedure.body.iter().for_each(|body| tree.block("body", body));
        });
    }

    fn param(&mut self, kind: &str, param: &Param) {
        self.node(&format!("{kind} {}", param.name.text), param.name.span, |tree| {
            param.ty.iter().for_each(|ty| tree.ty(ty));
        });
    }

    fn spec(&mut self, spec: &Spec) {
        match spec {
            Spec::Requires(clause, span) => self.node("requires", *span, |tree| tree.expr(clause)),
            Spec::Ensures(clause, span) => self.node("ensures", *span, |tree| tree.expr(clause)),
            Spec::Modifies(places, span) => self.node("modifies", *span, |tree| tree.exprs(places)),
        }
    }

    fn equiv(&mut self, equiv: &Equiv) {
        let names = format!("equiv {} ~ {}", equiv.left.text, equiv.right.text);
        self.node(&names, equiv.span, |tree| equiv.when.iter().for_each(|when| tree.expr(when)));
    }

    fn ty(&mut self, ty: &Type) {
        let name = match &ty.kind {
            TypeKind::Int => "int",
            TypeKind::Bool => "bool",
            TypeKind::Ref => "ref",
            TypeKind::Class(name) => name,
            TypeKind::Array(element) => return self.node("array", ty.span, |tree| tree.ty(element)),
        };
        self.leaf(&format!("type {name}"), ty.span);
    }

    fn block(&mut self, kind: &str, block: &Block) {
        self.node(kind, block.span, |tree| block.stmts.iter().for_each(|stmt| tree.stmt(stmt)));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Var { name, ty, init } => self.node(&format!("var {}", name.text), span, |tree| {
                ty.iter().for_each(|ty| tree.ty(ty));
                init.iter().for_each(|init| tree.rhs(init));
            }),
            StmtKind::Assign { place, rhs } => self.node("assign", span, |tree| {
                tree.expr(place);
                tree.rhs(rhs);
            }),
            StmtKind::CallAssign { targets, call } => self.node("assign", span, |tree| {
                targets.iter().for_each(|target| tree.name(target));
                tree.call(call, call.span);
            }),
            // The statement is its call.
            StmtKind::Call(call) => self.call(call, span),
            StmtKind::If { cond, then, els } => self.node("if", span, |tree| {
                tree.expr(cond);
                tree.block("then", then);
                els.iter().for_each(|els| tree.block("else", els));
            }),
            StmtKind::While { cond, invariants, body } => self.node("while", span, |tree| {
                tree.expr(cond);
                for invariant in invariants {
                    tree.node("invariant", invariant.span, |tree| tree.expr(invariant));
                }
                tree.block("body", body);
            }),
            StmtKind::Return(values) => self.node("return", span, |tree| tree.exprs(values)),
            StmtKind::Break => self.leaf("break", span),
            StmtKind::Continue => self.leaf("continue", span),
            StmtKind::Assert(condition) => self.node("assert", span, |tree| tree.expr(condition)),
            StmtKind::Assume(condition) => self.node("assume", span, |tree| tree.expr(condition)),
            StmtKind::Skip => self.leaf("skip", span),
        }
    }

    fn rhs(&mut self, rhs: &Rhs) {
        match rhs {
            Rhs::Expr(expr) => self.expr(expr),
            Rhs::New { class: None, span } => self.leaf("new", *span),
            Rhs::New { class: Some(class), span } => self.leaf(&format!("new {}", class.text), *span),
            Rhs::NewArray { element, length, span } => self.node("new array", *span, |tree| {
                tree.ty(element);
                tree.expr(length);
            }),
        }
    }

    fn name(&mut self, name: &Name) {
        self.leaf(&format!("name {}", name.text), name.span);
    }

    fn call(&mut self, call: &Call, span: Span) {
        self.node(&format!("call {}", call.callee.text), span, |tree| tree.exprs(&call.args));
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Int(number) => self.leaf(&format!("int {number}"), span),
            ExprKind::Bool(value) => self.leaf(&format!("bool {value}"), span),
            ExprKind::Null => self.leaf("null", span),
            ExprKind::Name(name) => self.leaf(&format!("name {name}"), span),
            ExprKind::Field(of, name) => self.node(&format!("field {}", name.text), span, |tree| tree.expr(of)),
            ExprKind::Index(array, index) => self.node("index", span, |tree| {
                tree.expr(array);
                tree.expr(index);
            }),
            ExprKind::Call(call) => self.call(call, span),
            ExprKind::Unary(UnOp::Neg, operand) => self.node("unary -", span, |tree| tree.expr(operand)),
            ExprKind::Unary(UnOp::Not, operand) => self.node("unary !", span, |tree| tree.expr(operand)),
            ExprKind::Binary(op, left, right) => self.node(&format!("binary {}", op.symbol()), span, |tree| {
                tree.expr(left);
                tree.expr(right);
            }),
            ExprKind::Cond(cond, then, els) => self.node("conditional", span, |tree| {
                tree.expr(cond);
                tree.expr(then);
                tree.expr(els);
            }),
            ExprKind::Quant { forall, var, ty, body } => {
                let quantifier = if *forall { "forall" } else { "exists" };
                self.node(&format!("{quantifier} {}", var.text), span, |tree| {
                    tree.ty(ty);
                    tree.expr(body);
                });
            }
            ExprKind::Error => self.leaf("error", span),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut sources = Sources::new();
        let id = sources.add("a.l", text);
        let parsed = parse(id, text);
        assert_eq!(parsed.diagnostics, [], "on {text}");
        let tree = print(&parsed.file, &sources);
        assert_eq!(tree.lines().collect::<Vec<_>>(), expected, "on {text}");
    }

    /// The tree of a body, below its procedure.
    #[track_caller]
    fn check_body(text: &str, expected: &[&str]) {
        let above = ["procedure p 1:1", "  body 1:15"].map(String::from);
        let below = expected.iter().map(|line| format!("    {line}"));
        let whole: Vec<String> = above.into_iter().chain(below).collect();
        check(&format!("procedure p() {{\n{text}\n}}"), &whole.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn items() {
        check("", &[]);
        check("version", &["version 1:1"]);
        check("global g: int[];", &["global g 1:1", "  array 1:11", "    type int 1:11"]);
        check(
            "class C {\n  f: int;\n}\nversion old\nprocedure p(x: C) returns (y);",
            &[
                "class C 1:1",
                "  field f 2:3",
                "    type int 2:6",
                "version old 4:1",
                "  procedure p 5:1",
                "    parameter x 5:13",
                "      type C 5:16",
                "    result y 5:28",
            ],
        );
        check("equiv p ~ q when x > 0;", &["equiv p ~ q 1:1", "  binary > 1:18", "    name x 1:18", "    int 0 1:22"]);
        check(
            "procedure p(x)\n  requires x != null;\n  modifies {x};",
            &[
                "procedure p 1:1",
                "  parameter x 1:13",
                "  requires 2:3",
                "    binary != 2:12",
                "      name x 2:12",
                "      null 2:17",
                "  modifies 3:3",
                "    name x 3:13",
            ],
        );
    }

    #[test]
    fn statements() {
        check_body("var x: int := -1;", &["var x 2:1", "  type int 2:8", "  unary - 2:15", "    int 1 2:16"]);
        check_body("x := new C; skip;", &["assign 2:1", "  name x 2:1", "  new C 2:6", "skip 2:13"]);
        check_body(
            "x := new int[3];",
            &["assign 2:1", "  name x 2:1", "  new array 2:6", "    type int 2:10", "    int 3 2:14"],
        );
        check_body("a, b := q(c);", &["assign 2:1", "  name a 2:1", "  name b 2:4", "  call q 2:9", "    name c 2:11"]);
        check_body("call q();", &["call q 2:1"]);
        check_body(
            "if (b) { break; } else { return x; }",
            &[
                "if 2:1",
                "  name b 2:5",
                "  then 2:8",
                "    break 2:10",
                "  else 2:24",
                "    return 2:26",
                "      name x 2:33",
            ],
        );
        check_body(
            "while (b) invariant c; { continue; }",
            &["while 2:1", "  name b 2:8", "  invariant 2:21", "    name c 2:21", "  body 2:24", "    continue 2:26"],
        );
    }

    #[test]
    fn expressions() {
        check_body(
            "assert forall x: C :: x.f == a[i] ? true : !old(b);",
            &[
                "assert 2:1",
                "  forall x 2:8",
                "    type C 2:18",
                "    conditional 2:23",
                "      binary == 2:23",
                "        field f 2:23",
                "          name x 2:23",
                "        index 2:30",
                "          name a 2:30",
                "          name i 2:32",
                "      bool true 2:37",
                "      unary ! 2:44",
                "        call old 2:45",
                "          name b 2:49",
            ],
        );
    }
}
