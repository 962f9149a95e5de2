//! Mutations of statements.
//!
//! In: a program and one of its procedures. Out: the same with statements added, moved or regrouped.

use crate::effects::{Effects, Location, Summaries, independent};
use crate::tree::{
    Program, allocate, assign, binary, block, block_at, blocks, branch, declare, default_of, field, has_call, int, not,
    null, own_exprs, stmts, type_of, var, variables,
};
use lang_l::ast::{BinOp, Block, Expr, ExprKind, Procedure, Rhs, Stmt, StmtKind, TypeKind};
use lang_l::random::Random;

/// A statement by its block, in preorder, and its position in it.
pub(crate) type Site = (usize, usize);

/// All statements that pass a test, as sites; declarations never do.
pub(crate) fn sites(procedure: &Procedure, test: &dyn Fn(&Stmt) -> bool) -> Vec<Site> {
    let Some(body) = &procedure.body else { return Vec::new() };
    let within = |(at, block): (usize, &Block)| -> Vec<Site> {
        let passes = |stmt: &Stmt| !matches!(stmt.kind, StmtKind::Var { .. }) && test(stmt);
        (0..).zip(&block.stmts).filter(|(_, stmt)| passes(stmt)).map(|(position, _)| (at, position)).collect()
    };
    blocks(body).into_iter().enumerate().flat_map(within).collect()
}

/// The statements of the block of a site.
pub(crate) fn around(program: &mut Program, at: usize, site: Site) -> Option<&mut Vec<Stmt>> {
    block_at(program.procedures[at].body.as_mut()?, site.0).map(|block| &mut block.stmts)
}

/// Swaps two neighbours the order of which cannot be seen: see [`independent`].
pub(super) fn reorder(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let mut places = sites(&program.procedures[at], &|_| true);
    random.shuffle(&mut places);
    for place in places {
        let stmts = around(program, at, place)?;
        let Some([first, second]) = stmts.get(place.1..place.1 + 2) else { continue };
        if first != second && independent(&summaries.stmt(first), &summaries.stmt(second)) {
            stmts.swap(place.1, place.1 + 1);
            return Some(());
        }
    }
    None
}

fn allocates(stmt: &Stmt) -> Option<&str> {
    match &stmt.kind {
        StmtKind::Assign { place: Expr { kind: ExprKind::Name(text), .. }, rhs: Rhs::New { .. } } => Some(text),
        _ => None,
    }
}

/// Moves `t := new` past statements that do not touch `t`. It cannot err, ends, and reads nothing; a callee does not see a
/// local. Past a jump it is not moved.
pub(super) fn move_allocation(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let mut places = sites(&program.procedures[at], &|stmt| allocates(stmt).is_some());
    random.shuffle(&mut places);
    for place in places {
        let stmts = around(program, at, place)?;
        let target = allocates(&stmts[place.1])?.to_owned();
        let passable = |stmt: &Stmt| {
            let effects = summaries.stmt(stmt);
            !effects.jumps && effects.ignores(&target) && !matches!(stmt.kind, StmtKind::Var { .. })
        };
        let up = stmts[..place.1].iter().rev().take_while(|stmt| passable(stmt)).count();
        let down = stmts[place.1 + 1..].iter().take_while(|stmt| passable(stmt)).count();
        if up + down == 0 {
            continue;
        }
        let mut goal = place.1 - up + random.below(up + down);
        if goal >= place.1 {
            goal += 1;
        }
        let moved = stmts.remove(place.1);
        stmts.insert(goal, moved);
        return Some(());
    }
    None
}

/// Where a statement can be put: any site after the declarations, or the end of a block.
fn failed_goal(procedure: &Procedure, random: &mut Random) -> Option<Site> {
    let body = procedure.body.as_ref()?;
    let all = blocks(body);
    let at = random.below(all.len());
    let declared = all[at].stmts.iter().take_while(|stmt| matches!(stmt.kind, StmtKind::Var { .. })).count();
    Some((at, declared + random.below(all[at].stmts.len() + 1 - declared)))
}

/// The fields of the program that stand behind a variable somewhere in the procedure, with the value last written.
fn written_fields(procedure: &Procedure) -> Vec<(String, Expr)> {
    let mut found = Vec::new();
    for stmt in procedure.body.iter().flat_map(stmts) {
        if let StmtKind::Assign { place, rhs: Rhs::Expr(value) } = &stmt.kind
            && let ExprKind::Field(_, name) = &place.kind
            && matches!(value.kind, ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Null | ExprKind::Bool(_))
        {
            found.push((name.text.clone(), value.clone()));
        }
    }
    found
}

/// Allocates an object that nothing points to, perhaps with pointers from it, to itself or to live objects.
pub(super) fn garbage(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let node = program.node_type();
    let target = program.fresh("z");
    let place = failed_goal(&program.procedures[at], random)?;
    let mut added = vec![allocate(&target, &node)];
    if let Some((text, value)) = random.pick(&written_fields(&program.procedures[at])).cloned()
        && random.percent(60)
    {
        let points = type_of(&program.procedures[at], &target_of(&value)).is_some_and(|kind| kind == node);
        added.push(assign(field(var(&target), &text), if points && random.percent(50) { var(&target) } else { value }));
    }
    let position = place.1;
    around(program, at, place)?.splice(position..position, added);
    declare(&mut program.procedures[at], &target, node);
    Some(())
}

fn target_of(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Name(text) => text.clone(),
        _ => String::new(),
    }
}

/// Assigns what cannot err to a variable that nobody reads.
pub(super) fn dead_store(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let target = program.fresh("d");
    let known = variables(&program.procedures[at]);
    let (text, kind) = random.pick(&known)?.clone();
    let value = match kind {
        TypeKind::Int => binary(BinOp::Add, var(&text), int(1)),
        _ if random.percent(50) => var(&text),
        _ => default_of(&kind),
    };
    let place = failed_goal(&program.procedures[at], random)?;
    let position = place.1;
    around(program, at, place)?.insert(position, assign(var(&target), value));
    declare(&mut program.procedures[at], &target, kind);
    Some(())
}

/// Puts `x.f := c;` before `x.f := e;`, when `e` calls nothing and reads no `f`: if `x` is null both err, else the first is
/// overwritten before anyone looks. `e` may err, but then too the outcome is error either way.
pub(super) fn overwritten(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let fits = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign { place, rhs: Rhs::Expr(value) } => match &place.kind {
            ExprKind::Field(object, name) if matches!(object.kind, ExprKind::Name(_)) => {
                let read = summaries.expr(value);
                !has_call(value) && !read.reads.contains(&Location::Field(name.text.clone()))
            }
            ExprKind::Name(text) => {
                let read = summaries.expr(value);
                !has_call(value)
                    && !read.reads.contains(&Location::Variable(text.clone()))
                    && type_of(&program.procedures[at], text).is_some()
            }
            _ => false,
        },
        _ => false,
    };
    let place = *random.pick(&sites(&program.procedures[at], &fits))?;
    let procedure = program.procedures[at].clone();
    let stmts = around(program, at, place)?;
    let StmtKind::Assign { place: target, rhs: Rhs::Expr(value) } = stmts[place.1].kind.clone() else { return None };
    let first = match &target.kind {
        ExprKind::Name(text) => default_of(&type_of(&procedure, text)?),
        _ => same_sort(&procedure, &value)?,
    };
    stmts.insert(place.1, assign(target, first));
    Some(())
}

/// A constant of the type of an expression, as far as that is plain.
fn same_sort(procedure: &Procedure, value: &Expr) -> Option<Expr> {
    match &value.kind {
        ExprKind::Name(text) => type_of(procedure, text).map(|kind| default_of(&kind)),
        ExprKind::Null => Some(null()),
        ExprKind::Int(_) | ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => Some(int(7)),
        _ => None,
    }
}

/// `if (c) A else B` as `if (!c) B else A`.
pub(super) fn swap_branches(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let place = *random.pick(&sites(&program.procedures[at], &|stmt| matches!(stmt.kind, StmtKind::If { .. })))?;
    let stmt = &mut around(program, at, place)?[place.1];
    let StmtKind::If { cond, then, els } = &mut stmt.kind else { return None };
    *cond = negated(cond);
    let old = std::mem::replace(then, els.take().unwrap_or_default());
    *els = Some(old);
    Some(())
}

fn negated(cond: &Expr) -> Expr {
    match &cond.kind {
        ExprKind::Binary(BinOp::Eq, a, b) => binary(BinOp::Ne, (**a).clone(), (**b).clone()),
        ExprKind::Binary(BinOp::Ne, a, b) => binary(BinOp::Eq, (**a).clone(), (**b).clone()),
        _ => not(cond.clone()),
    }
}

/// `if (a && b) S` as `if (a) { if (b) S }`, and back: `&&` evaluates `b` only when `a` holds.
pub(super) fn nest(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let lone = |block: &Block| matches!(&block.stmts[..], [Stmt { kind: StmtKind::If { els: None, .. }, .. }]);
    let fits = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If { cond: Expr { kind: ExprKind::Binary(BinOp::And, ..), .. }, els: None, .. } => true,
        StmtKind::If { then, els: None, .. } => lone(then),
        _ => false,
    };
    let place = *random.pick(&sites(&program.procedures[at], &fits))?;
    let stmt = &mut around(program, at, place)?[place.1];
    let StmtKind::If { cond, then, .. } = &mut stmt.kind else { return None };
    if let ExprKind::Binary(BinOp::And, a, b) = &cond.kind {
        let inner = branch((**b).clone(), std::mem::take(&mut then.stmts), Vec::new());
        (*cond, then.stmts) = ((**a).clone(), vec![inner]);
    } else if let Some(StmtKind::If { cond: inner, then: body, .. }) = then.stmts.pop().map(|stmt| stmt.kind) {
        *cond = binary(BinOp::And, cond.clone(), inner);
        *then = body;
    }
    Some(())
}

/// `S` as `if (c) S else S`, where `c` cannot err.
pub(super) fn split(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let (text, kind) = random.pick(&variables(&program.procedures[at]))?.clone();
    let cond = match kind {
        TypeKind::Int => binary(BinOp::Gt, var(&text), int(0)),
        TypeKind::Bool => var(&text),
        _ => binary(BinOp::Eq, var(&text), null()),
    };
    let place = *random.pick(&sites(&program.procedures[at], &|_| true))?;
    let slot = &mut around(program, at, place)?[place.1];
    *slot = branch(cond, vec![slot.clone()], vec![slot.clone()]);
    Some(())
}

/// `if (c) A else B; R` as `if (c) { A; R } else { B; R }`.
pub(super) fn distribute(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let mut places = sites(&program.procedures[at], &|stmt| matches!(stmt.kind, StmtKind::If { .. }));
    random.shuffle(&mut places);
    for place in places {
        let stmts = around(program, at, place)?;
        if place.1 + 1 == stmts.len() {
            continue;
        }
        let rest = stmts.split_off(place.1 + 1);
        let StmtKind::If { then, els, .. } = &mut stmts[place.1].kind else { return None };
        then.stmts.extend(rest.iter().cloned());
        els.get_or_insert_default().stmts.extend(rest);
        return Some(());
    }
    None
}

/// `while (c) B` as `if (c) { B; while (c) B }`, when nothing in `B` speaks of the loop.
pub(super) fn unroll(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let fits = |stmt: &Stmt| match &stmt.kind {
        StmtKind::While { body, invariants, .. } => invariants.is_empty() && !leaves_loop(body),
        _ => false,
    };
    let place = *random.pick(&sites(&program.procedures[at], &fits))?;
    let slot = &mut around(program, at, place)?[place.1];
    let StmtKind::While { cond, body, .. } = slot.kind.clone() else { return None };
    let mut then = body.stmts;
    then.push(slot.clone());
    *slot = branch(cond, then, Vec::new());
    Some(())
}

/// Whether a block may `break` or `continue`; nested loops count too.
pub(super) fn leaves_loop(block: &Block) -> bool {
    stmts(block).any(|stmt| matches!(stmt.kind, StmtKind::Break | StmtKind::Continue))
}

/// What a statement list does, all together.
pub(super) fn effects_of(summaries: &Summaries, of: &[Stmt]) -> Effects {
    summaries.block(&block(of.to_vec()))
}

/// Whether a statement evaluates a call in one of its expressions; a call statement does not count.
pub(super) fn calls_inside(stmt: &Stmt) -> bool {
    own_exprs(stmt).into_iter().any(has_call)
}
