//! Runs of the paths on numbers, to see what calls have in common. References are numbers too, null is 0; the heap is a
//! random store.

use super::steps::{Call, Step, Steps};
use crate::budget::coupling::{MAX_INPUTS, MAX_ROWS, MAX_RUN_DEPTH, MAX_RUN_STEPS};
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
    pub(super) output: Vec<BigInt>,
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

    /// Runs both sides from equal inputs, and lays the k-th call of each procedure of the one beside the k-th call of each
    /// procedure of the other.
    pub(super) fn observe(steps: &'s mut Steps<'p>, pair: Pair) -> Observations {
        let (sorts, _) = steps.sorts(0, pair.0);
        let whole = [steps.whole(0, pair.0), steps.whole(1, pair.1)];
        let steps: &'s Steps<'p> = steps;
        let mut observed = Observations::new();
        let mut random = Random::new(SEED);
        for _ in 0..MAX_INPUTS {
            let store = RandomStore::new(random.number());
            let input: Vec<BigInt> = sorts.iter().map(|sort| draw(&mut random, *sort)).collect();
            let mut runs = Vec::new();
            for (version, whole) in whole.iter().enumerate() {
                let mut run = Simulator::new(steps, version, store);
                if run.call(whole.callee, &input, 0).is_some() {
                    runs.push(run.seen);
                }
            }
            let [left, right] = runs.as_slice() else { continue };
            beside(steps, left, right, &mut observed);
        }
        observed
    }

    /// What calls of one procedure were seen to do, each once, in runs from inputs that are small or near these numbers.
    pub(super) fn analyse(steps: &'s Steps<'p>, version: usize, id: ProcId, near: &[BigInt]) -> Vec<Activation> {
        let (sorts, _) = steps.sorts(version, id);
        let mut random = Random::new(SEED);
        let mut found: BTreeMap<Vec<BigInt>, Vec<BigInt>> = BTreeMap::new();
        for at in 0..MAX_INPUTS * (near.len() + 1) {
            let around = near.get(at % (near.len() + 1));
            let input: Vec<BigInt> = sorts
                .iter()
                .map(|sort| match around {
                    Some(number) if *sort == Sort::Int => draw(&mut random, *sort) + number,
                    _ => draw(&mut random, *sort),
                })
                .collect();
            let mut run = Simulator::new(steps, version, RandomStore::new(random.number()));
            if run.call(id, &input, 0).is_some() {
                found.extend(run.seen.into_iter().filter(|(own, _)| *own == id).map(|(_, a)| (a.input, a.output)));
            }
            if found.len() >= MAX_ROWS {
                break;
            }
        }
        found.into_iter().map(|(input, output)| Activation { input, output }).collect()
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
        self.seen.push((id, Activation { input: input.to_vec(), output: Vec::new() }));
        let steps = self.steps;
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
                let step = self.step;
                let call = step.calls.iter().find(|call| call.id == Some(*id))?;
                self.make(call, values)?;
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
