//! What becomes of a result in all turns, read off one of them.
//!
//! In: the ways through a turn. Out: what may be said of a result, the likeliest first: that something is added to it in each turn, or
//! that it becomes something in each.
//!
//! A result is made on the way in, where each turn hands on a variable and the last one gives it back. Or it is made on the way back, from
//! what the next turn gives back. Steps on the way in come in the order of the turns, those on the way back in the opposite order. A way
//! out before all turns are taken is a step as well: one that makes the result what it is there.
//!
//! Invariant: nothing here is believed.

use super::turn::{Index, Left, Turns, Ways};
use kernel::exec::sweep::{Range, Steps, Total, Value};
use rustc_hash::FxHashMap as HashMap;
use smt::term::{Func, Node, Sort, Term, Terms};

/// How a result is made.
struct Made {
    /// What it is at first.
    start: Value,
    /// What it was before the turn, in `each`.
    so_far: Term,
    /// What it is after it.
    each: Term,
    /// Whether the first turn makes it first.
    on_the_way_in: bool,
}

impl Turns {
    /// What may be said of a result.
    pub(super) fn totals(&mut self, ways: &Ways, at: usize, left: &Left) -> Vec<Total> {
        let Some(made) = self.made(ways, at, left) else { return Vec::new() };
        self.sum(&made, left.turns).map_or_else(|| self.steps(&made, left.turns).unwrap_or_default(), |sum| vec![sum])
    }

    /// How the result at a position is made; `None` where one cannot tell.
    fn made(&mut self, ways: &Ways, at: usize, left: &Left) -> Option<Made> {
        // What it is where no turn is left.
        let end = ways.over.iter().find(|way| !left.is_some_on(&way.path))?.results[at];
        let early = self.early(ways, at, left, end)?;
        let sort = self.arena.terms.sort(end);
        let passed_on = self.arena.terms.app(Func::Result(self.next.call, u32::try_from(at).ok()?), &[], sort);
        let result = ways.turn.results[at];
        let handed_on = self.given.iter().position(|&own| own == end).filter(|_| result == passed_on);
        // Where the loop may stop early, a variable that goes by a number tells where it did: that result is made on the way back.
        let handed_on = handed_on.filter(|&variable| early.is_empty() || self.steps[variable].is_none());
        let (so_far, mut each) = match handed_on {
            Some(variable) => {
                // The step is taken only where the facts that speak of the value allow it; else the value stays.
                let speaks = |fact: &&Term| self.arena.terms.occurs(end, **fact);
                let goes_on: Vec<Term> =
                    self.own_facts(ways, left, &ways.turn.path).iter().filter(speaks).copied().collect();
                let goes_on = self.arena.terms.and(&goes_on);
                (end, self.arena.terms.ite(goes_on, self.next.args[variable], end))
            }
            None => (passed_on, result),
        };
        for (taken, result) in early {
            each = self.arena.terms.ite(taken, result, each);
        }
        let start = match handed_on {
            Some(_) => end,
            None => self.at_the_end(end, left.turns)?,
        };
        Some(Made { start: self.fixed(start)?, so_far, each, on_the_way_in: handed_on.is_some() })
    }

    /// When the loop stops although a turn is left, and what the result is then. `None` where ways out on which none is left give different
    /// results.
    fn early(&mut self, ways: &Ways, at: usize, left: &Left, end: Term) -> Option<Vec<(Term, Term)>> {
        let mut found = Vec::new();
        let rest = self.arena.terms.and(&left.rest);
        let stops = self.arena.terms.not(rest);
        for way in &ways.over {
            let result = way.results[at];
            if left.is_some_on(&way.path) {
                let facts = self.own_facts(ways, left, &way.path);
                let alone: Vec<Term> = facts.into_iter().filter(|fact| !ways.turn.path.contains(fact)).collect();
                found.push((self.arena.terms.and(&alone), result));
            } else if result != end {
                return None;
            } else if !left.rest.is_empty() {
                found.push((stops, result));
            }
        }
        found.dedup();
        Some(found)
    }

    /// The facts of a path that tell it from others where turns are left, and say nothing of the next ones.
    fn own_facts(&self, ways: &Ways, left: &Left, path: &[Term]) -> Vec<Term> {
        let terms = &self.arena.terms;
        let tells = |fact: &Term| !matches!(terms.node(*fact), Node::And(parts) if left.facts.iter().any(|fact| parts.contains(fact)));
        let own = |fact: &&Term| {
            !left.facts.contains(fact)
                && tells(fact)
                && !ways.over.iter().all(|way| way.path.contains(fact))
                && !ways.assumed.contains(fact)
                && !terms.speaks_of_call(self.next.call, **fact)
        };
        path.iter().filter(own).copied().collect()
    }

    /// A term over variables that go by numbers, when so many turns were taken; `None` where it is over others.
    fn at_the_end(&mut self, term: Term, turns: Term) -> Option<Term> {
        let mut then = HashMap::default();
        for (&own, step) in self.given.iter().zip(&self.steps) {
            match step {
                Some(step) => {
                    let step = self.arena.terms.int(step.clone());
                    let gone = self.arena.terms.mul(step, turns);
                    if self.arena.terms.sort(own) == Sort::Int {
                        then.insert(own, self.arena.terms.add(own, gone));
                    }
                }
                None if self.arena.terms.occurs(own, term) => return None,
                None => {}
            }
        }
        let (zero, at_the_end) = (self.arena.terms.int(0), self.arena.terms.substitute(term, &then));
        if at_the_end == term {
            return Some(term);
        }
        let none_left = self.arena.terms.le(turns, zero);
        Some(self.arena.terms.ite(none_left, term, at_the_end))
    }

    /// A sum, where what is added does not depend on what there was.
    fn sum(&mut self, made: &Made, left: Term) -> Option<Total> {
        let terms = &mut self.arena.terms;
        if terms.sort(made.so_far) != Sort::Int || !is_added(terms, made.each, made.so_far) {
            return None;
        }
        let zero = terms.int(0);
        let each = terms.substitute(made.each, &HashMap::from_iter([(made.so_far, zero)]));
        let index = self.index_in(each)?;
        let (range, each) = (self.range(index, left)?, self.each(each, index)?);
        Some(Total { start: made.start.clone(), range, each, steps: Steps::Added })
    }

    /// Steps, in any order or in that of the indices, which may have to be counted downwards.
    fn steps(&mut self, made: &Made, left: Term) -> Option<Vec<Total>> {
        let sort = self.arena.terms.sort(made.so_far);
        let so_far = self.arena.terms.skolem_of(sort);
        let each = self.arena.terms.substitute(made.each, &HashMap::from_iter([(made.so_far, so_far)]));
        let index = self.index_in(each)?;
        let [each, mirrored] = [false, true].map(|mirrored| self.step(each, (index, mirrored), so_far));
        let (each, mirrored) = (each?, mirrored?);
        let range = self.steps_range(index, left, &each)?;
        let told = |range: Range, each: Value, steps: Steps| Total { start: made.start.clone(), range, each, steps };
        let any = told(range.clone(), each.clone(), Steps::InAnyOrder);
        let ordered = if index.up == made.on_the_way_in {
            told(range, each, Steps::InOrder)
        } else {
            let [from, to] = range.map(|end| Value::Linear(1, vec![(-1, end)]));
            told([to, from], mirrored, Steps::InOrder)
        };
        Some(vec![any, ordered])
    }

    /// The indices of steps: which they are does not matter where no step depends on its index.
    fn steps_range(&mut self, index: Index, left: Term, each: &Value) -> Option<Range> {
        match each.is_by_index() {
            true => self.range(index, left),
            false => Some([Value::Linear(0, Vec::new()), self.fixed(left)?]),
        }
    }
}

/// Whether a term is a number and something that does not depend on it.
fn is_added(terms: &mut Terms, term: Term, number: Term) -> bool {
    if term == number {
        return true;
    }
    if let Node::Ite(condition, then, els) = *terms.node(term) {
        return !terms.occurs(number, condition) && is_added(terms, then, number) && is_added(terms, els, number);
    }
    let rest = terms.sub(term, number);
    !terms.occurs(number, rest)
}
