//! One order for the parameters and results of internal procedures.
//!
//! In: the procedures of both versions, lowered and slimmed. Out: the same, with the parameters and results of internal
//! procedures in order.
//! - Parameters stand by type, by whether all calls within hand them on, by the fields that are looked for in them, and then
//!   in the order in which their values are first looked at.
//! - Results stand by type, then in the order of the parameters they may equal, then of their first assignment.
//!
//! Copying a variable to another does not count as looking at it. So a loop and the helper that takes its place have the
//! same signature, whatever their variables are called and however they are listed.
//!
//! A loop of version 1 may be over variables of the same names as the loop of the same place in version 0. Then it follows
//! that one instead, so that the order in which they are mentioned does not tell the two apart.

use super::dead_arguments::arrange;
use super::draft::Draft;
use lang_l::hir::visit::walk_stmts_mut;
use lang_l::hir::{Block, Expr, ExprKind, FieldId, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// New positions of the parameters and results of a procedure.
#[derive(Clone, Debug, PartialEq)]
struct Arrangement {
    params: Vec<usize>,
    results: Vec<usize>,
}

/// Puts the interfaces of the internal procedures in order. Where there is nothing to compare them with, they stay.
pub(super) fn run(draft: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    if draft.source.versions.len() != 2 {
        return;
    }
    let like = draft.before.unwrap_or_default();
    let arrangement = |id: ProcId| {
        let procedure = &procedures[id.index()];
        let model = like.iter().find(|model| model.name == procedure.name);
        (id, model.and_then(|model| by_names(procedure, model)).unwrap_or_else(|| by_use(id, procedure)))
    };
    let arrangements: BTreeMap<ProcId, Arrangement> = draft.internal(procedures).into_iter().map(arrangement).collect();
    for (&id, Arrangement { params, results }) in &arrangements {
        arrange(&mut procedures[id.index()], params, results);
    }
    for (id, procedure) in (0u32..).map(ProcId).zip(procedures) {
        if let Some(body) = &mut procedure.body {
            calls_and_returns(body, arrangements.get(&id), &arrangements);
        }
    }
}

/// The order of a procedure whose parameters and results go by the same names.
fn by_names(procedure: &Procedure, known: &Procedure) -> Option<Arrangement> {
    let names = |p: &Procedure, ids: &mut dyn Iterator<Item = LocalId>| -> Vec<String> {
        ids.map(|id| p.local(id).name.clone()).collect()
    };
    let place = |wanted: Vec<String>, have: Vec<String>| -> Option<Vec<usize>> {
        // A loop that returns may have a result twice, as its own and as that of the procedure around it.
        let distinct = |names: &[String]| names.iter().collect::<BTreeSet<_>>().len() == names.len();
        let alike = wanted.len() == have.len();
        let fits = alike && (faults::planted("lower/loops/results-permuted") || distinct(&wanted) && distinct(&have));
        fits.then(|| wanted.iter().map(|name| have.iter().position(|other| other == name)).collect())?
    };
    Some(Arrangement {
        params: place(names(known, &mut known.param_ids()), names(procedure, &mut procedure.param_ids()))?,
        results: place(names(known, &mut known.result_ids()), names(procedure, &mut procedure.result_ids()))?,
    })
}

/// By type, then by use.
fn by_use(own: ProcId, procedure: &Procedure) -> Arrangement {
    let mut uses = Uses {
        procedure,
        own,
        changes: vec![false; procedure.params],
        fields: vec![BTreeSet::new(); procedure.params],
        looked_at: Vec::new(),
        assigned: Vec::new(),
        returned: vec![(BTreeSet::new(), usize::MAX); procedure.results],
    };
    if let Some(body) = &procedure.body {
        let entry = (0..procedure.locals.len()).map(|at| (0..procedure.params).filter(|&p| p == at).collect());
        if let Some(end) = uses.block(body, entry.collect()) {
            for (at, id) in procedure.result_ids().enumerate() {
                uses.returns(at, end[id.index()].clone(), Some(id));
            }
        }
    }
    let rank = |param: usize| uses.looked_at.iter().position(|&p| p == param).unwrap_or(usize::MAX);
    let ty = |at: usize| &procedure.locals[at].ty;
    let mut params: Vec<usize> = (0..procedure.params).collect();
    params.sort_by_key(|&param| (ty(param), uses.changes[param], &uses.fields[param], rank(param)));
    let mut results: Vec<usize> = (0..procedure.results).collect();
    results.sort_by_key(|&result| {
        let (may_equal, assigned) = &uses.returned[result];
        (ty(procedure.params + result), may_equal.iter().map(|&p| rank(p)).min().unwrap_or(usize::MAX), *assigned)
    });
    Arrangement { params, results }
}

/// Which parameters each variable may be a copy of.
type Copies = Vec<BTreeSet<usize>>;

/// Goes through a body in the order of the text.
struct Uses<'a> {
    procedure: &'a Procedure,
    /// The procedure's own id.
    own: ProcId,
    /// For each parameter, whether some call of itself gives it anything but what it holds.
    changes: Vec<bool>,
    /// For each parameter, the fields that are looked for in it.
    fields: Vec<BTreeSet<FieldId>>,
    /// Parameters, as their values are looked at.
    looked_at: Vec<usize>,
    /// Variables, as they are assigned something that is no copy.
    assigned: Vec<LocalId>,
    /// For each result, the parameters it may equal, and when it is assigned first.
    returned: Vec<(BTreeSet<usize>, usize)>,
}

impl Uses<'_> {
    fn returns(&mut self, result: usize, copies: BTreeSet<usize>, variable: Option<LocalId>) {
        let assigned = variable.and_then(|id| self.assigned.iter().position(|&other| other == id));
        let (may_equal, first) = &mut self.returned[result];
        may_equal.extend(copies);
        *first = (*first).min(assigned.unwrap_or(usize::MAX));
    }

    fn looks(&mut self, e: &Expr, copies: &Copies) {
        if let ExprKind::Local(id) = e.kind {
            self.looked_at.extend(&copies[id.index()]);
        }
        if let ExprKind::Field(object, field) = &e.kind {
            self.looks_for(object, *field, copies);
        }
        e.parts().into_iter().for_each(|part| self.looks(part, copies));
    }

    fn looks_for(&mut self, object: &Expr, field: FieldId, copies: &Copies) {
        if let ExprKind::Local(id) = object.kind {
            for &param in &copies[id.index()] {
                self.fields[param].insert(field);
            }
        }
    }

    fn assigns(&mut self, place: &Place, copies: &mut Copies) {
        match place {
            Place::Local(id) => {
                copies[id.index()].clear();
                self.assigned.push(*id);
            }
            Place::Global(_) => {}
            Place::Field(object, field) => {
                self.looks_for(object, *field, copies);
                self.looks(object, copies);
            }
            Place::Index(array, index) => {
                self.looks(array, copies);
                self.looks(index, copies);
            }
        }
    }

    fn block(&mut self, block: &Block, mut copies: Copies) -> Option<Copies> {
        for stmt in &block.stmts {
            copies = self.stmt(stmt, copies)?;
        }
        Some(copies)
    }

    fn stmt(&mut self, stmt: &Stmt, mut copies: Copies) -> Option<Copies> {
        if let Some((targets, callee, args)) = stmt.as_call() {
            if callee == self.own {
                for (at, arg) in args.iter().enumerate() {
                    let holds = |id: LocalId| copies[id.index()].len() == 1 && copies[id.index()].contains(&at);
                    self.changes[at] |= !matches!(arg.kind, ExprKind::Local(id) if holds(id));
                }
            }
            args.iter().for_each(|arg| self.looks(arg, &copies));
            targets.iter().for_each(|place| self.assigns(place, &mut copies));
            return Some(copies);
        }
        match &stmt.kind {
            StmtKind::Assign(Place::Local(to), Rhs::Expr(Expr { kind: ExprKind::Local(from), .. })) => {
                copies[to.index()] = copies[from.index()].clone();
            }
            StmtKind::Assign(place, rhs) => {
                if let Rhs::Expr(e) | Rhs::NewArray(_, e) = rhs {
                    self.looks(e, &copies);
                }
                self.assigns(place, &mut copies);
            }
            StmtKind::If(cond, then, els) => {
                self.looks(cond, &copies);
                let left = self.block(then, copies.clone());
                let right = self.block(els, copies);
                return match (left, right) {
                    (Some(mut left), Some(right)) => {
                        left.iter_mut().zip(right).for_each(|(left, right)| left.extend(right));
                        Some(left)
                    }
                    (one, other) => one.or(other),
                };
            }
            StmtKind::Return(values) => {
                let results: Vec<LocalId> = self.procedure.result_ids().collect();
                for (at, &result) in results.iter().enumerate() {
                    let value = values.get(at).map_or(Some(result), |value| match value.kind {
                        ExprKind::Local(id) => Some(id),
                        _ => None,
                    });
                    values.get(at).into_iter().for_each(|value| self.looks(value, &copies));
                    let equal = value.map(|id| copies[id.index()].clone()).unwrap_or_default();
                    self.returns(at, equal, value);
                }
                return None;
            }
            StmtKind::Assert(e) | StmtKind::Assume(e) => self.looks(e, &copies),
            StmtKind::Call { .. } | StmtKind::While { .. } | StmtKind::Break | StmtKind::Continue => {}
        }
        Some(copies)
    }
}

/// Puts the arguments, targets and returned values of a body into the new orders.
fn calls_and_returns(body: &mut Block, own: Option<&Arrangement>, arrangements: &BTreeMap<ProcId, Arrangement>) {
    walk_stmts_mut(body, &mut |stmt| match &mut stmt.kind {
        StmtKind::Call { targets, callee, args } => {
            if let Some(Arrangement { params, results }) = arrangements.get(callee) {
                if !faults::planted("lower/order/arguments-kept") {
                    *args = params.iter().map(|&at| args[at].clone()).collect();
                }
                if !targets.is_empty() {
                    *targets = results.iter().map(|&at| targets[at].clone()).collect();
                }
            }
        }
        StmtKind::Assign(_, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) => {
            if let Some(Arrangement { params, .. }) = arrangements.get(callee) {
                *args = params.iter().map(|&at| args[at].clone()).collect();
            }
        }
        StmtKind::Return(values) if !values.is_empty() && !faults::planted("lower/order/returns-kept") => {
            if let Some(Arrangement { results, .. }) = own {
                *values = results.iter().map(|&at| values[at].clone()).collect();
            }
        }
        _ => {}
    });
}
