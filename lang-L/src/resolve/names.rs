//! Which variables of a procedure are visible where.
//!
//! In: a body as written, and blocks as they open and close. Out: the variable a name stands for.
//!
//! Invariant: types play no part here.

use crate::ast::{Block, ExprKind, Name, StmtKind};
use crate::hir::LocalId;
use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// The names a body assigns and those it declares, found before the body is walked, since a name that is assigned anywhere
/// is a local of the whole procedure.
#[derive(Default)]
pub(super) struct Mentioned<'a> {
    /// Assigned names, each once, in source order.
    pub(super) assigned: Vec<(&'a str, Span)>,
    /// Names of `var`s, with the first declaration of each.
    pub(super) declared: HashMap<&'a str, Span>,
    seen: HashSet<&'a str>,
}

impl<'a> Mentioned<'a> {
    /// All of a body.
    pub(super) fn of(body: Option<&'a Block>) -> Self {
        let mut mentioned = Mentioned::default();
        if let Some(block) = body {
            mentioned.block(block);
        }
        mentioned
    }

    /// Where the body assigns this name.
    pub(super) fn assigned_at(&self, name: &str) -> Option<Span> {
        self.seen.get(name)?;
        self.assigned.iter().find(|(known, _)| *known == name).map(|&(_, span)| span)
    }

    fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Var { name, .. } => {
                    self.declared.entry(&name.text).or_insert(name.span);
                }
                StmtKind::Assign { place, .. } => {
                    if let ExprKind::Name(name) = &place.kind {
                        self.assign(name, place.span);
                    }
                }
                StmtKind::CallAssign { targets, .. } => {
                    targets.iter().for_each(|Name { text, span }| self.assign(text, *span));
                }
                StmtKind::If { then, els, .. } => {
                    self.block(then);
                    els.iter().for_each(|block| self.block(block));
                }
                StmtKind::While { body, .. } => self.block(body),
                _ => {}
            }
        }
    }

    fn assign(&mut self, name: &'a str, span: Span) {
        if self.seen.insert(name) {
            self.assigned.push((name, span));
        }
    }
}

/// The variables visible at one point.
#[derive(Default)]
pub(super) struct Scope<'a> {
    visible: HashMap<&'a str, LocalId>,
    /// What to restore when blocks close.
    hidden: Vec<(&'a str, Option<LocalId>)>,
}

impl<'a> Scope<'a> {
    /// Opens a block; the mark closes it.
    pub(super) fn open(&self) -> usize {
        self.hidden.len()
    }

    /// Closes the block that was opened with this mark.
    pub(super) fn close(&mut self, mark: usize) {
        for (name, before) in self.hidden.drain(mark..).rev() {
            match before {
                Some(id) => self.visible.insert(name, id),
                None => self.visible.remove(name),
            };
        }
    }

    /// Makes a name visible until the innermost block closes.
    pub(super) fn declare(&mut self, name: &'a str, id: LocalId) {
        let before = self.visible.insert(name, id);
        self.hidden.push((name, before));
    }

    /// The variable of this name.
    pub(super) fn find(&self, name: &str) -> Option<LocalId> {
        self.visible.get(name).copied()
    }

    /// All visible names.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        self.visible.keys().copied()
    }
}
