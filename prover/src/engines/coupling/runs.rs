//! Runs of the paths on numbers, to see what calls have in common. References are numbers too, null is 0; the heap is a
//! random store.

use super::steps::{Call, Step, Steps};
use crate::budget::coupling::{MAX_INPUTS, MAX_REFUSED, MAX_ROWS, MAX_ROWS_OF_RUN, MAX_RUN_DEPTH, MAX_RUN_STEPS};
use crate::goal::Pair;
use lang_l::hir::ProcId;
use lang_l::random::Random;
use num_bigint::BigInt;
use smt::random_stores::{RandomStore, draw};
use smt::term::{Ending, Func, Leaves, Node, Sort, Term, Terms, Values};
use std::collections::BTreeMap;

/// Where the inputs start from.
const SEED: u64 = 0x9e37_79b9;

/// One call that was seen: numbers in, numbers out; booleans are 0 and 1.
#[derive(Clone, Debug)]
pub(super) struct Activation {
    pub(super) input: Vec<BigInt>,
    /// Of the references that went in, as arrays.
    pub(super) lengths: Vec<BigInt>,
    pub(super) output: Vec<BigInt>,
}

/// Which calls of two runs are laid side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The k-th call of each procedure of the one, and the k-th call of each procedure of the other.
    OfProcedure,
    /// The k-th recursive call of the one, and the k-th of the other, whichever procedures these are of.
    OfRun,
}

/// Runs one side.
pub(super) struct Simulator<'s, 'p> {
    steps: &'s Steps<'p>,
    terms: &'s Terms,
    version: usize,
    /// The same one for both sides.
    store: RandomStore,
    fuel: usize,
    /// Whether it took too long, or something on the way had no value.
    given_up: bool,
    seen: Vec<(ProcId, Activation)>,
}

/// What was seen of a pair: calls of both sides side by side.
pub(super) type Observations = BTreeMap<Pair, Vec<(Activation, Activation)>>;

impl<'s, 'p> Simulator<'s, 'p> {
    fn new(steps: &'s Steps<'p>, version: usize, store: RandomStore) -> Self {
        Simulator {
            steps,
            terms: steps.terms_ref(),
            version,
            store,
            fuel: MAX_RUN_STEPS,
            given_up: false,
            seen: Vec::new(),
        }
    }

    /// Runs both sides from equal inputs, and lays calls of the two side by side.
    pub(super) fn observe(steps: &'s mut Steps<'p>, pair: Pair, order: Order) -> Observations {
        let runs = Self::runs(steps, pair, &[]);
        let mut observed = Observations::new();
        for [left, right] in &runs {
            match order {
                Order::OfProcedure => beside(steps, left, right, &mut observed),
                Order::OfRun => in_turn(steps, left, right, &mut observed),
            }
        }
        observed
    }

    /// Runs of both sides from equal inputs, small ones or near these numbers: all calls of each, in the order in which they were
    /// made.
    pub(super) fn runs(steps: &'s Steps<'p>, pair: Pair, near: &[BigInt]) -> Vec<[Vec<(ProcId, Activation)>; 2]> {
        let (sorts, _) = steps.sorts(0, pair.0);
        let mut found = Vec::new();
        let mut random = Random::new(SEED);
        for at in 0..MAX_INPUTS * (near.len() + 1) {
            let store = RandomStore::new(random.number());
            let input = near_one(&mut random, &sorts, near, at);
            let both = [(0, pair.0), (1, pair.1)].map(|(version, root)| {
                let mut run = Simulator::new(steps, version, store);
                run.call(root, &input, 0).is_some().then_some(run.seen)
            });
            if let [Some(left), Some(right)] = both {
                found.push([left, right]);
            }
        }
        found
    }

    /// What calls of one procedure were seen to do, each once, in runs from inputs that are small or near these numbers.
    pub(super) fn analyse(steps: &'s Steps<'p>, version: usize, id: ProcId, near: &[BigInt]) -> Vec<Activation> {
        let (sorts, _) = steps.sorts(version, id);
        let mut random = Random::new(SEED);
        let mut found: BTreeMap<Vec<BigInt>, Activation> = BTreeMap::new();
        let wanted = MAX_INPUTS * (near.len() + 1);
        let mut begun = 0;
        for at in 0..wanted * MAX_REFUSED {
            let input = near_one(&mut random, &sorts, near, at);
            let mut run = Simulator::new(steps, version, RandomStore::new(random.number()));
            if !steps.may_begin(version, id, &input) {
                continue;
            }
            begun += 1;
            if run.call(id, &input, 0).is_some() {
                let own: Vec<Activation> =
                    run.seen.into_iter().filter(|(of, _)| *of == id).map(|(_, own)| own).collect();
                // The first calls and the last ones: others would leave no room for runs from other inputs.
                let kept = own.iter().take(MAX_ROWS_OF_RUN).chain(own.iter().rev().take(MAX_ROWS_OF_RUN));
                found.extend(kept.map(|own| (own.input.clone(), own.clone())));
            }
            if found.len() >= MAX_ROWS || begun >= wanted {
                break;
            }
        }
        found.into_values().collect()
    }

    /// What a call gives back; without an answer the run is given up.
    fn call(&mut self, id: ProcId, input: &[BigInt], depth: usize) -> Option<Vec<BigInt>> {
        let output = self.within_bounds(depth).and_then(|()| self.first_path(id, input, depth));
        self.given_up |= output.is_none();
        output
    }

    fn within_bounds(&mut self, depth: usize) -> Option<()> {
        self.fuel = self.fuel.checked_sub(1)?;
        (depth <= MAX_RUN_DEPTH).then_some(())
    }

    /// The outputs of the path that is taken.
    fn first_path(&mut self, id: ProcId, input: &[BigInt], depth: usize) -> Option<Vec<BigInt>> {
        let at = self.seen.len();
        let steps = self.steps;
        let (sorts, _) = steps.sorts(self.version, id);
        let references = input.iter().zip(sorts).filter(|(_, sort)| *sort == Sort::Ref);
        let lengths = references.map(|(array, _)| self.store.length(array)).collect();
        self.seen.push((id, Activation { input: input.to_vec(), lengths, output: Vec::new() }));
        for step in steps.steps_ref(self.version, id) {
            let seen = self.seen.len();
            let values: Values =
                steps.inputs_ref(self.version, id).iter().copied().zip(input.iter().cloned()).collect();
            let output = OnPath { run: self, step, depth }.output(values);
            if self.given_up {
                return None;
            }
            if let Some(output) = output {
                self.seen[at].1.output.clone_from(&output);
                return Some(output);
            }
            self.seen.truncate(seen);
        }
        None
    }
}

/// The values of the n-th inputs: small ones, or near one of some numbers.
fn near_one(random: &mut Random, sorts: &[Sort], near: &[BigInt], n: usize) -> Vec<BigInt> {
    let around = near.get(n % (near.len() + 1));
    let value = |sort: &Sort| match around {
        Some(number) if *sort == Sort::Int => draw(random, *sort) + number,
        _ => draw(random, *sort),
    };
    sorts.iter().map(value).collect()
}

/// A path in a run: the calls on it are made when somebody looks at their results.
struct OnPath<'r, 's, 'p> {
    run: &'r mut Simulator<'s, 'p>,
    step: &'s Step,
    depth: usize,
}

impl OnPath<'_, '_, '_> {
    /// The outputs, if this is the path taken.
    fn output(mut self, mut values: Values) -> Option<Vec<BigInt>> {
        let terms = self.run.terms;
        let step = self.step;
        if !step.path.iter().all(|&condition| terms.is_satisfied(condition, &mut values, &mut self)) {
            return None;
        }
        // Every call on the path happened, even one whose results nobody uses.
        for call in &step.calls {
            self.make(call, &mut values)?;
        }
        terms.evaluate_all(&step.output, &mut values, &mut self)
    }

    /// Makes a call, once, and notes its results.
    fn make(&mut self, call: &Call, values: &mut Values) -> Option<()> {
        if call.output.iter().all(|output| values.contains_key(output)) && !call.output.is_empty() {
            return Some(());
        }
        let input = self.run.terms.evaluate_all(&call.input, values, self);
        // A path that is taken makes its calls, so without arguments there is no run.
        self.run.given_up |= input.is_none();
        let output = self.run.call(call.callee, &input?, self.depth + 1)?;
        values.extend(call.output.iter().copied().zip(output));
        Some(())
    }
}

impl Leaves for OnPath<'_, '_, '_> {
    fn application(&mut self, terms: &Terms, term: Term, values: &mut Values) -> Option<BigInt> {
        let Node::App(func, args) = terms.node(term) else { return None };
        match func {
            _ if self.run.given_up => None,
            Func::Ending(_) => Some(BigInt::from(Ending::Normal as i64)),
            Func::Result(id, _) | Func::GlobalAfter(id, _) => {
                let calls = &self.step.calls;
                let at = calls.iter().position(|call| call.id == Some(*id))?;
                // In the order in which they are made.
                calls[..=at].iter().try_for_each(|call| self.make(call, values))?;
                values.get(&term).cloned()
            }
            _ => {
                let args = terms.evaluate_all(args, values, self)?;
                self.run.store.read(terms, term, &args)
            }
        }
    }
}

fn beside(
    steps: &Steps<'_>,
    left: &[(ProcId, Activation)],
    right: &[(ProcId, Activation)],
    observed: &mut Observations,
) {
    let by_procedure = |seen: &[(ProcId, Activation)]| {
        let mut found: BTreeMap<ProcId, Vec<Activation>> = BTreeMap::new();
        for (id, activation) in seen {
            found.entry(*id).or_default().push(activation.clone());
        }
        found
    };
    let (left, right) = (by_procedure(left), by_procedure(right));
    for (&p, mine) in left.iter().filter(|(p, _)| steps.recursive(0, **p)) {
        for (&q, theirs) in right.iter().filter(|(q, _)| steps.recursive(1, **q)) {
            let rows = observed.entry((p, q)).or_default();
            let room = MAX_ROWS.saturating_sub(rows.len());
            rows.extend(mine.iter().cloned().zip(theirs.iter().cloned()).take(room));
        }
    }
}

fn in_turn(
    steps: &Steps<'_>,
    left: &[(ProcId, Activation)],
    right: &[(ProcId, Activation)],
    observed: &mut Observations,
) {
    let lefts = left.iter().filter(|(p, _)| steps.recursive(0, *p));
    let rights = right.iter().filter(|(q, _)| steps.recursive(1, *q));
    for ((p, mine), (q, theirs)) in lefts.zip(rights) {
        let rows = observed.entry((*p, *q)).or_default();
        if rows.len() < MAX_ROWS {
            rows.push((mine.clone(), theirs.clone()));
        }
    }
}
