//! What a call leaves when it returns: the heap and the results.
//!
//! In: the record of a call, and what it may change. Out: the heap and the results that the caller goes on with.

use crate::effects::Effects;
use crate::only_if::Changing;
use crate::places::Place;
use lang_l::hir::Procedure;
use smt::arena::{Arena, CallRecord};
use smt::heap::{ChangesOnlyIf, Footprint, HeapId, Left};
use smt::term::{Func, Sort, Term};

/// A heap in which some places hold symbols of their own.
pub(super) fn with_own_places(
    arena: &mut Arena,
    mut heap: HeapId,
    places: &[Place],
    symbol: &dyn Fn(u32) -> Func,
) -> HeapId {
    for own in places {
        let &Place { object, selector, index, .. } = own;
        let sort = arena.heaps.sort(selector);
        let value = arena.terms.app(symbol(own.symbol), &[], sort);
        heap = arena.heaps.store(heap, selector, object, index, value);
    }
    heap
}

/// What a call leaves as it was (rule *Only if*, and what its relation says).
fn left(arena: &mut Arena, effects: &Effects, args: &[Term]) -> Left {
    let mut only_if = Vec::new();
    for own in &effects.changes_only_if {
        if let Changing::Field(field) = own.what {
            only_if.push(ChangesOnlyIf { field, tests: own.tests(arena, args) });
        }
    }
    Left { kept: effects.returned.kept.clone(), only_if }
}

/// The heap that a call leaves and its results, given what it may change.
pub fn returned(
    arena: &mut Arena,
    (effects, code): (&Effects, &Procedure),
    record: &CallRecord,
    footprint: Footprint,
) -> (HeapId, Vec<Term>) {
    let left = left(arena, effects, &record.args);
    let heap = arena.heaps.call_that_leaves(record.heap, record.call, footprint, left);
    let symbol = |at: u32| Func::Result(record.call, at);
    let results: Vec<Term> = (code.result_ids().zip(effects.numbers_of_results(code.results)).enumerate())
        .map(|(result, (id, at))| match effects.given_back(result) {
            Some(parameter) => record.args[parameter],
            None => {
                let ty = &code.local(id).ty;
                let result = arena.terms.app(symbol(at), &[], Sort::from(ty));
                arena.terms.declare(result, ty);
                result
            }
        })
        .collect();
    let given = [record.args.as_slice(), &results].concat();
    let places: Vec<Place> =
        (effects.returned.apart.iter()).filter_map(|spot| spot.place(|at, _| given.get(at).copied())).collect();
    (with_own_places(arena, heap, &places, &symbol), results)
}
