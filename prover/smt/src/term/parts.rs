//! The terms directly within another.

use super::{Node, Term};
use smallvec::SmallVec;

/// They are few, so that nothing is allocated for them.
pub type Parts = SmallVec<[Term; 4]>;

impl Node {
    /// The terms directly within this one; of a quantifier, none.
    pub fn children(&self) -> Parts {
        match self {
            Node::Int(_) | Node::Bool(_) | Node::Null => Parts::new(),
            Node::App(_, parts) | Node::Mul(parts) | Node::And(parts) | Node::Or(parts) => Parts::from_slice(parts),
            Node::Linear(_, parts) => parts.iter().map(|(_, t)| *t).collect(),
            Node::Div(a, b) | Node::Rem(a, b) | Node::SameRef(a, b) => Parts::from_slice(&[*a, *b]),
            Node::AtMostZero(t) | Node::IsZero(t) | Node::InClass(t, _) | Node::Not(t) => Parts::from_slice(&[*t]),
            Node::Ite(a, b, c) => Parts::from_slice(&[*a, *b, *c]),
            // It is looked into only where it is instantiated.
            Node::Forall(..) => Parts::new(),
        }
    }

    /// The terms directly within this one; of a quantifier, its body.
    pub fn subterms(&self) -> Parts {
        match self {
            Node::Forall(_, body) => Parts::from_slice(&[*body]),
            node => node.children(),
        }
    }
}
