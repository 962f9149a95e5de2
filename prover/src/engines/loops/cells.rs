//! What might hold of each cell of an array where two loops begin.
//!
//! In: a loop of each version. Out: facts about cells: that those from a counter on still hold what a new array does, that no array in
//! an array of arrays is the one that a loop writes, and, where something is required of each, that none is missing and how long they are.

use crate::budget::loops::MAX_CELLS;
use crate::goal::{Pair, Program};
use kernel::pair::loops::parameters;
use kernel::relate::{Atom, Fact, Step};
use lang_l::hir::{Expr, ExprKind, ProcId, Procedure, Type};
use smt::term::{Selector, Sort};

/// The facts, the likelier ones first. Both heaps are the same but for a few places, so what is said of one version is enough.
pub(super) fn facts(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let code = <[&Procedure; 2]>::from(program.code(pair));
    let written = [(0, pair.0), (1, pair.1)].map(|(version, id): (usize, ProcId)| {
        let writes = &program.effects[version][id.index()].writes;
        let is_written = |element: &Type| writes.contains(&Selector::Cell(Sort::from(element)));
        arrays(code[version]).filter(|(_, element)| is_written(element)).collect::<Vec<_>>()
    });
    let first_of = |of: &dyn Fn(usize) -> Vec<Fact>| {
        let found = of(0);
        if found.is_empty() { of(1) } else { found }
    };
    let mut found = first_of(&|version| {
        written[version].iter().flat_map(|&array| in_none(version, code[version], array)).collect()
    });
    // Where both look at what they write, they see the same.
    let looks = [0, 1].map(|version| written[version].iter().any(|&(array, _)| reads_cell(code[version], array)));
    for version in (0..2).filter(|&version| looks[version] && !looks[1 - version]) {
        found.extend(written[version].iter().flat_map(|&array| unwritten(version, code[version], array)));
    }
    found.extend(first_of(&|version| match asks_of_each(program, version, code[version]) {
        true => rows(version, code[version]),
        false => Vec::new(),
    }));
    found.truncate(MAX_CELLS);
    found
}

/// Whether a procedure itself reads a cell of the array that this parameter is.
fn reads_cell(code: &Procedure, array: usize) -> bool {
    let is_one = |part: &Expr| match &part.kind {
        ExprKind::Index(of, _) => matches!(of.kind, ExprKind::Local(id) if id.index() == array),
        _ => false,
    };
    code.body.as_ref().is_some_and(|body| body.any_expr(&is_one))
}

/// Whatever array of arrays a version has, this array is in none.
fn in_none(version: usize, code: &Procedure, (array, element): (usize, &Type)) -> Vec<Fact> {
    let own = Atom { version, parameter: array, steps: Vec::new() };
    let holds_such = |ty: &Type| matches!(ty, Type::Array(held) if **held == *element);
    let all = arrays(code).filter(|(_, held)| holds_such(held));
    let other = |parameter: usize| {
        let each = Atom { version, parameter, steps: vec![Step::Each(Sort::Ref)] };
        Fact::Each(None, Box::new(Fact::Not(Box::new(Fact::Equal(each, own.clone(), 0)))))
    };
    all.map(|(parameter, _)| other(parameter)).collect()
}

/// Whether something of many is required by the procedure around a loop.
fn asks_of_each(program: &Program<'_>, version: usize, code: &Procedure) -> bool {
    let around = code.origin.part_of().map(|id| program.unit.procedure(version, id));
    let is_of_many = |clause: &Expr| clause.any(&|part| matches!(part.kind, ExprKind::Quant { .. }));
    around.is_some_and(|code| code.requires.iter().any(is_of_many))
}

/// All arrays in an array are there, and are as long as a number or another array.
fn rows(version: usize, code: &Procedure) -> Vec<Fact> {
    let numbers = parameters(code).iter().enumerate().filter(|(_, local)| local.ty == Type::Int);
    let of = |parameter: usize, steps: Vec<Step>| Atom { version, parameter, steps };
    let mut lengths: Vec<Atom> = arrays(code).map(|(parameter, _)| of(parameter, vec![Step::Length])).collect();
    lengths.extend(numbers.map(|(parameter, _)| of(parameter, Vec::new())));
    let of_array = |(array, _): (usize, &Type)| {
        let each = of(array, vec![Step::Each(Sort::Ref)]);
        let length = of(array, vec![Step::Each(Sort::Ref), Step::Length]);
        let equal = lengths.iter().map(move |other| Fact::Equal(length.clone(), other.clone(), 0));
        [Fact::NotNull(each)].into_iter().chain(equal).map(|held| Fact::Each(None, Box::new(held))).collect::<Vec<_>>()
    };
    arrays(code).filter(|(_, held)| matches!(held, Type::Array(_))).flat_map(of_array).collect()
}

/// From some number on the cells of an array of numbers or truth values hold what those of a new one do.
fn unwritten(version: usize, code: &Procedure, (array, element): (usize, &Type)) -> Vec<Fact> {
    let each = Atom { version, parameter: array, steps: vec![Step::Each(Sort::from(element))] };
    let is_new = match element {
        Type::Int => Fact::Is(each, 0),
        Type::Bool => Fact::Truth(each, false),
        _ => Fact::Null(each),
    };
    let numbers = parameters(code).iter().enumerate().filter(|(_, local)| local.ty == Type::Int);
    let from = numbers.map(|(parameter, _)| Atom { version, parameter, steps: Vec::new() });
    from.map(|from| Fact::Each(Some(from), Box::new(is_new.clone()))).collect()
}

/// The parameters that are arrays, with the types of their cells.
fn arrays(code: &Procedure) -> impl Iterator<Item = (usize, &Type)> {
    parameters(code).iter().enumerate().filter_map(|(at, local)| match &local.ty {
        Type::Array(element) => Some((at, &**element)),
        _ => None,
    })
}
