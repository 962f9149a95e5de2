//! Runs of the paths on numbers, to see what calls have in common. References are numbers too, null is 0; the heap is made up.

use super::steps::{Call, Step, Steps};
use crate::goal::Pair;
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap as HashMap;
use smt::random_stores::{RandomStore, draw};
use smt::term::{Ending, Func, Node, Selector, Sort, Term, Terms};
use std::collections::BTreeMap;

/// How many inputs are tried.
const INPUTS: usize = 48;
/// The most calls of one run.
const FUEL: usize = 400;
/// The deepest run.
const DEPTH: usize = 60;
/// The most rows kept for one pair.
const ROWS: usize = 160;

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
    seen: Vec<(ProcId, Activation)>,
}

/// What was seen of a pair: calls of both sides side by side.
pub(super) type Observed = BTreeMap<Pair, Vec<(Activation, Activation)>>;

impl<'s, 'p> Simulator<'s, 'p> {
    /// Runs both sides from equal inputs, and lays the k-th call of each procedure of the one beside the k-th call of each
    /// procedure of the other.
    pub(super) fn observe(steps: &'s mut Steps<'p>, pair: Pair) -> Observed {
        let (sorts, _) = steps.sorts(0, pair.0);
        let whole = [steps.whole(0, pair.0), steps.whole(1, pair.1)];
        let steps: &'s Steps<'p> = steps;
        let mut observed = Observed::new();
        let mut seed = 0x9e37_79b9_u64;
        for _ in 0..INPUTS {
            let store = RandomStore::new(seed);
            let input: Vec<BigInt> = sorts.iter().map(|sort| draw(&mut seed, *sort)).collect();
            let mut runs = Vec::new();
            for (version, whole) in whole.iter().enumerate() {
                let mut run =
                    Simulator { steps, terms: steps.terms_ref(), version, store, fuel: FUEL, seen: Vec::new() };
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
        let mut seed = 0x9e37_79b9_u64;
        let mut found: BTreeMap<Vec<BigInt>, Vec<BigInt>> = BTreeMap::new();
        for at in 0..INPUTS * (near.len() + 1) {
            let around = near.get(at % (near.len() + 1));
            let input: Vec<BigInt> = sorts
                .iter()
                .map(|sort| match around {
                    Some(number) if *sort == Sort::Int => draw(&mut seed, *sort) + number,
                    _ => draw(&mut seed, *sort),
                })
                .collect();
            let (terms, store) = (steps.terms_ref(), RandomStore::new(seed));
            let mut run = Simulator { steps, terms, version, store, fuel: FUEL, seen: Vec::new() };
            if run.call(id, &input, 0).is_some() {
                found.extend(run.seen.into_iter().filter(|(own, _)| *own == id).map(|(_, a)| (a.input, a.output)));
            }
            if found.len() >= ROWS {
                break;
            }
        }
        found.into_iter().map(|(input, output)| Activation { input, output }).collect()
    }

    fn call(&mut self, id: ProcId, input: &[BigInt], depth: usize) -> Option<Vec<BigInt>> {
        self.fuel = self.fuel.checked_sub(1)?;
        if depth > DEPTH {
            return None;
        }
        let at = self.seen.len();
        self.seen.push((id, Activation { input: input.to_vec(), output: Vec::new() }));
        for step in self.steps.steps_ref(self.version, id) {
            let seen = self.seen.len();
            if let Some(output) = self.step(id, step, input, depth)? {
                self.seen[at].1.output.clone_from(&output);
                return Some(output);
            }
            self.seen.truncate(seen);
        }
        None
    }

    /// The outputs if this is the path taken; the outer `None` when the run was given up.
    fn step(&mut self, id: ProcId, step: &Step, input: &[BigInt], depth: usize) -> Option<Option<Vec<BigInt>>> {
        let mut values: HashMap<Term, BigInt> = HashMap::default();
        for (&variable, value) in self.steps.inputs_ref(self.version, id).iter().zip(input) {
            values.insert(variable, value.clone());
        }
        for &condition in &step.path {
            match self.value(condition, step, &mut values, depth)? {
                Some(value) if !value.is_zero() => {}
                _ => return Some(None),
            }
        }
        // Every call on the path happened, even one whose results nobody uses.
        for call in &step.calls {
            self.made(call, step, &mut values, depth)?;
        }
        let mut output = Vec::new();
        for &term in &step.output {
            match self.value(term, step, &mut values, depth)? {
                Some(value) => output.push(value),
                None => return Some(None),
            }
        }
        Some(Some(output))
    }

    /// Makes a call, once, and notes its results.
    fn made(&mut self, call: &Call, step: &Step, values: &mut HashMap<Term, BigInt>, depth: usize) -> Option<()> {
        if call.output.iter().all(|output| values.contains_key(output)) && !call.output.is_empty() {
            return Some(());
        }
        let mut input = Vec::new();
        for &term in &call.input {
            input.push(self.value(term, step, values, depth)??);
        }
        let output = self.call(call.callee, &input, depth + 1)?;
        values.extend(call.output.iter().copied().zip(output));
        Some(())
    }

    /// The value of a term; the inner `None` when it has none here.
    fn value(
        &mut self,
        term: Term,
        step: &Step,
        values: &mut HashMap<Term, BigInt>,
        depth: usize,
    ) -> Option<Option<BigInt>> {
        if let Some(value) = values.get(&term) {
            return Some(Some(value.clone()));
        }
        let bit = |holds: bool| if holds { BigInt::one() } else { BigInt::zero() };
        macro_rules! get {
            ($term:expr) => {
                match self.value($term, step, values, depth)? {
                    Some(value) => value,
                    None => return Some(None),
                }
            };
        }
        let value = match self.terms.node(term).clone() {
            Node::Int(value) => value,
            Node::Bool(value) => bit(value),
            Node::App(Func::Ending(_), _) => BigInt::from(Ending::Normal as i64),
            Node::App(Func::Result(id, _) | Func::GlobalAfter(id, _), _) => {
                let Some(call) = step.calls.iter().find(|call| call.id == Some(id)) else { return Some(None) };
                self.made(call, step, values, depth)?;
                match values.get(&term) {
                    Some(value) => value.clone(),
                    None => return Some(None),
                }
            }
            Node::Linear(constant, parts) => {
                let mut sum = constant;
                for (coefficient, part) in parts.iter() {
                    sum += coefficient * get!(*part);
                }
                sum
            }
            Node::Mul(parts) => {
                let mut product = BigInt::one();
                for &part in parts.iter() {
                    product *= get!(part);
                }
                product
            }
            Node::Div(a, b) | Node::Rem(a, b) => {
                let (x, y) = (get!(a), get!(b));
                if y.is_zero() {
                    return Some(None);
                }
                if matches!(self.terms.node(term), Node::Div(..)) { x / y } else { x % y }
            }
            Node::AtMostZero(t) => bit(!get!(t).is_positive()),
            Node::IsZero(t) => bit(get!(t).is_zero()),
            Node::Not(t) => bit(get!(t).is_zero()),
            Node::And(parts) => {
                let mut all = true;
                for &part in parts.iter() {
                    all = all && !get!(part).is_zero();
                    if !all {
                        break;
                    }
                }
                bit(all)
            }
            Node::Or(parts) => {
                let mut any = false;
                for &part in parts.iter() {
                    any = any || !get!(part).is_zero();
                    if any {
                        break;
                    }
                }
                bit(any)
            }
            Node::Ite(cond, then, els) => {
                let cond = get!(cond);
                get!(if cond.is_zero() { els } else { then })
            }
            Node::Null => BigInt::zero(),
            Node::SameRef(a, b) => {
                let (left, right) = (get!(a), get!(b));
                bit(left == right)
            }
            Node::App(Func::Initial(Selector::Field(field)), args) => {
                let object = get!(args[0]);
                self.store.field(field.0, &object, self.terms.sort(term))
            }
            Node::App(Func::Initial(Selector::Cell(_)), args) => {
                let (array, index) = (get!(args[0]), get!(args[1]));
                self.store.cell(&array, &index, self.terms.sort(term))
            }
            Node::App(Func::Length, args) => {
                let array = get!(args[0]);
                self.store.length(&array)
            }
            Node::App(..) | Node::InClass(..) | Node::Forall(..) => return Some(None),
        };
        values.insert(term, value.clone());
        Some(Some(value))
    }
}

fn beside(steps: &Steps<'_>, left: &[(ProcId, Activation)], right: &[(ProcId, Activation)], observed: &mut Observed) {
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
            let room = ROWS.saturating_sub(rows.len());
            rows.extend(mine.iter().cloned().zip(theirs.iter().cloned()).take(room));
        }
    }
}
