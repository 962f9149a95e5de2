//! What each procedure of a lowered program stands for: a procedure of the source, or a loop of one.
//!
//! In: the source and the lowered program. Out: a [`Simulation`] for each procedure of which one is known.
//!
//! Variables are known again by their names and their places. Nothing said here is believed: the kernel executes both.

use super::Lowered;
use super::tail_absorption::absorbs;
use kernel::exec::source::{Given, Input, Literal, Simulation, Site};
use lang_l::hir::{Block, ExprKind, Local, LocalId, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Unit};

/// What the procedures of one version stand for.
pub fn simulations(source: &Unit, lowered: &Lowered, version: usize) -> Vec<Option<Simulation>> {
    let procedures = &lowered.versions()[version].procedures;
    let worker = |id: ProcId| {
        let is_worker = |code: &Procedure| matches!(code.origin, Origin::Worker { of } if of == id);
        procedures.iter().position(is_worker).map(|at| ProcId(u32::try_from(at).unwrap_or(u32::MAX)))
    };
    let of = |(id, code): (ProcId, &Procedure)| {
        let written = &source.versions[version].procedures;
        match code.origin {
            Origin::Source => Some(stands_for(written.get(id.index())?, code, Site::Procedure(id), worker(id))),
            Origin::Worker { of } => Some(stands_for(written.get(of.index())?, code, Site::Procedure(of), Some(id))),
            Origin::Loop { of, number, .. } => {
                let whole = written.get(of.index())?;
                let to_end = number > 0
                    && absorbs(source, version, of).contains(&code.span)
                    && !faults::planted("lower/simulations/rest-forgotten");
                Some(stands_for(whole, code, Site::Loop { of, number, to_end }, None))
            }
        }
    };
    (0u32..).map(ProcId).zip(procedures).map(of).collect()
}

fn stands_for(whole: &Procedure, code: &Procedure, site: Site, itself: Option<ProcId>) -> Simulation {
    let is = |ours: &Local, theirs: &Local| ours.name == theirs.name && ours.span == theirs.span;
    let find = |theirs: &Local| {
        let at = whole.locals.iter().position(|ours| is(ours, theirs))?;
        Some(LocalId(u32::try_from(at).unwrap_or(u32::MAX)))
    };
    let mut inputs: Vec<(LocalId, Input)> = code.locals[..code.params]
        .iter()
        .enumerate()
        .filter_map(|(at, local)| {
            Some((
                find(local)?,
                Input::Param(if faults::planted("lower/simulations/inputs-crossed") {
                    code.params - 1 - at
                } else {
                    at
                }),
            ))
        })
        .collect();
    add_known(&mut inputs, code, &find);
    inputs.sort_by_key(|(id, _)| *id);
    let results = &code.locals[code.params..code.params + code.results];
    let own_results = |theirs: &Local| {
        let name = theirs.name.strip_prefix('@').unwrap_or(&theirs.name);
        let ours = &whole.locals[whole.params..whole.params + whole.results];
        ours.iter().position(|ours| ours.name == name && ours.span == theirs.span)
    };
    let looped = matches!(site, Site::Loop { .. });
    let output = |(at, local): (usize, &Local)| {
        let given = match local.name.strip_prefix('@') {
            Some("returned") => Given::Returned,
            Some(_) => Given::Result(own_results(local)?),
            None if looped => Given::Local(find(local)?),
            None => Given::Result(own_results(local)?),
        };
        Some((given, if faults::planted("lower/simulations/result-of-another") { code.results - 1 - at } else { at }))
    };
    let outputs = results.iter().enumerate().filter_map(output).collect();
    let given = |local: &Local| match local.name.strip_prefix('@') {
        Some("returned") => Some(Given::Returned),
        Some(_) => own_results(local).map(Given::Result),
        None => find(local).map(Given::Local),
    };
    let always = if looped { always(code) } else { Vec::new() };
    let known = always.into_iter().filter_map(|(id, literal)| Some((given(code.local(id))?, literal))).collect();
    Simulation { site, inputs, outputs, known, itself }
}

/// Adds what variables begin with where that was found to be known without a parameter: a procedure begins with it.
fn add_known(inputs: &mut Vec<(LocalId, Input)>, code: &Procedure, find: &dyn Fn(&Local) -> Option<LocalId>) {
    for stmt in code.body.iter().flat_map(|body| &body.stmts) {
        let Some((local, value)) = known(stmt, code) else { break };
        let input = match value {
            ExprKind::Int(value) => Input::Literal(Literal::Int(value.clone())),
            ExprKind::Bool(value) => Input::Literal(Literal::Bool(*value)),
            ExprKind::Null => Input::Literal(Literal::Null),
            ExprKind::Local(twin) => {
                let twin = find(code.local(*twin));
                let Some((_, input)) = inputs.iter().find(|(id, _)| Some(*id) == twin) else { break };
                input.clone()
            }
            _ => break,
        };
        if let Some(id) = find(code.local(local)).filter(|id| inputs.iter().all(|(known, _)| known != id)) {
            inputs.push((id, input));
        }
    }
}

/// What a loop always gives back: its next turn is followed by assignments of that, where a pass has taken the results away.
fn always(code: &Procedure) -> Vec<(LocalId, Literal)> {
    let mut found: Vec<(LocalId, Literal)> = Vec::new();
    let mut in_block = |block: &Block| {
        let calls_itself = |stmt: &Stmt| stmt.as_call().is_some() && stmt.span == code.span;
        let Some(at) = block.stmts.iter().rposition(calls_itself) else { return };
        for stmt in &block.stmts[at + 1..] {
            let StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) = &stmt.kind else { break };
            let literal = match &value.kind {
                ExprKind::Int(value) => Literal::Int(value.clone()),
                ExprKind::Bool(value) => Literal::Bool(*value),
                ExprKind::Null => Literal::Null,
                _ => continue,
            };
            if found.iter().all(|(known, _)| known != id) && !code.result_ids().any(|own| own == *id) {
                found.push((*id, literal));
            }
        }
    };
    blocks(code.body.as_ref(), &mut in_block);
    found
}

/// All blocks of a body.
fn blocks<'b>(body: Option<&'b Block>, look: &mut dyn FnMut(&'b Block)) {
    let Some(body) = body else { return };
    look(body);
    for stmt in &body.stmts {
        if let StmtKind::If(_, then, els) = &stmt.kind {
            blocks(Some(then), look);
            blocks(Some(els), look);
        }
    }
}

/// What a variable begins with, where a pass has put that before all else.
fn known<'s>(stmt: &'s Stmt, code: &Procedure) -> Option<(LocalId, &'s ExprKind)> {
    match &stmt.kind {
        StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) if stmt.span == code.name_span => Some((*id, &value.kind)),
        _ => None,
    }
}
