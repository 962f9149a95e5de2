//! Types that are not all known yet: union-find with the reason each type was settled.
//!
//! In: equations and flows found by the other files of this stage. Out: [`hir::Type`]s, or a [`Clash`] with both reasons.
//!
//! Invariant: knows no names and reports nothing; who asks turns a [`Clash`] into a diagnostic.
//! Invariant: [`Shape::Wrong`] agrees with everything, so that one mistake is reported once.

use crate::hir::{self, ClassId, DEEPEST_ARRAY};
use crate::source::Span;

/// A type, known or not: an index into [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ty(pub(super) u32);

/// The stand-in for a type that is still being found out.
pub(super) fn provisional(ty: Ty) -> hir::Type {
    hir::Type::Class(ClassId(ty.0))
}

/// What a stand-in stands for.
pub(super) fn provisional_ty(ty: &hir::Type) -> Ty {
    match ty {
        hir::Type::Class(stand_in) => Ty(stand_in.0),
        _ => unreachable!("a type is provisional until it is settled"),
    }
}

/// Why a type is what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason {
    /// The place that made it so.
    pub(super) span: Span,
    /// Completes "`int`, because …".
    pub(super) why: &'static str,
}

/// What is known of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// Nothing yet; `true` when it must be a reference.
    Open(bool),
    /// `int`
    Int,
    /// `bool`
    Bool,
    /// `ref`
    Ref,
    /// A class.
    Class(ClassId),
    /// An array of these.
    Array(Ty),
    /// The type of something that was reported already.
    Wrong,
}

/// Two types that cannot be one.
#[derive(Clone, Debug)]
pub(super) struct Clash {
    /// The type there is.
    pub(super) found: (Shape, Reason),
    /// The type that is needed.
    pub(super) needed: (Shape, Reason),
    /// The one would have to contain the other, or a type would nest too deeply.
    pub(super) endless: bool,
}

enum Node {
    Link(Ty),
    Root(Shape, Reason),
}

/// All types of one run.
#[derive(Default)]
pub(super) struct Types {
    nodes: Vec<Node>,
    /// Whether an array may go to a `ref`. Not where there are no classes: there a `ref` has every field, and is a type
    /// like any other.
    pub(super) array_is_ref: bool,
}

impl Types {
    /// A type with this shape.
    pub(super) fn add(&mut self, shape: Shape, span: Span, why: &'static str) -> Ty {
        let ty = Ty(u32::try_from(self.nodes.len()).expect("fewer types than bytes of source"));
        self.nodes.push(Node::Root(shape, Reason { span, why }));
        ty
    }

    /// A type of which nothing is known.
    pub(super) fn open(&mut self, span: Span) -> Ty {
        self.add(Shape::Open(false), span, "nothing says more")
    }

    /// A type that agrees with everything.
    pub(super) fn wrong(&mut self, span: Span) -> Ty {
        self.add(Shape::Wrong, span, "of a mistake reported elsewhere")
    }

    /// What is known of the type, and why.
    pub(super) fn get(&mut self, ty: Ty) -> (Shape, Reason) {
        let root = self.find(ty);
        match self.nodes[root.0 as usize] {
            Node::Root(shape, reason) => (shape, reason),
            Node::Link(_) => unreachable!("`find` returns roots"),
        }
    }

    /// What is known of the type.
    pub(super) fn shape(&mut self, ty: Ty) -> Shape {
        self.get(ty).0
    }

    /// Makes the type one that agrees with everything, if nothing is known of it.
    pub(super) fn give_up(&mut self, ty: Ty, span: Span) {
        if matches!(self.shape(ty), Shape::Open(_)) {
            let wrong = self.wrong(span);
            self.link(ty, wrong);
        }
    }

    /// Makes both the same type.
    pub(super) fn unify(&mut self, found: Ty, needed: Ty) -> Result<(), Clash> {
        let (mut a, mut b) = (found, needed);
        loop {
            (a, b) = (self.find(a), self.find(b));
            if a == b {
                return Ok(());
            }
            match (self.shape(a), self.shape(b)) {
                (Shape::Open(_), Shape::Wrong) => self.link(a, b),
                (Shape::Wrong, Shape::Open(_)) => self.link(b, a),
                (Shape::Wrong, _) | (_, Shape::Wrong) => {}
                // Keep the node that knows that it is a reference, and why.
                (Shape::Open(_), Shape::Open(true)) => self.link(a, b),
                (Shape::Open(_), Shape::Open(false)) => self.link(b, a),
                (Shape::Open(_), _) => return self.fill(a, b).map_err(|endless| self.clash(found, needed, endless)),
                (_, Shape::Open(_)) => return self.fill(b, a).map_err(|endless| self.clash(found, needed, endless)),
                (Shape::Array(x), Shape::Array(y)) => {
                    (a, b) = (x, y);
                    continue;
                }
                (Shape::Int, Shape::Int) | (Shape::Bool, Shape::Bool) | (Shape::Ref, Shape::Ref) => {}
                (Shape::Class(c), Shape::Class(d)) if c == d => {}
                _ => return Err(self.clash(found, needed, false)),
            }
            return Ok(());
        }
    }

    /// A value of type `found` goes to a place of type `needed`: as [`Types::unify`], but any reference may go to a `ref`
    /// (for arrays see [`Types::array_is_ref`]).
    pub(super) fn flow(&mut self, found: Ty, needed: Ty) -> Result<(), Clash> {
        match (self.shape(found), self.shape(needed)) {
            (Shape::Class(_) | Shape::Array(_), Shape::Ref) if self.array_is_ref => Ok(()),
            (Shape::Open(_), Shape::Ref) if self.array_is_ref => {
                let reason = self.get(needed).1;
                self.need_reference(found, reason)
            }
            _ => self.unify(found, needed),
        }
    }

    /// Values of the two types may be compared, or be the two outcomes of a condition: one can flow to the other.
    pub(super) fn meet(&mut self, left: Ty, right: Ty) -> Result<(), Clash> {
        match (self.shape(left), self.shape(right)) {
            (Shape::Ref, _) => self.flow(right, left).map_err(|clash| Clash {
                found: clash.needed,
                needed: clash.found,
                endless: clash.endless,
            }),
            _ => self.flow(left, right),
        }
    }

    /// The type is a reference type.
    pub(super) fn need_reference(&mut self, ty: Ty, reason: Reason) -> Result<(), Clash> {
        let root = self.find(ty);
        match self.shape(root) {
            Shape::Open(false) => self.nodes[root.0 as usize] = Node::Root(Shape::Open(true), reason),
            Shape::Int | Shape::Bool => {
                return Err(Clash { found: self.get(root), needed: (Shape::Open(true), reason), endless: false });
            }
            _ => {}
        }
        Ok(())
    }

    /// The type as every later stage sees it; what nothing constrains is `ref`. `None` when it nests too deeply.
    pub(super) fn settled(&mut self, ty: Ty) -> Option<hir::Type> {
        let (mut at, mut arrays) = (ty, 0);
        let mut settled = loop {
            match self.shape(at) {
                Shape::Array(element) if arrays < DEEPEST_ARRAY => (at, arrays) = (element, arrays + 1),
                Shape::Array(_) => return None,
                Shape::Int => break hir::Type::Int,
                Shape::Bool => break hir::Type::Bool,
                Shape::Class(class) => break hir::Type::Class(class),
                Shape::Open(_) | Shape::Ref | Shape::Wrong => break hir::Type::Ref,
            }
        };
        for _ in 0..arrays {
            settled = hir::Type::Array(Box::new(settled));
        }
        Some(settled)
    }

    /// The type in the user's words.
    pub(super) fn describe(&mut self, shape: Shape, class_name: impl Fn(ClassId) -> String) -> String {
        let (mut at, mut brackets) = (shape, String::new());
        loop {
            let base = match at {
                Shape::Array(element) if brackets.len() < 2 * DEEPEST_ARRAY => {
                    at = self.shape(element);
                    brackets.push_str("[]");
                    continue;
                }
                Shape::Array(_) => "…".to_owned(),
                Shape::Int => "int".to_owned(),
                Shape::Bool => "bool".to_owned(),
                Shape::Class(class) => class_name(class),
                Shape::Open(_) | Shape::Ref | Shape::Wrong => "ref".to_owned(),
            };
            return base + &brackets;
        }
    }

    fn find(&mut self, ty: Ty) -> Ty {
        let mut at = ty;
        while let Node::Link(next) = self.nodes[at.0 as usize] {
            // Path halving keeps chains short.
            if let Node::Link(after) = self.nodes[next.0 as usize] {
                self.nodes[at.0 as usize] = Node::Link(after);
            }
            at = next;
        }
        at
    }

    fn link(&mut self, from: Ty, to: Ty) {
        let (from, to) = (self.find(from), self.find(to));
        if from != to {
            self.nodes[from.0 as usize] = Node::Link(to);
        }
    }

    /// An open type takes the shape of a known one. `Err(true)`: it would contain itself, or nest too deeply; `Err(false)`: it is no reference.
    fn fill(&mut self, open: Ty, known: Ty) -> Result<(), bool> {
        let shape = self.shape(known);
        if matches!(self.shape(open), Shape::Open(true)) && matches!(shape, Shape::Int | Shape::Bool) {
            return Err(false);
        }
        let (mut at, mut depth) = (shape, 0);
        while let Shape::Array(element) = at {
            depth += 1;
            if self.find(element) == open || depth > DEEPEST_ARRAY {
                return Err(true);
            }
            at = self.shape(element);
        }
        self.link(open, known);
        Ok(())
    }

    fn clash(&mut self, found: Ty, needed: Ty, endless: bool) -> Clash {
        Clash { found: self.get(found), needed: self.get(needed), endless }
    }
}
