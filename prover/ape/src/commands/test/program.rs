//! A case, read: its program, its pairs, and what is expected of each.
//!
//! In: a [`Case`] and the baseline. Out: a [`Program`], or why there is none.
//!
//! An expectation with a condition that the program has no `equiv` for asks for one: it is put at the end of the text that is
//! verified, where it moves no line. The file stays as it is.
//!
//! What is verified does not hold the words of expectations: to expect something else is no change of the program.

use super::baseline::Baseline;
use super::expectation::{self, Expectation};
use super::find::Case;
use super::outcome::Place;
use crate::commands::verify::pairs::{Pair, pairs};
use crate::files::load;
use crate::status::Failure;
use lang_l::Loaded;
use lang_l::hir::print::expr_text;
use prover::verify::asked;

/// A program that is tested.
pub(super) struct Program {
    /// The program, with the pairs that expectations ask for.
    pub(super) loaded: Loaded,
    /// Its pairs, in the order of a report.
    pub(super) pairs: Vec<Expected>,
    /// Expectations of pairs that are not there, with the place of each.
    pub(super) of_nothing: Vec<(Place, Expectation)>,
}

/// A pair with what is expected of it.
pub(super) struct Expected {
    /// The pair, with what its verdict depends on.
    pub(super) of: Pair,
    /// What is expected, if anything is.
    pub(super) expectation: Option<Expectation>,
    /// In which of the files of the case it is said; `None` for the baseline.
    pub(super) said_in: Option<usize>,
}

impl Program {
    /// Which of its pairs has this key.
    pub(super) fn at(&self, key: &str) -> Option<usize> {
        self.pairs.iter().position(|pair| pair.of.key == key)
    }
}

impl Expected {
    /// Whether anybody wants to know: of an external procedure there is nothing to find out.
    pub(super) fn counts(&self) -> bool {
        self.of.asked.defined || self.expectation.is_some()
    }
}

/// What is expected, and where that is said.
struct Said {
    expectation: Expectation,
    file: Option<usize>,
}

/// Reads a case; `None` where it is a program in one version that nobody asked for by name.
pub(super) fn open(case: &Case, baseline: &Baseline) -> Result<Option<Program>, Failure> {
    let texts = case.files.iter().map(|path| load::named(path)).collect::<Result<Vec<_>, Failure>>()?;
    of_texts(case, baseline, texts)
}

/// The same, of files that hold other texts than they do now.
pub(super) fn of_texts(
    case: &Case,
    baseline: &Baseline,
    mut texts: Vec<(String, Vec<u8>)>,
) -> Result<Option<Program>, Failure> {
    let mut said = Vec::new();
    for (file, (name, bytes)) in texts.iter().enumerate() {
        let text = String::from_utf8_lossy(bytes);
        let read =
            expectation::read(&text).map_err(|(line, wrong)| Failure::Usage(format!("{name}:{line}: {wrong}")))?;
        said.extend(read.into_iter().map(|expectation| Said { expectation, file: Some(file) }));
    }
    for (_, bytes) in &mut texts {
        *bytes = without_expectations(std::mem::take(bytes));
    }
    let plain = load::resolved(texts.clone())?;
    let versions = plain.unit.versions.len();
    match versions {
        2 => {}
        0 | 1 if !case.must_be_pair => return Ok(None),
        _ => return Err(Failure::Usage(not_a_pair(case, versions))),
    }
    if let Some(file) = case.files.first() {
        let more = baseline.of(file).iter().filter(|row| {
            !said.iter().any(|said| said.expectation.pair == row.pair && said.expectation.when == row.when)
        });
        let more: Vec<Said> = more.map(|row| Said { expectation: row.clone(), file: None }).collect();
        said.extend(more);
    }
    no_contradictions(case, &said)?;
    let wanted = conditions_without_a_pair(&plain, &said);
    let before = plain.unit.equivs.len();
    let loaded = match texts.last_mut() {
        Some((_, last)) if !wanted.is_empty() => {
            last.extend(wanted.iter().flat_map(|(_, line)| line.bytes()));
            load::resolved(texts)?
        }
        _ => plain,
    };
    // The pair is reported with its condition as a report writes it.
    for ((at, _), equiv) in wanted.iter().zip(&loaded.unit.equivs[before..]) {
        let version = &loaded.unit.versions[0];
        let text = |when| expr_text(&loaded.unit, version, version.procedure(equiv.left), when);
        said[*at].expectation.when = equiv.when.as_ref().map(text);
    }
    Ok(Some(matched(case, loaded, said)))
}

/// A text in which the lines that expect something are empty comments: no result depends on what they say.
fn without_expectations(bytes: Vec<u8>) -> Vec<u8> {
    let mark = expectation::MARK.as_bytes();
    let mut new = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(mark) {
            let end = line.len() - line.iter().rev().take_while(|byte| matches!(**byte, b'\r' | b'\n')).count();
            new.extend_from_slice(b"//");
            new.extend_from_slice(&line[end..]);
        } else {
            new.extend_from_slice(line);
        }
    }
    new
}

/// Nobody can expect two things of one pair.
fn no_contradictions(case: &Case, said: &[Said]) -> Result<(), Failure> {
    let same = |one: &Said, other: &Said| {
        one.expectation.pair == other.expectation.pair && one.expectation.when == other.expectation.when
    };
    match said.iter().enumerate().find(|(at, one)| said[..*at].iter().any(|other| same(one, other))) {
        None => Ok(()),
        Some((_, twice)) => {
            let what = format!("{}: two verdicts are expected of {}", case.name, twice.expectation.pair);
            Err(Failure::Usage(what))
        }
    }
}

/// Why a case is no pair.
fn not_a_pair(case: &Case, versions: usize) -> String {
    let name = &case.name;
    let partner = [(".old.l", ".new.l"), (".new.l", ".old.l")];
    if let Some((own, other)) = partner.into_iter().find(|(own, _)| versions < 2 && name.ends_with(own)) {
        let stem = name.strip_suffix(own).unwrap_or(name);
        return format!("{name} has no partner: there is no {stem}{other}");
    }
    match versions {
        0 | 1 => format!("{name} is one version; a pair file has two, each after the word `version`"),
        _ => format!("{name} has {versions} versions, not two"),
    }
}

/// The `equiv`s that expectations with conditions ask for and the program does not have, each with the number of what asks.
fn conditions_without_a_pair(loaded: &Loaded, said: &[Said]) -> Vec<(usize, String)> {
    let there = asked(&loaded.unit);
    let mut lines = Vec::new();
    for (at, Said { expectation, .. }) in said.iter().enumerate() {
        let Some(when) = &expectation.when else { continue };
        let (left, right) = expectation::names(&expectation.pair);
        // Of procedures that are not there nothing can be asked; that is told with all other such expectations.
        let is_there = there.iter().any(|pair| expectation::speaks_of(expectation, pair));
        if !is_there && exists(loaded, &expectation.pair) {
            lines.push((at, format!("\nequiv {left} ~ {right} when {when};\n")));
        }
    }
    lines
}

/// Each pair with what is expected of it.
fn matched(case: &Case, loaded: Loaded, said: Vec<Said>) -> Program {
    let there = asked(&loaded.unit);
    let expectations: Vec<Expectation> = said.iter().map(|said| said.expectation.clone()).collect();
    let pairs = pairs(&loaded.unit, &loaded.sources).into_iter().map(|of| {
        let expectation = expectation::of(&expectations, &of.asked);
        let said_in = said.iter().find(|said| Some(&said.expectation) == expectation).and_then(|said| said.file);
        Expected { expectation: expectation.cloned(), said_in, of }
    });
    let pairs = pairs.collect();
    let nothing = |said: &Said| !there.iter().any(|asked| expectation::speaks_of(&said.expectation, asked));
    let of_nothing = said.into_iter().filter(nothing);
    let place = |said: &Said| Place {
        file: said.file.map_or("the baseline".to_string(), |file| case.files[file].display().to_string()),
        line: said.expectation.line + 1,
        column: 1,
    };
    let of_nothing = of_nothing.map(|said| (place(&said), said.expectation)).collect();
    Program { loaded, pairs, of_nothing }
}

fn exists(loaded: &Loaded, pair: &str) -> bool {
    let (left, right) = expectation::names(pair);
    loaded.unit.versions[0].find(left).is_some() && loaded.unit.versions[1].find(right).is_some()
}
