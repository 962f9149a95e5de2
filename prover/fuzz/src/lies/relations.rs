//! Lies about what relates two loops.
//!
//! In: a relation of two loops. Out: another one, weaker, stronger, or of other variables.

use super::Lie;
use super::pick::{claim, pairs_of_loops};
use super::pieces::{place, turns};
use kernel::pair::PairEvidence;
use kernel::pair::loops::LoopRelation;
use kernel::relate::{Atom, Fact, Level, Step};
use lang_l::hir::FieldId;
use lang_l::random::Random;
use smt::term::Sort;

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("fact of loops dropped", |subject, story, random| {
        dropped(&mut relation(claim(subject, story, random)?, random)?.entry.facts, random)
    }),
    ("fact of loops strengthened", |subject, story, random| {
        let fact = one_of(&mut relation(claim(subject, story, random)?, random)?.entry.facts, random)?;
        if let Fact::AtMost(one, other, more) = fact {
            *fact = Fact::Equal(one.clone(), other.clone(), *more);
            return Some(());
        }
        None
    }),
    ("fact of loops shifted", |subject, story, random| {
        shifted(one_of(&mut relation(claim(subject, story, random)?, random)?.entry.facts, random)?, random)
    }),
    ("fact of loops invented", |subject, story, random| {
        let own = relation(claim(subject, story, random)?, random)?;
        own.entry.facts.push(fact(random));
        Some(())
    }),
    ("fact of loops of another variable", |subject, story, random| {
        of_another(one_of(&mut relation(claim(subject, story, random)?, random)?.entry.facts, random)?, random);
        Some(())
    }),
    ("ends of loops: fact dropped", |subject, story, random| {
        dropped(&mut relation(claim(subject, story, random)?, random)?.entry.exit, random)
    }),
    ("ends of loops: fact shifted", |subject, story, random| {
        shifted(one_of(&mut relation(claim(subject, story, random)?, random)?.entry.exit, random)?, random)
    }),
    ("ends of loops: fact invented", |subject, story, random| {
        relation(claim(subject, story, random)?, random)?.entry.exit.push(fact(random));
        Some(())
    }),
    ("ends of loops: fact of another variable", |subject, story, random| {
        of_another(one_of(&mut relation(claim(subject, story, random)?, random)?.entry.exit, random)?, random);
        Some(())
    }),
    ("heaps that differ somewhere", |subject, story, random| {
        relation(claim(subject, story, random)?, random)?.entry.apart.push(place(random));
        Some(())
    }),
    ("heaps that differ somewhere else", |subject, story, random| {
        *one_of(&mut relation(claim(subject, story, random)?, random)?.entry.apart, random)? = place(random);
        Some(())
    }),
    ("loops compared, or matched instead", |subject, story, random| {
        let own = relation(claim(subject, story, random)?, random)?;
        own.entry.compared = !own.entry.compared;
        if random.percent(70) {
            own.results.clear();
        }
        Some(())
    }),
    ("turns of loops", |subject, story, random| {
        relation(claim(subject, story, random)?, random)?.turns = turns(random);
        Some(())
    }),
    ("parameters of loops crossed", |subject, story, random| {
        cross(&mut relation(claim(subject, story, random)?, random)?.entry.equal, random)
    }),
    ("results of loops crossed", |subject, story, random| {
        cross(&mut relation(claim(subject, story, random)?, random)?.results, random)
    }),
    ("parameters of loops invented", |subject, story, random| {
        let own = relation(claim(subject, story, random)?, random)?;
        own.entry.equal.push((random.below(8), random.below(8)));
        Some(())
    }),
    ("results of loops invented", |subject, story, random| {
        let own = relation(claim(subject, story, random)?, random)?;
        own.results.push((random.below(6), random.below(6)));
        Some(())
    }),
    ("parameters of loops dropped", |subject, story, random| {
        dropped(&mut relation(claim(subject, story, random)?, random)?.entry.equal, random)
    }),
    ("results of loops dropped", |subject, story, random| {
        dropped(&mut relation(claim(subject, story, random)?, random)?.results, random)
    }),
];

fn relation<'c>(claim: &'c mut (Level, PairEvidence), random: &mut Random) -> Option<&'c mut LoopRelation> {
    let loops = pairs_of_loops(&mut claim.1)?;
    let at = random.below(loops.len());
    loops.get_mut(at).map(|(own, _)| own)
}

/// One of a list.
fn one_of<'l, T>(list: &'l mut [T], random: &mut Random) -> Option<&'l mut T> {
    let at = random.below(list.len());
    list.get_mut(at)
}

/// Takes one out of a list.
fn dropped<T>(list: &mut Vec<T>, random: &mut Random) -> Option<()> {
    let at = random.below(list.len());
    (at < list.len()).then(|| drop(list.remove(at)))
}

/// A fact with another number.
fn shifted(fact: &mut Fact, random: &mut Random) -> Option<()> {
    match fact {
        Fact::Equal(.., more)
        | Fact::Sum(.., more)
        | Fact::Multiple(.., more)
        | Fact::AtMost(.., more)
        | Fact::AtLeast(_, more)
        | Fact::Is(_, more) => {
            *more = more.wrapping_add(if random.percent(50) { 1 } else { -1 });
            Some(())
        }
        Fact::Truth(_, truth) => {
            *truth = !*truth;
            Some(())
        }
        Fact::Change([to, from], _) => {
            std::mem::swap(to, from);
            Some(())
        }
        Fact::Polynomial(parts, _) => {
            let (times, _) = one_of(parts, random)?;
            *times = times.wrapping_add(1);
            Some(())
        }
        Fact::Not(other) | Fact::Each(_, other) => shifted(other, random),
        Fact::Under(both) => {
            let at = random.below(2);
            shifted(&mut both[at], random)
        }
        Fact::NotZero(_) | Fact::Null(_) | Fact::NotNull(_) => None,
    }
}

/// A fact of another variable.
fn of_another(fact: &mut Fact, random: &mut Random) {
    match fact {
        Fact::Equal(one, other, _) | Fact::AtMost(one, other, _) | Fact::Multiple(_, one, other, _) => {
            *(if random.percent(50) { one } else { other }) = atom(random);
        }
        Fact::Sum([one, _], ..)
        | Fact::Polynomial(_, one)
        | Fact::Change([one, _], _)
        | Fact::AtLeast(one, _)
        | Fact::Is(one, _)
        | Fact::NotZero(one)
        | Fact::Null(one)
        | Fact::NotNull(one)
        | Fact::Truth(one, _) => {
            *one = atom(random);
        }
        Fact::Not(other) | Fact::Each(None, other) => of_another(other, random),
        Fact::Each(Some(from), other) => {
            if random.percent(50) {
                *from = atom(random);
            } else {
                of_another(other, random);
            }
        }
        Fact::Under(both) => {
            let at = random.below(2);
            of_another(&mut both[at], random);
        }
    }
}

/// What is equal to one is equal to another.
fn cross(pairs: &mut [(usize, usize)], random: &mut Random) -> Option<()> {
    let (one, other) = (random.below(pairs.len()), random.below(pairs.len()));
    let (a, b) = (pairs.get(one)?.1, pairs.get(other)?.1);
    (pairs[one].1, pairs[other].1) = (b, a);
    (a != b).then_some(())
}

/// A fact that may have a meaning.
pub(super) fn fact(random: &mut Random) -> Fact {
    let more = [0, 0, 0, 1, -1, 2, i64::MAX, i64::MIN];
    let more = *random.pick(&more).unwrap_or(&0);
    match random.below(15) {
        14 => {
            let from = random.percent(50).then(|| atom(random));
            Fact::Each(from, Box::new(fact(random)))
        }
        10 => Fact::Not(Box::new(fact(random))),
        11 => Fact::Under(Box::new([fact(random), fact(random)])),
        0 => Fact::Equal(atom(random), atom(random), more),
        1 => Fact::Sum([atom(random), atom(random)], atom(random), more),
        2 => Fact::AtMost(atom(random), atom(random), more),
        3 => Fact::AtLeast(atom(random), more),
        4 => Fact::Truth(atom(random), random.percent(50)),
        5 => Fact::NotZero(atom(random)),
        6 => Fact::Is(atom(random), more),
        7 => Fact::Null(atom(random)),
        8 => Fact::Change([atom(random), atom(random)], [atom(random), atom(random)]),
        12 => Fact::Polynomial(vec![(1, vec![atom(random), atom(random)]), (more, vec![atom(random)])], atom(random)),
        13 => Fact::Multiple(more, atom(random), atom(random), 0),
        _ => Fact::NotNull(atom(random)),
    }
}

fn atom(random: &mut Random) -> Atom {
    let steps = if random.percent(70) { 0 } else { 1 + random.below(3) };
    let version = if random.percent(3) { 2 } else { random.below(2) };
    let steps = (0..steps).map(|_| step(random)).collect();
    Atom { version, parameter: random.below(6), steps }
}

fn step(random: &mut Random) -> Step {
    let sort = *random.pick(&[Sort::Int, Sort::Ref, Sort::Bool]).unwrap_or(&Sort::Int);
    match random.below(7) {
        0 => Step::Length,
        6 => Step::Each(sort),
        3 => Step::First(sort),
        1 => Step::Cell(random.below(6), sort),
        4 => Step::Before(random.below(6), u32::try_from(random.below(3)).unwrap_or(0), sort),
        5 => Step::Beside(random.below(6), sort),
        _ => Step::Field(FieldId(u32::try_from(random.below(6)).unwrap_or(0))),
    }
}
