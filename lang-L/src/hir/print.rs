//! The typed tree as text, for `--dump hir` and for messages.
//!
//! In: a [`Unit`] or a piece of one. Out: text that looks like L, with every type written out and every local declared.
//!
//! Invariant: two different locals of a procedure never print alike: of several with one name, the later ones carry
//! their number, as in `x#7`.

use crate::hir::{Block, Expr, ExprKind, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Type, UnOp, Unit, Version};
use crate::stack::deep;
use std::collections::HashSet;
use std::fmt::Write as _;

/// The whole unit.
pub fn print(unit: &Unit) -> String {
    deep(|| print_here(unit))
}

fn print_here(unit: &Unit) -> String {
    let mut out = String::new();
    for class in &unit.classes {
        let fields: Vec<String> = (class.fields.iter().map(|id| &unit.fields[id.index()]))
            .map(|field| format!(" {}: {};", field.name, type_text(unit, &field.ty)))
            .collect();
        line(&mut out, 0, format_args!("class {} {{{} }}", class.name, fields.concat()));
    }
    if unit.classes.is_empty() {
        for field in &unit.fields {
            line(&mut out, 0, format_args!("// every object has {}: {}", field.name, type_text(unit, &field.ty)));
        }
    }
    for global in &unit.globals {
        line(&mut out, 0, format_args!("global {}: {};", global.name, type_text(unit, &global.ty)));
    }
    for version in &unit.versions {
        line(&mut out, 0, format_args!("version {:?}", version.label));
        for procedure in &version.procedures {
            out += &procedure_text(unit, version, procedure);
        }
    }
    for equiv in &unit.equivs {
        let [left, right] = [&unit.versions[0], &unit.versions[1]];
        let (left_name, right_name) = (&left.procedure(equiv.left).name, &right.procedure(equiv.right).name);
        let when = equiv
            .when
            .as_ref()
            .map_or(String::new(), |when| format!(" when {}", expr_text(unit, left, left.procedure(equiv.left), when)));
        line(&mut out, 0, format_args!("equiv {left_name} ~ {right_name}{when};"));
    }
    out
}

/// One procedure of one version.
pub fn procedure_text(unit: &Unit, version: &Version, procedure: &Procedure) -> String {
    let mut printer = Printer::new(unit, version, procedure);
    deep(|| printer.procedure());
    printer.out
}

/// One expression of one procedure.
pub fn expr_text(unit: &Unit, version: &Version, procedure: &Procedure, expr: &Expr) -> String {
    let mut printer = Printer::new(unit, version, procedure);
    deep(|| printer.expr(expr, 0));
    printer.out
}

/// A type as it is written in L.
pub fn type_text(unit: &Unit, ty: &Type) -> String {
    match ty {
        Type::Int => "int".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Ref => "ref".to_owned(),
        Type::Class(class) => unit.classes[class.index()].name.clone(),
        Type::Array(element) => type_text(unit, element) + "[]",
    }
}

fn line(out: &mut String, indent: usize, text: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:1$}{text}", "", 2 * indent);
}

struct Printer<'u> {
    unit: &'u Unit,
    version: &'u Version,
    procedure: &'u Procedure,
    names: Vec<String>,
    out: String,
}

impl<'u> Printer<'u> {
    fn new(unit: &'u Unit, version: &'u Version, procedure: &'u Procedure) -> Self {
        let mut seen = HashSet::new();
        let name = |(at, name): (usize, &'u String)| {
            if seen.insert(name) { name.clone() } else { format!("{name}#{at}") }
        };
        let names = procedure.locals.iter().map(|local| &local.name).enumerate().map(name).collect();
        Printer { unit, version, procedure, names, out: String::new() }
    }

    fn name(&self, id: LocalId) -> &str {
        &self.names[id.index()]
    }

    fn typed(&self, ids: impl Iterator<Item = LocalId>) -> String {
        let one = |id| format!("{}: {}", self.name(id), type_text(self.unit, &self.procedure.local(id).ty));
        ids.map(one).collect::<Vec<_>>().join(", ")
    }

    fn procedure(&mut self) {
        let procedure = self.procedure;
        let mut head = format!("procedure {}({})", procedure.name, self.typed(procedure.param_ids()));
        if procedure.results > 0 {
            head += &format!(" returns ({})", self.typed(procedure.result_ids()));
        }
        line(&mut self.out, 0, format_args!("{head}"));
        for (word, conditions) in [("requires", &procedure.requires), ("ensures", &procedure.ensures)] {
            for condition in conditions {
                let text = self.text(condition);
                line(&mut self.out, 1, format_args!("{word} {text};"));
            }
        }
        if let Some(modifies) = &procedure.modifies {
            let places = self.list(&modifies.places);
            line(&mut self.out, 1, format_args!("modifies {{{places}}};"));
        }
        let Some(body) = &procedure.body else {
            line(&mut self.out, 0, format_args!(";"));
            return;
        };
        line(&mut self.out, 0, format_args!("{{"));
        for at in procedure.params + procedure.results..procedure.locals.len() {
            let ty = type_text(self.unit, &procedure.locals[at].ty);
            line(&mut self.out, 1, format_args!("var {}: {ty};", self.names[at]));
        }
        self.stmts(body, 1);
        line(&mut self.out, 0, format_args!("}}"));
    }

    fn stmts(&mut self, block: &Block, indent: usize) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt, indent));
    }

    fn stmt(&mut self, stmt: &Stmt, indent: usize) {
        let text = match &stmt.kind {
            StmtKind::Assign(place, rhs) => format!("{} := {};", self.place(place), self.rhs(rhs)),
            StmtKind::Call { targets, callee, args } => {
                let places: Vec<String> = targets.iter().map(|target| self.place(target)).collect();
                let assign = if places.is_empty() { "" } else { " := " };
                let name = &self.version.procedure(*callee).name;
                format!("{}{assign}{name}({});", places.join(", "), self.list(args))
            }
            StmtKind::If(cond, then, els) => {
                let cond = self.text(cond);
                line(&mut self.out, indent, format_args!("if ({cond}) {{"));
                self.stmts(then, indent + 1);
                if !els.stmts.is_empty() {
                    line(&mut self.out, indent, format_args!("}} else {{"));
                    self.stmts(els, indent + 1);
                }
                "}".to_owned()
            }
            StmtKind::While { cond, invariants, body } => {
                let invariants: Vec<String> =
                    invariants.iter().map(|invariant| format!(" invariant {};", self.text(invariant))).collect();
                let cond = self.text(cond);
                line(&mut self.out, indent, format_args!("while ({cond}){} {{", invariants.concat()));
                self.stmts(body, indent + 1);
                "}".to_owned()
            }
            StmtKind::Return(values) if values.is_empty() => "return;".to_owned(),
            StmtKind::Return(values) => format!("return {};", self.list(values)),
            StmtKind::Break => "break;".to_owned(),
            StmtKind::Continue => "continue;".to_owned(),
            StmtKind::Assert(cond) => format!("assert {};", self.text(cond)),
            StmtKind::Assume(cond) => format!("assume {};", self.text(cond)),
        };
        line(&mut self.out, indent, format_args!("{text}"));
    }

    fn place(&mut self, place: &Place) -> String {
        match place {
            Place::Local(id) => self.name(*id).to_owned(),
            Place::Global(id) => self.unit.globals[id.index()].name.clone(),
            Place::Field(object, field) => {
                format!("{}.{}", self.operand(object), self.unit.fields[field.index()].name)
            }
            Place::Index(array, index) => format!("{}[{}]", self.operand(array), self.text(index)),
        }
    }

    fn rhs(&mut self, rhs: &Rhs) -> String {
        match rhs {
            Rhs::Expr(expr) => self.text(expr),
            Rhs::New(None) => "new()".to_owned(),
            Rhs::New(Some(class)) => format!("new {}()", self.unit.classes[class.index()].name),
            Rhs::NewArray(element, length) => format!("new {}[{}]", type_text(self.unit, element), self.text(length)),
        }
    }

    fn list(&mut self, exprs: &[Expr]) -> String {
        exprs.iter().map(|expr| self.text(expr)).collect::<Vec<_>>().join(", ")
    }

    /// An expression as a text of its own.
    fn text(&mut self, expr: &Expr) -> String {
        self.aside(|printer| printer.expr(expr, 0))
    }

    /// What stands before `.f` or `[i]`.
    fn operand(&mut self, expr: &Expr) -> String {
        self.aside(|printer| printer.expr(expr, 10))
    }

    fn aside(&mut self, print: impl FnOnce(&mut Self)) -> String {
        let before = std::mem::take(&mut self.out);
        print(self);
        std::mem::replace(&mut self.out, before)
    }

    /// Appends an expression, in parentheses when it binds weaker than `least`.
    fn expr(&mut self, expr: &Expr, least: u8) {
        let binds = strength(&expr.kind);
        if binds < least {
            self.out.push('(');
        }
        match &expr.kind {
            ExprKind::Int(number) => self.out += &number.to_string(),
            ExprKind::Bool(truth) => self.out += if *truth { "true" } else { "false" },
            ExprKind::Null => self.out += "null",
            ExprKind::Local(id) => self.out += &self.names[id.index()],
            ExprKind::Global(id) => self.out += &self.unit.globals[id.index()].name,
            ExprKind::Field(object, field) => {
                let name = &self.unit.fields[field.index()].name;
                self.sequence(&[("", object, 10)], &format!(".{name}"));
            }
            ExprKind::Length(array) => self.sequence(&[("", array, 10)], ".length"),
            ExprKind::Index(array, index) => self.sequence(&[("", array, 10), ("[", index, 0)], "]"),
            ExprKind::Unary(op, inner) => {
                let sign = if *op == UnOp::Neg { "-" } else { "!" };
                self.sequence(&[(sign, inner, binds)], "");
            }
            ExprKind::Binary(op, left, right) => {
                let right_leaning = u8::from(matches!(op, crate::hir::BinOp::Implies));
                let between = format!(" {} ", op.symbol());
                self.sequence(&[("", left, binds + right_leaning), (&between, right, binds + 1 - right_leaning)], "");
            }
            ExprKind::Cond(cond, then, els) => {
                self.sequence(&[("", cond, binds + 1), (" ? ", then, binds), (" : ", els, binds)], "");
            }
            ExprKind::Call(callee, args) => {
                let name = &self.version.procedure(*callee).name;
                let args = self.list(args);
                self.out += &format!("{name}({args})");
            }
            ExprKind::Old(inner) => self.sequence(&[("old(", inner, 0)], ")"),
            ExprKind::Fresh(inner) => self.sequence(&[("fresh(", inner, 0)], ")"),
            ExprKind::Reach(from, to) => self.sequence(&[("reach(", from, 0), (", ", to, 0)], ")"),
            ExprKind::Quant { forall, var, body } => {
                let ty = type_text(self.unit, &self.procedure.local(*var).ty);
                let word = if *forall { "forall" } else { "exists" };
                let head = format!("{word} {}: {ty} :: ", self.names[var.index()]);
                self.sequence(&[(&head, body, 0)], "");
            }
        }
        if binds < least {
            self.out.push(')');
        }
    }

    /// Appends expressions, each with the text before it and how strongly it has to bind, and what ends them.
    fn sequence(&mut self, parts: &[(&str, &Expr, u8)], end: &str) {
        for (before, expr, least) in parts {
            self.out += before;
            self.expr(expr, *least);
        }
        self.out += end;
    }
}

/// How strongly the outermost operator binds.
fn strength(kind: &ExprKind) -> u8 {
    use crate::hir::BinOp::{Add, And, Div, Eq, Ge, Gt, Implies, Le, Lt, Mul, Ne, Or, Rem, Sub};
    match kind {
        ExprKind::Quant { .. } => 0,
        ExprKind::Cond(..) => 1,
        ExprKind::Binary(Implies, ..) => 2,
        ExprKind::Binary(Or, ..) => 3,
        ExprKind::Binary(And, ..) => 4,
        ExprKind::Binary(Eq | Ne, ..) => 5,
        ExprKind::Binary(Lt | Le | Gt | Ge, ..) => 6,
        ExprKind::Binary(Add | Sub, ..) => 7,
        ExprKind::Binary(Mul | Div | Rem, ..) => 8,
        ExprKind::Unary(..) => 9,
        _ => 10,
    }
}
