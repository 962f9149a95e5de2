//! Of which types references are: what quantifiers over references range over.
//!
//! In: references, and what a program declares. Out: the type of each symbol, by what it stands for.
//!
//! A type is one of a symbol, and never of what is read somewhere: on a path that no run takes, what is read at a type can be anything,
//! as the solver is not told that arrays of other elements are other objects (rule *Instances*).
//!
//! Invariant: each type is one that a program declares for all that the symbol can stand for. What has none is ranged over by nothing.

use super::{Func, Kind, Node, Origin, Selector, Sort, Term, Terms};
use lang_l::hir::{Type, Unit};
use rustc_hash::FxHashMap as HashMap;

/// What is declared.
#[derive(Debug, Default)]
pub(super) struct Types {
    /// The types that quantified variables have.
    bound: Vec<Type>,
    /// Those of parameters and results; `None` where several procedures have another one by this name.
    declared: HashMap<Term, Option<Type>>,
    fields: Vec<Type>,
    globals: Vec<Type>,
    has_classes: bool,
}

impl Terms {
    /// Takes over what a program declares.
    pub(crate) fn of_program(&mut self, unit: &Unit) {
        self.types.fields = unit.fields.iter().map(|field| field.ty.clone()).collect();
        self.types.globals = unit.globals.iter().map(|global| global.ty.clone()).collect();
        self.types.has_classes = !unit.classes.is_empty();
    }

    /// Says that a parameter or result is declared with this type.
    pub fn declare(&mut self, symbol: Term, ty: &Type) {
        if ty.is_reference() {
            let known = self.types.declared.entry(symbol).or_insert_with(|| Some(ty.clone()));
            if known.as_ref() != Some(ty) {
                *known = None;
            }
        }
    }

    /// The variable of a quantifier within `depth` others.
    pub fn bound(&mut self, depth: u32, ty: &Type) -> Term {
        let known = &mut self.types.bound;
        let at = known.iter().position(|known| known == ty).unwrap_or_else(|| {
            known.push(ty.clone());
            known.len() - 1
        });
        self.app(Func::Bound(depth, u32::try_from(at).unwrap_or(u32::MAX)), &[], Sort::from(ty))
    }

    /// Whether a quantifier's variable ranges over this reference: it is of just the variable's type. Null is of every type, and all are
    /// references where there are classes.
    pub fn ranges_over(&self, bound: Term, reference: Term) -> bool {
        let Some(wanted) = self.type_of(bound) else { return false };
        let null = *self.node(reference) == Node::Null;
        let all = wanted == Type::Ref && self.types.has_classes;
        null || self.type_of(reference).is_some_and(|ty| ty == wanted || all)
    }

    /// The type of what a reference stands for, where it is a symbol.
    fn type_of(&self, reference: Term) -> Option<Type> {
        let Node::App(func, args) = self.node(reference) else { return None };
        match *func {
            Func::Param(_) | Func::Result(..) => self.types.declared.get(&reference)?.clone(),
            Func::Global(at) | Func::GlobalAfter(_, at) => self.types.globals.get(at as usize).cloned(),
            Func::Initial(Selector::Field(field)) | Func::Effect(_, Selector::Field(field)) => {
                self.types.fields.get(field.index()).cloned()
            }
            Func::Initial(Selector::Cell(_)) | Func::Effect(_, Selector::Cell(_)) => {
                match self.type_of(*args.first()?)? {
                    Type::Array(element) => Some(*element),
                    _ => None,
                }
            }
            Func::Bound(_, at) => self.types.bound.get(at as usize).cloned(),
            Func::Witness(of) => match self.node(of) {
                Node::Forall(bound, _) => self.type_of(*bound),
                _ => None,
            },
            Func::New(alloc) => match self.origin(alloc) {
                Origin::New(Kind::Object(class)) => Some(class.map_or(Type::Ref, Type::Class)),
                Origin::New(Kind::Array(element, _)) => Some(Type::Array(Box::new(element.clone()))),
                _ => None,
            },
            _ => None,
        }
    }
}
