//! Lies about summaries of calls.
//!
//! In: evidence of summaries. Out: others, of which something is stronger, weaker, of other values or of other procedures.

use super::Lie;
use super::pick::claim;
use kernel::pair::PairEvidence;
use kernel::pair::plan::InliningPlan;
use kernel::pair::summaries::{Formula, Polynomial, Slot, SummariesEvidence, Summary};
use kernel::relate::Level;
use lang_l::hir::ProcId;
use lang_l::random::Random;
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("condition of a summary dropped", |subject, story, random| {
        let before = &mut summary(claim(subject, story, random)?, random)?.before;
        let at = random.below(before.len());
        (at < before.len()).then(|| drop(before.remove(at)))
    }),
    ("condition of a summary invented", |subject, story, random| {
        summary(claim(subject, story, random)?, random)?.before.push(formula(random));
        Some(())
    }),
    ("summary strengthened", |subject, story, random| {
        let invented = formula(random);
        summary(claim(subject, story, random)?, random)?.after.push(invented);
        Some(())
    }),
    ("summary that cannot be", |subject, story, random| {
        let never = Formula::Any(Vec::new());
        summary(claim(subject, story, random)?, random)?.after.push(never);
        Some(())
    }),
    ("formula of a summary shifted", |subject, story, random| {
        let own = summary(claim(subject, story, random)?, random)?;
        let part = if random.percent(50) { &mut own.before } else { &mut own.after };
        let at = random.below(part.len());
        match part.get_mut(at)? {
            Formula::Zero(sum) | Formula::AtMostZero(sum) | Formula::Divisible(sum, _) => {
                sum.parts.push((small(random), Vec::new()));
            }
            Formula::Same(one, other) => std::mem::swap(one, other),
            Formula::Null(one) => *one = random.below(8),
            Formula::Not(inner) => **inner = formula(random),
            Formula::Any(parts) => parts.push(formula(random)),
        }
        Some(())
    }),
    ("summary of another procedure", |subject, story, random| {
        let own = summary(claim(subject, story, random)?, random)?;
        own.of[random.below(2)] = if random.percent(80) { vec![slot(random)] } else { Vec::new() };
        Some(())
    }),
    ("summary of one version alone", |subject, story, random| {
        summary(claim(subject, story, random)?, random)?.of[random.below(2)].clear();
        Some(())
    }),
    ("call of a summary not looked into", |subject, story, random| {
        let slots = &mut summary(claim(subject, story, random)?, random)?.of[random.below(2)];
        let at = random.below(slots.len());
        slots.get_mut(at)?.turns = random.below(4);
        Some(())
    }),
    ("one more call in a summary", |subject, story, random| {
        let slots = &mut summary(claim(subject, story, random)?, random)?.of[random.below(2)];
        let more = if random.percent(50) { slot(random) } else { *slots.first()? };
        slots.push(more);
        Some(())
    }),
    ("what a summary is given invented", |subject, story, random| {
        summary(claim(subject, story, random)?, random)?.given.push(formula(random));
        Some(())
    }),
    ("what a summary is given dropped", |subject, story, random| {
        let given = &mut summary(claim(subject, story, random)?, random)?.given;
        let at = random.below(given.len());
        (at < given.len()).then(|| drop(given.remove(at)))
    }),
    ("summary dropped", |subject, story, random| {
        let PairEvidence::Summaries(own) = &mut claim(subject, story, random)?.1 else { return None };
        let at = random.below(own.summaries.len());
        (at < own.summaries.len()).then(|| drop(own.summaries.remove(at)))
    }),
    ("products looked at otherwise", |subject, story, random| {
        let PairEvidence::Summaries(own) = &mut claim(subject, story, random)?.1 else { return None };
        let number = random.below(4);
        if !own.exact.remove(&number) {
            own.exact.insert(number);
        }
        Some(())
    }),
    ("random summaries", |subject, story, random| {
        let (level, evidence) = claim(subject, story, random)?;
        let count = 1 + random.below(3);
        let summaries = (0..count).map(|_| invented(random)).collect();
        let depth = random.below(3);
        let plan = InliningPlan::of(Default::default(), [depth; 2]);
        let exact = if random.percent(50) { BTreeSet::new() } else { (0..100).collect() };
        *evidence = PairEvidence::Summaries(SummariesEvidence { plan, summaries, exact });
        *level = if random.percent(50) { Level::Full } else { Level::Partial };
        Some(())
    }),
];

fn summary<'c>(claim: &'c mut (Level, PairEvidence), random: &mut Random) -> Option<&'c mut Summary> {
    let PairEvidence::Summaries(own) = &mut claim.1 else { return None };
    let at = random.below(own.summaries.len());
    own.summaries.get_mut(at)
}

fn invented(random: &mut Random) -> Summary {
    let mut slots = || (0..[0, 1, 1, 1, 1, 1, 2, 3][random.below(8)]).map(|_| slot(random)).collect();
    let of = [slots(), slots()];
    let mut formulas = |most: usize| (0..random.below(most + 1)).map(|_| formula(random)).collect();
    Summary { of, before: formulas(2), given: formulas(1), after: formulas(3) }
}

fn slot(random: &mut Random) -> Slot {
    Slot { callee: ProcId(u32::try_from(random.below(5)).unwrap_or(0)), turns: [1, 1, 1, 0, 2][random.below(5)] }
}

/// A number from -2 to 2.
fn small(random: &mut Random) -> BigInt {
    BigInt::from(random.below(5)) - 2
}

fn formula(random: &mut Random) -> Formula {
    let sum = |random: &mut Random| {
        let part = |random: &mut Random| {
            let factors = (0..random.below(3)).map(|_| random.below(6)).collect();
            (small(random), factors)
        };
        Polynomial { parts: (0..1 + random.below(3)).map(|_| part(random)).collect() }
    };
    match random.below(8) {
        0..4 => Formula::Zero(sum(random)),
        4 => Formula::AtMostZero(sum(random)),
        5 => Formula::Divisible(sum(random), small(random)),
        6 => Formula::Same(random.below(6), random.below(6)),
        _ => Formula::Not(Box::new(Formula::Null(random.below(6)))),
    }
}
