//! Makes a faulty case small.
//!
//! In: a case and a test that it still fails. Out: a case that fails too, from which nothing more can be taken away alone.
//!
//! Invariant: the number of tests is bounded; the order of attempts is fixed.

use super::case::Case;
use super::tree::{Program, block_at, blocks};
use lang_l::ast::{Stmt, StmtKind};

/// What can be done to a statement: nothing is left of it, or what is inside it.
#[derive(Clone, Copy)]
enum Edit {
    Drop,
    Then,
    Else,
}

/// Shrinks, with at most so many tests. Unless `alone`, what is taken from one version is taken from the other too.
pub fn shrink(case: &Case, mut tests: usize, alone: bool, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    loop {
        let mut smaller = false;
        let mut attempt = |best: &mut Case, candidate: Case| {
            if tests == 0 || candidate == *best {
                return false;
            }
            tests -= 1;
            let better = fails(&candidate);
            if better {
                *best = candidate;
                smaller = true;
            }
            better
        };
        for candidate in without_items(&best) {
            if attempt(&mut best, candidate) {
                break;
            }
        }
        for edit in [Edit::Drop, Edit::Then, Edit::Else] {
            for side in [0, 1] {
                let mut at = 0;
                while let Some(site) = statements(side_of(&best, side)).get(at).cloned() {
                    let both = edited(&best, side, &site, edit, true);
                    let one = edited(&best, side, &site, edit, false);
                    let smaller = attempt(&mut best, both) || (alone && attempt(&mut best, one));
                    if !smaller {
                        at += 1;
                    }
                }
            }
        }
        if !smaller || tests == 0 {
            return best;
        }
    }
}

fn side_of(case: &Case, side: usize) -> &Program {
    if side == 0 { &case.left } else { &case.right }
}

/// The case without one procedure, contract clause, or shared item.
fn without_items(case: &Case) -> Vec<Case> {
    let mut candidates = Vec::new();
    for at in 0..case.left.shared.len() {
        let mut smaller = case.clone();
        smaller.left.shared.remove(at);
        smaller.right.shared.remove(at);
        candidates.push(smaller);
    }
    let names = case.left.procedures.iter().chain(&case.right.procedures).map(|procedure| procedure.name.text.clone());
    for name in names {
        let mut smaller = case.clone();
        for program in [&mut smaller.left, &mut smaller.right] {
            program.procedures.retain(|procedure| procedure.name.text != name);
        }
        candidates.push(smaller);
        let mut smaller = case.clone();
        for program in [&mut smaller.left, &mut smaller.right] {
            for procedure in program.procedures.iter_mut().filter(|procedure| procedure.name.text == name) {
                procedure.specs.pop();
            }
        }
        candidates.push(smaller);
    }
    candidates
}

/// Where a statement stands: procedure, block, position.
type Site = (usize, usize, usize);

fn statements(program: &Program) -> Vec<Site> {
    let mut sites = Vec::new();
    for (at, procedure) in program.procedures.iter().enumerate() {
        for (block, stmts) in procedure.body.iter().flat_map(blocks).enumerate() {
            sites.extend((0..stmts.stmts.len()).map(|position| (at, block, position)));
        }
    }
    sites
}

/// The case with one statement of a version edited, and with `both` the first equal one of the other version too.
fn edited(case: &Case, side: usize, site: &Site, edit: Edit, both: bool) -> Case {
    let mut edited = case.clone();
    let (mine, other) =
        if side == 0 { (&mut edited.left, &mut edited.right) } else { (&mut edited.right, &mut edited.left) };
    let name = mine.procedures[site.0].name.text.clone();
    let Some(stmt) = apply(mine, *site, edit) else { return case.clone() };
    if both {
        let same = |candidate: &Site| {
            other.procedures[candidate.0].name.text == name && statement(other, *candidate) == Some(&stmt)
        };
        match statements(other).into_iter().find(same) {
            Some(found) => drop(apply(other, found, edit)),
            None => return case.clone(),
        }
    }
    edited
}

fn statement(program: &Program, (at, block, position): Site) -> Option<&Stmt> {
    blocks(program.procedures[at].body.as_ref()?).get(block)?.stmts.get(position)
}

/// Edits a statement; what it was.
fn apply(program: &mut Program, (at, block, position): Site, edit: Edit) -> Option<Stmt> {
    let block = block_at(program.procedures[at].body.as_mut()?, block)?;
    let old = block.stmts.get(position)?.clone();
    let new = match (edit, &old.kind) {
        (Edit::Drop, _) => Vec::new(),
        (Edit::Then, StmtKind::If { then, .. }) => then.stmts.clone(),
        (Edit::Then, StmtKind::While { body, .. }) => body.stmts.clone(),
        (Edit::Else, StmtKind::If { els: Some(els), .. }) => els.stmts.clone(),
        _ => return None,
    };
    block.stmts.splice(position..=position, new);
    Some(old)
}
