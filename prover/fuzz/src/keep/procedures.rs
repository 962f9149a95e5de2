//! Mutations of whole procedures, and across them.
//!
//! In: a program and one of its procedures. Out: the same with names, calls or loops written in another way.

use super::statements::{Site, around, leaves_loop, sites};
use crate::effects::{Location, Summaries};
use crate::tree::{
    Program, assign, block, branch, call, declare, default_of, each_expr_in, expr, name, param, rename_all, rename_in,
    stmt, stmts, var, variables,
};
use lang_l::ast::{Block, Call, Expr, ExprKind, Param, Procedure, Rhs, Stmt, StmtKind, TypeKind};
use lang_l::random::Random;
use lang_l::source::Span;
use std::collections::BTreeMap;

/// Gives some variables of the procedure other names.
pub(super) fn rename(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let mut new = BTreeMap::new();
    for (text, _) in variables(&program.procedures[at]) {
        if random.percent(60) {
            new.insert(text.clone(), program.fresh(&format!("{text}_")));
        }
    }
    if new.is_empty() {
        return None;
    }
    rename_all(&mut program.procedures[at], &|text| new.get(text).cloned());
    Some(())
}

/// Gives a procedure that others call another name, everywhere in this version.
pub(super) fn rename_procedure(program: &mut Program, at: usize, _: &mut Random) -> Option<()> {
    if at == 0 {
        return None;
    }
    let old = program.procedures[at].name.text.clone();
    let new = program.fresh(&old);
    call_it(program, &old, &new);
    Some(())
}

/// Gives the procedure of one name another, wherever it stands.
pub(crate) fn call_it(program: &mut Program, old: &str, new: &str) {
    for procedure in &mut program.procedures {
        if procedure.name.text == old {
            procedure.name.text = new.to_owned();
        }
        let Some(body) = &mut procedure.body else { continue };
        each_expr_in(body, &mut |e| {
            if let ExprKind::Call(call) = &mut e.kind
                && call.callee.text == old
            {
                call.callee.text = new.to_owned();
            }
        });
        rename_calls(&mut body.stmts, old, new);
    }
}

fn rename_calls(stmts: &mut [Stmt], old: &str, new: &str) {
    for stmt in stmts {
        match &mut stmt.kind {
            StmtKind::Call(call) | StmtKind::CallAssign { call, .. } if call.callee.text == old => {
                call.callee.text = new.to_owned();
            }
            StmtKind::If { then, els, .. } => {
                rename_calls(&mut then.stmts, old, new);
                els.iter_mut().for_each(|els| rename_calls(&mut els.stmts, old, new));
            }
            StmtKind::While { body, .. } => rename_calls(&mut body.stmts, old, new),
            _ => {}
        }
    }
}

/// A call that is a statement of its own: targets, callee, arguments.
fn as_call(stmt: &Stmt) -> Option<(Vec<String>, String, Vec<Expr>)> {
    match &stmt.kind {
        StmtKind::Call(call) => Some((Vec::new(), call.callee.text.clone(), call.args.clone())),
        StmtKind::CallAssign { targets, call } => {
            let targets = targets.iter().map(|target| target.text.clone()).collect();
            Some((targets, call.callee.text.clone(), call.args.clone()))
        }
        StmtKind::Assign {
            place: Expr { kind: ExprKind::Name(target), .. },
            rhs: Rhs::Expr(Expr { kind: ExprKind::Call(call), .. }),
        } => Some((vec![target.clone()], call.callee.text.clone(), call.args.clone())),
        _ => None,
    }
}

/// Puts the body of a callee, with new names, in place of a call of it: parameters take the arguments, everything else its
/// default, and at the end the targets take the results. Only of callees that do not call themselves and do not `return`.
pub(super) fn inline(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let fits = |stmt: &Stmt| {
        as_call(stmt).is_some_and(|(_, callee, _)| {
            let body = program.find(&callee).and_then(|procedure| procedure.body.as_ref());
            body.is_some_and(|body| {
                !summaries.recursive(&callee) && !stmts(body).any(|stmt| matches!(stmt.kind, StmtKind::Return(_)))
            })
        })
    };
    let place = *random.pick(&sites(&program.procedures[at], &fits))?;
    let (targets, callee, args) = as_call(&around(program, at, place)?[place.1])?;
    let mut callee = program.find(&callee)?.clone();
    let stem = program.fresh_stem("i");
    let own: BTreeMap<String, String> =
        variables(&callee).into_iter().map(|(text, _)| (text.clone(), format!("{stem}{text}"))).collect();
    rename_all(&mut callee, &|text| own.get(text).cloned());
    let locals = variables(&callee);
    let mut inlined: Vec<Stmt> =
        callee.params.iter().zip(args).map(|(param, arg)| assign(var(&param.name.text), arg)).collect();
    let defaults = locals.iter().skip(callee.params.len());
    inlined.extend(defaults.map(|(text, kind)| assign(var(text), default_of(kind))));
    let body = callee.body.take()?;
    inlined.extend(body.stmts.into_iter().filter(|stmt| !matches!(stmt.kind, StmtKind::Var { .. })));
    let results = targets.iter().zip(&callee.results);
    inlined.extend(results.map(|(target, result)| assign(var(target), var(&result.name.text))));
    let position = place.1;
    around(program, at, place)?.splice(position..=position, inlined);
    for (text, kind) in locals {
        declare(&mut program.procedures[at], &text, kind);
    }
    Some(())
}

/// How statements that were taken out of a procedure see its variables.
struct Cut {
    /// All that they mention, with types.
    params: Vec<(String, TypeKind)>,
    /// Those of them that they assign.
    results: Vec<(String, TypeKind)>,
}

/// The variables that statements mention. The effects of callees play no part: they do not see locals.
fn cut(program: &Program, procedure: &Procedure, of: &[Stmt], more: &[&Expr]) -> Cut {
    let summaries = Summaries::of(program);
    let mut effects = super::statements::effects_of(&summaries, of);
    for e in more {
        effects.reads.extend(summaries.expr(e).reads);
    }
    let (mut params, mut results) = (Vec::new(), Vec::new());
    for (text, kind) in variables(procedure) {
        let location = Location::Variable(text.clone());
        if effects.writes.contains(&location) {
            results.push((text.clone(), kind.clone()));
        }
        if effects.writes.contains(&location) || effects.reads.contains(&location) {
            params.push((text, kind));
        }
    }
    Cut { params, results }
}

impl Cut {
    /// The name a variable has in the helper.
    fn inside(&self, text: &str) -> Option<String> {
        if self.results.iter().any(|(result, _)| result == text) {
            Some(format!("{text}_out"))
        } else if self.params.iter().any(|(param, _)| param == text) {
            Some(format!("{text}_in"))
        } else {
            None
        }
    }

    /// The call that takes the place of the statements.
    fn call(&self, helper: &str) -> Stmt {
        let targets: Vec<String> = self.results.iter().map(|(text, _)| text.clone()).collect();
        call(&targets, helper, self.params.iter().map(|(text, _)| var(text)).collect())
    }

    /// The helper around a body, which is written with the names of the procedure it was taken from.
    fn helper(&self, text: &str, mut body: Vec<Stmt>) -> Procedure {
        let mut renamed = block(std::mem::take(&mut body));
        rename_in(&mut renamed, &|text| self.inside(text));
        let mut all: Vec<Stmt> = self
            .results
            .iter()
            .map(|(text, _)| assign(var(&format!("{text}_out")), var(&format!("{text}_in"))))
            .collect();
        all.extend(renamed.stmts);
        let results = self.results.iter().map(|(text, kind)| param(&format!("{text}_out"), kind.clone())).collect();
        self.procedure(text, results, block(all))
    }

    /// A procedure that takes what is mentioned.
    fn procedure(&self, text: &str, results: Vec<Param>, body: Block) -> Procedure {
        Procedure {
            name: name(text),
            params: self.params.iter().map(|(text, kind)| param(&format!("{text}_in"), kind.clone())).collect(),
            results,
            specs: Vec::new(),
            body: Some(body),
            span: Span::default(),
        }
    }
}

/// Makes some statements in a row that do not jump the body of a new procedure, which takes the variables they mention and
/// gives back those they assign.
pub(super) fn outline(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let place = *random.pick(&sites(&program.procedures[at], &|stmt| !summaries.stmt(stmt).jumps))?;
    let stmts = around(program, at, place)?;
    let calm = stmts[place.1..].iter().take_while(|stmt| !summaries.stmt(stmt).jumps).count();
    outline_of(program, at, place, 1 + random.below(calm.min(4)))
}

/// The same with so many statements from this place on.
pub(super) fn outline_of(program: &mut Program, at: usize, place: Site, count: usize) -> Option<()> {
    let taken = around(program, at, place)?[place.1..place.1 + count].to_vec();
    let cut = cut(program, &program.procedures[at], &taken, &[]);
    let text = program.fresh("part");
    let position = place.1;
    around(program, at, place)?.splice(position..position + count, [cut.call(&text)]);
    let helper = cut.helper(&text, taken);
    program.procedures.push(helper);
    Some(())
}

/// Makes a procedure that takes the variables of an expression and gives back its value. Out: the call.
pub(super) fn helper_for(program: &mut Program, at: usize, value: &Expr, kind: TypeKind) -> Expr {
    let cut = cut(program, &program.procedures[at], &[], &[value]);
    let text = program.fresh("value");
    let mut body = block(vec![assign(var("value_out"), value.clone())]);
    rename_in(&mut body, &|text| cut.inside(text));
    program.procedures.push(cut.procedure(&text, vec![param("value_out", kind)], body));
    let args = cut.params.iter().map(|(text, _)| var(text)).collect();
    expr(ExprKind::Call(Call { callee: name(&text), args, span: Span::default() }))
}

/// `while (c) B` as a procedure that does nothing when `c` does not hold, else `B` and then itself.
pub(super) fn recursion(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let summaries = Summaries::of(program);
    let fits = |stmt: &Stmt| match &stmt.kind {
        StmtKind::While { body, invariants, .. } => {
            invariants.is_empty() && !leaves_loop(body) && !summaries.block(body).jumps
        }
        _ => false,
    };
    let place = *random.pick(&sites(&program.procedures[at], &fits))?;
    let taken = around(program, at, place)?[place.1].clone();
    let StmtKind::While { cond, body, .. } = &taken.kind else { return None };
    let cut = cut(program, &program.procedures[at], std::slice::from_ref(&taken), &[cond]);
    let text = program.fresh("loop");
    let mut then = body.stmts.clone();
    then.push(cut.call(&text));
    let helper = cut.helper(&text, vec![branch(cond.clone(), then, Vec::new())]);
    around(program, at, place)?[place.1] = cut.call(&text);
    program.procedures.push(helper);
    Some(())
}

/// `p(x) { if (c) { A; r := p(e); } }` as `while (c) { A; x := e; }` where all else starts afresh each time. What is done after
/// the call is nothing but to return, and what an outer call would return is what the innermost does. A contract would be
/// checked at each call; so there must be none.
pub(super) fn to_loop(program: &mut Program, at: usize, _: &mut Random) -> Option<()> {
    let procedure = program.procedures[at].clone();
    let own = procedure.name.text.clone();
    let body = procedure.body.as_ref()?;
    let declared = body.stmts.iter().take_while(|stmt| matches!(stmt.kind, StmtKind::Var { .. })).count();
    let [Stmt { kind: StmtKind::If { cond, then, els: None }, .. }] = &body.stmts[declared..] else { return None };
    let (last, before) = then.stmts.split_last()?;
    let (targets, callee, args) = as_call(last)?;
    let results: Vec<String> = procedure.results.iter().map(|result| result.name.text.clone()).collect();
    if callee != own || targets != results || !procedure.specs.is_empty() {
        return None;
    }
    let mut turn = before.to_vec();
    let mut news = Vec::new();
    for (param, arg) in procedure.params.iter().zip(args) {
        let new = program.fresh(&format!("{}_next", param.name.text));
        turn.push(assign(var(&new), arg));
        news.push((new, param));
    }
    turn.extend(news.iter().map(|(new, param)| assign(var(&param.name.text), var(new))));
    let others = variables(&procedure).into_iter().skip(procedure.params.len());
    turn.extend(others.map(|(text, kind)| assign(var(&text), default_of(&kind))));
    let looped = StmtKind::While { cond: cond.clone(), invariants: Vec::new(), body: block(turn) };
    let procedure = &mut program.procedures[at];
    *procedure.body.as_mut()?.stmts.last_mut()? = stmt(looped);
    for (new, param) in news {
        declare(procedure, &new, param.ty.as_ref()?.kind.clone());
    }
    Some(())
}
