//! What is said of two loops has a meaning, or is refused.

use super::{Case, atom, with_fact};
use crate::bounds::pair::MAX_PREMISES;
use crate::relate::{Atom, Fact, Step};
use lang_l::hir::FieldId;
use smt::term::{Selector, Sort};

#[test]
fn facts_speak_of_what_is_there() {
    let mut case = Case::counts();
    case.effects[0][1].accesses.extend([0, 1].map(|field| Selector::Field(FieldId(field))));
    let read = |parameter: usize, steps: Vec<Step>| Atom { version: 0, parameter, steps };
    let value = || read(2, vec![Step::Field(FieldId(0))]);
    let under = |other: Fact| Fact::Under(Box::new([Fact::NotZero(value()), other]));
    let wrong = [
        Fact::NotNull(atom(2, 0)),
        Fact::NotNull(atom(0, 3)),
        Fact::NotNull(atom(0, 0)),
        Fact::NotNull(value()),
        Fact::NotZero(atom(0, 2)),
        Fact::Is(atom(0, 2), 0),
        Fact::Null(atom(0, 0)),
        Fact::AtMost(atom(0, 0), atom(1, 2), 0),
        Fact::Equal(atom(0, 0), atom(1, 2), 0),
        Fact::Equal(atom(0, 2), atom(1, 2), 1),
        Fact::Sum([atom(0, 0), atom(1, 0)], atom(0, 2), 0),
        Fact::Polynomial(vec![(1, vec![atom(0, 0), atom(0, 2)])], atom(1, 0)),
        Fact::Polynomial(vec![(2, Vec::new()), (1, vec![atom(0, 0)])], atom(0, 2)),
        Fact::Multiple(2, atom(0, 2), atom(1, 0), 0),
        Fact::Multiple(2, atom(0, 0), atom(1, 2), 0),
        Fact::Change([atom(0, 0), atom(0, 0)], [atom(1, 0), atom(1, 2)]),
        Fact::AtMost(read(2, vec![Step::Field(FieldId(9))]), atom(1, 0), 0),
        Fact::AtMost(read(2, vec![Step::Length]), atom(1, 0), 0),
        Fact::Truth(atom(0, 0), true),
        Fact::Truth(atom(0, 2), false),
        Fact::NotNull(read(2, vec![Step::Field(FieldId(1)); 9])),
        Fact::Not(Box::new(Fact::Is(atom(0, 2), 0))),
        Fact::Not(Box::new(Fact::Not(Box::new(Fact::NotZero(value()))))),
        under(Fact::Is(atom(0, 2), 0)),
        under(under(Fact::Is(atom(0, 2), 0))),
        (0..=MAX_PREMISES).fold(Fact::Is(value(), 0), |fact, _| under(fact)),
        Fact::Under(Box::new([Fact::Is(atom(0, 2), 0), Fact::NotZero(value())])),
        under(Fact::Not(Box::new(Fact::NotZero(value())))),
        Fact::Under(Box::new([under(Fact::Is(atom(1, 0), 1)), Fact::NotZero(value())])),
    ];
    let cells = [Step::Cell(0, Sort::Int), Step::Before(0, 1, Sort::Int), Step::Beside(0, Sort::Int)];
    let wrong = wrong.into_iter().chain(cells.map(|cell| Fact::AtMost(read(2, vec![cell]), atom(1, 0), 0)));
    for fact in wrong {
        let why = case.refused(&with_fact(fact.clone()));
        assert!(why.contains("has no meaning"), "{fact:?}: {why}");
    }
    let right = [
        (0..MAX_PREMISES).fold(Fact::Is(value(), 0), |fact, _| under(fact)),
        Fact::AtMost(value(), atom(1, 0), 0),
        Fact::NotZero(value()),
        Fact::Is(value(), 3),
        Fact::Polynomial(vec![(i64::MIN, vec![value(), value()]), (1, Vec::new())], atom(1, 0)),
        Fact::Multiple(i64::MIN, value(), atom(1, 0), i64::MAX),
        Fact::Null(read(2, vec![Step::Field(FieldId(1)); 2])),
        Fact::NotNull(read(2, vec![Step::Field(FieldId(1)); 2])),
        Fact::Not(Box::new(Fact::Is(value(), 3))),
        Fact::Under(Box::new([Fact::Not(Box::new(Fact::Is(value(), 3))), under(Fact::Is(atom(1, 0), 1))])),
    ];
    for fact in right {
        let why = case.refused(&with_fact(fact.clone()));
        assert!(!why.contains("has no meaning"), "{fact:?}: {why}");
    }
}
