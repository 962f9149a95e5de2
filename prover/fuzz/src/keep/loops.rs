//! Mutations of loops: the everyday refactorings.
//!
//! In: a program and one of its procedures. Out: the same with a loop that counts, tests, reads or keeps its total in another
//! way. Loops with invariants are left alone: an invariant speaks of the loop as it is.

use super::procedures::{helper_for, outline_of};
use super::statements::{Site, around, calls_inside, effects_of, leaves_loop, sites};
use crate::effects::{Location, Summaries, independent};
use crate::tree::{
    Program, allocate, any_expr, assign, binary, block, blocks, branch, declare, each_expr, each_expr_in, expr, field,
    has_call, int, not, null, own_exprs, own_exprs_mut, stmt, stmts, type_of, var, variables,
};
use lang_l::ast::{BinOp, Block, Expr, ExprKind, Item, Procedure, Rhs, Stmt, StmtKind, TypeKind};
use lang_l::random::Random;

/// A loop taken apart, at its place.
struct Loop {
    site: Site,
    cond: Expr,
    body: Block,
}

impl Loop {
    fn stmt(self) -> Stmt {
        turning(self.cond, self.body.stmts)
    }
}

fn turning(cond: Expr, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::While { cond, invariants: Vec::new(), body: block(body) })
}

/// A loop of the procedure without invariants that passes a test.
fn pick(program: &Program, at: usize, random: &mut Random, test: &dyn Fn(&Expr, &Block) -> bool) -> Option<Loop> {
    let procedure = &program.procedures[at];
    let fits = |stmt: &Stmt| match &stmt.kind {
        StmtKind::While { cond, invariants, body } => invariants.is_empty() && test(cond, body),
        _ => false,
    };
    let site = *random.pick(&sites(procedure, &fits))?;
    match blocks(procedure.body.as_ref()?)[site.0].stmts[site.1].kind.clone() {
        StmtKind::While { cond, body, .. } => Some(Loop { site, cond, body }),
        _ => None,
    }
}

/// Puts statements in place of the one at a site.
fn replace(program: &mut Program, at: usize, site: Site, by: Vec<Stmt>) -> Option<()> {
    around(program, at, site)?.splice(site.1..=site.1, by);
    Some(())
}

fn mentions(block: &Block, test: &dyn Fn(&Expr) -> bool) -> bool {
    stmts(block).any(|stmt| own_exprs(stmt).into_iter().any(|e| any_expr(e, test)))
}

fn is(e: &Expr, text: &str) -> bool {
    matches!(&e.kind, ExprKind::Name(name) if name == text)
}

fn calls(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Call(_) | StmtKind::CallAssign { .. }) || calls_inside(stmt)
}

/// The `k` of a last statement `k := k + 1`.
fn counter(body: &Block) -> Option<&str> {
    let StmtKind::Assign { place, rhs: Rhs::Expr(Expr { kind: ExprKind::Binary(BinOp::Add, k, one), .. }) } =
        &body.stmts.last()?.kind
    else {
        return None;
    };
    match &place.kind {
        ExprKind::Name(text) if is(k, text) && **one == int(1) => Some(text),
        _ => None,
    }
}

/// The `k` and `e` of `while (k < e) { …; k := k + 1; }`, where `e` is a number or a variable, and what is before the last
/// statement writes neither.
fn counted(summaries: &Summaries, cond: &Expr, body: &Block) -> Option<(String, Expr)> {
    let ExprKind::Binary(BinOp::Lt, k, end) = &cond.kind else { return None };
    let text = counter(body).filter(|text| is(k, text))?;
    let effects = effects_of(summaries, &body.stmts[..body.stmts.len() - 1]);
    let still = |text: &str| !effects.writes.contains(&Location::Variable(text.to_owned()));
    let steady = match &end.kind {
        ExprKind::Name(end) => end != text && still(end),
        ExprKind::Int(_) => true,
        _ => false,
    };
    (still(text) && steady).then(|| (text.to_owned(), (**end).clone()))
}

/// The `t` of `while (t != null) { …; t := t.f; }`, where what is before the last statement writes neither `t` nor any `f`.
fn walk(summaries: &Summaries, cond: &Expr, body: &Block) -> Option<String> {
    let ExprKind::Binary(BinOp::Ne, t, nothing) = &cond.kind else { return None };
    let (ExprKind::Name(text), ExprKind::Null) = (&t.kind, &nothing.kind) else { return None };
    let StmtKind::Assign { place, rhs: Rhs::Expr(Expr { kind: ExprKind::Field(from, name), .. }) } =
        &body.stmts.last()?.kind
    else {
        return None;
    };
    let effects = effects_of(summaries, &body.stmts[..body.stmts.len() - 1]);
    let touched = [Location::Variable(text.clone()), Location::Field(name.text.clone())];
    let steady = touched.iter().all(|location| !effects.writes.contains(location));
    (is(place, text) && is(from, text) && steady).then(|| text.clone())
}

/// Reads a field, or a global, once before the loop where it was read in each turn. If the first statement of a turn reads
/// it, so does the first turn; or the condition does, whenever the loop is reached. Then both err, or neither.
pub(super) fn hoist_read(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let found = pick(program, at, random, &|_, body| !body.stmts.is_empty())?;
    let whole = effects_of(&summaries, &[turning(found.cond.clone(), found.body.stmts.clone())]);
    let procedure = program.procedures[at].clone();
    let mut reads: Vec<(Expr, bool)> = Vec::new();
    for (e, first) in always(&found) {
        let mut steady = |e: &Expr| {
            let inside = summaries.expr(e);
            let place = match &e.kind {
                ExprKind::Field(object, _) => matches!(object.kind, ExprKind::Name(_)),
                ExprKind::Name(text) => type_of(&procedure, text).is_none(),
                _ => false,
            };
            if place && inside.reads.is_disjoint(&whole.writes) && kind_of(program, e).is_some() {
                reads.push((e.clone(), first));
            }
        };
        evaluated(e, &mut steady);
    }
    let (read, of_condition) = random.pick(&reads)?.clone();
    let kept = program.fresh("kept");
    let kind = kind_of(program, &read)?;
    let mut within = block(vec![turning(found.cond.clone(), found.body.stmts)]);
    each_expr_in(&mut within, &mut |e| {
        if *e == read {
            *e = var(&kept);
        }
    });
    let mut all = vec![assign(var(&kept), read)];
    all.extend(within.stmts);
    let all = if of_condition { all } else { vec![branch(found.cond, all, Vec::new())] };
    replace(program, at, found.site, all)?;
    declare(&mut program.procedures[at], &kept, kind);
    Some(())
}

/// What is evaluated whenever a loop is reached, and (`false`) whenever its first turn is taken.
fn always(found: &Loop) -> Vec<(&Expr, bool)> {
    let first = match found.body.stmts.first() {
        // What its invariants look at is not what the turn does.
        Some(Stmt { kind: StmtKind::While { cond, .. }, .. }) => vec![cond],
        first => first.map(own_exprs).unwrap_or_default(),
    };
    let first = first.into_iter().filter(|e| !has_call(e) && !has_call(&found.cond));
    std::iter::once((&found.cond, true)).chain(first.map(|e| (e, false))).collect()
}

/// Visits the parts of an expression that are evaluated whenever it is. What a statement writes to passes for one that it reads; who
/// asks for what the loop leaves alone is not misled.
fn evaluated(e: &Expr, visit: &mut dyn FnMut(&Expr)) {
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, first, _) | ExprKind::Cond(first, ..) => {
            evaluated(first, visit);
        }
        ExprKind::Binary(_, a, b) => {
            evaluated(a, visit);
            evaluated(b, visit);
        }
        ExprKind::Unary(_, a) => evaluated(a, visit),
        ExprKind::Field(a, _) => {
            visit(e);
            evaluated(a, visit);
        }
        ExprKind::Name(_) => visit(e),
        _ => {}
    }
}

/// The type of a field or a global.
fn kind_of(program: &Program, e: &Expr) -> Option<TypeKind> {
    match &e.kind {
        ExprKind::Field(_, name) if name.text == "v" || name.text == "length" => Some(TypeKind::Int),
        ExprKind::Field(_, name) if name.text == "b" => Some(TypeKind::Bool),
        ExprKind::Field(_, name) if name.text == "f" || name.text == "g" => Some(program.node_type()),
        ExprKind::Name(text) => program.shared.iter().find_map(|item| match item {
            Item::Global(global) if global.name.text == *text => Some(global.ty.kind.clone()),
            _ => None,
        }),
        _ => None,
    }
}

/// A local that counts in a loop is one more there: what reads it takes one away, what assigns it adds one.
pub(super) fn shift_counter(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let locals = locals(&program.procedures[at]);
    let fits = |_: &Expr, body: &Block| {
        counter(body).is_some_and(|text| locals.contains(&text.to_owned()) && only_assigned(body, text))
    };
    let Loop { site, mut cond, mut body } = pick(program, at, random, &fits)?;
    let text = counter(&body)?.to_owned();
    one_less(&mut cond, &text);
    shift(&mut body, &text);
    let up = assign(var(&text), binary(BinOp::Add, var(&text), int(1)));
    let down = assign(var(&text), binary(BinOp::Sub, var(&text), int(1)));
    replace(program, at, site, vec![up, turning(cond, body.stmts), down])
}

/// The variables that `var` declares: not seen from outside, however the procedure is left.
fn locals(procedure: &Procedure) -> Vec<String> {
    let inside = procedure.params.len() + procedure.results.len();
    variables(procedure).into_iter().skip(inside).map(|(text, _)| text).collect()
}

/// Whether no call assigns the variable.
fn only_assigned(body: &Block, text: &str) -> bool {
    stmts(body).all(|stmt| match &stmt.kind {
        StmtKind::CallAssign { targets, .. } => targets.iter().all(|target| target.text != text),
        StmtKind::While { invariants, .. } => invariants.is_empty(),
        _ => true,
    })
}

fn shift(body: &mut Block, text: &str) {
    for stmt in &mut body.stmts {
        match &mut stmt.kind {
            StmtKind::Assign { place, rhs: Rhs::Expr(value) } if is(place, text) => {
                let stays = matches!(&value.kind, ExprKind::Binary(BinOp::Add | BinOp::Sub, k, by)
                    if is(k, text) && matches!(by.kind, ExprKind::Int(_)));
                if !stays {
                    one_less(value, text);
                    *value = binary(BinOp::Add, value.clone(), int(1));
                }
            }
            StmtKind::If { cond, then, els } => {
                one_less(cond, text);
                shift(then, text);
                els.iter_mut().for_each(|els| shift(els, text));
            }
            StmtKind::While { cond, body, .. } => {
                one_less(cond, text);
                shift(body, text);
            }
            _ => own_exprs_mut(stmt).into_iter().for_each(|e| one_less(e, text)),
        }
    }
}

/// Takes one away where a variable is read; `k < e` becomes `k <= e`.
fn one_less(e: &mut Expr, text: &str) {
    if let ExprKind::Binary(op @ (BinOp::Lt | BinOp::Ge), k, end) = &mut e.kind
        && is(k, text)
    {
        *op = if *op == BinOp::Lt { BinOp::Le } else { BinOp::Gt };
        one_less(end, text);
        return;
    }
    let less = |e: &mut Expr| *e = binary(BinOp::Sub, e.clone(), int(1));
    match &mut e.kind {
        ExprKind::Name(name) if name == text => less(e),
        ExprKind::Field(a, _) | ExprKind::Unary(_, a) | ExprKind::Quant { body: a, .. } => one_less(a, text),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
            one_less(a, text);
            one_less(b, text);
        }
        ExprKind::Cond(a, b, c) => [a, b, c].into_iter().for_each(|part| one_less(part, text)),
        ExprKind::Call(call) => call.args.iter_mut().for_each(|arg| one_less(arg, text)),
        _ => {}
    }
}

/// `while (k < e) { …; k := k + 1; }` where `…` does not mention `k`, counted down by another variable.
pub(super) fn reverse_counter(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let fits = |cond: &Expr, body: &Block| {
        counted(&summaries, cond, body).is_some_and(|(text, _)| {
            let before = block(body.stmts[..body.stmts.len() - 1].to_vec());
            !mentions(&before, &|e| is(e, &text)) && !summaries.block(body).jumps
        })
    };
    let Loop { site, cond, mut body } = pick(program, at, random, &fits)?;
    let (text, end) = counted(&summaries, &cond, &body)?;
    let left = program.fresh("left");
    body.stmts.pop();
    body.stmts.push(assign(var(&left), binary(BinOp::Sub, var(&left), int(1))));
    let all = vec![
        assign(var(&left), binary(BinOp::Sub, end.clone(), var(&text))),
        turning(binary(BinOp::Gt, var(&left), int(0)), body.stmts),
        branch(cond, vec![assign(var(&text), end)], Vec::new()),
    ];
    replace(program, at, site, all)?;
    declare(&mut program.procedures[at], &left, TypeKind::Int);
    Some(())
}

/// A field that a loop writes through one variable is kept in a local, and written after the loop. Through other variables
/// the field is neither read nor written, and nothing is called. Where the variable may be null, the loop stays as it was.
pub(super) fn keep_in_local(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let total = |body: &Block| {
        stmts(body).find_map(|stmt| match &stmt.kind {
            StmtKind::Assign { place, .. } => match &place.kind {
                ExprKind::Field(object, name) if name.text == "v" => match &object.kind {
                    ExprKind::Name(text) => Some((text.clone(), place.clone())),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
    };
    let fits = |cond: &Expr, body: &Block| {
        let whole = block(vec![turning(cond.clone(), body.stmts.clone())]);
        let effects = summaries.block(&whole);
        total(body).is_some_and(|(object, place)| {
            let other = |e: &Expr| matches!(&e.kind, ExprKind::Field(_, name) if name.text == "v") && *e != place;
            !mentions(&whole, &other)
                && !stmts(&whole).any(calls)
                && !effects.jumps
                && !effects.writes.contains(&Location::Variable(object))
        })
    };
    let found = pick(program, at, random, &fits)?;
    let (object, place) = total(&found.body)?;
    let kept = program.fresh("total");
    let site = found.site;
    let old = found.stmt();
    let mut turned = block(vec![old.clone()]);
    each_expr_in(&mut turned, &mut |e| {
        if *e == place {
            *e = var(&kept);
        }
    });
    let mut all = vec![assign(var(&kept), place.clone())];
    all.extend(turned.stmts);
    all.push(assign(place, var(&kept)));
    let there = binary(BinOp::Ne, var(&object), null());
    let safe = surely(&program.procedures[at], site, &there, &object);
    let all = if safe { all } else { vec![branch(there, all, vec![old])] };
    replace(program, at, site, all)?;
    declare(&mut program.procedures[at], &kept, TypeKind::Int);
    Some(())
}

/// Whether a block stands under `if (cond)`, where the procedure never assigns the variable that is tested.
fn surely(procedure: &Procedure, site: Site, cond: &Expr, variable: &str) -> bool {
    let Some(body) = &procedure.body else { return false };
    let all = blocks(body);
    let inside = |then: &Block| blocks(then).into_iter().any(|inner| std::ptr::eq(inner, all[site.0]));
    let assigned = stmts(body).any(|stmt| match &stmt.kind {
        StmtKind::Assign { place, .. } => is(place, variable),
        StmtKind::CallAssign { targets, .. } => targets.iter().any(|target| target.text == variable),
        _ => false,
    });
    !assigned
        && stmts(body).any(|stmt| matches!(&stmt.kind, StmtKind::If { cond: c, then, .. } if c == cond && inside(then)))
}

/// A number that a loop assigns is kept in a new object while it runs. Nothing else refers to that.
pub(super) fn keep_in_field(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let declared = |item: &Item| match item {
        Item::Class(class) => class.fields.iter().any(|(name, _)| name.text == "v"),
        _ => true,
    };
    if !program.shared.iter().all(declared) {
        return None;
    }
    let kinds = variables(&program.procedures[at]);
    let number = |text: &str| kinds.iter().any(|(name, kind)| name == text && *kind == TypeKind::Int);
    let assigned = |body: &Block| -> Vec<String> {
        let target = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign { place: Expr { kind: ExprKind::Name(text), .. }, .. } => Some(text.clone()),
            _ => None,
        };
        stmts(body).filter_map(target).filter(|text| number(text) && only_assigned(body, text)).collect()
    };
    let fits = |_: &Expr, body: &Block| !summaries.block(body).jumps && !assigned(body).is_empty();
    let found = pick(program, at, random, &fits)?;
    let text = random.pick(&assigned(&found.body))?.clone();
    let kept = program.fresh("box");
    let node = program.node_type();
    let place = field(var(&kept), "v");
    let site = found.site;
    let mut turned = block(vec![found.stmt()]);
    each_expr_in(&mut turned, &mut |e| {
        if is(e, &text) {
            *e = place.clone();
        }
    });
    let mut all = vec![allocate(&kept, &node), assign(place.clone(), var(&text))];
    all.extend(turned.stmts);
    all.push(assign(var(&text), place));
    replace(program, at, site, all)?;
    declare(&mut program.procedures[at], &kept, node);
    Some(())
}

/// A loop as a procedure of its own.
pub(super) fn extract(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let found = pick(program, at, random, &|_, body| !leaves_loop(body) && !summaries.block(body).jumps)?;
    outline_of(program, at, found.site, 1)
}

/// `while (c) B` as `h := c; while (h) { B; h := c; }`, or as `while (true) { if (!c) { break; } B }`.
pub(super) fn rotate(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let Loop { site, cond, mut body } = pick(program, at, random, &|_, body| !leaves_loop(body))?;
    if random.percent(50) {
        body.stmts.insert(0, branch(not(cond), vec![stmt(StmtKind::Break)], Vec::new()));
        return replace(program, at, site, vec![turning(expr(ExprKind::Bool(true)), body.stmts)]);
    }
    let goes = program.fresh("goes");
    let look = assign(var(&goes), cond);
    body.stmts.push(look.clone());
    replace(program, at, site, vec![look, turning(var(&goes), body.stmts)])?;
    declare(&mut program.procedures[at], &goes, TypeKind::Bool);
    Some(())
}

/// `while (c) B` as `while (c) { B; if (c) B }`.
pub(super) fn two_turns(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let Loop { site, cond, body } = pick(program, at, random, &|_, body| !leaves_loop(body))?;
    let mut twice = body.stmts.clone();
    twice.push(branch(cond.clone(), body.stmts, Vec::new()));
    replace(program, at, site, vec![turning(cond, twice)])
}

/// `while (c) { A; B; step }` as `while (c) { A; step }`, and the same with `B`, from the same start. `A` and `B` can change
/// places, also with those of other turns: they touch nothing in common. A walk may go in a ring for ever; so there `B` does
/// not err, as it would after that.
pub(super) fn fission(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let cuts = |cond: &Expr, body: &Block| -> Vec<usize> {
        let ring = walk(&summaries, cond, body).is_some();
        if !ring && counted(&summaries, cond, body).is_none() {
            return Vec::new();
        }
        let last = body.stmts.len() - 1;
        let apart = |cut: &usize| {
            let second = effects_of(&summaries, &body.stmts[*cut..last]);
            independent(&effects_of(&summaries, &body.stmts[..*cut]), &second) && !(ring && second.errs)
        };
        (1..last).filter(apart).collect()
    };
    let Loop { site, cond, body } = pick(program, at, random, &|cond, body| !cuts(cond, body).is_empty())?;
    let text = walk(&summaries, &cond, &body).or_else(|| counted(&summaries, &cond, &body).map(|(text, _)| text))?;
    let kind = type_of(&program.procedures[at], &text)?;
    let cut = *random.pick(&cuts(&cond, &body))?;
    let (step, turn) = body.stmts.split_last()?;
    let one = |part: &[Stmt]| turning(cond.clone(), part.iter().chain([step]).cloned().collect());
    let start = program.fresh("start");
    let all =
        vec![assign(var(&start), var(&text)), one(&turn[..cut]), assign(var(&text), var(&start)), one(&turn[cut..])];
    replace(program, at, site, all)?;
    declare(&mut program.procedures[at], &start, kind);
    Some(())
}

/// The condition of a loop, or what it assigns to a variable in each turn, is the result of a helper.
pub(super) fn ask_helper(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let mut found = pick(program, at, random, &|_, _| true)?;
    let procedure = program.procedures[at].clone();
    let mut asked: Vec<(Expr, TypeKind)> = vec![(found.cond.clone(), TypeKind::Bool)];
    for stmt in &found.body.stmts {
        if let StmtKind::Assign { place: Expr { kind: ExprKind::Name(text), .. }, rhs: Rhs::Expr(value) } = &stmt.kind
            && let Some(kind) = type_of(&procedure, text)
        {
            asked.push((value.clone(), kind));
        }
    }
    asked.retain(|(e, _)| !has_call(e) && !matches!(e.kind, ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Null));
    let (value, kind) = random.pick(&asked)?.clone();
    let call = helper_for(program, at, &value, kind);
    let mut ask = |e: &mut Expr| {
        if *e == value {
            *e = call.clone();
        }
    };
    each_expr(&mut found.cond, &mut ask);
    for stmt in &mut found.body.stmts {
        if let StmtKind::Assign { rhs: Rhs::Expr(e), .. } = &mut stmt.kind {
            ask(e);
        }
    }
    let site = found.site;
    let turned = found.stmt();
    replace(program, at, site, vec![turned])
}
