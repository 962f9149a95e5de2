//! Two runs laid side by side, loop by loop.
//!
//! In: all calls of two runs. Out: rows of numbers for each [`Key`]: which calls were at work side by side, with those that come after
//! them.
//!
//! A run is cut into stages: the calls of one recursive procedure by itself, which are the turns of a loop. The walk goes through the
//! stages of both runs at once. Each side makes some turns at a time, its pace. Where a side leaves its stage before the first turn the
//! other one may wait for it: so it is where a loop is split in two. Or it goes on: so it is where a loop is peeled. Or all stages of both
//! sides make their turns at once: so it is where loops are fused.
//!
//! Invariant: what a walk proposes is proved before it is used.

use crate::budget::coupling::{MAX_PACE, MAX_ROWS};
use crate::engines::coupling::runs::Activation;
use crate::engines::coupling::steps::Steps;
use crate::goal::Pair;
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;

/// The calls that a summary speaks of, by version: the one at work, then those that come after it.
pub(super) type Key = [Vec<ProcId>; 2];

/// How two runs are laid side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// How many turns each side makes at a time; `None` to read it off variables of one name.
    pub(super) pace: Option<[usize; 2]>,
    /// Which of the stages of a side make turns.
    pub(super) order: Order,
    /// Whether stages that make their turns side by side are also looked at two by two: that one ends if another does is said of two.
    pub(super) pairs: bool,
}

/// Which stages make turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// The first of each side; a side waits for one that leaves its stage before the first turn.
    Waiting,
    /// The first of each side, which waits for nothing.
    First,
    /// All at once: so it is where two loops are fused.
    Beside,
}

/// What a side does when it is to make its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// There is nothing left to do for it.
    Over,
    /// It leaves its stage before the first turn.
    AtOnce,
    /// It leaves its stage before the last turn.
    Within,
    /// It makes all of them.
    On,
}

/// What becomes of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// It stays where it is.
    Stay,
    /// It comes to its next stage.
    Leave,
    /// It is some turns further in its stage.
    Go,
}

/// What the sides do next, where they have so many stages after this one.
pub(super) fn moves(turns: [Turn; 2], later: [usize; 2], waits: bool) -> [Move; 2] {
    let own = turns.map(|turn| match turn {
        Turn::Over => Move::Stay,
        Turn::AtOnce | Turn::Within => Move::Leave,
        Turn::On => Move::Go,
    });
    match turns {
        _ if !waits || turns.contains(&Turn::Over) => own,
        [Turn::AtOnce, Turn::AtOnce] if later[0] == later[1] => own,
        [Turn::AtOnce, Turn::AtOnce] if later[0] > later[1] => [Move::Leave, Move::Stay],
        [Turn::AtOnce, Turn::AtOnce] => [Move::Stay, Move::Leave],
        [Turn::AtOnce, _] => [Move::Leave, Move::Stay],
        [_, Turn::AtOnce] => [Move::Stay, Move::Leave],
        _ => own,
    }
}

/// The calls of one procedure by itself.
type Stage = (ProcId, Vec<Activation>);

/// A run as its stages.
struct Run {
    stages: Vec<Stage>,
}

impl Run {
    /// `None` where a procedure comes back after another one: then turns do not follow one another.
    fn of(steps: &Steps<'_>, version: usize, calls: &[(ProcId, Activation)]) -> Option<Self> {
        let mut stages: Vec<Stage> = Vec::new();
        for (id, call) in calls.iter().filter(|(id, _)| steps.recursive(version, *id)) {
            match stages.iter().position(|(own, _)| own == id) {
                None => stages.push((*id, vec![call.clone()])),
                Some(at) if at + 1 == stages.len() => stages[at].1.push(call.clone()),
                Some(_) => return None,
            }
        }
        Some(Run { stages })
    }

    /// By how much a parameter changes in each turn of a stage; `None` if not always by the same amount, which is not 0.
    fn step(&self, id: ProcId, at: usize) -> Option<BigInt> {
        let (_, calls) = self.stages.iter().find(|(own, _)| *own == id)?;
        let mut all = calls.windows(2).map(|two| &two[1].input[at] - &two[0].input[at]);
        let first = all.next()?;
        (!first.is_zero() && all.all(|other| other == first)).then_some(first)
    }
}

/// Rows of one key: inputs of all calls, their outputs, and the lengths of what went in.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) inputs: Vec<Vec<BigInt>>,
    pub(super) outputs: Vec<Vec<BigInt>>,
    pub(super) lengths: Vec<Vec<BigInt>>,
}

/// What was seen, and at what pace.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    pub(super) rows: BTreeMap<Key, Rows>,
    pub(super) paces: BTreeMap<Pair, [usize; 2]>,
}

impl Walk {
    /// Through all of these runs; `None` where they do not consist of stages.
    pub(super) fn through(steps: &Steps<'_>, runs: &[[Vec<(ProcId, Activation)>; 2]], manner: Manner) -> Option<Self> {
        let both = |[left, right]: &[Vec<(ProcId, Activation)>; 2]| {
            Some([Run::of(steps, 0, left)?, Run::of(steps, 1, right)?])
        };
        let runs = runs.iter().map(both).collect::<Option<Vec<[Run; 2]>>>()?;
        let mut walk = Walk::default();
        for run in &runs {
            for (p, _) in &run[0].stages {
                for (q, _) in &run[1].stages {
                    let read = || inferred(steps, &runs, (*p, *q));
                    walk.paces.entry((*p, *q)).or_insert_with(|| manner.pace.unwrap_or_else(read));
                }
            }
        }
        for run in &runs {
            match manner.order {
                Order::Beside => walk.beside(run, manner.pairs),
                order => walk.along(run, order == Order::Waiting),
            }
        }
        Some(walk)
    }

    /// Whether there is never more than one stage on a side.
    pub(super) fn is_plain(&self) -> bool {
        self.rows.keys().all(|key| key.iter().all(|own| own.len() < 2))
    }

    /// The turns that the calls at work make at a time.
    pub(super) fn pace(&self, key: &Key) -> [usize; 2] {
        match (key[0].first(), key[1].first()) {
            (Some(p), Some(q)) => self.paces.get(&(*p, *q)).copied().unwrap_or([1, 1]),
            _ => [1, 1],
        }
    }

    fn along(&mut self, runs: &[Run; 2], waits: bool) {
        // The stage and the turn within, of each side.
        let mut at = [(0, 0); 2];
        loop {
            let ahead = [0, 1].map(|side| &runs[side].stages[at[side].0.min(runs[side].stages.len())..]);
            if ahead.iter().all(|stages| stages.is_empty()) {
                return;
            }
            let key: Key = ahead.map(|stages| stages.iter().map(|(id, _)| *id).collect());
            let turn_of = |side: usize, stage: usize| if stage == 0 { at[side].1 } else { 0 };
            let calls = (0..2).flat_map(|side| {
                ahead[side].iter().enumerate().map(move |(stage, (_, calls))| &calls[turn_of(side, stage)])
            });
            self.note(&key, &calls.collect::<Vec<_>>());
            let pace = self.pace(&key);
            let turns = [0, 1].map(|side| match ahead[side].first().map(|(_, calls)| calls.len() - 1 - at[side].1) {
                None => Turn::Over,
                Some(0) => Turn::AtOnce,
                Some(left) if left < pace[side] => Turn::Within,
                Some(_) => Turn::On,
            });
            let later = [0, 1].map(|side| ahead[side].len());
            for (side, own) in moves(turns, later, waits).into_iter().enumerate() {
                match own {
                    Move::Stay => {}
                    Move::Leave => at[side] = (at[side].0 + 1, 0),
                    Move::Go => at[side].1 += pace[side],
                }
            }
        }
    }

    /// All stages at once, turn by turn; one that is over is gone.
    fn beside(&mut self, runs: &[Run; 2], pairs: bool) {
        for turn in 0.. {
            let live = [0, 1].map(|side| runs[side].stages.iter().filter(|(_, calls)| turn < calls.len()));
            let key: Key = live.clone().map(|stages| stages.map(|(id, _)| *id).collect());
            let calls: Vec<&Activation> = live.into_iter().flatten().map(|(_, calls)| &calls[turn]).collect();
            if calls.is_empty() {
                return;
            }
            self.note(&key, &calls);
            let (mine, theirs) = calls.split_at(key[0].len());
            for (p, left) in key[0].iter().zip(mine).filter(|_| pairs) {
                for (q, right) in key[1].iter().zip(theirs) {
                    self.note(&[vec![*p], vec![*q]], &[*left, *right]);
                }
            }
        }
    }

    fn note(&mut self, key: &Key, calls: &[&Activation]) {
        let rows = self.rows.entry(key.clone()).or_default();
        if rows.inputs.len() < MAX_ROWS {
            rows.inputs.push(calls.iter().flat_map(|call| call.input.iter().cloned()).collect());
            rows.outputs.push(calls.iter().flat_map(|call| call.output.iter().cloned()).collect());
            rows.lengths.push(calls.iter().flat_map(|call| call.lengths.iter().cloned()).collect());
        }
    }
}

/// The pace at which two stages keep variables of one name equal; one by one where there are none.
fn inferred(steps: &Steps<'_>, runs: &[[Run; 2]], (p, q): Pair) -> [usize; 2] {
    let [mine, theirs] = [steps.parameters(0, p), steps.parameters(1, q)];
    let always = |side: usize, id: ProcId, at: usize| {
        let mut all = runs.iter().filter_map(|run| {
            let turns = run[side].stages.iter().any(|(own, calls)| *own == id && calls.len() > 1);
            turns.then(|| run[side].step(id, at))
        });
        let first = all.next()??;
        all.all(|other| other.as_ref() == Some(&first)).then_some(first)
    };
    for (at, name) in mine.iter().enumerate() {
        let Some(other) = theirs.iter().position(|their| their == name) else { continue };
        let (Some(one), Some(two)) = (always(0, p, at), always(1, q, other)) else { continue };
        let common = one.gcd(&two);
        let parts = [two.abs() / &common, one.abs() / &common].map(|part| part.to_usize().unwrap_or(usize::MAX));
        if one.sign() == two.sign() && parts.iter().all(|&part| part <= MAX_PACE) {
            return parts;
        }
    }
    [1, 1]
}
