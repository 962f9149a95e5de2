//! What is known of values that take a step at each number of a range.
//!
//! In: the folds that a text speaks of. Out: a function for each step, of the value at first and of the range; what it is where the range is
//! empty, and what its first and its last step make of it; that it stays as it is where no step changes it; and that two are the same
//! where their steps are.
//!
//! Rule *Sweep* (`proofs/soundness.md`): a step is a function of a value and a number, so taking it at each number of a range, in order,
//! is one of the value at first. Where any two steps commute, each may be the first or the last.
//!
//! Invariant: functions are the same only if the step is the same term over the same variables.

use super::{Writer, sort_name};
use crate::arena::Arena;
use crate::term::{Func, Sort, Term};
use std::fmt::Write;

/// For so many steps at most, and so many folds of each, the steps at the ends are written out, and folds of two steps are compared.
const MOST: usize = 6;

/// The folds of one step.
#[derive(Clone)]
pub(super) struct Folds {
    /// The variables of the number and of the value, and the value after the step.
    step: [Term; 3],
    sort: Sort,
    met: Vec<Fold>,
}

/// A value, and what it was at first, before the steps at the numbers of a range.
#[derive(Clone, Copy)]
struct Fold {
    whole: Term,
    start: Term,
    from: Term,
    to: Term,
    commutes: bool,
}

impl Folds {
    /// What a step at a number makes of a value.
    fn stepped(&self, arena: &mut Arena, value: Term, number: Term) -> Term {
        let [numbers, values, next] = self.step;
        let next = arena.terms.instance(values, next, value);
        arena.terms.instance(numbers, next, number)
    }

    /// The fold of another value, or over another range.
    fn whole(&self, arena: &mut Arena, commutes: bool, [start, from, to]: [Term; 3]) -> Term {
        let [numbers, values, next] = self.step;
        arena.terms.app(Func::Folded { commutes }, &[numbers, values, next, start, from, to], self.sort)
    }
}

impl Writer {
    /// Writes a fold.
    pub(super) fn fold(&mut self, arena: &Arena, whole: Term, args: &[Term], commutes: bool) {
        let (step, [start, from, to]) = ([args[0], args[1], args[2]], [args[3], args[4], args[5]]);
        for part in [start, from, to] {
            self.visit(arena, part);
        }
        let sort = arena.terms.sort(whole);
        let at = self.folds.iter().position(|known| known.step == step).unwrap_or_else(|| {
            self.folds.push(Folds { step, sort, met: Vec::new() });
            self.folds.len() - 1
        });
        self.folds[at].met.push(Fold { whole, start, from, to, commutes });
        let (symbol, sort) = (format!("fold{at}"), sort_name(sort));
        self.declarations.insert(symbol.clone(), format!("(declare-fun {symbol} ({sort} Int Int) {sort})"));
        let parts = [start, from, to].map(|part| self.names[&part].clone());
        // A name of its own, as the name of its witness is made from it (`no_step`).
        let name = format!("t{}", self.names.len());
        let _ = writeln!(self.definitions, "(define-fun {name} () {sort} ({symbol} {}))", parts.join(" "));
        self.names.insert(whole, name);
    }

    /// Says what is known of all folds that were met by now, each step at its ends once.
    pub(super) fn fold_facts(&mut self, arena: &mut Arena) {
        let met: Vec<Folds> = self.folds.iter().take(MOST).cloned().collect();
        for folds in &met {
            for &fold in folds.met.iter().take(MOST) {
                self.steps_at_the_ends(arena, folds, fold);
            }
        }
        for (at, one) in met.iter().enumerate() {
            for other in met.iter().skip(at + 1).filter(|other| other.sort == one.sort) {
                for &mine in one.met.iter().take(MOST) {
                    for &theirs in other.met.iter().take(MOST) {
                        self.same_steps(arena, (one, mine), (other, theirs));
                    }
                }
            }
        }
        // Those that the steps at the ends brought in among them.
        for folds in self.folds.clone() {
            for fold in &folds.met {
                self.no_step(arena, &folds, *fold);
            }
        }
    }

    /// Where the range is not empty, a fold takes its first step and then is the fold over the rest; and it is the fold over all but the last
    /// number, and then the last step. Where steps commute, the first and the last may change places.
    fn steps_at_the_ends(&mut self, arena: &mut Arena, folds: &Folds, Fold { whole, start, from, to, commutes }: Fold) {
        let one = arena.terms.int(1);
        let (second, last) = (arena.terms.add(from, one), arena.terms.sub(to, one));
        let firsts =
            if commutes { vec![(from, [second, to]), (last, [from, last])] } else { vec![(from, [second, to])] };
        let lasts =
            if commutes { vec![(last, [from, last]), (from, [second, to])] } else { vec![(last, [from, last])] };
        let mut same = Vec::new();
        for (number, [low, high]) in firsts {
            let stepped = folds.stepped(arena, start, number);
            same.push(folds.whole(arena, commutes, [stepped, low, high]));
        }
        for (number, [low, high]) in lasts {
            let others = folds.whole(arena, commutes, [start, low, high]);
            same.push(folds.stepped(arena, others, number));
        }
        for value in same {
            let [value, whole, from, to] = self.named(arena, [value, whole, from, to]);
            self.facts.push(format!("(or (<= {to} {from}) (= {whole} {value}))"));
        }
    }

    /// A fold is the value at first, or there is a number in its range at which a step changes that value.
    fn no_step(&mut self, arena: &mut Arena, folds: &Folds, Fold { whole, start, from, to, .. }: Fold) {
        let number = arena.terms.app(Func::Witness(whole), &[], Sort::Int);
        let stepped = folds.stepped(arena, start, number);
        let [number, stepped, whole, start, from, to] = self.named(arena, [number, stepped, whole, start, from, to]);
        self.facts.push(format!(
            "(or (= {whole} {start}) (and (<= {from} {number}) (< {number} {to}) (not (= {stepped} {start}))))"
        ));
    }

    /// Two folds of one value over one range are the same, or there are a number in it and a value for which the two steps differ.
    fn same_steps(&mut self, arena: &mut Arena, (one, mine): (&Folds, Fold), (other, theirs): (&Folds, Fold)) {
        let same = arena.terms.eq(mine.whole, theirs.whole);
        let apart = arena.terms.not(same);
        let [number, value] = [(same, Sort::Int), (apart, one.sort)].map(|(of, sort)| {
            self.visit(arena, of);
            arena.terms.app(Func::Witness(of), &[], sort)
        });
        let [a, b] = [one, other].map(|folds| folds.stepped(arena, value, number));
        let alike = arena.terms.eq(a, b);
        let [number, from, to] = self.named(arena, [number, mine.from, mine.to]);
        let [same, stepped_alike] = self.named(arena, [same, alike]);
        let ends = [(mine.start, theirs.start), (mine.from, theirs.from), (mine.to, theirs.to)];
        let ends = ends.map(|(a, b)| format!("(= {})", self.named(arena, [a, b]).join(" ")));
        self.facts.push(format!(
            "(or (not (and {})) {same} (and (<= {from} {number}) (< {number} {to}) (not {stepped_alike})))",
            ends.join(" ")
        ));
    }

    fn named<const N: usize>(&mut self, arena: &Arena, terms: [Term; N]) -> [String; N] {
        terms.map(|term| {
            self.visit(arena, term);
            self.names[&term].clone()
        })
    }
}
