//! What lies are told about: pairs that are known to differ, with all that is true of them and of their like.
//!
//! In: a seed and a number, or a pair program. Out: a [`Subject`].
//!
//! Invariant: of every pair that is [`Known`] to differ both versions were run, and they differed; or it was planted.

use super::deeds::{Deed, deeds, denied};
use super::guess::in_order;
use super::twins::of_twins;
use crate::case::{Case, Planted, mutate};
use crate::oracle::{Compared, Difference, RunBudget, observe};
use crate::{far, generate};
use kernel::pair::PairEvidence;
use kernel::proof::Kernel;
use kernel::relate::Level;
use lang_l::hir::same::same_signature;
use lang_l::hir::{Expr, ProcId, Unit};
use lang_l::random::Random;
use prover::findings::Findings;
use prover::goal::Pair;
use prover::search::witness::Contrast;
use prover::verdict::Verdict;
use prover::verify::{Config, verify};
use smt::solve::Solver;
use std::collections::{BTreeMap, BTreeSet};

/// How much is run to see that a pair differs.
const RUNS: RunBudget = RunBudget { small: 150, large: 24 };
/// Numbers of subjects are not those of cases.
const SALT: u64 = 0x11E5;

/// A pair that is known to differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The pair, of the source.
    pub pair: Pair,
    /// The condition under which it differs, if its `equiv` has one.
    pub when: Option<Expr>,
    /// The least level that the difference refutes: all, if the two end differently; the full one, if one does not end.
    pub refutes: Level,
}

/// What lies are told about.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its name, for reports.
    pub name: String,
    /// Its text, where it was made up.
    pub text: String,
    /// The program.
    pub unit: Unit,
    /// The pairs that differ.
    pub known: Vec<Known>,
    /// What engines find of it.
    pub own: Findings,
    /// What they find of its like, whose versions do the same. Its claims are in the names of the subject.
    pub like: Findings,
    deeds: Vec<Deed>,
}

impl Subject {
    /// A subject made up at random; `None` when its versions are not seen to differ.
    pub fn made(seed: u64, number: u64, config: &Config) -> Option<Subject> {
        let random = &mut Random::item(seed ^ SALT, number);
        let (case, twin) = if random.percent(15) {
            let case = far::case(seed, number)?;
            let twin = Case { right: case.left.clone(), planted: None, ..case.clone() };
            (case, twin)
        } else {
            changed(random)?
        };
        let unit = case.unit()?;
        let mut known = differences(&unit);
        known.extend(case.planted.as_ref().and_then(|planted| of_planted(&unit, planted)));
        Subject::of(format!("case {number}"), case.text(), unit, known, &twin.unit()?, config)
    }

    /// A pair program as a subject; `None` when its versions are not seen to differ.
    pub fn given(name: &str, unit: &Unit, config: &Config) -> Option<Subject> {
        if unit.versions.len() < 2 {
            return None;
        }
        let mut known = differences(unit);
        known.extend(refuted(unit, config));
        let twins = Unit { versions: vec![unit.versions[0].clone(); 2], equivs: Vec::new(), ..unit.clone() };
        Subject::of(name.to_owned(), String::new(), unit.clone(), known, &twins, config)
    }

    fn of(name: String, text: String, unit: Unit, known: Vec<Known>, twins: &Unit, config: &Config) -> Option<Subject> {
        if known.is_empty() {
            return None;
        }
        let open = known.iter().filter(|known| known.when.is_none()).map(|known| known.pair).collect();
        let own = Findings::of(&unit, &open, config)?;
        let mut like = Findings::of(twins, &BTreeSet::new(), config)?;
        spelt_out(&mut like, &known);
        like.claims = in_names_of(&own.lowered, &like, &known);
        let deeds = deeds(&unit);
        Some(Subject { name, text, unit, known, own, like, deeds })
    }

    /// All that is found of the subject, and what is said of its like where nothing is found: the claims about pairs that differ.
    pub fn base(&self) -> Findings {
        let mut story = self.own.clone();
        for (pair, claim) in &self.like.claims {
            story.claims.entry(*pair).or_insert_with(|| claim.clone());
        }
        story
    }
}

/// A program and a mutant that may differ, and the same with a mutant that does not.
fn changed(random: &mut Random) -> Option<(Case, Case)> {
    let left = generate::program(random);
    let kept = if random.percent(60) { mutate(&left, false, random)?.1 } else { left.clone() };
    let (mutation, right) = mutate(&kept, true, random)?;
    let mutations = vec![mutation];
    let case = |left, right| Case { left, right, mutations: mutations.clone(), planted: None };
    Some(match random.percent(40) {
        false => (case(left.clone(), right), case(left, kept)),
        true => (case(right, left.clone()), case(kept, left)),
    })
}

/// The pairs that are compared, and differ when they are run.
fn differences(unit: &Unit) -> Vec<Known> {
    let mut known = Vec::new();
    for compared in comparisons(unit) {
        let seen = observe(unit, compared, RUNS, &mut Random::new(1));
        let refutes = match (&seen.outcome, &seen.termination) {
            (Some(_), _) => Level::Partial,
            (None, Some(_)) => Level::Full,
            (None, None) => continue,
        };
        known.push(Known { pair: (compared.left, compared.right), when: compared.when.cloned(), refutes });
    }
    known
}

/// The pairs that are compared, by name or as the program says.
fn comparisons(unit: &Unit) -> Vec<Compared<'_>> {
    let by_name = (0u32..).map(ProcId).zip(&unit.versions[0].procedures).filter_map(|(left, code)| {
        let right = unit.versions[1].find(&code.name)?;
        Some(Compared { left, right, when: None })
    });
    let said =
        unit.equivs.iter().map(|equiv| Compared { left: equiv.left, right: equiv.right, when: equiv.when.as_ref() });
    let alike = |of: &Compared<'_>| same_signature(unit.procedure(0, of.left), unit.procedure(1, of.right));
    by_name.chain(said).filter(alike).collect()
}

fn of_planted(unit: &Unit, planted: &Planted) -> Option<Known> {
    let find = |version: usize| unit.versions[version].find(&planted.procedure);
    let refutes = match planted.difference? {
        Difference::Outcome => Level::Partial,
        Difference::Termination | Difference::Blocked => Level::Full,
    };
    Some(Known { pair: (find(0)?, find(1)?), when: None, refutes })
}

/// The pairs of which the prover shows a run that tells them apart.
fn refuted(unit: &Unit, config: &Config) -> Vec<Known> {
    let report = verify(unit, config);
    let known = report.pairs.iter().filter_map(|pair| {
        let Verdict::NotEquivalent(witness) = &pair.verdict else { return None };
        let same = |equiv: &&lang_l::hir::Equiv| (equiv.left, equiv.right) == pair.pair;
        let when = unit.equivs.iter().find(same).and_then(|equiv| equiv.when.clone());
        let refutes = if *witness.contrast() == Contrast::Termination { Level::Full } else { Level::Partial };
        Some(Known { pair: pair.pair, when: when.filter(|_| pair.when.is_some()), refutes })
    });
    known.collect()
}

/// Says path by path why those are equivalent of which a look at the text is enough: a lie needs something to change.
fn spelt_out(like: &mut Findings, known: &[Known]) {
    let plain = |pair: &Pair, evidence: &PairEvidence| {
        *evidence == PairEvidence::SameCode && known.iter().any(|known| known.pair.0 == pair.0)
    };
    let open = like.claims.iter().filter(|(pair, (_, evidence))| plain(pair, evidence)).map(|(pair, _)| *pair);
    for pair in open.collect::<Vec<_>>() {
        let told = of_twins(like, pair).or_else(|| in_order(like, pair));
        if let (Some(told), Some(claim)) = (told, like.claims.get_mut(&pair)) {
            claim.1 = told;
        }
    }
}

/// The claims about the subject's like in the names of the subject: version 1 of the two may have other procedures.
fn in_names_of(lowered: &Unit, like: &Findings, known: &[Known]) -> BTreeMap<Pair, (Level, PairEvidence)> {
    let theirs = |id: ProcId| like.lowered.versions[1].procedures.get(id.index()).map(|code| code.name.as_str());
    let image = |id: ProcId| lowered.versions[1].find(theirs(id)?);
    let mut claims = BTreeMap::new();
    for (&(left, right), (level, evidence)) in &like.claims {
        let Some(right) = image(right) else { continue };
        let mut evidence = evidence.clone();
        rename(&mut evidence, &image);
        claims.insert((left, right), (*level, evidence));
    }
    // Two that have different names are like the one of version 0 as well.
    for known in known {
        let own = claims.iter().find(|((left, _), _)| *left == known.pair.0).map(|(_, claim)| claim.clone());
        if let (Some(claim), false) = (own, claims.contains_key(&known.pair)) {
            claims.insert(known.pair, claim);
        }
    }
    claims
}

/// Gives the procedures of version 1 of which evidence speaks other names.
fn rename(evidence: &mut PairEvidence, image: &dyn Fn(ProcId) -> Option<ProcId>) {
    let plan = match evidence {
        PairEvidence::Paths(paths) => &mut paths.plan,
        PairEvidence::Loops(loops) => {
            for (own, _) in &mut loops.loops {
                own.pair.1 = image(own.pair.1).unwrap_or(own.pair.1);
            }
            &mut loops.whole.plan
        }
        PairEvidence::Summaries(summaries) => {
            for own in &mut summaries.summaries {
                for slot in &mut own.of[1] {
                    slot.callee = image(slot.callee).unwrap_or(slot.callee);
                }
            }
            &mut summaries.plan
        }
        PairEvidence::SameCode | PairEvidence::External => return,
    };
    plan.inline[1] = plan.inline[1].iter().filter_map(|&id| image(id)).collect();
}

/// What became of a story that was told to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// What is said of single procedures is not so.
    Alone,
    /// What is said of the pair does not show it.
    Pair,
    /// The pair stands, but the source does something else.
    Source,
    /// It is believed.
    Believed,
}

/// Tells a story to the kernel; how far it comes with any pair that is known to differ.
pub fn tell(subject: &Subject, story: &Findings, solver: &mut Solver) -> (Stage, String) {
    let mut kernel = Kernel::check(story.dossier(&subject.unit), solver);
    let first = kernel.learn(&story.conditional, solver);
    if let Some(rejection) = (0..2).find_map(|version| kernel.alone(version).err()) {
        return (Stage::Alone, rejection.0);
    }
    // Of another program something else may be true.
    if let Some(what) =
        denied(&subject.deeds, &subject.own.simulations, story).filter(|_| story.lowered == subject.own.lowered)
    {
        return (Stage::Believed, what);
    }
    let mut furthest = (Stage::Alone, String::new());
    for known in &subject.known {
        let mut came = plain(&kernel, known);
        if let (Some(when), Some((level, evidence))) = (&known.when, story.claims.get(&known.pair)) {
            let said = kernel.prove_when(known.pair, Some(when), (*level, evidence), solver);
            came = came.max(match said {
                Ok(Ok(proved)) if proved.level() >= known.refutes => (Stage::Believed, "under its condition".into()),
                Ok(Err(rejection)) if *level >= known.refutes => (Stage::Source, rejection.0),
                Ok(_) => (Stage::Pair, "less is claimed".into()),
                Err(rejection) => (Stage::Pair, rejection.0),
            });
        }
        for (number, (claim, _)) in (first..).zip(&story.conditional) {
            // A claim from all stores is one from those that satisfy any condition.
            let is_about = claim.pair == known.pair && (claim.condition.is_none() || claim.condition == known.when);
            if is_about && kernel.prove_under(number).is_ok_and(|proved| proved.level() >= known.refutes) {
                came = came.max((Stage::Believed, "as a claim under a condition".into()));
            }
        }
        furthest = furthest.max(came);
    }
    furthest
}

/// How far the claim about a pair comes, from all stores.
fn plain(kernel: &Kernel<'_>, known: &Known) -> (Stage, String) {
    match (kernel.stands(known.pair), kernel.prove(known.pair)) {
        (_, Ok(proved)) if proved.level() >= known.refutes => (Stage::Believed, "from all stores".into()),
        (Ok(level), Err(rejection)) if level >= known.refutes => {
            // That the source does something else says more than that a contract is not proved.
            let shown = |version: usize| kernel.lemmas(version).get(&[known.pair.0, known.pair.1][version]).cloned();
            let lemma = (0..2).find_map(|version| shown(version)?.err());
            (Stage::Source, lemma.unwrap_or(rejection).0)
        }
        (Ok(_), _) => (Stage::Pair, "less is claimed".into()),
        (Err(rejection), _) => (Stage::Pair, rejection.0),
    }
}
