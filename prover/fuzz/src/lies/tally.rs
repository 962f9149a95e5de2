//! How lies were received.
//!
//! In: stories that were told. Out: counts by kind, and those that were believed.

use super::subject::{Stage, Subject};
use super::{Heard, Told};
use std::collections::BTreeMap;
use std::fmt;

/// How the lies of one kind were received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// How many were told.
    pub offered: u64,
    /// How many were refused for what they say of single procedures.
    pub alone: u64,
    /// How many were refused for what they say of pairs.
    pub pair: u64,
    /// How many were refused only as no proof about the source.
    pub source: u64,
    /// How many took more than they may use.
    pub given_up: u64,
    /// How many made the kernel panic.
    pub panics: u64,
    /// How many were believed.
    pub believed: u64,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.offered += other.offered;
        self.alone += other.alone;
        self.pair += other.pair;
        self.source += other.source;
        self.given_up += other.given_up;
        self.panics += other.panics;
        self.believed += other.believed;
    }
}

/// A lie that should have been refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Believed {
    /// About what.
    pub subject: String,
    /// The program, where it was made up.
    pub text: String,
    /// What was changed.
    pub kinds: Vec<&'static str>,
    /// What the kernel made of it.
    pub what: String,
}

impl fmt::Display for Believed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// {}: {}: {}", self.subject, self.kinds.join(" + "), self.what)?;
        writeln!(f, "{}", self.text)
    }
}

/// How lies were received.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// About how many programs.
    pub subjects: u64,
    /// By kind; several kinds together are one.
    pub rows: BTreeMap<&'static str, Row>,
    /// The lies that were believed, or made the kernel panic.
    pub believed: Vec<Believed>,
    /// Why lies were refused as no proof about the source, how often, and one of these lies.
    pub reasons: BTreeMap<String, (u64, String)>,
}

impl Tally {
    /// How many lies were told.
    pub fn offered(&self) -> u64 {
        self.rows.values().map(|row| row.offered).sum()
    }

    /// Takes in one more.
    pub(super) fn count(&mut self, subject: &Subject, told: Told, watch: &mut dyn FnMut(&Believed)) {
        let Told { kinds, heard } = told;
        let key = if let [one] = kinds[..] { one } else { "several together" };
        let row = self.rows.entry(key).or_default();
        row.offered += 1;
        let what = match heard {
            Heard::Came(Stage::Alone, _) => return row.alone += 1,
            Heard::Came(Stage::Pair, _) => return row.pair += 1,
            Heard::GivenUp => return row.given_up += 1,
            Heard::Came(Stage::Source, why) => {
                row.source += 1;
                let first = || (0, format!("{}: {}", subject.name, kinds.join(" + ")));
                self.reasons.entry(plain(&why)).or_insert_with(first).0 += 1;
                return;
            }
            Heard::Came(Stage::Believed, how) => {
                row.believed += 1;
                format!("believed, {how}")
            }
            Heard::Panic(text) => {
                row.panics += 1;
                format!("the kernel panicked: {text}")
            }
        };
        let believed = Believed { subject: subject.name.clone(), text: subject.text.clone(), kinds, what };
        watch(&believed);
        self.believed.push(believed);
    }

    /// Takes in the tally of other lies.
    pub fn merge(&mut self, other: Tally) {
        self.subjects += other.subjects;
        for (kind, row) in other.rows {
            self.rows.entry(kind).or_default().add(&row);
        }
        self.believed.extend(other.believed);
        for (why, (count, first)) in other.reasons {
            self.reasons.entry(why).or_insert((0, first)).0 += count;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| lie | offered | alone | pair | source | given up | panics | believed |")?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        let mut total = Row::default();
        self.rows.values().for_each(|row| total.add(row));
        for (kind, row) in self.rows.iter().map(|(kind, row)| (*kind, row)).chain([("all", &total)]) {
            let Row { offered, alone, pair, source, given_up, panics, believed } = row;
            writeln!(f, "| {kind} | {offered} | {alone} | {pair} | {source} | {given_up} | {panics} | {believed} |")?;
        }
        writeln!(f, "\n{} lies about {} programs, {} believed", total.offered, self.subjects, self.believed.len())?;
        writeln!(
            f,
            "alone, pair, source: what refused them: what is said of single procedures or of pairs, or that it is no"
        )?;
        writeln!(f, "proof about the source, and then for these reasons:")?;
        self.reasons.iter().try_for_each(|(why, (count, first))| writeln!(f, "  {count} {why}, as of {first}"))
    }
}

/// A reason without its numbers and names.
fn plain(why: &str) -> String {
    let general = |word: &&str| !word.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    why.split(' ').filter(general).collect::<Vec<_>>().join(" ")
}
