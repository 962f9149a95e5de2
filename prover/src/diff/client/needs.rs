//! What a client needs of its library: a relation of the results in both versions under which a boundary does the same.
//!
//! In: a boundary with one call in it. Out: the relation, and whether the library is proved to keep it for all arguments.
//!
//! Equality is what a call alone would need. It is weakened to what the boundary asks of the result: that each of its tests
//! comes out the same.
//!
//! Invariant: what is said to be needed is proved to be enough, whatever the library does.

use crate::verify::boundaries::part::{Names, part};
use crate::verify::boundaries::prove::{Found, prove};
use crate::verify::boundaries::sites::{Site, sites};
use kernel::effects::direct_callees;
use kernel::outline::range::block;
use lang_l::hir::visit::{walk_exprs, walk_locals_mut, walk_stmts, walk_stmts_mut};
use lang_l::hir::{
    BinOp, Block, Expr, ExprKind, Local, LocalId, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, Unit,
    Version,
};
use lang_l::source::Span;
use smt::solve::Solver;
use std::collections::BTreeSet;

/// What a boundary needs of a call in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The relation, over the results `r` and `r'`.
    pub relation: String,
    /// Whether the library is proved to keep it, whatever the arguments are.
    pub kept: bool,
}

/// The names of the procedures that are made to find out.
const ENOUGH: &str = "needs#enough";
const KEPT: &str = "needs#kept";

/// A test of a result: with what it is compared, and on which side it stands.
#[derive(Clone, Debug, PartialEq)]
struct Test {
    op: BinOp,
    with: Expr,
    left: bool,
}

/// What a boundary, which is a procedure of the program by now, needs of the one call in it of this procedure.
pub(super) fn needs(unit: &Unit, boundary: &str, callee: &str, but: &Names, solver: &mut Solver) -> Option<Needs> {
    let own = &unit.versions[0];
    let procedure = own.procedure(own.find(boundary)?);
    let called = own.find(callee)?;
    let ty = result_of(unit, callee)?;
    let found = sites(procedure.body.as_ref()?, &|id| id == called);
    let [site] = found.as_slice() else { return None };
    let tests = tests(procedure.body.as_ref()?, site.span)?;
    let mut unit = unit.clone();
    for version in 0..2 {
        let own = &mut unit.versions[version];
        let body = own.procedure(own.find(boundary)?).clone();
        let called = own.find(callee)?;
        // Each version has the call at a place of its own, where each is written by itself.
        let found = sites(body.body.as_ref()?, &|id| id == called);
        let [site] = found.as_slice() else { return None };
        if !comes_once(own, &body, called, site) {
            return None;
        }
        let enough = enough(body, (version, site.span), &ty, &tests);
        let kept = kept(own.procedure(called), called, &tests);
        own.procedures.extend([enough, kept]);
    }
    let roots = Names::from([ENOUGH.to_string(), KEPT.to_string()]);
    let small = part(&unit, &roots);
    let found = prove(&small, but, [&roots, &Names::new()], solver);
    let holds = |name: &str| found.get(name).is_some_and(Found::is_equal);
    holds(ENOUGH).then(|| Needs { relation: relation(&tests), kept: holds(KEPT) })
}

/// Whether a run of a boundary comes to the call at most once, and calls the procedure nowhere else: one value stands for what the call gives.
fn comes_once(own: &Version, boundary: &Procedure, called: ProcId, site: &Site) -> bool {
    let Some(body) = &boundary.body else { return false };
    let here = |depth: usize| {
        let at = site.way.get(depth).map_or(site.at, |(at, _)| *at);
        block(body, &site.way[..depth]).stmts.get(at)
    };
    let in_loop = |depth: usize| here(depth).is_none_or(Stmt::is_while);
    let own_name = |id: &ProcId| own.procedure(*id).name == boundary.name;
    let beside = reached(own, direct_callees(boundary), called);
    let again = beside.iter().any(|&id| own_name(&id) || direct_callees(own.procedure(id)).contains(&called));
    let within = reached(own, direct_callees(own.procedure(called)), called);
    !again && !within.iter().any(own_name) && !(0..=site.way.len()).any(in_loop)
}

/// These procedures and all that they call, but for one of them.
fn reached(own: &Version, mut work: BTreeSet<ProcId>, but: ProcId) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    while let Some(next) = work.pop_first() {
        if next != but && found.insert(next) {
            work.extend(direct_callees(own.procedure(next)));
        }
    }
    found
}

/// The type of the one result of a procedure that does nothing but compute it, in both versions.
fn result_of(unit: &Unit, name: &str) -> Option<Type> {
    let roots = Names::from([name.to_string()]);
    let small = part(unit, &roots);
    let pure = |procedure: &Procedure| {
        let local = |stmt: &Stmt| stmt.targets().iter().all(|place| matches!(place, Place::Local(_)));
        procedure.body.as_ref().is_some_and(|body| !body.any(&|stmt| !local(stmt)))
    };
    if !small.versions.iter().flat_map(|version| &version.procedures).all(pure) {
        return None;
    }
    let procedure = small.versions[0].procedure(small.versions[0].find(name)?);
    let ty = procedure.locals.get(procedure.params)?.ty.clone();
    (procedure.results == 1 && !ty.is_reference()).then_some(ty)
}

/// The tests that a boundary makes of what a call in it gives.
fn tests(body: &Block, call: Span) -> Option<Vec<Test>> {
    let mut variable = None;
    walk_stmts(body, &mut |stmt| {
        if let Some(([Place::Local(id)], ..)) = stmt.as_call()
            && (stmt.span == call || stmt.exprs().iter().any(|expr| expr.span == call))
        {
            variable = Some(*id);
        }
    });
    let is_result = |expr: &Expr| {
        expr.span == call && matches!(expr.kind, ExprKind::Call(..))
            || variable.is_some_and(|id| expr.kind == ExprKind::Local(id))
    };
    let constant = |expr: &Expr| matches!(expr.kind, ExprKind::Int(_) | ExprKind::Bool(_));
    let mut found: Vec<Test> = Vec::new();
    walk_exprs(body, &mut |expr| {
        let ExprKind::Binary(op, a, b) = &expr.kind else { return };
        let compares = matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge);
        let test = match (is_result(a) && constant(b), is_result(b) && constant(a)) {
            (true, _) => Test { op: *op, with: (**b).clone(), left: true },
            (_, true) => Test { op: *op, with: (**a).clone(), left: false },
            _ => return,
        };
        let alike = |known: &Test| (known.op, &known.with.kind, known.left) == (test.op, &test.with.kind, test.left);
        if compares && !found.iter().any(alike) {
            found.push(test);
        }
    });
    (!found.is_empty()).then_some(found)
}

impl Test {
    /// The test of a value.
    fn of(&self, value: Expr) -> Expr {
        let span = value.span;
        let (a, b) = if self.left { (value, self.with.clone()) } else { (self.with.clone(), value) };
        Expr { kind: ExprKind::Binary(self.op, Box::new(a), Box::new(b)), ty: Type::Bool, span }
    }

    fn text(&self, value: &str) -> String {
        let with = match &self.with.kind {
            ExprKind::Int(number) => number.to_string(),
            ExprKind::Bool(truth) => truth.to_string(),
            _ => String::new(),
        };
        let op = self.op.symbol();
        if self.left { format!("{value} {op} {with}") } else { format!("{with} {op} {value}") }
    }
}

/// That all tests come out the same.
fn relation(tests: &[Test]) -> String {
    let same = |test: &Test| format!("({}) == ({})", test.text("r"), test.text("r'"));
    match tests {
        [one] => same(one),
        several => several.iter().map(|test| format!("({})", same(test))).collect::<Vec<_>>().join(" && "),
    }
}

/// The boundary with a parameter in the place of the call: that of version 0, or of version 1. It requires the relation.
fn enough(mut procedure: Procedure, (version, call): (usize, Span), ty: &Type, tests: &[Test]) -> Procedure {
    let first = u32::try_from(procedure.params).unwrap_or(u32::MAX);
    walk_locals_mut(&mut procedure, &mut |id| {
        if id.0 >= first {
            id.0 += 2;
        }
    });
    let local = |name: &str| Local { name: name.into(), ty: ty.clone(), span: call };
    procedure.locals.splice(procedure.params..procedure.params, [local("r"), local("r'")]);
    procedure.params += 2;
    let value = |which: u32| Expr { kind: ExprKind::Local(LocalId(first + which)), ty: ty.clone(), span: call };
    let given = value(u32::from(version == 1));
    if let Some(body) = &mut procedure.body {
        walk_stmts_mut(body, &mut |stmt| replace(stmt, call, &given));
    }
    let same = |test: &Test| {
        let [a, b] = [0, 1].map(|which| Box::new(test.of(value(which))));
        Expr { kind: ExprKind::Binary(BinOp::Eq, a, b), ty: Type::Bool, span: call }
    };
    procedure.requires = tests.iter().map(same).collect();
    procedure.name = ENOUGH.into();
    procedure
}

/// Puts a value in the place of a call.
fn replace(stmt: &mut Stmt, call: Span, given: &Expr) {
    if stmt.span == call
        && let StmtKind::Call { targets, .. } = &mut stmt.kind
        && let [target] = targets.as_slice()
    {
        stmt.kind = StmtKind::Assign(target.clone(), Rhs::Expr(given.clone()));
        return;
    }
    for expr in stmt.exprs_mut() {
        expr.walk_mut(&mut |part| {
            if part.span == call && matches!(part.kind, ExprKind::Call(..)) {
                *part = given.clone();
            }
        });
    }
}

/// What the tests say of what the library gives, for any arguments.
fn kept(called: &Procedure, id: ProcId, tests: &[Test]) -> Procedure {
    let span = called.name_span;
    let params = called.params;
    let numbered = |at: usize| LocalId(u32::try_from(at).unwrap_or(u32::MAX));
    let mut locals: Vec<Local> = called.locals[..params].to_vec();
    let truth = |at: usize| Local { name: format!("test{at}"), ty: Type::Bool, span };
    locals.extend((0..tests.len()).map(truth));
    let result = called.locals[params].clone();
    let holder = numbered(locals.len());
    let read = |id: LocalId, ty: &Type| Expr { kind: ExprKind::Local(id), ty: ty.clone(), span };
    let args = (0..params).map(|at| read(numbered(at), &called.locals[at].ty)).collect();
    let call = StmtKind::Call { targets: vec![Place::Local(holder)], callee: id, args };
    let mut stmts = vec![Stmt { kind: call, span }];
    for (at, test) in tests.iter().enumerate() {
        let value = Rhs::Expr(test.of(read(holder, &result.ty)));
        stmts.push(Stmt { kind: StmtKind::Assign(Place::Local(numbered(params + at)), value), span });
    }
    locals.push(result);
    Procedure {
        name: KEPT.into(),
        locals,
        params,
        results: tests.len(),
        requires: Vec::new(),
        ensures: Vec::new(),
        modifies: None,
        body: Some(Block { stmts, span }),
        origin: Origin::Source,
        name_span: span,
        span,
    }
}
