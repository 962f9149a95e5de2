//! Lies about loops that are taken as a whole.
//!
//! In: evidence with sweeps. Out: others, in which a range, a value, a start or an array is another one, or something is left out.

use super::Lie;
use super::pick::{claim, plan};
use super::subject::Subject;
use kernel::exec::sweep::{Cells, Returns, Steps, Sweep, Total, Value};
use lang_l::random::Random;
use prover::findings::Findings;
use smt::term::Sort;

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("range of a sweep moved", |subject, story, random| {
        let end = random.below(2);
        moved(&mut parts(sweep(subject, story, random)?).pick(random)?.range[end], random);
        Some(())
    }),
    ("value of a sweep changed", |subject, story, random| {
        let value = parts(sweep(subject, story, random)?).pick(random)?.value;
        *value = if random.percent(50) { invented(random) } else { more(value, random) };
        Some(())
    }),
    ("start of a total moved", |subject, story, random| {
        let totals = &mut sweep(subject, story, random)?.totals;
        let at = random.below(totals.len());
        moved(&mut totals.get_mut(at)?.as_mut()?.start, random);
        Some(())
    }),
    ("array of a sweep exchanged", |subject, story, random| {
        let cells = &mut sweep(subject, story, random)?.cells;
        let at = random.below(cells.len());
        cells.get_mut(at)?.array = Value::Given(random.below(5));
        Some(())
    }),
    ("cells of a sweep left out", |subject, story, random| {
        let cells = &mut sweep(subject, story, random)?.cells;
        let at = random.below(cells.len());
        (at < cells.len()).then(|| drop(cells.remove(at)))
    }),
    ("cells of a sweep invented", |subject, story, random| {
        let cells = &mut sweep(subject, story, random)?.cells;
        let array = Value::Given(random.below(5));
        let (sort, value) = match random.below(3) {
            0 => (Sort::Bool, Value::Truth(random.percent(50))),
            1 => (Sort::Ref, Value::Null),
            _ => (Sort::Int, invented(random)),
        };
        let range = [Value::Linear(0, Vec::new()), Value::Length(Box::new(array.clone()))];
        cells.push(Cells { array, sort, range, value });
        Some(())
    }),
    ("total invented", |subject, story, random| {
        let totals = &mut sweep(subject, story, random)?.totals;
        let at = random.below(totals.len());
        let range = [invented(random), invented(random)];
        let steps = [Steps::Added, Steps::InOrder, Steps::InAnyOrder][random.below(3)];
        *totals.get_mut(at)? = Some(Total { start: invented(random), range, each: invented(random), steps });
        Some(())
    }),
    ("order of steps changed", |subject, story, random| {
        let totals = &mut sweep(subject, story, random)?.totals;
        let at = random.below(totals.len());
        let steps = &mut totals.get_mut(at)?.as_mut()?.steps;
        *steps = match *steps {
            Steps::InOrder => Steps::InAnyOrder,
            Steps::InAnyOrder => Steps::InOrder,
            Steps::Added => return None,
        };
        Some(())
    }),
    ("all calls of a sweep said to return", |subject, story, random| {
        let returns = &mut sweep(subject, story, random)?.returns;
        let measure = returns.as_ref().map_or_else(|| invented(random), |own| own.measure.clone());
        *returns = Some(Returns { when: Value::Truth(true), measure });
        Some(())
    }),
    ("measure of a sweep changed", |subject, story, random| {
        let measure = &mut sweep(subject, story, random)?.returns.as_mut()?.measure;
        *measure = Value::Linear(0, vec![(-1, measure.clone())]);
        Some(())
    }),
    ("sweep of another loop", |subject, story, random| {
        let version = random.below(2);
        let sweeps = &mut plan(&mut claim(subject, story, random)?.1)?.sweeps[version];
        let (from, to) = (random.below(sweeps.len()), random.below(sweeps.len()));
        let taken = sweeps.values().nth(from)?.clone();
        let told = sweeps.values_mut().nth(to)?;
        (*told != taken).then(|| *told = taken)
    }),
];

/// A range of indices, and what is written or added at each.
struct Part<'s> {
    range: &'s mut [Value; 2],
    value: &'s mut Value,
}

struct Parts<'s>(Vec<Part<'s>>);

impl<'s> Parts<'s> {
    fn pick(mut self, random: &mut Random) -> Option<Part<'s>> {
        let at = random.below(self.0.len());
        (at < self.0.len()).then(|| self.0.swap_remove(at))
    }
}

fn parts(sweep: &mut Sweep) -> Parts<'_> {
    let cells = sweep.cells.iter_mut().map(|Cells { range, value, .. }| Part { range, value });
    let totals = sweep.totals.iter_mut().flatten().map(|Total { range, each, .. }| Part { range, value: each });
    Parts(cells.chain(totals).collect())
}

/// What is said of a loop, of those that are taken as a whole.
fn sweep<'s>(subject: &Subject, story: &'s mut Findings, random: &mut Random) -> Option<&'s mut Sweep> {
    let version = random.below(2);
    let sweeps = &mut plan(&mut claim(subject, story, random)?.1)?.sweeps[version];
    let at = random.below(sweeps.len());
    sweeps.values_mut().nth(at)
}

fn moved(value: &mut Value, random: &mut Random) {
    *value = more(value, random);
}

/// A number more or less.
fn more(value: &Value, random: &mut Random) -> Value {
    let by = if random.percent(50) { 1 } else { -1 };
    Value::Linear(by, vec![(1, value.clone())])
}

fn invented(random: &mut Random) -> Value {
    match random.below(5) {
        0 => Value::Index,
        1 => Value::Given(random.below(5)),
        2 => Value::Linear([0, 1, -1, 7][random.below(4)], Vec::new()),
        3 => Value::Length(Box::new(Value::Given(random.below(5)))),
        _ => Value::Product(vec![Value::Index, Value::Given(random.below(5))]),
    }
}
