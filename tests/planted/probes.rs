//! The programs that faults are tried on, each with the verdicts that are right.
//!
//! In: the suites, and numbers for the fuzzer. Out: [`Probe`]s. What is right of a fuzzed pair is what runs show, or how it was made.

use crate::common::program::{self, Expected, Program, own_suites, shared_folders};
use ape_fuzz::oracle::{Difference, RunBudget, observe, observe_from};
use ape_fuzz::{FuzzConfig, case::Case};
use lang_l::hir::Unit;
use lang_l::random::Random;
use lang_l::store_json::read_input;

/// The suites in which every verdict must be true; the others only show what a fault costs.
const JUDGED: [&str; 2] = ["traps", "suites::attacks"];
/// The suites that show what a fault costs.
const COSTLY: [&str; 3] = ["examples", "structure", "numeric"];
/// How many fuzzed pairs are looked for differences, and how many far differences are planted, in a short run and in a whole one.
const FUZZED: [(u64, u64); 2] = [(60, 24), (900, 200)];
/// How many runs tell in what a pair differs.
const OBSERVED: RunBudget = RunBudget { small: 60, large: 10 };
/// Where the fuzzer starts.
const SEED: u64 = 2027;

/// A program, and what is right of its pairs.
pub(crate) struct Probe {
    pub(crate) name: String,
    pub(crate) unit: Unit,
    pub(crate) right: Expected,
    /// Whether nothing wrong may be said of it.
    pub(crate) judged: bool,
}

/// All programs; with `whole` more of those that are made up.
pub(crate) fn probes(whole: bool) -> Vec<Probe> {
    let mut found = Vec::new();
    for suite in own_suites().into_iter().chain(shared_folders()) {
        let judged = JUDGED.contains(&suite.name.as_str());
        if !judged && !COSTLY.contains(&suite.name.as_str()) {
            continue;
        }
        let table = program::expected_table(&suite.folder);
        for file in program::programs(&suite.folder) {
            let name = suite.row(&file);
            // What is to be refused is no program.
            let Ok(program) = Program::read(&name, &file) else { continue };
            let short = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let told = table.get(&short).cloned();
            let Some(mut right) = told.or_else(|| program.expected(&suite).ok()) else { continue };
            if judged {
                admit_partial(&program, &mut right);
            }
            found.push(Probe { name, unit: program.unit, right, judged });
        }
    }
    let (fuzzed, far) = FUZZED[usize::from(whole)];
    let config = FuzzConfig { seed: SEED, ..FuzzConfig::default() };
    found.extend((0..fuzzed).filter_map(|number| differing(&config.case(number)?, number)));
    let config = config.far();
    found.extend((0..far).filter_map(|number| planted(&config.case(number)?, number)));
    found
}

/// Of a pair that differs in nothing but whether it ends, it is true that it is equivalent in part. Runs show which these are; where
/// they would take too long, a line `// true in part: PAIR` says so.
fn admit_partial(program: &Program, right: &mut Expected) {
    let unit = &program.unit;
    let [left, other] = &unit.versions[..] else { return };
    let told = |name: &str| program.text.lines().any(|line| line.strip_prefix("// true in part: ") == Some(name));
    for (name, words) in right.iter_mut().filter(|(_, words)| **words == ["not-equivalent"]) {
        let (mine, theirs) = name.split_once('~').unwrap_or((name, name));
        let (Some(mine), Some(theirs)) = (left.find(mine), other.find(theirs)) else { continue };
        let seen = observe(unit, (mine, theirs), OBSERVED, &mut Random::new(1));
        assert!(seen.outcome.is_none() || !told(name), "{name}: runs that end differ");
        if seen.outcome.is_none() && (seen.termination.is_some() || told(name)) {
            words.push("partially-equivalent".to_string());
        }
    }
}

/// A fuzzed pair that runs tell apart; what cannot be told apart shows nothing.
fn differing(case: &Case, number: u64) -> Option<Probe> {
    let unit = case.unit().filter(|_| !case.keeps())?;
    let [left, right] = &unit.versions[..] else { return None };
    let mut told = Expected::new();
    let asked = |name: &str| unit.equivs.iter().any(|equiv| left.procedure(equiv.left).name == name);
    for code in left.procedures.iter().filter(|code| code.body.is_some() && !asked(&code.name)) {
        let (Some(mine), Some(theirs)) = (left.find(&code.name), right.find(&code.name)) else { continue };
        let seen = observe(&unit, (mine, theirs), OBSERVED, &mut Random::new(1));
        if seen.outcome.is_some() {
            told.insert(code.name.clone(), words(&["not-equivalent"]));
        } else if seen.termination.is_some() {
            told.insert(code.name.clone(), words(&["not-equivalent", "partially-equivalent"]));
        }
    }
    (!told.is_empty()).then(|| Probe { name: format!("fuzz/{number}"), unit, right: told, judged: true })
}

/// A pair with a difference that is known by construction; `None` where the two do the same from the planted store, for that says
/// nothing of other stores.
fn planted(case: &Case, number: u64) -> Option<Probe> {
    let planted = case.planted.as_ref()?;
    let unit = case.unit()?;
    let mut right = match planted.difference? {
        Difference::Outcome => words(&["not-equivalent"]),
        Difference::Termination | Difference::Blocked => words(&["not-equivalent", "partially-equivalent"]),
    };
    let [left, other] = &unit.versions[..] else { return None };
    let (mine, theirs) = (left.find(&planted.procedure)?, other.find(&planted.procedure)?);
    // A run that breaks a contract shows that, whatever the two do.
    if planted.runs {
        let input = read_input(&unit, left.procedure(mine), &planted.store).ok()?;
        if !observe_from(&unit, (mine, theirs), input).violations.is_empty() {
            right.push("contract-violation".to_string());
        }
    }
    let told = Expected::from([(planted.procedure.clone(), right)]);
    Some(Probe { name: format!("far/{number}"), unit, right: told, judged: true })
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}
