//! What an obligation is for, and where in the two versions.
//!
//! In: a purpose, and places. Out: a [`Tag`], whose text is that of its purpose.
//!
//! Invariant: the text of a tag is part of the question, and its places are not: a question is the same wherever it comes up.

use crate::term::{AllocClass, CallId};
use lang_l::source::Span;
use std::fmt::{self, Display, Formatter};

/// What an obligation is for: the purpose, and the places it has to do with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The purpose.
    pub purpose: Purpose,
    /// The places in version 0 and in version 1, as far as there are any.
    pub places: [Vec<Span>; 2],
}

/// What an obligation is to show, or to refute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Two paths cannot be taken from one store.
    PathsExclusive,
    /// Two paths end in stores that are equal where they can be reached.
    StoresEqual,
    /// Two new arrays are of the same length, so that they may correspond.
    LengthsEqual,
    /// Two calls start alike.
    CallsStartEqual(CallId, CallId),
    /// The condition of the claim that a call rests on holds of it.
    ConditionHolds(CallId),
    /// What relates the variables of two loops holds of two calls.
    CallsRelated(CallId, CallId),
    /// No value in a region is of this class, which the other side has no objects of.
    NotOfClass(AllocClass),
    /// A path to an error cannot be taken.
    CannotErr,
    /// A procedure changes no old object but those that are named.
    WriteConfined,
    /// All turns of a loop together do what is said of them.
    Swept,
    /// A candidate for a pre- or postcondition of a loop.
    LoopCondition,
    /// A measure shrinks from call to call.
    MeasureShrinks,
    /// A clause of a contract.
    Clause {
        /// Its keyword.
        keyword: &'static str,
        /// The procedure whose body must establish it.
        procedure: String,
    },
    /// The closed forms of a procedure follow from those of its callees.
    ClosedFormInductive,
    /// A mutual summary follows from those of the calls.
    SummaryInductive,
    /// Two calls that start coupled both end, or neither.
    CallsEndTogether,
    /// A recurrent set is not left.
    ConditionRecurs,
    /// Two paths show no difference.
    NoDifference,
    /// What both versions assume can be satisfied.
    SomeStore,
    /// A run may return.
    SomeRunReturns,
    /// A call without further calls of its procedure may return.
    SomeInnermostCallReturns,
    /// A statement may be come to.
    SomeRunTakesThisWay,
    /// The query of the paper's encoding.
    Paper {
        /// What it is to show, in a few words.
        goal: &'static str,
        /// The procedure of version 0.
        procedure: String,
        /// Whether only the assumptions are looked at: they must not contradict each other.
        assumptions_alone: bool,
    },
}

impl Purpose {
    /// For something in one version.
    pub fn within(self, version: usize, places: Vec<Span>) -> Tag {
        let mut both = [Vec::new(), Vec::new()];
        both[version] = places;
        self.between(both)
    }

    /// For something in both versions.
    pub fn between(self, places: [Vec<Span>; 2]) -> Tag {
        Tag { purpose: self, places }
    }
}

impl From<Purpose> for Tag {
    fn from(purpose: Purpose) -> Self {
        purpose.between([Vec::new(), Vec::new()])
    }
}

impl Display for Tag {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.purpose.fmt(f)
    }
}

impl Display for Purpose {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Purpose::PathsExclusive => "the two paths exclude each other",
            Purpose::LengthsEqual => "two new arrays are of the same length",
            Purpose::StoresEqual => "the final stores are equal where they can be reached",
            Purpose::CallsStartEqual(mine, theirs) => {
                return write!(f, "calls {} and {} start from equal arguments and regions", mine.0, theirs.0);
            }
            Purpose::ConditionHolds(call) => {
                return write!(f, "call {} satisfies the condition of the claim it rests on", call.0);
            }
            Purpose::CallsRelated(mine, theirs) => {
                return write!(f, "calls {} and {} are related", mine.0, theirs.0);
            }
            Purpose::NotOfClass(alloc) => return write!(f, "a value in the region is not of alloc {}", alloc.0),
            Purpose::CannotErr => "the procedure cannot err here",
            Purpose::WriteConfined => "a written object is new or named by modifies",
            Purpose::Swept => "all turns of a loop together do what is said of them",
            Purpose::LoopCondition => "what holds of a loop",
            Purpose::MeasureShrinks => "a measure shrinks at a recursive call",
            Purpose::Clause { keyword, procedure } => return write!(f, "{keyword} of {procedure}"),
            Purpose::ClosedFormInductive => "a closed form is inductive",
            Purpose::SummaryInductive => "a mutual summary is inductive",
            Purpose::CallsEndTogether => "calls that start coupled end together",
            Purpose::ConditionRecurs => "a condition holds again in the next turn",
            Purpose::NoDifference => "no store shows a difference on these paths",
            Purpose::SomeStore => "some store satisfies what both versions assume",
            Purpose::SomeRunReturns => "some run returns",
            Purpose::SomeInnermostCallReturns => "some innermost call returns",
            Purpose::SomeRunTakesThisWay => "some run takes this way",
            Purpose::Paper { goal, procedure, assumptions_alone } => {
                let rest = if *assumptions_alone { ", assumptions alone" } else { "" };
                return write!(f, "paper: {goal} of {procedure}{rest}");
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Arena;
    use crate::obligation::Obligation;
    use lang_l::hir::Unit;

    #[test]
    fn a_question_is_the_same_wherever_it_comes_up() {
        let none = Unit { classes: vec![], fields: vec![], globals: vec![], versions: vec![], equivs: vec![] };
        let mut arena = Arena::new(&none);
        let goal = arena.terms.bool(false);
        let mut text = |tag| Obligation { assumptions: Vec::new(), goal, tag }.smt2(&mut arena);
        let here = Purpose::CannotErr.within(1, vec![Span::default()]);
        assert_eq!(text(here), text(Purpose::CannotErr.into()));
    }
}
