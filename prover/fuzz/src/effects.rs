//! What statements read, write, and may do instead of ending normally: enough to tell which may change places.
//!
//! In: statements of a generated program. Out: [`Effects`], and [`independent`].
//!
//! Invariant: an upper bound. Two fields of the same name are the same place whatever objects they belong to, every access
//! through a reference may err, every loop and every recursive or external procedure may run for ever.

use super::tree::{Program, blocks, looks_around, own_exprs, parts, stmts, variables};
use lang_l::ast::{BinOp, Block, Expr, ExprKind, Item, Rhs, Stmt, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// Something that can be read and written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// A local or global variable.
    Variable(String),
    /// This field of any object.
    Field(String),
    /// Any cell of any array.
    Cell,
}

/// What running a statement may do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// What it may read.
    pub reads: BTreeSet<Location>,
    /// What it may write.
    pub writes: BTreeSet<Location>,
    /// It may end the execution in error.
    pub errs: bool,
    /// It may run for ever.
    pub diverges: bool,
    /// It may `return`, `break` or `continue`, or leave no outcome at all. What looks around, as at all objects, counts as a
    /// jump too: nothing may pass it.
    pub jumps: bool,
    callees: BTreeSet<String>,
}

impl Effects {
    fn add(&mut self, other: &Effects) {
        self.reads.extend(other.reads.iter().cloned());
        self.writes.extend(other.writes.iter().cloned());
        self.errs |= other.errs;
        self.diverges |= other.diverges;
        self.jumps |= other.jumps;
        self.callees.extend(other.callees.iter().cloned());
    }

    /// Whether the place is neither read nor written.
    pub fn ignores(&self, variable: &str) -> bool {
        let location = Location::Variable(variable.to_owned());
        !self.reads.contains(&location) && !self.writes.contains(&location)
    }
}

/// Whether the order of two statements that follow one another can be seen.
///
/// Two that may err can change places, for all errors are one; one that may err and one that may run for ever cannot.
pub fn independent(first: &Effects, second: &Effects) -> bool {
    let apart = |a: &Effects, b: &Effects| a.writes.is_disjoint(&b.reads) && a.writes.is_disjoint(&b.writes);
    let orderly = |a: &Effects, b: &Effects| !(a.errs && b.diverges);
    !first.jumps
        && !second.jumps
        && apart(first, second)
        && apart(second, first)
        && orderly(first, second)
        && orderly(second, first)
}

/// The effects of all procedures of a program.
#[derive(Clone, Debug)]
pub struct Summaries {
    of: BTreeMap<String, Effects>,
}

impl Summaries {
    /// Finds them, as a least fixpoint over the calls.
    pub fn of(program: &Program) -> Self {
        let mut summaries = Summaries { of: BTreeMap::new() };
        let everything = external(program);
        for item in &program.shared {
            if let Item::Procedure(procedure) = item {
                summaries.of.insert(procedure.name.text.clone(), everything.clone());
            }
        }
        loop {
            let mut changed = false;
            for procedure in &program.procedures {
                let Some(body) = &procedure.body else { continue };
                let mut effects = summaries.block(body);
                let locals: BTreeSet<String> = variables(procedure).into_iter().map(|(name, _)| name).collect();
                let outside = |location: &Location| match location {
                    Location::Variable(name) => !locals.contains(name),
                    Location::Field(_) | Location::Cell => true,
                };
                effects.reads.retain(outside);
                effects.writes.retain(outside);
                // A `return` ends the callee alone; a failed `assume` ends everything.
                effects.jumps = effects.callees.iter().any(|callee| summaries.get(callee).jumps)
                    || stmts(body).any(|stmt| matches!(stmt.kind, StmtKind::Assume(_)) || looking(stmt));
                effects.diverges |= effects.callees.contains(&procedure.name.text);
                let text = procedure.name.text.clone();
                changed |= summaries.of.insert(text, effects.clone()).as_ref() != Some(&effects);
            }
            if !changed {
                return summaries;
            }
        }
    }

    fn get(&self, callee: &str) -> Effects {
        self.of.get(callee).cloned().unwrap_or_default()
    }

    /// Whether a procedure may call itself, directly or not.
    pub fn recursive(&self, procedure: &str) -> bool {
        self.get(procedure).callees.contains(procedure)
    }

    /// The effects of a statement.
    pub fn stmt(&self, stmt: &Stmt) -> Effects {
        let mut effects = Effects::default();
        for e in own_exprs(stmt) {
            self.read(e, &mut effects);
        }
        effects.jumps |= looking(stmt);
        match &stmt.kind {
            StmtKind::Assign { place, rhs } => {
                effects.writes.insert(location(place));
                effects.errs |= matches!(rhs, Rhs::NewArray { .. });
            }
            StmtKind::Var { name, .. } => drop(effects.writes.insert(Location::Variable(name.text.clone()))),
            StmtKind::Call(call) => self.call(&call.callee.text, &mut effects),
            StmtKind::CallAssign { targets, call } => {
                self.call(&call.callee.text, &mut effects);
                effects.writes.extend(targets.iter().map(|target| Location::Variable(target.text.clone())));
            }
            StmtKind::If { then, els, .. } => {
                effects.add(&self.block(then));
                els.iter().for_each(|els| effects.add(&self.block(els)));
            }
            StmtKind::While { body, .. } => {
                effects.add(&self.block(body));
                effects.diverges = true;
            }
            StmtKind::Assert(_) => effects.errs = true,
            StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Assume(_) => effects.jumps = true,
            StmtKind::Skip => {}
        }
        effects
    }

    /// The effects of a block.
    pub fn block(&self, block: &Block) -> Effects {
        let mut effects = Effects::default();
        block.stmts.iter().for_each(|stmt| effects.add(&self.stmt(stmt)));
        effects
    }

    /// The effects of evaluating an expression.
    pub fn expr(&self, e: &Expr) -> Effects {
        let mut effects = Effects::default();
        self.read(e, &mut effects);
        effects
    }

    fn read(&self, e: &Expr, effects: &mut Effects) {
        match &e.kind {
            ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Index(..) => {
                effects.reads.insert(location(e));
                effects.errs |= !matches!(e.kind, ExprKind::Name(_));
            }
            ExprKind::Binary(BinOp::Div | BinOp::Rem, ..) => effects.errs = true,
            ExprKind::Call(call) => self.call(&call.callee.text, effects),
            _ => {}
        }
        parts(e).into_iter().for_each(|part| self.read(part, effects));
    }

    fn call(&self, callee: &str, effects: &mut Effects) {
        effects.add(&self.get(callee));
        effects.callees.insert(callee.to_owned());
    }
}

/// Whether a statement looks around by itself, and not by those inside it.
fn looking(stmt: &Stmt) -> bool {
    own_exprs(stmt).into_iter().any(looks_around)
}

fn location(place: &Expr) -> Location {
    match &place.kind {
        ExprKind::Name(text) => Location::Variable(text.clone()),
        ExprKind::Field(_, name) => Location::Field(name.text.clone()),
        _ => Location::Cell,
    }
}

/// All that an external procedure may do.
fn external(program: &Program) -> Effects {
    let mut effects = Effects { errs: true, diverges: true, ..Effects::default() };
    let mut touch = |location: Location| {
        effects.reads.insert(location.clone());
        effects.writes.insert(location);
    };
    touch(Location::Cell);
    for item in &program.shared {
        match item {
            Item::Class(class) => {
                class.fields.iter().for_each(|(name, _)| touch(Location::Field(name.text.clone())));
            }
            Item::Global(global) => touch(Location::Variable(global.name.text.clone())),
            Item::Procedure(_) | Item::Equiv(_) => {}
        }
    }
    // Without classes a field is what is used as one.
    for body in program.procedures.iter().filter_map(|procedure| procedure.body.as_ref()) {
        for stmt in blocks(body).into_iter().flat_map(|block| &block.stmts) {
            own_exprs(stmt).into_iter().for_each(|e| fields(e, &mut touch));
        }
    }
    effects
}

fn fields(e: &Expr, touch: &mut dyn FnMut(Location)) {
    if let ExprKind::Field(_, name) = &e.kind {
        touch(Location::Field(name.text.clone()));
    }
    parts(e).into_iter().for_each(|part| fields(part, touch));
}
