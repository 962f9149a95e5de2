//! Programs made up at random.
//!
//! In: random numbers. Out: a [`Program`] that is legal L, small, and mostly does something on most stores.
//!
//! A fifth of the programs are *turning*: their first procedure is made by `turns`, round a loop. Two thirds of the others are *rich*:
//! their contracts and loops are made by `contracts` and `loops` too.
//!
//! Invariant: every variable is declared with its type at the top of its procedure; whether the text shows that is decided
//! when all mutations are done.

mod arrays;

mod contracts;

mod loops;

mod turns;

use super::tree::{
    Program, allocate, assign, binary, block, branch, call, declare, expr, field, int, name, not, null, param, query,
    stmt, ty, var,
};
use contracts::Moment;
use lang_l::ast::{
    BinOp, Class, Expr, ExprKind, Global, Item, Name, Param, Procedure, Spec, Stmt, StmtKind, Type, TypeKind,
};
use lang_l::random::Random;
use lang_l::source::Span;

/// A field of all objects of the program.
struct FieldOf {
    name: &'static str,
    ty: TypeKind,
}

/// What a procedure looks like from outside.
#[derive(Clone)]
struct Signature {
    name: String,
    params: Vec<(String, TypeKind)>,
    results: Vec<(String, TypeKind)>,
}

struct Generator<'r> {
    random: &'r mut Random,
    fields: Vec<FieldOf>,
    /// The type of most references.
    node: TypeKind,
    /// What arrays hold, if there are any.
    element: Option<TypeKind>,
    globals: Vec<(String, TypeKind)>,
    /// Those that may be called.
    callees: Vec<Signature>,
    /// Whether contracts say all that they can.
    rich: bool,
}

/// The variables of the procedure that is being made.
struct Scope {
    variables: Vec<(String, TypeKind)>,
    /// Those that must not be assigned now.
    fixed: Vec<String>,
    /// Those known not to be null here.
    safe: Vec<String>,
    /// Those that may hold something else than their default.
    written: Vec<String>,
    in_loop: bool,
    /// The results of the procedure.
    results: Vec<(String, TypeKind)>,
}

/// A program.
pub fn program(random: &mut Random) -> Program {
    let turning = random.percent(20);
    let classes = random.percent(30);
    let node = if classes { TypeKind::Class("Node".to_owned()) } else { TypeKind::Ref };
    let mut shared = Vec::new();
    let mut fields = Vec::new();
    let mut add = |name: &'static str, ty: &TypeKind| fields.push(FieldOf { name, ty: ty.clone() });
    add("f", &node);
    if random.percent(60) {
        add("g", &node);
    }
    if turning || random.percent(70) {
        add("v", &TypeKind::Int);
    }
    if random.percent(15) {
        add("b", &TypeKind::Bool);
    }
    if classes {
        let declared = |field: &FieldOf| (name(field.name), ty(field.ty.clone()));
        let fields = fields.iter().map(declared).collect();
        shared.push(Item::Class(Class { name: name("Node"), fields, span: Span::default() }));
    }
    let mut globals = Vec::new();
    if random.percent(20) {
        globals.push(("root".to_owned(), node.clone()));
    }
    if random.percent(15) {
        globals.push(("count".to_owned(), TypeKind::Int));
    }
    for (text, kind) in &globals {
        shared.push(Item::Global(Global { name: name(text), ty: ty(kind.clone()), span: Span::default() }));
    }
    let element = (classes && random.percent(60))
        .then(|| if random.percent(60) { TypeKind::Int } else { TypeKind::Class("Node".to_owned()) });
    let rich = !turning && random.percent(65);
    let mut generator = Generator { random, fields, node, element, globals, callees: Vec::new(), rich };
    if generator.random.percent(if rich { 40 } else { 25 }) {
        shared.push(Item::Procedure(generator.external()));
    }
    let mut procedures = Vec::new();
    for at in (0..=generator.random.below(3)).rev() {
        let text = ["Main", "Helper", "Third"][at];
        let made = if turning && at == 0 { generator.turning(text) } else { generator.procedure(text) };
        procedures.insert(0, made);
    }
    Program { shared, procedures }
}

/// A condition over the parameters of a procedure and the globals, for an `equiv`.
pub fn condition(procedure: &Procedure, shared: &[Item], random: &mut Random) -> Expr {
    let typed = |name: &Name, ty: &Type| (name.text.clone(), ty.kind.clone());
    let mut seen: Vec<_> = procedure.params.iter().filter_map(|p| Some(typed(&p.name, p.ty.as_ref()?))).collect();
    let mut fields = vec![FieldOf { name: "f", ty: seen.first().map_or(TypeKind::Ref, |(_, kind)| kind.clone()) }];
    for item in shared {
        match item {
            Item::Global(global) => seen.push(typed(&global.name, &global.ty)),
            Item::Class(class) if class.fields.iter().any(|(field, _)| field.text == "v") => {
                fields.push(FieldOf { name: "v", ty: TypeKind::Int });
            }
            _ => {}
        }
    }
    let node = fields[0].ty.clone();
    let mut generator =
        Generator { random, fields, node, element: None, globals: Vec::new(), callees: Vec::new(), rich: true };
    generator.precondition(&seen)
}

impl Generator<'_> {
    fn signature(&mut self, text: &str) -> Signature {
        let mut params = vec![("x".to_owned(), self.node.clone())];
        if self.random.percent(60) {
            params.push(("y".to_owned(), self.node.clone()));
        }
        if self.random.percent(45) {
            params.push(("n".to_owned(), TypeKind::Int));
        }
        self.array_params(&mut params);
        let mut results = Vec::new();
        if self.random.percent(if self.rich { 60 } else { 40 }) {
            let kind = if self.random.percent(60) { self.node.clone() } else { TypeKind::Int };
            results.push(("r".to_owned(), kind));
        }
        self.more_results(&mut results);
        Signature { name: text.to_owned(), params, results }
    }

    fn external(&mut self) -> Procedure {
        let signature = self.signature("ext");
        let mut specs = if self.rich { self.specs(&signature, None) } else { Vec::new() };
        if !self.rich && self.random.percent(40) {
            let places = if self.random.percent(70) { vec![var("x")] } else { Vec::new() };
            specs.push(Spec::Modifies(places, Span::default()));
        }
        self.callees.push(signature.clone());
        head(&signature, specs)
    }

    fn procedure(&mut self, text: &str) -> Procedure {
        let signature = self.signature(text);
        let variables: Vec<_> =
            signature.params.iter().chain(&signature.results).chain(&self.globals).cloned().collect();
        let written = signature.params.iter().chain(&self.globals).map(|(text, _)| text.clone()).collect();
        let results = signature.results.clone();
        let mut scope = Scope { variables, fixed: Vec::new(), safe: Vec::new(), written, in_loop: false, results };
        let locals = self.locals(&mut scope);
        let mut specs = Vec::new();
        if !self.rich && self.random.percent(12) {
            specs.push(Spec::Requires(binary(BinOp::Ne, var("x"), null()), Span::default()));
            scope.safe.push("x".to_owned());
        }
        let recursive = self.random.percent(30);
        let size = 2 + self.random.below(4);
        let mut stmts = if recursive {
            self.recursion(&signature, &mut scope, size)
        } else if self.random.percent(55) && !scope.safe.contains(&"x".to_owned()) {
            let mut inside = scope.enter();
            inside.safe.push("x".to_owned());
            let then = self.stmts(&mut inside, size, 2);
            let els = if self.random.percent(25) { self.stmts(&mut scope, 1, 1) } else { Vec::new() };
            vec![branch(binary(BinOp::Ne, var("x"), null()), then, els)]
        } else {
            self.stmts(&mut scope, size, 2)
        };
        if let Some((text, kind)) = signature.results.first().filter(|_| self.random.percent(20)) {
            let value = self.value(&scope, kind, 1);
            stmts.push(assign(var(text), value));
        }
        if self.rich {
            specs = self.specs(&signature, Some(&stmts));
        } else {
            self.plain_specs(&signature, &stmts, &mut specs);
        }
        self.callees.push(signature.clone());
        let mut procedure = head(&signature, specs);
        procedure.body = Some(block(stmts));
        for (text, kind) in locals.into_iter().rev() {
            declare(&mut procedure, &text, kind);
        }
        procedure
    }

    /// The locals of a procedure, which come into scope.
    fn locals(&mut self, scope: &mut Scope) -> Vec<(String, TypeKind)> {
        let mut locals = Vec::new();
        let mut all = vec![("t", self.node.clone()), ("u", self.node.clone()), ("k", TypeKind::Int)];
        if self.rich {
            all.push(("j", TypeKind::Int));
        }
        for (text, kind) in all {
            if self.random.percent(70) {
                scope.variables.push((text.to_owned(), kind.clone()));
                locals.push((text.to_owned(), kind));
            }
        }
        locals
    }

    fn plain_specs(&mut self, signature: &Signature, stmts: &[Stmt], specs: &mut Vec<Spec>) {
        if self.random.percent(10) {
            specs.push(self.ensures(signature));
        }
        if self.random.percent(15) {
            specs.push(Spec::Modifies(self.written_through(signature, stmts), Span::default()));
        }
    }

    fn ensures(&mut self, signature: &Signature) -> Spec {
        let e = match signature.results.first() {
            Some((r, TypeKind::Int)) => binary(BinOp::Ge, var(r), int(0)),
            Some((r, _)) => {
                binary(BinOp::Implies, binary(BinOp::Eq, var("x"), null()), binary(BinOp::Eq, var(r), null()))
            }
            None => binary(BinOp::Eq, var("x"), query("old", vec![var("x")])),
        };
        Spec::Ensures(e, Span::default())
    }

    /// The parameters through which something is written: what `modifies` would have to name, if nothing else were written.
    fn written_through(&mut self, signature: &Signature, stmts: &[Stmt]) -> Vec<Expr> {
        let body = block(stmts.to_vec());
        let mut places = Vec::new();
        let refers = |kind: &TypeKind| *kind == self.node || matches!(kind, TypeKind::Array(_));
        for (text, _) in signature.params.iter().filter(|(_, kind)| refers(kind)) {
            let through = |stmt: &Stmt| match &stmt.kind {
                StmtKind::Assign { place, .. } => {
                    matches!(&place.kind, ExprKind::Field(o, _) | ExprKind::Index(o, _) if **o == var(text))
                }
                StmtKind::Call(call) => call.args.contains(&var(text)),
                _ => false,
            };
            if super::tree::stmts(&body).any(through) {
                places.push(var(text));
            }
        }
        places
    }

    /// A walk along a field, or a count down.
    fn recursion(&mut self, own: &Signature, scope: &mut Scope, size: usize) -> Vec<Stmt> {
        let counted = own.params.iter().any(|(text, _)| text == "n") && self.random.percent(50);
        let mut inside = scope.enter();
        inside.fixed.extend(["x".to_owned(), "n".to_owned()]);
        let (cond, step) = if counted {
            (binary(BinOp::Gt, var("n"), int(0)), var("x"))
        } else {
            inside.safe.push("x".to_owned());
            (binary(BinOp::Ne, var("x"), null()), field(var("x"), "f"))
        };
        // Now and then nothing comes after the call, as in what could be a loop.
        let tail = self.random.percent(40);
        let before = if tail { size } else { self.random.below(size) };
        let mut then = self.stmts(&mut inside, before, 1);
        let args = own.params.iter().map(|(text, kind)| match text.as_str() {
            "x" => step.clone(),
            "n" if counted => binary(BinOp::Sub, var("n"), int(1)),
            _ if self.random.percent(60) => var(text),
            _ => self.value(&inside, kind, 1),
        });
        let args: Vec<Expr> = args.collect();
        let results = || own.results.iter().map(|(text, _)| text.clone()).collect();
        let targets = if tail { results() } else { self.targets(&inside, own) };
        then.push(call(&targets, &own.name, args));
        inside.assign(&targets);
        then.extend(self.stmts(&mut inside, size - before, 1));
        vec![branch(cond, then, Vec::new())]
    }

    fn stmts(&mut self, scope: &mut Scope, count: usize, depth: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..count {
            self.stmt(scope, depth, &mut stmts);
        }
        stmts
    }

    fn stmt(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<Stmt>) {
        if self.element.is_some() && self.random.percent(25) {
            return self.array_stmt(scope, depth, out);
        }
        if self.rich && self.random.percent(18) {
            return self.rich_stmt(scope, depth, out);
        }
        match self.random.below(100) {
            0..20 => self.allocation(scope, out),
            20..48 => self.field_write(scope, out),
            48..62 => self.assignment(scope, out),
            62..76 => self.some_call(scope, out),
            76..88 if depth > 0 => {
                let (cond, safe) = self.condition(scope);
                let mut inside = scope.enter();
                inside.safe.extend(safe);
                let count = 1 + self.random.below(2);
                let then = self.stmts(&mut inside, count, depth - 1);
                let els =
                    if self.random.percent(40) { self.stmts(&mut scope.enter(), 1, depth - 1) } else { Vec::new() };
                scope.assign(&assigned(&then));
                scope.assign(&assigned(&els));
                out.push(branch(cond, then, els));
            }
            88..94 if depth > 0 && !scope.in_loop => self.some_loop(scope, depth, out),
            94..95 => {
                let (cond, _) = self.condition(scope);
                out.push(stmt(StmtKind::Assert(cond)));
            }
            95..96 => {
                let (cond, _) = self.condition(scope);
                out.push(stmt(StmtKind::Assume(cond)));
            }
            96..98 if depth < 2 && self.random.percent(60) => out.push(stmt(StmtKind::Return(Vec::new()))),
            _ => self.field_write(scope, out),
        }
    }

    /// A loop that is left early, a write behind a field, a condition that only contracts can state.
    fn rich_stmt(&mut self, scope: &mut Scope, depth: usize, out: &mut Vec<Stmt>) {
        match self.random.below(10) {
            0..3 if depth > 0 => self.inner_loop(scope, depth, out),
            0..6 => self.deep_write(scope, out),
            6..8 => out.push(stmt(StmtKind::Assert(self.clause(&scope.variables, Moment::Later)))),
            _ => self.some_call(scope, out),
        }
    }

    fn allocation(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) {
        let node = self.node.clone();
        let Some(target) = self.assignable(scope, &node) else { return self.field_write(scope, out) };
        out.push(allocate(&target, &node));
        scope.assign(std::slice::from_ref(&target));
        scope.safe.push(target);
    }

    fn field_write(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) {
        let Some(object) = self.object(scope) else { return };
        let at = self.random.below(self.fields.len());
        let (text, kind) = (self.fields[at].name, self.fields[at].ty.clone());
        let value = self.value(scope, &kind, 2);
        out.push(assign(field(object, text), value));
    }

    fn assignment(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) {
        let kind = if self.random.percent(65) { self.node.clone() } else { TypeKind::Int };
        let Some(target) = self.assignable(scope, &kind) else { return self.field_write(scope, out) };
        let value = self.value(scope, &kind, 2);
        let safe = matches!(&value.kind, ExprKind::Name(text) if scope.safe.contains(text));
        out.push(assign(var(&target), value));
        scope.assign(std::slice::from_ref(&target));
        if safe {
            scope.safe.push(target);
        }
    }

    fn some_call(&mut self, scope: &mut Scope, out: &mut Vec<Stmt>) {
        let Some(callee) = self.random.pick(&self.callees).cloned() else { return self.field_write(scope, out) };
        let args: Vec<Expr> = callee.params.iter().map(|(_, kind)| self.argument(scope, kind)).collect();
        // Now and then the same call twice: what two calls allocate is not what one call allocates.
        for _ in 0..1 + usize::from(self.random.percent(20)) {
            let targets = self.targets(scope, &callee);
            out.push(call(&targets, &callee.name, args.clone()));
            scope.assign(&targets);
        }
        if self.rich && self.random.percent(15) {
            out.push(stmt(StmtKind::Assume(self.clause(&scope.variables, Moment::Later))));
        }
    }

    /// Different variables for the results, or none.
    fn targets(&mut self, scope: &Scope, callee: &Signature) -> Vec<String> {
        let mut targets: Vec<String> = Vec::new();
        for (_, kind) in &callee.results {
            let free =
                |(text, of): &&(String, TypeKind)| of == kind && !scope.fixed.contains(text) && !targets.contains(text);
            let able: Vec<String> = scope.variables.iter().filter(free).map(|(text, _)| text.clone()).collect();
            match self.random.pick(&able) {
                Some(target) => targets.push(target.clone()),
                None => return Vec::new(),
            }
        }
        if self.random.percent(85) { targets } else { Vec::new() }
    }

    fn argument(&mut self, scope: &Scope, kind: &TypeKind) -> Expr {
        if *kind == self.node
            && self.random.percent(75)
            && let Some(object) = self.object(scope)
        {
            return object;
        }
        self.value(scope, kind, 1)
    }

    /// A condition, and what is not null when it holds.
    fn condition(&mut self, scope: &Scope) -> (Expr, Vec<String>) {
        let node = self.node.clone();
        let Some(tested) = self.variable(scope, &node) else { return (expr(ExprKind::Bool(true)), Vec::new()) };
        match self.random.below(10) {
            0..4 => (binary(BinOp::Ne, var(&tested), null()), vec![tested]),
            4 => (binary(BinOp::Eq, var(&tested), null()), Vec::new()),
            5 | 6 => {
                let op = if self.random.percent(50) { BinOp::Eq } else { BinOp::Ne };
                (binary(op, var(&tested), self.value(scope, &node, 1)), Vec::new())
            }
            7 => (not(binary(BinOp::Eq, var(&tested), null())), vec![tested]),
            8 => {
                let more = self.comparison(scope);
                (binary(BinOp::And, binary(BinOp::Ne, var(&tested), null()), more), vec![tested])
            }
            _ => (self.comparison(scope), Vec::new()),
        }
    }

    fn comparison(&mut self, scope: &Scope) -> Expr {
        let op = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne][self.random.below(6)];
        let (left, right) = (self.value(scope, &TypeKind::Int, 1), self.value(scope, &TypeKind::Int, 1));
        binary(op, left, right)
    }

    fn variable(&mut self, scope: &Scope, kind: &TypeKind) -> Option<String> {
        let any = self.random.percent(8);
        let able = |(text, of): &&(String, TypeKind)| of == kind && (any || scope.written.contains(text));
        let able: Vec<String> = scope.variables.iter().filter(able).map(|(text, _)| text.clone()).collect();
        self.random.pick(&able).cloned()
    }

    fn assignable(&mut self, scope: &Scope, kind: &TypeKind) -> Option<String> {
        let able = |(text, of): &&(String, TypeKind)| of == kind && !scope.fixed.contains(text);
        let able: Vec<String> = scope.variables.iter().filter(able).map(|(text, _)| text.clone()).collect();
        self.random.pick(&able).cloned()
    }

    /// A variable to look into, mostly one that is not null.
    fn object(&mut self, scope: &Scope) -> Option<Expr> {
        let node = self.node.clone();
        if self.random.percent(93)
            && let Some(safe) = self.random.pick(&scope.safe)
        {
            return Some(var(safe));
        }
        self.variable(scope, &node).map(|text| var(&text))
    }

    fn value(&mut self, scope: &Scope, kind: &TypeKind, depth: usize) -> Expr {
        if depth > 0
            && self.element.as_ref() == Some(kind)
            && self.random.percent(25)
            && let Some(cell) = self.cell(scope)
        {
            return cell;
        }
        let through: Vec<&'static str> = self.fields.iter().filter(|f| f.ty == *kind).map(|f| f.name).collect();
        if depth > 0
            && self.random.percent(30)
            && let (Some(text), Some(object)) = (self.random.pick(&through).copied(), self.object(scope))
        {
            return field(object, text);
        }
        let known = self.variable(scope, kind);
        match (kind, known) {
            (TypeKind::Int, _) if depth > 0 && self.random.percent(35) => {
                let op = [BinOp::Add, BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem][self.random.below(6)];
                let left = self.value(scope, kind, depth - 1);
                let right = if op == BinOp::Mul || op > BinOp::Mul && op < BinOp::Add {
                    int(1 + self.random.below(3) as i64)
                } else {
                    self.value(scope, kind, depth - 1)
                };
                binary(op, left, right)
            }
            (_, Some(text)) if self.random.percent(75) => var(&text),
            (TypeKind::Int, _) => int(self.random.below(4) as i64 - 1),
            (TypeKind::Bool, _) => expr(ExprKind::Bool(self.random.percent(50))),
            (_, Some(text)) if self.random.percent(60) => var(&text),
            _ => null(),
        }
    }
}

impl Scope {
    /// The scope inside a block.
    fn enter(&self) -> Scope {
        Scope {
            variables: self.variables.clone(),
            fixed: self.fixed.clone(),
            safe: self.safe.clone(),
            written: self.written.clone(),
            in_loop: self.in_loop,
            results: self.results.clone(),
        }
    }

    /// Whether there is a variable of this name.
    fn has(&self, text: &str) -> bool {
        self.variables.iter().any(|(known, _)| known == text)
    }

    /// These are assigned something, which may be null.
    fn assign(&mut self, assigned: &[String]) {
        self.safe.retain(|text| !assigned.contains(text));
        self.written.extend_from_slice(assigned);
    }
}

/// The variables that are assigned somewhere in these.
fn assigned(stmts: &[Stmt]) -> Vec<String> {
    let mut found = Vec::new();
    for stmt in super::tree::stmts(&block(stmts.to_vec())) {
        match &stmt.kind {
            StmtKind::Assign { place, .. } => {
                if let ExprKind::Name(text) = &place.kind {
                    found.push(text.clone());
                }
            }
            StmtKind::CallAssign { targets, .. } => found.extend(targets.iter().map(|target| target.text.clone())),
            _ => {}
        }
    }
    found
}

fn head(signature: &Signature, specs: Vec<Spec>) -> Procedure {
    let list =
        |of: &[(String, TypeKind)]| -> Vec<Param> { of.iter().map(|(text, kind)| param(text, kind.clone())).collect() };
    Procedure {
        name: name(&signature.name),
        params: list(&signature.params),
        results: list(&signature.results),
        specs,
        body: None,
        span: Span::default(),
    }
}
