//! In what two versions differ wherever a condition holds: what runs propose, proved.
//!
//! In: a condition that is to hold of stores that differ. Out: by how much outputs differ, or how they compare with a value.
//!
//! Invariant: rules *Put right* and *Values apart*.

use super::tell::{self, Apart, Shift};
use super::{Condition, Learner};
use crate::budget::learned::{MAX_APART, MAX_UNDECIDED, SHARE};
use crate::diff::kinds::rows::Told;
use crate::diff::outputs::Place;
use crate::diff::proof;
use crate::diff::text::text;
use crate::diff::twin::{self, After, Output};
use crate::search::concrete::{Meeting, Sample};
use lang_l::hir::{BinOp, Expr, ExprKind, Type};
use smt::solve::Solver;
use smt::term::{Func, Selector, Sort, Term};

impl Learner<'_> {
    /// In what the two differ wherever the condition holds, where that is proved.
    pub(super) fn differs(&mut self, condition: &Condition, solver: &mut Solver) -> Option<Told> {
        let unit = &self.look.task.source.unit;
        let procedure = unit.versions[0].procedure(self.look.comparison.pair.0);
        let results: Vec<Type> = procedure.result_ids().map(|id| procedure.local(id).ty.clone()).collect();
        let outputs = tell::outputs(unit, &results);
        let samples: Vec<Sample> =
            self.samples.iter().filter(|sample| sample.meeting == Meeting::Differ).cloned().collect();
        let samples: Vec<&Sample> = samples.iter().collect();
        if samples.is_empty() {
            return None;
        }
        let numbers = self.numbers();
        let shifts = tell::shifts(unit, &samples, &outputs, &numbers, &mut self.look.arena);
        let ways = tell::apart(unit, &samples, &outputs, &numbers, &mut self.look.arena);
        let by_values = |learner: &mut Self, solver: &mut Solver| {
            ways.iter().take(MAX_APART).find_map(|&way| learner.values_apart(condition, way, solver))
        };
        // Loops that search are told apart by what they find, and a result that is true or false by what it is: each version is asked
        // alone then.
        let are_told = |shifts: &Vec<Shift>| shifts.iter().all(|(_, by)| by.is_none());
        let values_first = self.is_kept_by_loops(condition) || shifts.as_ref().is_some_and(are_told);
        if values_first && let Some(told) = by_values(self, solver) {
            return Some(told);
        }
        let told = shifts.and_then(|shifts| self.put_right(condition, &shifts, solver));
        told.or_else(|| if values_first { None } else { by_values(self, solver) })
    }

    /// Whether what one leaves is what the other does once these outputs are put right.
    fn put_right(&mut self, condition: &Condition, shifts: &[Shift], solver: &mut Solver) -> Option<Told> {
        let zero = self.look.arena.terms.int(0);
        let mut parts = Vec::new();
        for (_, by) in shifts {
            parts.push(match by {
                Some(by) => {
                    let same = self.look.arena.terms.eq(*by, zero);
                    self.look.arena.terms.not(same)
                }
                None => self.look.arena.terms.bool(true),
            });
        }
        let differ = self.look.arena.terms.or(&parts);
        if !self.look.follows(condition.term, differ, solver) {
            return None;
        }
        let mut after = Vec::new();
        for &(output, by) in shifts {
            after.push(match by {
                Some(by) => (output, Some(self.expr(by)?)),
                None => (output, None),
            });
        }
        let proved = self.asked(condition, [&After::Nothing, &After::PutRight(after)], solver);
        if !proved.equal || !proved.returns {
            return None;
        }
        let shifts = shifts.iter().map(|&(output, by)| (place(output), by)).collect();
        Some(Told::Shifted(shifts))
    }

    /// Whether an output is so in one version, and not in the other.
    fn values_apart(&mut self, condition: &Condition, way: Apart, solver: &mut Solver) -> Option<Told> {
        let value = self.expr(way.value)?;
        let [left, right] = way.ops.map(|op| After::Compare(way.output, op, value.clone()));
        let sides = [[&left, &After::Said], [&After::Said, &right]];
        let all = sides.into_iter().all(|after| self.asked(condition, after, solver).equal);
        all.then(|| Told::Apart(place(way.output), way.ops, way.value))
    }

    /// What is proved of the two where a condition holds.
    pub(super) fn asked(&self, condition: &Condition, after: [&After; 2], solver: &mut Solver) -> twin::Proved {
        let (unit, pair) = (&self.look.task.source.unit, self.look.comparison.pair);
        let mut of_cells: Vec<&Expr> = Vec::new();
        condition.expr.walk(&mut |part| {
            if matches!(part.kind, ExprKind::Quant { forall: false, .. }) {
                of_cells.push(part);
            }
        });
        let question = twin::Question { unit, pair, condition: &condition.expr, after, of_cells: &of_cells };
        solver.with_share(SHARE, |solver| solver.with_patience(MAX_UNDECIDED, |solver| twin::proved(question, solver)))
    }

    /// Whether a condition speaks of many cells, and loops have to keep it.
    pub(super) fn is_kept_by_loops(&self, condition: &Condition) -> bool {
        let is_quantified = condition.expr.any(&|part| matches!(part.kind, ExprKind::Quant { .. }));
        let (left, right) = self.look.comparison.pair;
        let effects = &self.look.task.program.effects;
        is_quantified && !effects[0][left.index()].recursive(left) && !effects[1][right.index()].recursive(right)
    }

    /// A value as an expression over the parameters.
    fn expr(&mut self, value: Term) -> Option<Expr> {
        let said = text(self.look.names(), &self.look.arena, value)?.text;
        let (zero, is_bool) = match self.look.arena.terms.sort(value) {
            Sort::Int => ("0", false),
            Sort::Bool => ("true", true),
            _ => return None,
        };
        let read = proof::read(self.look.task.source, self.look.comparison.pair, None, &format!("({said}) == {zero}"))?;
        let ExprKind::Binary(BinOp::Eq, read, _) = read.kind else { return None };
        let wanted = if is_bool { Type::Bool } else { Type::Int };
        (read.ty == wanted).then_some(*read)
    }

    /// Numbers on entry that outputs may differ by: of parameters, of lengths, fields and cells of what they refer to, of globals.
    fn numbers(&mut self) -> Vec<Term> {
        let unit = &self.look.task.source.unit;
        let procedure = unit.versions[0].procedure(self.look.comparison.pair.0);
        let arena = &mut self.look.arena;
        let mut found: Vec<Term> = Vec::new();
        let mut referring: Vec<(Term, &Type)> = Vec::new();
        for (at, local) in (0u32..).zip(&procedure.locals[..procedure.params]) {
            let param = arena.terms.app(Func::Param(at), &[], Sort::from(&local.ty));
            match &local.ty {
                Type::Int => found.push(param),
                Type::Bool => {}
                ty => referring.push((param, ty)),
            }
        }
        let indices = found.clone();
        for (at, global) in (0u32..).zip(&unit.globals) {
            if global.ty == Type::Int {
                found.push(arena.terms.app(Func::Global(at), &[], Sort::Int));
            }
        }
        for (object, ty) in referring {
            match ty {
                Type::Array(element) => {
                    let length = arena.heaps.length(&mut arena.terms, object);
                    found.push(length);
                    let one = arena.terms.int(1);
                    let mut at = vec![arena.terms.int(0), arena.terms.sub(length, one)];
                    for &index in &indices {
                        at.extend([index, arena.terms.sub(index, one)]);
                    }
                    if **element == Type::Int {
                        let cell = Func::Initial(Selector::Cell(Sort::Int));
                        found.extend(at.into_iter().map(|at| arena.terms.app(cell, &[object, at], Sort::Int)));
                    }
                }
                Type::Class(class) => {
                    for &field in &unit.classes[class.index()].fields {
                        if unit.fields[field.index()].ty == Type::Int {
                            let read = Func::Initial(Selector::Field(field));
                            found.push(arena.terms.app(read, &[object], Sort::Int));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Where an output is found in both.
fn place(output: Output) -> Place {
    match output {
        Output::Result(at) => Place::Result(at),
        Output::Global(id) => Place::Global(id.index()),
    }
}
