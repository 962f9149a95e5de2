//! Places in a story where something can be changed.
//!
//! In: a story, or what it says of a pair. Out: its parts, to be changed.

use super::subject::Subject;
use kernel::pair::PairEvidence;
use kernel::pair::loops::LoopRelation;
use kernel::pair::paths::Relations;
use kernel::pair::plan::InliningPlan;
use kernel::relate::{Cases, Leaf, Level};
use lang_l::random::Random;
use prover::findings::Findings;
use prover::goal::Pair;

/// What is said of a pair: more often than not of one that is known to differ.
pub(super) fn claim<'s>(
    subject: &Subject,
    story: &'s mut Findings,
    random: &mut Random,
) -> Option<&'s mut (Level, PairEvidence)> {
    let focus = random.percent(70);
    let differs = |pair: &Pair| subject.known.iter().any(|known| known.pair == *pair);
    let pairs: Vec<Pair> = story.claims.keys().copied().filter(|pair| !focus || differs(pair)).collect();
    story.claims.get_mut(random.pick(&pairs)?)
}

/// How outcomes are related, of the pair and of its loops.
pub(super) fn relations(evidence: &mut PairEvidence) -> Vec<&mut Relations> {
    match evidence {
        PairEvidence::SameCode | PairEvidence::External | PairEvidence::Summaries(_) => Vec::new(),
        PairEvidence::Paths(paths) => vec![&mut paths.relations],
        PairEvidence::Loops(loops) => {
            let own = loops.loops.iter_mut().map(|(_, relations)| relations);
            [&mut loops.whole.relations].into_iter().chain(own).collect()
        }
    }
}

/// Which calls are executed in place.
pub(super) fn plan(evidence: &mut PairEvidence) -> Option<&mut InliningPlan> {
    match evidence {
        PairEvidence::SameCode | PairEvidence::External => None,
        PairEvidence::Paths(paths) => Some(&mut paths.plan),
        PairEvidence::Loops(loops) => Some(&mut loops.whole.plan),
        PairEvidence::Summaries(summaries) => Some(&mut summaries.plan),
    }
}

/// The loops that are related.
pub(super) fn pairs_of_loops(evidence: &mut PairEvidence) -> Option<&mut Vec<(LoopRelation, Relations)>> {
    match evidence {
        PairEvidence::Loops(loops) => Some(&mut loops.loops),
        _ => None,
    }
}

/// All cases that are settled.
pub(super) fn leaves(claim: &mut (Level, PairEvidence)) -> Vec<&mut Leaf> {
    let mut found = Vec::new();
    for said in relations(&mut claim.1).into_iter().flat_map(|relations| relations.values_mut()) {
        settled(&mut said.cases, &mut found);
    }
    found
}

fn settled<'c>(cases: &'c mut Cases, found: &mut Vec<&'c mut Leaf>) {
    match cases {
        Cases::Settled(leaf) => found.push(leaf),
        Cases::Split { holds, fails, .. } => [holds, fails].into_iter().for_each(|side| settled(side, found)),
    }
}

/// Calls `visit` on all cases that are told apart.
pub(super) fn splits(claim: &mut (Level, PairEvidence), visit: &mut dyn FnMut(&mut Cases)) {
    for said in relations(&mut claim.1).into_iter().flat_map(|relations| relations.values_mut()) {
        split(&mut said.cases, visit);
    }
}

fn split(cases: &mut Cases, visit: &mut dyn FnMut(&mut Cases)) {
    if let Cases::Split { holds, fails, .. } = cases {
        split(holds, visit);
        split(fails, visit);
        visit(cases);
    }
}
