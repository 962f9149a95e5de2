//! What all turns of a loop may do together, read off one of them.
//!
//! In: a loop. Out: some [`Sweep`]s, of which one may be right.
//!
//! One turn is executed. What it gives the next one tells which variables go up or down by a number, and its condition how many
//! turns are left. A variable that goes by one names the cells and summands, whatever the turn: the others are written over it.
//!
//! Invariant: nothing here is believed.

use crate::budget::sweep::MAX_PROPOSED;
use kernel::exec::state::Outcome;
use kernel::exec::sweep::{Cells, Range, Sweep, Total, Value};
use kernel::exec::{Executor, Limits, on_entry};
use kernel::pair::Both;
use kernel::pair::sweep::limits;
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap as HashMap;
use smt::arena::{Arena, CallRecord};
use smt::heap::{HeapId, HeapNode};
use smt::term::{CallId, Ending, Func, Node, Selector, Sort, Term};

/// What may be said of a loop, the likeliest first.
pub(super) fn proposed(program: Both<'_>, version: usize, id: ProcId) -> Vec<Sweep> {
    let mut arena = Arena::new(program.unit);
    let effects = program.effects[version];
    let limits = Limits { join: true, ..limits(program, version, id) };
    let mut executor = Executor::new(program.unit, version, effects, limits, &mut arena);
    let (view, assumed, _) = on_entry(&mut executor, id);
    let Ok(execution) = executor.run(id, &assumed) else { return Vec::new() };
    let returning = execution.outcomes.into_iter().filter(|outcome| outcome.ending == Ending::Normal);
    let (going_on, over): (Vec<Outcome>, Vec<Outcome>) = returning.partition(|outcome| !outcome.calls.is_empty());
    let [over, others @ ..] = &over[..] else { return Vec::new() };
    let Some((turn, next)) = together(&mut arena, going_on) else { return Vec::new() };
    if next.callee != id || others.iter().any(|other| other.results != over.results) {
        return Vec::new();
    }
    let given: Vec<Term> = view.locals.iter().take(next.args.len()).copied().collect();
    let mut turns = Turns::new(arena, given, next);
    let left: Vec<Term> = turn.path.iter().filter(|fact| !assumed.contains(fact)).copied().collect();
    let left: Vec<Term> = left.into_iter().filter_map(|fact| turns.left(fact)).take(MAX_PROPOSED).collect();
    left.into_iter().filter_map(|left| turns.sweep(&turn, over, left)).collect()
}

/// The ways to take a turn as one, which does what each does where that is taken, as where a helper returns early; with the call of the next
/// turn. `None` where they call more than that, or do not pass on what it gives back in one way.
fn together(arena: &mut Arena, ways: Vec<Outcome>) -> Option<(Outcome, CallRecord)> {
    let mut ways = ways.into_iter().rev();
    let mut whole = ways.next()?;
    let [call] = whole.calls[..] else { return None };
    let mut next = arena.record(call).clone();
    for way in ways {
        let [call] = way.calls[..] else { return None };
        let own = arena.record(call).clone();
        let results: Vec<Term> = way.results.iter().map(|&term| passed_on(arena, term, own.call, next.call)).collect();
        if own.callee != next.callee || results != whole.results {
            return None;
        }
        let (common, alone): (Vec<Term>, Vec<Term>) = way.path.iter().partition(|fact| whole.path.contains(fact));
        // What is known of the next turns does not tell which way this one takes.
        let alone: Vec<Term> = alone.into_iter().filter(|&fact| !arena.terms.speaks_of_call(call, fact)).collect();
        let taken = arena.terms.and(&alone);
        next.args = own.args.iter().zip(&next.args).map(|(&one, &other)| arena.terms.ite(taken, one, other)).collect();
        next.heap = arena.heaps.join(taken, own.heap, next.heap);
        whole.path = common;
    }
    Some((whole, next))
}

/// A result of one call as that of another.
fn passed_on(arena: &mut Arena, term: Term, from: CallId, to: CallId) -> Term {
    match arena.terms.node(term).clone() {
        Node::App(Func::Result(call, at), args) if call == from => {
            let sort = arena.terms.sort(term);
            arena.terms.app(Func::Result(to, at), &args, sort)
        }
        _ => term,
    }
}

/// The turns of a loop, as one tells of them.
struct Turns {
    arena: Arena,
    /// What the turn was given.
    given: Vec<Term>,
    /// What it gives the next one.
    next: CallRecord,
    /// By how much each variable goes; `None` where that is no number.
    steps: Vec<Option<BigInt>>,
    /// What the next turn is given, by what this one was.
    after: HashMap<Term, Term>,
}

/// An index that goes up or down by one each turn: what it is in this one.
#[derive(Clone, Copy)]
struct Index {
    now: Term,
    up: bool,
}

/// A cell that one turn writes.
#[derive(Clone, Copy)]
struct Written {
    array: Term,
    index: Term,
    value: Term,
    sort: Sort,
}

impl Turns {
    fn new(mut arena: Arena, given: Vec<Term>, next: CallRecord) -> Self {
        let step = |(&now, &then): (&Term, &Term)| {
            if now == then {
                return Some(BigInt::zero());
            }
            let number = arena.terms.sort(now) == Sort::Int;
            number.then(|| arena.terms.sub(then, now)).and_then(|step| arena.terms.as_int(step).cloned())
        };
        let steps = given.iter().zip(&next.args).map(step).collect();
        let after = given.iter().copied().zip(next.args.iter().copied()).collect();
        Turns { arena, given, next, steps, after }
    }

    /// How many turns are left, this one included, if this is the condition to go on.
    fn left(&mut self, fact: Term) -> Option<Term> {
        let terms = &mut self.arena.terms;
        let (number, ends_at_zero) = match *terms.node(fact) {
            Node::AtMostZero(number) => (number, false),
            Node::Not(inner) => match *terms.node(inner) {
                Node::IsZero(number) => (number, true),
                _ => return None,
            },
            _ => return None,
        };
        let then = terms.substitute(number, &self.after);
        let step = terms.sub(then, number);
        let step = terms.as_int(step)?.clone();
        let (zero, one) = (terms.int(0), terms.int(1));
        match (ends_at_zero, step.to_i64()?) {
            (false, 1) => Some(terms.sub(one, number)),
            (true, 1) => Some(terms.sub(zero, number)),
            (true, -1) => Some(number),
            _ => None,
        }
    }

    /// What all turns do, where so many are left.
    fn sweep(&mut self, turn: &Outcome, over: &Outcome, left: Term) -> Option<Sweep> {
        let cells = self.stores(self.next.heap)?.into_iter().map(|store| self.cells(store, left));
        let cells = cells.collect::<Option<Vec<Cells>>>()?;
        let results = 0..turn.results.len();
        let totals = results.map(|at| self.total(turn.results[at], over.results[at], (at, left))).collect();
        Some(Sweep { cells, totals, ..Sweep::default() })
    }

    /// What one turn writes, oldest first. Where one of two branches alone writes a cell, the other leaves in it what was there.
    fn stores(&mut self, heap: HeapId) -> Option<Vec<Written>> {
        let (mut found, mut at): (Vec<Written>, HeapId) = (Vec::new(), heap);
        let note = |found: &mut Vec<Written>, own: Written| {
            if !found.iter().any(|other| (other.array, other.index) == (own.array, own.index)) {
                found.push(own);
            }
        };
        loop {
            match *self.arena.heaps.node(at) {
                HeapNode::Initial => break,
                HeapNode::Store { prev, selector: Selector::Cell(sort), object, index: Some(index), value } => {
                    note(&mut found, Written { array: object, index, value, sort });
                    at = prev;
                }
                HeapNode::Join { cond, then, els } => {
                    for side in [then, els] {
                        for own in self.stores(side)? {
                            let Arena { terms, heaps, .. } = &mut self.arena;
                            let [first, second] = [then, els].map(|heap| {
                                heaps.read(terms, heap, Selector::Cell(own.sort), own.array, Some(own.index))
                            });
                            note(&mut found, Written { value: terms.ite(cond, first, second), ..own });
                        }
                    }
                    break;
                }
                _ => return None,
            }
        }
        found.reverse();
        Some(found)
    }

    fn cells(&mut self, Written { array, index, value, sort }: Written, left: Term) -> Option<Cells> {
        let index = self.index(index)?;
        let range = self.range(index, left)?;
        let value = self.each(value, index)?;
        Some(Cells { array: self.fixed(array)?, sort, range, value })
    }

    /// A result that is a variable of the loop: by how much that goes each turn.
    fn total(&mut self, result: Term, at_end: Term, (at, left): (usize, Term)) -> Option<Total> {
        let passed_on = Func::Result(self.next.call, u32::try_from(at).ok()?);
        let Node::App(func, _) = self.arena.terms.node(result) else { return None };
        let variable = self.given.iter().position(|&own| own == at_end)?;
        if *func != passed_on || self.arena.terms.sort(at_end) != Sort::Int {
            return None;
        }
        let each = match self.steps[variable].clone() {
            Some(step) => self.arena.terms.int(step),
            // What is added does not depend on what there was; so it is what there is after starting from nothing.
            None => {
                let zero = self.arena.terms.int(0);
                self.arena.terms.substitute(self.next.args[variable], &HashMap::from_iter([(at_end, zero)]))
            }
        };
        let index = self.index_in(each)?;
        Some(Total { start: Value::Given(variable), range: self.range(index, left)?, each: self.each(each, index)? })
    }

    /// A number that goes by one each turn.
    fn index(&mut self, now: Term) -> Option<Index> {
        let terms = &mut self.arena.terms;
        let then = terms.substitute(now, &self.after);
        let step = terms.sub(then, now);
        let step = terms.as_int(step)?;
        step.abs().is_one().then(|| Index { now, up: step.is_positive() })
    }

    /// The first cell that is read at such a number, or the first variable that is one, or the number beside it, by which the summand is said
    /// in the fewest words, as a variable may be assigned before it is looked at: both versions are to speak of the same.
    fn index_in(&mut self, each: Term) -> Option<Index> {
        let parts = self.arena.terms.parts_of(&[each]);
        let cell = |part: Term| match self.arena.terms.node(part) {
            Node::App(Func::Initial(Selector::Cell(_)), args) => Some(args[1]),
            _ => None,
        };
        let cells: Vec<Term> = parts.into_iter().filter_map(cell).collect();
        let variables: Vec<Term> =
            self.given.iter().copied().filter(|&own| self.arena.terms.sort(own) == Sort::Int).collect();
        if let Some(index) = cells.into_iter().find_map(|number| self.index(number)) {
            return Some(index);
        }
        let Index { now, up } = variables.into_iter().find_map(|number| self.index(number))?;
        let beside = [0, -1, 1].map(|by| {
            let by = self.arena.terms.int(by);
            Index { now: self.arena.terms.add(now, by), up }
        });
        let words = |index: &Index| {
            let said = self.of_turn(each, *index);
            said.map_or(usize::MAX, |(value, _)| self.arena.terms.parts_of(&[value]).len())
        };
        beside.into_iter().min_by_key(words)
    }

    fn range(&mut self, index: Index, left: Term) -> Option<Range> {
        let terms = &mut self.arena.terms;
        let [from, to] = if index.up {
            [index.now, terms.add(index.now, left)]
        } else {
            let (one, end) = (terms.int(1), terms.sub(index.now, left));
            let more = if faults::planted("engines/sweep/one-more") { terms.int(0) } else { one };
            [terms.add(end, more), terms.add(index.now, one)]
        };
        Some([self.fixed(from)?, self.fixed(to)?])
    }

    /// A value of this turn, as that of the turn at which the index is what it is: over the index, and what the loop was given.
    fn each(&mut self, value: Term, index: Index) -> Option<Value> {
        let (value, number) = self.of_turn(value, index)?;
        self.value(value, Some(number))
    }

    /// The same as a term, over a number that stands for the index.
    fn of_turn(&mut self, value: Term, index: Index) -> Option<(Term, Term)> {
        let number = self.arena.terms.skolem_int();
        let terms = &mut self.arena.terms;
        let turn = if index.up { terms.sub(number, index.now) } else { terms.sub(index.now, number) };
        let mut then = HashMap::default();
        for (&own, step) in self.given.iter().zip(&self.steps) {
            let Some(step) = step else {
                if terms.occurs(own, value) {
                    return None;
                }
                continue;
            };
            if !step.is_zero() {
                let step = terms.int(step.clone());
                let gone = terms.mul(step, turn);
                then.insert(own, terms.add(own, gone));
            }
        }
        Some((terms.substitute(value, &then), number))
    }

    fn fixed(&self, term: Term) -> Option<Value> {
        self.value(term, None)
    }

    /// A term over what the loop was given, as a value.
    fn value(&self, term: Term, number: Option<Term>) -> Option<Value> {
        if Some(term) == number {
            return Some(Value::Index);
        }
        if let Some(at) = self.given.iter().position(|&own| own == term) {
            return Some(Value::Given(at));
        }
        let go = |term: Term| self.value(term, number);
        let boxed = |term: Term| go(term).map(Box::new);
        let all = |terms: &[Term]| terms.iter().map(|&term| go(term)).collect::<Option<Vec<Value>>>();
        Some(match self.arena.terms.node(term) {
            Node::Int(value) => Value::Linear(value.to_i64()?, Vec::new()),
            Node::Bool(value) => Value::Truth(*value),
            Node::Null => Value::Null,
            Node::App(Func::Length, args) => Value::Length(boxed(args[0])?),
            Node::App(Func::Initial(Selector::Field(field)), args) => Value::Field(field.0, boxed(args[0])?),
            Node::App(Func::Initial(Selector::Cell(sort)), args) => {
                Value::Cell(*sort, boxed(args[0])?, boxed(args[1])?)
            }
            Node::Linear(constant, parts) => {
                let part = |(factor, part): &(BigInt, Term)| Some((factor.to_i64()?, go(*part)?));
                Value::Linear(constant.to_i64()?, parts.iter().map(part).collect::<Option<_>>()?)
            }
            Node::Mul(factors) => Value::Product(all(factors)?),
            Node::Div(a, b) => Value::Quotient(boxed(*a)?, boxed(*b)?),
            Node::Rem(a, b) => Value::Remainder(boxed(*a)?, boxed(*b)?),
            Node::AtMostZero(number) => Value::AtMostZero(boxed(*number)?),
            Node::IsZero(number) => Value::Same(boxed(*number)?, Box::new(Value::Linear(0, Vec::new()))),
            Node::SameRef(a, b) => Value::Same(boxed(*a)?, boxed(*b)?),
            Node::Not(inner) => Value::Not(boxed(*inner)?),
            Node::And(parts) => Value::All(all(parts)?),
            Node::Or(parts) => {
                let not = |part: &Term| Some(Value::Not(boxed(*part)?));
                Value::Not(Box::new(Value::All(parts.iter().map(not).collect::<Option<_>>()?)))
            }
            Node::Ite(condition, then, els) => Value::Choice(boxed(*condition)?, boxed(*then)?, boxed(*els)?),
            Node::App(..) | Node::InClass(..) | Node::Forall(..) => return None,
        })
    }
}
