//! The entry of a procedure: its store, and what may be assumed of it.

use super::{ContractView, Executor, before_call};
use lang_l::hir::ProcId;
use smt::term::Term;

/// The view on entry, what may be assumed there as terms (the pre-conditions; of a loop also what holds whenever it is entered),
/// and whether all of it could be said.
pub fn on_entry(executor: &mut Executor<'_>, id: ProcId) -> (ContractView, Vec<Term>, bool) {
    let code = executor.unit.procedure(executor.version, id);
    let state = executor.entry(code);
    let view = ContractView {
        locals: state.locals,
        globals: state.globals,
        heap: state.heap,
        entry: None,
        freshness: before_call(code),
        existing: Some(Vec::new()),
        at_entry: true,
    };
    let conditions = code.requires.iter().chain(&executor.effects[id.index()].entry);
    let said: Vec<Option<Term>> = conditions.map(|condition| executor.contract(&view, condition)).collect();
    let sayable = said.iter().all(Option::is_some);
    (view, said.into_iter().flatten().collect(), sayable)
}
