//! Holes: the cell of an array that one loop has not written yet, as it keeps what belongs there in a variable.
//!
//! In: a pair of loops. Out: the places that may be holes, and what the other version has there.
//!
//! Insertion into a sorted part is the standing example: one version swaps neighbours, the other shifts them and stores once, at the end.
//! Or all turns of one loop write one cell, and the other keeps what belongs there in a variable.

use crate::goal::{Pair, Program};
use kernel::bounds::pair::MAX_APART;
use kernel::pair::loops::{parameters, results};
use kernel::relate::{Apart, Atom, Fact, Part, Step};
use lang_l::hir::{Local, Procedure, Type};
use smt::term::{Selector, Sort};
use std::collections::BTreeSet;

/// The cells that may be holes: of an array of numbers, at a variable of the loop that leaves it, until that loop ends or also then. It has
/// a number more than the other one.
pub(super) fn holes(program: &Program<'_>, pair: Pair) -> Vec<Apart> {
    let code = <[&Procedure; 2]>::from(program.code(pair));
    let counts = code.map(|own| numbers(parameters(own), 0).len());
    let version = usize::from(counts[1] > counts[0]);
    let other = [pair.0, pair.1][1 - version];
    let stores = program.effects[1 - version][other.index()].writes.contains(&Selector::Cell(Sort::Int));
    if counts[0] == counts[1] || !stores {
        return Vec::new();
    }
    let own = code[version];
    let last = |before: usize| results(own).iter().position(|local| local.name == own.locals[before].name);
    let after = |before: usize| last(before).map(|at| Some(own.params + at)).into_iter().chain([None]);
    let cells = |before: usize| after(before).map(move |after| Part::Cell { before, after });
    let cells: Vec<Part> = numbers(parameters(own), 0).into_iter().flat_map(cells).collect();
    let of_array = |parameter: usize| cells.iter().map(move |&of| Apart { version, parameter, of });
    arrays(own).flat_map(of_array).take(MAX_APART).collect()
}

/// The cells at an index that stays as it is, as far as the results of the loop tell, of an array of numbers to which one loop alone writes.
pub(super) fn kept_elsewhere(program: &Program<'_>, pair: Pair) -> Vec<Apart> {
    let code = <[&Procedure; 2]>::from(program.code(pair));
    let ids = [pair.0, pair.1];
    let writes = [0, 1]
        .map(|version| program.effects[version][ids[version].index()].writes.contains(&Selector::Cell(Sort::Int)));
    if writes[0] == writes[1] {
        return Vec::new();
    }
    let version = usize::from(writes[1]);
    let own = code[version];
    let stays = |at: &usize| results(own).iter().all(|local| local.name != own.locals[*at].name);
    let indexes: Vec<usize> = numbers(parameters(own), 0).into_iter().filter(stays).collect();
    let cells = |parameter: usize| {
        indexes.iter().map(move |&at| Apart { version, parameter, of: Part::Cell { before: at, after: Some(at) } })
    };
    arrays(own).filter(stays).flat_map(cells).take(MAX_APART).collect()
}

/// On entry, or at the end: the other version has in the hole what the loop that leaves it has in a variable. And on entry, that other
/// numbers are indexes before the hole, or behind it.
pub(super) fn filled(program: &Program<'_>, pair: Pair, at_end: bool) -> Vec<Fact> {
    let code = <[&Procedure; 2]>::from(program.code(pair));
    let mut found = Vec::new();
    let index = |hole: Apart| match hole.of {
        Part::Cell { before, .. } if !at_end => Some((hole.version, before)),
        Part::Cell { after, .. } => after.map(|after| (hole.version, after)),
        Part::Field(_) => None,
    };
    // One index may be that of several arrays.
    let indexes: BTreeSet<(usize, usize)> = holes(program, pair).into_iter().filter_map(index).collect();
    for (version, index) in indexes {
        let own = code[version];
        let bare = |parameter: usize| Atom { version, parameter, steps: Vec::new() };
        let mut kept = numbers(parameters(own), 0);
        kept.extend(numbers(results(own), own.params).into_iter().filter(|_| at_end));
        for parameter in arrays(code[1 - version]) {
            let cell = Atom { version: 1 - version, parameter, steps: vec![Step::Beside(index, Sort::Int)] };
            let held = kept.iter().filter(|&&held| held != index);
            found.extend(held.map(|&held| Fact::Equal(cell.clone(), bare(held), 0)));
        }
        if !at_end {
            let others = numbers(parameters(own), 0).into_iter().filter(|&other| other != index);
            let beside = |other: usize| [(index, other), (other, index)];
            found.extend(others.flat_map(beside).map(|(a, b)| Fact::AtMost(bare(a), bare(b), -1)));
        }
    }
    found
}

/// The positions of numbers among some variables, which begin at this one.
fn numbers(locals: &[Local], first: usize) -> Vec<usize> {
    let numbers = locals.iter().zip(first..).filter(|(local, _)| local.ty == Type::Int);
    numbers.map(|(_, at)| at).collect()
}

/// The positions of parameters that are arrays of numbers.
fn arrays(code: &Procedure) -> impl Iterator<Item = usize> {
    let is_array = |local: &Local| matches!(&local.ty, Type::Array(element) if **element == Type::Int);
    parameters(code).iter().enumerate().filter(move |(_, local)| is_array(local)).map(|(at, _)| at)
}
