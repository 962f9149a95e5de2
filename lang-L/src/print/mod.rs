//! The tree as written, back to text.
//!
//! In: an [`ast::File`](crate::ast::File) without errors and the comments that stood beside it. Out: its text in the one
//! canonical layout: two spaces of indentation, a statement or clause a line, no parentheses that change nothing.
//!
//! Invariant: parsing the text gives the same tree but for the spans, and printing that gives the same text.
//! Invariant: every comment is kept. One that follows code on its line stays at the end of the statement or clause it
//! stood in; any other gets lines of its own before the next one.

use crate::ast::{
    BinOp, Block, Call, Class, Equiv, Expr, ExprKind, File, Global, Item, Label, Name, Param, Procedure, Rhs, Spec,
    Stmt, StmtKind, Type, TypeKind, UnOp,
};
use crate::stack::deep;
use crate::token::Comment;

/// The canonical text of a file.
pub fn print(file: &File, comments: &[Comment]) -> String {
    deep(|| print_here(file, comments))
}

fn print_here(file: &File, comments: &[Comment]) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, comments, shut: true };
    printer.items(&file.shared);
    for version in &file.versions {
        printer.trailing_comments(version.span.start);
        if !printer.out.is_empty() {
            printer.out.push('\n');
        }
        printer.comments_until(version.span.start);
        let label = match &version.label {
            None => String::new(),
            Some(Label::Int(number, _)) => format!(" {number}"),
            Some(Label::Ident(name)) => format!(" {}", name.text),
            Some(Label::Text(text, _)) => format!(" \"{}\"", escaped(text)),
        };
        printer.line(&format!("VERSION{label}"));
        printer.items(&version.items);
    }
    printer.comments_until(u32::MAX);
    printer.out
}

/// The text so far, and the comments still to come.
struct Printer<'a> {
    out: String,
    indent: usize,
    comments: &'a [Comment],
    /// Whether nothing may be added to the last line: there is none, or a line comment ends it.
    shut: bool,
}

impl Printer<'_> {
    /// Ends a line; what stood on it before is in `text`.
    fn line(&mut self, text: &str) {
        self.open_line(text);
        self.end_line("");
    }

    fn open_line(&mut self, text: &str) {
        self.out.extend(std::iter::repeat_n("  ", self.indent));
        self.out.push_str(text);
    }

    fn end_line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
        self.shut = false;
    }

    /// Puts the comments that followed code on its line, and that stood before `position`, on the last line.
    fn trailing_comments(&mut self, position: u32) {
        while let Some((comment, rest)) = self.comments.split_first()
            && comment.span.start < position
            && comment.trailing
            && !self.shut
        {
            self.comments = rest;
            self.out.pop();
            self.out.push(' ');
            self.end_line(&comment.text);
            self.shut = comment.is_line();
        }
    }

    /// Puts out all comments that stood before `position`.
    fn comments_until(&mut self, position: u32) {
        self.trailing_comments(position);
        while let Some((comment, rest)) = self.comments.split_first()
            && comment.span.start < position
        {
            self.comments = rest;
            self.line(&comment.text);
            self.shut = comment.is_line();
            self.trailing_comments(position);
        }
    }

    fn items(&mut self, items: &[Item]) {
        for (at, item) in items.iter().enumerate() {
            let start = item_span(item).start;
            self.trailing_comments(start);
            if at > 0 && !(is_short(item) && is_short(&items[at - 1]) && same_kind(item, &items[at - 1])) {
                self.out.push('\n');
                self.shut = true;
            }
            self.comments_until(start);
            match item {
                Item::Class(class) => self.class(class),
                Item::Global(Global { name, ty, .. }) => {
                    self.line(&format!("global {}: {};", name.text, type_text(ty)))
                }
                Item::Procedure(procedure) => self.procedure(procedure),
                Item::Equiv(Equiv { left, right, when, .. }) => {
                    let when = when.as_ref().map_or(String::new(), |when| format!(" when {}", expr_text(when)));
                    self.line(&format!("equiv {} ~ {}{when};", left.text, right.text));
                }
            }
        }
    }

    fn class(&mut self, class: &Class) {
        self.open_line(&format!("class {} ", class.name.text));
        self.braces(class.fields.is_empty(), class.span.end, |printer| {
            for (name, ty) in &class.fields {
                printer.comments_until(name.span.start);
                printer.line(&format!("{}: {};", name.text, type_text(ty)));
            }
        });
        self.end_line("");
    }

    fn procedure(&mut self, procedure: &Procedure) {
        self.open_line(&format!("procedure {}({})", procedure.name.text, params_text(&procedure.params)));
        if !procedure.results.is_empty() {
            self.out.push_str(&format!(" returns ({})", params_text(&procedure.results)));
        }
        if procedure.specs.is_empty() {
            match &procedure.body {
                None => self.out.push(';'),
                Some(body) => {
                    self.out.push(' ');
                    self.block(body);
                }
            }
            self.end_line("");
            return;
        }
        self.end_line("");
        self.indent += 1;
        for spec in &procedure.specs {
            let (span, text) = match spec {
                Spec::Requires(expr, span) => (span, format!("requires {};", expr_text(expr))),
                Spec::Ensures(expr, span) => (span, format!("ensures {};", expr_text(expr))),
                Spec::Modifies(places, span) => (span, format!("modifies {{{}}};", list(places, expr_text))),
            };
            self.comments_until(span.start);
            self.line(&text);
        }
        self.indent -= 1;
        if let Some(body) = &procedure.body {
            self.comments_until(body.span.start);
            self.open_line("");
            self.block(body);
            self.end_line("");
        }
    }

    /// A block, from where the line stands; leaves the line open behind its `}`.
    fn block(&mut self, block: &Block) {
        self.braces(block.stmts.is_empty(), block.span.end, |printer| {
            for stmt in &block.stmts {
                printer.comments_until(stmt.span.start);
                printer.stmt(stmt);
            }
        });
    }

    /// Braces around what `inside` prints and the comments before `end`.
    fn braces(&mut self, empty: bool, end: u32, inside: impl FnOnce(&mut Self)) {
        if empty && self.comments.first().is_none_or(|comment| comment.span.start >= end) {
            self.out.push_str("{}");
            return;
        }
        self.end_line("{");
        self.indent += 1;
        inside(self);
        self.comments_until(end.saturating_sub(1));
        self.indent -= 1;
        self.open_line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let text = match &stmt.kind {
            StmtKind::If { .. } | StmtKind::While { .. } => {
                self.open_line("");
                self.compound(&stmt.kind);
                self.end_line("");
                return;
            }
            StmtKind::Var { name, ty, init } => {
                let ty = ty.as_ref().map_or(String::new(), |ty| format!(": {}", type_text(ty)));
                let init = init.as_ref().map_or(String::new(), |init| format!(" := {}", rhs_text(init)));
                format!("var {}{ty}{init};", name.text)
            }
            StmtKind::Assign { place, rhs } => format!("{} := {};", expr_text(place), rhs_text(rhs)),
            StmtKind::CallAssign { targets, call } => {
                format!("{} := {};", list(targets, |target: &Name| target.text.clone()), call_text(call))
            }
            StmtKind::Call(call) => format!("{};", call_text(call)),
            StmtKind::Return(values) if values.is_empty() => "return;".to_owned(),
            StmtKind::Return(values) => format!("return {};", list(values, expr_text)),
            StmtKind::Break => "break;".to_owned(),
            StmtKind::Continue => "continue;".to_owned(),
            StmtKind::Assert(expr) => format!("assert {};", expr_text(expr)),
            StmtKind::Assume(expr) => format!("assume {};", expr_text(expr)),
            StmtKind::Skip => "skip;".to_owned(),
        };
        self.line(&text);
    }

    /// An `if` or `while`, from where the line stands; leaves the line open behind its last `}`.
    fn compound(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::If { cond, then, els } => {
                self.out.push_str(&format!("if ({}) ", expr_text(cond)));
                self.block(then);
                let Some(els) = els else { return };
                self.out.push_str(" else ");
                match els.stmts.as_slice() {
                    [Stmt { kind: kind @ StmtKind::If { .. }, span }] if *span == els.span => self.compound(kind),
                    _ => self.block(els),
                }
            }
            StmtKind::While { cond, invariants, body } => {
                self.out.push_str(&format!("while ({})", expr_text(cond)));
                if invariants.is_empty() {
                    self.out.push(' ');
                } else {
                    self.end_line("");
                    self.indent += 1;
                    for invariant in invariants {
                        self.comments_until(invariant.span.start);
                        self.line(&format!("invariant {};", expr_text(invariant)));
                    }
                    self.indent -= 1;
                    self.comments_until(body.span.start);
                    self.open_line("");
                }
                self.block(body);
            }
            _ => {}
        }
    }
}

fn item_span(item: &Item) -> crate::source::Span {
    match item {
        Item::Class(class) => class.span,
        Item::Global(global) => global.span,
        Item::Procedure(procedure) => procedure.span,
        Item::Equiv(equiv) => equiv.span,
    }
}

/// Whether an item takes one line, so that it needs no empty line beside others of its kind.
fn is_short(item: &Item) -> bool {
    match item {
        Item::Class(_) => false,
        Item::Global(_) | Item::Equiv(_) => true,
        Item::Procedure(procedure) => procedure.body.is_none() && procedure.specs.is_empty(),
    }
}

fn same_kind(left: &Item, right: &Item) -> bool {
    std::mem::discriminant(left) == std::mem::discriminant(right)
}

/// The parts with commas between them.
fn list<T>(parts: &[T], text: impl Fn(&T) -> String) -> String {
    parts.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn params_text(params: &[Param]) -> String {
    list(params, |param| match &param.ty {
        None => param.name.text.clone(),
        Some(ty) => format!("{}: {}", param.name.text, type_text(ty)),
    })
}

/// A type as written.
pub fn type_text(ty: &Type) -> String {
    match &ty.kind {
        TypeKind::Int => "int".to_owned(),
        TypeKind::Bool => "bool".to_owned(),
        TypeKind::Ref => "ref".to_owned(),
        TypeKind::Class(name) => name.clone(),
        TypeKind::Array(element) => format!("{}[]", type_text(element)),
    }
}

fn rhs_text(rhs: &Rhs) -> String {
    match rhs {
        Rhs::Expr(expr) => expr_text(expr),
        Rhs::New { class: None, .. } => "new()".to_owned(),
        Rhs::New { class: Some(class), .. } => format!("new {}()", class.text),
        Rhs::NewArray { element, length, .. } => format!("new {}[{}]", type_text(element), expr_text(length)),
    }
}

fn call_text(call: &Call) -> String {
    let mut out = String::new();
    push_call(&mut out, call);
    out
}

/// An expression with the parentheses it needs and no others.
pub fn expr_text(expr: &Expr) -> String {
    let mut out = String::new();
    push_expr(&mut out, expr, OPEN);
    out
}

/// How tightly `?:` and quantifiers bind: not at all.
const OPEN: u8 = 0;
/// How tightly `-` and `!` bind.
const UNARY: u8 = 8;
/// How tightly `.f` and `[i]` bind.
const POSTFIX: u8 = 9;

/// How tightly an operator binds.
fn binding(op: BinOp) -> u8 {
    match op {
        BinOp::Mul | BinOp::Div | BinOp::Rem => 7,
        BinOp::Add | BinOp::Sub => 6,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 5,
        BinOp::Eq | BinOp::Ne => 4,
        BinOp::And => 3,
        BinOp::Or => 2,
        BinOp::Implies => 1,
    }
}

/// How tightly the outermost form of an expression binds.
fn strength(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Cond(..) | ExprKind::Quant { .. } => OPEN,
        ExprKind::Binary(op, ..) => binding(*op),
        ExprKind::Unary(..) => UNARY,
        _ => POSTFIX,
    }
}

/// Appends `expr`, in parentheses if it binds less tightly than `least`.
fn push_expr(out: &mut String, expr: &Expr, least: u8) {
    let own = strength(&expr.kind);
    if own < least {
        out.push('(');
        push_expr(out, expr, OPEN);
        out.push(')');
        return;
    }
    match &expr.kind {
        ExprKind::Int(number) => out.push_str(&number.to_string()),
        ExprKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        ExprKind::Null => out.push_str("null"),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Field(base, field) => {
            push_expr(out, base, POSTFIX);
            out.push('.');
            out.push_str(&field.text);
        }
        ExprKind::Index(base, index) => {
            push_expr(out, base, POSTFIX);
            out.push('[');
            push_expr(out, index, OPEN);
            out.push(']');
        }
        ExprKind::Call(call) => push_call(out, call),
        ExprKind::Unary(op, operand) => {
            out.push(match op {
                UnOp::Neg => '-',
                UnOp::Not => '!',
            });
            push_expr(out, operand, UNARY);
        }
        ExprKind::Binary(op, left, right) => {
            let (on_left, on_right) = if *op == BinOp::Implies { (own + 1, own) } else { (own, own + 1) };
            push_expr(out, left, on_left);
            out.push(' ');
            out.push_str(op.symbol());
            out.push(' ');
            push_expr(out, right, on_right);
        }
        ExprKind::Cond(condition, then, els) => {
            push_expr(out, condition, OPEN + 1);
            out.push_str(" ? ");
            push_expr(out, then, OPEN);
            out.push_str(" : ");
            push_expr(out, els, OPEN);
        }
        ExprKind::Quant { forall, var, ty, body } => {
            let word = if *forall { "forall" } else { "exists" };
            out.push_str(&format!("{word} {}: {} :: ", var.text, type_text(ty)));
            push_expr(out, body, OPEN);
        }
        // Only in trees with errors, which have no text; this at least does not read as something else.
        ExprKind::Error => out.push('?'),
    }
}

fn push_call(out: &mut String, call: &Call) {
    out.push_str(&call.callee.text);
    out.push('(');
    for (at, arg) in call.args.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        push_expr(out, arg, OPEN);
    }
    out.push(')');
}

/// A text as it stands between quotes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
