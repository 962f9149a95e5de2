//! A fuzzed pair: a program and what mutations made of it.
//!
//! In: a seed and a number. Out: a [`Case`], always the same one for the same two numbers.
//!
//! Invariant: whether a case keeps the meaning is known from the kinds of its mutations alone.

use super::change::Change;
use super::generate;
use super::keep::{Keep, rename_procedure};
use super::oracle::Difference;
use super::tree::{Program, name, pair_file};
use lang_l::ast::{Equiv, ExprKind, Item, Procedure, StmtKind};
use lang_l::hir::Unit;
use lang_l::parse::parse;
use lang_l::print::print;
use lang_l::random::Random;
use lang_l::resolve::resolve;
use lang_l::source::{FileId, Span};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// One mutation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutation {
    /// It keeps the meaning.
    Keep(Keep),
    /// It may not.
    Change(Change),
    /// A difference of this shape was planted, see [`far`](crate::far).
    Plant(&'static str),
}

impl Mutation {
    /// Its name in tables.
    pub fn text(self) -> &'static str {
        match self {
            Mutation::Keep(kind) => kind.text(),
            Mutation::Change(kind) => kind.text(),
            Mutation::Plant(shape) => shape,
        }
    }
}

/// What was planted in a pair: a store from which, by construction, the versions do something worth knowing.
#[derive(Clone, Debug, PartialEq)]
pub struct Planted {
    /// What happens there, in words.
    pub what: &'static str,
    /// The procedure that starts from the store; it has the same name in both versions.
    pub procedure: String,
    /// The store, as `ape run --store` reads it.
    pub store: Json,
    /// In what the runs from this store differ; `None` when both do the same, but only after long.
    pub difference: Option<Difference>,
    /// Whether the interpreter can run that far. If not, both versions end from every store.
    pub runs: bool,
}

/// Two versions of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Version 0.
    pub left: Program,
    /// Version 1.
    pub right: Program,
    /// How one was made of the other.
    pub mutations: Vec<Mutation>,
    /// What was planted, if something was.
    pub planted: Option<Planted>,
}

/// How often another mutation is tried when there is no place for one.
const TRIES: usize = 30;

impl Case {
    /// The case of this number; `None` when no mutation found a place.
    pub fn new(seed: u64, number: u64) -> Option<Case> {
        let random = &mut Random::item(seed, number);
        let mut left = generate::program(random);
        let mut right = left.clone();
        let changes = match random.below(100) {
            0..55 => [false].as_slice(),
            55..65 => &[false, false],
            65..90 => &[true],
            90..95 => &[true, false],
            _ => &[true, true],
        };
        let mut mutations = Vec::new();
        for &changing in changes {
            let (mutation, mutated) = mutate(&right, changing, random)?;
            mutations.push(mutation);
            right = mutated;
        }
        if random.percent(40) {
            std::mem::swap(&mut left, &mut right);
        }
        if left.shared.iter().all(|item| !matches!(item, Item::Class(_))) && random.percent(50) {
            left.procedures.iter_mut().chain(&mut right.procedures).for_each(undeclare);
        }
        if random.percent(12) {
            compare_when(&mut left, &mut right, random);
        }
        Some(Case { left, right, mutations, planted: None })
    }

    /// Whether both versions mean the same by construction.
    pub fn keeps(&self) -> bool {
        self.mutations.iter().all(|mutation| matches!(mutation, Mutation::Keep(_)))
    }

    /// The pair file.
    pub fn text(&self) -> String {
        print(&pair_file(&self.left, &self.right), &[])
    }

    /// The pair as it is verified; `None` when it is not legal L.
    pub fn unit(&self) -> Option<Unit> {
        let parsed = parse(FileId(0), &self.text());
        if !parsed.diagnostics.is_empty() {
            return None;
        }
        resolve(&[&parsed.file]).ok()
    }
}

/// A mutant of a program, and how it was made.
pub(super) fn mutate(program: &Program, changing: bool, random: &mut Random) -> Option<(Mutation, Program)> {
    for _ in 0..TRIES {
        let at = random.below(program.procedures.len());
        let mut mutated = program.clone();
        let (mutation, applied) = if changing {
            let kind = *random.pick(Change::ALL)?;
            (Mutation::Change(kind), kind.apply(&mut mutated, at, random))
        } else {
            let kind = *random.pick(Keep::ALL)?;
            (Mutation::Keep(kind), kind.apply(&mut mutated, at, random))
        };
        if applied.is_some() && mutated != *program {
            return Some((mutation, mutated));
        }
    }
    None
}

/// Says under which condition the first procedures are compared, which from now on may have different names.
fn compare_when(left: &mut Program, right: &mut Program, random: &mut Random) {
    let Some(first) = left.procedures.first() else { return };
    let when = generate::condition(first, &left.shared, random);
    let mut other = first.name.text.clone();
    if random.percent(70) {
        other = left.fresh("Other");
        let old = right.procedures[0].name.text.clone();
        rename_procedure(right, &old, &other);
    }
    let equiv = Equiv { left: first.name.clone(), right: name(&other), when: Some(when), span: Span::default() };
    for program in [left, right] {
        program.shared.push(Item::Equiv(equiv.clone()));
    }
}

/// Takes away the declarations of variables that are assigned somewhere: L infers their types.
fn undeclare(procedure: &mut Procedure) {
    let Some(body) = &mut procedure.body else { return };
    let mut assigned = BTreeSet::new();
    for stmt in super::tree::stmts(body) {
        match &stmt.kind {
            StmtKind::Assign { place, .. } => {
                if let ExprKind::Name(text) = &place.kind {
                    assigned.insert(text.clone());
                }
            }
            StmtKind::CallAssign { targets, .. } => assigned.extend(targets.iter().map(|target| target.text.clone())),
            _ => {}
        }
    }
    body.stmts.retain(|stmt| !matches!(&stmt.kind, StmtKind::Var { name, .. } if assigned.contains(&name.text)));
}
