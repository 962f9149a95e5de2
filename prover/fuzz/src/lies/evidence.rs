//! Lies about pairs: their evidence, with something in it changed.
//!
//! In: what is said of a pair. Out: something else, of the same shape.

use super::Lie;
use super::pick::{claim, leaves, pairs_of_loops, plan, relations, splits};
use kernel::pair::PairEvidence;
use kernel::pair::plan::InliningPlan;
use kernel::relate::{Cases, End, Leaf, Level, Match, RelationEvidence, Repeat};
use lang_l::hir::ProcId;
use lang_l::random::Random;
use smt::term::{AllocClass, CallId};
use std::collections::BTreeMap;

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("relation dropped", |subject, story, random| {
        let relations = random_relations(claim(subject, story, random)?, random)?;
        let at = *random.pick(&relations.keys().copied().collect::<Vec<_>>())?;
        relations.remove(&at).map(drop)
    }),
    ("relations exchanged", |subject, story, random| {
        let relations = random_relations(claim(subject, story, random)?, random)?;
        let keys: Vec<_> = relations.keys().copied().collect();
        let (one, other) = (*random.pick(&keys)?, *random.pick(&keys)?);
        let (a, b) = (relations.get(&one)?.clone(), relations.get(&other)?.clone());
        relations.insert(one, b);
        relations.insert(other, a);
        Some(())
    }),
    ("relation said to be plain", |subject, story, random| {
        let relations = random_relations(claim(subject, story, random)?, random)?;
        let at = *random.pick(&relations.keys().copied().collect::<Vec<_>>())?;
        relations.insert(at, RelationEvidence::default());
        Some(())
    }),
    ("matched calls crossed", |subject, story, random| {
        let leaf = random_leaf(claim(subject, story, random)?, random)?;
        let (one, other) = (random.below(leaf.calls.len()), random.below(leaf.calls.len()));
        let (a, b) = (leaf.calls.get(one)?.right, leaf.calls.get(other)?.right);
        (leaf.calls[one].right, leaf.calls[other].right) = (b, a);
        Some(())
    }),
    ("matched calls in another order", |subject, story, random| {
        let leaf = random_leaf(claim(subject, story, random)?, random)?;
        random.shuffle(&mut leaf.calls);
        Some(())
    }),
    ("matched call dropped", |subject, story, random| {
        let leaf = random_leaf(claim(subject, story, random)?, random)?;
        let at = random.below(leaf.calls.len());
        (at < leaf.calls.len()).then(|| drop(leaf.calls.remove(at)))
    }),
    ("matched call invented", |subject, story, random| {
        let leaf = random_leaf(claim(subject, story, random)?, random)?;
        leaf.calls.push(Match { left: call(random), right: call(random), under: None, allocs: BTreeMap::new() });
        Some(())
    }),
    ("births crossed", |subject, story, random| {
        let leaf = random_leaf(claim(subject, story, random)?, random)?;
        let births = random_births(leaf, random)?;
        let mut images: Vec<AllocClass> = births.values().copied().collect();
        random.shuffle(&mut images);
        births.values_mut().zip(images).for_each(|(image, other)| *image = other);
        Some(())
    }),
    ("birth dropped", |subject, story, random| {
        let leaf = random_leaf(claim(subject, story, random)?, random)?;
        let births = random_births(leaf, random)?;
        let at = *random.pick(&births.keys().copied().collect::<Vec<_>>())?;
        births.remove(&at).map(drop)
    }),
    ("birth invented", |subject, story, random| {
        let leaf = random_leaf(claim(subject, story, random)?, random)?;
        random_births(leaf, random)?.insert(alloc(random), alloc(random));
        Some(())
    }),
    ("another end", |subject, story, random| {
        let leaf = random_leaf(claim(subject, story, random)?, random)?;
        leaf.end = match (&leaf.end, random.percent(50)) {
            (End::Isomorphic(_), true) | (End::Exclusive, false) => End::Contradiction,
            (End::Isomorphic(_), false) | (End::Contradiction, true) => End::Exclusive,
            _ => End::Isomorphic(BTreeMap::new()),
        };
        Some(())
    }),
    ("all ends exclusive", |subject, story, random| {
        leaves(claim(subject, story, random)?).into_iter().for_each(|leaf| leaf.end = End::Exclusive);
        Some(())
    }),
    ("split dropped", |subject, story, random| {
        change_split(claim(subject, story, random)?, random, &|cases, random| {
            if let Cases::Split { holds, fails, .. } = cases {
                *cases = if random.percent(50) { (**holds).clone() } else { (**fails).clone() };
            }
        })
    }),
    ("split of another condition", |subject, story, random| {
        change_split(claim(subject, story, random)?, random, &|cases, random| {
            if let Cases::Split { version, condition: own, .. } = cases {
                *own = condition(own, random);
                *version = random.below(2);
            }
        })
    }),
    ("split invented", |subject, story, random| {
        let relations = random_relations(claim(subject, story, random)?, random)?;
        let at = *random.pick(&relations.keys().copied().collect::<Vec<_>>())?;
        let own = relations.get_mut(&at)?;
        let (version, condition) = (random.below(3), condition("true", random));
        let plain = Box::new(RelationEvidence::default().cases);
        let cases = Box::new(own.cases.clone());
        let (holds, fails) = if random.percent(50) { (cases.clone(), plain) } else { (cases.clone(), cases) };
        own.cases = Cases::Split { version, condition, holds, fails };
        Some(())
    }),
    ("repetition invented", |subject, story, random| {
        let relations = random_relations(claim(subject, story, random)?, random)?;
        let at = *random.pick(&relations.keys().copied().collect::<Vec<_>>())?;
        let swap = if random.percent(50) { [(alloc(random), alloc(random))].into() } else { BTreeMap::new() };
        let repeat = Repeat { earlier: call(random), later: call(random), swap };
        relations.get_mut(&at)?.repeats[random.below(2)].push(repeat);
        Some(())
    }),
    ("level raised", |subject, story, random| {
        claim(subject, story, random)?.0 = Level::Full;
        Some(())
    }),
    ("other calls in place", |subject, story, random| {
        let procedures = [0, 1].map(|version| story.effects[version].len());
        other_plan(plan(&mut claim(subject, story, random)?.1)?, procedures, random);
        Some(())
    }),
    ("the same code", |subject, story, random| {
        claim(subject, story, random)?.1 = PairEvidence::SameCode;
        Some(())
    }),
    ("the same external", |subject, story, random| {
        claim(subject, story, random)?.1 = PairEvidence::External;
        Some(())
    }),
    ("evidence of another pair", |subject, story, random| {
        let all: Vec<PairEvidence> = story.claims.values().map(|(_, evidence)| evidence.clone()).collect();
        claim(subject, story, random)?.1 = random.pick(&all)?.clone();
        Some(())
    }),
    ("all pairs are the same code", |_, story, _| {
        let [left, right] = [0, 1].map(|version| story.effects[version].len());
        let ids = |count: usize| (0u32..).take(count).map(ProcId);
        for pair in ids(left).flat_map(|p| ids(right).map(move |q| (p, q))) {
            story.claims.entry(pair).or_insert((Level::Full, PairEvidence::SameCode));
        }
        Some(())
    }),
    ("claim dropped", |_, story, random| {
        let at = *random.pick(&story.claims.keys().copied().collect::<Vec<_>>())?;
        story.claims.remove(&at).map(drop)
    }),
    ("pair of loops dropped", |subject, story, random| {
        let loops = pairs_of_loops(&mut claim(subject, story, random)?.1)?;
        let at = random.below(loops.len());
        (at < loops.len()).then(|| drop(loops.remove(at)))
    }),
];

type Claim = (Level, PairEvidence);

fn random_relations<'c>(
    claim: &'c mut Claim,
    random: &mut Random,
) -> Option<&'c mut BTreeMap<(usize, usize), RelationEvidence>> {
    let mut all = relations(&mut claim.1);
    let at = random.below(all.len());
    (at < all.len()).then(|| all.swap_remove(at))
}

fn random_leaf<'c>(claim: &'c mut Claim, random: &mut Random) -> Option<&'c mut Leaf> {
    let mut all = leaves(claim);
    let at = random.below(all.len());
    (at < all.len()).then(|| all.swap_remove(at))
}

/// The births of one of the steps of a leaf.
fn random_births<'l>(leaf: &'l mut Leaf, random: &mut Random) -> Option<&'l mut BTreeMap<AllocClass, AllocClass>> {
    let mut all: Vec<_> = leaf.calls.iter_mut().map(|step| &mut step.allocs).collect();
    if let End::Isomorphic(births) = &mut leaf.end {
        all.push(births);
    }
    let at = random.below(all.len());
    (at < all.len()).then(|| all.swap_remove(at))
}

fn change_split(claim: &mut Claim, random: &mut Random, change: &dyn Fn(&mut Cases, &mut Random)) -> Option<()> {
    let mut count = 0;
    splits(claim, &mut |_| count += 1);
    let wanted = random.below(count);
    let mut at = 0;
    splits(claim, &mut |cases| {
        if at == wanted {
            change(cases, random);
        }
        at += 1;
    });
    (count > 0).then_some(())
}

/// Another condition: the contrary, or one of some that speak of what may be there.
fn condition(own: &str, random: &mut Random) -> String {
    let texts = [
        "true",
        "false",
        "(=0 (param 0 int))",
        "(=0 (param 1 int))",
        "(<=0 (param 1 int))",
        "(= (param 0 ref) null)",
        "(= (param 0 ref) (param 1 ref))",
        "(= (param 7 int) (param 0 int))",
        "(=0 (result 0 0 int))",
        "(=0 (result 1 65536 int))",
        "(= (effect 0 field 0 (param 0 ref)) null)",
        "(= (initial field 0 (param 0 ref)) (new 3))",
        "(=0 (ending 0))",
        "(within 0 (param 0 ref))",
        "(born 2 (param 0 ref))",
        "(=0 (/ 1 0))",
        "(=0 (% (param 0 int) (param 0 int)))",
        "(and (param 0 bool)",
        "(=0 (initial cell int (param 0 ref)))",
        "(=0 99999999999999999999999999)",
        "(= (initial field 4000000000 (param 0 ref)) null)",
        "(reach (param 0 ref) (param 1 ref))",
    ];
    match random.percent(30) {
        true => format!("(not {own})"),
        false => random.pick(&texts).map_or_else(String::new, ToString::to_string),
    }
}

fn other_plan(plan: &mut InliningPlan, procedures: [usize; 2], random: &mut Random) {
    let version = random.below(2);
    match random.below(6) {
        0 => plan.inline = Default::default(),
        1 => plan.inline = procedures.map(|count| (0u32..).take(count).map(ProcId).collect()),
        2 => plan.depths = [random.below(4), random.below(4)],
        3 => plan.depths[version] = usize::MAX,
        4 => {
            plan.inline[version].insert(ProcId(u32::try_from(random.below(procedures[version] + 2)).unwrap_or(0)));
            plan.depths[version] += 1;
        }
        _ => plan.outcomes = Some(random.below(8)),
    }
}

/// A call of which there may be one.
fn call(random: &mut Random) -> CallId {
    CallId(number(random))
}

/// A birth of which there may be one.
fn alloc(random: &mut Random) -> AllocClass {
    AllocClass(number(random))
}

fn number(random: &mut Random) -> u32 {
    match random.percent(5) {
        true => u32::MAX,
        false => u32::try_from(random.below(10)).unwrap_or(0),
    }
}
