//! From pairs of paths to conditions: which stores are equal, which differ, of which one ends.
//!
//! In: [`Meetings`]. Out: each kind of stores as cubes of tests; of what is open, a condition that covers it.
//!
//! Invariant: claims nothing; what is made of it is proved by [`proof`](super::proof).

use super::ask::Asker;
use super::atoms;
use super::condition::Guarded;
use super::cubes;
use super::paths::{Kind, Meeting, Meetings};
use super::text::{Names, Text};
use smt::arena::Arena;
use smt::term::{Node, Term};
use std::collections::BTreeSet;

/// Stores that are not equal, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Regions {
    /// Both end and differ.
    pub(super) differ: Vec<Region>,
    /// One ends.
    pub(super) one_ends: Vec<Region>,
    /// Nothing is known.
    pub(super) open: Vec<Term>,
    /// Both end, and may differ: no condition on entry says where.
    pub(super) unsettled: Vec<Region>,
    /// Whether there are stores that may differ in a way of which nothing at all is known.
    pub(super) silent: bool,
    /// All their tests, in the order of the paths.
    tests: Vec<Term>,
    /// Whether conditions may be built of these tests alone, whatever cannot be said with them.
    given: bool,
}

/// The stores of one meeting.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// Which meeting.
    pub(super) meeting: usize,
    /// Which stores.
    pub(super) condition: Term,
}

/// The regions of some meetings.
pub(super) fn of(arena: &mut Arena, meetings: &Meetings, assumed: &[Term]) -> Regions {
    let known = conjuncts(arena, assumed);
    let mut found = Regions::default();
    for (number, meeting) in meetings.pairs.iter().enumerate() {
        let own = own_tests(arena, meeting, &known);
        let exact = is_exact(arena, meeting, &known);
        let region = |condition| Region { meeting: number, condition };
        match meeting.kind {
            Kind::Equal => {}
            Kind::EqualWhere(way) => {
                let elsewhere = arena.terms.not(way);
                found.tests.extend(own.iter().copied().chain([elsewhere]));
                found.open.push(arena.terms.and(&own.iter().copied().chain([elsewhere]).collect::<Vec<_>>()));
                found.silent = true;
            }
            Kind::Differ(way) | Kind::Partly(way) => {
                let whole = arena.terms.and(&own);
                let mut left = whole;
                if exact && atoms::of_entry(arena, way) {
                    let way = atoms::apart(&mut arena.terms, way);
                    found.tests.extend(own.iter().copied().chain([way]));
                    found.differ.push(region(arena.terms.and(&[whole, way])));
                    let elsewhere = arena.terms.not(way);
                    left = arena.terms.and(&[whole, elsewhere]);
                } else {
                    found.tests.extend(&own);
                }
                if !exact || matches!(meeting.kind, Kind::Partly(_)) {
                    found.open.push(whole);
                    found.unsettled.push(region(left));
                }
            }
            Kind::OneEnds | Kind::Open => {
                let whole = arena.terms.and(&own);
                found.tests.extend(&own);
                if exact && matches!(meeting.kind, Kind::OneEnds) {
                    found.one_ends.push(region(whole));
                } else {
                    found.open.push(whole);
                    if matches!(meeting.kind, Kind::Open) {
                        found.unsettled.push(region(whole));
                    }
                }
            }
        }
    }
    found
}

/// Whether all of a meeting's condition that is not assumed of all stores speaks of the store on entry.
fn is_exact(arena: &Arena, meeting: &Meeting, known: &BTreeSet<Term>) -> bool {
    let parts = meeting.when.iter().flat_map(|&condition| conjuncts_in_order(arena, condition));
    parts.filter(|part| !known.contains(part)).all(|part| atoms::of_entry(arena, part))
}

/// The tests of a meeting that speak of the store on entry, taken apart, without what is assumed of all stores.
fn own_tests(arena: &mut Arena, meeting: &Meeting, known: &BTreeSet<Term>) -> Vec<Term> {
    let mut own = Vec::new();
    for &condition in &meeting.when {
        for part in conjuncts_in_order(arena, condition) {
            if !known.contains(&part) && atoms::of_entry(arena, part) {
                let part = atoms::apart(&mut arena.terms, part);
                own.push(part);
            }
        }
    }
    own
}

fn conjuncts(arena: &Arena, conditions: &[Term]) -> BTreeSet<Term> {
    conditions.iter().flat_map(|&condition| conjuncts_in_order(arena, condition)).collect()
}

/// The parts of a conjunction, from the first to the last.
pub(super) fn conjuncts_in_order(arena: &Arena, condition: Term) -> Vec<Term> {
    match arena.terms.node(condition) {
        Node::And(parts) => parts.iter().flat_map(|&part| conjuncts_in_order(arena, part)).collect(),
        _ => vec![condition],
    }
}

/// A condition in the two ways it can be written: where it holds, and where it does not.
pub(super) struct Written {
    /// That it holds.
    pub(super) holds: Text,
    /// That it does not.
    pub(super) fails: Text,
    /// That it holds, said beside final values.
    pub(super) held: Text,
}

impl Regions {
    /// One region alone, for what may be written with its own tests.
    pub(super) fn of_one(arena: &mut Arena, condition: Term) -> Self {
        Regions { tests: vec![atoms::apart(&mut arena.terms, condition)], ..Regions::default() }
    }

    /// All tests that conditions are built of, taken apart.
    pub(super) fn tests(&self, arena: &mut Arena) -> Vec<Term> {
        atoms::of(&mut arena.terms, &self.tests).unwrap_or_default()
    }

    /// The same regions, of which conditions are built of these tests alone.
    pub(super) fn with_tests(self, tests: Vec<Term>) -> Self {
        Regions { tests, given: true, ..self }
    }

    /// As [`Regions::write`], of the given tests: what holds is within the union, and what fails is outside.
    fn write_given(&self, names: Names<'_>, asker: &mut Asker<'_>, union: Term) -> Option<Written> {
        let outside = asker.arena.terms.not(union);
        let [inside, outside] = [union, outside].map(|side| {
            let cubes = cubes::within(asker, side, &self.tests)?;
            Some(Guarded::of(asker, &cubes))
        });
        let (inside, outside) = (inside?, outside?);
        let held = inside.some(Names { beside_final: true, ..names }, asker)?;
        Some(Written { holds: inside.some(names, asker)?, fails: outside.some(names, asker)?, held })
    }

    /// Writes the union of some conditions, built of the tests of all regions, and its complement. `None` where that has no text.
    pub(super) fn write(&self, names: Names<'_>, asker: &mut Asker<'_>, parts: &[Term]) -> Option<Written> {
        let union = asker.arena.terms.or(parts);
        if self.given {
            return self.write_given(names, asker, union);
        }
        let tests = atoms::of(&mut asker.arena.terms, &self.tests)?;
        let outside = asker.arena.terms.not(union);
        let sides = [union, outside].map(|side| {
            let cubes = cubes::cover(asker, side, &tests)?;
            Some(Guarded::of(asker, &cubes))
        });
        let fewer = match &sides {
            [Some(inside), Some(outside)] => outside.atoms() < inside.atoms(),
            [inside, _] => inside.is_none(),
        };
        let (fewer, cubes) = match sides.into_iter().nth(usize::from(fewer)).flatten() {
            Some(cubes) => (fewer, cubes),
            None => {
                let plain = cubes::plain(&mut asker.arena.terms, union)?;
                (false, Guarded::of(asker, &plain))
            }
        };
        let [some, none] = [cubes.some(names, asker)?, cubes.none(names, asker)?];
        let beside = Names { beside_final: true, ..names };
        let (holds, fails) = if fewer { (none, some) } else { (some, none) };
        let held = if fewer { cubes.none(beside, asker)? } else { cubes.some(beside, asker)? };
        Some(Written { holds, fails, held })
    }
}
