//! Heaps and reachability, as SMT-LIB text.
//!
//! In: the program's tables. Out: the part of a query that is the same for every pair of the program, and formulas that
//! other parts are made of.
//!
//! A heap is a map from an object and a field to a value, read by `read`; `alloc` is a field. Integers and booleans are
//! wrapped to be values. Null and what is not allocated have default fields. `reach h r a` says that a path of reference
//! fields, of length 0 or more, leads from `r` to `a` in `h`.
//!
//! Invariant: every axiom is true of all heaps, with `wrote` and `same_edges` read as definitions; no axiom makes a term
//! that matches its own trigger for ever.

use crate::lower::Lowered;
use lang_l::hir::{FieldId, Type};
use std::fmt::Write;

/// Sorts, functions and axioms.
pub(super) fn preamble(unit: &Lowered) -> String {
    let mut text = String::from(SORTS);
    let mut fields = vec!["alloc".to_string()];
    for (at, field) in (0u32..).zip(unit.fields()) {
        let symbol = self::field(unit, FieldId(at));
        let _ = writeln!(text, "(declare-const {symbol} Field)");
        if field.ty.is_reference() {
            let _ = writeln!(text, "(assert (ref_field {symbol}))");
        }
        let _ = writeln!(text, "(assert (= (default {symbol}) {}))", default(&field.ty));
        fields.push(symbol);
    }
    if fields.len() > 1 {
        let _ = writeln!(text, "(assert (distinct {}))", fields.join(" "));
    }
    text.push_str(REACH);
    text
}

const SORTS: &str = "\
; The heap: a map from (object, field) to value; `alloc` is a field.
(declare-sort Value 0)
(declare-sort Field 0)
(declare-sort Heap 0)
(declare-sort Strategy 0)
(declare-sort Call 0)
(declare-const null Value)
(declare-const yes Value)
(declare-const no Value)
(declare-fun of_int (Int) Value)
(declare-fun int_of (Value) Int)
(assert (not (= yes no)))
(assert (forall ((n Int)) (! (= (int_of (of_int n)) n) :pattern ((of_int n)))))
(declare-fun read (Heap Value Field) Value)
(declare-const alloc Field)
(declare-fun ref_field (Field) Bool)
(declare-fun default (Field) Value)
(define-fun allocated ((h Heap) (a Value)) Bool (= (read h a alloc) yes))
(declare-fun wrote (Heap Heap Value Field Value) Bool)
(assert (forall ((h Heap) (k Heap) (x Value) (g Field) (v Value) (a Value) (f Field))
  (! (=> (wrote h k x g v) (= (read k a f) (ite (and (= a x) (= f g)) v (read h a f))))
     :pattern ((wrote h k x g v) (read k a f)))))
";

const REACH: &str = "
; Figure 9: reachability, under hand-picked triggers: objects written, objects that calls are given, objects observed.
(declare-fun reach (Heap Value Value) Bool)
(declare-fun same_edges (Heap Heap) Bool)
; null reaches null alone
(assert (forall ((h Heap) (a Value)) (! (=> (reach h null a) (= a null)) :pattern ((reach h null a)))))
; every object reaches itself
(assert (forall ((h Heap) (a Value)) (! (reach h a a) :pattern ((reach h a a)))))
; a path after a write is a path before it, or leads over the new edge
(assert (forall ((h Heap) (k Heap) (x Value) (g Field) (v Value) (r Value) (a Value))
  (! (=> (and (wrote h k x g v) (ref_field g) (reach k r a))
         (or (reach h r a) (and (not (= v null)) (reach h r x) (reach h v a))))
     :pattern ((wrote h k x g v) (ref_field g) (reach k r a)))))
; what is no reference makes no edge
(assert (forall ((h Heap) (k Heap) (r Value) (a Value))
  (! (=> (same_edges h k) (= (reach k r a) (reach h r a))) :pattern ((same_edges h k) (reach k r a)))))

; Figure 4, `SameDiff`: where either call has changed anything, the heaps after them are equal.
(declare-fun same_diff (Heap Heap Heap Heap) Bool)
(assert (forall ((pre0 Heap) (post0 Heap) (pre1 Heap) (post1 Heap) (a Value) (f Field))
  (! (=> (and (same_diff pre0 post0 pre1 post1)
              (or (not (= (read pre0 a f) (read post0 a f))) (not (= (read pre1 a f) (read post1 a f)))))
         (= (read post0 a f) (read post1 a f)))
     :pattern ((same_diff pre0 post0 pre1 post1) (read post0 a f))
     :pattern ((same_diff pre0 post0 pre1 post1) (read post1 a f)))))
; what the one allocates the other does: names are given out to matched calls alone
(assert (forall ((pre0 Heap) (post0 Heap) (pre1 Heap) (post1 Heap) (a Value))
  (! (=> (and (same_diff pre0 post0 pre1 post1)
              (or (and (allocated post0 a) (not (allocated pre0 a))) (and (allocated post1 a) (not (allocated pre1 a)))))
         (and (not (allocated pre0 a)) (not (allocated pre1 a))))
     :pattern ((same_diff pre0 post0 pre1 post1) (read post0 a alloc))
     :pattern ((same_diff pre0 post0 pre1 post1) (read post1 a alloc)))))
";

/// The heap `h` is one that a program can have, whenever `when` holds: for the initial heap and those after calls.
pub(super) fn well_formed(h: &str, when: &str) -> String {
    format!(
        "; {h} is well-formed
(assert (=> {when} (not (allocated {h} null))))
(assert (forall ((a Value) (f Field))
  (! (=> {when} (or (allocated {h} a) (= f alloc) (= (read {h} a f) (default f)))) :pattern ((read {h} a f)))))
(assert (forall ((a Value) (f Field))
  (! (=> (and {when} (ref_field f)) (or (= (read {h} a f) null) (allocated {h} (read {h} a f))))
     :pattern ((read {h} a f) (ref_field f)))))
(assert (forall ((r Value) (a Value))
  (! (=> (and {when} (reach {h} r a)) (or (= r a) (and (allocated {h} r) (allocated {h} a)))) :pattern ((reach {h} r a)))))
"
    )
}

/// The heaps agree on all that `roots` reach in the first: then they reach the same in both. Only to be proved, never to be
/// assumed: it has no trigger.
pub(super) fn agree(h: &str, k: &str, roots: &[String]) -> String {
    let reached = any(roots.iter().map(|root| format!("(reach {h} {root} a)")));
    format!("(forall ((a Value) (f Field)) (=> (and {reached} (not (= f alloc))) (= (read {h} a f) (read {k} a f))))")
}

/// A field's symbol.
pub(super) fn field(unit: &Lowered, id: FieldId) -> String {
    let field = &unit.fields()[id.index()];
    let class = field.class.map_or("", |class| unit.classes()[class.index()].name.as_str());
    format!("|{class}.{}|", field.name)
}

/// The default of a type, as a value.
pub(super) fn default(ty: &Type) -> &'static str {
    match ty {
        Type::Int => "(of_int 0)",
        Type::Bool => "no",
        _ => "null",
    }
}

/// The sort that holds variables of a type.
pub(super) fn sort(ty: &Type) -> &'static str {
    match ty {
        Type::Int => "Int",
        Type::Bool => "Bool",
        _ => "Value",
    }
}

/// A term of a type as a value.
pub(super) fn wrap(ty: &Type, term: &str) -> String {
    match ty {
        Type::Int => format!("(of_int {term})"),
        Type::Bool => format!("(ite {term} yes no)"),
        _ => term.to_string(),
    }
}

/// A value as a term of a type.
pub(super) fn unwrap(ty: &Type, value: &str) -> String {
    match ty {
        Type::Int => format!("(int_of {value})"),
        Type::Bool => format!("(= {value} yes)"),
        _ => value.to_string(),
    }
}

/// What is known of a value for its type alone.
pub(super) fn typed(ty: &Type, value: &str) -> Option<String> {
    match ty {
        Type::Int => Some(format!("(assert (= (of_int (int_of {value})) {value}))\n")),
        Type::Bool => Some(format!("(assert (or (= {value} yes) (= {value} no)))\n")),
        _ => None,
    }
}

/// A conjunction.
pub(super) fn all(parts: impl IntoIterator<Item = String>) -> String {
    joined("and", "true", parts)
}

/// A disjunction.
pub(super) fn any(parts: impl IntoIterator<Item = String>) -> String {
    joined("or", "false", parts)
}

fn joined(op: &str, none: &str, parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> =
        parts.into_iter().filter(|part| part != if op == "and" { "true" } else { "false" }).collect();
    match parts.as_slice() {
        [] => none.to_string(),
        [one] => one.clone(),
        _ => format!("({op} {})", parts.join(" ")),
    }
}
