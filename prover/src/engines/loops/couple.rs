//! Two loops that are matched, and what their relation begins with.
//!
//! In: a loop of each version. Out: a [`Couple`]: which variables go together by name or type, and all facts that might hold.

use super::candidates::{apart, at_ends, facts, further};
use super::holes::{holes, kept_elsewhere};
use super::under::kept;
use crate::budget::loops::{MAX_OTHER_WAYS, MAX_WAYS};
use crate::goal::{LoopEvidence, Pair, Program};
use kernel::bounds::pair::MAX_FACTS;
use kernel::pair::loops::{LoopRelation, parameters, results};
use kernel::pair::paths::Relations;
use kernel::pair::plan::Turns;
use kernel::relate::{Apart, CallRelation, Fact, Part, Step};
use lang_l::hir::{Local, Procedure};
use smt::term::Sort;
use std::collections::BTreeSet;

/// How much is looked for that relates two loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookedFor {
    /// What holds where they begin.
    Entry,
    /// Also what holds where they end.
    Ends,
    /// Also heaps that differ where one loop alone writes.
    Apart,
    /// What holds where each of several calls ends that are compared with one, each of which does a part of what it does.
    Parts,
}

/// Two loops that are matched.
#[derive(Clone)]
pub(super) struct Couple {
    /// What is still believed of them.
    pub(super) relation: LoopRelation,
    /// Which results that are to be equal were found not to be.
    pub(super) unequal: BTreeSet<usize>,
    /// Which of the variables that are to be equal, and which of the facts, were found not to hold of some call.
    refuted: [BTreeSet<usize>; 2],
    /// Which of the facts were found not to hold of some ends.
    refuted_at_ends: BTreeSet<usize>,
    /// By the numbers of version 0, which results are references.
    references: Vec<bool>,
}

impl Couple {
    /// Two loops with all that might hold of them, once for each way in which their references may go together; none where one
    /// hands out a reference that the other does not.
    pub(super) fn all(program: &Program<'_>, pair: Pair, looked_for: LookedFor, turns: &Turns) -> Vec<Couple> {
        let (left, right) = program.code(pair);
        let all = facts(program, pair);
        let plain = all.len() - further(program, pair).len();
        let all: Vec<&Fact> = match looked_for {
            LookedFor::Entry => all[..plain].iter().collect(),
            _ => all[plain..].iter().chain(&all[..plain]).collect(),
        };
        let exit = if looked_for == LookedFor::Entry { Vec::new() } else { at_ends(program, pair) };
        let couple = |(equal, own_references): &(Vec<(usize, usize)>, bool), apart: Vec<Apart>| {
            let (equal, own_references) = (equal.clone(), *own_references);
            let mut together = match looked_for {
                LookedFor::Entry => partners(results(left), results(right)),
                LookedFor::Parts => Vec::new(),
                _ => result_partners(left, right, &equal),
            };
            if own_references {
                together.retain(|&(mine, _)| !results(left)[mine].ty.is_reference());
            }
            let results = together;
            let open = |fact: &&Fact| match fact {
                Fact::Equal(a, b, 0) if a.steps.is_empty() && b.steps.is_empty() => {
                    !equal.contains(&(a.parameter, b.parameter))
                }
                _ => true,
            };
            let facts = telling_first(all.iter().copied().filter(open), &apart).take(MAX_FACTS).cloned().collect();
            let exit =
                exit.iter().filter(|fact| is_open(fact, (left, right), &results)).take(MAX_FACTS).cloned().collect();
            let entry = CallRelation { equal, facts, apart, exit, compared: looked_for == LookedFor::Parts };
            Couple::of(program, LoopRelation { pair, entry, results, turns: turns.clone() })
        };
        let mut ways: Vec<(Vec<(usize, usize)>, bool)> =
            parameter_partners(left, right, |_, _| true).into_iter().map(|way| (way, false)).collect();
        // One version may hand out what all of its calls are given, and the other what each of them is.
        let kept = [(left, pair.0), (right, pair.1)].map(|(code, id)| kept(code, id));
        let alike = |mine: usize, theirs: usize| kept[0].contains(&mine) == kept[1].contains(&theirs);
        let others = parameter_partners(left, right, alike);
        if looked_for == LookedFor::Ends && others.first() != ways.first().map(|(way, _)| way) {
            ways.extend(others.into_iter().map(|way| (way, true)).take(MAX_OTHER_WAYS));
        }
        // A cursor may be one step behind its namesake.
        if looked_for == LookedFor::Ends {
            let strangers = |mine: usize, theirs: usize| left.locals[mine].name != right.locals[theirs].name;
            let others = parameter_partners(left, right, strangers).into_iter().take(MAX_OTHER_WAYS);
            let new: Vec<_> = others.map(|way| (way, false)).filter(|way| !ways.contains(way)).collect();
            ways.extend(new);
        }
        let cells = || [holes(program, pair), kept_elsewhere(program, pair)].concat();
        let holes = if looked_for == LookedFor::Apart { cells() } else { Vec::new() };
        let of_way = |way: &(Vec<(usize, usize)>, bool)| -> Vec<Couple> {
            let fields = match looked_for {
                LookedFor::Apart => Some(apart(program, pair, &way.0)).filter(|fields| !fields.is_empty()),
                _ => Some(Vec::new()),
            };
            let alone = holes.iter().map(|&hole| vec![hole]);
            fields.into_iter().chain(alone).filter_map(|apart| couple(way, apart)).collect()
        };
        ways.iter().flat_map(of_way).collect()
    }

    /// Two loops with what is believed of them; `None` where one hands out a reference that the other does not, as it could be to an object
    /// that the other does not have; or where their heaps are to differ in places where they may not.
    fn of(program: &Program<'_>, relation: LoopRelation) -> Option<Couple> {
        let (left, _) = program.code(relation.pair);
        let references = results(left).iter().map(|local| local.ty.is_reference()).collect();
        let couple = Couple {
            relation,
            unequal: BTreeSet::new(),
            refuted: Default::default(),
            refuted_at_ends: BTreeSet::new(),
            references,
        };
        couple.is_sound(program).then_some(couple)
    }

    /// Whether what is left is enough: references that one loop hands out are shared, and heaps differ where they may.
    pub(super) fn is_sound(&self, program: &Program<'_>) -> bool {
        self.relation.shares_references(program.both()) && self.relation.names_places(program.both())
    }

    /// Those pairs of results that are wanted.
    pub(super) fn results(&self, wanted: &dyn Fn(usize) -> bool) -> Vec<(usize, usize)> {
        let all = self.relation.results.iter().enumerate();
        all.filter(|(at, _)| wanted(*at)).map(|(_, own)| *own).collect()
    }

    /// Takes out what does not hold; whether there was any.
    pub(super) fn weaken(&mut self) -> bool {
        let mut unequal = std::mem::take(&mut self.unequal);
        if faults::planted("engines/loops/unequal-kept") {
            unequal.clear();
        }
        let mut at = 0..;
        self.relation.results.retain(|_| !at.next().is_some_and(|at| unequal.contains(&at)));
        let [equal, mut facts] = std::mem::take(&mut self.refuted);
        if faults::planted("engines/loops/facts-kept") {
            facts.clear();
        }
        let mut at = 0..;
        self.relation.entry.equal.retain(|_| {
            faults::planted("engines/loops/equal-kept") || !at.next().is_some_and(|at| equal.contains(&at))
        });
        let mut at = 0..;
        self.relation.entry.facts.retain(|_| !at.next().is_some_and(|at| facts.contains(&at)));
        let mut exit = std::mem::take(&mut self.refuted_at_ends);
        if faults::planted("engines/loops/ends-kept") {
            exit.clear();
        }
        let mut at = 0..;
        self.relation.entry.exit.retain(|_| !at.next().is_some_and(|at| exit.contains(&at)));
        !equal.is_empty() || !facts.is_empty() || !unequal.is_empty() || !exit.is_empty()
    }

    /// Notes what was found not to hold.
    pub(super) fn refute(&mut self, [equal, facts]: &[BTreeSet<usize>; 2]) {
        self.refuted[0].extend(equal);
        self.refuted[1].extend(facts);
    }

    /// Notes what was found not to hold at ends.
    pub(super) fn refute_at_ends(&mut self, facts: &BTreeSet<usize>) {
        self.refuted_at_ends.extend(facts);
    }

    /// Whether a pair of results is one of references.
    pub(super) fn is_reference(&self, at: usize) -> bool {
        self.references[self.relation.results[at].0]
    }
}

/// What evidence says of two loops, in full; `None` where it names a fact that is not there.
pub(super) fn told(program: &Program<'_>, told: &LoopEvidence) -> Option<(LoopRelation, Relations)> {
    let all = facts(program, told.pair);
    let facts = told.facts.iter().map(|&at| all.get(at).cloned()).collect::<Option<_>>()?;
    let ends = if told.exit.is_empty() { Vec::new() } else { at_ends(program, told.pair) };
    let exit = told.exit.iter().map(|&at| ends.get(at).cloned()).collect::<Option<_>>()?;
    let entry =
        CallRelation { equal: told.equal.clone(), facts, apart: told.apart.clone(), exit, compared: told.compared };
    let relation = LoopRelation { pair: told.pair, entry, results: told.results.clone(), turns: told.turns.clone() };
    Some((relation, told.relations.clone()))
}

/// What relates two loops, as evidence has it.
pub(super) fn tell(program: &Program<'_>, relation: &LoopRelation, relations: Relations) -> LoopEvidence {
    let LoopRelation { pair, entry, results, turns } = relation;
    let all = facts(program, *pair);
    let facts = entry
        .facts
        .iter()
        .filter_map(|fact| all.iter().position(|one| one == fact))
        .map(|at| at + usize::from(faults::planted("engines/loops/facts-shifted")))
        .collect();
    let ends = if entry.exit.is_empty() { Vec::new() } else { at_ends(program, *pair) };
    let exit = entry.exit.iter().filter_map(|fact| ends.iter().position(|one| one == fact)).collect();
    LoopEvidence {
        pair: *pair,
        turns: turns.clone(),
        compared: entry.compared,
        equal: entry.equal.clone(),
        facts,
        results: results.clone(),
        apart: entry.apart.clone(),
        exit,
        relations,
    }
}

/// For each variable of one version of some loops that none of the other is equal to, what it is. Loops that share one may say it alike.
pub(super) fn words<'r>(program: &Program<'_>, loops: impl IntoIterator<Item = &'r LoopRelation>) -> Vec<String> {
    let mut found = Vec::new();
    for text in loops.into_iter().flat_map(|own| words_of(program, own)) {
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

fn words_of(program: &Program<'_>, LoopRelation { pair, entry, .. }: &LoopRelation) -> Vec<String> {
    let code = program.code(*pair);
    let counts = [code.0.params, code.1.params];
    let has_equal = |version: usize, at: usize| entry.equal.iter().any(|&(a, b)| [a, b][version] == at);
    let mut told: Vec<&Fact> = Vec::new();
    for version in [1, 0] {
        for at in (0..counts[version]).filter(|&at| !has_equal(version, at)) {
            let facts = || entry.facts.iter().filter(|fact| fact.defines(version, at));
            if !facts().any(|fact| told.contains(&fact)) {
                told.extend(facts().next());
            }
        }
    }
    told.into_iter().map(|fact| fact.words(program.unit.as_unit(), [code.0, code.1])).collect()
}

/// Facts, those first that tell what is at the places at which the heaps may differ.
fn telling_first<'f>(facts: impl Iterator<Item = &'f Fact>, apart: &[Apart]) -> impl Iterator<Item = &'f Fact> {
    let (told, others): (Vec<&Fact>, Vec<&Fact>) = facts.partition(|fact| apart.iter().any(|place| tells(fact, place)));
    told.into_iter().chain(others)
}

/// Whether a fact is that the other version has in a variable what a cell holds at which the heaps may differ.
fn tells(fact: &Fact, place: &Apart) -> bool {
    let Part::Cell { before, .. } = place.of else { return false };
    let Fact::Equal(a, b, 0) = fact else { return false };
    [(a, b), (b, a)].iter().any(|(cell, other)| {
        let is_it = (cell.version, cell.parameter) == (place.version, place.parameter);
        is_it
            && cell.steps[..] == [Step::Cell(before, Sort::Int)]
            && other.version != cell.version
            && other.steps.is_empty()
    })
}

/// Which variables go together: those of one name and type, and of the rest those of one type in order.
fn partners(left: &[Local], right: &[Local]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    add_partners(&mut found, [left, right], |a, b| a.name == b.name);
    add_partners(&mut found, [left, right], |_, _| true);
    found
}

/// The same of results: those of parameters that go together do so, too.
fn result_partners(left: &Procedure, right: &Procedure, equal: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let both = [results(left), results(right)];
    let together = |a: &Local, b: &Local| {
        equal.iter().any(|&(p, q)| left.locals[p].name == a.name && right.locals[q].name == b.name)
    };
    add_partners(&mut found, both, together);
    let is_variable = |code: &Procedure, own: &Local| parameters(code).iter().any(|other| other.name == own.name);
    add_partners(&mut found, both, |a, b| a.name == b.name);
    add_partners(&mut found, both, |a, b| !a.ty.is_reference() || !is_variable(left, a) && !is_variable(right, b));
    // A reference that one version leaves in a variable of the loop, and the other gives back from within it.
    add_partners(&mut found, both, |_, _| true);
    found
}

/// The same of parameters, in all ways in which references without a namesake may go together, or with one that does not fit.
fn parameter_partners(
    left: &Procedure,
    right: &Procedure,
    fits: impl Fn(usize, usize) -> bool,
) -> Vec<Vec<(usize, usize)>> {
    let both = [parameters(left), parameters(right)];
    let mut named = Vec::new();
    add_partners(&mut named, both, |a, b| a.name == b.name);
    named.retain(|&(mine, theirs)| !both[0][mine].ty.is_reference() || fits(mine, theirs));
    let mut ways = vec![named];
    for (mine, local) in both[0].iter().enumerate().filter(|(_, local)| local.ty.is_reference()) {
        let mut more = Vec::new();
        for way in &ways {
            let free = |theirs: &usize| way.iter().all(|&(a, b)| a != mine && b != *theirs);
            let own = |theirs: &usize| both[1][*theirs].ty == local.ty && fits(mine, *theirs);
            let fitting = (0..both[1].len()).filter(|theirs| free(theirs) && own(theirs));
            more.extend(fitting.map(|theirs| [way.as_slice(), &[(mine, theirs)]].concat()));
            // One whose object only this version keeps in a variable.
            more.push(way.clone());
        }
        more.truncate(MAX_WAYS);
        ways = more;
    }
    for way in &mut ways {
        add_partners(way, both, |a, _| !a.ty.is_reference());
        way.sort_unstable();
    }
    // Those in which most go together are the likeliest.
    ways.sort_by_key(|way| usize::MAX - way.len());
    ways.truncate(MAX_WAYS);
    ways
}

/// Adds pairs of variables of one type that fit, of which neither has a partner, in order.
fn add_partners(found: &mut Vec<(usize, usize)>, [left, right]: [&[Local]; 2], fits: impl Fn(&Local, &Local) -> bool) {
    for (mine, local) in left.iter().enumerate() {
        let free = |theirs: &usize| found.iter().all(|&(a, b)| a != mine && b != *theirs);
        let own = |theirs: &usize| right[*theirs].ty == local.ty && fits(local, &right[*theirs]);
        let partner = (0..right.len()).find(|theirs| free(theirs) && own(theirs));
        found.extend(partner.map(|theirs| (mine, theirs)));
    }
}

/// Whether a fact about two ends says more than which results are equal.
fn is_open(fact: &Fact, (left, right): (&Procedure, &Procedure), results: &[(usize, usize)]) -> bool {
    match fact {
        Fact::Equal(a, b, 0) if a.steps.is_empty() && b.steps.is_empty() && a.version != b.version => {
            let numbers = (a.parameter.checked_sub(left.params), b.parameter.checked_sub(right.params));
            !matches!(numbers, (Some(a), Some(b)) if results.contains(&(a, b)))
        }
        _ => true,
    }
}
