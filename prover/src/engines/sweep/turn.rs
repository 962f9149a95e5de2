//! What all turns of a loop or of recursion may do together, read off one of them.
//!
//! In: a procedure that calls itself. Out: some [`Sweep`]s, of which one may be right.
//!
//! One turn is executed. What it gives the next one tells which variables go up or down by a number, and its condition how many
//! turns are left. A variable that goes by one names the cells, summands and steps, whatever the turn: the others are written over it.
//!
//! Invariant: nothing here is believed.

use crate::budget::sweep::MAX_PROPOSED;
use kernel::exec::state::Outcome;
use kernel::exec::sweep::{Cells, Range, Returns, Steps, Sweep, Total, Value};
use kernel::exec::{Executor, Limits, on_entry};
use kernel::pair::Both;
use kernel::pair::sweep::limits;
use lang_l::hir::ProcId;
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::FxHashMap as HashMap;
use smt::arena::{Arena, CallRecord};
use smt::heap::{HeapId, HeapNode};
use smt::term::{CallId, Ending, Func, Node, Selector, Sort, Term, Terms};

/// What may be said of a loop or of recursion.
#[derive(Default)]
pub(super) struct Proposed {
    /// The likeliest first.
    pub(super) sweeps: Vec<Sweep>,
    /// Whether its variables go up, or down; `None` where some go one way and some the other, or none by a number.
    pub(super) up: Option<bool>,
}

impl Proposed {
    /// Whether a result may be more than a sum.
    pub(super) fn has_folds(&self) -> bool {
        self.sweeps.iter().flat_map(|own| own.totals.iter().flatten()).any(|own| own.steps != Steps::Added)
    }
}

/// What may be said of a loop or of recursion, by one turn of it.
pub(super) fn proposed(program: Both<'_>, version: usize, id: ProcId) -> Proposed {
    let mut arena = Arena::new(program.unit);
    let effects = program.effects[version];
    let limits = Limits { join: true, ..limits(program, version, id) };
    let mut executor = Executor::new(program.unit, version, effects, limits, &mut arena);
    let (view, assumed, _) = on_entry(&mut executor, id);
    let Ok(execution) = executor.run(id, &assumed) else { return Proposed::default() };
    let of = |ending: Ending| execution.outcomes.iter().filter(move |outcome| outcome.ending == ending).cloned();
    let (going_on, over): (Vec<Outcome>, Vec<Outcome>) =
        of(Ending::Normal).partition(|outcome| !outcome.calls.is_empty());
    let Some((turn, next)) = together(&mut arena, going_on) else { return Proposed::default() };
    if next.callee != id || over.is_empty() {
        return Proposed::default();
    }
    let given: Vec<Term> = view.locals.iter().take(next.args.len()).copied().collect();
    let mut turns = Turns::new(arena, given, next);
    let own = &effects[id.index()];
    let unerring = match own.errs_only_if_null {
        Some(_) if own.terminates => None,
        _ => turns.unerring(of(Ending::Error), &assumed),
    };
    let ways = Ways { turn, over, assumed: assumed.clone() };
    let left: Vec<Left> = turns.all_left(&ways).into_iter().take(MAX_PROPOSED).collect();
    let mut found: Vec<Sweep> = Vec::new();
    for left in left {
        let returns = unerring.clone().and_then(|unerring| turns.returns(unerring, (left.turns, own.terminates)));
        for own in turns.sweeps(&ways, &left) {
            // That it returns may be wrong where all else is right.
            for returns in [returns.clone(), None] {
                let own = Sweep { returns, ..own.clone() };
                if !found.contains(&own) {
                    found.push(own);
                }
            }
        }
    }
    // What says most is tried first: that fewer turns are left than there are is right where nothing is said of them.
    found.sort_by_key(|own| std::cmp::Reverse(own.totals.iter().flatten().count()));
    let [up, down] = [Sign::Plus, Sign::Minus].map(|sign| turns.steps.iter().flatten().any(|step| step.sign() == sign));
    Proposed { sweeps: found, up: (up != down).then_some(up) }
}

/// What one turn does, on the ways on which another one follows, as one; and where none follows.
pub(super) struct Ways {
    pub(super) turn: Outcome,
    pub(super) over: Vec<Outcome>,
    /// What is known on entry.
    pub(super) assumed: Vec<Term>,
}

/// The ways to take a turn as one, which does what each does where that is taken, as where a helper returns early; with the call of the next
/// turn. `None` where they call more than that.
fn together(arena: &mut Arena, ways: Vec<Outcome>) -> Option<(Outcome, CallRecord)> {
    let mut ways = ways.into_iter().rev();
    let mut whole = ways.next()?;
    let [call] = whole.calls[..] else { return None };
    let mut next = arena.record(call).clone();
    for way in ways {
        let [call] = way.calls[..] else { return None };
        let own = arena.record(call).clone();
        if own.callee != next.callee {
            return None;
        }
        let (common, alone): (Vec<Term>, Vec<Term>) = way.path.iter().partition(|fact| whole.path.contains(fact));
        // What is known of the next turns does not tell which way this one takes until they are over.
        let (late, early): (Vec<Term>, Vec<Term>) =
            alone.into_iter().partition(|&fact| arena.terms.speaks_of_call(call, fact));
        let taken = arena.terms.and(&early);
        next.args = own.args.iter().zip(&next.args).map(|(&one, &other)| arena.terms.ite(taken, one, other)).collect();
        next.heap = arena.heaps.join(taken, own.heap, next.heap);
        let ended = arena.terms.ended(call, Ending::Normal);
        let late: Vec<Term> = late.into_iter().filter(|&fact| fact != ended).collect();
        let late = arena.terms.and(&late);
        let taken = arena.terms.and(&[taken, late]);
        let results = way.results.iter().zip(&whole.results).map(|(&one, &other)| {
            let [taken, one] = [taken, one].map(|term| passed_on(arena, term, own.call, next.call));
            arena.terms.ite(taken, one, other)
        });
        whole.results = results.collect();
        whole.heap = arena.heaps.join(taken, way.heap, whole.heap);
        whole.path = common;
    }
    Some((whole, next))
}

/// A term in which results of one call are those of another.
fn passed_on(arena: &mut Arena, term: Term, from: CallId, to: CallId) -> Term {
    if from == to {
        return term;
    }
    let mut by = HashMap::default();
    for part in arena.terms.parts_of(&[term]) {
        if let Node::App(Func::Result(call, at), args) = arena.terms.node(part).clone()
            && call == from
        {
            let sort = arena.terms.sort(part);
            by.insert(part, arena.terms.app(Func::Result(to, at), &args, sort));
        }
    }
    arena.terms.substitute(term, &by)
}

/// The turns of a loop, as one tells of them.
pub(super) struct Turns {
    pub(super) arena: Arena,
    /// What the turn was given.
    pub(super) given: Vec<Term>,
    /// What it gives the next one.
    pub(super) next: CallRecord,
    /// By how much each variable goes; `None` where that is no number.
    pub(super) steps: Vec<Option<BigInt>>,
    /// What the next turn is given, by what this one was.
    after: HashMap<Term, Term>,
}

/// An index that goes up or down by one each turn: what it is in this one.
#[derive(Clone, Copy)]
pub(super) struct Index {
    pub(super) now: Term,
    pub(super) up: bool,
}

/// How many turns are left.
pub(super) struct Left {
    /// While these hold one more is taken.
    pub(super) facts: Vec<Term>,
    /// And all these: a turn may be the last before there are none left.
    pub(super) rest: Vec<Term>,
    /// How many there would be.
    pub(super) turns: Term,
}

impl Left {
    /// Whether on a path one more is taken as far as this is the condition.
    pub(super) fn is_some_on(&self, path: &[Term]) -> bool {
        self.facts.iter().all(|fact| path.contains(fact))
    }

    /// How many are left where both conditions have to hold.
    fn and(&self, other: &Left, terms: &mut Terms) -> Left {
        let facts = [&self.facts[..], &other.facts].concat();
        let mut rest = self.rest.clone();
        rest.extend(other.rest.iter().filter(|fact| !self.rest.contains(fact)));
        rest.retain(|fact| !facts.contains(fact));
        let fewer = terms.le(self.turns, other.turns);
        Left { rest, turns: terms.ite(fewer, self.turns, other.turns), facts }
    }
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

    /// How many turns are left, by each condition to go on, or part of one, that tells; and by the first two of them together, as where
    /// there are two bounds.
    fn all_left(&mut self, ways: &Ways) -> Vec<Left> {
        let mut found = Vec::new();
        for &whole in ways.turn.path.iter().filter(|fact| !ways.assumed.contains(fact)) {
            let parts = match self.arena.terms.node(whole) {
                Node::And(parts) => parts.to_vec(),
                _ => vec![whole],
            };
            for &fact in &parts {
                let Some(turns) = self.left(fact) else { continue };
                let rest = parts.iter().copied().filter(|&other| other != fact).collect();
                found.push(Left { facts: vec![fact], rest, turns });
            }
        }
        if let [one, other, ..] = &found[..] {
            let both = one.and(other, &mut self.arena.terms);
            found.insert(2, both);
        }
        found
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

    /// What all turns may do: the likeliest first.
    fn sweeps(&mut self, ways: &Ways, left: &Left) -> Vec<Sweep> {
        let Some(cells) = self.written(&ways.turn, left.turns) else { return Vec::new() };
        let results = 0..ways.turn.results.len();
        let said: Vec<Vec<Total>> = results.map(|at| self.totals(ways, at, left)).collect();
        let most = said.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let choice =
            |nth: usize| said.iter().map(|own| own.get(nth.min(own.len().saturating_sub(1))).cloned()).collect();
        let sums = said.iter().map(|own| own.first().filter(|own| own.steps == Steps::Added).cloned()).collect();
        let choices = (0..most).map(choice).chain([sums]);
        choices.map(|totals| Sweep { cells: cells.clone(), totals, ..Sweep::default() }).collect()
    }

    /// When all turns return: where none errs itself, and the number of turns left is not negative or the loop is known to end.
    fn returns(&mut self, unerring: Vec<Value>, (left, ends): (Term, bool)) -> Option<Returns> {
        let measure = self.fixed(left)?;
        let some = Value::AtMostZero(Box::new(Value::Linear(0, vec![(-1, measure.clone())])));
        let mut when = if faults::planted("engines/sweep/always-returns") { Vec::new() } else { unerring };
        when.extend((!ends).then_some(some));
        Some(Returns { when: Value::All(when), measure })
    }

    /// When no turn errs itself, as far as one tells: all of these hold.
    fn unerring(&mut self, errors: impl Iterator<Item = Outcome>, assumed: &[Term]) -> Option<Vec<Value>> {
        let mut holds = Vec::new();
        for outcome in errors {
            let calls = outcome.calls.clone();
            let terms = &mut self.arena.terms;
            let erred: Vec<Term> = calls.iter().map(|&call| terms.ended(call, Ending::Error)).collect();
            if outcome.path.iter().any(|fact| erred.contains(fact)) {
                continue;
            }
            let own =
                |fact: &&Term| !assumed.contains(fact) && !calls.iter().any(|&call| terms.speaks_of_call(call, **fact));
            let path: Vec<Term> = outcome.path.iter().filter(own).copied().collect();
            let taken = self.arena.terms.and(&path);
            let not = self.arena.terms.not(taken);
            holds.push(self.fixed(not)?);
        }
        Some(holds)
    }

    /// The cells that one turn writes, before the next and after it.
    fn written(&mut self, turn: &Outcome, left: Term) -> Option<Vec<Cells>> {
        let mut stores = self.stores(self.next.heap)?;
        if turn.heap != self.next.heap {
            stores.extend(self.stores(turn.heap)?);
        }
        stores.into_iter().map(|store| self.cells(store, left)).collect()
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
                HeapNode::Call { call, .. } if call == self.next.call => break,
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

    /// A number that goes by one each turn.
    fn index(&mut self, now: Term) -> Option<Index> {
        let terms = &mut self.arena.terms;
        let then = terms.substitute(now, &self.after);
        let step = terms.sub(then, now);
        let step = terms.as_int(step)?;
        step.abs().is_one().then(|| Index { now, up: step.is_positive() })
    }

    /// The index that a summand or a step is about: the first such number at which it reads a cell. If there is none: the first variable
    /// that is such a number, or the number before or after it, whichever makes `each` the smallest term. A variable may be assigned before
    /// it is read, and both versions are to use the same index.
    pub(super) fn index_in(&mut self, each: Term) -> Option<Index> {
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

    pub(super) fn range(&mut self, index: Index, left: Term) -> Option<Range> {
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
    pub(super) fn each(&mut self, value: Term, index: Index) -> Option<Value> {
        let (value, number) = self.of_turn(value, index)?;
        self.value(value, &HashMap::from_iter([(number, Value::Index)]))
    }

    /// The same, where a term stands for what a result has become by then; `mirrored` where the index is counted downwards.
    pub(super) fn step(&mut self, value: Term, (index, mirrored): (Index, bool), so_far: Term) -> Option<Value> {
        let (mut value, number) = self.of_turn(value, index)?;
        if mirrored {
            let below = self.arena.terms.neg(number);
            value = self.arena.terms.substitute(value, &HashMap::from_iter([(number, below)]));
        }
        self.value(value, &HashMap::from_iter([(number, Value::Index), (so_far, Value::SoFar)]))
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

    pub(super) fn fixed(&self, term: Term) -> Option<Value> {
        self.value(term, &HashMap::default())
    }

    /// A term over what the loop was given, and over terms that stand for others, as a value.
    fn value(&self, term: Term, known: &HashMap<Term, Value>) -> Option<Value> {
        if let Some(value) = known.get(&term) {
            return Some(value.clone());
        }
        if let Some(at) = self.given.iter().position(|&own| own == term) {
            return Some(Value::Given(at));
        }
        let go = |term: Term| self.value(term, known);
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
