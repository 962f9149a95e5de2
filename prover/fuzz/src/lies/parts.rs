//! Lies about the lowered program: what it is, and what its procedures stand for.
//!
//! In: a story. Out: one in which a procedure stands for something else, or does.

use super::Lie;
use kernel::exec::source::{Given, Input, Literal, Simulation, Site};
use lang_l::hir::{LocalId, ProcId};
use lang_l::random::Random;
use num_bigint::BigInt;
use prover::findings::Findings;

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("inputs of a part crossed", |_, story, random| {
        let own = part(story, random)?;
        let (one, other) = (random.below(own.inputs.len()), random.below(own.inputs.len()));
        let (a, b) = (own.inputs.get(one)?.0, own.inputs.get(other)?.0);
        (own.inputs[one].0, own.inputs[other].0) = (b, a);
        Some(())
    }),
    ("outputs of a part crossed", |_, story, random| {
        let own = part(story, random)?;
        let (one, other) = (random.below(own.outputs.len()), random.below(own.outputs.len()));
        let (a, b) = (own.outputs.get(one)?.1, own.outputs.get(other)?.1);
        (own.outputs[one].1, own.outputs[other].1) = (b, a);
        Some(())
    }),
    ("input of a part dropped", |_, story, random| {
        let own = part(story, random)?;
        let at = random.below(own.inputs.len());
        (at < own.inputs.len()).then(|| drop(own.inputs.remove(at)))
    }),
    ("output of a part dropped", |_, story, random| {
        let own = part(story, random)?;
        let at = random.below(own.outputs.len());
        (at < own.outputs.len()).then(|| own.outputs.remove(at)).map(|_| ())
    }),
    ("input of a part is a literal", |_, story, random| {
        let own = part(story, random)?;
        let at = random.below(own.inputs.len());
        own.inputs.get_mut(at)?.1 = Input::Literal(literal(random));
        Some(())
    }),
    ("input of a part invented", |_, story, random| {
        let own = part(story, random)?;
        let at = if random.percent(10) { usize::MAX } else { random.below(6) };
        let input = if random.percent(50) { Input::Param(at) } else { Input::Literal(literal(random)) };
        own.inputs.push((local(random), input));
        Some(())
    }),
    ("output of a part invented", |_, story, random| {
        let own = part(story, random)?;
        own.outputs.push((given(random), random.below(5)));
        Some(())
    }),
    ("output of a part said to be known", |_, story, random| {
        let own = part(story, random)?;
        own.known.push((given(random), literal(random)));
        Some(())
    }),
    ("known output of a part is another", |_, story, random| {
        let own = part(story, random)?;
        let at = random.below(own.known.len());
        own.known.get_mut(at)?.1 = literal(random);
        Some(())
    }),
    ("a part of another place", |_, story, random| {
        let site = site(random);
        part(story, random)?.site = site;
        Some(())
    }),
    ("another loop", |_, story, random| {
        match &mut part(story, random)?.site {
            Site::Loop { number, .. } => *number = random.below(4),
            Site::Procedure(_) => return None,
        }
        Some(())
    }),
    ("a loop with other rest", |_, story, random| match &mut part(story, random)?.site {
        Site::Loop { to_end, .. } => {
            *to_end = !*to_end;
            Some(())
        }
        Site::Procedure(_) => None,
    }),
    ("another procedure itself", |_, story, random| {
        let own = part(story, random)?;
        own.itself = match own.itself {
            Some(_) if random.percent(60) => None,
            _ => Some(ProcId(small(random))),
        };
        Some(())
    }),
    ("part dropped", |_, story, random| {
        let all = &mut story.simulations[random.below(2)];
        let at = random.below(all.len());
        all.get_mut(at)?.take().map(drop)
    }),
    ("parts exchanged", |_, story, random| {
        let all = &mut story.simulations[random.below(2)];
        let (one, other) = (random.below(all.len()), random.below(all.len()));
        (one.max(other) < all.len()).then(|| all.swap(one, other))
    }),
    ("parts of the other version", |_, story, random| {
        let from = random.below(2);
        story.simulations[1 - from] = story.simulations[from].clone();
        Some(())
    }),
    ("lowered from the other version", |_, story, random| {
        let from = random.below(2);
        story.lowered.versions[1 - from] = story.lowered.versions[from].clone();
        story.effects[1 - from] = story.effects[from].clone();
        story.rankings[1 - from] = story.rankings[from].clone();
        story.simulations[1 - from] = story.simulations[from].clone();
        Some(())
    }),
    ("lowered body of the other version", |_, story, random| {
        let (from, at) = (random.below(2), random.below(story.lowered.versions[0].procedures.len()));
        let own = story.lowered.versions[from].procedures.get(at)?.clone();
        *story.lowered.versions[1 - from].procedures.get_mut(at)? = own;
        let effects = story.effects[from].get(at)?.clone();
        *story.effects[1 - from].get_mut(at)? = effects;
        Some(())
    }),
    ("lowered without a statement", |_, story, random| {
        let procedures = &mut story.lowered.versions[random.below(2)].procedures;
        let at = random.below(procedures.len());
        let body = procedures.get_mut(at)?.body.as_mut()?;
        let at = random.below(body.stmts.len());
        (at < body.stmts.len()).then(|| drop(body.stmts.remove(at)))
    }),
];

fn part<'s>(story: &'s mut Findings, random: &mut Random) -> Option<&'s mut Simulation> {
    let all = &mut story.simulations[random.below(2)];
    let at = random.below(all.len());
    all.get_mut(at)?.as_mut()
}

/// Something that a part may give back.
fn given(random: &mut Random) -> Given {
    match random.below(3) {
        0 => Given::Local(local(random)),
        1 => Given::Returned,
        _ => Given::Result(random.below(5)),
    }
}

fn literal(random: &mut Random) -> Literal {
    match random.below(4) {
        0 => Literal::Null,
        1 => Literal::Bool(random.percent(50)),
        _ => Literal::Int(BigInt::from(random.below(3))),
    }
}

fn small(random: &mut Random) -> u32 {
    if random.percent(5) { u32::MAX } else { u32::try_from(random.below(6)).unwrap_or(0) }
}

fn local(random: &mut Random) -> LocalId {
    LocalId(small(random))
}

fn site(random: &mut Random) -> Site {
    let of = ProcId(small(random));
    match random.percent(50) {
        true => Site::Procedure(of),
        false => Site::Loop { of, number: random.below(4), to_end: random.percent(30) },
    }
}
