//! Building trees of L by hand, and walking them.
//!
//! In: names, numbers, trees. Out: [`ast`](lang_l::ast) nodes without places: what is generated is printed and parsed before
//! anything else looks at it.
//!
//! Invariant: walks go in preorder, so that a position found by one walk means the same in the next.

use lang_l::ast::{
    BinOp, Block, Call, Expr, ExprKind, File, Item, Name, Param, Procedure, Rhs, Spec, Stmt, StmtKind, Type, TypeKind,
    UnOp, Version,
};
use lang_l::source::Span;
use std::collections::BTreeSet;

/// One version of a generated program, and what it shares with the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Classes, globals and external procedures.
    pub shared: Vec<Item>,
    /// The procedures of this version.
    pub procedures: Vec<Procedure>,
}

impl Program {
    /// The procedure of this name, external ones included.
    pub fn find(&self, name: &str) -> Option<&Procedure> {
        let external = self.shared.iter().filter_map(|item| match item {
            Item::Procedure(procedure) => Some(procedure),
            _ => None,
        });
        self.procedures.iter().chain(external).find(|procedure| procedure.name.text == name)
    }

    /// The type of the program's objects: every generated procedure takes one first.
    pub fn node_type(&self) -> TypeKind {
        let first = self.procedures.first().and_then(|procedure| procedure.params.first()?.ty.as_ref());
        first.map_or(TypeKind::Ref, |ty| ty.kind.clone())
    }

    /// Whether a statement somewhere speaks of what only contracts can.
    pub fn looks_around(&self) -> bool {
        let bodies = self.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
        bodies.flat_map(stmts).any(|stmt| own_exprs(stmt).into_iter().any(looks_around))
    }

    /// Every name that stands anywhere in the program: none of them is free for something new.
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for item in &self.shared {
            match item {
                Item::Class(class) => names.extend(class.fields.iter().map(|(name, _)| name.text.clone())),
                Item::Global(global) => drop(names.insert(global.name.text.clone())),
                Item::Procedure(procedure) => drop(names.insert(procedure.name.text.clone())),
                Item::Equiv(_) => {}
            }
        }
        for procedure in &self.procedures {
            names.insert(procedure.name.text.clone());
            names.extend(variables(procedure).into_iter().map(|(name, _)| name));
        }
        names
    }

    /// A stem with which no name in the program begins.
    pub fn fresh_stem(&self, stem: &str) -> String {
        let names = self.names();
        let free = |text: &String| !names.iter().any(|name| name.starts_with(text.as_str()));
        (0u32..).map(|n| format!("{stem}{n}_")).find(free).unwrap_or_default()
    }

    /// A name made of `stem` that stands nowhere in the program.
    pub fn fresh(&self, stem: &str) -> String {
        let names = self.names();
        (0u32..).map(|n| format!("{stem}{n}")).find(|name| !names.contains(name)).unwrap_or_default()
    }
}

/// The file that holds both versions.
pub fn pair_file(left: &Program, right: &Program) -> File {
    let version = |program: &Program| Version {
        label: None,
        items: program.procedures.iter().cloned().map(Item::Procedure).collect(),
        span: Span::default(),
    };
    File { shared: left.shared.clone(), versions: vec![version(left), version(right)] }
}

/// A name.
pub fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

/// A type.
pub fn ty(kind: TypeKind) -> Type {
    Type { kind, span: Span::default() }
}

/// A parameter or result.
pub fn param(text: &str, kind: TypeKind) -> Param {
    Param { name: name(text), ty: Some(ty(kind)) }
}

/// An expression.
pub fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

/// A variable.
pub fn var(text: &str) -> Expr {
    expr(ExprKind::Name(text.to_owned()))
}

/// A number, which may be negative.
pub fn int(n: i64) -> Expr {
    let literal = expr(ExprKind::Int(n.unsigned_abs().into()));
    if n < 0 { expr(ExprKind::Unary(UnOp::Neg, Box::new(literal))) } else { literal }
}

/// `null`
pub fn null() -> Expr {
    expr(ExprKind::Null)
}

/// `object.field`
pub fn field(object: Expr, text: &str) -> Expr {
    expr(ExprKind::Field(Box::new(object), name(text)))
}

/// `old(…)`, `fresh(…)` or `reach(…)`
pub fn query(what: &str, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Call(Call { callee: name(what), args, span: Span::default() }))
}

/// `forall` or `exists variable: kind :: body`
pub fn quantifier(forall: bool, variable: &str, kind: TypeKind, body: Expr) -> Expr {
    expr(ExprKind::Quant { forall, var: name(variable), ty: ty(kind), body: Box::new(body) })
}

/// `left op right`
pub fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

/// `!e`
pub fn not(e: Expr) -> Expr {
    expr(ExprKind::Unary(UnOp::Not, Box::new(e)))
}

/// What variables of a type hold before anything is assigned.
pub fn default_of(kind: &TypeKind) -> Expr {
    match kind {
        TypeKind::Int => int(0),
        TypeKind::Bool => expr(ExprKind::Bool(false)),
        TypeKind::Ref | TypeKind::Class(_) | TypeKind::Array(_) => null(),
    }
}

/// A statement.
pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::default() }
}

/// `place := value;`
pub fn assign(place: Expr, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { place, rhs: Rhs::Expr(value) })
}

/// `variable := new;` of this type.
pub fn allocate(variable: &str, kind: &TypeKind) -> Stmt {
    let class = match kind {
        TypeKind::Class(class) => Some(name(class)),
        _ => None,
    };
    stmt(StmtKind::Assign { place: var(variable), rhs: Rhs::New { class, span: Span::default() } })
}

/// `if (cond) { then } else { els }`, without the `else` when there is nothing in it.
pub fn branch(cond: Expr, then: Vec<Stmt>, els: Vec<Stmt>) -> Stmt {
    let els = (!els.is_empty()).then(|| block(els));
    stmt(StmtKind::If { cond, then: block(then), els })
}

/// `{ … }`
pub fn block(stmts: Vec<Stmt>) -> Block {
    Block { stmts, span: Span::default() }
}

/// A call with as many targets as there are.
pub fn call(targets: &[String], callee: &str, args: Vec<Expr>) -> Stmt {
    let call = Call { callee: name(callee), args, span: Span::default() };
    match targets {
        [] => stmt(StmtKind::Call(call)),
        [one] => assign(var(one), expr(ExprKind::Call(call))),
        many => stmt(StmtKind::CallAssign { targets: many.iter().map(|target| name(target)).collect(), call }),
    }
}

/// The variables of a procedure with their types: parameters, results, and what `var` declares.
pub fn variables(procedure: &Procedure) -> Vec<(String, TypeKind)> {
    let typed = |param: &Param| Some((param.name.text.clone(), param.ty.as_ref()?.kind.clone()));
    let mut found: Vec<_> = procedure.params.iter().chain(&procedure.results).filter_map(typed).collect();
    for stmt in procedure.body.iter().flat_map(|body| &body.stmts) {
        if let StmtKind::Var { name, ty: Some(ty), .. } = &stmt.kind {
            found.push((name.text.clone(), ty.kind.clone()));
        }
    }
    found
}

/// The type of a variable.
pub fn type_of(procedure: &Procedure, variable: &str) -> Option<TypeKind> {
    variables(procedure).into_iter().find(|(name, _)| name == variable).map(|(_, kind)| kind)
}

/// Declares one more variable.
pub fn declare(procedure: &mut Procedure, variable: &str, kind: TypeKind) {
    if let Some(body) = &mut procedure.body {
        let declaration = StmtKind::Var { name: name(variable), ty: Some(ty(kind)), init: None };
        body.stmts.insert(0, stmt(declaration));
    }
}

/// The blocks directly inside a statement.
fn inner(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If { then, els, .. } => std::iter::once(then).chain(els).collect(),
        StmtKind::While { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

fn inner_mut(stmt: &mut Stmt) -> Vec<&mut Block> {
    match &mut stmt.kind {
        StmtKind::If { then, els, .. } => std::iter::once(then).chain(els).collect(),
        StmtKind::While { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// The block and all inside it.
pub fn blocks(block: &Block) -> Vec<&Block> {
    let mut found = vec![block];
    for stmt in &block.stmts {
        found.extend(inner(stmt).into_iter().flat_map(blocks));
    }
    found
}

/// The block at this position of [`blocks`].
pub fn block_at(block: &mut Block, at: usize) -> Option<&mut Block> {
    fn search<'b>(block: &'b mut Block, at: &mut usize) -> Option<&'b mut Block> {
        if *at == 0 {
            return Some(block);
        }
        *at -= 1;
        block.stmts.iter_mut().flat_map(inner_mut).find_map(|inner| search(inner, at))
    }
    search(block, &mut { at })
}

/// All statements of a block, those inside others included.
pub fn stmts(block: &Block) -> impl Iterator<Item = &Stmt> {
    blocks(block).into_iter().flat_map(|block| &block.stmts)
}

/// Calls `visit` on what these write through: the object or array of every field and cell that is assigned, and what calls
/// are handed.
pub fn each_place(of: &[Stmt], visit: &mut dyn FnMut(&Expr)) {
    for stmt in of {
        match &stmt.kind {
            StmtKind::Assign {
                place: Expr { kind: ExprKind::Field(object, _) | ExprKind::Index(object, _), .. },
                ..
            } => {
                visit(object);
            }
            StmtKind::Call(call) | StmtKind::CallAssign { call, .. } => call.args.iter().for_each(&mut *visit),
            _ => inner(stmt).into_iter().for_each(|block| each_place(&block.stmts, visit)),
        }
    }
}

/// Whether an expression speaks of what only contracts can: the past, paths, or all values of a type.
pub fn looks_around(e: &Expr) -> bool {
    any_expr(e, &|e| match &e.kind {
        ExprKind::Quant { .. } => true,
        ExprKind::Call(call) => QUERIES.contains(&call.callee.text.as_str()),
        _ => false,
    })
}

/// Names that are no procedures where a contract calls them; none of the generated procedures has such a name.
pub const QUERIES: [&str; 3] = ["old", "fresh", "reach"];

/// The expressions directly inside a statement: not those of the blocks inside it, nor parts of expressions.
pub fn own_exprs(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        StmtKind::Var { init: Some(Rhs::Expr(e)), .. } | StmtKind::Assert(e) | StmtKind::Assume(e) => vec![e],
        StmtKind::Var { init: Some(Rhs::NewArray { length, .. }), .. } => vec![length],
        StmtKind::Assign { place, rhs: Rhs::Expr(e) } => vec![place, e],
        StmtKind::Assign { place, rhs: Rhs::NewArray { length, .. } } => vec![place, length],
        StmtKind::Assign { place, rhs: Rhs::New { .. } } => vec![place],
        StmtKind::CallAssign { call, .. } | StmtKind::Call(call) => call.args.iter().collect(),
        StmtKind::If { cond, .. } => vec![cond],
        StmtKind::While { cond, invariants, .. } => std::iter::once(cond).chain(invariants).collect(),
        StmtKind::Return(values) => values.iter().collect(),
        StmtKind::Var { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Skip => Vec::new(),
    }
}

/// The same, to be changed.
pub fn own_exprs_mut(stmt: &mut Stmt) -> Vec<&mut Expr> {
    match &mut stmt.kind {
        StmtKind::Var { init: Some(Rhs::Expr(e)), .. } | StmtKind::Assert(e) | StmtKind::Assume(e) => vec![e],
        StmtKind::Var { init: Some(Rhs::NewArray { length, .. }), .. } => vec![length],
        StmtKind::Assign { place, rhs: Rhs::Expr(e) } => vec![place, e],
        StmtKind::Assign { place, rhs: Rhs::NewArray { length, .. } } => vec![place, length],
        StmtKind::Assign { place, rhs: Rhs::New { .. } } => vec![place],
        StmtKind::CallAssign { call, .. } | StmtKind::Call(call) => call.args.iter_mut().collect(),
        StmtKind::If { cond, .. } => vec![cond],
        StmtKind::While { cond, invariants, .. } => std::iter::once(cond).chain(invariants).collect(),
        StmtKind::Return(values) => values.iter_mut().collect(),
        StmtKind::Var { .. } | StmtKind::Break | StmtKind::Continue | StmtKind::Skip => Vec::new(),
    }
}

/// The expressions directly inside an expression.
pub fn parts(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Field(a, _) | ExprKind::Unary(_, a) | ExprKind::Quant { body: a, .. } => vec![a],
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => vec![a, b],
        ExprKind::Cond(a, b, c) => vec![a, b, c],
        ExprKind::Call(call) => call.args.iter().collect(),
        _ => Vec::new(),
    }
}

fn parts_mut(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut e.kind {
        ExprKind::Field(a, _) | ExprKind::Unary(_, a) | ExprKind::Quant { body: a, .. } => vec![a],
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => vec![a, b],
        ExprKind::Cond(a, b, c) => vec![a, b, c],
        ExprKind::Call(call) => call.args.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// Calls `visit` on an expression and all its parts.
pub fn each_expr(e: &mut Expr, visit: &mut dyn FnMut(&mut Expr)) {
    visit(e);
    for part in parts_mut(e) {
        each_expr(part, visit);
    }
}

/// Calls `visit` on every expression of a block, parts included.
pub fn each_expr_in(block: &mut Block, visit: &mut dyn FnMut(&mut Expr)) {
    for stmt in &mut block.stmts {
        for e in own_exprs_mut(stmt) {
            each_expr(e, visit);
        }
        for inner in inner_mut(stmt) {
            each_expr_in(inner, visit);
        }
    }
}

/// Whether `test` holds for an expression or one of its parts.
pub fn any_expr(e: &Expr, test: &dyn Fn(&Expr) -> bool) -> bool {
    test(e) || parts(e).into_iter().any(|part| any_expr(part, test))
}

/// Whether an expression calls a procedure.
pub fn has_call(e: &Expr) -> bool {
    any_expr(e, &|e| matches!(e.kind, ExprKind::Call(_)))
}

/// Gives the variables of statements other names.
pub fn rename_in(block: &mut Block, new: &dyn Fn(&str) -> Option<String>) {
    each_expr_in(block, &mut |e| rename_expr(e, new));
    rename_targets(block, new);
}

fn rename_expr(e: &mut Expr, new: &dyn Fn(&str) -> Option<String>) {
    if let ExprKind::Name(text) = &mut e.kind
        && let Some(other) = new(text)
    {
        *text = other;
    }
}

fn rename_targets(block: &mut Block, new: &dyn Fn(&str) -> Option<String>) {
    let rename = |name: &mut Name| {
        if let Some(other) = new(&name.text) {
            name.text = other;
        }
    };
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::Var { name, .. } => rename(name),
            StmtKind::CallAssign { targets, .. } => targets.iter_mut().for_each(rename),
            _ => inner_mut(stmt).into_iter().for_each(|inner| rename_targets(inner, new)),
        }
    }
}

/// Gives the variables of a procedure other names, in its head too.
pub fn rename_all(procedure: &mut Procedure, new: &dyn Fn(&str) -> Option<String>) {
    for param in procedure.params.iter_mut().chain(&mut procedure.results) {
        if let Some(other) = new(&param.name.text) {
            param.name.text = other;
        }
    }
    for spec in &mut procedure.specs {
        match spec {
            Spec::Requires(e, _) | Spec::Ensures(e, _) => each_expr(e, &mut |e| rename_expr(e, new)),
            Spec::Modifies(places, _) => {
                places.iter_mut().for_each(|place| each_expr(place, &mut |e| rename_expr(e, new)));
            }
        }
    }
    if let Some(body) = &mut procedure.body {
        rename_in(body, new);
    }
}
