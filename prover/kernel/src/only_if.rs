//! What a procedure changes only if something held on entry (rule *Only if*).
//!
//! In: what is said of a procedure. Out: whether it can be said, and its terms.

use crate::bounds::only_if::{MAX_STEPS, MAX_TESTS};
use crate::fact::field_of;
use lang_l::hir::{FieldId, Procedure, Type, Unit};
use serde::{Deserialize, Serialize};
use smt::arena::Arena;
use smt::heap::{Comparison, HeapId, Test, any_holds};
use smt::term::{Selector, Sort, Term};

/// Something that changes only if one of some tests held on entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnlyIf {
    /// What.
    pub what: Changing,
    /// The tests, of the object or of what the parameter refers to, in the heap on entry.
    pub tests: Vec<Test<Operand>>,
}

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changing {
    /// A field, in any object that existed on entry.
    Field(FieldId),
    /// A result: it is another reference than a parameter.
    Result {
        /// Which result.
        result: usize,
        /// Which parameter.
        parameter: usize,
    },
}

/// What a test compares with: a parameter as it was on entry, and a number more where it is a number; or a literal. Of a number the
/// literal is `more`. Of a boolean it is false for 0 and true for 1, and of a reference null, where `more` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operand {
    /// Which parameter.
    pub parameter: Option<usize>,
    /// How much more, or the literal.
    pub more: i64,
}

impl Operand {
    fn term(self, arena: &mut Arena, args: &[Term], sort: Sort) -> Term {
        match (self.parameter, sort) {
            (Some(at), Sort::Int) => {
                let more = arena.terms.int(self.more);
                arena.terms.add(args[at], more)
            }
            (Some(at), _) => args[at],
            (None, Sort::Int) => arena.terms.int(self.more),
            (None, Sort::Ref) => arena.terms.null(),
            (None, _) => arena.terms.bool(self.more != 0),
        }
    }
}

impl OnlyIf {
    /// Its tests, over the arguments of a call.
    pub fn tests(&self, arena: &mut Arena, args: &[Term]) -> Vec<Test<Term>> {
        let said = |test: &Test<Operand>| {
            let sort = test.path.last().map_or(Sort::Ref, |&field| arena.heaps.sort(Selector::Field(field)));
            test.with(|operand| operand.term(arena, args, sort))
        };
        self.tests.iter().map(said).collect()
    }

    /// That one of its tests holds of an object, over the arguments of a call and the heap before.
    pub fn allows(&self, arena: &mut Arena, args: &[Term], heap: HeapId, object: Term) -> Term {
        let tests = self.tests(arena, args);
        any_holds(&tests, &mut arena.heaps, &mut arena.terms, heap, object)
    }

    /// As it is written: `o.next changes only if o.next == null`.
    pub fn words(&self, unit: &Unit, code: &Procedure) -> String {
        let local = |at: usize| code.locals[at].name.as_str();
        let (object, what) = match self.what {
            Changing::Field(field) => ("o", format!("o.{} changes", unit.fields[field.index()].name)),
            Changing::Result { result, parameter } => {
                (local(parameter), format!("{} is not {}", local(code.params + result), local(parameter)))
            }
        };
        let test = |test: &Test<Operand>| {
            let read = test
                .path
                .iter()
                .fold(object.to_owned(), |text, field| format!("{text}.{}", unit.fields[field.index()].name));
            let compare = match test.comparison {
                Comparison::Equal => "==",
                Comparison::Unequal => "!=",
                Comparison::AtMost => "<=",
                Comparison::AtLeast => ">=",
            };
            let ty = test.path.last().map_or(&Type::Ref, |field| &unit.fields[field.index()].ty);
            let value = match (test.value, ty) {
                (Operand { parameter: Some(at), more: 0 }, _) => local(at).to_owned(),
                (Operand { parameter: Some(at), more }, _) => format!("{} + {more}", local(at)),
                (Operand { more, .. }, Type::Int) => more.to_string(),
                (Operand { more, .. }, Type::Bool) => (more != 0).to_string(),
                _ => "null".to_owned(),
            };
            format!("{read} {compare} {value}")
        };
        let tests: Vec<String> = self.tests.iter().map(test).collect();
        format!("{what} only if {}", if tests.is_empty() { "false".to_owned() } else { tests.join(" || ") })
    }

    /// Whether it can be said of a procedure: what is read is there, and of the type that it is compared as.
    pub fn can_be_said(&self, unit: &Unit, code: &Procedure) -> bool {
        let object = match self.what {
            Changing::Field(field) => {
                unit.fields.get(field.index()).map(|own| own.class.map_or(Type::Ref, Type::Class))
            }
            Changing::Result { result, parameter } => {
                let given = code.locals.get(parameter).filter(|_| parameter < code.params);
                let back = code.result_ids().nth(result).map(|id| &code.local(id).ty);
                given.map(|local| local.ty.clone()).filter(|ty| ty.is_reference() && Some(ty) == back)
            }
        };
        let Some(object) = object else { return false };
        self.tests.len() <= MAX_TESTS && self.tests.iter().all(|test| is_typed(unit, code, &object, test))
    }
}

/// Whether a test of an object of a type has a meaning in a procedure.
fn is_typed(unit: &Unit, code: &Procedure, object: &Type, test: &Test<Operand>) -> bool {
    let read = test.path.iter().try_fold(object, |ty, &field| field_of(unit, ty, field));
    let Some(ty) = read.filter(|_| test.path.len() <= MAX_STEPS) else { return false };
    let sort = Sort::from(ty);
    let ordered = matches!(test.comparison, Comparison::AtMost | Comparison::AtLeast);
    let operand = match test.value.parameter {
        Some(at) => {
            let given = code.locals.get(at).filter(|_| at < code.params);
            given.is_some_and(|local| Sort::from(&local.ty) == sort) && (test.value.more == 0 || sort == Sort::Int)
        }
        None => match sort {
            Sort::Int => true,
            Sort::Ref => test.value.more == 0,
            _ => (0..=1).contains(&test.value.more),
        },
    };
    operand && (!ordered || sort == Sort::Int)
}
