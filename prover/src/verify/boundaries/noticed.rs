//! Procedures that are the same code, and call what differs: perhaps they do not notice.
//!
//! In: a program, and which of its pairs were refuted. Out: statements of such procedures that do the same in both versions, although what
//! they call does not; or whether a procedure is proved to do the same with them.
//!
//! Rule *Outlining*, to which the kernel sees: once these statements are procedures, who calls them calls what is equivalent.

use super::Work;
use super::part::{Names, callees, is_same_code, part};
use super::prove::{Found, prove_cut};
use crate::budget::boundaries::{MAX_CLIENTS, MAX_ROUNDS};
use crate::goal::Pair;
use crate::search::concrete;
use crate::search::witness::RunPair;
use kernel::outline::cuts::{Cut, part_of};
use lang_l::hir::Unit;
use smt::solve::Solver;

/// The statements that are to become procedures, in those of some pairs that call what was refuted; none in such as would still call it
/// then.
pub(crate) fn cuts(unit: &Unit, pairs: &[Pair], refuted: &[Pair], solver: &mut Solver) -> Vec<Cut> {
    let name = |pair: &Pair| {
        let names = [unit.procedure(0, pair.0), unit.procedure(1, pair.1)].map(|code| &code.name);
        (names[0] == names[1]).then(|| names[0].clone())
    };
    let unequal: Names = refuted.iter().filter_map(name).filter(|name| !is_same_code(unit, name)).collect();
    if unequal.is_empty() {
        return Vec::new();
    }
    let is_client = |pair: &&Pair| !refuted.contains(pair) && unit.procedure(0, pair.0).body.is_some();
    let mut clients: Vec<String> = pairs.iter().filter(is_client).filter_map(name).collect();
    clients.retain(|name| {
        let is_whole = part_of(name).is_none();
        is_whole && is_same_code(unit, name) && !callees(unit, name).is_disjoint(&unequal)
    });
    // Callees first: who calls what does the same calls nothing that differs.
    clients.sort_by_key(|name| callees(unit, name).len());
    let mut work = Work { tests: true, ..Work::new(unit.clone(), Names::new(), unequal) };
    for name in clients.into_iter().take(MAX_CLIENTS) {
        let before = work.clone();
        match solver.attempt(|solver| work.search(&name, MAX_ROUNDS, solver)) {
            Ok(_) if work.open(&name).is_empty() => {
                work.equal.insert(name);
            }
            Ok(_) => work = before,
            Err(_) => return before.cuts,
        }
    }
    work.cuts
}

/// Whether the two procedures of a pair, which are the same code, are proved to do the same although what they call does not; `equal`
/// names what does.
pub(crate) fn is_unaffected(unit: &Unit, pair: Pair, equal: &Names, solver: &mut Solver) -> bool {
    let run = RunPair { unit, left: pair.0, right: pair.1, when: None };
    let is_client = is_same_code(unit, &unit.procedure(0, pair.0).name);
    is_client && !concrete::differs(&run, concrete::SearchBudget::QUICK) && is_proved(unit, pair, equal, solver)
}

/// The same, had nobody looked for a difference first.
pub(crate) fn is_proved(unit: &Unit, pair: Pair, equal: &Names, solver: &mut Solver) -> bool {
    let name = unit.procedure(0, pair.0).name.clone();
    if !is_same_code(unit, &name) {
        return false;
    }
    let roots = Names::from([name.clone()]);
    let small = part(unit, &roots);
    let is_unequal = |callee: &String| !equal.contains(callee) && !is_same_code(unit, callee);
    let unequal: Names = callees(unit, &name).into_iter().filter(is_unequal).collect();
    let mut work = Work { tests: true, ..Work::new(small.clone(), equal.clone(), unequal) };
    work.search(&name, MAX_ROUNDS, solver);
    let but = &work.unequal;
    let proved = |solver: &mut Solver| prove_cut((&small, &work.cuts), but, [&Names::new(), &roots], solver);
    !work.cuts.is_empty() && proved(solver).get(&name).is_some_and(Found::is_equal)
}
