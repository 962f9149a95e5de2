//! Lies about single procedures: what they touch, when they err, whether they end.
//!
//! In: what is said of a procedure. Out: more than that.

use super::Lie;
use super::subject::Subject;
use kernel::alone::measures::{Measure, Ranking};
use kernel::effects::Effects;
use kernel::only_if::{Changing, OnlyIf};
use kernel::pair::PairEvidence;
use kernel::pair::paths::{PathsEvidence, Relations};
use kernel::pair::plan::InliningPlan;
use kernel::relate::Level;
use lang_l::hir::{BinOp, Expr, ExprKind, FieldId, LocalId, ProcId, Procedure, Type};
use lang_l::random::Random;
use lang_l::source::Span;
use num_bigint::BigInt;
use prover::findings::Findings;
use smt::term::Selector;

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("said to end", |subject, story, random| {
        let all = effects(story, random);
        let differs = |id: ProcId, version: usize| runs(subject, version, id);
        match random.percent(50) {
            true => all.1.iter_mut().for_each(|own| own.terminates = true),
            false => {
                let (version, all) = all;
                let of = all.iter_mut().enumerate().filter(|(at, _)| differs(id(*at), version));
                of.for_each(|(_, own)| own.terminates = true);
            }
        }
        Some(())
    }),
    ("said never to err", |_, story, random| {
        procedure(story, random)?.errs_only_if_null = Some(Vec::new());
        Some(())
    }),
    ("all said never to err", |_, story, random| {
        effects(story, random).1.iter_mut().for_each(|own| own.errs_only_if_null = Some(Vec::new()));
        Some(())
    }),
    ("said to err where it does not", |_, story, random| {
        procedure(story, random)?.errs_if_null.insert(random.below(5));
        Some(())
    }),
    ("said to modify nothing", |_, story, random| {
        procedure(story, random)?.modifies = Some(Vec::new());
        Some(())
    }),
    ("said to modify less", |_, story, random| {
        let places = procedure(story, random)?.modifies.as_mut()?;
        let at = random.below(places.len());
        (at < places.len()).then(|| drop(places.remove(at)))
    }),
    ("all said to modify nothing", |_, story, random| {
        effects(story, random).1.iter_mut().for_each(|own| own.modifies = Some(Vec::new()));
        Some(())
    }),
    ("said to change a field never", |_, story, random| {
        let own = procedure(story, random)?;
        let field = |selector: &Selector| match selector {
            Selector::Field(field) => Some(*field),
            Selector::Cell(_) => None,
        };
        let fields: Vec<FieldId> = own.writes.iter().filter_map(field).collect();
        let what = Changing::Field(*random.pick(&fields)?);
        own.changes_only_if.push(OnlyIf { what, tests: Vec::new() });
        Some(())
    }),
    ("said to give back what it was given", |_, story, random| {
        let (result, parameter) = (random.below(2), random.below(4));
        let what = Changing::Result { result, parameter };
        procedure(story, random)?.changes_only_if.push(OnlyIf { what, tests: Vec::new() });
        Some(())
    }),
    ("a test dropped", |_, story, random| {
        let all = effects(story, random).1;
        let tested = all.iter_mut().flat_map(|own| &mut own.changes_only_if).filter(|own| !own.tests.is_empty());
        let mut tested: Vec<&mut OnlyIf> = tested.collect();
        let at = random.below(tested.len());
        tested.get_mut(at)?.tests.pop().map(drop)
    }),
    ("footprint shrunk", |_, story, random| {
        let own = procedure(story, random)?;
        match random.below(6) {
            0 => own.writes.pop_first().map(drop),
            1 => own.accesses.pop_first().map(drop),
            2 => own.globals.pop_first().map(drop),
            3 => own.written_globals.pop_first().map(drop),
            4 => own.callees.pop_first().map(drop),
            _ => {
                (own.writes, own.written_globals) = Default::default();
                Some(())
            }
        }
    }),
    ("holds on entry, it is said", |_, story, random| condition_of_loop(story, random, true)),
    ("said never to be called", |subject, story, random| {
        let pair = random.pick(&subject.known)?.pair;
        let version = random.below(2);
        let never = Expr { kind: ExprKind::Bool(false), ty: Type::Bool, span: Span::default() };
        story.effects[version].get_mut([pair.0, pair.1][version].index())?.entry.push(never);
        let plan = InliningPlan::of(Default::default(), [0, 0]);
        let nowhere = PathsEvidence { plan, relations: Relations::new() };
        story.claims.insert(pair, (Level::Full, PairEvidence::Paths(nowhere)));
        Some(())
    }),
    ("holds at the end, it is said", |_, story, random| condition_of_loop(story, random, false)),
    ("contract said to be kept", |_, story, random| {
        procedure(story, random)?.trust_ensures = true;
        Some(())
    }),
    ("contract relied upon", |_, story, random| {
        let version = random.below(2);
        let at = random.below(story.effects[version].len());
        let declared = story.lowered.versions[version].procedures.get(at)?.modifies.as_ref()?.places.clone();
        story.effects[version].get_mut(at)?.modifies = Some(declared);
        Some(())
    }),
    ("said not to be blocked", |_, story, random| {
        effects(story, random).1.iter_mut().for_each(|own| own.may_block = false);
        Some(())
    }),
    ("said to be local", |_, story, random| {
        let own = procedure(story, random)?;
        (own.non_local, own.speaks_of_entry) = (false, false);
        Some(())
    }),
    ("results of other numbers", |_, story, random| {
        procedure(story, random)?.returned.numbers = Some(vec![0; 1 + random.below(3)]);
        Some(())
    }),
    ("effects of the other version", |_, story, random| {
        let from = random.below(2);
        story.effects[1 - from] = story.effects[from].clone();
        Some(())
    }),
    ("something said of fewer procedures", |_, story, random| effects(story, random).1.pop().map(drop)),
    ("ranking invented", |_, story, random| {
        let version = random.below(2);
        let all = &mut story.effects[version];
        let recursive: Vec<ProcId> = (0..all.len()).map(id).filter(|id| all[id.index()].recursive(*id)).collect();
        let component = match random.percent(90) {
            true => vec![*random.pick(&recursive)?],
            false => vec![id(all.len() + random.below(3))],
        };
        for id in &component {
            if let Some(own) = all.get_mut(id.index()) {
                own.terminates = true;
            }
        }
        let measures = (0..random.below(3)).map(|_| measure(random)).collect();
        story.rankings[version].push(Ranking { component, measures, by_second: Vec::new() });
        Some(())
    }),
    ("ranking weakened", |_, story, random| {
        let rankings = &mut story.rankings[random.below(2)];
        let at = random.below(rankings.len());
        let own = rankings.get_mut(at)?;
        match random.below(4) {
            0 => own.measures.clear(),
            1 => own.measures.reverse(),
            2 => own.component.push(id(random.below(4))),
            _ => own.measures = vec![measure(random)],
        }
        Some(())
    }),
    ("ranking dropped", |_, story, random| story.rankings[random.below(2)].pop().map(drop)),
];

fn id(at: usize) -> ProcId {
    ProcId(u32::try_from(at).unwrap_or(u32::MAX))
}

/// What is said of the procedures of one version, and of which.
fn effects<'s>(story: &'s mut Findings, random: &mut Random) -> (usize, &'s mut Vec<Effects>) {
    let version = random.below(2);
    (version, &mut story.effects[version])
}

fn procedure<'s>(story: &'s mut Findings, random: &mut Random) -> Option<&'s mut Effects> {
    let (_, all) = effects(story, random);
    let at = random.below(all.len());
    all.get_mut(at)
}

/// Whether a pair that differs runs a procedure.
fn runs(subject: &Subject, version: usize, id: ProcId) -> bool {
    let own = |of: ProcId| subject.own.effects[version].get(of.index());
    subject
        .known
        .iter()
        .map(|known| [known.pair.0, known.pair.1][version])
        .any(|of| of == id || own(of).is_some_and(|effects| effects.callees.contains(&id)))
}

/// Something more is said to hold whenever a procedure begins or has returned.
fn condition_of_loop(story: &mut Findings, random: &mut Random, entry: bool) -> Option<()> {
    let version = random.below(2);
    let at = random.below(story.effects[version].len());
    let code = story.lowered.versions[version].procedures.get(at)?;
    let condition = condition(code, random, entry)?;
    let own = story.effects[version].get_mut(at)?;
    if entry {
        own.entry.push(condition)
    } else {
        own.exit.push(condition)
    }
    Some(())
}

/// That a variable of a procedure has a value, or is no less than another.
fn condition(code: &Procedure, random: &mut Random, entry: bool) -> Option<Expr> {
    let known = code.params + if entry { 0 } else { code.results };
    let locals: Vec<usize> = (0..known).filter(|&at| code.locals[at].ty == Type::Int).collect();
    let span = Span::default();
    let variable = |at: usize| Expr { kind: ExprKind::Local(LocalId(id(at).0)), ty: Type::Int, span };
    let number = |value: usize| Expr { kind: ExprKind::Int(BigInt::from(value)), ty: Type::Int, span };
    if random.percent(10) {
        return Some(Expr { kind: ExprKind::Bool(false), ty: Type::Bool, span });
    }
    let one = variable(*random.pick(&locals)?);
    let other = if random.percent(50) { number(random.below(3)) } else { variable(*random.pick(&locals)?) };
    let op = *random.pick(&[BinOp::Eq, BinOp::Le, BinOp::Lt, BinOp::Ne])?;
    Some(Expr { kind: ExprKind::Binary(op, Box::new(one), Box::new(other)), ty: Type::Bool, span })
}

fn measure(random: &mut Random) -> Measure {
    let mut factors = |most: usize| {
        let count = random.below(most + 1);
        let one = |_| (u32::try_from(random.below(5)).unwrap_or(0), BigInt::from(random.below(5)) - 2);
        (0..count).map(one).collect()
    };
    let (coefficients, lengths) = (factors(2), factors(1));
    Measure { absolute: random.percent(20), constant: BigInt::from(random.below(4)), coefficients, lengths }
}
