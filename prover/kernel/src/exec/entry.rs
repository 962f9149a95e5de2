//! The entry of a procedure: its store, and what may be assumed of it.

use super::{ContractView, Executor, before_call};
use lang_l::hir::{Expr, ProcId};
use smt::arena::CallRecord;
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

impl Executor<'_> {
    /// A condition on the entry of a procedure, as it is to hold of a call of it; `None` when terms cannot say it.
    pub fn condition_at(&mut self, record: &CallRecord, condition: &Expr) -> Option<Term> {
        let code = self.code().procedure(record.callee);
        let view = ContractView {
            locals: self.frame(code, &record.args),
            globals: record.globals.iter().copied().collect(),
            heap: record.heap,
            entry: None,
            freshness: before_call(code),
            existing: None,
            at_entry: false,
        };
        self.contract(&view, condition)
    }
}
