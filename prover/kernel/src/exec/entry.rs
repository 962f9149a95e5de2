//! The entry of a procedure: its store, and what may be assumed of it.

use super::source::Source;
use super::state::State;
use super::{ContractView, Executor, before_call};
use lang_l::hir::{Expr, Origin, ProcId, Procedure};
use smt::arena::CallRecord;
use smt::term::Term;

/// The view on entry, what may be assumed there as terms (the pre-conditions; of a loop also what holds whenever it is entered),
/// and whether all of it could be said.
pub fn on_entry(executor: &mut Executor<'_>, id: ProcId) -> (ContractView, Vec<Term>, bool) {
    let code = executor.unit.procedure(executor.version, id);
    let view = view_on_entry(executor.entry(code), code);
    let required = required(&view, code);
    let conditions = code.requires.iter().chain(&executor.effects[id.index()].entry);
    let said: Vec<Option<Term>> = conditions.map(|condition| executor.contract(&required, condition)).collect();
    let sayable = said.iter().all(Option::is_some);
    (view, said.into_iter().flatten().collect(), sayable)
}

/// What a procedure of the source requires may speak of `old`, which changes nothing there. In an invariant it means the entry of another
/// one.
fn required(view: &ContractView, code: &Procedure) -> ContractView {
    let entry = (code.origin == Origin::Source).then(|| Box::new(view.clone()));
    ContractView { entry, ..view.clone() }
}

/// What a contract of a procedure, or of what stands for it, speaks of on entry.
fn view_on_entry(state: State, code: &Procedure) -> ContractView {
    ContractView {
        locals: state.locals,
        globals: state.globals,
        heap: state.heap,
        entry: None,
        freshness: before_call(code),
        existing: Some(Vec::new()),
        at_entry: true,
    }
}

impl Executor<'_> {
    /// Keeps the state on entry, of which `old` speaks.
    pub(super) fn begins(&mut self, state: &State, code: &Procedure) {
        self.began = Some(view_on_entry(state.clone(), code));
    }

    /// What `old` speaks of at a point inside the body that is executed: the store on entry, and the parameters as they were there.
    /// Other variables have their present values.
    pub(super) fn seen_on_entry(&self, state: &State, code: &Procedure) -> Option<Box<ContractView>> {
        let mut entry = self.began.clone()?;
        for at in code.params..code.locals.len() {
            entry.locals.set(at, state.locals[at]);
        }
        Some(Box::new(entry))
    }

    /// Whether a procedure requires of each call what some conditions on the part of the source say for which it stands, one by one.
    pub fn requires_what_is_written(&mut self, source: Source<'_>, written: &[Expr]) -> bool {
        let code = self.code().procedure(source.id);
        let whole = source.unit.procedure(self.version, source.own.site.procedure());
        let theirs = view_on_entry(self.entry(code), code);
        let ours = view_on_entry(self.entry_of_site(source, whole), code);
        code.requires.len() == written.len()
            && code.requires.iter().zip(written).all(|(a, b)| self.contract(&theirs, a) == self.contract(&ours, b))
    }

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
