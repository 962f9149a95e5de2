//! Paths through a heap: whether one object is reached from another.
//!
//! In: a heap and two references. Out: a condition over the heap on entry, or nothing where terms cannot say it.

use super::{HeapId, HeapNode, Heaps};
use crate::stop;
use crate::term::{Func, Node, Sort, Term, Terms};
use lang_l::hir::{Type, Unit};

impl Heaps {
    /// Looks whether the program has arrays of references: for whoever makes conditions about paths.
    pub fn look_for_reference_cells(&mut self, unit: &Unit) {
        self.reference_cells.get_or_insert_with(|| has_reference_cells(unit));
    }

    /// Whether there may be an array of references.
    pub fn has_reference_cells(&self) -> bool {
        self.reference_cells.unwrap_or(true)
    }

    /// Whether there is a path from one reference to another in this heap; `None` when terms cannot say it.
    ///
    /// Rule *Paths*:
    /// - a write of anything but a reference changes no path;
    /// - a new edge from an object that the start does not reach makes no path;
    /// - a new edge in place of null makes the paths that go through it.
    pub fn path(&mut self, terms: &mut Terms, heap: HeapId, from: Term, to: Term) -> Option<Term> {
        if let Some(&known) = self.paths.get(&(heap, from, to)) {
            return known;
        }
        stop::check();
        let path = self.new_path(terms, heap, from, to);
        self.paths.insert((heap, from, to), path);
        path
    }

    fn new_path(&mut self, terms: &mut Terms, heap: HeapId, from: Term, to: Term) -> Option<Term> {
        match self.node(heap).clone() {
            HeapNode::Initial => Some(terms.app(Func::Reach, &[from, to], Sort::Bool)),
            HeapNode::Store { prev, selector, object, index, value } => {
                let before = self.path(terms, prev, from, to)?;
                if self.sort(selector) != Sort::Ref {
                    return Some(before);
                }
                let touched = self.path(terms, prev, from, object)?;
                let null = terms.null();
                let old = self.read(terms, prev, selector, object, index);
                let was_null = terms.eq(old, null);
                let rest = self.path(terms, prev, value, to)?;
                let through = terms.or(&[before, rest]);
                let changed = match terms.as_bool(was_null) {
                    Some(true) => through,
                    _ if terms.is_false(touched) => before,
                    // An arbitrary boolean belongs to one start and one end: not to all values of a variable that is bound.
                    _ if is_open(terms, &[from, to]) => return None,
                    _ => {
                        let unknown = terms.skolem_int();
                        let zero = terms.int(0);
                        let unknown = terms.eq(unknown, zero);
                        terms.ite(was_null, through, unknown)
                    }
                };
                Some(terms.ite(touched, changed, before))
            }
            HeapNode::Fill { prev, fill } => {
                if self.sort(fill.selector) == Sort::Ref {
                    None
                } else {
                    self.path(terms, prev, from, to)
                }
            }
            HeapNode::Call { prev, call, .. } => {
                let writes = self.footprint(call).writes.clone();
                if writes.iter().any(|&selector| self.sort(selector) == Sort::Ref) {
                    return None;
                }
                self.path(terms, prev, from, to)
            }
            HeapNode::Join { cond, then, els } => {
                let then = self.path(terms, then, from, to)?;
                let els = self.path(terms, els, from, to)?;
                Some(terms.ite(cond, then, els))
            }
        }
    }
}

/// Whether a bound variable is in some terms.
fn is_open(terms: &Terms, of: &[Term]) -> bool {
    terms.parts_of(of).into_iter().any(|part| matches!(terms.node(part), Node::App(Func::Bound(..), _)))
}

/// Whether a variable or field can hold an array of references; one of any class may be such an array itself.
fn has_reference_cells(unit: &Unit) -> bool {
    let holds = |ty: &Type| match ty {
        Type::Array(element) => element.is_reference(),
        Type::Ref => !unit.classes.is_empty(),
        _ => false,
    };
    let procedures = unit.versions.iter().flat_map(|version| &version.procedures);
    unit.fields.iter().any(|field| holds(&field.ty))
        || unit.globals.iter().any(|global| holds(&global.ty))
        || procedures.flat_map(|procedure| &procedure.locals).any(|local| holds(&local.ty))
}
